//! Keys in; text, wishes and what is drawn out.

use std::sync::Arc;

use forelook_protocol::{
    AnsweredBy, Entry, EntryBody, Event, FrontEndId, PastPrompt, PlanCommand, PlanQuery, Query, TurnId,
    TurnStarted,
};
use ratatui_core::layout::Size;
use serde_json::json;

use super::super::tests::{noon, snapshot, status};
use super::*;
use crate::app::Frame;
use crate::commands::SlashCommand;
use crate::menu::Menus;
use crate::term::Input;
use crate::theme::Theme;
use forelook_protocol::Command;

const fn slash(name: &'static str, usage: &'static str, about: &'static str) -> SlashCommand {
    SlashCommand { name, usage, about, run: |_, _| Vec::new() }
}

static SLASHES: [&SlashCommand; 10] = [
    &slash("plan", "[task]", "plan first; in plan mode: show the plan, or open, diff, history, list"),
    &slash("mode", "<name>", "change what may be done without asking"),
    &slash("model", "[name]", "show the models, or use another one"),
    &slash("permissions", "", "show the rules"),
    &slash("clear", "", "start over"),
    &slash("resume", "", "go back to an earlier session"),
    &slash("cost", "", "show what was spent"),
    &slash("export", "[file]", "write the session to a file"),
    &slash("help", "", "show commands and keys"),
    &slash("exit", "", "exit; the session is saved"),
];

struct World {
    app: App,
    effects: Vec<UiEffect>,
}

impl World {
    fn new(width: u16, height: u16) -> Self {
        let (snapshot, size) = (snapshot(status()), Size::new(width, height));
        let mut app = App::new(&snapshot, Theme::DARK, size, noon(0));
        app.menus = Menus::new(&SLASHES);
        Self { app, effects: Vec::new() }
    }

    fn running() -> Self {
        let mut world = Self::new(80, 24);
        let id = serde_json::from_value(json!("00000000-0000-7000-8000-000000000002")).unwrap();
        let body = EntryBody::TurnStarted(TurnStarted { turn: TurnId(1) });
        let time = jiff::Timestamp::UNIX_EPOCH;
        world.app.event(&Event::Recorded(Arc::new(Entry { id, parent: None, time, agent: None, body })));
        world
    }

    /// Letters as they are, other keys in angle brackets, a paste in braces.
    fn typed(mut self, keys: &str) -> Self {
        let mut rest = keys;
        while let Some(first) = rest.chars().next() {
            let named = rest.strip_prefix('<').and_then(|it| it.split_once('>'));
            let pasted = rest.strip_prefix('{').and_then(|it| it.split_once('}'));
            let (input, length) = match (named, pasted) {
                (Some((name, _)), _) => (Input::Key(key(name)), name.len() + 2),
                (_, Some((text, _))) => (Input::Paste(text.to_owned()), text.len() + 2),
                _ => (Input::Key(Key::plain(Code::Char(first))), first.len_utf8()),
            };
            self.effects.extend(self.app.input(input));
            rest = &rest[length..];
        }
        self
    }

    /// Sees to what is wished for, as the loop does.
    fn seen_to(mut self) -> Self {
        loop {
            let result: Vec<TaskResult> = self.effects.iter().filter_map(see_to).collect();
            self.effects.retain(|effect| see_to(effect).is_none());
            if result.is_empty() {
                return self;
            }
            for result in result {
                let effects = self.app.on_task_result(result);
                self.effects.extend(effects);
            }
        }
    }

    fn on_task_result(mut self, result: TaskResult) -> Self {
        let effects = self.app.on_task_result(result);
        self.effects.extend(effects);
        self
    }

    /// The live area, with a bar for the cursor.
    fn screen(&mut self) -> String {
        let Frame::Live { live, cursor, .. } = self.app.frame() else { panic!("a page") };
        let row = |y| {
            let mut row = String::new();
            for x in 0..live.area.width {
                if cursor.is_some_and(|at| (at.x, at.y) == (x, y)) {
                    row.push('|');
                }
                row.push_str(live[(x, y)].symbol());
            }
            row.trim_end().to_owned()
        };
        (0..live.area.height).map(row).collect::<Vec<_>>().join("\n")
    }
}

