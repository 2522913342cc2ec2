//! Several of us work in one project at the same time: whatever is reported as done is in the file.

use std::process::Child;

use forelook_testkit::Lab;

/// Processes, and agents in one process.
const PROCESSES: usize = 8;
const AGENTS: usize = 10;
const ROUNDS: usize = 6;

/// Reads a file and edits it; the last words say whether that was done.
const EDITS: &str = r#"
[[answer]]
[[answer.call]]
tool = "Read"
input = { file_path = "shared.txt" }
[[answer]]
next = [{ result = "has changed since it was read", goto = "late" }]
[[answer.call]]
tool = "Edit"
input = { file_path = "shared.txt", old_string = "start\n", new_string = "start\nmine\n" }
[[answer]]
name = "made"
text = "It was made."
[[answer]]
name = "late"
text = "It was too late."
"#;

fn lines_added(lab: &Lab) -> usize {
    lab.read("shared.txt").lines().filter(|line| *line == "mine").count()
}

#[test]
fn processes_lose_nothing_of_each_other() {
    let lab = Lab::new(env!("CARGO_BIN_EXE_forelook")).with_script(EDITS);
    for round in 0..ROUNDS {
        lab.file("shared.txt", "start\n");
        let start = |_| lab.command(["-p", "go", "--permission-mode", "acceptEdits"]).spawn().unwrap();
        let running: Vec<Child> = (0..PROCESSES).map(start).collect();
        let said = running.into_iter().map(|child| child.wait_with_output().unwrap().stdout);
        let said: Vec<String> = said.map(|said| String::from_utf8(said).unwrap()).collect();
        let made = said.iter().filter(|said| said.contains("It was made")).count();
        let late = said.iter().filter(|said| said.contains("too late")).count();
        assert_eq!(made + late, PROCESSES, "round {round}: {said:?}");
        assert_eq!(lines_added(&lab), made, "round {round}: {said:?}");
        assert!(made >= 1, "round {round}");
    }
}

/// The same for agents that one model calls at once.
#[test]
fn agents_lose_nothing_of_each_other() {
    let call = r#"{ tool = "Agent", input = { description = "edit", prompt = "TASK", subagent_type = "general-purpose" } }"#;
    let calls = [call; AGENTS].join(", ");
    let answers = EDITS.replacen("[[answer]]\n", "[[answer]]\nname = \"task\"\n", 1);
    let script = format!(
        "[[start]]\nprompt = \"TASK\"\ngoto = \"task\"\n[[answer]]\ncall = [{calls}]\n\
         [[answer]]\ntext = \"All agents ended.\"\n{answers}"
    );
    let lab = Lab::new(env!("CARGO_BIN_EXE_forelook")).with_script(&script);
    for round in 0..ROUNDS {
        lab.file("shared.txt", "start\n");
        let args = ["-p", "go", "--permission-mode", "acceptEdits", "--output-format", "stream-json"];
        let output = lab.run(&args);
        assert_eq!(agents_that(&output.stdout, "It was"), AGENTS, "round {round}: {}", output.stdout);
        let made = agents_that(&output.stdout, "It was made");
        assert_eq!(lines_added(&lab), made, "round {round}: {}", output.stdout);
        assert!(made >= 1, "round {round}");
    }
}

/// How many agents told the main agent this.
fn agents_that(stream: &str, said: &str) -> usize {
    let of_main = |line: &&str| {
        line.contains("\"tool_result\"")
            && line.contains("\"parent_tool_use_id\":null")
            && line.contains(said)
    };
    stream.lines().filter(of_main).count()
}
