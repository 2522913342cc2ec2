//! What is filled in below the plan.

use forelook_view::review::{Along, Comments, Context, First, PlanChoice, Way};

use super::Reviewing;
use crate::composer::{Composer, Did};
use crate::dialog::Step;
use crate::term::{Code, Key};

/// What the person is doing.
#[derive(Debug, Default)]
pub(super) enum Form {
    /// Reading, with all choices open.
    #[default]
    Choosing,
    /// About to say yes: only Enter says it.
    Approve { way: Way, note: Composer, context: Context, first: First },
    /// Saying what should change.
    Keep { words: Composer },
    /// About to put the plan away.
    Sure(Drop),
    /// Writing a comment.
    Comment { on: On, words: Composer },
    /// Looking at all comments, at this one.
    List(usize),
    /// Looking at all keys, from this row on.
    Keys(usize),
}

/// Ways to put a plan away.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Drop {
    Park,
    Abandon,
}

/// What a comment is on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum On {
    Lines(usize, usize),
    /// Other words for the comment with this number.
    Again(usize),
}

impl Form {
    pub(super) fn approve(way: Way) -> Self {
        Form::Approve { way, note: Composer::default(), context: Context::Kept, first: First::Nothing }
    }

    /// With what was written there before.
    pub(super) fn keep(draft: &str) -> Self {
        let mut words = Composer::default();
        words.set(draft);
        Form::Keep { words }
    }

    pub(super) fn comment(first: usize, last: usize) -> Self {
        Form::Comment { on: On::Lines(first, last), words: Composer::default() }
    }

    pub(super) fn reword(at: usize, comments: &Comments) -> Self {
        let mut words = Composer::default();
        words.set(comments.get(at).map_or("", |it| &it.comment.text));
        Form::Comment { on: On::Again(at), words }
    }

    /// What is being written.
    pub(super) fn words(&mut self) -> Option<&mut Composer> {
        match self {
            Form::Approve { note: words, .. } | Form::Keep { words } | Form::Comment { words, .. } => {
                Some(words)
            }
            Form::Choosing | Form::Sure(_) | Form::List(_) | Form::Keys(_) => None,
        }
    }
}

impl Reviewing {
    /// A key in a form.
    pub(super) fn fill(&mut self, form: Form, key: Key) -> Step {
        match form {
            Form::Choosing => {}
            Form::List(at) => self.list_key(at, key),
            Form::Keys(top) => match key.code {
                Code::Up => self.form = Form::Keys(top.saturating_sub(1)),
                Code::Down => self.form = Form::Keys(top + 1),
                _ => {}
            },
            Form::Sure(drop) => match (key.code, drop) {
                (Code::Enter, Drop::Park) => return self.answer(PlanChoice::Park, &Along::default()),
                (Code::Enter, Drop::Abandon) => return self.answer(PlanChoice::Abandon, &Along::default()),
                (Code::Esc, _) => {}
                _ => self.form = Form::Sure(drop),
            },
            Form::Approve { way, note, context, first }
                if key == Key::plain(Code::Tab) || key == Key::ctrl('f') =>
            {
                let context = if context == Context::Kept { Context::Fresh } else { Context::Kept };
                self.form = Form::Approve { way, note, context, first };
            }
            Form::Approve { way, note, context, first } if key == Key::ctrl('t') && self.tried.is_some() => {
                let first = if first == First::Nothing { First::Tried } else { First::Nothing };
                self.form = Form::Approve { way, note, context, first };
            }
            form => return self.write(form, key),
        }
        Step::Open
    }

    /// A key where words are written: Esc goes back without them, Enter is done.
    fn write(&mut self, mut form: Form, key: Key) -> Step {
        if key == Key::plain(Code::Esc) {
            if let Form::Keep { words } = &mut form {
                self.review.draft = words.whole();
            }
            return Step::Open;
        }
        let width = self.width.saturating_sub(4);
        let Some(words) = form.words() else { return Step::Open };
        let done = match key == Key::plain(Code::Enter) && words.text().trim().is_empty() {
            true => Some(String::new()),
            false => match words.key(key, width) {
                Did::Sent(said) => Some(said.text),
                _ => None,
            },
        };
        match (done, form) {
            (None, form) => self.form = form,
            (Some(words), Form::Approve { way, context, first, .. }) => {
                return self.answer(PlanChoice::Approve(way), &Along { words, context, first });
            }
            (Some(text), Form::Keep { .. }) => {
                return self.answer(PlanChoice::KeepPlanning, &Along::words(text));
            }
            (Some(text), Form::Comment { on, .. }) => self.comment(on, &text),
            (Some(_), _) => {}
        }
        Step::Open
    }

    pub(super) fn comment(&mut self, on: On, text: &str) {
        match on {
            On::Again(at) => self.review.reword(at, text),
            On::Lines(..) if text.trim().is_empty() => return,
            On::Lines(first, last) => {
                let all = self.review.text().lines().count();
                if let Err(why) = self.review.comment(first, last.min(all), text) {
                    self.say(&why.to_string());
                }
            }
        }
        self.sheet.unmark();
    }

    fn list_key(&mut self, at: usize, key: Key) {
        let last = self.review.comments().len().saturating_sub(1);
        let here = self.review.comments().get(at).map_or(1, |it| it.comment.first);
        self.form = match (key.code, key.letter()) {
            (Code::Up, _) | (_, Some('k')) => Form::List(at.saturating_sub(1)),
            (Code::Down, _) | (_, Some('j')) => Form::List((at + 1).min(last)),
            (Code::Enter, _) => {
                self.look_away();
                self.sheet.go_to(here);
                Form::Choosing
            }
            (_, Some('e')) => Form::reword(at, self.review.comments()),
            (Code::Delete, _) | (_, Some('x')) => {
                self.review.remove(at);
                match self.review.comments().len() {
                    0 => Form::Choosing,
                    left => Form::List(at.min(left - 1)),
                }
            }
            (Code::Esc, _) | (_, Some('l')) => Form::Choosing,
            _ => Form::List(at),
        };
    }
}
