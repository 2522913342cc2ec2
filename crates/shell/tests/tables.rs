//! Every table can be read, and every example in it holds.

use forelook_shell::{Verdict, analyse, examples};

#[test]
fn examples_hold() {
    let all = examples().unwrap_or_else(|e| panic!("{e}"));
    let mut wrong = Vec::new();
    for table in &all {
        for example in &table.examples {
            let analysis = analyse(&example.line);
            if (analysis.verdict == Verdict::ReadOnly) != example.read_only {
                wrong.push(format!(
                    "{}: `{}` is {:?}: {}",
                    table.command, example.line, analysis.verdict, analysis.why
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
