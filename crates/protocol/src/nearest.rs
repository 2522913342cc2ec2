//! Finds the known name that a mistyped one most likely meant. Every "did you mean" in Forelook uses this.

/// Longer than any known name; comparing longer ones would only take time.
const MAX_NAME_LEN: usize = 200;
/// A known name counts as the start of a longer one only if it has at least this many letters and at least half the
/// length. Shorter names are the start of too many others.
const MIN_STEM_LEN: usize = 4;
/// The distance between a name and one that starts with it: more than one wrong letter, less than three.
const PREFIX_DISTANCE: usize = 2;

/// The name nearest to `given`, if it is near enough. Ties go to the name with the nearest length, then to the first.
///
/// Also finds the complete name for an unfinished one (`permissions` for `perm`), and a key whose section is missing
/// (`permissions.defaultMode` for `defaultMode`).
pub fn nearest<'a>(given: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    ranked(given, known).min_by_key(|(away, _)| *away).map(|(_, name)| name)
}

/// The names nearest to `given`, nearest first, at most `most` of them.
pub fn nearest_few<'a>(given: &str, known: impl IntoIterator<Item = &'a str>, most: usize) -> Vec<&'a str> {
    let mut near: Vec<((usize, usize), &str)> = ranked(given, known).collect();
    near.sort_by_key(|(away, _)| *away);
    near.into_iter().take(most).map(|(_, name)| name).collect()
}

/// The name nearest to `given` that differs in at most `most` letters. Considers only wrong letters.
pub fn nearest_within<'a>(
    most: usize,
    given: &str,
    known: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    let given = NameQuery::new(given)?;
    let near = known.into_iter().filter_map(|name| Some((given.distance(name, most)?, name)));
    near.min_by_key(|(away, _)| *away).map(|(_, name)| name)
}

/// The names that are near enough, each with its distance.
fn ranked<'a>(
    given: &str,
    known: impl IntoIterator<Item = &'a str>,
) -> impl Iterator<Item = ((usize, usize), &'a str)> {
    // Up to a third of the name may be wrong. Beyond that, the guess is rarely right.
    let most = (last_part(given).chars().count() / 3).clamp(1, 4);
    let given = NameQuery::new(given);
    known.into_iter().filter_map(move |name| {
        let given = given.as_ref()?;
        let begins = given.begins(name).then_some(PREFIX_DISTANCE);
        let away = given.distance(name, most).into_iter().chain(begins).min()?;
        Some(((away, name.chars().count().abs_diff(given.whole.len())), name))
    })
}

/// A name to look up.
struct NameQuery {
    whole: Vec<char>,
    last: Vec<char>,
}

impl NameQuery {
    fn new(given: &str) -> Option<Self> {
        (given.len() <= MAX_NAME_LEN).then(|| Self { whole: letters(given), last: letters(last_part(given)) })
    }

    /// The number of letters in which it differs from this name, if that is at most `most`.
    fn distance(&self, name: &str, most: usize) -> Option<usize> {
        let name = letters(name);
        let dot = name.iter().rposition(|letter| *letter == '.');
        let of_last = match dot {
            Some(dot) => distance(&self.last, &name[dot + 1..], most),
            None if self.last.len() < self.whole.len() => distance(&self.last, &name, most),
            None => None,
        };
        distance(&self.whole, &name, most).into_iter().chain(of_last).min()
    }

    /// Whether one of the two names starts with the other.
    fn begins(&self, name: &str) -> bool {
        let name = letters(name);
        let unfinished = !self.whole.is_empty() && name.starts_with(&self.whole);
        let longer = name.len() >= MIN_STEM_LEN && self.whole.len() <= 2 * name.len();
        unfinished || (longer && self.whole.starts_with(&name))
    }
}

fn last_part(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}

/// The letters in lowercase, because case does not matter.
fn letters(name: &str) -> Vec<char> {
    name.chars().flat_map(char::to_lowercase).collect()
}

/// The number of letters to insert, remove, replace, or swap with their neighbor, if it is at most `most`.
fn distance(from: &[char], to: &[char], most: usize) -> Option<usize> {
    // Each extra letter must be inserted. A file can hold thousands of names, and this check rules out most of them.
    if from.len().abs_diff(to.len()) > most {
        return None;
    }
    let mut before = Vec::new();
    let mut above: Vec<usize> = (0..=to.len()).collect();
    for (line, left) in from.iter().enumerate() {
        let mut row = vec![line + 1];
        for (column, right) in to.iter().enumerate() {
            let mut cost =
                (above[column] + usize::from(left != right)).min(above[column + 1] + 1).min(row[column] + 1);
            if line > 0 && column > 0 && *left == to[column - 1] && from[line - 1] == *right {
                cost = cost.min(before[column - 1] + 1);
            }
            row.push(cost);
        }
        before = std::mem::replace(&mut above, row);
    }
    above.last().copied().filter(|distance| *distance <= most)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances() {
        for (from, to, expected) in [
            ("", "", 0),
            ("a", "", 1),
            ("", "abc", 3),
            ("kitten", "sitting", 3),
            ("MODE", "mode", 0),
            ("ab", "ba", 1),
            ("modle", "model", 1),
        ] {
            let (from, to) = (letters(from), letters(to));
            for most in 0..5 {
                let found = distance(&from, &to, most);
                assert_eq!(found, (expected <= most).then_some(expected), "{from:?} {to:?} {most}");
            }
        }
    }

    #[test]
    fn a_near_name_is_found_and_a_far_one_is_not() {
        let known = ["permissions.defaultMode", "model.main", "env"];
        for (given, expected) in [
            ("permissions.defaultMod", Some("permissions.defaultMode")),
            ("permission.defaultMode", Some("permissions.defaultMode")),
            ("defaultMode", Some("permissions.defaultMode")),
            ("model.Main", Some("model.main")),
            ("environment", None),
            ("envs", Some("env")),
            ("permissions.deny", None),
            ("theme", None),
            ("permissions.def", Some("permissions.defaultMode")),
            ("", None),
        ] {
            assert_eq!(nearest(given, known), expected, "{given}");
        }
    }

    #[test]
    fn what_people_and_models_call_agents_and_commands() {
        let names = ["Explore", "Plan", "general-purpose", "permissions", "mode", "model"];
        for (given, expected) in [
            ("explore", Some("Explore")),
            ("Explorer", Some("Explore")),
            ("planner", Some("Plan")),
            ("general_purpose", Some("general-purpose")),
            ("general", Some("general-purpose")),
            ("perm", Some("permissions")),
            ("modle", Some("model")),
            ("reviewer", None),
        ] {
            assert_eq!(nearest(given, names), expected, "{given}");
        }
        assert_eq!(nearest(&"Explore".repeat(1000), names), None);
        assert_eq!(nearest_few("mod", names, 2), ["mode", "model"]);
        assert_eq!(nearest_within(1, "plann", names), Some("Plan"));
        assert_eq!(nearest_within(1, "perm", names), None);
    }
}
