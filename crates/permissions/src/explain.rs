//! Every sentence of a decision: what a person or a model reads.

use forelook_protocol::{AbsPath, Action, FileRef, Mode};

use crate::case::Case;
use crate::confine::Leaving;
use crate::policy::{AgentKind, Policy};
use crate::rules::RuleEntry;

pub(crate) fn needs_person() -> String {
    "Only a person can answer this".to_owned()
}

pub(crate) fn reads() -> String {
    "It changes nothing".to_owned()
}

pub(crate) fn only_reads(action: &Action) -> String {
    match action {
        Action::Agent { .. } => "What the agent does is decided call by call".to_owned(),
        _ => reads(),
    }
}

pub(crate) fn by_mode(mode: Mode) -> String {
    format!("Mode `{mode}` allows it")
}

pub(crate) fn judged() -> String {
    "The classifier judges it".to_owned()
}

pub(crate) fn deny_rule(rule: &RuleEntry) -> String {
    format!("The rule {} forbids it; no mode and no other rule lifts that", rule.origin)
}

pub(crate) fn ask_rule(rule: &RuleEntry) -> String {
    format!("The rule {} wants a person's yes", rule.origin)
}

pub(crate) fn allow_rule(rule: &RuleEntry) -> String {
    format!("The rule {} allows it", rule.origin)
}

pub(crate) fn uncertain(rule: &RuleEntry) -> String {
    format!("The line does not tell whether the rule {} is meant", rule.origin)
}

pub(crate) fn hook(says: &str, why: &str) -> String {
    match why.trim() {
        "" => format!("A hook {says} it"),
        why => format!("A hook {says} it: {why}"),
    }
}

pub(crate) fn agent_inherits() -> String {
    "The agent plans too: it can change nothing".to_owned()
}

pub(crate) fn plan_needs_review() -> String {
    "A plan is approved by a person".to_owned()
}

pub(crate) fn already_planning(agent: AgentKind) -> String {
    match agent {
        AgentKind::Main => "Plan mode is on already; go on planning".to_owned(),
        AgentKind::Sub | AgentKind::ReadOnly => subagent_enters(),
    }
}

pub(crate) fn not_planning() -> String {
    "Plan mode is not on. If a plan was approved before, go on and carry it out; there is nothing to leave"
        .to_owned()
}

pub(crate) fn subagent_leaves() -> String {
    "A subagent's own planning ends without a review".to_owned()
}

pub(crate) fn subagent_enters() -> String {
    "A subagent cannot enter plan mode; say in your result that the task wants planning".to_owned()
}

pub(crate) fn declared_read() -> String {
    "The person declared it a read that needs the network".to_owned()
}

pub(crate) fn plan_file() -> String {
    "It is the plan file".to_owned()
}

pub(crate) fn only_the_plan(path: &AbsPath, plan: Option<&AbsPath>, policy: &Policy) -> String {
    if policy.agent == AgentKind::ReadOnly && !policy.standing.is_planning() {
        return format!("`{path}` is not changed: this agent only reads");
    }
    match plan {
        Some(plan) => {
            format!("`{path}` is not changed while planning; the only file to write is the plan, `{plan}`")
        }
        None => format!("`{path}` is not changed while planning"),
    }
}

pub(crate) fn changes(why: &str, policy: &Policy) -> String {
    let why = if why.is_empty() { "The command changes something" } else { why };
    match (policy.standing.is_planning(), policy.kernel.rehearsal) {
        (true, true) => format!(
            "Nothing is changed while planning. {why}. To see what it would do, send it with `rehearse: true`"
        ),
        (true, false) => format!("Nothing is changed while planning. {why}"),
        (false, _) => format!("This agent only reads. {why}"),
    }
}

pub(crate) fn unknown_line(why: &str) -> String {
    format!("It cannot be told that the command only reads. {why}")
}

pub(crate) fn held() -> String {
    "Whatever it does, the kernel lets it change nothing".to_owned()
}

pub(crate) fn stays_inside() -> String {
    "The kernel keeps it to the working folders".to_owned()
}

/// Whoever says yes should know that nothing holds it then.
pub(crate) fn leaves(text: &str, leaving: Leaving) -> String {
    let why = match leaving {
        Leaving::Named => "`sandbox.outside` names it",
        Leaving::Offline => "it needs the network, and there is none inside",
        Leaving::Sends => "it changes something on another machine",
        Leaving::Git => "it writes to git's own folder, which is not written inside",
        Leaving::Elsewhere => "it writes outside of the working folders",
    };
    format!("{text}. It would run outside of the fence: {why}")
}

pub(crate) fn rehearsed() -> String {
    "It runs on a layer over the working folders, and nothing real changes".to_owned()
}

