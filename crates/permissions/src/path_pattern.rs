//! What stands in `Read(…)` and `Edit(…)`: patterns as in `.gitignore`, with four places they can start from.
//!
//! | form | relative to |
//! |---|---|
//! | `//etc/hosts` | the root of the file system |
//! | `~/notes` | the person's home folder |
//! | `/src/**` | where the rule is written: the project for its settings, the home folder of the program for the person's |
//! | `src/**`, `./src` | the working folder |
//!
//! A pattern without an inner slash (`*.pem`) matches at any depth; one that matches a folder matches all in it.

use forelook_protocol::AbsPath;
use globset::{Glob, GlobBuilder, GlobMatcher};
use std::sync::OnceLock;

/// The most wildcards of one pattern: a glob of thousands takes longer to match than a decision may.
const MAX_WILDCARDS: usize = 32;

/// The longest pattern, for the same reason.
const MAX_LENGTH: usize = 512;

/// A pattern for files.
#[derive(Debug, Clone)]
pub struct PathPattern {
    anchor: Anchor,
    /// How many folders above the anchor it starts.
    up: usize,
    globs: Vec<Glob>,
    /// Made when it is first needed: of a thousand rules most are never looked at.
    matchers: OnceLock<Vec<GlobMatcher>>,
    text: String,
}

/// What a pattern is relative to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Anchor {
    Root,
    Home,
    RuleFile,
    Working,
}

/// The folders that patterns are relative to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PatternBases {
    /// The person's home folder.
    pub home: Option<AbsPath>,
    /// The working folder.
    pub working: AbsPath,
    /// Where the rule is written.
    pub written: AbsPath,
}

impl PartialEq for PathPattern {
    fn eq(&self, other: &Self) -> bool {
        self.text == other.text
    }
}

impl Eq for PathPattern {}

impl PathPattern {
    /// Reads a pattern.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        if text.contains('\0') {
            return Err("a path cannot contain a NUL byte".to_owned());
        }
        if text.len() > MAX_LENGTH {
            return Err(format!("a path pattern cannot have more than {MAX_LENGTH} bytes"));
        }
        if text.matches(['*', '?', '[', '{']).count() > MAX_WILDCARDS {
            return Err(format!("a path pattern cannot have more than {MAX_WILDCARDS} wildcards"));
        }
        let (anchor, rest) = split_anchor(text);
        let rest = &without_dots(rest);
        let (up, rest) = climb(rest);
        if up > 0 && anchor != Anchor::Working {
            return Err("only paths relative to the working directory can begin with `..`".to_owned());
        }
        if rest.split('/').any(|part| part == "..") {
            return Err("`..` can appear only at the beginning".to_owned());
        }
        // `./x` and `/x` are fixed to their folder; a bare `x` is found at any depth.
        let fixed = anchor != Anchor::Working || text.starts_with("./") || up > 0;
        Ok(Self { anchor, up, globs: globs(rest, fixed)?, matchers: OnceLock::new(), text: text.to_owned() })
    }

    /// Whether this path is meant.
    pub fn matches(&self, path: &AbsPath, bases: &PatternBases) -> bool {
        let Some(base) = self.base(bases) else { return false };
        let Ok(relative) = path.as_path().strip_prefix(base.as_path()) else { return false };
        let matchers = self.matchers.get_or_init(|| self.globs.iter().map(Glob::compile_matcher).collect());
        matchers.iter().any(|glob| glob.is_match(relative))
    }

    /// As it was written.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// The globs, relative to [`PathPattern::base`]; one that matches is enough.
    pub(crate) fn globs(&self) -> &[Glob] {
        &self.globs
    }

    /// What everything that the pattern matches lies in, or is, as far as it names it.
    pub(crate) fn base_path(&self, bases: &PatternBases) -> Option<AbsPath> {
        let shortest = self.globs.iter().map(Glob::glob).min_by_key(|glob| glob.len())?;
        let named = shortest.split('/').take_while(|part| !part.contains(['*', '?', '[', '{', '\\']));
        Some(named.fold(self.base(bases)?, |place, part| place.join(part)))
    }

    /// The folder that the pattern starts from; nothing if there is no such folder.
    pub(crate) fn base(&self, bases: &PatternBases) -> Option<AbsPath> {
        let mut base = match self.anchor {
            Anchor::Root => AbsPath::new("/").ok()?,
            Anchor::Home => bases.home.clone()?,
            Anchor::RuleFile => bases.written.clone(),
            Anchor::Working => bases.working.clone(),
        };
        for _ in 0..self.up {
            base = base.parent().unwrap_or(base);
        }
        Some(base)
    }
}

fn split_anchor(text: &str) -> (Anchor, &str) {
    if let Some(rest) = text.strip_prefix("//") {
        (Anchor::Root, rest)
    } else if text == "~" {
        (Anchor::Home, "**")
    } else if let Some(rest) = text.strip_prefix("~/") {
        (Anchor::Home, rest)
    } else if let Some(rest) = text.strip_prefix('/') {
        (Anchor::RuleFile, rest)
    } else {
        (Anchor::Working, text.strip_prefix("./").unwrap_or(text))
    }
}

