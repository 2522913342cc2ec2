//! Comments on lines of a plan. They stay with their lines when the plan changes.

use forelook_protocol::{CommentState, DraftComment, PlanComment};
use similar::{DiffOp, TextDiff};

use super::CommentError;

/// A comment and its state.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Comment {
    /// The text and the lines it is about.
    pub comment: PlanComment,
    /// Its state.
    pub state: CommentState,
    /// Whether its lines are unchanged since it was written.
    pub anchored: bool,
}

/// All comments of a review, in the order of their lines.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Comments(Vec<Comment>);

impl Comments {
    /// All comments.
    pub fn iter(&self) -> impl Iterator<Item = &Comment> {
        self.0.iter()
    }

    /// Comments that were sent to the model.
    pub fn sent(comments: &[PlanComment]) -> Self {
        let sent = |it: &PlanComment| Comment {
            comment: it.clone(),
            state: CommentState::StillOpen,
            anchored: true,
        };
        Self(comments.iter().map(sent).collect())
    }

    /// Comments that were recorded and not sent yet.
    pub(super) fn recorded(comments: &[DraftComment]) -> Self {
        let recorded = |it: &DraftComment| Comment {
            comment: it.comment.clone(),
            state: it.state,
            anchored: it.state != CommentState::Addressed,
        };
        Self(comments.iter().map(recorded).collect())
    }

    /// The same, to be recorded.
    pub(super) fn to_record(&self) -> Vec<DraftComment> {
        self.0.iter().map(|it| DraftComment { comment: it.comment.clone(), state: it.state }).collect()
    }

    /// The comment with this index.
    pub fn get(&self, at: usize) -> Option<&Comment> {
        self.0.get(at)
    }

    /// The number of comments.
    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds a comment on lines of this text, counted from 1.
    pub(super) fn add_to(
        &mut self,
        plan: &str,
        (first, last): (usize, usize),
        text: &str,
    ) -> Result<(), CommentError> {
        let text = text.trim();
        if text.is_empty() {
            return Err(CommentError::Empty);
        }
        let lines: Vec<&str> = plan.lines().collect();
        let quote = first.checked_sub(1).and_then(|from| lines.get(from..last));
        let quote = quote.filter(|quote| !quote.is_empty()).ok_or(CommentError::NoSuchLines(lines.len()))?;
        self.add(quote, first, text);
        Ok(())
    }

    /// Adds a comment on these lines; `first` is the number of the first line, starting at 1.
    pub(super) fn add(&mut self, quote: &[&str], first: usize, text: &str) {
        let last = first + quote.len().saturating_sub(1);
        let comment = PlanComment { first, last, quote: quote.join("\n"), text: text.to_owned() };
        self.0.push(Comment { comment, state: CommentState::New, anchored: true });
        self.sort();
    }

    fn sort(&mut self) {
        self.0.sort_by_key(|it| (it.comment.first, it.comment.last));
    }

    /// Changes the text of a comment; an empty text removes it.
    pub(super) fn reword(&mut self, at: usize, text: &str) {
        if text.trim().is_empty() {
            self.remove(at);
        } else if let Some(comment) = self.0.get_mut(at) {
            comment.comment.text = text.to_owned();
            comment.state = CommentState::New;
        }
    }

    pub(super) fn remove(&mut self, at: usize) {
        if at < self.0.len() {
            self.0.remove(at);
        }
    }

    /// The comments to send to the model: those it has not seen, and those whose lines it did not change.
    pub fn to_send(&self) -> Vec<PlanComment> {
        let open = self.0.iter().filter(|it| it.state != CommentState::Addressed);
        open.map(|it| it.comment.clone()).collect()
    }

    /// The number of comments that were not sent yet.
    pub fn unsent(&self) -> usize {
        self.0.iter().filter(|it| it.state == CommentState::New).count()
    }

    /// The comments were sent, and `new` is the model's next plan.
    pub(super) fn answered(&mut self, old: &str, new: &str) {
        self.0.retain(|it| it.state != CommentState::Addressed);
        self.remap(old, new);
        self.0.iter_mut().for_each(|it| it.state = it.seen_state());
    }

    /// The plan changed before the comments were sent: new comments stay new, and what was addressed stays so.
    pub(super) fn changed(&mut self, old: &str, new: &str) {
        self.remap(old, new);
        for it in self.0.iter_mut().filter(|it| it.state == CommentState::StillOpen) {
            it.state = it.seen_state();
        }
        self.sort();
    }

