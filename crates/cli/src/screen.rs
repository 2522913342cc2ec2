//! The terminal program: a session on the screen, and the next one if the person goes on to another.

use std::sync::Arc;

use forelook_engine::Start;
use forelook_headless::Ended;
use forelook_protocol::{Clock, Command, Ids, SessionId};
use forelook_sandbox::ChildEnv;
use forelook_settings::{Env, ScreenSettings, Settings};
use forelook_tui::{Habits, Left, Notifications, Over, Terminal, Typed};

use crate::args::RunArgs;
use crate::editor::PersonsEditor;
use crate::failure::{Failure, Kind};
use crate::front::attach;
use crate::machine::{ThisMachine, Tips};
use crate::open::Opened;
use crate::run::{Task, clock, ids, warning};
use crate::servers::Servers;
use crate::signals;

/// A session that was on the screen, and how it was left.
struct Seen {
    session: SessionId,
    left: Left,
    typed: Typed,
}

impl<'a> Task<'a> {
    /// Runs sessions in the terminal, one after the other, until the person leaves.
    pub(crate) async fn screen(mut self) -> Result<Ended, Failure> {
        let (env, args, folder) = (self.env, self.args.clone(), self.folder.clone());
        // Of one kind for all of them: what counts ids in a test must not begin anew.
        let (ids, clock) = (ids(env), clock(env));
        let terminal = terminal(env);
        let mut signals = signals::wishes_to_stop();
        tokio::select! {
            asked = self.ask_for_trust_on(terminal) => asked?,
            Some(()) = signals.recv() => return Ok(Ended::Interrupted),
        }
        drop(signals);
        self.tips = Some(Tips::new(&env.home));
        let mut task = Ok(self);
        let mut former: Option<SessionId> = None;
        let mut typed = Typed::default();
        loop {
            let seen = match task {
                Ok(task) => task.on_screen(&ids, &clock, typed.clone()).await,
                Err(failure) => Err(failure),
            };
            typed = match &seen {
                Ok(seen) => seen.typed.clone(),
                // They were for another session than the one that the person is led back to.
                Err(_) => typed.words(),
            };
            let (next, told) = match (seen, former.take()) {
                (Ok(Seen { left: Left::Done, .. }), _) => return Ok(Ended::Done),
                (Ok(Seen { left: Left::Lost, .. }), _) => return Ok(Ended::Interrupted),
                (Ok(Seen { left: Left::For(id), session, .. }), _) => {
                    former = Some(session);
                    (Some(id), None)
                }
                (Ok(Seen { left: Left::ForNew, session, .. }), _) => {
                    former = Some(session);
                    (None, None)
                }
                // A session that another process has, say: the person is led back, and told.
                (Err(failure), Some(session)) => (Some(session), Some(failure.text())),
                (Err(failure), None) => return Err(failure),
            };
            task = Task::resolve(env, anew(&args, next), folder.clone()).map(|mut task: Task<'a>| {
                task.notices.extend(told.map(warning));
                task
            });
        }
    }

    /// One session in the terminal. When this returns, it is closed and free for others.
    async fn on_screen(
        mut self,
        ids: &Arc<dyn Ids>,
        clock: &Arc<dyn Clock>,
        typed: Typed,
    ) -> Result<Seen, Failure> {
        let signals = signals::wishes_to_stop();
        let (approved, prompt, tips) = (self.approved.take(), self.args.prompt.clone(), self.tips.take());
        let (borrower, lender) = forelook_tui::lending();
        self.borrower = Some(borrower.clone());
        let terminal = terminal(self.env);
        let (env, folder, store, places) =
            (self.env, self.folder.clone(), self.store.clone(), self.places.clone());
        let screen = self.loaded.settings.screen.clone();
        let own_env = persons_env(env, &self.loaded.settings);
        let resumed = !matches!(self.start, Start::New(_));
        let habits = habits(&screen, tips.as_ref().is_some_and(Tips::due));
        let Opened { client, notices } = self.open(ids, clock).await?;
        let attached = attach(&client, forelook_tui::front_end()).await?;
        let (port, session) = (Arc::clone(&attached.session), attached.snapshot.status.session);
        if let Some(plan) = approved {
            plan.begin(&*port).await?;
        }
        if let Some(tips) = tips {
            tokio::task::spawn_blocking(move || tips.count());
        }
        let machine = ThisMachine {
            session,
            editor: Arc::new(PersonsEditor::find(env, &folder).borrowing(borrower)),
            history: ThisMachine::history_of(env),
            folder,
            places,
            store,
            status_line: screen.status_line,
            env: own_env,
        };
        let run = forelook_tui::Run {
            attached,
            prompt,
            resumed,
            typed,
            notices,
            clock: Arc::clone(clock),
            terminal,
            habits,
            machine: Arc::new(machine),
            lender,
            signals,
        };
        let over = forelook_tui::run(run).await;
        // However the screen was left: the session ends, and whoever opens it next finds it whole and free.
        let _ = port.send(Command::Close).await;
        drop(port);
        client.closed().await;
        let Over { left, typed } = over.map_err(|error| Failure::of(Kind::Task, &error))?;
        Ok(Seen { session, left, typed })
    }
}

