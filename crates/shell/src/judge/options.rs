//! One command's words against its table: every option must be listed, every operand allowed.

use super::finding::Finding;
use super::operands::{self, below};
use super::{attached, spelling};
use crate::table::{Arity, CommandSpec, Flag, FlagRole, ReadDepth};
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
    /// An option that is not listed may have one of the operands as its value: which operand is which is not known.
    pub open: bool,
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
            if only_operands && spec.hands_on {
                self.handed_on(word, args.get(index..).unwrap_or(&[]));
            }
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
        let special = spec.all_flags.values().any(|f| f.role.is_special(spec.writes_anyway()));
        if special || (!spec.free && spec.is_closed()) {
            self.finding.special_options.push(word.text.clone());
        }
        self.open_spelling(word);
        self.scan.operands.push(word);
    }

    /// Judges one option word; answers how many of the next words are its values.
    fn option(&mut self, text: &str, next: &[Word]) -> usize {
        let spec = self.spec;
        if let Some(flag) = spec.flag(text) {
            return self.take(flag, None, next);
        }
        if let Some((flag, value)) = spec.flag_with_value(text).filter(|(flag, _)| flag.arity != Arity::None)
        {
            return self.take(flag, Some(Word::known(value)), next);
        }
        if text.starts_with("--") || spec.single_dash {
            let (flag_name, value) = text.split_once('=').map_or((text, None), |(n, v)| (n, Some(v)));
            let flag = if flag_name.starts_with("--") { spec.unabbreviated(flag_name) } else { None };
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
                let rest = letters.get(at + letter.len_utf8()..).unwrap_or("");
                // Where no flag does harm, those with a value are listed, and this one has none.
                if spec.free && (spec.is_harmless() || letter != 'o' || at > 0) {
                    self.scan.open = true;
                    let value = if rest.is_empty() { next.first().cloned() } else { Some(Word::known(rest)) };
                    if self.leads_out(&flag_name, value) {
                        return 0;
                    }
                    continue;
                }
                self.special_letters(letters.get(at..).unwrap_or(""));
                let attached = (!rest.is_empty() && at == 0).then_some(rest);
                // What is attached may be more letters, and the last of them may have a value.
                self.scan.open = true;
                return self.unlisted(&flag_name, attached, next);
            };
            let rest = letters.get(at + letter.len_utf8()..).unwrap_or("");
            if flag.arity == Arity::None {
                self.take(flag, None, next);
            } else {
                // A number may be attached: no flag is a digit.
                if spec.values_apart && !rest.bytes().all(|b| b.is_ascii_digit()) {
                    self.finding.mark_unknown(format!("It is unclear which letters in `{text}` are flags"));
                }
                let value = rest.strip_prefix('=').filter(|_| spec.lists_values(&flag.name)).unwrap_or(rest);
                return self.take(flag, (!rest.is_empty()).then(|| Word::known(value)), next);
            }
        }
        0
    }

    /// Letters behind one that the table does not list: any of them may be a flag.
    fn special_letters(&mut self, letters: &str) {
        let changes = self.spec.writes_anyway();
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
        if flag.role == FlagRole::Writes {
            value = value.map(destination);
        }
        if let Some(value) = &value
            && !self.spec.allows(&flag.name, value.literal())
        {
            self.finding.special_options.push(flag.name.clone());
            self.finding.effects.push(ShellEffect::Run { program: value.shown().to_owned() });
            self.refused_value(value);
            self.finding.mark_unknown(format!(
                "The value `{}` of `{} {}` is not known to be read-only",
                value.text, self.name, flag.name
            ));
        }
        self.scan.values.extend(value.clone().map(|v| (flag.name.clone(), v)));
        let takes_path = matches!(
            flag.role,
            FlagRole::Writes | FlagRole::Prefixes | FlagRole::Fills | FlagRole::Moves | FlagRole::Reads
        );
        let writes = matches!(flag.role, FlagRole::Writes | FlagRole::Prefixes | FlagRole::Fills);
        let stream = writes && value.as_ref().is_some_and(is_stream);
        if let Some(program) =
            value.as_ref().filter(|word| writes && word.beginning().starts_with(['|', '!']))
        {
            self.finding.special_options.push(flag.name.clone());
            self.finding.effects.push(ShellEffect::Run { program: program.shown().to_owned() });
        }
        let behind = |word: &Word| word.literal().is_some_and(|text| behind_signs(text).any(is_outside));
        let elsewhere = takes_path && value.as_ref().is_some_and(leads_out)
            || writes && value.as_ref().is_some_and(behind);
        if !stream && (elsewhere || flag.role.is_special(self.spec.writes_anyway())) {
            self.finding.special_options.push(flag.name.clone());
        }
        self.finding.given(self.name, flag, value);
        taken
    }

    /// A value that is not listed may name a file: `-o go-template-file=f`, `-o log_file=f`.
    fn refused_value(&mut self, value: &Word) {
        if let Some((_, file)) = value.literal().and_then(|text| text.split_once('=')) {
            let path = Word::known(file).target();
            self.finding.read(path.clone());
            if self.spec.writes_anyway() {
                self.finding.effects.push(ShellEffect::Write { path });
            }
        }
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
        if let Some((joined, rest)) = joined(spec, flag) {
            let rest = value.map_or(rest.to_owned(), |value| format!("{rest}={value}"));
            return self.take(joined, Some(Word::known(&rest)), next);
        }
        if !spec.free {
            self.finding
                .mark_unknown(format!("The option `{flag}` of `{}` is not known to be read-only", self.name));
        }
        self.scan.open |= value.is_none();
        // Many programs take `--outp` for `--output`. If this one does not, the next word is no value.
        if flag.starts_with("--")
            && let Some(full) = spec.abbreviated(flag)
        {
            self.take(full, value.map(Word::known), next);
            return 0;
        }
        match () {
            () if spec.is_closed() && !spec.free => self.finding.special_options.push(flag.to_owned()),
            () if spec.is_harmless() => {}
            () => self.spelled(flag, value.map(Word::known), next),
        }
        0
    }

    /// Whether an option that is not listed reaches something outside of the folder: then a rule must name it.
    fn leads_out(&mut self, flag: &str, value: Option<Word>) -> bool {
        let is_out = |word: &Word| word.literal().is_some_and(|_| leads_out(word)) && !is_stream(word);
        let is_known = self.spec.is_harmless() || self.spec.is_own_program();
        let leads_out = !is_known && value.as_ref().is_some_and(is_out);
        self.finding.special_options.extend(leads_out.then(|| flag.to_owned()));
        leads_out
    }

    /// What an option that is not listed does, by its name. It takes no word: whether it has a value is not known.
    fn spelled(&mut self, flag: &str, attached: Option<Word>, next: &[Word]) {
        let follows = || next.first().filter(|word| !word.literal().is_some_and(looks_like_option)).cloned();
        let value = attached.or_else(follows).filter(|word| !is_stream(word));
        let Some(role) = spelling::role(flag) else {
            self.leads_out(flag, value);
            return;
        };
        let elsewhere = value.as_ref().is_some_and(leads_out);
        if elsewhere || role.is_special(self.spec.writes_anyway()) {
            self.finding.special_options.push(flag.to_owned());
        }
        let target = value.as_ref().map(Word::target);
        let effect = match role {
            FlagRole::Writes => target.map(|path| ShellEffect::Write { path }),
            FlagRole::Runs => {
                Some(ShellEffect::Run { program: value.as_ref().map_or(flag, Word::shown).to_owned() })
            }
            _ => target.map(|path| ShellEffect::Read { path }),
        };
        self.finding.effects.extend(effect);
    }

    /// An option of a program that this one runs.
    fn handed_on(&mut self, word: &Word, next: &[Word]) {
        match word.literal().map(|text| text.split_once('=').map_or((text, None), |(n, v)| (n, Some(v)))) {
            Some((flag, value)) if looks_like_option(flag) => {
                self.spelled(flag, value.map(Word::known), next)
            }
            Some(_) => {}
            None => self.open_spelling(word),
        }
    }

    /// The same for one of which only the beginning is known: `--output=$x`.
    fn open_spelling(&mut self, word: &Word) {
        let WordValue::One { prefix, contained, .. } = &word.value else { return };
        if self.spec.is_harmless() {
            return;
        }
        let (flag, rest) = match prefix.split_once('=') {
            Some((flag, rest)) => (flag, rest),
            None => match prefix.strip_prefix("-o") {
                Some(rest) => ("-o", rest),
                None => return,
            },
        };
        let value = WordValue::One { prefix: rest.to_owned(), plain: false, contained: *contained };
        self.spelled(flag, Some(Word { text: word.text.clone(), value }), &[]);
    }
}

