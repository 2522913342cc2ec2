//! Settings read from real files: who wins, what is said about broken ones, what stops.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use forelook_protocol::{Mode, NoticeLevel, Source};
use forelook_settings::{LoadError, SettingsPaths, Trust, load};
use proptest::prelude::*;

use crate::world::{LOCAL, MANAGED, PROJECT, TestWorld, USER};

fn mode(name: &str) -> String {
    format!("{{\n\"permissions\": {{\"defaultMode\": \"{name}\"}}}}")
}

#[test]
fn nothing_anywhere_is_no_settings_and_no_problem() {
    let settings = TestWorld::new(&[]).load();
    assert!(settings.default_mode.is_none() && settings.model.is_none() && settings.env.is_empty());
    assert!(settings.layers.is_empty() && settings.problems.is_empty());
}

#[test]
fn each_source_beats_the_ones_below_it() {
    let world = TestWorld::new(&[]);
    let expect = |name: &str, given: Mode, source: Source| {
        world.write(name, mode(given.name()).as_bytes());
        let won = world.load().default_mode.unwrap();
        assert_eq!((won.value, won.source, won.line), (given, source, Some(2)));
        assert_eq!(won.file, Some(world.at(name)));
    };
    expect(USER, Mode::BypassPermissions, Source::UserSettings);
    expect(PROJECT, Mode::DontAsk, Source::ProjectSettings);
    expect(LOCAL, Mode::Plan, Source::LocalSettings);
    expect(MANAGED, Mode::Default, Source::PolicySettings);
    expect("etc/managed-settings.d/10.json", Mode::DontAsk, Source::PolicySettings);
    expect("etc/managed-settings.d/20.json", Mode::Plan, Source::PolicySettings);

    let won = load(&world.settings_paths(Some(&mode("auto"))), Trust::NotYet).unwrap().default_mode.unwrap();
    assert_eq!(won.source, Source::PolicySettings);
}

#[test]
fn the_flag_is_a_path_or_json_and_beats_files_of_the_project() {
    let world = TestWorld::new(&[(LOCAL, &mode("plan")), ("project/my.json", &mode("acceptEdits"))]);
    let with = |flag: &str| load(&world.settings_paths(Some(flag)), Trust::NotYet);
    let by_text = with(&mode("dontAsk")).unwrap().default_mode.unwrap();
    assert_eq!((by_text.value, by_text.source, by_text.file), (Mode::DontAsk, Source::FlagSettings, None));
    let by_path = with("my.json").unwrap().default_mode.unwrap();
    assert_eq!((by_path.value, by_path.file), (Mode::AcceptEdits, Some(world.at("project/my.json"))));

    let missing = with("absent.json").unwrap_err();
    assert!(matches!(missing, LoadError::FlagMissing(_)), "{missing}");
    let broken = with("{\"a\": 1,,}").unwrap();
    assert!(broken.problems[0].text.contains("`--settings:1:9`"), "{}", broken.problems[0].text);
    assert_eq!(broken.default_mode.unwrap().value, Mode::Plan);
}

#[test]
fn a_comma_too_many_leaves_out_that_file_only() {
    let world =
        TestWorld::new(&[(USER, &mode("plan")), (PROJECT, "{\n  \"model\": {\"main\": \"a/b\",},\n}")]);
    let settings = world.load();
    assert_eq!(settings.default_mode.unwrap().value, Mode::Plan);
    assert!(settings.model.is_none());
    let [problem] = &settings.problems[..] else { panic!("{:?}", settings.problems) };
    assert_eq!(problem.level, NoticeLevel::Error);
    assert!(problem.text.contains(&format!("{}:2:26`: extra comma", world.at(PROJECT))), "{}", problem.text);
}

