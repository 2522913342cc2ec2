//! Which addresses and names are on the public internet, and which are not.
//!
//! Everything that is not known to be public counts as not public: the ranges that the registries of special addresses
//! (RFC 6890 and its successors) set apart, and forms of IPv6 that carry an IPv4 address, by what they carry.

use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use reqwest::Url;

/// Where an address is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AddressScope {
    /// On the public internet.
    Public,
    /// On this machine.
    ThisHost,
    /// In a private network.
    Private,
    /// On the next wire; also where clouds keep the keys of a machine.
    LinkLocal,
    /// Behind the address translation of a provider.
    CarrierNat,
    /// Many machines at once.
    Multicast,
    /// Set apart for something else.
    Reserved,
}

impl AddressScope {
    /// Itself, unless it is public.
    pub fn if_not_public(self) -> Option<Self> {
        (self != AddressScope::Public).then_some(self)
    }
}

impl fmt::Display for AddressScope {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str(match self {
            AddressScope::Public => "on the public internet",
            AddressScope::ThisHost => "on this machine",
            AddressScope::Private => "in a private network",
            AddressScope::LinkLocal => {
                "on the local link, where cloud providers serve a machine's credentials"
            }
            AddressScope::CarrierNat => "in a carrier's shared network",
            AddressScope::Multicast => "a multicast address",
            AddressScope::Reserved => "reserved, not on the public internet",
        })
    }
}

/// Where an address is.
pub fn address_scope(address: IpAddr) -> AddressScope {
    match address {
        IpAddr::V4(address) => scope_v4(address),
        IpAddr::V6(address) => scope_v6(address),
    }
}

const V4: [(Ipv4Addr, u32, AddressScope); 15] = [
    (Ipv4Addr::new(0, 0, 0, 0), 8, AddressScope::ThisHost),
    (Ipv4Addr::new(10, 0, 0, 0), 8, AddressScope::Private),
    (Ipv4Addr::new(100, 64, 0, 0), 10, AddressScope::CarrierNat),
    (Ipv4Addr::new(127, 0, 0, 0), 8, AddressScope::ThisHost),
    (Ipv4Addr::new(169, 254, 0, 0), 16, AddressScope::LinkLocal),
    (Ipv4Addr::new(172, 16, 0, 0), 12, AddressScope::Private),
    (Ipv4Addr::new(192, 0, 0, 0), 24, AddressScope::Reserved),
    (Ipv4Addr::new(192, 0, 2, 0), 24, AddressScope::Reserved),
    (Ipv4Addr::new(192, 88, 99, 0), 24, AddressScope::Reserved),
    (Ipv4Addr::new(192, 168, 0, 0), 16, AddressScope::Private),
    (Ipv4Addr::new(198, 18, 0, 0), 15, AddressScope::Private),
    (Ipv4Addr::new(198, 51, 100, 0), 24, AddressScope::Reserved),
    (Ipv4Addr::new(203, 0, 113, 0), 24, AddressScope::Reserved),
    (Ipv4Addr::new(224, 0, 0, 0), 4, AddressScope::Multicast),
    (Ipv4Addr::new(240, 0, 0, 0), 4, AddressScope::Reserved),
];

/// A cloud's own address that lies in public space: Azure answers there for the machine.
const AZURE: Ipv4Addr = Ipv4Addr::new(168, 63, 129, 16);

fn scope_v4(address: Ipv4Addr) -> AddressScope {
    if address == AZURE {
        return AddressScope::LinkLocal;
    }
    let within = |(net, prefix, _): &&(Ipv4Addr, u32, AddressScope)| {
        (address.to_bits() ^ net.to_bits()).checked_shr(32 - prefix) == Some(0)
    };
    V4.iter().find(within).map_or(AddressScope::Public, |(_, _, scope)| *scope)
}

