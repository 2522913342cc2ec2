//! The name that was most likely meant by one that does not exist.

use similar::TextDiff;

/// Names less alike than this are not worth a guess.
const LIKE: f32 = 0.6;
/// A longer name is no slip of the pen.
const MAX_CHARS: usize = 100;

/// The name that looks most like `given`, case aside, if one does at all; of equals the first.
pub(crate) fn alike<'a>(given: &str, names: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if given.chars().count() > MAX_CHARS {
        return None;
    }
    let given = given.to_lowercase();
    let mut best: Option<(f32, &str)> = None;
    for name in names {
        let ratio = TextDiff::from_chars(given.as_str(), name.to_lowercase().as_str()).ratio();
        if ratio >= LIKE && best.is_none_or(|(before, _)| ratio > before) {
            best = Some((ratio, name));
        }
    }
    best.map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_that_was_meant() {
        let names = ["Explore", "Plan", "general-purpose"];
        for (given, expected) in [
            ("explore", Some("Explore")),
            ("Explorer", Some("Explore")),
            ("planner", Some("Plan")),
            ("general_purpose", Some("general-purpose")),
            ("general", Some("general-purpose")),
            ("reviewer", None),
            ("", None),
        ] {
            assert_eq!(alike(given, names), expected, "{given}");
        }
        assert_eq!(alike(&"Explore".repeat(1000), names), None);
    }
}
