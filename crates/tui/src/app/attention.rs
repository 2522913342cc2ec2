//! Reaching a person who looks elsewhere: the bell, the desktop, and the window's title.

use crate::setup::Notifications;
use crate::theme::NotifyStyle;

/// Somebody who typed so lately is there, whatever the terminal says.
const PRESENT_MS: u64 = 10_000;
/// A turn that took so long may have lost its person.
const LONG_MS: u64 = 10_000;
/// Letters of the prompt that go into the title.
const TITLE: usize = 40;

/// What the program is doing, for the title.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum TitleState {
    Nothing,
    Working,
    Asking,
}

/// Where the person's attention is, as far as that is known.
#[derive(Debug, Default)]
pub(super) struct Attention {
    pub(super) wanted: Notifications,
    pub(super) notify_style: NotifyStyle,
    pub(super) tmux: bool,
    /// What the terminal last said of its focus; not all do.
    focus: Option<bool>,
    typed_at: u64,
    /// What was asked last.
    prompt: String,
    /// The title that the window has.
    title: Option<String>,
}

impl Attention {
    pub(super) fn focus(&mut self, has: bool) {
        self.focus = Some(has);
    }

    pub(super) fn typed(&mut self, now: u64) {
        self.typed_at = now;
    }

    pub(super) fn prompted(&mut self, words: &str) {
        words.lines().next().unwrap_or_default().clone_into(&mut self.prompt);
    }

    fn is_elsewhere(&self, now: u64) -> bool {
        match self.focus {
            Some(has) => !has,
            None => now.saturating_sub(self.typed_at) > PRESENT_MS,
        }
    }

    /// The person is asked something.
    pub(super) fn question_opened(&self, now: u64) -> Option<String> {
        self.notify("Forelook needs your answer", now)
    }

    /// A turn is over that took so long.
    pub(super) fn turn_ended(&self, took_ms: u64, now: u64) -> Option<String> {
        if took_ms > LONG_MS { self.notify("Forelook is done", now) } else { None }
    }

    fn notify(&self, words: &str, now: u64) -> Option<String> {
        if !self.is_elsewhere(now) {
            return None;
        }
        Some(bytes(words, self.wanted, self.notify_style, self.tmux)).filter(|bytes| !bytes.is_empty())
    }

    /// What sets the title, if it is to be another one.
    pub(super) fn title(&mut self, doing: TitleState) -> Option<String> {
        let sign = match doing {
            TitleState::Nothing => "",
            TitleState::Working => "… ",
            TitleState::Asking => "? ",
        };
        let prompt = plain(&self.prompt);
        let title = match prompt.is_empty() {
            true => format!("{sign}forelook"),
            false => format!("{sign}forelook · {}", forelook_wording::truncate(&prompt, TITLE)),
        };
        if self.title.as_ref() == Some(&title) {
            return None;
        }
        let bytes = format!("\x1b]2;{title}\x07");
        self.title = Some(title);
        Some(bytes)
    }

    /// Somebody else had the window.
    pub(super) fn terminal_returned(&mut self) {
        self.title = None;
    }
}

/// Nothing that could end a sequence early, or be obeyed.
fn plain(text: &str) -> String {
    let text = crate::text::sanitize(text);
    text.chars().filter(|c| !c.is_control()).collect::<String>().trim().to_owned()
}

/// What tells the person.
fn bytes(words: &str, wanted: Notifications, notify_style: NotifyStyle, tmux: bool) -> String {
    let desktop = match notify_style {
        NotifyStyle::Bell => String::new(),
        NotifyStyle::Osc9 => tmux_passthrough(format!("\x1b]9;{words}\x07"), tmux),
        NotifyStyle::Osc777 => tmux_passthrough(format!("\x1b]777;notify;forelook;{words}\x07"), tmux),
    };
    match wanted {
        Notifications::Off => String::new(),
        Notifications::Bell => "\x07".to_owned(),
        Notifications::Desktop if desktop.is_empty() => "\x07".to_owned(),
        Notifications::Desktop => desktop,
    }
}

/// tmux hands on to the terminal around it what is wrapped so, where it is allowed to (`allow-passthrough`).
fn tmux_passthrough(bytes: String, tmux: bool) -> String {
    match tmux {
        true => format!("\x1bPtmux;{}\x1b\\", bytes.replace('\x1b', "\x1b\x1b")),
        false => bytes,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_for_which_terminal() {
        use Notifications::{Bell, Desktop, Off};
        for (wanted, notify_style, tmux, expected) in [
            (Off, NotifyStyle::Osc9, false, ""),
            (Bell, NotifyStyle::Osc9, false, "\x07"),
            (Desktop, NotifyStyle::Osc9, false, "\x1b]9;hi\x07"),
            (Desktop, NotifyStyle::Osc777, false, "\x1b]777;notify;forelook;hi\x07"),
            (Desktop, NotifyStyle::Bell, true, "\x07"),
            (Desktop, NotifyStyle::Osc9, true, "\x1bPtmux;\x1b\x1b]9;hi\x07\x1b\\"),
        ] {
            assert_eq!(
                bytes("hi", wanted, notify_style, tmux),
                expected,
                "{wanted:?} {notify_style:?} {tmux}"
            );
        }
    }

    #[test]
    fn only_who_looks_elsewhere_is_called() {
        let mut attention = Attention::default();
        attention.typed(1_000);
        assert_eq!(attention.question_opened(11_000), None, "somebody typed ten seconds ago");
        assert!(attention.question_opened(11_001).is_some());
        attention.focus(true);
        assert_eq!(attention.question_opened(99_000), None, "the window is looked at");
        attention.focus(false);
        assert!(attention.question_opened(1_000).is_some(), "the window is not looked at");
        assert_eq!(attention.turn_ended(10_000, 99_000), None, "it was not long");
        assert!(attention.turn_ended(10_001, 99_000).is_some());
    }

    #[test]
    fn the_title_is_written_when_it_changes() {
        let mut attention = Attention::default();
        assert_eq!(attention.title(TitleState::Nothing).as_deref(), Some("\x1b]2;forelook\x07"));
        assert_eq!(attention.title(TitleState::Nothing), None);
        attention.prompted("fix \x1b]2;x\x07the\u{9c} test\nplease");
        let title = attention.title(TitleState::Working).unwrap();
        assert_eq!(title, "\x1b]2;… forelook · fix the\u{fffd} test\x07");
        attention.prompted(&"x".repeat(200));
        assert!(attention.title(TitleState::Asking).unwrap().starts_with("\x1b]2;? forelook · xxx"));
        assert_eq!(attention.title(TitleState::Asking), None);
        attention.terminal_returned();
        assert!(attention.title(TitleState::Asking).is_some_and(|it| it.len() < 160));
    }
}