impl Finding {
    /// What a flag with this value does.
    fn given(&mut self, name: &str, flag: &Flag, value: Option<Word>) {
        let flag_name = &flag.name;
        match flag.role {
            FlagRole::Harmless => {}
            FlagRole::Reads => self.read_value(value.as_ref()),
            FlagRole::Looks => {
                self.effects.extend(value.map(|word| ShellEffect::Look { path: word.target() }))
            }
            FlagRole::Data => value.iter().for_each(|word| self.effects.extend(attached::data(word))),
            FlagRole::Attaches => value.iter().for_each(|word| self.effects.extend(attached::fields(word))),
            FlagRole::Reports => value.iter().for_each(|word| self.report(name, flag, word)),
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
            FlagRole::Prefixes => {
                let path = value.map_or(PathTarget::Somewhere, |word| operands::begins(word.target()));
                self.write(path, format!("`{name} {flag_name}` writes files"));
            }
            FlagRole::Fills => {
                let folder =
                    value.map_or(PathTarget::Somewhere, |word| below(word.target(), ReadDepth::Below));
                self.write(folder, format!("`{name} {flag_name}` writes files"));
            }
        }
    }

    /// What a report writes: only a rule that names the flag covers that.
    fn report(&mut self, name: &str, flag: &Flag, value: &Word) {
        self.effects.extend(attached::data(value));
        let files = attached::outputs(value);
        if !files.is_empty() {
            self.special_options.push(flag.name.clone());
        }
        for path in files {
            match path {
                PathTarget::Somewhere => {
                    self.effects.push(ShellEffect::Write { path });
                    self.mark_unknown(format!("`{name} {}` may write a file", flag.name));
                }
                path => self.write(path, format!("`{name} {}` writes a file", flag.name)),
            }
        }
    }

