//! What the model can do instead of something that a fence stopped.

/// The last sentence of a note about a fence, in the result of a call. Only the model reads it: front ends take it out
/// with [`without_fence_hints`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FenceHint {
    /// Try it in a rehearsal, or plan it.
    RehearseOrPlan,
    /// Plan it.
    Plan,
    /// Try it in a rehearsal, or report it.
    RehearseOrReport,
    /// Report it.
    Report,
    /// Fetch pages with the tool for that, or plan it.
    FetchOrPlan,
    /// Fetch pages with the tool for that, or report it.
    FetchOrReport,
    /// Do without the network, or plan it.
    LocalOrPlan,
    /// Do without the network, or report it.
    LocalOrReport,
    /// Replace the file instead of changing it.
    ReplaceFile,
    /// The user can allow the host.
    AllowHost,
    /// Say the change plainly, so that the user is asked.
    StateTheChange,
    /// Fetch pages with the tool for that, or use a command that is known to need the network.
    FetchOrAsk,
    /// Read it with the tool for that, which asks.
    ReadAsks,
}

impl FenceHint {
    /// Every hint.
    pub const ALL: [FenceHint; 13] = [
        FenceHint::RehearseOrPlan,
        FenceHint::Plan,
        FenceHint::RehearseOrReport,
        FenceHint::Report,
        FenceHint::FetchOrPlan,
        FenceHint::FetchOrReport,
        FenceHint::LocalOrPlan,
        FenceHint::LocalOrReport,
        FenceHint::ReplaceFile,
        FenceHint::AllowHost,
        FenceHint::StateTheChange,
        FenceHint::FetchOrAsk,
        FenceHint::ReadAsks,
    ];

    /// The sentence, without its end.
    pub fn text(self) -> &'static str {
        match self {
            FenceHint::RehearseOrPlan => {
                "To see what it would do, send it with `rehearse: true`; to have it done, put it into the plan"
            }
            FenceHint::Plan => "To have it done, put it into the plan",
            FenceHint::RehearseOrReport => {
                "To see what it would do, send it with `rehearse: true`; say in your answer what should be done"
            }
            FenceHint::Report => "Say in your answer what should be done",
            FenceHint::FetchOrPlan => "Read pages with WebFetch, or put the step into the plan",
            FenceHint::FetchOrReport => "Read pages with WebFetch, or say in your answer what is missing",
            FenceHint::LocalOrPlan => "Use what is already on this machine, or put the step into the plan",
            FenceHint::LocalOrReport => {
                "Use what is already on this machine, or say in your answer what is missing"
            }
            FenceHint::ReplaceFile => "Copy it under another name and move the copy over it",
            FenceHint::AllowHost => "The user can add it",
            FenceHint::StateTheChange => {
                "To make the change, send a command whose text shows it; the user is then asked"
            }
            FenceHint::FetchOrAsk => {
                "Read pages with WebFetch, or send a command whose text shows that it uses the network; the user is \
                 then asked"
            }
            FenceHint::ReadAsks => "Use the Read tool, which asks the user",
        }
    }

    /// A note that ends with this hint.
    pub fn after(self, fact: &str) -> String {
        format!("{fact}. {}", self.text())
    }
}

/// A result as the user reads it; `None` if it contains no hint.
pub fn without_fence_hints(text: &str) -> Option<String> {
    let ends = FenceHint::ALL.map(|hint| format!(". {}]", hint.text()));
    if !ends.iter().any(|end| text.contains(end)) {
        return None;
    }
    Some(ends.iter().fold(text.to_owned(), |text, end| text.replace(end, "]")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_user_reads_the_fact_alone() {
        for hint in FenceHint::ALL {
            let text = format!("out\n[{}]\n[Rehearsed]", hint.after("Read-only"));
            assert_eq!(without_fence_hints(&text).as_deref(), Some("out\n[Read-only]\n[Rehearsed]"));
        }
        assert_eq!(without_fence_hints("out\n[Read-only]"), None);
    }
}
