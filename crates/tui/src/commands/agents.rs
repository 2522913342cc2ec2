//! `/agents`: those that can be started, and those at work.

use forelook_protocol::{Query, Reply};

use super::Slash;
use crate::app::{App, Wish};
use crate::view::{Pick, Picker, Row, View};

pub(super) const AGENTS: Slash =
    Slash { name: "agents", form: "", about: "which agents there are, and which are at work", run };

fn run(app: &mut App, _: &str) -> Vec<Wish> {
    app.ask(Query::Status, |app, reply| {
        if let Reply::Status(status) = reply {
            let at_work = app.agents_at_work();
            let mut rows: Vec<Row> = at_work.iter().map(|it| Row::new([it, "at work"], None)).collect();
            for name in &status.agents {
                let words = format!("Use the {name} agent to ");
                rows.push(Row::new([name, ""], Some(Pick::Write(words))));
            }
            app.open(View::Picker(Picker::new("Agents", rows)));
        }
        Vec::new()
    })
}
