//! How numbers, ages and titles read.

use jiff::Timestamp;

/// A number with its thousands apart.
pub fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A number and what is counted.
pub fn counted(number: u64, one: &str, many: &str) -> String {
    format!("{} {}", thousands(number), if number == 1 { one } else { many })
}

/// How long ago something was, in a word or two.
pub fn age(now: Timestamp, then: Timestamp) -> String {
    let seconds = u64::try_from(now.duration_since(then).as_secs()).unwrap_or(0);
    match seconds {
        0..60 => "just now".to_owned(),
        60..3_600 => format!("{} min ago", seconds / 60),
        3_600..86_400 => format!("{} h ago", seconds / 3_600),
        _ => format!("{} ago", counted(seconds / 86_400, "day", "days")),
    }
}

/// The first heading of a plan, or its first line with words.
pub fn plan_title(plan: &str) -> String {
    let lines = || plan.lines().map(str::trim).filter(|line| !line.is_empty());
    let heading = lines().find(|line| line.starts_with('#')).or_else(|| lines().next());
    heading.map_or_else(String::new, |line| line.trim_start_matches('#').trim().to_owned())
}

/// The first `limit` characters, and a sign if there were more.
pub fn truncate(text: &str, limit: usize) -> String {
    match text.char_indices().nth(limit) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_ages() {
        for (number, expected) in [(0, "0"), (999, "999"), (1_000, "1,000"), (1_234_567, "1,234,567")] {
            assert_eq!(thousands(number), expected);
        }
        let now: Timestamp = "2026-03-01T12:00:00Z".parse().unwrap();
        for (then, expected) in [
            ("2026-03-01T12:00:09Z", "just now"),
            ("2026-03-01T11:59:01Z", "just now"),
            ("2026-03-01T11:55:00Z", "5 min ago"),
            ("2026-03-01T09:00:00Z", "3 h ago"),
            ("2026-02-28T12:00:00Z", "1 day ago"),
            ("2026-02-01T12:00:00Z", "28 days ago"),
        ] {
            assert_eq!(age(now, then.parse().unwrap()), expected, "{then}");
        }
    }

    #[test]
    fn a_plan_is_called_by_its_heading() {
        for (plan, expected) in [
            ("\n\n## Add a flag\ntext", "Add a flag"),
            ("text\n# Late", "Late"),
            ("only text", "only text"),
            ("", ""),
        ] {
            assert_eq!(plan_title(plan), expected);
        }
    }
}
