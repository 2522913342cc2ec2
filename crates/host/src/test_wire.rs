//! For tests: scripted models behind a server, so that a scenario is played over a real wire.

use forelook_protocol::BoxFuture;
use forelook_providers::{
    AnswerStream, Endpoint, HttpProvider, ModelFacts, Provider, ProviderFailure, Request, WireFormat, catalog,
};
use forelook_settings::TestWire;
use tokio_util::sync::CancellationToken;

/// Where a model is asked in a test.
pub(crate) fn address(wire: &TestWire) -> (WireFormat, String) {
    let wire_format = catalog::wire_format(&wire.wire_format).unwrap_or(WireFormat::Chat);
    let base = match wire_format {
        WireFormat::Anthropic => wire.base.clone(),
        WireFormat::Responses | WireFormat::Chat => format!("{}/v1", wire.base),
    };
    (wire_format, base)
}

/// A model behind the server of a test. Whether tools can be added later is the script's word, not the wire's.
pub(crate) struct TestWireProvider {
    remote: HttpProvider,
    defers_tools: bool,
}

impl TestWireProvider {
    pub(crate) fn new(server: Endpoint, facts: ModelFacts, defers_tools: bool) -> Self {
        Self { remote: HttpProvider::new(server, facts), defers_tools }
    }
}

impl Provider for TestWireProvider {
    fn stream(&self, request: Request, cancel: CancellationToken) -> AnswerStream {
        self.remote.stream(request, cancel)
    }

    fn count_tokens(&self, request: Request) -> BoxFuture<'_, Result<Option<u64>, ProviderFailure>> {
        self.remote.count_tokens(request)
    }

    fn warm_up(&self) {
        self.remote.warm_up();
    }

    fn defers_tools(&self) -> bool {
        self.defers_tools
    }
}
