//! What a server said, made fit to be shown to a person.

use forelook_protocol::{ProviderFailure, Secret};
use reqwest::Url;
use serde_json::Value;

use crate::failure::bounded;

/// As much of a server's words is shown.
const MAX_SHOWN: usize = 600;

/// The first so many letters of a key are enough to know it by, and what is shorter is no key.
const KEY_PREFIX: usize = 8;

/// Takes out of a server's words what must not be shown. Servers do repeat the key that they refuse.
#[derive(Clone, Default)]
pub(super) struct Redactor {
    keys: Vec<Secret>,
}

impl Redactor {
    /// From now on this one is taken out too.
    pub(super) fn add(&mut self, key: &Secret) {
        self.keys.push(key.clone());
    }

    /// Without keys. The beginning of one counts as well: somebody may have cut the text before us.
    pub(super) fn raw(&self, text: String) -> String {
        // Not to show them, but to find them where they must not be shown.
        let keys = self.keys.iter().map(|key| key.expose().trim());
        keys.fold(text, |text, key| match key.get(..KEY_PREFIX) {
            Some(beginning) if text.contains(beginning) => without(&text, key, beginning),
            _ => text,
        })
    }

    /// On one line, without keys and control characters, and not too long.
    pub(super) fn clean(&self, text: &str) -> String {
        bounded(&self.raw(text.to_owned()), MAX_SHOWN)
    }

    /// The same for all words of a failure.
    pub(super) fn failure(&self, failure: ProviderFailure) -> ProviderFailure {
        ProviderFailure {
            message: self.clean(&failure.message),
            hint: failure.hint.map(|hint| self.clean(&hint)),
            ..failure
        }
    }
}

fn without(text: &str, key: &str, beginning: &str) -> String {
    let mut pieces = text.split(beginning);
    let mut rest = pieces.next().unwrap_or_default().to_owned();
    for piece in pieces {
        let mut key = key[beginning.len()..].chars();
        rest.push_str("[secret]");
        rest.push_str(piece.trim_start_matches(|it| key.next() == Some(it)));
    }
    rest
}

/// The words of a body that no dialect knows: the usual places in JSON, the title of a page, else its beginning.
pub(super) fn body_summary(text: &str) -> Option<String> {
    let text = text.trim_start_matches('\u{FEFF}').trim();
    let words = if is_page(text) {
        format!("a web page, \"{}\"", page_title(text))
    } else if let Ok(json) = serde_json::from_str::<Value>(text) {
        let places = ["/error/message", "/message", "/detail", "/error"];
        let found = places.iter().find_map(|place| json.pointer(place)?.as_str());
        found.unwrap_or(text).to_owned()
    } else {
        text.to_owned()
    };
    (!words.is_empty()).then_some(words)
}

/// Whether this is a web page.
pub(super) fn is_page(text: &str) -> bool {
    text.trim_start_matches('\u{FEFF}').trim_start().starts_with('<')
}

/// The title of a page, else its first words.
pub(super) fn page_title(page: &str) -> String {
    // Only ASCII is made small: positions stay what they are.
    let small = page.to_ascii_lowercase();
    let title = small.find("<title").and_then(|at| {
        let begin = at + small[at..].find('>')? + 1;
        let end = begin + small[begin..].find('<')?;
        Some(page[begin..end].trim()).filter(|title| !title.is_empty())
    });
    let words = title.map_or_else(|| without_marks(page), str::to_owned);
    bounded(&words, 120)
}

fn without_marks(page: &str) -> String {
    let pieces = page.split('<').map(|piece| piece.split_once('>').map_or(piece, |(_, after)| after));
    pieces.collect::<Vec<_>>().join(" ")
}

/// An address as it may be shown: without a name, a password and a query, any of which may be a secret.
pub(super) fn redacted_url(url: &Url) -> String {
    let port = url.port().map(|port| format!(":{port}")).unwrap_or_default();
    format!("{}://{}{port}{}", url.scheme(), url.host_str().unwrap_or(""), url.path().trim_end_matches('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_taken_out_even_where_the_words_are_cut() {
        let mut redactor = Redactor::default();
        redactor.add(&Secret::new("sk-planted-key\n"));
        assert_eq!(redactor.clean("no such key: sk-planted-key!"), "no such key: [secret]!");
        let at_the_cut = format!("{}sk-planted-key", "x".repeat(MAX_SHOWN - 5));
        assert!(!redactor.clean(&at_the_cut).contains("sk-"));
        assert_eq!(redactor.clean("refused: sk-planted-…"), "refused: [secret]…");
        assert_eq!(redactor.clean("sk-planted-kXsk-planted-key`sk-plant"), "[secret]X[secret]`[secret]");
        assert_eq!(Redactor { keys: vec![Secret::new("")] }.clean("as it is"), "as it is");
    }

    #[test]
    fn words_are_found_in_any_body() {
        for (body, expect) in [
            (r#"{"error":{"message":"no"}}"#, Some("no")),
            (r#"{"error":"no"}"#, Some("no")),
            (r#"{"detail":"no"}"#, Some("no")),
            (r#"{"odd":1}"#, Some(r#"{"odd":1}"#)),
            ("plain words", Some("plain words")),
            (" \n", None),
            (
                "<!DOCTYPE html><HTML><head><Title>\n502 Bad Gateway</Title>",
                Some("a web page, \"502 Bad Gateway\""),
            ),
            ("<html><body><h1>Sorry</h1> ü<p>later", Some("a web page, \"Sorry ü later\"")),
        ] {
            assert_eq!(body_summary(body).as_deref(), expect, "{body}");
        }
    }

    #[test]
    fn an_address_is_shown_without_secrets() {
        let url = Url::parse("https://me:hunter2@a.example:8443/v1/?key=hunter2#hunter2").unwrap();
        assert_eq!(redacted_url(&url), "https://a.example:8443/v1");
    }
}
