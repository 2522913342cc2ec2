//! What a tool is given for one call: what the decision on it means, and nothing of how it was made.

use std::sync::Arc;

use forelook_fences::{Caller, Launch, LaunchOptions, NoteAudience};
use forelook_permissions::{git_only_reads, shows_machine};
use forelook_protocol::{Action, Confinement, LiveEvent, Mode};
use forelook_tools::{FileAccess, OutputSink, PathFilter, ToolContext};

use super::ToolRuntime;
use super::ready::ReadyCall;
use super::small::SmallModelPort;
use crate::handle::SessionHandle;

pub(super) fn tool_context(
    session: &SessionHandle,
    runtime: &Arc<ToolRuntime>,
    ready: &ReadyCall,
) -> ToolContext {
    let (hub, call) = (session.hub.clone(), ready.call.id.clone());
    let derived = runtime.policy_cache.get(&ready.view);
    if runtime.shells.may_change_files() {
        // At any moment there may be another file to hide.
        runtime.fences.mark_stale();
    }
    let options = LaunchOptions {
        sandbox: ready.permit.sandbox,
        epoch: ready.view.epoch,
        harden_git: matches!(&ready.action, Action::Shell { command, .. } if git_only_reads(command)),
        shows_machine: matches!(&ready.action, Action::Shell { command, .. } if shows_machine(command)),
        auto_allowed: ready.permit.auto_allowed,
        note_audience: note_for(ready),
        caller: caller_of(ready),
    };
    ToolContext {
        call: ready.call.id.clone(),
        action: ready.action.clone(),
        place: ready.view.place.clone(),
        files: FileAccess {
            seen: ready.view.seen.clone(),
            readable: Arc::clone(&derived.files) as Arc<dyn PathFilter>,
        },
        launch: Launch::new(Arc::clone(&runtime.fences), Arc::clone(&derived.fence_inputs), options),
        small: Arc::new(SmallModelPort { session: session.clone(), route: runtime.small.clone() }),
        cancel: session.cancel.clone(),
        output: OutputSink::new(move |text: &str| {
            hub.live(LiveEvent::Output { call: call.clone(), text: text.to_owned() })
        }),
    }
}

/// Where nothing holds a model, its programs keep all rights.
fn caller_of(ready: &ReadyCall) -> Caller {
    match ready.view.policy.mode_state.mode() {
        Mode::BypassPermissions => Caller::FreeModel,
        _ => Caller::Model,
    }
}

/// Who reads what is said when a fence came in the way.
fn note_for(ready: &ReadyCall) -> NoteAudience {
    let view = &ready.view;
    match (view.policy.mode_state.is_planning(), view.agent.is_some()) {
        (true, false) => NoteAudience::Planner,
        (true, true) => NoteAudience::PlanningAgent,
        (false, _) if ready.permit.sandbox == Confinement::Inspect => NoteAudience::JudgedReadOnly,
        (false, _) => NoteAudience::Other,
    }
}
