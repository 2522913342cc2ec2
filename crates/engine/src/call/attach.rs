//! Reads what a prompt names with `@`, before the model is asked.
//!
//! The person named it themselves, so nobody is asked about it, and no mode is in the way. What keeps it from being read is
//! what would keep it from everybody: a rule that denies it, and that it may hold a secret: who types a name may not think of
//! what stands in the file. A prompt that nobody typed (the command line, a script) names only what a Read could read unasked.

use std::collections::HashSet;
use std::sync::Arc;

use forelook_permissions::ReadBarrier;
use forelook_protocol::{
    AbsPath, AttachOutcome, AttachReason, AttachedFile, CallId, Decision, EntryBody, FilesAttached, Mentions,
    ModeState, ResultBlock, SessionEffect, shorten,
};
use forelook_tools::{CallLocation, FileAccess, MentionTarget, PathFilter, ToolContext};

use super::ToolRuntime;
use super::decide::decide_with_facts;
use crate::handle::{CallView, RecordError, SessionHandle};

/// Files that are attached to one prompt.
const MAX_FILES: usize = 20;
/// Names of one prompt that are looked for. A text that was typed by no person may have any number.
const MAX_NAMES: usize = 100;
/// Bytes of a name: no file has a longer path.
const MAX_NAME: usize = 4096;
/// Characters that are shown of a name where there is no such file.
const MAX_SHOWN: usize = 200;
/// Bytes of all that is attached to one prompt. One file may have as many as Read returns.
const MAX_BYTES: usize = 1024 * 1024;
/// Bytes of all files that are read again after a summary.
const MAX_BYTES_AGAIN: usize = 64 * 1024;

/// Reads what was named, and writes it down: a session that is resumed sends the same.
pub(crate) async fn attach(
    session: &SessionHandle,
    runtime: &ToolRuntime,
    mentions: &Mentions,
) -> Result<(), RecordError> {
    if mentions.is_empty() {
        return Ok(());
    }
    let view = session.view().await?;
    let attaching = Attaching { session, runtime, view: &view, typed: mentions.typed };
    let (mut files, mut seen, mut room) = (Vec::new(), HashSet::new(), MAX_BYTES);
    let (names, more) = mentions.paths.split_at(mentions.paths.len().min(MAX_NAMES));
    for words in names {
        if session.cancel.is_cancelled() {
            break;
        }
        let Some(target) = attaching.find(words.clone()).await else {
            files.push(AttachedFile { named: shorten(words, MAX_SHOWN), outcome: AttachOutcome::Missing });
            continue;
        };
        if !seen.insert(target.named.clone()) {
            continue;
        }
        let named = target.named.clone();
        let outcome = match seen.len() > MAX_FILES {
            true => AttachOutcome::Refused { why: format!("A message can attach {MAX_FILES} files at most") },
            false => attaching.read(target, &mut room).await,
        };
        files.push(AttachedFile { named, outcome });
    }
    files.extend(more.first().map(|first| unread(first, more.len())));
    let reason = AttachReason::Prompt;
    session.record(vec![EntryBody::FilesAttached(FilesAttached { files, reason })]).await
}

/// Reads files again that a summary made the model lose, the newest last, as far as there is room. One that is gone, or that
/// it could not read unasked, is simply not there: nobody named it now.
pub(crate) async fn attach_again(
    session: &SessionHandle,
    runtime: &ToolRuntime,
    paths: Vec<AbsPath>,
    window: Option<u64>,
) -> Result<(), RecordError> {
    if paths.is_empty() {
        return Ok(());
    }
    let view = session.view().await?;
    let attaching = Attaching { session, runtime, view: &view, typed: false };
    // A fifth of the window, at three bytes a token.
    let fifth = window.and_then(|window| usize::try_from(window / 5 * 3).ok());
    let (mut files, mut room) = (Vec::new(), fifth.unwrap_or(MAX_BYTES_AGAIN).min(MAX_BYTES_AGAIN));
    for path in paths.iter().rev() {
        let Some(target) = attaching.find(path.to_string()).await else { continue };
        let named = target.named.clone();
        let outcome = attaching.read(target, &mut room).await;
        if matches!(outcome, AttachOutcome::Attached { seen: Some(_), .. }) {
            files.push(AttachedFile { named, outcome });
        }
    }
    files.reverse();
    if files.is_empty() {
        return Ok(());
    }
    let reason = AttachReason::Compaction;
    session.record(vec![EntryBody::FilesAttached(FilesAttached { files, reason })]).await
}

