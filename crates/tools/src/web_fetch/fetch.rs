//! Fetches one page, within limits.

use std::sync::Arc;
use std::time::Duration;

use forelook_network::{ClientSetupError, Connections, TransportError, classify_error, root_cause};
use reqwest::header::{ACCEPT, CONTENT_TYPE, LOCATION};
use reqwest::{Response, Url};
use tokio::time::{Instant, timeout_at};

use super::address::{LocalHosts, PageAddress};
use super::content::{ContentKind, content_kind};
use crate::output::shorten;
use crate::progress::Progress;

/// How often a server may send us on.
const MAX_REDIRECTS: usize = 10;
const ACCEPTED: &str =
    "text/markdown, text/html;q=0.9, application/xhtml+xml;q=0.9, text/plain;q=0.8, */*;q=0.5";

/// What is spent on one page.
#[derive(Debug, Clone, Copy)]
pub(super) struct Limits {
    /// In all.
    pub(super) time: Duration,
    /// Bytes that are read, when they are unpacked.
    pub(super) bytes: usize,
    /// How old a page may be to be given again.
    pub(super) age: Duration,
    /// How long the small model may take.
    pub(super) answer: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            time: Duration::from_secs(60),
            bytes: 10 << 20,
            age: Duration::from_mins(15),
            answer: Duration::from_mins(3),
        }
    }
}

/// The ways to pages.
pub(super) struct Fetcher {
    pub(super) public: Arc<Connections>,
    pub(super) local: Arc<Connections>,
    pub(super) local_hosts: LocalHosts,
    pub(super) limits: Limits,
}

/// What came of an address.
#[derive(Debug)]
pub(super) enum FetchOutcome {
    Body(Body),
    /// The page is on another host, which has to be allowed by itself.
    OtherHost(Url),
    /// Nothing that can be shown, so it was not read: its type and, if it is known, its size.
    Unsupported {
        at: PageAddress,
        content_type: String,
        bytes: Option<u64>,
    },
}

/// What was read.
#[derive(Debug)]
pub(super) struct Body {
    /// Where it came from in the end.
    pub(super) at: PageAddress,
    pub(super) status: u16,
    pub(super) reason: &'static str,
    pub(super) content_type: String,
    pub(super) bytes: Vec<u8>,
    pub(super) cut: Truncation,
}

/// Whether a body is whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Truncation {
    Complete,
    /// There is more than so many bytes.
    TooLong(usize),
    /// It took too long.
    TimedOut(Duration),
    /// The connection broke.
    Broken(String),
}

impl Truncation {
    pub(super) fn describe(&self) -> Option<String> {
        match self {
            Truncation::Complete => None,
            Truncation::TooLong(bytes) => {
                Some(format!("The page is truncated: it has more than {bytes} bytes"))
            }
            Truncation::TimedOut(time) => {
                Some(format!("The page is truncated: it did not arrive within {time:?}"))
            }
            Truncation::Broken(why) => Some(format!("The page is truncated: the connection broke ({why})")),
        }
    }
}

impl Fetcher {
    /// Fetches a page. The error is for the model.
    pub(super) async fn fetch(
        &self,
        address: PageAddress,
        progress: &Progress,
    ) -> Result<FetchOutcome, String> {
        let until = Instant::now() + self.limits.time;
        let mut at = address;
        let mut seen = vec![at.url.clone()];
        loop {
            progress.say(format!("Waiting for {}", at.host));
            let response = self.ask(&at, until).await?;
            let Some(next) = redirect_target(&response) else {
                return self.body(at, response, until, progress).await;
            };
            let next = at
                .url
                .join(&next)
                .map_err(|error| format!("`{}` redirects to an invalid address ({error})", at.host))?;
            let next = PageAddress::of(next, &self.local_hosts).map_err(|bad| {
                format!("`{}` redirects to an address that cannot be fetched: {}", at.host, bad.0)
            })?;
            if next.host != at.host {
                return Ok(FetchOutcome::OtherHost(next.url));
            }
            if seen.contains(&next.url) {
                return Err(format!("`{}` redirects in a loop: back to {}", at.host, shown(&next.url)));
            }
            if seen.len() > MAX_REDIRECTS {
                return Err(format!(
                    "`{}` redirects more than {MAX_REDIRECTS} times, last to {}",
                    at.host,
                    shown(&next.url)
                ));
            }
            seen.push(next.url.clone());
            at = next;
        }
    }

