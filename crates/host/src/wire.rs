//! For tests: scripted models behind a server, so that a scenario is played over a real wire.

use forelook_protocol::Boxed;
use forelook_providers::{
    AnswerStream, Form, ModelFacts, Provider, ProviderFailure, Remote, Request, Server, catalogue,
};
use forelook_settings::TestWire;
use tokio_util::sync::CancellationToken;

/// Where a model is asked in a test.
pub(crate) fn address(wire: &TestWire) -> (Form, String) {
    let form = catalogue::form(&wire.form).unwrap_or(Form::Chat);
    let base = match form {
        Form::Anthropic => wire.base.clone(),
        Form::Responses | Form::Chat => format!("{}/v1", wire.base),
    };
    (form, base)
}

/// A model behind the server of a test. Whether tools can be added later is the script's word, not the wire's.
pub(crate) struct Wired {
    remote: Remote,
    defers_tools: bool,
}

impl Wired {
    pub(crate) fn new(server: Server, facts: ModelFacts, defers_tools: bool) -> Self {
        Self { remote: Remote::new(server, facts), defers_tools }
    }
}

impl Provider for Wired {
    fn stream(&self, request: Request, cancel: CancellationToken) -> AnswerStream {
        self.remote.stream(request, cancel)
    }

    fn count_tokens(&self, request: Request) -> Boxed<'_, Result<Option<u64>, ProviderFailure>> {
        self.remote.count_tokens(request)
    }

    fn warm_up(&self) {
        self.remote.warm_up();
    }

    fn defers_tools(&self) -> bool {
        self.defers_tools
    }
}
