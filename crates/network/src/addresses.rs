//! Which addresses and names are on the public internet, and which are not.
//!
//! Everything that is not known to be public counts as not public: the ranges that the registries of special addresses
//! (RFC 6890 and its successors) set apart, and forms of IPv6 that carry an IPv4 address, by what they carry.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use reqwest::Url;

/// Where an address is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Realm {
    /// On the public internet.
    Public,
    /// On this machine.
    Machine,
    /// In a private network.
    Private,
    /// On the next wire; also where clouds keep the keys of a machine.
    Link,
    /// Behind the address translation of a provider.
    Shared,
    /// Many machines at once.
    Many,
    /// Set apart for something else.
    Reserved,
}

impl Realm {
    /// Itself, unless it is public.
    pub fn inside(self) -> Option<Self> {
        (self != Realm::Public).then_some(self)
    }
}

impl fmt::Display for Realm {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            Realm::Public => "on the public internet",
            Realm::Machine => "on this machine",
            Realm::Private => "in a private network",
            Realm::Link => "on the local link, where clouds also keep a machine's keys",
            Realm::Shared => "in a provider's shared network",
            Realm::Many => "for many machines at once",
            Realm::Reserved => "set apart, not on the public internet",
        })
    }
}

/// Where an address is.
pub fn realm(address: IpAddr) -> Realm {
    match address {
        IpAddr::V4(address) => of_v4(address),
        IpAddr::V6(address) => of_v6(address),
    }
}

const V4: [(Ipv4Addr, u32, Realm); 15] = [
    (Ipv4Addr::new(0, 0, 0, 0), 8, Realm::Machine),
    (Ipv4Addr::new(10, 0, 0, 0), 8, Realm::Private),
    (Ipv4Addr::new(100, 64, 0, 0), 10, Realm::Shared),
    (Ipv4Addr::new(127, 0, 0, 0), 8, Realm::Machine),
    (Ipv4Addr::new(169, 254, 0, 0), 16, Realm::Link),
    (Ipv4Addr::new(172, 16, 0, 0), 12, Realm::Private),
    (Ipv4Addr::new(192, 0, 0, 0), 24, Realm::Reserved),
    (Ipv4Addr::new(192, 0, 2, 0), 24, Realm::Reserved),
    (Ipv4Addr::new(192, 88, 99, 0), 24, Realm::Reserved),
    (Ipv4Addr::new(192, 168, 0, 0), 16, Realm::Private),
    (Ipv4Addr::new(198, 18, 0, 0), 15, Realm::Private),
    (Ipv4Addr::new(198, 51, 100, 0), 24, Realm::Reserved),
    (Ipv4Addr::new(203, 0, 113, 0), 24, Realm::Reserved),
    (Ipv4Addr::new(224, 0, 0, 0), 4, Realm::Many),
    (Ipv4Addr::new(240, 0, 0, 0), 4, Realm::Reserved),
];

/// A cloud's own address that lies in public space: Azure answers there for the machine.
const AZURE: Ipv4Addr = Ipv4Addr::new(168, 63, 129, 16);

fn of_v4(address: Ipv4Addr) -> Realm {
    if address == AZURE {
        return Realm::Link;
    }
    let within = |(net, prefix, _): &&(Ipv4Addr, u32, Realm)| {
        (address.to_bits() ^ net.to_bits()).checked_shr(32 - prefix) == Some(0)
    };
    V4.iter().find(within).map_or(Realm::Public, |(_, _, realm)| *realm)
}

