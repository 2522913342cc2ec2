//! Turns: begun with a prompt, steered, and tied up when they are over.

use std::sync::Arc;

use forelook_hooks::SessionSource;
use forelook_protocol::{
    CommandAccepted, CommandError, Delivery, EndReason, EntryBody, EntryId, FrontEndId, HostAnswer,
    LiveEvent, Mentions, Notice, NoticeLevel, Prompt, PromptAccepted, PromptQueued, PromptsWithdrawn,
    TurnStarted, UserBlock,
};
use tokio::task::JoinError;
use tokio_util::sync::CancellationToken;

use super::repair::{closing_entries, interrupted_agent, turn_end_entry};
use super::{Session, Unfinished};
use crate::call::{reviewed_result, superseded};
use crate::config::SessionStart;
use crate::handle::{RecordError, SessionHandle, TakenPrompt};
use crate::turn::{Turn, TurnInput, run_turn};

impl Session {
    pub(super) async fn prompt(&mut self, prompt: Prompt) -> Result<CommandAccepted, CommandError> {
        let journal = |RecordError(message)| CommandError::Journal(message);
        let Prompt { content, delivery, origin, mentions } = prompt;
        let content = sendable(content)?;
        self.reap_turns().await;
        if self.unfinished.is_some() {
            return self
                .prompt_first(PromptAccepted { content, origin, queued: None, mentions })
                .await
                .map_err(journal);
        }
        if self.turns.is_empty() {
            let accepted = PromptAccepted { content, origin, queued: None, mentions };
            return self.begin_turn(accepted).await.map_err(journal);
        }
        let prompt = Prompt { content, delivery, origin, mentions };
        self.record(vec![EntryBody::PromptQueued(PromptQueued { prompt })]).await.map_err(journal)?;
        Ok(self.queued())
    }

    /// The prompt that was queued last, behind the newest turn.
    fn queued(&self) -> CommandAccepted {
        let behind = self.state.newest_turn;
        self.state.last.map_or(CommandAccepted::Nothing, |prompt| CommandAccepted::Queued { prompt, behind })
    }

    /// Begins with the user's new words, before anything that an earlier process left undone: they may be "stop".
    /// Calls that waited for an answer are closed. Prompts that waited are words like these, only older, so the turn reads
    /// them first; a turn of their own would act on them after the new words.
    async fn prompt_first(&mut self, prompt: PromptAccepted) -> Result<CommandAccepted, RecordError> {
        self.finish_rehearsal(true).await?;
        let mut bodies = self.close_unfinished_calls();
        let reviewed = self.state.plan.pending_start.as_ref();
        let reviewed = reviewed.map(|reviewed| self.prompt_after_review(reviewed));
        let accepted = if bodies.is_empty() && reviewed.is_none() && self.waiting().next().is_none() {
            self.begin_turn(prompt).await?
        } else {
            // The turn of calls that waited has not ended; it goes on with these words.
            if self.state.turn.is_none() {
                let turn = self.state.newest_turn.next();
                bodies.push(EntryBody::TurnStarted(TurnStarted { turn }));
            }
            bodies.extend(reviewed.map(EntryBody::PromptAccepted));
            let PromptAccepted { content, origin, mentions, .. } = prompt;
            let prompt = Prompt { content, delivery: Delivery::Steer, origin, mentions };
            bodies.push(EntryBody::PromptQueued(PromptQueued { prompt }));
            // With one write: where it fails, all of it is still to be done.
            self.record(bodies).await?;
            self.start_turn(TurnInput::Waiting);
            self.queued()
        };
        self.unfinished = None;
        Ok(accepted)
    }

    /// What closes the calls that waited for an answer. A review that was answered has its result: nothing
    /// more runs for it.
    fn close_unfinished_calls(&mut self) -> Vec<EntryBody> {
        let Some(Unfinished::Calls(calls)) = &self.unfinished else { return Vec::new() };
        let calls = calls.clone();
        let mut bodies = Vec::new();
        for call in calls {
            let reviewed = self.review_answer(&call.id);
            let told = reviewed.and_then(|answer| reviewed_result(&self.runtime, &call, &answer));
            if told.is_none() {
                self.notify(&format!("`{}` was not run: your new message comes first", call.name));
            }
            bodies.push(EntryBody::ToolFinished(told.unwrap_or_else(|| superseded(&call))));
        }
        bodies
    }

    /// Stops everything. What waits behind the turn goes back to whoever wrote it: a prompt that ran right after a stop
    /// would be no stop.
    pub(super) async fn interrupt(&mut self, from: FrontEndId) -> Result<(), RecordError> {
        self.cancel.cancel();
        self.user_shell.end();
        let waiting = self.waiting().map(|(id, _)| *id).collect();
        self.withdraw_prompts(from, waiting).await?;
        self.close_own_review().await?;
        self.close_running(HostAnswer::Interrupted).await
    }

    /// Takes one prompt back that waits.
    pub(super) async fn take_back(&mut self, from: FrontEndId, prompt: EntryId) -> Result<(), CommandError> {
        if !self.waiting().any(|(id, _)| *id == prompt) {
            return Err(CommandError::NotQueued);
        }
        let withdrawn = self.withdraw_prompts(from, vec![prompt]).await;
        withdrawn.map_err(|RecordError(message)| CommandError::Journal(message))
    }

    async fn withdraw_prompts(&mut self, from: FrontEndId, prompts: Vec<EntryId>) -> Result<(), RecordError> {
        if prompts.is_empty() {
            return Ok(());
        }
        let by = self.front_ends.answered_by(from);
        self.record(vec![EntryBody::PromptsWithdrawn(PromptsWithdrawn { prompts, by })]).await
    }

