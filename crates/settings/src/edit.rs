//! Changes a settings text and leaves the rest of it as it is: comments, order, indentation.
//!
//! The result is read again before anybody sees it. If it does not say exactly what was wanted, or if
//! anything else in it changed, there is no result: a person's file is worth more than the change.

use forelook_protocol::{Behavior, Mode};
use jsonc_parser::cst::{CstArray, CstInputValue, CstNode, CstObject, CstRootNode};

use crate::file::{BYTE_ORDER_MARK, FileError, Json, Node, Origin, Property, broken, parse};
use crate::read_keys::read_keys;
use crate::strict::strict;
use crate::values::HookItem;

const MODE: [&str; 2] = ["permissions", "defaultMode"];
const THEME: [&str; 1] = ["theme"];
const SANDBOX: [&str; 2] = ["sandbox", "enabled"];

/// One change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum SettingsChange {
    /// Adds what is not there yet.
    Add(SettingsList, Vec<SavedItem>),
    /// Leaves these and no others.
    Replace(SettingsList, Vec<String>),
    /// Removes these.
    Remove(SettingsList, Vec<String>),
    /// Sets the mode.
    Mode(Mode),
    /// Sets the theme.
    Theme(&'static str),
    /// Switches the fence.
    Sandbox(bool),
    /// Adds hooks that are not there yet.
    Hooks(Vec<HookItem>),
}

/// An item of a list to save.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct SavedItem {
    pub(crate) text: String,
    /// What it must match: what a rule was made from. Nothing for all else.
    pub(crate) examples: Vec<String>,
}

impl SavedItem {
    /// Items without examples.
    pub(crate) fn plain(texts: &[String]) -> Vec<Self> {
        texts.iter().map(|text| Self { text: text.clone(), examples: Vec::new() }).collect()
    }
}

/// A list in the section `permissions` or `sandbox`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SettingsList {
    Rules(Behavior),
    Folders,
    Domains,
    Writable,
    Outside,
}

impl SettingsList {
    fn path(self) -> &'static [&'static str; 2] {
        match self {
            SettingsList::Rules(Behavior::Allow) => &["permissions", "allow"],
            SettingsList::Rules(Behavior::Ask) => &["permissions", "ask"],
            SettingsList::Rules(Behavior::Deny) => &["permissions", "deny"],
            SettingsList::Folders => &["permissions", "additionalDirectories"],
            SettingsList::Domains => &["sandbox", "network"],
            SettingsList::Writable => &["sandbox", "writable"],
            SettingsList::Outside => &["sandbox", "outside"],
        }
    }
}

/// What came of a change.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct EditOutcome {
    pub(crate) text: String,
    pub(crate) added: Vec<String>,
    pub(crate) removed: Vec<String>,
}

