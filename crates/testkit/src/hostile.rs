//! Texts that do something to a terminal.

/// Each of them has words before and behind what it does. For whatever shows text from elsewhere, cut anywhere.
pub const HOSTILE: [&str; 12] = [
    "a\x1b[31mred\x1b[0m b",
    "a\x1b]0;a title\x07 b",
    "a\x1b]8;;http://example.org\x1b\\link\x1b]8;;\x1b\\ b",
    "a\x1b]52;c;aGVsbG8=\u{9c} b",
    "a\u{9b}2J\u{9b}1;1H b",
    "a\x1bP1;2|string\x1b\\ b",
    "a\x1b_picture\x1b\\\x1b^private\x07 b",
    "a\x1b(B\x1b7\x1b#8 b",
    "a\x1b[?1049h\x1b[?25l b",
    "a\x1b]2;never ended\nb",
    "a\x1b[12\n\x1b\nb",
    "a\tb\u{202e}c\x07\x08\0d",
];
