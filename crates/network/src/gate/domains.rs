//! Which places a gate leads to.

use std::fmt;
use std::net::IpAddr;

use reqwest::Url;

/// Where somebody wants to go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Destination {
    pub(super) host: Host,
    pub(super) port: u16,
}

/// A name in its one spelling (lower case, no dot at the end, ASCII), or an address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Host {
    Name(String),
    Address(IpAddr),
}

/// How a place is allowed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Grant {
    /// An entry names this very host.
    ByName,
    /// An entry with a star covers it.
    ByWildcard,
}

/// The ports that an entry means if it names none.
const PORTS: [u16; 2] = [80, 443];

impl Destination {
    /// Reads `host:port`; the port may be left out if there is a usual one.
    pub(super) fn parse(authority: &str, default_port: Option<u16>) -> Option<Self> {
        let (host, port) = split(authority)?;
        Some(Self { host: Host::parse(host)?, port: port.or(default_port)? })
    }

    /// How the place would have to stand in the settings to be allowed.
    pub(super) fn entry(&self) -> String {
        if PORTS.contains(&self.port) { self.host.to_string() } else { self.to_string() }
    }

    /// The address of what is there.
    pub(super) fn url(&self, scheme: &str) -> Option<Url> {
        Url::parse(&format!("{scheme}://{self}/")).ok()
    }
}

impl fmt::Display for Destination {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}:{}", self.host, self.port)
    }
}

impl Host {
    /// Numbers in all spellings that a system takes for an address (`127.1`, `0x7f000001`) are one.
    fn parse(text: &str) -> Option<Self> {
        let plain = |c: char| c.is_alphanumeric() || "-._:[]".contains(c);
        if text.is_empty() || !text.chars().all(plain) {
            return None;
        }
        let url = Url::parse(&format!("http://{text}/")).ok()?;
        let host = url.host_str()?.trim_end_matches('.');
        match host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>() {
            Ok(address) => Some(Host::Address(address.to_canonical())),
            Err(_) if host.is_empty() => None,
            Err(_) => Some(Host::Name(host.to_owned())),
        }
    }
}

impl fmt::Display for Host {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Host::Name(name) => out.write_str(name),
            Host::Address(IpAddr::V4(address)) => write!(out, "{address}"),
            Host::Address(IpAddr::V6(address)) => write!(out, "[{address}]"),
        }
    }
}

/// Host and port. An IPv6 address without a port may stand without its brackets.
fn split(text: &str) -> Option<(&str, Option<u16>)> {
    match text.rsplit_once(':') {
        Some((host, port)) if !host.contains(':') || host.ends_with(']') => {
            let digits = !port.is_empty() && port.bytes().all(|byte| byte.is_ascii_digit());
            let port = port.parse().ok().filter(|port| digits && *port != 0)?;
            Some((host, Some(port)))
        }
        _ => Some((text, None)),
    }
}

/// What a person named.
pub(super) struct DomainAllowlist(Vec<AllowlistEntry>);

struct AllowlistEntry {
    pattern: HostPattern,
    port: Option<u16>,
}

enum HostPattern {
    Any,
    /// Every name below this one.
    Subdomains(String),
    Exact(Host),
}

impl DomainAllowlist {
    /// What cannot be read allows nothing.
    pub(super) fn parse(entries: &[String]) -> Self {
        let read = |text: &String| {
            let entry = AllowlistEntry::parse(text.trim());
            if entry.is_none() {
                tracing::warn!(entry = %text, "`sandbox.network` has an entry that is not a domain");
            }
            entry
        };
        Self(entries.iter().filter_map(read).collect())
    }

    /// How a place is allowed, if it is.
    pub(super) fn grant(&self, destination: &Destination) -> Option<Grant> {
        // An entry by name grants more, wherever it stands.
        let grants = || self.0.iter().filter_map(|entry| entry.grant(destination));
        grants().find(|grant| *grant == Grant::ByName).or_else(|| grants().next())
    }
}

impl AllowlistEntry {
    fn parse(text: &str) -> Option<Self> {
        if let Ok(address) = text.parse::<IpAddr>() {
            return Some(Self {
                pattern: HostPattern::Exact(Host::Address(address.to_canonical())),
                port: None,
            });
        }
        let (host, port) = split(text)?;
        let pattern = match (host, host.strip_prefix("*.")) {
            ("*", _) => HostPattern::Any,
            (_, Some(below)) => match Host::parse(below)? {
                Host::Name(name) => HostPattern::Subdomains(name),
                Host::Address(_) => return None,
            },
            _ => HostPattern::Exact(Host::parse(host)?),
        };
        Some(Self { pattern, port })
    }

    fn grant(&self, destination: &Destination) -> Option<Grant> {
        let port = self.port.map_or(PORTS.contains(&destination.port), |port| port == destination.port);
        let grant = match (&self.pattern, &destination.host) {
            (HostPattern::Exact(host), asked) if host == asked => Grant::ByName,
            (HostPattern::Any, Host::Name(_)) => Grant::ByWildcard,
            (HostPattern::Subdomains(name), Host::Name(asked)) => {
                let label = asked.strip_suffix(name.as_str())?.strip_suffix('.')?;
                (!label.is_empty()).then_some(Grant::ByWildcard)?
            }
            // Whoever says "all domains" does not mean numbers: a name can be read by the person, and judged.
            _ => return None,
        };
        port.then_some(grant)
    }
}
