//! Background shells and subagents: whose they are, who ends them, and what is left of them in another process.

use forelook_engine::{Config, Responder, SessionStart};
use forelook_protocol::{
    BackgroundShell, CallStatus, Command, CommandError, Confinement, EndReason, EntryBody, Event, HostAnswer,
    HostAsk, LiveEvent, Mode, Query, Reply, Task, TaskId, TaskState,
};

use crate::common::{Front, Home, SESSION, life, words};

/// Starts a shell on "Start it" and "another", ends the first on "end it".
const SCRIPT: &str = r#"
start = [{ prompt = "TASK", goto = "agent" }, { prompt = "go on", goto = "end" }, { prompt = "another", goto = "begin" }]
[[answer]]
name = "begin"
call = [{ tool = "Bash", input = { command = "echo up; sleep 987", run_in_background = true } }]
[[answer]]
name = "end"
text = "Done."
next = [{ prompt = "end it", goto = "kill" }, { prompt = "another", goto = "begin" }, { prompt = "ask one", goto = "ask" }, { goto = "end" }]
[[answer]]
name = "kill"
call = [{ tool = "KillShell", input = { shell_id = "shell_1" } }]
next = [{ goto = "end" }]
[[answer]]
name = "ask"
call = [{ tool = "Agent", input = { description = "Look around", prompt = "TASK one", subagent_type = "general-purpose" } }]
next = [{ goto = "end" }]
[[answer]]
name = "agent"
text = "I look."
call = [
    { tool = "KillShell", input = { shell_id = "shell_1" } },
    { tool = "Bash", input = { command = "sleep 988", run_in_background = true } },
    { tool = "Bash", input = { command = "sleep 989" } },
]
[[answer]]
text = "I found it."
"#;

async fn begin(home: &Home) -> Front {
    let mut front = home.begin(SCRIPT).await;
    turn(&mut front, "Start it").await;
    front
}

async fn turn(front: &mut Front, words: &str) {
    front.say(words).await;
    assert_eq!(front.turn_end().await, EndReason::Done);
}

async fn tasks(front: &Front) -> Vec<Task> {
    let Reply::Tasks(tasks) = front.query(Query::Tasks).await else { panic!("no tasks") };
    tasks
}

/// The shells that run for a front end that comes now.
async fn running(front: &Front) -> Vec<String> {
    let snapshot =
        Front::attach(&front.client, forelook_protocol::FrontEnd::watching("another")).await.snapshot;
    snapshot.shells.into_iter().map(|shell| shell.id).collect()
}

/// How the newest call of this tool ended, whoever made it.
fn newest(front: &Front, contains: &str) -> (CallStatus, String) {
    let results = front.heard.iter().rev().filter_map(|entry| match &entry.body {
        EntryBody::ToolFinished(finished) => Some((finished.status, finished.result.text())),
        _ => None,
    });
    results.into_iter().find(|(_, text)| text.contains(contains)).unwrap_or_else(|| panic!("no {contains:?}"))
}

async fn until_ended(front: &mut Front, shell: &str) -> String {
    let how = |body: &EntryBody| match body {
        EntryBody::ShellEnded(ended) if ended.shell == shell => Some(ended.how.clone()),
        _ => None,
    };
    match front.heard.iter().find_map(|entry| how(&entry.body)) {
        Some(how) => how,
        None => front.until(how).await,
    }
}

#[test]
fn a_shell_is_in_the_record_from_its_start_to_its_end() {
    life(async {
        let home = Home::new();
        let mut front = begin(&home).await;
        assert_eq!(running(&front).await, ["shell_1"]);
        turn(&mut front, "end it").await;
        assert_eq!(until_ended(&mut front, "shell_1").await, "killed");
        assert_eq!(running(&front).await, Vec::<String>::new());
        front.close().await;
    });
}

