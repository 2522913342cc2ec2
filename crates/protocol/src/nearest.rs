//! The known name that a mistyped one most likely meant.

/// Longer than any name of ours: comparing would only cost time.
const LONGEST: usize = 200;

/// The name nearest to `given`, if one is near enough to be meant.
///
/// Also finds a key whose section was forgotten (`defaultMode` for `permissions.defaultMode`).
pub fn nearest<'a>(given: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    // A third of the name may be wrong: more, and the guess is rarely the one that was meant.
    let most = (last_part(given).chars().count() / 3).clamp(1, 4);
    within(most, given, known)
}

/// The name nearest to `given` that is at most so many letters away.
pub(crate) fn within<'a>(
    most: usize,
    given: &str,
    known: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    if given.len() > LONGEST {
        return None;
    }
    let (whole, last) = (letters(given), letters(last_part(given)));
    let away = |name: &str| {
        let name = letters(name);
        let dot = name.iter().rposition(|letter| *letter == '.');
        let of_last = match dot {
            Some(dot) => distance(&last, &name[dot + 1..], most),
            None if last.len() < whole.len() => distance(&last, &name, most),
            None => None,
        };
        distance(&whole, &name, most).into_iter().chain(of_last).min()
    };
    let near = known.into_iter().filter_map(|name| Some((away(name)?, name)));
    near.min_by_key(|(away, _)| *away).map(|(_, name)| name)
}

fn last_part(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}

/// Upper and lower case are the same.
fn letters(name: &str) -> Vec<char> {
    name.chars().flat_map(char::to_lowercase).collect()
}

/// The number of letters to insert, remove, replace or swap with their neighbour, if it is at most `most`.
fn distance(from: &[char], to: &[char], most: usize) -> Option<usize> {
    // Each letter that one has more must be inserted. A file may hold thousands of names, and this settles most.
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
            ("", None),
        ] {
            assert_eq!(nearest(given, known), expected, "{given}");
        }
    }
}