/// What is said of names that are too many.
fn unread(first: &str, count: usize) -> AttachedFile {
    let why = match count {
        1 => format!("A message can name {MAX_NAMES} files at most"),
        _ => {
            format!("A message can name {MAX_NAMES} files at most; {} others were not read either", count - 1)
        }
    };
    AttachedFile { named: shorten(first, MAX_SHOWN), outcome: AttachOutcome::Refused { why } }
}

struct Attaching<'a> {
    session: &'a SessionHandle,
    runtime: &'a ToolRuntime,
    view: &'a Arc<CallView>,
    typed: bool,
}

impl Attaching<'_> {
    /// Names mean what they mean where the session works: a `cd` of the model's is nothing that the person thinks of.
    fn place(&self) -> CallLocation {
        let project = self.view.place.project.clone();
        CallLocation { folder: project.clone(), project, agent: None }
    }

    /// What the words mean. It looks at the disk, which may hang.
    async fn find(&self, words: String) -> Option<MentionTarget> {
        if words.len() > MAX_NAME {
            return None;
        }
        let place = self.place();
        let found = tokio::task::spawn_blocking(move || MentionTarget::find(&words, &place));
        tokio::select! {
            found = found => found.ok().flatten(),
            () = self.session.cancel.cancelled() => None,
        }
    }

    async fn read(&self, target: MentionTarget, room: &mut usize) -> AttachOutcome {
        if let Some(why) = self.barrier(&target).await {
            return AttachOutcome::Refused { why };
        }
        let (path, context) = (target.file().real.clone(), self.context(&target));
        let done = target.read(context).await;
        if done.result.is_error {
            // What to do about it is said to a model that called Read.
            let why = done.result.text().lines().next().unwrap_or_default().to_owned();
            return AttachOutcome::Refused { why };
        }
        let content = done.result.content;
        let size = content.iter().map(size).sum();
        let Some(left) = room.checked_sub(size) else {
            let why = "The message attaches too much already; the model can read it in parts".to_owned();
            return AttachOutcome::Refused { why };
        };
        *room = left;
        let seen = done.effects.into_iter().find_map(|effect| match effect {
            SessionEffect::FileSeen(version) => Some(version),
            _ => None,
        });
        AttachOutcome::Attached { path, content, seen }
    }

    /// Why it is not read, if it is not.
    async fn barrier(&self, target: &MentionTarget) -> Option<String> {
        let is_secret = |path| self.view.policy.read_barrier(path) == Some(ReadBarrier::Secret);
        if target.file().paths().any(is_secret) {
            return Some("It may contain a secret".to_owned());
        }
        // The mode says what the model may do. What the person does is not its business.
        let view = match self.typed {
            true => Arc::new(self.view.with_mode_state(ModeState::default())),
            false => Arc::clone(self.view),
        };
        let decision = decide_with_facts(&view, "Read", &target.action(), None, &self.runtime.facts).await;
        match decision {
            Decision::Allow(_) => None,
            Decision::Ask(_) | Decision::Classify(_) if self.typed => None,
            Decision::Deny(reason) => Some(reason.text),
            Decision::Ask(reason) | Decision::Classify(reason) => Some(reason.text),
            Decision::NeedFacts(_) => Some("Forelook could not check it".to_owned()),
        }
    }

    fn context(&self, target: &MentionTarget) -> ToolContext {
        let place = self.place();
        let readable = Arc::clone(&self.runtime.policy_cache.get(self.view).files) as Arc<dyn PathFilter>;
        ToolContext {
            call: CallId("attached".into()),
            action: target.action(),
            files: FileAccess { seen: self.view.seen.clone(), readable },
            cancel: self.session.cancel.clone(),
            ..ToolContext::alone(&place.project)
        }
    }
}

fn size(part: &ResultBlock) -> usize {
    match part {
        ResultBlock::Text { text } => text.len(),
        // Pictures are scaled down, and a conversation bounds them itself.
        ResultBlock::Image { .. } => 0,
    }
}
