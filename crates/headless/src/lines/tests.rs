//! Conversations against a scripted session, on paper.

use std::time::Duration;

use forelook_protocol::{
    AgentEnded, AnswerEvent, CallStatus, Command, CommandError, Confinement, EditorState, EndReason,
    EntryBody, Event, HostAnswer, HostAsk, LiveEvent, ModeChanged, ModeState, PlanCommand, QuestionAnswer,
    Task, TaskId, TaskState, Usage,
};
use serde_json::json;

use super::*;
use crate::Charset;
use crate::testing::{FakeSession, Noon, SharedBuffer, Stage, path, stage};

mod models;
mod others;
mod reviews;
mod running;

async fn talked(
    typed: &[&str],
    react: impl FnMut(&mut Stage, &Command) -> Result<(), CommandError> + Send + 'static,
) -> (String, Arc<FakeSession>) {
    let (_signal, signals) = tokio::sync::mpsc::channel(1);
    talked_in(Setting { prompt: None, width: None, signals }, typed, react).await
}

/// What differs between conversations.
struct Setting {
    prompt: Option<String>,
    width: Option<usize>,
    signals: tokio::sync::mpsc::Receiver<forelook_protocol::StopSignal>,
}

async fn talked_in(
    setting: Setting,
    typed: &[&str],
    react: impl FnMut(&mut Stage, &Command) -> Result<(), CommandError> + Send + 'static,
) -> (String, Arc<FakeSession>) {
    let (fake, input) = stage(typed, react);
    let attached = fake.attach();
    (talked_with(setting, attached, input).await, fake)
}

async fn talked_with(setting: Setting, attached: SessionConnection, input: InputLines) -> String {
    talked_since(HasPast(false), setting, attached, input).await.1
}

/// Whether the session goes on from before.
#[derive(Clone, Copy)]
struct HasPast(bool);

async fn talked_since(
    HasPast(has_past): HasPast,
    setting: Setting,
    attached: SessionConnection,
    input: InputLines,
) -> (LinesOutcome, String) {
    let page = SharedBuffer::default();
    let Setting { prompt, width, signals } = setting;
    let run = LinesSetup {
        attached,
        has_past,
        input,
        prompt,
        notices: Vec::new(),
        stdout: Box::new(page.clone()),
        color: false,
        charset: Charset::Unicode,
        width,
        echo: true,
        clock: Arc::new(Noon),
        signals,
    };
    let ended = tokio::time::timeout(Duration::from_secs(20), super::run(run)).await.expect("it hangs");
    (ended, page.text())
}

fn planning() -> EntryBody {
    EntryBody::ModeChanged(ModeChanged {
        mode_state: ModeState::new(forelook_protocol::Mode::Plan),
        why: None,
    })
}

#[tokio::test]
async fn two_subagents_stay_readable() {
    let (page, _) = talked(&["go", "/exit"], |stage, command| {
        if let Command::Prompt(_) = command {
            stage.begins("go");
            let calls = ["a", "b"].map(|id| (id, "Agent", json!({"description": format!("Look for {id}")})));
            stage.calls_all(None, &calls);
            // They begin in whatever order; their numbers are those of the calls.
            for agent in ["b", "a"] {
                stage.starts_agent(agent, agent);
                stage.calls(Some(agent), "r", "Read", json!({"file_path": format!("src/{agent}.rs")}));
            }
            stage.finishes(Some("b"), "r", CallStatus::Denied);
            stage.finishes(Some("a"), "r", CallStatus::Ran);
            for agent in ["a", "b"] {
                let usage = Usage { input_tokens: 12_000, output_tokens: 345, ..Usage::default() };
                let ended = AgentEnded { reason: EndReason::Done, usage, calls: 1, took_ms: 4_200 };
                stage.record(Some(agent), EntryBody::AgentEnded(ended));
            }
            stage.finishes(None, "a", CallStatus::Ran);
            stage.finishes(None, "b", CallStatus::Ran);
            stage.ends(EndReason::Done);
        }
        Ok(())
    })
    .await;
    insta::assert_snapshot!(page);
}

