//! The terminal program: a session on the screen, and the next one if the person goes on to another.

use std::sync::Arc;

use forelook_headless::RunOutcome;
use forelook_host::{Failure, FailureClass, OpenSession, SessionSpec, SessionStart, Tips};
use forelook_protocol::{Command, Mode, Notice, NoticeLevel, SessionId, TrustQuestion};
use forelook_settings::{Env, ScreenSettings};
use forelook_tui::{
    Entrance, ExitReason, Notifications, PendingInput, Terminal, TrustAnswer, TrustMoment, TuiExit,
    UserPreferences,
};

use crate::front::{FrontOptions, attach, is_prompt};
use crate::out::{print_note, say};
use crate::resume::short_id;
use crate::run::{SessionRun, warning};
use crate::signals;

/// A session that was on the screen, and how it was left.
struct ScreenOutcome {
    session: SessionId,
    /// Whether something was said in it.
    has_conversation: bool,
    reason: ExitReason,
    pending_input: PendingInput,
}

/// What a person is told who answered anew whether they trust the folder; nothing if nothing changed.
fn trust_news(answer: TrustAnswer, trusted: bool) -> Option<Notice> {
    let text = match answer {
        TrustAnswer::Trusted if !trusted => "You trust this folder now",
        TrustAnswer::Withdrawn => "You no longer trust this folder",
        TrustAnswer::Trusted | TrustAnswer::Untrusted | TrustAnswer::Left | TrustAnswer::Lost => return None,
    };
    Some(Notice { level: NoticeLevel::Info, text: text.to_owned() })
}

impl SessionRun {
    /// Runs sessions in the terminal, one after the other, until the person leaves.
    pub(crate) async fn screen(mut self) -> Result<RunOutcome, Failure> {
        let (host, front, spec) = (self.host.clone(), self.front.clone(), self.session.spec().clone());
        let terminal = terminal(host.env());
        let mut signals = signals::stop_signals();
        tokio::select! {
            asked = self.ask_for_trust_on(terminal) => match asked? {
                TrustAnswer::Left | TrustAnswer::Lost => return Ok(RunOutcome::Interrupted),
                TrustAnswer::Trusted | TrustAnswer::Untrusted | TrustAnswer::Withdrawn => {}
            },
            Some(_) = signals.recv() => return Ok(RunOutcome::Interrupted),
        }
        drop(signals);
        self.tips = Some(Tips::new(&host.env().home));
        let mut session_run = Ok(self);
        let mut previous: Option<SessionId> = None;
        let mut pending_input = PendingInput::default();
        let (mut news, mut told) = (Vec::new(), Vec::new());
        let mut entrance = match spec.start {
            SessionStart::New(_) => Entrance::Start,
            _ => Entrance::Continued,
        };
        loop {
            let mut asks_trust = false;
            let outcome = match session_run {
                Ok(session_run) => {
                    let news = std::mem::take(&mut news);
                    session_run.on_screen(entrance, pending_input.clone(), news, &mut told).await
                }
                Err(failure) => Err(failure),
            };
            pending_input = match &outcome {
                Ok(outcome) => outcome.pending_input.clone(),
                // They were for another session than the one that the person is led back to.
                Err(_) => pending_input.words(),
            };
            let (next, notice_text) = match (outcome, previous.take()) {
                (Ok(outcome @ ScreenOutcome { reason: ExitReason::Done, .. }), _) => {
                    if outcome.has_conversation && front.tells_way_back {
                        print_note(&format!("To continue: forelook -r {}", short_id(&host, outcome.session)));
                    }
                    return Ok(RunOutcome::Done);
                }
                (Ok(ScreenOutcome { reason: ExitReason::Failed, .. }), _) => return Ok(RunOutcome::Failed),
                (Ok(ScreenOutcome { reason: ExitReason::Lost, .. }), _) => {
                    return Ok(RunOutcome::Interrupted);
                }
                (Ok(ScreenOutcome { reason: ExitReason::Resume(id), session, .. }), _) => {
                    previous = Some(session);
                    entrance = Entrance::Resumed;
                    (SessionStart::Resume(id), None)
                }
                (Ok(ScreenOutcome { reason: ExitReason::AskTrust, session, .. }), _) => {
                    previous = Some(session);
                    asks_trust = true;
                    entrance = Entrance::Returned;
                    (SessionStart::Resume(session), None)
                }
                (Ok(ScreenOutcome { reason: ExitReason::NewSession, session, .. }), _) => {
                    previous = Some(session);
                    entrance = Entrance::Cleared;
                    (SessionStart::New(None), None)
                }
                // A session that another process has, say: the person is led back, and told.
                (Err(failure), Some(session)) => {
                    entrance = Entrance::Returned;
                    (SessionStart::Resume(session), Some(failure.text()))
                }
                (Err(failure), None) => return Err(failure),
            };
            // Asked for in the same words, and what was said first was said.
            let (spec, front) = (following(&spec, next), FrontOptions { prompt: None, ..front.clone() });
            session_run = SessionRun::new(host.clone(), spec, front);
            news.extend(notice_text.map(warning));
            if asks_trust && let Ok(next) = &mut session_run {
                let mut signals = signals::stop_signals();
                // Whoever leaves the question leaves only that: they were in a session, and are again.
                tokio::select! {
                    asked = next.review_trust_on(terminal, &mut news) => if asked? == TrustAnswer::Lost {
                        return Ok(RunOutcome::Interrupted);
                    },
                    Some(_) = signals.recv() => return Ok(RunOutcome::Interrupted),
                }
            }
        }
    }

