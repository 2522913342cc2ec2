//! Every sentence of a decision: what a person or a model reads.

use forelook_protocol::{Action, Mode};

pub(crate) fn needs_person() -> String {
    "Only a person can answer this".to_owned()
}

pub(crate) fn reads() -> String {
    "It changes nothing".to_owned()
}

pub(crate) fn by_mode(mode: Mode) -> String {
    format!("Mode `{mode}` allows it")
}

pub(crate) fn asks(action: &Action) -> String {
    format!("{} needs a person's yes", subject(action))
}

pub(crate) fn denied(action: &Action, mode: Mode) -> String {
    format!("{} is not allowed in mode `{mode}`", subject(action))
}

fn subject(action: &Action) -> String {
    match action {
        Action::Read { path } => format!("Reading `{path}`"),
        Action::Edit { path } => format!("Changing `{path}`"),
        Action::Shell { .. } => "Running a shell command".to_owned(),
        Action::AskPerson => "Asking a person".to_owned(),
        Action::Internal => "This call".to_owned(),
    }
}
