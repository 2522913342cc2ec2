//! What the environment says about the way to a server.

use std::path::PathBuf;

use super::{
    ALL_PROXY, EnvError, HTTP_PROXY, HTTPS_PROXY, NO_PROXY, NODE_EXTRA_CA_CERTS, Pairs, SSL_CERT_FILE,
    Variable,
};

/// What the environment says about the way to a server. A proxy's address may hold a password: none of this is printed.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct NetworkVariables {
    /// Proxy for `http` addresses.
    pub http_proxy: Option<String>,
    /// Proxy for `https` addresses.
    pub https_proxy: Option<String>,
    /// Proxy for whatever has none of its own.
    pub all_proxy: Option<String>,
    /// Hosts that are reached without a proxy.
    pub no_proxy: Option<String>,
    /// Files with more certificates to trust, with the names of their variables.
    pub certificates: Vec<(&'static str, PathBuf)>,
}

impl NetworkVariables {
    pub(super) fn read(pairs: &Pairs) -> Result<Self, EnvError> {
        let either = |variable: Variable| -> Result<Option<String>, EnvError> {
            match pairs.lower(variable)? {
                Some(value) => Ok(Some(value)),
                None => pairs.text(variable),
            }
        };
        let certificates = [SSL_CERT_FILE, NODE_EXTRA_CA_CERTS].into_iter();
        Ok(Self {
            // Upper case does not count: a web server hands a request's `Proxy` header to its scripts as `HTTP_PROXY`.
            http_proxy: pairs.text(HTTP_PROXY)?,
            https_proxy: either(HTTPS_PROXY)?,
            all_proxy: either(ALL_PROXY)?,
            no_proxy: either(NO_PROXY)?,
            certificates: certificates
                .filter_map(|variable| Some((variable.name, PathBuf::from(pairs.get(variable)?))))
                .collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::OsString;

    fn read(pairs: &[(&str, &str)]) -> NetworkVariables {
        let own = |(name, value): &(&str, &str)| (OsString::from(name), OsString::from(value));
        NetworkVariables::read(&Pairs(pairs.iter().map(own).collect())).unwrap_or_default()
    }

    #[test]
    fn small_letters_win_and_http_proxy_has_no_others() {
        let said = read(&[
            ("HTTP_PROXY", "http://a"),
            ("HTTPS_PROXY", "http://b"),
            ("https_proxy", "http://c"),
            ("ALL_PROXY", "http://d"),
            ("no_proxy", ""),
            ("NO_PROXY", "e"),
        ]);
        assert_eq!(said.http_proxy, None);
        assert_eq!(said.https_proxy.as_deref(), Some("http://c"));
        assert_eq!(said.all_proxy.as_deref(), Some("http://d"));
        assert_eq!(said.no_proxy.as_deref(), Some("e"));
        assert_eq!(read(&[("http_proxy", "http://a")]).http_proxy.as_deref(), Some("http://a"));
    }

    #[test]
    fn both_files_of_certificates_count() {
        let said = read(&[("NODE_EXTRA_CA_CERTS", "/b"), ("SSL_CERT_FILE", "a")]);
        let expected =
            vec![("SSL_CERT_FILE", PathBuf::from("a")), ("NODE_EXTRA_CA_CERTS", PathBuf::from("/b"))];
        assert_eq!(said.certificates, expected);
    }
}
