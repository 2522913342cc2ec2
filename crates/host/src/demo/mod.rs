//! The demo: a scripted model on a sample project, so that a newcomer without a key sees a whole session.
//!
//! The model is scripted and everything else is real: the files, the tools, the tests that fail and pass,
//! the question, the journal.

use forelook_disk::Permissions;
use forelook_protocol::{AbsPath, Entry, EntryBody, IdGenerator};

use crate::failure::{Failure, FailureClass};

/// The model of the demo.
pub(crate) const MODEL: &str = "scripted/demo";

/// The same, as it names itself in its answers.
const ANSWERS_AS: &str = "demo";

/// What the name of the sample project's folder begins with.
const FOLDER: &str = "forelook-demo-";

/// The rule for the one command that the demo runs, and nothing else.
pub(crate) const COMMAND: &str = "Bash(sh tests/run.sh)";

/// What the scripted model says.
pub(crate) const SCRIPT: &str = include_str!("script.toml");

/// What the newcomer asks, if they do not say something else. The command is theirs too: so they see how to ask for a
/// plan, and an approval goes back to the mode from before.
pub const PROMPT: &str =
    "/plan When friends split a bill with pocket, sometimes a cent goes missing. Find out why and fix it.";

const FILES: [(&str, &str); 3] = [
    ("bin/pocket", include_str!("project/bin/pocket")),
    ("tests/run.sh", include_str!("project/tests/run.sh")),
    ("AGENTS.md", include_str!("project/AGENTS.md")),
];

/// Makes the sample project in a new folder.
pub fn make_project(ids: &dyn IdGenerator) -> Result<AbsPath, Failure> {
    let failed = |error: &dyn std::error::Error| {
        Failure::of(FailureClass::Task, error).hint("Set TMPDIR to a writable folder with free space")
    };
    // Short enough to be read in a path; the end of an id is the part that is drawn.
    let id = ids.next().simple().to_string();
    let name = format!("{FOLDER}{}", &id[id.len().saturating_sub(8)..]);
    let folder = AbsPath::new(std::env::temp_dir().join(name)).map_err(|error| failed(&error))?;
    for (path, text) in FILES {
        let path = folder.join(path);
        if let Some(parent) = path.parent() {
            forelook_disk::make_private(&parent).map_err(|error| failed(&error))?;
        }
        forelook_disk::replace(&path, text.as_bytes(), Permissions::Keep).map_err(|error| failed(&error))?;
    }
    Ok(folder)
}

/// Whether these are the entries of a session that the demo made, and that is to go on in this folder: it works in a
/// sample project, and no other model had a part in it. Anywhere else the scripted model would answer words that are not
/// for it, and its command would be allowed in somebody's project.
pub(crate) fn is_made_by_demo(folder: &AbsPath, entries: &[Entry]) -> bool {
    let name = folder.as_path().file_name().and_then(|name| name.to_str());
    name.is_some_and(|name| name.starts_with(FOLDER))
        && entries.iter().all(|entry| match &entry.body {
            EntryBody::SessionHeader(header) => header.folder == *folder,
            EntryBody::ModelAnswered(answered) => answered.model == ANSWERS_AS,
            EntryBody::ModelChanged(changed) => changed.model == MODEL,
            _ => true,
        })
}

#[cfg(test)]
mod tests {
    use forelook_protocol::ModelChanged;

    use super::*;

    fn entry(kind: &str, data: &str) -> Entry {
        let id = "01890a5d-ac96-774b-bcce-b302099a8057";
        let start = format!(r#"{{"id":"{id}","parent":null,"time":"2026-01-02T03:04:05Z""#);
        serde_json::from_str(&format!(r#"{start},"kind":"{kind}","data":{data}}}"#)).unwrap()
    }

    fn header(folder: &str) -> Entry {
        let id = "01890a5d-ac96-774b-bcce-b302099a8057";
        entry(
            "session_header",
            &format!(r#"{{"format":1,"session":"{id}","folder":"{folder}","program":"0.1.0"}}"#),
        )
    }

    fn changed(model: &str) -> Entry {
        let body = EntryBody::ModelChanged(ModelChanged { model: model.to_owned() });
        Entry { body, ..header("/x") }
    }

    #[test]
    fn only_a_session_in_a_sample_project_with_no_other_model_is_the_demos() {
        let folder = "/tmp/forelook-demo-0123abcd";
        for (entries, here, expected) in [
            (vec![header(folder)], folder, true),
            (vec![header(folder), changed(MODEL)], folder, true),
            (vec![header(folder), changed("openai/gpt")], folder, false),
            // A copy of it in another folder, and a session of that folder.
            (vec![header(folder)], "/home/ada/project", false),
            (vec![header("/home/ada/project")], "/home/ada/project", false),
            (vec![header("/home/ada/project"), changed(MODEL)], "/home/ada/project", false),
            (vec![header("/home/ada/project")], folder, false),
        ] {
            let here = AbsPath::new(here).unwrap();
            assert_eq!(is_made_by_demo(&here, &entries), expected, "{entries:?} in {here}");
        }
    }
}
