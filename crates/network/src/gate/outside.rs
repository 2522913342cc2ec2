//! The way from a gate to a place: straight, or through the proxy of the machine.

use std::collections::HashSet;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use hyper::Uri;
use hyper::header::HeaderValue;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::client::legacy::connect::proxy::{SocksV5, Tunnel};
use hyper_util::client::proxy::matcher::{Intercept, Matcher};
use reqwest::Url;
use tokio::net::TcpStream;
use tokio::time::timeout;
use tower_service::Service;

use super::answers::No;
use super::domains::{Grant, Host, Place};
use crate::addresses::realm_of_host;
use crate::connections::{CONNECT, Network};
use crate::names::{NameNotFound, Names, Reach};
use crate::proxy::Proxies;

/// One address of several does not use up the time of the others.
const EACH: Duration = Duration::from_secs(5);

/// What is outside of the gate.
pub(super) struct Outside {
    names: Arc<dyn Names>,
    proxies: Result<Proxies, String>,
}

/// A connection to a place, and how a request is written on it.
pub(super) struct Opened {
    pub(super) stream: TcpStream,
    pub(super) form: Form,
}

/// How a request names its place.
pub(super) enum Form {
    /// By the path alone: the server itself reads it.
    Path,
    /// With the whole address: a proxy reads it, and may want to know who asks.
    Whole { credentials: Option<HeaderValue> },
}

impl Outside {
    pub(super) fn new(network: &Network, names: Arc<dyn Names>) -> Self {
        Self { names, proxies: Proxies::read(network) }
    }

    /// A connection on which a place is spoken to directly, whoever is in between.
    pub(super) async fn tunnel(&self, place: &Place, grant: Grant) -> Result<TcpStream, No> {
        match self.proxy(place, grant, "https")? {
            None => self.straight(place, grant).await,
            Some(proxy) => through(&proxy, place).await,
        }
    }

    /// A connection for one plain request.
    pub(super) async fn plain(&self, place: &Place, grant: Grant) -> Result<Opened, No> {
        let path = |stream| Opened { stream, form: Form::Path };
        match self.proxy(place, grant, "http")? {
            None => self.straight(place, grant).await.map(path),
            Some(proxy) if proxy.uri().scheme_str() == Some("http") => {
                let mut connector = connector();
                let stream = in_time(place, connector.call(proxy.uri().clone())).await?;
                let form = Form::Whole { credentials: proxy.basic_auth().cloned() };
                Ok(Opened { stream, form })
            }
            Some(proxy) => through(&proxy, place).await.map(path),
        }
    }

    /// The proxy that leads to a place. It looks up names itself and so connects to what it finds; what can be judged
    /// here is the name alone, and that is done as for pages that a model fetches.
    fn proxy(&self, place: &Place, grant: Grant, scheme: &str) -> Result<Option<Intercept>, No> {
        let proxies = self.proxies.as_ref().map_err(|why| No::Proxy(why.clone()))?;
        let url = place.url(scheme).ok_or(No::Host)?;
        let Some(proxy) = proxies.of(&url) else { return Ok(None) };
        if grant == Grant::ByStar
            && let Some(realm) = realm_of_host(&url).inside()
        {
            return Err(No::Inside { place: place.clone(), why: format!("it is {realm}") });
        }
        intercept(proxy, &url).map(Some)
    }

    async fn straight(&self, place: &Place, grant: Grant) -> Result<TcpStream, No> {
        let looked_up = timeout(CONNECT, self.look_up(place, grant)).await;
        let mut failure = No::Late(place.clone());
        for address in looked_up.map_err(|_| No::Late(place.clone()))?? {
            match timeout(EACH, TcpStream::connect(SocketAddr::new(address, place.port))).await {
                Ok(Ok(stream)) => return Ok(stream),
                Ok(Err(error)) => failure = No::Failed { place: place.clone(), why: error.to_string() },
                Err(_) => {}
            }
        }
        Err(failure)
    }

    /// The addresses of a place: judged here, connected to as they are.
    async fn look_up(&self, place: &Place, grant: Grant) -> Result<Vec<IpAddr>, No> {
        let name = match &place.host {
            // Only an entry that names it lets an address through.
            Host::Address(address) => return Ok(vec![*address]),
            Host::Name(name) => name,
        };
        let addresses = self.names.find(name).await.unwrap_or_default();
        if addresses.is_empty() {
            return Err(No::NotFound(NameNotFound(name.clone())));
        }
        let reach = match grant {
            Grant::ByName => Reach::Everything,
            Grant::ByStar => Reach::Public { except: HashSet::new() },
        };
        reach.check(name, &addresses).map_err(|why| No::inside(place, &why))?;
        Ok(addresses)
    }
}

/// The same proxy as the client's crates know it, with its password made ready.
fn intercept(proxy: &Url, target: &Url) -> Result<Intercept, No> {
    let unusable = || No::Proxy("its address cannot be read".to_owned());
    let target: Uri = target.as_str().parse().map_err(|_| unusable())?;
    let found = Matcher::builder().all(proxy.as_str()).build().intercept(&target).ok_or_else(unusable)?;
    match proxy.scheme() {
        "http" | "socks5" | "socks5h" => Ok(found),
        other => Err(No::Proxy(format!(
            "it is spoken to with `{other}`, and programs in the fence can use `http` and `socks5`"
        ))),
    }
}

/// A connection through a proxy, all the way to the place.
async fn through(proxy: &Intercept, place: &Place) -> Result<TcpStream, No> {
    let target: Uri = format!("https://{place}").parse().map_err(|_| No::Host)?;
    let uri = proxy.uri().clone();
    if uri.scheme_str() == Some("http") {
        let mut tunnel = Tunnel::new(uri, connector());
        if let Some(credentials) = proxy.basic_auth() {
            tunnel = tunnel.with_auth(credentials.clone());
        }
        return in_time(place, tunnel.call(target)).await;
    }
    let mut socks = SocksV5::new(uri, connector());
    if let Some((user, password)) = proxy.raw_auth() {
        socks = socks.with_auth(user.to_owned(), password.to_owned());
    }
    in_time(place, socks.call(target)).await
}

fn connector() -> HttpConnector {
    let mut connector = HttpConnector::new();
    // A proxy's address may begin with `socks5`.
    connector.enforce_http(false);
    connector
}

async fn in_time<E: std::fmt::Display>(
    place: &Place,
    connecting: impl Future<Output = Result<hyper_util::rt::TokioIo<TcpStream>, E>>,
) -> Result<TcpStream, No> {
    match timeout(CONNECT, connecting).await {
        Ok(Ok(io)) => Ok(io.into_inner()),
        Ok(Err(error)) => Err(No::Proxy(error.to_string())),
        Err(_) => Err(No::Late(place.clone())),
    }
}
