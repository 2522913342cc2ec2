//! Rules in the form that changes to the permissions have.

use forelook_protocol::{Behavior, Destination, PermissionUpdate, RuleValue};

/// The change that adds an allow rule such as `Bash(npm test)`.
pub(crate) fn allow(rule: &str, destination: Destination) -> Option<PermissionUpdate> {
    let value = match rule.split_once('(') {
        Some((tool, content)) => RuleValue {
            tool_name: tool.to_owned(),
            rule_content: Some(content.strip_suffix(')')?.to_owned()),
        },
        None => RuleValue { tool_name: rule.to_owned(), rule_content: None },
    };
    Some(PermissionUpdate::AddRules { rules: vec![value], behavior: Behavior::Allow, destination })
}
