//! One command's words against its table: every option must be listed, every operand allowed.

use super::finding::Finding;
use crate::table::{Arity, CommandEffect, CommandSpec, Flag, FlagRole, WrittenOperands};
use crate::types::{ShellEffect, Word};

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
        let (name, spec) = (self.name, self.spec);
        let mut index = 0;
        let mut only_operands = false;
        while let Some(word) = args.get(index) {
            index += 1;
            if only_operands || !word.may_be_option() {
                self.scan.first_operand.get_or_insert(index - 1);
                self.scan.operands.push(word);
                only_operands |= spec.stop;
                if !spec.sub.is_empty() && !spec.mixed {
                    break;
                }
                continue;
            }
            let Some(text) = word.literal() else {
                match open_value(spec, word) {
                    Some(flag) => self.scan.flags.push(flag.name.clone()),
                    None => {
                        if !spec.free {
                            self.finding
                                .mark_unknown(format!("`{}` could be an option of `{name}`", word.text));
                        }
                        self.scan.operands.push(word);
                    }
                }
                continue;
            };
            if text == "--" {
                only_operands = true;
                continue;
            }
            index += self.option(text, args.get(index..).unwrap_or(&[]));
        }
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
                Some(flag) if value.is_none() || flag.arity != Arity::None => self.take(flag, value, next),
                _ => self.unlisted(flag_name),
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
                return self.unlisted(&flag_name);
            };
            let rest = letters.get(at + letter.len_utf8()..).unwrap_or("");
            if flag.arity == Arity::None {
                self.take(flag, None, next);
            } else {
                // A number may be attached: no flag is a digit.
                if spec.values_apart && !rest.bytes().all(|b| b.is_ascii_digit()) {
                    self.finding.mark_unknown(format!("It is unclear which letters in `{text}` are flags"));
                }
                return self.take(flag, (!rest.is_empty()).then_some(rest), next);
            }
        }
        0
    }

    /// Notes a flag that the table lists; answers how many of the next words it takes.
    fn take(&mut self, flag: &Flag, attached: Option<&str>, next: &[Word]) -> usize {
        let name = self.name;
        self.scan.flags.push(flag.name.clone());
        let mut taken = 0;
        let mut value = attached.map(Word::known);
        if flag.arity == Arity::Required && attached.is_none() {
            let Some(word) = next.first() else {
                self.finding.mark_unknown(format!("`{name} {}` is missing its value", flag.name));
                return 0;
            };
            // If the table were wrong about this value, or the tool of another version, it would be an option.
            if word.literal().is_some_and(looks_like_option) {
                self.finding.mark_unknown(format!(
                    "`{}` after `{name} {}` looks like an option",
                    word.text, flag.name
                ));
            }
            if word.is_many() {
                self.finding.mark_unknown(format!(
                    "`{}` after `{name} {}` could expand to several words",
                    word.text, flag.name
                ));
            }
            taken = 1;
            value = Some(word.clone());
        }
        if let Some(value) = &value
            && !self.spec.allows(&flag.name, value.literal())
        {
            self.finding.mark_unknown(format!(
                "The value `{}` of `{name} {}` is not known to be read-only",
                value.text, flag.name
            ));
        }
        self.scan.values.extend(value.clone().map(|v| (flag.name.clone(), v)));
        match flag.role {
            FlagRole::Harmless => {}
            FlagRole::Changes => {
                self.finding.mark_changes(format!("`{name} {}` changes files or settings", flag.name));
            }
            FlagRole::Refused => {
                self.finding.mark_unknown(format!("`{name} {}` can run a program or write a file", flag.name))
            }
            FlagRole::Writes => writes(name, flag, value, self.finding),
        }
        taken
    }

    fn unlisted(&mut self, flag: &str) -> usize {
        if !self.spec.free {
            self.finding
                .mark_unknown(format!("The option `{flag}` of `{}` is not known to be read-only", self.name));
        }
        0
    }
}

/// `--author="$who"`, `-n"$count"`: a harmless flag whose attached value is not known.
fn open_value<'s>(spec: &'s CommandSpec, word: &Word) -> Option<&'s Flag> {
    let crate::types::WordValue::One { prefix, .. } = &word.value else { return None };
    let flag = if prefix.starts_with("--") || spec.single_dash {
        spec.all_flags.get(prefix.split_once('=')?.0)?
    } else {
        spec.all_flags.get(prefix.get(..2)?)?
    };
    let harmless =
        flag.role == FlagRole::Harmless && flag.arity != Arity::None && spec.allows(&flag.name, None);
    harmless.then_some(flag)
}

/// Begins with a dash and is neither a lone one nor a negative number.
pub(crate) fn looks_like_option(text: &str) -> bool {
    text.strip_prefix('-')
        .is_some_and(|rest| !rest.is_empty() && !rest.starts_with(|c: char| c.is_ascii_digit()))
}