    /// What a project brings is a stranger's until the person says otherwise.
    async fn ask_for_trust_on(&mut self, terminal: Terminal) -> Result<TrustAnswer, Failure> {
        match self.session.trust_question() {
            Some(question) => self.confirm_trust_on(terminal, &question, TrustMoment::Start).await,
            None => Ok(TrustAnswer::Untrusted),
        }
    }

    /// The same because the person wants to be asked, also about what they trust; what came of it is news.
    async fn review_trust_on(
        &mut self,
        terminal: Terminal,
        news: &mut Vec<Notice>,
    ) -> Result<TrustAnswer, Failure> {
        let Some(question) = self.session.trust_review() else { return Ok(TrustAnswer::Untrusted) };
        // Apart from what is above it.
        say!("");
        let answer = self.confirm_trust_on(terminal, &question, TrustMoment::InSession).await?;
        news.extend(trust_news(answer, question.trusted));
        Ok(answer)
    }

    async fn confirm_trust_on(
        &mut self,
        terminal: Terminal,
        question: &TrustQuestion,
        moment: TrustMoment,
    ) -> Result<TrustAnswer, Failure> {
        let theme = self.session.settings().screen.theme;
        let answer = forelook_tui::confirm_trust(terminal, theme, question, moment)
            .await
            .map_err(|error| Failure::of(FailureClass::Task, &error))?;
        match answer {
            TrustAnswer::Trusted if !question.trusted => self.session.trust()?,
            TrustAnswer::Withdrawn => self.session.withdraw_trust()?,
            TrustAnswer::Trusted | TrustAnswer::Untrusted | TrustAnswer::Left | TrustAnswer::Lost => {}
        }
        Ok(answer)
    }

    /// One session in the terminal, with what is new to know. When this returns, it is closed and free for others.
    async fn on_screen(
        self,
        entrance: Entrance,
        pending_input: PendingInput,
        news: Vec<Notice>,
        told: &mut Vec<Notice>,
    ) -> Result<ScreenOutcome, Failure> {
        let Self { host, front, session: mut prepared, approved, tips } = self;
        let signals = signals::stop_signals();
        let (borrower, lender) = forelook_tui::lending();
        prepared.set_terminal_lender(Arc::new(borrower));
        let preferences = UserPreferences {
            home: host.env().user_home.clone(),
            ..preferences(&prepared.settings().screen, tips.as_ref().is_some_and(Tips::due))
        };
        let OpenSession { client, services, mut notices } = prepared.open().await?;
        // Whoever comes back has the others above already.
        if entrance == Entrance::Returned {
            notices.retain(|notice| !told.contains(notice));
        }
        told.extend(notices.iter().cloned());
        notices.splice(..0, news);
        let front_end = forelook_tui::front_end().with_prompt(is_prompt(front.prompt.as_deref()));
        let attached = attach(&client, front_end).await?;
        let (port, session) = (Arc::clone(&attached.session), attached.snapshot.status.session);
        if let Some(plan) = approved {
            plan.begin(&*port).await?;
        }
        if let Some(tips) = tips {
            tokio::task::spawn_blocking(move || tips.count());
        }
        let run = forelook_tui::TuiSetup {
            attached,
            prompt: front.prompt,
            entrance,
            pending_input,
            notices,
            clock: host.clock(),
            terminal: terminal(host.env()),
            preferences,
            services,
            lender,
            signals,
        };
        let over = forelook_tui::run(run).await;
        // However the screen was left: the session ends, and whoever opens it next finds it whole and free.
        let _ = port.send(Command::Close).await;
        drop(port);
        client.closed().await;
        let TuiExit { reason, pending_input, has_conversation } =
            over.map_err(|error| Failure::of(FailureClass::Task, &error))?;
        Ok(ScreenOutcome { session, has_conversation, reason, pending_input })
    }
}

/// The spec of the session that follows. The mode on the command line was for the session that it started: a resumed
/// session keeps its own mode, or it would leave plan mode silently.
fn following(spec: &SessionSpec, start: SessionStart) -> SessionSpec {
    let allow_bypass = spec.allow_bypass || spec.mode == Some(Mode::BypassPermissions);
    let mode = spec.mode.filter(|_| matches!(start, SessionStart::New(_)));
    SessionSpec { start, mode, allow_bypass, ..spec.clone() }
}

pub(crate) fn terminal(env: &Env) -> Terminal {
    Terminal::of(env.no_color, &|name| env.terminal(name))
}

/// Whether the terminal has colors, and the person wants them.
pub(crate) fn has_colors(env: &Env) -> bool {
    terminal(env).colors != forelook_tui::Colors::None
}

/// Whether there is a terminal that can be drawn on.
pub(crate) fn can_be_drawn_on(env: &Env) -> bool {
    use std::io::IsTerminal as _;
    std::io::stdin().is_terminal()
        && std::io::stdout().is_terminal()
        && Terminal::draws(env.terminal("TERM").as_deref())
}

fn preferences(screen: &ScreenSettings, tip: bool) -> UserPreferences {
    UserPreferences {
        vi: screen.vi,
        status_line: screen.status_line.is_some(),
        tip,
        notifications: match screen.notifications {
            "off" => Notifications::Off,
            "desktop" => Notifications::Desktop,
            _ => Notifications::Bell,
        },
        home: None,
        theme: screen.theme.map(str::to_owned),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_settings_say_becomes_habits() {
        let screen =
            ScreenSettings { theme: Some("light"), status_line: None, vi: true, notifications: "off" };
        let preferences = preferences(&screen, true);
        assert!(preferences.vi && preferences.tip && !preferences.status_line);
        assert_eq!(
            (preferences.notifications, preferences.theme.as_deref()),
            (Notifications::Off, Some("light"))
        );
    }
}
