//! What commands show, and what they ask for.

use std::collections::BTreeMap;
use std::sync::Arc;

use forelook_protocol::{
    AbsPath, AgentInfo, Behavior, Cost, Entry, FenceReport, FolderTrust, Mode, ModelInfo, ModelUsage,
    RuleOrigin, RunningShell, SettingInfo, SettingOrigin, Source, Status, Todo, TodoStatus, TotalCost,
    TrustReport, Usage,
};
use serde_json::{Value, json};

use super::*;
use crate::term::{Code, Key};
use crate::theme::Theme;
use crate::view::{PickAction, Picker, ViewOutcome};
use ratatui_core::layout::Size;

fn ctx(width: usize) -> RenderContext {
    RenderContext { width, theme: Theme::DARK }
}

fn status() -> Status {
    let usage = Usage {
        input_tokens: 12_345,
        output_tokens: 345,
        cache_read_input_tokens: 1_234_567,
        cache_creation_input_tokens: 89,
    };
    let spent = BTreeMap::from([
        ("anthropic/one".to_owned(), ModelUsage { usage, cost: TotalCost::Exact(Cost(1_234_567_890)) }),
        ("odd".to_owned(), ModelUsage { usage, cost: TotalCost::AtLeast(Cost(0)) }),
    ]);
    Status {
        session: serde_json::from_value(json!("00000000-0000-7000-8000-000000000001")).unwrap(),
        folder: AbsPath::new("/home/me/project").unwrap(),
        mode: Mode::Plan,
        model: "anthropic/one".into(),
        window: Some(200_000),
        tools: vec!["Bash".into(), "Read".into()],
        spent,
        todos: Vec::new(),
        plan: None,
        agents: vec![
            AgentInfo {
                name: "Explore".into(),
                description: "Finds out how things are.\nReads only.".into(),
            },
            AgentInfo {
                name: "reviewer".into(),
                description:
                    "Reviews a change with fresh eyes, line by line, and says what it would not merge.".into(),
            },
        ],
        unavailable_modes: BTreeMap::from([
            (Mode::Auto, "this version has no classifier".to_owned()),
            (
                Mode::BypassPermissions,
                "the session was not started with `--permission-mode bypassPermissions`".to_owned(),
            ),
        ]),
    }
}

fn page(picker: &mut crate::view::Picker, ctx: RenderContext) -> String {
    let page = picker.page(ratatui_core::layout::Size::new(u16::try_from(ctx.width).unwrap(), 15), ctx);
    text(&page.rows, ctx.width)
}

