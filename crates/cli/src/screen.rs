//! The terminal program: a session on the screen, and the next one if the person goes on to another.

use std::sync::Arc;

use forelook_headless::Ended;
use forelook_host::{Failure, Kind, Opened, SessionSpec, Start, Tips};
use forelook_protocol::{Command, SessionId};
use forelook_settings::{Env, ScreenSettings};
use forelook_tui::{Habits, Left, Notifications, Over, Terminal, Typed};

use crate::front::{Front, attach};
use crate::run::{Task, warning};
use crate::signals;

/// A session that was on the screen, and how it was left.
struct Seen {
    session: SessionId,
    left: Left,
    typed: Typed,
}

impl Task {
    /// Runs sessions in the terminal, one after the other, until the person leaves.
    pub(crate) async fn screen(mut self) -> Result<Ended, Failure> {
        let (host, front, spec) = (self.host.clone(), self.front.clone(), self.session.spec().clone());
        let terminal = terminal(host.env());
        let mut signals = signals::wishes_to_stop();
        tokio::select! {
            asked = self.ask_for_trust_on(terminal) => asked?,
            Some(()) = signals.recv() => return Ok(Ended::Interrupted),
        }
        drop(signals);
        self.tips = Some(Tips::new(&host.env().home));
        let mut task = Ok(self);
        let mut former: Option<SessionId> = None;
        let mut typed = Typed::default();
        loop {
            let seen = match task {
                Ok(task) => task.on_screen(typed.clone()).await,
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
                    (Start::Resume(id), None)
                }
                (Ok(Seen { left: Left::ForNew, session, .. }), _) => {
                    former = Some(session);
                    (Start::New(None), None)
                }
                // A session that another process has, say: the person is led back, and told.
                (Err(failure), Some(session)) => (Start::Resume(session), Some(failure.text())),
                (Err(failure), None) => return Err(failure),
            };
            // Asked for in the same words, and what was said first was said.
            let (spec, front) =
                (SessionSpec { start: next, ..spec.clone() }, Front { prompt: None, ..front.clone() });
            task = Task::new(host.clone(), spec, front).map(|mut task| {
                told.map(warning).into_iter().for_each(|notice| task.session.tell(notice));
                task
            });
        }
    }

    /// One session in the terminal. When this returns, it is closed and free for others.
    async fn on_screen(self, typed: Typed) -> Result<Seen, Failure> {
        let Self { host, front, session: mut prepared, approved, tips } = self;
        let signals = signals::wishes_to_stop();
        let (borrower, lender) = forelook_tui::lending();
        prepared.borrow_from(Arc::new(borrower));
        let resumed = !matches!(prepared.spec().start, Start::New(_));
        let habits = habits(&prepared.settings().screen, tips.as_ref().is_some_and(Tips::due));
        let Opened { client, services, notices } = prepared.open().await?;
        let attached = attach(&client, forelook_tui::front_end()).await?;
        let (port, session) = (Arc::clone(&attached.session), attached.snapshot.status.session);
        if let Some(plan) = approved {
            plan.begin(&*port).await?;
        }
        if let Some(tips) = tips {
            tokio::task::spawn_blocking(move || tips.count());
        }
        let run = forelook_tui::Run {
            attached,
            prompt: front.prompt,
            resumed,
            typed,
            notices,
            clock: host.clock(),
            terminal: terminal(host.env()),
            habits,
            services,
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_settings_say_becomes_habits() {
        let screen =
            ScreenSettings { theme: Some("light"), status_line: None, vi: true, notifications: "off" };
        let habits = habits(&screen, true);
        assert!(habits.vi && habits.tip && !habits.status_line);
        assert_eq!((habits.notifications, habits.theme.as_deref()), (Notifications::Off, Some("light")));
    }
}
