//! Chores of the project: `cargo xtask <chore>`.
#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::disallowed_methods,
    reason = "a tool for developers: it prints, starts cargo, and writes the files that it generates"
)]

mod bench;
mod bind_mounts;
mod docs;
mod local_engine;
mod peak;
mod picture;
mod requirements;
mod run;
mod sdk;
mod soak;
mod test;
mod test_program;
mod test_user;
mod tidy;
mod wire;

use std::process::ExitCode;

use test_user::TestUser;

const USAGE: &str = "\
cargo xtask <task>

  test              run all checks: format, lints, build, tests, the SDK, house rules; when started as root, the
                    tests run as an unprivileged user
  sdk               run only the tests with the Claude Agent SDK for Python
  wire              run the scenarios over all wire formats, validated with the published Anthropic and OpenAI packages
  tidy              check only the house rules
  docs              write the generated pages in docs/
  picture [--check] make docs/picture.svg from the demo of the release binary; --check compares it with the debug binary
  bench [start|screen|rules|wire|tools|sandbox] [--quick] [--write]
                    measure the release binary, or one part; --write puts the table in docs/benchmarks.md
  engine            test with a real local model engine; the first run compiles it
  soak              run the kill harness with thousands of kills, attacks on the fence under load, the engine, and
                    every fuzzer for ten minutes";

fn main() -> ExitCode {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let done = match words.as_slice() {
        ["test"] => test::test(),
        ["sdk"] => run::run(&mut run::cargo(&["build"])).and_then(|()| sdk::drive(&TestUser::prepare()?)),
        ["wire"] => TestUser::prepare().and_then(|user| wire::check(&user)),
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
            eprintln!("Unknown task `{}`\n\n{USAGE}", other.join(" "));
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
