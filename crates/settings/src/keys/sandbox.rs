//! The keys about the fence around commands in modes other than plan.
//!
//! With the fence on, what stays inside is not asked for. So whoever switches it on or widens it says what runs unasked:
//! a project may do neither before it is trusted, and may never switch it off.

use super::{Key, Kind, Who};

/// What every key of the section begins with.
pub(crate) const SANDBOX: &str = "sandbox.";

/// `sandbox.enabled`
pub const SANDBOX_ENABLED: Key = Key {
    name: "sandbox.enabled",
    kind: Kind::Switch,
    who: Who::Anyone,
    doc: "Commands run in a fence that the kernel holds, in every mode but `bypassPermissions`: they change the working folders and no others. In the modes `default` and `acceptEdits` what stays inside needs no question. Planning has its own, narrower fence, whatever this says. In a project's own files `true` waits until the folder is trusted, and `false` is ignored: a project does not take down a fence that you put up. Linux with user namespaces only; elsewhere commands are asked for as without it (`forelook doctor` says which).",
    default: "`false`",
    example: "true",
};

/// `sandbox.network`
pub const SANDBOX_NETWORK: Key = Key {
    name: "sandbox.network",
    kind: Kind::Domains,
    who: Who::Anyone,
    doc: "Domains that commands in the fence can reach; none means no network but a `localhost` of their own. `*.npmjs.org` is every name below `npmjs.org` and not that name itself; `*` is every public one. Without a port, 80 and 443 are meant. What is in a private network or on this machine must be named itself. The lists of all files add up; where managed settings have one, theirs is the whole list. In a project's own files it does nothing until the folder is trusted.",
    default: "none",
    example: r#"["crates.io", "*.crates.io", "*.npmjs.org"]"#,
};

/// `sandbox.writable`
pub const SANDBOX_WRITABLE: Key = Key {
    name: "sandbox.writable",
    kind: Kind::Folders,
    who: Who::Anyone,
    doc: "Folders that commands in the fence may write to beside the working folders. A path may begin with `~/`; a relative one starts at the project. A folder that is not there is left out. The lists of all files add up; where managed settings have one, theirs is the whole list. In a project's own files it does nothing until the folder is trusted.",
    default: "none",
    example: r#"["../build", "~/datasets"]"#,
};

/// `sandbox.outside`
pub const SANDBOX_OUTSIDE: Key = Key {
    name: "sandbox.outside",
    kind: Kind::Commands,
    who: Who::Anyone,
    doc: "Commands that cannot work in the fence: they run outside of it, and so are asked for unless a rule allows them. Patterns are those of `Bash(…)` rules, and each must begin with the whole name of a command. The lists of all files add up; where managed settings have one, theirs is the whole list. In a project's own files it does nothing until the folder is trusted.",
    default: "none",
    example: r#"["docker:*", "git push:*"]"#,
};