    /// Removes the comments that were not sent and whose lines are gone, and returns how many. If the lines are somewhere
    /// else in this plan, the comment moves to the nearest such place. What the model addressed was not in vain: it stays.
    pub(super) fn drop_orphaned(&mut self, plan: &str) -> usize {
        let lines: Vec<&str> = plan.lines().collect();
        let before = self.0.len();
        self.0.retain_mut(|it| {
            if it.state == CommentState::Addressed {
                return true;
            }
            let place = if it.anchored { Some(it.comment.first) } else { nearest(&lines, &it.comment) };
            if let (false, Some(first)) = (it.anchored, place) {
                it.comment.last = first + it.comment.quote.lines().count().saturating_sub(1);
                it.comment.first = first;
            }
            place.is_some()
        });
        self.sort();
        before - self.0.len()
    }

    fn remap(&mut self, old: &str, new: &str) {
        let diff = TextDiff::from_lines(old, new);
        let lines = new.lines().count().max(1);
        for Comment { comment, anchored, .. } in &mut self.0 {
            let at = |line: usize| line.saturating_sub(1);
            let (first, last, kept) = moved(diff.ops(), at(comment.first), at(comment.last));
            comment.first = (first + 1).min(lines);
            comment.last = (last + 1).clamp(comment.first, lines);
            *anchored = kept;
        }
    }
}

impl Comment {
    /// The first of its lines that is not empty.
    pub fn quoted_line(&self) -> &str {
        self.comment.quote.lines().find(|line| !line.trim().is_empty()).unwrap_or_default()
    }

    /// Its state after the model has seen it.
    fn seen_state(&self) -> CommentState {
        if self.anchored { CommentState::StillOpen } else { CommentState::Addressed }
    }
}

/// The line where exactly the comment's lines are, nearest to its current place.
fn nearest(lines: &[&str], comment: &PlanComment) -> Option<usize> {
    let quote: Vec<&str> = comment.quote.lines().collect();
    let places = lines.windows(quote.len().max(1)).enumerate().filter(|(_, lines)| *lines == quote);
    places.map(|(at, _)| at + 1).min_by_key(|at| at.abs_diff(comment.first))
}

