//! What `/plan` does, and carrying out a plan from before.

use forelook_permissions::Change;
use forelook_plan::{PlanError, Rehearsed, hash};
use forelook_protocol::{
    Accepted, AnsweredBy, Approval, Body, Delivery, EditorState, Implement, Live, PlanAnswer, PlanCommand,
    PlanEditor, Prompt, Refused, Reviewed, Reviewer, UserBlock,
};

use super::Session;
use super::permissions::HookNews;
use super::plans::begins_with;
use crate::handle::{Message, NotRecorded};

impl Session {
    pub(super) async fn plan_command(&mut self, command: PlanCommand) -> Result<Accepted, Refused> {
        match command {
            PlanCommand::Enter => self.set_mode(Change::ENTER_PLAN).await?,
            PlanCommand::Say { text, .. } if text.trim().is_empty() => return Err(Refused::EmptyPrompt),
            PlanCommand::Say { enter, text } => {
                if enter {
                    self.set_mode(Change::ENTER_PLAN).await?;
                }
                let prompt = Prompt::person(vec![UserBlock::text(text)], Delivery::Steer);
                return self.prompt(prompt).await;
            }
            PlanCommand::Open => self.open_editor()?,
            PlanCommand::Restore(number) => self.restore(number).await?,
        }
        Ok(Accepted::Nothing)
    }

    async fn restore(&mut self, number: u32) -> Result<(), Refused> {
        let plan = |error: PlanError| Refused::Plan(error.to_string());
        let Some(named) = self.state.plan.named.clone() else {
            return Err(Refused::Plan("There is no plan whose revisions could be restored".to_owned()));
        };
        let plans = self.config.planning.plans.clone();
        let text = plans.revision(&named.slug, number).map_err(plan)?;
        plans.revise(&named.slug, &text, self.config.clock.now()).map_err(plan)?;
        self.keep_plan().await.map_err(|NotRecorded(message)| Refused::Journal(message))
    }

    /// Opens the plan in the person's editor, beside the session, which waits for nobody.
    fn open_editor(&mut self) -> Result<(), Refused> {
        let plans = self.config.planning.plans.clone();
        let Some(path) = self.plan_path().filter(|path| plans.exists(path)) else {
            return Err(Refused::Plan("There is no plan yet that could be opened".to_owned()));
        };
        let Some(kind) = self.config.services.editor() else {
            let text = format!(
                "No editor is known, so `{path}` was not opened\nSet `VISUAL` or `EDITOR`, or open the file yourself"
            );
            return Err(Refused::Plan(text));
        };
        let (services, hub, messages) =
            (self.config.services.clone(), self.hub.clone(), self.messages.clone());
        let (file, name) = (path.clone(), kind.name.clone());
        let tell = move |state| {
            hub.live(Live::PlanEditor(PlanEditor { path: file.clone(), editor: name.clone(), state }));
        };
        tell(EditorState::Opening { in_terminal: kind.in_terminal });
        self.listeners.spawn(async move {
            let opened = services.open_in_editor(path).await;
            // It may have been edited before whatever went wrong did.
            if let Some(messages) = messages.upgrade() {
                let (reply, kept) = tokio::sync::oneshot::channel();
                if messages.send(Message::PlanEdited(reply)).await.is_ok() {
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
    pub(super) async fn implement(&mut self, task: Implement) -> Result<Accepted, Refused> {
        let journal = |NotRecorded(message)| Refused::Journal(message);
        self.reap_turns().await;
        if !self.turns.is_empty() {
            return Err(Refused::Plan("A turn is running; begin when it is over".to_owned()));
        }
        let Implement { path, plan, note } = task;
        let shown = hash(&plan);
        let approval = Approval { hash: shown.clone(), note, fresh_context: true, ..Approval::default() };
        let standing = match self.after(&PlanAnswer::Approve(approval.clone())) {
            Ok((standing, _)) => standing,
            // Not planning: nothing to leave.
            Err(_) => self.state.standing,
        };
        let reviewed = Reviewed {
            question: None,
            proposed: None,
            call: None,
            by: Reviewer::Command,
            through: AnsweredBy::Session,
            answer: PlanAnswer::Approve(approval),
            path,
            shown,
            plan: Some(plan),
            standing,
            why: None,
        };
        let from = self.state.standing.mode();
        self.record(vec![Body::Review(reviewed.clone())]).await.map_err(journal)?;
        self.authority.touch();
        self.tell_hooks(HookNews::Reviewed(Box::new(reviewed.clone())));
        self.mode_changed(from, reviewed.standing.mode()).await.map_err(journal)?;
        self.begin_turn(begins_with(&reviewed, &Rehearsed::Nothing)).await.map_err(journal)
    }
}
