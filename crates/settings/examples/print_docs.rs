//! Prints a generated page of the documentation: `print_docs settings` or `print_docs environment`.
#![expect(clippy::print_stdout, reason = "printing is what this program is for")]

use std::process::ExitCode;

use forelook_settings::pages;

fn main() -> ExitCode {
    let page = match std::env::args().nth(1).as_deref() {
        Some("settings") => pages::settings(),
        Some("environment") => pages::environment(),
        _ => return ExitCode::from(2),
    };
    print!("{page}");
    ExitCode::SUCCESS
}
