//! What a child sees of the person's variables.

use proptest::prelude::*;

use super::*;

#[test]
fn names_of_keys_are_known() {
    let secret = [
        "ANTHROPIC_API_KEY",
        "ANTHROPIC_AUTH_TOKEN",
        "OPENAI_API_KEY",
        "OPENROUTER_API_KEY",
        "my_company_api_key",
        "CLAUDE_CODE_OAUTH_TOKEN",
        "HF_TOKEN",
    ];
    let plain = ["PATH", "HOME", "API_KEY_FILE", "NODE_AUTH_TOKEN", "SSH_AUTH_SOCK", "GITHUB_TOKEN", ""];
    for name in secret {
        assert!(is_secret_name(OsStr::new(name)), "{name}");
    }
    for name in plain {
        assert!(!is_secret_name(OsStr::new(name)), "{name}");
    }
}

#[test]
fn a_key_under_a_name_of_ones_own_is_forgotten() {
    let given = [("WORK", "sk-planted-1234"), ("COPY", "sk-planted-1234"), ("X", "short"), ("Y", "short")];
    let mut env = ChildEnv::without_secrets(given.map(|(name, value)| (name.into(), value.into())));
    env.forget("WORK");
    env.forget("X");
    env.forget("NONE");
    assert_eq!(env.iter().map(|(name, _)| name.to_string_lossy()).collect::<Vec<_>>(), ["Y"]);
}

#[test]
fn keys_go_under_any_name_and_the_rest_stays() {
    let given = [
        ("PATH", "/bin"),
        ("OPENAI_API_KEY", "sk-planted-1234"),
        ("COPY", "sk-planted-1234"),
        ("GROQ_API_KEY", "x"),
        ("DISPLAY_X", "x"),
        ("TERM", "xterm-256color"),
        ("FORCE_COLOR", "1"),
        ("GIT_EDITOR", "vim"),
        ("GIT_SEQUENCE_EDITOR", ":"),
        ("EDITOR", "vim"),
    ];
    let env = ChildEnv::from_process_without_secrets(given.map(|(name, value)| (name.into(), value.into())));
    let names: Vec<_> = env.iter().map(|(name, _)| name.to_string_lossy().into_owned()).collect();
    assert_eq!(
        names,
        [
            "DISPLAY_X",
            "EDITOR",
            "GIT_EDITOR",
            "GIT_PAGER",
            "GIT_SEQUENCE_EDITOR",
            "GIT_TERMINAL_PROMPT",
            "MANPAGER",
            "NO_COLOR",
            "PAGER",
            "PATH",
            "SYSTEMD_PAGER",
            "TERM"
        ]
    );
    for (name, value) in
        [("TERM", "dumb"), ("GIT_EDITOR", "false"), ("GIT_SEQUENCE_EDITOR", ":"), ("EDITOR", "vim")]
    {
        assert_eq!(env.get(name), Some(OsStr::new(value)), "{name}");
    }
    let env = ChildEnv::without_secrets(given.map(|(name, value)| (name.into(), value.into())));
    let names: Vec<_> = env.iter().map(|(name, _)| name.to_string_lossy().into_owned()).collect();
    assert_eq!(
        names,
        ["DISPLAY_X", "EDITOR", "FORCE_COLOR", "GIT_EDITOR", "GIT_SEQUENCE_EDITOR", "PATH", "TERM"]
    );
    assert_eq!(env.get("TERM"), Some(OsStr::new("xterm-256color")));
}

