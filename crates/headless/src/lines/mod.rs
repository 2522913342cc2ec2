//! A conversation in plain lines: what happens is printed, questions and prompts are read from standard input.
//!
//! It needs nothing of a terminal, so it also works in a pipe, in a log, or read aloud.

mod agents;
mod ask;
mod calls;
mod commands;
mod flow;
mod hear;
mod models;
mod modes;
mod outcome;
mod paper;
mod preview;
mod review;
mod show;
mod talk;
#[cfg(test)]
mod tests;

use std::future::ready;
use std::io::Write;
use std::sync::Arc;

use forelook_protocol::{Attached, Clock, FrontEnd, Notice};

use crate::Ended;
use crate::events::Events;
use crate::input::InputLines;
use paper::Paper;
use show::Show;
use talk::Talk;

/// Everything a conversation in lines needs.
pub struct Run {
    /// The session, as [`front_end`] attaches to it.
    pub attached: Attached,
    /// What the person types.
    pub input: InputLines,
    /// What is said first, for the person.
    pub prompt: Option<String>,
    /// What the person should know before anything else.
    pub notices: Vec<Notice>,
    /// Where to print.
    pub stdout: Box<dyn Write + Send>,
    /// Whether colours may be used.
    pub colour: bool,
    /// How many columns the terminal has, where that is known: words are broken there.
    pub width: Option<usize>,
    /// Whether to print what was read: wanted where no terminal shows it while it is typed.
    pub echo: bool,
    /// What ages are counted from.
    pub clock: Arc<dyn Clock>,
    /// Each one is a wish to stop.
    pub signals: tokio::sync::mpsc::Receiver<()>,
}

/// What to attach to the session with: a person is there.
pub fn front_end() -> FrontEnd {
    FrontEnd::attended("lines")
}

/// Talks until the input ends, or a signal comes while nothing is running.
pub async fn run(mut run: Run) -> Ended {
    let Attached { session, events, snapshot } = run.attached;
    let mut events = Events::new(events);
    let paper = Paper::new(run.stdout, run.colour, run.echo).of_width(run.width);
    let show = Show::new(paper, run.clock);
    let mut talk = Talk::new(Arc::clone(&session), show, &snapshot);
    for notice in run.notices {
        talk.show.notice(&notice);
    }
    let mut first = run.prompt;
    while !events.over() {
        tokio::select! {
            biased;
            Some(()) = run.signals.recv() => {
                if talk.interrupt().await {
                    break;
                }
            }
            event = events.next() => talk.event(&event),
            // From here on, everything is printed that has happened so far.
            () = ready(()), if first.is_some() => {
                if let Some(words) = first.take() {
                    talk.first(&words).await;
                }
            }
            () = ready(()), if talk.over() => break,
            () = ready(()), if talk.is_to_invite() => talk.invite(),
            line = run.input.recv(), if talk.listens() => match line {
                Some(Ok(line)) => {
                    talk.show.typed(&line);
                    talk.line(&line).await;
                }
                Some(Err(_)) | None => talk.leave().await,
            },
        }
    }
    if events.over() {
        talk.show.note("The session was ended elsewhere");
    }
    events.close(&*session).await;
    talk.ended
}

/// Asks a yes-or-no question before there is a session. Anything but a clear yes is a no.
pub async fn confirm(input: &mut InputLines, out: &mut (dyn Write + Send), text: &str) -> bool {
    // If it cannot be shown it cannot be agreed to.
    if write!(out, "{text} [y/N] ").and_then(|()| out.flush()).is_err() {
        return false;
    }
    matches!(input.recv().await, Some(Ok(line)) if matches!(line.trim().to_lowercase().as_str(), "y" | "yes"))
}
