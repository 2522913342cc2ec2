//! From the pieces of a word to what it can become.

use super::brace::{Least, Sym, expand};
use super::vars::{Kind, Vars};
use crate::syntax::ast::{Param, Piece, RawWord};
use crate::types::{Target, Value, Word};

/// Every word that a raw word stands for.
pub(crate) fn resolve(raw: &RawWord, vars: &Vars) -> Vec<Word> {
    let word = |value| Word { text: raw.text.clone(), value };
    match expand(symbols(&raw.pieces, vars)) {
        Some(words) => words.iter().map(|w| word(value_of(w))).collect(),
        None => vec![word(anything())],
    }
}

/// The single value of a word that is neither split nor matched against files: an assignment, a here-string.
pub(crate) fn assigned(raw: &RawWord, vars: &Vars) -> Value {
    let mut prefix = String::new();
    let symbols = symbols(&raw.pieces, vars);
    for (index, symbol) in symbols.iter().enumerate() {
        match symbol {
            Sym::Char('~', false) if index == 0 => prefix.push('~'),
            Sym::Char('~', true) if index == 0 => prefix.push_str("./~"),
            Sym::Char(c, _) => prefix.push(*c),
            Sym::Gap { .. } => {
                return Value::One { plain: starts_plain(&prefix, plain_from(&symbols, index)), prefix };
            }
            Sym::Split => return Value::One { plain: starts_plain(&prefix, false), prefix },
        }
    }
    Value::Literal(prefix)
}

fn anything() -> Value {
    Value::Many { prefix: String::new(), plain: false }
}

/// Does the text from here on surely not begin with a dash? A gap that can be empty leaves that to what follows it.
fn plain_from(word: &[Sym], from: usize) -> bool {
    for symbol in word.iter().skip(from) {
        match symbol {
            Sym::Char(c, _) => return *c != '-',
            Sym::Gap { plain: false, .. } | Sym::Split => return false,
            Sym::Gap { least: Least::Text, .. } => return true,
            Sym::Gap { .. } => {}
        }
    }
    true
}

fn starts_plain(prefix: &str, gap: bool) -> bool {
    if prefix.is_empty() { gap } else { !prefix.starts_with('-') }
}

/// The value of a word whose braces are gone.
fn value_of(word: &[Sym]) -> Value {
    if word.contains(&Sym::Split) {
        return anything();
    }
    if !word.is_empty() && word.iter().all(|s| matches!(s, Sym::Gap { least: Least::Nothing, .. })) {
        return Value::Many { prefix: String::new(), plain: plain_from(word, 0) };
    }
    let mut prefix = String::new();
    for (index, symbol) in word.iter().enumerate() {
        match symbol {
            Sym::Char('~', true) if index == 0 => prefix.push_str("./~"),
            symbol if is_pattern(symbol, word.get(index + 1..).unwrap_or(&[])) => {
                return Value::Many { plain: starts_plain(&prefix, false), prefix };
            }
            Sym::Char(c, _) => prefix.push(*c),
            Sym::Gap { .. } => {
                return after_gap(word, starts_plain(&prefix, plain_from(word, index)), prefix);
            }
            Sym::Split => return anything(),
        }
    }
    Value::Literal(prefix)
}

fn after_gap(word: &[Sym], plain: bool, prefix: String) -> Value {
    if word.iter().enumerate().any(|(index, s)| is_pattern(s, word.get(index + 1..).unwrap_or(&[]))) {
        Value::Many { prefix, plain }
    } else {
        Value::One { prefix, plain }
    }
}

/// Does a file name pattern begin here? A `[` needs its `]`; a gap could hold it.
fn is_pattern(symbol: &Sym, rest: &[Sym]) -> bool {
    match symbol {
        Sym::Char('*' | '?', false) => true,
        Sym::Char('[', false) => {
            rest.iter().any(|s| !matches!(s, Sym::Char(c, _) if *c != ']') && *s != Sym::Char(']', true))
        }
        _ => false,
    }
}

