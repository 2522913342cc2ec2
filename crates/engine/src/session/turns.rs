//! Turns: begun with a prompt, steered, and tied up when they are over.

use std::sync::Arc;

use forelook_hooks::SessionSource;
use forelook_protocol::{
    CommandAccepted, CommandError, Delivery, EndReason, EntryBody, EntryId, LiveEvent, Notice, NoticeLevel,
    Prompt, PromptAccepted, PromptQueued, TurnStarted, UserBlock,
};
use tokio::task::JoinError;
use tokio_util::sync::CancellationToken;

use super::Session;
use super::plans::plan_prompt;
use super::repair::{closing_entries, interrupted_agent, turn_end_entry};
use crate::config::SessionStart;
use crate::handle::{RecordError, SessionHandle};
use crate::turn::{Turn, TurnInput, run_turn};

impl Session {
    pub(super) async fn prompt(&mut self, prompt: Prompt) -> Result<CommandAccepted, CommandError> {
        let journal = |RecordError(message)| CommandError::Journal(message);
        let Prompt { content, delivery, origin } = prompt;
        let content = sendable(content)?;
        self.reap_turns().await;
        // What was left undone goes on with these words before the model, and never without them.
        let resumed = self.resume_unfinished(true).await.map_err(journal)?;
        if self.turns.is_empty() && resumed.is_none() {
            let accepted = PromptAccepted { content, origin, queued: None };
            return self.begin_turn(accepted).await.map_err(journal);
        }
        let behind = self.state.newest_turn;
        let delivery = if resumed.is_some() { Delivery::Steer } else { delivery };
        let prompt = Prompt { content, delivery, origin };
        if let Err(error) = self.record(vec![EntryBody::PromptQueued(PromptQueued { prompt })]).await {
            if resumed.is_some() {
                // Everybody has heard that it began, so they must hear that it is over.
                self.end_turn(EndReason::Internal { message: error.0.clone() }).await;
            }
            return Err(journal(error));
        }
        if let Some(input) = resumed {
            self.start_steered_turn(input);
        }
        Ok(self
            .state
            .last
            .map_or(CommandAccepted::Nothing, |prompt| CommandAccepted::Queued { prompt, behind }))
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
    pub(super) async fn take_steering(&mut self, most: usize) -> Result<Vec<String>, RecordError> {
        let steering = self.waiting().filter(|(_, prompt)| prompt.delivery == Delivery::Steer);
        let taken: Vec<PromptAccepted> =
            steering.take(most).map(|(id, prompt)| accepted(*id, prompt)).collect();
        if taken.is_empty() {
            return Ok(Vec::new());
        }
        let words = taken.iter().map(words_of).collect();
        let mut bodies = self.user_shell_reminders();
        bodies.extend(taken.into_iter().map(EntryBody::PromptAccepted));
        self.record(bodies).await?;
        Ok(words)
    }

    pub(super) fn start_turn(&mut self, input: TurnInput) {
        self.spawn_turn(input, false);
    }

    /// The same, with prompts that steer in its first request.
    fn start_steered_turn(&mut self, input: TurnInput) {
        self.spawn_turn(input, true);
    }

    fn spawn_turn(&mut self, input: TurnInput, steers_first: bool) {
        let Some(messages) = self.messages.upgrade() else { return };
        self.raise_fence_ahead();
        self.cancel = CancellationToken::new();
        let (hub, cancel, spent) = (self.hub.clone(), self.cancel.clone(), Arc::default());
        let session = SessionHandle { messages, hub, cancel, agent: None, spent };
        let session_source =
            (!std::mem::replace(&mut self.session_start_fired, true)).then_some(match self.config.start {
                SessionStart::New(_) => SessionSource::Startup,
                SessionStart::Resume(_) => SessionSource::Resume,
                SessionStart::Fork(_) => SessionSource::Fork,
            });
        let (runtime, max_turns) = (Arc::clone(&self.runtime), self.config.max_turns);
        let turn = Turn { session, runtime, max_turns, session_source, steers_first };
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
        match unwritten {
            Some(reason) => self.end_turn(reason).await,
            None => drop(self.close_open_calls(None).await),
        }
        if self.closing {
            return;
        }
        match self.take_next_prompt().await {
            Ok(input) => input.into_iter().for_each(|input| self.start_turn(input)),
            Err(error) => self.give_up_prompts(&error),
        }
    }

    /// The prompts that wait for a turn.
    pub(super) fn waiting(&self) -> impl Iterator<Item = &(EntryId, Prompt)> {
        self.state.queue.iter().filter(|(id, _)| !self.given_up.contains(id))
    }

    /// Closes what a turn left open, and writes its end down; where that fails, it is told all the same.
    async fn end_turn(&mut self, reason: EndReason) {
        if self.close_open_calls(Some(reason.clone())).await.is_err() {
            self.hub.live(LiveEvent::Unrecorded { turn: self.state.newest_turn, reason });
        }
    }

    /// No turn can begin. Whoever waits for one hears of it once, and what waited is not begun in this process any more: it
    /// was told that it failed. The journal still has it, for whoever resumes the session.
    pub(super) fn give_up_prompts(&mut self, RecordError(message): &RecordError) {
        let notice = Notice { level: NoticeLevel::Error, text: message.clone() };
        self.hub.live(LiveEvent::Notice(notice));
        for (prompt, _) in self.waiting() {
            self.hub.live(LiveEvent::NotStarted { prompt: *prompt, message: message.clone() });
        }
        self.given_up = self.state.queue.iter().map(|(id, _)| *id).collect();
    }

    /// Writes down that a turn begins with the next prompt that waits, if one does; what the turn is to be started with.
    pub(super) async fn take_next_prompt(&mut self) -> Result<Option<TurnInput>, RecordError> {
        let prompt = match (&self.state.plan.pending_start, self.waiting().next()) {
            // Approved with a fresh context, and the program ended before the conversation began.
            (Some(reviewed), _) => plan_prompt(reviewed, &self.state.rehearsal.outcome),
            (None, Some((id, prompt))) => accepted(*id, prompt),
            (None, None) => return Ok(None),
        };
        self.write_turn(prompt).await.map(Some)
    }

    /// Begins a turn with this prompt.
    pub(super) async fn begin_turn(
        &mut self,
        prompt: PromptAccepted,
    ) -> Result<CommandAccepted, RecordError> {
        let input = self.write_turn(prompt).await?;
        self.start_turn(input);
        Ok(CommandAccepted::Turn(self.state.newest_turn))
    }

    async fn write_turn(&mut self, prompt: PromptAccepted) -> Result<TurnInput, RecordError> {
        // Where the turn before broke off because nothing could be written, this is the first chance.
        self.close_open_calls(self.state.turn.map(|_| EndReason::Interrupted)).await?;
        let words = words_of(&prompt);
        let turn = self.state.newest_turn.next();
        // With one write: a turn that began and whose prompt was refused would be two ends for one prompt.
        let mut bodies = vec![EntryBody::TurnStarted(TurnStarted { turn })];
        bodies.extend(self.user_shell_reminders());
        bodies.push(EntryBody::PromptAccepted(prompt));
        self.record(bodies).await?;
        Ok(TurnInput::Prompt(words))
    }

    /// Closes what a turn left open that crashed or could not write: a call without a result would spoil
    /// every later request. Writes the turn's end if it did not do so itself.
    pub(super) async fn close_open_calls(&mut self, end: Option<EndReason>) -> Result<(), RecordError> {
        for agent in self.state.agents.keys().cloned().collect::<Vec<_>>() {
            self.record_for(Some(agent), vec![EntryBody::AgentEnded(interrupted_agent())]).await?;
        }
        self.record(closing_entries(&self.state)).await?;
        match end {
            Some(reason) => self.record(vec![turn_end_entry(self.state.newest_turn, reason)]).await,
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
fn sendable(content: Vec<UserBlock>) -> Result<Vec<UserBlock>, CommandError> {
    let mut sendable = Vec::new();
    for block in content {
        match &block {
            UserBlock::Text { text } if text.trim().is_empty() => {}
            UserBlock::Text { .. } => sendable.push(block),
            UserBlock::Image { media_type, data } if is_picture(media_type, data) => sendable.push(block),
            UserBlock::Image { media_type, .. } => {
                let text = format!(
                    "`{media_type}` is not an image type that models accept, or its data is not base64"
                );
                return Err(CommandError::BadPrompt(text));
            }
            UserBlock::ToolResult(_) => {
                return Err(CommandError::BadPrompt(
                    "only a call has a result; send text or images".to_owned(),
                ));
            }
        }
    }
    if sendable.is_empty() { Err(CommandError::EmptyPrompt) } else { Ok(sendable) }
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
