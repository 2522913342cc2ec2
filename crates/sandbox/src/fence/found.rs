//! What this machine grants, found by trying.

use std::io;

use super::{Available, Fence, Layers, Policy, landlock, seccomp};

impl Layers {
    /// What this machine grants, found by raising a fence: no setting tells it for certain.
    pub fn available() -> Available {
        let only = Self { namespaces: true, landlock: false, seccomp: false };
        Available {
            namespaces: Fence::raise(&Policy::default(), only).map(drop).map_err(|error| why(&error)),
            landlock: landlock::version().and_then(|version| version.try_into().ok()),
            seccomp: seccomp::is_there(),
        }
    }
}

/// What a person can do about it.
fn why(error: &io::Error) -> String {
    let setting = |path: &str| std::fs::read_to_string(path).ok().map(|text| text.trim().to_owned());
    let limit = setting("/proc/sys/user/max_user_namespaces");
    let clones = setting("/proc/sys/kernel/unprivileged_userns_clone");
    let confined = setting("/proc/sys/kernel/apparmor_restrict_unprivileged_userns");
    if limit.as_deref() == Some("0") {
        return format!("{error}. `sysctl user.max_user_namespaces` is 0: a number above allows them");
    }
    if clones.as_deref() == Some("0") {
        return format!("{error}. `sysctl kernel.unprivileged_userns_clone` is 0: 1 allows them");
    }
    if confined.as_deref() == Some("1") {
        return format!("{error}. AppArmor keeps them from programs without a profile that says `userns`");
    }
    match crate::in_container() {
        true => format!("{error}. The container does not allow them"),
        false => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_granted_can_be_raised() {
        let available = Layers::available();
        let layers = available.layers().unwrap_or_else(|| panic!("{available:?}"));
        Fence::raise(&Policy::default(), layers).unwrap();
        assert!(available.words().iter().all(|line| line.contains("yes")), "{available:?}");
    }
}
