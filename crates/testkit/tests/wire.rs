//! The scripted server and the program's own client, one against the other: what a script says arrives over each wire
//! as if nothing were between them, and what goes wrong on the way is noticed.

#![expect(clippy::unwrap_used, clippy::panic, reason = "a failure here is a failed test")]

use std::sync::Arc;
use std::time::Duration;

use forelook_network::{Connections, NetworkConfig};
use forelook_protocol::{
    AnswerBlock, AnswerEvent, BoxFuture, CallId, FailureKind, Message, ProviderFailure, Secret, StopReason,
    ToolCall, ToolResult, ToolSpec, Usage, UserBlock,
};
use forelook_providers::scripted::{Script, ScriptedProvider};
use forelook_providers::{
    CacheTtl, HttpProvider, KeyRequest, KeySource, ModelFacts, Provider, Request, Thinking, WireCached,
    WireFormat,
};
use forelook_testkit::wire::{Fault, KeySeen, ScriptedServer, ServerOptions, WIRE_FORMATS};
use futures::StreamExt;
use serde_json::json;
use tokio_util::sync::CancellationToken;

const KEY: &str = "sk-planted-for-tests";

const SCRIPT: &str = r#"
chunk = 3
[[answer]]
thinking = "Grüße ✓ first."
text = "Reading “both”."
usage = { input_tokens = 12, output_tokens = 7, cache_read_input_tokens = 5, cache_creation_input_tokens = 3 }
[[answer.call]]
tool = "Read"
input = { file_path = "größe.txt" }
[[answer.call]]
tool = "Read"
input = {}
[[answer]]
text = "Done."
"#;

struct Planted(&'static str);

impl KeySource for Planted {
    fn key(&self, _: KeyRequest) -> BoxFuture<'_, Result<Option<Secret>, String>> {
        Box::pin(async { Ok(Some(Secret::new(self.0))) })
    }

    fn origin(&self) -> String {
        "the test".to_owned()
    }
}

fn server(script: &str) -> ScriptedServer {
    let (key, script) = (Some(KEY.to_owned()), Some(script.to_owned()));
    ScriptedServer::start(ServerOptions { key, script, keep: true, ..ServerOptions::default() })
}

fn client(wire_format: WireFormat, base: String, network: NetworkConfig) -> HttpProvider {
    let (key, idle_timeout) = (Arc::new(Planted(KEY)), Duration::from_millis(300));
    let connections = Arc::new(Connections::new(network));
    let facts = ModelFacts { thinking: Thinking::Adaptive, ..ModelFacts::default() };
    HttpProvider::new(
        forelook_providers::Endpoint { wire_format, base, key, idle_timeout, connections },
        facts,
    )
}

fn request(messages: Vec<Message>) -> Request {
    let schema = json!({"type": "object", "properties": {"file_path": {"type": "string"}}});
    let tool =
        ToolSpec { name: "Read".to_owned(), description: "Reads a file.".to_owned(), input_schema: schema };
    Request {
        model: "any".to_owned(),
        system: Arc::new(WireCached::new(vec!["Be brief.".to_owned(), "And kind.".to_owned()])),
        tools: Arc::new(WireCached::new(vec![tool])),
        messages: Arc::new(messages.into_iter().map(|message| Arc::new(WireCached::new(message))).collect()),
        cache_ttl: CacheTtl::Short,
        previous_body: Arc::default(),
    }
}

fn hi() -> Vec<Message> {
    vec![Message::User(vec![UserBlock::text("hi")])]
}

/// What came of a stream.
#[derive(Debug, Default, PartialEq)]
struct ReceivedAnswer {
    blocks: Vec<AnswerBlock>,
    end: Option<Result<(StopReason, Usage), FailureKind>>,
}

async fn collect_answer(provider: &dyn Provider, messages: Vec<Message>) -> ReceivedAnswer {
    let mut stream = provider.stream(request(messages), CancellationToken::new());
    let (mut received, mut input) = (ReceivedAnswer::default(), String::new());
    while let Some(event) = stream.next().await {
        match event {
            AnswerEvent::TextStarted => received.blocks.push(AnswerBlock::Text { text: String::new() }),
            AnswerEvent::ThinkingStarted => {
                received
                    .blocks
                    .push(AnswerBlock::Thinking { thinking: String::new(), signature: String::new() });
            }
            AnswerEvent::CallStarted { id, name } => {
                input.clear();
                received.blocks.push(AnswerBlock::ToolUse(ToolCall { id, name, input: json!({}) }));
            }
            AnswerEvent::Opaque { wire_format: by, item } => {
                received.blocks.push(AnswerBlock::Opaque { wire_format: by, item })
            }
            AnswerEvent::Text { text: more } | AnswerEvent::Thinking { text: more } => {
                match received.blocks.last_mut() {
                    Some(AnswerBlock::Text { text } | AnswerBlock::Thinking { thinking: text, .. }) => {
                        text.push_str(&more)
                    }
                    other => panic!("words for {other:?}"),
                }
            }
            AnswerEvent::Signature { signature: whole } => match received.blocks.last_mut() {
                Some(AnswerBlock::Thinking { signature, .. }) => *signature = whole,
                other => panic!("a signature for {other:?}"),
            },
            AnswerEvent::Input { json } => input.push_str(&json),
            AnswerEvent::BlockEnded => {
                if let Some(AnswerBlock::ToolUse(call)) = received.blocks.last_mut() {
                    call.input = serde_json::from_str(&input).unwrap();
                }
            }
            AnswerEvent::Done { stop, usage } => received.end = Some(Ok((stop, usage))),
            AnswerEvent::Failed(ProviderFailure { kind, .. }) => received.end = Some(Err(kind)),
            AnswerEvent::Started { .. } | AnswerEvent::Retrying(_) => {}
        }
    }
    received
}

