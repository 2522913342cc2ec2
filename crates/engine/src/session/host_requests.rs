//! Requests to programs: hooks that a front end carries out, and whatever else it offers. They stand in no journal; if the
//! front end goes, so do they.

use std::sync::Arc;
use std::time::Duration;

use forelook_hooks::{Hook, HookCall, HookHandler, HookHost, HookHostError, Matcher};
use forelook_protocol::{
    AnsweredBy, CallId, CommandError, FrontEndId, HostAnswer, HostAsk, HostHook, HostRequest, LiveEvent,
    RequestId, RequestKind, RequestState,
};
use futures::FutureExt;
use futures::future::BoxFuture;
use serde_json::Value;
use tokio::sync::{mpsc, oneshot};

use super::Session;
use crate::handle::{PendingHostRequest, SessionMessage};

/// Requests that wait, and the hooks that lead to some of them.
#[derive(Default)]
pub(super) struct HostRequests {
    open: Vec<OpenRequest>,
    hooks: Vec<FrontEndHooks>,
}

/// The hooks of one front end.
struct FrontEndHooks {
    id: FrontEndId,
    name: String,
    hooks: Vec<Hook>,
}

struct OpenRequest {
    to: FrontEndId,
    request: HostRequest,
    sender: oneshot::Sender<HostAnswer>,
}

impl HostRequests {
    pub(super) fn open(&self) -> impl Iterator<Item = &HostRequest> {
        self.open.iter().map(|open| &open.request)
    }

    /// The front end is gone: whoever waits for it hears so.
    pub(super) fn front_end_gone(&mut self, id: FrontEndId) {
        self.open.retain(|open| open.to != id);
    }

    fn take(&mut self, request: RequestId) -> Option<OpenRequest> {
        let at = self.open.iter().position(|open| open.request.id == request)?;
        Some(self.open.swap_remove(at))
    }
}

impl Session {
    /// Asks a front end for something; nothing if it is not there.
    pub(super) fn ask_host(
        &mut self,
        to: FrontEndId,
        call: Option<CallId>,
        ask: HostAsk,
    ) -> Option<PendingHostRequest> {
        if !self.front_ends.can(to, ask.kind()) {
            return None;
        }
        let id = RequestId(self.config.ids.next());
        let request = HostRequest { id, call, agent: None, ask };
        let (sender, answer) = oneshot::channel();
        self.host_requests.open.push(OpenRequest { to, request: request.clone(), sender });
        self.tell_front_end(to, LiveEvent::Request(Box::new(request)));
        Some(PendingHostRequest { id, answer, messages: self.messages.upgrade()? })
    }

    /// Nobody waits for the answer any more.
    pub(super) fn withdraw_from_host(&mut self, request: RequestId) {
        if let Some(open) = self.host_requests.take(request) {
            self.tell_front_end(open.to, LiveEvent::RequestClosed { request, by: AnsweredBy::Session });
        }
    }

    /// Takes an answer to a request to a program; hands it back if there is no such request.
    pub(super) fn host_answered(
        &mut self,
        from: FrontEndId,
        request: RequestId,
        answer: HostAnswer,
    ) -> Option<Result<(), CommandError>> {
        let open = self.host_requests.open.iter().find(|open| open.request.id == request)?;
        if open.to != from {
            return Some(Err(CommandError::NotOpen { request, now: RequestState::Unknown }));
        }
        if !fits(&open.request.ask, &answer) {
            return Some(Err(CommandError::DoesNotFit(request)));
        }
        let open = self.host_requests.take(request)?;
        // Whoever asked may have been interrupted in this very moment; then the answer has no use.
        let _ = open.sender.send(answer);
        Some(Ok(()))
    }

