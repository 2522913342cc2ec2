//! What planning begins and ends with: the fence stands, and what runs from before is asked about.

use std::sync::Arc;
use std::time::Duration;

use forelook_permissions::{Turning, plan_gate};
use forelook_protocol::{
    AbsPath, Body, HostAnswer, HostAsk, HostRequest, Mode, Opened, Reminder, ReminderKind, RequestId,
    RunningShell,
};
use tokio::sync::Mutex;
use tokio::task::{JoinSet, spawn_blocking};

use super::Session;
use super::permissions::HookNews;
use super::questions::asked_for;
use crate::call::fence_ground;
use crate::config::Start;
use crate::handle::NotRecorded;

/// How long what a session left while it was planning waits for it to go on.
const KEPT: Duration = Duration::from_secs(14 * 24 * 3600);

/// How long a fence waits to be raised ahead: until what the change of mode brings is done, and the model is waited for.
/// Raising one forks this process, which holds up everybody who touches its memory meanwhile.
const AHEAD: Duration = Duration::from_millis(50);

/// What is known from before planning.
#[derive(Default)]
pub(super) struct FromBefore {
    /// Commands that go on, for the model's next request.
    kept: Vec<RunningShell>,
    /// Whether the person has heard that nothing is held here.
    told: bool,
    /// Raises the fence ahead.
    ahead: JoinSet<()>,
    /// Held while an old rehearsal is thrown away.
    pub(super) discarding: Arc<Mutex<()>>,
}

impl Session {
    /// The mode is another one; whatever door it came through, this follows.
    pub(super) async fn mode_changed(&mut self, from: Mode, to: Mode) -> Result<(), NotRecorded> {
        match Turning::between(from, to) {
            Turning::Begins => {
                drop(self.before.discarding.lock().await);
                self.allow_rehearsals();
                self.raise_fence()?;
                self.ask_about_running().await
            }
            Turning::Ends => {
                self.allow_rehearsals();
                self.discard_rehearsal().await;
                // Nothing is held any more, so there is nothing to ask: what runs goes on.
                self.close_running(HostAnswer::Outdated).await
            }
            Turning::Stays => Ok(()),
        }
    }

    fn allow_rehearsals(&self) {
        self.runtime.fences.allow_rehearsals(plan_gate::rehearses(&self.state.standing));
    }

    /// A session was loaded that was planning, or was not.
    pub(super) async fn settle_in(&mut self, planned: bool) -> Result<(), NotRecorded> {
        self.sweep();
        self.allow_rehearsals();
        match (planned, self.state.standing.is_planning()) {
            (true, true) => self.raise_fence(),
            (false, true) => Ok(()),
            (_, false) => {
                if matches!(self.config.start, Start::Resume(_)) {
                    self.discard_rehearsal().await;
                }
                self.look_ahead();
                Ok(())
            }
        }
    }

    /// Raises the fence ahead of the first command, beside the session: planning begins at once, and whoever needs to know
    /// what holds waits for it then.
    fn raise_fence(&mut self) -> Result<(), NotRecorded> {
        let policy = self.authority.policy(self.asker(None)?);
        let (fences, ground) = (Arc::clone(&self.runtime.fences), fence_ground(policy));
        // There may be other secrets by now.
        fences.renew();
        // What was about to be raised for the planning before is given up with it.
        self.before.ahead = JoinSet::new();
        self.before.ahead.spawn(async move {
            tokio::time::sleep(AHEAD).await;
            drop(spawn_blocking(move || {
                // The call that needs it tries again, and says why it failed.
                if fences.holds().read_only
                    && let Err(error) = fences.get(plan_gate::HELD_TO, &ground)
                {
                    tracing::warn!(%error, "the fence could not be raised ahead");
                }
            }));
        });
        Ok(())
    }

    /// Says, before the model is asked while planning, that nothing holds here; once.
    pub(super) fn tell_what_holds(&mut self) {
        if !self.state.standing.is_planning() || std::mem::replace(&mut self.before.told, true) {
            return;
        }
        let report = self.runtime.fences.report(self.authority.works_at_home());
        if !report.holds {
            let why = report.layers.join("; ");
            self.warn(&format!(
                "The kernel holds nothing here while planning ({why})\n\
                 So every command that cannot be judged by its text is asked for instead; \
                 `forelook doctor` says what is missing"
            ));
        }
    }

