//! From the pieces of a word to what it can become.

use super::brace::{MinLength, Symbol, expand};
use super::vars::{VarValue, Vars};
use crate::syntax::ast::{Param, Piece, RawWord};
use crate::types::{PathTarget, Word, WordValue};

/// Every word that a raw word stands for.
pub(crate) fn resolve(raw: &RawWord, vars: &Vars) -> Vec<Word> {
    let word = |value| Word { text: raw.text.clone(), value };
    match expand(symbols(&raw.pieces, vars)) {
        Some(words) => words.iter().map(|w| word(value_of(w))).collect(),
        None => vec![word(anything())],
    }
}

/// The single value of a word that is neither split nor matched against files: an assignment, a here-string.
pub(crate) fn assigned(raw: &RawWord, vars: &Vars) -> WordValue {
    let mut prefix = String::new();
    let symbols = symbols(&raw.pieces, vars);
    for (index, symbol) in symbols.iter().enumerate() {
        let contained = || is_contained(symbols.get(index..).unwrap_or(&[]));
        match symbol {
            Symbol::Char('~', false) if index == 0 => prefix.push('~'),
            Symbol::Char('~', true) if index == 0 => prefix.push_str("./~"),
            Symbol::Char(c, _) => prefix.push(*c),
            Symbol::Gap { .. } => {
                let plain = starts_plain(&prefix, plain_from(&symbols, index));
                return WordValue::One { plain, contained: contained(), prefix };
            }
            Symbol::Split => {
                return WordValue::One { plain: starts_plain(&prefix, false), contained: false, prefix };
            }
        }
    }
    WordValue::Literal(prefix)
}

fn anything() -> WordValue {
    WordValue::Many { prefix: String::new(), plain: false, contained: false }
}

/// Can this end of a word not lead out of the folder that stands before it?
fn is_contained(rest: &[Symbol]) -> bool {
    let gaps = rest.iter().all(|s| !matches!(s, Symbol::Split | Symbol::Gap { contained: false, .. }));
    let dots = |pair: &[Symbol]| pair.iter().all(|s| matches!(s, Symbol::Char('.', _)));
    gaps && !rest.windows(2).any(dots) && !matches!(rest.first(), Some(Symbol::Char('/', _)))
}

/// Does the text from here on surely not begin with a dash? A gap that can be empty leaves that to what follows it.
fn plain_from(word: &[Symbol], from: usize) -> bool {
    for symbol in word.iter().skip(from) {
        match symbol {
            Symbol::Char(c, _) => return *c != '-',
            Symbol::Gap { plain: false, .. } | Symbol::Split => return false,
            Symbol::Gap { min_length: MinLength::Text, .. } => return true,
            Symbol::Gap { .. } => {}
        }
    }
    true
}

fn starts_plain(prefix: &str, gap: bool) -> bool {
    if prefix.is_empty() { gap } else { !prefix.starts_with('-') }
}

/// The value of a word whose braces are gone.
fn value_of(word: &[Symbol]) -> WordValue {
    if word.contains(&Symbol::Split) {
        return anything();
    }
    if !word.is_empty()
        && word.iter().all(|s| matches!(s, Symbol::Gap { min_length: MinLength::Nothing, .. }))
    {
        return WordValue::Many {
            prefix: String::new(),
            plain: plain_from(word, 0),
            contained: is_contained(word),
        };
    }
    let mut prefix = String::new();
    for (index, symbol) in word.iter().enumerate() {
        match symbol {
            Symbol::Char('~', true) if index == 0 => prefix.push_str("./~"),
            symbol if is_pattern(symbol, word.get(index + 1..).unwrap_or(&[])) => {
                let contained = is_contained(word.get(index..).unwrap_or(&[]));
                return WordValue::Many { plain: starts_plain(&prefix, false), contained, prefix };
            }
            Symbol::Char(c, _) => prefix.push(*c),
            Symbol::Gap { .. } => {
                let contained = is_contained(word.get(index..).unwrap_or(&[]));
                return after_gap(word, starts_plain(&prefix, plain_from(word, index)), contained, prefix);
            }
            Symbol::Split => return anything(),
        }
    }
    WordValue::Literal(prefix)
}

fn after_gap(word: &[Symbol], plain: bool, contained: bool, prefix: String) -> WordValue {
    if word.iter().enumerate().any(|(index, s)| is_pattern(s, word.get(index + 1..).unwrap_or(&[]))) {
        WordValue::Many { prefix, plain, contained }
    } else {
        WordValue::One { prefix, plain, contained }
    }
}

