//! Which session `--resume` means: the start of its ID is enough, and without one the person chooses.

use std::str::FromStr;

use forelook_host::{Failure, FailureClass, Host};
use forelook_protocol::{AbsPath, InvalidId, SessionId};
use forelook_sessions::{SessionStore, SessionSummary};

use crate::args::RunArgs;
use crate::interaction::Interaction;
use crate::run::finish;
use crate::screen::{can_be_drawn_on, terminal};
use crate::signals;

/// Candidates that are listed where the start of an ID fits to several.
const MAX_LISTED: usize = 10;

/// An ID, or the start of one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SessionPrefix(String);

impl FromStr for SessionPrefix {
    type Err = InvalidId;

    fn from_str(text: &str) -> Result<Self, InvalidId> {
        if let Ok(id) = text.parse::<SessionId>() {
            return Ok(Self(id.to_string()));
        }
        let prefix = text.to_ascii_lowercase();
        let is_id = |(at, c): (usize, char)| match at {
            8 | 13 | 18 | 23 => c == '-',
            _ => c.is_ascii_hexdigit(),
        };
        match prefix.len() {
            1..36 if prefix.chars().enumerate().all(is_id) => Ok(Self(prefix)),
            _ => Err(InvalidId(text.to_owned())),
        }
    }
}

impl SessionPrefix {
    /// The one session whose ID begins so. A whole ID is one, whether there is such a session or not.
    pub(crate) fn session(&self, host: &Host) -> Result<SessionId, Failure> {
        let Self(prefix) = self;
        if let Ok(id) = prefix.parse() {
            return Ok(id);
        }
        let store = SessionStore::new(host.env().home.clone());
        let found = store.starting_with(prefix).map_err(|error| Failure::of(FailureClass::Task, &error))?;
        match found.as_slice() {
            [one] => Ok(*one),
            [] => Err(Failure::new(
                FailureClass::Usage,
                format!("No session has an ID that starts with `{prefix}`"),
            )
            .hint("`forelook sessions list --all` shows all sessions")),
            several => among(prefix, several, &store.list(None).unwrap_or_default().sessions),
        }
    }
}

/// The one of several in which something was said. One that cannot be read is a candidate, too.
fn among(prefix: &str, found: &[SessionId], sessions: &[SessionSummary]) -> Result<SessionId, Failure> {
    let summary = |id: SessionId| sessions.iter().find(|session| session.id == id);
    let is_candidate = |id: &&SessionId| summary(**id).is_none_or(SessionSummary::has_conversation);
    match found.iter().filter(is_candidate).copied().collect::<Vec<_>>().as_slice() {
        [one] => Ok(*one),
        [] => Err(ambiguous(prefix, found, sessions)),
        candidates => Err(ambiguous(prefix, candidates, sessions)),
    }
}

fn ambiguous(prefix: &str, found: &[SessionId], sessions: &[SessionSummary]) -> Failure {
    let count = found.len();
    let failure =
        Failure::new(FailureClass::Usage, format!("{count} sessions have an ID that starts with `{prefix}`"));
    // The newest first: IDs sort by age.
    let candidates = found.iter().rev().map(|id| match sessions.iter().find(|session| session.id == *id) {
        Some(session) => line(session),
        None => id.to_string(),
    });
    let failure = candidates.take(MAX_LISTED).fold(failure, |failure, line| failure.hint(line));
    match count.saturating_sub(MAX_LISTED) {
        0 => failure.hint("Give more of the ID"),
        more => failure.hint(format!("…and {more} more; give more of the ID")),
    }
}

fn line(session: &SessionSummary) -> String {
    let when = session.last_written.strftime("%Y-%m-%d %H:%M");
    format!("{}  {when}  {}", session.id, session.title)
}

/// So much of an ID is the time at which its session began, to the millisecond. With less of it, a session that begins soon
/// after would have the same start.
const TIME: usize = 13;

/// The shortest start of its ID that means this session and no other, now and later.
pub(crate) fn short_id(host: &Host, session: SessionId) -> String {
    let whole = session.to_string();
    let store = SessionStore::new(host.env().home.clone());
    let Ok(others) = store.starting_with(&whole[..TIME]) else { return whole };
    shortest(session, &others)
}

fn shortest(session: SessionId, others: &[SessionId]) -> String {
    let whole = session.to_string();
    let is_unique = |length: &usize| {
        let start = &whole[..*length];
        // One that ends with a hyphen looks cut.
        !start.ends_with('-')
            && others.iter().all(|other| *other == session || !other.to_string().starts_with(start))
    };
    let length = (TIME..whole.len()).find(is_unique).unwrap_or(whole.len());
    whole[..length].to_owned()
}

/// What became of the choice.
pub(crate) enum ResumeChoice {
    /// Go on with these arguments.
    Run(Box<RunArgs>),
    /// The person wants none of them.
    Nothing,
}

