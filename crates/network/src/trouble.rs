//! What a failed request failed of.

use std::error::Error;
use std::io;

use crate::names::{NameNotFound, NotPublicName};

/// What a failed request failed of.
#[derive(Debug)]
pub enum Trouble<'a> {
    /// A name has no address.
    NameNotFound(&'a NameNotFound),
    /// A name has an address that may not be connected to.
    NotPublic(&'a NotPublicName),
    /// No TLS.
    Tls(&'a rustls::Error),
    /// Nobody listens.
    Refused,
    /// No connection came about in time.
    Late,
    /// Something else; the innermost cause. The outer ones only say that a request failed, and one of them repeats the
    /// address.
    Other(String),
}

/// What a failed request failed of.
pub fn trouble(error: &reqwest::Error) -> Trouble<'_> {
    for cause in causes(error) {
        if let Some(name) = cause.downcast_ref() {
            return Trouble::NameNotFound(name);
        }
        if let Some(name) = cause.downcast_ref() {
            return Trouble::NotPublic(name);
        }
        if let Some(tls) = of_tls(cause) {
            return Trouble::Tls(tls);
        }
        let kind = cause.downcast_ref().map(io::Error::kind);
        if kind == Some(io::ErrorKind::ConnectionRefused) {
            return Trouble::Refused;
        }
    }
    if error.is_timeout() && error.is_connect() {
        return Trouble::Late;
    }
    Trouble::Other(root(error))
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
pub fn root(error: &reqwest::Error) -> String {
    let root = causes(error).skip(1).last().map(|cause| match cause.downcast_ref::<io::Error>() {
        Some(error) if error.kind() == io::ErrorKind::ConnectionReset => "it was reset".to_owned(),
        Some(error) if error.kind() == io::ErrorKind::UnexpectedEof => "it was closed".to_owned(),
        _ => cause.to_string(),
    });
    root.unwrap_or_else(|| "no cause is known".to_owned())
}
