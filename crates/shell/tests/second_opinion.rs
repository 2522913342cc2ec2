//! A third parser on every line of the corpus: where it sees other commands than we do, the line must not be read-only.

#[path = "common/brush.rs"]
mod brush;
#[expect(dead_code, reason = "only the texts of lines are needed here")]
mod common;

use forelook_shell::{Verdict, analyse};

#[test]
fn brush_sees_the_same_commands() {
    let (mut compared, mut unparsed) = (0, Vec::new());
    for line in common::read_only().iter().chain(&common::nasty()) {
        let analysis = analyse(&line.text);
        match brush::names(&line.text) {
            Ok(theirs) => {
                compared += 1;
                if analysis.verdict == Verdict::ReadOnly {
                    let ours = brush::our_names(&analysis);
                    assert!(
                        brush::covers(&ours, &theirs),
                        "{:?}: brush sees {theirs:?}, we see {ours:?}",
                        line.text
                    );
                }
            }
            Err(why) => {
                if analysis.verdict == Verdict::ReadOnly {
                    unparsed.push(format!("{:?}: {why}", line.text));
                }
            }
        }
    }
    println!("{compared} lines compared");
    assert!(unparsed.is_empty(), "read-only although brush cannot parse it:\n{}", unparsed.join("\n"));
}