/// Without what only one wire has.
fn common(received: &ReceivedAnswer) -> ReceivedAnswer {
    let blocks = received.blocks.iter().filter_map(|block| match block {
        AnswerBlock::Opaque { .. } => None,
        AnswerBlock::Thinking { thinking, .. } => {
            Some(AnswerBlock::Thinking { thinking: thinking.clone(), signature: String::new() })
        }
        other => Some(other.clone()),
    });
    ReceivedAnswer { blocks: blocks.collect(), end: received.end }
}

async fn straight(messages: Vec<Message>) -> ReceivedAnswer {
    collect_answer(&ScriptedProvider::new(Script::parse(SCRIPT).unwrap()), messages).await
}

fn answered(first: &ReceivedAnswer) -> Vec<Message> {
    let result = |block: &AnswerBlock| match block {
        AnswerBlock::ToolUse(call) => Some(UserBlock::ToolResult(ToolResult::ok(call.id.clone(), "fine"))),
        _ => None,
    };
    let results = first.blocks.iter().filter_map(result).collect();
    [hi(), vec![Message::Assistant(first.blocks.clone()), Message::User(results)]].concat()
}

#[tokio::test]
async fn a_script_is_the_same_over_every_wire() {
    for wire_format in WIRE_FORMATS {
        let server = server(SCRIPT);
        let client = client(wire_format, server.base(wire_format), NetworkConfig::default());
        let first = collect_answer(&client, hi()).await;
        let meant = straight(hi()).await;
        assert_eq!(common(&first), meant, "{wire_format:?}");
        assert!(matches!(meant.end, Some(Ok((StopReason::ToolUse, _)))), "{meant:?}");
        let second = collect_answer(&client, answered(&first)).await;
        assert_eq!(second, straight(answered(&meant)).await, "{wire_format:?}");
        assert_eq!(server.problems(), Vec::<String>::new());
        let requests = server.requests();
        assert_eq!(requests.len(), 2, "{wire_format:?}");
        for request in requests {
            assert_eq!(request.key, KeySeen::Planted);
            assert!(!format!("{:?}", request.headers).contains(KEY), "the key is not kept");
        }
    }
}

#[tokio::test]
async fn thinking_that_is_lost_or_changed_is_refused() {
    for wire_format in [WireFormat::Anthropic, WireFormat::Responses] {
        for change in [
            |blocks: &mut Vec<AnswerBlock>| drop(blocks.drain(..2)),
            |blocks: &mut Vec<AnswerBlock>| {
                for block in blocks {
                    match block {
                        AnswerBlock::Thinking { thinking, .. } => thinking.push('!'),
                        AnswerBlock::Opaque { item, .. } if item["type"] == "reasoning" => {
                            item["encrypted_content"] = "forged".into();
                        }
                        _ => {}
                    }
                }
            },
        ] {
            let server = server(SCRIPT);
            let client = client(wire_format, server.base(wire_format), NetworkConfig::default());
            let mut first = collect_answer(&client, hi()).await;
            change(&mut first.blocks);
            let second = collect_answer(&client, answered(&first)).await;
            assert_eq!(second.end, Some(Err(FailureKind::BadRequest)), "{wire_format:?}");
            assert_eq!(server.problems().len(), 1, "{:?}", server.problems());
        }
    }
}

#[tokio::test]
async fn borders_between_bytes_change_nothing() {
    for wire_format in WIRE_FORMATS {
        let server = server(SCRIPT);
        server.faults([Fault::Borders(1), Fault::Borders(7)]);
        let client = client(wire_format, server.base(wire_format), NetworkConfig::default());
        for _ in 0..2 {
            assert_eq!(common(&collect_answer(&client, hi()).await), straight(hi()).await, "{wire_format:?}");
        }
    }
}

