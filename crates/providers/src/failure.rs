//! What can be wrong at a model's server: one set of words for it, whichever dialect the server says it in.

use forelook_protocol::{FailureKind, ProviderFailure};

/// As much of a server's own words is repeated.
const MAX_SERVER_TEXT: usize = 400;

/// Why there is no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cause {
    /// The key is not taken.
    Key,
    /// The key is taken, but not for this.
    NotAllowed,
    /// Too many requests, or tokens, for now.
    TooMany,
    /// The server is overloaded.
    Overloaded,
    /// It failed.
    Failed,
    /// More tokens than the model can read.
    TooLong,
    /// More bytes than the server takes. What helps is the same.
    TooLarge,
    /// It does not have this model.
    NoSuchModel,
    /// It has nothing at this address.
    NotFound,
    /// Somebody must pay first.
    Unpaid,
    /// Any other mistake in the request.
    Refused,
}

impl Cause {
    /// What a status means where nothing else is known.
    pub(crate) fn of_status(status: u16) -> Self {
        match status {
            401 | 403 => Self::Key,
            402 => Self::Unpaid,
            404 => Self::NotFound,
            408 | 409 => Self::Failed,
            413 => Self::TooLarge,
            429 => Self::TooMany,
            503 | 529 => Self::Overloaded,
            400..500 => Self::Refused,
            // Also a "200" with an error in it: what was asked was right.
            _ => Self::Failed,
        }
    }

    /// What it is for whoever decides what to do next.
    pub(crate) fn kind(self) -> FailureKind {
        match self {
            Self::Key | Self::NotAllowed => FailureKind::Authentication,
            Self::TooMany => FailureKind::RateLimited,
            Self::Overloaded => FailureKind::Overloaded,
            Self::Failed => FailureKind::Server,
            Self::TooLong | Self::TooLarge => FailureKind::ContextOverflow,
            Self::NoSuchModel | Self::NotFound | Self::Unpaid | Self::Refused => FailureKind::BadRequest,
        }
    }

    /// What to do about it, where that can be said without knowing more.
    pub(crate) fn hint(self) -> Option<&'static str> {
        match self {
            // Whoever sent the key knows where it came from, and who knows the address says that.
            Self::Key | Self::NotFound | Self::Failed | Self::Refused => None,
            Self::NotAllowed => {
                Some("Ask the key's owner for access, or choose another model with `--model`")
            }
            Self::TooMany => Some("Wait, or use another model"),
            Self::Overloaded => Some("Wait a moment, or use another model"),
            Self::TooLong => Some(
                "Start a new session, or continue this one with a model that has a larger context window",
            ),
            Self::TooLarge => Some("Start a new session, or read less at once"),
            Self::NoSuchModel => Some("Check the model's name; `forelook models` lists the available ones"),
            Self::Unpaid => Some("Add credit to the key's account or raise its limit, or use another key"),
        }
    }

    /// The failure, in our words and then the server's.
    pub(crate) fn failure(self, server_text: &str) -> ProviderFailure {
        let server_text = bounded(server_text, MAX_SERVER_TEXT);
        let server_text = server_text.strip_suffix('.').unwrap_or(&server_text);
        let message = match server_text {
            "" => self.words().to_owned(),
            server_text => format!("{}: {server_text}", self.words()),
        };
        ProviderFailure { hint: self.hint().map(str::to_owned), ..ProviderFailure::new(self.kind(), message) }
    }

    fn words(self) -> &'static str {
        match self {
            Self::Key => "The model server rejected the key",
            Self::NotAllowed => "The key does not have permission for this",
            Self::TooMany => "The model server is rate-limiting this key",
            Self::Overloaded => "The model server is overloaded",
            Self::Failed => "The model server failed",
            Self::TooLong => "The conversation exceeds the model's context window",
            Self::TooLarge => "The request is too large for the model server",
            Self::NoSuchModel => "The model server does not have this model",
            Self::NotFound => "The model server does not know this address",
            Self::Unpaid => "The account has no credit left or reached its limit",
            Self::Refused => "The model server rejected the request",
        }
    }
}

