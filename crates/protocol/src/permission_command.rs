//! The words behind `/permissions`, the same in every front end.

use crate::{Behavior, Destination, PermissionUpdate, RuleOrigin, RuleValue, Source};

/// What `/permissions` is to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PermissionsCommand {
    /// Show the rules.
    Show,
    /// Bring back what was moved out of the project.
    Restore,
    /// Make this change.
    Update(PermissionUpdate),
    /// Remove a rule, wherever it is stored.
    Remove(RuleRemoval),
}

/// A rule to remove.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RuleRemoval {
    /// The rule.
    pub rule: String,
    /// Its effect, if it was given.
    pub behavior: Option<Behavior>,
    /// Where it is stored, if that was given.
    pub from: Option<Destination>,
}

/// How the command is used.
pub const PERMISSIONS_USAGE: &str = "Use `/permissions add allow|ask|deny RULE [to session|local|project|user]`, \
                                     `/permissions remove RULE [from …]`, or `/permissions restore`";

impl PermissionsCommand {
    /// Whether these words behind the command change rules. On a command line they may be a script's: nobody typed them.
    pub fn changes_rules(words: &str) -> bool {
        matches!(Self::parse(words), Ok(Self::Update(_) | Self::Remove(_)))
    }

    /// Understands what stands behind the command.
    pub fn parse(words: &str) -> Result<Self, String> {
        let usage = || PERMISSIONS_USAGE.to_owned();
        let (first, rest) = words.trim().split_once(char::is_whitespace).unwrap_or((words.trim(), ""));
        match (first, rest.trim()) {
            ("", "") => Ok(Self::Show),
            ("restore", "") => Ok(Self::Restore),
            ("add", rest) => {
                let (behavior, rule) = behavior(rest);
                let (rule, destination) = place(rule, "to")?;
                let behavior = behavior.filter(|_| !rule.is_empty()).ok_or_else(usage)?;
                let unclosed = || format!("The rule `{rule}` must end with the closing `)`");
                Ok(Self::Update(PermissionUpdate::AddRules {
                    rules: vec![RuleValue::parse(rule).ok_or_else(unclosed)?],
                    behavior,
                    // As in a dialog: for this project, and for nobody else.
                    destination: destination.unwrap_or(Destination::LocalSettings),
                }))
            }
            ("remove", rest) => {
                let (behavior, rule) = behavior(rest);
                let (rule, from) = place(rule, "from")?;
                match rule {
                    "" => Err(usage()),
                    rule => Ok(Self::Remove(RuleRemoval { rule: rule.to_owned(), behavior, from })),
                }
            }
            _ => Err(usage()),
        }
    }
}

/// What is said where a change would add only rules that are there, given the rules that there are.
pub fn already_there(update: &PermissionUpdate, known: &[RuleOrigin]) -> Option<String> {
    let PermissionUpdate::AddRules { rules, behavior, destination } = update else { return None };
    let is_known = |rule: &RuleValue| {
        let rule = rule.to_string();
        known
            .iter()
            .any(|it| it.rule == rule && it.behavior == *behavior && it.source == destination.source())
    };
    let first = rules.first().filter(|_| rules.iter().all(is_known))?;
    Some(format!("`{behavior} {first}` is there already, in {}", destination.source()))
}

impl RuleRemoval {
    /// The change that removes it, given the rules that there are.
    pub fn update(&self, rules: &[RuleOrigin]) -> Result<PermissionUpdate, String> {
        let is_meant = |rule: &&RuleOrigin| {
            rule.rule == self.rule
                && self.behavior.is_none_or(|behavior| behavior == rule.behavior)
                && self.from.is_none_or(|from| from.source() == rule.source)
        };
        let found: Vec<&RuleOrigin> = rules.iter().filter(is_meant).collect();
        let [rule] = found.as_slice() else {
            return Err(match found.as_slice() {
                [] => format!("There is no rule `{}`\n`/permissions` shows the rules", self.rule),
                several => {
                    let places: Vec<String> =
                        several.iter().map(|rule| format!("{} in {}", rule.behavior, rule.source)).collect();
                    format!(
                        "There are several rules `{}`: {}\nSay which: `/permissions remove {} RULE from …`",
                        self.rule,
                        places.join(", "),
                        several[0].behavior,
                    )
                }
            });
        };
        let destination = Destination::of(rule.source).ok_or_else(|| {
            format!("The rule `{}` comes from {}, which Forelook does not change", rule.rule, rule.source)
        })?;
        let value = RuleValue::parse(&rule.rule).ok_or_else(|| PERMISSIONS_USAGE.to_owned())?;
        Ok(PermissionUpdate::RemoveRules { rules: vec![value], behavior: rule.behavior, destination })
    }
}

fn behavior(words: &str) -> (Option<Behavior>, &str) {
    let (first, rest) = words.split_once(char::is_whitespace).unwrap_or((words, ""));
    let behavior =
        [Behavior::Allow, Behavior::Ask, Behavior::Deny].into_iter().find(|it| it.to_string() == first);
    match behavior {
        Some(behavior) => (Some(behavior), rest.trim()),
        None => (None, words),
    }
}