    async fn ask(&self, at: &PageAddress, until: Instant) -> Result<Response, String> {
        let connections = if at.local { &self.local } else { &self.public };
        let client = connections.client(&at.url).await.map_err(|why| match &why {
            ClientSetupError::NotPublic { .. } => not_public(&why.to_string()),
            why => format!("{why}{}", why.hint().map(|hint| format!("\n{hint}")).unwrap_or_default()),
        })?;
        let sending = client.get(at.url.clone()).header(ACCEPT, ACCEPTED).send();
        match timeout_at(until, sending).await {
            Err(_) => {
                Err(format!("`{}` sent nothing within {:?}; it may be down", at.host, self.limits.time))
            }
            Ok(Err(error)) => Err(failed(&error, &at.host)),
            Ok(Ok(response)) => Ok(response),
        }
    }

    async fn body(
        &self,
        at: PageAddress,
        mut response: Response,
        until: Instant,
        progress: &Progress,
    ) -> Result<FetchOutcome, String> {
        let header = response.headers().get(CONTENT_TYPE);
        let content_type =
            header.map(|it| shorten(&String::from_utf8_lossy(it.as_bytes()), 100)).unwrap_or_default();
        let status = response.status();
        if content_kind(&content_type) == ContentKind::Binary && status.is_success() {
            return Ok(FetchOutcome::Unsupported { at, content_type, bytes: response.content_length() });
        }
        let mut bytes = Vec::new();
        let cut = loop {
            match timeout_at(until, response.chunk()).await {
                Err(_) => break Truncation::TimedOut(self.limits.time),
                Ok(Err(error)) => break Truncation::Broken(root_cause(&error)),
                Ok(Ok(None)) => break Truncation::Complete,
                Ok(Ok(Some(chunk))) => {
                    let room = self.limits.bytes.saturating_sub(bytes.len());
                    bytes.extend_from_slice(chunk.get(..room).unwrap_or(&chunk));
                    if chunk.len() > room {
                        break Truncation::TooLong(self.limits.bytes);
                    }
                    progress.say(format!("{} KiB from {}", bytes.len() / 1024, at.host));
                }
            }
        };
        if bytes.is_empty()
            && let Some(words) = cut.describe()
        {
            return Err(format!("No part of the page arrived. {words}"));
        }
        let reason = status.canonical_reason().unwrap_or("no known status");
        Ok(FetchOutcome::Body(Body { at, status: status.as_u16(), reason, content_type, bytes, cut }))
    }
}

/// An address to show, whatever its length.
pub(super) fn shown(url: &Url) -> String {
    shorten(url.as_str(), 2000)
}

/// Where a response sends us on to.
fn redirect_target(response: &Response) -> Option<String> {
    if !matches!(response.status().as_u16(), 301 | 302 | 303 | 307 | 308) {
        return None;
    }
    let to = response.headers().get(LOCATION)?;
    Some(String::from_utf8_lossy(to.as_bytes()).into_owned())
}

fn not_public(why: &str) -> String {
    format!(
        "Not fetched: {why}, and only pages on the public internet are fetched\n\
         If the user wants this, they can add the host to `web.allowLocal` in their own settings; or ask them to let \
         you use `Bash`"
    )
}

fn failed(error: &reqwest::Error, host: &str) -> String {
    match classify_error(error) {
        TransportError::NotPublic(name) => not_public(&name.to_string()),
        TransportError::NameNotFound(_) => {
            format!(
                "The host `{host}` could not be found. Check the spelling; the machine may also be offline"
            )
        }
        TransportError::Tls(tls) => {
            format!("No TLS connection to `{host}`: {tls}. Another address for the page may work")
        }
        TransportError::Refused => format!("`{host}` refused the connection: nothing is listening there"),
        TransportError::TimedOut => format!("The connection to `{host}` timed out; it may be down"),
        TransportError::Other(why) => format!("The connection to `{host}` failed: {why}"),
    }
}
