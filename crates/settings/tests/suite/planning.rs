//! What settings and environment say together about planning and agents.

use std::fs;
use std::os::unix::fs::symlink;

use forelook_permissions::ShellPattern;
use forelook_protocol::{Notice, NoticeLevel, Source};
use forelook_settings::{
    Env, ExploreModel, PlanSettings, Settings, SettingsPaths, Subscription, Trust, load, planning,
};

use crate::world::{LOCAL, MANAGED, PROJECT, TestWorld, USER};

fn env(pairs: &[(&str, &str)]) -> Env {
    Env::from_pairs([("HOME", "/h")].into_iter().chain(pairs.iter().copied())).unwrap()
}

fn plan(settings: &Settings) -> PlanSettings {
    let (plan, notices) = planning(settings, &env(&[]));
    assert_eq!(notices, []);
    plan
}

fn texts(notices: &[Notice]) -> Vec<&str> {
    assert!(notices.iter().all(|notice| notice.level == NoticeLevel::Warning), "{notices:?}");
    notices.iter().map(|notice| notice.text.as_str()).collect()
}

const FULL: &str = r#"{"plansDirectory": "docs/plans", "subscription": "team",
    "plan": {"agents": 2, "exploreAgents": 10, "interview": true, "length": "cap", "eagerness": "reserved",
        "template": "plan.md", "networkCommands": ["gh pr view:*"]},
    "model": {"main": "a/main", "small": "a/small", "plan": "a/plan"},
    "agents": {"maxParallel": 50, "exploreModel": "inherit"}}"#;

#[test]
fn nothing_said_is_the_defaults() {
    let settings = TestWorld::new(&[]).load();
    let expected = PlanSettings {
        explore_agents: 3,
        plan_agents: 1,
        interview: false,
        length: "control",
        eagerness: "eager",
        directory: None,
        template: None,
        network_commands: vec![],
        subscription: None,
    };
    assert_eq!(plan(&settings), expected);
    assert_eq!((settings.agents.max_parallel, settings.agents.explore_model), (10, ExploreModel::Small));
    assert!(settings.model_small.is_none() && settings.model_plan.is_none());
}

