//! What a signal asks of a front end.

/// A wish to stop, sent from outside the program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StopSignal {
    /// SIGINT, which a terminal sends for Ctrl+C to every program in its foreground. While an editor has the terminal, it
    /// is meant for the editor.
    Interrupt,
    /// SIGTERM, SIGHUP, or another signal that ends programs: the program is to end, whoever has the terminal.
    End,
}
