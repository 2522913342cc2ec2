//! What a line with a slash does.

use forelook_protocol::{Command, ModelListed, Query, Refused, Reply, Status, UnknownMode};

use super::models;
use super::talk::Talk;
use crate::plan_line::{self, Planned};
use crate::slash::{KNOWN, Slash};

impl Talk {
    pub(super) async fn command(&mut self, command: Slash<'_>) {
        match command {
            Slash::Plan(rest) => self.plan(rest).await,
            Slash::Mode(None) => self.send(Command::CycleMode).await,
            Slash::Mode(Some(word)) => match forelook_wording::mode_named(word) {
                Some(mode) => self.send(Command::SetMode(mode)).await,
                None => self.show.problem(&UnknownMode(word.to_owned()).to_string()),
            },
            Slash::Model(Some(name)) => self.send(Command::SetModel(name.to_owned())).await,
            Slash::Model(None) => match self.models().await {
                Ok((status, models)) => self.show.rows(&models::list(&status.model, &models)),
                Err(refused) => self.show.problem(&refused.to_string()),
            },
            Slash::Cost => match self.status().await {
                Ok(status) => self.show.rows(&models::costs(&status.spent)),
                Err(refused) => self.show.problem(&refused.to_string()),
            },
            Slash::Todos => match self.status().await {
                Ok(status) => self.show.todos(&status.todos),
                Err(refused) => self.show.problem(&refused.to_string()),
            },
            Slash::Help => self.show.help(),
            Slash::Exit => self.leave().await,
            Slash::Unknown(word) => {
                let names = KNOWN.iter().map(|(form, _)| form.split(' ').next().unwrap_or(form));
                let known: Vec<&str> = names.filter(|name| name.starts_with('/')).collect();
                self.show.problem(&format!("`/{word}` is not a command; there are {}", known.join(", ")));
            }
        }
    }

    async fn plan(&mut self, argument: &str) {
        let planned = plan_line::carry_out(&*self.session, argument, self.view.mode()).await;
        self.planned(planned);
    }

    pub(super) async fn open_plan(&mut self) {
        let planned = plan_line::open(&*self.session).await;
        self.planned(planned);
    }

    fn planned(&mut self, planned: Result<Planned, Refused>) {
        let shown = match planned {
            Ok(Planned::Shown(shown)) => Some(shown),
            Ok(Planned::Done(accepted, shown)) => {
                self.view.accepted(accepted);
                shown
            }
            Ok(Planned::Opens) => None,
            Err(refused) => return self.show.problem(&refused.to_string()),
        };
        let Some(shown) = shown else { return };
        if let Some(mode) = shown.entered() {
            // The entry that says so waits among those of the turn, which belong below what is shown.
            self.set_mode(mode);
        }
        self.show.plan(&shown);
    }

    /// How things stand. A session that answers something else is as good as gone.
    async fn status(&self) -> Result<Status, Refused> {
        match self.session.query(Query::Status).await? {
            Reply::Status(status) => Ok(status),
            _ => Err(Refused::Closed),
        }
    }

    async fn models(&self) -> Result<(Status, Vec<ModelListed>), Refused> {
        let status = self.status().await?;
        match self.session.query(Query::Models).await? {
            Reply::Models(models) => Ok((status, models)),
            _ => Err(Refused::Closed),
        }
    }
}
