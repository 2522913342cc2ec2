//! Turns: begun with a prompt, steered, and tied up when they are over.

use std::sync::Arc;

use forelook_hooks::Begin;
use forelook_protocol::{
    Accepted, Body, Delivery, EndReason, EntryId, Live, Notice, NoticeLevel, Prompt, PromptAccepted, Queued,
    Refused, TurnStarted, UserBlock,
};
use tokio::task::JoinError;
use tokio_util::sync::CancellationToken;

use super::Session;
use super::plans::begins_with;
use super::repair::{ended, loose_ends, never_ended};
use crate::config::Start;
use crate::handle::{NotRecorded, SessionHandle};
use crate::turn::{Turn, TurnInput, run_turn};

impl Session {
    pub(super) async fn prompt(&mut self, prompt: Prompt) -> Result<Accepted, Refused> {
        let journal = |NotRecorded(message)| Refused::Journal(message);
        let Prompt { content, delivery, origin } = prompt;
        let content = sendable(content)?;
        self.reap_turns().await;
        if self.turns.is_empty() {
            let accepted = PromptAccepted { content, origin, queued: None };
            return self.begin_turn(accepted).await.map_err(journal);
        }
        let behind = self.state.newest_turn;
        let prompt = Prompt { content, delivery, origin };
        self.record(vec![Body::Queued(Queued { prompt })]).await.map_err(journal)?;
        Ok(self.state.last.map_or(Accepted::Nothing, |prompt| Accepted::Queued { prompt, behind }))
    }

    /// A turn whose end was told is over, though its task may take another moment to be gone.
    pub(super) async fn reap_turns(&mut self) {
        while self.state.turn.is_none()
            && let Some(ended) = self.turns.join_next().await
        {
            self.turn_over(ended).await;
        }
    }

    /// Takes up to so many prompts that steer into the conversation; their words.
    pub(super) async fn take_steering(&mut self, most: usize) -> Result<Vec<String>, NotRecorded> {
        let steering = self.state.queue.iter().filter(|(_, prompt)| prompt.delivery == Delivery::Steer);
        let taken: Vec<PromptAccepted> =
            steering.take(most).map(|(id, prompt)| accepted(*id, prompt)).collect();
        if !taken.is_empty() {
            self.tell_of_lines().await?;
        }
        let words = taken.iter().map(words_of).collect();
        self.record(taken.into_iter().map(Body::Prompt).collect()).await?;
        Ok(words)
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
        let (runtime, max_turns) = (Arc::clone(&self.runtime), self.config.max_turns);
        let turn = Turn { session, runtime, max_turns, greet };
        let id = self.state.turn.unwrap_or(self.state.newest_turn);
        self.turns.spawn(run_turn(id, turn, input));
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
            self.hub.live(Live::Unrecorded { turn: self.state.newest_turn, reason });
        }
        if self.closing {
            return;
        }
        match self.take_next_prompt().await {
            Ok(input) => input.into_iter().for_each(|input| self.start_turn(input)),
            Err(NotRecorded(text)) => {
                self.hub.live(Live::Notice(Notice { level: NoticeLevel::Error, text }));
            }
        }
    }

    /// Writes down that a turn begins with the next prompt that waits, if one does; what the turn is to be started with.
    pub(super) async fn take_next_prompt(&mut self) -> Result<Option<TurnInput>, NotRecorded> {
        let prompt = match (&self.state.plan.begins, self.state.queue.front()) {
            // Approved with a fresh context, and the program ended before the conversation began.
            (Some(reviewed), _) => begins_with(reviewed, &self.state.rehearsal.became),
            (None, Some((id, prompt))) => accepted(*id, prompt),
            (None, None) => return Ok(None),
        };
        self.write_turn(prompt).await.map(Some)
    }

    /// Begins a turn with this prompt.
    pub(super) async fn begin_turn(&mut self, prompt: PromptAccepted) -> Result<Accepted, NotRecorded> {
        let input = self.write_turn(prompt).await?;
        self.start_turn(input);
        Ok(Accepted::Turn(self.state.newest_turn))
    }

    async fn write_turn(&mut self, prompt: PromptAccepted) -> Result<TurnInput, NotRecorded> {
        // Where the turn before broke off because nothing could be written, this is the first chance.
        self.tie_up(self.state.turn.map(|_| EndReason::Interrupted)).await?;
        let words = words_of(&prompt);
        let turn = self.state.newest_turn.next();
        self.record(vec![Body::TurnStarted(TurnStarted { turn })]).await?;
        match self.write_prompt(prompt).await {
            Ok(()) => Ok(TurnInput::Prompt(words)),
            Err(NotRecorded(message)) => {
                // Everybody has heard that it began, so they must hear that it is over.
                let reason = EndReason::Internal { message: message.clone() };
                if self.record(vec![ended(turn, reason.clone())]).await.is_err() {
                    self.hub.live(Live::Unrecorded { turn, reason });
                }
                Err(NotRecorded(message))
            }
        }
    }

    async fn write_prompt(&mut self, prompt: PromptAccepted) -> Result<(), NotRecorded> {
        self.tell_of_lines().await?;
        self.record(vec![Body::Prompt(prompt)]).await
    }

    /// Closes what a turn left open that crashed or could not write: a call without a result would spoil
    /// every later request. Writes the turn's end if it did not do so itself.
    pub(super) async fn tie_up(&mut self, end: Option<EndReason>) -> Result<(), NotRecorded> {
        for agent in self.state.agents.keys().cloned().collect::<Vec<_>>() {
            self.record_for(Some(agent), vec![Body::AgentEnded(never_ended())]).await?;
        }
        self.record(loose_ends(&self.state)).await?;
        match end {
            Some(reason) => self.record(vec![ended(self.state.newest_turn, reason)]).await,
            None => Ok(()),
        }
    }
}