fn text(rows: &[Line<'static>], width: usize) -> String {
    assert!(rows.iter().all(|row| row.width() <= width), "too wide for {width}");
    rows.iter().map(|row| row.to_string().trim_end().to_owned() + "\n").collect()
}

#[test]
fn what_commands_show() {
    let todo = |content: &str, status| Todo {
        content: content.into(),
        status,
        active_form: format!("Doing {content}"),
    };
    let todos = [
        todo("look", TodoStatus::Completed),
        todo("change", TodoStatus::InProgress),
        todo("test all of it, and then everything once more", TodoStatus::Pending),
    ];
    let rule = |rule: &str, behavior, source, line| RuleOrigin {
        rule: rule.into(),
        behavior,
        source,
        file: AbsPath::new("/home/me/project/.forelook/settings.json").ok().filter(|_| line > 0),
        line: Some(line),
    };
    let rules = [
        rule("Bash(cargo test:*)", Behavior::Allow, Source::Session, 0),
        rule("Read(.env)", Behavior::Deny, Source::ProjectSettings, 4),
    ];
    let untrusted = TrustReport {
        folder: AbsPath::new("/home/me/project").unwrap(),
        state: FolderTrust::NotYet,
        contents: vec!["allow rule `Bash(make:*)`".into(), "hook `./check.sh` (Stop)".into()],
    };
    let file = AbsPath::new("/home/me/.forelook/settings.json").ok();
    let setting = |key: &str, value: &str, origin, counts| SettingInfo {
        key: key.into(),
        value: value.into(),
        origin,
        counts,
    };
    let in_file = |line| SettingOrigin::Settings { source: Source::UserSettings, file: file.clone(), line };
    let settings = [
        setting("permissions.defaultMode", "`default`", SettingOrigin::Default, true),
        setting("model.main", "anthropic/one", SettingOrigin::Flag { name: "--model".into() }, true),
        setting("model.main", "openai/two", in_file(3), false),
        setting("hooks", "Stop: notify-send \u{1b}[2J done, PreToolUse: ./check.sh --all", in_file(7), true),
        setting("theme", "`dark`", SettingOrigin::Default, true),
    ];
    let hook = |event, matcher: &str, command: &str| forelook_protocol::HookInfo {
        event,
        matcher: matcher.into(),
        command: command.into(),
        origin: "/home/me/.forelook/settings.json:12".into(),
    };
    let hooks = [
        hook(forelook_protocol::HookEvent::PreToolUse, "Edit|Write", "./check.sh"),
        hook(forelook_protocol::HookEvent::PreToolUse, "", "log\u{1b}[2J"),
        hook(forelook_protocol::HookEvent::Stop, "", "notify-send done"),
    ];
    let report = FenceReport {
        enforced: true,
        layers: vec!["namespaces: active".into(), "Landlock: active, ABI 7".into()],
        policies: vec!["while planning: nothing is written, no network".into()],
    };
    let outside = [RunningShell { id: Some("shell_1".into()), command: "npm run dev".into() }];
    for width in [40, 80, 200] {
        let ctx = ctx(width);
        // The version changes with each release.
        let status_rows =
            text(&status::rows(&status(), ctx), width).replace(env!("CARGO_PKG_VERSION"), "X.Y.Z");
        let parts = [
            text(&cost::rows(&status(), ctx), width),
            status_rows,
            text(&todos::rows(&todos, ctx), width),
            text(&todos::rows(&[], ctx), width),
            page(&mut permissions::picker(&rules, Some(&untrusted)), ctx),
            page(&mut permissions::picker(&[], None), ctx),
            text(&config::rows(&settings.iter().collect::<Vec<_>>(), ctx), width),
            text(&hooks::rows(&hooks, ctx), width),
            text(&hooks::rows(&[], ctx), width),
            text(&doctor::rows(&report, &outside, ctx), width),
            text(&doctor::rows(&FenceReport::default(), &[], ctx), width),
            text(&help::rows(ctx, false), width),
        ];
        insta::assert_snapshot!(format!("commands_{width}"), parts.join("\n"));
    }
}

/// A list as it is seen while this row is looked at.
fn picked(mut picker: Picker, row: usize, (width, height): (u16, u16)) -> String {
    (0..row).for_each(|_| drop(picker.key(Key::plain(Code::Down))));
    let page = picker.page(Size::new(width, height), ctx(usize::from(width)));
    assert!(page.rows.len() <= usize::from(height), "{} rows", page.rows.len());
    text(&page.rows, usize::from(width))
}

#[test]
fn modes_and_agents_explain_themselves() {
    for size in [(40, 15), (80, 24), (200, 60)] {
        let modes = [0, 5, 6].map(|row| picked(mode::picker(&status()), row, size));
        let agents = [0, 3].map(|row| {
            let at_work = ["Explore: Look around".to_owned()];
            picked(agents::picker(&at_work, &status()), row, size)
        });
        insta::assert_snapshot!(
            format!("pickers_{}", size.0),
            [modes.join("~~~\n"), agents.join("~~~\n")].join("~~~\n")
        );
    }
}

#[test]
fn a_mode_that_cannot_be_had_cannot_be_chosen() {
    let mut picker = mode::picker(&status());
    let mut chosen = |keys: &[Code]| keys.iter().map(|code| picker.key(Key::plain(*code))).last();
    assert_eq!(chosen(&[Code::End, Code::Enter]), Some(ViewOutcome::Stay(Vec::new())));
    let plan = PickAction::Send(forelook_protocol::Command::SetMode(Mode::Plan));
    assert_eq!(chosen(&[Code::Home, Code::Enter]), Some(ViewOutcome::Chosen(plan)));
}

#[test]
fn a_model_without_a_key_is_marked_before_it_is_looked_at() {
    let model = |name: &str, missing: Option<&str>| ModelInfo {
        name: name.into(),
        title: name.to_uppercase(),
        window: Some(200_000),
        output: None,
        price: None,
        missing: missing.map(str::to_owned),
    };
    let models = [model("a/one", None), model("b/two", Some("no key for B: set the variable `B`"))];
    let list = picked(model::picker("a/one", &models), 0, (80, 24));
    assert!(list.contains("(no key for B) B/TWO") && !list.contains("(no key for B) A/ONE"), "{list}");
    assert!(!list.contains("set the variable"), "{list}");
    let list = picked(model::picker("a/one", &models), 2, (80, 24));
    assert!(list.contains(" No key for B: set the variable `B`"), "{list}");
}

#[test]
fn names_that_are_no_command() {
    for (name, expected) in [
        ("modle", "Unknown command `/modle`. Did you mean `/model`?"),
        ("perm", "Unknown command `/perm`. Did you mean `/permissions`?"),
        ("ressume", "Unknown command `/ressume`. Did you mean `/resume`?"),
        ("xyzzy", "Unknown command `/xyzzy`. Type `/help` for a list"),
    ] {
        assert_eq!(unknown(name), expected);
    }
    for slash in ALL {
        assert!(named(slash.name).is_some_and(|it| it.name == slash.name));
        assert!(slash.about.len() <= 90, "{}", slash.name);
    }
}

fn entry(kind: &str, data: Value) -> Arc<Entry> {
    let id = "00000000-0000-7000-8000-000000000002";
    let line = json!({"id": id, "parent": null, "time": "2026-03-01T12:00:00Z", "kind": kind, "data": data});
    Arc::new(Entry::parse(&line.to_string()).unwrap())
}

#[test]
fn a_conversation_as_markdown() {
    let call = json!({"type": "tool_use", "id": "1", "name": "Bash", "input": {"command": "cat a.md"}});
    let blocks = json!([{"type": "text", "text": "I look."}, call]);
    let content = json!([{"type": "text", "text": "# A\n```\ncode\n```"}]);
    let words = json!([{"type": "text", "text": "What's in a.md?\nSay it."}]);
    let entries = [
        entry("prompt_accepted", json!({"content": words, "origin": {"type": "person"}})),
        entry(
            "model_answered",
            json!({"message": "m", "model": "x", "blocks": blocks, "stop": "tool_use", "usage": {}}),
        ),
        entry("tool_finished", json!({"result": {"tool_use_id": "1", "content": content}, "status": "ran"})),
    ];
    insta::assert_snapshot!(export::markdown(&entries));
    assert_eq!(export::default_name(&entries), "forelook-2026-03-01-what-s-in-a-md-say-it.md");
}
