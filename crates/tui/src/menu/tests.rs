//! Texts in, what fits out.

use std::sync::atomic::AtomicU64;

use super::matching::{Paths, Ticket};
use super::*;
use crate::app::UiTask;

fn question(files: &[&str], words: &str) -> MatchRequest {
    let files: Arc<[String]> = files.iter().map(|file| (*file).to_owned()).collect();
    let ticket = Ticket::next(&Arc::new(AtomicU64::new(0)));
    MatchRequest { paths: Arc::new(Paths::new(files)), words: words.to_owned(), ticket }
}

const FILES: [&str; 7] = [
    "README.md",
    "src/main.rs",
    "src/menu/mod.rs",
    "src/menu/matching.rs",
    "docs/a b.md",
    "docs/人.md",
    "odd\nname.rs",
];

#[test]
fn files_and_folders_that_fit() {
    for (words, expected) in [
        ("", &["docs/", "src/", "README.md"][..]),
        ("main", &["src/main.rs", "src/menu/matching.rs"]),
        ("menu", &["src/menu/", "src/menu/mod.rs", "src/menu/matching.rs"]),
        ("mmod", &["src/menu/mod.rs"]),
        ("smt", &["src/menu/matching.rs"]),
        ("Main", &[]),
        ("a b", &["docs/a b.md"]),
        ("人", &["docs/人.md"]),
        ("odd", &[]),
    ] {
        let found: Vec<String> = question(&FILES, words).best().into_iter().map(|found| found.path).collect();
        assert_eq!(found, expected, "{words}");
    }
}

#[test]
fn the_letters_that_fit_are_told() {
    let found = question(&FILES, "人m").best();
    assert_eq!(found, [Match { path: "docs/人.md".into(), letters: vec![5, 7] }]);
}

#[test]
fn who_is_overtaken_gives_up() {
    let newest = Arc::new(AtomicU64::new(0));
    let old = MatchRequest { ticket: Ticket::next(&newest), ..question(&FILES, "main") };
    let new = MatchRequest { ticket: Ticket::next(&newest), ..old.clone() };
    assert_eq!((old.best().len(), new.best().len()), (0, 2));
}

#[test]
fn where_a_path_begins() {
    for (before, expected) in [
        ("@", Some((0, ""))),
        ("see @src/m", Some((4, "src/m"))),
        ("see\n@src", Some((4, "src"))),
        ("me@home", None),
        ("see @src and", None),
        ("see @\"a b", Some((4, "a b"))),
        ("see @\"a b\" then", None),
        ("see @a @b", Some((7, "b"))),
        ("see @a@b", Some((4, "a@b"))),
    ] {
        let token = files::typed(before).map(|token| (token.start, token.words));
        assert_eq!(token, expected.map(|(start, words)| (start, words.to_owned())), "{before}");
    }
}

/// What a menu wants when this is typed.
fn follow(menus: &mut Menus, text: &str) -> Vec<UiEffect> {
    menus.follow(text, text, EditKind::Typing)
}

#[test]
fn files_are_asked_for_once_and_old_answers_do_not_count() {
    let mut menus = Menus::new(&[]);
    let ask = UiEffect::Spawn(UiTask::Ask(forelook_protocol::Query::Files));
    assert_eq!(follow(&mut menus, "@"), std::slice::from_ref(&ask));
    assert_eq!(follow(&mut menus, "@m"), []);
    let files: Arc<[String]> = FILES.iter().map(|file| (*file).to_owned()).collect();
    let [UiEffect::Spawn(UiTask::Match(first))] = &menus.files(files)[..] else { panic!() };
    let [UiEffect::Spawn(UiTask::Match(second))] = &follow(&mut menus, "@ma")[..] else { panic!() };
    assert_eq!((first.words.as_str(), second.words.as_str()), ("m", "ma"));
    let enter = Key::plain(Code::Enter);
    assert_eq!(menus.key(enter, "@ma"), Some(MenuAction::Stay), "nothing is known yet");
    menus.matches(first.ticket.number, question(&FILES, "README").best());
    assert_eq!(menus.key(enter, "@ma"), Some(MenuAction::Stay), "an old answer");
    menus.matches(second.ticket.number, second.best());
    let text = "@src/main.rs ".to_owned();
    let complete = Some(MenuAction::Complete { before: 3, text });
    assert_eq!(menus.key(enter, "@ma"), complete);
    // The files were read anew, and what is shown can still be taken.
    menus.files(FILES.iter().map(|file| (*file).to_owned()).collect());
    assert_eq!(menus.key(enter, "@ma"), complete);
    // The next time what is known serves until it is read anew.
    assert_eq!(follow(&mut menus, "done"), []);
    assert!(
        matches!(&follow(&mut menus, "done @")[..], [asked, UiEffect::Spawn(UiTask::Match(_))] if *asked == ask)
    );
}

#[test]
fn what_is_put_into_the_text() {
    for (before, words, expected) in [
        ("@ma", "main", Some("@src/main.rs ")),
        ("@sr", "src", Some("@src/")),
        ("@\"a b", "a b", Some("@\"docs/a b.md\" ")),
        ("@src/main.rs", "src/main.rs", None),
        ("@nothing", "nothing", None),
    ] {
        let mut menus = Menus::new(&[]);
        follow(&mut menus, before);
        let files: Arc<[String]> = FILES.iter().map(|file| (*file).to_owned()).collect();
        let [UiEffect::Spawn(UiTask::Match(asked))] = &menus.files(files)[..] else { panic!() };
        menus.matches(asked.ticket.number, question(&FILES, words).best());
        let act = menus.key(Key::plain(Code::Enter), before);
        let expected =
            expected.map(|text| MenuAction::Complete { before: before.len(), text: text.to_owned() });
        assert_eq!(act, expected, "{before}");
    }
}

#[test]
fn the_end_of_a_long_path_is_shown_with_its_letters_marked() {
    let found = Match { path: "src/menu/matching.rs".into(), letters: vec![4, 9, 10] };
    let marked = |width| {
        let show = |span: &ratatui_core::text::Span<'_>| match span.style.add_modifier.is_empty() {
            true => span.content.to_string(),
            false => format!("[{}]", span.content),
        };
        rows::path(&found, width).iter().map(show).collect::<String>()
    };
    assert_eq!(marked(20), "src/[m]enu/[ma]tching.rs");
    assert_eq!(marked(12), "…[ma]tching.rs");
    assert_eq!(marked(11), "…[a]tching.rs");
}

#[test]
fn a_menu_says_that_there_is_more_of_it() {
    let mut menus = Menus::new(&crate::commands::ALL);
    follow(&mut menus, "/");
    let ctx = RenderContext { width: 40, theme: crate::theme::Theme::DARK };
    let last = |menus: &Menus| {
        let rows = menus.rows(ctx, 8);
        assert_eq!(rows.len(), 8);
        rows.last().unwrap().to_string()
    };
    let all = crate::commands::ALL.len();
    assert_eq!(last(&menus), format!("   ↓ {} more", all - 7));
    for _ in 0..9 {
        menus.key(Key::plain(Code::Down), "/");
    }
    assert_eq!(last(&menus), format!("   ↑ 2 more · ↓ {} more", all - 9));
    menus.key(Key::plain(Code::Up), "/");
    for _ in 0..all - 8 {
        menus.key(Key::plain(Code::Down), "/");
    }
    assert_eq!(last(&menus), format!("   ↑ {} more", all - 7));
    follow(&mut menus, "/mod");
    assert!(!menus.rows(ctx, 8).iter().any(|row| row.to_string().contains("more")));
}
