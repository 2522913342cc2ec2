//! What is told of calls that take long. The clock is tokio's own and stands still while anything is being done, so
//! seconds cost nothing here.

use std::time::Duration;

use forelook_engine::{AgentDefinition, Config, SessionStart, built_in_agents};
use forelook_protocol::{AgentId, CallId, Command, EndReason, EntryBody, Event, LiveEvent};
use forelook_tools::Toolbox;
use tokio::time::sleep;

use crate::common::{Front, Home, SESSION, tools};
use crate::tools::{Made, done, with};

/// A life in which time passes only when there is nothing else to do.
fn still_life<T>(future: impl Future<Output = T>) -> T {
    let mut builder = tokio::runtime::Builder::new_current_thread();
    builder.enable_all().start_paused(true).build().unwrap().block_on(future)
}

/// Takes as many milliseconds as it is asked to, and says how far it is.
fn slow() -> Made {
    Made::new("Slow", |input, cx| async move {
        let wait = input["ms"].as_u64().unwrap();
        for part in 1..=4 {
            sleep(Duration::from_millis(wait / 4)).await;
            if wait > 1000 {
                cx.output.say(format!("{part} of 4"));
            }
        }
        done(&cx, "Awake")
    })
    .safe()
}

#[derive(Debug, PartialEq)]
enum Heard {
    Progress { call: String, elapsed_ms: u64, note: Option<String> },
    Finished(String),
}

/// One turn: what was heard of how far calls are, and of their ends.
async fn play(front: &mut Front) -> (EndReason, Vec<(Option<AgentId>, Heard)>) {
    front.say("Go").await;
    let mut heard = Vec::new();
    loop {
        match front.event().await {
            Event::Live(LiveEvent::Progress { agent, call, elapsed_ms, note }) => {
                heard.push((agent, Heard::Progress { call: call.0, elapsed_ms, note }));
            }
            Event::Recorded(entry) => match &entry.body {
                EntryBody::ToolFinished(it) => {
                    heard.push((entry.agent.clone(), Heard::Finished(it.result.call.0.clone())))
                }
                EntryBody::TurnEnded(ended) if entry.agent.is_none() => return (ended.reason.clone(), heard),
                _ => {}
            },
            Event::Live(_) => {}
        }
    }
}

async fn begin(home: &Home, script: &str, tools: Toolbox) -> Front {
    Front::open(Config { tools: tools.into(), ..home.config(SessionStart::New(Some(SESSION)), script) }).await
}

fn at(call: &str, seconds: u64, note: Option<&str>) -> (Option<AgentId>, Heard) {
    let note = note.map(str::to_owned);
    (None, Heard::Progress { call: call.into(), elapsed_ms: seconds * 1000, note })
}

fn ended(call: &str) -> (Option<AgentId>, Heard) {
    (None, Heard::Finished(call.into()))
}

#[test]
fn a_call_is_told_of_every_second_from_the_first_on_and_not_after_its_end() {
    const SCRIPT: &str = "
[[answer]]
call = [{ tool = 'Slow', id = 'long', input = { ms = 3600 } }]
[[answer]]
call = [{ tool = 'Slow', id = 'short', input = { ms = 960 } }]
[[answer]]
call = [{ tool = 'Slow', id = 'a', input = { ms = 1200 } }, { tool = 'Slow', id = 'b', input = { ms = 2400 } }]
[[answer]]
text = 'Rested.'
";
    still_life(async {
        let home = Home::new();
        let mut front = begin(&home, SCRIPT, with([slow()])).await;
        let (end, heard) = play(&mut front).await;
        assert_eq!(end, EndReason::Done);
        let expected = [
            at("long", 1, Some("1 of 4")),
            at("long", 2, Some("2 of 4")),
            at("long", 3, Some("3 of 4")),
            ended("long"),
            ended("short"),
        ];
        assert_eq!(heard[..expected.len()], expected);
        // Of two together each is told of by itself; which comes first in an instant does not matter.
        let of = |call: &str| -> Vec<&(Option<AgentId>, Heard)> {
            heard.iter().filter(|(_, it)| matches!(it, Heard::Progress { call: of, .. } | Heard::Finished(of) if of == call)).collect()
        };
        assert_eq!(of("a"), [&at("a", 1, Some("3 of 4")), &ended("a")]);
        assert_eq!(of("b"), [&at("b", 1, Some("1 of 4")), &at("b", 2, Some("3 of 4")), &ended("b")]);
        front.close().await;
    });
}

#[test]
fn an_interrupt_ends_what_is_told() {
    const SCRIPT: &str = "
[[answer]]
call = [{ tool = 'Slow', id = 'long', input = { ms = 3600000 } }]
[[answer]]
text = 'Rested.'
";
    still_life(async {
        let home = Home::new();
        let mut front = begin(&home, SCRIPT, with([slow()])).await;
        front.say("Go").await;
        let mut told = 0;
        let end = loop {
            match front.event().await {
                Event::Live(LiveEvent::Progress { call, .. }) => {
                    assert_eq!(call, CallId("long".into()));
                    told += 1;
                    if told == 3 {
                        front.send(Command::Interrupt).await.unwrap();
                    }
                }
                Event::Recorded(entry) => match &entry.body {
                    EntryBody::TurnEnded(ended) => break ended.reason.clone(),
                    EntryBody::ToolFinished(_) => told = 100,
                    _ => {}
                },
                Event::Live(_) => {}
            }
        };
        assert_eq!(end, EndReason::Interrupted);
        assert_eq!(told, 100, "nothing was told after its end");
        front.close().await;
    });
}

#[test]
fn a_subagents_call_is_told_of_as_its_own() {
    const SCRIPT: &str = "
[[start]]
prompt = 'TASK'
goto = 'agent'
[[answer]]
call = [{ tool = 'Agent', id = 'same', input = { description = 'Wait', prompt = 'TASK', subagent_type = 'waiter' } }]
[[answer]]
text = 'Done.'
[[answer]]
name = 'agent'
call = [{ tool = 'Slow', id = 'same', input = { ms = 1600 } }]
[[answer]]
text = 'Waited.'
";
    still_life(async {
        let home = Home::new();
        let waiter = AgentDefinition { name: "waiter".into(), ..kind() };
        let built = tools(std::slice::from_ref(&waiter));
        let all = built.specs().iter().filter_map(|spec| built.get(&spec.name));
        let tools = Toolbox::new(all.chain([std::sync::Arc::new(slow()) as _]).collect());
        let mut config =
            Config { tools: tools.into(), ..home.config(SessionStart::New(Some(SESSION)), SCRIPT) };
        config.agent_catalog.kinds = vec![waiter];
        let mut front = Front::open(config).await;
        let (end, heard) = play(&mut front).await;
        assert_eq!(end, EndReason::Done);
        let agents: Vec<bool> = heard.iter().map(|(agent, _)| agent.is_some()).collect();
        // In the first second both are told of: the call that waits for the agent, and the agent's own.
        assert_eq!(heard.len(), 4, "{heard:?}");
        assert_eq!(agents.iter().filter(|&&agent| agent).count(), 2, "{heard:?}");
        let told = |of: bool| {
            heard.iter().any(|(agent, it)| {
                agent.is_some() == of && matches!(it, Heard::Progress { elapsed_ms: 1000, .. })
            })
        };
        assert!(told(true) && told(false), "{heard:?}");
        front.close().await;
    });
}

/// An agent for anything.
fn kind() -> AgentDefinition {
    built_in_agents().into_iter().find(|kind| !kind.read_only).unwrap()
}
