//! Which keys there are, for whoever asks for help.

/// Keys, and what they do.
pub(crate) type Keys = &'static [(&'static str, &'static str)];

/// Everywhere.
pub(crate) const GENERAL: Keys = &[
    ("Shift+Tab", "switch permission mode"),
    ("Esc", "stop the current work; twice: clear the input"),
    ("Ctrl+C", "stop the current work or clear the input; twice: exit"),
    ("Ctrl+D", "exit, if the input is empty"),
    ("Ctrl+O", "show the full transcript"),
    ("Ctrl+Z", "suspend; `fg` resumes"),
];

/// While one writes.
pub(crate) const WRITING: Keys = &[
    ("Enter", "send; during a turn: deliver after the current step"),
    ("Tab", "during a turn: send when it ends"),
    ("Shift+Enter, Alt+Enter, Ctrl+J, \\ Enter", "new line"),
    ("/", "commands"),
    ("@", "files and folders"),
    ("!", "run a shell command yourself"),
    ("Up, Down", "earlier prompts"),
    ("Ctrl+R", "search earlier prompts, this project's first; again: older, Ctrl+S: newer"),
    ("Ctrl+G", "write in your editor"),
    ("Ctrl+V", "paste an image, or paste its path"),
    ("Ctrl+A, Ctrl+E", "start and end of the line"),
    ("Alt+B, Alt+F", "back or forward one word"),
    ("Ctrl+W, Ctrl+U, Ctrl+K", "cut word, to line start, to line end"),
    ("Ctrl+Y", "paste what you cut"),
    ("Ctrl+_, Alt+Z", "undo, redo"),
];

/// With the keys of vi, which the setting `keys.vi` turns on.
pub(crate) const VI: Keys = &[
    ("Esc", "switch from insert to normal mode (the prompt shows N)"),
    ("i a I A o O", "insert before, after, at line start, at line end, on a new line"),
    ("h j k l w b e 0 ^ $ gg G f t ; ,", "move; type a number first to repeat"),
    ("d c y", "delete, change, or copy with a motion; twice: whole lines"),
    ("x r p P", "delete or replace a character, paste after or before"),
    ("u U", "undo, redo"),
];
