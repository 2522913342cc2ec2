//! From texts to domains. One that is wrong is named and left out: a list that opens something must not open more than
//! was meant.

use forelook_permissions::{HostPattern, Matcher, Rule};

use crate::file::Node;
use crate::keys::Key;
use crate::read_keys::Reader;
use crate::shown::shown;

impl Reader<'_> {
    pub(crate) fn domains(&mut self, key: &Key, items: Vec<Node>) -> Vec<String> {
        let mut domains = Vec::new();
        for (text, line) in self.texts(key.name, items) {
            match domain(text.trim()) {
                Ok(domain) => domains.push(domain),
                Err(wanted) => self.wrong(key.name, line, &format!("in part `{}`", shown(&text)), wanted),
            }
        }
        domains
    }
}

/// A domain as the wire has it; else what it must be. Hosts are named as in rules for `WebFetch`, so that one pattern means
/// the same in both places.
pub(crate) fn domain(text: &str) -> Result<String, &'static str> {
    if text.contains("://") || text.contains('/') {
        return Err("the domain alone, without `https://` and without a path");
    }
    if text.contains(':') {
        return Err("the domain alone, without a port");
    }
    if !text.is_ascii() {
        return Err("the domain as it is on the wire, `xn--…`");
    }
    let domain = match Rule::parse(&format!("WebFetch(domain:{text})")) {
        Ok(Rule { matcher: Matcher::Host(Some(HostPattern::Exact(name))), .. }) if is_name(&name) => name,
        // `*.com` would be half of the world.
        Ok(Rule { matcher: Matcher::Host(Some(HostPattern::Below(name))), .. })
            if is_name(&name) && name.contains('.') =>
        {
            format!("*.{name}")
        }
        _ => return Err("a domain like `crates.io`, or all below one like `*.npmjs.org`"),
    };
    Ok(domain)
}

/// Whether it is a name and not an address: nobody can say by an address who answers there tomorrow.
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
            ("*", Err("a domain like")),
            ("*.", Err("a domain like")),
            ("*.com", Err("a domain like")),
            ("a*.org", Err("a domain like")),
            ("*.*.org", Err("a domain like")),
            ("a..b", Err("a domain like")),
            ("a b", Err("a domain like")),
            ("127.0.0.1", Err("a domain like")),
            ("10.1", Err("a domain like")),
            ("[::1]", Err("without a port")),
            ("crates.io:443", Err("without a port")),
            ("https://crates.io", Err("without `https://`")),
            ("crates.io/api", Err("without a path")),
            ("bücher.example", Err("xn--")),
            ("crates.io) Bash(", Err("a domain like")),
        ] {
            match (domain(text), expected) {
                (Ok(domain), Ok(expected)) => assert_eq!(domain, expected, "{text}"),
                (Err(wanted), Err(part)) => assert!(wanted.contains(part), "{text}: {wanted}"),
                (found, _) => panic!("{text} gave {found:?}"),
            }
        }
    }
}