/// What a process ran ended with it. Nobody is asked about it, and its name is not used again.
#[test]
fn shells_of_an_ended_process_are_over_and_the_model_is_told() {
    let home = Home::new();
    life(async { drop(begin(&home).await) });
    life(async {
        let mut front = home.resume(SCRIPT, Responder::Person).await;
        assert_eq!(front.snapshot.shells, [] as [BackgroundShell; 0]);
        assert_eq!(tasks(&front).await, []);
        front.send(Command::SetMode(Mode::Plan)).await.unwrap();
        let Reply::Fence { outside, .. } = front.query(Query::Fence).await else { panic!("no report") };
        assert_eq!(outside, []);
        front.send(Command::SetMode(Mode::BypassPermissions)).await.unwrap();
        turn(&mut front, "another").await;
        let told: String = home.last_request().iter().map(words).collect();
        assert!(told.contains("`shell_1` (`echo up; sleep 987`) ended when Forelook exited"), "{told}");
        assert_eq!(running(&front).await, ["shell_2"]);
        let asked = front.heard.iter().any(|entry| matches!(entry.body, EntryBody::QuestionOpened(_)));
        assert!(!asked);
        front.close().await;
    });
    life(async {
        let mut front = home.resume(SCRIPT, Responder::Person).await;
        turn(&mut front, "go on").await;
        let told: String = home.last_request().iter().map(words).collect();
        assert_eq!(
            told.matches("`shell_1` (`echo up; sleep 987`) ended").count(),
            1,
            "it is told once: {told}"
        );
        front.close().await;
    });
}

#[test]
fn a_fork_has_none_of_the_shells_that_it_was_forked_from() {
    let home = Home::new();
    life(async { drop(begin(&home).await) });
    life(async {
        let mut front = Front::open(home.config(SessionStart::Fork(SESSION), SCRIPT)).await;
        assert_eq!(front.snapshot.shells, [] as [BackgroundShell; 0]);
        turn(&mut front, "go on").await;
        let told: String = home.last_request().iter().map(words).collect();
        assert!(told.contains("belongs to the session that this one was forked from"), "{told}");
        front.close().await;
    });
}

/// The user chose to keep it, so planning ends it by no call, whatever the mode before allowed.
#[test]
fn a_shell_that_the_user_kept_is_not_ended_while_planning() {
    life(async {
        let home = Home::new();
        let mut front = begin(&home).await;
        front.send(Command::SetMode(Mode::Plan)).await.unwrap();
        let question = front.question().await;
        assert!(matches!(question.ask, HostAsk::Running { .. }));
        front.answer(&question, HostAnswer::yes()).await.unwrap();
        turn(&mut front, "end it").await;
        let (status, text) = newest(&front, "shell_1");
        assert_eq!(status, CallStatus::Denied, "{text}");
        assert!(text.contains("Plan mode allows no changes"), "{text}");
        assert_eq!(running(&front).await, ["shell_1"]);
        front.close().await;
    });
}

/// What is at work is listed with what it did so far; the user ends one thing, and the rest goes on.
#[test]
fn a_person_looks_at_tasks_and_ends_them_one_by_one() {
    life(async {
        let home = Home::new();
        let mut front = begin(&home).await;
        front.say("ask one").await;
        let waits = |body: &EntryBody| match body {
            EntryBody::ToolStarted(started) if started.call.0.ends_with("_3") => Some(()),
            _ => None,
        };
        front.until(waits).await;
        let listed = tasks(&front).await;
        let about: Vec<&str> = listed.iter().map(|task| task.about.as_str()).collect();
        assert_eq!(about, ["echo up; sleep 987", "sleep 988", "general-purpose: Look around"]);
        assert!(
            listed.iter().all(|task| task.state == TaskState::Running && task.sandbox == Confinement::Off)
        );
        let agent = listed[2].id.clone();
        assert_eq!(listed[1].agent.as_ref().map(|id| TaskId::Agent(id.clone())), Some(agent.clone()));
        // Another agent's shell is nobody else's to end.
        assert!(newest(&front, "You have no shell `shell_1`").1.contains("started none"));

        let shell = TaskId::Shell("shell_1".to_owned());
        let output = |task: &TaskId| Query::TaskOutput(task.clone());
        let Reply::TaskOutput { output: text, .. } = front.query(output(&shell)).await else { panic!() };
        assert_eq!(text, "up");
        let Reply::TaskOutput { output: text, .. } = front.query(output(&agent)).await else { panic!() };
        assert!(text.starts_with("I look.\n") && text.contains("Bash(sleep 989)"), "{text}");

        front.send(Command::EndTask(shell.clone())).await.unwrap();
        assert_eq!(until_ended(&mut front, "shell_1").await, "stopped by the user");
        let again = front.send(Command::EndTask(shell.clone())).await;
        assert_eq!(again.unwrap_err(), CommandError::NoTask(shell));
        front.send(Command::EndTask(agent)).await.unwrap();
        let noticed = loop {
            match front.event().await {
                Event::Live(LiveEvent::Notice(notice)) if notice.text.starts_with("Agent ") => {
                    break Some(notice.text);
                }
                Event::Recorded(entry)
                    if entry.agent.is_none() && matches!(entry.body, EntryBody::ToolFinished(_)) =>
                {
                    break None;
                }
                _ => {}
            }
        };
        assert_eq!(noticed, None, "who ended it hears of it once");
        assert_eq!(front.turn_end().await, EndReason::Done, "the turn goes on without it");
        let (_, text) = newest(&front, "did not finish");
        assert!(text.contains("The user stopped it"), "{text}");
        assert!(text.contains("yours now:\n- `shell_2` (running): sleep 988"), "{text}");
        let told: String = home.last_request().iter().map(words).collect();
        assert!(told.contains("`shell_1` (`echo up; sleep 987`) has ended: stopped by the user"), "{told}");
        front.close().await;
    });
}

