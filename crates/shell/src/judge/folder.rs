//! Where the shell is, as bash would follow `cd`: exactly, in one of a few folders, or [`WorkingFolder::Elsewhere`].
//!
//! `cd` goes by names: `..` takes the last name away. But if what is left with a further name does not exist, bash tries
//! the operand as the kernel reads it, through links; so a name behind a `..` that took a name away is unknown.

use crate::types::{Word, WorkingFolder};

/// The state that a shell carries from command to command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Place {
    pub folder: WorkingFolder,
    /// Where `cd -` goes.
    pub previous: WorkingFolder,
    /// Something ran in the shell that cannot be followed (`source`, `trap`, a program in a variable): from here on not
    /// even an absolute `cd` is believed, since `cd` may be something else now.
    pub lost: bool,
}

/// Where the shell is after a command, by how the command ended; `None` where it cannot end so.
#[derive(Debug, Clone)]
pub(crate) struct Exit {
    pub success: Option<Place>,
    pub failure: Option<Place>,
}

impl Place {
    pub(crate) fn start(folder: WorkingFolder) -> Self {
        Self { folder, previous: WorkingFolder::Elsewhere, lost: false }
    }

    /// Somewhere that the text does not tell.
    pub(crate) fn elsewhere() -> Self {
        Self::start(WorkingFolder::Elsewhere)
    }

    pub(crate) fn lost() -> Self {
        Self { lost: true, ..Self::elsewhere() }
    }

    fn moved(&self, folder: WorkingFolder) -> Self {
        if self.lost {
            return Self::lost();
        }
        Self { folder, previous: self.folder.clone(), lost: false }
    }

    fn join(self, other: Self) -> Self {
        if self.lost || other.lost {
            return Self::lost();
        }
        let (folder, previous) = (one_of(self.folder, &other.folder), one_of(self.previous, &other.previous));
        Self { folder, previous, lost: false }
    }
}

/// So many folders that a line with a few `cd` is followed, and so few that looking into each takes no time.
const MAX_FOLDERS: usize = 4;

/// One folder or the other.
fn one_of(a: WorkingFolder, b: &WorkingFolder) -> WorkingFolder {
    if a == *b {
        return a;
    }
    let (known, others) = (a.possible(), b.possible());
    let mut all = known.to_vec();
    all.extend(others.iter().filter(|folder| !known.contains(folder)).cloned());
    match all.as_slice() {
        _ if known.is_empty() || others.is_empty() || all.len() > MAX_FOLDERS => WorkingFolder::Elsewhere,
        [one] => one.clone(),
        _ => WorkingFolder::OneOf(all),
    }
}

/// Either of two places.
pub(crate) fn either(a: Option<Place>, b: Option<Place>) -> Option<Place> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.join(b)),
        (a, b) => a.or(b),
    }
}

impl Exit {
    /// The command leaves the shell where it is.
    pub(crate) fn stays(place: Place) -> Self {
        Self { success: Some(place.clone()), failure: Some(place) }
    }

    /// The shell does not live on.
    pub(crate) fn never() -> Self {
        Self { success: None, failure: None }
    }

    pub(crate) fn negated(self) -> Self {
        Self { success: self.failure, failure: self.success }
    }

    pub(crate) fn any(self) -> Option<Place> {
        either(self.success, self.failure)
    }
}

/// What about the line keeps `cd` from being followed by its operand alone.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Untrusted {
    /// `CDPATH` may be set.
    pub cdpath: bool,
    /// `HOME` may be another one.
    pub home: bool,
    /// `OLDPWD` may be another one; `cd` sets it to what `PWD` says.
    pub oldpwd: bool,
}

impl Untrusted {
    pub(crate) fn or(self, other: Self) -> Self {
        Self {
            cdpath: self.cdpath || other.cdpath,
            home: self.home || other.home,
            oldpwd: self.oldpwd || other.oldpwd,
        }
    }
}

/// `cd` with these arguments: where the shell is if it succeeds.
pub(crate) fn cd(place: &Place, args: &[Word], untrusted: Untrusted) -> Place {
    let mut rest = args;
    while let Some((first, after)) = rest.split_first() {
        match first.literal() {
            Some("-L") => rest = after,
            Some("--") => {
                rest = after;
                break;
            }
            Some(text) if text.len() > 1 && text.starts_with('-') => {
                return place.moved(WorkingFolder::Elsewhere);
            }
            _ => break,
        }
    }
    let folder = match rest {
        [] if untrusted.home => WorkingFolder::Elsewhere,
        [] => WorkingFolder::Moved("~".to_owned()),
        [one] => match one.literal() {
            Some("-") if untrusted.oldpwd => WorkingFolder::Elsewhere,
            Some("-") => place.previous.clone(),
            Some(to) if untrusted.home && to.starts_with('~') => WorkingFolder::Elsewhere,
            Some(to) if untrusted.cdpath && searched(to) => WorkingFolder::Elsewhere,
            Some(to) => by_name(&place.folder, to),
            None => WorkingFolder::Elsewhere,
        },
        _ => WorkingFolder::Elsewhere,
    };
    place.moved(folder)
}

/// Does `cd` look for this in `CDPATH`?
fn searched(to: &str) -> bool {
    let first = to.split('/').next().unwrap_or("");
    !matches!(first, "" | "." | ".." | "~")
}

/// Where `cd` goes from a folder.
fn by_name(from: &WorkingFolder, to: &str) -> WorkingFolder {
    follow(from, to, |climbed, named| climbed && named)
}

