//! One connection to the gate: requests one after the other, or a tunnel.

use std::convert::Infallible;
use std::io;
use std::sync::{Arc, Mutex, PoisonError};

use http_body_util::Either;
use hyper::body::Incoming;
use hyper::client::conn::http1::handshake;
use hyper::header::{
    CONNECTION, EXPECT, HOST, HeaderMap, HeaderName, HeaderValue, PROXY_AUTHENTICATE, PROXY_AUTHORIZATION,
    TE, TRAILER, TRANSFER_ENCODING, UPGRADE,
};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::upgrade::OnUpgrade;
use hyper::{Method, Request, Uri, Version};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::TcpStream;
use tokio::task::JoinSet;

use super::Shared;
use super::answers::{Answer, No, tunnel};
use super::domains::{Grant, Place};
use super::outside::{Form, Opened};
use super::still::{Counted, Moves};

/// What a request says of itself before its body may not be longer.
const HEAD: usize = 64 * 1024;

/// What two neighbours tell each other, and nobody passes on.
const BETWEEN_NEIGHBOURS: [HeaderName; 10] = [
    CONNECTION,
    HeaderName::from_static("keep-alive"),
    HeaderName::from_static("proxy-connection"),
    PROXY_AUTHENTICATE,
    PROXY_AUTHORIZATION,
    TE,
    TRAILER,
    TRANSFER_ENCODING,
    UPGRADE,
    // Answered by the server that we are.
    EXPECT,
];

/// Speaks with one program until it or the server goes, or both are silent for too long.
pub(super) async fn talk(stream: TcpStream, shared: Arc<Shared>) {
    let moves = Moves::default();
    let silence = shared.limits.silence;
    let counted = Counted { stream, moves: moves.clone() };
    tokio::select! {
        () = converse(counted, shared) => {}
        () = moves.end(silence) => {}
    }
}

async fn converse(stream: Counted, shared: Arc<Shared>) {
    let talk = Talk { shared, drivers: Mutex::default(), tunnel: Mutex::default() };
    let answer = async |request| Ok::<_, Infallible>(talk.answer(request).await);
    let served = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(talk.shared.limits.head)
        .max_buf_size(HEAD)
        .serve_connection(TokioIo::new(stream), service_fn(answer))
        .with_upgrades()
        .await;
    if let Err(error) = served {
        tracing::debug!(%error, "a connection to the gate ended");
    }
    let tunnel = talk.tunnel.lock().unwrap_or_else(PoisonError::into_inner).take();
    if let Some(tunnel) = tunnel
        && let Err(error) = tunnel.run().await
    {
        tracing::debug!(%error, "a tunnel through the gate ended");
    }
}

struct Talk {
    shared: Arc<Shared>,
    /// The other ends of plain requests. They live here, so that nothing outlives the connection.
    drivers: Mutex<JoinSet<()>>,
    /// What the connection becomes once its last answer is out.
    tunnel: Mutex<Option<Through>>,
}

impl Talk {
    async fn answer(&self, request: Request<Incoming>) -> Answer {
        let answered = match *request.method() {
            Method::CONNECT => self.connect(request).await,
            _ => self.pass_on(request).await,
        };
        answered.unwrap_or_else(|no| {
            if let Some(place) = no.refused() {
                self.shared.refused.note(place.entry());
            }
            no.answer()
        })
    }

    async fn connect(&self, request: Request<Incoming>) -> Result<Answer, No> {
        let authority = request.uri().authority().ok_or(No::NotForProxy)?;
        let place = Place::read(authority.as_str(), None).ok_or(No::Host)?;
        let grant = self.grant(&place)?;
        let far = self.shared.outside.tunnel(&place, grant).await?;
        let through = Through { near: hyper::upgrade::on(request), far };
        *self.tunnel.lock().unwrap_or_else(PoisonError::into_inner) = Some(through);
        Ok(tunnel())
    }

    async fn pass_on(&self, mut request: Request<Incoming>) -> Result<Answer, No> {
        match request.uri().scheme_str() {
            None => return Err(No::NotForProxy),
            Some("http") => {}
            Some(_) => return Err(No::Secure),
        }
        let authority = request.uri().authority().ok_or(No::NotForProxy)?;
        let place = Place::read(authority.as_str(), Some(80)).ok_or(No::Host)?;
        let grant = self.grant(&place)?;
        let Opened { stream, form } = self.shared.outside.plain(&place, grant).await?;
        rewrite(&mut request, &place, form)?;
        let failed = |error: hyper::Error| No::Failed { place: place.clone(), why: error.to_string() };
        let (mut sender, driver) = handshake(TokioIo::new(stream)).await.map_err(failed)?;
        self.drive(async move { driver.await.unwrap_or_default() });
        let mut response = sender.send_request(request).await.map_err(failed)?;
        strip(response.headers_mut());
        Ok(response.map(Either::Left))
    }

    fn grant(&self, place: &Place) -> Result<Grant, No> {
        self.shared.domains.grant(place).ok_or_else(|| No::NotListed(place.clone()))
    }

    fn drive(&self, driver: impl Future<Output = ()> + Send + 'static) {
        let mut drivers = self.drivers.lock().unwrap_or_else(PoisonError::into_inner);
        while drivers.try_join_next().is_some() {}
        drivers.spawn(driver);
    }
}

/// A tunnel: what comes at one end goes out at the other.
struct Through {
    near: OnUpgrade,
    far: TcpStream,
}

impl Through {
    async fn run(mut self) -> io::Result<()> {
        let near = self.near.await.map_err(io::Error::other)?;
        tokio::io::copy_bidirectional(&mut TokioIo::new(near), &mut self.far).await.map(drop)
    }
}

/// Makes a request to a proxy one to the server. Which server that is stands in its address alone: a `Host` that says
/// something else would reach another site of the same machine.
fn rewrite(request: &mut Request<Incoming>, place: &Place, form: Form) -> Result<(), No> {
    strip(request.headers_mut());
    let host = if place.port == 80 { place.host.to_string() } else { place.to_string() };
    let value = HeaderValue::try_from(&host).map_err(|_| No::Host)?;
    request.headers_mut().insert(HOST, value);
    let path = request.uri().path_and_query().map_or("/", |path| path.as_str()).to_owned();
    let address = match form {
        Form::Path => path,
        Form::Whole { credentials } => {
            if let Some(credentials) = credentials {
                request.headers_mut().insert(PROXY_AUTHORIZATION, credentials);
            }
            format!("http://{host}{path}")
        }
    };
    *request.version_mut() = Version::HTTP_11;
    *request.uri_mut() = address.parse::<Uri>().map_err(|_| No::Host)?;
    Ok(())
}

/// Takes out what is between neighbours, and what they say is.
fn strip(headers: &mut HeaderMap) {
    let named: Vec<HeaderName> = headers
        .get_all(CONNECTION)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .filter_map(|name| name.trim().parse().ok())
        .collect();
    for name in BETWEEN_NEIGHBOURS.iter().chain(&named) {
        headers.remove(name);
    }
}
