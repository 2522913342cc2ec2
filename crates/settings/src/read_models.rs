//! From JSON to providers and to what is known of models. A provider with a mistake in it is left out whole: half of
//! one could send a key to where it was not meant to go. Of a model's facts the right ones count.

use forelook_protocol::{Cost, Price, nearest};

use crate::file::{Json, Property};
use crate::keys::{KNOWN_FIELDS, Key, PRICE_FIELDS, PROVIDER_FIELDS, THINKING_SUPPORT, WIRE_FORMATS};
use crate::read_keys::KeyReader;
use crate::values::{ModelOverrideItem, ProviderItem};

/// The most that a model can be said to read: more is a slip.
const MAX_TOKENS: u64 = 100_000_000;

/// The most that a million tokens can be said to cost: more is a slip.
const MAX_DOLLARS: f64 = 100_000.0;

impl KeyReader<'_> {
    pub(crate) fn providers(&mut self, key: &Key, properties: Vec<Property>) -> Vec<ProviderItem> {
        let mut providers: Vec<ProviderItem> = Vec::new();
        for Property { name, line, value } in properties {
            let full = format!("{}.{name}", key.name);
            match value.json {
                _ if !is_id(&name) => {
                    self.wrong(
                        &full,
                        line,
                        "not a valid provider name",
                        "lowercase letters, digits, and hyphens",
                    );
                }
                Json::Object(fields) => {
                    let item = ProviderItem { id: name, line, ..ProviderItem::default() };
                    if let Some(item) = self.provider(&full, item, fields) {
                        providers.retain(|before| before.id != item.id);
                        providers.push(item);
                    }
                }
                other => self.wrong(&full, line, other.words(), "an object"),
            }
        }
        providers
    }

    fn provider(
        &mut self,
        full: &str,
        mut item: ProviderItem,
        fields: Vec<Property>,
    ) -> Option<ProviderItem> {
        let mut whole = true;
        for Property { name, line, value } in fields {
            let field = format!("{full}.{name}");
            if !PROVIDER_FIELDS.contains(&name.as_str()) {
                self.field(&field, line, nearest(&name, PROVIDER_FIELDS.iter().copied()));
                continue;
            }
            let taken = match (name.as_str(), value.json) {
                ("wireFormat", Json::Text(text)) => {
                    item.wire_format = WIRE_FORMATS.iter().copied().find(|wire_format| *wire_format == text);
                    item.wire_format.ok_or("one of `anthropic`, `responses`, `chat`").map(drop)
                }
                ("baseUrl", Json::Text(text)) => match address(&text) {
                    Some(base) => {
                        item.base_url = Some(base);
                        Ok(())
                    }
                    None => Err("a URL like `https://models.example.com/v1`"),
                },
                (_, Json::Text(text)) if text.trim().is_empty() || text.contains('\0') => Err("a string"),
                ("keyVariable", Json::Text(text)) => {
                    item.key_variable = Some(text).filter(|name| !name.contains('='));
                    item.key_variable.as_ref().map(drop).ok_or("the name of a variable, not a key")
                }
                ("keyFile", Json::Text(text)) => {
                    item.key_file = Some(text);
                    Ok(())
                }
                ("keyHelper", Json::Text(text)) => {
                    item.key_helper = Some(text);
                    Ok(())
                }
                _ => Err("a string"),
            };
            if let Err(wanted) = taken {
                self.wrong(&field, line, "invalid", wanted);
                whole = false;
            }
        }
        whole.then_some(item)
    }

    pub(crate) fn known(&mut self, key: &Key, properties: Vec<Property>) -> Vec<ModelOverrideItem> {
        let mut known: Vec<ModelOverrideItem> = Vec::new();
        for Property { name, line, value } in properties {
            let full = format!("{}.{name}", key.name);
            match value.json {
                _ if !name.split_once('/').is_some_and(|(id, rest)| !id.is_empty() && !rest.is_empty()) => {
                    self.wrong(&full, line, "not a model name", "`provider/name`");
                }
                Json::Object(fields) => {
                    let item = ModelOverrideItem { name, line, ..ModelOverrideItem::default() };
                    let item = self.facts(&full, item, fields);
                    known.retain(|before| before.name != item.name);
                    known.push(item);
                }
                other => self.wrong(&full, line, other.words(), "an object"),
            }
        }
        known
    }

    fn facts(&mut self, full: &str, mut item: ModelOverrideItem, fields: Vec<Property>) -> ModelOverrideItem {
        for Property { name, line, value } in fields {
            let field = format!("{full}.{name}");
            let wanted = match (name.as_str(), value.json) {
                ("window", Json::Number(digits)) => {
                    item.window = tokens(&digits);
                    item.window.is_none().then_some("a whole number of tokens")
                }
                ("output", Json::Number(digits)) => {
                    item.output = tokens(&digits);
                    item.output.is_none().then_some("a whole number of tokens")
                }
                ("images", Json::Bool(images)) => {
                    item.images = Some(images);
                    None
                }
                ("thinking", Json::Text(text)) => {
                    item.thinking = THINKING_SUPPORT.iter().copied().find(|means| *means == text);
                    item.thinking.is_none().then_some("one of `adaptive`, `budget`, `none`")
                }
                ("price", Json::Object(fields)) => {
                    item.price = self.price(&field, fields);
                    item.price
                        .is_none()
                        .then_some("an object with `input` and `output`, in dollars per million tokens")
                }
                (known, _) if KNOWN_FIELDS.contains(&known) => Some(wanted(known)),
                (unknown, _) => {
                    self.field(&field, line, nearest(unknown, KNOWN_FIELDS.iter().copied()));
                    None
                }
            };
            if let Some(wanted) = wanted {
                self.wrong(&field, line, "invalid", wanted);
            }
        }
        item
    }

    fn price(&mut self, full: &str, fields: Vec<Property>) -> Option<Price> {
        let mut costs = [None; 4];
        for Property { name, line, value } in fields {
            match (PRICE_FIELDS.iter().position(|known| *known == name), value.json) {
                (Some(at), Json::Number(digits)) => costs[at] = Some(dollars(&digits)?),
                (Some(_), _) => return None,
                (None, _) => {
                    let near = nearest(&name, PRICE_FIELDS.iter().copied());
                    self.field(&format!("{full}.{name}"), line, near);
                }
            }
        }
        let [input, output, cache_read, cache_write] = costs;
        let (input, output) = (input?, output?);
        Some(Price {
            input,
            output,
            cache_read: cache_read.unwrap_or(input),
            cache_write: cache_write.unwrap_or(input),
        })
    }
}

