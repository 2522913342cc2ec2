//! One request to a server, with its key.

use bytes::Bytes;
use forelook_protocol::{FailureKind, ProviderFailure, Secret};
use reqwest::header::{ACCEPT, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};
use reqwest::{Client, Url};

use super::incoming::Incoming;
use super::refused::{self, KeyUsed};
use super::trouble::{self, Way};
use super::words::{self, Scrub};
use super::{Server, WhichKey, not_ready};
use crate::dialect::Dialect;

/// What is sent.
pub(super) struct Post<'a> {
    pub(super) server: &'a Server,
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
    pub(super) async fn send(self) -> Result<(Incoming, Scrub), ProviderFailure> {
        let url = address(&self.server.base, self.path)?;
        let client = self.server.connections.client(&url).await.map_err(|why| not_ready(&why))?;
        let mut scrub = Scrub::default();
        let key = self.key(WhichKey::Known, &mut scrub).await?;
        let mut sent = self.once(&client, &url, key.as_ref(), &scrub).await?;
        if let Sent::KeyRefused(failure) = &mut sent {
            match self.key(WhichKey::Renewed, &mut scrub).await {
                Ok(renewed) if renewed.is_some() && renewed != key => {
                    sent = self.once(&client, &url, renewed.as_ref(), &scrub).await?;
                }
                Ok(_) => {}
                Err(why) => failure.hint = Some(format!("No other key could be had: {why}")),
            }
        }
        match sent {
            Sent::Answered(incoming) => Ok((*incoming, scrub)),
            Sent::Refused(failure) | Sent::KeyRefused(failure) => Err(scrub.failure(failure)),
        }
    }

    async fn key(&self, which: WhichKey, scrub: &mut Scrub) -> Result<Option<Secret>, ProviderFailure> {
        let key = self.server.key.key(which).await;
        let key = key.map_err(|why| ProviderFailure::new(FailureKind::Authentication, why))?;
        if let Some(key) = &key {
            scrub.also(key);
        }
        Ok(key)
    }

    async fn once(
        &self,
        client: &Client,
        url: &Url,
        key: Option<&Secret>,
        scrub: &Scrub,
    ) -> Result<Sent, ProviderFailure> {
        let headers = self.headers(key)?;
        let proxy = self.server.connections.proxy_of(url);
        let way = Way { url, proxy };
        let silence = self.server.silence;
        let sending = client.post(url.clone()).headers(headers).body(self.body.clone()).send();
        let response = match tokio::time::timeout(silence, sending).await {
            Err(_) => return Err(trouble::silence(silence, &way)),
            Ok(Err(error)) => return Err(trouble::sending(&error, &way)),
            Ok(Ok(response)) => response,
        };
        let status = response.status();
        let (form, version) = (self.dialect.form().name(), response.version());
        tracing::debug!(form, path = self.path, status = status.as_u16(), ?version, "answered");
        let mut incoming = Incoming::new(response, url.clone(), proxy.cloned(), silence);
        if status.is_success() {
            return Ok(Sent::Answered(Box::new(incoming)));
        }
        let text = scrub.raw(incoming.text().await);
        let used = KeyUsed { origin: self.server.key.origin(), sent: key.is_some() };
        let head = (status, incoming.response().headers());
        let failure = refused::failure(head, &text, self.dialect, url, &used);
        Ok(if refused::is_about_the_key(status) { Sent::KeyRefused(failure) } else { Sent::Refused(failure) })
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
        let origin = self.server.key.origin();
        let message = format!("The key from {origin} has characters in it that no key can have");
        ProviderFailure::new(FailureKind::Authentication, message)
            .hint(format!("Set {origin} again: a line break or a letter from a web page got into it"))
    }
}

/// What became of one request.
enum Sent {
    Answered(Box<Incoming>),
    Refused(ProviderFailure),
    /// Another key might help.
    KeyRefused(ProviderFailure),
}

/// The address of a path below a base address, whose query stays.
pub(super) fn address(base: &str, path: &str) -> Result<Url, ProviderFailure> {
    let url = Url::parse(base.trim()).ok().filter(|url| matches!(url.scheme(), "http" | "https"));
    let Some(mut url) = url else {
        // What cannot be read cannot be rid of its secrets either, and so is not repeated.
        return Err(ProviderFailure::new(
            FailureKind::BadRequest,
            "The base address is not an address of the web",
        )
        .hint("It must begin with `https://` or `http://`"));
    };
    let joined = format!("{}/{}", url.path().trim_end_matches('/'), path.trim_start_matches('/'));
    url.set_path(&joined);
    url.set_fragment(None);
    tracing::trace!(address = words::of_address(&url), "asked");
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
            assert!(!failure.kind.passes() && !failure.message.contains("hunter2"), "{failure}");
        }
    }
}
