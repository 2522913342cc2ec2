//! Which keys say yes, and what becomes of an answer.

use forelook_protocol::Mode;
use forelook_view::review::{Along, PlanChoice, Way};

use super::Reviewing;
use crate::dialog::Step;

/// Keys that name a mode.
const KEYS: [(char, Mode); 4] =
    [('o', Mode::Default), ('a', Mode::AcceptEdits), ('u', Mode::Auto), ('b', Mode::BypassPermissions)];

fn key_of(way: Way) -> Option<char> {
    match way.mode {
        None => Some('y'),
        Some(mode) => KEYS.into_iter().find(|(_, it)| *it == mode).map(|(key, _)| key),
    }
}

impl Reviewing {
    /// The ways to say yes, each with its key.
    pub(super) fn ways(&self) -> Vec<(char, Way)> {
        self.review.ways().into_iter().filter_map(|way| Some((key_of(way)?, way))).collect()
    }

    /// This is the answer.
    pub(super) fn answer(&self, choice: PlanChoice, along: &Along) -> Step {
        Step::Answered(self.review.host_answer(choice, along))
    }
}