    /// Removes what sessions left behind that nobody went on with for two weeks. Beside everything else.
    fn sweep(&self) {
        let (parent, own) = (self.config.fences.folder.clone(), self.state.session.to_string());
        let now: std::time::SystemTime = self.config.clock.now().into();
        drop(spawn_blocking(move || {
            let is_old = |path: AbsPath| {
                let touched = std::fs::metadata(path).and_then(|about| about.modified()).ok();
                touched.is_none_or(|at| now.duration_since(at).is_ok_and(|age| age > KEPT))
            };
            let keeps = |name: &str| {
                let folder = parent.join(name);
                name == own || !is_old(folder.join("layer")) || !is_old(folder)
            };
            forelook_fences::sweep(&parent, keeps);
        }));
    }

    /// Finds out early what holds, where that will be asked for at the first call.
    fn look_ahead(&self) {
        if self.config.permissions.workspace.is_some() {
            let fences = Arc::clone(&self.runtime.fences);
            drop(spawn_blocking(move || fences.holds()));
        }
    }

    /// Asks what becomes of commands that run from before: nothing holds them. Only a yes keeps them.
    async fn ask_about_running(&mut self) -> Result<(), NotRecorded> {
        let shells = self.runtime.shells.planning_begins();
        if shells.is_empty() {
            // What hides from the list (a command that left its session) ends with its fence.
            self.end_workspace();
            return Ok(());
        }
        // No call waits for the answer, and so no turn does.
        let id = RequestId(self.config.ids.next());
        let question = HostRequest { id, call: None, agent: None, ask: HostAsk::Running { shells } };
        let answerer = self.answerer_of(&question.ask);
        let message = asked_for(&question.ask);
        self.record(vec![Body::Question(Opened { question })]).await?;
        match answerer.waits() {
            true => {
                self.look_for_answerers();
                self.tell_hooks(HookNews::Waits(message));
            }
            false => self.close_unanswered(id, HostAnswer::Nobody).await?,
        }
        Ok(())
    }

    fn end_workspace(&self) {
        if self.config.permissions.workspace.is_some() {
            let fences = Arc::clone(&self.runtime.fences);
            drop(spawn_blocking(move || plan_gate::outside().for_each(|within| fences.end(within))));
        }
    }

    fn open_running(&self) -> Option<RequestId> {
        let mut open = self.state.open.iter();
        open.find(|open| matches!(open.ask, HostAsk::Running { .. })).map(|open| open.id)
    }

    /// Closes the question about what runs, if it is open.
    pub(super) async fn close_running(&mut self, answer: HostAnswer) -> Result<(), NotRecorded> {
        match self.open_running() {
            Some(question) => self.close_unanswered(question, answer).await,
            None => Ok(()),
        }
    }

    /// What follows from the answer. Of what is stopped the model hears by itself: from the call that waited for it, or from
    /// its end.
    pub(super) fn running_answered(&mut self, answer: &HostAnswer) {
        let outside = self.runtime.shells.begun_outside();
        match answer {
            HostAnswer::Outdated => return,
            // It ended by itself; what it left behind in its fence ends with that.
            _ if outside.is_empty() => return self.end_workspace(),
            HostAnswer::Allow { .. } => return self.before.kept.extend(outside),
            HostAnswer::Nobody => self.warn(&format!(
                "Stopped, because planning has begun and nobody is there to keep it running:\n{}",
                list(&outside)
            )),
            _ => {}
        }
        let (shells, fences) = (Arc::clone(&self.runtime.shells), Arc::clone(&self.runtime.fences));
        // Beside the session: what does not listen to a polite word takes a moment to end.
        self.listeners.spawn(async move {
            shells.stop_outside().await;
            drop(spawn_blocking(move || plan_gate::outside().for_each(|within| fences.end(within))));
        });
    }

    /// Writes down, for the model, what goes on.
    pub(super) async fn tell_of_running(&mut self) -> Result<(), NotRecorded> {
        let kept = std::mem::take(&mut self.before.kept);
        if kept.is_empty() {
            return Ok(());
        }
        let text = format!(
            "The person lets these go on while you plan. They began before, so nothing keeps them from changing \
             files: leave them alone.\n{}",
            list(&kept)
        );
        self.record(vec![Body::Reminder(Reminder { kind: ReminderKind::FromBefore, text })]).await
    }

    /// What runs outside of the fence now, although planning is on.
    pub(super) fn outside(&self) -> Vec<RunningShell> {
        match self.state.standing.is_planning() {
            true => self.runtime.shells.begun_outside(),
            false => Vec::new(),
        }
    }
}

fn list(shells: &[RunningShell]) -> String {
    let line = |shell: &RunningShell| match &shell.id {
        Some(id) => format!("- `{id}`: {}", shell.command),
        None => format!("- {}", shell.command),
    };
    shells.iter().map(line).collect::<Vec<_>>().join("\n")
}