fn terminal(env: &Env) -> Terminal {
    Terminal::of(env.no_color, &|name| env.terminal(name))
}

/// Whether there is a terminal that can be drawn on.
pub(crate) fn can_be_drawn_on(env: &Env) -> bool {
    use std::io::IsTerminal as _;
    std::io::stdin().is_terminal()
        && std::io::stdout().is_terminal()
        && Terminal::draws(env.terminal("TERM").as_deref())
}

/// The same command line for another session: the one of this id, or a new one. What was said on it was said.
fn anew(args: &RunArgs, session: Option<SessionId>) -> RunArgs {
    RunArgs {
        prompt: None,
        go_on: false,
        fork_session: false,
        session_id: None,
        resume: session.map(Some),
        ..args.clone()
    }
}

fn habits(screen: &ScreenSettings, tip: bool) -> Habits {
    Habits {
        vi: screen.vi,
        status_line: screen.status_line.is_some(),
        tip,
        notifications: match screen.notifications {
            "off" => Notifications::Off,
            "desktop" => Notifications::Desktop,
            _ => Notifications::Bell,
        },
        theme: screen.theme.map(str::to_owned),
    }
}

/// The environment of the person's own programs: as theirs is, without keys.
fn persons_env(env: &Env, settings: &Settings) -> ChildEnv {
    let mut own = ChildEnv::without_secrets(env.all().iter().cloned());
    for name in Servers::own_variables(&settings.models) {
        own.forget(name);
    }
    own
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_session_is_opened_with_the_same_flags() {
        let parse = |line: &str| {
            let words = std::iter::once("forelook").chain(line.split_whitespace()).map(Into::into);
            crate::args::parse(words.collect()).unwrap().args.run
        };
        let id: SessionId = "01890a5d-ac96-774b-bcce-b302099a8057".parse().unwrap();
        for line in [
            "--model a/b --permission-mode plan -c --fork-session hello",
            "--model a/b --permission-mode plan hello",
        ] {
            let args = parse(line);
            for next in [Some(id), None] {
                let again = anew(&args, next);
                assert_eq!(again.session.model.as_deref(), Some("a/b"));
                assert_eq!((again.prompt, again.go_on, again.fork_session), (None, false, false));
                assert_eq!(again.resume, next.map(Some));
            }
        }
    }

    #[test]
    fn what_settings_say_becomes_habits() {
        let screen =
            ScreenSettings { theme: Some("light"), status_line: None, vi: true, notifications: "off" };
        let habits = habits(&screen, true);
        assert!(habits.vi && habits.tip && !habits.status_line);
        assert_eq!((habits.notifications, habits.theme.as_deref()), (Notifications::Off, Some("light")));
    }
}
