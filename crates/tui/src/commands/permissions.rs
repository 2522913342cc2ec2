//! `/permissions`: the rules in force, by source, with what waits for trust; rules are added and removed here, and what was
//! moved out of the project is brought back.

use forelook_protocol::{
    AbsPath, Behavior, Command, Destination, PermissionUpdate, PermissionsCommand, Query, Reply, RuleOrigin,
    RuleRemoval, SetAsideFile, TrustReport, already_there,
};
use forelook_wording::{rule_place, visible};
use ratatui_core::text::Line;

use super::SlashCommand;
use crate::app::{App, UiEffect};
use crate::view::{FullScreenView, PickAction, Picker, PickerRow};

pub(super) const PERMISSIONS: SlashCommand = SlashCommand {
    name: "permissions",
    usage: "[words]",
    about: "show and edit rules: add, remove; restore: bring back files moved out of the project",
    run,
};

fn run(app: &mut App, rest: &str) -> Vec<UiEffect> {
    match PermissionsCommand::parse(rest) {
        Ok(PermissionsCommand::Show) => show_rules(app),
        Ok(PermissionsCommand::Restore) => show_set_aside(app),
        Ok(PermissionsCommand::Update(update)) => add(app, update),
        Ok(PermissionsCommand::Remove(removal)) => remove(app, removal),
        Err(why) => {
            app.refused(&why);
            Vec::new()
        }
    }
}

fn add(app: &mut App, update: PermissionUpdate) -> Vec<UiEffect> {
    app.ask(Query::Rules, move |app, reply| {
        let Reply::Rules(rules) = reply else { return Vec::new() };
        match already_there(&update, rules) {
            Some(said) => {
                app.show_note(&said);
                Vec::new()
            }
            None => app.change_permissions(update),
        }
    })
}

fn remove(app: &mut App, removal: RuleRemoval) -> Vec<UiEffect> {
    app.ask(Query::Rules, move |app, reply| {
        let Reply::Rules(rules) = reply else { return Vec::new() };
        match removal.update(rules) {
            Ok(update) => app.change_permissions(update),
            Err(why) => {
                app.refused(&why);
                Vec::new()
            }
        }
    })
}

fn show_set_aside(app: &mut App) -> Vec<UiEffect> {
    app.ask(Query::SetAside, |app, reply| {
        match reply {
            Reply::SetAside(files) if files.is_empty() => {
                let words = "Nothing was moved out of this project";
                app.show(vec![Line::styled(format!("  {words}"), app.render_context().theme.quiet)]);
            }
            Reply::SetAside(files) => app.open(FullScreenView::Picker(set_aside_picker(files))),
            _ => {}
        }
        Vec::new()
    })
}

/// Each file, to be brought back with a key.
fn set_aside_picker(files: &[SetAsideFile]) -> Picker {
    let row = |file: &SetAsideFile| {
        // Commands chose the names.
        let shown = |path: &AbsPath| visible(&path.to_string()).into_owned();
        let restore = PickAction::Send(Command::RestoreSetAside { id: file.id.clone() });
        PickerRow::new([&shown(&file.from), &format!("now at {}", shown(&file.kept))], Some(restore))
    };
    Picker::new(
        "Moved out of the project. Check a file, then bring it back with Enter",
        files.iter().map(row).collect(),
    )
}

fn show_rules(app: &mut App) -> Vec<UiEffect> {
    app.ask(Query::Rules, |app, reply| {
        let Reply::Rules(rules) = reply else { return Vec::new() };
        let rules = rules.clone();
        app.ask(Query::Trust, move |app, reply| {
            let trust = if let Reply::Trust(report) = reply { report.as_ref() } else { None };
            app.open(FullScreenView::Picker(picker(&rules, trust)));
            Vec::new()
        })
    })
}

/// The rules, those that count first on top. What Enter does to one is a command, which the person sees before it runs.
pub(super) fn picker(rules: &[RuleOrigin], trust: Option<&TrustReport>) -> Picker {
    let mut add =
        PickerRow::new(["add", "a rule", ""], Some(PickAction::Write("/permissions add allow ".to_owned())));
    add.about = Some(
        "Enter starts the command: add allow, ask, or deny, then the rule, then where to keep it".to_owned(),
    );
    let mut rows = vec![add];
    for behavior in [Behavior::Deny, Behavior::Ask, Behavior::Allow] {
        rows.extend(rules.iter().filter(|rule| rule.behavior == behavior).map(rule_row));
    }
    let waiting = trust.filter(|report| report.waits());
    rows.extend(waiting.into_iter().flat_map(|report| &report.contents).map(|item| {
        let mut row = PickerRow::new(
            ["waits", &visible(item), "until you trust this folder"],
            Some(PickAction::Write("/trust".to_owned())),
        );
        row.about = Some("Enter starts `/trust`, which asks you about this folder".to_owned());
        row
    }));
    Picker::new("Permission rules: deny, ask, allow", rows)
}

fn rule_row(rule: &RuleOrigin) -> PickerRow {
    let remove = Destination::of(rule.source).and_then(Destination::name).map(|from| {
        PickAction::Write(format!("/permissions remove {} {} from {from}", rule.behavior, rule.rule))
    });
    let about = match remove {
        Some(_) => format!("{}. Enter starts the command that removes it", rule_place(rule)),
        None => format!("{}. Forelook does not change it", rule_place(rule)),
    };
    let cells = [&*rule.behavior.to_string(), &visible(&rule.rule), &rule.source.to_string()];
    PickerRow { about: Some(about), ..PickerRow::new(cells, remove) }
}
