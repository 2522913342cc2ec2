//! Chores of the project: `cargo xtask <chore>`.
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::disallowed_methods,
    reason = "a tool for developers: it prints, starts cargo, and writes the files that it generates"
)]

mod bench;
mod docs;
mod local_engine;
mod needs;
mod ordinary;
mod peak;
mod picture;
mod run;
mod sdk;
mod soak;
mod test;
mod tidy;
mod ways;
mod wire;

use std::process::ExitCode;

use ordinary::Who;

const USAGE: &str = "\
cargo xtask <chore>

  test              everything that must hold: format, lints, build, tests, the SDK, house rules; started by root, it
                    runs what it built as a user without rights
  sdk               the tests with the Claude Agent SDK for Python alone
  wire              the scenarios over all wires, judged by the published packages of Anthropic and OpenAI
  tidy              the house rules alone
  docs              write the generated pages of docs/
  picture [--check] make docs/picture.svg from the demo of the release binary; --check compares it with the debug binary's
  bench [start|screen|rules|wire|tools|sandbox] [--quick] [--write]
                    measure the release binary, or a part of it; --write puts the table into docs/benchmarks.md
  engine            a real engine on this machine answers the program; the first time, it is compiled
  soak              the kill harness with thousands of kills, attacks on the fence under load, the engine, and every
                    fuzzer for ten minutes";

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let done = match words.as_slice() {
        ["test"] => test::test(),
        ["sdk"] => run::run(&mut run::cargo(&["build"])).and_then(|()| sdk::drive(&Who::ready()?)),
        ["wire"] => Who::ready().and_then(|who| wire::check(&who)),
        ["tidy"] => tidy::tidy(),
        ["docs"] => docs::write(),
        ["bench", options @ ..] => bench::Options::parse(options).and_then(|options| bench::bench(&options)),
        ["picture"] => picture::write(),
        ["picture", "--check"] => picture::check(),
        ["engine"] => local_engine::drive(),
        ["soak"] => soak::soak(),
        [peak::CHORE, program, arguments @ ..] => peak::report(program, arguments),
        [] | ["help" | "--help" | "-h"] => {
            println!("{USAGE}");
            return ExitCode::SUCCESS;
        }
        other => {
            eprintln!("Unknown chore `{}`\n\n{USAGE}", other.join(" "));
            return ExitCode::from(2);
        }
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("\n{message}");
            ExitCode::FAILURE
        }
    }
}
