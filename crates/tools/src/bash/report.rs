//! What the model hears of a command that ran.

use std::time::Duration;

use forelook_fences::RanInside;
use forelook_protocol::{AbsPath, Effect, capital};
use forelook_sandbox::{Ending, Program};

use super::hints::{Came, hint};
use crate::context::ToolContext;
use crate::shells::Learnt;
use crate::tool::Place;
use crate::typed::{Done, Failure};

/// Why a command is no longer waited for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Why {
    /// It ended.
    Itself(Ending),
    /// It was ended after this time.
    TimedOut(Duration),
    /// It was ended after this time; it should have gone on in the background, and this is why it could not.
    NoRoom(Duration, String),
    /// It goes on in the background, as the shell of this name.
    Moved(Duration, String),
    Interrupted,
    /// It was ended because planning began.
    Stopped,
}

/// A command that ran.
pub(crate) struct Ran<'a> {
    pub(crate) command: &'a str,
    pub(crate) output: String,
    pub(crate) why: Why,
    pub(crate) notes: Vec<String>,
    /// Where it ran.
    pub(crate) then: &'a AbsPath,
    /// Where it left off.
    pub(crate) now: &'a AbsPath,
}

impl Ran<'_> {
    pub(crate) fn report(self, place: &Place) -> Result<Done, Failure> {
        let mut parts = Vec::new();
        if *self.then != place.folder {
            parts.push(format!("[`{}` is gone; this ran in `{}`]", place.folder, self.then));
        }
        let output = self.output.trim_end();
        if !output.is_empty() {
            parts.push(output.to_owned());
        }
        parts.extend(self.ending(output.is_empty()));
        parts
            .extend(hint(self.command, output, self.came(output.is_empty())).map(|hint| format!("[{hint}]")));
        parts.extend(self.notes.iter().cloned());
        let (text, effects) = (parts.join("\n"), self.effects(place));
        match self.why {
            Why::Itself(ending) if ending.is_success() => Ok(Done { effects, ..Done::new(text) }),
            Why::Moved(..) => Ok(Done { effects, ..Done::new(text) }),
            _ => Err(Failure { text, effects, output: None }),
        }
    }

    fn ending(&self, is_empty: bool) -> Option<String> {
        let text = match &self.why {
            Why::Itself(Ending::Exited(0)) => return is_empty.then(|| "(no output)".to_owned()),
            Why::Itself(ending) => capital(&ending.to_string()),
            Why::TimedOut(timeout) => format!(
                "Timed out after {} ms: the command and everything it started were ended\n\
                 Send a longer `timeout`, or `on_timeout` \"background\", or do less at once",
                timeout.as_millis()
            ),
            Why::NoRoom(timeout, why) => format!(
                "Timed out after {} ms: the command and everything it started were ended, since it could not go on in \
                 the background\n{why}",
                timeout.as_millis()
            ),
            Why::Moved(timeout, id) => format!(
                "Still running after {} ms: it goes on in the background as `{id}`\n\
                 Read on with BashOutput {{\"bash_id\": \"{id}\"}}; end it with KillShell {{\"shell_id\": \"{id}\"}}",
                timeout.as_millis()
            ),
            Why::Interrupted => {
                "Interrupted: the command and everything it started were ended; it may have done a part of its work"
                    .to_owned()
            }
            Why::Stopped => "Stopped, since planning began: the command and everything it started were ended; it may have \
                             done a part of its work"
                .to_owned(),
        };
        Some(text)
    }

    fn came(&self, is_empty: bool) -> Came {
        match &self.why {
            Why::Itself(ending) if ending.is_success() && is_empty => Came::ToNothing,
            Why::Itself(ending) if ending.is_success() => Came::Well,
            Why::Moved(..) | Why::Interrupted | Why::Stopped => Came::Well,
            Why::Itself(_) | Why::TimedOut(_) | Why::NoRoom(..) => Came::ToGrief,
        }
    }

    fn effects(&self, place: &Place) -> Vec<Effect> {
        // `pwd -P` speaks of the folder without links; that alone is no change.
        let same = *self.now == place.folder
            || forelook_disk::resolve(&place.folder).is_ok_and(|real| real == *self.now);
        match same {
            true => Vec::new(),
            false => vec![Effect::SetFolder { folder: self.now.clone() }],
        }
    }
}

/// What to say of the fence that it ran in, if that came in its way.
pub(crate) fn fence_notes(
    cx: &ToolContext,
    program: &Program,
    command: &str,
    output: &str,
    why: &Why,
) -> Vec<String> {
    let failed = match why {
        Why::Itself(ending) => !ending.is_success(),
        Why::TimedOut(_) | Why::NoRoom(..) => true,
        Why::Moved(..) | Why::Interrupted | Why::Stopped => false,
    };
    let (fence, folder) = (program.fence.as_ref(), program.folder.as_path());
    cx.launch.notes(RanInside { fence, folder, command, output, failed })
}

/// What to say of variables that are not kept.
pub(crate) fn learnt_notes(learnt: &Learnt) -> Option<String> {
    if learnt.too_much {
        return Some("[The exported variables are too large to be kept: none of the changes is]".to_owned());
    }
    let names: Vec<_> = learnt.left_out.iter().map(|name| format!("`{name}`")).collect();
    (!names.is_empty()).then(|| format!("[Not kept for the next call: {}]", names.join(", ")))
}
