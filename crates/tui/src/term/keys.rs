//! What comes from the terminal, in our own words.

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
