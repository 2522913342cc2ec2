//! The keys about the web.
//!
//! A project may not say what on the person's own network is fetched: it would open their router to its pages.

use super::{Key, KeyScope, ValueKind};

/// `web.allowLocal`
pub const ALLOW_LOCAL: Key = Key {
    name: "web.allowLocal",
    kind: ValueKind::Hosts,
    scope: KeyScope::UserAndManaged,
    doc: "Hosts that WebFetch can reach even though they are on this machine or in a private network, each as `host` or `host:port`. All other hosts that are not on the public internet are blocked, whatever the rules say. Lists from all files are combined; rules such as `WebFetch(domain:localhost)` still decide whether approval is needed. `http` URLs of these hosts are not upgraded to `https`.",
    default: "none",
    example: r#"["localhost:3000", "wiki.example.internal"]"#,
};
