//! Tools join and leave while a session runs: the model hears of it, can call them under the same rules as any tool, and
//! nothing that was sent before changes by a byte.

use std::sync::{Arc, Mutex, OnceLock};

use forelook_engine::{Config, Responder, SessionStart, built_in_agents};
use forelook_protocol::{
    Action, AnswerBlock, AnswerEvent, CallStatus, Command, EndReason, EntryBody, Event, HostAnswer, HostAsk,
    LiveEvent, McpHint, Mode, ReminderKind,
};
use forelook_providers::WireFormat;
use forelook_testkit::wire;
use forelook_tools::{Tool, ToolRegistry};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use serde_json::{Value, json};

use crate::common::{Front, Home, SESSION, life, results, tools, words};
use crate::over_wire::over_wire;
use crate::tools::{Made, beside, done};

/// A tool of a server's. It says what it was given.
fn foreign(server: &str, tool: &str, about: &str, hint: McpHint) -> Arc<dyn Tool> {
    let (server, tool) = (server.to_owned(), tool.to_owned());
    let name = format!("mcp__{server}__{tool}");
    let action = move || Action::Mcp { server: server.clone(), tool: tool.clone(), hint };
    Arc::new(
        Made::new(&name, |input, cx| async move { done(&cx, &format!("ran with {input}")) })
            .action(action)
            .describing(about),
    )
}

/// Tools with room for others, and one by which a script lets others join (`{"join": "s", "tools": ["read", …]}`; the
/// name says what is known of a tool) and leave (`{"leave": "s"}`).
fn registry() -> ToolRegistry {
    let place: Arc<OnceLock<ToolRegistry>> = Arc::default();
    let inside = Arc::clone(&place);
    let serve = Made::new("Serve", move |input: Value, cx| {
        let registry = inside.get().unwrap().clone();
        async move {
            match input["join"].as_str() {
                Some(server) => serve(&registry, server, &input["tools"], &input["about"]),
                None => _ = registry.unregister(input["leave"].as_str().unwrap()),
            }
            done(&cx, "served")
        }
    });
    let registry = ToolRegistry::with_external_tools(beside(&tools(&built_in_agents()), [serve]));
    assert!(place.set(registry.clone()).is_ok());
    registry
}

fn serve(registry: &ToolRegistry, server: &str, tools: &Value, about: &Value) {
    let tool = |name: &Value| {
        let name = name.as_str().unwrap();
        let hint = match name {
            "read" => McpHint::ReadOnly,
            "wipe" => McpHint::Destructive,
            _ => McpHint::Unknown,
        };
        foreign(server, name, about.as_str().unwrap_or("Does it."), hint)
    };
    let joined = registry.register(server, tools.as_array().unwrap().iter().map(tool).collect()).unwrap();
    assert_eq!(joined.refused, []);
}

fn config(home: &Home, script: &str) -> (Config, ToolRegistry) {
    let tools = registry();
    (Config { tools: tools.clone(), ..home.config(SessionStart::New(Some(SESSION)), script) }, tools)
}

/// An answer with this call for each, and one with words at the end, to which everything more leads.
fn script(calls: &[(&str, Value)]) -> String {
    let mut script = String::new();
    for (tool, input) in calls {
        script.push_str(&format!("[[answer]]\ncall = [{{ tool = \"{tool}\", input = {} }}]\n", toml(input)));
    }
    script.push_str("[[answer]]\nname = \"end\"\ntext = \"Done.\"\nnext = [{ goto = \"end\" }]\n");
    script
}

/// JSON as an inline value of TOML.
fn toml(value: &Value) -> String {
    match value {
        Value::Object(fields) => {
            let fields: Vec<String> =
                fields.iter().map(|(key, it)| format!("{key} = {}", toml(it))).collect();
            format!("{{ {} }}", fields.join(", "))
        }
        Value::Array(items) => format!("[{}]", items.iter().map(toml).collect::<Vec<_>>().join(", ")),
        other => other.to_string(),
    }
}

fn generic(name: &str, input: Value) -> (&'static str, Value) {
    ("CallTool", json!({"name": name, "input": input}))
}

/// Every request begins with the bytes that the one before it had, to its last message.
fn grows(requests: &[Value]) {
    for pair in requests.windows(2) {
        for part in ["system", "tools"] {
            assert_eq!(pair[0][part].to_string(), pair[1][part].to_string(), "{part}");
        }
        let (before, after) =
            (pair[0]["messages"].as_array().unwrap(), pair[1]["messages"].as_array().unwrap());
        assert_eq!(before[..], after[..before.len()]);
    }
}

