//! Real scripts: what they are told, how they end, and that nothing of them is left.
#![expect(clippy::disallowed_methods, reason = "tests measure how long scripts take")]

use std::fs;
use std::time::{Duration, Instant};

use forelook_protocol::{CallId, HookDecision, Mode, SessionId};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::*;
use crate::{HookContext, HookPayload, HookToolCall, Matcher};

/// Longer than anything here should take, also on a busy machine.
const LONG: Duration = Duration::from_secs(30);

/// A folder in which hooks run, and what they are told.
struct Lab {
    folder: TempDir,
    input: Value,
    call: CallId,
}

impl Lab {
    fn new() -> Self {
        Self {
            folder: tempfile::tempdir().unwrap(),
            input: json!({"command": "ls"}),
            call: CallId("t1".into()),
        }
    }

    fn path(&self) -> AbsPath {
        AbsPath::new(fs::canonicalize(self.folder.path()).unwrap()).unwrap()
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.folder.path().join(name)).unwrap_or_default()
    }

    async fn run(&self, hooks: Vec<Hook>) -> HookOutcome {
        self.run_until(hooks, CancellationToken::new()).await
    }

    async fn run_until(&self, hooks: Vec<Hook>, cancel: CancellationToken) -> HookOutcome {
        let mut env = ChildEnv::default();
        env.set("PATH", "/usr/local/bin:/usr/bin:/bin");
        env.set("ANTHROPIC_API_KEY", "sk-planted-key");
        env.set("COPY_OF_IT", "sk-planted-key");
        env.set("PWD", "/elsewhere");
        let folder = self.path();
        let context = HookContext {
            session_id: SessionId(uuid::Uuid::nil()),
            transcript_path: &folder,
            cwd: &folder,
            permission_mode: Mode::Default,
            agent: None,
        };
        let call = HookToolCall { tool_name: "Bash", tool_input: &self.input, tool_use_id: &self.call };
        let input = HookInput { context: context.clone(), payload: HookPayload::PreToolUse(call) };
        let hooks = Hooks::new(hooks, env, folder.clone());
        tokio::time::timeout(LONG, hooks.run(input, cancel)).await.expect("the hooks hang")
    }
}

fn hook(command: &str) -> Hook {
    Hook::new(HookEvent::PreToolUse, command, "settings.json:1")
}

async fn run(command: &str) -> HookOutcome {
    Lab::new().run(vec![hook(command)]).await
}

fn denied(outcome: &HookOutcome) -> &str {
    match &outcome.decision {
        Some(HookDecision::Deny(why)) => why,
        _ => panic!("not denied: {outcome:?}"),
    }
}

