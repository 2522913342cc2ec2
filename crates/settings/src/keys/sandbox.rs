//! The keys about the fence around commands in modes other than plan.
//!
//! With the fence on, what stays inside is not asked for. So whoever switches it on or widens it says what runs unasked:
//! a project may do neither before it is trusted, and may never switch it off.

use super::{Key, KeyScope, ValueKind};

/// What every key of the section begins with.
pub(crate) const SANDBOX: &str = "sandbox.";

/// `sandbox.enabled`
pub const SANDBOX_ENABLED: Key = Key {
    name: "sandbox.enabled",
    kind: ValueKind::Switch,
    scope: KeyScope::Anyone,
    doc: "Run commands in the workspace fence, which the kernel enforces: they can change only the working directories, and do not see secrets. `true`: in every mode except `plan` and `bypassPermissions`; `false`: in none; not set: in `acceptEdits` only. In the modes `default` and `acceptEdits`, commands that stay inside need no approval. Whatever this says, commands that only read run in a stricter, read-only fence in every mode except `bypassPermissions`. In project files, `true` has no effect until you trust the folder, and `false` is ignored, so a project cannot remove your fence. Requires Linux with user namespaces; elsewhere, Forelook asks about commands as it does without the fence (see `forelook doctor`).",
    default: "`acceptEdits` only",
    example: "true",
};

/// `sandbox.network`
pub const SANDBOX_NETWORK: Key = Key {
    name: "sandbox.network",
    kind: ValueKind::Domains,
    scope: KeyScope::Anyone,
    doc: "Domains that commands in the fence can reach. If the list is empty, they have no network except their own `localhost`. `*.npmjs.org` covers every name below `npmjs.org` but not that name itself; `*` covers every public name. Without a port, ports 80 and 443 are allowed. Hosts in a private network or on this machine must be listed by name. Lists from all files are combined; if managed settings have a list, only that one applies. In project files it has no effect until you trust the folder.",
    default: "none",
    example: r#"["crates.io", "*.crates.io", "*.npmjs.org"]"#,
};

/// `sandbox.writable`
pub const SANDBOX_WRITABLE: Key = Key {
    name: "sandbox.writable",
    kind: ValueKind::Folders,
    scope: KeyScope::Anyone,
    doc: "Folders that commands in the fence can write to, in addition to the working directories. A path can begin with `~/`; a relative path starts at the project. Folders that do not exist are ignored, and so are paths that lead through a link that a command or a `git pull` could have made: in a working directory, a repository, or a folder where commands could ever write. Lists from all files are combined; if managed settings have a list, only that one applies. In project files it has no effect until you trust the folder.",
    default: "none",
    example: r#"["../build", "~/datasets"]"#,
};

/// `sandbox.outside`
pub const SANDBOX_OUTSIDE: Key = Key {
    name: "sandbox.outside",
    kind: ValueKind::Commands,
    scope: KeyScope::Anyone,
    doc: "Commands that do not work in the fence, or that need files that it hides, such as a `.env`. In modes with the fence, they run outside it, so they need your approval unless a rule allows them. Patterns are the same as in `Bash(…)` rules, and each must begin with a full command name. Lists from all files are combined; if managed settings have a list, only that one applies. In project files it has no effect until you trust the folder.",
    default: "none",
    example: r#"["docker:*", "git push:*"]"#,
};