fn symbols(pieces: &[Piece], vars: &Vars) -> Vec<Sym> {
    let mut out = Vec::new();
    for piece in pieces {
        match piece {
            Piece::Text { text, quoted } => out.extend(text.chars().map(|c| Sym::Char(c, *quoted))),
            Piece::Param { param, quoted } => param_symbols(param, *quoted, vars, &mut out),
            Piece::Command { script, quoted } => {
                let plain = vars.prints_number(script) || vars.prints_plain_word(script);
                out.push(if plain || vars.prints_one_word(script) {
                    // A command that fails prints nothing.
                    Sym::Gap { plain, least: Least::empty(*quoted) }
                } else if *quoted {
                    open_gap()
                } else {
                    Sym::Split
                })
            }
            Piece::Process(_) => out.push(Sym::Gap { plain: true, least: Least::Text }),
            // A negative number begins with a dash.
            Piece::Arith { .. } => out.push(Sym::Gap { plain: false, least: Least::Text }),
        }
    }
    out
}

fn param_symbols(param: &Param, quoted: bool, vars: &Vars, out: &mut Vec<Sym>) {
    if param.length || matches!(param.name.as_str(), "#" | "?" | "$" | "!") && !param.changed {
        // Without a command in the background, `$!` is empty.
        let least = if param.name == "!" && !param.length { Least::empty(quoted) } else { Least::Text };
        out.push(Sym::Gap { plain: true, least });
        return;
    }
    if param.all || param.keys || matches!(param.name.as_str(), "@" | "*") {
        out.push(Sym::Split);
        return;
    }
    if param.changed || !param.subscript.is_empty() {
        out.push(if quoted { open_gap() } else { Sym::Split });
        return;
    }
    match vars.kind(&param.name, param.at) {
        Kind::Literals(values) => match values.as_slice() {
            // A literal that begins with a tilde stands for the home folder; a real tilde is kept as `./~`.
            [one] if quoted || is_one_word(one) => out.extend(one.chars().map(|c| Sym::Char(c, c != '~'))),
            several if several.iter().all(|v| is_one_word(v) && !v.starts_with('-')) => {
                out.push(Sym::Gap { plain: true, least: Least::Text })
            }
            _ => out.push(if quoted { open_gap() } else { Sym::Split }),
        },
        Kind::Number { negative, empty } => {
            let least = if empty { Least::empty(quoted) } else { Least::Text };
            out.push(Sym::Gap { plain: !negative, least });
        }
        Kind::Plain if quoted => out.push(Sym::Gap { plain: true, least: Least::Empty }),
        Kind::Any if quoted => out.push(open_gap()),
        Kind::Plain | Kind::Any => out.push(Sym::Split),
    }
}

/// A stretch of which nothing is known.
fn open_gap() -> Sym {
    Sym::Gap { plain: false, least: Least::Empty }
}

/// Neither split nor matched against files when it stands unquoted.
fn is_one_word(text: &str) -> bool {
    !text.is_empty() && text.chars().all(|c| c.is_alphanumeric() || "_-./:@%+=,~".contains(c))
}

impl Word {
    /// The text, where exactly one is possible.
    pub fn literal(&self) -> Option<&str> {
        match &self.value {
            Value::Literal(text) => Some(text),
            Value::One { .. } | Value::Many { .. } => None,
        }
    }

    /// A word made up by the analysis.
    pub fn known(text: &str) -> Self {
        Self { text: text.to_owned(), value: Value::Literal(text.to_owned()) }
    }

    /// Could the program take it for an option? A lone dash is standard input.
    pub fn may_be_option(&self) -> bool {
        match &self.value {
            Value::Literal(text) => text.len() > 1 && text.starts_with('-'),
            Value::One { plain, .. } | Value::Many { plain, .. } => !plain,
        }
    }

    /// Could it be no word at all, or several?
    pub fn is_many(&self) -> bool {
        matches!(self.value, Value::Many { .. })
    }

    /// The word as the name of a file.
    pub fn target(&self) -> Target {
        match &self.value {
            Value::Literal(text) => Target::Path(text.clone()),
            Value::One { prefix, .. } | Value::Many { prefix, .. } if !prefix.is_empty() => {
                Target::Begins(prefix.clone())
            }
            Value::One { .. } | Value::Many { .. } => Target::Somewhere,
        }
    }

    /// For sentences: the value where it is known, else as written.
    pub fn shown(&self) -> &str {
        self.literal().unwrap_or(&self.text)
    }
}
