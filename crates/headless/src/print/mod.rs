//! `-p`: a prompt in, its result out; or many, over `stream-json`.

mod agents;
mod control;
mod editor;
mod host;
mod out;
mod printer;
#[cfg(test)]
mod tests;
mod turn;

use std::io::Write;
use std::sync::Arc;

use forelook_protocol::{
    Clock, Command, Event, EventPort, Ids, Live, Notice, Query, Reply, SessionPort, UserBlock,
};

use crate::Ended;
use crate::input::InputLines;
use host::Host;
use out::Out;
use printer::Printer;

/// How the result is printed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Output {
    /// The model's last words.
    Text,
    /// One JSON object at the end.
    Json,
    /// A line of JSON for everything that happens.
    Stream {
        /// Pieces of answers too.
        partial: bool,
    },
}

/// Where prompts come from.
pub enum Input {
    /// One prompt.
    Prompt(Vec<UserBlock>),
    /// Lines of `stream-json`, until they end.
    Stream(InputLines),
    /// None: what there is to do was begun before.
    Begun,
}

/// Which questions the program that drives us answers. It must fit what the session was told: a question that neither
/// side answers would wait forever.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asks {
    /// None; the session answers them itself.
    Nobody,
    /// Those about plans (`--on-plan ask`).
    Plans,
    /// All but the review of a plan, which a policy answers (`--permission-prompt-tool stdio` with `--on-plan`).
    AllButReviews,
    /// All (`--permission-prompt-tool stdio`).
    Everything,
}

/// Everything a run needs.
pub struct Run {
    /// The session.
    pub session: Arc<dyn SessionPort>,
    /// Its events.
    pub events: Box<dyn EventPort>,
    /// What to do.
    pub input: Input,
    /// How to print it.
    pub output: Output,
    /// Who answers questions. Where one of input and output is no stream of JSON there is nobody, whatever this says.
    pub asks: Asks,
    /// What the person should know before anything else.
    pub notices: Vec<Notice>,
    /// Standard output.
    pub stdout: Box<dyn Write + Send>,
    /// Standard error.
    pub stderr: Box<dyn Write + Send>,
    /// Ids for lines that stand in no journal.
    pub ids: Arc<dyn Ids>,
    /// What ages are counted from.
    pub clock: Arc<dyn Clock>,
    /// Each one is a wish to stop: Ctrl+C, or a polite kill.
    pub signals: tokio::sync::mpsc::Receiver<()>,
}

/// Runs to the end of the input and of all turns.
pub async fn run(mut run: Run) -> Ended {
    let status = match run.session.query(Query::Status).await {
        Ok(Reply::Status(status)) => status,
        Ok(_) | Err(_) => return Ended::Failed,
    };
    let (mut lines, mut first) = match run.input {
        Input::Prompt(content) => (None, Some(content)),
        Input::Stream(lines) => (Some(lines), None),
        Input::Begun => (None, None),
    };
    if run.output != (Output::Stream { partial: true }) {
        run.events.skip_pieces();
    }
    let streaming_input = lines.is_some();
    let out = Out {
        output: run.output,
        session: status.session,
        ids: run.ids,
        stdout: run.stdout,
        stderr: run.stderr,
    };
    let asks = if streaming_input && out.streams() { run.asks } else { Asks::Nobody };
    if asks != run.asks {
        // There is no way to ask, so nothing may wait for an answer.
        let _ = run.session.send(Command::Unattended).await;
    }
    let mut printer = Printer::new(out, Host::new(asks), run.clock, status);
    for notice in run.notices {
        // Whoever does not read this will not read the rest either; that is noticed there.
        let _ = printer.out.notice(&notice);
    }
    loop {
        if printer.turns.settled()
            && let Some(content) = first.take()
        {
            printer.prompt(&*run.session, content).await;
        }
        if printer.idle() && (lines.is_none() || printer.stopped || printer.bad_input) {
            break;
        }
        let heard = tokio::select! {
            biased;
            Some(()) = run.signals.recv() => {
                printer.stopped = true;
                let _ = run.session.send(Command::Interrupt).await;
                Ok(())
            }
            event = run.events.next() => printer.event(&*run.session, event).await,
            () = printer.turns.step(&*run.session), if !printer.turns.settled() => {
                if printer.turns.settle() { printer.settled() } else { Ok(()) }
            }
            // What a line means can depend on what came of the one before.
            line = next_line(&mut lines), if printer.turns.settled() => {
                match line {
                    Some(Ok(line)) => printer.line(&*run.session, &line).await,
                    end => {
                        if let Some(Err(error)) = end {
                            printer.out.complain(&format!("The input could not be read: {error}"));
                        }
                        lines = None;
                        if printer.host.answers() {
                            let _ = run.session.send(Command::Unattended).await;
                        }
                    }
                }
                Ok(())
            }
        };
        if heard.is_err() {
            printer.stopped = true;
            let _ = run.session.send(Command::Interrupt).await;
            break;
        }
    }
    close(&*run.session, &mut run.events).await;
    printer.ended(streaming_input)
}

async fn next_line(lines: &mut Option<InputLines>) -> Option<std::io::Result<String>> {
    match lines {
        Some(lines) => lines.recv().await,
        None => std::future::pending().await,
    }
}

async fn close(session: &dyn SessionPort, events: &mut Box<dyn EventPort>) {
    if session.send(Command::Close).await.is_ok() {
        while !matches!(events.next().await, Event::Live(Live::Closed)) {}
    }
}
