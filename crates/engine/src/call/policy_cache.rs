//! What follows from a policy for all calls under it: which files may be searched, and what fences stand on. Made once for
//! a state of the permissions, and not for every call.

use std::sync::{Arc, Mutex, PoisonError};

use forelook_fences::{FenceInputs, GuardSearch, PathGuard};
use forelook_permissions::{FileVisibility, PermissionPolicy, decide};
use forelook_protocol::{AbsPath, Action, AgentId, Decision, Facts, FileRef, ModeState};
use forelook_tools::PathFilter;

use crate::handle::CallView;

/// What follows from the policy that was looked at last.
#[derive(Default)]
pub(crate) struct PolicyCache(Mutex<Option<(PolicyKey, Arc<DerivedPolicy>)>>);

/// What one policy means for calls.
pub(super) struct DerivedPolicy {
    pub(super) files: Arc<ReadableFiles>,
    pub(super) fence_inputs: Arc<FenceInputs>,
}

/// Which policy: the rest of it follows from the state of the permissions.
#[derive(PartialEq, Eq)]
struct PolicyKey {
    revision: u64,
    mode_state: ModeState,
    agent: Option<AgentId>,
    plan_file: Option<AbsPath>,
}

impl PolicyCache {
    /// What the policy of this view means for calls.
    pub(super) fn get(&self, view: &CallView) -> Arc<DerivedPolicy> {
        let key = PolicyKey {
            revision: view.revision,
            mode_state: view.policy.mode_state,
            agent: view.agent.as_ref().map(|(id, _)| id.clone()),
            plan_file: view.policy.plan_file.clone(),
        };
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match &*last {
            Some((known, derived)) if *known == key => Arc::clone(derived),
            _ => {
                let policy = Arc::new(view.policy.clone());
                let fence_inputs = Arc::new(fence_inputs(Arc::clone(&policy)));
                let derived =
                    Arc::new(DerivedPolicy { files: Arc::new(ReadableFiles(policy)), fence_inputs });
                *last = Some((key, Arc::clone(&derived)));
                derived
            }
        }
    }
}

/// The files that a search may look into: those that Read could be let through for without a question.
pub(super) struct ReadableFiles(Arc<PermissionPolicy>);

impl PathFilter for ReadableFiles {
    fn admits(&self, path: &AbsPath) -> bool {
        let action = Action::Read { file: FileRef::plain(path.clone()) };
        matches!(decide(&self.0, "Read", &action, &Facts::default()), Decision::Allow(_))
    }
}

/// What fences around a call stand on.
pub(crate) fn fence_inputs(policy: impl Into<Arc<PermissionPolicy>>) -> FenceInputs {
    let policy: Arc<PermissionPolicy> = policy.into();
    let (names, placed) = (Arc::new(policy.guarded_names()), Arc::clone(&policy));
    let links = Arc::clone(&names);
    let places = Arc::new(move || placed.guarded_paths());
    FenceInputs {
        folders: policy.folders.clone(),
        home: policy.user_home.clone(),
        search: GuardSearch {
            names: Arc::new(move |name| names.may_guard(name)),
            link_names: Arc::new(move |name| links.may_guard_link(name)),
            places,
            files: Arc::new(policy.guarded_files().cloned().collect()),
            own: Arc::new(vec![policy.own.home.clone(), policy.own.managed.clone()]),
            rules: policy.guard_fingerprint(),
        },
        guards: Arc::new(move |path: &AbsPath| {
            let held =
                policy.is_protected(path) || path.is_inside(&policy.own.home) || policy.denies_editing(path);
            match (policy.visibility(path), held) {
                (FileVisibility::Denied, _) => PathGuard::Denied,
                (FileVisibility::Credentials, _) => PathGuard::Credentials,
                (FileVisibility::Hidden, true) => PathGuard::Both,
                (FileVisibility::Hidden, false) => PathGuard::Masked,
                (FileVisibility::Visible, true) => PathGuard::Protected,
                (FileVisibility::Visible, false) => PathGuard::Unguarded,
            }
        }),
    }
}
