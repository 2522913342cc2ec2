//! A connection that did not come about, or broke.

use std::time::Duration;

use forelook_network::{CONNECT, NameNotFound, Trouble, is_loopback, root, trouble};
use forelook_protocol::{FailureKind, ProviderFailure};
use reqwest::Url;
use rustls::CertificateError;

use super::words;

/// The way to a server: where it goes, and the proxy in between.
pub(super) struct Way<'a> {
    pub(super) url: &'a Url,
    pub(super) proxy: Option<&'a Url>,
}

impl Way<'_> {
    /// The one that a connection is made to.
    fn next(&self) -> String {
        let url = self.proxy.unwrap_or(self.url);
        let host = url.host_str().unwrap_or("");
        url.port_or_known_default().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
    }

    fn named(&self) -> String {
        if self.proxy.is_some() {
            format!("the proxy at `{}`", self.next())
        } else {
            format!("`{}`", self.next())
        }
    }
}

/// No request went through.
pub(super) fn sending(error: &reqwest::Error, way: &Way<'_>) -> ProviderFailure {
    failure(error, way).unwrap_or_else(|| {
        connection(format!("The connection to {} failed: {}", way.named(), root(error))).hint(
            if way.proxy.is_some() {
                "Is the proxy right?"
            } else {
                "Are you online, and is the base address right?"
            },
        )
    })
}

/// The answer broke off.
pub(super) fn reading(error: &reqwest::Error, way: &Way<'_>) -> ProviderFailure {
    connection(format!(
        "The connection to {} broke before the answer was whole: {}",
        way.named(),
        root(error)
    ))
}

/// Nothing came for too long.
pub(super) fn silence(waited: Duration, way: &Way<'_>) -> ProviderFailure {
    let message = format!("Nothing came from {} for {}", way.named(), spelled(waited));
    ProviderFailure::new(FailureKind::Silence, message).hint(
        "The server is overloaded or the connection dead; a slow local model may need a longer time-out",
    )
}

fn failure(error: &reqwest::Error, way: &Way<'_>) -> Option<ProviderFailure> {
    match trouble(error) {
        Trouble::NameNotFound(NameNotFound(name)) => Some(name_not_found(name, way)),
        Trouble::Tls(tls) => Some(certificate(tls, way)),
        Trouble::Refused => Some(refused(way)),
        Trouble::Late => Some(
            connection(format!("No connection to {} within {}", way.named(), spelled(CONNECT)))
                .hint("Are you online? A firewall or a missing proxy would look like this too"),
        ),
        Trouble::NotPublic(_) | Trouble::Other(_) => None,
    }
}

fn name_not_found(name: &str, way: &Way<'_>) -> ProviderFailure {
    let (whose, hint) = match way.proxy {
        Some(_) => ("The proxy's name", "Are you online, and is the address of the proxy right?"),
        None => ("The name", "Are you online, and is the base address right?"),
    };
    connection(format!("{whose} `{name}` could not be found")).hint(hint)
}

fn refused(way: &Way<'_>) -> ProviderFailure {
    let on_this_machine = is_loopback(way.proxy.unwrap_or(way.url));
    if on_this_machine {
        let what = if way.proxy.is_some() { "the proxy" } else { "the server" };
        return connection(format!("Nothing listens at `{}`", way.next()))
            .hint(format!("Is {what} running?"));
    }
    connection(format!("The connection was refused by {}", way.named()))
        .hint("Are host and port of its address right, and is it running?")
}

fn certificate(error: &rustls::Error, way: &Way<'_>) -> ProviderFailure {
    let whose = way.url.host_str().unwrap_or("");
    let rustls::Error::InvalidCertificate(why) = error else {
        return connection(format!("No TLS connection to {}: {error}", way.named()))
            .hint("Does the address begin with `https` though the server speaks plain `http`?");
    };
    let (message, hint) = match why {
        CertificateError::UnknownIssuer => (
            "was issued by somebody who is not trusted",
            "If it is your own server or your company's proxy, name the file with its certificate in \
             `NODE_EXTRA_CA_CERTS` or `SSL_CERT_FILE`",
        ),
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => {
            ("has expired", "Is the clock of this machine right? Else only the server's owner can help")
        }
        CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
            ("is not valid yet", "Is the clock of this machine right?")
        }
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
            ("is for another name", "Is the base address spelled as the server calls itself?")
        }
        _ => {
            let message = format!("The certificate of `{whose}` is not accepted: {error}");
            return untrusted(message).hint("Is a proxy or a firewall in between?");
        }
    };
    untrusted(format!("The certificate of `{whose}` {message}")).hint(hint)
}

/// Not a failed connection: trying it again would not help.
fn untrusted(message: String) -> ProviderFailure {
    ProviderFailure::new(FailureKind::BadRequest, message)
}

fn connection(message: String) -> ProviderFailure {
    ProviderFailure::new(FailureKind::Connection, message)
}

fn spelled(time: Duration) -> String {
    match time.as_millis() {
        under @ ..1000 => format!("{under} ms"),
        under @ ..120_000 => format!("{} s", under / 1000),
        more => format!("{} minutes", more / 60_000),
    }
}

/// What a page is, where an answer was expected.
pub(super) fn page(text: &str, url: &Url) -> ProviderFailure {
    let message = format!("A web page came instead of an answer: \"{}\"", words::of_page(text));
    ProviderFailure::new(FailureKind::Garbled, message).hint(format!(
        "`{}` was asked: is the base address right, or does a proxy answer in its place?",
        words::of_address(url)
    ))
}
