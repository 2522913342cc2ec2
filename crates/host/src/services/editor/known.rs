//! The editors that are known by name: which have a window of their own, and which the environment tells of.

use std::ffi::{OsStr, OsString};

use forelook_sandbox::ChildEnv;

/// Where an editor runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EditorSurface {
    /// In a window of its own, beside us.
    Window,
    /// In our terminal, until it ends.
    Terminal,
}

/// Editors with windows, and what people call them. Whatever is not here gets the terminal: one with a window does no
/// harm there, while one without would be lost elsewhere.
const WINDOWS: &[(&str, &str)] = &[
    ("code", "VS Code"),
    ("code-insiders", "VS Code Insiders"),
    ("codium", "VSCodium"),
    ("vscodium", "VSCodium"),
    ("cursor", "Cursor"),
    ("windsurf", "Windsurf"),
    ("zed", "Zed"),
    ("zeditor", "Zed"),
    ("subl", "Sublime Text"),
    ("sublime_text", "Sublime Text"),
    ("mate", "TextMate"),
    ("idea", "IntelliJ IDEA"),
    ("pycharm", "PyCharm"),
    ("webstorm", "WebStorm"),
    ("goland", "GoLand"),
    ("clion", "CLion"),
    ("rustrover", "RustRover"),
    ("phpstorm", "PhpStorm"),
    ("rubymine", "RubyMine"),
    ("gvim", "gvim"),
    ("mvim", "MacVim"),
    ("nvim-qt", "nvim-qt"),
    ("neovide", "Neovide"),
    ("gedit", "gedit"),
    ("gnome-text-editor", "GNOME Text Editor"),
    ("kate", "Kate"),
    ("kwrite", "KWrite"),
    ("mousepad", "Mousepad"),
    ("geany", "Geany"),
    ("lapce", "Lapce"),
    ("xed", "xed"),
    ("xdg-open", "the desktop's editor"),
];

/// What in the environment tells of an editor whose terminal we are in, and the names of its command.
const HINTS: &[(&str, Option<&str>, &[&str])] = &[
    ("CURSOR_TRACE_ID", None, &["cursor"]),
    ("TERM_PROGRAM", Some("vscode"), &["code", "codium", "cursor", "windsurf", "code-insiders"]),
    ("ZED_TERM", None, &["zed", "zeditor"]),
    (
        "TERMINAL_EMULATOR",
        Some("JetBrains-JediTerm"),
        &["idea", "pycharm", "webstorm", "goland", "clion", "rustrover"],
    ),
];

/// What makes a window wait until the file is closed, for those that do not by themselves; none if nothing does.
const WAIT_FLAGS: &[(&[&str], &[&str])] = &[
    (
        &[
            "code",
            "code-insiders",
            "codium",
            "vscodium",
            "cursor",
            "windsurf",
            "zed",
            "zeditor",
            "subl",
            "sublime_text",
            "mate",
            "idea",
            "pycharm",
            "webstorm",
            "goland",
            "clion",
            "rustrover",
            "phpstorm",
            "rubymine",
            "lapce",
            "gedit",
            "xed",
        ],
        &["--wait", "-w"],
    ),
    (&["gvim", "mvim", "vim", "vi"], &["-f", "--nofork"]),
    (&["nvim-qt"], &["--nofork"]),
    (&["neovide"], &["--no-fork"]),
    (&["kate"], &["--block", "-b"]),
    (&["gnome-text-editor"], &["--standalone", "-s"]),
    (&["xdg-open"], &[]),
];

/// The flag that a window lacks to wait until the person is done; empty if there is none that would do.
pub(super) fn missing_wait(program: &str, args: &[OsString]) -> Option<&'static str> {
    if program == "emacsclient" {
        // It waits unless it is told not to.
        let hurries = args.iter().any(|arg| arg == OsStr::new("-n") || arg == OsStr::new("--no-wait"));
        return hurries.then_some("");
    }
    let (_, flags) = WAIT_FLAGS.iter().find(|(programs, _)| programs.contains(&program))?;
    let waits = args.iter().any(|arg| flags.iter().any(|flag| arg == OsStr::new(flag)));
    (!waits).then(|| flags.first().copied().unwrap_or_default())
}