/// Does a file name pattern begin here? A `[` needs its `]`; a gap could hold it.
fn is_pattern(symbol: &Symbol, rest: &[Symbol]) -> bool {
    match symbol {
        Symbol::Char('*' | '?', false) => true,
        Symbol::Char('[', false) => rest
            .iter()
            .any(|s| !matches!(s, Symbol::Char(c, _) if *c != ']') && *s != Symbol::Char(']', true)),
        _ => false,
    }
}

fn symbols(pieces: &[Piece], vars: &Vars) -> Vec<Symbol> {
    let mut out = Vec::new();
    for (index, piece) in pieces.iter().enumerate() {
        match piece {
            Piece::Text { text, quoted: false }
                if out.is_empty() && is_home(text) && vars.assigns("HOME") =>
            {
                out.push(open_gap());
                out.extend(text.chars().skip(1).map(|c| Symbol::Char(c, false)));
            }
            Piece::Text { text, quoted } => out.extend(text.chars().map(|c| Symbol::Char(c, *quoted))),
            Piece::Param { param, quoted } => {
                let next = pieces.get(index + 1..).unwrap_or(&[]);
                if !place_symbols(param, *quoted, next, vars, &mut out) {
                    param_symbols(param, *quoted, vars, &mut out);
                }
            }
            Piece::Command { script, quoted } => {
                let plain = vars.prints_number(script) || vars.prints_plain_word(script);
                out.push(if plain || vars.prints_one_word(script) {
                    // A command that fails prints nothing.
                    Symbol::Gap { plain, contained: plain, min_length: MinLength::empty(*quoted) }
                } else if *quoted {
                    open_gap()
                } else {
                    Symbol::Split
                })
            }
            Piece::Process(_) => {
                out.extend("/dev/fd/".chars().map(|c| Symbol::Char(c, true)));
                out.push(number_gap(true, MinLength::Text));
            }
            // A negative number begins with a dash.
            Piece::Arith { .. } => out.push(number_gap(false, MinLength::Text)),
        }
    }
    out
}

fn param_symbols(param: &Param, quoted: bool, vars: &Vars, out: &mut Vec<Symbol>) {
    if param.length || matches!(param.name.as_str(), "#" | "?" | "$" | "!") && !param.changed {
        // Without a command in the background, `$!` is empty.
        let min_length =
            if param.name == "!" && !param.length { MinLength::empty(quoted) } else { MinLength::Text };
        out.push(number_gap(true, min_length));
        return;
    }
    if param.all || param.keys || matches!(param.name.as_str(), "@" | "*") {
        out.push(Symbol::Split);
        return;
    }
    if param.changed || !param.subscript.is_empty() {
        out.push(if quoted { open_gap() } else { Symbol::Split });
        return;
    }
    match vars.kind(&param.name, param.at) {
        VarValue::Literals(values) => match values.as_slice() {
            // A literal that begins with a tilde stands for the home folder; a real tilde is kept as `./~`.
            [one] if quoted || is_one_word(one) => out.extend(one.chars().map(|c| Symbol::Char(c, c != '~'))),
            several if several.iter().all(|v| is_one_word(v) && !v.starts_with('-')) => {
                let contained = several
                    .iter()
                    .all(|v| !v.starts_with(['/', '~']) && !v.split('/').any(|part| part == ".."));
                out.push(Symbol::Gap { plain: true, contained, min_length: MinLength::Text })
            }
            _ => out.push(if quoted { open_gap() } else { Symbol::Split }),
        },
        VarValue::Number { negative, empty } => {
            let min_length = if empty { MinLength::empty(quoted) } else { MinLength::Text };
            out.push(number_gap(!negative, min_length));
        }
        VarValue::Within { prefix, plain } if quoted => {
            out.extend(prefix.chars().map(|c| Symbol::Char(c, c != '~')));
            out.push(Symbol::Gap { plain, contained: true, min_length: MinLength::Empty });
        }
        VarValue::Plain if quoted => {
            out.push(Symbol::Gap { plain: true, contained: false, min_length: MinLength::Empty })
        }
        VarValue::Any if quoted => out.push(open_gap()),
        VarValue::Within { .. } | VarValue::Plain | VarValue::Any => out.push(Symbol::Split),
    }
}

