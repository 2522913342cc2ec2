//! What came, made into something to read.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252};
use reqwest::Url;

use super::fetch::{Body, Truncation};
use super::markdown::markdown;
use crate::typed::Picture;

/// Characters of a page that are kept; what a small model can read at once.
pub(super) const MAX_TEXT: usize = 100_000;
/// Bytes of a picture that a model takes.
const MAX_PICTURE: usize = 3_500_000;
/// As much is looked at to see what a body is.
const GLANCE: usize = 2048;

/// A page that can be read.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct WebPage {
    pub(super) status: u16,
    pub(super) title: Option<String>,
    pub(super) text: String,
    pub(super) picture: Option<Picture>,
    /// Bytes that came.
    pub(super) bytes: usize,
    /// What the model must know of it: what is missing.
    pub(super) notes: Vec<String>,
}

impl WebPage {
    pub(super) fn text(text: &str) -> Self {
        let (title, picture, notes) = (None, None, Vec::new());
        Self { status: 200, title, text: text.to_owned(), picture, bytes: text.len(), notes }
    }

    /// Its text with its title before it.
    pub(super) fn whole(&self) -> String {
        match &self.title {
            Some(title) => format!("Title: {title}\n\n{}", self.text),
            None => self.text.clone(),
        }
    }
}

/// What a body is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ContentKind {
    Html,
    Text,
    Picture(&'static str),
    /// Nothing that can be shown.
    Binary,
    /// Its first bytes must say.
    Unknown,
}

/// What a server says that a body is, such as `text/html; charset=utf-8`.
pub(super) fn content_kind(content_type: &str) -> ContentKind {
    let essence = content_type.split(';').next().unwrap_or("").trim().to_ascii_lowercase();
    let (family, kind) = essence.split_once('/').unwrap_or((essence.as_str(), ""));
    let last = kind.rsplit(['+', '.']).next().unwrap_or("");
    match (family, kind) {
        ("text", "html") | ("application", "xhtml+xml") => ContentKind::Html,
        ("image", "png") => ContentKind::Picture("image/png"),
        ("image", "jpeg" | "jpg" | "pjpeg") => ContentKind::Picture("image/jpeg"),
        ("image", "gif") => ContentKind::Picture("image/gif"),
        ("image", "webp") => ContentKind::Picture("image/webp"),
        ("text", _) => ContentKind::Text,
        (_, _) if matches!(last, "json" | "xml" | "yaml") => ContentKind::Text,
        ("application", kind) if TEXTS.contains(&kind.strip_prefix("x-").unwrap_or(kind)) => {
            ContentKind::Text
        }
        ("" | "application" | "binary", "" | "octet-stream" | "unknown") => ContentKind::Unknown,
        _ => ContentKind::Binary,
    }
}

const TEXTS: [&str; 14] = [
    "javascript",
    "ecmascript",
    "typescript",
    "ndjson",
    "jsonl",
    "json5",
    "toml",
    "sql",
    "graphql",
    "sh",
    "httpd-php",
    "ruby",
    "tex",
    "www-form-urlencoded",
];

/// What a body is by its first bytes.
fn sniff(bytes: &[u8]) -> ContentKind {
    let head = bytes.get(..GLANCE).unwrap_or(bytes);
    match picture_of(head) {
        Some(media) => return ContentKind::Picture(media),
        None if has_bom(head) => {}
        None if head.contains(&0) => return ContentKind::Binary,
        None => {}
    }
    let words = head.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(head).trim_ascii_start();
    let begins =
        |start: &str| words.get(..start.len()).is_some_and(|it| it.eq_ignore_ascii_case(start.as_bytes()));
    if begins("<!doctype html") || begins("<html") {
        return ContentKind::Html;
    }
    // A character may be cut at the end.
    match std::str::from_utf8(head) {
        Err(error) if error.error_len().is_some() && !has_bom(head) => ContentKind::Binary,
        _ => ContentKind::Text,
    }
}

fn picture_of(head: &[u8]) -> Option<&'static str> {
    match head {
        [0x89, b'P', b'N', b'G', ..] => Some("image/png"),
        [0xff, 0xd8, 0xff, ..] => Some("image/jpeg"),
        [b'G', b'I', b'F', b'8', ..] => Some("image/gif"),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some("image/webp"),
        _ => None,
    }
}

