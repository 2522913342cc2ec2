//! Which allow rules would bypass the classifier.
//!
//! While the classifier is on, they have no effect; when it is off again, they do. Settings files do not change.

use crate::rule::Matcher;
use crate::shell_pattern::ShellPattern;

/// Which allow rules have no effect while the classifier is on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Strictness {
    /// What runs arbitrary code.
    #[default]
    Runners,
    /// Every allow for a shell (`autoMode.classifyAllShell`).
    AllShell,
}

/// Programs that run whatever they are given. A pattern that leaves open what that is, is dangerous.
const RUNNERS: &[&str] = &[
    // interpreters
    "python",
    "python2",
    "python3",
    "pypy",
    "pypy3",
    "node",
    "nodejs",
    "deno",
    "bun",
    "ruby",
    "perl",
    "php",
    "lua",
    "luajit",
    "tsx",
    "ts-node",
    "Rscript",
    "julia",
    "swift",
    "scala",
    "groovy",
    "java",
    "dotnet",
    "osascript",
    "irb",
    "ipython",
    "ghci",
    "erl",
    "elixir",
    "iex",
    "tclsh",
    "expect",
    "awk",
    "gawk",
    "mawk",
    "nawk",
    "sed",
    // runners of packages and scripts
    "npx",
    "bunx",
    "uvx",
    "pipx",
    "npm run",
    "npm exec",
    "npm x",
    "npm start",
    "npm test",
    "yarn",
    "pnpm run",
    "pnpm exec",
    "pnpm dlx",
    "pnpm start",
    "pnpm test",
    "bun run",
    "bun x",
    "deno run",
    "deno task",
    "uv run",
    "poetry run",
    "pipenv run",
    "hatch run",
    "pdm run",
    "rye run",
    "cargo run",
    "cargo xtask",
    "cargo install",
    "go run",
    "go generate",
    "make",
    "gmake",
    "just",
    "rake",
    "bundle exec",
    "gradle",
    "./gradlew",
    "mvn",
    "ant",
    "sbt",
    "bazel",
    "task",
    "tox",
    "nox",
    "dotnet run",
    "composer",
    "mix",
    "nix",
    "nix-shell",
    "docker run",
    "docker exec",
    "podman run",
    "podman exec",
    "kubectl exec",
    "find",
    "fd",
    "parallel",
    "watch",
    "entr",
    "git rebase",
    "git bisect",
    "vim",
    "nvim",
    "emacs",
    "ed",
    "ex",
    "gdb",
    "lldb",
    "strace",
    "ltrace",
    "script",
    "at",
    "batch",
    "crontab",
    "systemd-run",
    "chroot",
    "unshare",
    "nsenter",
    "firejail",
    "flatpak",
    "snap",
    // shells
    "bash",
    "sh",
    "zsh",
    "fish",
    "dash",
    "ksh",
    "csh",
    "tcsh",
    "ash",
    "busybox",
    "pwsh",
    "powershell",
    "cmd",
    "ssh",
    "mosh",
    // what runs the command after it
    "eval",
    "exec",
    "source",
    ".",
    "sudo",
    "doas",
    "pkexec",
    "run0",
    "su",
    "runuser",
    "setpriv",
    "env",
    "xargs",
    "nohup",
    "setsid",
    "time",
    "timeout",
    "nice",
    "ionice",
    "stdbuf",
    "command",
    "builtin",
    "coproc",
    "trap",
];

/// The same for PowerShell, which does not care for upper and lower case.
const POWERSHELL_RUNNERS: &[&str] = &[
    "iex",
    "invoke-expression",
    "start-process",
    "saps",
    "start",
    "invoke-command",
    "icm",
    "invoke-item",
    "ii",
    "start-job",
    "add-type",
    "new-object",
    "import-module",
    "ipmo",
    "powershell",
    "pwsh",
    "cmd",
    "wscript",
    "cscript",
    "mshta",
    "rundll32",
    "regsvr32",
    "node",
    "python",
    "python3",
    "py",
    "npx",
    "npm run",
    "yarn",
    "pnpm run",
    "cargo run",
    "go run",
    "dotnet",
    "ruby",
    "perl",
    "php",
    "deno",
    "bun",
    "bash",
    "sh",
    "wsl",
    "ssh",
    "&",
    ".",
];

/// Words in the name of an MCP server or tool that show that it runs code.
const CODE_WORDS: &[&str] = &[
    "exec", "shell", "bash", "terminal", "command", "run", "eval", "repl", "python", "node", "code",
    "script", "jupyter", "sandbox", "ssh", "process",
];

