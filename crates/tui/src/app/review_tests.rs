//! Reviews inside of the program: when keys count, what becomes of an answer, and what lives on.

use forelook_protocol::{
    AnsweredBy, Approval, CallId, CommandError, EditorState, EntryBody, FrontEndId, HostAnswer, HostAsk,
    HostRequest, LiveEvent, Mode, ModeState, PlanAnswer, PlanCommand, PlanComment, PlanEditor, PlanLength,
    PlanQuery, PlanReply, PlanReview, PlanReviewed, Query, QuestionClosed, Reviewer,
};

use super::tests::{World, noon};
use super::*;
use crate::term::{Code, Input, Key};
use forelook_protocol::Command;

const PLAN: &str = "# Title\n\n1. Read\n2. Write\n3. Test\n";

fn id(number: u8) -> forelook_protocol::RequestId {
    serde_json::from_value(serde_json::json!(format!("00000000-0000-7000-8000-0000000000{number:02}")))
        .unwrap()
}

fn review(plan: &str) -> PlanReview {
    PlanReview {
        path: forelook_protocol::AbsPath::new("/plans/a.md").unwrap(),
        plan: Some(plan.to_owned()),
        hash: "h".into(),
        length: PlanLength { characters: 40, lines: 5, rejected_percent: 20 },
        changes: None,
        before: Mode::Default,
        modes: vec![Mode::Default, Mode::AcceptEdits],
        unavailable: Vec::new(),
        problem: None,
        from: None,
        rehearsal: None,
    }
}

fn ask(world: &mut World, number: u8, plan: &str) {
    let ask = HostAsk::Review(Box::new(review(plan)));
    let question = HostRequest { id: id(number), call: Some(CallId("1".into())), agent: None, ask };
    world.record(EntryBody::QuestionOpened(forelook_protocol::QuestionOpened { question }));
}

fn answered(world: &mut World, number: u8, answer: PlanAnswer) {
    let through = AnsweredBy::FrontEnd { id: FrontEndId(1), name: "terminal".into() };
    answered_through(world, number, answer, through);
}

fn answered_through(world: &mut World, number: u8, answer: PlanAnswer, through: AnsweredBy) {
    world.record(EntryBody::PlanReviewed(PlanReviewed {
        question: Some(id(number)),
        call: Some(CallId("1".into())),
        by: Reviewer::Person,
        through,
        answer,
        path: review("").path,
        proposed: None,
        shown: "h".into(),
        plan: Some(PLAN.to_owned()),
        mode_state: ModeState::new(Mode::AcceptEdits),
        why: None,
    }));
}

fn enter(world: &mut World) -> Vec<UiEffect> {
    world.app.input(Input::Key(Key::plain(Code::Enter)))
}

/// The whole window, if something has it.
fn page(world: &mut World) -> Option<String> {
    let Frame::Page { page, .. } = world.app.frame() else { return None };
    let row = |y| (0..page.area.width).map(|x| page[(x, y)].symbol()).collect::<String>();
    Some((0..page.area.height).map(|y| row(y).trim_end().to_owned() + "\n").collect())
}

fn asked(plan: &str) -> World {
    let mut world = World::new();
    ask(&mut world, 1, plan);
    world.app.at(noon(1000));
    page(&mut world).expect("a page");
    world
}

fn is_said(effects: &[UiEffect]) -> bool {
    matches!(effects, [UiEffect::Remember(_), UiEffect::Send(Command::Prompt(_))])
}

#[test]
fn early_keys_are_for_the_composer() {
    let mut world = World::new();
    ask(&mut world, 1, PLAN);
    world.app.at(noon(100));
    assert_eq!(world.typed("y"), []);
    assert!(is_said(&enter(&mut world)), "what was typed is sent as words");
    world.app.at(noon(1000));
    assert_eq!(world.typed("y"), []);
    let sent = enter(&mut world);
    let approval = Approval { hash: "h".into(), ..Approval::default() };
    let answer = HostAnswer::Plan(PlanAnswer::Approve(approval));
    assert_eq!(sent, [UiEffect::Send(Command::Answer { request: id(1), answer })]);
}

#[test]
fn an_answer_that_is_refused_leaves_everything_as_it_was() {
    let mut world = asked(PLAN);
    world.typed("cwhy?");
    enter(&mut world);
    assert_eq!(world.typed("s").len(), 1);
    assert_eq!(page(&mut world), None, "the conversation is seen meanwhile");
    world.app.refused("The journal is full");
    let shown = page(&mut world).unwrap();
    assert!(shown.contains("The journal is full") && shown.contains("new, line 1: why?"), "{shown}");
    assert_eq!(world.typed("s").len(), 1);
    answered(&mut world, 1, PlanAnswer::KeepPlanning { feedback: None, comments: Vec::new() });
    assert!(world.screen().contains("Plan sent back"));
}

