//! Prints what each line on standard input would do; lines are JSON strings or, if they are not, taken as they are.

#![expect(clippy::print_stdout, reason = "it prints what it finds")]

use std::io::BufRead;

fn main() {
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        let text = serde_json::from_str::<String>(&line).unwrap_or(line);
        let analysis = forelook_shell::analyse(&text);
        println!("{:?}\t{text:?}\t{}", analysis.verdict, analysis.why);
    }
}