    fn read_value(&mut self, value: Option<&Word>) {
        let Some(word) = value.filter(|w| w.literal() != Some("-")) else { return };
        if let Some(read) = operands::file_url(word) {
            return self.effects.push(read);
        }
        self.read(word.target());
        // `-v folder:/mounted`, `-E cert:password`.
        if let Some((file, _)) = word.literal().and_then(|text| text.split_once(':')) {
            self.read(Word::known(file).target());
        }
    }

    fn write_value(&mut self, name: &str, flag: &Flag, value: Option<Word>) {
        let Some(word) = value else {
            return self
                .write(PathTarget::Below(".".to_owned()), format!("`{name} {}` writes files", flag.name));
        };
        if is_stream(&word) {
            return self.mark_unknown(format!("`{name} {}` writes to a file", flag.name));
        }
        let behind = word.literal().into_iter().flat_map(behind_signs);
        self.effects
            .extend(behind.map(|path| ShellEffect::Write { path: PathTarget::Path(path.to_owned()) }));
        self.write(word.target(), format!("`{name} {}` writes to `{}`", flag.name, word.shown()));
    }
}

/// `--author="$who"`, `-n"$count"`: a flag whose attached value is not known, and what is known of the value.
fn open_value<'s>(spec: &'s CommandSpec, word: &Word) -> Option<(&'s Flag, Word)> {
    let WordValue::One { prefix, contained, .. } = &word.value else { return None };
    let (flag, rest) = if prefix.starts_with("--") || spec.single_dash {
        let (name, rest) = prefix.split_once('=')?;
        (spec.flag(name).or_else(|| spec.abbreviated(name))?, rest)
    } else {
        (spec.all_flags.get(prefix.get(..2)?)?, prefix.get(2..)?)
    };
    let value = WordValue::One { prefix: rest.to_owned(), plain: false, contained: *contained };
    (flag.arity != Arity::None).then(|| (flag, Word { text: word.text.clone(), value }))
}

/// `-ofile` and `-MFfile` of a program whose other flags have long names behind one dash.
fn joined<'s, 't>(spec: &'s CommandSpec, text: &'t str) -> Option<(&'s Flag, &'t str)> {
    if !spec.single_dash || text.starts_with("--") {
        return None;
    }
    (2..text.len()).rev().find_map(|at| {
        let (name, rest) = text.split_at_checked(at)?;
        let flag = spec.all_flags.get(name).filter(|flag| flag.role != FlagRole::Harmless)?;
        // The beginning of another option is no value.
        let is_value = at == 2 || rest.starts_with(['/', '.', '~']);
        (flag.arity != Arity::None && is_value).then_some((flag, rest))
    })
}

/// The place in `type=local,dest=out`, as docker has it.
fn destination(word: Word) -> Word {
    let pairs = word.literal().filter(|text| text.starts_with("type=") || text.starts_with("dest="));
    let place = pairs.and_then(|text| text.split(',').find_map(|pair| pair.strip_prefix("dest=")));
    place.map(Word::known).unwrap_or(word)
}

/// A file that is none.
fn is_stream(word: &Word) -> bool {
    matches!(word.literal(), Some("-" | "/dev/null" | "/dev/stdout" | "/dev/stderr"))
}

/// Begins with a dash and is neither a lone one nor a negative number.
pub(crate) fn looks_like_option(text: &str) -> bool {
    text.strip_prefix('-')
        .is_some_and(|rest| !rest.is_empty() && !rest.starts_with(|c: char| c.is_ascii_digit()))
}

/// Whether a path may lead out of the folder that the command runs in.
fn leads_out(word: &Word) -> bool {
    word.literal().is_none_or(is_outside)
}

fn is_outside(path: &str) -> bool {
    path.starts_with(['/', '~']) || path.split('/').any(|part| part == "..")
}

/// What a value may name behind a word that says what it is: `html:f`, `sarif:file=f`. Not what an address names.
fn behind_signs(text: &str) -> impl Iterator<Item = &str> {
    let pieces =
        text.split([':', '=', ',']).skip(if text.starts_with([':', '=', ',']) { usize::MAX } else { 1 });
    pieces.filter(|piece| !piece.is_empty() && !piece.starts_with("//"))
}
