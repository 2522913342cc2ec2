//! One settings file: JSON with comments, and nothing looser (`strict.rs`).
//!
//! The parser could overlook a comma too many, a missing one or bare words. It must not: a file that
//! is read otherwise than its author meant may allow what it was to forbid.

use std::fmt;
use std::fs::File;
use std::io::Read;
use std::os::unix::fs::MetadataExt as _;

use forelook_disk::{FileStart, ProjectFiles, ReadError, read_bounded_start};
use forelook_protocol::AbsPath;
use jsonc_parser::errors::{ParseError, ParseErrorKind};
use jsonc_parser::{CollectOptions, ParseStringErrorKind, ast, parse_to_ast};

use crate::sanitize::{sanitized_path, sanitized_sentence};
use crate::strict::{SyntaxViolation, first_violation, strict};

/// Settings larger than this are a mistake (a log, a device), not settings.
const MAX_SIZE: u64 = 4 << 20;

/// Editors on other systems begin a file with this mark.
pub(crate) const BYTE_ORDER_MARK: char = '\u{feff}';

/// Where a text came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Origin {
    /// A file.
    File(AbsPath),
    /// The text given with `--settings`.
    Flag,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Origin::File(path) => f.write_str(&sanitized_path(path)),
            Origin::Flag => f.write_str("--settings"),
        }
    }
}

/// Why a settings file cannot be used.
#[derive(Debug, thiserror::Error)]
pub(crate) enum FileError {
    #[error("Invalid settings in `{origin}:{line}:{column}`: {what}")]
    Syntax { origin: Origin, line: usize, column: usize, what: String },
    #[error("Invalid settings in `{origin}`: they must be one JSON object, from `{{` to `}}`")]
    NotAnObject { origin: Origin },
    #[error("Settings file `{}` is not UTF-8: byte {at} is invalid", sanitized_path(.path))]
    NotUtf8 { path: AbsPath, at: usize },
    #[error("Settings file `{}` is not a file but {what}", sanitized_path(.path))]
    NotAFile { path: AbsPath, what: &'static str },
    #[error("Settings file `{}` is larger than {} MiB", sanitized_path(.path), MAX_SIZE >> 20)]
    TooLarge { path: AbsPath },
    #[error("Settings file `{}` is not used: {error}", sanitized_path(.path))]
    NotBelieved { path: AbsPath, error: ReadError },
    #[error("Cannot read the settings file `{}`: {error}", sanitized_path(.path))]
    Unreadable { path: AbsPath, error: std::io::Error },
}

/// What may be opened.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Accept {
    /// Files only: opening a pipe that somebody left there would wait for ever.
    Files,
    /// Pipes too: `--settings <(…)` is one.
    Pipes,
}

/// A value with the line it stands on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Node {
    pub(crate) line: usize,
    pub(crate) json: Json,
}

/// JSON without what settings never use: numbers stay as they were written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Json {
    Null,
    Bool(bool),
    Number(String),
    Text(String),
    List(Vec<Node>),
    Object(Vec<Property>),
}

impl Json {
    /// What it is, in words that follow "is".
    pub(crate) fn words(&self) -> &'static str {
        match self {
            Json::Null => "`null`",
            Json::Bool(_) => "a Boolean",
            Json::Number(_) => "a number",
            Json::Text(_) => "a string",
            Json::List(_) => "a list",
            Json::Object(_) => "an object",
        }
    }
}

/// A name and its value. The line is the name's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Property {
    pub(crate) name: String,
    pub(crate) line: usize,
    pub(crate) value: Node,
}

/// A file that was read, not yet parsed.
#[derive(Debug)]
pub(crate) struct FileContents {
    bytes: Vec<u8>,
    /// Which file it is, whatever name led to it.
    pub(crate) identity: Identity,
}

/// Device and number of a file.
pub(crate) type Identity = (u64, u64);

/// Reads a settings file; nothing if there is none.
pub(crate) fn read(path: &AbsPath, accept: Accept) -> Result<Option<Vec<Property>>, FileError> {
    match open(path, accept)? {
        Some(contents) => parse(contents.text(path)?, &Origin::File(path.clone())).map(Some),
        None => Ok(None),
    }
}

/// Opens and reads a file; nothing if there is none, which costs one system call.
pub(crate) fn open(path: &AbsPath, accept: Accept) -> Result<Option<FileContents>, FileError> {
    match accept {
        Accept::Files => open_file(path),
        Accept::Pipes => open_any(path),
    }
}

fn open_file(path: &AbsPath) -> Result<Option<FileContents>, FileError> {
    contents_of(path, read_bounded_start(path, MAX_SIZE))
}

/// Opens and reads a settings file of a project; nothing if there is none.
pub(crate) fn open_project(files: &ProjectFiles, path: &AbsPath) -> Result<Option<FileContents>, FileError> {
    contents_of(path, files.start(path, MAX_SIZE))
}

