//! `find`: starting points, tests, and the actions that write or run.

use crate::judge::command::Context;
use crate::judge::finding::Finding;
use crate::judge::folder::Place;
use crate::judge::options::looks_like_option;
use crate::judge::walk;
use crate::table::{Arity, CommandSpec, FlagRole};
use crate::types::{PathTarget, ShellEffect, Word, WordValue};

/// Actions that write or run something.
const ACTIONS: &[&str] =
    &["-exec", "-execdir", "-ok", "-okdir", "-delete", "-fprint", "-fprint0", "-fls", "-fprintf"];

/// What is known of every path that is found.
pub(crate) struct FoundPaths {
    /// How it begins, if it cannot lead out of there.
    prefix: Option<String>,
    /// It does not begin with a dash.
    plain: bool,
}

/// Reads the starting points.
fn found(args: &[Word]) -> FoundPaths {
    let links = |w: &Word| matches!(w.literal(), Some("-L" | "-H" | "-follow" | "-files0-from"));
    let options = args.iter().take_while(|w| matches!(w.literal(), Some("-H" | "-L" | "-P"))).count();
    let begins =
        |w: &&Word| w.literal().is_none_or(|t| !(t.starts_with('-') || matches!(t, "(" | ")" | "!" | ",")));
    let starts: Vec<&Word> = args.iter().skip(options).take_while(begins).collect();
    let prefix = match starts.as_slice() {
        _ if args.iter().any(links) => None,
        [] => Some("./".to_owned()),
        [one] => one.literal().map(|t| if matches!(t, "." | "..") { format!("{t}/") } else { t.to_owned() }),
        _ => None,
    };
    FoundPaths { prefix, plain: !args.iter().any(|w| w.literal().is_none() && w.may_be_option()) }
}

/// What `find … -print0` prints, if it prints nothing else.
pub(crate) fn printed(args: &[Word]) -> Option<WordValue> {
    let literals: Vec<&str> = args.iter().filter_map(Word::literal).collect();
    let prints = literals.contains(&"-print0");
    let else_prints = |t: &&str| ACTIONS.contains(t) || matches!(*t, "-print" | "-printf" | "-ls");
    let found = found(args);
    let only = prints && found.plain && !literals.iter().any(else_prints);
    only.then(|| WordValue::Many {
        contained: found.prefix.is_some(),
        prefix: found.prefix.unwrap_or_default(),
        plain: true,
    })
}

/// What `git ls-files -z` prints below the paths that it is given. Without any, or with a pattern at the beginning, a name
/// may begin with a dash.
pub(crate) fn tracked(args: &[Word]) -> Option<WordValue> {
    const PLAIN: &[&str] =
        &["-z", "-c", "-m", "-o", "--cached", "--modified", "--others", "--exclude-standard", "--"];
    let texts: Vec<&str> = args.iter().map(Word::literal).collect::<Option<_>>()?;
    let (options, paths): (Vec<&str>, Vec<&str>) = texts.iter().partition(|text| text.starts_with('-'));
    let known = options.contains(&"-z") && options.iter().all(|option| PLAIN.contains(option));
    let named = |path: &&str| path.starts_with(|c: char| c.is_ascii_alphanumeric());
    if !known || paths.is_empty() || !paths.iter().all(named) {
        return None;
    }
    let prefix = match paths.as_slice() {
        [one] if !one.contains("..") => one.split(['*', '?', '[', '\\']).next().unwrap_or_default(),
        _ => "",
    };
    Some(WordValue::Many { prefix: prefix.to_owned(), plain: true, contained: !prefix.is_empty() })
}

pub(super) fn judge(spec: &CommandSpec, args: &[Word], context: Context<'_>) -> Finding {
    let mut finding = Finding::read_only();
    let mut parser = FindParser { spec, context, found: found(args), finding: &mut finding };
    let mut rest = args;
    while let Some((word, after)) = rest.split_first() {
        rest = parser.step(word, after);
    }
    finding
}

struct FindParser<'a, 'f> {
    spec: &'a CommandSpec,
    context: Context<'a>,
    found: FoundPaths,
    finding: &'f mut Finding,
}

impl FindParser<'_, '_> {
    /// Judges one word; answers what is left after it and its values.
    fn step<'w>(&mut self, word: &'w Word, after: &'w [Word]) -> &'w [Word] {
        if !word.may_be_option() {
            if !matches!(word.literal(), Some("(" | ")" | "!" | ",")) {
                let known = Some(word.target()).filter(|path| *path != PathTarget::Somewhere);
                self.finding.effects.extend(known.map(|path| ShellEffect::Read { path }));
            }
            return after;
        }
        let Some(text) = word.literal() else {
            self.finding.special_options.push(word.text.clone());
            self.finding.mark_unknown(format!("`{}` could be a `find` action", word.text));
            return after;
        };
        if ACTIONS.contains(&text) {
            self.finding.special_options.push(text.to_owned());
        }
        match text {
            "-exec" | "-ok" => self.exec(after, self.context.place),
            "-execdir" | "-okdir" => self.exec(after, &Place::elsewhere()),
            "-delete" => {
                let path = match &self.found.prefix {
                    Some(prefix) => PathTarget::Begins(prefix.clone()),
                    None => PathTarget::Somewhere,
                };
                self.finding.write(path, "`find -delete` removes files");
                after
            }
            "-fprint" | "-fprint0" | "-fls" => self.writes(text, after, 1),
            "-fprintf" => self.writes(text, after, 2),
            _ => self.test(text, after),
        }
    }

