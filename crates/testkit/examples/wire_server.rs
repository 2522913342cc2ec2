//! The scripted server as a program: for trying things by hand, and for clients in other languages.
//!
//! ```text
//! cargo run -p forelook-testkit --example wire_server -- [options]
//!
//!   --script FILE       what every model says whose name is no path; a model named by an absolute path plays that file
//!   --key KEY           requests without this key are refused with 401
//!   --log FILE          add the body of every request to this file, a line each
//!   --port P            the port; any that is free if left out
//!   --tls               listen with TLS as well, on another port, with HTTP/2 for who can
//!   --certificate FILE  where its certificate is written, to be trusted (with --tls)
//! ```
//!
//! It prints `listening on http://127.0.0.1:PORT`, and with TLS a second line with `https`. It answers to
//! `/v1/messages`, `/v1/messages/count_tokens`, `/v1/responses` and `/v1/chat/completions`, whatever stands before
//! them.
//!
//! SIGTERM and SIGINT end the server. It then prints what was wrong with requests to stderr, a line each, and as its last
//! line JSON with their number, `requests`. What the program's speed is measured with is `wire_speed`.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::disallowed_methods,
    reason = "a program of its own, not a part of another"
)]

use std::process::ExitCode;

use forelook_testkit::wire::{ScriptedServer, ServerOptions};
use tokio::signal::unix::{SignalKind, signal};

/// What was asked for.
#[derive(Default)]
struct CommandLine {
    options: ServerOptions,
    certificate: Option<String>,
}

fn main() -> ExitCode {
    let command_line = match parse(std::env::args().skip(1)) {
        Ok(command_line) => command_line,
        Err(why) => {
            eprintln!("{why}; the options are listed at the top of `crates/testkit/examples/wire_server.rs`");
            return ExitCode::from(2);
        }
    };
    match run(command_line) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn run(command_line: CommandLine) -> std::io::Result<()> {
    let server = ScriptedServer::start(command_line.options);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        // Before anybody knows the address, so that no signal is missed.
        let (mut term, mut int) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
        if let (Some((_, pem)), Some(path)) = (server.secure(), &command_line.certificate) {
            std::fs::write(path, pem)?;
        }
        println!("listening on {}", server.url());
        if let Some((url, _)) = server.secure() {
            println!("listening on {url}");
        }
        tokio::select! {
            _ = term.recv() => {}
            _ = int.recv() => {}
        }
        for problem in server.problems() {
            eprintln!("{problem}");
        }
        println!("{}", serde_json::json!({"requests": server.received()}));
        Ok(())
    })
}

fn parse(words: impl Iterator<Item = String>) -> Result<CommandLine, String> {
    let mut words = words;
    let mut command_line = CommandLine::default();
    while let Some(word) = words.next() {
        if word == "--tls" {
            command_line.options.tls = true;
            continue;
        }
        let value = words.next().ok_or_else(|| format!("`{word}` needs a value"))?;
        match word.as_str() {
            "--script" => {
                let text = std::fs::read_to_string(&value).map_err(|error| format!("`{value}`: {error}"))?;
                command_line.options.script = Some(text);
            }
            "--key" => command_line.options.key = Some(value),
            "--log" => command_line.options.log = Some(value.into()),
            "--port" => {
                let port = value.parse().map_err(|_| format!("`{word}` needs a number, not `{value}`"))?;
                command_line.options.port = port;
            }
            "--certificate" => command_line.certificate = Some(value),
            _ => return Err(format!("unknown option `{word}`")),
        }
    }
    Ok(command_line)
}