    /// Hooks that a front end carries out, in place of those it had before.
    pub(super) fn define_hooks(
        &mut self,
        from: FrontEndId,
        hooks: Vec<HostHook>,
    ) -> Result<(), CommandError> {
        if !self.front_ends.can(from, RequestKind::Hook) {
            return Err(CommandError::Hooks(
                "declare `hook` among the requests you answer when you attach".to_owned(),
            ));
        }
        let host = Arc::new(HookHostProxy { messages: self.messages.clone(), to: from });
        let hooks = hooks.into_iter().map(|hook| callback(hook, &host)).collect::<Result<Vec<_>, _>>();
        let hooks = hooks.map_err(CommandError::Hooks)?;
        let name = self.front_ends.name(from).to_owned();
        // Those of a front end that is gone stay: what it was promised to be asked for is not let through unasked. Only it
        // can take them back, by coming again under its name.
        let front_ends = &self.front_ends;
        let replaced =
            |it: &FrontEndHooks| it.id == from || (it.name == name && !front_ends.is_attached(it.id));
        self.host_requests.hooks.retain(|it| !replaced(it));
        self.host_requests.hooks.push(FrontEndHooks { id: from, name, hooks });
        let all = self.host_requests.hooks.iter().flat_map(|it| it.hooks.clone()).collect();
        self.runtime.hooks.set(self.config.hooks.with(all));
        // What was let through before they were heard is decided on again.
        self.permission_state.bump_revision();
        Ok(())
    }
}

fn fits(ask: &HostAsk, answer: &HostAnswer) -> bool {
    matches!(
        (ask, answer),
        (_, HostAnswer::Failed { .. })
            | (HostAsk::ReadFile { .. }, HostAnswer::File { .. })
            | (HostAsk::WriteFile { .. }, HostAnswer::Written)
            | (HostAsk::RunCommand { .. }, HostAnswer::CommandEnded { .. })
            | (HostAsk::Mcp { .. }, HostAnswer::Mcp { .. })
            | (HostAsk::Hook { .. }, HostAnswer::Hook { .. })
    )
}

fn callback(hook: HostHook, host: &Arc<HookHostProxy>) -> Result<Hook, String> {
    let origin = "host";
    let matcher = Matcher::new(&hook.matcher, origin).map_err(|bad| bad.to_string())?;
    let mut made = Hook::new(hook.event, "", origin);
    made.matcher = matcher;
    made.handler = HookHandler::Callback { id: hook.callback, host: Arc::clone(host) as Arc<dyn HookHost> };
    made.fail_closed = hook.fail_closed;
    if let Some(timeout) = hook.timeout_ms {
        made.timeout = Duration::from_millis(timeout);
    }
    Ok(made)
}

/// A front end as somebody who carries out hooks.
#[derive(Debug)]
struct HookHostProxy {
    messages: mpsc::WeakSender<SessionMessage>,
    to: FrontEndId,
}

impl HookHost for HookHostProxy {
    fn call(&self, call: HookCall) -> BoxFuture<'_, Result<Value, HookHostError>> {
        self.run_hook(call).boxed()
    }
}

impl HookHostProxy {
    async fn run_hook(&self, call: HookCall) -> Result<Value, HookHostError> {
        let messages = self.messages.upgrade().ok_or(HookHostError::Gone)?;
        let (reply, asked) = oneshot::channel();
        let ask = HostAsk::Hook { callback: call.callback, input: call.input };
        let message = SessionMessage::AskHost { to: self.to, call: call.call, ask, reply };
        messages.send(message).await.map_err(|_| HookHostError::Gone)?;
        let mut asked = asked.await.ok().flatten().ok_or(HookHostError::Gone)?;
        match (&mut asked.answer).await {
            Ok(HostAnswer::Hook { output }) => Ok(output),
            Ok(HostAnswer::Failed { message }) => Err(HookHostError::Failed(message)),
            Ok(_) => Err(HookHostError::Failed("the answer is not a hook answer".to_owned())),
            Err(_) => Err(HookHostError::Gone),
        }
    }
}
