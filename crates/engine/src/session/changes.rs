//! What tools changed in files, as the journal and the disk tell it together.

use std::collections::{BTreeMap, HashSet};

use forelook_fences::changes_since;
use forelook_protocol::{AbsPath, AnswerBlock, CallId, Entry, EntryBody, FileBefore, SessionChanges};

/// Tools that run commands.
const SHELL: &str = "Bash";

/// What these entries changed. Reads the disk.
///
/// Commands are only told of: what they change is in no entry. Checkpoints will know, and then it comes from there.
pub(super) fn changes(folder: &AbsPath, entries: &[Entry]) -> SessionChanges {
    let (mut before, mut shell_calls) = (BTreeMap::<&AbsPath, &FileBefore>::new(), HashSet::<&CallId>::new());
    let (mut commands_ran, mut applied) = (false, Vec::new());
    for entry in entries {
        match &entry.body {
            EntryBody::FileBefore(file) => _ = before.entry(&file.path).or_insert(file),
            EntryBody::ModelAnswered(answered) => {
                shell_calls.extend(answered.blocks.iter().filter_map(shell_call))
            }
            EntryBody::ToolStarted(started) => {
                commands_ran |= started.sandbox.can_change() && shell_calls.contains(&started.call);
            }
            EntryBody::UserShellEnded(_) => commands_ran = true,
            EntryBody::RehearsalApplied(rehearsal) => applied.extend(&rehearsal.files),
            _ => {}
        }
    }
    applied.retain(|path| !before.contains_key(path));
    let before: Vec<FileBefore> = before.into_values().cloned().collect();
    let mut changes = changes_since(folder, &before);
    changes.unknown.extend(applied.into_iter().cloned());
    changes.commands_ran = commands_ran;
    changes
}

fn shell_call(block: &AnswerBlock) -> Option<&CallId> {
    match block {
        AnswerBlock::ToolUse(call) if call.name == SHELL => Some(&call.id),
        _ => None,
    }
}
