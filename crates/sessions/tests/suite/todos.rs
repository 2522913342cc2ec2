//! What is to be done, as files.

use crate::make::{header, house, session};
use forelook_protocol::{AgentId, Todo, TodoStatus};
use forelook_sessions::SessionProblem;

fn list(words: &str) -> Vec<Todo> {
    vec![Todo { content: words.to_owned(), status: TodoStatus::InProgress, active_form: String::new() }]
}

#[test]
fn each_agent_has_its_own() {
    let house = house();
    let agents = ["main", "a/b", "a%2fb", "../../../escape", "", "ä\n"].map(|id| AgentId(id.to_owned()));
    for agent in &agents {
        assert_eq!(house.store.read_todos(session(1), agent), (Vec::new(), None));
        house.store.write_todos(session(1), agent, &list("old")).unwrap();
        house.store.write_todos(session(1), agent, &list(&agent.0)).unwrap();
    }
    for agent in &agents {
        assert_eq!(house.store.read_todos(session(1), agent), (list(&agent.0), None));
    }
    let folder = house.home.join("todos");
    assert_eq!(std::fs::read_dir(folder).unwrap().count(), agents.len());
    assert_eq!(house.store.read_todos(session(2), &agents[0]).0, []);
}

#[test]
fn a_broken_file_counts_as_empty_and_is_told() {
    let house = house();
    let agent = AgentId::from(session(1));
    house.store.write_todos(session(1), &agent, &list("x")).unwrap();
    let path = house.home.join("todos").join(format!("{0}-agent-{0}.json", session(1)));
    for text in [
        "",
        "{}",
        "[{\"content\":1}]",
        "[{\"content\":\"x\",\"status\":\"soon\",\"activeForm\":\"\"}]",
        "\u{0}",
    ] {
        std::fs::write(&path, text).unwrap();
        let (todos, problem) = house.store.read_todos(session(1), &agent);
        assert_eq!(todos, []);
        assert!(matches!(problem, Some(SessionProblem::BadTodos { .. })), "{text}");
    }
    house.store.write_todos(session(1), &agent, &list("y")).unwrap();
    assert_eq!(house.store.read_todos(session(1), &agent), (list("y"), None));
}

#[test]
fn a_fork_has_them_too() {
    let house = house();
    house.session(1, &[]);
    let (main, helper, broken) =
        (AgentId::from(session(1)), AgentId("help/er".to_owned()), AgentId("broken".to_owned()));
    house.store.write_todos(session(1), &main, &list("main")).unwrap();
    house.store.write_todos(session(1), &helper, &list("helper")).unwrap();
    let path = house.home.join("todos").join(format!("{}-agent-broken.json", session(1)));
    std::fs::write(path, "[").unwrap();
    let fork = house.store.fork(session(1), &header(&house.folder, 2)).unwrap();
    assert!(matches!(fork.problems[..], [SessionProblem::BadTodos { .. }]));
    let read = |agent: &AgentId| house.store.read_todos(session(2), agent).0;
    assert_eq!(read(&AgentId::from(session(2))), list("main"));
    assert_eq!(read(&helper), list("helper"));
    assert_eq!((read(&main), read(&broken)), (vec![], vec![]));
    assert_eq!(house.store.read_todos(session(1), &main).0, list("main"));
}