fn key(name: &str) -> Key {
    match name {
        "enter" => Key::plain(Code::Enter),
        "a-enter" => Key::alt(Code::Enter),
        "tab" => Key::plain(Code::Tab),
        "esc" => Key::plain(Code::Esc),
        "up" => Key::plain(Code::Up),
        "down" => Key::plain(Code::Down),
        "left" => Key::plain(Code::Left),
        "back" => Key::plain(Code::Backspace),
        other => Key::ctrl(other.strip_prefix("c-").and_then(|it| it.chars().next()).unwrap()),
    }
}

fn see_to(effect: &UiEffect) -> Option<TaskResult> {
    let files = ["src/main.rs", "src/menu/mod.rs", "src/menu/matching.rs", "docs/a b.md", "README.md"];
    match effect {
        UiEffect::Spawn(UiTask::Ask(Query::Files)) => {
            Some(TaskResult::Reply(Reply::Files(files.map(String::from).into_iter().collect())))
        }
        UiEffect::Spawn(UiTask::Match(matching)) => {
            Some(TaskResult::Matches(matching.ticket.number, matching.best()))
        }
        _ => None,
    }
}

fn prompt(text: &str, delivery: Delivery) -> Vec<UiEffect> {
    let content = vec![UserBlock::text(text)];
    let prompt = Prompt::person(content, delivery).naming(Mentions::typed(parse_mentions(text)));
    let prompt = UiEffect::Send(Command::Prompt(prompt));
    vec![UiEffect::Remember(PastPrompt::here(text)), prompt]
}

fn remembered(text: &str, effect: UiEffect) -> Vec<UiEffect> {
    vec![UiEffect::Remember(PastPrompt::here(text)), effect]
}

#[test]
fn what_the_menu_of_commands_makes_of_keys() {
    let leave = || remembered("/exit", UiEffect::Leave(ExitReason::Done));
    let plan = || UiEffect::Spawn(UiTask::Ask(Query::Plan(PlanQuery::Current)));
    let say = || UiEffect::Send(Command::Plan(PlanCommand::Say { enter: false, text: "it".into() }));
    for (keys, text, effects) in [
        ("/<enter>", "/", vec![]),
        ("/exit<enter>", "", leave()),
        ("/exi<enter>", "/exit", vec![]),
        ("/exi<enter><enter>", "", leave()),
        ("/<up><enter>", "", leave()),
        ("/<down><enter>", "", remembered("/plan", plan())),
        ("/<down><down><enter>", "/mode ", vec![]),
        ("/mod<enter>", "/mode ", vec![]),
        ("/pl<tab>", "/plan ", vec![]),
        ("/pl<tab>it<enter>", "", remembered("/plan it", say())),
        ("/cst<tab>", "/cost", vec![]),
        ("/<down><down><tab>", "/mode ", vec![]),
        ("/<down><back>", "", vec![]),
        ("/exp<left><tab>", "/export ", vec![]),
        ("/exi<esc><enter>", "", vec![UiEffect::Remember(PastPrompt::here("/exi"))]),
        ("/pl<tab><c-_>", "/pl", vec![]),
        ("/nothing<enter>", "", vec![UiEffect::Remember(PastPrompt::here("/nothing"))]),
        ("/etc/hosts is wrong<enter>", "", prompt("/etc/hosts is wrong", Delivery::NextTurn)),
        ("/exit<enter>a<up><up>b", "/exitb", leave()),
    ] {
        let world = World::new(80, 24).typed(keys);
        assert_eq!((world.app.composer.text(), &world.effects), (text, &effects), "{keys}");
    }
}

#[test]
fn what_the_menu_of_files_makes_of_keys() {
    for (before, keys, text, effects) in [
        ("see @main", "<enter>", "see @src/main.rs ", vec![]),
        ("see @main", "<tab>now", "see @src/main.rs now", vec![]),
        ("@menu", "<enter>", "@src/menu/", vec![]),
        ("@menu", "<down><enter>", "@src/menu/mod.rs ", vec![]),
        ("@a b", "", "@a b", vec![]),
        ("@\"a b", "<enter>x", "@\"docs/a b.md\" x", vec![]),
        ("@nowhere", "<enter>", "", prompt("@nowhere", Delivery::NextTurn)),
        ("@README.md", "<enter>", "", prompt("@README.md", Delivery::NextTurn)),
        ("@main", "<esc><enter>", "", prompt("@main", Delivery::NextTurn)),
        ("@main", "<tab><c-_>", "@main", vec![]),
        ("me@main", "<enter>", "", prompt("me@main", Delivery::NextTurn)),
        ("!cat @main", "<tab>", "!cat @main", vec![]),
        ("{see @main}", "<enter>", "", prompt("see @main", Delivery::NextTurn)),
    ] {
        let world = World::new(80, 24).typed(before).seen_to().typed(keys).seen_to();
        assert_eq!((world.app.composer.text(), &world.effects), (text, &effects), "{before} {keys}");
    }
    let folder = World::new(80, 24).typed("@menu").seen_to().typed("<tab>mat").seen_to().typed("<tab>");
    assert_eq!(folder.app.composer.text(), "@src/menu/matching.rs ");
}

