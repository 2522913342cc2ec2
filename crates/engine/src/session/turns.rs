//! Turns: begun with a prompt, steered, and tied up when they are over.

use std::sync::Arc;

use forelook_hooks::Begin;
use forelook_protocol::{
    Body, Delivery, EndReason, EntryId, Live, Notice, NoticeLevel, Prompt, Queued, Taken, UserBlock,
};
use tokio::task::JoinError;
use tokio_util::sync::CancellationToken;

use super::Session;
use crate::config::Start;
use crate::handle::{NotRecorded, SessionHandle};
use crate::repair::{ended, loose_ends, never_ended};
use crate::turn::{Turn, TurnInput, run_turn};

impl Session {
    pub(super) async fn prompt(&mut self, prompt: Prompt) -> Result<(), NotRecorded> {
        if !self.turns.is_empty() {
            return self.record(vec![Body::Queued(Queued { prompt })]).await;
        }
        self.begin_turn(Body::Prompt(Taken { content: prompt.content, queued: None, plan: None })).await
    }

    pub(super) async fn take_steering(&mut self) -> Result<bool, NotRecorded> {
        let steering = self.state.queue.iter().filter(|(_, prompt)| prompt.delivery == Delivery::Steer);
        let taken: Vec<Body> = steering.map(|(id, prompt)| taken(*id, prompt)).collect();
        let any = !taken.is_empty();
        if any {
            self.tell_of_lines().await?;
        }
        self.record(taken).await?;
        Ok(any)
    }

    pub(super) fn start_turn(&mut self, input: TurnInput) {
        let Some(messages) = self.messages.upgrade() else { return };
        self.cancel = CancellationToken::new();
        let (hub, cancel, spent) = (self.hub.clone(), self.cancel.clone(), Arc::default());
        let session = SessionHandle { messages, hub, cancel, agent: None, spent };
        let greet = (!std::mem::replace(&mut self.greeted, true)).then_some(match self.config.start {
            Start::New(_) => Begin::Startup,
            Start::Resume(_) => Begin::Resume,
            Start::Fork(_) => Begin::Fork,
        });
        let turn = Turn { session, hands: Arc::clone(&self.hands), max_turns: self.config.max_turns, greet };
        self.turns.spawn(run_turn(turn, input));
    }

    pub(super) async fn turn_over(&mut self, ended: Result<Result<(), EndReason>, JoinError>) {
        let unwritten = match ended {
            Ok(Ok(())) => None,
            Ok(Err(reason)) => Some(reason),
            // Nobody aborts a turn but a runtime that shuts down. What is open and what waits stays as it
            // is in the journal, for whoever resumes the session.
            Err(gone) if gone.is_cancelled() => {
                self.closing = true;
                return;
            }
            Err(crash) => {
                Some(EndReason::Internal { message: format!("The turn failed inside Forelook: {crash}") })
            }
        };
        if self.tie_up(unwritten.clone()).await.is_err()
            && let Some(reason) = unwritten
        {
            self.hub.live(Live::Unrecorded(reason));
        }
        if !self.closing
            && let Err(NotRecorded(text)) = self.next_turn().await
        {
            self.hub.live(Live::Notice(Notice { level: NoticeLevel::Error, text }));
        }
    }

    /// Starts a turn with the next prompt that waits, if one does.
    pub(super) async fn next_turn(&mut self) -> Result<(), NotRecorded> {
        let Some(body) = self.state.queue.front().map(|(id, prompt)| taken(*id, prompt)) else {
            return Ok(());
        };
        self.begin_turn(body).await
    }

    pub(super) async fn begin_turn(&mut self, prompt: Body) -> Result<(), NotRecorded> {
        // Where the turn before broke off because nothing could be written, this is the first chance.
        self.tie_up(None).await?;
        let words = words_of(&prompt);
        self.tell_of_lines().await?;
        self.record(vec![prompt]).await?;
        self.start_turn(TurnInput::Prompt(words));
        Ok(())
    }

    /// Closes what a turn left open that crashed or could not write: a call without a result would spoil
    /// every later request. Writes the turn's end if it did not do so itself.
    pub(super) async fn tie_up(&mut self, end: Option<EndReason>) -> Result<(), NotRecorded> {
        for agent in self.state.agents.keys().cloned().collect::<Vec<_>>() {
            self.record_for(Some(agent), vec![Body::AgentEnded(never_ended())]).await?;
        }
        self.record(loose_ends(&self.state)).await?;
        match end {
            Some(reason) => self.record(vec![ended(reason)]).await,
            None => Ok(()),
        }
    }
}

/// The words of a prompt, for hooks.
fn words_of(prompt: &Body) -> String {
    let Body::Prompt(taken) = prompt else { return String::new() };
    let words = taken.content.iter().filter_map(|block| match block {
        UserBlock::Text { text } => Some(text.as_str()),
        UserBlock::Image { .. } | UserBlock::ToolResult(_) => None,
    });
    words.collect::<Vec<_>>().join("\n")
}

pub(super) fn says_nothing(prompt: &Prompt) -> bool {
    prompt.content.iter().all(|block| matches!(block, UserBlock::Text { text } if text.trim().is_empty()))
}

fn taken(id: EntryId, prompt: &Prompt) -> Body {
    Body::Prompt(Taken { content: prompt.content.clone(), queued: Some(id), plan: None })
}
