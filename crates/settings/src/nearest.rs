//! The known name that a mistyped one most likely meant.

/// The name nearest to `given`, if one is near enough to be meant.
///
/// Also finds a key whose section was forgotten (`defaultMode` for `permissions.defaultMode`).
pub(crate) fn nearest<'a>(given: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let last = last_part(given);
    // A third of the name may be wrong: more, and the guess is rarely the one that was meant.
    let most = (last.chars().count() / 3).clamp(1, 4);
    known
        .into_iter()
        .map(|name| (distance(given, name).min(distance(last, last_part(name))), name))
        .filter(|(distance, _)| *distance <= most)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

fn last_part(name: &str) -> &str {
    name.rsplit('.').next().unwrap_or(name)
}

/// The number of letters to insert, remove, replace or swap with their neighbour; upper and lower case are the same.
pub(crate) fn distance(from: &str, to: &str) -> usize {
    // Longer than any name of ours: the table would only cost time.
    if from.len() > 200 {
        return usize::MAX;
    }
    let from: Vec<char> = from.to_lowercase().chars().collect();
    let to: Vec<char> = to.to_lowercase().chars().collect();
    let mut rows: Vec<Vec<usize>> = vec![(0..=to.len()).collect()];
    for (line, left) in from.iter().enumerate() {
        let mut row = vec![line + 1];
        for (column, right) in to.iter().enumerate() {
            let above = &rows[line];
            let mut cost =
                (above[column] + usize::from(left != right)).min(above[column + 1] + 1).min(row[column] + 1);
            if line > 0 && column > 0 && *left == to[column - 1] && from[line - 1] == *right {
                cost = cost.min(rows[line - 1][column - 1] + 1);
            }
            row.push(cost);
        }
        rows.push(row);
    }
    rows.last().and_then(|row| row.last()).copied().unwrap_or(0)
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
            assert_eq!(distance(from, to), expected, "{from} {to}");
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