/// `a/./b` and `a//b` are `a/b`: paths are compared with what they lead to.
fn without_dots(text: &str) -> String {
    let last = text.split('/').count().saturating_sub(1);
    // An empty last step says that a folder is meant.
    let steps = text.split('/').enumerate();
    let kept = steps.filter(|(index, step)| *step != "." && (!step.is_empty() || *index == last));
    kept.map(|(_, step)| step).collect::<Vec<_>>().join("/")
}

fn climb(mut text: &str) -> (usize, &str) {
    let mut up = 0;
    while let Some(rest) = text.strip_prefix("../") {
        text = rest;
        up += 1;
    }
    if text == ".." { (up + 1, "**") } else { (up, text) }
}

fn globs(pattern: &str, fixed: bool) -> Result<Vec<Glob>, String> {
    let folder_only = pattern.ends_with('/');
    let pattern = pattern.trim_end_matches('/');
    let pattern = if pattern.is_empty() || pattern == "." { "**" } else { pattern };
    let anywhere = !fixed && !pattern.contains('/');
    let pattern = if anywhere { format!("**/{pattern}") } else { pattern.to_owned() };
    let mut all = vec![format!("{pattern}/**")];
    if !folder_only {
        all.push(pattern);
    }
    let build = |glob: String| {
        let built = GlobBuilder::new(&glob).literal_separator(true).backslash_escape(true).build();
        built.map_err(|error| format!("invalid glob: {}", error.kind()))
    };
    all.into_iter().map(build).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(text: &str) -> AbsPath {
        AbsPath::new(text).unwrap()
    }

    #[test]
    fn forms() {
        let bases =
            PatternBases { home: Some(path("/home/ada")), working: path("/p/sub"), written: path("/p") };
        for (pattern, yes, no) in [
            ("//etc/hosts", &["/etc/hosts"][..], &["/p/sub/etc/hosts", "/etc/hosts2"][..]),
            ("~/.ssh/**", &["/home/ada/.ssh/id", "/home/ada/.ssh/a/b"], &["/home/eve/.ssh/id"]),
            ("~/.zshrc", &["/home/ada/.zshrc"], &["/home/ada/x/.zshrc"]),
            ("/src/**", &["/p/src/a", "/p/src/a/b"], &["/p/sub/src/a", "/p/srcx/a"]),
            ("src/**", &["/p/sub/src/a"], &["/p/src/a", "/p/sub/x/src/a"]),
            ("*.pem", &["/p/sub/a.pem", "/p/sub/x/y/a.pem", "/p/sub/dir.pem/inside"], &["/p/a.pem"]),
            ("./*.pem", &["/p/sub/a.pem"], &["/p/sub/x/a.pem"]),
            ("build/", &["/p/sub/build/x", "/p/sub/a/build/x"], &["/p/sub/build"]),
            ("docs", &["/p/sub/docs", "/p/sub/docs/a/b", "/p/sub/x/docs/a"], &["/p/sub/docs2"]),
            ("../other/*.rs", &["/p/other/a.rs"], &["/p/other/x/a.rs", "/p/sub/other/a.rs"]),
            ("..", &["/p/x", "/p/sub/y"], &["/q"]),
            ("//**", &["/anything", "/at/all"], &[]),
            ("**", &["/p/sub/x"], &["/p/x"]),
            (".env", &["/p/sub/.env", "/p/sub/a/.env"], &["/p/sub/.env.example"]),
            ("a?c", &["/p/sub/abc"], &["/p/sub/a/c"]),
            ("./private/./notes", &["/p/sub/private/notes"], &["/p/sub/x/private/notes"]),
            ("private//notes", &["/p/sub/private/notes"], &["/p/sub/notes"]),
            ("~/./.zshrc", &["/home/ada/.zshrc"], &["/home/ada/x/.zshrc"]),
            ("././*.pem", &["/p/sub/a.pem"], &["/p/sub/x/a.pem"]),
            ("./../other/x", &["/p/other/x"], &["/p/sub/other/x"]),
            ("private/.", &["/p/sub/private", "/p/sub/private/a"], &["/p/sub/private2"]),
        ] {
            let parsed = PathPattern::parse(pattern).unwrap();
            for text in yes {
                assert!(parsed.matches(&path(text), &bases), "{pattern} should match {text}");
            }
            for text in no {
                assert!(!parsed.matches(&path(text), &bases), "{pattern} should not match {text}");
            }
        }
    }

    #[test]
    fn where_to_look() {
        let bases =
            PatternBases { home: Some(path("/home/ada")), working: path("/p/sub"), written: path("/p") };
        for (pattern, place) in [
            ("//etc/secrets", "/etc/secrets"),
            ("~/private/**", "/home/ada/private"),
            ("~/a/*/b", "/home/ada/a"),
            ("/keys/", "/p/keys"),
            ("*.sql", "/p/sub"),
            ("../other/x", "/p/other/x"),
        ] {
            let parsed = PathPattern::parse(pattern).unwrap();
            assert_eq!(parsed.base_path(&bases), Some(path(place)), "{pattern}");
        }
    }

    #[test]
    fn without_a_home_nothing_of_it_matches() {
        let bases = PatternBases { home: None, working: path("/p"), written: path("/p") };
        assert!(!PathPattern::parse("~/x").unwrap().matches(&path("/x"), &bases));
    }
}