fn has_bom(head: &[u8]) -> bool {
    Encoding::for_bom(head).is_some()
}

/// Makes a page of a body. The error is for the model: what it is that cannot be shown. Takes a while for a large one.
pub(super) fn read(body: &Body, url: &Url, go_on: impl Fn() -> bool) -> Result<WebPage, String> {
    let Body { status, bytes, content_type, .. } = body;
    let said = content_kind(content_type);
    let kind = if said == ContentKind::Unknown { sniff(bytes) } else { said };
    let mut page = WebPage::text("");
    (page.status, page.bytes) = (*status, bytes.len());
    page.notes.extend(body.cut.describe());
    match kind {
        ContentKind::Picture(_) => page.picture = Some(picture(body)?),
        ContentKind::Html | ContentKind::Text => {
            let encoding = encoding(bytes, content_type, kind);
            if matches!(sniff(bytes), ContentKind::Binary | ContentKind::Picture(_)) && encoding == UTF_8 {
                return Err(format!("It claims to be `{content_type}` but is not text"));
            }
            let (text, _, _) = encoding.decode(bytes);
            let cut = if kind == ContentKind::Html {
                let made = markdown(&text, url, 4 * MAX_TEXT, go_on);
                (page.title, page.text) = (made.title, made.text);
                made.cut
            } else {
                page.text = text.into_owned();
                false
            };
            if shorten(&mut page.text) || cut {
                page.notes.push(format!("The page is longer: this is from its first {MAX_TEXT} characters"));
            }
        }
        ContentKind::Binary | ContentKind::Unknown => {
            return Err(format!("It is `{content_type}`, which is not text"));
        }
    }
    Ok(page)
}

/// Keeps the first characters; tells whether there were more.
fn shorten(text: &mut String) -> bool {
    let end = text.char_indices().nth(MAX_TEXT).map(|(at, _)| at);
    if let Some(end) = end {
        text.truncate(end);
    }
    end.is_some()
}

fn picture(body: &Body) -> Result<Picture, String> {
    let Some(media_type) = picture_of(&body.bytes) else {
        return Err(format!("It claims to be `{}` but is not an image", body.content_type));
    };
    if body.bytes.len() > MAX_PICTURE || body.cut != Truncation::Complete {
        return Err(format!(
            "It is an image of more than {MAX_PICTURE} bytes, or one that did not arrive in full"
        ));
    }
    Ok(Picture { media_type: media_type.to_owned(), data: STANDARD.encode(&body.bytes) })
}

/// How the characters of a text are written: by its first bytes, by what the server says, by what it says itself.
fn encoding(bytes: &[u8], content_type: &str, kind: ContentKind) -> &'static Encoding {
    let head = bytes.get(..GLANCE).unwrap_or(bytes);
    if let Some((encoding, _)) = Encoding::for_bom(head) {
        return encoding;
    }
    if let Some(encoding) = label(content_type.as_bytes(), "charset=") {
        return encoding;
    }
    let own = match kind {
        ContentKind::Html => label(head, "charset="),
        _ if head.starts_with(b"<?xml") => label(head, "encoding="),
        _ => None,
    };
    match own {
        // It could not have been read this far.
        Some(encoding) if encoding == UTF_16LE || encoding == UTF_16BE => UTF_8,
        Some(encoding) => encoding,
        None => match std::str::from_utf8(bytes) {
            Err(error) if error.error_len().is_some() => WINDOWS_1252,
            _ => UTF_8,
        },
    }
}

/// The encoding whose name follows this word.
fn label(text: &[u8], word: &str) -> Option<&'static Encoding> {
    let text = text.to_ascii_lowercase();
    let at = text.windows(word.len()).position(|it| it == word.as_bytes())?;
    let rest = text.get(at + word.len()..)?.trim_ascii_start();
    let rest = rest.strip_prefix(b"\"").or_else(|| rest.strip_prefix(b"'")).unwrap_or(rest);
    let end = rest.iter().position(|it| b"\"'; />".contains(it)).unwrap_or(rest.len());
    Encoding::for_label(rest.get(..end)?)
}