/// Lets the person choose a session, if they asked for that.
pub(crate) fn choose(host: &Host, folder: &AbsPath, args: RunArgs) -> Result<ResumeChoice, Failure> {
    if args.resume != Some(None) {
        return Ok(ResumeChoice::Run(Box::new(args)));
    }
    let Interaction { lines: conversation, .. } = crate::interaction::interaction(&args)?;
    if !conversation || !can_be_drawn_on(host.env()) {
        return Err(needs_id());
    }
    let sessions = host.sessions(folder)?;
    if sessions.is_empty() {
        return Err(Failure::new(FailureClass::Usage, format!("No session to resume in `{folder}`"))
            .hint("Omit --resume to start one, or see all sessions with `forelook sessions list --all`"));
    }
    let (terminal, theme, now) = (terminal(host.env()), host.theme(folder), host.clock().now());
    let chosen = finish(async move {
        let mut signals = signals::stop_signals();
        tokio::select! {
            chosen = forelook_tui::choose_session(terminal, theme, &sessions, now) => {
                chosen.map_err(|error| Failure::of(FailureClass::Task, &error))
            }
            Some(_) = signals.recv() => Ok(None),
        }
    })?;
    Ok(match chosen {
        Some(id) => {
            ResumeChoice::Run(Box::new(RunArgs { resume: Some(Some(SessionPrefix(id.to_string()))), ..args }))
        }
        None => ResumeChoice::Nothing,
    })
}

/// There is nobody to choose.
pub(crate) fn needs_id() -> Failure {
    Failure::new(FailureClass::Usage, "--resume needs a session ID where there is no terminal to choose on")
        .hint(
            "`forelook sessions list` shows the IDs; --continue continues the latest session in this folder",
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Another session may begin a moment after the start of the ID was printed.
    #[test]
    fn the_start_of_an_id_stays_the_only_one() {
        let id = |text: &str| text.parse::<SessionId>().unwrap();
        let own = id("01890a5d-ac96-774b-bcce-b302099a8057");
        for (others, expected) in [
            (vec![], "01890a5d-ac96"),
            (vec![own], "01890a5d-ac96"),
            (vec![own, id("01890a5d-ac97-774b-bcce-b302099a8057")], "01890a5d-ac96"),
            (vec![own, id("01890a5d-ac96-7000-bcce-b302099a8057")], "01890a5d-ac96-77"),
            (vec![own, id("01890a5d-ac96-774b-ccce-b302099a8057")], "01890a5d-ac96-774b-b"),
        ] {
            assert_eq!(shortest(own, &others), expected);
        }
    }

    #[test]
    fn a_session_in_which_nothing_was_said_is_not_meant() {
        let session = |id: &str, prompts| SessionSummary {
            id: id.parse().unwrap(),
            folder: AbsPath::new("/p").unwrap(),
            title: String::new(),
            started: "2026-01-02T03:04:05Z".parse().unwrap(),
            last_written: "2026-01-02T03:04:05Z".parse().unwrap(),
            prompts,
            forked_from: None,
        };
        let (one, two, three) = (
            session("01890a5d-ac96-774b-bcce-b302099a8057", 1),
            session("01890a5d-ac97-774b-bcce-b302099a8057", 0),
            session("01890a5d-ac98-774b-bcce-b302099a8057", 2),
        );
        let found = |sessions: &[&SessionSummary]| {
            let ids: Vec<SessionId> = sessions.iter().map(|session| session.id).collect();
            let sessions: Vec<SessionSummary> = sessions.iter().copied().cloned().collect();
            among("01", &ids, &sessions).map_err(|failure| failure.text())
        };
        assert_eq!(found(&[&one, &two]), Ok(one.id));
        let said = found(&[&one, &two, &three]).unwrap_err();
        assert!(said.starts_with("2 sessions") && !said.contains("ac97"), "{said}");
        let said = found(&[&two, &two]).unwrap_err();
        assert!(said.starts_with("2 sessions"), "{said}");
    }

    #[test]
    fn what_can_be_the_start_of_an_id() {
        let id = "01890a5d-ac96-774b-bcce-b302099a8057";
        for (text, expected) in [
            (id, Some(id)),
            ("01890A5D", Some("01890a5d")),
            ("0", Some("0")),
            ("01890a5d-ac", Some("01890a5d-ac")),
            ("01890a5d-", Some("01890a5d-")),
            ("01890a5dac96774bbcceb302099a8057", Some(id)),
            ("01890a5dac", None),
            ("xyz", None),
            ("", None),
            ("01890a5d-ac96-774b-bcce-b302099a80577", None),
        ] {
            assert_eq!(text.parse().ok(), expected.map(|it| SessionPrefix(it.to_owned())), "{text}");
        }
    }
}
