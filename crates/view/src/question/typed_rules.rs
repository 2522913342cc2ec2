//! Several rules in one text, as the user writes them: one a line, or separated by `; `.
//!
//! What is in a rule's parentheses may contain both separators, and parentheses that nobody closes, as in
//! `Bash(grep "f(" a.rs; ls)`. So a separator counts only where a rule can end and another one can begin.

/// Takes a text with several rules apart. What is no rule is returned as it is: whoever reads the rules says so.
pub fn split_rules(text: &str) -> Vec<String> {
    let (mut rules, mut begin) = (Vec::new(), 0);
    let (mut opened, mut closed) = (0, 0);
    for (at, letter) in text.char_indices() {
        opened += usize::from(letter == '(');
        closed += usize::from(letter == ')');
        let end = match letter {
            '\n' => at + 1,
            ';' if text[at..].starts_with("; ") => at + 2,
            _ => continue,
        };
        let rule = text[begin..at].trim();
        let is_closed = rule.ends_with(')') && (letter == '\n' || closed >= opened);
        if opened == 0 || is_closed && starts_rule(&text[end..]) {
            rules.push(rule);
            (begin, opened, closed) = (end, 0, 0);
        }
    }
    rules.push(text[begin..].trim());
    rules.into_iter().filter(|rule| !rule.is_empty()).map(str::to_owned).collect()
}

/// The text that [`split_rules`] takes apart into these rules.
pub fn join_rules<'rule>(rules: impl IntoIterator<Item = &'rule str>) -> String {
    let (mut text, mut separator) = (String::new(), "");
    for rule in rules {
        text.push_str(separator);
        text.push_str(rule);
        // Behind a parenthesis that nobody closes, only the end of a line separates.
        separator = if rule.matches('(').count() > rule.matches(')').count() { "\n" } else { "; " };
    }
    text
}

/// Whether a text begins with a rule: the name of a tool, and then a parenthesis, a separator, or nothing.
fn starts_rule(text: &str) -> bool {
    let text = text.trim_start_matches(' ');
    let end = text.find(['(', ')', ' ', ';', '\n']).unwrap_or(text.len());
    let (name, behind) = text.split_at(end);
    let is_over = |rest: &str| rest.is_empty() || rest.starts_with([';', '\n']);
    text.is_empty()
        || !name.is_empty() && (behind.starts_with('(') || is_over(behind.trim_start_matches(' ')))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &[&str]) {
        assert_eq!(split_rules(text), expected, "{text:?}");
    }

    #[test]
    fn rules_end_where_another_one_can_begin() {
        check("", &[]);
        check(" ; ", &[]);
        check("Bash(ls)", &["Bash(ls)"]);
        check("Bash(ls); Bash(git:*)", &["Bash(ls)", "Bash(git:*)"]);
        check("Bash(ls);Bash(git:*)", &["Bash(ls);Bash(git:*)"]);
        check("Edit; WebFetch\nmcp__a__b", &["Edit", "WebFetch", "mcp__a__b"]);
        check("Bash(ls)\n\n  Edit ; Read(/a; b)", &["Bash(ls)", "Edit", "Read(/a; b)"]);
    }

    #[test]
    fn what_is_in_parentheses_stays_together() {
        check("Bash(a; b)", &["Bash(a; b)"]);
        check("Bash(a; b; c); Bash(d; e)", &["Bash(a; b; c)", "Bash(d; e)"]);
        check("Bash((cd x); ls; a); Edit", &["Bash((cd x); ls; a)", "Edit"]);
        check(r"Bash(f \); ls)", &[r"Bash(f \); ls)"]);
        check("Bash(git commit -m 'a (b)\n\nc')", &["Bash(git commit -m 'a (b)\n\nc')"]);
        check("Bash(grep 'f(' a; ls)\nEdit", &["Bash(grep 'f(' a; ls)", "Edit"]);
    }

    #[test]
    fn rules_come_apart_while_they_are_written() {
        check("Bash(ls); ", &["Bash(ls)"]);
        check("Bash(ls); Ba", &["Bash(ls)", "Ba"]);
        check("Bash(ls); Bash(gi", &["Bash(ls)", "Bash(gi"]);
        check("Bash(ls; Bash(git:*)", &["Bash(ls; Bash(git:*)"]);
    }

    fn check_joined(rules: &[&str], expected: &str) {
        let text = join_rules(rules.iter().copied());
        assert_eq!(text, expected);
        assert_eq!(split_rules(&text), rules);
    }

    #[test]
    fn rules_that_are_joined_come_apart_again() {
        check_joined(&[], "");
        check_joined(&["Bash(ls)"], "Bash(ls)");
        check_joined(&["Bash(a; b)", "Edit", "Bash(ls)"], "Bash(a; b); Edit; Bash(ls)");
        check_joined(&["Bash(grep 'f(' a)", "Bash(ls)", "Edit"], "Bash(grep 'f(' a)\nBash(ls); Edit");
        check_joined(&["Bash(git commit -m 'a (b)\n\nc')", "Edit"], "Bash(git commit -m 'a (b)\n\nc'); Edit");
    }
}
