//! The scripted server as a program: for trying things by hand, for clients in other languages, for measurements.
//!
//! ```text
//! cargo run -p forelook-testkit --example wire_server -- [options]
//!
//!   --script FILE       what every model says whose name is no path; a model named by an absolute path plays that file
//!   --calls N           no script: N calls of Read, one an answer, then an end; which one is due is read off the request
//!   --file PATH         the file that those calls read
//!   --deltas N          no script: one answer of words in N pieces, each an event and an HTTP chunk of its own
//!   --bytes B           how many bytes those words have together; `--deltas 1 --bytes 4194304` is one event of 4 MiB
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
//! `GET /figures` gives JSON: `requests`, their number; `gaps`, `gaps_10_50` and `gaps_900_1000`, each with `median_us`
//! and `p95_us`; `exchanges`, with `received_unix_ns` (the last byte of the request was there), `began_unix_ns` and
//! `ended_unix_ns` (of the answer), `bytes` (of the request) and `gap_us`. A gap is the time from the last byte of the
//! answer before to the last byte of the request. `DELETE /figures` forgets them. SIGTERM and SIGINT end the server,
//! which then prints the same JSON as its last line.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    clippy::disallowed_methods,
    reason = "a program of its own, not a part of another"
)]

use std::process::ExitCode;

use forelook_testkit::wire::{FORMS, Options, Prepared, Reads, Server, Texts};
use tokio::signal::unix::{SignalKind, signal};

/// What was asked for.
#[derive(Default)]
struct Asked {
    options: Options,
    certificate: Option<String>,
}

fn main() -> ExitCode {
    let asked = match parse(std::env::args().skip(1)) {
        Ok(asked) => asked,
        Err(why) => {
            eprintln!("{why}; the options stand at the top of `crates/testkit/examples/wire_server.rs`");
            return ExitCode::from(2);
        }
    };
    match run(asked) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn run(asked: Asked) -> std::io::Result<()> {
    let server = Server::start(asked.options);
    FORMS.iter().for_each(|form| server.prepare(*form));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    runtime.block_on(async {
        // Before anybody knows the address, so that no signal is missed.
        let (mut term, mut int) = (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?);
        if let (Some((_, pem)), Some(path)) = (server.secure(), &asked.certificate) {
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
        println!("{}", server.figures());
        Ok(())
    })
}

fn parse(words: impl Iterator<Item = String>) -> Result<Asked, String> {
    let mut words = words;
    let mut asked = Asked::default();
    let (mut calls, mut file, mut deltas, mut bytes) = (None, None, None, None);
    while let Some(word) = words.next() {
        if word == "--tls" {
            asked.options.tls = true;
            continue;
        }
        let value = words.next().ok_or_else(|| format!("`{word}` needs a value"))?;
        match word.as_str() {
            "--script" => {
                let text = std::fs::read_to_string(&value).map_err(|error| format!("`{value}`: {error}"))?;
                asked.options.script = Some(text);
            }
            "--calls" => calls = Some(number(&word, &value)?),
            "--file" => file = Some(value),
            "--deltas" => deltas = Some(number(&word, &value)?),
            "--bytes" => bytes = Some(number(&word, &value)?),
            "--key" => asked.options.key = Some(value),
            "--log" => asked.options.log = Some(value.into()),
            "--port" => asked.options.port = number(&word, &value)?,
            "--certificate" => asked.certificate = Some(value),
            _ => return Err(format!("`{word}` is not known")),
        }
    }
    asked.options.prepared = match (calls, file, deltas, bytes) {
        (None, None, None, None) => None,
        (Some(calls), Some(file), None, None) => Some(Prepared::from(Reads { calls, file })),
        (None, None, Some(deltas), Some(bytes)) => Some(Prepared::from(Texts { deltas, bytes })),
        _ => {
            return Err("`--calls` needs `--file`, `--deltas` needs `--bytes`, and only one of the two goes"
                .to_owned());
        }
    };
    Ok(asked)
}

fn number<T: std::str::FromStr>(word: &str, value: &str) -> Result<T, String> {
    value.parse().map_err(|_| format!("`{word}` needs a number, not `{value}`"))
}
