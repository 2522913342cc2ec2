//! How files differ from what they were when a session first changed them: the same diff as a rehearsal's.

use forelook_disk::{FileTarget, text_file};
use forelook_protocol::{AbsPath, ContentBefore, FileBefore, FileChange, RehearsedFile, SessionChanges};

use super::diff::{self, LineCounts};
use super::file_states::{FileSnapshot, FileState, snapshot_target};
use super::preview::name;

/// Bytes of the diffs of all files.
const MAX_DIFF: usize = 1024 * 1024;

/// What is different now. Reads the disk.
pub fn changes_since(folder: &AbsPath, before: &[FileBefore]) -> SessionChanges {
    let mut before: Vec<&FileBefore> = before.iter().collect();
    before.sort_by(|a, b| a.path.cmp(&b.path));
    let (mut changes, mut room) = (SessionChanges::default(), MAX_DIFF);
    for file in before {
        let new = current(&file.path);
        let Some(old) = first_state(&file.content, &new) else {
            changes.unknown.push(file.path.clone());
            continue;
        };
        let Some(change) = change(&old, &new) else { continue };
        let name = name(&file.path, Some(folder.as_path()));
        let (text, LineCounts { added, removed }) = diff::of(&name, &old, &new);
        changes.files.push(RehearsedFile {
            path: file.path.clone(),
            change,
            added,
            removed,
            protected: false,
        });
        changes.diffs.push(match room.checked_sub(text.len()) {
            Some(left) => {
                room = left;
                text
            }
            None => format!("diff --git a/{name} b/{name}\n[Too long to show here]\n"),
        });
    }
    changes
}

fn current(path: &AbsPath) -> FileSnapshot {
    let target = FileTarget::at(path).and_then(|target| snapshot_target(&target));
    // A folder that is gone has no file.
    target.unwrap_or_else(|_| FileSnapshot::without_bytes(FileState::Nothing))
}

/// The text as it was. Its rights are not known, so they are what they are now.
fn first_state(before: &ContentBefore, now: &FileSnapshot) -> Option<FileSnapshot> {
    match before {
        ContentBefore::Missing => Some(FileSnapshot::without_bytes(FileState::Nothing)),
        ContentBefore::Text { text } => {
            let bits = if let FileState::File { bits, .. } = now.state { bits } else { 0o644 };
            let state = FileState::File { hash: String::new(), bits };
            Some(FileSnapshot { state, bytes: Some(text.clone().into_bytes()) })
        }
        ContentBefore::NotKept => None,
    }
}

fn change(old: &FileSnapshot, new: &FileSnapshot) -> Option<FileChange> {
    let is_there = |side: &FileSnapshot| side.state != FileState::Nothing;
    match (is_there(old), is_there(new)) {
        (false, false) => None,
        (false, true) => Some(FileChange::Added),
        (true, false) => Some(FileChange::Removed),
        (true, true) => {
            // Texts are compared, and not bytes: what was kept is the text.
            let now = new.bytes.as_deref().and_then(|bytes| text_file::view(bytes).ok());
            let same = now.is_some_and(|(_, text)| Some(text.as_bytes()) == old.bytes.as_deref());
            (!same).then_some(FileChange::Changed)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_that_are_as_they_were_are_left_out() {
        let folder = tempfile::tempdir().unwrap();
        let root = AbsPath::new(folder.path().canonicalize().unwrap()).unwrap();
        for (name, text) in [("same.txt", "a\n"), ("changed.txt", "one\n2\nthree\n"), ("new.txt", "new\n")] {
            std::fs::write(root.join(name), text).unwrap();
        }
        let before = |name: &str, content| FileBefore { path: root.join(name), content };
        let text = |text: &str| ContentBefore::Text { text: text.to_owned() };
        let changes = changes_since(
            &root,
            &[
                before("same.txt", text("a\n")),
                before("changed.txt", text("one\ntwo\nthree\n")),
                before("new.txt", ContentBefore::Missing),
                before("gone.txt", text("gone\n")),
                before("never.txt", ContentBefore::Missing),
                before("deep/in/no/folder.txt", text("x\n")),
                before("long.bin", ContentBefore::NotKept),
            ],
        );
        let files: Vec<_> = changes.files.iter().map(|it| (it.change, it.added, it.removed)).collect();
        use FileChange::{Added, Changed, Removed};
        assert_eq!(files, [(Changed, 1, 1), (Removed, 0, 1), (Removed, 0, 1), (Added, 1, 0)]);
        assert!(changes.diffs[0].contains("-two\n+2\n") && changes.diffs[0].contains("--- a/changed.txt"));
        assert_eq!(changes.diffs.len(), 4);
        assert_eq!(changes.unknown, [root.join("long.bin")]);
    }
}