/// Where a program goes that is told to (`git -C`): the kernel follows links, so that no `..` may take a name away.
pub(crate) fn by_kernel(from: &WorkingFolder, to: Option<&str>) -> WorkingFolder {
    match to {
        Some("") => from.clone(),
        Some(to) => follow(from, to, |climbed, _| climbed),
        None => WorkingFolder::Elsewhere,
    }
}

/// Joins a path to a folder, or to each that it can be. `unsure` says, from whether a name was taken away and whether
/// another one came behind, that the answer cannot be relied on.
fn follow(from: &WorkingFolder, to: &str, unsure: fn(bool, bool) -> bool) -> WorkingFolder {
    match from {
        WorkingFolder::OneOf(folders) => {
            let joined = folders.iter().map(|folder| follow(folder, to, unsure));
            joined.reduce(|all, next| one_of(all, &next)).unwrap_or(WorkingFolder::Elsewhere)
        }
        from => follow_one(from, to, unsure),
    }
}

fn follow_one(from: &WorkingFolder, to: &str, unsure: fn(bool, bool) -> bool) -> WorkingFolder {
    let Some((root, mut names)) = start_of(from, to) else { return WorkingFolder::Elsewhere };
    let rest = to.strip_prefix('~').unwrap_or(to);
    let (mut climbed, mut named) = (false, false);
    for part in rest.split('/').filter(|part| !matches!(*part, "" | ".")) {
        match (part, names.last().copied()) {
            ("..", None | Some("..")) if root.is_empty() => names.push(".."),
            ("..", None) if root == "/" => {}
            ("..", None) => return WorkingFolder::Elsewhere,
            ("..", Some(_)) => {
                names.pop();
                climbed = true;
            }
            (name, _) => {
                named |= climbed;
                names.push(name);
            }
        }
    }
    if unsure(climbed, named) { WorkingFolder::Elsewhere } else { written(root, &names) }
}

/// The root (`/`, `~`, or nothing for where the line starts) and the names below it that a path is joined to.
fn start_of<'a>(from: &'a WorkingFolder, to: &'a str) -> Option<(&'static str, Vec<&'a str>)> {
    match to.strip_prefix('~') {
        _ if to.is_empty() => None,
        Some(rest) => (rest.is_empty() || rest.starts_with('/')).then(|| ("~", Vec::new())),
        None if to.starts_with('/') => Some(("/", Vec::new())),
        None => match from {
            WorkingFolder::Start => Some(("", Vec::new())),
            WorkingFolder::Moved(folder) => Some(split(folder)),
            WorkingFolder::OneOf(_) | WorkingFolder::Elsewhere => None,
        },
    }
}

fn split(folder: &str) -> (&'static str, Vec<&str>) {
    let root = match folder.chars().next() {
        Some('/') => "/",
        Some('~') => "~",
        _ => "",
    };
    let rest = folder.get(root.len()..).unwrap_or("");
    (root, rest.split('/').filter(|part| !matches!(*part, "" | ".")).collect())
}

fn written(root: &str, names: &[&str]) -> WorkingFolder {
    let names = names.join("/");
    match root {
        "" if names.is_empty() => WorkingFolder::Start,
        "" if names.starts_with('~') => WorkingFolder::Moved(format!("./{names}")),
        "~" if !names.is_empty() => WorkingFolder::Moved(format!("~/{names}")),
        root => WorkingFolder::Moved(format!("{root}{names}")),
    }
}

#[cfg(test)]
mod tests {
    use super::{by_kernel, by_name};
    use crate::types::WorkingFolder;

    fn folder(text: &str) -> WorkingFolder {
        match text {
            "" => WorkingFolder::Start,
            "?" => WorkingFolder::Elsewhere,
            several if several.contains('|') => {
                WorkingFolder::OneOf(several.split('|').map(folder).collect())
            }
            other => WorkingFolder::Moved(other.to_owned()),
        }
    }

    #[test]
    fn names_are_joined() {
        for (from, to, expected) in [
            ("", "a", "a"),
            ("a", "b/", "a/b"),
            ("a/b", "..", "a"),
            ("a", "..", ""),
            ("", "..", ".."),
            ("..", "../b", "../../b"),
            ("a", "../b", "?"),
            ("", "a/..", ""),
            ("", "a/../b", "?"),
            ("a", "/x/y", "/x/y"),
            ("/x", "..", "/"),
            ("?", "a", "?"),
            ("?", "/a", "/a"),
            ("", "~", "~"),
            ("a", "~/b", "~/b"),
            ("~/b", "..", "~"),
            ("~", "..", "?"),
            ("", "~other", "?"),
            ("", "./~", "./~"),
            ("./~", "b", "./~/b"),
            ("", "", "?"),
            ("a", ".", "a"),
            ("|a", "b", "b|a/b"),
            ("|a", "/x", "/x"),
            ("|a", "..", "..|"),
            ("|a", "../b", "?"),
        ] {
            assert_eq!(by_name(&folder(from), to), folder(expected), "{from} {to}");
        }
    }

    #[test]
    fn a_program_goes_through_links() {
        for (from, to, expected) in
            [("", "a", "a"), ("", "..", ".."), ("a", "..", "?"), ("", "a/..", "?"), ("a", "", "a")]
        {
            assert_eq!(by_kernel(&folder(from), Some(to)), folder(expected), "{from} {to}");
        }
    }
}
