//! A model that says a long text: blocking, a thread a connection, the answer made before it is asked for.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::time::Instant;

use serde_json::{Value, json};

/// The last word of every answer.
pub(crate) const END: &str = "ENDMARK";

/// Bytes in a piece of an answer.
const DELTA: usize = 50;

#[derive(Default)]
struct State {
    answer: Arc<Vec<u8>>,
    asked: Option<Instant>,
}

pub(crate) struct Server {
    pub(crate) port: u16,
    state: Arc<Mutex<State>>,
}

impl Server {
    pub(crate) fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let state = Arc::<Mutex<State>>::default();
        let shared = Arc::clone(&state);
        std::thread::spawn(move || {
            for stream in listener.incoming().map(Result::unwrap) {
                stream.set_nodelay(true).unwrap();
                let state = Arc::clone(&shared);
                std::thread::spawn(move || serve(stream, &state));
            }
        });
        Self { port, state }
    }

    /// From now on the answer has so many pieces.
    pub(crate) fn say(&self, deltas: usize) {
        self.state.lock().unwrap().answer = Arc::new(answer(&markdown(deltas * DELTA)));
    }

    /// When the last request had come.
    pub(crate) fn asked(&self) -> Instant {
        self.state.lock().unwrap().asked.unwrap()
    }
}

fn serve(mut stream: TcpStream, state: &Mutex<State>) {
    while let Some(()) = request(&mut stream) {
        let answer = {
            let mut state = state.lock().unwrap();
            state.asked = Some(Instant::now());
            Arc::clone(&state.answer)
        };
        // The program may have been ended before the end of it.
        if stream.write_all(&answer).is_err() {
            return;
        }
    }
}

/// Reads one request.
fn request(stream: &mut TcpStream) -> Option<()> {
    let (mut text, mut piece) = (Vec::new(), vec![0; 1 << 16]);
    loop {
        if let Some(end) = text.windows(4).position(|it| it == b"\r\n\r\n") {
            let head = String::from_utf8_lossy(&text[..end]).to_ascii_lowercase();
            let length = head.lines().find_map(|line| line.strip_prefix("content-length:"));
            if text.len() >= end + 4 + length.unwrap().trim().parse::<usize>().unwrap() {
                return Some(());
            }
        }
        let count = stream.read(&mut piece).ok().filter(|count| *count > 0)?;
        text.extend(&piece[..count]);
    }
}

/// Text of about this size with everything that Markdown has.
fn markdown(size: usize) -> String {
    let mut text = String::with_capacity(size + 4096);
    let mut page = 0;
    while text.len() < size {
        page += 1;
        text.push_str(&format!("## Part {page} of the answer\n\n"));
        for part in 0..3 {
            let words = "The words of a paragraph with `code`, **strong** ones, a [link](https://a.example/x) and é — 漢字. ";
            text.push_str(&words.repeat(3 + part));
            text.push_str("\n\n");
        }
        for item in 0..8 {
            text.push_str(&format!("- item {item} of a list, *with* some words\n"));
        }
        text.push_str("\n```rust\n");
        for line in 0..20 {
            text.push_str(&format!("    let value_{line} = compute(\"text\", {line}, &other); // why\n"));
        }
        text.push_str("```\n\n| name | what | how many |\n|---|---|---:|\n");
        for row in 0..6 {
            text.push_str(&format!("| row {row} | some words in a cell | {} |\n", row * 1000));
        }
        text.push('\n');
    }
    text.truncate(text.floor_char_boundary(size));
    text.push_str(&format!("\n\n{END}\n"));
    text
}

fn event(name: &str, mut data: Value) -> String {
    data["type"] = json!(name);
    format!("event: {name}\ndata: {data}\n\n")
}

/// The answer as it goes over the wire.
fn answer(text: &str) -> Vec<u8> {
    let begin = json!({"message": {"id": "msg_1", "type": "message", "role": "assistant", "model": "m",
        "content": [], "stop_reason": null, "stop_sequence": null, "usage": {"input_tokens": 9, "output_tokens": 1}}});
    let block = json!({"index": 0, "content_block": {"type": "text", "text": ""}});
    let mut events = vec![event("message_start", begin), event("content_block_start", block)];
    let mut rest = text;
    while !rest.is_empty() {
        let (piece, behind) = rest.split_at(rest.floor_char_boundary(DELTA));
        let delta = json!({"index": 0, "delta": {"type": "text_delta", "text": piece}});
        events.push(event("content_block_delta", delta));
        rest = behind;
    }
    events.push(event("content_block_stop", json!({"index": 0})));
    let end =
        json!({"delta": {"stop_reason": "end_turn", "stop_sequence": null}, "usage": {"output_tokens": 5}});
    events.push(event("message_delta", end));
    events.push(event("message_stop", json!({})));
    let mut wire =
        b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n".to_vec();
    for event in events {
        wire.extend(format!("{:x}\r\n{event}\r\n", event.len()).as_bytes());
    }
    wire.extend(b"0\r\n\r\n");
    wire
}
