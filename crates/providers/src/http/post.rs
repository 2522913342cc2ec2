//! One request to a server, with its key.

use bytes::Bytes;
use forelook_protocol::{FailureKind, ProviderFailure, Secret};
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client, Url};

use super::connection_failure::{self, NetworkRoute};
use super::redact::{self, Redactor};
use super::response_body::ResponseBody;
use super::status_failure::{self, KeyUsed};
use super::{Endpoint, KeyRequest, not_ready};
use crate::dialect::Dialect;

/// What is sent.
pub(super) struct Post<'a> {
    pub(super) endpoint: &'a Endpoint,
    pub(super) dialect: &'static dyn Dialect,
    /// Where to, below the base address.
    pub(super) path: &'static str,
    pub(super) body: Bytes,
    /// What is wanted back.
    pub(super) accept: &'static str,
}

impl Post<'_> {
    /// Sends it, and once more with another key if the server refuses the known one and there is another. What comes
    /// back has a status that says that all is well.
    pub(super) async fn send(self) -> Result<(ResponseBody, Redactor), ProviderFailure> {
        let url = address(&self.endpoint.base, self.path)?;
        let client = self.endpoint.connections.client(&url).await.map_err(|why| not_ready(&why))?;
        let mut redactor = Redactor::default();
        let key = self.key(KeyRequest::Cached, &mut redactor).await?;
        let mut outcome = self.once(&client, &url, key.as_ref(), &redactor).await?;
        if let SendOutcome::KeyRefused(failure) = &mut outcome {
            match self.key(KeyRequest::Refreshed, &mut redactor).await {
                Ok(renewed) if renewed.is_some() && renewed != key => {
                    outcome = self.once(&client, &url, renewed.as_ref(), &redactor).await?;
                }
                Ok(_) => {}
                Err(why) => failure.hint = Some(format!("Cannot get another key: {why}")),
            }
        }
        match outcome {
            SendOutcome::Answered(response_body) => Ok((*response_body, redactor)),
            SendOutcome::Refused(failure) | SendOutcome::KeyRefused(failure) => {
                Err(redactor.failure(failure))
            }
        }
    }

    async fn key(
        &self,
        which: KeyRequest,
        redactor: &mut Redactor,
    ) -> Result<Option<Secret>, ProviderFailure> {
        let key = self.endpoint.key.key(which).await;
        let key = key.map_err(|why| ProviderFailure::new(FailureKind::Authentication, why))?;
        if let Some(key) = &key {
            redactor.add(key);
        }
        Ok(key)
    }

    async fn once(
        &self,
        client: &Client,
        url: &Url,
        key: Option<&Secret>,
        redactor: &Redactor,
    ) -> Result<SendOutcome, ProviderFailure> {
        let headers = self.headers(key)?;
        let proxy = self.endpoint.connections.proxy_of(url);
        let route = NetworkRoute { url, proxy };
        let idle_timeout = self.endpoint.idle_timeout;
        let sending = client.post(url.clone()).headers(headers).body(self.body.clone()).send();
        let response = match tokio::time::timeout(idle_timeout, sending).await {
            Err(_) => return Err(connection_failure::idle_timeout(idle_timeout, &route)),
            Ok(Err(error)) => return Err(connection_failure::sending(&error, &route)),
            Ok(Ok(response)) => response,
        };
        let status = response.status();
        let (wire_format, version) = (self.dialect.wire_format().name(), response.version());
        tracing::debug!(wire_format, path = self.path, status = status.as_u16(), ?version, "answered");
        let mut response_body = ResponseBody::new(response, url.clone(), proxy.cloned(), idle_timeout);
        if status.is_success() {
            return Ok(SendOutcome::Answered(Box::new(response_body)));
        }
        let text = redactor.raw(response_body.text().await);
        let used = KeyUsed { origin: self.endpoint.key.origin(), sent: key.is_some() };
        let head = (status, response_body.response().headers());
        let failure = status_failure::failure(head, &text, self.dialect, url, &used);
        Ok(if status_failure::is_about_the_key(status) {
            SendOutcome::KeyRefused(failure)
        } else {
            SendOutcome::Refused(failure)
        })
    }

    fn headers(&self, key: Option<&Secret>) -> Result<HeaderMap, ProviderFailure> {
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        headers.insert(ACCEPT, HeaderValue::from_static(self.accept));
        for (name, text) in self.dialect.headers(key) {
            let mut value = HeaderValue::from_str(&text).map_err(|_| self.bad_key())?;
            value.set_sensitive(true);
            headers.insert(HeaderName::from_static(name), value);
        }
        Ok(headers)
    }

    fn bad_key(&self) -> ProviderFailure {
        let origin = self.endpoint.key.origin();
        let message = format!("The key from {origin} contains invalid characters");
        ProviderFailure::new(FailureKind::Authentication, message)
            .hint(format!("Set {origin} again; it may contain a line break or a special character"))
    }
}

/// What became of one request.
enum SendOutcome {
    Answered(Box<ResponseBody>),
    Refused(ProviderFailure),
    /// Another key might help.
    KeyRefused(ProviderFailure),
}

/// The address of a path below a base address, whose query stays.
pub(super) fn address(base: &str, path: &str) -> Result<Url, ProviderFailure> {
    let url = Url::parse(base.trim()).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
    let Some(mut url) = url else {
        // What cannot be read cannot be rid of its secrets either, and so is not repeated.
        return Err(ProviderFailure::new(FailureKind::BadRequest, "The base URL is not a web URL")
            .hint("It must begin with `https://` or `http://`"));
    };
    let joined = format!("{}/{}", url.path().trim_end_matches('/'), path.trim_start_matches('/'));
    url.set_path(&joined);
    url.set_fragment(None);
    tracing::trace!(address = redact::redacted_url(&url), "asked");
    Ok(url)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_put_below_the_base_address() {
        for (base, expect) in [
            ("https://a.example", "https://a.example/v1/x"),
            ("https://a.example/", "https://a.example/v1/x"),
            (" http://a.example:8080/deep/ ", "http://a.example:8080/deep/v1/x"),
            ("https://a.example/p?version=1#part", "https://a.example/p/v1/x?version=1"),
        ] {
            assert_eq!(address(base, "/v1/x").unwrap().as_str(), expect);
            assert_eq!(address(base, "v1/x").unwrap().as_str(), expect);
        }
    }

    #[test]
    fn what_is_no_address_is_told_and_not_repeated() {
        for base in ["", "a.example", "localhost:11434", "ftp://me:hunter2@a.example", "https://me:hunter2@"]
        {
            let failure = address(base, "x").unwrap_err();
            assert!(!failure.kind.is_transient() && !failure.message.contains("hunter2"), "{failure}");
        }
    }
}