#[test]
fn what_is_sent_and_when() {
    for (keys, effects) in [
        ("a<enter>", prompt("a", Delivery::Steer)),
        ("a<tab>", prompt("a", Delivery::NextTurn)),
        ("<tab>", vec![]),
        ("<esc>", vec![UiEffect::Send(Command::Interrupt)]),
        ("a<esc>", vec![UiEffect::Send(Command::Interrupt)]),
        ("!make<enter>", remembered("!make", UiEffect::Send(Command::UserShell("make".into())))),
        ("! make it <enter>", remembered("! make it", UiEffect::Send(Command::UserShell("make it".into())))),
    ] {
        assert_eq!(World::running().typed(keys).effects, effects, "{keys}");
    }
    assert_eq!(World::new(80, 24).typed("a<tab>").effects, []);
}

#[test]
fn ctrl_c_ends_a_search_before_it_clears() {
    for (keys, text) in [("a<c-r>x<c-c>", "a"), ("a<c-r>x<c-c><c-c>", ""), ("a<c-c><c-_>", "a")] {
        let world = World::new(80, 24).typed(keys);
        assert_eq!((world.app.composer.text(), world.app.composer.search()), (text, None), "{keys}");
    }
}

#[test]
fn esc_twice_clears() {
    let mut world = World::new(80, 24).typed("words<esc>");
    assert!(world.screen().contains("Esc again to clear"));
    assert_eq!(world.typed("<esc>").app.composer.text(), "");
    for (keys, text) in
        [("words<esc>x<esc>", "wordsx"), ("words<esc><esc><c-_>", "words"), ("<esc><esc>", "")]
    {
        assert_eq!(World::new(80, 24).typed(keys).app.composer.text(), text, "{keys}");
    }
    for key in [Key::shift(Code::Tab), Key::plain(Code::Char('x'))] {
        let mut world = World::new(80, 24).typed("words<esc>");
        world.app.input(Input::Key(key));
        assert!(!world.screen().contains("Esc again to clear"), "{key:?}");
    }
    let mut late = World::new(80, 24).typed("words<esc>");
    late.app.at(noon(TWICE_MS));
    assert_eq!(late.typed("<esc>").app.composer.text(), "words");
}

#[test]
fn pictures_come_by_path_and_by_copy() {
    let picture = || UserBlock::Image { media_type: "image/png".into(), data: "a".into() };
    let path = || Some("/tmp/a b.png".to_owned());
    let world = World::new(80, 24).typed("see {'/tmp/a b.png'}");
    assert_eq!(world.effects, [UiEffect::Spawn(UiTask::Picture("/tmp/a b.png".into()))]);
    let world = world.on_task_result(TaskResult::Picture(path(), Some(picture())));
    assert_eq!(world.app.composer.text(), "see [image 1]");
    let world = world.typed("<enter>");
    let content = vec![UserBlock::text("see"), picture()];
    let prompt = UiEffect::Send(Command::Prompt(Prompt::person(content, Delivery::NextTurn)));
    assert_eq!(world.effects[1..], remembered("see", prompt));

    let none = World::new(80, 24).typed("{'/tmp/a b.png'}").on_task_result(TaskResult::Picture(path(), None));
    assert_eq!(none.app.composer.text(), "/tmp/a b.png");

    let copied = World::new(80, 24).typed("<c-v>");
    assert_eq!(copied.effects, [UiEffect::Spawn(UiTask::ClipboardPicture)]);
    let mut copied = copied.on_task_result(TaskResult::Picture(None, None));
    assert!(copied.screen().contains("No image to paste"));
}

