//! The side that is tested, with little around it.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use forelook_network::{Connections, NetworkConfig};
use forelook_protocol::{AnswerEvent, BoxFuture, Message, ProviderFailure, Secret, UserBlock};
use forelook_providers::{
    CacheTtl, Endpoint, HttpProvider, KeyRequest, KeySource, ModelFacts, Provider, Request, WireCached,
    WireFormat,
};
use futures::StreamExt;
use tokio_util::sync::CancellationToken;

pub(crate) const KEY: &str = "sk-planted-0123456789";
pub(crate) const ORIGIN: &str = "the variable `TEST_KEY`";

/// Keys, one after the other: each time that another one is asked for, the next.
pub(crate) struct Keys {
    keys: Mutex<Vec<&'static str>>,
    pub(crate) renewed: AtomicUsize,
}

impl Keys {
    pub(crate) fn new(keys: &[&'static str]) -> Arc<Self> {
        Arc::new(Self { keys: Mutex::new(keys.to_vec()), renewed: AtomicUsize::new(0) })
    }
}

impl KeySource for Keys {
    fn key(&self, which: KeyRequest) -> BoxFuture<'_, Result<Option<Secret>, String>> {
        let mut keys = self.keys.lock().unwrap();
        if which == KeyRequest::Refreshed {
            self.renewed.fetch_add(1, Ordering::SeqCst);
            if keys.len() > 1 {
                keys.remove(0);
            }
        }
        let key = keys.first().map(|key| Secret::new(*key));
        Box::pin(async move { Ok(key) })
    }

    fn origin(&self) -> String {
        ORIGIN.to_owned()
    }
}

pub(crate) fn server(wire_format: WireFormat, base: &str) -> Endpoint {
    Endpoint {
        wire_format,
        base: base.to_owned(),
        key: Keys::new(&[KEY]),
        idle_timeout: Duration::from_secs(20),
        connections: Arc::new(Connections::new(NetworkConfig::default())),
    }
}

pub(crate) fn remote(base: &str) -> HttpProvider {
    HttpProvider::new(server(WireFormat::Anthropic, base), ModelFacts::default())
}

pub(crate) fn within(base: &str, network: NetworkConfig) -> HttpProvider {
    let connections = Arc::new(Connections::new(network));
    HttpProvider::new(Endpoint { connections, ..server(WireFormat::Anthropic, base) }, ModelFacts::default())
}

pub(crate) fn request() -> Request {
    Request {
        model: "claude-x".to_owned(),
        system: Arc::new(WireCached::new(vec!["Be brief.".to_owned()])),
        tools: Arc::new(WireCached::new(Vec::new())),
        messages: Arc::new(vec![Arc::new(WireCached::new(Message::User(vec![UserBlock::text("Hello")])))]),
        cache_ttl: CacheTtl::Short,
        previous_body: Arc::default(),
    }
}

/// All events of one answer. No failure may hold the key, wherever it came from.
pub(crate) async fn ask(remote: &HttpProvider) -> Vec<AnswerEvent> {
    let events: Vec<_> = remote.stream(request(), CancellationToken::new()).collect().await;
    let ends = events.iter().filter(|it| matches!(it, AnswerEvent::Done { .. } | AnswerEvent::Failed(_)));
    assert_eq!(ends.count(), 1, "one end: {events:?}");
    assert!(matches!(events.last(), Some(AnswerEvent::Done { .. } | AnswerEvent::Failed(_))), "at the end");
    for event in &events {
        if let AnswerEvent::Failed(failure) = event {
            assert!(!format!("{failure:?}").contains("sk-planted"), "{failure:?}");
        }
    }
    events
}

/// How it failed.
pub(crate) async fn failure(remote: &HttpProvider) -> ProviderFailure {
    match ask(remote).await.pop() {
        Some(AnswerEvent::Failed(failure)) => failure,
        other => panic!("no failure: {other:?}"),
    }
}

pub(crate) fn is_done(events: &[AnswerEvent]) -> bool {
    matches!(events.last(), Some(AnswerEvent::Done { .. }))
}

pub(crate) fn text_of(events: &[AnswerEvent]) -> String {
    let texts = events.iter().filter_map(|it| match it {
        AnswerEvent::Text { text } => Some(text.as_str()),
        _ => None,
    });
    texts.collect()
}