fn of_v6(address: Ipv6Addr) -> Realm {
    let [a, b, c, d, e, f, g, h] = address.segments();
    match [a, b, c, d, e, f, g, h] {
        [0, 0, 0, 0, 0, 0, 0, 0 | 1] => Realm::Machine,
        // IPv4 in other clothes: mapped, compatible, translated (`ffff:0`, NAT64), and 6to4.
        [0, 0, 0, 0, 0, 0xffff | 0, high, low] | [0, 0, 0, 0, 0xffff, 0, high, low] => carried(high, low),
        [0x64, 0xff9b, 0, 0, 0, 0, high, low] => carried(high, low),
        [0x2002, high, low, ..] => carried(high, low),
        // NAT64 of a network's own: where it leads to is the network's choice.
        [0x64, 0xff9b, ..] => Realm::Private,
        // Teredo and other protocols' own, documentation, segment routing, discard.
        [0x2001, 0..0x200, ..] | [0x2001, 0xdb8, ..] | [0x3fff, 0..0x1000, ..] => Realm::Reserved,
        [0xfe80..=0xfebf, ..] => Realm::Link,
        [0xfc00..=0xfdff, ..] | [0xfec0..=0xfeff, ..] => Realm::Private,
        [0xff00..=0xffff, ..] => Realm::Many,
        // All that was ever given out.
        [0x2000..=0x3fff, ..] => Realm::Public,
        _ => Realm::Reserved,
    }
}

fn carried(high: u16, low: u16) -> Realm {
    of_v4(Ipv4Addr::from_bits(u32::from(high) << 16 | u32::from(low)))
}

/// Ends of names that no public server has.
const LOCAL_ENDS: [&str; 11] = [
    "localhost",
    "local",
    "localdomain",
    "internal",
    "intranet",
    "lan",
    "home",
    "corp",
    "private",
    "test",
    "arpa",
];