#[tokio::test]
async fn small_commands() {
    let typed =
        ["/help", "/todos", "/mode", "/mode PLAN", "/mode fast", "/fly", "/etc/hosts is odd", "/exit"];
    let (page, fake) = talked(&typed, |stage, command| {
        match command {
            Command::SetMode(_) => stage.record(None, planning()),
            Command::Prompt(_) => {
                stage.begins("x");
                stage.ends(EndReason::Stuck { message: "It tried the same call three times".into() });
            }
            _ => {}
        }
        Ok(())
    })
    .await;
    insta::assert_snapshot!(page);
    let commands = fake.commands();
    let prompts = commands.iter().filter(|command| matches!(command, Command::Prompt(_))).count();
    let modes = commands.iter().filter(|command| matches!(command, Command::SetMode(_))).count();
    assert_eq!((prompts, modes), (1, 1), "{commands:?}");
    assert!(!commands.contains(&Command::CycleMode), "who looks at the modes changes none");
}

/// Shells are listed, looked at, and ended by their names.
#[tokio::test]
async fn tasks_are_listed_shown_and_ended() {
    let shell = |id: &str, about: &str, state| Task {
        id: TaskId::Shell(id.to_owned()),
        about: about.to_owned(),
        agent: None,
        sandbox: Confinement::Off,
        state,
        ran_ms: 62_000,
    };
    let ended = TaskState::Ended { how: "exit code 1".to_owned() };
    let tasks = vec![shell("shell_1", "npm run dev", TaskState::Running), shell("shell_2", "make", ended)];
    let typed = ["/tasks", "/tasks shell_1", "/tasks end shell_1", "/tasks end shell_9", "/exit"];
    let mut list = Some(tasks);
    let (page, fake) =
        talked(&["!true"].into_iter().chain(typed).collect::<Vec<_>>(), move |stage, command| {
            if let Command::UserShell(_) = command {
                stage.tasks = list.take().unwrap_or_default();
            }
            Ok(())
        })
        .await;
    insta::assert_snapshot!(page);
    let ends: Vec<Command> =
        fake.commands().into_iter().filter(|command| matches!(command, Command::EndTask(_))).collect();
    assert_eq!(ends, [Command::EndTask(TaskId::Shell("shell_1".to_owned()))]);
}

/// A script may have its prompt from anybody.
#[tokio::test]
async fn a_prompt_of_the_command_line_changes_no_rules() {
    let (_signal, signals) = tokio::sync::mpsc::channel(1);
    let setting = Setting { prompt: Some("/permissions add allow Bash".into()), width: None, signals };
    let (page, fake) = talked_in(setting, &["/permissions add allow Edit", "/exit"], |_, _| Ok(())).await;
    assert!(page.contains("cannot change rules") && page.contains("Rules added: allow Edit"), "{page}");
    let is_update = |command: &&Command| matches!(command, Command::UpdatePermissions(_));
    assert_eq!(fake.commands().iter().filter(is_update).count(), 1);
}

/// The same.
#[tokio::test]
async fn a_prompt_of_the_command_line_is_never_run() {
    let (_signal, signals) = tokio::sync::mpsc::channel(1);
    let setting = Setting { prompt: Some("!rm -rf .".into()), width: None, signals };
    let (_, fake) = talked_in(setting, &["/exit"], |stage, command| {
        if let Command::Prompt(_) = command {
            stage.begins("x");
            stage.ends(EndReason::Done);
        }
        Ok(())
    })
    .await;
    assert!(matches!(&fake.commands()[0], Command::Prompt(_)));
    assert!(!fake.commands().iter().any(|command| matches!(command, Command::UserShell(_))));
}

