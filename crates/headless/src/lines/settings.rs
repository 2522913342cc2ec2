//! Rules, trust, settings and changes in lines: what `/permissions`, `/trust`, `/config` and `/diff` show.

use forelook_protocol::{
    Behavior, Command, CommandError, FolderTrust, PermissionUpdate, PermissionsCommand, Query, Reply,
    RuleOrigin, SettingInfo, SettingOrigin, TrustReport, already_there,
};
use forelook_wording::{
    COMMANDS_RAN, matching_settings, no_changes, no_matching_setting, permission_change, rule_place,
    setting_origin, trust_words, unknown_change, visible,
};

use super::line_session::LineSession;
use crate::style::{Row, TextStyle};

impl LineSession {
    pub(super) async fn permissions(&mut self, rest: &str) {
        match PermissionsCommand::parse(rest) {
            Ok(PermissionsCommand::Show) => self.show_rules().await,
            Ok(PermissionsCommand::Restore) => {
                self.renderer.note("Run `forelook permissions restore` in a shell")
            }
            Ok(PermissionsCommand::Update(update)) => match self.rules().await {
                Ok(rules) => match already_there(&update, &rules) {
                    Some(said) => self.renderer.note(&said),
                    None => self.change_permissions(update).await,
                },
                Err(refused) => self.renderer.problem(&refused.to_string()),
            },
            Ok(PermissionsCommand::Remove(removal)) => match self.rules().await {
                Ok(rules) => match removal.update(&rules) {
                    Ok(update) => self.change_permissions(update).await,
                    Err(why) => self.renderer.problem(&why),
                },
                Err(refused) => self.renderer.problem(&refused.to_string()),
            },
            Err(why) => self.renderer.problem(&why),
        }
    }

    async fn change_permissions(&mut self, update: PermissionUpdate) {
        match self.session.send(Command::UpdatePermissions(update.clone())).await {
            Ok(accepted) => {
                self.view.accepted(accepted);
                self.renderer.note(&permission_change(&update));
            }
            Err(refused) => self.renderer.problem(&refused.to_string()),
        }
    }

    async fn show_rules(&mut self) {
        let (rules, trust) = match (self.rules().await, self.trust_report().await) {
            (Ok(rules), Ok(trust)) => (rules, trust),
            (Err(refused), _) | (_, Err(refused)) => return self.renderer.problem(&refused.to_string()),
        };
        let mut rows = Vec::new();
        for behavior in [Behavior::Deny, Behavior::Ask, Behavior::Allow] {
            rows.extend(rules.iter().filter(|rule| rule.behavior == behavior).map(rule_row));
        }
        if rows.is_empty() {
            rows.push(Row::new(
                TextStyle::Dim,
                "  No rules. The permission mode decides what needs your approval",
            ));
        }
        let waiting = trust.iter().filter(|report| report.waits()).flat_map(|report| &report.contents);
        rows.extend(waiting.map(|item| {
            Row::led("  waits  ", TextStyle::Dim, format!("{} (until you trust this folder)", visible(item)))
        }));
        self.renderer.rows(&rows);
    }

    pub(super) async fn trust(&mut self) {
        match self.trust_report().await {
            Ok(Some(report)) => self.renderer.rows(&trust_rows(&report)),
            Ok(None) => self.renderer.problem("This session does not know what you trust"),
            Err(refused) => self.renderer.problem(&refused.to_string()),
        }
    }

    pub(super) async fn diff(&mut self) {
        let changes = match self.session.query(Query::Changes).await {
            Ok(Reply::Changes(changes)) => changes,
            Ok(_) => return self.renderer.problem(&CommandError::Closed.to_string()),
            Err(refused) => return self.renderer.problem(&refused.to_string()),
        };
        if changes.files.is_empty() && changes.unknown.is_empty() {
            return self.renderer.note(no_changes(changes.commands_ran));
        }
        let diff = changes.diffs.concat();
        let text = visible(&diff);
        let rows = text.lines().map(|line| Row::exact("  ", TextStyle::of_diff(line), line));
        self.renderer.rows(&rows.collect::<Vec<_>>());
        for path in &changes.unknown {
            self.renderer.note(&unknown_change(path));
        }
        if changes.commands_ran {
            self.renderer.note(COMMANDS_RAN);
        }
    }

    pub(super) async fn config(&mut self, words: &str) {
        let settings = match self.session.query(Query::Settings).await {
            Ok(Reply::Settings(settings)) => settings,
            Ok(_) => return self.renderer.problem(&CommandError::Closed.to_string()),
            Err(refused) => return self.renderer.problem(&refused.to_string()),
        };
        match matching_settings(&settings, words).as_slice() {
            [] => self.renderer.problem(&no_matching_setting(words)),
            found => {
                let rows: Vec<Row> = found.iter().map(|setting| setting_row(setting)).collect();
                self.renderer.rows(&rows);
            }
        }
    }

    async fn rules(&self) -> Result<Vec<RuleOrigin>, CommandError> {
        match self.session.query(Query::Rules).await? {
            Reply::Rules(rules) => Ok(rules),
            _ => Err(CommandError::Closed),
        }
    }

    async fn trust_report(&self) -> Result<Option<TrustReport>, CommandError> {
        match self.session.query(Query::Trust).await? {
            Reply::Trust(report) => Ok(report),
            _ => Err(CommandError::Closed),
        }
    }
}

fn rule_row(rule: &RuleOrigin) -> Row {
    let text = format!("{} ({})", visible(&rule.rule), rule_place(rule));
    Row::led(format!("  {:<5}  ", rule.behavior.to_string()), TextStyle::Plain, text)
}

fn trust_rows(report: &TrustReport) -> Vec<Row> {
    let listed = |item: &String| Row::led("  - ", TextStyle::Plain, visible(item).replace('\n', "␊"));
    let mut rows = vec![Row::led("  ", TextStyle::Plain, trust_words(report))];
    match &report.state {
        FolderTrust::Impossible { reasons } => rows.extend(reasons.iter().map(listed)),
        FolderTrust::Changed { differences } => rows.extend(differences.iter().map(listed)),
        FolderTrust::NotNeeded => {}
        FolderTrust::NotYet | FolderTrust::Trusted => rows.extend(report.contents.iter().map(listed)),
    }
    if report.state != FolderTrust::NotNeeded {
        let words = "To change it, run `/trust` in the terminal program";
        rows.push(Row::led("  ", TextStyle::Dim, words));
    }
    rows
}

fn setting_row(setting: &SettingInfo) -> Row {
    let overridden = if setting.counts { "" } else { "overridden; " };
    let origin = setting_origin(&setting.origin);
    let style = match (&setting.origin, setting.counts) {
        (SettingOrigin::Default, _) | (_, false) => TextStyle::Dim,
        _ => TextStyle::Plain,
    };
    let value = visible(&setting.value).replace('\n', " ");
    Row::led("  ", style, format!("{} = {value} ({overridden}{origin})", setting.key))
}