#[test]
fn what_cannot_be_read_is_named_and_left_out() {
    let world = TestWorld::new(&[(LOCAL, &mode("plan"))]);
    world.write(USER, b"{\"model\": \"\xff\"}");
    fs::create_dir_all(world.at(PROJECT)).unwrap();
    let settings = world.load();
    assert_eq!(settings.default_mode.unwrap().value, Mode::Plan);
    let texts: Vec<_> = settings.problems.iter().map(|problem| problem.text.as_str()).collect();
    assert!(texts[0].contains("is not UTF-8: byte 12"), "{texts:?}");
    assert!(texts[1].contains("not a file but a folder"), "{texts:?}");
}

#[test]
fn a_link_that_leads_nowhere_is_named() {
    // Fails for root too, whom permissions do not stop.
    let world = TestWorld::new(&[]);
    fs::create_dir_all(world.at("home")).unwrap();
    symlink("settings.json", world.at(USER)).unwrap();
    assert!(world.load().problems[0].text.contains("Cannot read"));
}

#[test]
fn a_file_in_the_place_of_the_folder_is_no_settings() {
    let world = TestWorld::new(&[("project/.forelook", "just a file")]);
    assert!(world.load().problems.is_empty());
}

#[test]
fn an_endless_file_is_refused() {
    let world = TestWorld::new(&[(USER, "")]);
    fs::remove_file(world.at(USER)).unwrap();
    symlink("/dev/zero", world.at(USER)).unwrap();
    assert!(world.load().problems[0].text.contains("a pipe or a device"));
    world.write("big.json", &vec![b' '; (4 << 20) + 1]);
    fs::remove_file(world.at(USER)).unwrap();
    symlink(world.at("big.json"), world.at(USER)).unwrap();
    assert!(world.load().problems[0].text.contains("larger than 4 MiB"));
}

#[test]
fn a_broken_managed_file_stops() {
    for name in [MANAGED, "etc/managed-settings.d/1.json"] {
        let world = TestWorld::new(&[(name, "{,}")]);
        let error = load(&world.settings_paths(None), Trust::NotYet).unwrap_err().to_string();
        assert!(error.contains(&format!("{}:1:2`", world.at(name))), "{error}");
    }
    let world = TestWorld::new(&[
        ("etc/managed-settings.d/readme.txt", "not settings"),
        (MANAGED, "{\"unknown\": 1}"),
    ]);
    assert_eq!(world.load().problems.len(), 1);
}

#[test]
fn a_project_may_not_choose_a_mode_that_asks_nobody_nor_variables() {
    let text = r#"{"permissions": {"defaultMode": "bypassPermissions"}, "env": {"LD_PRELOAD": "x.so"}}"#;
    for name in [PROJECT, LOCAL] {
        let world = TestWorld::new(&[(USER, &mode("plan")), (name, text)]);
        let settings = world.load();
        assert_eq!(settings.default_mode.unwrap().value, Mode::Plan);
        assert!(settings.env.is_empty());
        let levels: Vec<_> = settings.problems.iter().map(|problem| problem.level).collect();
        assert_eq!(levels, [NoticeLevel::Warning, NoticeLevel::Info]);
        let trusted = world.trusted();
        assert_eq!(trusted.env["LD_PRELOAD"].value, "x.so");
        assert_eq!(trusted.default_mode.unwrap().value, Mode::Plan);
    }
}

#[test]
fn in_the_home_folder_the_file_is_the_persons_own() {
    let world = TestWorld::new(&[(PROJECT, &mode("auto"))]);
    let settings_paths = SettingsPaths { home: world.at("project/.forelook"), ..world.settings_paths(None) };
    let linked = SettingsPaths { home: world.at("link"), ..world.settings_paths(None) };
    symlink(world.at("project/.forelook"), world.at("link")).unwrap();
    for settings_paths in [settings_paths, linked] {
        let settings = load(&settings_paths, Trust::NotYet).unwrap();
        assert!(settings.problems.is_empty(), "{:?}", settings.problems);
        assert_eq!(settings.layers.len(), 1);
        assert_eq!(settings.default_mode.unwrap().source, Source::UserSettings);
    }
}

