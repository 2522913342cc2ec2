//! Reminders over conversations: a few by hand, and the laws over any.

use proptest::prelude::*;

use super::*;

/// Something that happens in a session.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Step {
    /// A person's prompt, and the request that it makes.
    Prompt,
    /// A person's prompt that waits for the next request.
    Steered,
    /// Results of tools, and the request that they make.
    Tools,
    Enter,
    Leave(Mode),
    Compact,
    /// The program ends and the session is loaded again.
    Resume,
    /// The plan file is written, or is lost.
    File(bool),
}

/// What stands in the journal; requests are here for the laws only.
#[derive(Debug, Clone, PartialEq)]
enum Line {
    Human,
    Entered,
    Left,
    Compacted,
    Request { sent: Vec<ReminderKind>, exists: bool },
}

struct Session {
    subagent: bool,
    mode_state: ModeState,
    reminded: ReminderState,
    exists: bool,
    path: AbsPath,
    lines: Vec<Line>,
}

impl Session {
    fn new(subagent: bool) -> Self {
        let (mode_state, reminded) = (ModeState::default(), ReminderState::default());
        Self { subagent, mode_state, reminded, exists: false, path: plan_file(), lines: Vec::new() }
    }

    fn after(subagent: bool, steps: &[Step]) -> Self {
        let mut session = Self::new(subagent);
        steps.iter().for_each(|step| session.step(*step));
        session
    }

    fn planning(&self) -> bool {
        self.mode_state.is_planning()
    }

    fn write(&mut self, line: Line) {
        fold(&mut self.reminded, &line);
        self.lines.push(line);
    }

    fn step(&mut self, step: Step) {
        match step {
            Step::Prompt => {
                self.write(Line::Human);
                self.request();
            }
            Step::Steered => self.write(Line::Human),
            Step::Tools => self.request(),
            Step::Enter if !self.planning() => {
                let before = self.mode_state.mode();
                self.mode_state = self.mode_state.with_mode(Mode::Plan);
                self.mode_state.exit_reminder_due = false;
                self.mode_state.auto_exit_reminder_due |= before == Mode::Auto;
                self.write(Line::Entered);
            }
            Step::Leave(mode) if self.planning() => {
                self.mode_state = self.mode_state.with_mode(mode);
                self.mode_state.exit_reminder_due = true;
                self.mode_state.has_left_plan_mode = true;
                self.mode_state.auto_exit_reminder_due &= mode != Mode::Auto;
                self.write(Line::Left);
            }
            Step::Enter | Step::Leave(_) => {}
            Step::Compact => self.write(Line::Compacted),
            Step::Resume => {
                self.reminded = ReminderState::default();
                self.lines.iter().for_each(|line| fold(&mut self.reminded, line));
            }
            Step::File(exists) => self.exists = exists,
        }
    }

    fn request(&mut self) {
        let file = if self.exists { PlanFile::Text("# Plan\n".into()) } else { PlanFile::Missing };
        let reader = match self.subagent {
            true => ReminderReader::Subagent { writes: true },
            false => ReminderReader::Main,
        };
        let now = ReminderContext {
            mode_state: &self.mode_state,
            path: Some(&self.path),
            file: &file,
            reader,
            rehearsals: true,
        };
        let sent = due_reminders(&self.reminded, &now);
        for kind in &sent {
            self.mode_state = forelook_permissions::after_reminder(self.mode_state, kind);
        }
        self.write(Line::Request { sent, exists: self.exists });
    }

    /// What each request carried, in letters: F and s for full and sparse, R re-entry, X exit, A auto exit.
    fn carried(&self) -> String {
        let requests = self.lines.iter().filter_map(|line| match line {
            Line::Request { sent, .. } => Some(sent),
            _ => None,
        });
        let letters = requests.map(|sent| match sent.as_slice() {
            [] => "-".to_owned(),
            some => some.iter().map(letter).collect(),
        });
        letters.collect::<Vec<_>>().join(" ")
    }
}

fn fold(reminded: &mut ReminderState, line: &Line) {
    match line {
        Line::Human => reminded.on_user_prompt(),
        Line::Entered => reminded.on_plan_entered(),
        Line::Left => reminded.on_plan_left(),
        Line::Compacted => reminded.on_compacted(),
        Line::Request { sent, .. } => sent.iter().for_each(|kind| reminded.on_sent(kind)),
    }
}

fn letter(kind: &ReminderKind) -> char {
    match kind {
        ReminderKind::PlanMode { full: true, .. } => 'F',
        ReminderKind::PlanMode { full: false, .. } => 's',
        ReminderKind::PlanModeReentry { .. } => 'R',
        ReminderKind::PlanModeExit { .. } => 'X',
        ReminderKind::AutoModeExit => 'A',
        _ => '?',
    }
}