/// The place of these lines (counted from 0) in the new text, and whether they are unchanged.
fn moved(ops: &[DiffOp], first: usize, last: usize) -> (usize, usize, bool) {
    let touched = ops.iter().filter(|op| {
        let old = op.old_range();
        // An insertion inside the range changes it; one at its edge does not.
        if old.is_empty() {
            old.start > first && old.start <= last
        } else {
            old.start <= last && old.end > first
        }
    });
    let (mut start, mut end, mut kept) = (usize::MAX, 0, true);
    for op in touched {
        let (old, new) = (op.old_range(), op.new_range());
        if let DiffOp::Equal { .. } = op {
            let from = first.max(old.start) - old.start;
            let to = last.min(old.end - 1) - old.start;
            start = start.min(new.start + from);
            end = end.max(new.start + to);
        } else {
            kept = false;
            start = start.min(new.start);
            end = end.max(new.end.saturating_sub(1).max(new.start));
        }
    }
    if start == usize::MAX { (first, last, false) } else { (start, end.max(start), kept) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const PLAN: &str = "# Title\n\n1. Read\n2. Write\n3. Test\n";

    fn add(comments: &mut Comments, plan: &str, (first, last): (usize, usize), text: &str) {
        let quote: Vec<&str> = plan.lines().skip(first - 1).take(last + 1 - first).collect();
        comments.add(&quote, first, text);
    }

    fn on(first: usize, last: usize) -> Comments {
        let mut comments = Comments::default();
        add(&mut comments, PLAN, (first, last), "words");
        comments
    }

    fn places(comments: &Comments) -> Vec<(usize, usize, CommentState)> {
        comments.iter().map(|it| (it.comment.first, it.comment.last, it.state)).collect()
    }

    #[test]
    fn comments_follow_their_lines() {
        for (first, last, new, expected) in [
            (4, 4, PLAN, (4, 4, CommentState::StillOpen)),
            (4, 4, "# Title\n\nMore words.\n\n1. Read\n2. Write\n3. Test\n", (6, 6, CommentState::StillOpen)),
            (4, 4, "# Title\n\n1. Read\n2. Write less\n3. Test\n", (4, 4, CommentState::Addressed)),
            (4, 4, "# Title\n\n1. Read\n3. Test\n", (4, 4, CommentState::Addressed)),
            (3, 4, "# Title\n\n1. Read\n1b. Think\n2. Write\n3. Test\n", (3, 5, CommentState::Addressed)),
            (3, 4, "# Title\n\n0. Think\n1. Read\n2. Write\n3. Test\n", (4, 5, CommentState::StillOpen)),
            (5, 5, "# Title\n", (1, 1, CommentState::Addressed)),
        ] {
            let mut comments = on(first, last);
            comments.answered(PLAN, new);
            assert_eq!(places(&comments), [expected], "{new:?}");
        }
    }

    #[test]
    fn what_was_addressed_is_not_sent_again_and_goes_with_the_next_round() {
        let mut comments = on(3, 3);
        add(&mut comments, PLAN, (5, 5), "more");
        assert_eq!((comments.to_send().len(), comments.unsent()), (2, 2));
        let new = PLAN.replace("1. Read", "1. Read all");
        comments.answered(PLAN, &new);
        assert_eq!(comments.to_send().iter().map(|it| it.text.as_str()).collect::<Vec<_>>(), ["more"]);
        assert_eq!((comments.iter().count(), comments.unsent()), (2, 0));
        comments.answered(&new, &new);
        assert_eq!(comments.iter().count(), 1);
    }

    #[test]
    fn what_was_addressed_stays_so_when_the_reviewer_edits_another_line() {
        let mut comments = on(3, 3);
        add(&mut comments, PLAN, (5, 5), "more");
        let new = PLAN.replace("1. Read", "1. Read all");
        comments.answered(PLAN, &new);
        let edited = new.replace("2. Write", "2. Write less");
        comments.changed(&new, &edited);
        let expected = [(3, 3, CommentState::Addressed), (5, 5, CommentState::StillOpen)];
        assert_eq!(places(&comments), expected);
        // Recorded and read again, they are what they were.
        assert_eq!(places(&Comments::recorded(&comments.to_record())), expected);
    }

    #[test]
    fn words_can_be_changed_and_taken_back() {
        let mut comments = on(3, 4);
        assert_eq!(comments.to_send()[0].quote, "1. Read\n2. Write");
        comments.reword(0, "other");
        assert_eq!(comments.to_send()[0].text, "other");
        comments.reword(0, "  ");
        assert_eq!(comments.to_send(), []);
    }

    #[test]
    fn comments_on_lines_that_are_gone_are_dropped_where_nobody_could_see_them() {
        let mut comments = on(3, 3);
        add(&mut comments, PLAN, (4, 5), "both");
        let new = "# Title\n\n2. Write\n3. Test\n1. Read all\n";
        comments.changed(PLAN, new);
        assert_eq!((comments.drop_orphaned(new), places(&comments)), (1, vec![(3, 4, CommentState::New)]));
        // Lines that moved are found again.
        let mut comments = on(3, 3);
        let new = "# Title\n\n2. Write\n3. Test\n1. Read\n";
        comments.changed(PLAN, new);
        assert_eq!((comments.drop_orphaned(new), places(&comments)), (0, vec![(5, 5, CommentState::New)]));
    }

    #[test]
    fn what_was_addressed_is_not_dropped() {
        let mut comments = on(4, 4);
        let new = PLAN.replace("2. Write", "2. Write less");
        comments.answered(PLAN, &new);
        assert_eq!(
            (comments.drop_orphaned(&new), places(&comments)),
            (0, vec![(4, 4, CommentState::Addressed)])
        );
    }

    proptest! {
        #[test]
        fn a_comment_stays_inside_the_plan(old in "([a-c]?\n){1,12}", new in "([a-c]?\n){0,12}", at in 0usize..12, more in 0usize..3) {
            let lines = old.lines().count();
            let first = at % lines + 1;
            let last = (first + more).min(lines);
            let mut comments = Comments::default();
            add(&mut comments, &old, (first, last), "words");
            comments.answered(&old, &new);
            for (first, last, state) in places(&comments) {
                prop_assert!(1 <= first && first <= last && last <= new.lines().count().max(1));
                if state == CommentState::StillOpen {
                    let quote: Vec<&str> = new.lines().skip(first - 1).take(last + 1 - first).collect();
                    prop_assert_eq!(quote.join("\n"), comments.0[0].comment.quote.clone());
                }
            }
        }
    }
}
