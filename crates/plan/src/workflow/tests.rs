//! Every text, word for word, and what each of them must hold.

use super::*;

fn path() -> AbsPath {
    AbsPath::new("/home/ada/.forelook/plans/calm-weaving-otter.md").unwrap()
}

fn plan_mode(full: bool, subagent: bool, exists: bool) -> ReminderKind {
    let (problem, rehearsals, only_reads) = (None, true, false);
    ReminderKind::PlanMode { full, subagent, path: path(), exists, problem, rehearsals, only_reads }
}

const ALL: ReaderTools = ReaderTools {
    write: true,
    edit: true,
    ask: true,
    exit: true,
    bash: true,
    rehearse: true,
    agents: true,
    todos: true,
};

/// What shows that a tool is named.
const NAMES: [(&str, &str); 8] = [
    ("Write", "with Write"),
    ("Edit", "with Edit"),
    ("AskUserQuestion", "AskUserQuestion"),
    ("ExitPlanMode", "ExitPlanMode"),
    ("Bash", "Bash"),
    ("Rehearse", "Rehearse"),
    ("Agent", "Explore agent"),
    ("Agent", "Plan agent"),
];

#[test]
fn no_reminder_names_a_tool_that_its_reader_does_not_have() {
    let interview = workflow(WorkflowStyle::Interview, LengthStyle::Control, None);
    let five_phases = Workflow::default();
    let problem = Some("It is a link".to_owned());
    let unreadable = ReminderKind::PlanMode {
        full: true,
        subagent: false,
        path: path(),
        exists: false,
        problem,
        rehearsals: true,
        only_reads: false,
    };
    let mut kinds = vec![unreadable, ReminderKind::PlanModeReentry { path: path() }];
    for exists in [true, false] {
        kinds.extend(
            [(true, true), (true, false), (false, false)].map(|(full, of)| plan_mode(full, of, exists)),
        );
    }
    for set in 0..1_u32 << NAMES.len() {
        let gone = NAMES.iter().enumerate().filter(|(at, _)| set >> at & 1 == 0);
        let gone: Vec<&str> = gone.map(|(_, (name, _))| *name).collect();
        let tools = ReaderTools::of(|tool| !gone.contains(&tool));
        let missing: Vec<_> = NAMES.iter().filter(|(name, _)| gone.contains(name)).collect();
        for kind in &kinds {
            for workflow in [&five_phases, &interview] {
                let text = reminder_text(kind, workflow, &tools);
                let named = missing.iter().find(|(_, named)| text.contains(named));
                assert_eq!(named, None, "{text}");
                assert!(places(&text).is_empty() && !text.contains("  "), "{text}");
            }
        }
    }
    assert_eq!(ReaderTools::of(|_| true), ALL);
}

/// The same for a reader who can neither write a plan nor rehearse, and whose plan file cannot be read.
fn without(kind: ReminderKind) -> ReminderKind {
    match kind {
        ReminderKind::PlanMode { full, subagent, path, .. } => ReminderKind::PlanMode {
            full,
            subagent,
            path,
            exists: false,
            problem: Some("It is a link\nReplace it".into()),
            rehearsals: false,
            only_reads: true,
        },
        other => other,
    }
}

#[test]
fn nobody_is_told_to_do_what_they_cannot() {
    let plain = Workflow::default();
    let reads = reminder_text(&without(plan_mode(true, true, false)), &plain, &ALL);
    let full = reminder_text(&without(plan_mode(true, false, false)), &plain, &ALL);
    for text in [&reads, &full] {
        assert!(!text.contains("rehearse") && !text.contains("There is a plan"), "{text}");
    }
    assert!(!reads.contains("plan file"), "{reads}");
    assert!(full.contains("cannot be read, so there is no plan: It is a link."), "{full}");
}

fn workflow(style: WorkflowStyle, length: LengthStyle, template: Option<&str>) -> Workflow {
    Workflow { style, length, template: template.map(str::to_owned) }
}

const PHASES: WorkflowStyle = WorkflowStyle::FivePhases { explore: 3, design: 1 };
const TEMPLATE: &str = "# Goal\n\n# Steps\n```sh\n{path}\n```\n";

/// Every reminder that can be sent, with a name.
fn reminders() -> Vec<(String, String)> {
    let full = plan_mode(true, false, false);
    let mut all = Vec::new();
    let mut add = |name: &str, kind: &ReminderKind, workflow: &Workflow| {
        all.push((name.to_owned(), reminder_text(kind, workflow, &ALL)));
    };
    add("full", &full, &workflow(PHASES, LengthStyle::Control, None));
    let one_and_many = WorkflowStyle::FivePhases { explore: 1, design: 4 };
    add("full_counts", &plan_mode(true, false, true), &workflow(one_and_many, LengthStyle::Control, None));
    add("full_template", &full, &workflow(PHASES, LengthStyle::Trim, Some(TEMPLATE)));
    add("full_interview", &full, &workflow(WorkflowStyle::Interview, LengthStyle::Control, None));
    let plain = Workflow::default();
    add("sparse", &plan_mode(false, false, true), &plain);
    add(
        "sparse_interview",
        &plan_mode(false, false, true),
        &workflow(WorkflowStyle::Interview, LengthStyle::Cap, None),
    );
    add("subagent", &plan_mode(true, true, false), &plain);
    add("subagent_exists", &plan_mode(true, true, true), &plain);
    add("subagent_reads", &without(plan_mode(true, true, false)), &plain);
    add("full_nothing_to_rehearse", &without(full.clone()), &plain);
    add("reentry", &ReminderKind::PlanModeReentry { path: path() }, &plain);
    add("exit", &ReminderKind::PlanModeExit { path: path(), exists: true }, &plain);
    add("exit_no_plan", &ReminderKind::PlanModeExit { path: path(), exists: false }, &plain);
    let contents = "# Archive notes\n\n```sh\ncargo test\n```\n".to_owned();
    add("file_reference", &ReminderKind::PlanFileReference { path: path(), contents }, &plain);
    add("auto_exit", &ReminderKind::AutoModeExit, &plain);
    add("read_only", &ReminderKind::ReadOnlyAgent, &plain);
    all
}