#[test]
fn a_plan_is_put_aside_and_opened_again() {
    let mut world = asked(PLAN);
    let aside = || Input::Key(crate::review::ASIDE);
    world.app.input(aside());
    insta::assert_snapshot!(world.screen());
    assert_eq!(world.typed("yes"), []);
    let transcript = UiTask::Ask(Query::Transcript { until: None });
    assert_eq!(world.app.input(aside()), [UiEffect::Spawn(transcript)], "the same key goes on to all of it");
    assert_eq!(page(&mut world), None);
    assert_eq!(world.app.input(Input::Key(Key::plain(Code::Esc))), [], "nothing is stopped");
    assert!(page(&mut world).is_some());
    assert_eq!(world.app.input(Input::Key(Key::shift(Code::Tab))), [], "the mode stays while it is read");
    world.app.input(aside());
    assert_eq!(page(&mut world), None);
    assert_eq!(world.app.submit_text("/plan review"), [], "it is this one");
    assert!(page(&mut world).is_some());
}

#[test]
fn the_editor_and_what_it_says() {
    let mut world = asked(PLAN);
    assert_eq!(world.typed("e"), [UiEffect::Send(Command::Plan(PlanCommand::Open))]);
    world.app.on_refused(&CommandError::Plan("No editor is known".into()));
    assert!(page(&mut world).unwrap().contains("No editor is known"));
    world.typed("y");
    assert!(is_said(&enter(&mut world)), "what was meant for the editor is words for the composer");
    world.app.at(noon(1500));
    // The file changed in the editor: the question is asked again, and comments stay.
    world.typed("jjcwhy?");
    enter(&mut world);
    world.record(EntryBody::QuestionClosed(QuestionClosed::by_session(id(1), HostAnswer::Outdated)));
    ask(&mut world, 2, &PLAN.replace("# Title", "# Title\n\nMore"));
    world.app.at(noon(2000));
    let shown = page(&mut world).unwrap();
    assert!(shown.contains("changes since you saw it"), "{shown}");
    world.typed("d");
    let shown = page(&mut world).unwrap();
    assert!(shown.contains("new, line 5: why?"), "{shown}");
}

#[test]
fn the_next_review_shows_what_became_of_comments() {
    let mut world = asked(PLAN);
    let comment = |line: usize, quote: &str, text: &str| PlanComment {
        first: line,
        last: line,
        quote: quote.into(),
        text: text.into(),
    };
    let comments = vec![comment(3, "1. Read", "what?"), comment(5, "3. Test", "how?")];
    answered(&mut world, 1, PlanAnswer::KeepPlanning { feedback: None, comments });
    ask(&mut world, 2, &PLAN.replace("1. Read", "1. Read it all"));
    world.app.at(noon(2000));
    let shown = page(&mut world).unwrap();
    assert!(shown.contains("addressed, line 3: what?"), "{shown}");
    assert!(shown.contains("still open, line 5: how?"), "{shown}");
    answered(&mut world, 2, PlanAnswer::Park);
    assert!(world.screen().contains("Plan parked"));
}

#[test]
fn a_paste_goes_where_words_are_written() {
    let mut world = asked(PLAN);
    world.typed("n");
    world.app.input(Input::Paste("much shorter".into()));
    let answer = HostAnswer::Plan(PlanAnswer::KeepPlanning {
        feedback: Some("much shorter".into()),
        comments: vec![],
    });
    assert_eq!(enter(&mut world), [UiEffect::Send(Command::Answer { request: id(1), answer })]);
}

#[test]
fn what_slash_plan_brings_is_told_with_its_age() {
    let mut world = World::new();
    let revision = forelook_protocol::PlanRevision {
        number: 1,
        time: "2026-03-01T10:00:00Z".parse().unwrap(),
        title: "Add a flag".into(),
        lines: 3,
    };
    let asked = vec![UiEffect::Spawn(UiTask::Ask(Query::Plan(PlanQuery::History)))];
    assert_eq!(world.app.submit_text("/plan history"), asked);
    world.app.on_task_result(TaskResult::Reply(Reply::Plan(PlanReply::List(Vec::new()))));
    assert!(!world.screen().contains("No plans yet"), "nobody asked for that");
    world.app.on_task_result(TaskResult::Reply(Reply::Plan(PlanReply::History(vec![revision]))));
    assert!(world.screen().contains("2 h ago"));
}

