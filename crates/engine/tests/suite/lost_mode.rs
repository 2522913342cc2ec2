//! A journal that lost what said how much the session may do.

use forelook_engine::{Config, SessionStart};
use forelook_protocol::{
    Behavior, Command, Destination, EntryBody, Event, LiveEvent, Mode, PermissionUpdate, Query, Reply,
    RuleValue,
};

use crate::common::{Front, Home, SESSION, life};

const SCRIPT: &str = "[[answer]]\ntext = 'Fine.'";

/// A session that was in these modes, one after the other, and in which something happened after that.
async fn lived(home: &Home, modes: &[Mode]) {
    let config = home.config(SessionStart::New(Some(SESSION)), SCRIPT);
    let front = Front::open(Config { mode: modes.first().copied(), ..config }).await;
    front.send(Command::UpdatePermissions(rule("Bash(touch:*)", Behavior::Allow))).await.unwrap();
    front.send(Command::UpdatePermissions(rule("Bash(rm:*)", Behavior::Deny))).await.unwrap();
    for mode in &modes[1..] {
        front.send(Command::SetMode(*mode)).await.unwrap();
    }
    front.send(Command::SetModel("scripted/other".to_owned())).await.unwrap();
    front.close().await;
}

fn rule(text: &str, behavior: Behavior) -> PermissionUpdate {
    let rules = vec![RuleValue::parse(text).unwrap()];
    PermissionUpdate::AddRules { rules, behavior, destination: Destination::Session }
}

/// Damages the last line that says the mode.
fn damage(home: &Home, how: &str) {
    let path = home.journal();
    let text = std::fs::read_to_string(path.as_path()).unwrap();
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let at = lines.iter().rposition(|line| line.contains("\"kind\":\"mode_changed\"")).unwrap();
    let line = lines[at].clone();
    match how {
        "nothing" => {}
        "broken" => lines[at].truncate(line.len() / 2),
        "nul" => lines[at] = line.replace("mode_state", "mode\0\0\0\0\0\0"),
        "kind" => lines[at] = line.replace("mode_changed", "mode_chanqed"),
        "data" => lines[at] = line.replace("\"mode\":\"", "\"mode\":\"un"),
        "gone" => _ = lines.remove(at),
        "last" => {
            lines.truncate(at + 1);
            lines[at].truncate(line.len() - 10);
            return std::fs::write(path.as_path(), lines.join("\n")).unwrap();
        }
        how => panic!("{how}"),
    }
    std::fs::write(path.as_path(), lines.join("\n") + "\n").unwrap();
}

/// The mode of the resumed session, its rules, and whether it was said that lines are missing.
async fn resumed(home: &Home, start: SessionStart) -> (Mode, Vec<String>, bool) {
    let mut front = Front::open(Config { mode: None, ..home.config(start, SCRIPT) }).await;
    let Reply::Status(status) = front.query(Query::Status).await else { panic!("no status") };
    let Reply::Rules(rules) = front.query(Query::Rules).await else { panic!("no rules") };
    let mut rules: Vec<String> = rules.into_iter().map(|rule| rule.rule).collect();
    rules.sort();
    front.send(Command::Close).await.unwrap();
    let mut told = false;
    loop {
        match front.event().await {
            Event::Live(LiveEvent::Notice(notice)) => {
                told |= notice.text.contains("may have changed the mode")
            }
            Event::Live(LiveEvent::Closed) => return (status.mode, rules, told),
            _ => {}
        }
    }
}

#[test]
fn a_lost_mode_is_never_more_than_default() {
    use Mode::{AcceptEdits, BypassPermissions, Default, DontAsk, Plan};
    for how in ["nothing", "broken", "nul", "kind", "data", "gone", "last"] {
        for (modes, expected) in [
            ([AcceptEdits, Plan], Default),
            ([BypassPermissions, Default], Default),
            ([DontAsk, AcceptEdits], DontAsk),
            ([Plan, BypassPermissions], Plan),
        ] {
            let home = Home::new();
            life(lived(&home, &modes));
            damage(&home, how);
            let whole = how == "nothing";
            let expected = if whole { modes[1] } else { expected };
            let rules = if whole { vec!["Bash(rm:*)", "Bash(touch:*)"] } else { vec!["Bash(rm:*)"] };
            for start in [SessionStart::Fork(SESSION), SessionStart::Resume(SESSION)] {
                let (mode, kept, told) = life(resumed(&home, start));
                assert_eq!((mode, told), (expected, !whole), "{how} {modes:?}");
                assert_eq!(kept, rules, "{how} {modes:?}");
            }
            // It is settled now, and need not be said again.
            assert_eq!(life(resumed(&home, SessionStart::Resume(SESSION))).0, expected, "{how} {modes:?}");
            let entries = home.store().read(SESSION).unwrap().entries.into_iter();
            let said = entries
                .filter(|entry| matches!(&entry.body, EntryBody::ModeChanged(set) if set.why.is_some()));
            assert_eq!(said.count(), usize::from(!whole), "{how} {modes:?}");
        }
    }
}

/// Leaving plan mode must not lead back to what may have been taken away.
#[test]
fn a_plan_that_is_kept_on_leads_to_no_more_than_default() {
    let home = Home::new();
    life(lived(&home, &[Mode::BypassPermissions, Mode::Plan, Mode::Default]));
    damage(&home, "broken");
    let (mode, _, told) = life(resumed(&home, SessionStart::Resume(SESSION)));
    assert_eq!((mode, told), (Mode::Plan, true));
    let entries = home.store().read(SESSION).unwrap().entries;
    let last = entries.iter().rev().find_map(|entry| match &entry.body {
        EntryBody::ModeChanged(set) => Some(set.mode_state),
        _ => None,
    });
    assert_eq!(last.and_then(|state| state.pre_plan_mode()), Some(Mode::Default));
}
