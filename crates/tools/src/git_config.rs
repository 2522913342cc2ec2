//! What a repository's own configuration could make a read-only git command run.
//!
//! Most of it is switched off through the environment (`ChildEnv::quiet_git`). What cannot be is looked for here:
//! filters, textconv, diff drivers, external diffs, and files that include more. Read without starting git, since git is
//! what must not be started yet.

use std::path::{Path, PathBuf};

use forelook_protocol::AbsPath;

/// A configuration longer than this is not read; nobody writes one.
const MAX: u64 = 1024 * 1024;

/// What in the repository of this folder could run code, if anything.
pub(crate) fn hazard(folder: &AbsPath) -> Option<String> {
    let git = git_folder(folder.as_path())?;
    // A linked worktree has its configuration in the main one's folder.
    let common = std::fs::read_to_string(git.join("commondir")).ok().map(|text| git.join(text.trim()));
    let files = [
        Some(git.join("config")),
        Some(git.join("config.worktree")),
        common.map(|common| common.join("config")),
    ];
    files.into_iter().flatten().find_map(|file| in_file(&file))
}

fn git_folder(folder: &Path) -> Option<PathBuf> {
    for above in folder.ancestors() {
        let dot_git = above.join(".git");
        if dot_git.is_dir() {
            return Some(dot_git);
        }
        if dot_git.is_file() {
            let link = std::fs::read_to_string(&dot_git).ok()?;
            return Some(above.join(link.strip_prefix("gitdir:")?.trim()));
        }
        // A bare repository, or the inside of one.
        if above.join("HEAD").is_file() && above.join("objects").is_dir() && above.join("refs").is_dir() {
            return Some(above.to_path_buf());
        }
    }
    None
}

fn in_file(file: &Path) -> Option<String> {
    let size = file.metadata().ok()?.len();
    if size > MAX {
        return Some(format!("`{}` is too long to be looked at", file.display()));
    }
    let Ok(bytes) = std::fs::read(file) else {
        return Some(format!("`{}` cannot be read", file.display()));
    };
    let text = String::from_utf8_lossy(&bytes);
    dangerous_key(&text).map(|key| format!("`{}` defines `{key}`, which git can run", file.display()))
}

/// The first key that names a program which cannot be switched off.
fn dangerous_key(text: &str) -> Option<String> {
    let mut section = String::new();
    for line in text.lines().map(str::trim) {
        let mut rest = line;
        if let Some(header) = line.strip_prefix('[') {
            let (name, after) = split_header(header)?;
            section = name;
            rest = after.trim();
        }
        let key = rest.split(['=', ' ', '\t', '#', ';']).next().unwrap_or_default().to_lowercase();
        if !key.is_empty() && is_dangerous(&section, &key) {
            return Some(format!("{section}.{key}"));
        }
    }
    None
}

/// The section of a header such as `filter "lfs"]`, and what stands after it on the line.
fn split_header(header: &str) -> Option<(String, &str)> {
    let mut quoted = false;
    let end = header.char_indices().find(|(_, c)| {
        quoted ^= *c == '"';
        *c == ']' && !quoted
    });
    let Some((end, _)) = end else { return Some((header.to_lowercase(), "")) };
    let (name, rest) = header.split_at_checked(end)?;
    Some((name.to_lowercase(), rest.strip_prefix(']').unwrap_or(rest)))
}

fn is_dangerous(section: &str, key: &str) -> bool {
    let name = section.split([' ', '"', '.']).next().unwrap_or_default();
    match name {
        "filter" => matches!(key, "clean" | "smudge" | "process"),
        "diff" => matches!(key, "textconv" | "command" | "external" | "guitool"),
        "include" | "includeif" => true,
        "gpg" => key == "program",
        "core" => matches!(key, "worktree" | "alternaterefscommand" | "gitproxy"),
        "interactive" => key == "difffilter",
        "merge" => key == "driver",
        // A partial clone fetches what is missing, through whatever the remote names.
        "extensions" => key == "partialclone",
        "remote" => matches!(key, "uploadpack" | "receivepack" | "vcs" | "promisor"),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_that_run_programs() {
        for (text, expected) in [
            ("[core]\n\trepositoryformatversion = 0\n[remote \"origin\"]\n\turl = x\n", None),
            ("[filter \"lfs\"]\n\tclean = git-lfs clean\n", Some("filter \"lfs\".clean")),
            ("[diff \"a]b\"]\n textconv = evil\n", Some("diff \"a]b\".textconv")),
            ("[DIFF]\nExternal = evil", Some("diff.external")),
            ("[diff] external=evil", Some("diff.external")),
            ("[include]\npath = other", Some("include.path")),
            ("[includeIf \"gitdir:x\"]\npath = other", Some("includeif \"gitdir:x\".path")),
            ("[diff \"x\"]\n\tbinary = true\n", None),
            ("# [diff]\n# external = x\n", None),
            ("[diff]\n\texternal\n", Some("diff.external")),
            ("[diff.x]\ntextconv=a", Some("diff.x.textconv")),
            ("", None),
        ] {
            assert_eq!(dangerous_key(text).as_deref(), expected, "{text:?}");
        }
    }

    #[test]
    #[expect(clippy::disallowed_methods, reason = "tests make their own files")]
    fn repositories_of_every_shape_are_found() {
        let folder = tempfile::tempdir().unwrap();
        let at = |path: &str| folder.path().join(path);
        for path in ["r/.git", "r/sub", "bare/objects", "bare/refs", "linked", "r/.git/worktrees/l"] {
            std::fs::create_dir_all(at(path)).unwrap();
        }
        std::fs::write(at("bare/HEAD"), "ref: x").unwrap();
        let evil = "[filter \"x\"]\nprocess = evil\n";
        std::fs::write(at("linked/.git"), "gitdir: ../r/.git/worktrees/l\n").unwrap();
        std::fs::write(at("r/.git/worktrees/l/commondir"), "../..\n").unwrap();
        for (config, place) in
            [("r/.git/config", "r/sub"), ("r/.git/config", "linked"), ("bare/config", "bare/refs")]
        {
            let place = AbsPath::new(at(place)).unwrap();
            assert_eq!(hazard(&place), None);
            std::fs::write(at(config), evil).unwrap();
            assert!(hazard(&place).is_some(), "{config} {place}");
            std::fs::remove_file(at(config)).unwrap();
        }
    }
}
