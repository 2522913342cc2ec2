//! What a reviewer can answer, and how an answer is put together.

use forelook_protocol::{Approval, HostAnswer, Mode, PlanAnswer, PlanComment};
use forelook_wording::goes_on;

use super::{Comment, CommentState, Review};

/// Something that a reviewer can choose. To edit the plan is no answer but a command
/// ([`forelook_protocol::PlanCommand::Open`]), and to hand it over is for a policy to say.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlanChoice {
    /// Yes, and go on in this way.
    Approve(Way),
    /// Not yet: go on planning, with words and comments.
    KeepPlanning,
    /// Not now: the turn ends, the file is kept.
    Park,
    /// Never: the same, and the plan is marked so.
    Abandon,
}

/// A way to go on after a yes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Way {
    /// The mode that is named; nothing for the one from before.
    pub mode: Option<Mode>,
    /// The mode from before planning.
    pub before: Mode,
}

impl Way {
    /// The mode that it leads to.
    pub fn leads_to(self) -> Mode {
        self.mode.unwrap_or(self.before)
    }

    /// Whether nothing would be asked from then on.
    pub fn is_open(self) -> bool {
        self.leads_to() == Mode::BypassPermissions
    }

    /// How it goes on, as part of a sentence.
    pub fn words(self) -> String {
        match self.mode {
            Some(mode) => goes_on(mode).to_owned(),
            None => format!("{}, as before", goes_on(self.before)),
        }
    }
}

/// What goes along with a choice.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Along {
    /// The note of a yes, or what should change.
    pub words: String,
    /// What the work begins with.
    pub context: Context,
    /// What is done before.
    pub first: First,
}

impl Along {
    /// Nothing but words.
    pub fn words(words: impl Into<String>) -> Self {
        Self { words: words.into(), ..Self::default() }
    }
}

/// What the work begins with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Context {
    /// The conversation so far.
    #[default]
    Kept,
    /// Nothing but the plan.
    Fresh,
}

/// What is done before the work begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum First {
    /// Nothing; what was tried is thrown away.
    #[default]
    Nothing,
    /// What was tried is made real.
    Tried,
}

/// The modes that can be named, in the order in which they are offered.
const MODES: [Mode; 4] = [Mode::Default, Mode::AcceptEdits, Mode::Auto, Mode::BypassPermissions];

impl Review {
    /// Everything that is on offer, yes first. Nothing is preselected.
    pub fn choices(&self) -> Vec<PlanChoice> {
        let no = [PlanChoice::KeepPlanning, PlanChoice::Park, PlanChoice::Abandon];
        self.ways().into_iter().map(PlanChoice::Approve).chain(no).collect()
    }

    /// The ways to go on after a yes: as before, and in the other modes that can be had.
    pub fn ways(&self) -> Vec<Way> {
        let before = self.asked.before;
        let others = MODES.into_iter().filter(|mode| self.can_go_on_in(*mode) && *mode != before);
        std::iter::once(None).chain(others.map(Some)).map(|mode| self.way(mode)).collect()
    }

    /// The way that names this mode. Whether it is on offer says [`Self::can_go_on_in`]; where it is not, the session
    /// decides what becomes of it.
    pub fn way(&self, mode: Option<Mode>) -> Way {
        Way { mode, before: self.asked.before }
    }

    /// Whether an approval can name this mode.
    pub fn can_go_on_in(&self, mode: Mode) -> bool {
        self.asked.modes.contains(&mode)
    }

    /// The answer that this choice is, to exactly what was shown.
    pub fn answer(&self, choice: PlanChoice, along: &Along) -> PlanAnswer {
        match choice {
            PlanChoice::Approve(way) => PlanAnswer::Approve(self.approval(way, along)),
            PlanChoice::KeepPlanning => {
                PlanAnswer::KeepPlanning { feedback: said(&along.words), comments: self.to_send() }
            }
            PlanChoice::Park => PlanAnswer::Park,
            PlanChoice::Abandon => PlanAnswer::Abandon,
        }
    }

    /// The same, as the answer to the question.
    pub fn host_answer(&self, choice: PlanChoice, along: &Along) -> HostAnswer {
        HostAnswer::Plan(self.answer(choice, along))
    }

    fn approval(&self, way: Way, along: &Along) -> Approval {
        let rehearsal = self.asked.rehearsal.as_ref().filter(|_| along.first == First::Tried);
        Approval {
            hash: self.asked.hash.clone(),
            mode: way.mode,
            note: self.note(&along.words),
            fresh_context: along.context == Context::Fresh,
            edited: self.edited.clone(),
            apply: rehearsal.map(|rehearsal| rehearsal.hash.clone()),
        }
    }

    /// New comments go along with a yes too, so that none is lost.
    fn note(&self, words: &str) -> Option<String> {
        let new = self.comments.iter().filter(|it| it.state == CommentState::New).map(quoted);
        let all: Vec<String> = said(words).into_iter().chain(new).collect();
        (!all.is_empty()).then(|| all.join("\n"))
    }

    /// All comments that are open. The model knows the text that was shown, and not what the reviewer made of it.
    fn to_send(&self) -> Vec<PlanComment> {
        match &self.edited {
            None => self.comments.to_send(),
            Some(edited) => {
                let mut comments = self.comments.clone();
                comments.changed(edited, self.shown());
                comments.to_send()
            }
        }
    }
}

fn quoted(it: &Comment) -> String {
    let quote = it.comment.quote.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    format!("On `{}`: {}", quote.trim(), it.comment.text)
}

fn said(words: &str) -> Option<String> {
    Some(words.trim().to_owned()).filter(|words| !words.is_empty())
}
