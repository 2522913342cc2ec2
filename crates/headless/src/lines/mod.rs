//! A conversation in plain lines: what happens is printed, questions and prompts are read from standard input.
//!
//! It needs nothing of a terminal, so it also works in a pipe, in a log, or read aloud.

mod ask;
mod show;

use std::collections::VecDeque;
use std::io::Write;
use std::sync::Arc;

use forelook_protocol::{
    Answer, Body, Command, Delivery, EndReason, Event, EventPort, Live, Notice, Prompt, Query, Question,
    Reply, SessionPort, UserBlock,
};

use crate::Ended;
use crate::input::InputLines;
use crate::wire::outgoing;
use ask::Asking;
use show::Show;

/// Everything a conversation in lines needs.
pub struct Run {
    /// The session.
    pub session: Arc<dyn SessionPort>,
    /// Its events.
    pub events: Box<dyn EventPort>,
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
    /// Each one is a wish to stop.
    pub signals: tokio::sync::mpsc::Receiver<()>,
}

/// Talks until the input ends, or a signal comes while nothing is running.
pub async fn run(mut run: Run) -> Ended {
    let show = Show::new(std::mem::replace(&mut run.stdout, Box::new(std::io::sink())), run.colour);
    let mut talk = Talk {
        session: run.session,
        show,
        questions: VecDeque::new(),
        attended: true,
        due: 0,
        ended: Ended::Done,
    };
    if let Ok(Reply::Status(status)) = talk.session.query(Query::Status).await {
        talk.due = status.turns_due;
    }
    for notice in run.notices {
        talk.show.live(&Live::Notice(notice));
    }
    if let Some(words) = run.prompt {
        talk.show.person(&words);
        talk.say(words).await;
    }
    talk.invite();
    loop {
        tokio::select! {
            biased;
            Some(()) = run.signals.recv() => {
                if talk.due == 0 {
                    talk.ended = Ended::Interrupted;
                    break;
                }
                let _ = talk.session.send(Command::Interrupt).await;
            }
            event = run.events.next() => talk.event(&event),
            line = run.input.recv(), if talk.listens() => match line {
                Some(Ok(line)) => talk.line(&line).await,
                Some(Err(_)) | None => talk.leave().await,
            },
        }
        if talk.due == 0 && !talk.attended {
            break;
        }
    }
    if talk.session.send(Command::Close).await.is_ok() {
        while !matches!(run.events.next().await, Event::Live(Live::Closed)) {}
    }
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

struct Talk {
    session: Arc<dyn SessionPort>,
    show: Show,
    questions: VecDeque<(Question, Asking)>,
    /// Whether somebody may still type.
    attended: bool,
    due: usize,
    ended: Ended,
}

impl Talk {
    /// A line is read only when it is wanted, so that an answer typed (or piped) ahead meets its question.
    fn listens(&self) -> bool {
        self.attended && (self.due == 0 || !self.questions.is_empty())
    }

    fn invite(&mut self) {
        if self.due == 0 && self.attended {
            self.show.invite();
        }
    }

    async fn say(&mut self, words: String) {
        let prompt = Prompt { content: vec![UserBlock::text(words)], delivery: Delivery::NextTurn };
        match self.session.send(Command::Prompt(prompt)).await {
            Ok(()) => self.due += 1,
            Err(refused) => self.show.problem(&refused.to_string()),
        }
    }

    async fn line(&mut self, line: &str) {
        let Some((question, asking)) = self.questions.front_mut() else {
            match line.trim() {
                "" => self.invite(),
                "/exit" => self.leave().await,
                words => self.say(words.to_owned()).await,
            }
            return;
        };
        let id = question.id;
        match asking.answer(line) {
            ask::Step::More => self.ask(),
            ask::Step::Unclear(why) => {
                self.show.problem(&why);
                self.ask();
            }
            ask::Step::Done(answer) => {
                self.questions.pop_front();
                if let Err(refused) = self.session.send(Command::Answer { question: id, answer }).await {
                    self.show.problem(&refused.to_string());
                }
                self.ask();
            }
        }
    }

    fn ask(&mut self) {
        if let Some((_, asking)) = self.questions.front() {
            self.show.question(&asking.text());
        }
    }

    async fn leave(&mut self) {
        self.attended = false;
        self.questions.clear();
        let _ = self.session.send(Command::Unattended).await;
    }

    fn event(&mut self, event: &Event) {
        match event {
            Event::Live(Live::Unrecorded(reason)) => self.turn_end(reason),
            Event::Recorded(entry) => match &entry.body {
                Body::Question(opened) if self.attended => {
                    self.questions.push_back((opened.question.clone(), Asking::new(&opened.question.ask)));
                    if self.questions.len() == 1 {
                        self.ask();
                    }
                }
                Body::Reply(replied) => {
                    self.questions.retain(|(question, _)| question.id != replied.question);
                    if replied.answer == Answer::Nobody {
                        self.show.note("Nobody is here to answer; going on without.");
                    }
                }
                Body::TurnEnd(ended) => self.turn_end(&ended.reason),
                body => self.show.body(body),
            },
            Event::Live(live) => self.show.live(live),
        }
    }

    fn turn_end(&mut self, reason: &EndReason) {
        self.due = self.due.saturating_sub(1);
        if let Some(problem) = outgoing::explain(reason) {
            self.show.problem(&problem);
        }
        self.ended = match reason {
            EndReason::Provider { .. } => Ended::Provider,
            EndReason::Internal { .. } | EndReason::MaxTurns { .. } | EndReason::Hook { .. } => Ended::Failed,
            EndReason::Interrupted | EndReason::Done | EndReason::MaxTokens | EndReason::Refusal => {
                Ended::Done
            }
        };
        self.invite();
    }
}
