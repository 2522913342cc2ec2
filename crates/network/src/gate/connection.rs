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

use super::GateState;
use super::domains::{Destination, Grant};
use super::idle::{ActivityCounter, CountedStream};
use super::responses::{ProxyError, ProxyResponse, tunnel_opened};
use super::upstream::{TargetForm, UpstreamConnection};

/// What a request says of itself before its body may not be longer.
const MAX_HEADER_BYTES: usize = 64 * 1024;

/// What two neighbours tell each other, and nobody passes on.
const HOP_BY_HOP: [HeaderName; 10] = [
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
pub(super) async fn handle(stream: TcpStream, shared: Arc<GateState>) {
    let activity = ActivityCounter::default();
    let idle_timeout = shared.limits.idle_timeout;
    let counted = CountedStream { stream, activity: activity.clone() };
    tokio::select! {
        () = serve_http(counted, shared) => {}
        () = activity.idle_for(idle_timeout) => {}
    }
}

async fn serve_http(stream: CountedStream, shared: Arc<GateState>) {
    let handler = ConnectionHandler { shared, drivers: Mutex::default(), tunnel: Mutex::default() };
    let answer = async |request| Ok::<_, Infallible>(handler.respond(request).await);
    let served = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(handler.shared.limits.header_timeout)
        .max_buf_size(MAX_HEADER_BYTES)
        .serve_connection(TokioIo::new(stream), service_fn(answer))
        .with_upgrades()
        .await;
    if let Err(error) = served {
        tracing::debug!(%error, "a connection to the gate ended");
    }
    let tunnel = handler.tunnel.lock().unwrap_or_else(PoisonError::into_inner).take();
    if let Some(tunnel) = tunnel
        && let Err(error) = tunnel.run().await
    {
        tracing::debug!(%error, "a tunnel through the gate ended");
    }
}

struct ConnectionHandler {
    shared: Arc<GateState>,
    /// The other ends of plain requests. They live here, so that nothing outlives the connection.
    drivers: Mutex<JoinSet<()>>,
    /// What the connection becomes once its last answer is out.
    tunnel: Mutex<Option<Tunnel>>,
}

impl ConnectionHandler {
    async fn respond(&self, request: Request<Incoming>) -> ProxyResponse {
        let answered = match *request.method() {
            Method::CONNECT => self.connect(request).await,
            _ => self.forward(request).await,
        };
        answered.unwrap_or_else(|no| {
            if let Some(destination) = no.refused() {
                self.shared.refused.note(destination.entry());
            }
            no.response()
        })
    }

    async fn connect(&self, request: Request<Incoming>) -> Result<ProxyResponse, ProxyError> {
        let authority = request.uri().authority().ok_or(ProxyError::NotForProxy)?;
        let destination = Destination::parse(authority.as_str(), None).ok_or(ProxyError::Host)?;
        let grant = self.grant(&destination)?;
        let server = self.shared.upstream.connect_tunnel(&destination, grant).await?;
        let tunnel = Tunnel { client: hyper::upgrade::on(request), server };
        *self.tunnel.lock().unwrap_or_else(PoisonError::into_inner) = Some(tunnel);
        Ok(tunnel_opened())
    }

    async fn forward(&self, mut request: Request<Incoming>) -> Result<ProxyResponse, ProxyError> {
        match request.uri().scheme_str() {
            None => return Err(ProxyError::NotForProxy),
            Some("http") => {}
            Some(_) => return Err(ProxyError::Secure),
        }
        let authority = request.uri().authority().ok_or(ProxyError::NotForProxy)?;
        let destination = Destination::parse(authority.as_str(), Some(80)).ok_or(ProxyError::Host)?;
        let grant = self.grant(&destination)?;
        let UpstreamConnection { stream, form } =
            self.shared.upstream.connect_plain(&destination, grant).await?;
        rewrite(&mut request, &destination, form)?;
        let failed = |error: hyper::Error| ProxyError::Failed {
            destination: destination.clone(),
            why: error.to_string(),
        };
        let (mut sender, driver) = handshake(TokioIo::new(stream)).await.map_err(failed)?;
        self.drive(async move { driver.await.unwrap_or_default() });
        let mut response = sender.send_request(request).await.map_err(failed)?;
        strip_hop_by_hop(response.headers_mut());
        Ok(response.map(Either::Left))
    }

    fn grant(&self, destination: &Destination) -> Result<Grant, ProxyError> {
        self.shared.domains.grant(destination).ok_or_else(|| ProxyError::NotListed(destination.clone()))
    }

    fn drive(&self, driver: impl Future<Output = ()> + Send + 'static) {
        let mut drivers = self.drivers.lock().unwrap_or_else(PoisonError::into_inner);
        while drivers.try_join_next().is_some() {}
        drivers.spawn(driver);
    }
}

/// A tunnel: what comes at one end goes out at the other.
struct Tunnel {
    client: OnUpgrade,
    server: TcpStream,
}

impl Tunnel {
    async fn run(mut self) -> io::Result<()> {
        let client = self.client.await.map_err(io::Error::other)?;
        tokio::io::copy_bidirectional(&mut TokioIo::new(client), &mut self.server).await.map(drop)
    }
}

/// Makes a request to a proxy one to the server. Which server that is stands in its address alone: a `Host` that says
/// something else would reach another site of the same machine.
fn rewrite(
    request: &mut Request<Incoming>,
    destination: &Destination,
    form: TargetForm,
) -> Result<(), ProxyError> {
    strip_hop_by_hop(request.headers_mut());
    let host = if destination.port == 80 { destination.host.to_string() } else { destination.to_string() };
    let value = HeaderValue::try_from(&host).map_err(|_| ProxyError::Host)?;
    request.headers_mut().insert(HOST, value);
    let path = request.uri().path_and_query().map_or("/", |path| path.as_str()).to_owned();
    let address = match form {
        TargetForm::Origin => path,
        TargetForm::Absolute { credentials } => {
            if let Some(credentials) = credentials {
                request.headers_mut().insert(PROXY_AUTHORIZATION, credentials);
            }
            format!("http://{host}{path}")
        }
    };
    *request.version_mut() = Version::HTTP_11;
    *request.uri_mut() = address.parse::<Uri>().map_err(|_| ProxyError::Host)?;
    Ok(())
}

/// Takes out what is between neighbours, and what they say is.
fn strip_hop_by_hop(headers: &mut HeaderMap) {
    let named: Vec<HeaderName> = headers
        .get_all(CONNECTION)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .filter_map(|name| name.trim().parse().ok())
        .collect();
    for name in HOP_BY_HOP.iter().chain(&named) {
        headers.remove(name);
    }
}