#[test]
fn every_key_arrives() {
    let world = TestWorld::new(&[(USER, FULL)]);
    let settings = world.load();
    assert_eq!(settings.problems, []);
    let said = plan(&settings);
    assert_eq!((said.explore_agents, said.plan_agents, said.interview), (10, 2, true));
    assert_eq!(
        (said.length, said.eagerness, said.subscription),
        ("cap", "reserved", Some(Subscription::Team))
    );
    let directory = said.directory.unwrap();
    assert_eq!((directory.value.as_str(), directory.line), ("docs/plans", Some(1)));
    assert_eq!(said.template.unwrap().value, world.at("project/plan.md"));
    assert_eq!(said.network_commands, [ShellPattern::Prefix("gh pr view".to_owned())]);
    assert_eq!((settings.agents.max_parallel, settings.agents.explore_model), (50, ExploreModel::Session));
    let models = [settings.model, settings.model_small, settings.model_plan];
    assert_eq!(models.map(|model| model.unwrap().value), ["a/main", "a/small", "a/plan"]);

    let named = TestWorld::new(&[(USER, r#"{"agents": {"exploreModel": "a/b"}}"#)]).load();
    assert_eq!(named.agents.explore_model, ExploreModel::Named("a/b".to_owned()));
}

#[test]
fn how_many_plan_follows_from_the_subscription_and_is_overruled() {
    for (name, subscription, planners) in [
        ("pro", Subscription::Pro, 1),
        ("max_5x", Subscription::Max5x, 1),
        ("max_20x", Subscription::Max20x, 3),
        ("team", Subscription::Team, 3),
        ("enterprise", Subscription::Enterprise, 3),
    ] {
        let text = format!("{{\"subscription\": \"{name}\"}}");
        let settings = TestWorld::new(&[(USER, &text)]).load();
        let said = plan(&settings);
        assert_eq!(
            (said.subscription, said.plan_agents, said.explore_agents),
            (Some(subscription), planners, 3)
        );
        let overruled = TestWorld::new(&[(USER, &text), (PROJECT, r#"{"plan": {"agents": 2}}"#)]).load();
        assert_eq!(plan(&overruled).plan_agents, 2);
    }
}

#[test]
fn the_environment_wins_and_what_it_says_wrong_is_told() {
    let settings = TestWorld::new(&[(MANAGED, FULL)]).load();
    let (said, notices) = planning(
        &settings,
        &env(&[
            ("FORELOOK_PLAN_EXPLORE_AGENT_COUNT", "4"),
            ("CLAUDE_CODE_PLAN_V2_AGENT_COUNT", "5"),
            ("FORELOOK_PLAN_MODE_INTERVIEW_PHASE", "off"),
        ]),
    );
    assert_eq!((said.explore_agents, said.plan_agents, said.interview), (4, 5, false));
    assert_eq!(notices, []);
    let wrong = [("FORELOOK_PLAN_AGENT_COUNT", "11"), ("FORELOOK_PLAN_MODE_INTERVIEW_PHASE", "maybe")];
    let (said, notices) = planning(&settings, &env(&wrong));
    assert_eq!((said.plan_agents, said.interview), (2, true));
    let texts = texts(&notices);
    assert!(texts[0].starts_with("`FORELOOK_PLAN_AGENT_COUNT` must be a whole number from 1 to 10"));
    assert!(texts[1].starts_with("`FORELOOK_PLAN_MODE_INTERVIEW_PHASE` must be `true` or `false`"));
}

#[test]
fn a_number_out_of_bounds_is_named_with_its_line_and_a_lighter_one_counts() {
    for (key, most) in [("plan.agents", 10), ("plan.exploreAgents", 10), ("agents.maxParallel", 50)] {
        let (section, name) = key.split_once('.').unwrap();
        let text = |value: &str| format!("{{\n\"{section}\": {{\n\"{name}\": {value}}}}}");
        for value in ["0", "-1", "3.0", "2e0", "256", "99999999999999999999", "\"3\"", "true", "null", "[3]"]
            .into_iter()
            .chain([(most + 1).to_string().as_str()])
        {
            let world = TestWorld::new(&[(USER, &text("7")), (PROJECT, &text(value))]);
            let settings = world.load();
            let place = format!("Setting `{key}` in `{}:3` is ", world.at(PROJECT));
            let [problem] = texts(&settings.problems)[..] else { panic!("{:?}", settings.problems) };
            assert!(problem.starts_with(&place), "{problem}");
            assert!(
                problem.ends_with(&format!("ignored\nIt must be a whole number from 1 to {most}")),
                "{problem}"
            );
            let said = plan(&settings);
            let counts = (said.plan_agents, said.explore_agents, settings.agents.max_parallel);
            assert!([(7, 3, 10), (1, 7, 10), (1, 3, 7)].contains(&counts), "{counts:?}");
        }
        let most = TestWorld::new(&[(USER, &text(&most.to_string()))]).load();
        assert_eq!(most.problems, []);
    }
}

#[test]
fn a_word_that_is_none_is_named_with_the_nearest() {
    for (text, expected) in [
        (
            r#"{"plan": {"length": "trin"}}"#,
            "`plan.length` in `U:1` is `trin` and was ignored\nIt must be one of `control`, `trim`, `cut`, `cap`; did you mean `trim`?",
        ),
        (r#"{"plan": {"length": "Cap"}}"#, "did you mean `cap`?"),
        (
            r#"{"plan": {"eagerness": "shy"}}"#,
            "is `shy` and was ignored\nIt must be one of `eager`, `reserved`",
        ),
        (r#"{"subscription": "max20x"}"#, "did you mean `max_20x`?"),
        (r#"{"subscription": 20}"#, "is a number and was ignored"),
        (r#"{"plan": {"interview": "yes"}}"#, "It must be `true` or `false`"),
        (r#"{"plan": {"agnets": 3}}"#, "Did you mean `plan.agents`?"),
        (r#"{"planDirectory": "x"}"#, "Did you mean `plansDirectory`?"),
        (r#"{"plansDirectory": " "}"#, "is empty and was ignored\nIt must be a path"),
        (r#"{"plansDirectory": "a\u0000b"}"#, "is a string with a NUL byte"),
        (r#"{"model": {"small": ""}}"#, "`model.small` in `U:1` is empty"),
        (
            r#"{"plan": {"networkCommands": "gh pr view:*"}}"#,
            "is a string and was ignored\nIt must be a list of patterns",
        ),
    ] {
        let world = TestWorld::new(&[(USER, text)]);
        let settings = world.load();
        let [problem] = texts(&settings.problems)[..] else { panic!("{text}: {:?}", settings.problems) };
        let problem = problem.replace(&world.at(USER).to_string(), "U");
        assert!(problem.contains(expected), "{problem}");
        assert_eq!(plan(&settings), plan(&TestWorld::new(&[]).load()), "{text}");
    }
}

#[test]
fn what_a_project_may_say() {
    for name in [PROJECT, LOCAL] {
        let world = TestWorld::new(&[(name, FULL)]);
        let settings = world.load();
        let said = plan(&settings);
        assert_eq!((said.explore_agents, said.plan_agents, said.length), (10, 2, "cap"));
        assert_eq!(said.directory.unwrap().file, Some(world.at(name)));
        assert_eq!(said.template.unwrap().value, world.at("project/plan.md"));
        // Not these.
        assert_eq!((said.subscription, said.network_commands), (None, vec![]));
        assert_eq!(settings.pending_trust.words().as_deref(), Some("1 network command and 3 models"));
        assert_eq!((&settings.model, &settings.model_small, &settings.model_plan), (&None, &None, &None));
        let texts: Vec<_> = settings.problems.iter().map(|problem| problem.text.as_str()).collect();
        assert!(
            texts[0].contains(&format!("`subscription` in `{}:1` was ignored", world.at(name))),
            "{texts:?}"
        );
        assert!(texts[1].contains("ignores 1 network command and 3 models in this project"), "{texts:?}");
        assert_eq!(texts.len(), 2);

        let trusted = world.trusted();
        assert_eq!(plan(&trusted).network_commands.len(), 1);
        assert_eq!((plan(&trusted).subscription, trusted.problems.len()), (None, 1));
        assert_eq!(trusted.model.unwrap().value, "a/main");
    }
    let flag = load(&TestWorld::new(&[]).settings_paths(Some(FULL)), Trust::NotYet).unwrap();
    assert_eq!((plan(&flag).subscription, plan(&flag).network_commands.len()), (None, 1));
    assert_eq!(plan(&TestWorld::new(&[(MANAGED, FULL)]).load()).subscription, Some(Subscription::Team));
}

#[test]
fn network_commands_add_up_and_a_bad_one_is_left_out() {
    let text = "{\"plan\": {\"networkCommands\": [\n\"gh pr view:*\",\n\"*\",\n3,\n\"Bash(ls)\",\n\"kubectl get:*\"]}}";
    let world = TestWorld::new(&[(USER, text), (PROJECT, r#"{"plan": {"networkCommands": ["gh api"]}}"#)]);
    let settings = world.trusted();
    let said: Vec<_> = settings.network_commands.iter().map(|said| (said.source, said.line)).collect();
    let own = Source::UserSettings;
    assert_eq!(said, [(own, Some(2)), (own, Some(6)), (Source::ProjectSettings, Some(1))]);
    let problems = texts(&settings.problems).join("\n");
    for (line, part) in
        [(3, "`*`, which was ignored\nIt must be a pattern that begins"), (4, "a number"), (5, "`Bash(ls)`")]
    {
        let place = format!("`plan.networkCommands` in `{}:{line}` contains {part}", world.at(USER));
        assert!(problems.contains(&place), "{place} in {problems}");
    }
}

#[test]
fn where_only_managed_rules_count_nobody_else_declares_commands() {
    let commands = r#"{"plan": {"networkCommands": ["gh api"]}}"#;
    let only =
        r#"{"permissions": {"managedRulesOnly": true}, "plan": {"networkCommands": ["gh pr view:*"]}}"#;
    let settings = TestWorld::new(&[(USER, commands), (MANAGED, only)]).load();
    let said: Vec<_> = settings.network_commands.iter().map(|said| said.source).collect();
    assert_eq!(said, [Source::PolicySettings]);
    let text = &settings.problems[0].text;
    assert!(text.starts_with("1 network command was ignored: `permissions.managedRulesOnly`"), "{text}");
}

fn template(path: &str) -> String {
    format!("{{\"plan\": {{\n\"template\": \"{path}\"}}}}")
}

#[test]
fn a_template_starts_at_the_project_or_at_home() {
    for (text, expected) in [
        ("plan.md", "project/plan.md"),
        ("./docs/../plan.md", "project/plan.md"),
        ("../shared/plan.md", "shared/plan.md"),
        ("~/plan.md", "person/plan.md"),
    ] {
        let world = TestWorld::new(&[(USER, &template(text))]);
        let settings_paths = SettingsPaths { working: world.at("project/sub"), ..world.settings_paths(None) };
        let found = load(&settings_paths, Trust::NotYet).unwrap().plan_template.unwrap();
        assert_eq!((found.value, found.line), (world.at(expected), Some(2)), "{text}");
    }
    let world = TestWorld::new(&[(USER, &template("~/plan.md"))]);
    let settings =
        load(&SettingsPaths { user_home: None, ..world.settings_paths(None) }, Trust::NotYet).unwrap();
    assert!(settings.plan_template.is_none());
    assert!(texts(&settings.problems)[0].ends_with("Set `HOME`"), "{:?}", settings.problems);
}

#[test]
fn a_project_names_no_template_outside_of_itself() {
    for name in [PROJECT, LOCAL] {
        for path in [
            "~/.ssh/id",
            "../x.md",
            "/etc/passwd",
            "a/../../x.md",
            "link.md",
            "linked/id",
            "linked/new",
            "loop",
            "gone.md",
        ] {
            let world = TestWorld::new(&[
                (USER, &template("mine.md")),
                (name, &template(path)),
                ("person/.ssh/id", "key"),
            ]);
            symlink(world.at("person/.ssh/id"), world.at("project/link.md")).unwrap();
            symlink(world.at("person/.ssh"), world.at("project/linked")).unwrap();
            symlink(world.at("person/gone"), world.at("project/gone.md")).unwrap();
            symlink("loop", world.at("project/loop")).unwrap();
            for settings in [world.load(), world.trusted()] {
                assert_eq!(settings.plan_template.unwrap().value, world.at("project/mine.md"), "{path}");
                let place = format!("`plan.template` in `{}:2` was ignored", world.at(name));
                let [problem] = texts(&settings.problems)[..] else { panic!("{:?}", settings.problems) };
                assert!(problem.contains(&place), "{problem}");
            }
        }
        let world = TestWorld::new(&[(name, &template("link.md")), ("project/real.md", "")]);
        symlink("real.md", world.at("project/link.md")).unwrap();
        assert_eq!(world.load().plan_template.unwrap().value, world.at("project/real.md"));
    }
}

#[test]
fn a_project_that_is_a_link_may_name_its_own_template() {
    let world = TestWorld::new(&[(PROJECT, &template("plan.md")), ("project/plan.md", "")]);
    fs::create_dir_all(world.at("elsewhere")).unwrap();
    symlink(world.at("project"), world.at("elsewhere/link")).unwrap();
    let link = world.at("elsewhere/link");
    let settings_paths = SettingsPaths { project: link.clone(), working: link, ..world.settings_paths(None) };
    let settings = load(&settings_paths, Trust::NotYet).unwrap();
    assert_eq!(settings.plan_template.unwrap().value, world.at("project/plan.md"));
}
