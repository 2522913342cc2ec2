//! What `/plan` does, and carrying out a plan from before.

use forelook_permissions::ModeTrigger;
use forelook_plan::{PlanError, RehearsalOutcome, plan_hash};
use forelook_protocol::{
    AnsweredBy, Approval, CommandAccepted, CommandError, Delivery, EditorState, EntryBody, ImplementPlan,
    LiveEvent, PlanAnswer, PlanCommand, PlanEditor, PlanReviewed, Prompt, Reviewer, UserBlock,
};

use super::Session;
use super::permissions::HookNotification;
use super::plans::plan_prompt;
use crate::handle::{RecordError, SessionMessage};

impl Session {
    pub(super) async fn plan_command(
        &mut self,
        command: PlanCommand,
    ) -> Result<CommandAccepted, CommandError> {
        match command {
            PlanCommand::Enter => self.set_mode(ModeTrigger::ENTER_PLAN).await?,
            PlanCommand::Say { text, .. } if text.trim().is_empty() => return Err(CommandError::EmptyPrompt),
            PlanCommand::Say { enter, text } => {
                if enter {
                    self.set_mode(ModeTrigger::ENTER_PLAN).await?;
                }
                let prompt = Prompt::person(vec![UserBlock::text(text)], Delivery::Steer);
                return self.prompt(prompt).await;
            }
            PlanCommand::Open => self.open_editor()?,
            PlanCommand::Restore(number) => self.restore(number).await?,
            PlanCommand::Review => self.open_own_review().await?,
        }
        Ok(CommandAccepted::Nothing)
    }

    async fn restore(&mut self, number: u32) -> Result<(), CommandError> {
        let plan = |error: PlanError| CommandError::Plan(error.to_string());
        let Some(named) = self.state.plan.named.clone() else {
            return Err(CommandError::Plan(
                "There is no plan yet, so there is no revision to restore".to_owned(),
            ));
        };
        let plans = self.config.planning.plans.clone();
        let text = plans.revision(&named.slug, number).map_err(plan)?;
        plans.revise(&named.slug, &text, self.config.clock.now()).map_err(plan)?;
        self.save_plan_revision().await.map_err(|RecordError(message)| CommandError::Journal(message))
    }

    /// Opens the plan in the person's editor, beside the session, which waits for nobody.
    fn open_editor(&mut self) -> Result<(), CommandError> {
        let plans = self.config.planning.plans.clone();
        let Some(path) = self.plan_path().filter(|path| plans.exists(path)) else {
            let why = self.plan_path().and_then(|path| plans.look(&path).problem().map(str::to_owned));
            return Err(CommandError::Plan(why.unwrap_or_else(|| "There is no plan yet".to_owned())));
        };
        let Some(kind) = self.config.services.editor() else {
            let text = format!(
                "No editor is configured, so `{path}` was not opened\n\
                 Set `VISUAL` or `EDITOR`, or open the file yourself"
            );
            return Err(CommandError::Plan(text));
        };
        let (services, hub, messages) =
            (self.config.services.clone(), self.hub.clone(), self.messages.clone());
        let (file, name) = (path.clone(), kind.name.clone());
        let tell = move |state| {
            hub.live(LiveEvent::PlanEditor(PlanEditor { path: file.clone(), editor: name.clone(), state }));
        };
        tell(EditorState::Opening { in_terminal: kind.in_terminal });
        self.listeners.spawn(async move {
            let opened = services.open_in_editor(path).await;
            // It may have been edited before whatever went wrong did.
            if let Some(messages) = messages.upgrade() {
                let (reply, kept) = tokio::sync::oneshot::channel();
                if messages.send(SessionMessage::PlanEdited(reply)).await.is_ok() {
                    let _ = kept.await;
                }
            }
            tell(match opened {
                Ok(()) => EditorState::Opened,
                Err(why) => EditorState::Failed { why },
            });
        });
        Ok(())
    }

    /// Carries out a plan from before: the command is the approval.
    pub(super) async fn implement(&mut self, task: ImplementPlan) -> Result<CommandAccepted, CommandError> {
        let journal = |RecordError(message)| CommandError::Journal(message);
        self.reap_turns().await;
        if !self.turns.is_empty() {
            return Err(CommandError::Plan("A turn is running; wait until it ends".to_owned()));
        }
        let ImplementPlan { path, plan, note } = task;
        let shown = plan_hash(&plan);
        let approval = Approval { hash: shown.clone(), note, fresh_context: true, ..Approval::default() };
        let mode_state = match self.mode_after(&PlanAnswer::Approve(approval.clone())) {
            Ok((mode_state, _)) => mode_state,
            // Not planning: nothing to leave.
            Err(_) => self.state.mode_state,
        };
        let reviewed = PlanReviewed {
            question: None,
            proposed: None,
            call: None,
            by: Reviewer::Command,
            through: AnsweredBy::Session,
            answer: PlanAnswer::Approve(approval),
            path,
            shown,
            plan: Some(plan),
            mode_state,
            why: None,
        };
        let from = self.state.mode_state.mode();
        self.record(vec![EntryBody::PlanReviewed(reviewed.clone())]).await.map_err(journal)?;
        self.permission_state.bump_revision();
        self.notify_hooks(HookNotification::reviewed(reviewed.clone()));
        self.on_mode_changed(from, reviewed.mode_state.mode()).await.map_err(journal)?;
        self.begin_turn(plan_prompt(&reviewed, &RehearsalOutcome::NotShown, &self.runtime.reader_tools()))
            .await
            .map_err(journal)
    }
}