fn contents_of(
    path: &AbsPath,
    read: Result<FileStart, ReadError>,
) -> Result<Option<FileContents>, FileError> {
    match read {
        Ok(FileStart { truncated: true, .. }) => Err(FileError::TooLarge { path: path.clone() }),
        Ok(FileStart { bytes, identity, .. }) => Ok(Some(FileContents { bytes, identity })),
        Err(ReadError::Missing) => Ok(None),
        Err(ReadError::NotRegular) => {
            let what = if path.as_path().is_dir() { "a folder" } else { "a pipe or a device" };
            Err(FileError::NotAFile { path: path.clone(), what })
        }
        Err(error @ (ReadError::Outside(_) | ReadError::Owner(_) | ReadError::Writable)) => {
            Err(FileError::NotBelieved { path: path.clone(), error })
        }
        Err(error) => Err(FileError::Unreadable { path: path.clone(), error: error.into() }),
    }
}

/// What the person names on the command line may be a pipe, and is waited for.
fn open_any(path: &AbsPath) -> Result<Option<FileContents>, FileError> {
    let unreadable = |error| FileError::Unreadable { path: path.clone(), error };
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if is_absent(&error) => return Ok(None),
        Err(error) => return Err(unreadable(error)),
    };
    let found = file.metadata().map_err(unreadable)?;
    if found.is_dir() {
        return Err(FileError::NotAFile { path: path.clone(), what: "a folder" });
    }
    let mut bytes = Vec::new();
    file.take(MAX_SIZE + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > MAX_SIZE {
        return Err(FileError::TooLarge { path: path.clone() });
    }
    Ok(Some(FileContents { bytes, identity: (found.dev(), found.ino()) }))
}

impl FileContents {
    /// What stands in the file.
    pub(crate) fn text(&self, path: &AbsPath) -> Result<&str, FileError> {
        std::str::from_utf8(&self.bytes)
            .map_err(|error| FileError::NotUtf8 { path: path.clone(), at: error.valid_up_to() + 1 })
    }
}

/// No file, or a file where a folder on the way should be: both mean that there are no settings here.
pub(crate) fn is_absent(error: &std::io::Error) -> bool {
    matches!(error.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory)
}

/// Reads a settings text. An empty one, or one of comments only, has no settings.
pub(crate) fn parse(text: &str, origin: &Origin) -> Result<Vec<Property>, FileError> {
    let text = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
    let lines = Lines::of(text);
    if let Some(SyntaxViolation { at, what }) = first_violation(text) {
        let (line, column) = lines.place(text, at);
        return Err(FileError::Syntax { origin: origin.clone(), line, column, what });
    }
    let parsed = parse_to_ast(text, &CollectOptions::default(), &strict())
        .map_err(|error| broken(&error, text, origin))?;
    match parsed.value {
        None => Ok(Vec::new()),
        Some(ast::Value::Object(object)) => Ok(lines.properties(object)),
        Some(_) => Err(FileError::NotAnObject { origin: origin.clone() }),
    }
}

/// A text that the parser refused.
pub(crate) fn broken(error: &ParseError, text: &str, origin: &Origin) -> FileError {
    // Not the parser's own count, which takes a carriage return alone for the end of a line: one file, one count.
    let (line, column) = Lines::of(text).place(text, error.range().start);
    FileError::Syntax { origin: origin.clone(), line, column, what: explain(error, text) }
}

fn explain(error: &ParseError, text: &str) -> String {
    // Inside an object the parser knows only that a name was expected.
    let at_comma = text.get(error.range().start..).is_some_and(|rest| rest.starts_with(','));
    match error.kind() {
        ParseErrorKind::UnexpectedTokenInObject if at_comma => "extra comma".to_owned(),
        ParseErrorKind::TrailingCommasNotAllowed | ParseErrorKind::UnexpectedComma => {
            "extra comma".to_owned()
        }
        ParseErrorKind::ExpectedComma => "missing comma".to_owned(),
        ParseErrorKind::ExpectedStringObjectProperty | ParseErrorKind::UnexpectedTokenInObject => {
            "expected a name in double quotes".to_owned()
        }
        ParseErrorKind::SingleQuotedStringsNotAllowed => "strings must be in double quotes".to_owned(),
        ParseErrorKind::UnterminatedObject => "this `{` has no `}`".to_owned(),
        ParseErrorKind::UnterminatedArray => "this `[` has no `]`".to_owned(),
        ParseErrorKind::UnterminatedCommentBlock => "this `/*` has no `*/`".to_owned(),
        ParseErrorKind::String(ParseStringErrorKind::UnterminatedStringLiteral) => {
            "this string has no closing `\"`".to_owned()
        }
        ParseErrorKind::String(
            ParseStringErrorKind::InvalidEscape | ParseStringErrorKind::InvalidEscapeInDoubleQuoteString,
        ) => "invalid escape; write a backslash as `\\\\`".to_owned(),
        ParseErrorKind::String(ParseStringErrorKind::InvalidUnicodeEscapeSequence(_)) => {
            "this `\\u` is half a character; write the character itself".to_owned()
        }
        ParseErrorKind::MultipleRootJsonValues => "unexpected text after the end of the object".to_owned(),
        other => sanitized_sentence(&other.to_string()),
    }
}

/// The offsets at which lines begin, so that each value's line is one search away.
struct Lines(Vec<usize>);

