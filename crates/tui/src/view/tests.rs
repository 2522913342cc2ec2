//! Pickers: what they show, and what keys choose.

use super::*;
use crate::term::Code;
use crate::theme::Theme;

fn picker() -> Picker {
    let model = |name: &str, window: &str, missing: Option<&str>| {
        let pick = missing.is_none().then(|| PickAction::Send(Command::SetModel(name.to_owned())));
        let row = PickerRow::new([name, window, "$3 in, $15 out", "A model with a title"], pick);
        PickerRow { about: missing.map(str::to_owned), current: name == "b/two", ..row }
    };
    let missing = Some("Set `C_KEY`, or write a key to the file that the settings name");
    Picker::new(
        "Models",
        vec![model("a/one", "200k", None), model("b/two", "1M", None), model("c/three", "8k", missing)],
    )
}

fn shown(picker: &mut Picker, width: u16, height: u16) -> String {
    let ctx = RenderContext { width: usize::from(width), theme: Theme::DARK };
    let page = picker.page(Size::new(width, height), ctx);
    assert!(page.rows.len() <= usize::from(height), "{} rows", page.rows.len());
    assert!(page.rows.iter().all(|row| row.width() <= usize::from(width)));
    let rows: String = page.rows.iter().map(|row| row.to_string().trim_end().to_owned() + "\n").collect();
    format!("{width}x{height} {:?}\n{rows}", page.cursor)
}

fn press(picker: &mut Picker, keys: &[Code]) -> ViewOutcome {
    keys.iter().map(|code| picker.key(Key::plain(*code))).last().unwrap()
}

#[test]
fn a_picker_at_every_size() {
    let mut all = String::new();
    for (width, height) in [(80, 24), (40, 15), (200, 60)] {
        all += &shown(&mut picker(), width, height);
    }
    let mut narrowed = picker();
    press(&mut narrowed, &[Code::Char('8'), Code::Char('k')]);
    all += &shown(&mut narrowed, 40, 15);
    insta::assert_snapshot!(all);
}

#[test]
fn nothing_is_chosen_by_enter_alone() {
    let model = |name: &str| ViewOutcome::Chosen(PickAction::Send(Command::SetModel(name.into())));
    let stay = || ViewOutcome::Stay(Vec::new());
    use Code::{Backspace, Char, Down, Enter, Esc, Up};
    for (keys, expected) in [
        (vec![Enter], stay()),
        (vec![Down, Enter], model("a/one")),
        (vec![Down, Down, Enter], model("b/two")),
        (vec![Up, Enter], stay()),
        (vec![Up, Up, Enter], model("b/two")),
        (vec![Down, Down, Down, Down, Enter], model("a/one")),
        (vec![Char('t'), Char('w'), Enter], model("b/two")),
        (vec![Char('t'), Backspace, Enter], stay()),
        (vec![Char('t'), Char('h'), Char('r'), Enter], stay()),
        (vec![Char('x'), Char('x'), Enter], stay()),
        (vec![Down, Esc], ViewOutcome::Close(Vec::new())),
    ] {
        assert_eq!(press(&mut picker(), &keys), expected, "{keys:?}");
    }
}

#[test]
fn a_long_list_scrolls_with_what_is_looked_at() {
    let rows = (0..50).map(|at| PickerRow::new([&format!("row {at}")], None)).collect();
    let mut long = Picker::new("Rows", rows);
    let seen = |long: &mut Picker| {
        let text = shown(long, 40, 15);
        text.lines()
            .filter(|line| line.contains("row "))
            .map(|line| line.trim().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(seen(&mut long)[0], "row 0");
    press(&mut long, &[Code::Up]);
    assert_eq!(seen(&mut long).last().unwrap(), "❯ row 49");
    press(&mut long, &[Code::Up, Code::Up]);
    assert!(seen(&mut long).contains(&"❯ row 47".to_owned()));
    press(&mut long, &[Code::Home]);
    assert_eq!(seen(&mut long)[0], "❯ row 0");
    // And it says how much of it is not seen.
    let marks = |long: &mut Picker| {
        let text = shown(long, 40, 15);
        text.lines()
            .filter(|line| line.contains(" more"))
            .map(|line| line.trim().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(marks(&mut long), ["↓ 42 more"]);
    press(&mut long, &[Code::PageDown, Code::PageDown]);
    assert_eq!(marks(&mut long), ["↑ 13 more", "↓ 29 more"]);
    press(&mut long, &[Code::End]);
    assert_eq!(marks(&mut long), ["↑ 42 more"]);
}
