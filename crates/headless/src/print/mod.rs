//! `-p`: a prompt in, its result out; or many, over `stream-json`.

mod agents;
mod control;
mod host;
mod host_questions;
mod out;
mod owed;
mod printer;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::future::ready;
use std::io::Write;
use std::sync::Arc;

use forelook_protocol::{
    Clock, Command, EndReason, IdGenerator, Notice, Prompt, SessionConnection, SessionId, StopSignal, TurnId,
};
use tokio::sync::mpsc::Receiver;

use crate::RunOutcome;
use crate::events::Events;
use crate::input::InputLines;
use crate::wire::outgoing::{self, TurnOutcome};
use host::HostChannel;
use out::{OutputClosed, PrintOutput};
use printer::Printer;

pub use host_questions::HostQuestions;

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
    Prompt(Prompt),
    /// Lines of `stream-json`, until they end.
    Stream(InputLines),
    /// None: what there is to do was begun through [`PrintSetup::attached`], or before.
    Begun,
}

impl Input {
    /// Whether the program that drives us can be asked: it writes a stream of JSON and reads one.
    pub fn both_ways(&self, output: Output) -> bool {
        matches!((self, output), (Input::Stream(_), Output::Stream { .. }))
    }
}

/// Everything a run needs.
pub struct PrintSetup {
    /// The session, as [`HostQuestions::front_end`] attaches to it.
    pub attached: SessionConnection,
    /// What to do.
    pub input: Input,
    /// How to print it.
    pub output: Output,
    /// Who answers questions. Where one of input and output is no stream of JSON there is nobody, whatever this says.
    pub asks: HostQuestions,
    /// What the person should know before anything else.
    pub notices: Vec<Notice>,
    /// Standard output.
    pub stdout: Box<dyn Write + Send>,
    /// Standard error.
    pub stderr: Box<dyn Write + Send>,
    /// Ids for lines that stand in no journal.
    pub ids: Arc<dyn IdGenerator>,
    /// What ages are counted from.
    pub clock: Arc<dyn Clock>,
    /// Each one is a wish to stop: Ctrl+C, or a polite kill.
    pub signals: Receiver<StopSignal>,
}

/// Runs to the end of the input and of all turns.
pub async fn run(run: PrintSetup) -> RunOutcome {
    let both_ways = run.input.both_ways(run.output);
    let SessionConnection { session, events, snapshot } = run.attached;
    let mut events = Events::new(events);
    if run.output != (Output::Stream { partial: true }) {
        events.skip_deltas();
    }
    let out = PrintOutput {
        output: run.output,
        session: snapshot.status.session,
        ids: run.ids,
        stdout: run.stdout,
        unwritten: None,
        stderr: run.stderr,
    };
    if !both_ways && run.asks != HostQuestions::Nobody {
        // There is no way to ask, so nothing may wait for an answer, whatever was said when it was attached.
        let _ = session.send(Command::Unattended).await;
    }
    let host = HostChannel::new(run.asks.front_end(both_ways));
    let streaming_input = matches!(run.input, Input::Stream(_));
    let mut printer = Printer::new(Arc::clone(&session), out, host, run.clock, &snapshot);
    for notice in run.notices {
        // Whoever does not read this will not read the rest either; that is noticed there.
        let _ = printer.out.notice(&notice);
    }
    match run.input {
        Input::Begun => printer.begun(),
        Input::Stream(_) => printer.prompts_first(),
        Input::Prompt(_) => {}
    }
    let printed = match printer.begin(&snapshot).await {
        Ok(()) => talk(&mut printer, &mut events, run.input, run.signals).await,
        unheard => unheard,
    };
    let printed = printed.and_then(|()| printer.settle());
    if printed.is_err() {
        printer.stopped = true;
        if let Some(why) = printer.out.unwritten.clone() {
            printer.out.complain(&format!(
                "Cannot write the output: {why}\nThe session is saved; continue it with `--continue`"
            ));
        }
        let _ = session.send(Command::Interrupt).await;
    }
    events.close(&*session).await;
    printer.ended(streaming_input)
}

/// Prints the result of a prompt whose session could not be opened. The words for a person go elsewhere.
pub fn unopened(
    (output, mut stdout): (Output, Box<dyn Write + Send>),
    session: SessionId,
    ids: &dyn IdGenerator,
    message: String,
) {
    if output == Output::Text {
        return;
    }
    let ended = outgoing::unrecorded(TurnId::default(), &EndReason::Internal { message });
    let outcome = TurnOutcome {
        session,
        ended: &ended,
        words: "",
        denials: &[],
        interrupted_calls: false,
        spent: &BTreeMap::new(),
        models: &[],
    };
    // Whoever does not read it hears of the end all the same.
    let _ = writeln!(stdout, "{}", outgoing::result(ids.next(), &outcome)).and_then(|()| stdout.flush());
}

/// Prints what happens and reads what is said, until there is nothing more to do.
async fn talk(
    printer: &mut Printer,
    events: &mut Events,
    input: Input,
    mut signals: Receiver<StopSignal>,
) -> Result<(), OutputClosed> {
    let (mut lines, mut first) = match input {
        Input::Prompt(prompt) => (None, Some(prompt)),
        Input::Stream(lines) => (Some(lines), None),
        Input::Begun => (None, None),
    };
    while !events.over() {
        tokio::select! {
            biased;
            Some(_) = signals.recv() => {
                // Wished for twice, nothing more is waited for.
                if printer.stopped {
                    return Ok(());
                }
                printer.stop().await;
            }
            event = events.next() => printer.event(event).await?,
            // From here on, everything is told that has happened so far.
            () = ready(()), if first.is_some() => {
                if let Some(prompt) = first.take() {
                    printer.prompt(prompt).await?;
                }
            }
            () = ready(()), if printer.idle() && (lines.is_none() || printer.stopped) => return Ok(()),
            line = InputLines::next(&mut lines) => match line {
                Some(Ok(line)) => printer.line(&line).await?,
                end => {
                    lines = None;
                    printer.input_ends(end.and_then(Result::err)).await;
                }
            }
        }
    }
    // The session was ended elsewhere.
    printer.stopped |= !printer.idle();
    Ok(())
}
