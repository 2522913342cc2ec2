//! A local Ollama: where it is, and which models it has; and what other servers without TLS say of theirs.
//!
//! Asked by hand over a plain connection, with short time-outs: this happens before anything else is there, and where
//! nothing listens it costs one refused connection.

use std::io::{Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::time::Duration;

use serde_json::{Value, json};

/// Its id among providers.
pub const ID: &str = "ollama";

const PORT: u16 = 11434;
const CONNECT_TIMEOUT: Duration = Duration::from_millis(150);
const ANSWER_TIMEOUT: Duration = Duration::from_millis(1000);
/// More than any list of models.
const MAX_RESPONSE: u64 = 4 * 1024 * 1024;
/// How many models are asked what they can do.
const MAX_PROBED: usize = 8;

/// The base address for what `OLLAMA_HOST` may hold: a host, a host and a port, or an address.
pub(crate) fn base(text: &str) -> Option<String> {
    let text = text.trim().trim_end_matches('/');
    let (scheme, rest) = text.split_once("://").unwrap_or(("http", text));
    if !matches!(scheme, "http" | "https") || rest.contains(char::is_whitespace) {
        return None;
    }
    let (place, path) = rest.split_once('/').map_or((rest, ""), |(place, path)| (place, path));
    let (host, port) = match place.rsplit_once(':') {
        Some((host, port)) if !port.contains(']') => (host, port.parse().ok()?),
        // An address that says how it is spoken to has the port that goes with that.
        _ if text.contains("://") => (place, if scheme == "https" { 443 } else { 80 }),
        _ => (place, PORT),
    };
    // To listen everywhere is to be found here.
    let host = if matches!(host, "" | "0.0.0.0" | "[::]") { "127.0.0.1" } else { host };
    let path = if path.is_empty() { String::new() } else { format!("/{path}") };
    Some(format!("{scheme}://{host}:{port}{path}/v1"))
}

/// The models that it has, the one that changed last first; nothing if it is not there.
pub fn models(base: &str) -> Option<Vec<String>> {
    names(&ask(base, "GET", "/api/tags", "")?, "models", "name")
}

/// The models of any server that is compatible with OpenAI's, where it can be asked without TLS and without a key.
pub(crate) fn served(base: &str) -> Option<Vec<String>> {
    names(&ask(base, "GET", "/v1/models", "")?, "data", "id")
}

/// The model to take where nobody named one: the first that can call tools, else the first that can talk.
pub(crate) fn best(base: &str) -> Option<String> {
    let abilities = |name: String| {
        let can = abilities(base, &name);
        (name, can)
    };
    let models: Vec<(String, Vec<String>)> =
        models(base)?.into_iter().take(MAX_PROBED).map(abilities).collect();
    let can = |abilities: &[String], what: &str| abilities.iter().any(|it| it == what);
    let tools = models.iter().find(|(_, abilities)| can(abilities, "tools"));
    // One from before models said what they can do.
    let talks = |(name, abilities): &&(String, Vec<String>)| {
        can(abilities, "completion") || (abilities.is_empty() && !name.contains("embed"))
    };
    tools.or_else(|| models.iter().find(talks)).map(|(name, _)| name.clone())
}

fn abilities(base: &str, name: &str) -> Vec<String> {
    let answer = ask(base, "POST", "/api/show", &json!({"model": name}).to_string());
    let shown: Option<Value> = answer.and_then(|text| serde_json::from_str(&text).ok());
    let words = shown.as_ref().and_then(|shown| shown.get("capabilities")?.as_array());
    words.into_iter().flatten().filter_map(|word| Some(word.as_str()?.to_owned())).collect()
}

fn names(answer: &str, list: &str, field: &str) -> Option<Vec<String>> {
    let answer: Value = serde_json::from_str(answer).ok()?;
    let names = answer.get(list)?.as_array()?.iter().filter_map(|item| item.get(field)?.as_str());
    Some(names.filter(|name| is_valid_name(name)).map(str::to_owned).collect())
}

/// Whoever listens there may be anybody: a name goes to the terminal.
fn is_valid_name(name: &str) -> bool {
    !name.is_empty() && name.len() <= 200 && name.bytes().all(|byte| byte.is_ascii_graphic())
}

/// One question. The version of HTTP is the old one: its answers end with the connection and are in one piece.
fn ask(base: &str, method: &str, path: &str, body: &str) -> Option<String> {
    let root = base.strip_prefix("http://")?.strip_suffix("/v1")?;
    let (place, before) =
        root.split_once('/').map_or((root, String::new()), |(at, path)| (at, format!("/{path}")));
    let address = place.to_socket_addrs().ok()?.next()?;
    let mut stream = TcpStream::connect_timeout(&address, CONNECT_TIMEOUT).ok()?;
    stream.set_read_timeout(Some(ANSWER_TIMEOUT)).ok()?;
    stream.set_write_timeout(Some(ANSWER_TIMEOUT)).ok()?;
    let length = body.len();
    let head = format!(
        "{method} {before}{path} HTTP/1.0\r\nHost: {place}\r\nContent-Type: application/json\r\nContent-Length: {length}\r\n\r\n"
    );
    stream.write_all(format!("{head}{body}").as_bytes()).ok()?;
    let mut bytes = Vec::new();
    stream.take(MAX_RESPONSE).read_to_end(&mut bytes).ok()?;
    let text = String::from_utf8(bytes).ok()?;
    let (head, body) = text.split_once("\r\n\r\n")?;
    let status = head.lines().next()?.split(' ').nth(1)?;
    (status == "200").then(|| body.to_owned())
}

#[cfg(test)]
mod tests {
    use std::io::{BufRead, BufReader};
    use std::net::TcpListener;

    use super::*;

    #[test]
    fn a_host_is_written_in_many_ways() {
        for (text, expected) in [
            ("127.0.0.1:11434", Some("http://127.0.0.1:11434/v1")),
            ("0.0.0.0", Some("http://127.0.0.1:11434/v1")),
            ("0.0.0.0:8000", Some("http://127.0.0.1:8000/v1")),
            ("box.local", Some("http://box.local:11434/v1")),
            (":5000", Some("http://127.0.0.1:5000/v1")),
            ("http://box.local", Some("http://box.local:80/v1")),
            ("https://box.local/", Some("https://box.local:443/v1")),
            ("http://box.local:1/ollama", Some("http://box.local:1/ollama/v1")),
            ("[::1]:4000", Some("http://[::1]:4000/v1")),
            ("[::1]", Some("http://[::1]:11434/v1")),
            ("box:many", None),
            ("unix:///run/x", None),
            ("a b", None),
        ] {
            assert_eq!(base(text).as_deref(), expected, "{text}");
        }
    }

    /// Answers so many questions, each by what it was about.
    fn server(questions: usize, answer: fn(&str, &str) -> String) -> String {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        std::thread::spawn(move || {
            for _ in 0..questions {
                let mut stream = BufReader::new(listener.accept().unwrap().0);
                let (mut first, mut length) = (String::new(), 0);
                stream.read_line(&mut first).unwrap();
                loop {
                    let mut line = String::new();
                    stream.read_line(&mut line).unwrap();
                    if let Some(text) = line.strip_prefix("Content-Length: ") {
                        length = text.trim().parse().unwrap();
                    }
                    if line.trim().is_empty() {
                        break;
                    }
                }
                let mut body = vec![0; length];
                stream.read_exact(&mut body).unwrap();
                let said = answer(&first, &String::from_utf8(body).unwrap());
                stream.get_mut().write_all(said.as_bytes()).unwrap();
            }
        });
        format!("http://127.0.0.1:{port}/v1")
    }

    const TAGS: &str = r#"{"models":[{"name":"nomic-embed-text:latest"},{"name":"tinyllama"},{"name":"qwen3:8b"},{"name":"bad\u001b[31m"}]}"#;

    fn answer(first: &str, body: &str) -> String {
        let said = match first {
            _ if first.starts_with("GET /api/tags ") => TAGS,
            _ if body.contains("qwen3:8b") => r#"{"capabilities":["completion","tools"]}"#,
            _ if body.contains("embed") => r#"{"capabilities":["embedding"]}"#,
            _ => r#"{"capabilities":["completion"]}"#,
        };
        format!("HTTP/1.0 200 OK\r\nContent-Type: application/json\r\n\r\n{said}")
    }

    #[test]
    fn one_that_can_call_tools_is_best() {
        assert_eq!(best(&server(4, answer)).as_deref(), Some("qwen3:8b"));
        assert_eq!(models(&server(1, answer)).unwrap(), ["nomic-embed-text:latest", "tinyllama", "qwen3:8b"]);
        // One from before models said what they can do.
        let old = |first: &str, _: &str| match first.starts_with("GET") {
            true => format!("HTTP/1.0 200 OK\r\n\r\n{TAGS}"),
            false => "HTTP/1.0 404 Not Found\r\n\r\n".to_owned(),
        };
        assert_eq!(best(&server(4, old)).as_deref(), Some("tinyllama"));
    }

    #[test]
    fn a_compatible_server_names_its_models() {
        let base = server(1, |first, _| match first.starts_with("GET /v1/models ") {
            true => "HTTP/1.0 200 OK\r\n\r\n{\"data\":[{\"id\":\"local/one\"},{\"id\":7}]}".to_owned(),
            false => String::new(),
        });
        assert_eq!(served(&base).unwrap(), ["local/one"]);
    }

    #[test]
    fn whatever_else_listens_there_is_no_ollama() {
        let odd: [fn(&str, &str) -> String; 4] = [
            |_, _| String::new(),
            |_, _| "HTTP/1.0 200 OK\r\n\r\nhello".to_owned(),
            |_, _| "HTTP/1.0 500 No\r\n\r\n{\"models\":[]}".to_owned(),
            |_, _| "220 mail ready\r\n".to_owned(),
        ];
        for answer in odd {
            assert_eq!(best(&server(1, answer)), None, "{}", answer("", ""));
        }
        let free = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        assert_eq!(best(&format!("http://127.0.0.1:{free}/v1")), None);
    }
}
