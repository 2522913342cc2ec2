//! Reviews: pages, keys and answers, comments that live on.

use std::collections::BTreeSet;

use forelook_protocol::{AbsPath, Approval, HostAnswer, Mode, PlanAnswer, PlanComment, PlanLength};
use forelook_view::review::{ReviewEnd, ReviewHistory, unified};
use proptest::prelude::*;
use ratatui_core::layout::Size;

use super::*;
use crate::theme::Theme;
use tried::tried;

mod tried;

const PLAN: &str = "\
# Tell how many notes there are

The command `list` shows all notes. It should say how many
there are, and nothing else, when it is called with `--count`.

## Files

| file | what changes |
|---|---|
| src/main.rs | the flag |
| src/notes.rs | a function that counts |

## Steps

1. Read `src/notes.rs` and find where the notes come from.
2. Write `count`, and a test for it:

```rust
fn count(notes: &[Note]) -> usize {
    notes.len()
}
```

3. Run `cargo test`.
";

fn review(plan: Option<&str>) -> ReviewRequest {
    let text = plan.unwrap_or_default();
    ReviewRequest {
        path: AbsPath::new("/home/ada/.forelook/plans/calm-weaving-otter.md").unwrap(),
        plan: plan.map(str::to_owned),
        hash: "h".into(),
        length: PlanLength {
            characters: text.chars().count(),
            lines: text.lines().count(),
            rejected_percent: 20,
        },
        changes: None,
        before: Mode::Default,
        modes: vec![Mode::Default, Mode::AcceptEdits, Mode::Auto],
        unavailable: Vec::new(),
        problem: None,
        from: None,
        rehearsal: None,
    }
}

fn begin(plan: &str) -> ReviewDialog {
    laid(ReviewDialog::new(&review(Some(plan)), None, None))
}

fn laid(mut dialog: ReviewDialog) -> ReviewDialog {
    shown(&mut dialog, 80, 24);
    dialog
}

fn rows(dialog: &mut ReviewDialog, width: u16, height: u16) -> Vec<String> {
    let ctx = RenderContext { width: usize::from(width), theme: Theme::DARK };
    let page = dialog.page(Size::new(width, height), ctx);
    assert_eq!(page.rows.len(), usize::from(height));
    for row in &page.rows {
        assert!(row.width() <= usize::from(width) + 3, "{row}");
    }
    page.rows.iter().map(|row| row.to_string().trim_end().to_owned()).collect()
}

fn shown(dialog: &mut ReviewDialog, width: u16, height: u16) -> String {
    rows(dialog, width, height).join("\n")
}

/// Letters, and keys by name in `<>`.
fn keys(text: &str) -> Vec<Key> {
    let mut keys = Vec::new();
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        let named = rest.strip_prefix('<').and_then(|rest| rest.split_once('>'));
        let (key, more) = match named {
            Some(("enter", more)) => (Key::plain(Code::Enter), more),
            Some(("esc", more)) => (Key::plain(Code::Esc), more),
            Some(("tab", more)) => (Key::plain(Code::Tab), more),
            Some(("down", more)) => (Key::plain(Code::Down), more),
            Some(("up", more)) => (Key::plain(Code::Up), more),
            Some(("del", more)) => (Key::plain(Code::Delete), more),
            Some(("newline", more)) => (Key::shift(Code::Enter), more),
            Some(("aside", more)) => (ASIDE, more),
            Some(("ctrl-t", more)) => (Key::ctrl('t'), more),
            _ => (Key::plain(Code::Char(letter)), &rest[letter.len_utf8()..]),
        };
        keys.push(key);
        rest = more;
    }
    keys
}

/// Presses keys with a window that is drawn after each; gives the last step.
fn press(dialog: &mut ReviewDialog, text: &str) -> DialogStep {
    let mut step = DialogStep::Open;
    for key in keys(text) {
        step = dialog.key(key);
        shown(dialog, 80, 24);
    }
    step
}

fn plan(answer: PlanAnswer) -> DialogStep {
    DialogStep::Answered(HostAnswer::Plan(answer))
}

fn approval() -> Approval {
    Approval { hash: "h".into(), ..Approval::default() }
}

