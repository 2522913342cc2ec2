//! Which places a gate leads to.

use std::fmt;
use std::net::IpAddr;

use reqwest::Url;

/// Where somebody wants to go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
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
    ByStar,
}

/// The ports that an entry means if it names none.
const PORTS: [u16; 2] = [80, 443];

impl Place {
    /// Reads `host:port`; the port may be left out if there is a usual one.
    pub(super) fn read(authority: &str, usual: Option<u16>) -> Option<Self> {
        let (host, port) = split(authority)?;
        Some(Self { host: Host::read(host)?, port: port.or(usual)? })
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

impl fmt::Display for Place {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}:{}", self.host, self.port)
    }
}

impl Host {
    /// Numbers in all spellings that a system takes for an address (`127.1`, `0x7f000001`) are one.
    fn read(text: &str) -> Option<Self> {
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
pub(super) struct Domains(Vec<Entry>);

struct Entry {
    whom: Whom,
    port: Option<u16>,
}

enum Whom {
    All,
    /// Every name below this one.
    Below(String),
    Only(Host),
}

impl Domains {
    /// What cannot be read allows nothing.
    pub(super) fn read(entries: &[String]) -> Self {
        let read = |text: &String| {
            let entry = Entry::read(text.trim());
            if entry.is_none() {
                tracing::warn!(entry = %text, "`sandbox.network` has an entry that is no domain");
            }
            entry
        };
        Self(entries.iter().filter_map(read).collect())
    }

    /// How a place is allowed, if it is.
    pub(super) fn grant(&self, place: &Place) -> Option<Grant> {
        // An entry by name grants more, wherever it stands.
        let grants = || self.0.iter().filter_map(|entry| entry.grant(place));
        grants().find(|grant| *grant == Grant::ByName).or_else(|| grants().next())
    }
}

impl Entry {
    fn read(text: &str) -> Option<Self> {
        if let Ok(address) = text.parse::<IpAddr>() {
            return Some(Self { whom: Whom::Only(Host::Address(address.to_canonical())), port: None });
        }
        let (host, port) = split(text)?;
        let whom = match (host, host.strip_prefix("*.")) {
            ("*", _) => Whom::All,
            (_, Some(below)) => match Host::read(below)? {
                Host::Name(name) => Whom::Below(name),
                Host::Address(_) => return None,
            },
            _ => Whom::Only(Host::read(host)?),
        };
        Some(Self { whom, port })
    }

    fn grant(&self, place: &Place) -> Option<Grant> {
        let port = self.port.map_or(PORTS.contains(&place.port), |port| port == place.port);
        let grant = match (&self.whom, &place.host) {
            (Whom::Only(host), asked) if host == asked => Grant::ByName,
            (Whom::All, Host::Name(_)) => Grant::ByStar,
            (Whom::Below(name), Host::Name(asked)) => {
                let label = asked.strip_suffix(name.as_str())?.strip_suffix('.')?;
                (!label.is_empty()).then_some(Grant::ByStar)?
            }
            // Whoever says "all domains" does not mean numbers: a name can be read by the person, and judged.
            _ => return None,
        };
        port.then_some(grant)
    }
}
