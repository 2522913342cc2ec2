//! The terminal under the loop: drawn on, resized, lent to others and taken back.

use forelook_protocol::StopSignal;
use ratatui_core::buffer::Buffer;
use ratatui_core::layout::Rect;
use tokio::sync::mpsc::Receiver;

use super::Runner;
use crate::app::{Frame, UiEffect};
use crate::lend::LoanRequest;
use crate::setup::window;
use crate::term::{HangUpWatch, TerminalGuard, WRITE_TIMEOUT};

/// What became of the terminal while it was lent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LoanEnd {
    /// It is ours again.
    Returned,
    /// It is gone, or the program is to end. Whoever has it is left alone: there may be unsaved words in it.
    Lost,
}

impl Runner {
    pub(super) fn draw(&mut self) {
        if self.guard.as_ref().is_some_and(TerminalGuard::is_broken) {
            self.take_back();
        }
        // The window may have changed before we are told: a frame of the old size would be broken by it.
        if window().is_ok_and(|size| size != self.screen.size()) {
            self.resize();
        }
        let (bytes, page) = match self.app.frame() {
            Frame::Live { finished, live, cursor } => (self.screen.frame(&finished, live, cursor), false),
            Frame::Page { page, cursor } => (self.screen.page(page, cursor), true),
        };
        if let Some(guard) = &self.guard {
            guard.shows_page(page);
        }
        self.writer.send(&bytes);
        self.drawn = Some(self.timer.instant());
    }

    /// The terminal is somebody else's until they give it back. What happens meanwhile waits in the session's stream.
    pub(super) async fn lend(&mut self, request: LoanRequest, signals: &mut Receiver<StopSignal>) -> LoanEnd {
        self.give_back().await;
        let hang_up = HangUpWatch::begin();
        tokio::select! {
            biased;
            _ = request.grant() => {}
            () = ended(signals) => return LoanEnd::Lost,
            () = gone(hang_up) => return LoanEnd::Lost,
        }
        self.take_back();
        LoanEnd::Returned
    }

    /// Takes what was edited before any key that was typed behind it: an Enter would send the text from before.
    pub(super) async fn edited(&mut self) -> Vec<UiEffect> {
        let mut effects = Vec::new();
        while self.tasks.is_editing()
            && let Ok(result) = tokio::time::timeout(WRITE_TIMEOUT, self.tasks.next()).await
        {
            effects.extend(self.on_task_result(result));
        }
        effects
    }

    pub(super) async fn give_back(&mut self) {
        self.writer.settled().await;
        // Behind a frame that never arrives, nothing else will.
        if !self.writer.is_busy() {
            let finished = self.app.take_finished();
            let mut bytes = self.screen.frame(&finished, Buffer::empty(Rect::ZERO), None);
            bytes.push_str(&self.screen.leave());
            self.writer.send(&bytes);
            self.writer.settled().await;
            if let Some(guard) = &self.guard {
                guard.shows_page(false);
            }
        }
        self.guard = None;
    }

    pub(super) fn take_back(&mut self) {
        // First, for what the old one gives back when it goes is nothing by now.
        self.guard = None;
        match TerminalGuard::enter() {
            Ok(guard) => self.guard = Some(guard),
            Err(error) => tracing::error!(%error, "Could not take the terminal back"),
        }
        self.screen.begin_here();
        self.app.terminal_returned();
        // The window may have another size by now, and no event told of it.
        self.resize();
    }

    pub(super) fn resize(&mut self) {
        if let Ok(size) = window() {
            self.screen.resized(size);
            self.app.resized(size);
        }
    }
}

/// Returns when the program is to end. Ctrl+C in an editor reaches us too, and is not for us.
async fn ended(signals: &mut Receiver<StopSignal>) {
    while let Some(signal) = signals.recv().await {
        if signal == StopSignal::End {
            return;
        }
    }
    std::future::pending().await
}

/// Returns when the terminal is gone. One that cannot be watched is heard of when it is given back.
async fn gone(hang_up: std::io::Result<HangUpWatch>) {
    match hang_up {
        Ok(mut hang_up) => hang_up.gone().await,
        Err(_) => std::future::pending().await,
    }
}
