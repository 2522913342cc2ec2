//! Which proxy an address is reached by.

use std::net::IpAddr;

use reqwest::Url;

use crate::connections::NetworkConfig;

/// The proxies of the program, read from what the person has set.
#[derive(Default)]
pub(crate) struct Proxies {
    http: Option<Url>,
    https: Option<Url>,
    no_proxy_rule: Vec<NoProxyRule>,
}

/// What is reached without a proxy.
enum NoProxyRule {
    Everything,
    Address {
        net: IpAddr,
        prefix: u8,
        port: Option<u16>,
    },
    /// A name and all names below it.
    Name {
        name: String,
        port: Option<u16>,
    },
}

impl Proxies {
    /// The error is for the person.
    pub(crate) fn parse(network: &NetworkConfig) -> Result<Self, String> {
        let all = address(network.all_proxy.as_deref())?;
        Ok(Self {
            http: address(network.http_proxy.as_deref())?.or_else(|| all.clone()),
            https: address(network.https_proxy.as_deref())?.or(all),
            no_proxy_rule: network
                .no_proxy
                .as_deref()
                .unwrap_or("")
                .split(',')
                .filter_map(no_proxy_rule)
                .collect(),
        })
    }

    /// The proxy for this address, where it has one.
    pub(crate) fn for_url(&self, url: &Url) -> Option<&Url> {
        let proxy = if url.scheme() == "https" { &self.https } else { &self.http };
        proxy.as_ref().filter(|_| !self.is_direct(url))
    }

    /// The names and addresses of the proxies themselves.
    pub(crate) fn hosts(&self) -> Vec<String> {
        let hosts = [&self.http, &self.https].into_iter().flatten().filter_map(Url::host_str);
        hosts.map(|host| host.trim_end_matches('.').to_ascii_lowercase()).collect()
    }

    /// Whether a TLS connection may be needed to get through to addresses that themselves need none.
    pub(crate) fn need_tls(&self) -> bool {
        self.http.as_ref().is_some_and(|proxy| proxy.scheme() == "https")
    }

    fn is_direct(&self, url: &Url) -> bool {
        let host = url.host_str().unwrap_or("").trim_start_matches('[').trim_end_matches(']');
        // curl asks a proxy even for the machine itself, unless it is told not to. But no proxy can reach a server on
        // this desk, and people who have both a proxy at work and a local model have long forgotten that it is set.
        if is_loopback(url) {
            return true;
        }
        let address: Option<IpAddr> = host.parse().ok();
        let port = url.port_or_known_default();
        self.no_proxy_rule.iter().any(|no_proxy_rule| match no_proxy_rule {
            NoProxyRule::Everything => true,
            NoProxyRule::Address { net, prefix, port: only } => {
                address.is_some_and(|address| is_in_subnet(address, *net, *prefix))
                    && (only.is_none() || *only == port)
            }
            NoProxyRule::Name { name, port: only } => {
                is_subdomain(host, name) && (only.is_none() || *only == port)
            }
        })
    }
}

/// Whether an address is on this machine.
pub fn is_loopback(url: &Url) -> bool {
    let host = url.host_str().unwrap_or("").trim_start_matches('[').trim_end_matches(']');
    match host.parse::<IpAddr>() {
        Ok(address) => address.is_loopback() || address.is_unspecified(),
        Err(_) => is_subdomain(host, "localhost"),
    }
}

/// A proxy is often named without a scheme, and then means `http`.
fn address(text: Option<&str>) -> Result<Option<Url>, String> {
    let Some(text) = text.map(str::trim).filter(|text| !text.is_empty()) else { return Ok(None) };
    let full = if text.contains("://") { text.to_owned() } else { format!("http://{text}") };
    // The address itself is not repeated: it may hold a password.
    let url = Url::parse(&full).map_err(|error| format!("The proxy URL is invalid: {error}"))?;
    let known = ["http", "https", "socks4", "socks4a", "socks5", "socks5h"].contains(&url.scheme());
    if !known || url.host_str().is_none_or(str::is_empty) {
        return Err(format!("The proxy URL has no host, or the unsupported scheme `{}`", url.scheme()));
    }
    Ok(Some(url))
}

fn no_proxy_rule(entry: &str) -> Option<NoProxyRule> {
    let entry = entry.trim();
    if entry == "*" {
        return Some(NoProxyRule::Everything);
    }
    if let Some((net, prefix)) = network(entry) {
        return Some(NoProxyRule::Address { net, prefix, port: None });
    }
    let (host, port) = match entry.rsplit_once(':') {
        Some((host, port)) if port.parse::<u16>().is_ok() => (host, port.parse().ok()),
        _ => (entry, None),
    };
    if let Some((net, prefix)) = network(host.trim_start_matches('[').trim_end_matches(']')) {
        return Some(NoProxyRule::Address { net, prefix, port });
    }
    let name = host.strip_prefix('*').unwrap_or(host).trim_start_matches('.').to_ascii_lowercase();
    (!name.is_empty()).then_some(NoProxyRule::Name { name, port })
}

