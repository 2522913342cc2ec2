//! What this machine grants, found by trying.

use std::io;

use super::{AvailableLayers, Fence, FencePolicy, KernelLayers, landlock, seccomp};

impl KernelLayers {
    /// What this machine grants, found by raising a fence: no setting tells it for certain.
    pub fn available() -> AvailableLayers {
        let only = Self { namespaces: true, landlock: false, seccomp: false };
        AvailableLayers {
            namespaces: Fence::raise(&FencePolicy::default(), only)
                .map(drop)
                .map_err(|error| explain(&error)),
            landlock: landlock::version().and_then(|version| version.try_into().ok()),
            seccomp: seccomp::is_supported(),
        }
    }
}

/// What a person can do about it.
fn explain(error: &io::Error) -> String {
    let setting = |path: &str| std::fs::read_to_string(path).ok().map(|text| text.trim().to_owned());
    let limit = setting("/proc/sys/user/max_user_namespaces");
    let clones = setting("/proc/sys/kernel/unprivileged_userns_clone");
    let confined = setting("/proc/sys/kernel/apparmor_restrict_unprivileged_userns");
    if limit.as_deref() == Some("0") {
        return format!("{error}. `sysctl user.max_user_namespaces` is 0: set it higher to allow them");
    }
    if clones.as_deref() == Some("0") {
        return format!("{error}. `sysctl kernel.unprivileged_userns_clone` is 0: set it to 1 to allow them");
    }
    if confined.as_deref() == Some("1") {
        return format!("{error}. AppArmor allows them only to programs with `userns` in their profile");
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
        let available = KernelLayers::available();
        let layers = available.layers().unwrap_or_else(|| panic!("{available:?}"));
        Fence::raise(&FencePolicy::default(), layers).unwrap();
        assert!(available.describe().iter().all(|line| line.contains("yes")), "{available:?}");
    }
}
