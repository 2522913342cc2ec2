//! The clients of the program, each made when it is first needed.

use std::sync::{Arc, OnceLock};
use std::time::{Duration, SystemTime};

use reqwest::{Client, Url, redirect};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, UnixTime};
use rustls::time_provider::TimeProvider;
use rustls::{ClientConfig, RootCertStore};

use crate::addresses::{AddressScope, host_scope};
use crate::proxy::Proxies;
use crate::resolver::{AddressPolicy, ClientResolver, NameResolver, SystemResolver};

/// How long a connection may take to come about.
pub const CONNECT_TIMEOUT: Duration = Duration::from_secs(15);

/// How the network is reached.
#[derive(Debug, Clone, Default)]
pub struct NetworkConfig {
    /// Proxy for `http` addresses.
    pub http_proxy: Option<String>,
    /// Proxy for `https` addresses.
    pub https_proxy: Option<String>,
    /// Proxy for whatever has none of its own.
    pub all_proxy: Option<String>,
    /// Hosts that are reached without a proxy.
    pub no_proxy: Option<String>,
    /// More certificates to trust, as PEM, and where they come from.
    pub certificates: Option<(String, Vec<u8>)>,
}

/// Connections for one purpose: one pool, made when it is first needed.
///
/// It is made of two halves. Addresses without TLS pay nothing for it, and certificates that cannot be read do not keep
/// anybody from a server on their own desk.
pub struct Connections {
    network: Arc<NetworkConfig>,
    purpose: Purpose,
    resolver: Arc<dyn NameResolver>,
    proxies: OnceLock<Result<Arc<Proxies>, ClientSetupError>>,
    plain: OnceLock<Result<Client, ClientSetupError>>,
    secure: OnceLock<Result<Client, ClientSetupError>>,
}

impl Connections {
    /// Connections to models. Nothing is connected, nor even made ready, before somebody asks.
    pub fn new(network: impl Into<Arc<NetworkConfig>>) -> Self {
        Self::for_purpose(network, Purpose::Models)
    }

    /// Connections for something else.
    pub fn for_purpose(network: impl Into<Arc<NetworkConfig>>, purpose: Purpose) -> Self {
        let network = network.into();
        let (proxies, plain, secure) = (OnceLock::new(), OnceLock::new(), OnceLock::new());
        Self { network, purpose, resolver: Arc::new(SystemResolver), proxies, plain, secure }
    }

    /// The same with other names than the system's.
    #[must_use]
    pub fn with_resolver(self, resolver: Arc<dyn NameResolver>) -> Self {
        Self { resolver, ..self }
    }

    /// Begins to make what this address needs, in a thread beside. Outside of a runtime there is no such thread, and
    /// the first request makes it.
    pub fn prepare(self: &Arc<Self>, url: &Url) {
        if let Ok(runtime) = tokio::runtime::Handle::try_current() {
            let (connections, url) = (Arc::clone(self), url.clone());
            runtime.spawn_blocking(move || connections.make(&url).is_ok());
        }
    }

    /// The client for this address.
    pub async fn client(self: &Arc<Self>, url: &Url) -> Result<Client, ClientSetupError> {
        self.check(url)?;
        if let Some(made) = self.made(url) {
            return made.clone();
        }
        // Less work than to wake a thread for it, unless certificates have to be read.
        if self.network.certificates.is_none() {
            return self.make(url);
        }
        let (connections, wanted) = (Arc::clone(self), url.clone());
        let made = tokio::task::spawn_blocking(move || connections.make(&wanted)).await;
        made.unwrap_or_else(|_| Err(client_failure("its thread ended")))
    }

    /// The proxy that an address is reached by, where it has one.
    pub fn proxy_of(&self, url: &Url) -> Option<&Url> {
        self.proxies().as_ref().ok()?.for_url(url)
    }

    fn made(&self, url: &Url) -> Option<&Result<Client, ClientSetupError>> {
        let half = if self.is_secure(url) { &self.secure } else { &self.plain };
        half.get()
    }

    fn make(&self, url: &Url) -> Result<Client, ClientSetupError> {
        let proxies = self.proxies().clone()?;
        let made = if self.is_secure(url) {
            self.secure.get_or_init(|| self.build(tls(self.trusted()?)?, proxies))
        } else {
            self.plain.get_or_init(|| self.build(tls(RootCertStore::empty())?, proxies))
        };
        made.clone()
    }

    fn is_secure(&self, url: &Url) -> bool {
        url.scheme() == "https" || self.proxies().as_ref().is_ok_and(|proxies| proxies.need_tls())
    }

    fn proxies(&self) -> &Result<Arc<Proxies>, ClientSetupError> {
        self.proxies
            .get_or_init(|| Proxies::parse(&self.network).map(Arc::new).map_err(ClientSetupError::Proxy))
    }

