//! Every way in which a server can fail, in each wire format: the prompt has one result, and it is true.

use forelook_testkit::Lab;
use forelook_testkit::wire::{Fault, ScriptedServer, ServerOptions, WIRE_FORMATS};

use crate::{BINARY, factor};

const SCRIPT: &str = r#"
[[answer]]
text = "I look, in so many words that they come in several pieces."
[[answer.call]]
tool = "Bash"
input = { command = "echo once >> ran.txt" }
[[answer]]
text = "Done."
"#;

/// What becomes of a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Expected {
    /// It is tried again, and succeeds.
    Success,
    /// It fails, and says so.
    Failure,
}

fn faults() -> Vec<(String, Fault, Expected)> {
    use Expected::{Failure, Success};
    let status = |status: u16, expected| {
        let body = r#"{"error":{"type":"test","message":"a test","code":"x"}}"#;
        (format!("status {status}"), Fault::wait(status, "retry-after-ms", "1", body), expected)
    };
    let mut all = vec![
        ("closed".to_owned(), Fault::Close, Success),
        ("nothing to say".to_owned(), Fault::Huge(200_000), Success),
        ("no JSON".to_owned(), Fault::status(200, "<html>"), Failure),
        ("an empty body".to_owned(), Fault::status(200, ""), Failure),
        status(400, Failure),
        status(401, Failure),
        status(403, Failure),
        status(404, Failure),
        // Too long: the conversation becomes shorter, and the turn goes on.
        status(413, Success),
        status(429, Success),
        status(500, Success),
        status(502, Success),
        status(503, Success),
        status(529, Success),
    ];
    let step = (40 / factor()).max(1);
    all.extend((0..1200).step_by(step).map(|at| (format!("cut after {at}"), Fault::CutAfter(at), Success)));
    all.extend([1, 2, 3, 7, 64].map(|size| (format!("pieces of {size}"), Fault::Borders(size), Success)));
    all
}

#[test]
fn every_fault_ends_in_one_true_result() {
    std::thread::scope(|scope| {
        for wire_format in WIRE_FORMATS {
            scope.spawn(move || {
                for (name, fault, expected) in faults() {
                    let server = ScriptedServer::start(ServerOptions::default());
                    let lab = Lab::new(BINARY).with_script(SCRIPT).with_wire(wire_format, &server);
                    server.faults([fault]);
                    let args = ["-p", "go", "--allowedTools", "Bash", "--output-format", "stream-json"];
                    let output = lab.run(&args);
                    let shown = format!("{wire_format:?}, {name}: {} {}", output.stdout, output.stderr);
                    let results: Vec<_> =
                        output.json_lines().into_iter().filter(|line| line["type"] == "result").collect();
                    assert_eq!(results.len(), 1, "{shown}");
                    let ran = lab.project().join("ran.txt").exists().then(|| lab.read("ran.txt"));
                    match expected {
                        Expected::Success => {
                            assert_eq!(results[0]["is_error"], false, "{shown}");
                            assert_eq!((output.code, ran.as_deref()), (Some(0), Some("once\n")), "{shown}");
                        }
                        Expected::Failure => {
                            assert_eq!(results[0]["is_error"], true, "{shown}");
                            assert_eq!((output.code, ran), (Some(4), None), "{shown}");
                        }
                    }
                    assert!(server.problems().is_empty(), "{shown}: {:?}", server.problems());
                }
            });
        }
    });
}
