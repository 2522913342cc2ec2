//! What follows from a policy for all calls under it: which files may be searched, and what fences stand on. Made once for
//! a state of the permissions, and not for every call.

use std::sync::{Arc, Mutex, PoisonError};

use forelook_fences::{Ground, Guarded, Looking};
use forelook_permissions::{Hidden, Policy, decide, is_protected};
use forelook_protocol::{AbsPath, Action, AgentId, Decision, Facts, FileRef, Standing};
use forelook_tools::PathFilter;

use crate::handle::CallView;

/// What follows from the policy that was looked at last.
#[derive(Default)]
pub(crate) struct Allowed(Mutex<Option<(Under, Arc<UnderPolicy>)>>);

/// What one policy means for calls.
pub(super) struct UnderPolicy {
    pub(super) files: Arc<ReadableFiles>,
    pub(super) ground: Arc<Ground>,
}

/// Which policy: the rest of it follows from the state of the permissions.
#[derive(PartialEq, Eq)]
struct Under {
    revision: u64,
    standing: Standing,
    agent: Option<AgentId>,
    plan_file: Option<AbsPath>,
}

impl Allowed {
    /// What the policy of this view means for calls.
    pub(super) fn under(&self, view: &CallView) -> Arc<UnderPolicy> {
        let under = Under {
            revision: view.revision,
            standing: view.policy.standing,
            agent: view.agent.as_ref().map(|(id, _)| id.clone()),
            plan_file: view.policy.plan_file.clone(),
        };
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        match &*last {
            Some((known, allowed)) if *known == under => Arc::clone(allowed),
            _ => {
                let policy = Arc::new(view.policy.clone());
                let ground = Arc::new(fence_ground(Arc::clone(&policy)));
                let allowed = Arc::new(UnderPolicy { files: Arc::new(ReadableFiles(policy)), ground });
                *last = Some((under, Arc::clone(&allowed)));
                allowed
            }
        }
    }
}

/// The files that a search may look into: those that Read could be let through for without a question.
pub(super) struct ReadableFiles(Arc<Policy>);

impl PathFilter for ReadableFiles {
    fn admits(&self, path: &AbsPath) -> bool {
        let action = Action::Read { file: FileRef::plain(path.clone()) };
        matches!(decide(&self.0, "Read", &action, &Facts::default()), Decision::Allow(_))
    }
}

/// What fences around a call stand on.
pub(crate) fn fence_ground(policy: impl Into<Arc<Policy>>) -> Ground {
    let policy: Arc<Policy> = policy.into();
    let (named, placed) = (Arc::clone(&policy), Arc::clone(&policy));
    let places = Arc::new(move || placed.guarded_places());
    Ground {
        folders: policy.folders.clone(),
        home: policy.user_home.clone(),
        looking: Looking { names: Arc::new(move |name| named.may_guard(name)), places },
        guards: Arc::new(move |path: &AbsPath| {
            let home = policy.user_home.as_ref();
            let held = is_protected(path, home) || path.is_inside(&policy.own.home);
            match (policy.hides(path), held) {
                (Hidden::Credentials, _) => Guarded::Credentials,
                (Hidden::Yes, true) => Guarded::Both,
                (Hidden::Yes, false) => Guarded::Masked,
                (Hidden::No, true) => Guarded::Held,
                (Hidden::No, false) => Guarded::No,
            }
        }),
    }
}