/// The words of a prompt, for hooks.
fn words_of(prompt: &PromptAccepted) -> String {
    let words = prompt.content.iter().filter_map(|block| match block {
        UserBlock::Text { text } => Some(text.as_str()),
        UserBlock::Image { .. } | UserBlock::ToolResult(_) => None,
    });
    words.collect::<Vec<_>>().join("\n")
}

/// What of a prompt can be sent: words and pictures, and some of either.
fn sendable(content: Vec<UserBlock>) -> Result<Vec<UserBlock>, Refused> {
    let mut sendable = Vec::new();
    for block in content {
        match &block {
            UserBlock::Text { text } if text.trim().is_empty() => {}
            UserBlock::Text { .. } => sendable.push(block),
            UserBlock::Image { media_type, data } if is_picture(media_type, data) => sendable.push(block),
            UserBlock::Image { media_type, .. } => {
                let text = format!("`{media_type}` is no picture that models read, or its data is no base64");
                return Err(Refused::BadPrompt(text));
            }
            UserBlock::ToolResult(_) => {
                return Err(Refused::BadPrompt("only a call has a result; send text or pictures".to_owned()));
            }
        }
    }
    if sendable.is_empty() { Err(Refused::EmptyPrompt) } else { Ok(sendable) }
}

fn is_picture(media_type: &str, data: &str) -> bool {
    let kind = ["image/png", "image/jpeg", "image/gif", "image/webp"].contains(&media_type);
    let base64 = |byte: u8| byte.is_ascii_alphanumeric() || b"+/=".contains(&byte);
    kind && !data.is_empty() && data.len().is_multiple_of(4) && data.bytes().all(base64)
}

fn accepted(id: EntryId, prompt: &Prompt) -> PromptAccepted {
    let (content, origin) = (prompt.content.clone(), prompt.origin.clone());
    PromptAccepted { content, origin, queued: Some(id) }
}
