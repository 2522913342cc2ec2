//! Carries out what a person typed behind `/plan`.

use forelook_protocol::{
    Command, CommandAccepted, CommandError, Mode, PlanCommand, PlanQuery, PlanReply, PlanSlashCommand, Query,
    Reply, SessionPort,
};

/// What came of it.
pub(crate) enum PlanLineOutcome {
    /// There is something to see, and nothing was done.
    Shown(PlanReply),
    /// A command was accepted, and this is to be seen of it.
    Done(CommandAccepted, Option<PlanReply>),
    /// The plan opens in the person's editor, which reports in events.
    Opens,
    /// Its review is open.
    Reviews,
}

/// Carries out `/plan` with its argument; `mode` is the mode as this front end knows it.
pub(crate) async fn run(
    session: &dyn SessionPort,
    argument: &str,
    mode: Mode,
) -> Result<PlanLineOutcome, CommandError> {
    let command = match PlanSlashCommand::parse(argument, mode).map_err(CommandError::Plan)? {
        PlanSlashCommand::Show(query) => return shown(session, query).await.map(PlanLineOutcome::Shown),
        PlanSlashCommand::Run(PlanCommand::Open) => return open(session).await,
        PlanSlashCommand::Run(command) => command,
    };
    let accepted = session.send(Command::Plan(command.clone())).await?;
    if command == PlanCommand::Review {
        return Ok(PlanLineOutcome::Reviews);
    }
    // The command is carried out, so a session that cannot say where the plan is has not refused it.
    let path = match session.query(Query::Status).await {
        Ok(Reply::Status(status)) => status.plan,
        _ => None,
    };
    Ok(PlanLineOutcome::Done(accepted, path.and_then(|path| command.shown(path))))
}

/// Opens the plan in the person's editor, or says that there is none.
pub(crate) async fn open(session: &dyn SessionPort) -> Result<PlanLineOutcome, CommandError> {
    let current = shown(session, PlanQuery::Current).await?;
    if !has_text(&current) {
        return Ok(PlanLineOutcome::Shown(current));
    }
    session.send(Command::Plan(PlanCommand::Open)).await?;
    Ok(PlanLineOutcome::Opens)
}

fn has_text(shown: &PlanReply) -> bool {
    match shown {
        PlanReply::Current { plan: Some(plan), .. } => !plan.trim().is_empty(),
        // Not a text that can be read, but one that can be repaired.
        PlanReply::Current { problem, .. } => problem.is_some(),
        _ => false,
    }
}

/// A session that answers something else is as good as gone.
async fn shown(session: &dyn SessionPort, query: PlanQuery) -> Result<PlanReply, CommandError> {
    match session.query(Query::Plan(query)).await? {
        Reply::Plan(shown) => Ok(shown),
        _ => Err(CommandError::Closed),
    }
}
