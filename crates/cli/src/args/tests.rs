//! What the command line takes.

use super::*;

pub(super) fn words(line: &str) -> Vec<OsString> {
    std::iter::once("forelook")
        .chain(line.split(' ').filter(|word| !word.is_empty()))
        .map(OsString::from)
        .collect()
}

#[test]
fn the_definition_is_consistent() {
    Args::command().debug_assert();
}

#[test]
fn what_an_sdk_passes_is_taken() {
    let mut line = words("--output-format stream-json --verbose --system-prompt");
    line.push(OsString::new());
    line.extend(
        words("--thinking adaptive --allowedTools Read,Bash(ls:*) --setting-sources= --input-format stream-json --new-flag").drain(1..),
    );
    let parsed = parse(line).unwrap();
    assert_eq!(parsed.unknown, ["--thinking", "--new-flag"]);
    assert_eq!(parsed.args.run.session.rules.allowed_tools, ["Read,Bash(ls:*)"]);
    assert_eq!(parsed.args.run.session.system_prompt.as_deref(), Some(""));
    assert_eq!(parsed.args.run.input_format, InputFormat::StreamJson);
}

#[test]
fn words_for_the_model_may_begin_with_a_hyphen() {
    let mut line = words("--append-system-prompt --kind --system-prompt");
    line.push("- Be brief.".into());
    let run = parse(line).unwrap().args.run.session;
    assert_eq!(run.append_system_prompt.as_deref(), Some("--kind"));
    assert_eq!(run.system_prompt.as_deref(), Some("- Be brief."));
}

#[test]
fn an_unknown_flag_is_an_error_with_the_nearest_name() {
    let Err(error) = parse(words("--permision-mode plan")) else { panic!("was taken") };
    assert!(error.to_string().contains("--permission-mode"), "{error}");
}

#[test]
fn a_mistyped_subcommand_is_no_prompt() {
    for (line, expected) in [
        ("plnas", "forelook plans"),
        ("plnas list", "forelook plans"),
        ("sesions list --all", "forelook sessions"),
        ("completion bash", "forelook completions"),
        ("docter", "forelook doctor"),
        ("hepl", "forelook help"),
        ("halp", "forelook help"),
        ("halp me", "forelook help"),
        ("Plan x", "forelook plan"),
        ("fix the bug", "in quotes: `forelook \"fix"),
        ("-p hello there", "in quotes: `forelook -p \"fix"),
        ("--model a/b -p hello there", "in quotes: `forelook -p"),
        ("hello there -p", "in quotes: `forelook -p"),
        ("login", "forelook models"),
        ("login now", "forelook models"),
        ("mcp", "--help"),
        ("mcp add x", "--help"),
        ("mcp add x --scope user", "--help"),
        ("resume", "forelook -c"),
        ("exec", "forelook -p"),
    ] {
        let error = parse(words(line)).err().unwrap_or_else(|| panic!("{line} was taken"));
        assert_eq!(error.exit_code(), 2, "{line}");
        assert!(error.to_string().contains(expected), "{line}: {error}");
    }
    for line in [
        "-- plnas",
        "-- login",
        "-p login",
        "-p plnas",
        "-c plnas",
        "hello",
        "--model a/b plnas",
        "sessions list",
        "plan x",
    ] {
        assert!(parse(words(line)).is_ok(), "{line}");
    }
    for prompt in ["fix the bug", "plnas list", "plnas?", "./plnas", ""] {
        let line = vec!["forelook".into(), prompt.into()];
        assert_eq!(parse(line).unwrap().args.run.prompt.as_deref(), Some(prompt));
    }
}

#[test]
fn both_forms_of_values() {
    for line in ["--resume=01890a5d-ac96-774b-bcce-b302099a8057", "-r 01890a5d-ac96-774b-bcce-b302099a8057"] {
        assert!(matches!(parse(words(line)).unwrap().args.run.resume, Some(Some(_))), "{line}");
    }
    assert_eq!(parse(words("--resume")).unwrap().args.run.resume, Some(None));
    assert!(parse(words("--resume xyz")).is_err());
    assert!(parse(words("--max-turns 0")).is_err());
    assert!(parse(words("--permission-mode warp")).is_err());
}
