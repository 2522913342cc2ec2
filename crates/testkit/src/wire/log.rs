//! Every request, kept for whoever asks what was sent.

use std::io::Write;
use std::path::PathBuf;
use std::sync::Mutex;

use bytes::Bytes;
use forelook_providers::WireFormat;
use hyper::HeaderMap;

/// A request that came.
#[derive(Debug, Clone)]
pub struct LoggedRequest {
    /// In which form.
    pub wire_format: WireFormat,
    /// The path that was asked.
    pub path: String,
    /// The headers, without the key.
    pub headers: Vec<(String, String)>,
    /// The key.
    pub key: KeySeen,
    /// The body.
    pub body: Bytes,
}

/// What key a request had.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum KeySeen {
    /// The planted one.
    Planted,
    /// Another one.
    Other,
    /// None.
    Absent,
}

/// Headers that carry keys.
const SECRET: [&str; 4] = ["x-api-key", "authorization", "api-key", "proxy-authorization"];

#[derive(Debug)]
pub(super) struct Log {
    /// Whether requests are kept.
    pub(super) kept: bool,
    /// The file that every body is added to.
    pub(super) file: Option<PathBuf>,
    list: Mutex<Vec<LoggedRequest>>,
}

impl Log {
    pub(super) fn new(kept: bool, file: Option<PathBuf>) -> Self {
        Self { kept, file, list: Mutex::default() }
    }

    pub(super) fn add(&self, request: LoggedRequest) {
        if let Some(path) = &self.file {
            let mut line = request.body.to_vec();
            line.push(b'\n');
            let mut file = std::fs::OpenOptions::new().create(true).append(true).open(path).expect("the log");
            file.write_all(&line).expect("a line of the log");
        }
        if self.kept {
            self.list.lock().unwrap().push(request);
        }
    }

    pub(super) fn all(&self) -> Vec<LoggedRequest> {
        self.list.lock().unwrap().clone()
    }
}

/// The key in a request's head, where this form has it.
pub(super) fn key(wire_format: WireFormat, headers: &HeaderMap, planted: Option<&str>) -> KeySeen {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
    let bearer = text("authorization").map(|value| value.strip_prefix("Bearer ").unwrap_or(value));
    let key = match wire_format {
        WireFormat::Anthropic => text("x-api-key").or(bearer),
        WireFormat::Responses | WireFormat::Chat => bearer,
    };
    match (key, planted) {
        (None, _) => KeySeen::Absent,
        (Some(key), Some(planted)) if key == planted => KeySeen::Planted,
        (Some(_), _) => KeySeen::Other,
    }
}

/// All headers but those with keys.
pub(super) fn headers(headers: &HeaderMap) -> Vec<(String, String)> {
    let text = |value: &hyper::header::HeaderValue| String::from_utf8_lossy(value.as_bytes()).into_owned();
    let open = headers.iter().filter(|(name, _)| !SECRET.contains(&name.as_str()));
    open.map(|(name, value)| (name.to_string(), text(value))).collect()
}