/// The rule, and the place that stands behind it.
fn place<'a>(words: &'a str, preposition: &str) -> Result<(&'a str, Option<Destination>), String> {
    let Some((before, name)) = words.rsplit_once(char::is_whitespace) else { return Ok((words, None)) };
    let Some(rule) = before.trim_end().strip_suffix(preposition).filter(|rule| rule.ends_with(' ')) else {
        return Ok((words, None));
    };
    match Destination::named(name) {
        // The words are the rule's own.
        None if name.ends_with(')') => Ok((words, None)),
        Some(destination) => Ok((rule.trim_end(), Some(destination))),
        None => Err(format!("There is no place `{name}`\n{PERMISSIONS_USAGE}")),
    }
}

impl Destination {
    /// The names of those that a person chooses from.
    pub const NAMED: [(&'static str, Destination); 4] = [
        ("session", Destination::Session),
        ("local", Destination::LocalSettings),
        ("project", Destination::ProjectSettings),
        ("user", Destination::UserSettings),
    ];

    /// The destination of this name.
    fn named(name: &str) -> Option<Self> {
        Self::NAMED.into_iter().find(|(known, _)| *known == name).map(|(_, destination)| destination)
    }

    /// Its name.
    pub fn name(self) -> Option<&'static str> {
        Self::NAMED.into_iter().find(|(_, destination)| *destination == self).map(|(name, _)| name)
    }

    /// Where rules of this source are stored, if they can be changed.
    pub fn of(source: Source) -> Option<Self> {
        match source {
            Source::Session => Some(Destination::Session),
            Source::LocalSettings => Some(Destination::LocalSettings),
            Source::ProjectSettings => Some(Destination::ProjectSettings),
            Source::UserSettings => Some(Destination::UserSettings),
            Source::FlagSettings | Source::PolicySettings | Source::CliArg | Source::Command => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn add(rule: &str, behavior: Behavior, destination: Destination) -> PermissionsCommand {
        let rules = vec![RuleValue::parse(rule).unwrap()];
        PermissionsCommand::Update(PermissionUpdate::AddRules { rules, behavior, destination })
    }

    fn removal(rule: &str, behavior: Option<Behavior>, from: Option<Destination>) -> PermissionsCommand {
        PermissionsCommand::Remove(RuleRemoval { rule: rule.to_owned(), behavior, from })
    }

    #[test]
    fn what_stands_behind_the_command() {
        use Destination::{LocalSettings, Session, UserSettings};
        for (words, expected) in [
            ("", Some(PermissionsCommand::Show)),
            ("restore", Some(PermissionsCommand::Restore)),
            ("add allow Bash(npm test:*)", Some(add("Bash(npm test:*)", Behavior::Allow, LocalSettings))),
            ("add deny Read(a b) to user", Some(add("Read(a b)", Behavior::Deny, UserSettings))),
            (" add  ask  Edit  to  session ", Some(add("Edit", Behavior::Ask, Session))),
            ("add allow Bash(copy a to b)", Some(add("Bash(copy a to b)", Behavior::Allow, LocalSettings))),
            ("remove Bash(npm test:*)", Some(removal("Bash(npm test:*)", None, None))),
            (
                "remove allow Edit from local",
                Some(removal("Edit", Some(Behavior::Allow), Some(LocalSettings))),
            ),
            ("add Bash", None),
            ("add allow", None),
            ("add allow Bash(x", None),
            ("add allow Bash to nowhere", None),
            ("remove", None),
            ("restore it", None),
            ("show", None),
        ] {
            assert_eq!(PermissionsCommand::parse(words).ok(), expected, "{words}");
        }
    }

    #[test]
    fn what_is_wrong_with_a_rule_is_said() {
        for (words, said) in [
            ("add allow Bash(x", "The rule `Bash(x` must end with the closing `)`"),
            ("add allow Bash(x to user", "The rule `Bash(x` must end with the closing `)`"),
            ("add Bash(x", PERMISSIONS_USAGE),
            ("add allow", PERMISSIONS_USAGE),
        ] {
            assert_eq!(PermissionsCommand::parse(words), Err(said.to_owned()), "{words}");
        }
    }

    #[test]
    fn what_is_removed_is_one_rule_that_can_be_changed() {
        let rule = |rule: &str, behavior, source| RuleOrigin {
            rule: rule.to_owned(),
            behavior,
            source,
            file: None,
            line: None,
        };
        let rules = [
            rule("Edit", Behavior::Allow, Source::LocalSettings),
            rule("Edit", Behavior::Ask, Source::UserSettings),
            rule("Bash(git:*)", Behavior::Deny, Source::PolicySettings),
            rule("Read", Behavior::Allow, Source::Session),
        ];
        for (words, expected) in [
            ("remove Edit", Err("several")),
            ("remove ask Edit", Ok(Destination::UserSettings)),
            ("remove Edit from local", Ok(Destination::LocalSettings)),
            ("remove Edit from session", Err("no rule")),
            ("remove Bash(git:*)", Err("does not change")),
            ("remove Read", Ok(Destination::Session)),
        ] {
            let Ok(PermissionsCommand::Remove(removal)) = PermissionsCommand::parse(words) else {
                panic!("{words}")
            };
            match (removal.update(&rules), expected) {
                (Ok(update), Ok(destination)) => assert_eq!(update.destination(), destination, "{words}"),
                (Err(said), Err(part)) => assert!(said.contains(part), "{words}: {said}"),
                (found, _) => panic!("{words}: {found:?}"),
            }
        }
    }
}
