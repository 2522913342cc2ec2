//! A place for a few words that go away by themselves.
//!
//! One toast is shown at a time; the others wait, the more important first. Each has a key, and a new one takes the
//! place of an old one with the same.

use ratatui_core::style::Style;

use crate::theme::Theme;

/// How important a toast is. The order is the precedence.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Priority {
    Low,
    Medium,
    High,
    /// It does not wait: what is shown makes room.
    Immediate,
}

/// How it is meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ToastTone {
    Quiet,
    Warning,
}

/// A few words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Toast {
    pub(crate) key: &'static str,
    pub(crate) text: String,
    pub(crate) tone: ToastTone,
    pub(crate) priority: Priority,
    pub(crate) lasts_ms: u64,
}

impl Toast {
    pub(crate) fn style(&self, theme: Theme) -> Style {
        match self.tone {
            ToastTone::Quiet => theme.quiet,
            ToastTone::Warning => theme.warning,
        }
    }
}

/// The one that is shown, until then, and those that wait.
#[derive(Debug, Default)]
pub(crate) struct Toasts {
    shown: Option<(Toast, u64)>,
    waiting: Vec<Toast>,
}

impl Toasts {
    pub(crate) fn push(&mut self, toast: Toast, now: u64) {
        self.waiting.retain(|it| it.key != toast.key);
        let until = now + toast.lasts_ms;
        match self.shown.take() {
            Some((shown, since)) if shown.key != toast.key && toast.priority != Priority::Immediate => {
                self.shown = Some((shown, since));
                self.wait(toast);
            }
            Some((shown, _)) if shown.key != toast.key => {
                self.shown = Some((toast, until));
                // It was cut short, so it comes again.
                self.wait(shown);
            }
            Some(_) | None => self.shown = Some((toast, until)),
        }
    }

    /// Behind all that are as important.
    fn wait(&mut self, toast: Toast) {
        let at = self.waiting.partition_point(|it| it.priority >= toast.priority);
        self.waiting.insert(at, toast);
    }

    /// Takes away what is no longer true.
    pub(crate) fn drop(&mut self, key: &str, now: u64) {
        self.waiting.retain(|it| it.key != key);
        if self.shown.take_if(|(shown, _)| shown.key == key).is_some() {
            self.next(now);
        }
    }

    /// It is now this time.
    pub(crate) fn at(&mut self, now: u64) {
        if self.shown.take_if(|(_, until)| *until <= now).is_some() {
            self.next(now);
        }
    }

    fn next(&mut self, now: u64) {
        if !self.waiting.is_empty() {
            let toast = self.waiting.remove(0);
            let until = now + toast.lasts_ms;
            self.shown = Some((toast, until));
        }
    }

    /// When the one that is shown goes away.
    pub(crate) fn next_wakeup(&self) -> Option<u64> {
        self.shown.as_ref().map(|(_, until)| *until)
    }

    pub(crate) fn shown(&self) -> Option<&Toast> {
        self.shown.as_ref().map(|(toast, _)| toast)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn toast(key: &'static str, priority: Priority) -> Toast {
        Toast { key, text: key.to_uppercase(), tone: ToastTone::Quiet, priority, lasts_ms: 100 }
    }

    /// Keys in the order in which they are shown, with the time at which each begins.
    fn shown(toasts: &mut Toasts, from: u64) -> Vec<(&'static str, u64)> {
        let (mut out, mut now) = (Vec::new(), from);
        while let Some(toast) = toasts.shown() {
            out.push((toast.key, now));
            now = toasts.next_wakeup().unwrap();
            toasts.at(now);
        }
        out
    }

    #[test]
    fn one_after_the_other_the_important_first() {
        let mut toasts = Toasts::default();
        for (key, priority) in [
            ("a", Priority::Low),
            ("b", Priority::Low),
            ("c", Priority::Medium),
            ("d", Priority::High),
            ("e", Priority::Medium),
        ] {
            toasts.push(toast(key, priority), 0);
        }
        assert_eq!(shown(&mut toasts, 0), [("a", 0), ("d", 100), ("c", 200), ("e", 300), ("b", 400)]);
        assert_eq!(toasts.next_wakeup(), None, "nothing is shown, so nothing wakes anybody");
    }

    #[test]
    fn what_is_immediate_waits_for_nobody() {
        let mut toasts = Toasts::default();
        toasts.push(toast("a", Priority::High), 0);
        toasts.push(toast("b", Priority::Immediate), 50);
        assert_eq!(shown(&mut toasts, 50), [("b", 50), ("a", 150)]);
    }

    #[test]
    fn the_same_key_takes_the_place() {
        let mut toasts = Toasts::default();
        toasts.push(toast("a", Priority::Low), 0);
        toasts.push(toast("b", Priority::Low), 0);
        toasts.push(toast("b", Priority::Low), 10);
        toasts.push(Toast { text: "new".into(), ..toast("a", Priority::Low) }, 60);
        assert_eq!(toasts.shown().unwrap().text, "new");
        assert_eq!(shown(&mut toasts, 60), [("a", 60), ("b", 160)]);
    }

    #[test]
    fn what_is_no_longer_true_goes() {
        let mut toasts = Toasts::default();
        toasts.push(toast("a", Priority::Low), 0);
        toasts.push(toast("b", Priority::Low), 0);
        toasts.drop("a", 20);
        assert_eq!(shown(&mut toasts, 20), [("b", 20)]);
        toasts.drop("none", 200);
        assert_eq!(toasts.shown(), None);
    }
}