/// Why there is no result.
#[derive(Debug, thiserror::Error)]
pub(crate) enum EditError {
    #[error(transparent)]
    Broken(#[from] FileError),
    #[error("Setting `{name}` is not {wanted}")]
    Shape { name: String, wanted: &'static str },
    #[error("Setting `{name}` appears twice")]
    Twice { name: String },
    #[error("Cannot change this setting without changing other parts of the file")]
    Inexact,
}

/// Makes one change to a text.
pub(crate) fn edit(text: &str, origin: &Origin, change: &SettingsChange) -> Result<EditOutcome, EditError> {
    let before = parse(text, origin)?;
    let bare = text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text);
    let root = CstRootNode::parse(bare, &strict()).map_err(|error| broken(&error, bare, origin))?;
    let top = root.object_value_or_create().ok_or_else(|| shape(&[], "an object"))?;
    let mut edited = match change {
        SettingsChange::Hooks(hooks) => add_hooks(&top, &before, origin, hooks)?,
        SettingsChange::Mode(mode) => set_word(&make_object(&top, &MODE[..1])?, &MODE, mode.name())?,
        SettingsChange::Theme(theme) => set_word(&top, &THEME, theme)?,
        SettingsChange::Sandbox(on) => set_switch(&make_object(&top, &SANDBOX[..1])?, &SANDBOX, *on)?,
        SettingsChange::Add(list, wanted) => change_list(&top, *list, wanted, |_| false)?,
        SettingsChange::Replace(list, wanted) => {
            change_list(&top, *list, &SavedItem::plain(wanted), |text| {
                text.is_none_or(|text| !wanted.iter().any(|wanted| same(wanted, text)))
            })?
        }
        SettingsChange::Remove(list, unwanted) => change_list(&top, *list, &[], |text| {
            text.is_some_and(|text| unwanted.iter().any(|unwanted| same(unwanted, text)))
        })?,
    };
    if edited.added.is_empty() && edited.removed.is_empty() {
        edited.text = text.to_owned();
        return Ok(edited);
    }
    let mark = if bare.len() < text.len() { BYTE_ORDER_MARK.to_string() } else { String::new() };
    edited.text = format!("{mark}{root}");
    match parse(&edited.text, origin) {
        Ok(after) if is_exact(&before, &after, change, &edited, origin) => Ok(edited),
        _ => Err(EditError::Inexact),
    }
}

/// Removes from a list what `goes`, and adds what is wanted and not there.
fn change_list(
    top: &CstObject,
    list: SettingsList,
    wanted: &[SavedItem],
    goes: impl Fn(Option<&str>) -> bool,
) -> Result<EditOutcome, EditError> {
    let mut edited = EditOutcome::default();
    let path = list.path();
    let mut there = Vec::new();
    if let Some(array) = find_list(top, path)? {
        for element in array.elements() {
            let text = text_of(&element);
            if goes(text.as_deref()) {
                edited.removed.push(text.unwrap_or_else(|| element.to_string()));
                element.remove();
            } else {
                there.extend(text);
            }
        }
    }
    let mut added = Vec::new();
    for wanted in wanted {
        let text = wanted.text.trim();
        if !there.iter().any(|known| same(known, text)) {
            there.push(text.to_owned());
            edited.added.push(text.to_owned());
            added.push(item_value(text, &wanted.examples));
        }
    }
    if !added.is_empty() {
        let array = make_list(top, path)?;
        for item in added {
            array.append(item);
        }
    }
    Ok(edited)
}

fn item_value(text: &str, examples: &[String]) -> CstInputValue {
    if examples.is_empty() {
        return text.into();
    }
    let examples = examples.iter().map(|example| example.as_str().into()).collect();
    CstInputValue::Object(vec![
        ("rule".to_owned(), text.into()),
        ("match".to_owned(), CstInputValue::Array(examples)),
    ])
}

fn same(one: &str, other: &str) -> bool {
    one.trim() == other.trim()
}

/// A list's item: a text, or a rule with examples.
fn text_of(element: &CstNode) -> Option<String> {
    if let Some(text) = element.as_string_lit() {
        return text.decoded_value().ok();
    }
    element.as_object()?.get("rule")?.value()?.as_string_lit()?.decoded_value().ok()
}

/// Sets the word at the end of a path, in the object that holds it.
fn set_word(holder: &CstObject, path: &[&str], word: &str) -> Result<EditOutcome, EditError> {
    let mut edited = EditOutcome::default();
    match property(holder, path)? {
        Some(prop) => {
            let before = prop.value().map(|value| text_of(&value).unwrap_or_else(|| value.to_string()));
            if before.as_deref() == Some(word) {
                return Ok(edited);
            }
            edited.removed.extend(before);
            prop.set_value(word.into());
        }
        None => {
            holder.append(path.last().copied().unwrap_or_default(), word.into());
        }
    }
    edited.added.push(word.to_owned());
    Ok(edited)
}

/// Sets the switch at the end of a path, in the object that holds it.
fn set_switch(holder: &CstObject, path: &[&str], on: bool) -> Result<EditOutcome, EditError> {
    let mut edited = EditOutcome::default();
    match property(holder, path)? {
        Some(prop) => {
            let before = prop.value().map(|value| value.to_string());
            if before.as_deref() == Some(if on { "true" } else { "false" }) {
                return Ok(edited);
            }
            edited.removed.extend(before);
            prop.set_value(on.into());
        }
        None => {
            holder.append(path.last().copied().unwrap_or_default(), on.into());
        }
    }
    edited.added.push(format!("{}: {on}", path.join(".")));
    Ok(edited)
}

fn add_hooks(
    top: &CstObject,
    before: &[Property],
    origin: &Origin,
    hooks: &[HookItem],
) -> Result<EditOutcome, EditError> {
    let mut edited = EditOutcome::default();
    let mut known = hooks_of(before, origin);
    for hook in hooks {
        let unlined = HookItem { line: 0, ..hook.clone() };
        if known.contains(&unlined) {
            continue;
        }
        make_object(top, &["hooks"])?;
        make_list(top, &["hooks", hook.event.name()])?.append(hook_value(hook));
        edited.added.push(format!("{}: {}", hook.event, hook.command));
        known.push(unlined);
    }
    Ok(edited)
}

fn hook_value(hook: &HookItem) -> CstInputValue {
    let pair = |name: &str, value: CstInputValue| (name.to_owned(), value);
    let mut command = vec![pair("type", "command".into()), pair("command", hook.command.as_str().into())];
    if let Some(timeout) = hook.timeout {
        command.push(pair("timeout", timeout.as_secs_f64().into()));
    }
    if hook.fail_closed {
        command.push(pair("failClosed", true.into()));
    }
    let matcher = hook.matcher.as_deref().map(|matcher| pair("matcher", matcher.into()));
    let commands = pair("hooks", CstInputValue::Array(vec![CstInputValue::Object(command)]));
    CstInputValue::Object(matcher.into_iter().chain([commands]).collect())
}

/// The hooks of a file, without their lines.
fn hooks_of(properties: &[Property], origin: &Origin) -> Vec<HookItem> {
    let hooks: Vec<Property> =
        properties.iter().filter(|property| property.name == "hooks").cloned().collect();
    let (found, _) = read_keys(hooks, origin);
    let hooks = found.first().and_then(|found| found.value.as_hooks()).unwrap_or_default();
    hooks.iter().map(|hook| HookItem { line: 0, ..hook.clone() }).collect()
}

/// The property at the end of a path, in the object that holds it; one that stands twice is refused, for nobody
/// could tell which of them is meant.
fn property(
    object: &CstObject,
    path: &[&str],
) -> Result<Option<jsonc_parser::cst::CstObjectProp>, EditError> {
    let name = path.last().copied().unwrap_or_default();
    let mut named =
        object.properties().into_iter().filter(|property| property.decoded_name().as_deref() == Some(name));
    match (named.next(), named.next()) {
        (found, None) => Ok(found),
        (_, Some(_)) => Err(EditError::Twice { name: path.join(".") }),
    }
}

fn find_list(top: &CstObject, path: &[&str; 2]) -> Result<Option<CstArray>, EditError> {
    let Some(section) = property(top, &path[..1])? else { return Ok(None) };
    let section = section.object_value().ok_or_else(|| shape(&path[..1], "an object"))?;
    let Some(list) = property(&section, path)? else { return Ok(None) };
    list.array_value().map(Some).ok_or_else(|| shape(path, "a list"))
}

fn make_list(top: &CstObject, path: &[&str; 2]) -> Result<CstArray, EditError> {
    if let Some(list) = find_list(top, path)? {
        return Ok(list);
    }
    let section = make_object(top, &path[..1])?;
    let made = section.append(path[1], CstInputValue::Array(Vec::new())).array_value();
    let list = made.ok_or_else(|| shape(path, "a list"))?;
    // One item a line: that is how a list of rules is read, and how its changes are seen in a diff.
    list.ensure_multiline();
    Ok(list)
}

fn make_object(top: &CstObject, path: &[&str]) -> Result<CstObject, EditError> {
    let name = path.last().copied().unwrap_or_default();
    let prop = match property(top, path)? {
        Some(prop) => prop,
        None => top.append(name, CstInputValue::Object(Vec::new())),
    };
    prop.object_value().ok_or_else(|| shape(path, "an object"))
}

fn shape(path: &[&str], wanted: &'static str) -> EditError {
    EditError::Shape { name: path.join("."), wanted }
}

/// Whether the new text says what the change was to bring, and otherwise the same as the old one.
fn is_exact(
    before: &[Property],
    after: &[Property],
    change: &SettingsChange,
    edited: &EditOutcome,
    origin: &Origin,
) -> bool {
    let (path, told): (&[&str], bool) = match change {
        SettingsChange::Hooks(_) => {
            let (old, new) = (hooks_of(before, origin), hooks_of(after, origin));
            let kept = old.iter().all(|hook| new.contains(hook));
            (&["hooks"], kept && new.len() == old.len() + edited.added.len())
        }
        SettingsChange::Mode(mode) => (&MODE, is_word(after, &MODE, mode.name())),
        SettingsChange::Theme(theme) => (&THEME, is_word(after, &THEME, theme)),
        SettingsChange::Sandbox(on) => {
            let now = values_at(after, &SANDBOX);
            (&SANDBOX, matches!(now[..], [Node { json: Json::Bool(now), .. }] if now == on))
        }
        SettingsChange::Add(list, _) | SettingsChange::Replace(list, _) | SettingsChange::Remove(list, _) => {
            list_is_exact(before, after, *list, edited)
        }
    };
    told && rest(before, path) == rest(after, path)
}

fn list_is_exact(
    before: &[Property],
    after: &[Property],
    list: SettingsList,
    edited: &EditOutcome,
) -> (&'static [&'static str], bool) {
    let path = list.path();
    let mut expected = items_at(before, path);
    for gone in &edited.removed {
        if let Some(at) = expected.iter().position(|item| item == gone) {
            expected.remove(at);
        }
    }
    expected.extend(edited.added.iter().cloned());
    (path, expected == items_at(after, path))
}

