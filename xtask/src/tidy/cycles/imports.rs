//! What one source file names at the root of its crate: `crate::x`, and `super::x` that climbs so far.

use crate::tidy::code::code_only;

/// What a file says about the modules of its crate.
#[derive(Debug, Default, PartialEq)]
pub(super) struct Imports {
    /// Names at the root, in the order of the text. Not all are modules: the root has types, too.
    pub(super) named: Vec<ImportedName>,
    /// Modules that the file declares for tests only and that have files of their own.
    pub(super) test_modules: Vec<String>,
}

/// A name at the root of the crate, and where it is used.
#[derive(Debug, PartialEq)]
pub(super) struct ImportedName {
    pub(super) name: String,
    pub(super) line: usize,
}

/// A word, `::`, or any other character.
#[derive(Clone, Copy)]
struct Token<'a> {
    text: &'a str,
    line: usize,
}

/// Reads a file that lies `depth` modules below the root.
pub(super) fn read(text: &str, depth: usize) -> Imports {
    let code = code_only(text);
    let (tokens, test_modules) = without_tests(&tokens(&code));
    Imports { named: named(&tokens, depth), test_modules }
}

fn tokens(code: &str) -> Vec<Token<'_>> {
    let mut found = Vec::new();
    for (at, line) in code.lines().enumerate() {
        let mut rest = line.trim_start();
        while !rest.is_empty() {
            let (text, after) = rest.split_at_checked(token_length(rest)).unwrap_or((rest, ""));
            found.push(Token { text, line: at + 1 });
            rest = after.trim_start();
        }
    }
    found
}

fn token_length(text: &str) -> usize {
    if text.starts_with("::") {
        return 2;
    }
    let word = text.find(|char: char| !char.is_alphanumeric() && char != '_').unwrap_or(text.len());
    if word > 0 { word } else { text.chars().next().map_or(0, char::len_utf8) }
}

/// The tokens outside of `#[cfg(test)]` items, and the modules among those items that are files.
fn without_tests<'a>(tokens: &[Token<'a>]) -> (Vec<Token<'a>>, Vec<String>) {
    let (mut kept, mut modules) = (Vec::new(), Vec::new());
    let mut rest = tokens;
    while let Some((first, after)) = rest.split_first() {
        let Some(marked) = after_test_mark(rest) else {
            kept.push(*first);
            rest = after;
            continue;
        };
        let (item, behind) = marked.split_at(item_length(marked));
        if let [.., word, name, end] = item
            && (word.text, end.text) == ("mod", ";")
        {
            modules.push(name.text.to_owned());
        }
        rest = behind;
    }
    (kept, modules)
}

fn after_test_mark<'t, 'a>(tokens: &'t [Token<'a>]) -> Option<&'t [Token<'a>]> {
    const MARK: [&str; 7] = ["#", "[", "cfg", "(", "test", ")", "]"];
    let (mark, after) = tokens.split_at_checked(MARK.len())?;
    mark.iter().map(|token| token.text).eq(MARK).then_some(after)
}

