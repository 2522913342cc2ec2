//! `/trust`: what the person trusts in this folder, and the question again.

use forelook_protocol::{FolderTrust, Query, Reply, TrustReport};

use super::SlashCommand;
use crate::app::{App, ExitReason, UiEffect};

pub(super) const TRUST: SlashCommand = SlashCommand {
    name: "trust",
    usage: "",
    about: "show what you trust in this folder; trust it, or withdraw your trust",
    run,
};

fn run(app: &mut App, _: &str) -> Vec<UiEffect> {
    app.ask(Query::Trust, |app, reply| match reply {
        Reply::Trust(Some(report)) => ask_again(app, report),
        _ => {
            app.refused("This session does not know what you trust");
            Vec::new()
        }
    })
}

/// The answer changes which rules, hooks and settings there are, so the session is left for the question, and goes on with
/// what holds then.
fn ask_again(app: &mut App, report: &TrustReport) -> Vec<UiEffect> {
    if report.state == FolderTrust::NotNeeded {
        app.show_note(forelook_wording::trust_words(report));
        return Vec::new();
    }
    if app.is_at_work() {
        app.refused(
            "Your answer takes effect when nothing is running\nStop the turn and background commands first",
        );
        return Vec::new();
    }
    vec![UiEffect::Leave(ExitReason::AskTrust)]
}