fn comment(first: usize, last: usize, text: &str) -> PlanComment {
    let quote: Vec<&str> = PLAN.lines().skip(first - 1).take(last + 1 - first).collect();
    PlanComment { first, last, quote: quote.join("\n"), text: text.into() }
}

#[test]
fn pages() {
    for (name, pressed) in [
        ("plan", ""),
        ("comment", "<down><down>vjcNot only `list`.<newline>Also `find`."),
        ("commented", "jjcwhy?<enter>Gcall tests?<enter>"),
        ("approve", "jjcwhy?<enter>amind the tests<tab>"),
        ("keep", "jjcwhy?<enter><esc>shorter"),
        ("list", "jjcwhy?<enter>Gcall tests?<enter>l<down>"),
        ("park", "p"),
        ("keys", "?"),
        ("written", "r"),
        ("nothing", "<enter>"),
    ] {
        for (width, height) in [(80, 24), (40, 15), (120, 40)] {
            let mut dialog = begin(PLAN);
            press(&mut dialog, pressed);
            insta::assert_snapshot!(format!("{name}_{width}x{height}"), shown(&mut dialog, width, height));
        }
    }
}

#[test]
fn a_comment_that_begins_on_an_empty_line_is_listed_by_words() {
    let mut dialog = begin(PLAN);
    press(&mut dialog, "rjvjcwhy?<enter>l");
    let page = shown(&mut dialog, 80, 24);
    assert!(
        page.contains("The command `list` shows all notes. It should say how many\n  ╰ new, lines 2-"),
        "{page}"
    );
}

fn again() -> ReviewDialog {
    let mut first = begin(PLAN);
    press(&mut first, "jjcwhy?<enter>Gctoo few<enter>");
    let new = PLAN.replace("3. Run `cargo test`.", "3. Run `cargo test` twice.");
    let before = PreviousReview {
        plan: PLAN.into(),
        comments: first.review.comments().clone(),
        draft: String::new(),
        end: ReviewEnd::Sent,
    };
    let changes = unified(PLAN, &new);
    laid(ReviewDialog::new(
        &ReviewRequest { changes: Some(changes), ..review(Some(&new)) },
        None,
        Some(&before),
    ))
}

#[test]
fn the_second_review_opens_with_what_changed() {
    for (width, height) in [(80, 24), (40, 15), (120, 40)] {
        let mut dialog = again();
        insta::assert_snapshot!(format!("again_{width}x{height}"), shown(&mut dialog, width, height));
        press(&mut dialog, "dG");
        insta::assert_snapshot!(format!("again_whole_{width}x{height}"), shown(&mut dialog, width, height));
    }
}

#[test]
fn without_a_plan_that_is_said() {
    for (width, height) in [(80, 24), (40, 15), (120, 40)] {
        let mut dialog = laid(ReviewDialog::new(&review(None), Some("Explore"), None));
        insta::assert_snapshot!(format!("none_{width}x{height}"), shown(&mut dialog, width, height));
    }
    let mut dialog = laid(ReviewDialog::new(&review(None), None, None));
    assert_eq!(press(&mut dialog, "c"), DialogStep::Open);
    assert_eq!(press(&mut dialog, "y<enter>"), plan(PlanAnswer::Approve(approval())));
}