impl Lines {
    fn of(text: &str) -> Self {
        Self(text.match_indices('\n').map(|(at, _)| at + 1).collect())
    }

    fn line(&self, offset: usize) -> usize {
        self.0.partition_point(|start| *start <= offset) + 1
    }

    /// Line and column, the latter in characters, as editors show them.
    fn place(&self, text: &str, offset: usize) -> (usize, usize) {
        let line = self.line(offset);
        let start = line.checked_sub(2).and_then(|before| self.0.get(before)).copied().unwrap_or_default();
        (line, text.get(start..offset).map_or(0, |before| before.chars().count()) + 1)
    }

    fn properties(&self, object: ast::Object<'_>) -> Vec<Property> {
        let property = |property: ast::ObjectProp<'_>| Property {
            line: self.line(property.range.start),
            name: property.name.into_string(),
            value: self.node(property.value),
        };
        object.properties.into_iter().map(property).collect()
    }

    /// Recursive, but the parser stops at 512 levels.
    fn node(&self, value: ast::Value<'_>) -> Node {
        let line = self.line(jsonc_parser::common::Ranged::start(&value));
        let json = match value {
            ast::Value::NullKeyword(_) => Json::Null,
            ast::Value::BooleanLit(literal) => Json::Bool(literal.value),
            ast::Value::NumberLit(literal) => Json::Number(literal.value.to_owned()),
            ast::Value::StringLit(literal) => Json::Text(literal.value.into_owned()),
            ast::Value::Array(array) => {
                Json::List(array.elements.into_iter().map(|element| self.node(element)).collect())
            }
            ast::Value::Object(object) => Json::Object(self.properties(object)),
        };
        Node { line, json }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn message(text: &str) -> String {
        parse(text, &Origin::Flag).unwrap_err().to_string()
    }

    #[test]
    fn what_is_broken_is_named_with_its_place() {
        for (text, expected) in [
            ("{\n  \"a\": 1,,\n}", "2:10`: extra comma"),
            ("{\"a\": 1,}", "1:8`: extra comma"),
            ("{\"a\": [1,, 2]}", "1:10`: extra comma"),
            ("{\n\"a\": 1\n\"b\": 2}", "missing comma"),
            ("{a: 1}", "1:2`: expected a name in double quotes"),
            ("{'a': 1}", "1:2`: strings must be in double quotes"),
            ("{\"a\": 1", "1:1`: this `{` has no `}`"),
            ("{\"a\": [1", "has no `]`"),
            ("{} {}", "1:4`: unexpected text after the end of the object"),
            ("{\"ä\": ,}", "1:7`: extra comma"),
            ("{\"a\": 0xff}", "hexadecimal"),
            ("{\"a\": \"b}", "1:7`: this string has no closing `\"`"),
            ("{\"a\": \"\\d\"}", "1:8`: invalid escape"),
            ("{\"a\": \"\\'\"}", "1:8`: invalid escape"),
            ("{\"a\": \"\\ud800\"}", "1:8`: this `\\u` is half a character"),
            ("{\n/* a }", "2:1`: this `/*` has no `*/`"),
            ("{\r\"a\"\r\n: 1,}", "2:4`: extra comma"),
            ("\u{feff}{\"ä\":\u{b}1}", "1:6`: U+000B is not valid whitespace"),
            ("{\n\"a\": \"ä\tb\"}", "2:8`: a tab inside a string"),
            ("[1]", "must be one JSON object"),
            ("\"text\"", "must be one JSON object"),
        ] {
            let message = message(text);
            assert!(message.contains(expected), "{text:?} gave {message}");
            assert!(message.starts_with("Invalid settings in `--settings"), "{message}");
        }
    }

    #[test]
    fn comments_a_byte_order_mark_and_nothing_at_all_are_fine() {
        for (text, names) in [
            ("", vec![]),
            ("// nothing yet\n", vec![]),
            ("{}", vec![]),
            ("\u{feff}{\"a\": null}", vec![("a", 1)]),
            ("{ // one\n \"a\": 1, /* two */\n \"b\": [true]\r\n}", vec![("a", 2), ("b", 3)]),
        ] {
            let found = parse(text, &Origin::Flag).unwrap();
            let found: Vec<_> =
                found.iter().map(|property| (property.name.as_str(), property.line)).collect();
            assert_eq!(found, names, "{text}");
        }
    }

    #[test]
    fn deep_nesting_is_an_error_and_no_crash() {
        assert!(message(&format!("{{\"a\": {}", "[".repeat(200_000))).contains("depth"));
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "[{}\\[\\]\",:a1/*\\\\\n\\-' ]{0,60}") {
            let _ = parse(&text, &Origin::Flag);
        }

        #[test]
        fn any_bytes_are_read_or_refused(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let folder = tempfile::tempdir().unwrap();
            let path = AbsPath::new(folder.path().join("settings.json")).unwrap();
            #[expect(clippy::disallowed_methods, reason = "a test's own file")]
            std::fs::write(&path, bytes).unwrap();
            let _ = read(&path, Accept::Files);
        }
    }
}
