//! A page is fetched, and the small model reads it.

use std::io::{BufRead, BufReader, Write};
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;

use forelook_engine::{AgentCatalog, Config, SessionStart, built_in_agents};
use forelook_protocol::{
    CallStatus, Command, Cost, EndReason, EntryBody, Event, LiveEvent, Mode, SmallModelAnswered,
};
use forelook_tools::WebAccess;

use crate::common::{Front, Home, SESSION, life, tools_with, words};

/// A server with one long page.
fn server() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let mut reader = BufReader::new(stream.try_clone().unwrap());
            let mut line = String::new();
            while reader.read_line(&mut line).is_ok_and(|read| read > 2) {
                line.clear();
            }
            let page = format!("<h1>Weather</h1><p>{}</p><p>It will rain.</p>", "Clouds. ".repeat(500));
            let head = "HTTP/1.1 200 OK\r\ncontent-type: text/html\r\nconnection: close\r\n";
            let _ = write!(stream, "{head}content-length: {}\r\n\r\n{page}", page.len());
        }
    });
    address
}

fn config(home: &Home, address: SocketAddr, small: &str) -> Config {
    let script = format!(
        r#"
[[start]]
prompt = "The question"
goto = "small"
[[answer]]
call = [{{ tool = "WebFetch", input = {{ url = "http://{address}/", prompt = "Will it rain?" }} }}]
[[answer]]
text = "Take an umbrella."
usage = {{ input_tokens = 1000, output_tokens = 10 }}
[[answer]]
name = "small"
{small}
"#
    );
    let config = home.config(SessionStart::New(Some(SESSION)), &script);
    let web = WebAccess { network: Arc::default(), allow_local: vec![address.to_string()] };
    let agent_catalog = AgentCatalog { small: Some("scripted/other".to_owned()), ..config.agent_catalog };
    Config { tools: tools_with(&built_in_agents(), web).into(), agent_catalog, ..config }
}

fn result(home: &Home) -> (CallStatus, String) {
    let finished = home.entries().into_iter().find_map(|entry| match entry.body {
        EntryBody::ToolFinished(finished) => Some((finished.status, finished.result.text())),
        _ => None,
    });
    finished.unwrap()
}

fn small_answers(home: &Home) -> Vec<SmallModelAnswered> {
    let answers = home.entries().into_iter().filter_map(|entry| match entry.body {
        EntryBody::SmallModelAnswered(answered) => Some(answered),
        _ => None,
    });
    answers.collect()
}

#[test]
fn a_question_about_a_page_goes_to_the_small_model() {
    life(async {
        let home = Home::new();
        let small = "text = \"Yes, it will rain.\"\nusage = { input_tokens = 70, output_tokens = 7 }";
        let mut front = Front::open(config(&home, server(), small)).await;
        front.say("Go").await;
        let mut pieces = String::new();
        let ended = loop {
            match front.event().await {
                Event::Live(LiveEvent::Answer { event, .. }) => pieces += &format!("{event:?}"),
                Event::Recorded(entry) => {
                    if let EntryBody::TurnEnded(ended) = &entry.body {
                        break ended.clone();
                    }
                }
                Event::Live(_) => {}
            }
        };
        assert!(!pieces.contains("it will rain"), "what it says is a result, not an answer: {pieces}");
        assert_eq!(ended.reason, EndReason::Done);
        let (status, text) = result(&home);
        assert!(
            status == CallStatus::Ran && text.ends_with("according to `other`:\n\nYes, it will rain."),
            "{text}"
        );

        let asked = home.requests().into_iter().find(|it| it["model"] == "other").unwrap();
        assert_eq!(asked["tools"], serde_json::json!([]));
        assert!(asked["system"][0].as_str().unwrap().contains("untrusted data"));
        let said = words(&asked["messages"][0]);
        assert!(said.contains("It will rain.") && said.ends_with("The question: Will it rain?"), "{said}");
        let main = home.requests().into_iter().rfind(|it| it["model"] == "main").unwrap();
        let said: String = main["messages"].as_array().unwrap().iter().map(words).collect();
        assert!(!said.contains("Clouds."), "the page itself stays out of the conversation");

        let answers = small_answers(&home);
        let [answered] = answers.as_slice() else { panic!("{answers:?}") };
        assert_eq!((answered.usage.input_tokens, answered.cost), (70, Some(Cost(70 * 5 + 7 * 10))));
        assert_eq!((ended.usage.input_tokens, ended.cost), (1070, Cost(420)), "it is part of the turn");
        front.close().await;
    });
}

#[test]
fn without_an_answer_the_page_itself_is_given() {
    life(async {
        let home = Home::new();
        let small = "text = \"\"\nfail = { kind = \"authentication\", message = \"Bad key\" }";
        let mut front = Front::open(config(&home, server(), small)).await;
        front.say("Go").await;
        assert_eq!(front.turn_end().await, EndReason::Done);
        let (status, text) = result(&home);
        assert!(
            status == CallStatus::Ran && text.contains("# Weather") && text.contains("(Bad key"),
            "{text}"
        );
        assert_eq!(small_answers(&home), []);
        front.close().await;
    });
}

#[test]
fn an_interrupt_reaches_the_small_model() {
    life(async {
        let home = Home::new();
        let small = "text = \"Yes, it will rain.\"\npace_ms = 600000";
        let mut front = Front::open(config(&home, server(), small)).await;
        front.say("Go").await;
        front.until(|body| matches!(body, EntryBody::ToolStarted(_)).then_some(())).await;
        while home.requests().iter().all(|it| it["model"] != "other") {
            tokio::task::yield_now().await;
        }
        front.send(Command::Interrupt).await.unwrap();
        assert_eq!(front.turn_end().await, EndReason::Interrupted);
        assert!(result(&home).1.contains("Interrupted"));
        front.close().await;
    });
}

#[test]
fn a_host_that_is_not_allowed_is_not_asked() {
    life(async {
        let home = Home::new();
        let address = server();
        let permissions = home.permissions(&["deny WebFetch(domain:127.0.0.1)"]);
        let config = Config { permissions, ..config(&home, address, "text = \"no\"") };
        let mut front = Front::open(Config { mode: Some(Mode::BypassPermissions), ..config }).await;
        front.say("Go").await;
        assert_eq!(front.turn_end().await, EndReason::Done);
        assert_eq!(result(&home).0, CallStatus::Denied);
        front.close().await;
    });
}