#[test]
fn keys_and_answers() {
    let keep = |feedback: Option<&str>, comments: Vec<PlanComment>| {
        plan(PlanAnswer::KeepPlanning { feedback: feedback.map(str::to_owned), comments })
    };
    let approve = |approval: Approval| plan(PlanAnswer::Approve(approval));
    let note = |text: &str| Some(text.to_owned());
    for (pressed, expected) in [
        ("<enter>", DialogStep::Open),
        (" <enter><tab><enter>", DialogStep::Open),
        ("y", DialogStep::Open),
        ("y<esc><enter>", DialogStep::Open),
        ("y<enter>", approve(approval())),
        ("a<enter>", approve(Approval { mode: Some(Mode::AcceptEdits), ..approval() })),
        ("u<tab><enter>", approve(Approval { mode: Some(Mode::Auto), fresh_context: true, ..approval() })),
        ("y<tab><tab>go<enter>", approve(Approval { note: note("go"), ..approval() })),
        ("yone<newline>two<enter>", approve(Approval { note: note("one\ntwo"), ..approval() })),
        // Not on offer: bypass, and the mode from before under another name.
        ("b<enter>", DialogStep::Open),
        ("o<enter>", DialogStep::Open),
        ("n<enter>", keep(None, Vec::new())),
        ("nshorter<enter>", keep(Some("shorter"), Vec::new())),
        ("<esc>shorter<enter>", keep(Some("shorter"), Vec::new())),
        ("<esc><esc><enter>", DialogStep::Open),
        ("<esc>sho<esc>nrt<enter>", keep(Some("short"), Vec::new())),
        ("p<enter>", plan(PlanAnswer::Park)),
        ("py<enter>", plan(PlanAnswer::Park)),
        ("p<esc><enter>", DialogStep::Open),
        ("x<enter>", plan(PlanAnswer::Abandon)),
        ("e", DialogStep::Edit),
        ("<aside>", DialogStep::Aside),
        ("s", DialogStep::Open),
        ("cwhy?<enter>s", keep(None, vec![comment(1, 1, "why?")])),
        ("cwhy?<esc>s", DialogStep::Open),
        ("c<enter>s", DialogStep::Open),
        ("jjvjcboth<enter>nand more<enter>", keep(Some("and more"), vec![comment(3, 4, "both")])),
        ("jjvj<esc>cone<enter>s", keep(None, vec![comment(4, 4, "one")])),
        ("Gclast<enter>gcfirst<enter>s", keep(None, vec![comment(1, 1, "first"), comment(24, 24, "last")])),
        ("cwhy?<enter>le not?<enter>s", keep(None, vec![comment(1, 1, "why? not?")])),
        ("cwhy?<enter>lxs", DialogStep::Open),
        ("cwhy?<enter>l<del>s", DialogStep::Open),
        (
            "cwhy?<enter>yok<enter>",
            approve(Approval { note: note("ok\nOn `# Tell how many notes there are`: why?"), ..approval() }),
        ),
        ("cwhy?<enter>jc!<enter>s", keep(None, vec![comment(1, 1, "why?!")])),
    ] {
        let mut dialog = begin(PLAN);
        assert_eq!(press(&mut dialog, pressed), expected, "{pressed}");
    }
}

#[test]
fn comments_stand_below_their_lines() {
    let mut dialog = begin(PLAN);
    press(&mut dialog, "vjjjjcall of it<enter>gjjcthis<enter>");
    let page = rows(&mut dialog, 80, 24);
    let row = |text: &str| page.iter().position(|row| row.contains(text)).unwrap();
    assert_eq!(row("lines 3-4: this"), row("nothing else, when") + 1);
    assert_eq!(row("lines 1-5: all of it"), row("lines 3-4: this") + 2);
}

#[test]
fn a_list_of_comments_leads_to_their_lines() {
    let mut dialog = begin(PLAN);
    press(&mut dialog, "Gclast<enter>gl<enter>");
    assert_eq!(dialog.plan_pane.chosen(), Some((24, 24)));
}

#[test]
fn a_long_plan_scrolls_from_end_to_end() {
    let long: String = (1..=400)
        .map(|n| match n % 10 {
            0 => String::from("\n"),
            1 => format!("## Part {n}\n"),
            2 => "\n".to_owned(),
            _ => format!("- word{n}x {}\n", "and so on ".repeat(n % 13)),
        })
        .collect();
    for (width, height, step) in [(80, 24, "j"), (80, 24, " "), (40, 15, " "), (20, 8, " ")] {
        let mut dialog = begin(&long);
        let mut seen = BTreeSet::new();
        let mut before = None;
        loop {
            seen.extend(rows(&mut dialog, width, height));
            let now = dialog.plan_pane.cursor();
            if before.replace(now) == Some(now) {
                break;
            }
            dialog.key(keys(step)[0]);
        }
        let all: String = seen.into_iter().collect();
        for n in (1..=400).filter(|n| n % 10 > 2) {
            assert!(all.contains(&format!("word{n}x")), "line {n} at {width}x{height} by {step:?}");
        }
    }
}

