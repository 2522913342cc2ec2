//! The corpus: lines with labels, one to a line, `⏎` for a newline.

/// One line of the corpus.
#[derive(Debug, Clone)]
pub(crate) struct Line {
    pub text: String,
    /// A tool without which the line cannot be run.
    pub needs: Option<String>,
    /// Why running the line cannot prove its label.
    pub unproven: Option<String>,
}

pub(crate) fn read_only() -> Vec<Line> {
    [
        include_str!("../corpus/read_only.txt"),
        include_str!("../corpus/read_only_more.txt"),
        include_str!("../corpus/read_only_agents.txt"),
    ]
    .iter()
    .flat_map(|t| parse(t))
    .collect()
}

/// Lines that change nothing, and are still not judged read-only.
pub(crate) fn machine() -> Vec<Line> {
    parse(include_str!("../corpus/machine.txt"))
}

pub(crate) fn nasty() -> Vec<Line> {
    [
        include_str!("../corpus/nasty.txt"),
        include_str!("../corpus/nasty_more.txt"),
        include_str!("../corpus/nasty_opened.txt"),
    ]
    .iter()
    .flat_map(|t| parse(t))
    .collect()
}

fn parse(text: &str) -> Vec<Line> {
    text.lines().filter(|l| !l.is_empty() && !l.starts_with("# ")).map(parse_line).collect()
}

fn parse_line(line: &str) -> Line {
    let (needs, rest) = tag(line, "[needs=");
    let (unproven, rest) = tag(rest, "[unproven=");
    Line { text: rest.replace('⏎', "\n"), needs, unproven }
}

fn tag<'a>(line: &'a str, open: &str) -> (Option<String>, &'a str) {
    match line.strip_prefix(open).and_then(|rest| rest.split_once("] ")) {
        Some((value, rest)) => (Some(value.to_owned()), rest),
        None => (None, line),
    }
}
