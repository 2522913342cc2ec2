//! Patterns of names, as bytes of whole paths are held against them.

use std::path::Path;

use forelook_protocol::AbsPath;
use globset::{Candidate, ErrorKind, GlobBuilder, GlobSet};

use crate::typed::ToolFailure;

/// A longer pattern is none that a person would write.
const MAX_PATTERN: usize = 4096;
/// Braces in braces; each level is a call in a call where patterns are read.
const MAX_DEPTH: usize = 20;

/// A pattern, ready to be held against the paths below a folder.
#[derive(Debug)]
pub(crate) struct Globs {
    /// Each with the byte of a path where the part begins that it is held against.
    any: Vec<(GlobSet, usize)>,
    /// Whether what matches is left out.
    excludes: bool,
}

impl Globs {
    /// A pattern below `folder`. One that is not anchored matches at any depth.
    pub(crate) fn below(folder: &AbsPath, pattern: &str, anchored: bool) -> Result<Self, ToolFailure> {
        let set = if anchored { compile(pattern)? } else { compile(&format!("**/{pattern}"))? };
        Ok(Self { any: vec![(set, below(folder.as_path()))], excludes: false })
    }

    /// The filter of a search in `root`: a name at any depth (`*.rs`), or a path that begins in `root` or in the
    /// current folder, since models mean either. With `!` before it, it says what to leave out.
    pub(crate) fn filter(text: &str, root: &AbsPath, current: &AbsPath) -> Result<Self, ToolFailure> {
        let (excludes, pattern) = match text.strip_prefix('!') {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        let pattern = pattern.strip_prefix("./").unwrap_or(pattern);
        let whole = if pattern.ends_with('/') { format!("{pattern}**") } else { pattern.to_owned() };
        let inside = whole.trim_start_matches('/');
        if !whole.contains('/') {
            return Ok(Self { excludes, ..Self::below(root, &whole, false)? });
        }
        let set = compile(inside)?;
        let mut any = vec![(set.clone(), below(root.as_path()))];
        if root != current && root.is_inside(current) {
            any.push((set, below(current.as_path())));
        }
        if whole.starts_with('/') {
            any.push((compile(&whole)?, 0));
        }
        Ok(Self { any, excludes })
    }

    /// Whether a file is wanted.
    pub(crate) fn keeps_file(&self, path: &[u8]) -> bool {
        self.matches(path) != self.excludes
    }

    /// Whether a folder may have something that is wanted.
    pub(crate) fn keeps_folder(&self, path: &[u8]) -> bool {
        !self.excludes || !self.matches(path)
    }

    fn matches(&self, path: &[u8]) -> bool {
        self.any.iter().any(|(set, from)| {
            path.get(*from..).is_some_and(|part| set.is_match_candidate(&Candidate::from_bytes(part)))
        })
    }
}

/// Where the name of what lies in a folder begins, in bytes of its path.
fn below(folder: &Path) -> usize {
    match folder.as_os_str().len() {
        1 => 1,
        length => length + 1,
    }
}

/// Whether a part of a pattern means just itself.
pub(crate) fn is_plain(part: &str) -> bool {
    !part.contains(['*', '?', '[', ']', '{', '}', '\\'])
}

fn compile(pattern: &str) -> Result<GlobSet, ToolFailure> {
    let bad = |what: &str| {
        let pattern = crate::output::shorten(pattern.strip_prefix("**/").unwrap_or(pattern), 200);
        ToolFailure::new(format!("`{pattern}` is not a valid name pattern: {what}"))
    };
    if pattern.len() > MAX_PATTERN || depth(pattern) > MAX_DEPTH {
        return Err(bad("it is too long or nested too deeply\nSend a shorter one, or several calls"));
    }
    let glob = GlobBuilder::new(pattern).literal_separator(true).empty_alternates(true).build();
    let set = glob.and_then(|glob| GlobSet::builder().add(glob).build());
    set.map_err(|error| {
        bad(match error.kind() {
            ErrorKind::UnclosedClass => "`[` has no `]`\nTo match the character itself, write `\\[`",
            ErrorKind::UnclosedAlternates => "`{` has no `}`\nTo match the character itself, write `\\{`",
            ErrorKind::UnopenedAlternates => "`}` has no `{`\nTo match the character itself, write `\\}`",
            ErrorKind::InvalidRange(..) => {
                "a range such as `[a-z]` is backwards\nPut the lower character first"
            }
            ErrorKind::DanglingEscape => "it ends with a `\\`, which escapes nothing\nRemove it or double it",
            _ => "it is too large\nSend a shorter one, or several calls",
        })
    })
}

/// How deep braces lie in braces.
fn depth(pattern: &str) -> usize {
    let (mut now, mut most) = (0usize, 0);
    for byte in pattern.bytes() {
        match byte {
            b'{' => now += 1,
            b'}' => now = now.saturating_sub(1),
            _ => {}
        }
        most = most.max(now);
    }
    most
}

#[cfg(test)]
mod tests {
    use super::*;