    /// Whether this is an address for these connections.
    fn check(&self, url: &Url) -> Result<(), ClientSetupError> {
        if self.purpose != Purpose::PublicPages {
            return Ok(());
        }
        let host = url.host_str().unwrap_or("").trim_end_matches('.').to_ascii_lowercase();
        // Where a proxy is may not be public, and its name is looked up as it is.
        let is_proxy = self.proxies().as_ref().is_ok_and(|proxies| proxies.hosts().contains(&host));
        let scope = if is_proxy { AddressScope::Private } else { host_scope(url) };
        scope.if_not_public().map_or(Ok(()), |scope| Err(ClientSetupError::NotPublic { host, scope }))
    }

    /// Whom we trust: the usual ones, which are part of the program, and those of the person.
    fn trusted(&self) -> Result<RootCertStore, ClientSetupError> {
        let mut trusted = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
        if let Some((origin, pem)) = &self.network.certificates {
            add(&mut trusted, pem)
                .map_err(|why| ClientSetupError::Certificates { origin: origin.clone(), why })?;
        }
        Ok(trusted)
    }

    fn build(&self, tls: ClientConfig, proxies: Arc<Proxies>) -> Result<Client, ClientSetupError> {
        let policy = match self.purpose {
            Purpose::Models | Purpose::LocalPages => AddressPolicy::Any,
            Purpose::PublicPages => AddressPolicy::Public { except: proxies.hosts().into_iter().collect() },
        };
        client(tls, proxies, ClientResolver::new(Arc::clone(&self.resolver), policy), self.purpose)
    }
}

/// What connections are for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// To ask models.
    Models,
    /// To fetch pages from hosts that the person named, wherever they are.
    LocalPages,
    /// To fetch pages from the public internet and from nowhere else.
    PublicPages,
}

/// Why there is no client.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ClientSetupError {
    /// What is said of proxies cannot be read.
    #[error("{0}")]
    Proxy(String),
    /// The person's certificates cannot be used.
    #[error("Cannot use the certificates from {origin}: {why}")]
    Certificates {
        /// Where they come from.
        origin: String,
        /// Why.
        why: String,
    },
    /// The host is not on the public internet.
    #[error("`{host}` is {scope}")]
    NotPublic {
        /// The host.
        host: String,
        /// Where it is.
        scope: AddressScope,
    },
    /// Something failed that never does.
    #[error("Cannot set up connections: {0}")]
    Client(String),
}

impl ClientSetupError {
    /// What a person can do about it.
    pub fn hint(&self) -> Option<&'static str> {
        match self {
            ClientSetupError::Proxy(_) => Some("Check `HTTPS_PROXY`, `http_proxy`, and `ALL_PROXY`"),
            ClientSetupError::Certificates { .. } => {
                Some("It must be a PEM file that begins with `-----BEGIN CERTIFICATE-----`")
            }
            ClientSetupError::NotPublic { .. } | ClientSetupError::Client(_) => None,
        }
    }
}

fn add(trusted: &mut RootCertStore, pem: &[u8]) -> Result<(), String> {
    let certificates: Vec<_> =
        CertificateDer::pem_slice_iter(pem).collect::<Result<_, _>>().map_err(|error| error.to_string())?;
    if certificates.is_empty() {
        return Err("it contains none".to_owned());
    }
    // A bundle of a whole system may well hold an odd one; it must not spoil the others.
    match trusted.add_parsable_certificates(certificates) {
        (0, _) => Err("none of them is readable".to_owned()),
        (_, 0) => Ok(()),
        (_, skipped) => {
            tracing::warn!(skipped, "certificates that cannot be read");
            Ok(())
        }
    }
}

/// The time that certificates are checked at. The library's own clock panics before 1970; here, the connection fails.
#[derive(Debug)]
struct CertificateClock;

impl TimeProvider for CertificateClock {
    #[expect(clippy::disallowed_methods, reason = "certificates are valid by the machine's clock")]
    fn current_time(&self) -> Option<UnixTime> {
        SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).ok().map(UnixTime::since_unix_epoch)
    }
}

fn tls(trusted: RootCertStore) -> Result<ClientConfig, ClientSetupError> {
    let cryptography = Arc::new(rustls::crypto::ring::default_provider());
    let mut tls = ClientConfig::builder_with_details(cryptography, Arc::new(CertificateClock))
        .with_safe_default_protocol_versions()
        .map_err(|error| client_failure(&error.to_string()))?
        .with_root_certificates(trusted)
        .with_no_client_auth();
    tls.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
    Ok(tls)
}

