//! The review of a plan: it is read, commented on line by line, and answered. Nothing is preselected: a yes is a key that
//! says where it leads, and Enter in the form that repeats it.

mod answer;
mod bottom;
mod form;
mod keys;
mod page;
mod rows;
mod sheet;
#[cfg(test)]
mod tests;
mod tried;

use forelook_protocol::Review as Asked;
use forelook_view::review::{Along, Before, PlanChoice, Review, Since};
use forelook_wording::cut;
use ratatui_core::text::Line;

use crate::dialog::Step;
use crate::markdown::Look;
use crate::term::{Code, Key};
use form::Form;
use sheet::{Sheet, Sight};
use tried::Tried;

/// The key that leads from the plan to the conversation and back.
pub(crate) const ASIDE: Key = Key::ctrl('o');

/// A plan under review.
#[derive(Debug)]
pub(crate) struct Reviewing {
    review: Review,
    sheet: Sheet,
    /// What was tried while planning, if anything was.
    tried: Option<Tried>,
    form: Form,
    stand: Stand,
    /// Something to know, until the next key.
    said: Option<String>,
    /// Columns of the window.
    width: usize,
}

/// Whether it has the window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Stand {
    Open,
    /// The person looks at the conversation.
    Aside,
    /// An answer was given and is not recorded yet.
    Answered,
}

impl Reviewing {
    /// `before` is the review of the same file before this one.
    pub(crate) fn new(asked: &Asked, from: Option<&str>, before: Option<&Before>) -> Self {
        let review = Review::new(asked, from, before);
        Self {
            sheet: Sheet::new(review.text(), review.changes()),
            tried: review.tried().map(|tried| Tried::new(tried.rehearsal)),
            form: Form::Choosing,
            stand: Stand::Open,
            said: (review.since() == Since::Seen).then(|| "The plan has changed; here it is now".to_owned()),
            review,
            width: 80,
        }
    }

    /// What is left when it is put away without an answer; what was just being written too.
    pub(crate) fn into_review(mut self) -> Review {
        match std::mem::take(&mut self.form) {
            Form::Comment { on, words } => self.comment(on, &words.whole()),
            Form::Keep { words } | Form::Approve { note: words, .. } => self.review.draft = words.whole(),
            Form::Choosing | Form::Sure(_) | Form::List(_) | Form::Keys(_) => {}
        }
        self.review
    }

    /// Whether it has the window.
    pub(crate) fn is_open(&self) -> bool {
        self.stand == Stand::Open
    }

    pub(crate) fn is_aside(&self) -> bool {
        self.stand == Stand::Aside
    }

    pub(crate) fn put_aside(&mut self) {
        self.stand = Stand::Aside;
    }

    pub(crate) fn open(&mut self) {
        self.stand = Stand::Open;
    }

    /// The answer that was given did not count.
    pub(crate) fn refused(&mut self, why: &str) {
        self.open();
        self.say(why);
    }

    /// Something that the person should see now.
    pub(crate) fn say(&mut self, text: &str) {
        self.said = Some(text.to_owned());
    }

    pub(crate) fn key(&mut self, key: Key) -> Step {
        self.said = None;
        let step = match std::mem::take(&mut self.form) {
            Form::Choosing => self.choose(key),
            form => self.fill(form, key),
        };
        if let Step::Answered(_) = step {
            self.stand = Stand::Answered;
        }
        step
    }

    /// Text that was put in at once; false if nothing is being written.
    pub(crate) fn paste(&mut self, text: &str) -> bool {
        let words = self.form.words();
        words.map(|words| words.paste(text)).is_some()
    }

    /// A key while nothing is being filled in.
    fn choose(&mut self, key: Key) -> Step {
        let moved = match self.seen_tried() {
            Some(tried) => tried.key(key),
            None => self.sheet.key(key),
        };
        if moved {
            return Step::Open;
        }
        if key == ASIDE {
            return Step::Aside;
        }
        match key.code {
            Code::Esc if self.seen_tried().is_some() => self.look_away(),
            Code::Esc if self.sheet.has_mark() => self.sheet.unmark(),
            Code::Esc => self.form = Form::keep(&self.review.draft),
            Code::Enter => self.say("Nothing is chosen yet: press one of the keys below"),
            _ => return key.letter().map_or(Step::Open, |letter| self.letter(letter)),
        }
        Step::Open
    }

    fn letter(&mut self, letter: char) -> Step {
        match letter {
            'e' => return Step::Edit,
            's' if self.review.comments().unsent() > 0 => {
                return self.answer(PlanChoice::KeepPlanning, &Along::default());
            }
            's' => self.say("There are no new comments to send"),
            'n' => self.form = Form::keep(&self.review.draft),
            'p' => self.form = Form::Sure(form::Drop::Park),
            'x' => self.form = Form::Sure(form::Drop::Abandon),
            'd' if self.sheet.has_changes() => self.look_at(Sight::Changes),
            'd' => self.say(match self.review.since() {
                Since::Never => "This is the first review of this plan",
                Since::LastReview | Since::Seen => "Nothing has changed since the last review",
            }),
            'r' => self.look_at(Sight::Written),
            't' => self.toggle_tried(),
            'c' | 'v' if self.seen_tried().is_some() => {
                self.say("Comments are on lines of the plan; t goes back to it");
            }
            'c' => self.begin_comment(),
            'v' => {
                if self.sheet.toggle_mark() {
                    self.say("Move to the other end of the range, then c comments on it");
                }
            }
            'l' if !self.review.comments().is_empty() => self.form = Form::List(0),
            'l' => self.say("There are no comments yet; c writes one"),
            '?' => self.form = Form::Keys(0),
            letter => {
                if let Some((_, way)) = self.ways().into_iter().find(|(key, _)| *key == letter) {
                    self.form = Form::approve(way);
                }
            }
        }
        Step::Open
    }

    /// A comment on the lines that are chosen, or the one under the cursor again.
    fn begin_comment(&mut self) {
        match (self.sheet.comment(), self.sheet.chosen()) {
            (Some(at), _) if !self.sheet.has_mark() => self.form = Form::reword(at, self.review.comments()),
            (_, Some((first, last))) if self.review.has_plan() => self.form = Form::comment(first, last),
            _ => self.say("There is no line to comment on"),
        }
    }

    /// One line for the conversation while this waits beside it.
    pub(crate) fn reminder(&self, look: Look) -> Option<Line<'static>> {
        let text = format!(" ⏸ A plan waits: Ctrl+O opens it. {}", self.name());
        self.is_aside().then(|| Line::styled(cut(&text, look.width.saturating_sub(1)), look.theme.plan))
    }
}