#[test]
fn nothing_in_a_plan_can_hide() {
    let mut dialog = begin("# A\u{1b}[8m\n\nrm\u{202e} -rf\u{e0041}\r\n\n[//]: # (secret)\n");
    let page = shown(&mut dialog, 80, 24);
    assert!(page.contains("A␛[8m") && page.contains("rm\u{fffd} -rf\u{fffd}"), "{page}");
    assert!(page.contains("[//]: # (secret)"), "{page}");
}

#[test]
fn what_was_said_lives_on() {
    let mut past = ReviewHistory::default();
    let path = review(None).path;
    let mut first = begin(PLAN);
    press(&mut first, "jjcwhy?<enter>");
    // The file changed under the reader: the comment is still new, and follows its line.
    press(&mut first, "Gcnot y");
    past.keep_open(first.into_review());
    let longer = format!("New first line\n\n{PLAN}");
    let mut second = laid(ReviewDialog::new(&review(Some(&longer)), None, past.of(&path)));
    assert!(shown(&mut second, 80, 24).contains("changes since you saw it"));
    let DialogStep::Answered(HostAnswer::Plan(PlanAnswer::KeepPlanning { comments, .. })) =
        press(&mut second, "s")
    else {
        panic!("not sent");
    };
    // What was being written is not lost either.
    let said: Vec<_> = comments.iter().map(|it| (it.first, it.text.as_str())).collect();
    assert_eq!(said, [(5, "why?"), (26, "not y")]);
}

#[test]
fn comments_are_sent_with_the_words_that_were_left() {
    let mut dialog = begin(PLAN);
    press(&mut dialog, "jjcwhy?<enter>nuse make<esc>");
    let DialogStep::Answered(HostAnswer::Plan(PlanAnswer::KeepPlanning { feedback, comments })) =
        press(&mut dialog, "s")
    else {
        panic!("not sent");
    };
    assert_eq!((feedback.as_deref(), comments.len()), (Some("use make"), 1));
    let mut dialog = begin(PLAN);
    assert_eq!(press(&mut dialog, "nuse make<esc>s"), DialogStep::Open);
    assert!(shown(&mut dialog, 80, 24).contains("> use make"), "without comments they are shown first");
}

fn any_key() -> impl Strategy<Value = Key> {
    let codes = [Code::Enter, Code::Esc, Code::Tab, Code::Up, Code::Down, Code::Delete, Code::PageDown];
    prop_oneof![
        4 => prop::char::ranges(vec!['a'..='z', ' '..='?'].into()).prop_map(|it| Key::plain(Code::Char(it))),
        3 => prop::sample::select(codes.to_vec()).prop_map(Key::plain),
        1 => Just(Key::ctrl('f')),
        1 => Just(Key::ctrl('t')),
        1 => Just(Key::shift(Code::Enter)),
    ]
}

fn is_approval(step: &DialogStep) -> bool {
    matches!(step, DialogStep::Answered(HostAnswer::Plan(PlanAnswer::Approve(_))))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_window_will_do(
        pressed in prop::collection::vec(any_key(), 0..20),
        width in 1u16..130,
        height in 1u16..45,
    ) {
        let mut dialog = again();
        dialog.tried = tried().tried;
        for key in pressed {
            dialog.key(key);
            let ctx = RenderContext { width: usize::from(width), theme: Theme::DARK };
            let page = dialog.page(Size::new(width, height), ctx);
            prop_assert_eq!(page.rows.len(), usize::from(height));
            prop_assert!(page.cursor.is_none_or(|(row, _)| row < usize::from(height)));
        }
    }

    #[test]
    fn only_enter_in_the_form_of_a_yes_approves(pressed in prop::collection::vec(any_key(), 0..60)) {
        let mut dialog = tried();
        for key in pressed {
            let request = matches!(dialog.form, ReviewForm::Approve { .. });
            let step = dialog.key(key);
            prop_assert!(!is_approval(&step) || (request && key == Key::plain(Code::Enter)), "{key:?}");
            if let DialogStep::Answered(_) = step {
                break;
            }
            shown(&mut dialog, 40, 15);
        }
    }

    #[test]
    fn without_a_key_of_a_yes_nothing_approves(pressed in prop::collection::vec(any_key(), 0..60)) {
        let mut dialog = tried();
        for key in pressed.into_iter().filter(|key| !matches!(key.letter(), Some('y' | 'o' | 'a' | 'u' | 'b'))) {
            let step = dialog.key(key);
            prop_assert!(!is_approval(&step), "{key:?}");
            shown(&mut dialog, 40, 15);
        }
    }

    #[test]
    fn every_comment_is_in_the_answer(
        made in prop::collection::vec((0usize..40, 0usize..6, any::<bool>(), "[a-z]{1,12}"), 0..6),
        end in prop::sample::select(vec!["s", "n<enter>", "<esc>words<enter>", "a<enter>", "ynote<enter>"]),
    ) {
        let mut dialog = begin(PLAN);
        for (down, range, back, text) in &made {
            press(&mut dialog, if *back { "d" } else { "r" });
            press(&mut dialog, "g");
            press(&mut dialog, &"j".repeat(*down));
            // On a comment the key would change it; its line is above it.
            while dialog.plan_pane.comment().is_some() {
                press(&mut dialog, "k");
            }
            press(&mut dialog, &format!("v{}c{text}<enter>", "j".repeat(*range)));
        }
        let step = press(&mut dialog, end);
        let said = match step {
            DialogStep::Answered(HostAnswer::Plan(PlanAnswer::KeepPlanning { comments, .. })) => {
                comments.into_iter().map(|it| it.text + "\n").collect::<String>()
            }
            DialogStep::Answered(HostAnswer::Plan(PlanAnswer::Approve(approval))) => approval.note.unwrap_or_default(),
            other => {
                prop_assert!(made.is_empty() && end == "s", "{other:?}");
                return Ok(());
            }
        };
        for (.., text) in made {
            prop_assert!(said.contains(&text), "{text} is not in {said:?}");
        }
    }
}

