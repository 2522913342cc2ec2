//! From texts to rules. A rule that is wrong is named, and never makes anything looser than it would
//! be if it were right:
//!
//! | in | does not parse | its examples fail |
//! |---|---|---|
//! | `allow` | left out | left out |
//! | `ask`, `deny` | every use of the tool it names is asked about | the same, and it holds as it is written |

pub(crate) use forelook_permissions::RULE_TOOLS as TOOLS;
use forelook_permissions::{Matcher, PatternBases, Rule, RuleEntry};
use forelook_protocol::{AbsPath, Behavior, Notice, NoticeLevel, RuleOrigin, Source};

use crate::SettingsPaths;
use crate::examples::{Examples, check_examples};
use crate::file::Origin;
use crate::keys::{ALLOW, ASK, DENY, Key, ValueKind};
use crate::layers::Layer;
use crate::roots::Roots;
use crate::sanitize::{sanitized, sanitized_sentence};
use crate::values::RuleItem;

/// Rules given on the command line, as `flag` (`--allowedTools`, `--disallowedTools`), with what is wrong with them.
pub fn command_line_rules(
    flag: &str,
    behavior: Behavior,
    texts: &[String],
    settings_paths: &SettingsPaths,
) -> (Vec<RuleEntry>, Vec<Notice>) {
    let bases = Roots::of(settings_paths).bases(Source::CliArg, None);
    let mut reading = RuleReader::new(Source::CliArg, None, &bases);
    for text in texts {
        let item = RuleItem { text: text.clone(), examples: Examples::default(), line: 0 };
        reading.add(&item, behavior, || format!("`{flag}`"));
    }
    for entry in &mut reading.entries {
        entry.origin.line = None;
    }
    (reading.entries, reading.notices)
}

/// The rules of one file.
pub(crate) fn rules_of(
    layer: &Layer,
    origin: &Origin,
    bases: &PatternBases,
) -> (Vec<RuleEntry>, Vec<Notice>) {
    let mut reading = RuleReader::new(layer.source, layer.file.as_ref(), bases);
    for key in [&ALLOW, &ASK, &DENY] {
        let ValueKind::Rules(behavior) = key.kind else { continue };
        for item in items(layer, key) {
            reading.add(item, behavior, || format!("Setting `{}` in `{origin}:{}`", key.name, item.line));
        }
    }
    (reading.entries, reading.notices)
}

fn items<'a>(layer: &'a Layer, key: &Key) -> &'a [RuleItem] {
    layer.get(key).and_then(|found| found.value.as_rules()).unwrap_or_default()
}

struct RuleReader<'a> {
    source: Source,
    file: Option<&'a AbsPath>,
    bases: &'a PatternBases,
    entries: Vec<RuleEntry>,
    notices: Vec<Notice>,
}

impl<'a> RuleReader<'a> {
    fn new(source: Source, file: Option<&'a AbsPath>, bases: &'a PatternBases) -> Self {
        Self { source, file, bases, entries: Vec::new(), notices: Vec::new() }
    }

    fn add(&mut self, item: &RuleItem, behavior: Behavior, place: impl Fn() -> String) {
        let (rule, reject) = match Rule::parse(&item.text) {
            Ok(rule) => {
                let reject = check_examples(&rule, behavior, &item.examples, self.bases).err();
                (Some(rule), reject.map(|reject| reject.to_string()))
            }
            Err(error) => (None, Some(error.to_string())),
        };
        match (rule, reject) {
            (Some(rule), None) => {
                if let Some(near) = rule.likely_tool() {
                    self.warn(format!(
                        "{} names the unknown tool `{}`\nDid you mean `{near}`?",
                        place(),
                        sanitized(&rule.text)
                    ));
                }
                self.push(rule, behavior, item.line);
            }
            (rule, Some(reject)) => self.reject(
                item,
                behavior,
                rule,
                format!("{} is invalid: {}", place(), sanitized_sentence(&reject)),
            ),
            (None, None) => {}
        }
    }

    fn reject(&mut self, item: &RuleItem, behavior: Behavior, rule: Option<Rule>, what: String) {
        let tool = item.text.trim().split('(').next().unwrap_or_default().trim();
        let held = Rule::from_malformed(&item.text).or_else(|| of_plain_tool(&item.text, tool));
        let hint = match (behavior, &held, &rule) {
            (Behavior::Allow, _, _) | (_, None, None) => "It has no effect until you fix it".to_owned(),
            (_, Some(_), _) => {
                format!("Until you fix it, Forelook asks about every use of `{}`", sanitized(tool))
            }
            (_, None, Some(_)) => "It applies as written".to_owned(),
        };
        self.warn(format!("{what}\n{hint}"));
        if behavior != Behavior::Allow {
            if let Some(rule) = rule {
                self.push(rule, behavior, item.line);
            }
            if let Some(held) = held {
                self.push(held, Behavior::Ask, item.line);
            }
        }
    }

