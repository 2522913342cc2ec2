//! The address of a page: read, put into its one spelling, and whether it may be local.

use reqwest::Url;

use crate::output::shorten;
use crate::tool::BadInput;

const MAX_URL: usize = 4000;

/// Hosts that may be fetched from though they are not on the public internet.
#[derive(Debug, Clone, Default)]
pub(super) struct LocalHosts(Vec<(String, Option<u16>)>);

impl LocalHosts {
    /// From `host` and `host:port`; what is neither can match nothing.
    pub(super) fn new(said: &[String]) -> Self {
        let read = |entry: &String| {
            let url = Url::parse(&format!("http://{}/", entry.trim())).ok()?;
            // `host:80` is said, though it is what `http` means anyway.
            let port = url.port().or_else(|| entry.trim().ends_with(":80").then_some(80));
            Some((host(&url)?, port))
        };
        Self(said.iter().filter_map(read).collect())
    }

    fn allow(&self, url: &Url) -> bool {
        let (host, port) = (host(url), url.port_or_known_default());
        self.0.iter().any(|(named, only)| Some(named) == host.as_ref() && (only.is_none() || *only == port))
    }
}

/// Where a page is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct PageAddress {
    pub(super) url: Url,
    /// The name or address of the server, as rules know it.
    pub(super) host: String,
    /// The person allowed it, wherever it is.
    pub(super) local: bool,
}

impl PageAddress {
    /// The error is for the model.
    pub(super) fn parse(text: &str, local_hosts: &LocalHosts) -> Result<Self, BadInput> {
        let text = text.trim();
        if text.len() > MAX_URL {
            return Err(BadInput(format!("`url` is longer than {MAX_URL} characters")));
        }
        let url = Url::parse(text).map_err(|error| {
            let hint = if text.contains("://") { "" } else { ": write it in full, with `https://`" };
            BadInput(format!("`url` is not a valid URL ({error}){hint}"))
        })?;
        Self::of(url, local_hosts)
    }

    pub(super) fn of(mut url: Url, local_hosts: &LocalHosts) -> Result<Self, BadInput> {
        if !matches!(url.scheme(), "http" | "https") {
            return Err(BadInput(format!(
                "`url` starts with `{}:`; only `https` and `http` can be fetched. For files, use `Read`",
                shorten(url.scheme(), 20)
            )));
        }
        if !url.username().is_empty() || url.password().is_some() {
            return Err(BadInput(
                "`url` contains a user name or password, which is never sent. Leave it out".to_owned(),
            ));
        }
        let unfit = || BadInput("`url` has no host to connect to".to_owned());
        let host = host(&url).ok_or_else(unfit)?;
        // One spelling: rules are about hosts, and `example.com.` is `example.com`.
        url.set_host(Some(&host)).map_err(|_| unfit())?;
        url.set_fragment(None);
        let local = local_hosts.allow(&url);
        if url.scheme() == "http" && !local {
            url.set_scheme("https").map_err(|()| unfit())?;
        }
        Ok(Self { local: local || local_hosts.allow(&url), url, host })
    }

    /// The same for a shell, in single quotes.
    pub(super) fn quoted(&self) -> String {
        format!("'{}'", self.url.as_str().replace('\'', "%27"))
    }
}

/// The host in its one spelling: small letters, punycode, an IPv4 address in IPv6 clothes as itself, no dot at the end.
fn host(url: &Url) -> Option<String> {
    let host = url.host_str()?.trim_end_matches('.').to_ascii_lowercase();
    let v6 = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
    let mapped = v6.and_then(|host| host.parse::<std::net::Ipv6Addr>().ok()?.to_ipv4_mapped());
    let host = mapped.map_or(host, |address| address.to_string());
    (!host.is_empty()).then_some(host)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn local_hosts() -> LocalHosts {
        LocalHosts::new(
            &["localhost:3000", "Wiki.Corp", "127.0.0.1:80", "[::1]", "nonsense here", ""].map(str::to_owned),
        )
    }

    #[test]
    fn an_address_has_one_spelling() {
        for (text, host, url) in [
            ("https://Example.COM", "example.com", "https://example.com/"),
            ("http://example.com/a?b#c", "example.com", "https://example.com/a?b"),
            (" https://example.com./x ", "example.com", "https://example.com/x"),
            ("https://bücher.example/ä", "xn--bcher-kva.example", "https://xn--bcher-kva.example/%C3%A4"),
            ("http://example.com:8080", "example.com", "https://example.com:8080/"),
            ("http://example.com:80/", "example.com", "https://example.com/"),
            ("https://2130706433/", "127.0.0.1", "https://127.0.0.1/"),
            ("https://[::ffff:93.184.216.34]/", "93.184.216.34", "https://93.184.216.34/"),
            ("https://[2606:2800::1]/", "[2606:2800::1]", "https://[2606:2800::1]/"),
        ] {
            let address = PageAddress::parse(text, &LocalHosts::default()).unwrap();
            assert_eq!((address.host.as_str(), address.url.as_str()), (host, url), "{text}");
            assert!(!address.local);
        }
    }

    #[test]
    fn what_cannot_be_fetched_is_told() {
        for (text, part) in [
            ("example.com", "https://"),
            ("", "https://"),
            ("/etc/passwd", "https://"),
            ("file:///etc/passwd", "`Read`"),
            ("ftp://example.com", "only `https`"),
            ("javascript:alert(1)", "only `https`"),
            ("https://me@example.com", "password"),
            ("https://me:secret@example.com", "password"),
            ("https://", "not a valid URL"),
            ("https://./", "no host"),
            (&format!("https://example.com/{}", "a".repeat(5000)), "longer than"),
        ] {
            let error = PageAddress::parse(text, &LocalHosts::default()).unwrap_err().0;
            assert!(error.contains(part) && !error.contains("secret"), "{text}: {error}");
        }
    }

    #[test]
    fn what_is_allowed_stays_as_it_is_written() {
        for (text, url, local) in [
            ("http://localhost:3000/", "http://localhost:3000/", true),
            ("http://LOCALHOST.:3000/", "http://localhost:3000/", true),
            ("http://localhost:3001/", "https://localhost:3001/", false),
            ("http://localhost/", "https://localhost/", false),
            ("http://wiki.corp/", "http://wiki.corp/", true),
            ("https://wiki.corp:8443/", "https://wiki.corp:8443/", true),
            ("http://a.wiki.corp/", "https://a.wiki.corp/", false),
            ("http://127.1/", "http://127.0.0.1/", true),
            ("https://127.0.0.1/", "https://127.0.0.1/", false),
            ("http://[::1]:9/", "http://[::1]:9/", true),
        ] {
            let address = PageAddress::parse(text, &local_hosts()).unwrap();
            assert_eq!((address.url.as_str(), address.local), (url, local), "{text}");
        }
    }
}
