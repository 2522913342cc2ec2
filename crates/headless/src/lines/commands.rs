//! What a line with a slash does.

use forelook_protocol::{Command, ModelListed, Query, Refused, Reply, Status, UnknownMode};

use super::models;
use super::talk::Talk;
use crate::slash::{KNOWN, Slash};

impl Talk {
    pub(super) async fn command(&mut self, command: Slash<'_>) {
        match command {
            Slash::Plan(rest) => self.send(Command::Plan(rest.to_owned())).await,
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