    fn writes<'w>(&mut self, action: &str, after: &'w [Word], count: usize) -> &'w [Word] {
        match after.first() {
            Some(file) => {
                self.finding.write(file.target(), format!("`find {action}` writes to `{}`", file.shown()))
            }
            None => self.finding.mark_unknown(format!("`find {action}` is missing its file")),
        }
        after.get(count..).unwrap_or(&[])
    }

    fn test<'w>(&mut self, text: &str, after: &'w [Word]) -> &'w [Word] {
        let flag = self.spec.all_flags.get(text);
        // `-newermt`, `-newerXY` in general.
        let newer = text.starts_with("-newer") && text.len() == 8;
        let arity = match flag {
            Some(flag) if flag.role == FlagRole::Harmless => flag.arity,
            None if newer => Arity::Required,
            // `-O3`: how hard to optimise.
            None if text.starts_with("-O") && text.len() == 3 => Arity::None,
            Some(flag) if flag.role == FlagRole::Reads => {
                self.finding.effects.extend(after.first().map(|w| ShellEffect::Read { path: w.target() }));
                // What the file lists can be anywhere.
                self.finding.read(PathTarget::Somewhere);
                flag.arity
            }
            _ => {
                self.finding.special_options.push(text.to_owned());
                self.finding.mark_unknown(format!("`find {text}` is not known to be read-only"));
                return after;
            }
        };
        if arity != Arity::Required {
            return after;
        }
        match after.first() {
            // What a pattern finds begins as it does; more than one is an error of `find`.
            Some(value) if value.is_many() && !begins_like_a_name(value) => self
                .finding
                .mark_unknown(format!("`{}` after `find {text}` could expand to several words", value.text)),
            Some(value) if value.literal().is_some_and(looks_like_option) && text != "-perm" => {
                self.finding
                    .mark_unknown(format!("`{}` after `find {text}` looks like an action", value.text));
            }
            Some(value) if text == "-perm" && !value.literal().is_some_and(is_mode) => {
                self.finding.mark_unknown(format!("`find -perm {}` does not have a valid mode", value.text));
            }
            Some(_) => {}
            None => self.finding.mark_unknown(format!("`find {text}` is missing its value")),
        }
        after.get(1..).unwrap_or(&[])
    }

    /// `-exec CMD {} ;` and `-exec CMD {} +`: the command is judged with the found path in place of `{}`.
    fn exec<'w>(&mut self, after: &'w [Word], place: &Place) -> &'w [Word] {
        let end = after.iter().enumerate().position(|(index, w)| match w.literal() {
            Some(";") => true,
            Some("+") => index > 0 && after.get(index - 1).and_then(Word::literal) == Some("{}"),
            _ => false,
        });
        let Some(end) = end else {
            self.finding.mark_unknown("`find -exec` is missing its `;` or `+`");
            return &[];
        };
        let inside = after.get(..end).unwrap_or(&[]);
        // A word that is not known could be the `;` that ends the command.
        if let Some(open) = inside
            .iter()
            .find(|w| w.is_many() || matches!(&w.value, WordValue::One { prefix, .. } if prefix.is_empty()))
        {
            self.finding.mark_unknown(format!("`{}` could end the `find -exec` command", open.text));
        }
        let several = after.get(end).and_then(Word::literal) == Some("+");
        let words: Vec<Word> = inside.iter().map(|w| self.with_path(w, several)).collect();
        if words.is_empty() {
            self.finding.mark_unknown("`find -exec` has no command");
        } else {
            self.finding.inner.extend(walk::inner_parts(&words, Context { place, ..self.context }));
        }
        after.get(end + 1..).unwrap_or(&[])
    }

    fn with_path(&self, word: &Word, several: bool) -> Word {
        let value = match &word.value {
            WordValue::Literal(text) => match text.split_once("{}") {
                Some((before, _)) => {
                    let whole = text == "{}";
                    let plain = if before.is_empty() { self.found.plain } else { !before.starts_with('-') };
                    let known = self.found.prefix.as_ref().filter(|_| whole);
                    let contained = known.is_some();
                    let prefix = known.cloned().unwrap_or_else(|| before.to_owned());
                    if several {
                        WordValue::Many { prefix, plain, contained }
                    } else {
                        WordValue::One { prefix, plain, contained }
                    }
                }
                None => return word.clone(),
            },
            other => other.clone(),
        };
        Word { text: word.text.clone(), value }
    }
}

/// A pattern such as `lib*`: none of its words is an action or an operator.
fn begins_like_a_name(word: &Word) -> bool {
    matches!(&word.value, WordValue::Many { prefix, .. } if prefix.starts_with(|c: char| c.is_alphanumeric() || c == '.'))
}

/// `644`, `-u+x`, `/o=w`.
fn is_mode(text: &str) -> bool {
    text.chars().all(|c| "-/ugoa+=,rwxXst01234567".contains(c))
}