fn is_word(properties: &[Property], path: &[&str], word: &str) -> bool {
    matches!(values_at(properties, path)[..], [Node { json: Json::Text(text), .. }] if text == word)
}

fn values_at<'a>(properties: &'a [Property], path: &[&str]) -> Vec<&'a Node> {
    let Some((name, inner)) = path.split_first() else { return Vec::new() };
    let named = properties.iter().filter(|property| property.name == *name);
    named
        .flat_map(|property| match &property.value.json {
            _ if inner.is_empty() => vec![&property.value],
            Json::Object(properties) => values_at(properties, inner),
            _ => Vec::new(),
        })
        .collect()
}

/// The items of a list as texts; what is neither a text nor a rule stands for itself.
fn items_at(properties: &[Property], path: &[&str]) -> Vec<String> {
    let items = values_at(properties, path).into_iter().flat_map(|node| match &node.json {
        Json::List(items) => items.as_slice(),
        _ => &[],
    });
    items
        .map(|item| match &item.json {
            Json::Text(text) => text.clone(),
            Json::Object(properties) => match values_at(properties, &["rule"])[..] {
                [Node { json: Json::Text(text), .. }, ..] => text.clone(),
                _ => String::new(),
            },
            _ => String::new(),
        })
        .collect()
}

/// Everything but what stands at a path, as a flat list without lines.
fn rest(properties: &[Property], without: &[&str]) -> Vec<(String, Json)> {
    let mut all = Vec::new();
    flatten(properties, "", Some(without), &mut all);
    all
}

