//! What a gate answers by itself, for the one who reads it: a model, most often.

use bytes::Bytes;
use http_body_util::{Either, Full};
use hyper::body::Incoming;
use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::{Response, StatusCode};

use super::domains::Place;
use crate::names::{NameNotFound, NotPublicName};

/// What goes back: what the server said, or a word of ours.
pub(super) type Answer = Response<Either<Incoming, Full<Bytes>>>;

/// Why somebody does not get through.
#[derive(Debug, thiserror::Error)]
pub(super) enum No {
    #[error("This is a proxy. It takes `CONNECT host:port` and whole `http://` addresses")]
    NotForProxy,
    #[error("An `https` address is reached with `CONNECT`")]
    Secure,
    #[error("The host that is asked for cannot be read")]
    Host,
    #[error(
        "`{}` cannot be reached from here: it is none of the domains that `sandbox.network` names\n\
         Do without it, or ask the person to add `{}` to `sandbox.network` in the settings",
        .0.host, .0.entry()
    )]
    NotListed(Place),
    #[error(
        "`{}` cannot be reached from here: {why}\n\
         Only a person can open that, by adding `{}` itself, without a star, to `sandbox.network` in the settings",
        place.host, place.entry()
    )]
    Inside { place: Place, why: String },
    #[error("`{}` cannot be reached: {}", .0.0, .0)]
    NotFound(NameNotFound),
    #[error("`{place}` cannot be reached: {why}")]
    Failed { place: Place, why: String },
    #[error("`{0}` cannot be reached: no connection came about in time")]
    Late(Place),
    #[error("The proxy that leads out of this machine cannot be used: {0}")]
    Proxy(String),
}

impl No {
    pub(super) fn inside(place: &Place, why: &NotPublicName) -> Self {
        No::Inside { place: place.clone(), why: why.to_string() }
    }

    /// Who was refused, if it is the settings that refused.
    pub(super) fn refused(&self) -> Option<&Place> {
        match self {
            No::NotListed(place) | No::Inside { place, .. } => Some(place),
            _ => None,
        }
    }

    fn status(&self) -> StatusCode {
        match self {
            No::NotForProxy | No::Secure | No::Host => StatusCode::BAD_REQUEST,
            No::NotListed(_) | No::Inside { .. } => StatusCode::FORBIDDEN,
            No::NotFound(_) | No::Failed { .. } | No::Proxy(_) => StatusCode::BAD_GATEWAY,
            No::Late(_) => StatusCode::GATEWAY_TIMEOUT,
        }
    }

    pub(super) fn answer(&self) -> Answer {
        let mut answer = said(self.status(), format!("{self}\n"));
        answer.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
        answer
    }
}

/// The answer that makes a tunnel of a connection.
pub(super) fn tunnel() -> Answer {
    said(StatusCode::OK, String::new())
}

fn said(status: StatusCode, text: String) -> Answer {
    let mut answer = Response::new(Either::Right(Full::new(Bytes::from(text))));
    *answer.status_mut() = status;
    answer
}