fn wanted(field: &str) -> &'static str {
    match field {
        "images" => "`true` or `false`",
        "thinking" => "one of `adaptive`, `budget`, `none`",
        "price" => "an object",
        _ => "a whole number of tokens",
    }
}

fn is_id(name: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || b"-_".contains(&byte);
    !name.is_empty() && name.len() <= 64 && name.bytes().all(fits) && name != "scripted"
}

/// An address as far as it can be told without a network: what a person would mistype.
fn address(text: &str) -> Option<String> {
    let text = text.trim().trim_end_matches('/');
    let host = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"))?;
    let odd = |letter: char| letter.is_whitespace() || letter.is_control();
    (!host.is_empty() && !host.starts_with(['/', ':', '?']) && !host.contains(odd)).then(|| text.to_owned())
}

fn tokens(digits: &str) -> Option<u64> {
    digits.parse().ok().filter(|tokens| (1..=MAX_TOKENS).contains(tokens))
}

/// Dollars for a million tokens, as the cost of one.
fn dollars(digits: &str) -> Option<Cost> {
    let dollars: f64 = digits.parse().ok()?;
    (0.0..=MAX_DOLLARS).contains(&dollars).then(|| Cost((dollars * 1000.0).round() as u64))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file::{Origin, parse};
    use crate::read_keys::read_keys;
    use crate::values::Value;

    fn read(text: &str) -> (Option<Value>, Vec<String>) {
        let (mut found, notices) = read_keys(parse(text, &Origin::Flag).unwrap(), &Origin::Flag);
        (found.pop().map(|found| found.value), notices.into_iter().map(|notice| notice.text).collect())
    }

    #[test]
    fn a_provider_with_a_mistake_is_left_out_and_the_others_count() {
        for (fields, part) in [
            (r#""wireFormat": "telex""#, "one of `anthropic`"),
            (r#""baseUrl": "models.example.com""#, "a URL like"),
            (r#""baseUrl": "https://""#, "a URL like"),
            (r#""baseUrl": "https://a b""#, "a URL like"),
            (r#""baseUrl": "file:///etc/passwd""#, "a URL like"),
            (r#""keyFile": """#, "a string"),
            (r#""keyVariable": 3"#, "a string"),
            (r#""keyVariable": "A=sk-1""#, "the name of a variable"),
        ] {
            let (value, warnings) = read(&format!(
                r#"{{"model": {{"providers": {{"bad": {{{fields}}}, "good": {{"wireFormat": "chat"}}}}}}}}"#
            ));
            let Some(Value::Providers(providers)) = value else { panic!("{fields}") };
            assert_eq!(providers.iter().map(|it| it.id.as_str()).collect::<Vec<_>>(), ["good"], "{fields}");
            assert_eq!(warnings.len(), 1, "{warnings:?}");
            assert!(
                warnings[0].contains("model.providers.bad.") && warnings[0].contains(part),
                "{}",
                warnings[0]
            );
        }
        let (value, warnings) =
            read(r#"{"model": {"providers": {"A b": {}, "scripted": {}, "x": 1, "y": {"wireFormt": 1}}}}"#);
        assert_eq!(value.unwrap().as_providers().unwrap().len(), 1);
        assert_eq!(warnings.len(), 4);
        assert!(warnings[3].contains("Did you mean `wireFormat`?"), "{}", warnings[3]);
    }

    #[test]
    fn facts_that_are_right_count() {
        let (value, warnings) = read(
            r#"{"model": {"known": {"a/b": {"window": 0, "output": 9, "images": 1, "thinking": "much",
               "price": {"input": 2.5, "output": 10, "cacheRead": 0.0375}}, "ab": {}, "c/d": {"price": {"input": 1}},
               "e/f/g": {"windw": 1}}}}"#,
        );
        let Some(Value::Known(known)) = value else { panic!() };
        let price =
            Price { input: Cost(2500), output: Cost(10_000), cache_read: Cost(38), cache_write: Cost(2500) };
        let of = |name: &str| known.iter().find(|it| it.name == name).unwrap();
        assert_eq!((of("a/b").price, of("a/b").output, of("a/b").window), (Some(price), Some(9), None));
        assert_eq!((of("c/d").price, of("e/f/g").window), (None, None));
        assert_eq!(warnings.len(), 6, "{warnings:#?}");
    }
}
