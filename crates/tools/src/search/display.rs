//! Paths and numbers as the model reads them.

use std::borrow::Cow;
use std::fmt::Write;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use forelook_protocol::AbsPath;

/// Shows paths so that they can be given to Read as they are: relative below the current folder, else absolute.
#[derive(Debug, Clone)]
pub(crate) struct PathDisplay {
    folder: AbsPath,
}

impl PathDisplay {
    pub(crate) fn new(folder: AbsPath) -> Self {
        Self { folder }
    }

    /// A path in words.
    pub(crate) fn path<'a>(&self, path: &'a Path) -> Cow<'a, str> {
        match path.strip_prefix(self.folder.as_path()) {
            Ok(below) if below.as_os_str().is_empty() => Cow::Borrowed("."),
            // Else it would mean the home folder.
            Ok(below) if below.as_os_str().as_bytes().starts_with(b"~") => {
                Cow::Owned(format!("./{}", name(below)))
            }
            Ok(below) => name(below),
            Err(_) => name(path),
        }
    }
}

/// A name on one line: as it is, or quoted as git does when it has control characters or is no UTF-8.
fn name(path: &Path) -> Cow<'_, str> {
    if let Some(text) = path.to_str()
        && !text.chars().any(char::is_control)
    {
        return Cow::Borrowed(text);
    }
    let mut quoted = String::from("\"");
    for chunk in path.as_os_str().as_bytes().utf8_chunks() {
        chunk.valid().chars().for_each(|char| push_quoted(&mut quoted, char));
        for byte in chunk.invalid() {
            let _ = write!(quoted, "\\{byte:03o}");
        }
    }
    quoted.push('"');
    Cow::Owned(quoted)
}

fn push_quoted(quoted: &mut String, char: char) {
    match char {
        '\n' => quoted.push_str("\\n"),
        '\t' => quoted.push_str("\\t"),
        '\r' => quoted.push_str("\\r"),
        '"' | '\\' => quoted.extend(['\\', char]),
        control if control.is_control() => {
            for byte in control.encode_utf8(&mut [0; 4]).bytes() {
                let _ = write!(quoted, "\\{byte:03o}");
            }
        }
        plain => quoted.push(plain),
    }
}

/// A number with its thousands apart: `12,345`.
pub(crate) fn number(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A number of things: `1 file`, `12,345 files`.
pub(crate) fn plural(count: u64, one: &str, many: &str) -> String {
    format!("{} {}", number(count), if count == 1 { one } else { many })
}

#[cfg(test)]
mod tests {
    use std::ffi::OsStr;

    use super::*;

    #[test]
    fn paths_stay_on_their_line() {
        let shown = PathDisplay::new(AbsPath::new("/p/sub").unwrap());
        for (path, expected) in [
            (&b"/p/sub/a b.rs"[..], "a b.rs"),
            (b"/p/sub/x/\xc3\xa9", "x/\u{e9}"),
            (b"/p/sub", "."),
            (b"/p/sub/~/x", "./~/x"),
            (b"/p/subway/x", "/p/subway/x"),
            (b"/p/other", "/p/other"),
            (b"/p/sub/a\nb\"\\\x1b[31m", r#""a\nb\"\\\033[31m""#),
            (b"/p/sub/caf\xe9", r#""caf\351""#),
            (b"/p/sub/\xc2\x85", r#""\302\205""#),
        ] {
            let path = Path::new(OsStr::from_bytes(path));
            assert_eq!(shown.path(path), expected);
        }
    }

    #[test]
    fn numbers_have_their_thousands_apart() {
        for (count, expected) in [(0, "0"), (999, "999"), (1000, "1,000"), (1_234_567, "1,234,567")] {
            assert_eq!(number(count), expected);
        }
        assert_eq!(plural(1, "file", "files"), "1 file");
        assert_eq!(plural(1000, "file", "files"), "1,000 files");
    }
}
