//! One command's words against its table: every option must be listed, every operand allowed.

use super::finding::Finding;
use super::operands::below;
use crate::table::{Arity, CommandEffect, CommandSpec, Flag, FlagRole, ReadDepth};
use crate::types::{PathTarget, ShellEffect, Word, WordValue};

/// Words sorted into options and operands.
#[derive(Debug, Default)]
pub(crate) struct OptionScan<'a> {
    /// Names of the flags that were given, in the table's spelling.
    pub flags: Vec<String>,
    /// Values of flags, attached or not, with the flag's name.
    pub values: Vec<(String, Word)>,
    pub operands: Vec<&'a Word>,
    /// Index in the arguments of the first operand, where options end there.
    pub first_operand: Option<usize>,
}

/// Sorts the words and notes in the finding what the flags mean.
pub(crate) fn scan<'a>(
    name: &str,
    spec: &CommandSpec,
    args: &'a [Word],
    finding: &mut Finding,
) -> OptionScan<'a> {
    let mut parser = OptionParser { name, spec, scan: OptionScan::default(), finding };
    parser.all(args);
    parser.scan
}

/// A scan under way.
struct OptionParser<'s, 'a> {
    name: &'s str,
    spec: &'s CommandSpec,
    scan: OptionScan<'a>,
    finding: &'s mut Finding,
}

