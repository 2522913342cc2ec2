//! Frames on an emulated terminal: what stands in the scrollback and on the screen is what was meant, each row once.

use proptest::prelude::*;
use ratatui_core::text::Text;

use super::*;

const SCROLLBACK: usize = 10_000;

/// A screen and the terminal it draws on.
struct Both {
    screen: Screen,
    terminal: vt100::Parser,
}

impl Both {
    fn new(width: u16, height: u16) -> Self {
        Self {
            screen: Screen::new(Size::new(width, height), ColorDepth::Full, Reflow::Cuts),
            terminal: vt100::Parser::new(height, width, SCROLLBACK),
        }
    }

    fn frame(&mut self, finished: &[&str], live: &[&str], cursor: Option<Position>) {
        let width = self.screen.size.width;
        let mut buffer = Buffer::empty(Rect::new(0, 0, width, u16::try_from(live.len()).unwrap()));
        Text::from_iter(live.iter().copied()).render(buffer.area, &mut buffer);
        let lines: Vec<Line<'_>> = finished.iter().map(|text| Line::from(*text)).collect();
        let bytes = self.screen.frame(&lines, buffer, cursor);
        self.terminal.process(bytes.as_bytes());
    }

    /// Everything that the terminal holds, from the beginning, without blank rows at its end.
    fn all(&mut self) -> Vec<String> {
        let (height, width) = self.terminal.screen().size();
        let screen = self.terminal.screen_mut();
        screen.set_scrollback(usize::MAX);
        let back = screen.scrollback();
        let mut rows = Vec::new();
        for offset in (0..=back).rev() {
            screen.set_scrollback(offset);
            let shown: Vec<String> = screen.rows(0, width).collect();
            assert_eq!(shown.len(), usize::from(height));
            if offset > 0 { rows.push(shown[0].clone()) } else { rows.extend(shown) }
        }
        while rows.last().is_some_and(String::is_empty) {
            rows.pop();
        }
        rows
    }
}

#[test]
fn finished_rows_go_above_and_stay() {
    let mut both = Both::new(20, 4);
    both.frame(&[], &["> ", "status"], Some(Position::new(2, 0)));
    assert_eq!(both.all(), ["> ", "status"].map(str::trim_end));
    assert_eq!(both.terminal.screen().cursor_position(), (0, 2));
    both.frame(&["one", "two"], &["thinking", "> a", "status"], Some(Position::new(3, 1)));
    both.frame(&["three"], &["> ab", "status"], Some(Position::new(4, 0)));
    assert_eq!(both.all(), ["one", "two", "three", "> ab", "status"]);
    both.frame(&[], &["> ab", "status"], None);
    assert!(both.terminal.screen().hide_cursor());
}

#[test]
fn a_row_as_wide_as_the_window_is_whole_and_costs_no_other() {
    let mut both = Both::new(10, 4);
    both.frame(&["0123456789", "漢漢漢漢漢"], &["0123456789", "abcdefghij"], Some(Position::new(9, 1)));
    assert_eq!(both.all(), ["0123456789", "漢漢漢漢漢", "0123456789", "abcdefghij"]);
    both.frame(&["next"], &["9876543210", "abcdefghij"], Some(Position::new(0, 0)));
    assert_eq!(both.all(), ["0123456789", "漢漢漢漢漢", "next", "9876543210", "abcdefghij"]);
}

#[test]
fn only_rows_that_differ_are_written() {
    let mut both = Both::new(40, 10);
    both.frame(&[], &["first", "second", "third"], None);
    let mut buffer = both.screen.live.clone();
    buffer.set_string(0, 1, "SECOND", ratatui_core::style::Style::new());
    let bytes = both.screen.frame(&[], buffer, None);
    assert!(bytes.contains("SECOND") && !bytes.contains("first") && !bytes.contains("third"), "{bytes:?}");
}

#[test]
fn leaving_takes_the_live_area_away() {
    let mut both = Both::new(20, 5);
    both.frame(&["kept"], &["a", "b", "c"], Some(Position::new(1, 2)));
    let bytes = both.screen.leave();
    both.terminal.process(bytes.as_bytes());
    assert_eq!(both.all(), ["kept"]);
    assert_eq!(both.terminal.screen().cursor_position(), (1, 0));
}

#[test]
fn a_window_that_cuts_rows_keeps_the_history_when_it_changes() {
    let mut both = Both::new(20, 6);
    both.frame(&["one", "two"], &["a longer live row", "> x", "status"], Some(Position::new(3, 1)));
    for (width, height) in [(10, 6), (30, 6), (12, 9)] {
        both.terminal.screen_mut().set_size(height, width);
        both.screen.resized(Size::new(width, height));
        both.frame(&[], &["live row", "> x", "status"], Some(Position::new(3, 1)));
        assert_eq!(both.all(), ["one", "two", "live row", "> x", "status"], "{width}x{height}");
    }
}

#[test]
fn rows_that_were_broken_are_counted() {
    let mut screen = Screen::new(Size::new(40, 20), ColorDepth::None, Reflow::Wraps);
    let mut live = Buffer::empty(Rect::new(0, 0, 40, 3));
    Text::from_iter(["x".repeat(35), "y".repeat(10), "z".repeat(30)]).render(live.area, &mut live);
    screen.frame(&[], live, Some(Position::new(25, 2)));
    // 35 columns take four rows of ten, 10 take one; the cursor stands in the third row of its own.
    screen.resized(Size::new(10, 20));
    let bytes = screen.frame(&[], Buffer::empty(Rect::new(0, 0, 10, 1)), None);
    assert!(bytes.contains("\r\x1b[7A\x1b[J"), "{bytes:?}");
}

