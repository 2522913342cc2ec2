//! What a reviewer can answer, and how it is put together.

use forelook_protocol::{Approval, HostAnswer, Mode, PlanAnswer};
use forelook_wording::goes_on;

use super::Reviewing;
use super::comments::State;
use super::form::{Context, First};
use crate::dialog::Step;

/// A way to go on after a yes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Way {
    pub(super) key: char,
    /// The mode; nothing for the one from before.
    mode: Option<Mode>,
    before: Mode,
}

/// Keys that name a mode.
const KEYS: [(char, Mode); 4] =
    [('o', Mode::Default), ('a', Mode::AcceptEdits), ('u', Mode::Auto), ('b', Mode::BypassPermissions)];

impl Way {
    /// Whether nothing would be asked from then on.
    pub(super) fn is_open(self) -> bool {
        self.mode.unwrap_or(self.before) == Mode::BypassPermissions
    }

    /// How it goes on, as part of a sentence.
    pub(super) fn words(self) -> String {
        match self.mode {
            Some(mode) => goes_on(mode).to_owned(),
            None => format!("{}, as before", goes_on(self.before)),
        }
    }
}

impl Reviewing {
    /// The mode from before, and the others that can be had.
    pub(super) fn ways(&self) -> Vec<Way> {
        let before = self.review.before;
        let others = KEYS.into_iter().filter(|(_, mode)| self.review.modes.contains(mode) && *mode != before);
        let way = |(key, mode)| Way { key, mode, before };
        std::iter::once(way(('y', None))).chain(others.map(|(key, mode)| way((key, Some(mode))))).collect()
    }

    pub(super) fn approve(&self, way: Way, note: &str, context: Context, first: First) -> Step {
        let hash = self.review.hash.clone();
        let approval = Approval {
            hash,
            mode: way.mode,
            note: self.note(note),
            fresh_context: context == Context::Fresh,
            edited: None,
            apply: self.tried.as_ref().filter(|_| first == First::Tried).map(|tried| tried.hash().to_owned()),
        };
        Step::Answered(HostAnswer::Plan(PlanAnswer::Approve(approval)))
    }

    /// New comments go along, so that none is lost.
    fn note(&self, note: &str) -> Option<String> {
        let new = self.comments.iter().filter(|it| it.state == State::New).map(|it| {
            let quote = it.comment.quote.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
            format!("On `{}`: {}", quote.trim(), it.comment.text)
        });
        let note = Some(note.trim().to_owned()).filter(|note| !note.is_empty());
        let all: Vec<String> = note.into_iter().chain(new).collect();
        (!all.is_empty()).then(|| all.join("\n"))
    }

    /// All comments that are open go along.
    pub(super) fn keep_planning(&self, words: &str) -> Step {
        let feedback = Some(words.trim().to_owned()).filter(|words| !words.is_empty());
        let comments = self.comments.to_send();
        Step::Answered(HostAnswer::Plan(PlanAnswer::KeepPlanning { feedback, comments }))
    }
}
