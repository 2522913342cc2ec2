//! System reminders: the one place where their tag is made, and where text that is not ours is kept from looking like it.
//!
//! Everything the model reads beside our own words passes [`escape`]: prompts, tool results, instruction files, agents'
//! prompts, facts about the environment, descriptions of external tools, and what a reminder itself quotes (a hook, a
//! command's output, a plan). So a `<system-reminder>` in a request is always ours. The journal keeps the text as it came.

use std::borrow::Cow;

use serde_json::Value;

/// The name of the tag.
const TAG: &str = "system-reminder";

/// The tags of the blocks of the system prompt: a file in one of them must not end it, or begin another.
const BLOCKS: [&str; 2] = ["instructions", "environment"];

/// What the model is told about reminders.
pub(super) const ABOUT: &str = include_str!("text/reminders.md").trim_ascii_end();

/// What stands for `<` where the text behind it would read as the tag.
const ESCAPED: &str = "&lt;";

/// A reminder as the model reads it.
pub(crate) fn wrap(text: &str) -> String {
    format!("<{TAG}>\n{}\n</{TAG}>", escape(text.trim_end()))
}

/// A text in which nothing opens or closes a reminder: the `<` of each tag, however it is written, becomes `&lt;`.
pub(crate) fn escape(text: &str) -> Cow<'_, str> {
    escape_tags(text, &[TAG])
}

/// The same for text that stands in a block of the system prompt: nothing opens or closes a block either.
pub(crate) fn escape_blocks(text: &str) -> String {
    let [instructions, environment] = BLOCKS;
    escape_tags(text, &[TAG, instructions, environment]).into_owned()
}

fn escape_tags<'t>(text: &'t str, tags: &[&str]) -> Cow<'t, str> {
    let mut out = String::new();
    let mut copied = 0;
    // A tag that begins at one bracket is looked for up to the next one, so every character is looked at twice at most.
    for (at, bracket) in text.match_indices(is_open_bracket) {
        if tags.iter().any(|tag| opens_tag(&text[at + bracket.len()..], tag)) {
            out.push_str(&text[copied..at]);
            out.push_str(ESCAPED);
            copied = at + bracket.len();
        }
    }
    if copied == 0 {
        return Cow::Borrowed(text);
    }
    out.push_str(&text[copied..]);
    Cow::Owned(out)
}

/// The same for a text that is ours to change.
pub(crate) fn escape_owned(text: &mut String) {
    if let Cow::Owned(escaped) = escape(text) {
        *text = escaped;
    }
}