/// What a person calls the editor with this command.
pub(super) fn name(program: &str) -> &str {
    WINDOWS.iter().find(|(known, _)| *known == program).map_or(program, |(_, name)| name)
}

/// Where an editor runs that is called so, with these arguments.
pub(super) fn surface(program: &str, args: &[OsString], env: &ChildEnv) -> EditorSurface {
    let has = |flags: &[&str]| args.iter().any(|arg| flags.iter().any(|flag| arg == OsStr::new(flag)));
    let in_terminal = has(&["-nw", "-t", "--tty", "--no-window-system"]);
    let display = ["DISPLAY", "WAYLAND_DISPLAY"].iter().any(|name| env.get(name).is_some());
    let window = match program {
        "emacs" => !in_terminal && display,
        "emacsclient" => !in_terminal && (display || has(&["-n", "--no-wait"])),
        "vim" | "vi" => has(&["-g"]),
        program => WINDOWS.iter().any(|(known, _)| *known == program),
    };
    if window { EditorSurface::Window } else { EditorSurface::Terminal }
}

/// Commands of the editor whose terminal this seems to be, the likeliest first; none if nothing tells of one.
pub(super) fn hinted(env: &ChildEnv) -> impl Iterator<Item = &'static str> {
    let tells = |(variable, value, _): &&(&str, Option<&str>, &[&str])| {
        let found = env.get(variable).filter(|found| !found.is_empty());
        found.is_some_and(|found| value.is_none_or(|value| found == value))
    };
    HINTS.iter().filter(tells).flat_map(|(_, _, programs)| programs.iter().copied())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn env(pairs: &[(&str, &str)]) -> ChildEnv {
        let mut env = ChildEnv::default();
        for (name, value) in pairs {
            env.set(name, value);
        }
        env
    }

    #[test]
    fn where_each_runs() {
        let screen = [("DISPLAY", ":0")];
        for (line, variables, expected) in [
            ("code -r", &[][..], EditorSurface::Window),
            ("zed", &[], EditorSurface::Window),
            ("vim", &screen, EditorSurface::Terminal),
            ("vim -g", &screen, EditorSurface::Window),
            ("emacs", &screen, EditorSurface::Window),
            ("emacs", &[], EditorSurface::Terminal),
            ("emacs -nw", &screen, EditorSurface::Terminal),
            ("emacsclient -t", &screen, EditorSurface::Terminal),
            ("emacsclient -n", &[], EditorSurface::Window),
            ("nano", &screen, EditorSurface::Terminal),
            ("something-new", &screen, EditorSurface::Terminal),
        ] {
            let mut words = line.split(' ').map(OsString::from);
            let program = words.next().unwrap();
            let args: Vec<_> = words.collect();
            assert_eq!(
                surface(program.to_str().unwrap(), &args, &env(variables)),
                expected,
                "{line} {variables:?}"
            );
        }
    }

    #[test]
    fn only_what_the_environment_tells_of_is_hinted() {
        let first = |pairs: &[(&str, &str)]| hinted(&env(pairs)).next();
        assert_eq!(first(&[]), None);
        assert_eq!(first(&[("TERM_PROGRAM", "iTerm.app"), ("ZED_TERM", "")]), None);
        assert_eq!(first(&[("TERM_PROGRAM", "vscode")]), Some("code"));
        assert_eq!(first(&[("TERM_PROGRAM", "vscode"), ("CURSOR_TRACE_ID", "x")]), Some("cursor"));
        assert_eq!(first(&[("ZED_TERM", "true")]), Some("zed"));
    }
}