fn scope_v6(address: Ipv6Addr) -> AddressScope {
    let [a, b, c, d, e, f, g, h] = address.segments();
    match [a, b, c, d, e, f, g, h] {
        [0, 0, 0, 0, 0, 0, 0, 0 | 1] => AddressScope::ThisHost,
        // IPv4 in other clothes: mapped, compatible, translated (`ffff:0`, NAT64), and 6to4.
        [0, 0, 0, 0, 0, 0xffff | 0, high, low] | [0, 0, 0, 0, 0xffff, 0, high, low] => {
            scope_of_embedded_v4(high, low)
        }
        [0x64, 0xff9b, 0, 0, 0, 0, high, low] => scope_of_embedded_v4(high, low),
        [0x2002, high, low, ..] => scope_of_embedded_v4(high, low),
        // NAT64 of a network's own: where it leads to is the network's choice.
        [0x64, 0xff9b, ..] => AddressScope::Private,
        // Teredo and other protocols' own, documentation, segment routing, discard.
        [0x2001, 0..0x200, ..] | [0x2001, 0xdb8, ..] | [0x3fff, 0..0x1000, ..] => AddressScope::Reserved,
        [0xfe80..=0xfebf, ..] => AddressScope::LinkLocal,
        [0xfc00..=0xfdff, ..] | [0xfec0..=0xfeff, ..] => AddressScope::Private,
        [0xff00..=0xffff, ..] => AddressScope::Multicast,
        // All that was ever given out.
        [0x2000..=0x3fff, ..] => AddressScope::Public,
        _ => AddressScope::Reserved,
    }
}

