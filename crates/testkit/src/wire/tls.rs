//! A certificate of our own making.

use std::sync::Arc;

use rustls::ServerConfig;
use rustls::pki_types::PrivateKeyDer;
use tokio_rustls::TlsAcceptor;

/// Whoever trusts this certificate can connect.
pub(super) struct Identity {
    /// The certificate, as PEM.
    pub(super) pem: String,
    pub(super) acceptor: TlsAcceptor,
}

impl Identity {
    /// A new one, for this machine.
    pub(super) fn new() -> Self {
        let names = vec!["localhost".to_owned(), "127.0.0.1".to_owned()];
        let made = rcgen::generate_simple_self_signed(names).expect("a certificate");
        let key = PrivateKeyDer::Pkcs8(made.signing_key.serialize_der().into());
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let mut config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .expect("versions")
            .with_no_client_auth()
            .with_single_cert(vec![made.cert.der().clone()], key)
            .expect("a certificate of this key");
        config.alpn_protocols = vec![b"h2".to_vec(), b"http/1.1".to_vec()];
        Self { pem: made.cert.pem(), acceptor: TlsAcceptor::from(Arc::new(config)) }
    }
}
