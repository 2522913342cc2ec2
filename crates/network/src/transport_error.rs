//! What a failed request failed of.

use std::error::Error;
use std::io;

use crate::resolver::{NameNotFound, NotPublicName};

/// What a failed request failed of.
#[derive(Debug)]
pub enum TransportError<'a> {
    /// A name has no address.
    NameNotFound(&'a NameNotFound),
    /// A name has an address that may not be connected to.
    NotPublic(&'a NotPublicName),
    /// No TLS.
    Tls(&'a rustls::Error),
    /// Nobody listens.
    Refused,
    /// No connection came about in time.
    TimedOut,
    /// Something else; the innermost cause. The outer ones only say that a request failed, and one of them repeats the
    /// address.
    Other(String),
}

/// What a failed request failed of.
pub fn classify_error(error: &reqwest::Error) -> TransportError<'_> {
    for cause in causes(error) {
        if let Some(name) = cause.downcast_ref() {
            return TransportError::NameNotFound(name);
        }
        if let Some(name) = cause.downcast_ref() {
            return TransportError::NotPublic(name);
        }
        if let Some(tls) = of_tls(cause) {
            return TransportError::Tls(tls);
        }
        let kind = cause.downcast_ref().map(io::Error::kind);
        if kind == Some(io::ErrorKind::ConnectionRefused) {
            return TransportError::Refused;
        }
    }
    if error.is_timeout() && error.is_connect() {
        return TransportError::TimedOut;
    }
    TransportError::Other(root_cause(error))
}

fn causes<'a>(error: &'a (dyn Error + 'static)) -> impl Iterator<Item = &'a (dyn Error + 'static)> {
    std::iter::successors(Some(error), |&error| error.source())
}

/// An `io::Error` hides what it was made from: its source is the source of that. One may be made from another one.
fn of_tls<'a>(cause: &'a (dyn Error + 'static)) -> Option<&'a rustls::Error> {
    match cause.downcast_ref::<io::Error>() {
        Some(error) => of_tls(error.get_ref()?),
        None => cause.downcast_ref(),
    }
}

/// The innermost cause, in words.
pub fn root_cause(error: &reqwest::Error) -> String {
    let root_cause = causes(error).skip(1).last().map(|cause| match cause.downcast_ref::<io::Error>() {
        Some(error) if error.kind() == io::ErrorKind::ConnectionReset => "it was reset".to_owned(),
        Some(error) if error.kind() == io::ErrorKind::UnexpectedEof => "it was closed".to_owned(),
        _ => cause.to_string(),
    });
    root_cause.unwrap_or_else(|| "unknown cause".to_owned())
}
