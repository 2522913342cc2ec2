//! The end of what a task wrote, for a person: the whole may be more than a screen, or a memory, can hold.

use std::collections::VecDeque;

use forelook_protocol::end_of;

/// Lines of an output that are shown: the last ones.
const MAX_LINES: usize = 2_000;

/// Bytes of what a task wrote or said that a person is shown: the last ones.
pub const MAX_TASK_OUTPUT: usize = 256 * 1024;

/// The last lines of an output.
#[derive(Debug, Default)]
pub(super) struct NewestLines {
    lines: VecDeque<String>,
    /// Of all of them, with what joins them.
    bytes: usize,
}

impl NewestLines {
    pub(super) fn push(&mut self, line: &str) {
        let line = end_of(line, MAX_TASK_OUTPUT - 1).to_owned();
        self.bytes += line.len() + 1;
        self.lines.push_back(line);
        while self.lines.len() > MAX_LINES || self.bytes > MAX_TASK_OUTPUT {
            let Some(oldest) = self.lines.pop_front() else { return };
            self.bytes -= oldest.len() + 1;
        }
    }

    pub(super) fn into_text(self) -> String {
        Vec::from(self.lines).join("\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn newest(lines: impl IntoIterator<Item = String>) -> String {
        let mut newest = NewestLines::default();
        lines.into_iter().for_each(|line| newest.push(&line));
        newest.into_text()
    }

    #[test]
    fn the_newest_lines_stay() {
        assert_eq!(newest([]), "");
        assert_eq!(newest(["a".to_owned(), String::new(), "b".to_owned()]), "a\n\nb");
        let many = newest((0..5_000).map(|number| number.to_string()));
        assert!(many.starts_with("3000\n") && many.ends_with("\n4999"), "{many:.20}");
        let long = newest((0..20).map(|number| format!("{number}{}", "ü".repeat(50_000))));
        assert!(long.starts_with("18ü") && long.len() <= MAX_TASK_OUTPUT, "{long:.20}");
        let one = newest(["old".to_owned(), format!("{}end", "ü".repeat(200_000))]);
        assert!(one.starts_with('ü') && one.ends_with("end") && one.len() < MAX_TASK_OUTPUT);
    }
}