/// Variables as a person may have them, some of which say something to git already.
fn variables() -> impl Strategy<Value = BTreeMap<OsString, OsString>> {
    let name = prop_oneof![
        "[A-Z_]{1,6}",
        (0..20u32).prop_map(|at| format!("GIT_CONFIG_KEY_{at}")),
        (0..20u32).prop_map(|at| format!("GIT_CONFIG_VALUE_{at}")),
        prop::sample::select(vec![
            "GIT_OPTIONAL_LOCKS",
            "GIT_EXTERNAL_DIFF",
            "GIT_CONFIG_PARAMETERS",
            "GIT_DIR"
        ])
        .prop_map(str::to_owned),
    ];
    let count = prop_oneof![
        (0..20u32).prop_map(|count| count.to_string()),
        prop::sample::select(vec!["", " 3", "+2", "-1", "x", "4294967295", "99999999999999999999"])
            .prop_map(str::to_owned),
    ];
    (prop::collection::btree_map(name, "[a-z.]{0,5}", 0..30), prop::option::of(count)).prop_map(
        |(mut all, count)| {
            all.extend(count.map(|count| ("GIT_CONFIG_COUNT".to_owned(), count)));
            all.into_iter().map(|(name, value)| (name.into(), value.into())).collect()
        },
    )
}

/// How many settings git would take from these variables, as its own reader of numbers has it.
fn counted(count: Option<&OsStr>) -> Option<u32> {
    match count.map_or("", |count| count.to_str().unwrap()).trim_start() {
        "" => Some(0),
        count => count.parse().ok(),
    }
}

proptest! {
    /// What the person set for git counts as before, and ours comes behind it; no other variable of theirs is touched.
    #[test]
    fn quiet_git_loses_nothing_of_the_persons(before in variables()) {
        let mut env = ChildEnv(before.clone());
        env.harden_git();
        let count = counted(before.get(OsStr::new("GIT_CONFIG_COUNT")).map(OsString::as_os_str));
        // Those that git would not have looked at mean nothing, and may be taken for ours.
        let stale = |name: &str| {
            let at = name.strip_prefix("GIT_CONFIG_KEY_").or(name.strip_prefix("GIT_CONFIG_VALUE_"));
            at.and_then(|at| at.parse::<u32>().ok()).is_some_and(|at| count.is_some_and(|count| at >= count))
        };
        for (name, value) in &before {
            let text = name.to_str().unwrap();
            match text {
                "GIT_EXTERNAL_DIFF" => prop_assert!(!env.has(name)),
                "GIT_OPTIONAL_LOCKS" => prop_assert_eq!(env.get(name), Some(OsStr::new("0"))),
                "GIT_CONFIG_COUNT" if count.is_some_and(|count| count < 1000) => {}
                text if stale(text) => {}
                _ => prop_assert_eq!(env.get(name), Some(value.as_os_str()), "{}", text),
            }
        }
        if let Some(count) = count.filter(|count| *count < 1000) {
            let all = count as usize + GIT_HARDENING.len();
            prop_assert_eq!(env.get("GIT_CONFIG_COUNT").unwrap().to_str().unwrap(), all.to_string());
            for (at, (key, value)) in GIT_HARDENING.iter().enumerate() {
                let at = count as usize + at;
                prop_assert_eq!(env.get(format!("GIT_CONFIG_KEY_{at}")), Some(OsStr::new(key)));
                prop_assert_eq!(env.get(format!("GIT_CONFIG_VALUE_{at}")), Some(OsStr::new(value)));
            }
        }
    }
}

#[test]
fn a_command_means_what_its_text_says() {
    let variables = [
        ("PATH", ".:/usr/bin:bin::/bin:/project/.venv/bin"),
        ("CDPATH", "/elsewhere"),
        ("BASH_ENV", "x.sh"),
        ("BASH_FUNC_ls%%", "() { touch made; }"),
        ("HOME", "/home/ada"),
    ];
    let mut env = ChildEnv::without_secrets(variables.map(|(name, value)| (name.into(), value.into())));
    env.harden_shell(|folder| folder.starts_with("/project"));
    assert_eq!(env.get("PATH"), Some(OsStr::new("/usr/bin:/bin")));
    assert!(env.has("HOME") && !env.has("CDPATH") && !env.has("BASH_ENV") && !env.has("BASH_FUNC_ls%%"));
}
