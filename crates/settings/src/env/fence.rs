//! Which layers of the kernel's fence may be used.

use std::str::FromStr;

use forelook_sandbox::KernelLayers;

/// Layers, in words: `namespaces`, `landlock` and `seccomp`, separated by commas, or `none`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct FenceLayers(pub(super) KernelLayers);

/// What the variable must hold.
pub(super) const WORDS: &str =
    "any of `namespaces`, `landlock`, and `seccomp`, separated by commas, or `none`";

/// It has another form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct InvalidLayers;

impl FromStr for FenceLayers {
    type Err = InvalidLayers;

    fn from_str(text: &str) -> Result<Self, InvalidLayers> {
        let mut layers = KernelLayers { namespaces: false, landlock: false, seccomp: false };
        if text.trim() == "none" {
            return Ok(Self(layers));
        }
        for word in text.split(',') {
            match word.trim() {
                "namespaces" => layers.namespaces = true,
                "landlock" => layers.landlock = true,
                "seccomp" => layers.seccomp = true,
                _ => return Err(InvalidLayers),
            }
        }
        Ok(Self(layers))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Env;

    #[test]
    fn layers_are_named_one_by_one() {
        let layers = |namespaces, landlock, seccomp| KernelLayers { namespaces, landlock, seccomp };
        for (text, expected) in [
            ("namespaces,landlock,seccomp", Some(KernelLayers::ALL)),
            (" landlock , seccomp ", Some(layers(false, true, true))),
            ("namespaces", Some(layers(true, false, false))),
            ("none", Some(layers(false, false, false))),
            ("none,seccomp", None),
            ("landlok", None),
            ("landlock,", None),
        ] {
            let found = text.parse::<FenceLayers>().ok().map(|found| found.0);
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn a_word_that_is_none_is_an_error_that_names_all_of_them() {
        let env = |value| Env::from_pairs([("HOME", "/h"), ("FORELOOK_FENCE_LAYERS", value)]);
        let error = env("landlok").unwrap_err().to_string();
        assert!(error.contains("`FORELOOK_FENCE_LAYERS` must be any of `namespaces`"), "{error}");
        assert_eq!(env("").unwrap().fence_layers, KernelLayers::ALL);
        assert!(!env("none").unwrap().fence_layers.seccomp);
    }
}