    fn abs(path: &str) -> AbsPath {
        AbsPath::new(path).unwrap()
    }

    #[test]
    fn what_a_filter_keeps() {
        let (root, current) = (abs("/p/src"), abs("/p"));
        for (filter, path, expected) in [
            ("*.rs", "/p/src/a.rs", true),
            ("*.rs", "/p/src/deep/a.rs", true),
            ("*.rs", "/p/src/a.rs/b", false),
            ("*.{ts,tsx}", "/p/src/x/a.tsx", true),
            ("deep/*.rs", "/p/src/deep/a.rs", true),
            ("deep/*.rs", "/p/src/x/deep/a.rs", false),
            ("**/deep/*.rs", "/p/src/x/deep/a.rs", true),
            ("src/**/*.rs", "/p/src/x/a.rs", true),
            ("./deep/*.rs", "/p/src/deep/a.rs", true),
            ("/p/src/*.rs", "/p/src/a.rs", true),
            ("/deep/*.rs", "/p/src/deep/a.rs", true),
            ("deep/", "/p/src/deep/x/a.rs", true),
            ("!*.rs", "/p/src/a.rs", false),
            ("!*.rs", "/p/src/a.ts", true),
            ("[", "/p/src/[", false),
        ] {
            let kept = Globs::filter(filter, &root, &current).map(|globs| globs.keeps_file(path.as_bytes()));
            assert_eq!(kept.unwrap_or(false), expected, "{filter} {path}");
        }
        let filter = Globs::filter("!deep", &root, &current).unwrap();
        assert!(!filter.keeps_folder(b"/p/src/x/deep") && filter.keeps_folder(b"/p/src/x"));
        let filter = Globs::filter("*.rs", &root, &current).unwrap();
        assert!(filter.keeps_folder(b"/p/src/x"));
        let at_top = Globs::filter("etc/*", &abs("/"), &abs("/p")).unwrap();
        assert!(at_top.keeps_file(b"/etc/passwd"));
    }

    #[test]
    fn bad_patterns_say_what_to_write() {
        let folder = abs("/p");
        let text = |pattern: &str| Globs::below(&folder, pattern, false).unwrap_err().text;
        for (pattern, part) in [
            ("[a", "`\\[`"),
            ("{a", "`\\{`"),
            ("a}", "`\\}`"),
            ("[z-a]", "lower character first"),
            ("a\\", "double it"),
        ] {
            assert!(
                text(pattern).starts_with(&format!("`{pattern}` is not a valid name pattern")),
                "{}",
                text(pattern)
            );
            assert!(text(pattern).contains(part), "{}", text(pattern));
        }
    }

    #[test]
    fn bombs_are_refused_or_harmless() {
        let folder = abs("/p");
        for bomb in ["{a,b}".repeat(10_000), "{".repeat(1000) + &"}".repeat(1000), "a".repeat(5000)] {
            let text = Globs::below(&folder, &bomb, true).unwrap_err().text;
            assert!(text.len() < 1000 && text.contains("shorter"), "{text}");
        }
        // These are slow where patterns are tried by going back; here they are just read through.
        let name = format!("/p/{}", "a".repeat(250));
        for bomb in ["{a,b}".repeat(800), "*a".repeat(100) + "b", "**/".repeat(500) + "b", "?*".repeat(500)] {
            if let Ok(globs) = Globs::below(&folder, &bomb, true) {
                assert!(!globs.keeps_file(name.as_bytes()) || bomb.contains('?'), "{bomb}");
            }
        }
    }
}
