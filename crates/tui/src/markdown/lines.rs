//! What single lines of Markdown are.

/// The head of a table is repeated behind a cut, unless it is longer than this.
const MAX_HEAD: usize = 1024;

/// What fenced code stands between.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct CodeFence {
    mark: char,
    length: usize,
}

/// The first two lines, if they are the head of a table.
pub(super) fn table_head(text: &str) -> Option<&str> {
    let first = text.find('\n')? + 1;
    let second = first + text[first..].find('\n')? + 1;
    let rule = text[first..second].trim();
    let is_rule = rule.contains('-') && rule.contains('|') && rule.chars().all(|c| "|-: ".contains(c));
    (is_rule && second <= MAX_HEAD && text[..first].contains('|')).then(|| &text[..second])
}

pub(super) fn opens(line: &str) -> Option<(CodeFence, String)> {
    let mark = line.chars().next().filter(|mark| matches!(mark, '`' | '~'))?;
    let length = line.chars().take_while(|c| *c == mark).count();
    let language = line[length..].trim();
    // Behind backticks there is no other: that would be code in a line.
    let fence = length >= 3 && !(mark == '`' && language.contains('`'));
    fence.then(|| (CodeFence { mark, length }, language.to_owned()))
}

pub(super) fn closes(line: &str, fence: CodeFence) -> bool {
    let line = line.trim_start();
    line.chars().all(|c| c == fence.mark) && line.chars().count() >= fence.length
}

/// Whether a line begins an item of a list.
pub(super) fn is_item(line: &str) -> bool {
    let line = line.trim_start();
    let numbered = || {
        let rest = line.trim_start_matches(|c: char| c.is_ascii_digit());
        rest.len() < line.len() && (rest.starts_with(". ") || rest.starts_with(") "))
    };
    ["- ", "* ", "+ "].iter().any(|mark| line.starts_with(mark)) || numbered()
}
