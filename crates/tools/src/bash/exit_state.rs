//! How a shell left things: its folder and its variables, as it told at its exit.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;

use forelook_protocol::AbsPath;

use super::exports;

/// What a shell told at its exit.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct ShellExitState {
    pub(crate) folder: Option<AbsPath>,
    /// Its exported variables.
    pub(crate) variables: Option<BTreeMap<OsString, OsString>>,
}

impl ShellExitState {
    /// Reads what was told, each time as `folder\n\0variables\0.`; the last whole time counts. A shell that ended early
    /// told nothing, and what others wrote in between makes nothing of it.
    pub(crate) fn read(told: &[u8]) -> Self {
        let fields: Vec<&[u8]> = told.split(|byte| *byte == 0).collect();
        let whole = |fields: &[&[u8]]| fields.last().is_some_and(|end| end.starts_with(b"."));
        let Some([folder, variables, _]) = fields.windows(3).step_by(2).rfind(|fields| whole(fields)) else {
            return Self::default();
        };
        let is_first = fields.len() == 3;
        let folder = if is_first { *folder } else { folder.strip_prefix(b".").unwrap_or(folder) };
        Self { folder: path(folder), variables: exports::parse(variables) }
    }
}

fn path(line: &[u8]) -> Option<AbsPath> {
    // Exactly one newline is `pwd`'s; any other belongs to the name.
    AbsPath::new(OsString::from_vec(line.strip_suffix(b"\n")?.to_vec())).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_whole_telling_counts() {
        let told = |folder: &str, value: &str| format!("{folder}\n\0declare -x A=\"{value}\"\n\0.");
        for (text, folder, value) in [
            (String::new(), None, None),
            (told("/a", "1"), Some("/a"), Some("1")),
            (told("/a", "1") + &told("/b\n", "2"), Some("/b\n"), Some("2")),
            (told("/a", "1") + "/b\n\0declare -x A=", Some("/a"), Some("1")),
            ("dbg\n".to_owned() + &told("/a", "1"), None, Some("1")),
            ("/a\n\0dbg\n\0.".to_owned(), Some("/a"), None),
        ] {
            let exit_state = ShellExitState::read(text.as_bytes());
            assert_eq!(exit_state.folder.as_ref().map(ToString::to_string).as_deref(), folder, "{text:?}");
            let got = exit_state.variables.and_then(|all| all.into_values().next());
            assert_eq!(got, value.map(Into::into), "{text:?}");
        }
    }
}
