//! What a line with a slash does.

use forelook_protocol::{Command, CommandError, ModelInfo, Query, Reply, Status, UnknownMode};

use super::line_session::LineSession;
use super::{models, modes, tasks};
use crate::plan_line::{self, PlanLineOutcome};
use crate::slash::{self, SlashLine};

impl LineSession {
    pub(super) async fn command(&mut self, command: SlashLine<'_>) {
        match command {
            SlashLine::Plan(rest) => self.plan(rest).await,
            SlashLine::Mode(None) => match self.status().await {
                Ok(status) => self.renderer.rows(&modes::list(&status)),
                Err(refused) => self.renderer.problem(&refused.to_string()),
            },
            SlashLine::Mode(Some(word)) => match forelook_wording::parse_mode(word) {
                // Nothing changes, and that is worth a line, too.
                Some(mode) if mode == self.view.mode() => self.renderer.mode(mode),
                Some(mode) => self.send(Command::SetMode(mode)).await,
                None => self.renderer.problem(&UnknownMode(word.to_owned()).to_string()),
            },
            SlashLine::Model(Some(name)) => self.send(Command::SetModel(name.to_owned())).await,
            SlashLine::Model(None) => match self.models().await {
                Ok((status, models)) => self.renderer.rows(&models::list(&status.model, &models)),
                Err(refused) => self.renderer.problem(&refused.to_string()),
            },
            SlashLine::Permissions(rest) => self.permissions(rest).await,
            SlashLine::Trust => self.trust().await,
            SlashLine::Diff => self.diff().await,
            SlashLine::Config(words) => self.config(words).await,
            SlashLine::Compact(focus) => {
                self.send(Command::Compact { focus: focus.map(str::to_owned) }).await
            }
            SlashLine::Context => match self.session.query(Query::Context).await {
                Ok(Reply::Context(usage)) => self.renderer.rows(&models::context(&usage)),
                Ok(_) => {}
                Err(refused) => self.renderer.problem(&refused.to_string()),
            },
            SlashLine::Cost => match self.status().await {
                Ok(status) => self.renderer.rows(&models::costs(&status.spent)),
                Err(refused) => self.renderer.problem(&refused.to_string()),
            },
            SlashLine::Todos => match self.status().await {
                Ok(status) => self.renderer.todos(&status.todos),
                Err(refused) => self.renderer.problem(&refused.to_string()),
            },
            SlashLine::Tasks(rest) => self.tasks(rest).await,
            SlashLine::Help => self.renderer.help(),
            SlashLine::Exit => self.leave().await,
            SlashLine::Unknown(word) => self.renderer.problem(&slash::unknown(word)),
        }
    }

    async fn plan(&mut self, argument: &str) {
        let planned = plan_line::run(&*self.session, argument, self.view.mode()).await;
        self.planned(planned);
    }

    pub(super) async fn open_plan(&mut self) {
        let planned = plan_line::open(&*self.session).await;
        self.planned(planned);
    }

    fn planned(&mut self, planned: Result<PlanLineOutcome, CommandError>) {
        let shown = match planned {
            Ok(PlanLineOutcome::Shown(shown)) => Some(shown),
            Ok(PlanLineOutcome::Done(accepted, shown)) => {
                self.view.accepted(accepted);
                shown
            }
            Ok(PlanLineOutcome::Opens | PlanLineOutcome::Reviews) => None,
            Err(refused) => return self.renderer.problem(&refused.to_string()),
        };
        let Some(shown) = shown else { return };
        if let Some(mode) = shown.entered() {
            // The entry that says so waits among those of the turn, which belong below what is shown.
            self.set_mode(mode);
        }
        self.renderer.plan(&shown);
    }

    /// Background shells and agents: all of them, the output of one, or one less.
    async fn tasks(&mut self, argument: &str) {
        let tasks = match self.session.query(Query::Tasks).await {
            Ok(Reply::Tasks(tasks)) => tasks,
            Ok(_) => return,
            Err(refused) => return self.renderer.problem(&refused.to_string()),
        };
        let (ends, id) = match argument.strip_prefix("end").map(str::trim_start) {
            Some(id) => (true, id),
            None => (false, argument),
        };
        if id.is_empty() {
            return self.renderer.rows(&tasks::list(&tasks));
        }
        match tasks.into_iter().find(|task| task.id.to_string() == id) {
            Some(task) if ends => match self.session.send(Command::EndTask(task.id)).await {
                Ok(_) => self.renderer.note(&format!("Stopping `{id}`")),
                Err(refused) => self.renderer.problem(&refused.to_string()),
            },
            Some(task) => match self.session.query(Query::TaskOutput(task.id)).await {
                Ok(Reply::TaskOutput { output, .. }) => self.renderer.rows(&tasks::output(&output)),
                Ok(_) => {}
                Err(refused) => self.renderer.problem(&refused.to_string()),
            },
            None => self.renderer.problem(&format!("There is no `{id}`\nType `/tasks` for a list")),
        }
    }

    /// How things stand. A session that answers something else is as good as gone.
    async fn status(&self) -> Result<Status, CommandError> {
        match self.session.query(Query::Status).await? {
            Reply::Status(status) => Ok(status),
            _ => Err(CommandError::Closed),
        }
    }

    async fn models(&self) -> Result<(Status, Vec<ModelInfo>), CommandError> {
        let status = self.status().await?;
        match self.session.query(Query::Models).await? {
            Reply::Models(models) => Ok((status, models)),
            _ => Err(CommandError::Closed),
        }
    }
}
