//! What comes from the terminal, in our own words.

use crossterm::event::{Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

/// Something that the person or the terminal did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Input {
    Key(Key),
    /// Text that was put in at once.
    Paste(String),
    Resized,
    /// Whether the window has the person's attention.
    Focus(bool),
}

/// A key with what was held down.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Key {
    pub(crate) code: Code,
    pub(crate) ctrl: bool,
    pub(crate) alt: bool,
    pub(crate) shift: bool,
}

/// Which key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Code {
    /// A letter, as it is written: shift is in it.
    Char(char),
    Enter,
    Esc,
    Tab,
    Backspace,
    Delete,
    Up,
    Down,
    Left,
    Right,
    Home,
    End,
    PageUp,
    PageDown,
}

impl Key {
    /// The key with nothing held down.
    pub(crate) const fn plain(code: Code) -> Self {
        Self { code, ctrl: false, alt: false, shift: false }
    }

    /// The letter with Ctrl.
    pub(crate) const fn ctrl(letter: char) -> Self {
        Self { code: Code::Char(letter), ctrl: true, alt: false, shift: false }
    }

    /// With Alt.
    #[cfg(test)]
    pub(crate) const fn alt(code: Code) -> Self {
        Self { code, ctrl: false, alt: true, shift: false }
    }

    /// With Shift.
    pub(crate) const fn shift(code: Code) -> Self {
        Self { code, ctrl: false, alt: false, shift: true }
    }

    /// What it writes, if it writes something.
    pub(crate) fn letter(self) -> Option<char> {
        match self.code {
            Code::Char(letter) if !self.ctrl && !self.alt => Some(letter),
            _ => None,
        }
    }
}

/// What an event of the terminal's means; nothing if it means nothing to us.
pub(crate) fn input(event: Event) -> Option<Input> {
    match event {
        Event::Key(key) if key.kind != KeyEventKind::Release => key_of(key).map(Input::Key),
        // Terminals send line ends of pasted text as the Enter key does.
        Event::Paste(text) => Some(Input::Paste(text.replace("\r\n", "\n").replace('\r', "\n"))),
        Event::Resize(..) => Some(Input::Resized),
        Event::FocusGained => Some(Input::Focus(true)),
        Event::FocusLost => Some(Input::Focus(false)),
        Event::Key(_) | Event::Mouse(_) => None,
    }
}

fn key_of(key: KeyEvent) -> Option<Key> {
    let held = |modifier| key.modifiers.contains(modifier);
    let code = match key.code {
        // Shift+Tab is a key of its own in the oldest encoding, and Tab with Shift in the newest.
        KeyCode::BackTab => return Some(Key::shift(Code::Tab)),
        KeyCode::Char(letter) if held(KeyModifiers::CONTROL) => Code::Char(letter.to_ascii_lowercase()),
        KeyCode::Char(letter) => Code::Char(letter),
        KeyCode::Enter => Code::Enter,
        KeyCode::Esc => Code::Esc,
        KeyCode::Tab => Code::Tab,
        KeyCode::Backspace => Code::Backspace,
        KeyCode::Delete => Code::Delete,
        KeyCode::Up => Code::Up,
        KeyCode::Down => Code::Down,
        KeyCode::Left => Code::Left,
        KeyCode::Right => Code::Right,
        KeyCode::Home => Code::Home,
        KeyCode::End => Code::End,
        KeyCode::PageUp => Code::PageUp,
        KeyCode::PageDown => Code::PageDown,
        _ => return None,
    };
    let shift = held(KeyModifiers::SHIFT) && !matches!(code, Code::Char(_));
    Some(Key { code, ctrl: held(KeyModifiers::CONTROL), alt: held(KeyModifiers::ALT), shift })
}