/// How many tokens the item has that begins here. A comma ends it as well, since a field or a variant
/// can be marked: in doubt too little is passed over, and the rest is judged.
fn item_length(tokens: &[Token<'_>]) -> usize {
    let mut open = 0_usize;
    for (at, token) in tokens.iter().enumerate() {
        match token.text {
            "(" | "[" | "{" => open += 1,
            ")" | "]" | "}" if open == 0 => return at,
            "}" if open == 1 => return at + 1,
            ")" | "]" | "}" => open -= 1,
            ";" | "," if open == 0 => return at + 1,
            _ => {}
        }
    }
    tokens.len()
}

fn named(tokens: &[Token<'_>], depth: usize) -> Vec<ImportedName> {
    let mut found = Vec::new();
    // For each open brace, whether it is that of a module: `super` climbs out of this one first.
    let mut braces: Vec<bool> = Vec::new();
    let (mut before_last, mut last) = ("", "");
    for (at, token) in tokens.iter().enumerate() {
        match token.text {
            "{" => braces.push(before_last == "mod"),
            "}" => drop(braces.pop()),
            "crate" | "super" | "self" if last != "::" => {
                let inner = braces.iter().filter(|module| **module).count();
                follow(tokens.get(at..).unwrap_or_default(), depth + inner, &mut found);
            }
            _ => {}
        }
        (before_last, last) = (last, token.text);
    }
    found
}

/// Follows a path, and each branch of a group, from a place `depth` modules below the root.
fn follow(path: &[Token<'_>], depth: usize, found: &mut Vec<ImportedName>) {
    let Some((first, after)) = path.split_first() else { return };
    let depth = match first.text {
        "crate" => 0,
        "self" => depth,
        // To climb beyond the root does not compile.
        "super" => depth.saturating_sub(1),
        "{" => return branches(after).into_iter().for_each(|branch| follow(branch, depth, found)),
        name if depth == 0 => {
            return found.push(ImportedName { name: name.to_owned(), line: first.line });
        }
        _ => return,
    };
    if let Some((colons, rest)) = after.split_first()
        && colons.text == "::"
    {
        follow(rest, depth, found);
    }
}

/// Where each branch of a group begins, whose brace has just been opened.
fn branches<'t, 'a>(group: &'t [Token<'a>]) -> Vec<&'t [Token<'a>]> {
    let mut found = vec![group];
    let mut open = 0_usize;
    for (at, token) in group.iter().enumerate() {
        match token.text {
            "{" => open += 1,
            "}" if open == 0 => break,
            "}" => open -= 1,
            "," if open == 0 => found.extend(group.get(at + 1..)),
            _ => {}
        }
    }
    found.retain(|branch| branch.first().is_some_and(|token| token.text != "}"));
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `expected` has `name:line` for each name at the root.
    fn check(depth: usize, text: &str, expected: &[&str]) {
        let found: Vec<String> =
            read(text, depth).named.iter().map(|it| format!("{}:{}", it.name, it.line)).collect();
        assert_eq!(found, expected, "{text}");
    }

    #[test]
    fn every_way_to_write_a_path_is_read() {
        for (text, expected) in [
            ("use crate::a;", &["a:1"][..]),
            ("pub(crate) use crate::a::B as C;", &["a:1"]),
            ("use crate::{a::B, c};", &["a:1", "c:1"]),
            ("use crate::{\n    a::{B, c::{D, e}},\n    f,\n};", &["a:2", "f:3"]),
            ("use crate::{{a, b}, c};", &["a:1", "b:1", "c:1"]),
            ("use {crate::a, crate::b::C};", &["a:1", "b:1"]),
            ("use crate\n    ::a\n    ::B;", &["a:2"]),
            ("fn f() -> crate::a::B { crate::b::c() }", &["a:1", "b:1"]),
            ("fn f(x: &'a crate::a::B<crate::b::C>) {}", &["a:1", "b:1"]),
            ("use crate::{self as root, a};", &["a:1"]),
            ("use other::crate_::a; use std::a;", &[]),
            ("pub(crate) fn f(self) { self.a(); Self::b() }", &[]),
        ] {
            check(1, text, expected);
        }
    }

    #[test]
    fn super_counts_where_it_climbs_to_the_root() {
        for (depth, text, expected) in [
            (1, "use super::a::B;", &["a:1"][..]),
            (1, "use super::{a::B, c};", &["a:1", "c:1"]),
            (1, "use self::super::a;", &["a:1"]),
            (1, "use self::a;", &[]),
            (2, "use super::a::B;", &[]),
            (2, "use super::super::a::B;", &["a:1"]),
            (2, "use super::{super::a::B, c};", &["a:1"]),
            (1, "mod inner { use super::a; use super::super::b; } use super::c;", &["b:1", "c:1"]),
            (1, "fn f() { super::a::b() }", &["a:1"]),
            (1, "pub(super) fn f() {}", &[]),
        ] {
            check(depth, text, expected);
        }
    }

    #[test]
    fn comments_strings_and_tests_do_not_count() {
        for (text, expected) in [
            ("//! [`crate::a`]\n/* crate::b */ use crate::c;", &["c:2"][..]),
            ("let text = \"crate::a\"; let raw = r#\"crate::b\"#;", &[]),
            ("#[cfg(test)]\nmod tests {\n use crate::a;\n fn f() { crate::b() }\n}\nuse crate::c;", &["c:6"]),
            ("#[cfg(test)]\n#[expect(x, reason = \"y\")]\nmod tests { use crate::a; }", &[]),
            ("#[cfg(test)]\nmod tests;\nuse crate::a;", &["a:3"]),
            ("#[cfg(test)]\nuse crate::{a, b};\nuse crate::c;", &["c:3"]),
            ("struct A {\n #[cfg(test)]\n a: crate::a::A,\n b: crate::b::B,\n}", &["b:4"]),
            ("struct A {\n #[cfg(test)]\n a: crate::a::A\n}\nuse crate::b;", &["b:5"]),
            ("#[cfg(not(test))]\nuse crate::a;", &["a:2"]),
        ] {
            check(1, text, expected);
        }
    }

    #[test]
    fn test_modules_with_files_of_their_own_are_named() {
        let text = "mod a;\n#[cfg(test)]\nmod b;\n#[cfg(test)]\npub(crate) mod c;\n#[cfg(test)]\nmod d {}";
        assert_eq!(read(text, 0).test_modules, ["b", "c"]);
    }
}
