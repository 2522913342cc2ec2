//! What commands do after they were started: what they made under protected names is moved away, and one that goes on
//! reading is ended when there is a secret that its fence does not hide.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use std::sync::{Arc, MutexGuard, PoisonError, Weak};
use std::time::Duration;

use forelook_protocol::{AbsPath, Confinement};
use forelook_sandbox::Fence;

use super::active::ActiveFence;
use super::compile;
use super::inputs::FenceInputs;
use super::set_aside::SetAsideOutcome;
use super::{Fences, NoticeListener};

/// Between two looks at what nobody waits for.
const ORPHAN_PAUSE: Duration = Duration::from_millis(500);

/// How many names a note has.
const MAX_NAMED: usize = 10;

/// A fence that was raised, for as long as something runs in it. Another may stand in its place meanwhile.
#[derive(Debug)]
pub(super) struct WatchedFence {
    pub(super) fence: Weak<Fence>,
    pub(super) sandbox: Confinement,
    /// What it hides.
    pub(super) masked: BTreeSet<PathBuf>,
    /// Whether what replaces a masked file is seen inside. Where Landlock holds alone it is not.
    pub(super) shows_replaced: bool,
}

impl WatchedFence {
    pub(super) fn is(&self, fence: &Arc<Fence>) -> bool {
        self.fence.as_ptr() == Arc::as_ptr(fence)
    }
}

/// What a look at a running command found.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct FenceLook {
    /// For the model and the person.
    pub notes: Vec<String>,
    /// There is a secret that the command could read: it must end, and what it wrote since the last look must not be shown.
    pub exposes_secret: bool,
}

impl Fences {
    /// Looks at what the commands in this fence made, and at what they could read by now. It reads the disk.
    pub(super) fn look(&self, fence: &Arc<Fence>, inputs: &FenceInputs) -> FenceLook {
        let Some(sandbox) = self.watched().iter().find(|it| it.is(fence)).map(|it| it.sandbox) else {
            return FenceLook::default();
        };
        match sandbox {
            Confinement::Workspace => {
                self.look_at_workspace(inputs);
                FenceLook { notes: self.take_notes(), exposes_secret: false }
            }
            Confinement::ReadOnly
            | Confinement::ReadOnlyOnline
            | Confinement::Inspect
            | Confinement::InspectSecrets => {
                FenceLook { notes: Vec::new(), exposes_secret: self.exposes_secret(sandbox, fence, inputs) }
            }
            Confinement::Off | Confinement::Masked | Confinement::Rehearsal => FenceLook::default(),
        }
    }

    /// Moves away what commands in the workspace fence made under protected names. The user hears of it now, and the model
    /// with the next result of a command.
    pub(super) fn look_at_workspace(&self, inputs: &FenceInputs) {
        let outcome = self.set_aside(inputs);
        notices(&outcome, &inputs.folders).iter().for_each(|text| self.tell_user(text));
        notes(&outcome).into_iter().for_each(|note| self.tell_model(note));
    }

    /// Tells the user now.
    pub(super) fn tell_user(&self, text: &str) {
        if let Some(listener) = self.listener.get() {
            (listener.0)(text);
        }
    }

    /// Tells the model with the next result of a command.
    pub(super) fn tell_model(&self, note: String) {
        self.notes.lock().unwrap_or_else(PoisonError::into_inner).push(note);
    }

    /// The same with what the last workspace fence was raised from; nothing if there was none.
    fn look_again(&self) {
        let inputs = self.protected_files().inputs.clone();
        if let Some(inputs) = inputs {
            self.look_at_workspace(&inputs);
        }
    }

