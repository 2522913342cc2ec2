//! Comments on the lines of a plan, which stay with their lines when the plan changes.

use forelook_protocol::PlanComment;
use similar::{DiffOp, TextDiff};

/// A comment, and what became of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Comment {
    pub(crate) comment: PlanComment,
    pub(crate) state: State,
}

/// What became of a comment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    /// It is being written; the model has not seen it.
    New,
    /// The model has seen it, and its lines are as they were.
    StillOpen,
    /// The model has seen it, and its lines are others now.
    Addressed,
}

/// All comments of a review, in the order of their lines.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Comments(Vec<Comment>);

impl Comments {
    pub(crate) fn iter(&self) -> impl Iterator<Item = &Comment> {
        self.0.iter()
    }

    /// Comments that were sent to the model.
    pub(crate) fn sent(comments: &[PlanComment]) -> Self {
        Self(comments.iter().map(|it| Comment { comment: it.clone(), state: State::StillOpen }).collect())
    }

    pub(crate) fn get(&self, at: usize) -> Option<&Comment> {
        self.0.get(at)
    }

    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// Adds a comment on lines of this plan, counted from 1.
    pub(crate) fn add(&mut self, plan: &str, first: usize, last: usize, text: &str) {
        let quote: Vec<&str> = plan.lines().skip(first - 1).take(last + 1 - first).collect();
        let comment = PlanComment { first, last, quote: quote.join("\n"), text: text.to_owned() };
        self.0.push(Comment { comment, state: State::New });
        self.0.sort_by_key(|it| (it.comment.first, it.comment.last));
    }

    /// Other words; none take the comment away.
    pub(crate) fn reword(&mut self, at: usize, text: &str) {
        if text.trim().is_empty() {
            self.remove(at);
        } else if let Some(comment) = self.0.get_mut(at) {
            comment.comment.text = text.to_owned();
            comment.state = State::New;
        }
    }

    pub(crate) fn remove(&mut self, at: usize) {
        if at < self.0.len() {
            self.0.remove(at);
        }
    }

    /// What goes to the model: all that it has not seen, and what it left as it was.
    pub(crate) fn to_send(&self) -> Vec<PlanComment> {
        let open = self.0.iter().filter(|it| it.state != State::Addressed);
        open.map(|it| it.comment.clone()).collect()
    }

    /// How many the person has written and not sent.
    pub(crate) fn unsent(&self) -> usize {
        self.0.iter().filter(|it| it.state == State::New).count()
    }

    /// They were sent, and this is the plan that came back.
    pub(crate) fn answered(&mut self, old: &str, new: &str) {
        self.0.retain(|it| it.state != State::Addressed);
        self.follow(old, new, |kept| if kept { State::StillOpen } else { State::Addressed });
    }

    /// The plan changed while they were being written: new ones stay new.
    pub(crate) fn changed(&mut self, old: &str, new: &str) {
        let states: Vec<State> = self.0.iter().map(|it| it.state).collect();
        self.follow(old, new, |kept| if kept { State::StillOpen } else { State::Addressed });
        for (comment, before) in self.0.iter_mut().zip(states) {
            if before == State::New {
                comment.state = State::New;
            }
        }
        self.0.sort_by_key(|it| (it.comment.first, it.comment.last));
    }

    fn follow(&mut self, old: &str, new: &str, state: impl Fn(bool) -> State) {
        let diff = TextDiff::from_lines(old, new);
        let lines = new.lines().count().max(1);
        for Comment { comment, state: now } in &mut self.0 {
            let (first, last, kept) = moved(diff.ops(), comment.first - 1, comment.last - 1);
            comment.first = (first + 1).min(lines);
            comment.last = (last + 1).clamp(comment.first, lines);
            *now = state(kept);
        }
    }
}

/// Where these lines (counted from 0) are in the new text, and whether they are the same.
fn moved(ops: &[DiffOp], first: usize, last: usize) -> (usize, usize, bool) {
    let touched = ops.iter().filter(|op| {
        let old = op.old_range();
        // An insertion between two lines of the range changes it, one at its border does not.
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

    fn on(first: usize, last: usize) -> Comments {
        let mut comments = Comments::default();
        comments.add(PLAN, first, last, "words");
        comments
    }

    fn places(comments: &Comments) -> Vec<(usize, usize, State)> {
        comments.iter().map(|it| (it.comment.first, it.comment.last, it.state)).collect()
    }

    #[test]
    fn comments_follow_their_lines() {
        for (first, last, new, expected) in [
            (4, 4, PLAN, (4, 4, State::StillOpen)),
            (4, 4, "# Title\n\nMore words.\n\n1. Read\n2. Write\n3. Test\n", (6, 6, State::StillOpen)),
            (4, 4, "# Title\n\n1. Read\n2. Write less\n3. Test\n", (4, 4, State::Addressed)),
            (4, 4, "# Title\n\n1. Read\n3. Test\n", (4, 4, State::Addressed)),
            (3, 4, "# Title\n\n1. Read\n1b. Think\n2. Write\n3. Test\n", (3, 5, State::Addressed)),
            (3, 4, "# Title\n\n0. Think\n1. Read\n2. Write\n3. Test\n", (4, 5, State::StillOpen)),
            (5, 5, "# Title\n", (1, 1, State::Addressed)),
        ] {
            let mut comments = on(first, last);
            comments.answered(PLAN, new);
            assert_eq!(places(&comments), [expected], "{new:?}");
        }
    }

    #[test]
    fn what_was_addressed_is_not_sent_again_and_goes_with_the_next_round() {
        let mut comments = on(3, 3);
        comments.add(PLAN, 5, 5, "more");
        assert_eq!((comments.to_send().len(), comments.unsent()), (2, 2));
        let new = PLAN.replace("1. Read", "1. Read all");
        comments.answered(PLAN, &new);
        assert_eq!(comments.to_send().iter().map(|it| it.text.as_str()).collect::<Vec<_>>(), ["more"]);
        assert_eq!((comments.iter().count(), comments.unsent()), (2, 0));
        comments.answered(&new, &new);
        assert_eq!(comments.iter().count(), 1);
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

    proptest! {
        #[test]
        fn a_comment_stays_inside_the_plan(old in "([a-c]?\n){1,12}", new in "([a-c]?\n){0,12}", at in 0usize..12, more in 0usize..3) {
            let lines = old.lines().count();
            let first = at % lines + 1;
            let last = (first + more).min(lines);
            let mut comments = Comments::default();
            comments.add(&old, first, last, "words");
            comments.answered(&old, &new);
            for (first, last, state) in places(&comments) {
                prop_assert!(1 <= first && first <= last && last <= new.lines().count().max(1));
                if state == State::StillOpen {
                    let quote: Vec<&str> = new.lines().skip(first - 1).take(last + 1 - first).collect();
                    prop_assert_eq!(quote.join("\n"), comments.0[0].comment.quote.clone());
                }
            }
        }
    }
}