impl<'a> OptionParser<'_, 'a> {
    fn all(&mut self, args: &'a [Word]) {
        let spec = self.spec;
        let mut index = 0;
        let mut only_operands = false;
        while let Some(word) = args.get(index) {
            index += 1;
            if only_operands || !word.may_be_option() {
                self.scan.first_operand.get_or_insert(index - 1);
                self.scan.operands.push(word);
                only_operands |= spec.stop && self.scan.operands.len() >= spec.stop_at;
                if !spec.sub.is_empty() && !spec.mixed {
                    break;
                }
                continue;
            }
            let Some(text) = word.literal() else {
                self.open_word(word);
                continue;
            };
            if text == "--" {
                only_operands = true;
                continue;
            }
            index += self.option(text, args.get(index..).unwrap_or(&[]));
        }
    }

    /// A word that could be an option, of which only the beginning is known.
    fn open_word(&mut self, word: &'a Word) {
        let spec = self.spec;
        if let Some((flag, value)) = open_value(spec, word)
            && (flag.role != FlagRole::Harmless || spec.allows(&flag.name, None))
        {
            self.take(flag, Some(value), &[]);
            return;
        }
        if !spec.free {
            self.finding.mark_unknown(format!("`{}` could be an option of `{}`", word.text, self.name));
        }
        let special = spec.all_flags.values().any(|f| f.role.is_special(spec.changes_anyway()));
        if special || (!spec.free && spec.does == CommandEffect::Reads) {
            self.finding.special_options.push(word.text.clone());
        }
        self.scan.operands.push(word);
    }

    /// Judges one option word; answers how many of the next words are its values.
    fn option(&mut self, text: &str, next: &[Word]) -> usize {
        let spec = self.spec;
        if let Some(flag) = spec.all_flags.get(text) {
            return self.take(flag, None, next);
        }
        if text.starts_with("--") || spec.single_dash {
            let (flag_name, value) = text.split_once('=').map_or((text, None), |(n, v)| (n, Some(v)));
            let flag = spec
                .all_flags
                .get(flag_name)
                .or_else(|| if flag_name.starts_with("--") { spec.unabbreviated(flag_name) } else { None });
            return match flag {
                Some(flag) if value.is_none() || flag.arity != Arity::None => {
                    self.take(flag, value.map(Word::known), next)
                }
                _ => self.unlisted(flag_name, value, next),
            };
        }
        self.cluster(text, next)
    }

    /// `-abc`, `-n5`, `-20`.
    fn cluster(&mut self, text: &str, next: &[Word]) -> usize {
        let spec = self.spec;
        let letters = text.get(1..).unwrap_or("");
        if let Some(number) = spec.all_flags.get("-#")
            && letters.bytes().all(|b| b.is_ascii_digit())
        {
            return self.take(number, None, next);
        }
        for (at, letter) in letters.char_indices() {
            let flag_name = format!("-{letter}");
            let Some(flag) = spec.all_flags.get(&flag_name) else {
                // Where no flag does harm, those with a value are listed, and this one has none.
                if spec.free {
                    continue;
                }
                self.special_letters(letters.get(at..).unwrap_or(""));
                return self.unlisted(&flag_name, None, &[]);
            };
            let rest = letters.get(at + letter.len_utf8()..).unwrap_or("");
            if flag.arity == Arity::None {
                self.take(flag, None, next);
            } else {
                // A number may be attached: no flag is a digit.
                if spec.values_apart && !rest.bytes().all(|b| b.is_ascii_digit()) {
                    self.finding.mark_unknown(format!("It is unclear which letters in `{text}` are flags"));
                }
                return self.take(flag, (!rest.is_empty()).then(|| Word::known(rest)), next);
            }
        }
        0
    }

    /// Letters behind one that the table does not list: any of them may be a flag.
    fn special_letters(&mut self, letters: &str) {
        let changes = self.spec.changes_anyway();
        let flags = letters.chars().filter_map(|c| self.spec.all_flags.get(&format!("-{c}")));
        let special = flags.filter(|f| f.role.is_special(changes)).map(|f| f.name.clone());
        self.finding.special_options.extend(special);
    }

    /// Notes a flag that the table lists; answers how many of the next words it takes.
    fn take(&mut self, flag: &Flag, attached: Option<Word>, next: &[Word]) -> usize {
        self.scan.flags.push(flag.name.clone());
        let mut taken = 0;
        let mut value = attached;
        if flag.arity == Arity::Required && value.is_none() {
            let Some(word) = next.first() else {
                self.finding.mark_unknown(format!("`{} {}` is missing its value", self.name, flag.name));
                return 0;
            };
            self.next_word(flag, word);
            taken = 1;
            value = Some(word.clone());
        }
        if let Some(value) = &value
            && !self.spec.allows(&flag.name, value.literal())
        {
            self.finding.special_options.push(flag.name.clone());
            self.finding.effects.push(ShellEffect::Run { program: value.shown().to_owned() });
            self.finding.mark_unknown(format!(
                "The value `{}` of `{} {}` is not known to be read-only",
                value.text, self.name, flag.name
            ));
        }
        self.scan.values.extend(value.clone().map(|v| (flag.name.clone(), v)));
        let takes_path = matches!(flag.role, FlagRole::Writes | FlagRole::Moves | FlagRole::Reads);
        let elsewhere = takes_path && value.as_ref().is_some_and(leads_out);
        if elsewhere || flag.role.is_special(self.spec.changes_anyway()) {
            self.finding.special_options.push(flag.name.clone());
        }
        self.finding.given(self.name, flag, value);
        taken
    }

    /// A value that is a word of its own.
    fn next_word(&mut self, flag: &Flag, word: &Word) {
        let name = self.name;
        if self.spec.free {
            // It may be several words, the others being files.
            if word.is_many() && !self.spec.no_files {
                self.finding.read(word.target());
            }
            return;
        }
        // If the table were wrong about this value, or the tool of another version, it would be an option.
        if word.literal().is_some_and(looks_like_option) {
            self.finding
                .mark_unknown(format!("`{}` after `{name} {}` looks like an option", word.text, flag.name));
            self.finding.special_options.push(word.text.clone());
        }
        if word.is_many() {
            self.finding.mark_unknown(format!(
                "`{}` after `{name} {}` could expand to several words",
                word.text, flag.name
            ));
            self.finding.special_options.push(word.text.clone());
        }
    }

    fn unlisted(&mut self, flag: &str, value: Option<&str>, next: &[Word]) -> usize {
        let spec = self.spec;
        if !spec.free {
            self.finding
                .mark_unknown(format!("The option `{flag}` of `{}` is not known to be read-only", self.name));
        }
        // Many programs take `--outp` for `--output`.
        if flag.starts_with("--")
            && let Some(full) = spec.abbreviated(flag)
        {
            return self.take(full, value.map(Word::known), next);
        }
        if spec.does == CommandEffect::Reads && !spec.free {
            self.finding.special_options.push(flag.to_owned());
        }
        0
    }
}

