//! From the command line to what a session is to be, and how it is shown.

use forelook_host::{Failure, FailureClass, Host, RuleSpec, SessionSpec, SessionStart};
use forelook_protocol::{AbsPath, Notice, NoticeLevel, SessionId};

use crate::args::{RuleArgs, RunArgs, SessionArgs};
use crate::front::FrontOptions;
use crate::interaction::{Interaction, interaction};
use crate::resume;

/// What was asked for.
#[derive(Debug, Clone)]
pub(crate) struct RunRequest {
    pub(crate) spec: SessionSpec,
    pub(crate) front: FrontOptions,
}

impl RuleArgs {
    pub(crate) fn spec(self) -> RuleSpec {
        RuleSpec {
            allowed: self.allowed_tools,
            denied: self.disallowed_tools,
            folders: self.add_dir,
            settings: self.settings,
            sources: self.setting_sources,
        }
    }
}

impl SessionArgs {
    /// A new session in this folder.
    pub(crate) fn spec(self, folder: AbsPath) -> SessionSpec {
        SessionSpec {
            allow_bypass: self.allow_dangerously_skip_permissions,
            model: self.model,
            fallback_model: self.fallback_model,
            system_prompt: self.system_prompt,
            append_system_prompt: self.append_system_prompt,
            agents: self.agents,
            max_turns: self.max_turns,
            rules: self.rules.spec(),
            ..SessionSpec::new(folder)
        }
    }
}

impl RunArgs {
    pub(crate) fn request(self, host: &Host, folder: AbsPath) -> Result<RunRequest, Failure> {
        let Interaction { lines, responder, reviewer, asks, notice } = interaction(&self)?;
        let (start, passed_over) = self.start(host, &folder)?;
        let front = FrontOptions {
            prompt: self.prompt,
            input: self.input_format,
            output: self.output_format,
            partial: self.include_partial_messages,
            conversation: lines,
            asks,
            ..FrontOptions::default()
        };
        let spec = SessionSpec {
            start,
            mode: self.permission_mode,
            responder,
            reviewer,
            channels: self.channels,
            notices: notice.into_iter().chain(passed_over).collect(),
            ..self.session.spec(folder)
        };
        Ok(RunRequest { spec, front })
    }

    fn start(&self, host: &Host, folder: &AbsPath) -> Result<(SessionStart, Vec<Notice>), Failure> {
        let (from, passed_over) = self.from(host, folder)?;
        let start = match from {
            Some(id) if self.fork_session => SessionStart::Fork(id),
            Some(id) => SessionStart::Resume(id),
            None => SessionStart::New(self.session_id),
        };
        Ok((start, passed_over))
    }

    /// The session from before, if one was named, and what was passed over on the way to it.
    fn from(&self, host: &Host, folder: &AbsPath) -> Result<(Option<SessionId>, Vec<Notice>), Failure> {
        match &self.resume {
            Some(Some(prefix)) => Ok((Some(prefix.session(host)?), Vec::new())),
            Some(None) => Err(resume::needs_id()),
            None if self.continue_session => newest(host, folder),
            None => Ok((None, Vec::new())),
        }
    }
}

fn newest(host: &Host, folder: &AbsPath) -> Result<(Option<SessionId>, Vec<Notice>), Failure> {
    let newest = host.newest(folder)?;
    if newest.id.is_none() {
        let none = Failure::new(FailureClass::Usage, format!("No session to continue in `{folder}`"))
            .hint("Omit --continue to start one, or see all sessions with `forelook sessions list --all`");
        let why = newest.passed_over.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n");
        return Err(why.lines().fold(none, |none, line| none.hint(line)));
    }
    let warning = |text| Notice { level: NoticeLevel::Warning, text };
    let passed_over = newest.passed_over.iter().map(|problem| warning(problem.to_string()));
    Ok((newest.id, passed_over.collect()))
}

#[cfg(test)]
mod tests {
    use forelook_host::{PlanPolicy, Responder};
    use forelook_protocol::Mode;
    use forelook_settings::Env;

    use super::*;
    use crate::args::parse;

    fn parse_request(line: &str) -> Result<RunRequest, Failure> {
        let words = std::iter::once("forelook").chain(line.split_whitespace()).map(Into::into);
        let host = Host::new(Env::from_pairs([("HOME", "/nowhere")]).unwrap());
        parse(words.collect()).unwrap().args.run.request(&host, AbsPath::new("/p").unwrap())
    }

    #[test]
    fn flags_say_what_a_session_is_to_be() {
        let line = "--model a/b --permission-mode plan --allowedTools Read --add-dir ../x --setting-sources user hello";
        let RunRequest { spec, front } = parse_request(line).unwrap();
        assert_eq!((spec.model.as_deref(), spec.mode), (Some("a/b"), Some(Mode::Plan)));
        assert_eq!(
            (spec.rules.allowed, spec.rules.folders),
            (vec!["Read".to_owned()], vec!["../x".to_owned()])
        );
        assert_eq!(spec.rules.sources.as_deref(), Some("user"));
        assert_eq!((spec.responder, spec.start), (Responder::Person, SessionStart::New(None)));
        assert_eq!((front.prompt.as_deref(), front.conversation), (Some("hello"), true));
        let RunRequest { spec, front } = parse_request("-p x").unwrap();
        assert_eq!((spec.responder, spec.reviewer), (Responder::Nobody, Responder::Policy(PlanPolicy::Exit)));
        assert!(!front.conversation);
    }

    #[test]
    fn flags_say_which_session() {
        let id = "01890a5d-ac96-774b-bcce-b302099a8057";
        let session: SessionId = id.parse().unwrap();
        for (line, expected) in [
            (format!("--session-id {id}"), Some(SessionStart::New(Some(session)))),
            (format!("-r {id}"), Some(SessionStart::Resume(session))),
            (format!("-r {id} --fork-session"), Some(SessionStart::Fork(session))),
            ("-r".to_owned(), None),
            ("--fork-session".to_owned(), None),
            ("-c".to_owned(), None),
        ] {
            assert_eq!(parse_request(&line).ok().map(|request| request.spec.start), expected, "{line}");
        }
    }
}
