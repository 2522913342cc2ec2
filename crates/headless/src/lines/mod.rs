//! A conversation in plain lines: what happens is printed, questions and prompts are read from standard input.
//!
//! It needs nothing of a terminal, so it also works in a pipe, in a log, or read aloud.

mod agents;
mod ask;
mod calls;
mod commands;
mod line_session;
mod models;
mod modes;
mod on_event;
mod outcome;
mod preview;
mod renderer;
mod review;
mod settings;
mod tasks;
#[cfg(test)]
mod tests;
mod text_output;
mod trust;
mod word_wrapper;

use std::future::ready;
use std::io::Write;
use std::sync::Arc;

use forelook_protocol::{Clock, FrontEnd, Notice, Query, Reply, SessionConnection, StopSignal};
use forelook_wording::Charset;

use crate::RunOutcome;
use crate::events::Events;
use crate::input::InputLines;
use line_session::LineSession;
use renderer::LineRenderer;
use text_output::TextOutput;
pub use trust::confirm_trust;

/// Everything a conversation in lines needs.
pub struct LinesSetup {
    /// The session, as [`front_end`] attaches to it.
    pub attached: SessionConnection,
    /// Whether the session goes on from before. The journal of a new one is not read.
    pub has_past: bool,
    /// What the person types.
    pub input: InputLines,
    /// What is said first, for the person.
    pub prompt: Option<String>,
    /// What the person should know before anything else.
    pub notices: Vec<Notice>,
    /// Where to print.
    pub stdout: Box<dyn Write + Send + Sync>,
    /// Whether colours may be used.
    pub color: bool,
    /// Which characters the terminal shows.
    pub charset: Charset,
    /// How many columns the terminal has, where that is known: words are broken there.
    pub width: Option<usize>,
    /// Whether to print what was read: wanted where no terminal shows it while it is typed.
    pub echo: bool,
    /// What ages are counted from.
    pub clock: Arc<dyn Clock>,
    /// Each one is a wish to stop.
    pub signals: tokio::sync::mpsc::Receiver<StopSignal>,
}

/// What to attach to the session with: a person is there.
pub fn front_end() -> FrontEnd {
    FrontEnd::attended("lines")
}

/// How a conversation in lines ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinesOutcome {
    /// How it ended.
    pub outcome: RunOutcome,
    /// Whether something was said that one could go on with.
    pub has_conversation: bool,
}

/// Talks until the input ends, or a signal comes while nothing is running.
pub async fn run(mut run: LinesSetup) -> LinesOutcome {
    let SessionConnection { session, events, snapshot } = run.attached;
    let mut events = Events::new(events);
    let text_output =
        TextOutput::new(run.stdout, run.color, run.echo).of_width(run.width).in_charset(run.charset);
    let renderer = LineRenderer::new(text_output, run.clock);
    // What was written in a review before, and not sent.
    let before = match run.has_past {
        true => session.query(Query::Transcript { until: snapshot.last }).await,
        false => Ok(Reply::Transcript(Vec::new())),
    };
    let before = if let Ok(Reply::Transcript(entries)) = before { entries } else { Vec::new() };
    let mut line_session = LineSession::after(&before, Arc::clone(&session), renderer, &snapshot);
    for notice in run.notices {
        line_session.renderer.notice(&notice);
    }
    let mut first = run.prompt;
    while !events.over() {
        tokio::select! {
            biased;
            Some(signal) = run.signals.recv() => match signal {
                StopSignal::Interrupt => if line_session.interrupt().await { break },
                // Closing the session ends what runs.
                StopSignal::End => {
                    line_session.ended = RunOutcome::Interrupted;
                    break;
                }
            },
            event = events.next() => line_session.event(&event),
            // From here on, everything is printed that has happened so far.
            () = ready(()), if first.is_some() => {
                if let Some(words) = first.take() {
                    line_session.first(&words).await;
                }
            }
            () = ready(()), if line_session.over() => break,
            () = ready(()), if line_session.needs_prompt() => line_session.show_prompt(),
            line = run.input.recv(), if line_session.wants_line() => match line {
                Some(Ok(line)) => {
                    line_session.renderer.typed(&line);
                    line_session.line(&line).await;
                }
                Some(Err(_)) | None => line_session.leave().await,
            },
        }
    }
    if events.over() && !line_session.failed {
        line_session.renderer.note("The session was ended in another program");
    }
    events.close(&*session).await;
    let has_conversation = line_session.has_conversation;
    LinesOutcome { outcome: line_session.outcome(), has_conversation }
}