pub(crate) fn no_rehearsal() -> String {
    "Nothing can be rehearsed here: the kernel keeps no layer to try things on (`forelook doctor` says why). \
     Say in the plan what should be tried"
        .to_owned()
}

pub(crate) fn rehearses_outside_of_planning() -> String {
    "Rehearsals belong to planning. Leave `rehearse` out and do it for real".to_owned()
}

pub(crate) fn powershell() -> String {
    "PowerShell lines are not analysed yet, so it cannot be told that this one only reads".to_owned()
}

pub(crate) fn destructive_tool() -> String {
    "Its server says that the tool destroys something, and nothing is changed while planning".to_owned()
}

pub(crate) fn unknown_tool() -> String {
    "Nobody has said that this tool only reads, and it runs outside of what planning can hold".to_owned()
}

pub(crate) fn fetches() -> String {
    "It only fetches, and a rule allows the host".to_owned()
}

pub(crate) fn fetch(host: &str) -> String {
    format!("Fetching from `{host}` needs a person's yes")
}

pub(crate) fn root(path: &str) -> String {
    format!("It removes or overwrites `{path}`, a folder that everything hangs on")
}

pub(crate) fn own(path: &AbsPath) -> String {
    format!("`{path}` belongs to Forelook itself: what may be done is decided there")
}

pub(crate) fn protected(path: &AbsPath) -> String {
    format!("`{path}` decides what runs later, without anybody asking")
}

pub(crate) fn secret(path: &AbsPath) -> String {
    format!("`{path}` is known to hold secrets")
}

pub(crate) fn secrets_below(folder: &AbsPath) -> String {
    format!("Files in `{folder}` are known to hold secrets")
}

pub(crate) fn discards(what: &str) -> String {
    format!("`{what}` throws work away that git cannot give back")
}

pub(crate) fn wall_denied(text: &str) -> String {
    format!("{text}, and in mode `dontAsk` nobody is asked")
}

pub(crate) fn rest(action: &Action, why: Option<&str>) -> String {
    match (action, why) {
        (Action::Shell { .. }, Some(why)) => why.to_owned(),
        (Action::Shell { .. }, None) => "Running this command needs a person's yes".to_owned(),
        (Action::Rehearse { .. }, _) => rehearses_outside_of_planning(),
        (Action::Read { file }, _) => format!("Reading `{}` needs a person's yes", file.named),
        (Action::Edit { file }, _) => format!("Changing `{}` needs a person's yes", file.named),
        (Action::Fetch { host }, _) => fetch(host),
        (Action::Mcp { server, tool, .. }, _) => {
            format!("Calling `{tool}` of `{server}` needs a person's yes")
        }
        (Action::Agent { kind, .. }, _) => format!("Starting the agent `{kind}` needs a person's yes"),
        (Action::Skill { name }, _) => format!("Using the skill `{name}` needs a person's yes"),
        (Action::AskPerson | Action::EnterPlan | Action::ExitPlan | Action::Internal, _) => needs_person(),
    }
}

/// A rule that would allow this action the next time: as narrow as it can be and still be of use.
pub(crate) fn suggestion(case: &Case<'_>) -> Option<String> {
    match case.action {
        Action::Read { file } => Some(format!("Read({})", path_rule(case, file))),
        Action::Edit { file } => Some(format!("Edit({})", path_rule(case, file))),
        Action::Fetch { host } => Some(format!("WebFetch(domain:{host})")),
        Action::Mcp { server, tool, .. } => Some(format!("mcp__{server}__{tool}")),
        Action::Agent { kind, .. } => Some(format!("Agent({kind})")),
        Action::Skill { name } => Some(format!("Skill({name})")),
        Action::Shell { command, .. } => shell_rule(case, command),
        Action::AskPerson
        | Action::EnterPlan
        | Action::ExitPlan
        | Action::Internal
        | Action::Rehearse { .. } => None,
    }
}

fn path_rule(case: &Case<'_>, file: &FileRef) -> String {
    let relative =
        case.policy.folders.first().and_then(|folder| file.real.as_path().strip_prefix(folder).ok());
    match relative {
        Some(relative) => format!("./{}", relative.display()),
        None => format!("/{}", file.real),
    }
}

/// For one part that is not covered: exactly that command. A line of several needs several rules, and a text with a star or
/// a parenthesis would mean something else in a rule.
fn shell_rule(case: &Case<'_>, command: &str) -> Option<String> {
    let line = case.line.as_ref().filter(|line| line.analysis.parsed)?;
    let mut open = line.both().filter(|(_, view)| view.command_verdict != forelook_shell::Verdict::ReadOnly);
    let (part, _) = open.next()?;
    let text = part.allow_forms.last().map_or(command, String::as_str);
    let plain = !text.contains(['*', '\n', ')', '(']) && text.len() <= 200;
    (open.next().is_none() && plain).then(|| format!("Bash({text})"))
}
