//! What a file was before the session changed it for the first time: `/diff` compares with that.

use forelook_disk::{ReadError, open_real, read_pieces, text_file};
use forelook_permissions::ReadBarrier;
use forelook_protocol::{AbsPath, Action, ContentBefore, EntryBody, FileBefore};

use super::ready::ReadyCall;
use crate::handle::{RecordError, SessionHandle};

/// Longer files are not kept: the journal is read again and again.
const MAX_TEXT: u64 = 1024 * 1024;

/// Writes down what the file is that the call is about to change, if it is the first such call. The plan has a history of
/// its own.
pub(super) async fn keep_first_state(session: &SessionHandle, ready: &ReadyCall) -> Result<(), RecordError> {
    let Action::Edit { file } = &ready.action else { return Ok(()) };
    if ready.view.is_plan_file(&file.real) || ready.view.changed_files.contains(&file.real) {
        return Ok(());
    }
    let is_secret = ready.view.policy.read_barrier(&file.real) == Some(ReadBarrier::Secret);
    let path = file.real.clone();
    let content = match is_secret {
        true => ContentBefore::NotKept,
        false => tokio::task::spawn_blocking(move || content(&path)).await.unwrap_or(ContentBefore::NotKept),
    };
    let before = FileBefore { path: file.real.clone(), content };
    session.record(vec![EntryBody::FileBefore(before)]).await
}

fn content(path: &AbsPath) -> ContentBefore {
    let file = match open_real(path) {
        Ok(file) => file,
        Err(ReadError::Missing) => return ContentBefore::Missing,
        Err(_) => return ContentBefore::NotKept,
    };
    let mut bytes = Vec::new();
    let read = read_pieces(&file, MAX_TEXT, |piece| bytes.extend_from_slice(piece));
    match read.ok().and_then(|_| text_file::view(&bytes).ok()) {
        Some((_, text)) => ContentBefore::Text { text: text.into_owned() },
        None => ContentBefore::NotKept,
    }
}