fn plan_file() -> AbsPath {
    AbsPath::new("/plans/calm-weaving-otter.md").unwrap()
}

fn check(steps: &[Step], expected: &str) {
    assert_eq!(Session::after(false, steps).carried(), expected, "{steps:?}");
}

const LEAVE: Step = Step::Leave(Mode::Default);

#[test]
fn conversations_by_hand() {
    use Step::{Compact, Enter, File, Prompt, Resume, Steered, Tools};
    check(&[Prompt, Tools], "- -");
    check(&[Enter, Prompt, Tools, Tools, Prompt], "F - - -");
    check(&[Prompt, Enter, Tools, Prompt], "- F -");
    check(&[Enter, Prompt, LEAVE, Tools, Prompt], "F X -");
    check(&[Enter, Prompt, LEAVE, Enter, Prompt], "F F");
    check(&[Enter, Prompt, LEAVE, LEAVE, File(true), Enter, Prompt, Prompt], "F RF -");
    check(&[Enter, Prompt, LEAVE, Prompt, Enter, Prompt, File(true), LEAVE, Enter, Prompt], "F X F RF");
    // Prompts that came while tools ran are turns of a person's too.
    check(&[Enter, Prompt, Steered, Steered, Steered, Steered, Tools, Steered, Tools], "F - s");
    check(&[Enter, Prompt, Compact, Prompt, Prompt, Prompt, Prompt, Prompt, Prompt], "F F - - - - s");
    check(&[Enter, Prompt, Resume, Prompt, LEAVE, Resume, Prompt, Resume, Prompt], "F - X -");
    let auto = Step::Leave(Mode::Auto);
    check(&[Enter, Prompt, auto, Prompt, Enter, Prompt, LEAVE, Prompt, Prompt], "F X F XA -");
    check(&[Enter, auto, Prompt, Enter, auto, Prompt], "X X");
}

/// A fork has a plan file of its own, and a request before that is known would write to the other one.
#[test]
fn another_plan_file_is_named_with_the_next_request() {
    let mut session = Session::after(false, &[Step::Enter, Step::Prompt, Step::Prompt]);
    session.path = AbsPath::new("/plans/brave-humming-heron.md").unwrap();
    [Step::Resume, Step::Tools, Step::Prompt].into_iter().for_each(|step| session.step(step));
    assert_eq!(session.carried(), "F - F -");
}

#[test]
fn a_plan_that_cannot_be_read_is_none_and_the_reader_hears_why() {
    let mut mode_state = ModeState::new(Mode::Plan);
    mode_state.has_left_plan_mode = true;
    let (path, file) = (plan_file(), PlanFile::Unreadable("It is a link".into()));
    let now = ReminderContext {
        mode_state: &mode_state,
        path: Some(&path),
        file: &file,
        reader: ReminderReader::Main,
        rehearsals: false,
    };
    let [ReminderKind::PlanMode { exists: false, problem: Some(why), rehearsals: false, .. }] =
        &due_reminders(&ReminderState::default(), &now)[..]
    else {
        panic!("only that planning is on")
    };
    assert_eq!(why, "It is a link");
}

#[test]
fn one_in_five_is_full() {
    let steps: Vec<Step> = [Step::Enter].into_iter().chain([Step::Prompt; 56]).collect();
    let carried = Session::after(false, &steps).carried().replace([' ', '-'], "");
    assert_eq!(carried, "FssssFssssFs");
}

#[test]
fn without_a_plan_file_nothing_is_said_of_plans() {
    let mut session = Session::after(false, &[Step::Enter]);
    let due_now = |session: &Session| {
        let now = ReminderContext {
            mode_state: &session.mode_state,
            path: None,
            file: &PlanFile::Missing,
            reader: ReminderReader::Main,
            rehearsals: true,
        };
        due_reminders(&session.reminded, &now)
    };
    assert_eq!(due_now(&session), []);
    session.step(LEAVE);
    session.mode_state.auto_exit_reminder_due = true;
    assert_eq!(due_now(&session), [ReminderKind::AutoModeExit]);
}

/// Even where the flag was not taken back: later in a spell the plan is no longer one from before.
#[test]
fn coming_back_is_said_with_the_first_reminder_only() {
    use Step::{Enter, File, Prompt, Steered};
    let mut session = Session::after(false, &[File(true), Enter, LEAVE, Enter, Prompt]);
    session.mode_state.has_left_plan_mode = true;
    [Steered, Steered, Steered, Steered, Prompt].into_iter().for_each(|step| session.step(step));
    assert_eq!(session.carried(), "RF s");
}