#[test]
fn an_editor_that_failed_says_so_on_the_page_and_above() {
    let mut world = asked(PLAN);
    let editor = |state| {
        let path = review(PLAN).path;
        Event::Live(LiveEvent::PlanEditor(PlanEditor { path, editor: "vi".into(), state }))
    };
    world.app.event(&editor(EditorState::Opening { in_terminal: true }));
    assert!(page(&mut world).unwrap().contains("Opening the plan in vi"));
    world.app.event(&editor(EditorState::Failed { why: "no such file".into() }));
    let failed = "`vi` could not open `/plans/a.md`: no such file";
    assert!(page(&mut world).unwrap().contains(failed));
    world.typed("y");
    world.app.at(noon(2000));
    world.app.input(Input::Key(crate::review::ASIDE));
    let screen = world.screen();
    assert!(screen.contains("Opening the plan in vi; close it to return"), "{screen}");
    assert!(screen.contains(&format!("✗ {failed}")), "{screen}");
    assert!(screen.contains("> y"), "the last of what was typed there answers nothing here: {screen}");
}

#[test]
fn an_editor_that_opened_is_told_once() {
    let mut world = World::new();
    for state in [EditorState::Opening { in_terminal: true }, EditorState::Opened] {
        let path = review(PLAN).path;
        let editor = PlanEditor { path, editor: "vi".into(), state };
        world.app.event(&Event::Live(LiveEvent::PlanEditor(editor)));
    }
    let screen = world.screen();
    assert!(screen.contains("Opening the plan in vi; close it to return"), "{screen}");
    assert!(!screen.contains("Opened"), "{screen}");
}

#[test]
fn a_plan_that_is_answered_elsewhere_goes_and_says_by_whom() {
    let back = || PlanAnswer::KeepPlanning { feedback: None, comments: Vec::new() };
    let web = || AnsweredBy::FrontEnd { id: FrontEndId(2), name: "web page".into() };
    for (answer, expected) in [
        (PlanAnswer::Approve(Approval::default()), "Answered in web page: plan approved"),
        (back(), "Answered in web page: plan sent back"),
    ] {
        let mut world = asked(PLAN);
        answered_through(&mut world, 1, answer, web());
        assert!(world.screen().contains(expected), "the page is gone, and it is said why");
    }
    let mut world = asked(PLAN);
    ask(&mut world, 2, PLAN);
    answered_through(&mut world, 1, back(), web());
    let shown = page(&mut world).unwrap();
    assert!(shown.contains("Answered in web page: plan sent back"), "the next one says it: {shown}");
    answered(&mut world, 2, back());
    let screen = world.screen();
    assert_eq!(screen.matches("Answered in").count(), 1, "{screen}");
}

#[test]
fn the_plan_is_opened_only_if_there_is_one() {
    let current = |plan: Option<&str>| {
        let (path, plan) = (review(PLAN).path, plan.map(str::to_owned));
        TaskResult::Reply(Reply::Plan(PlanReply::Current { path, plan, problem: None, editor: None }))
    };
    let mut world = World::new();
    let ask = vec![UiEffect::Spawn(UiTask::Ask(Query::Plan(PlanQuery::Current)))];
    assert_eq!(world.app.submit_text("/plan open"), ask);
    assert_eq!(
        world.app.on_task_result(current(Some(PLAN))),
        [UiEffect::Send(Command::Plan(PlanCommand::Open))]
    );
    assert!(!world.screen().contains("Current plan"));
    assert_eq!(world.app.submit_text("/plan open"), ask);
    assert_eq!(world.app.on_task_result(current(None)), []);
    assert!(world.screen().contains("No plan yet"));
}

fn draft(effects: &[UiEffect]) -> Option<(usize, String)> {
    effects.iter().find_map(|effect| match effect {
        UiEffect::Send(Command::SaveReviewDraft { draft, .. }) => {
            Some((draft.comments.len(), draft.words.clone()))
        }
        _ => None,
    })
}

/// A killed program must not lose a comment; and a key is no entry of the journal.
#[test]
fn what_is_written_is_recorded_and_not_with_every_key() {
    let mut world = asked(PLAN);
    assert_eq!(draft(&world.typed("cwhy?")), None, "not while it is written");
    assert_eq!(draft(&enter(&mut world)), Some((1, String::new())), "at once when it is done");
    assert_eq!(draft(&world.typed("nhalf a")), None);
    assert!(world.app.next_wakeup().is_some_and(|at| at <= 2000), "soon");
    world.app.at(noon(1500));
    assert_eq!(draft(&world.app.effects()), None);
    world.app.at(noon(2000));
    assert_eq!(draft(&world.app.effects()), Some((1, "half a".to_owned())), "a moment later");
    world.app.at(noon(4000));
    assert_eq!(draft(&world.app.effects()), None, "once");
    // What was there before the program ended is no news.
    let mut again = asked(PLAN);
    assert_eq!(draft(&again.typed("jj")), None);
}

#[test]
fn a_review_that_no_turn_waits_for_is_closed_by_ctrl_c() {
    let mut world = asked(PLAN);
    assert_eq!(world.app.input(Input::Key(Key::ctrl('c'))), [UiEffect::Send(Command::Interrupt)]);
}