/// Waits until none of these processes runs (one that only waits to be reaped does not).
async fn assert_gone(pids: &str) {
    assert!(!pids.trim().is_empty(), "the script told no processes");
    let runs = |pid: &str| {
        let stat = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        !stat.is_empty() && !stat.contains(") Z ")
    };
    let start = Instant::now();
    while let Some(pid) = pids.split_whitespace().find(|pid| runs(pid)) {
        assert!(start.elapsed() < LONG, "{pid} still runs");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test]
async fn exit_codes() {
    assert_eq!(run("exit 0").await, HookOutcome::default());
    assert_eq!(denied(&run("echo no >&2; exit 2").await), "no (hook settings.json:1)");
    for (command, words) in [
        ("echo out; echo err >&2; exit 1", "failed with exit code 1: err\n"),
        ("kill -KILL $$", "failed: ended by signal SIGKILL"),
        ("no-such-command-here", "could not be run: "),
        ("./not-there.sh", "could not be run: "),
        ("echo a\0b", "could not be started: "),
    ] {
        let outcome = run(command).await;
        assert_eq!((outcome.decision, outcome.problems.len()), (None, 1), "{command}");
        assert!(outcome.problems[0].contains(words), "{command}: {:?}", outcome.problems);
        let closed = Lab::new().run(vec![Hook { fail_closed: true, ..hook(command) }]).await;
        assert!(denied(&closed).contains(words.trim_end()), "{command}: {closed:?}");
    }
    // bash ends a line it cannot parse with 2: a slip in a hook blocks and says so.
    assert!(denied(&run("if").await).contains("syntax error"));
}

#[tokio::test]
async fn a_folder_that_is_gone_is_a_failure() {
    let lab = Lab::new();
    let hooks = Hooks::new(vec![hook("true")], ChildEnv::default(), lab.path().join("gone"));
    let (path, call) = (lab.path(), &lab.call);
    let input = HookInput {
        context: HookContext {
            session_id: SessionId(uuid::Uuid::nil()),
            transcript_path: &path,
            cwd: &path,
            permission_mode: Mode::Default,
            agent: None,
        },
        payload: HookPayload::PreToolUse(HookToolCall {
            tool_name: "Bash",
            tool_input: &lab.input,
            tool_use_id: call,
        }),
    };
    let outcome = hooks.run(input, CancellationToken::new()).await;
    assert!(outcome.problems[0].contains("could not be started"), "{outcome:?}");
}

#[tokio::test]
async fn it_is_told_the_occasion_in_the_project_folder_without_keys() {
    let lab = Lab::new();
    let outcome = lab.run(vec![hook("cat > told; pwd > folder; env > env; ls -l /proc/$$/fd > fds")]).await;
    assert_eq!(outcome, HookOutcome::default());
    let told: Value = serde_json::from_str(&lab.read("told")).unwrap();
    assert_eq!((&told["tool_name"], &told["tool_input"]), (&json!("Bash"), &lab.input));
    let folder = lab.path().to_string();
    assert_eq!(lab.read("folder").trim(), folder);
    let env = lab.read("env");
    for line in ["FORELOOK_PROJECT_DIR", "CLAUDE_PROJECT_DIR", "PWD"].map(|name| format!("{name}={folder}")) {
        assert!(env.lines().any(|other| other == line), "{line} is not in {env}");
    }
    assert!(!env.contains("ANTHROPIC") && !env.contains("sk-planted-key"), "{env}");
}

#[tokio::test]
async fn json_answers_come_through() {
    let answer = json!({"systemMessage": "ä", "hookSpecificOutput": {
        "permissionDecision": "allow", "permissionDecisionReason": "fine", "updatedInput": {"command": "ls -l"},
    }});
    let outcome = run(&format!("printf '\\n%s\\n' '{answer}'; echo log >&2")).await;
    assert_eq!(outcome.decision, Some(HookDecision::Allow("fine (hook settings.json:1)".into())));
    assert_eq!(outcome.updated_input, Some(json!({"command": "ls -l"})));
    assert_eq!((outcome.messages, outcome.problems), (vec!["ä".to_owned()], vec![]));
}

#[tokio::test]
async fn a_time_out_leaves_no_process() {
    let lab = Lab::new();
    // The second shell does not listen to the polite signal.
    let command = "echo $$ >> pids; sleep 600 & echo $! >> pids; \
                   bash -c 'trap \"\" TERM; echo $$ >> pids; while :; do sleep 600; done' & wait";
    let slow = Hook { timeout: Duration::from_secs(2), fail_closed: true, ..hook(command) };
    let outcome = lab.run(vec![slow, hook("echo no >&2; exit 2")]).await;
    assert!(denied(&outcome).contains("timed out after 2 s"), "{outcome:?}");
    assert!(denied(&outcome).ends_with("\nno (hook settings.json:1)"), "{outcome:?}");
    assert_eq!(lab.read("pids").lines().count(), 3);
    assert_gone(&lab.read("pids")).await;
}

#[tokio::test]
async fn a_time_out_without_end_is_none() {
    assert_eq!(
        Lab::new().run(vec![Hook { timeout: Duration::MAX, ..hook("true") }]).await,
        HookOutcome::default()
    );
}

#[tokio::test]
async fn much_output_is_taken_and_cut() {
    let flood = "head -c 10000000 /dev/zero | tr '\\0' ";
    assert_eq!(run(&format!("{flood} x")).await, HookOutcome::default());
    let outcome = run(&format!("printf '{{'; {flood} x")).await;
    assert!(outcome.problems[0].contains("longer than 1048576 bytes"), "{outcome:?}");
    let outcome = run(&format!("{flood} x >&2; exit 2")).await;
    assert_eq!(denied(&outcome).len(), 64 * 1024 + " (hook settings.json:1)".len());
}

#[tokio::test]
async fn input_may_be_ignored_or_read_slowly() {
    let mut lab = Lab::new();
    lab.input = json!({"content": "x".repeat(3_000_000)});
    let slowly = "head -c 1 > /dev/null; sleep 0.3; cat | wc -c > count";
    let outcome = lab.run(vec![hook("exec <&-; exit 0"), hook("true"), hook(slowly)]).await;
    assert_eq!(outcome, HookOutcome::default());
    assert!(lab.read("count").trim().parse::<usize>().unwrap() > 3_000_000);
}

#[tokio::test]
async fn output_that_is_not_utf8() {
    let outcome = run("printf 'no \\377!' >&2; exit 2").await;
    assert_eq!(denied(&outcome), "no \u{fffd}! (hook settings.json:1)");
    let outcome = run("printf '{\"systemMessage\": \"\\377\"}'").await;
    assert!(outcome.problems[0].contains("not UTF-8"), "{outcome:?}");
}

#[tokio::test]
async fn a_daemon_with_the_pipe_does_not_hold_the_answer_up() {
    let lab = Lab::new();
    let start = Instant::now();
    let outcome = lab.run(vec![hook("sleep 600 & echo $! > pids; echo no >&2; exit 2")]).await;
    assert_eq!(denied(&outcome), "no (hook settings.json:1)");
    assert_gone(&lab.read("pids")).await;
    // One with a session of its own is out of reach; it lives, and is not waited for either. It ends by itself.
    let outcome = lab.run(vec![hook("setsid sleep 20 & echo no >&2; exit 2")]).await;
    assert_eq!(denied(&outcome), "no (hook settings.json:1)");
    assert!(start.elapsed() < Duration::from_secs(15), "waited {:?}", start.elapsed());
}

#[tokio::test]
async fn many_run_side_by_side() {
    let lab = Lab::new();
    // Each waits until all twenty have begun: one after another they would wait for ever.
    let command = |n: usize| {
        format!(
            "touch begun-{n}; until [ $(ls begun-* | wc -l) = 20 ]; do sleep 0.05; done; echo {n} >&2; exit 2"
        )
    };
    let outcome = lab.run((0..20).map(|n| hook(&command(n))).collect()).await;
    let expected: Vec<String> = (0..20).map(|n| format!("{n} (hook settings.json:1)")).collect();
    assert_eq!(denied(&outcome), expected.join("\n"));
}

#[tokio::test]
async fn the_same_command_runs_once_and_others_not_at_all() {
    let lab = Lab::new();
    let count = |event, matcher: &str, origin: &str| Hook {
        matcher: Matcher::new(matcher, origin).unwrap(),
        ..Hook::new(event, "echo ran >> count; exit 3", origin)
    };
    let hooks = vec![
        count(HookEvent::PreToolUse, "Bash", "a:1"),
        count(HookEvent::PreToolUse, "Edit|Write", "b:1"),
        count(HookEvent::PostToolUse, "", "c:1"),
        Hook { fail_closed: true, ..count(HookEvent::PreToolUse, "B.*", "d:1") },
    ];
    let outcome = lab.run(hooks).await;
    assert_eq!(lab.read("count"), "ran\n");
    assert!(denied(&outcome).contains("(hook a:1 and d:1)"), "{outcome:?}");
    assert!(outcome.problems[0].contains("(a:1 and d:1)"), "{outcome:?}");
}

#[tokio::test]
async fn a_cancel_ends_them_and_lets_nothing_pass() {
    let lab = Lab::new();
    let cancel = CancellationToken::new();
    let begun = async {
        while lab.read("pids").lines().count() < 2 {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        cancel.cancel();
    };
    let hooks = vec![hook("echo $$ >> pids; sleep 600"), hook("echo $$ >> pids; sleep 600; true")];
    let (outcome, ()) = tokio::join!(lab.run_until(hooks.clone(), cancel.clone()), begun);
    assert!(denied(&outcome).starts_with("Interrupted"), "{outcome:?}");
    assert!(outcome.problems.is_empty());
    assert_gone(&lab.read("pids")).await;
    // A token that is cancelled already starts nothing.
    let lab = Lab::new();
    assert!(denied(&lab.run_until(hooks, cancel).await).starts_with("Interrupted"));
    assert_eq!(lab.read("pids"), "");
}

#[tokio::test]
async fn dropping_it_ends_them() {
    let lab = Lab::new();
    let begun = async {
        while lab.read("pids").is_empty() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    tokio::select! {
        outcome = lab.run(vec![hook("echo $$ > pids; sleep 600; true")]) => panic!("ended: {outcome:?}"),
        () = begun => {}
    }
    assert_gone(&lab.read("pids")).await;
}

#[tokio::test]
async fn a_command_that_must_not_run_now_does_not() {
    let lab = Lab::new();
    let folder = lab.path();
    let (input, call) = (json!({}), CallId("t1".into()));
    let context = HookContext {
        session_id: SessionId(uuid::Uuid::nil()),
        transcript_path: &folder,
        cwd: &folder,
        permission_mode: Mode::Default,
        agent: None,
    };
    let call = HookToolCall { tool_name: "Bash", tool_input: &input, tool_use_id: &call };
    let input = || HookInput { context: context.clone(), payload: HookPayload::PreToolUse(call) };
    let check = |command: &str| if command.contains("evil") { Err("it changed".to_owned()) } else { Ok(()) };
    let mut env = ChildEnv::default();
    env.set("PATH", "/usr/local/bin:/usr/bin:/bin");
    for fail_closed in [false, true] {
        let hooks = vec![hook("touch good"), Hook { fail_closed, ..hook("touch evil") }];
        let hooks = Hooks::new(hooks, env.clone(), folder.clone()).checked(CommandCheck::new(check));
        let outcome = hooks.run(input(), CancellationToken::new()).await;
        assert!(folder.join("good").as_path().exists() && !folder.join("evil").as_path().exists());
        assert!(outcome.problems[0].contains("was not run: it changed"), "{outcome:?}");
        assert_eq!(matches!(outcome.decision, Some(HookDecision::Deny(_))), fail_closed);
    }
}