/// Where the host of an address is, as far as it can be said without asking anybody. A name that may be public still
/// has to have public addresses.
pub fn realm_of_host(url: &Url) -> Realm {
    let host = url.host_str().unwrap_or("").trim_end_matches('.');
    let literal = host.trim_start_matches('[').trim_end_matches(']');
    if let Ok(address) = literal.parse() {
        return realm(address);
    }
    match host.rsplit_once('.') {
        _ if host.eq_ignore_ascii_case("localhost") => Realm::Machine,
        Some((_, end)) if end.eq_ignore_ascii_case("localhost") => Realm::Machine,
        Some((_, end)) if LOCAL_ENDS.iter().any(|local| local.eq_ignore_ascii_case(end)) => Realm::Private,
        // No public server is called by one word.
        None => Realm::Private,
        Some(_) => Realm::Public,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn where_addresses_are() {
        for (address, expect) in [
            ("93.184.216.34", Realm::Public),
            ("1.1.1.1", Realm::Public),
            ("172.15.255.255", Realm::Public),
            ("172.32.0.0", Realm::Public),
            ("100.63.255.255", Realm::Public),
            ("100.128.0.0", Realm::Public),
            ("169.253.255.255", Realm::Public),
            ("192.169.0.0", Realm::Public),
            ("223.255.255.255", Realm::Public),
            ("0.0.0.0", Realm::Machine),
            ("0.1.2.3", Realm::Machine),
            ("127.0.0.1", Realm::Machine),
            ("127.255.255.254", Realm::Machine),
            ("10.0.0.1", Realm::Private),
            ("172.16.0.1", Realm::Private),
            ("172.31.255.255", Realm::Private),
            ("192.168.1.1", Realm::Private),
            ("198.18.0.1", Realm::Private),
            ("198.19.255.255", Realm::Private),
            ("100.64.0.1", Realm::Shared),
            ("100.100.100.200", Realm::Shared),
            ("100.127.255.255", Realm::Shared),
            ("169.254.169.254", Realm::Link),
            ("168.63.129.16", Realm::Link),
            ("192.0.0.192", Realm::Reserved),
            ("192.0.2.1", Realm::Reserved),
            ("203.0.113.9", Realm::Reserved),
            ("224.0.0.1", Realm::Many),
            ("239.255.255.255", Realm::Many),
            ("240.0.0.1", Realm::Reserved),
            ("255.255.255.255", Realm::Reserved),
            ("2606:2800:220:1:248:1893:25c8:1946", Realm::Public),
            ("2a00:1450::1", Realm::Public),
            ("::", Realm::Machine),
            ("::1", Realm::Machine),
            ("::ffff:127.0.0.1", Realm::Machine),
            ("::ffff:93.184.216.34", Realm::Public),
            ("::ffff:10.0.0.1", Realm::Private),
            ("::10.0.0.1", Realm::Private),
            ("::ffff:0:169.254.169.254", Realm::Link),
            ("64:ff9b::169.254.169.254", Realm::Link),
            ("64:ff9b::93.184.216.34", Realm::Public),
            ("64:ff9b:1::1", Realm::Private),
            ("2002:7f00:1::", Realm::Machine),
            ("2002:5db8:d822::1", Realm::Public),
            ("2001::1", Realm::Reserved),
            ("2001:db8::1", Realm::Reserved),
            ("100::1", Realm::Reserved),
            ("fe80::1", Realm::Link),
            ("fec0::1", Realm::Private),
            ("fc00::1", Realm::Private),
            ("fd00:ec2::254", Realm::Private),
            ("ff02::1", Realm::Many),
            ("4000::1", Realm::Reserved),
        ] {
            assert_eq!(realm(address.parse().unwrap()), expect, "{address}");
        }
    }

    #[test]
    fn where_hosts_are_however_they_are_spelled() {
        for (url, expect) in [
            ("https://example.com", Realm::Public),
            ("https://example.com.", Realm::Public),
            ("https://localhost.example.com", Realm::Public),
            ("https://LOCALHOST", Realm::Machine),
            ("https://localhost.", Realm::Machine),
            ("https://a.b.localhost", Realm::Machine),
            ("https://2130706433", Realm::Machine),
            ("https://0x7f000001", Realm::Machine),
            ("https://0177.0.0.1", Realm::Machine),
            ("https://127.1", Realm::Machine),
            ("https://0", Realm::Machine),
            ("https://127.0.0.1.", Realm::Machine),
            ("https://①②⑦.0.0.1", Realm::Machine),
            ("https://[::1]", Realm::Machine),
            ("https://[::ffff:7f00:1]", Realm::Machine),
            ("https://[::ffff:169.254.169.254]", Realm::Link),
            ("https://169.254.169.254", Realm::Link),
            ("https://metadata.google.internal", Realm::Private),
            ("https://printer.local", Realm::Private),
            ("https://router", Realm::Private),
            ("https://1.0.0.127.in-addr.arpa", Realm::Private),
        ] {
            assert_eq!(realm_of_host(&Url::parse(url).unwrap()), expect, "{url}");
        }
    }

    proptest! {
        /// Whatever the standard library knows to be special, we know too, in all clothes of the address.
        #[test]
        fn nothing_that_is_special_is_public(bits: u32) {
            let address = Ipv4Addr::from_bits(bits);
            let special = address.is_private() || address.is_loopback() || address.is_link_local()
                || address.is_broadcast() || address.is_documentation() || address.is_unspecified()
                || address.is_multicast();
            let own = realm(IpAddr::V4(address));
            prop_assert!(!special || own != Realm::Public, "{address}");
            prop_assert_eq!(realm(IpAddr::V6(address.to_ipv6_mapped())), own);
            let nat = Ipv6Addr::from_bits(0x0064_ff9b_u128 << 96 | u128::from(bits));
            prop_assert_eq!(realm(IpAddr::V6(nat)), own);
        }

        #[test]
        fn of_the_new_addresses_only_those_given_out_are_public(bits: u128) {
            let address = Ipv6Addr::from_bits(bits);
            let special = address.is_loopback() || address.is_unspecified() || address.is_multicast()
                || address.is_unique_local() || address.is_unicast_link_local();
            prop_assert!(!special || realm(IpAddr::V6(address)) != Realm::Public, "{address}");
        }
    }
}