/// `10.0.0.0/8`, or one address.
fn network(text: &str) -> Option<(IpAddr, u8)> {
    let (address, prefix) = match text.split_once('/') {
        Some((address, prefix)) => (address.parse().ok()?, prefix.parse().ok()?),
        None => (text.parse().ok()?, 128),
    };
    Some((address, prefix))
}

fn is_in_subnet(address: IpAddr, net: IpAddr, prefix: u8) -> bool {
    match (address, net) {
        (IpAddr::V4(address), IpAddr::V4(net)) => {
            let away = 32u32.saturating_sub(prefix.into());
            (address.to_bits() ^ net.to_bits()).checked_shr(away).unwrap_or(0) == 0
        }
        (IpAddr::V6(address), IpAddr::V6(net)) => {
            let away = 128u32.saturating_sub(prefix.into());
            (address.to_bits() ^ net.to_bits()).checked_shr(away).unwrap_or(0) == 0
        }
        _ => false,
    }
}

fn is_subdomain(host: &str, name: &str) -> bool {
    let host = host.trim_end_matches('.').to_ascii_lowercase();
    host.strip_suffix(name).is_some_and(|before| before.is_empty() || before.ends_with('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(network: &NetworkConfig, url: &str, expect: Option<&str>) {
        let proxies = Proxies::parse(network).unwrap();
        let proxy =
            proxies.for_url(&Url::parse(url).unwrap()).map(|it| it.as_str().trim_end_matches('/').to_owned());
        assert_eq!(proxy.as_deref(), expect, "{url} with {network:?}");
    }

    fn all(no_proxy: &str) -> NetworkConfig {
        NetworkConfig {
            all_proxy: Some("proxy:3128".into()),
            no_proxy: Some(no_proxy.into()),
            ..NetworkConfig::default()
        }
    }

    #[test]
    fn each_scheme_has_its_proxy_and_the_rest_has_the_common_one() {
        let network = NetworkConfig {
            https_proxy: Some("http://secure:1".into()),
            all_proxy: Some("socks5h://rest:2".into()),
            ..NetworkConfig::default()
        };
        check(&network, "https://api.example.com", Some("http://secure:1"));
        check(&network, "http://api.example.com", Some("socks5h://rest:2"));
        check(
            &NetworkConfig { all_proxy: Some(" ".into()), ..NetworkConfig::default() },
            "https://a.example",
            None,
        );
    }

    #[test]
    fn what_is_named_is_reached_directly() {
        let by = Some("http://proxy:3128");
        for (list, url, expect) in [
            ("example.com", "https://example.com", None),
            ("example.com", "https://API.example.com", None),
            (".example.com", "https://example.com", None),
            ("*.example.com", "https://api.example.com", None),
            ("example.com", "https://notexample.com", by),
            ("other.org , example.com", "https://example.com", None),
            ("example.com:8443", "https://example.com:8443", None),
            ("example.com:8443", "https://example.com", by),
            ("*", "https://example.com", None),
            ("*", "https://192.0.2.1", None),
            ("192.0.2.0/24", "https://192.0.2.9", None),
            ("192.0.2.0/24", "https://192.0.3.9", by),
            ("192.0.2.1", "https://192.0.2.1", None),
            ("0.0.0.0/0", "https://192.0.2.1", None),
            ("2001:db8::/32", "https://[2001:db8::1]", None),
            ("2001:db8::1", "https://[2001:db8::2]", by),
            ("[2001:db8::1]:443", "https://[2001:db8::1]", None),
            ("", "https://example.com", by),
        ] {
            check(&all(list), url, expect);
        }
    }

    #[test]
    fn this_machine_is_never_reached_by_a_proxy() {
        for url in ["http://127.0.0.1:11434", "http://localhost:8080", "http://[::1]:1", "http://a.localhost"]
        {
            check(&all(""), url, None);
        }
    }

    #[test]
    fn an_address_that_cannot_be_read_is_told_without_its_password() {
        for bad in ["ftp://me:hunter2@proxy", "http://me:hunter2@", "http://me:hunter2@proxy:port"] {
            let network = NetworkConfig { https_proxy: Some(bad.into()), ..NetworkConfig::default() };
            let error = Proxies::parse(&network).err().unwrap();
            assert!(error.contains("proxy") && !error.contains("hunter2"), "{error}");
        }
    }
}