    /// A turn whose end was told is over, though its task may take another moment to be gone.
    pub(super) async fn reap_turns(&mut self) {
        while self.state.turn.is_none()
            && let Some(ended) = self.turns.join_next().await
        {
            self.turn_over(ended).await;
        }
    }

    /// Whether a prompt that steers names files.
    pub(super) fn steering_names_files(&self) -> bool {
        self.steering().any(|(_, prompt)| !prompt.mentions.is_empty())
    }

    /// The prompts that go into the conversation with the next step.
    fn steering(&self) -> impl Iterator<Item = &(EntryId, Prompt)> {
        let steers = |prompt: &Prompt| prompt.delivery == Delivery::Steer;
        // What an earlier process was told goes along with newer words: it must not run after them.
        let new_words = self.waiting().any(|(id, prompt)| steers(prompt) && !self.left_over.contains(id));
        self.waiting()
            .filter(move |(id, prompt)| steers(prompt) || (new_words && self.left_over.contains(id)))
    }

    /// Takes up to so many prompts that steer into the conversation.
    pub(super) async fn take_steering(&mut self, most: usize) -> Result<Vec<TakenPrompt>, RecordError> {
        let steering = self.steering();
        let taken: Vec<PromptAccepted> =
            steering.take(most).map(|(id, prompt)| accepted(*id, prompt)).collect();
        if taken.is_empty() {
            return Ok(Vec::new());
        }
        let prompts = taken.iter().map(taken_prompt).collect();
        let mut bodies = self.user_shell_reminders();
        bodies.extend(taken.into_iter().map(EntryBody::PromptAccepted));
        self.record(bodies).await?;
        Ok(prompts)
    }

    pub(super) fn start_turn(&mut self, input: TurnInput) {
        let Some(messages) = self.messages.upgrade() else { return };
        self.raise_fence_ahead();
        self.cancel = CancellationToken::new();
        let (hub, cancel, spent) = (self.hub.clone(), self.cancel.clone(), Arc::default());
        let revision = self.permission_state.watch_revision();
        let session = SessionHandle { messages, hub, cancel, agent: None, spent, revision };
        let session_source =
            (!std::mem::replace(&mut self.session_start_fired, true)).then_some(match self.config.start {
                SessionStart::New(_) => SessionSource::Startup,
                SessionStart::Resume(_) => SessionSource::Resume,
                SessionStart::Fork(_) => SessionSource::Fork,
            });
        let (runtime, max_turns) = (Arc::clone(&self.runtime), self.config.max_turns);
        let turn = Turn { session, runtime, max_turns, session_source };
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
            Ok(Some(input)) => self.start_turn(input),
            Ok(None) => self.compact_if_requested().await,
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
            // A review leads to it: one that no call waited for, or one whose conversation begins anew and has not yet.
            (Some(reviewed), _) => self.prompt_after_review(reviewed),
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
        let taken = taken_prompt(&prompt);
        let turn = self.state.newest_turn.next();
        // With one write: a turn that began and whose prompt was refused would be two ends for one prompt.
        let mut bodies = vec![EntryBody::TurnStarted(TurnStarted { turn })];
        bodies.extend(self.user_shell_reminders());
        bodies.push(EntryBody::PromptAccepted(prompt));
        self.record(bodies).await?;
        Ok(TurnInput::Prompt(taken))
    }

    /// Closes what a turn left open that crashed or could not write: a call without a result would spoil
    /// every later request. Writes the turn's end if it did not do so itself.
    pub(super) async fn close_open_calls(&mut self, end: Option<EndReason>) -> Result<(), RecordError> {
        for agent in self.state.agents.keys().cloned().collect::<Vec<_>>() {
            self.runtime.shells.hand_over(&agent, None);
            self.record_for(Some(agent), vec![EntryBody::AgentEnded(interrupted_agent())]).await?;
            self.agent_over().await;
        }
        self.record(closing_entries(&self.state)).await?;
        match end {
            Some(reason) => self.record(vec![turn_end_entry(self.state.newest_turn, reason)]).await,
            None => Ok(()),
        }
    }
}

/// What a turn needs of a prompt.
fn taken_prompt(prompt: &PromptAccepted) -> TakenPrompt {
    let words = prompt.content.iter().filter_map(|block| match block {
        UserBlock::Text { text } => Some(text.as_str()),
        UserBlock::Image { .. } | UserBlock::ToolResult(_) => None,
    });
    // A front end may say so of a teammate's words, too; only what a person typed was named by a person.
    let typed = prompt.mentions.typed && prompt.origin.is_person();
    let mentions = Mentions { typed, ..prompt.mentions.clone() };
    TakenPrompt { words: words.collect::<Vec<_>>().join("\n"), mentions }
}

/// What of a prompt can be sent: words and pictures, and some of either.
fn sendable(content: Vec<UserBlock>) -> Result<Vec<UserBlock>, CommandError> {
    let mut sendable = Vec::new();
    for block in content {
        match &block {
            UserBlock::Text { text } if text.trim().is_empty() => {}
            // A picture was decoded before the prompt came here.
            UserBlock::Text { .. } | UserBlock::Image { .. } => sendable.push(block),
            UserBlock::ToolResult(_) => {
                return Err(CommandError::BadPrompt(
                    "only a call has a result; send text or images".to_owned(),
                ));
            }
        }
    }
    if sendable.is_empty() { Err(CommandError::EmptyPrompt) } else { Ok(sendable) }
}

fn accepted(id: EntryId, prompt: &Prompt) -> PromptAccepted {
    let (content, origin) = (prompt.content.clone(), prompt.origin.clone());
    PromptAccepted { content, origin, queued: Some(id), mentions: prompt.mentions.clone() }
}