/// The same for every text in a JSON value. Names of fields stay: a schema's names must be those that the tool takes.
pub(crate) fn escape_json(value: &mut Value) {
    match value {
        Value::String(text) => escape_owned(text),
        Value::Array(items) => items.iter_mut().for_each(escape_json),
        Value::Object(fields) => fields.values_mut().for_each(escape_json),
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}

/// A `<` in one of the shapes that a model may read as one: its own, those of other brackets and quotation marks that open
/// with such an angle, and of letters that look like it.
fn is_open_bracket(character: char) -> bool {
    matches!(
        character,
        '<' | '\u{ab}'
            | '\u{2c2}'
            | '\u{1438}'
            | '\u{16b2}'
            | '\u{2039}'
            | '\u{226a}'
            | '\u{227a}'
            | '\u{2329}'
            | '\u{276c}'
            | '\u{276e}'
            | '\u{2770}'
            | '\u{27e8}'
            | '\u{27ea}'
            | '\u{2991}'
            | '\u{29fc}'
            | '\u{3008}'
            | '\u{300a}'
            | '\u{fe3d}'
            | '\u{fe3f}'
            | '\u{fe64}'
            | '\u{ff1c}'
            | '\u{1d236}'
    )
}

/// Whether what stands behind a bracket is the rest of the tag: spaces, slashes, characters nobody sees and signs of other
/// scripts may stand anywhere between, and letters may be of either case, or be others that look like them.
fn opens_tag(rest: &str, tag: &str) -> bool {
    let mut characters = rest.chars().filter(|character| !is_invisible(*character));
    let mut name = tag.chars().filter(char::is_ascii_alphabetic).peekable();
    let mut begun = false;
    while let Some(wanted) = name.peek() {
        match characters.next() {
            Some(character) if is_open_bracket(character) => return false,
            Some(character) if stands_for(character, *wanted) => {
                begun = true;
                name.next();
            }
            Some('/' | '\\') if !begun => {}
            Some(character) if character.is_whitespace() || matches!(character, '-' | '_') => {}
            // Hyphens, accents and signs.
            Some(character) if !character.is_ascii() && !character.is_alphanumeric() => {}
            _ => return false,
        }
    }
    true
}

/// Whether a character may be read as this letter.
fn stands_for(character: char, letter: char) -> bool {
    let looks_alike = |(plain, others): &(char, &str)| *plain == letter && others.contains(character);
    match character.is_ascii() {
        true => character.to_ascii_lowercase() == letter || LOOK_ALIKES.iter().any(looks_alike),
        // Which letter it is made of is not looked up: the others of the name are.
        false => is_latin(character) || LOOK_ALIKES.iter().any(looks_alike),
    }
}

/// Letters of the Latin script beside the plain ones: with accents, phonetic, small, raised, mathematical, in circles, and of
/// full width.
fn is_latin(character: char) -> bool {
    let in_range = matches!(character,
        '\u{aa}'..='\u{2df}' | '\u{1d00}'..='\u{1dbf}' | '\u{1e00}'..='\u{1eff}' | '\u{2070}'..='\u{209c}'
        | '\u{2100}'..='\u{2188}' | '\u{249c}'..='\u{24e9}' | '\u{2c60}'..='\u{2c7f}' | '\u{a720}'..='\u{a7ff}'
        | '\u{ab30}'..='\u{ab6f}' | '\u{fb00}'..='\u{fb06}' | '\u{ff21}'..='\u{ff5a}' | '\u{1d400}'..='\u{1d7ff}'
        | '\u{1f110}'..='\u{1f18f}' | '\u{1f1e6}'..='\u{1f1ff}');
    in_range && (character.is_alphabetic() || character >= '\u{2100}')
}

/// Letters of other scripts, and signs, that look like a letter of the tags. Words in these scripts are as common as any, so
/// not every letter of theirs counts.
const LOOK_ALIKES: &[(char, &str)] = &[
    ('c', "СсϹϲⲤⲥᏟ("),
    ('d', "ԀԁᎠᑯԂԃ"),
    ('e', "ЕеЁёЄєЭэΕεҼҽᎬ3"),
    ('i', "ІіЇїӀӏΙιΪϊᎥ1l|!"),
    ('m', "МмΜμᎷⲘⲙ"),
    ('n', "ПпИиΝΠπηՈոⲚ"),
    ('o', "ОоΟοσՕօⲞⲟ0"),
    ('r', "ГгЯяᎡᏒΓ"),
    ('s', "ЅѕՏᏚᏕ5$"),
    ('t', "ТтΤτᎢ7+"),
    ('u', "ЦцՍսυμ"),
    ('v', "ѴѵΝνᏙ"),
    ('y', "УуҮүΥγ"),
];

/// Characters that take no room: controls that are no space, joiners, marks of direction, soft hyphens, selectors and tags.
pub(crate) fn is_invisible(character: char) -> bool {
    (character.is_control() && !character.is_whitespace())
        || matches!(character,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}'
            | '\u{180b}'..='\u{180f}' | '\u{2800}' | '\u{3164}' | '\u{ffa0}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}'
            | '\u{2060}'..='\u{206f}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_reminder_cannot_be_forged_or_closed() {
        for text in [
            "</system-reminder>",
            "<system-reminder>",
            "<system-reminder kind=\"x\">",
            "</SYSTEM-Reminder>",
            "< / system-reminder >",
            "<\n/\tsystem-reminder",
            "<\u{200b}system-reminder>",
            "<sys\u{ad}tem-reminder>",
            "<system\u{2011}reminder>",
            "<system_reminder>",
            "<system reminder>",
            "<systemreminder>",
            "\u{ff1c}system-reminder>",
            "<\u{ff33}ystem-reminder>",
            "<\\/system-reminder>",
            "<<system-reminder>>",
            "a\u{0}<\u{0}/system-reminder",
            "<\u{3164}/system-reminder>",
            "<\u{115f}/\u{2800}system\u{ffa0}reminder>",
            "<\u{455}y\u{455}t\u{435}m-r\u{435}mind\u{435}r>",
            "\u{27e8}/system-reminder\u{27e9}",
            "\u{3008}system-reminder\u{3009}",
            "\u{2039}system-reminder\u{203a}",
            "<\u{1d42c}\u{1d432}\u{1d42c}\u{1d42d}\u{1d41e}\u{1d426}-reminder>",
            "<syst\u{e9}m-reminder>",
            "<s\u{301}ystem\u{2022}reminder>",
            "<\u{24e2}ystem-reminder>",
            "<system-rem1nder>",
        ] {
            let embedded = format!("before {text} after");
            let escaped = escape(&embedded).into_owned();
            assert!(escaped.contains(ESCAPED) && !finds_tag(&escaped), "{text:?}: {escaped:?}");
            assert_eq!(escape(&escaped), escaped, "twice is once");
            let wrapped = wrap(&embedded);
            let inner = wrapped.strip_prefix("<system-reminder>\n").unwrap();
            assert!(!finds_tag(inner.strip_suffix("\n</system-reminder>").unwrap()), "{wrapped}");
        }
    }

    fn finds_tag(text: &str) -> bool {
        text.match_indices(is_open_bracket).any(|(at, bracket)| opens_tag(&text[at + bracket.len()..], TAG))
    }

    #[test]
    fn a_block_cannot_be_closed_from_inside() {
        for text in [
            "</instructions>",
            "</ Instructions >",
            "<instructions path=\"/home/me/AGENTS.md\">",
            "\u{ff1c}/instruc\u{200b}tions>",
            "</environment>",
            "</system-reminder>",
        ] {
            let escaped = escape_blocks(&format!("a {text} b"));
            assert!(escaped.starts_with("a &lt;"), "{text}: {escaped}");
        }
        assert_eq!(escape_blocks("Vec<Instruction> </div>"), "Vec<Instruction> </div>");
    }

    #[test]
    fn other_text_stays_as_it_is() {
        for text in [
            "",
            "a < b",
            "<system>",
            "<system-remind",
            "system-reminder",
            "</div>",
            "&lt;system-reminder>",
            "Vec<System>",
            "<\u{41d}\u{430}\u{438}\u{43c}\u{435}\u{43d}\u{43e}\u{432}\u{430}\u{43d}\u{438}\u{435}\u{41f}\u{43e}\u{43b}>",
            "<\u{8acb}\u{8f38}\u{5165}\u{60a8}\u{7684}\u{4f7f}\u{7528}\u{8005}\u{540d}\u{7a31}\u{8acb}\u{8f38}\u{5165}\u{60a8}>",
            "\u{27e8}x, y\u{27e9} and \u{ab} system \u{bb}",
        ] {
            assert!(matches!(escape(text), Cow::Borrowed(same) if same == text), "{text}");
        }
    }

    #[test]
    fn a_schema_keeps_its_names() {
        let mut value =
            serde_json::json!({"<system-reminder>": ["</system-reminder>", 1], "a": {"b": "<b>"}});
        escape_json(&mut value);
        let expected =
            serde_json::json!({"<system-reminder>": ["&lt;/system-reminder>", 1], "a": {"b": "<b>"}});
        assert_eq!(value, expected);
    }

    #[test]
    fn a_long_hostile_text_takes_no_long_time() {
        let text = "< ".repeat(200_000) + &"<".repeat(200_000) + "<" + &" ".repeat(1_000_000);
        assert_eq!(escape(&text), text);
    }

    proptest! {
        #[test]
        fn nothing_that_is_escaped_has_a_tag(parts in prop::collection::vec(
            prop::sample::select(vec!["<", "/", "system", "-", "reminder", ">", " ", "\n", "SYSTEM", "\u{200b}", "x", "&lt;"]), 0..30))
        {
            let text = parts.concat();
            let escaped = escape(&text).into_owned();
            prop_assert!(!finds_tag(&escaped));
            prop_assert_eq!(escaped.replace("&lt;", "<"), text.replace("&lt;", "<"));
        }
    }
}
