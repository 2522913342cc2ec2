//! Carries out what a person typed behind `/plan`.

use forelook_protocol::{
    Accepted, Command, Mode, PlanCommand, PlanLine, PlanQuery, PlanShown, Query, Refused, Reply, SessionPort,
};

/// What came of it.
pub(crate) enum Planned {
    /// There is something to see, and nothing was done.
    Shown(PlanShown),
    /// A command was accepted, and this is to be seen of it.
    Done(Accepted, Option<PlanShown>),
    /// The plan opens in the person's editor, which reports in events.
    Opens,
}

/// Carries out `/plan` with its argument; `mode` is the mode as this front end knows it.
pub(crate) async fn carry_out(
    session: &dyn SessionPort,
    argument: &str,
    mode: Mode,
) -> Result<Planned, Refused> {
    let command = match PlanLine::parse(argument, mode) {
        PlanLine::Show(query) => return shown(session, query).await.map(Planned::Shown),
        PlanLine::Do(PlanCommand::Open) => return open(session).await,
        PlanLine::Do(command) => command,
    };
    let accepted = session.send(Command::Plan(command.clone())).await?;
    // The command is carried out, so a session that cannot say where the plan is has not refused it.
    let path = match session.query(Query::Status).await {
        Ok(Reply::Status(status)) => status.plan,
        _ => None,
    };
    Ok(Planned::Done(accepted, path.and_then(|path| command.shown(path))))
}

/// Opens the plan in the person's editor, or says that there is none.
pub(crate) async fn open(session: &dyn SessionPort) -> Result<Planned, Refused> {
    let current = shown(session, PlanQuery::Current).await?;
    if !has_text(&current) {
        return Ok(Planned::Shown(current));
    }
    session.send(Command::Plan(PlanCommand::Open)).await?;
    Ok(Planned::Opens)
}

fn has_text(shown: &PlanShown) -> bool {
    matches!(shown, PlanShown::Current { plan: Some(plan), .. } if !plan.trim().is_empty())
}

/// A session that answers something else is as good as gone.
async fn shown(session: &dyn SessionPort, query: PlanQuery) -> Result<PlanShown, Refused> {
    match session.query(Query::Plan(query)).await? {
        Reply::Plan(shown) => Ok(shown),
        _ => Err(Refused::Closed),
    }
}
