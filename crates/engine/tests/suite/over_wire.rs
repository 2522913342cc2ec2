//! Models behind a real wire: HTTP on this machine, in each of the three formats.

use std::sync::Arc;
use std::time::Duration;

use forelook_engine::{ModelCatalog, ResolvedModel};
use forelook_network::{Connections, NetworkConfig};
use forelook_protocol::{BoxFuture, Secret};
use forelook_providers::{Endpoint, HttpProvider, KeyRequest, KeySource, ModelFacts, Provider, WireFormat};
use forelook_testkit::wire;

/// The planted key of the server.
struct Key;

impl KeySource for Key {
    fn key(&self, _: KeyRequest) -> BoxFuture<'_, Result<Option<Secret>, String>> {
        Box::pin(async { Ok(Some(Secret::new("key"))) })
    }

    fn origin(&self) -> String {
        "the test".to_owned()
    }
}

/// One model behind a server.
struct Wired(WireFormat, Arc<dyn Provider>);

impl ModelCatalog for Wired {
    fn resolve(&self, model: &str) -> Result<ResolvedModel, String> {
        // What one service thought is nothing to another, so each has a model of its own.
        let (id, provider) = (format!("{:?}/{model}", self.0), Arc::clone(&self.1));
        Ok(ResolvedModel { id, name: format!("main-{:?}", self.0), provider, facts: ModelFacts::default() })
    }
}

/// Every model is answered by this server, in this format.
pub(crate) fn over_wire(server: &wire::ScriptedServer, wire_format: WireFormat) -> Arc<dyn ModelCatalog> {
    let remote = Endpoint {
        wire_format,
        base: server.base(wire_format),
        key: Arc::new(Key),
        idle_timeout: Duration::from_secs(60),
        connections: Arc::new(Connections::new(NetworkConfig::default())),
    };
    Arc::new(Wired(wire_format, Arc::new(HttpProvider::new(remote, ModelFacts::default()))))
}