#[test]
fn the_editor_gets_the_whole_text_and_gives_another() {
    let long = "line\n".repeat(20);
    let mut world = World::new(80, 24).typed(&format!("see {{{long}}}<c-g>"));
    assert_eq!(world.effects, [UiEffect::Spawn(UiTask::Edit(format!("see {long}")))]);
    world = world.on_task_result(TaskResult::Edited(Ok("other\r\nwords\n".into())));
    assert_eq!(world.app.composer.text(), "other\nwords");
    // Somebody else's editor is none of ours.
    world = world.on_task_result(TaskResult::Edited(Ok("a plan".into())));
    assert_eq!(world.app.composer.text(), "other\nwords");
    world =
        world.typed("<c-g>").on_task_result(TaskResult::Edited(Err("there is none\nSet `EDITOR`".into())));
    assert_eq!(world.app.composer.text(), "other\nwords");
    let Frame::Live { finished, .. } = world.app.frame() else { panic!("a page") };
    let told: String = finished.iter().map(ToString::to_string).collect();
    assert!(told.contains("there is none") && told.matches("EDITOR").count() == 1, "{told}");
}

#[test]
fn with_the_keys_of_vi_esc_first_ends_writing() {
    let world = || {
        let mut world = World::running();
        world.app.composer.use_vi(true);
        world
    };
    let stop = UiEffect::Send(Command::Interrupt);
    for (keys, text, effects) in [
        ("one<esc>", "one", vec![]),
        ("one<esc><esc>", "one", vec![stop.clone()]),
        ("one<esc>d<esc>", "one", vec![]),
        ("one<esc>x<enter>", "", prompt("on", Delivery::Steer)),
        ("one<enter>/", "/", prompt("one", Delivery::Steer)),
    ] {
        let world = world().typed(keys);
        assert_eq!((world.app.composer.text(), &world.effects), (text, &effects), "{keys}");
    }
    let mut world = world().typed("one two<esc>b");
    assert!(world.screen().contains("N one |two"), "{}", world.screen());
}

#[test]
fn menus_on_a_wide_and_on_a_narrow_window() {
    let mut all = Vec::new();
    for (width, height) in [(80, 24), (40, 15)] {
        for keys in ["/", "/<up>", "/mo", "see @", "see @m", "!make test", "<c-r>fix", "<c-r>nowhere"] {
            let mut world = World::new(width, height);
            world.app.composer.remember(vec![PastPrompt::here("fix the lexer")]);
            let mut world = world.typed(keys).seen_to();
            all.push(format!("{keys}\n{}", world.screen()));
            if keys.contains('@') {
                let mut world = world.typed("<down><down>");
                all.push(world.screen());
            }
        }
    }
    let mut reading = World::new(40, 15).typed("@");
    all.push(reading.screen());
    let mut steering = World::running().typed("look here too");
    all.push(steering.screen());
    insta::assert_snapshot!(all.join("\n\n"));
}

#[test]
fn a_command_line_changes_no_rules() {
    for words in ["add allow Bash", "remove Edit"] {
        let mut world = World::new(80, 24);
        assert_eq!(world.app.submit_text(&format!("/permissions {words}")), []);
    }
    let looked_at = World::new(80, 24).app.submit_text("/permissions");
    assert_eq!(looked_at, [UiEffect::Spawn(UiTask::Ask(Query::Rules))]);
}

#[test]
fn a_command_line_runs_nothing_in_the_shell() {
    let mut world = World::new(80, 24);
    let said = world.app.submit_text("!rm -r build");
    assert!(matches!(&said[..], [UiEffect::Send(Command::Prompt(_))]), "{said:?}");
}

#[test]
fn a_folded_paste_stays_folded_when_it_is_said() {
    let long = "line\n".repeat(20);
    let mut world = World::new(80, 24).typed(&format!("see {{{long}}}<enter>"));
    let sent = world.effects.iter().find_map(|effect| match effect {
        UiEffect::Send(Command::Prompt(prompt)) => Some(prompt.content.clone()),
        _ => None,
    });
    let content = sent.expect("it was sent");
    assert_eq!(content, [UserBlock::text(format!("see {}", long.trim()))], "whole");
    let body = EntryBody::PromptAccepted(forelook_protocol::PromptAccepted::person(content));
    // Once; the next time the same words may have been typed.
    for expected in ["> see [Pasted text 1: 20 lines]", "> see line"] {
        let id = serde_json::from_value(serde_json::json!("00000000-0000-7000-8000-000000000002")).unwrap();
        let time = jiff::Timestamp::UNIX_EPOCH;
        let entry = Entry { id, parent: None, time, agent: None, body: body.clone() };
        world.app.event(&Event::Recorded(Arc::new(entry)));
        let Frame::Live { finished, .. } = world.app.frame() else { panic!("a page") };
        assert_eq!(finished[1].to_string(), expected);
    }
}
fn queued(words: &str, number: u64, delivery: Delivery) -> (EntryId, EntryBody) {
    let id = serde_json::from_value(json!(format!("00000000-0000-7000-8000-{number:012}"))).unwrap();
    let prompt = Prompt::person(vec![UserBlock::text(words)], delivery);
    (id, EntryBody::PromptQueued(forelook_protocol::PromptQueued { prompt }))
}