/// Whether an allow rule of this form would bypass the classifier.
pub(crate) fn is_dangerous(matcher: &Matcher, strictness: Strictness) -> bool {
    match matcher {
        Matcher::Shell(..) if strictness == Strictness::AllShell => true,
        Matcher::Shell(forelook_protocol::Shell::Bash, pattern) => {
            leaves_open(pattern, RUNNERS, str::to_owned)
        }
        Matcher::Shell(forelook_protocol::Shell::PowerShell, pattern) => {
            leaves_open(pattern, POWERSHELL_RUNNERS, str::to_lowercase)
        }
        Matcher::Agent(_) => true,
        Matcher::Mcp { server, tool } => {
            let open = tool.as_deref().is_none_or(|tool| tool.contains('*'));
            let name = format!("{server} {}", tool.as_deref().unwrap_or_default()).to_lowercase();
            open && CODE_WORDS.iter().any(|word| name.contains(word))
        }
        Matcher::Files { .. } | Matcher::Host(_) | Matcher::Skill(_) | Matcher::Tool(_) => false,
    }
}

/// Whether the pattern leaves open what a runner would run. An exact text leaves nothing open.
fn leaves_open(pattern: &ShellPattern, runners: &[&str], fold: impl Fn(&str) -> String) -> bool {
    let (begins, boundary) = match pattern {
        ShellPattern::Any => return true,
        ShellPattern::Exact(_) => return false,
        ShellPattern::Prefix(text) => (fold(text), true),
        ShellPattern::Glob(pieces) => (fold(pieces.first().map_or("", String::as_str)), false),
    };
    // A path to a runner is the runner: `/usr/bin/python:*`.
    let bare = match begins.split_once(' ') {
        Some((program, rest)) => format!("{} {rest}", last_name(program)),
        None => last_name(&begins).to_owned(),
    };
    [begins.as_str(), bare.as_str()].iter().any(|text| {
        runners.iter().any(|runner| {
            let itself = *text == *runner;
            let with_more = text.strip_prefix(runner).is_some_and(|rest| rest.starts_with(' '));
            // `py*` can become `python`, and the prefix `npm` can become `npm run`.
            let can_become = match boundary {
                true => runner.strip_prefix(text).is_some_and(|rest| rest.starts_with(' ')),
                false => runner.starts_with(text),
            };
            itself || with_more || can_become
        })
    })
}

fn last_name(program: &str) -> &str {
    program.rsplit('/').next().unwrap_or(program)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rule::Rule;

    #[test]
    fn which_rules_are_dangerous() {
        for (rule, expected) in [
            ("Bash", true),
            ("Bash(*)", true),
            ("Bash(python:*)", true),
            ("Bash(python *)", true),
            ("Bash(python3 -m:*)", true),
            ("Bash(py*)", true),
            ("Bash(/usr/bin/python:*)", true),
            ("Bash(npm:*)", true),
            ("Bash(npm run:*)", true),
            ("Bash(npm run build:*)", true),
            ("Bash(npm install:*)", false),
            ("Bash(make:*)", true),
            ("Bash(sudo:*)", true),
            ("Bash(bash -c:*)", true),
            ("Bash(* --version)", true),
            ("Bash(cargo run:*)", true),
            ("Bash(cargo:*)", true),
            ("Bash(cargo test:*)", false),
            ("Bash(git status:*)", false),
            ("Bash(git:*)", true),
            ("Bash(ls:*)", false),
            ("Bash(ls*)", false),
            // Exact texts leave nothing open.
            ("Bash(python)", false),
            ("Bash(make test)", false),
            ("Bash(npm run test)", false),
            ("Agent", true),
            ("Agent(Explore)", true),
            ("PowerShell", true),
            ("PowerShell(IEX:*)", true),
            ("PowerShell(Get-ChildItem:*)", false),
            ("mcp__shell__*", true),
            ("mcp__shell", true),
            ("mcp__github", false),
            ("mcp__shell__list", false),
            ("Edit(**)", false),
            ("WebFetch", false),
        ] {
            let parsed = Rule::parse(rule).unwrap();
            assert_eq!(is_dangerous(&parsed.matcher, Strictness::Runners), expected, "{rule}");
        }
        let ls = Rule::parse("Bash(ls)").unwrap();
        assert!(is_dangerous(&ls.matcher, Strictness::AllShell));
    }
}
