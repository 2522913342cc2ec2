//! The fence around commands: who may put it up, widen it and take it down.

use forelook_permissions::ShellPattern;
use forelook_settings::{PendingTrust, SandboxSettings, Settings, Trust, load};

use crate::world::{LOCAL, MANAGED, PROJECT, TestWorld, USER};

const WIDE: &str = r#"{"sandbox": {"enabled": true, "network": ["crates.io", "*.npmjs.org"],
    "writable": ["~/cache", "../build"], "outside": ["docker:*"]}}"#;

fn domains(settings: &Settings) -> Vec<&str> {
    settings.sandbox.network.iter().map(|said| said.value.as_str()).collect()
}

fn texts(settings: &Settings) -> Vec<&str> {
    settings.problems.iter().map(|notice| notice.text.as_str()).collect()
}

#[test]
fn nothing_said_is_no_fence() {
    let settings = TestWorld::new(&[]).load();
    assert_eq!(settings.sandbox, SandboxSettings::default());
}

#[test]
fn every_key_arrives() {
    let world = TestWorld::new(&[(USER, WIDE)]);
    let settings = world.load();
    assert_eq!(settings.problems, []);
    let sandbox = &settings.sandbox;
    assert_eq!(sandbox.enabled, Some(true));
    assert_eq!(domains(&settings), ["crates.io", "*.npmjs.org"]);
    let writable: Vec<_> = sandbox.writable.iter().map(|said| said.value.clone()).collect();
    assert_eq!(writable, [world.at("person/cache"), world.at("build")]);
    assert_eq!(sandbox.outside[0].value, ShellPattern::Prefix("docker".to_owned()));
    assert_eq!(sandbox.outside[0].line, Some(2));
}

#[test]
fn what_is_wrong_is_named_and_the_rest_counts() {
    let world = TestWorld::new(&[(
        USER,
        r#"{"sandbox": {"enabled": true, "networks": [], "network": ["https://a.org", "b.org", "a*", 3],
            "outside": ["*", "docker:*"], "enabledd": 1}}"#,
    )]);
    let settings = world.load();
    assert_eq!(domains(&settings), ["b.org"]);
    assert_eq!((settings.sandbox.enabled, settings.sandbox.outside.len()), (Some(true), 1));
    let texts = texts(&settings);
    for part in [
        "Did you mean `sandbox.network`?",
        "Did you mean `sandbox.enabled`?",
        "`sandbox.network` in",
        "without `https://`",
        "contains `a*`",
        "full command name",
    ] {
        assert!(texts.iter().any(|text| text.contains(part)), "{part}: {texts:#?}");
    }
}

/// Hosts of the SDK merge their own form of this key into `--settings`. What they mean in another form is left out, and
/// what is left is narrower.
#[test]
fn a_hosts_own_form_of_the_key_is_no_error() {
    let world = TestWorld::new(&[]);
    let flag = r#"{"sandbox": {"enabled": true, "autoAllowBashIfSandboxed": true, "excludedCommands": ["docker"],
        "network": {"allowedDomains": ["a.org"], "allowLocalBinding": true}, "ignoreViolations": {"file": ["x"]}}}"#;
    let settings = load(&world.settings_paths(Some(flag)), Trust::NotYet).unwrap();
    assert_eq!(settings.sandbox.enabled, Some(true));
    assert_eq!((domains(&settings).len(), settings.sandbox.outside.len()), (0, 0));
    assert_eq!(settings.problems.len(), 4, "{:#?}", settings.problems);
}

#[test]
fn a_project_waits_for_trust_with_all_of_it() {
    for file in [PROJECT, LOCAL] {
        let world = TestWorld::new(&[(file, WIDE)]);
        let settings = world.load();
        assert_eq!(settings.sandbox, SandboxSettings::default());
        assert_eq!(settings.pending_trust, PendingTrust { sandbox: 4, ..PendingTrust::default() });
        assert!(texts(&settings)[0].contains("ignores 4 sandbox settings"), "{:?}", texts(&settings));

        let settings = world.trusted();
        assert!(settings.sandbox.enabled == Some(true) && settings.problems.is_empty());
        assert_eq!(domains(&settings), ["crates.io", "*.npmjs.org"]);
        assert_eq!((settings.sandbox.writable.len(), settings.sandbox.outside.len()), (2, 1));
    }
}

#[test]
fn no_project_takes_the_fence_down() {
    for (file, trust) in [(PROJECT, Trust::NotYet), (PROJECT, Trust::Trusted), (LOCAL, Trust::Trusted)] {
        let world = TestWorld::new(&[
            (USER, r#"{"sandbox": {"enabled": true}}"#),
            (file, r#"{"sandbox": {"enabled": false}}"#),
        ]);
        let settings = load(&world.settings_paths(None), trust).unwrap();
        assert_eq!(settings.sandbox.enabled, Some(true), "{file}");
        assert!(texts(&settings)[0].contains("a project cannot turn off the fence"));
        // Whoever starts the run may.
        let flag = r#"{"sandbox": {"enabled": false}}"#;
        assert_eq!(load(&world.settings_paths(Some(flag)), trust).unwrap().sandbox.enabled, Some(false));
    }
}

#[test]
fn lists_add_up_unless_they_are_managed() {
    let list = |domain: &str| format!(r#"{{"sandbox": {{"network": ["{domain}", "b.org"]}}}}"#);
    let (user, project) = (list("a.org"), list("c.org"));
    let world = TestWorld::new(&[(USER, &user), (PROJECT, &project)]);
    assert_eq!(domains(&world.trusted()), ["a.org", "b.org", "c.org"]);

    world.write(MANAGED, br#"{"sandbox": {"enabled": true, "network": []}}"#);
    let settings =
        load(&world.settings_paths(Some(r#"{"sandbox": {"enabled": false}}"#)), Trust::Trusted).unwrap();
    assert_eq!(settings.sandbox.enabled, Some(true), "managed settings win");
    assert_eq!(domains(&settings).len(), 0);
    assert_eq!(texts(&settings).iter().filter(|text| text.contains("only managed settings")).count(), 2);

    world.write(MANAGED, br#"{"permissions": {"managedRulesOnly": true}}"#);
    assert_eq!(domains(&world.trusted()).len(), 0);
}