/// A stretch of which nothing is known.
fn open_gap() -> Symbol {
    Symbol::Gap { plain: false, contained: false, min_length: MinLength::Empty }
}

/// `~` or `~/…`.
fn is_home(text: &str) -> bool {
    text.strip_prefix('~').is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

/// A number.
fn number_gap(plain: bool, min_length: MinLength) -> Symbol {
    Symbol::Gap { plain, contained: true, min_length }
}

/// `$HOME` and `$PWD` where they begin a path, unless the line sets them: the home folder, and the folder that the
/// command runs in. An unquoted `$PWD` may be split, since nobody knows what folders are called.
fn place_symbols(param: &Param, quoted: bool, next: &[Piece], vars: &Vars, out: &mut Vec<Symbol>) -> bool {
    let begins = matches!(out.last(), None | Some(Symbol::Char('=', _)));
    let ends = next
        .iter()
        .find_map(|piece| match piece {
            Piece::Text { text, .. } if text.is_empty() => None,
            // `$PWD:/app`: what docker mounts there. No folder is called like that.
            Piece::Text { text, .. } => Some(text.starts_with('/') || text.starts_with(":/")),
            _ => Some(false),
        })
        .unwrap_or(true);
    let whole = !(param.changed || param.length || param.keys || param.all) && param.subscript.is_empty();
    let symbol = match param.name.as_str() {
        "HOME" if !vars.assigns("HOME") => '~',
        "PWD" if quoted && vars.knows_folder() => '.',
        _ => return false,
    };
    if begins && ends && whole {
        out.push(Symbol::Char(symbol, false));
    }
    begins && ends && whole
}

/// Neither split nor matched against files when it stands unquoted.
fn is_one_word(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || "_-./:@%+=,~".contains(c))
}

impl Word {
    /// The text, where exactly one is possible.
    pub fn literal(&self) -> Option<&str> {
        match &self.value {
            WordValue::Literal(text) => Some(text),
            WordValue::One { .. } | WordValue::Many { .. } => None,
        }
    }

    /// Does it hold `$PWD`, which the shell expands where it is, and not where a program goes?
    pub(crate) fn names_shell_folder(&self) -> bool {
        self.text.contains("PWD")
    }

    /// As much of the text as is known.
    pub fn beginning(&self) -> &str {
        match &self.value {
            WordValue::Literal(text) => text,
            WordValue::One { prefix, .. } | WordValue::Many { prefix, .. } => prefix,
        }
    }

    /// A word made up by the analysis.
    pub fn known(text: &str) -> Self {
        Self { text: text.to_owned(), value: WordValue::Literal(text.to_owned()) }
    }

    /// Could the program take it for an option? A lone dash is standard input.
    pub fn may_be_option(&self) -> bool {
        match &self.value {
            WordValue::Literal(text) => text.len() > 1 && text.starts_with('-'),
            WordValue::One { plain, .. } | WordValue::Many { plain, .. } => !plain,
        }
    }

    /// Could it be no word at all, or several?
    pub fn is_many(&self) -> bool {
        matches!(self.value, WordValue::Many { .. })
    }

    /// The word as the name of a file.
    pub fn target(&self) -> PathTarget {
        match &self.value {
            // `~user`, `~+`, `~-`.
            WordValue::Literal(text) if text.starts_with('~') && !is_home(text) => PathTarget::Somewhere,
            WordValue::Literal(text) => PathTarget::Path(text.clone()),
            WordValue::One { prefix, contained: true, .. }
            | WordValue::Many { prefix, contained: true, .. } => {
                match prefix.as_str() {
                    "" => PathTarget::Begins("./".to_owned()),
                    // Whose home folder it is, or whether it is one, is not known.
                    tilde if tilde.starts_with('~') && !tilde.contains('/') => PathTarget::Somewhere,
                    // `.*` finds `..` as well.
                    prefix
                        if prefix.ends_with('.') && matches!(prefix.rsplit('/').next(), Some("." | "..")) =>
                    {
                        PathTarget::Somewhere
                    }
                    prefix => PathTarget::Begins(prefix.to_owned()),
                }
            }
            WordValue::One { .. } | WordValue::Many { .. } => PathTarget::Somewhere,
        }
    }

    /// For sentences: the value where it is known, else as written.
    pub fn shown(&self) -> &str {
        self.literal().unwrap_or(&self.text)
    }
}