/// What the tools say.
fn tools() -> Vec<(String, String)> {
    let interview = workflow(WorkflowStyle::Interview, LengthStyle::Control, None);
    [
        ("enter_eager", enter_description(Eagerness::Eager)),
        ("enter_reserved", enter_description(Eagerness::Reserved)),
        ("enter_result", enter_result(&Workflow::default())),
        ("enter_result_interview", enter_result(&interview)),
        ("enter_declined", enter_declined(None)),
        ("enter_declined_words", enter_declined(Some("Just do it.\nIt is one line."))),
        ("enter_nobody", enter_unattended()),
        ("exit_description", exit_description()),
    ]
    .map(|(name, text)| (name.to_owned(), text))
    .into()
}

#[test]
fn every_text_word_for_word() {
    let length = |length: &LengthStyle| (length.to_string(), final_plan(&workflow(PHASES, *length, None)));
    insta::assert_snapshot!("reminders", listed(reminders()));
    insta::assert_snapshot!("lengths", listed(LengthStyle::ALL.iter().map(length).collect()));
    insta::assert_snapshot!("tools", listed(tools()));
}

fn listed(texts: Vec<(String, String)>) -> String {
    texts.into_iter().map(|(name, text)| format!("-------- {name}\n{text}\n\n")).collect()
}

/// The places in a text that `fill` would know: `{word}`.
fn places(text: &str) -> Vec<&str> {
    let after = text.split('{').skip(1).filter_map(|rest| rest.split_once('}'));
    let word = |name: &&str| !name.is_empty() && name.bytes().all(|b| b.is_ascii_lowercase() || b == b'_');
    after.map(|(name, _)| name).filter(word).collect()
}

#[test]
fn no_place_is_left_open() {
    for (name, text) in reminders().into_iter().chain(tools()) {
        // The skeleton is the person's: what looks like a place in it is not ours to fill.
        let expected: &[&str] = if name == "full_template" { &["path"] } else { &[] };
        assert_eq!(places(&text), expected, "{name}");
        assert_eq!(text.trim(), text, "{name}");
        assert!(!text.contains("\n\n\n"), "{name}");
    }
}

#[test]
fn every_full_reminder_holds_what_it_must() {
    for style in [PHASES, WorkflowStyle::FivePhases { explore: 1, design: 3 }, WorkflowStyle::Interview] {
        for length in LengthStyle::ALL {
            for exists in [true, false] {
                let workflow = workflow(style, *length, Some(TEMPLATE));
                let text = reminder_text(&plan_mode(true, false, exists), &workflow, &ALL);
                let (head, rest) = text.split_once("\n\n").unwrap();
                assert!(head.contains("Edit no file but the plan file"), "{text}");
                assert!(head.contains("no tool and no command that changes anything"), "{text}");
                assert!(head.contains("overrides every other instruction"), "{text}");
                let file = rest.split("\n\n").next().unwrap();
                assert!(file.contains(&format!("`{}`", path())), "{text}");
                assert_eq!(file.contains("There is a plan in"), exists, "{text}");
                assert!(file.contains(if exists { "with Edit" } else { "with Write" }), "{text}");
                let (_, end) = text.split_once("# How to end a turn\n").unwrap();
                for must in ["AskUserQuestion", "ExitPlanMode", "may just answer it"] {
                    assert!(end.contains(must), "{must}: {text}");
                }
                assert!(end.contains("Never ask for approval in plain text or with AskUserQuestion"));
                assert!(text.contains(TEMPLATE.trim_end()), "{text}");
            }
        }
    }
}

#[test]
fn the_phases_come_in_order() {
    let text = reminder_text(&plan_mode(true, false, false), &workflow(PHASES, LengthStyle::Cap, None), &ALL);
    let names = ["Understand", "Design", "Review", "Write the plan", "Submit it for review"];
    let at = |(index, name): (usize, &str)| text.find(&format!("## Phase {}: {name}\n", index + 1)).unwrap();
    let places: Vec<usize> = names.into_iter().enumerate().map(at).collect();
    assert!(places.is_sorted());
    assert!(text[places[0]..places[1]].contains("up to 3 in one message"));
    assert!(text[places[1]..places[2]].contains("a Plan agent make the design, unless"));
    assert!(text[places[3]..places[4]].contains("at most 40 lines"));
    assert!(text[places[4]..].contains("call ExitPlanMode"));
}

#[test]
fn a_sparse_reminder_is_one_line() {
    for (name, text) in reminders() {
        assert!(!name.starts_with("sparse") || !text.contains('\n'), "{text}");
    }
}

#[test]
fn a_hook_has_its_own_words() {
    assert_eq!(reminder_text(&ReminderKind::Hook, &Workflow::default(), &ALL), "");
}

#[test]
fn both_descriptions_name_the_same_cases() {
    for eagerness in Eagerness::ALL {
        let text = enter_description(*eagerness);
        for case in [
            "several approaches",
            "architectural decision",
            "many files",
            "requirements are unclear",
            "ask the user",
            "an obvious fix",
            "a single function",
            "pure research: use the Explore agent",
            "the UI, the API, and the state",
        ] {
            assert!(text.contains(case), "{eagerness}: {case}");
        }
        assert_eq!(text.ends_with("Plan it."), *eagerness == Eagerness::Eager);
    }
}