impl Finding {
    /// What a flag with this value does.
    fn given(&mut self, name: &str, flag: &Flag, value: Option<Word>) {
        let flag_name = &flag.name;
        match flag.role {
            FlagRole::Harmless => {}
            FlagRole::Reads => self.read_value(name, flag, value.as_ref()),
            FlagRole::Moves => self.moves.extend(value.map(|word| word.literal().map(str::to_owned))),
            FlagRole::Changes => self.mark_changes(format!("`{name} {flag_name}` changes files or settings")),
            FlagRole::Runs => {
                let program = value.as_ref().map_or(flag_name.as_str(), Word::shown).to_owned();
                // A program, or a file with one.
                if let Some(file) = value.filter(|word| !word.shown().contains([' ', '='])) {
                    self.read(file.target());
                }
                self.effects.push(ShellEffect::Run { program });
                self.mark_unknown(format!("`{name} {flag_name}` can run another program"));
            }
            FlagRole::Network => {
                self.effects.push(ShellEffect::Network);
                self.mark_unknown(format!("`{name} {flag_name}` uses the network"));
            }
            FlagRole::Opaque => {
                if let Some(place) = value.filter(|word| !word.shown().contains([' ', '='])) {
                    self.read(below(place.target(), ReadDepth::Below));
                }
                self.mark_unknown(format!("What `{name} {flag_name}` does is unknown until it runs"))
            }
            FlagRole::Writes => self.write_value(name, flag, value),
        }
    }

    fn read_value(&mut self, name: &str, flag: &Flag, value: Option<&Word>) {
        let Some(word) = value.filter(|w| w.literal() != Some("-")) else { return };
        let is_data = name == "curl"
            && ["-d", "-F", "-b", "--data", "--form", "--cookie"]
                .iter()
                .any(|data| flag.name.starts_with(data));
        match word.literal().filter(|_| is_data) {
            // `-d @file`, `-F name=@file`: anything else is sent as it is.
            Some(text) => {
                let file = text.split_once('@').map(|(_, file)| PathTarget::Path(file.to_owned()));
                self.effects.extend(file.map(|path| ShellEffect::Read { path }));
            }
            None => self.read(word.target()),
        }
    }

    fn write_value(&mut self, name: &str, flag: &Flag, value: Option<Word>) {
        let Some(word) = value else {
            return self
                .write(PathTarget::Below(".".to_owned()), format!("`{name} {}` writes files", flag.name));
        };
        if matches!(word.literal(), Some("-" | "/dev/null" | "/dev/stdout" | "/dev/stderr")) {
            return self.mark_unknown(format!("`{name} {}` writes to a file", flag.name));
        }
        self.write(word.target(), format!("`{name} {}` writes to `{}`", flag.name, word.shown()));
    }
}

/// `--author="$who"`, `-n"$count"`: a flag whose attached value is not known, and what is known of the value.
fn open_value<'s>(spec: &'s CommandSpec, word: &Word) -> Option<(&'s Flag, Word)> {
    let WordValue::One { prefix, contained, .. } = &word.value else { return None };
    let (flag, rest) = if prefix.starts_with("--") || spec.single_dash {
        let (name, rest) = prefix.split_once('=')?;
        (spec.all_flags.get(name).or_else(|| spec.abbreviated(name))?, rest)
    } else {
        (spec.all_flags.get(prefix.get(..2)?)?, prefix.get(2..)?)
    };
    let value = WordValue::One { prefix: rest.to_owned(), plain: false, contained: *contained };
    (flag.arity != Arity::None).then(|| (flag, Word { text: word.text.clone(), value }))
}

/// Begins with a dash and is neither a lone one nor a negative number.
pub(crate) fn looks_like_option(text: &str) -> bool {
    text.strip_prefix('-')
        .is_some_and(|rest| !rest.is_empty() && !rest.starts_with(|c: char| c.is_ascii_digit()))
}

/// Whether a path may lead out of the folder that the command runs in.
fn leads_out(word: &Word) -> bool {
    word.literal().is_none_or(|path| path.starts_with(['/', '~']) || path.split('/').any(|part| part == ".."))
}