    fn take_notes(&self) -> Vec<String> {
        std::mem::take(&mut *self.notes.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Whom to tell what the user should know: something was moved out of the project, or a working folder was replaced.
    pub fn on_notice(&self, listener: impl Fn(&str) + Send + Sync + 'static) {
        // The first one counts: a session has one.
        let _ = self.listener.set(NoticeListener(Box::new(listener)));
    }

    /// Whether a command ran in a workspace fence since the last look, or runs still.
    pub(super) fn take_workspace_activity(&self) -> bool {
        self.note_workspace_activity();
        let ran = self.workspace_ran.swap(false, Ordering::SeqCst);
        // What runs still may go on until its fence falls, which nobody would remember.
        self.workspace_ran.fetch_or(self.is_occupied(), Ordering::SeqCst);
        ran
    }

    fn is_occupied(&self) -> bool {
        self.workspace_fences().iter().any(|fence| fence.is_occupied())
    }

    /// Remembers whether a command ran in a workspace fence: one that falls takes its knowledge along.
    pub(super) fn note_workspace_activity(&self) {
        let fences: Vec<Arc<Fence>> = self.workspace_fences();
        // All of them: each forgets what it tells.
        let ran = fences.iter().filter(|fence| fence.take_activity()).count() > 0;
        self.workspace_ran.fetch_or(ran, Ordering::SeqCst);
    }

    fn workspace_fences(&self) -> Vec<Arc<Fence>> {
        let watched = self.watched();
        let workspace = watched.iter().filter(|it| it.sandbox == Confinement::Workspace);
        workspace.filter_map(|it| it.fence.upgrade()).collect()
    }

    /// Goes on looking while something runs in a workspace fence that nobody waits for: a program that left its group
    /// outlives the call that started it.
    pub(super) fn watch_orphans(self: &Arc<Self>) {
        if !self.is_occupied() || self.watching_orphans.swap(true, Ordering::SeqCst) {
            return;
        }
        let fences = Arc::downgrade(self);
        let watch = move || loop {
            std::thread::sleep(ORPHAN_PAUSE);
            // The session is over: what ran in its fences ended with them.
            let Some(fences) = fences.upgrade() else { return };
            let goes_on = fences.is_occupied();
            if !goes_on {
                fences.watching_orphans.store(false, Ordering::SeqCst);
            }
            // Also after the end: the last thing that it made is found then.
            fences.look_again();
            if !goes_on {
                return;
            }
        };
        // Without a thread, the next command looks.
        if std::thread::Builder::new().name("fence-watch".to_owned()).spawn(watch).is_err() {
            self.watching_orphans.store(false, Ordering::SeqCst);
        }
    }

    /// Ends a fence with all that runs in it. What is only masked goes on, as what runs in no fence does.
    pub fn end(&self, sandbox: Confinement) {
        let old: Vec<ActiveFence> = self.active().extract_if(.., |it| it.sandbox == sandbox).collect();
        if sandbox == Confinement::Workspace {
            self.note_workspace_activity();
        }
        // Not under the lock: the end of what runs inside has to be waited for.
        old.iter().for_each(|active| active.fence.end());
        if sandbox == Confinement::Workspace {
            self.look_again();
        }
    }

    /// Whether there is something to hide that this fence does not hide. What cannot be found out counts.
    fn exposes_secret(&self, sandbox: Confinement, fence: &Arc<Fence>, inputs: &FenceInputs) -> bool {
        let (masked, shows_replaced) = {
            let watched = self.watched();
            let Some(found) = watched.iter().find(|it| it.is(fence)) else { return true };
            (found.masked.clone(), found.shows_replaced)
        };
        if shows_replaced && !fence.is_active() {
            return true;
        }
        let policy = self.compile(sandbox, inputs, compile::FenceStorage::default());
        let is_hidden = |path: &PathBuf| path.ancestors().any(|above| masked.contains(above));
        policy.map_or(true, |policy| !policy.masked.iter().all(is_hidden))
    }

    pub(super) fn watched(&self) -> MutexGuard<'_, Vec<WatchedFence>> {
        let mut watched = self.watched.lock().unwrap_or_else(PoisonError::into_inner);
        watched.retain(|it| it.fence.strong_count() > 0);
        watched
    }
}

/// For the user.
fn notices(outcome: &SetAsideOutcome, folders: &[AbsPath]) -> Vec<String> {
    let shown = |path: &Path| {
        let inside = folders.iter().find_map(|folder| path.strip_prefix(folder).ok());
        format!("`{}`", inside.unwrap_or(path).display())
    };
    let list = |paths: Vec<String>| {
        let count = paths.len();
        paths.into_iter().take(MAX_NAMED).collect::<Vec<_>>().join(", ") + &more(count)
    };
    let mut notices = Vec::new();
    if !outcome.moved.is_empty() {
        let moved = list(outcome.moved.iter().map(|file| shown(file.from.as_path())).collect());
        notices.push(format!(
            "A command created files that control what runs later. Forelook moved them out of the project: {moved}\n\
             Check them, then bring them back with `/permissions restore` or `forelook permissions restore`"
        ));
    }
    if !outcome.left.is_empty() {
        let left = list(outcome.left.iter().map(|(path, why)| format!("{} ({why})", shown(path))).collect());
        notices.push(format!(
            "A command created files that control what runs later, and Forelook could not move them out of the project: \
             {left}\nCheck them before you run anything else there"
        ));
    }
    notices
}

/// For the model.
fn notes(outcome: &SetAsideOutcome) -> Vec<String> {
    let mut notes = Vec::new();
    if !outcome.moved.is_empty() {
        let named = outcome.moved.iter().take(MAX_NAMED).map(|it| format!("`{}` to `{}`", it.from, it.kept));
        notes.push(format!(
            "[Moved out of the project, because it decides what runs later and the fence lets no command make it: {}{}. \
             The user can bring it back with `forelook permissions restore`; to make such a file, use Write or Edit, which \
             ask the user]",
            named.collect::<Vec<_>>().join(", "),
            more(outcome.moved.len()),
        ));
    }
    if !outcome.left.is_empty() {
        let named =
            outcome.left.iter().take(MAX_NAMED).map(|(path, why)| format!("`{}` ({why})", path.display()));
        notes.push(format!(
            "[Warning: the command made files that decide what runs later, and they could not be moved out of the project: \
             {}{}. Tell the user to check them before anything else runs]",
            named.collect::<Vec<_>>().join(", "),
            more(outcome.left.len()),
        ));
    }
    notes
}

fn more(count: usize) -> String {
    match count.checked_sub(MAX_NAMED) {
        None | Some(0) => String::new(),
        Some(more) => format!(", and {more} more"),
    }
}
