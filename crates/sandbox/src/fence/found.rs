//! What this machine grants, found by trying.

use std::io;

use super::{Fence, Layers, Policy, landlock, seccomp};

/// What there is to make a fence of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Available {
    /// Namespaces, or why there are none: settings, containers and security modules may refuse them.
    pub namespaces: Result<(), String>,
    /// The version of Landlock, if there is any.
    pub landlock: Option<u32>,
    /// Whether there is seccomp.
    pub seccomp: bool,
}

impl Available {
    /// What is left of it if only these layers are used.
    #[must_use]
    pub fn limited(self, to: Layers) -> Self {
        let off = || "Switched off".to_owned();
        Self {
            namespaces: if to.namespaces {
                self.namespaces
            } else {
                self.namespaces.and_then(|()| Err(off()))
            },
            landlock: self.landlock.filter(|_| to.landlock),
            seccomp: self.seccomp && to.seccomp,
        }
    }

    /// The strongest layers that hold here; nothing if none do.
    pub fn layers(&self) -> Option<Layers> {
        let layers = Layers {
            namespaces: self.namespaces.is_ok(),
            landlock: self.landlock.is_some_and(|version| self.namespaces.is_ok() || can_hold_alone(version)),
            seccomp: self.seccomp,
        };
        layers.hold().then_some(layers)
    }

    /// What holds and what does not, a line for each layer, for a person.
    pub fn words(&self) -> [String; 3] {
        let namespaces = match &self.namespaces {
            Ok(()) => "Namespaces: yes".to_owned(),
            Err(why) => format!("Namespaces: no. {why}"),
        };
        let landlock = match self.landlock {
            None => {
                "Landlock: no. The kernel has none, or it was not switched on (`lsm=` on the kernel's line)"
                    .to_owned()
            }
            Some(version) if can_hold_alone(version) => format!("Landlock: yes, version {version}"),
            Some(version) => {
                format!(
                    "Landlock: version {version}, beside namespaces only (alone it holds since {})",
                    landlock::ALONE
                )
            }
        };
        let seccomp = match self.seccomp {
            true => "Seccomp: yes".to_owned(),
            false => "Seccomp: no. The kernel takes no filters, and without them nothing holds".to_owned(),
        };
        [namespaces, landlock, seccomp]
    }
}

fn can_hold_alone(version: u32) -> bool {
    i64::from(version) >= landlock::ALONE
}

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

    #[test]
    fn old_landlock_holds_nothing_alone() {
        let old = Available { namespaces: Err("Refused".into()), landlock: Some(3), seccomp: true };
        assert_eq!(old.layers(), None);
        assert_eq!(old.words()[0], "Namespaces: no. Refused");
        let new = Available { landlock: Some(6), ..old };
        assert_eq!(new.layers(), Some(Layers { namespaces: false, ..Layers::ALL }));
        assert_eq!(Available { seccomp: false, ..new }.layers(), None);
    }
}