fn writes(name: &str, flag: &Flag, value: Option<Word>, finding: &mut Finding) {
    let Some(word) = value else {
        return finding.mark_changes(format!("`{name} {}` writes files", flag.name));
    };
    if matches!(word.literal(), Some("-" | "/dev/null" | "/dev/stdout" | "/dev/stderr")) {
        return finding.mark_unknown(format!("`{name} {}` writes to a file", flag.name));
    }
    finding.write(word.target(), format!("`{name} {}` writes to `{}`", flag.name, word.shown()));
}

/// What a scanned command does, by its table.
pub(crate) fn conclude(name: &str, spec: &CommandSpec, scan: &OptionScan<'_>, finding: &mut Finding) {
    let listing = scan.flags.iter().any(|f| spec.lists_with(f));
    operands(name, spec, scan, listing, finding);
    if let Some((one, other)) = spec.clash(&scan.flags) {
        finding.mark_unknown(format!("The options `{one}` and `{other}` of `{name}` conflict"));
    }
    let mut needs = spec.needs().peekable();
    let given = |flag: &str| scan.flags.iter().any(|f| f == flag);
    if needs.peek().is_some() && !needs.any(|n| n.split('&').all(given)) {
        finding.mark_unknown(sentence(name, spec, "is known to be read-only only with specific options"));
    }
    match spec.does {
        CommandEffect::Reads => {}
        CommandEffect::Changes if !listing => finding.mark_changes(sentence(name, spec, "makes changes")),
        CommandEffect::Changes => {}
        CommandEffect::Fetches => {
            finding.effects.push(ShellEffect::Network);
            finding.mark_changes(sentence(name, spec, "makes changes"));
        }
        CommandEffect::Sends => {
            finding.effects.extend([ShellEffect::Network, ShellEffect::Send]);
            finding.mark_changes(sentence(name, spec, "makes changes on another machine"));
        }
        CommandEffect::Unknown => {
            finding.mark_unknown(sentence(name, spec, "can do anything, depending on its input"))
        }
        CommandEffect::Network => {
            finding.effects.push(ShellEffect::Network);
            finding.mark_unknown(sentence(name, spec, "uses the network"));
        }
    }
    let known_paths = scan
        .operands
        .iter()
        .all(|w| !w.is_many() || matches!(w.target(), crate::types::PathTarget::Begins(_)));
    let sure = !finding.effects.iter().any(|e| matches!(e, ShellEffect::Unknown { .. }));
    finding.simple_file_command = spec.file_command && known_paths && sure && !scan.operands.is_empty();
}

fn sentence(name: &str, spec: &CommandSpec, default: &str) -> String {
    format!("`{name}` {}", spec.why.as_deref().unwrap_or(default))
}

fn operands(name: &str, spec: &CommandSpec, scan: &OptionScan<'_>, listing: bool, finding: &mut Finding) {
    let many = scan.operands.iter().any(|w| w.is_many());
    if let Some(max) = spec.max.filter(|_| !listing)
        && (scan.operands.len() > max || many)
    {
        let last = scan.operands.last().map_or("", |w| w.text.as_str());
        finding.mark_unknown(format!("`{name}` may make changes with `{last}`"));
    }
    if scan.operands.len() < spec.min {
        finding.mark_unknown(format!("`{name}` is missing an argument"));
    }
    for word in &scan.operands {
        if spec.literal && word.literal().is_none() {
            finding.mark_unknown(format!("`{}` is unknown until it runs", word.text));
        }
        let begins = spec.begins.as_deref().is_none_or(|b| prefix_of(word).starts_with(b));
        let listed = spec.only.is_empty() || word.literal().is_some_and(|t| spec.only.iter().any(|o| o == t));
        if !begins || !listed {
            finding.mark_unknown(format!("`{name} {}` is not known to be read-only", word.text));
        }
    }
    files(spec, scan, finding);
}

fn prefix_of(word: &Word) -> &str {
    match &word.value {
        crate::types::WordValue::Literal(text) => text,
        crate::types::WordValue::One { prefix, .. } | crate::types::WordValue::Many { prefix, .. } => prefix,
    }
}

/// Which operands are read and which written.
fn files(spec: &CommandSpec, scan: &OptionScan<'_>, finding: &mut Finding) {
    let count = scan.operands.len();
    for (index, word) in scan.operands.iter().enumerate() {
        let written = match spec.written {
            WrittenOperands::None => false,
            WrittenOperands::All => true,
            WrittenOperands::Last => index + 1 == count,
            WrittenOperands::Rest => index > 0,
        };
        if written {
            finding.effects.push(ShellEffect::Write { path: word.target() });
        } else if !spec.no_files && spec.written != WrittenOperands::Rest {
            finding.read(word.target());
        }
    }
}
