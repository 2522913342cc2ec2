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

use super::domains::{Destination, Grant, Host};
use super::responses::ProxyError;
use crate::addresses::host_scope;
use crate::connections::{CONNECT_TIMEOUT, NetworkConfig};
use crate::proxy::Proxies;
use crate::resolver::{AddressPolicy, NameNotFound, NameResolver};

/// One address of several does not use up the time of the others.
const ADDRESS_TIMEOUT: Duration = Duration::from_secs(5);

/// What is outside of the gate.
pub(super) struct Upstream {
    resolver: Arc<dyn NameResolver>,
    proxies: Result<Proxies, String>,
}

/// A connection to a place, and how a request is written on it.
pub(super) struct UpstreamConnection {
    pub(super) stream: TcpStream,
    pub(super) form: TargetForm,
}

/// How a request names its place.
pub(super) enum TargetForm {
    /// By the path alone: the server itself reads it.
    Origin,
    /// With the whole address: a proxy reads it, and may want to know who asks.
    Absolute { credentials: Option<HeaderValue> },
}

impl Upstream {
    pub(super) fn new(network: &NetworkConfig, resolver: Arc<dyn NameResolver>) -> Self {
        Self { resolver, proxies: Proxies::parse(network) }
    }

    /// A connection on which a place is spoken to directly, whoever is in between.
    pub(super) async fn connect_tunnel(
        &self,
        destination: &Destination,
        grant: Grant,
    ) -> Result<TcpStream, ProxyError> {
        match self.proxy(destination, grant, "https")? {
            None => self.connect_directly(destination, grant).await,
            Some(proxy) => connect_via_proxy(&proxy, destination).await,
        }
    }

    /// A connection for one plain request.
    pub(super) async fn connect_plain(
        &self,
        destination: &Destination,
        grant: Grant,
    ) -> Result<UpstreamConnection, ProxyError> {
        let path = |stream| UpstreamConnection { stream, form: TargetForm::Origin };
        match self.proxy(destination, grant, "http")? {
            None => self.connect_directly(destination, grant).await.map(path),
            Some(proxy) if proxy.uri().scheme_str() == Some("http") => {
                let mut connector = connector();
                let stream = with_timeout(destination, connector.call(proxy.uri().clone())).await?;
                let form = TargetForm::Absolute { credentials: proxy.basic_auth().cloned() };
                Ok(UpstreamConnection { stream, form })
            }
            Some(proxy) => connect_via_proxy(&proxy, destination).await.map(path),
        }
    }

    /// The proxy that leads to a place. It looks up names itself and so connects to what it finds; what can be judged
    /// here is the name alone, and that is done as for pages that a model fetches.
    fn proxy(
        &self,
        destination: &Destination,
        grant: Grant,
        scheme: &str,
    ) -> Result<Option<Intercept>, ProxyError> {
        let proxies = self.proxies.as_ref().map_err(|why| ProxyError::Proxy(why.clone()))?;
        let url = destination.url(scheme).ok_or(ProxyError::Host)?;
        let Some(proxy) = proxies.for_url(&url) else { return Ok(None) };
        if grant == Grant::ByWildcard
            && let Some(scope) = host_scope(&url).if_not_public()
        {
            return Err(ProxyError::NotPublic {
                destination: destination.clone(),
                why: format!("it is {scope}"),
            });
        }
        intercept(proxy, &url).map(Some)
    }

    async fn connect_directly(
        &self,
        destination: &Destination,
        grant: Grant,
    ) -> Result<TcpStream, ProxyError> {
        let looked_up = timeout(CONNECT_TIMEOUT, self.look_up(destination, grant)).await;
        let mut failure = ProxyError::TimedOut(destination.clone());
        for address in looked_up.map_err(|_| ProxyError::TimedOut(destination.clone()))?? {
            match timeout(ADDRESS_TIMEOUT, TcpStream::connect(SocketAddr::new(address, destination.port)))
                .await
            {
                Ok(Ok(stream)) => return Ok(stream),
                Ok(Err(error)) => {
                    failure = ProxyError::Failed { destination: destination.clone(), why: error.to_string() }
                }
                Err(_) => {}
            }
        }
        Err(failure)
    }

    /// The addresses of a place: judged here, connected to as they are.
    async fn look_up(&self, destination: &Destination, grant: Grant) -> Result<Vec<IpAddr>, ProxyError> {
        let name = match &destination.host {
            // Only an entry that names it lets an address through.
            Host::Address(address) => return Ok(vec![*address]),
            Host::Name(name) => name,
        };
        let addresses = self.resolver.lookup(name).await.unwrap_or_default();
        if addresses.is_empty() {
            return Err(ProxyError::NotFound(NameNotFound(name.clone())));
        }
        let policy = match grant {
            Grant::ByName => AddressPolicy::Any,
            Grant::ByWildcard => AddressPolicy::Public { except: HashSet::new() },
        };
        policy.check(name, &addresses).map_err(|why| ProxyError::not_public(destination, &why))?;
        Ok(addresses)
    }
}

/// The same proxy as the client's crates know it, with its password made ready.
fn intercept(proxy: &Url, target: &Url) -> Result<Intercept, ProxyError> {
    let unusable = || ProxyError::Proxy("its URL is invalid".to_owned());
    let target: Uri = target.as_str().parse().map_err(|_| unusable())?;
    let found = Matcher::builder().all(proxy.as_str()).build().intercept(&target).ok_or_else(unusable)?;
    match proxy.scheme() {
        "http" | "socks5" | "socks5h" => Ok(found),
        other => Err(ProxyError::Proxy(format!(
            "it uses `{other}`, but programs in the fence can use only `http` and `socks5`"
        ))),
    }
}

/// A connection through a proxy, all the way to the place.
async fn connect_via_proxy(proxy: &Intercept, destination: &Destination) -> Result<TcpStream, ProxyError> {
    let target: Uri = format!("https://{destination}").parse().map_err(|_| ProxyError::Host)?;
    let uri = proxy.uri().clone();
    if uri.scheme_str() == Some("http") {
        let mut tunnel = Tunnel::new(uri, connector());
        if let Some(credentials) = proxy.basic_auth() {
            tunnel = tunnel.with_auth(credentials.clone());
        }
        return with_timeout(destination, tunnel.call(target)).await;
    }
    let mut socks = SocksV5::new(uri, connector());
    if let Some((user, password)) = proxy.raw_auth() {
        socks = socks.with_auth(user.to_owned(), password.to_owned());
    }
    with_timeout(destination, socks.call(target)).await
}

fn connector() -> HttpConnector {
    let mut connector = HttpConnector::new();
    // A proxy's address may begin with `socks5`.
    connector.enforce_http(false);
    connector
}

async fn with_timeout<E: std::fmt::Display>(
    destination: &Destination,
    connecting: impl Future<Output = Result<hyper_util::rt::TokioIo<TcpStream>, E>>,
) -> Result<TcpStream, ProxyError> {
    match timeout(CONNECT_TIMEOUT, connecting).await {
        Ok(Ok(io)) => Ok(io.into_inner()),
        Ok(Err(error)) => Err(ProxyError::Proxy(error.to_string())),
        Err(_) => Err(ProxyError::TimedOut(destination.clone())),
    }
}
