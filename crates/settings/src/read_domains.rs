//! From texts to domains. One that is wrong is named and left out: a list that opens something must not open more than
//! was meant.

use std::net::{Ipv4Addr, Ipv6Addr};

use crate::file::Node;
use crate::keys::Key;
use crate::read_keys::KeyReader;
use crate::sanitize::sanitized;

impl KeyReader<'_> {
    pub(crate) fn domains(&mut self, key: &Key, items: Vec<Node>) -> Vec<String> {
        let mut domains = Vec::new();
        for (text, line) in self.texts(key.name, items) {
            match domain(text.trim()) {
                Ok(domain) => domains.push(domain),
                Err(wanted) => self.wrong(key.name, line, &format!("in part `{}`", sanitized(&text)), wanted),
            }
        }
        domains
    }
}

/// A domain as the gate of the fence takes it; else what it must be.
pub(crate) fn domain(text: &str) -> Result<String, &'static str> {
    if text.contains('/') {
        return Err("the domain alone, without `https://` and without a path");
    }
    if !text.is_ascii() {
        return Err("the domain in its ASCII form, `xn--…`");
    }
    let text = text.to_ascii_lowercase();
    let (host, port) = match text.rsplit_once(':') {
        Some((host, port)) if !text.ends_with(']') => (host, Some(port)),
        _ => (text.as_str(), None),
    };
    let port = match port.map(str::parse::<u16>) {
        None => String::new(),
        Some(Ok(port)) if port > 0 => format!(":{port}"),
        Some(_) => return Err("a domain with a numeric port, like `localhost:5432`"),
    };
    // Before the dot at the end goes: `*.` is a slip, and not everything.
    let all = host == "*";
    let host = host.strip_suffix('.').unwrap_or(host);
    let name = host.strip_prefix("*.").unwrap_or(host);
    let address = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
    let address = address.map_or(host.parse::<Ipv4Addr>().is_ok(), |inner| inner.parse::<Ipv6Addr>().is_ok());
    match all || address || is_name(name) {
        true => Ok(format!("{host}{port}")),
        false => Err("a domain like `crates.io`, a wildcard like `*.npmjs.org`, or `*`"),
    }
}

/// Whether it is a name that a server can have. One whose last part is a number is half of an address.
fn is_name(name: &str) -> bool {
    let letters = |part: &str| {
        !part.is_empty() && part.bytes().all(|it| it.is_ascii_alphanumeric() || it == b'-' || it == b'_')
    };
    name.len() <= 253
        && name.split('.').all(letters)
        && name.rsplit('.').next().is_some_and(|last| !last.bytes().all(|it| it.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_domain_is_a_name_or_all_below_one() {
        for (text, expected) in [
            ("crates.io", Ok("crates.io")),
            ("Crates.IO.", Ok("crates.io")),
            ("*.npmjs.org", Ok("*.npmjs.org")),
            ("localhost", Ok("localhost")),
            ("my_host.example", Ok("my_host.example")),
            ("*", Ok("*")),
            ("*.com", Ok("*.com")),
            ("127.0.0.1", Ok("127.0.0.1")),
            ("[::1]", Ok("[::1]")),
            ("[::1]:80", Ok("[::1]:80")),
            ("localhost:5432", Ok("localhost:5432")),
            ("*.crates.io:443", Ok("*.crates.io:443")),
            ("*.", Err("a domain like")),
            ("", Err("a domain like")),
            ("a*.org", Err("a domain like")),
            ("*.*.org", Err("a domain like")),
            ("*x", Err("a domain like")),
            ("a..b", Err("a domain like")),
            ("a b", Err("a domain like")),
            ("10.1", Err("a domain like")),
            ("[nonsense]", Err("a domain like")),
            ("user@crates.io", Err("a domain like")),
            ("crates.io:https", Err("a numeric port")),
            ("crates.io:0", Err("a numeric port")),
            ("https://crates.io", Err("without `https://`")),
            ("crates.io/api", Err("without a path")),
            ("bücher.example", Err("xn--")),
        ] {
            match (domain(text), expected) {
                (Ok(domain), Ok(expected)) => assert_eq!(domain, expected, "{text}"),
                (Err(wanted), Err(part)) => assert!(wanted.contains(part), "{text}: {wanted}"),
                (found, _) => panic!("{text} gave {found:?}"),
            }
        }
    }
}
