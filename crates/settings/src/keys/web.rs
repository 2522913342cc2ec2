//! The keys about the web.
//!
//! A project may not say what on the person's own network is fetched: it would open their router to its pages.

use super::{Key, Kind, Who};

/// `web.allowLocal`
pub const ALLOW_LOCAL: Key = Key {
    name: "web.allowLocal",
    kind: Kind::Hosts,
    who: Who::UserAndManaged,
    doc: "Hosts that WebFetch may fetch from though they are on this machine or in a private network, each as `host` or `host:port`. Everything else that is not on the public internet is refused, whatever rules say. The hosts of all files add up; rules such as `WebFetch(domain:localhost)` still decide whether it is asked. `http` is not made `https` for them.",
    default: "none",
    example: r#"["localhost:3000", "wiki.example.internal"]"#,
};
