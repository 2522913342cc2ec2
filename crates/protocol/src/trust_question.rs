//! The question whether a folder is trusted, as a front end shows it.

/// Whether the user trusts a folder. Asked before there is a session.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TrustQuestion {
    /// The folder.
    pub folder: String,
    /// What is different since the user trusted it, in words; nothing if they never did.
    pub changes: Option<Vec<String>>,
    /// Why nobody can say yes, in words: there is something that cannot be checked. Then a no is the only answer.
    pub obstacles: Vec<String>,
    /// Everything that a yes is about, in words.
    pub brings: Vec<String>,
    /// Whether the user trusts all of this now: then the question is whether they still do.
    pub trusted: bool,
}