impl World {
    fn record(&mut self, id: EntryId, body: EntryBody) {
        let time = jiff::Timestamp::UNIX_EPOCH;
        self.app.event(&Event::Recorded(Arc::new(Entry { id, parent: None, time, agent: None, body })));
    }

    /// A turn runs, and prompts of both kinds wait.
    fn waited_for(words: &[(&str, Delivery)]) -> (Self, Vec<EntryId>) {
        let (mut world, mut ids) = (Self::running(), Vec::new());
        for (number, (words, delivery)) in (100..).zip(words) {
            let (id, body) = queued(words, number, *delivery);
            world.record(id, body);
            ids.push(id);
        }
        (world, ids)
    }

    fn withdraws(&mut self, prompts: &[EntryId], front_end: u32) {
        let by = AnsweredBy::FrontEnd { id: FrontEndId(front_end), name: "web page".into() };
        let withdrawn = PromptsWithdrawn { prompts: prompts.to_vec(), by };
        let id = serde_json::from_value(json!("00000000-0000-7000-8000-000000000999")).unwrap();
        self.record(id, EntryBody::PromptsWithdrawn(withdrawn));
    }
}

#[test]
fn what_is_taken_back_stands_before_what_is_written_in_its_order() {
    let long = "line\n".repeat(20);
    let (mut world, ids) = World::waited_for(&[
        ("first", Delivery::NextTurn),
        (&long, Delivery::Steer),
        ("third", Delivery::NextTurn),
    ]);
    let screen = world.screen();
    for row in ["after this turn: first", "next step: line", "after this turn: third"] {
        assert!(screen.contains(row), "{screen}");
    }
    world = world.typed("half <esc>");
    assert_eq!(world.effects, [UiEffect::Send(Command::Interrupt)]);
    world.withdraws(&ids, 1);
    let text = "first\n[Pasted text 1: 20 lines]\nthird\nhalf ";
    assert_eq!(world.app.composer.text(), text);
    assert!(!world.screen().contains("next step:"));
    // It is sent as it was written, the long text unfolded.
    let sent = world.app.composer.send().unwrap().text;
    assert_eq!(sent, format!("first\n{long}\nthird\nhalf"));
}

#[test]
fn what_another_front_end_takes_back_is_said_and_not_written() {
    let (mut world, ids) = World::waited_for(&[("first", Delivery::Steer)]);
    world.withdraws(&ids, 2);
    assert!(world.app.composer.is_empty());
    let Frame::Live { finished, .. } = world.app.frame() else { panic!("a page") };
    let said: String = finished.iter().map(|row| row.to_string()).collect();
    assert!(said.contains("Not sent to the model: first"), "{said}");
}

#[test]
fn up_asks_for_the_last_one_once_and_only_from_an_empty_composer() {
    let (world, ids) = World::waited_for(&[("first", Delivery::Steer), ("second", Delivery::NextTurn)]);
    let mut world = world.typed("<up><up>");
    let asked = UiEffect::Send(Command::TakeBack { prompt: ids[1] });
    assert_eq!(world.effects, std::slice::from_ref(&asked));
    world.withdraws(&ids[1..], 1);
    assert_eq!(world.app.composer.text(), "second");
    world = world.typed("<up>");
    assert_eq!(world.effects, [asked], "the words are there now, and the key moves in them");
}

#[test]
fn what_comes_back_while_an_editor_has_the_text_is_not_lost() {
    let (world, ids) = World::waited_for(&[("first", Delivery::Steer)]);
    let mut world = world.typed("draft<c-g>");
    world.withdraws(&ids, 1);
    let world = world.on_task_result(TaskResult::Edited(Ok("draft, edited".into())));
    assert_eq!(world.app.composer.text(), "first\ndraft, edited");
}
