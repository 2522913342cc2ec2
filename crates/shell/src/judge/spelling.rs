//! What an option does that no table lists, by its name: programs agree on the names of options that write a file, run
//! a command, or read their configuration elsewhere. For programs that do more than read, and for those without a table.

use crate::table::FlagRole;

/// The role that the name of an option suggests.
pub(super) fn role(flag: &str) -> Option<FlagRole> {
    if flag == "-o" {
        return Some(FlagRole::Writes);
    }
    let name = flag.trim_start_matches('-').to_lowercase();
    let words: Vec<&str> = name.split(['-', '_', '.', ':']).collect();
    if words.iter().any(|word| HARMLESS.contains(word)) {
        return None;
    }
    let name = words.concat();
    let begins = |list: &[&str]| list.iter().any(|begin| name.starts_with(begin));
    match name.as_str() {
        // `--outp` is `--output` to many programs.
        "outp" | "outpu" => Some(FlagRole::Writes),
        _ if words.contains(&"out") => Some(FlagRole::Writes),
        _ if begins(WRITES) => Some(FlagRole::Writes),
        exact if RUNS.contains(&exact) => Some(FlagRole::Runs),
        _ if begins(CONFIGURES) => Some(FlagRole::Reads),
        _ => None,
    }
}

/// Words in names of options that only say how something looks, or that turn something off.
const HARMLESS: &[&str] = &[
    "color",
    "colour",
    "delimiter",
    "encoding",
    "format",
    "formats",
    "indent",
    "level",
    "limit",
    "max",
    "min",
    "mode",
    "no",
    "only",
    "on",
    "sep",
    "separator",
    "style",
    "sync",
    "time",
    "type",
    "width",
];

/// The value is a file or folder that is written.
const WRITES: &[&str] = &[
    "artifactdir",
    "destdir",
    "destfile",
    "destination",
    "dumpto",
    "logfile",
    "outdir",
    "outfile",
    "outfolder",
    "outpath",
    "output",
    "resultsfile",
    "savefile",
    "saveto",
    "targetdirectory",
    "tracefile",
    "writefile",
    "writeto",
];

/// The value is run.
const RUNS: &[&str] = &[
    "askpass",
    "cmd",
    "command",
    "commandfile",
    "compressprogram",
    "credentialhelper",
    "editor",
    "eval",
    "evaluate",
    "exec",
    "execcommand",
    "execfile",
    "execute",
    "filtercommand",
    "initcommand",
    "initfile",
    "inithook",
    "initscript",
    "interpreter",
    "loadplugins",
    "launcher",
    "onexit",
    "pager",
    "postexec",
    "postscript",
    "preexec",
    "preprocessor",
    "prescript",
    "proxycommand",
    "pythonexecutable",
    "rcfile",
    "rsh",
    "runcommand",
    "rununder",
    "script",
    "scriptfile",
    "shell",
    "shellcommand",
    "startupfile",
    "tocommand",
    "usecompressprogram",
    "wrapper",
];

/// The value is a file or folder that decides what happens: no more than what the folder itself brings, if it is in it.
const CONFIGURES: &[&str] = &[
    "conf",
    "defaultsfile",
    "envfile",
    "import",
    "include",
    "inputfile",
    "load",
    "plugin",
    "preload",
    "profilefile",
    "projectdir",
    "require",
    "rootdir",
    "rulesdir",
    "settings",
    "userconfig",
];
