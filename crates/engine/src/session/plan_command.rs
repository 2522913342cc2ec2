//! What `/plan` does, and carrying out a plan from before.

use forelook_permissions::Change;
use forelook_plan::{PlanCommand, PlanError, Rehearsed, diff, hash};
use forelook_protocol::{
    Approval, Body, Delivery, Implement, Live, Mode, Notice, NoticeLevel, PlanAnswer, PlanShown, Prompt,
    Refused, Reviewed, Reviewer, UserBlock,
};

use super::permissions::HookNews;
use super::plans::begins_with;
use super::{Message, Session};
use crate::handle::NotRecorded;

impl Session {
    /// `/plan`, with what stood behind it.
    pub(super) async fn plan_command(&mut self, argument: &str) -> Result<(), Refused> {
        let planning = self.state.standing.mode() == Mode::Plan;
        match PlanCommand::parse(argument, planning) {
            PlanCommand::Enter => self.enter_by_command().await,
            PlanCommand::Say { enter, text } => {
                if enter {
                    self.enter_by_command().await?;
                }
                let prompt = Prompt { content: vec![UserBlock::text(text)], delivery: Delivery::Steer };
                self.prompt(prompt).await.map_err(|NotRecorded(message)| Refused::Journal(message))
            }
            PlanCommand::Show => self.show(|session| Ok(session.current())),
            PlanCommand::Open => self.open_editor(),
            PlanCommand::Diff => self.show(Self::difference),
            PlanCommand::History => self.show(|session| {
                let slug = session.slug();
                Ok(PlanShown::History(session.config.planning.plans.revisions(&slug)?))
            }),
            PlanCommand::Restore(number) => self.restore(number).await,
            PlanCommand::List => {
                self.show(|session| Ok(PlanShown::List(session.config.planning.plans.list())))
            }
            PlanCommand::Rehearsal => self.show_rehearsal().await,
        }
    }

    async fn enter_by_command(&mut self) -> Result<(), Refused> {
        self.set_mode(Change::To(Mode::Plan)).await?;
        if let Some(path) = self.plan_path() {
            self.hub.live(Live::Plan(PlanShown::Entered { path }));
        }
        Ok(())
    }

    fn show(&mut self, what: impl FnOnce(&Self) -> Result<PlanShown, PlanError>) -> Result<(), Refused> {
        let shown = what(self).map_err(|error| Refused::Plan(error.to_string()))?;
        self.hub.live(Live::Plan(shown));
        Ok(())
    }

    /// Never empty while planning: the name is there before the mode.
    fn slug(&self) -> String {
        self.state.plan.named.as_ref().map(|named| named.slug.clone()).unwrap_or_default()
    }

    fn current(&self) -> PlanShown {
        let plans = &self.config.planning.plans;
        let path = self.plan_path().unwrap_or_else(|| plans.folder().clone());
        let plan = forelook_plan::plan_in(plans.read(&path));
        PlanShown::Current { path, plan, editor: self.config.editor.known().map(|editor| editor.name) }
    }

    /// What changed since the last review, or else since the revision before.
    fn difference(&self) -> Result<PlanShown, PlanError> {
        let (plans, slug) = (&self.config.planning.plans, self.slug());
        let now = plans.read(&plans.path_of(&slug)).unwrap_or_default();
        let mut older = None;
        for revision in plans.revisions(&slug)?.into_iter().rev() {
            let text = plans.revision(&slug, revision.number)?;
            let wanted = match &self.state.plan.reviewed {
                Some(reviewed) => text == *reviewed,
                None => text != now,
            };
            if wanted {
                older = Some((revision.number, text));
                break;
            }
        }
        let (from, old) = older.map_or((None, now.clone()), |(number, text)| (Some(number), text));
        Ok(PlanShown::Diff { from, to: None, diff: diff(&old, &now) })
    }

    async fn restore(&mut self, number: u32) -> Result<(), Refused> {
        let plan = |error: PlanError| Refused::Plan(error.to_string());
        let (plans, slug) = (self.config.planning.plans.clone(), self.slug());
        let text = plans.revision(&slug, number).map_err(plan)?;
        plans.revise(&slug, &text, self.config.clock.now()).map_err(plan)?;
        self.keep_plan().await.map_err(|NotRecorded(message)| Refused::Journal(message))?;
        self.hub.live(Live::Plan(PlanShown::Restored { revision: number, path: plans.path_of(&slug) }));
        Ok(())
    }

    /// Opens the plan in the person's editor, beside the session, which waits for nobody.
    fn open_editor(&mut self) -> Result<(), Refused> {
        let plans = self.config.planning.plans.clone();
        let Some(path) = self.plan_path().filter(|path| plans.exists(path)) else {
            return self.show(|session| Ok(session.current()));
        };
        let Some(kind) = self.config.editor.known() else {
            let text = format!(
                "No editor is known, so `{path}` was not opened\nSet `VISUAL` or `EDITOR`, or open the file yourself"
            );
            return Err(Refused::Plan(text));
        };
        let (editor, hub, messages) = (self.config.editor.clone(), self.hub.clone(), self.messages.clone());
        let in_terminal = kind.in_terminal;
        hub.live(Live::Plan(PlanShown::Opening {
            path: path.clone(),
            editor: kind.name.clone(),
            in_terminal,
        }));
        self.listeners.spawn(async move {
            let opened = editor.open(path.clone()).await;
            // It may have been edited before whatever went wrong did.
            if let Some(messages) = messages.upgrade() {
                let (reply, kept) = tokio::sync::oneshot::channel();
                if messages.send(Message::PlanEdited(reply)).await.is_ok() {
                    let _ = kept.await;
                }
            }
            hub.live(match opened {
                Ok(()) => Live::Plan(PlanShown::Opened { path, editor: kind.name }),
                Err(why) => {
                    let text = format!("`{}` did not open `{path}`: {why}", kind.name);
                    Live::Notice(Notice { level: NoticeLevel::Error, text })
                }
            });
        });
        Ok(())
    }

    /// Carries out a plan from before: the command is the approval.
    pub(super) async fn implement(&mut self, task: Implement) -> Result<(), Refused> {
        let journal = |NotRecorded(message)| Refused::Journal(message);
        if !self.turns.is_empty() || self.state.turn_open {
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
