//! The list and the output at every size, and what keys do.

use forelook_protocol::{AgentId, Confinement};

use super::*;
use crate::theme::Theme;

fn task(id: TaskId, about: &str, state: TaskState) -> Task {
    Task { id, about: about.into(), agent: None, sandbox: Confinement::Off, state, ran_ms: 62_000 }
}

fn tasks() -> Vec<Task> {
    let long = "npm run dev -- --host 0.0.0.0 --port 3000 --strict-port --open=false --log-level info";
    vec![
        task(TaskId::Shell("shell_1".into()), long, TaskState::Running),
        task(
            TaskId::Shell("shell_2".into()),
            "make watch",
            TaskState::Ended { how: "stopped because planning started".into() },
        ),
        task(TaskId::Agent(AgentId("0a1b2c3d".into())), "Explore: Find the tests", TaskState::Running),
    ]
}

fn shown(view: &mut TasksView, width: u16, height: u16) -> String {
    let ctx = RenderContext { width: usize::from(width), theme: Theme::DARK };
    let page = view.page(Size::new(width, height), ctx);
    assert_eq!(page.rows.len(), usize::from(height));
    assert!(page.rows.iter().all(|row| row.width() <= usize::from(width)));
    let rows: String = page.rows.iter().map(|row| row.to_string().trim_end().to_owned() + "\n").collect();
    format!("{width}x{height}\n{rows}")
}

fn press(view: &mut TasksView, keys: &[Code]) -> ViewOutcome {
    keys.iter().map(|code| view.key(Key::plain(*code))).last().unwrap()
}

fn asked(query: Query) -> ViewOutcome {
    ViewOutcome::Stay(vec![UiEffect::Spawn(UiTask::Ask(query))])
}

#[test]
fn a_list_and_an_output_at_every_size() {
    let mut all = String::new();
    for (width, height) in [(80, 24), (40, 15), (200, 60)] {
        let mut view = TasksView::new(&tasks());
        press(&mut view, &[Code::Down]);
        all += &shown(&mut view, width, height);
        press(&mut view, &[Code::Enter]);
        let lines: String = (1..=100).map(|at| format!("line {at}\x1b[2J of what it wrote\n")).collect();
        view.reply(&Reply::TaskOutput { task: TaskId::Shell("shell_1".into()), output: lines });
        press(&mut view, &[Code::Up, Code::Char('x')]);
        all += &shown(&mut view, width, height);
    }
    all += &shown(&mut TasksView::new(&[]), 40, 15);
    insta::assert_snapshot!(all);
}

#[test]
fn one_is_ended_only_after_a_yes_and_only_while_it_runs() {
    let mut view = TasksView::new(&tasks());
    let first = TaskId::Shell("shell_1".into());
    press(&mut view, &[Code::Down, Code::Char('x')]);
    assert_eq!(press(&mut view, &[Code::Char('n')]), ViewOutcome::Stay(Vec::new()));
    press(&mut view, &[Code::Char('x')]);
    let end = ViewOutcome::Stay(vec![UiEffect::Send(Command::EndTask(first.clone()))]);
    assert_eq!(press(&mut view, &[Code::Char('y')]), end);
    // The second has ended already.
    press(&mut view, &[Code::Down, Code::Char('x')]);
    assert_eq!(press(&mut view, &[Code::Char('y')]), ViewOutcome::Stay(Vec::new()));
    // A yes to one that ended meanwhile ends nothing else.
    press(&mut view, &[Code::Home, Code::Char('x')]);
    view.reply(&Reply::Tasks(tasks().split_off(1)));
    assert_eq!(press(&mut view, &[Code::Char('y')]), ViewOutcome::Stay(Vec::new()));
}