#[test]
fn a_wide_character_is_never_broken() {
    let mut screen = Screen::new(Size::new(60, 20), ColorDepth::None, Reflow::Wraps);
    let mut live = Buffer::empty(Rect::new(0, 0, 60, 2));
    Text::from_iter(["漢".repeat(27), "> ".to_owned()]).render(live.area, &mut live);
    screen.frame(&[], live, Some(Position::new(2, 1)));
    // 27 columns hold 13 of them: 54 columns take three rows, not two.
    screen.resized(Size::new(27, 20));
    let bytes = screen.frame(&[], Buffer::empty(Rect::new(0, 0, 27, 1)), None);
    assert!(bytes.contains("\r\x1b[3A\x1b[J"), "{bytes:?}");
}

#[derive(Debug, Clone)]
struct Step {
    finished: Vec<String>,
    live: Vec<String>,
    cursor: Option<(u16, u16)>,
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let row = || prop_oneof![4 => "[a-z ]{0,12}", 1 => "(漢|é|🙂|a){0,6}", 1 => "[a-z]{12}"];
    let step = (
        prop::collection::vec(row(), 0..8),
        prop::collection::vec(row(), 1..6),
        prop::option::of((0u16..12, 0u16..6)),
    )
        .prop_map(|(finished, live, cursor)| Step { finished, live, cursor });
    prop::collection::vec(step, 1..12)
}

proptest! {
    #[test]
    fn everything_is_there_once_and_in_order(steps in steps(), height in 5u16..12) {
        let mut both = Both::new(12, height);
        let mut meant: Vec<String> = Vec::new();
        for Step { finished, live, cursor } in steps {
            let rows = |texts: &'_ [String]| texts.iter().map(|text| text.trim_end().to_owned()).collect::<Vec<_>>();
            let (done, now): (Vec<&str>, Vec<&str>) =
                (finished.iter().map(String::as_str).collect(), live.iter().map(String::as_str).collect());
            both.frame(&done, &now, cursor.map(|(x, y)| Position::new(x, y)));
            meant.extend(rows(&finished));
            let mut expected = meant.clone();
            expected.extend(rows(&live));
            while expected.last().is_some_and(String::is_empty) {
                expected.pop();
            }
            let all: Vec<String> = both.all().iter().map(|row| row.trim_end().to_owned()).collect();
            prop_assert_eq!(all, expected);
        }
    }
}

#[derive(Debug, Clone)]
enum Turn {
    Frame(Step),
    /// A page with these rows at its top.
    Page(Vec<String>),
    /// So many columns and rows more than at first.
    Window(u16, u16),
}

fn turns() -> impl Strategy<Value = Vec<Turn>> {
    let turn = prop_oneof![
        3 => steps().prop_map(|steps| Turn::Frame(steps[0].clone())),
        2 => prop::collection::vec("[A-Z]{0,12}", 0..5).prop_map(Turn::Page),
        2 => (0u16..9, 0u16..9).prop_map(|(width, height)| Turn::Window(width, height)),
    ];
    prop::collection::vec(turn, 1..20)
}

impl Both {
    fn page(&mut self, rows: &[String]) {
        let size = self.screen.size;
        let mut page = Buffer::empty(Rect::new(0, 0, size.width, size.height));
        Text::from_iter(rows.iter().map(String::as_str)).render(page.area, &mut page);
        let bytes = self.screen.page(page, None);
        self.terminal.process(bytes.as_bytes());
    }

    fn window(&mut self, width: u16, height: u16) {
        self.terminal.screen_mut().set_size(height, width);
        self.screen.resized(Size::new(width, height));
    }
}

fn texts(rows: &[String]) -> Vec<&str> {
    rows.iter().map(String::as_str).collect()
}

fn trimmed(rows: &[String]) -> Vec<String> {
    let mut rows: Vec<String> = rows.iter().map(|row| row.trim_end().to_owned()).collect();
    while rows.last().is_some_and(String::is_empty) {
        rows.pop();
    }
    rows
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// The emulator takes rows away at the bottom where terminals move them up, so its window only grows; rows are no
    /// wider than the narrowest one.
    #[test]
    fn pages_leave_everything_as_it_was(turns in turns()) {
        let (mut both, mut height) = (Both::new(12, 6), 6);
        let (mut finished, mut live): (Vec<String>, Vec<String>) = (Vec::new(), Vec::new());
        both.frame(&[], &[""], None);
        let mut page = None;
        for turn in turns {
            match turn {
                Turn::Frame(step) => {
                    let cursor = step.cursor.map(|(x, y)| Position::new(x, y));
                    both.frame(&texts(&step.finished), &texts(&step.live), cursor);
                    finished.extend(step.finished);
                    (live, page) = (step.live, None);
                }
                Turn::Page(rows) => {
                    both.page(&rows);
                    page = Some(rows);
                }
                Turn::Window(wider, higher) => {
                    height = height.max(6 + higher);
                    both.window(12 + wider, height);
                    // As the program does: what is shown is drawn anew.
                    match &page {
                        Some(rows) => both.page(rows),
                        None => both.frame(&[], &texts(&live), None),
                    }
                }
            }
            prop_assert_eq!(both.terminal.screen().alternate_screen(), page.is_some());
            let meant = match &page {
                Some(rows) => trimmed(rows),
                None => trimmed(&[finished.clone(), live.clone()].concat()),
            };
            prop_assert_eq!(trimmed(&both.all()), meant);
        }
        let bytes = both.screen.leave();
        both.terminal.process(bytes.as_bytes());
        prop_assert!(!both.terminal.screen().alternate_screen());
        prop_assert_eq!(trimmed(&both.all()), trimmed(&finished));
    }
}