/// A line of the person's own runs to its end before the next line is read, as a person at a shell expects.
#[tokio::test]
async fn a_line_for_the_shell() {
    let (page, fake) = talked(&["! seq 2", "!", "!false", "/exit"], |stage, command| {
        let Command::UserShell(line) = command else { return Ok(()) };
        let command = line.clone();
        let call = forelook_protocol::CallId(line.clone());
        let (output, failed) = match line.as_str() {
            "" => return Err(CommandError::EmptyLine),
            "false" => (String::new(), Some("exit code 1".to_owned())),
            _ => ("1\n2 \u{1b}[2J".to_owned(), None),
        };
        let started = forelook_protocol::UserShellStarted { call: call.clone(), command: command.clone() };
        stage.record(None, EntryBody::UserShellStarted(started));
        let ended = forelook_protocol::UserShellEnded { call, command, output, failed, folder: None };
        stage.record(None, EntryBody::UserShellEnded(ended));
        Ok(())
    })
    .await;
    insta::assert_snapshot!(page);
    let sent = fake.commands().into_iter().filter(|command| matches!(command, Command::UserShell(_)));
    assert_eq!(sent.count(), 3);
}

#[tokio::test]
async fn nothing_is_read_while_an_editor_has_the_terminal() {
    let (page, _) = talked(&["/mode plan", "/plan open"], |stage, command| {
        match command {
            Command::SetMode(_) => stage.record(None, planning()),
            Command::Plan(PlanCommand::Open) => {
                stage.edits("vi", EditorState::Opening { in_terminal: true });
                // Typed into the editor: a reader would take it for a prompt, and later end the conversation.
                stage.types("dd");
                stage.edits("vi", EditorState::Failed { why: "it broke".into() });
                stage.types("/exit");
            }
            _ => {}
        }
        Ok(())
    })
    .await;
    let failure = format!("✗ `vi` could not open `{}`: it broke", path());
    let (opening, failed) = (page.find("close it to return").unwrap(), page.find(&failure).unwrap());
    assert!(!page[opening..failed].contains('>'), "{page}");
}

/// Speaks, piece by piece.
fn speaks(stage: &mut Stage, pieces: &[&str]) {
    let texts = pieces.iter().map(|&text| AnswerEvent::Text { text: text.into() });
    let events = std::iter::once(AnswerEvent::TextStarted).chain(texts).chain([AnswerEvent::BlockEnded]);
    for event in events {
        stage.live(LiveEvent::Answer { agent: None, event });
    }
}

#[tokio::test]
async fn words_are_broken_at_the_edge_of_the_terminal() {
    let (_signal, signals) = tokio::sync::mpsc::channel(1);
    let setting = Setting { prompt: Some("go".into()), width: Some(30), signals };
    let (page, _) = talked_in(setting, &["/exit"], |stage, command| {
        if let Command::Prompt(_) = command {
            stage.begins("go");
            speaks(stage, &["The cau", "se is that each sh", "are is rounded on", " its own"]);
            speaks(stage, &["- one point that is longer\n- two"]);
            stage.calls(None, "c", "Read", json!({"file_path": "a"}));
            stage.finishes(None, "c", CallStatus::Denied);
            stage.ends(EndReason::Stuck { message: "It tried the same call three times over".into() });
        }
        Ok(())
    })
    .await;
    insta::assert_snapshot!(page);
}

#[tokio::test]
async fn a_call_that_takes_long_is_told_of_now_and_then() {
    let progress = |agent: Option<&str>, call: &str, seconds: u64, note: Option<&str>| LiveEvent::Progress {
        agent: agent.map(|id| forelook_protocol::AgentId(id.into())),
        call: forelook_protocol::CallId(call.into()),
        elapsed_ms: seconds * 1000,
        note: note.map(str::to_owned),
    };
    let (page, _) = talked(&["go", "/exit"], move |stage, command| {
        if let Command::Prompt(_) = command {
            stage.begins("go");
            stage.calls(None, "c", "Grep", json!({"pattern": "needle"}));
            for second in 1..=12 {
                stage.live(progress(None, "c", second, (second > 6).then_some("12,000 files searched")));
            }
            stage.finishes(None, "c", CallStatus::Ran);
            stage.calls(None, "a", "Agent", json!({"description": "a"}));
            stage.starts_agent("a", "a");
            stage.calls(Some("a"), "c", "Bash", json!({"command": "make"}));
            stage.live(progress(None, "a", 90, None));
            stage.live(progress(Some("a"), "c", 90, None));
            stage.finishes(Some("a"), "c", CallStatus::Ran);
            stage.finishes(None, "a", CallStatus::Ran);
            stage.ends(EndReason::Done);
        }
        Ok(())
    })
    .await;
    insta::assert_snapshot!(page);
}

