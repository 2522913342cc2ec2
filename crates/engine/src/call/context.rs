//! What a tool is given for one call.

use std::sync::Arc;

use forelook_permissions::{Hidden, Policy, decide, git_only_reads, is_protected};
use forelook_protocol::{AbsPath, Action, Decision, Facts, FileRef, Live};
use forelook_tools::{Ground, Guarded, Looking, Progress, Readable, ToolContext};

use super::ToolRuntime;
use super::ready::Ready;
use super::small::SmallModelPort;
use crate::handle::{CallView, SessionHandle};

pub(super) fn tool_context(
    session: &SessionHandle,
    runtime: &Arc<ToolRuntime>,
    ready: &Ready,
) -> ToolContext {
    let (hub, call) = (session.hub.clone(), ready.call.id.clone());
    ToolContext {
        call: ready.call.id.clone(),
        action: ready.action.clone(),
        quiet_git: matches!(&ready.action, Action::Shell { command, .. } if git_only_reads(command)),
        unasked: ready.permit.auto_allowed,
        within: ready.permit.within,
        epoch: ready.view.epoch,
        fences: Arc::clone(&runtime.fences),
        ground: fence_ground(ready.view.policy.clone()),
        readable: readable(&ready.view),
        shells: Arc::clone(&runtime.shells),
        place: ready.view.place.clone(),
        seen: ready.view.seen.clone(),
        planning: ready.view.policy.standing.is_planning(),
        subagent: ready.view.agent.is_some(),
        confined: confined(ready),
        small: Arc::new(SmallModelPort { session: session.clone(), route: runtime.small.clone() }),
        env: Arc::clone(&runtime.env),
        scratch: runtime.scratch.clone(),
        cancel: session.cancel.clone(),
        output: Arc::new(move |text: &str| {
            hub.live(Live::Output { call: call.clone(), text: text.to_owned() })
        }),
        progress: Progress::default(),
    }
}

/// Which files a search may look into: those that Read could be let through for without a question.
fn readable(view: &CallView) -> Readable {
    let policy = view.policy.clone();
    Arc::new(move |path: &AbsPath| {
        let action = Action::Read { file: FileRef::plain(path.clone()) };
        matches!(decide(&policy, "Read", &action, &Facts::default()), Decision::Allow(_))
    })
}

/// What fences around a call stand on.
pub(crate) fn fence_ground(policy: Policy) -> Ground {
    let policy = Arc::new(policy);
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

/// A plan file is written as the very file it is: nothing that a link could have made of it since it was decided on.
fn confined(ready: &Ready) -> Option<AbsPath> {
    let plan = ready.view.policy.plan_file.as_ref()?;
    match &ready.action {
        Action::Edit { file } if file.real == *plan => plan.parent(),
        _ => None,
    }
}