fn flatten(properties: &[Property], prefix: &str, without: Option<&[&str]>, all: &mut Vec<(String, Json)>) {
    for Property { name, value, .. } in properties {
        let inner = without.and_then(|path| path.split_first()).filter(|(first, _)| *first == name);
        match inner.map(|(_, inner)| inner) {
            Some([]) => {}
            // A section on the way may be made by the change.
            Some(inner) if matches!(&value.json, Json::Object(_)) => {
                if let Json::Object(properties) = &value.json {
                    flatten(properties, &format!("{prefix}\0{name}"), Some(inner), all);
                }
            }
            _ => flatten_value(&value.json, &format!("{prefix}\0{name}"), all),
        }
    }
}

fn flatten_value(json: &Json, prefix: &str, all: &mut Vec<(String, Json)>) {
    match json {
        Json::Object(properties) => {
            all.push((prefix.to_owned(), Json::Object(Vec::new())));
            flatten(properties, prefix, None, all);
        }
        Json::List(items) => {
            all.push((prefix.to_owned(), Json::List(Vec::new())));
            for (at, item) in items.iter().enumerate() {
                flatten_value(&item.json, &format!("{prefix}\0{at}"), all);
            }
        }
        scalar => all.push((prefix.to_owned(), scalar.clone())),
    }
}
