//! What an attack is.

use crate::sys::Done;

/// One attack.
#[derive(Clone, Copy)]
pub(crate) struct Attack {
    pub(crate) name: &'static str,
    pub(crate) how: How,
    pub(crate) outside: Outside,
    /// Whether no other may run meanwhile.
    pub(crate) alone: bool,
}

#[derive(Clone, Copy)]
pub(crate) enum How {
    /// For the shell, in the project's folder.
    Line(&'static str),
    /// By this program, there too.
    Call(fn() -> Done),
}

/// What happens without a fence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outside {
    /// Something changes.
    Works,
    /// Something changes, but only for root; why.
    WorksForRoot(&'static str),
    /// Nothing can change, on purpose or for want of a machine; why. Inside the call must fail.
    Untried(&'static str),
    /// The same; inside it must be refused with "not permitted" or "no such call".
    Refused,
}

/// How a call ends that was not permitted.
pub(crate) const REFUSED: u8 = 42;

pub(crate) const fn line(name: &'static str, line: &'static str) -> Attack {
    Attack { name, how: How::Line(line), outside: Outside::Works, alone: false }
}

pub(crate) const fn call(name: &'static str, call: fn() -> Done) -> Attack {
    Attack { name, how: How::Call(call), outside: Outside::Works, alone: false }
}

pub(crate) const fn refused(name: &'static str, call: fn() -> Done) -> Attack {
    Attack { name, how: How::Call(call), outside: Outside::Refused, alone: false }
}

impl Attack {
    pub(crate) const fn root(mut self, why: &'static str) -> Self {
        self.outside = Outside::WorksForRoot(why);
        self
    }

    pub(crate) const fn untried(mut self, why: &'static str) -> Self {
        self.outside = Outside::Untried(why);
        self
    }

    pub(crate) const fn alone(mut self) -> Self {
        self.alone = true;
        self
    }
}
