//! Which keys there are, for whoever asks for help.

/// Keys, and what they do.
pub(crate) type Keys = &'static [(&'static str, &'static str)];

/// Everywhere.
pub(crate) const GENERAL: Keys = &[
    ("Shift+Tab", "next mode"),
    ("Esc", "stop what runs; twice: clear what is written"),
    ("Ctrl+C", "stop what runs, or clear what is written; twice: leave"),
    ("Ctrl+D", "leave, if nothing is written"),
    ("Ctrl+R", "the whole transcript"),
    ("Ctrl+Z", "back to the shell; `fg` comes back"),
];

/// While one writes.
pub(crate) const WRITING: Keys = &[
    ("Enter", "send; while a turn runs: tell it as soon as its step is over"),
    ("Tab", "while a turn runs: send when it is over"),
    ("Shift+Enter, Alt+Enter, Ctrl+J, \\ Enter", "a new line"),
    ("/", "commands"),
    ("@", "files and folders"),
    ("!", "a line for the shell, run as typed"),
    ("Up, Down", "what was said before"),
    ("Ctrl+S", "search in it; again: older"),
    ("Ctrl+G", "write in your editor"),
    ("Ctrl+V", "paste a picture; a pasted path of a picture does it too"),
    ("Ctrl+A, Ctrl+E", "beginning and end of the line"),
    ("Alt+B, Alt+F", "a word back, a word on"),
    ("Ctrl+W, Ctrl+U, Ctrl+K", "cut the word, the line before, the line behind"),
    ("Ctrl+Y", "put back what was cut"),
    ("Ctrl+_, Alt+Z", "undo, redo"),
];

/// With the keys of vi, which the setting `keys.vi` turns on.
pub(crate) const VI: Keys = &[
    ("Esc", "from writing to commands; the mark is N then"),
    ("i a I A o O", "write here, behind, at the ends, in a new line"),
    ("h j k l w b e 0 ^ $ gg G f t ; ,", "go; a number before it repeats it"),
    ("d c y", "delete, change, copy: what a motion passes; twice: lines"),
    ("x r p P", "delete a letter, replace it, put behind, put before"),
    ("u U", "undo, redo"),
];