fn client(
    tls: ClientConfig,
    proxies: Arc<Proxies>,
    resolver: ClientResolver,
    purpose: Purpose,
) -> Result<Client, ClientSetupError> {
    Client::builder()
        .tls_backend_preconfigured(tls)
        .user_agent(concat!("forelook/", env!("CARGO_PKG_VERSION")))
        // A redirect would carry the conversation to somebody whom the person has not named.
        .redirect(redirect::Policy::none())
        // The environment is read by `settings` alone.
        .no_proxy()
        .proxy(reqwest::Proxy::custom(move |url| proxies.for_url(url).cloned()))
        .dns_resolver(Arc::new(resolver))
        // An answer that streams would wait in a decoder.
        .gzip(purpose != Purpose::Models)
        .connect_timeout(CONNECT_TIMEOUT)
        .tcp_keepalive(Duration::from_secs(30))
        // A connection that died unseen (a laptop slept, a router forgot it) is noticed while an answer is awaited;
        // an idle one is closed after a while anyway and needs no pings.
        .http2_keep_alive_interval(Duration::from_secs(15))
        .http2_keep_alive_timeout(Duration::from_secs(10))
        .pool_idle_timeout(Duration::from_secs(90))
        .build()
        .map_err(|error| client_failure(&error.without_url().to_string()))
}

fn client_failure(why: &str) -> ClientSetupError {
    ClientSetupError::Client(why.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn url(text: &str) -> Url {
        Url::parse(text).unwrap()
    }

    #[test]
    fn getting_ready_is_harmless_without_a_runtime() {
        let connections = Arc::new(Connections::new(NetworkConfig::default()));
        connections.prepare(&url("http://127.0.0.1:1"));
        assert!(connections.made(&url("http://127.0.0.1:1")).is_none());
    }

    #[tokio::test]
    async fn each_half_is_made_once_and_only_when_it_is_needed() {
        let connections = Arc::new(Connections::new(NetworkConfig::default()));
        connections.client(&url("http://127.0.0.1:1")).await.unwrap();
        assert!(connections.plain.get().is_some() && connections.secure.get().is_none());
        connections.client(&url("https://127.0.0.1:1")).await.unwrap();
        assert!(connections.secure.get().is_some());
    }

    #[tokio::test]
    async fn bad_certificates_are_named_and_spoil_only_what_needs_them() {
        for bad in ["", "no certificate", "-----BEGIN CERTIFICATE-----\n!!!\n-----END CERTIFICATE-----\n"] {
            let certificates = Some(("`SSL_CERT_FILE`".to_owned(), bad.as_bytes().to_vec()));
            let connections =
                Arc::new(Connections::new(NetworkConfig { certificates, ..NetworkConfig::default() }));
            let failure = connections.client(&url("https://a.example")).await.unwrap_err();
            assert!(failure.to_string().contains("`SSL_CERT_FILE`"), "{failure}");
            assert!(failure.hint().is_some());
            connections.client(&url("http://127.0.0.1:1")).await.unwrap();
        }
    }

    #[tokio::test]
    async fn a_bad_proxy_is_a_failure_and_not_a_way_around_it() {
        let network = NetworkConfig { http_proxy: Some("ftp://x".into()), ..NetworkConfig::default() };
        let connections = Arc::new(Connections::new(network));
        let failure = connections.client(&url("http://192.0.2.1")).await.unwrap_err();
        assert!(failure.to_string().contains("proxy"), "{failure}");
    }

    #[tokio::test]
    async fn connections_to_the_public_lead_nowhere_else() {
        let network = NetworkConfig {
            https_proxy: Some("http://Proxy.example.com:3128".into()),
            ..NetworkConfig::default()
        };
        let public = Arc::new(Connections::for_purpose(network.clone(), Purpose::PublicPages));
        for inside in ["https://127.1", "https://[::1]:8443", "https://router", "https://proxy.example.com./"]
        {
            let failure = public.client(&url(inside)).await.unwrap_err();
            assert!(matches!(failure, ClientSetupError::NotPublic { .. }), "{inside}: {failure:?}");
        }
        public.client(&url("https://example.com")).await.unwrap();
        let local = Arc::new(Connections::for_purpose(network, Purpose::LocalPages));
        local.client(&url("https://127.1")).await.unwrap();
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "it is a measurement")]
    fn a_client_is_made_in_no_time() {
        let best = |make: &dyn Fn() -> Client| {
            let times = (0..5).map(|_| {
                let begun = std::time::Instant::now();
                drop(make());
                begun.elapsed()
            });
            times.min().unwrap()
        };
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let _inside = runtime.enter();
        let of = |address: &str| {
            let connections = Connections::new(NetworkConfig::default());
            connections.make(&url(address)).unwrap()
        };
        let plain = best(&|| of("http://127.0.0.1:1"));
        let secure = best(&|| of("https://127.0.0.1:1"));
        println!("plain: {plain:?}, secure: {secure:?}");
        // Generous, for a machine that is busy with other tests and a build without optimisation.
        assert!(plain < Duration::from_millis(20), "{plain:?}");
    }
}