#[test]
fn a_sequence_in_two_pieces_is_as_harmless_as_in_one() {
    for width in [None, Some(30)] {
        let shown = |pieces: &[&str]| {
            let page = crate::testing::SharedBuffer::default();
            let text_output =
                super::text_output::TextOutput::new(Box::new(page.clone()), false, false).of_width(width);
            let (fake, _) = stage(&[], |_, _| Ok(()));
            let renderer = LineRenderer::new(text_output, Arc::new(Noon));
            let mut line_session = LineSession::new(fake, renderer, &crate::testing::snapshot());
            let texts = pieces.iter().map(|&text| AnswerEvent::Text { text: text.into() });
            for event in
                std::iter::once(AnswerEvent::TextStarted).chain(texts).chain([AnswerEvent::BlockEnded])
            {
                line_session.event(&Event::Live(LiveEvent::Answer { agent: None, event }));
            }
            page.text()
        };
        for text in forelook_testkit::HOSTILE {
            let whole = shown(&[text]);
            assert!(!whole.chars().any(|c| c.is_control() && c != '\n' && c != '\t'), "{whole:?}");
            for at in (1..text.len()).filter(|at| text.is_char_boundary(*at)) {
                let (one, two) = text.split_at(at);
                assert_eq!(shown(&[one, two]), whole, "{one:?} {two:?}");
            }
        }
    }
}

#[test]
fn whoever_is_being_asked_is_not_talked_to() {
    use forelook_protocol::{AnswerBlock, CallId, ToolCall};
    let page = crate::testing::SharedBuffer::default();
    let text_output = super::text_output::TextOutput::new(Box::new(page.clone()), false, false);
    let renderer = LineRenderer::new(text_output, Arc::new(Noon));
    let (fake, _) = stage(&[], |_, _| Ok(()));
    let mut line_session = LineSession::new(fake, renderer, &crate::testing::snapshot());
    let id = CallId("c".into());
    let call = ToolCall { id: id.clone(), name: "Bash".into(), input: json!({"command": "make"}) };
    let entry = crate::testing::answer(vec![AnswerBlock::ToolUse(call)]);
    line_session.event(&Event::Recorded(Arc::new(entry)));
    let progress = |elapsed_ms| {
        Event::Live(LiveEvent::Progress { agent: None, call: id.clone(), elapsed_ms, note: None })
    };
    line_session.renderer.question(&[crate::style::Row::plain("? Allow this")]);
    line_session.event(&progress(5_000));
    assert!(page.text().ends_with("> "), "{}", page.text());
    line_session.renderer.typed("y");
    line_session.event(&progress(6_000));
    assert!(page.text().ends_with("  … Bash(make): 6 s\n"), "{}", page.text());
}

#[tokio::test]
async fn a_choice_is_told_in_a_line() {
    let (page, _) = talked(&["go", "2", "/exit"], |stage, command| {
        match command {
            Command::Prompt(_) => {
                stage.begins("go");
                stage.calls(None, "call_1", "AskUserQuestion", json!({"questions": []}));
                let option = |label: &str| forelook_protocol::PersonOption {
                    label: label.into(),
                    description: String::new(),
                    preview: None,
                };
                let question = forelook_protocol::PersonQuestion {
                    question: "Who pays?".into(),
                    header: "Who".into(),
                    options: vec![option("The first"), option("The last")],
                    multi_select: false,
                };
                stage.asks(1, HostAsk::Choose { questions: vec![question] });
            }
            Command::Answer { answer, .. } => {
                let choices = vec![QuestionAnswer::Options(vec!["The last".into()])];
                assert_eq!(*answer, HostAnswer::Chosen { choices });
                stage.closes(1, answer.clone());
                stage.finishes(None, "call_1", CallStatus::Ran);
                stage.ends(EndReason::Done);
            }
            _ => {}
        }
        Ok(())
    })
    .await;
    assert!(page.ends_with("empty to skip\n> 2\n  ⎿ The last\n\n> /exit\n"), "{page}");
}