#[test]
fn words_are_looked_for() {
    let mut dialog = begin("# Plan\n\n1. Read it\n2. Write it\n3. Test it\n4. read again\n");
    press(&mut dialog, "/rea");
    assert!(shown(&mut dialog, 80, 24).contains("> rea"), "what is written is seen");
    press(&mut dialog, "d<enter>");
    let at = |dialog: &mut ReviewDialog| {
        let rows = rows(dialog, 80, 24);
        rows.iter().find(|row| row.starts_with('❯')).cloned().unwrap_or_default()
    };
    let page = shown(&mut dialog, 80, 24);
    assert!(page.contains("“read”: 1 of 2") && page.contains("N previous"), "{page}");
    assert!(at(&mut dialog).contains("Read it"));
    press(&mut dialog, "n");
    assert!(at(&mut dialog).contains("read again"));
    press(&mut dialog, "n");
    assert!(at(&mut dialog).contains("Read it"), "behind the last comes the first");
    press(&mut dialog, "N");
    assert!(at(&mut dialog).contains("read again"));
    // Meanwhile no key answers; afterwards they mean what they meant.
    assert_eq!(press(&mut dialog, "yaps<enter>"), DialogStep::Open);
    press(&mut dialog, "<esc>n");
    assert!(shown(&mut dialog, 80, 24).contains("What should change?"));
    press(&mut dialog, "<esc>/nowhere<enter>");
    assert!(shown(&mut dialog, 80, 24).contains("`nowhere` is not in this text"));
    for (width, height) in [(40, 15), (80, 24), (200, 60)] {
        let mut dialog = begin(PLAN);
        press(&mut dialog, "/cargo<enter>");
        assert!(shown(&mut dialog, width, height).contains("“cargo”: 1 of"), "{width}x{height}");
    }
}

#[test]
fn a_mode_that_is_gone_is_said_and_not_offered() {
    let why = "a policy forbids it".to_owned();
    let lost = forelook_protocol::UnavailableMode { mode: Mode::BypassPermissions, why };
    let request = ReviewRequest {
        before: Mode::BypassPermissions,
        modes: vec![Mode::Default, Mode::AcceptEdits],
        unavailable: vec![lost],
        ..review(Some(PLAN))
    };
    for (width, height) in [(40, 15), (80, 24), (200, 60)] {
        let mut dialog = laid(ReviewDialog::new(&request, None, None));
        assert_eq!(press(&mut dialog, "y<enter>"), DialogStep::Open, "there is no way back to it");
        press(&mut dialog, "y");
        let page = shown(&mut dialog, width, height);
        assert!(page.contains("`bypassPermissions` is not"), "{page}");
    }
}