#[tokio::test]
async fn every_fault_is_noticed_as_what_it_is() {
    for wire_format in WIRE_FORMATS {
        let server = server(SCRIPT);
        let client = client(wire_format, server.base(wire_format), NetworkConfig::default());
        for (fault, kind) in [
            (Fault::Close, FailureKind::Connection),
            (Fault::CutAfter(0), FailureKind::Connection),
            (Fault::CutAfter(200), FailureKind::Connection),
            (Fault::Hang, FailureKind::Silence),
            (Fault::HangAfter(200), FailureKind::Silence),
            (Fault::status(401, "{}"), FailureKind::Authentication),
            (Fault::status(503, "{}"), FailureKind::Overloaded),
            (Fault::wait(429, "retry-after", "3", "{}"), FailureKind::RateLimited),
            (Fault::status(500, "no JSON"), FailureKind::Server),
        ] {
            server.faults([fault.clone()]);
            let received = collect_answer(&client, hi()).await;
            assert_eq!(received.end, Some(Err(kind)), "{wire_format:?}: {fault:?}");
        }
        // After all of these the same client still works.
        assert_eq!(common(&collect_answer(&client, hi()).await), straight(hi()).await, "{wire_format:?}");
    }
}

#[tokio::test]
async fn failures_of_a_script_are_the_real_thing() {
    for wire_format in WIRE_FORMATS {
        for (kind, after, expected) in [
            ("overloaded", 0, FailureKind::Overloaded),
            ("overloaded", 3, FailureKind::Overloaded),
            ("rate_limited", 0, FailureKind::RateLimited),
            ("server", 0, FailureKind::Server),
            ("authentication", 0, FailureKind::Authentication),
            ("context_overflow", 0, FailureKind::ContextOverflow),
            ("connection", 0, FailureKind::Connection),
            ("connection", 3, FailureKind::Connection),
            ("silence", 0, FailureKind::Silence),
            ("silence", 3, FailureKind::Silence),
            ("garbled", 0, FailureKind::Garbled),
        ] {
            let fail = format!("fail = {{ kind = '{kind}', message = 'As scripted', after = {after} }}");
            let server = server(&format!("chunk = 1\n[[answer]]\ntext = 'After all.'\n{fail}\n"));
            let client = client(wire_format, server.base(wire_format), NetworkConfig::default());
            assert_eq!(
                collect_answer(&client, hi()).await.end,
                Some(Err(expected)),
                "{wire_format:?}: {kind} after {after}"
            );
            let again = collect_answer(&client, hi()).await;
            assert!(
                matches!(again.end, Some(Ok(_))),
                "{wire_format:?}: {kind} after {after}, then {again:?}"
            );
        }
    }
}

#[tokio::test]
async fn a_redirect_elsewhere_takes_no_key_along() {
    for wire_format in WIRE_FORMATS {
        let (here, there) = (server(SCRIPT), server(SCRIPT));
        // Another host name, of the same machine.
        let elsewhere = there.base(wire_format).replace("127.0.0.1", "localhost");
        here.faults([Fault::Redirect(format!("{elsewhere}/v1/messages"))]);
        let received =
            collect_answer(&client(wire_format, here.base(wire_format), NetworkConfig::default()), hi())
                .await;
        assert!(matches!(received.end, Some(Err(_))), "{received:?}");
        assert!(there.requests().iter().all(|request| request.key == KeySeen::Absent), "{wire_format:?}");
    }
}

#[tokio::test]
async fn with_a_certificate_that_is_trusted_it_is_the_same() {
    let (key, script) = (Some(KEY.to_owned()), Some(SCRIPT.to_owned()));
    let server = ScriptedServer::start(ServerOptions { key, script, tls: true, ..ServerOptions::default() });
    let (url, pem) = server.secure().unwrap();
    let trusted =
        NetworkConfig { certificates: Some(("the test".to_owned(), pem.into())), ..NetworkConfig::default() };
    let received = collect_answer(&client(WireFormat::Anthropic, url.clone(), trusted), hi()).await;
    assert_eq!(common(&received), straight(hi()).await);
    let received = collect_answer(&client(WireFormat::Anthropic, url, NetworkConfig::default()), hi()).await;
    assert!(matches!(received.end, Some(Err(_))), "an unknown certificate is not trusted: {received:?}");
}

#[tokio::test]
async fn what_a_server_would_not_take_is_refused_and_kept() {
    let unanswered =
        AnswerBlock::ToolUse(ToolCall { id: CallId("c".into()), name: "Read".into(), input: json!({}) });
    let messages = [hi(), vec![Message::Assistant(vec![unanswered])], hi()].concat();
    for wire_format in WIRE_FORMATS {
        let server = server(SCRIPT);
        let received = collect_answer(
            &client(wire_format, server.base(wire_format), NetworkConfig::default()),
            messages.clone(),
        )
        .await;
        assert_eq!(received.end, Some(Err(FailureKind::BadRequest)), "{wire_format:?}");
        let problems = server.problems();
        assert!(problems.len() == 1 && problems[0].contains("`c` has no result"), "{problems:?}");
    }
}