/// An agent may say any amount, and a shell may write any. The newest of it is shown.
#[test]
fn there_is_an_end_to_what_is_shown_of_a_task() {
    life(async {
        let home = Home::new();
        let script = SCRIPT.replace("I look.", &"I look. ".repeat(50_000));
        let script = script.replace("echo up;", "head -c 1000000 /dev/zero | tr '\\\\0' x; echo; echo up;");
        let mut front = Front::open(home.config(SessionStart::New(Some(SESSION)), &script)).await;
        turn(&mut front, "Start it").await;
        front.say("ask one").await;
        let waits = |body: &EntryBody| match body {
            EntryBody::ToolStarted(started) if started.call.0.ends_with("_3") => Some(()),
            _ => None,
        };
        front.until(waits).await;
        for (task, end) in [(0, "up"), (2, "Bash(sleep 989)")] {
            let id = tasks(&front).await[task].id.clone();
            let text = loop {
                let shown = front.query(Query::TaskOutput(id.clone())).await;
                let Reply::TaskOutput { output: text, .. } = shown else { panic!("{shown:?}") };
                // The shell may take its time.
                if text.ends_with(end) {
                    break text;
                }
                assert!(task == 0, "{}", &text[text.len() - 100..]);
                tokio::task::yield_now().await;
            };
            assert!((200_000..=256 * 1024).contains(&text.len()), "{}", text.len());
        }
        front.close().await;
    });
}

/// Whether a shell that there is not may be ended is no question of modes.
#[test]
fn a_shell_that_is_not_there_is_said_not_to_be_there_while_planning() {
    life(async {
        let home = Home::new();
        let config = home.config(SessionStart::New(Some(SESSION)), SCRIPT);
        let mut front = Front::open(Config { mode: Some(Mode::Plan), ..config }).await;
        turn(&mut front, "go on").await;
        turn(&mut front, "end it").await;
        let (_, text) = newest(&front, "shell_1");
        assert!(text.starts_with("You have no shell `shell_1`") && !text.contains("Plan mode"), "{text}");
        front.close().await;
    });
}

/// An agent that only reads ends nothing that it did not start.
#[test]
fn an_agent_that_only_reads_has_no_shell_of_its_callers() {
    life(async {
        let home = Home::new();
        let waits = r#"{ tool = "Bash", input = { command = "sleep 989" } },"#;
        let script = SCRIPT.replace("general-purpose", "Explore").replace(waits, "");
        let config = home.config(SessionStart::New(Some(SESSION)), &script);
        let mut front = Front::open(Config { responder: Responder::Nobody, ..config }).await;
        turn(&mut front, "Start it").await;
        turn(&mut front, "ask one").await;
        let (status, text) = newest(&front, "run in its fence, and `shell_1` does not");
        assert_eq!(status, CallStatus::Denied, "{text}");
        assert!(running(&front).await.contains(&"shell_1".to_owned()));
        front.close().await;
    });
}