fn scope_of_embedded_v4(high: u16, low: u16) -> AddressScope {
    scope_v4(Ipv4Addr::from_bits(u32::from(high) << 16 | u32::from(low)))
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
pub fn host_scope(url: &Url) -> AddressScope {
    let host = url.host_str().unwrap_or("").trim_end_matches('.');
    let literal = host.trim_start_matches('[').trim_end_matches(']');
    if let Ok(address) = literal.parse() {
        return address_scope(address);
    }
    match host.rsplit_once('.') {
        _ if host.eq_ignore_ascii_case("localhost") => AddressScope::ThisHost,
        Some((_, end)) if end.eq_ignore_ascii_case("localhost") => AddressScope::ThisHost,
        Some((_, end)) if LOCAL_ENDS.iter().any(|local| local.eq_ignore_ascii_case(end)) => {
            AddressScope::Private
        }
        // No public server is called by one word.
        None => AddressScope::Private,
        Some(_) => AddressScope::Public,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn where_addresses_are() {
        for (address, expect) in [
            ("93.184.216.34", AddressScope::Public),
            ("1.1.1.1", AddressScope::Public),
            ("172.15.255.255", AddressScope::Public),
            ("172.32.0.0", AddressScope::Public),
            ("100.63.255.255", AddressScope::Public),
            ("100.128.0.0", AddressScope::Public),
            ("169.253.255.255", AddressScope::Public),
            ("192.169.0.0", AddressScope::Public),
            ("223.255.255.255", AddressScope::Public),
            ("0.0.0.0", AddressScope::ThisHost),
            ("0.1.2.3", AddressScope::ThisHost),
            ("127.0.0.1", AddressScope::ThisHost),
            ("127.255.255.254", AddressScope::ThisHost),
            ("10.0.0.1", AddressScope::Private),
            ("172.16.0.1", AddressScope::Private),
            ("172.31.255.255", AddressScope::Private),
            ("192.168.1.1", AddressScope::Private),
            ("198.18.0.1", AddressScope::Private),
            ("198.19.255.255", AddressScope::Private),
            ("100.64.0.1", AddressScope::CarrierNat),
            ("100.100.100.200", AddressScope::CarrierNat),
            ("100.127.255.255", AddressScope::CarrierNat),
            ("169.254.169.254", AddressScope::LinkLocal),
            ("168.63.129.16", AddressScope::LinkLocal),
            ("192.0.0.192", AddressScope::Reserved),
            ("192.0.2.1", AddressScope::Reserved),
            ("203.0.113.9", AddressScope::Reserved),
            ("224.0.0.1", AddressScope::Multicast),
            ("239.255.255.255", AddressScope::Multicast),
            ("240.0.0.1", AddressScope::Reserved),
            ("255.255.255.255", AddressScope::Reserved),
            ("2606:2800:220:1:248:1893:25c8:1946", AddressScope::Public),
            ("2a00:1450::1", AddressScope::Public),
            ("::", AddressScope::ThisHost),
            ("::1", AddressScope::ThisHost),
            ("::ffff:127.0.0.1", AddressScope::ThisHost),
            ("::ffff:93.184.216.34", AddressScope::Public),
            ("::ffff:10.0.0.1", AddressScope::Private),
            ("::10.0.0.1", AddressScope::Private),
            ("::ffff:0:169.254.169.254", AddressScope::LinkLocal),
            ("64:ff9b::169.254.169.254", AddressScope::LinkLocal),
            ("64:ff9b::93.184.216.34", AddressScope::Public),
            ("64:ff9b:1::1", AddressScope::Private),
            ("2002:7f00:1::", AddressScope::ThisHost),
            ("2002:5db8:d822::1", AddressScope::Public),
            ("2001::1", AddressScope::Reserved),
            ("2001:db8::1", AddressScope::Reserved),
            ("100::1", AddressScope::Reserved),
            ("fe80::1", AddressScope::LinkLocal),
            ("fec0::1", AddressScope::Private),
            ("fc00::1", AddressScope::Private),
            ("fd00:ec2::254", AddressScope::Private),
            ("ff02::1", AddressScope::Multicast),
            ("4000::1", AddressScope::Reserved),
        ] {
            assert_eq!(address_scope(address.parse().unwrap()), expect, "{address}");
        }
    }

    #[test]
    fn where_hosts_are_however_they_are_spelled() {
        for (url, expect) in [
            ("https://example.com", AddressScope::Public),
            ("https://example.com.", AddressScope::Public),
            ("https://localhost.example.com", AddressScope::Public),
            ("https://LOCALHOST", AddressScope::ThisHost),
            ("https://localhost.", AddressScope::ThisHost),
            ("https://a.b.localhost", AddressScope::ThisHost),
            ("https://2130706433", AddressScope::ThisHost),
            ("https://0x7f000001", AddressScope::ThisHost),
            ("https://0177.0.0.1", AddressScope::ThisHost),
            ("https://127.1", AddressScope::ThisHost),
            ("https://0", AddressScope::ThisHost),
            ("https://127.0.0.1.", AddressScope::ThisHost),
            ("https://①②⑦.0.0.1", AddressScope::ThisHost),
            ("https://[::1]", AddressScope::ThisHost),
            ("https://[::ffff:7f00:1]", AddressScope::ThisHost),
            ("https://[::ffff:169.254.169.254]", AddressScope::LinkLocal),
            ("https://169.254.169.254", AddressScope::LinkLocal),
            ("https://metadata.google.internal", AddressScope::Private),
            ("https://printer.local", AddressScope::Private),
            ("https://router", AddressScope::Private),
            ("https://1.0.0.127.in-addr.arpa", AddressScope::Private),
        ] {
            assert_eq!(host_scope(&Url::parse(url).unwrap()), expect, "{url}");
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
            let own = address_scope(IpAddr::V4(address));
            prop_assert!(!special || own != AddressScope::Public, "{address}");
            prop_assert_eq!(address_scope(IpAddr::V6(address.to_ipv6_mapped())), own);
            let nat = Ipv6Addr::from_bits(0x0064_ff9b_u128 << 96 | u128::from(bits));
            prop_assert_eq!(address_scope(IpAddr::V6(nat)), own);
        }

        #[test]
        fn of_the_new_addresses_only_those_given_out_are_public(bits: u128) {
            let address = Ipv6Addr::from_bits(bits);
            let special = address.is_loopback() || address.is_unspecified() || address.is_multicast()
                || address.is_unique_local() || address.is_unicast_link_local();
            prop_assert!(!special || address_scope(IpAddr::V6(address)) != AddressScope::Public, "{address}");
        }
    }
}