#[test]
fn variables_merge_one_by_one_and_keys_are_left_out() {
    let world = TestWorld::new(&[
        (USER, r#"{"env": {"A": "user", "B": "user", "OPENAI_API_KEY": "sk-1"}}"#),
        (MANAGED, r#"{"env": {"B": "managed"}}"#),
    ]);
    let settings = world.load();
    assert_eq!(settings.problems.len(), 1);
    assert_eq!(settings.env["B"].source, Source::PolicySettings);
    let said: Vec<_> = settings.env.iter().map(|(name, said)| (name.as_str(), said.value.as_str())).collect();
    assert_eq!(said, [("A", "user"), ("B", "managed")]);
}

#[test]
fn a_file_with_a_thousand_mistakes_is_told_in_a_few_words() {
    let keys: Vec<String> = (0..1000).map(|at| format!("\"zz{at}\": 1")).collect();
    let settings = TestWorld::new(&[(PROJECT, &format!("{{{}}}", keys.join(",")))]).load();
    assert_eq!(settings.problems.len(), 21);
    assert!(settings.problems[20].text.contains("980 more problems"));
}

#[test]
fn a_path_with_any_bytes_is_shown_without_harm() {
    use std::os::unix::ffi::OsStrExt;
    let world = TestWorld::new(&[]);
    let project = world.at("project").join(Path::new(std::ffi::OsStr::from_bytes(b"a b\n\x1b[31m\xff")));
    fs::create_dir_all(project.join(".forelook")).unwrap();
    fs::write(project.join(".forelook/settings.json"), "{,}").unwrap();
    let settings = load(&SettingsPaths { project, ..world.settings_paths(None) }, Trust::NotYet).unwrap();
    let text = &settings.problems[0].text;
    assert!(text.contains(r"a b\n\u{1b}[31m") && !text.contains('\u{1b}'), "{text}");
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_bytes_in_any_file_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..120)) {
        let world = TestWorld::new(&[]);
        for name in [USER, PROJECT, LOCAL, MANAGED] {
            world.write(name, &bytes);
        }
        let _ = load(&world.settings_paths(None), Trust::NotYet);
    }

    #[test]
    fn any_json_object_is_settled_with_notices(
        name in "[a-z.$]{0,12}|permissions|env|model",
        inner in "[a-zA-Z.]{0,12}|defaultMode|main",
        value in "[1-9]{1,3}|true|null|\"[a-z/]{0,8}\"|\\[\\]|\\{\\}",
    ) {
        let text = format!("{{\"{name}\": {{\"{inner}\": {value}}}}}");
        let settings = TestWorld::new(&[(USER, &text)]).load();
        prop_assert!(settings.problems.iter().all(|problem| problem.level != NoticeLevel::Error));
    }
}

#[test]
fn hosts_that_may_be_local_add_up_and_are_the_persons_to_name() {
    let web = |hosts: &str| format!("{{\"web\": {{\"allowLocal\": {hosts}}}}}");
    let world = TestWorld::new(&[
        (USER, &web(r#"["localhost:3000", " wiki.corp ", "http://router/", "*.corp", "", 7]"#)),
        (PROJECT, &web(r#"["169.254.169.254"]"#)),
        (MANAGED, &web(r#"["[::1]"]"#)),
    ]);
    for trust in [Trust::NotYet, Trust::Trusted] {
        let settings = load(&world.settings_paths(None), trust).unwrap();
        assert_eq!(settings.web_local, ["localhost:3000", "wiki.corp", "[::1]"]);
        let problems: String = settings.problems.iter().map(|it| it.text.as_str()).collect();
        for part in ["contains `http://router/`", "contains `*.corp`", "valid only in user settings"] {
            assert!(problems.contains(part), "{problems}");
        }
    }
}
