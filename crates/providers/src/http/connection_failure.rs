//! A connection that did not come about, or broke.

use std::time::Duration;

use forelook_network::{
    CONNECT_TIMEOUT, NameNotFound, TransportError, classify_error, is_loopback, root_cause,
};
use forelook_protocol::{FailureKind, ProviderFailure};
use reqwest::Url;
use rustls::CertificateError;

use super::redact;

/// The way to a server: where it goes, and the proxy in between.
pub(super) struct NetworkRoute<'a> {
    pub(super) url: &'a Url,
    pub(super) proxy: Option<&'a Url>,
}

impl NetworkRoute<'_> {
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
pub(super) fn sending(error: &reqwest::Error, route: &NetworkRoute<'_>) -> ProviderFailure {
    failure(error, route).unwrap_or_else(|| {
        connection(format!("The connection to {} failed: {}", route.named(), root_cause(error))).hint(
            if route.proxy.is_some() {
                "Check the proxy settings"
            } else {
                "Check your network connection and the base URL"
            },
        )
    })
}

/// The answer broke off.
pub(super) fn reading(error: &reqwest::Error, route: &NetworkRoute<'_>) -> ProviderFailure {
    connection(format!(
        "The connection to {} broke before the response was complete: {}",
        route.named(),
        root_cause(error)
    ))
}

/// Nothing came for too long.
pub(super) fn idle_timeout(waited: Duration, route: &NetworkRoute<'_>) -> ProviderFailure {
    let message = format!("No data from {} for {}", route.named(), spelled(waited));
    ProviderFailure::new(FailureKind::Silence, message).hint(
        "The server may be overloaded or the connection lost; a slow local model may need a longer timeout",
    )
}

/// The server said for too long that it is there, and nothing else.
pub(super) fn no_progress(waited: Duration, route: &NetworkRoute<'_>) -> ProviderFailure {
    let message = format!("Only keep-alive signals from {} for {}", route.named(), spelled(waited));
    ProviderFailure::new(FailureKind::Silence, message)
        .hint("The model may be stuck; a slow local model may need a longer timeout")
}

fn failure(error: &reqwest::Error, route: &NetworkRoute<'_>) -> Option<ProviderFailure> {
    match classify_error(error) {
        TransportError::NameNotFound(NameNotFound(name)) => Some(name_not_found(name, route)),
        TransportError::Tls(tls) => Some(certificate(tls, route)),
        TransportError::Refused => Some(refused(route)),
        TransportError::TimedOut => Some(
            connection(format!("No connection to {} within {}", route.named(), spelled(CONNECT_TIMEOUT)))
                .hint("Check your network connection; a firewall or a missing proxy can also cause this"),
        ),
        TransportError::NotPublic(_) | TransportError::Other(_) => None,
    }
}

fn name_not_found(name: &str, route: &NetworkRoute<'_>) -> ProviderFailure {
    let (whose, hint) = match route.proxy {
        Some(_) => ("The proxy host", "Check your network connection and the proxy's address"),
        None => ("The host", "Check your network connection and the base URL"),
    };
    connection(format!("{whose} `{name}` was not found")).hint(hint)
}

fn refused(route: &NetworkRoute<'_>) -> ProviderFailure {
    let on_this_machine = is_loopback(route.proxy.unwrap_or(route.url));
    if on_this_machine {
        let what = if route.proxy.is_some() { "the proxy" } else { "the server" };
        return connection(format!("Nothing is listening at `{}`", route.next()))
            .hint(format!("Is {what} running?"));
    }
    connection(format!("Connection refused by {}", route.named()))
        .hint("Check the host and port, and whether the server is running")
}

fn certificate(error: &rustls::Error, route: &NetworkRoute<'_>) -> ProviderFailure {
    let whose = route.url.host_str().unwrap_or("");
    let rustls::Error::InvalidCertificate(why) = error else {
        return connection(format!("No TLS connection to {}: {error}", route.named()))
            .hint("Check that the server supports `https`; if it only speaks `http`, use an `http://` URL");
    };
    let (message, hint) = match why {
        CertificateError::UnknownIssuer => (
            "was issued by an untrusted authority",
            "If this is your own server or your company's proxy, put the path of its certificate file in \
             `NODE_EXTRA_CA_CERTS` or `SSL_CERT_FILE`",
        ),
        CertificateError::Expired | CertificateError::ExpiredContext { .. } => (
            "has expired",
            "Check this machine's clock; if it is right, only the server's owner can fix this",
        ),
        CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
            ("is not valid yet", "Check this machine's clock")
        }
        CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
            ("is for another host name", "Check the host name in the base URL")
        }
        _ => {
            let message = format!("The certificate of `{whose}` was rejected: {error}");
            return untrusted(message).hint("Check for a proxy or a firewall in between");
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
    let message =
        format!("The server sent a web page instead of a response: \"{}\"", redact::page_title(text));
    ProviderFailure::new(FailureKind::Garbled, message).hint(format!(
        "The request went to `{}`: check the base URL, and whether a proxy answered instead",
        redact::redacted_url(url)
    ))
}