/// How servers say that a conversation is too long.
const TOO_LONG: &[&str] = &[
    "context_length_exceeded",
    "exceed_context_size",
    "context_window_exceeded",
    "maximum context length",
    "context length exceeded",
    "exceed context limit",
    "exceeds the available context size",
    "exceeds the context window",
    "exceeds the model's context",
    "exceed context window",
    "context window exceeded",
    "than the context window",
    "greater than the context length",
    "overflows. however, the model is loaded with context length",
    "prompt is too long",
    "input is too long",
    "maximum prompt length",
    "reduce the length of the",
    // Larger than what the account may send in a minute: waiting does not make it smaller.
    "request too large",
];

/// How servers say that there is no money left.
const UNPAID: &[&str] = &[
    "insufficient_quota",
    "insufficient credits",
    "insufficient balance",
    "insufficient_balance",
    "billing_error",
    "billing_hard_limit",
    "billing_not_active",
    "credit balance",
    "spend limit",
    "specified api usage limits",
];

/// Whether these words, in small letters, say that the conversation is too long.
pub(crate) fn is_too_long(words: &str) -> bool {
    TOO_LONG.iter().any(|it| words.contains(it))
}

/// Whether these words, in small letters, say that there is no money left.
pub(crate) fn is_unpaid(words: &str) -> bool {
    UNPAID.iter().any(|it| words.contains(it))
}

/// The answer ended, and was not whole.
pub fn stream_truncated() -> ProviderFailure {
    ProviderFailure::new(FailureKind::Connection, "The model's response ended before it was complete")
        .hint("Send the prompt again; no tool call from the response was run")
}

/// Something came that no server of this kind sends.
pub(crate) fn garbled(api: &str, what: &str, data: &str) -> ProviderFailure {
    let message = format!("The model server sent {what}: `{}`", bounded(data, 120));
    ProviderFailure::new(FailureKind::Garbled, message).hint(format!(
        "Send the prompt again; if the error persists, check that the base URL is for {api}, and that no proxy changes \
         the responses"
    ))
}

/// A server's words on one line, without what could move a cursor or turn the direction of writing, and not longer than
/// this.
pub(crate) fn bounded(text: &str, most: usize) -> String {
    let mut shown = String::with_capacity(text.len().min(most));
    for word in text.split(|it: char| it.is_whitespace() || it.is_control()).filter(|it| !it.is_empty()) {
        if !shown.is_empty() {
            shown.push(' ');
        }
        let room = word.floor_char_boundary(most.saturating_sub(shown.len()));
        shown.extend(word[..room].chars().filter(|it| !is_invisible(*it)));
        if room < word.len() {
            shown.push('…');
            break;
        }
    }
    shown
}

/// Marks that could make a message read as another one.
fn is_invisible(it: char) -> bool {
    matches!(it, '\u{200B}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{2069}' | '\u{FEFF}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_status_has_its_kind() {
        use FailureKind::*;
        for (status, expect) in [
            (200, Server),
            (400, BadRequest),
            (401, Authentication),
            (402, BadRequest),
            (403, Authentication),
            (404, BadRequest),
            (408, Server),
            (409, Server),
            (413, ContextOverflow),
            (418, BadRequest),
            (422, BadRequest),
            (429, RateLimited),
            (500, Server),
            (502, Server),
            (503, Overloaded),
            (504, Server),
            (529, Overloaded),
            (599, Server),
        ] {
            assert_eq!(Cause::of_status(status).kind(), expect, "{status}");
        }
    }

    #[test]
    fn a_failure_has_our_words_and_then_the_servers() {
        let check = |server_text: &str, expected: &str| {
            assert_eq!(Cause::Failed.failure(server_text).message, expected)
        };
        check("Oops.", "The model server failed: Oops");
        check(" \n", "The model server failed");
        let long = Cause::Failed.failure(&"ä ".repeat(5000)).message;
        assert!(long.len() < 500 && long.ends_with('…'), "{long}");
    }

    #[test]
    fn words_are_one_line_without_control_characters_and_bounded() {
        assert_eq!(bounded("  a\n\tb\u{1b}[31mc\0 \u{202e}d ", 600), "a b [31mc d");
        let long = bounded(&"ü".repeat(2000), 600);
        assert!(long.len() <= 603 && long.ends_with('…'));
        assert!(bounded(&"word ".repeat(2000), 600).len() <= 604);
        assert_eq!(bounded(&format!("\u{202e}{}", "x".repeat(20)), 8), "xxxxx…", "also where it is cut");
    }
}