fn any_step() -> impl Strategy<Value = Step> {
    let mode = prop_oneof![Just(Mode::Default), Just(Mode::Auto), Just(Mode::AcceptEdits)];
    prop_oneof![
        8 => Just(Step::Prompt),
        2 => Just(Step::Steered),
        5 => Just(Step::Tools),
        2 => Just(Step::Enter),
        1 => mode.prop_map(Step::Leave),
        1 => Just(Step::Compact),
        1 => Just(Step::Resume),
        1 => any::<bool>().prop_map(Step::File),
    ]
}

/// The lines between changes of mode, each with whether they are planned in. A session begins without.
fn spells(lines: &[Line]) -> Vec<(bool, &[Line])> {
    let mut rest = lines;
    let mut spells = Vec::new();
    let mut planning = false;
    while let Some(at) = rest.iter().position(|line| matches!(line, Line::Entered | Line::Left)) {
        spells.push((planning, &rest[..at]));
        planning = rest[at] == Line::Entered;
        rest = &rest[at + 1..];
    }
    spells.push((planning, rest));
    spells
}

/// What the requests of a spell carried, each with the number of prompts, the number of compactions since the
/// spell began, and whether the file existed.
fn requests(lines: &[Line]) -> Vec<(usize, usize, &[ReminderKind], bool)> {
    let mut requests = Vec::new();
    let (mut prompts, mut compactions) = (0, 0);
    for line in lines {
        match line {
            Line::Human => prompts += 1,
            Line::Compacted => compactions += 1,
            Line::Request { sent, exists } => {
                requests.push((prompts, compactions, sent.as_slice(), *exists));
            }
            Line::Entered | Line::Left => unreachable!("spells are cut there"),
        }
    }
    requests
}

fn planning_laws(lines: &[Line], came_back: bool, subagent: bool) -> Result<(), TestCaseError> {
    let mut last: Option<(usize, usize)> = None;
    let mut count = 0;
    for (prompts, compactions, sent, exists) in requests(lines) {
        let letters: String = sent.iter().map(letter).collect();
        let pause_over = last.is_none_or(|(at, before)| prompts - at >= 5 || before < compactions);
        prop_assert_eq!(letters.contains(['F', 's']), pause_over, "{}", letters);
        let reentry = pause_over && last.is_none() && came_back && exists && !subagent;
        if !pause_over {
            prop_assert_eq!(letters, "");
            continue;
        }
        let full = count % 5 == 0 || last.is_some_and(|(_, at)| at < compactions);
        let expected = format!("{}{}", if reentry { "R" } else { "" }, if full { "F" } else { "s" });
        prop_assert_eq!(letters, expected);
        last = Some((prompts, compactions));
        count += 1;
    }
    Ok(())
}

proptest! {
    #[test]
    fn the_laws_hold(steps in proptest::collection::vec(any_step(), 1..150)) {
        let session = Session::after(false, &steps);
        let mut came_back = false;
        for (planning, lines) in spells(&session.lines) {
            if planning {
                planning_laws(lines, came_back, false)?;
            } else {
                let sent: String = requests(lines).iter().flat_map(|r| r.2).map(letter).collect();
                prop_assert!(!sent.contains(['F', 's', 'R', '?']), "{}", sent);
            }
            came_back |= planning;
        }
        for (number, (planning, lines)) in spells(&session.lines).into_iter().enumerate() {
            let requests = requests(lines);
            let exits: Vec<bool> =
                requests.iter().map(|r| r.2.iter().any(|kind| letter(kind) == 'X')).collect();
            let left = !planning && number > 0;
            // Once for each leaving, with the first request after it, unless planning began again before one.
            let expected: Vec<bool> = (0..requests.len()).map(|at| left && at == 0).collect();
            prop_assert_eq!(exits, expected);
        }
    }

    /// A subagent hears of nothing but planning, at the same pace.
    #[test]
    fn subagents_are_reminded_of_planning_only(steps in proptest::collection::vec(any_step(), 1..100)) {
        let session = Session::after(true, &steps);
        for (planning, lines) in spells(&session.lines) {
            if planning {
                planning_laws(lines, true, true)?;
            }
            for kind in requests(lines).iter().flat_map(|r| r.2) {
                let short = matches!(kind, ReminderKind::PlanMode { subagent: true, .. });
                prop_assert!(planning && short);
            }
        }
    }

    /// The journal alone makes the state: a session that is loaded stands as the one that was left.
    #[test]
    fn resuming_changes_nothing(steps in proptest::collection::vec(any_step(), 1..100)) {
        let mut session = Session::after(false, &steps);
        let before = session.reminded.clone();
        session.step(Step::Resume);
        prop_assert_eq!(session.reminded, before);
    }
}