    fn push(&mut self, rule: Rule, behavior: Behavior, line: usize) {
        let origin = RuleOrigin {
            rule: rule.text.clone(),
            behavior,
            source: self.source,
            file: self.file.cloned(),
            line: Some(line),
        };
        self.entries.push(RuleEntry { rule, origin, bases: self.bases.clone() });
    }

    fn warn(&mut self, text: String) {
        self.notices.push(Notice { level: NoticeLevel::Warning, text });
    }
}

/// What to hold in place of a broken rule for a tool that takes nothing in parentheses, if there is such a tool.
fn of_plain_tool(text: &str, tool: &str) -> Option<Rule> {
    let rule = || Rule { text: text.trim().to_owned(), matcher: Matcher::Tool(tool.to_owned()) };
    TOOLS.contains(&tool).then(rule)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What a rule becomes, and the one thing that is said about it.
    fn read(behavior: Behavior, text: &str, examples: Examples) -> (Vec<String>, Option<String>) {
        let root = AbsPath::new("/p").unwrap();
        let bases = PatternBases { home: None, working: root.clone(), written: root };
        let mut reading = RuleReader::new(Source::UserSettings, None, &bases);
        reading.add(&RuleItem { text: text.into(), examples, line: 7 }, behavior, || "X".into());
        assert!(reading.notices.len() <= 1);
        let entries = reading.entries.iter().map(|entry| {
            format!("{} {:?}", entry.origin.behavior, entry.rule.matcher).chars().take(30).collect()
        });
        (entries.collect(), reading.notices.pop().map(|notice| notice.text))
    }

    #[test]
    fn a_broken_rule_never_loosens() {
        use Behavior::{Allow, Ask, Deny};
        let bad = || Examples { matching: vec!["ls".into()], not_matching: vec![] };
        for (behavior, text, examples, held, said) in [
            (Allow, "Bash(ls", Examples::default(), &[][..], "has no effect"),
            (
                Deny,
                "Bash(ls",
                Examples::default(),
                &["ask Shell(Bash, Any)"],
                "asks about every use of `Bash`",
            ),
            (Ask, " Bash (ls)", Examples::default(), &["ask Shell(Bash, Any)"], "every use of `Bash`"),
            (
                Deny,
                "TodoWrite(x)",
                Examples::default(),
                &["ask Tool(\"TodoWrite\")"],
                "every use of `TodoWrite`",
            ),
            (Allow, "TodoWrite(x)", Examples::default(), &[], "has no effect"),
            (Deny, "bash(ls)", Examples::default(), &[], "did you mean `Bash`?"),
            (Allow, "Bahs(ls)", Examples::default(), &[], "unknown tool `Bahs`; did you mean `Bash`?"),
            (Deny, "Zebra(x)", Examples::default(), &[], "has no effect until you fix it"),
            (Deny, "", Examples::default(), &[], "names no tool"),
            (Allow, "Bash(rm:*)", bad(), &[], "does not match its example `ls`"),
            (
                Deny,
                "Bash(rm:*)",
                bad(),
                &["deny Shell(Bash, Prefix(\"rm\"))", "ask Shell(Bash, Any)"],
                "`ls`",
            ),
            (
                Deny,
                "Read(a/../b)",
                Examples::default(),
                &["ask Files { access: Read, tool:"],
                "`..` can appear only",
            ),
            (Deny, "bash", Examples::default(), &["deny Tool(\"bash\")"], "Did you mean `Bash`?"),
            (Deny, "Bash(\u{1b}[2J", Examples::default(), &["ask Shell(Bash, Any)"], "\\u{1b}[2J"),
        ] {
            let (entries, notice) = read(behavior, text, examples);
            let held: Vec<String> = held.iter().map(|text| text.chars().take(30).collect()).collect();
            assert_eq!(entries, held, "{behavior} {text}");
            let notice = notice.unwrap();
            assert!(notice.contains(said), "{behavior} {text} said {notice}");
        }
    }

    #[test]
    fn a_sound_rule_passes_without_a_word() {
        for text in
            ["Bash(ls:*)", "mcp__github", "TodoWrite", "SomethingForeign", "Edit(/src/**)", "Read(../x)"]
        {
            let (entries, notice) = read(Behavior::Allow, text, Examples::default());
            assert_eq!((entries.len(), notice), (1, None), "{text}");
        }
    }
}