/// It is asked every second, and told once.
#[test]
fn an_agent_that_ends_while_it_is_looked_at_leaves_what_it_said() {
    let agent = || TaskId::Agent(AgentId("0a1b2c3d".into()));
    let without_it = || Reply::Tasks(tasks()[..2].to_vec());
    for is_refused in [true, false] {
        let tell = |view: &mut TasksView| match is_refused {
            true => assert!(view.refused(&Query::TaskOutput(agent()), &CommandError::NoTask(agent()))),
            false => view.reply(&without_it()),
        };
        let mut view = TasksView::new(&tasks());
        press(&mut view, &[Code::Up, Code::Enter]);
        view.reply(&Reply::TaskOutput { task: agent(), output: "I looked.".into() });
        tell(&mut view);
        tell(&mut view);
        let page = shown(&mut view, 80, 24);
        assert!(page.contains("I looked."), "{page}");
        assert_eq!(page.matches("`0a1b2c3d` has ended").count(), 1, "{page}");
        // It is not asked for any more; the others are.
        assert_eq!(view.at(5_000), [UiEffect::Spawn(UiTask::Ask(Query::Tasks))]);
        view.reply(&without_it());
        assert!(shown(&mut view, 80, 24).contains(" 0a1b2c3d · ended"));
        press(&mut view, &[Code::Esc]);
        let page = shown(&mut view, 80, 24);
        assert!(!page.contains("0a1b2c3d") && page.contains("shell_1"), "{page}");
    }
}

#[test]
fn a_session_that_does_not_answer_is_not_asked_again() {
    let mut view = TasksView::new(&tasks());
    assert!(view.refused(&Query::Tasks, &CommandError::Closed));
    assert!(shown(&mut view, 80, 24).contains("The session has ended"));
    assert_eq!((view.next_wakeup(), view.at(5_000)), (None, Vec::new()));
    assert!(!view.refused(&Query::Status, &CommandError::Closed), "this was asked by somebody else");
}

#[test]
fn rows_are_made_again_for_another_width_and_for_other_output() {
    let mut view = TasksView::new(&tasks());
    press(&mut view, &[Code::Down, Code::Enter]);
    let tell = |view: &mut TasksView, words: &str| {
        let task = TaskId::Shell("shell_1".into());
        view.reply(&Reply::TaskOutput { task, output: words.into() });
    };
    let long = format!("one {}", "two three ".repeat(6));
    tell(&mut view, &long);
    let rows = |view: &mut TasksView, width| {
        let page = shown(view, width, 24);
        page.lines().filter(|row| row.contains("two") || row.contains("other")).count()
    };
    assert_eq!([80, 40, 80].map(|width| rows(&mut view, width)), [1, 2, 1]);
    tell(&mut view, "other");
    assert_eq!(rows(&mut view, 80), 1);
    assert!(!shown(&mut view, 80, 24).contains("two"));
}

#[test]
fn the_output_is_of_the_one_that_was_chosen() {
    let mut view = TasksView::new(&tasks());
    assert_eq!(press(&mut view, &[Code::Enter]), ViewOutcome::Stay(Vec::new()), "nothing is chosen yet");
    let agent = TaskId::Agent(AgentId("0a1b2c3d".into()));
    assert_eq!(press(&mut view, &[Code::Up, Code::Enter]), asked(Query::TaskOutput(agent.clone())));
    view.reply(&Reply::TaskOutput { task: TaskId::Shell("shell_1".into()), output: "not this".into() });
    view.reply(&Reply::TaskOutput { task: agent.clone(), output: "I look.".into() });
    let page = shown(&mut view, 80, 24);
    assert!(page.contains("I look.") && !page.contains("not this"), "{page}");
    // While something runs, it is asked again every second.
    let again = [Query::Tasks, Query::TaskOutput(agent)].map(|query| UiEffect::Spawn(UiTask::Ask(query)));
    assert_eq!((view.next_wakeup(), view.at(5_000)), (Some(0), again.to_vec()));
    assert_eq!((view.next_wakeup(), view.at(5_500)), (Some(6_000), Vec::new()));
    assert_eq!(press(&mut view, &[Code::Esc]), asked(Query::Tasks));
    view.reply(&Reply::Tasks(tasks()[1..2].to_vec()));
    assert_eq!((view.next_wakeup(), view.at(9_000)), (None, Vec::new()), "nothing runs any more");
    assert_eq!(press(&mut view, &[Code::Esc]), ViewOutcome::Close(Vec::new()));
}
