//! What a gate answers by itself, for the one who reads it: a model, most often.

use bytes::Bytes;
use http_body_util::{Either, Full};
use hyper::body::Incoming;
use hyper::header::{CONTENT_TYPE, HeaderValue};
use hyper::{Response, StatusCode};

use super::domains::Destination;
use crate::resolver::{NameNotFound, NotPublicName};

/// What goes back: what the server said, or a word of ours.
pub(super) type ProxyResponse = Response<Either<Incoming, Full<Bytes>>>;

/// Why somebody does not get through.
#[derive(Debug, thiserror::Error)]
pub(super) enum ProxyError {
    #[error("This is a proxy: send `CONNECT host:port` or a full `http://` URL")]
    NotForProxy,
    #[error("Use `CONNECT` for `https` URLs")]
    Secure,
    #[error("Cannot read the requested host")]
    Host,
    #[error(
        "`{}` is blocked: it is not listed in `sandbox.network`\n\
         Continue without it, or ask the user to add `{}` to `sandbox.network` in the settings",
        .0.host, .0.entry()
    )]
    NotListed(Destination),
    #[error(
        "`{}` is blocked: {why}\n\
         Only the user can allow it, by adding exactly `{}`, without a star, to `sandbox.network` in the settings",
        destination.host, destination.entry()
    )]
    NotPublic { destination: Destination, why: String },
    #[error("Cannot reach `{}`: {}", .0.0, .0)]
    NotFound(NameNotFound),
    #[error("Cannot reach `{destination}`: {why}")]
    Failed { destination: Destination, why: String },
    #[error("Cannot reach `{0}`: the connection timed out")]
    TimedOut(Destination),
    #[error("Cannot use the outgoing proxy: {0}")]
    Proxy(String),
}

impl ProxyError {
    pub(super) fn not_public(destination: &Destination, why: &NotPublicName) -> Self {
        ProxyError::NotPublic { destination: destination.clone(), why: why.to_string() }
    }

    /// Who was refused, if it is the settings that refused.
    pub(super) fn refused(&self) -> Option<&Destination> {
        match self {
            ProxyError::NotListed(destination) | ProxyError::NotPublic { destination, .. } => {
                Some(destination)
            }
            _ => None,
        }
    }

    fn status(&self) -> StatusCode {
        match self {
            ProxyError::NotForProxy | ProxyError::Secure | ProxyError::Host => StatusCode::BAD_REQUEST,
            ProxyError::NotListed(_) | ProxyError::NotPublic { .. } => StatusCode::FORBIDDEN,
            ProxyError::NotFound(_) | ProxyError::Failed { .. } | ProxyError::Proxy(_) => {
                StatusCode::BAD_GATEWAY
            }
            ProxyError::TimedOut(_) => StatusCode::GATEWAY_TIMEOUT,
        }
    }

    pub(super) fn response(&self) -> ProxyResponse {
        let mut response = text_response(self.status(), format!("{self}\n"));
        response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
        response
    }
}

/// The answer that makes a tunnel of a connection.
pub(super) fn tunnel_opened() -> ProxyResponse {
    text_response(StatusCode::OK, String::new())
}

fn text_response(status: StatusCode, text: String) -> ProxyResponse {
    let mut response = Response::new(Either::Right(Full::new(Bytes::from(text))));
    *response.status_mut() = status;
    response
}