fn reminders(home: &Home) -> Vec<(Vec<String>, Vec<String>)> {
    let changes = home.entries().into_iter().filter_map(|entry| match entry.body {
        EntryBody::Reminder(it) => match it.kind {
            ReminderKind::ToolsChanged { added: joined, removed: left } => {
                Some((joined.into_iter().map(|it| it.name).collect(), left))
            }
            _ => None,
        },
        _ => None,
    });
    changes.collect()
}

fn named(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

async fn turn(front: &mut Front, words: &str) -> EndReason {
    front.say(words).await;
    front.turn_end().await
}

#[test]
fn a_tool_joins_in_the_middle_of_a_turn_and_leaves_again() {
    life(async {
        let home = Home::new();
        let calls = [
            ("Serve", json!({"join": "s", "tools": ["read", "send"], "about": "Looks it up."})),
            ("ToolSearch", json!({"query": "select:mcp__s__read"})),
            generic("mcp__s__read", json!({"x": 1})),
            // As some models do, although it is not in the list.
            ("mcp__s__send", json!({"y": 2})),
            ("Serve", json!({"leave": "s"})),
            generic("mcp__s__read", json!({"x": 3})),
            generic("mcp__s__never", json!({})),
            ("CallTool", json!({"tool": "mcp__s__read"})),
        ];
        let (config, _) = config(&home, &script(&calls));
        let mut front = Front::open(config).await;
        assert_eq!(turn(&mut front, "go").await, EndReason::Done);
        front.close().await;

        assert_eq!(
            reminders(&home),
            [
                (named(&["mcp__s__read", "mcp__s__send"]), vec![]),
                (vec![], named(&["mcp__s__read", "mcp__s__send"]))
            ]
        );
        let told = home.last_request();
        let joined = words(&told[3]);
        assert!(
            joined.contains("<system-reminder>") && joined.contains("- `mcp__s__read`: Looks it up."),
            "{joined}"
        );
        let results = results(&home);
        assert!(
            results[1].1.contains("# mcp__s__read") && results[1].1.contains("`CallTool`"),
            "{}",
            results[1].1
        );
        assert_eq!(results[2], (CallStatus::Ran, "ran with {\"x\":1}".to_owned()));
        assert_eq!(results[3], (CallStatus::Ran, "ran with {\"y\":2}".to_owned()));
        let (gone, never, bad) = (&results[5], &results[6], &results[7]);
        assert!(gone.1.contains("`s` disconnected") && gone.0 == CallStatus::Invalid, "{gone:?}");
        assert!(never.1.contains("There is no tool `mcp__s__never`. Available tools: Read,"), "{never:?}");
        assert!(bad.1.contains("`CallTool` takes `input`") || bad.1.contains("`name`"), "{bad:?}");
        grows(&home.requests());
    });
}

#[test]
fn everybody_but_the_model_sees_the_tool_that_is_meant() {
    life(async {
        let home = Home::new();
        let calls =
            [("Serve", json!({"join": "s", "tools": ["send"]})), generic("mcp__s__send", json!({"x": 1}))];
        let (config, _) = config(&home, &script(&calls));
        let mut front = Front::open(Config { mode: Some(Mode::Default), ..config }).await;
        front.say("go").await;
        let mut live = Vec::new();
        let asked = loop {
            match front.event().await {
                Event::Live(LiveEvent::Answer { event, .. }) => live.push(event),
                Event::Recorded(entry) => {
                    if let EntryBody::QuestionOpened(asked) = &entry.body {
                        break asked.question.clone();
                    }
                }
                _ => {}
            }
        };
        let HostAsk::Permission { tool, input, .. } = &asked.ask else { panic!("{asked:?}") };
        assert_eq!((tool.as_str(), input), ("mcp__s__send", &json!({"x": 1})));
        let started: Vec<&str> = live
            .iter()
            .filter_map(|event| {
                if let AnswerEvent::CallStarted { name, .. } = event { Some(name.as_str()) } else { None }
            })
            .collect();
        assert_eq!(started, ["Serve", "mcp__s__send"]);
        front.answer(&asked, HostAnswer::Allow { input: None, updates: vec![] }).await.unwrap();
        front.turn_end().await;
        front.close().await;

        let entries = home.entries();
        let called: Vec<String> = entries
            .iter()
            .filter_map(|entry| {
                if let EntryBody::ModelAnswered(answered) = &entry.body {
                    Some(&answered.blocks)
                } else {
                    None
                }
            })
            .flatten()
            .filter_map(
                |block| if let AnswerBlock::ToolUse(call) = block { Some(call.name.clone()) } else { None },
            )
            .collect();
        assert_eq!(called, ["Serve", "mcp__s__send"]);
        let decided = entries.iter().filter_map(|entry| match &entry.body {
            EntryBody::PermissionDecided(decided) => Some(decided.tool.as_str()),
            _ => None,
        });
        assert!(
            decided.clone().any(|tool| tool == "mcp__s__send")
                && decided.clone().all(|tool| tool != "CallTool")
        );
        // The model is shown its own words.
        let request = Value::from(home.last_request()).to_string();
        assert!(
            request.contains("\"name\":\"CallTool\"")
                && !request.contains("\"name\":\"mcp__s__send\",\"type\"")
        );
    });
}

#[test]
fn rules_and_modes_hold_for_it_as_for_any_tool() {
    // A rule, a mode; what a read, an unknown and a destructive call come to.
    let cases: [(&[&str], Mode, [&str; 3]); 6] = [
        (&[], Mode::Default, ["asked", "asked", "asked"]),
        (&["allow mcp__s"], Mode::Default, ["ran", "ran", "ran"]),
        (&["deny mcp__s__send"], Mode::BypassPermissions, ["ran", "denied", "ran"]),
        (&["deny mcp__s"], Mode::BypassPermissions, ["denied", "denied", "denied"]),
        (&[], Mode::Plan, ["ran", "asked", "denied"]),
        (&["allow mcp__s__*"], Mode::Plan, ["ran", "asked", "denied"]),
    ];
    for (rules, mode, expected) in cases {
        life(async {
            let home = Home::new();
            let calls = [
                ("Serve", json!({"join": "s", "tools": ["read", "send", "wipe"]})),
                generic("mcp__s__read", json!({})),
                generic("mcp__s__send", json!({})),
                generic("mcp__s__wipe", json!({})),
            ];
            let (config, _) = config(&home, &script(&calls));
            let permissions = home.permissions(rules);
            let mut front = Front::open(Config { permissions, mode: Some(mode), ..config }).await;
            front.say("go").await;
            let mut asked = Vec::new();
            loop {
                let Event::Recorded(entry) = front.event().await else { continue };
                match &entry.body {
                    EntryBody::QuestionOpened(opened) => {
                        let HostAsk::Permission { tool, .. } = &opened.question.ask else {
                            panic!("{opened:?}")
                        };
                        asked.push(tool.clone());
                        front.answer(&opened.question, HostAnswer::Dismissed).await.unwrap();
                    }
                    EntryBody::TurnEnded(_) => break,
                    _ => {}
                }
            }
            front.close().await;
            let results = results(&home);
            let came_to = ["read", "send", "wipe"].iter().zip(&results[1..]).map(|(tool, (status, _))| {
                match asked.contains(&format!("mcp__s__{tool}")) {
                    true => "asked",
                    false if *status == CallStatus::Ran => "ran",
                    false => "denied",
                }
            });
            assert_eq!(came_to.collect::<Vec<_>>(), expected, "{rules:?} {mode:?}: {results:?}");
            assert_eq!(
                results.iter().filter(|it| it.1.starts_with("ran")).count(),
                expected.iter().filter(|it| **it == "ran").count()
            );
        });
    }
}

#[test]
fn what_was_told_is_replayed_and_a_kill_loses_nothing() {
    let home = Home::new();
    let calls =
        [("Serve", json!({"join": "s", "tools": ["read", "send"]})), generic("mcp__s__read", json!({}))];
    let (first, tools) = config(&home, &script(&calls));
    life(async {
        let mut front = Front::open(first).await;
        turn(&mut front, "go").await;
        // Joined, and nobody was told when the process dies.
        serve(&tools, "t", &json!(["read"]), &Value::Null);
    });
    let before = home.last_request();
    let lives = |start: &dyn Fn(&ToolRegistry), later: &dyn Fn(&ToolRegistry)| {
        life(async {
            let tools = registry();
            start(&tools);
            let config =
                Config { tools: tools.clone(), ..home.config(SessionStart::Resume(SESSION), &script(&[])) };
            let mut front = Front::open(config).await;
            turn(&mut front, "again").await;
            later(&tools);
            turn(&mut front, "and again").await;
        });
        // Each life begins with a list of its own.
        home.requests().pop().unwrap()["messages"].as_array().unwrap().clone()
    };
    let count = home.requests().len();
    // One comes back before the first request, and so is in the list; the other later.
    let after = lives(&|tools| serve(tools, "t", &json!(["read"]), &Value::Null), &|tools| {
        serve(tools, "s", &json!(["read", "send"]), &Value::Null)
    });
    assert_eq!(before[..], after[..before.len()], "what was said is sent again");
    assert_eq!(
        reminders(&home)[1..],
        [
            (vec![], named(&["mcp__s__read", "mcp__s__send"])),
            (named(&["mcp__s__read", "mcp__s__send"]), vec![])
        ]
    );
    let list = |at: usize| home.requests()[at]["tools"].to_string();
    assert!(list(count).contains("mcp__t__read") && !list(count).contains("mcp__s__read"));
    assert_eq!(list(count), list(count + 1));

    // All are there from the start: nothing is told of what the model knows.
    let told = reminders(&home).len();
    lives(
        &|tools| {
            ["s", "t"]
                .into_iter()
                .for_each(|server| serve(tools, server, &json!(["read", "send"]), &Value::Null))
        },
        &|_| {},
    );
    assert_eq!(reminders(&home).len(), told);
    grows(&home.requests()[count + 2..]);
}

#[test]
fn another_model_begins_with_the_tools_of_the_day() {
    life(async {
        let home = Home::new();
        let (config, tools) = config(&home, &script(&[]));
        let mut front = Front::open(config).await;
        turn(&mut front, "one").await;
        serve(&tools, "s", &json!(["read"]), &Value::Null);
        front.send(Command::SetModel("scripted/other".into())).await.unwrap();
        turn(&mut front, "two").await;
        front.close().await;
        assert!(home.requests()[1]["tools"].to_string().contains("mcp__s__read"));
        assert_eq!(reminders(&home), []);
    });
}

#[test]
fn a_provider_that_takes_tools_later_gets_them_at_the_end() {
    life(async {
        let home = Home::new();
        let calls = [
            ("Serve", json!({"join": "s", "tools": ["read", "send"]})),
            ("ToolSearch", json!({"query": "select:mcp__s__send"})),
            ("mcp__s__send", json!({})),
            ("Serve", json!({"leave": "s"})),
            ("Serve", json!({"join": "s", "tools": ["send"], "about": "Another."})),
            ("ToolSearch", json!({"query": "select:mcp__s__send"})),
        ];
        let tools = registry();
        let config = home.deferring(SessionStart::New(Some(SESSION)), &script(&calls));
        let mut front = Front::open(Config { tools, ..config }).await;
        turn(&mut front, "go").await;
        front.close().await;
        let requests = home.requests();
        let lists: Vec<&Vec<Value>> = requests.iter().map(|it| it["tools"].as_array().unwrap()).collect();
        assert_eq!(lists[0], lists[1]);
        assert_eq!(lists[2].last().unwrap()["name"], "mcp__s__send");
        assert_eq!(lists[2][..lists[2].len() - 1], lists[0][..]);
        assert!(lists[2..].iter().all(|list| *list == lists[2]), "what left stays in the list");
        let told = reminders(&home);
        assert_eq!(told[1], (vec![], named(&["mcp__s__read", "mcp__s__send"])));
        assert_eq!(told[2], (named(&["mcp__s__send"]), vec![]));
    });
}

#[test]
fn a_subagent_hears_of_its_own_part() {
    life(async {
        let home = Home::new();
        let task = json!({"description": "Look", "prompt": "TASK one", "subagent_type": "general-purpose"});
        let script = format!(
            r#"
[[start]]
prompt = "TASK"
goto = "agent"
[[answer]]
call = [{{ tool = "Agent", input = {} }}]
[[answer]]
name = "end"
text = "Done."
[[answer]]
name = "agent"
call = [{{ tool = "Serve", input = {{ join = "s", tools = ["read"] }} }}]
[[answer]]
call = [{{ tool = "CallTool", input = {{ name = "mcp__s__read", input = {{ x = 1 }} }} }}]
[[answer]]
text = "I found it."
"#,
            toml(&task)
        );
        let (config, _) = config(&home, &script);
        let mut front = Front::open(config).await;
        turn(&mut front, "go").await;
        front.close().await;
        let requests = home.requests();
        let of_agent: Vec<Value> = requests
            .iter()
            .filter(|it| {
                it["messages"].to_string().contains("TASK one")
                    && !it["tools"].to_string().contains("\"Agent\"")
            })
            .cloned()
            .collect();
        assert_eq!(of_agent.len(), 3);
        grows(&of_agent);
        assert!(of_agent[1]["messages"].to_string().contains("`mcp__s__read`"));
        let ran = results(&home).into_iter().any(|(_, text)| text == "ran with {\"x\":1}");
        assert!(ran, "{:?}", results(&home));
        // Both were told, each in its own conversation.
        assert_eq!(reminders(&home).len(), 2);
    });
}

/// Plays turns over a real wire; the bodies that were sent.
fn bodies(wire_format: WireFormat, script: &str, turns: usize) -> Vec<String> {
    let server = wire::ScriptedServer::start(wire::ServerOptions {
        script: Some(script.to_owned()),
        keep: true,
        ..wire::ServerOptions::default()
    });
    life(async {
        let home = Home::new();
        let (config, _) = config(&home, script);
        let models = over_wire(&server, wire_format);
        let mut front = Front::open(Config { models, responder: Responder::Nobody, ..config }).await;
        for at in 0..turns {
            assert_eq!(turn(&mut front, &format!("turn {at}")).await, EndReason::Done);
        }
        front.close().await;
    });
    assert_eq!(server.problems(), [""; 0]);
    server.requests().iter().map(|it| String::from_utf8(it.body.to_vec()).unwrap()).collect()
}

/// The body without what marks where a cache may end: that moves on with the conversation.
fn unmarked(body: &str) -> String {
    let marks = [r#","cache_control":{"type":"ephemeral"}"#, r#""cache_control":{"type":"ephemeral"},"#];
    marks.iter().fold(body.to_owned(), |body, mark| body.replace(mark, ""))
}

/// Each body, to its last message, is what the next one begins with.
fn bytes_grow(wire_format: WireFormat, bodies: &[String]) {
    for pair in bodies.windows(2) {
        let (before, after) = (unmarked(&pair[0]), unmarked(&pair[1]));
        let before = before.strip_suffix("]}").unwrap();
        let same = before.bytes().zip(after.bytes()).take_while(|(a, b)| a == b).count();
        let around = |body: &str| body.chars().skip(same.saturating_sub(80)).take(200).collect::<String>();
        assert!(after.starts_with(before), "{wire_format:?}\n{}\n{}", around(before), around(&after));
    }
}

#[test]
fn the_bytes_on_every_wire_only_grow() {
    let calls = [
        ("Serve", json!({"join": "s", "tools": ["read", "send"]})),
        ("ToolSearch", json!({"query": "select:mcp__s__read"})),
        generic("mcp__s__read", json!({"x": 1})),
        ("Serve", json!({"join": "s", "tools": ["read"], "about": "Another."})),
        ("Serve", json!({"join": "t", "tools": ["wipe"]})),
        ("Serve", json!({"leave": "s"})),
        generic("mcp__s__read", json!({})),
    ];
    for wire_format in wire::WIRE_FORMATS {
        let bodies = bodies(wire_format, &script(&calls), 2);
        assert_eq!(bodies.len(), 9);
        bytes_grow(wire_format, &bodies);
    }
}

/// Whatever joins, leaves, is called and asked, in whatever order.
#[test]
fn in_any_order_what_was_sent_stays() {
    let step = (0..3usize, 0..5u8, 1..8u8).prop_map(|(server, what, which)| {
        let server = ["a", "b", "c"][server];
        let tools: Vec<&str> = ["read", "send", "wipe"]
            .into_iter()
            .enumerate()
            .filter(|(at, _)| which & (1 << at) != 0)
            .map(|it| it.1)
            .collect();
        match what {
            0 | 1 => ("Serve", json!({"join": server, "tools": tools, "about": format!("About {which}.")})),
            2 => ("Serve", json!({"leave": server})),
            3 => ("ToolSearch", json!({"query": format!("{server} {}", tools[0])})),
            _ => generic(&format!("mcp__{server}__{}", tools[0]), json!({"x": which})),
        }
    });
    let steps = prop::collection::vec(step, 1..14);
    let wire_formats = Mutex::new(wire::WIRE_FORMATS.into_iter().cycle());
    let mut runner =
        TestRunner::new(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() });
    runner
        .run(&(steps, 1..4usize), |(steps, turns)| {
            let wire_format = wire_formats.lock().unwrap().next().unwrap();
            bytes_grow(wire_format, &bodies(wire_format, &script(&steps), turns));
            Ok(())
        })
        .unwrap();
}
