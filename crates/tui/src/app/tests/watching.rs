//! What is asked again and again, and what nobody answers.

use forelook_protocol::{AgentId, CommandError, Query, Reply, Task, TaskId, TaskState};

use super::*;

fn agent() -> TaskId {
    TaskId::Agent(AgentId("0a1b2c3d".into()))
}

fn task(id: TaskId) -> Task {
    let sandbox = forelook_protocol::Confinement::Off;
    Task { id, about: "x".into(), agent: None, sandbox, state: TaskState::Running, ran_ms: 1_000 }
}

fn page(world: &mut World) -> String {
    let Frame::Page { page, .. } = world.app.frame() else { panic!("no page") };
    page.content().iter().map(|cell| cell.symbol()).collect()
}

#[test]
fn the_end_of_an_agent_that_is_looked_at_is_no_warning() {
    let mut world = World::new();
    world.app.submit_text("/tasks");
    let tasks = vec![task(TaskId::Shell("shell_1".into())), task(agent())];
    world.app.on_task_result(TaskResult::Reply(Reply::Tasks(tasks)));
    for code in [Code::Up, Code::Enter] {
        world.app.input(Input::Key(Key::plain(code)));
    }
    for second in 1..=3 {
        world.app.at(noon(second * 1_000));
        world.app.effects();
        let refused = TaskResult::Refused(Query::TaskOutput(agent()), CommandError::NoTask(agent()));
        world.app.on_task_result(refused);
    }
    let shown = page(&mut world);
    assert_eq!(shown.matches("`0a1b2c3d` has ended").count(), 1, "{shown}");
    for _ in 0..2 {
        world.app.input(Input::Key(Key::plain(Code::Esc)));
    }
    let screen = world.screen();
    assert!(!screen.contains("not running") && !screen.contains("0a1b2c3d"), "{screen}");
}

#[test]
fn who_asked_for_something_else_waits_on() {
    let mut world = World::new();
    for line in ["/hooks", "/todos", "/hooks"] {
        world.app.submit_text(line);
    }
    let refused = TaskResult::Refused(Query::Hooks, CommandError::Mode("not now".into()));
    world.app.on_task_result(refused);
    let screen = world.screen();
    assert!(screen.contains("> /hooks") && screen.matches("not now").count() == 1, "{screen}");
    assert!(!screen.contains("> /todos"), "{screen}");
    world.app.on_task_result(TaskResult::Reply(Reply::Status(status())));
    assert!(world.screen().contains("The todo list is empty"), "{}", world.screen());
}
