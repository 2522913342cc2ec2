//! Known secrets, and files that control what runs later: the tables, and how to match them.

use std::path::Path;

use forelook_protocol::AbsPath;

/// Names of files that hold secrets, wherever they are. `*` stands for anything at that end.
const SECRET_NAMES: &[&str] = &[
    ".env",
    ".env.*",
    "*.env",
    ".ENV",
    ".ENV.*",
    ".env-*",
    ".env_*",
    "id_rsa",
    "id_dsa",
    "id_ecdsa",
    "id_ecdsa_sk",
    "id_ed25519",
    "id_ed25519_sk",
    "*.pem",
    "*.key",
    "*.p12",
    "*.pfx",
    "*.jks",
    "*.keystore",
    "*.kdbx",
    ".netrc",
    "_netrc",
    ".pypirc",
    ".git-credentials",
    ".pgpass",
    ".my.cnf",
    ".htpasswd",
    "credentials.json",
    "service-account*.json",
    ".vault-token",
    "secrets.yml",
    "secrets.yaml",
    "secrets.json",
    "secrets.toml",
];

/// Names that look like secrets and are made to be shown.
const PUBLIC_NAMES: &[&str] = &[
    ".env.example",
    ".env.sample",
    ".env.template",
    ".env.dist",
    ".env.defaults",
    ".env-example",
    ".env-sample",
    ".env-template",
    ".env_example",
    ".env_sample",
    ".env_template",
    "example.env",
    "sample.env",
    "*.pub",
    "*.pub.pem",
    // The certificates of authorities that package managers bring along.
    "cacert.pem",
];

/// Places below the home folder that hold secrets, beside those that follow.
const SECRET_PATHS: &[&str] = &[
    ".ssh",
    ".gnupg",
    ".config/git/credentials",
    ".config/op",
    ".password-store",
    ".local/share/keyrings",
    ".mozilla",
    ".config/google-chrome",
    ".config/chromium",
    ".claude.json",
    ".claude/.credentials.json",
    ".claude/history.jsonl",
    ".codex/auth.json",
    ".codex/history.jsonl",
    ".config/github-copilot",
    ".config/sops",
    ".config/solana",
    ".cache/huggingface/token",
    ".gemini",
    ".local/share/opencode/auth.json",
    ".forelook/key",
    ".forelook/keys.json",
    // What was typed may hold passwords.
    ".bash_history",
    ".zsh_history",
    ".sh_history",
    ".ksh_history",
    ".histfile",
    ".local/share/fish/fish_history",
    ".python_history",
    ".node_repl_history",
    ".irb_history",
    ".psql_history",
    ".mysql_history",
    ".sqlite_history",
    ".rediscli_history",
    ".dbshell",
    ".viminfo",
    ".local/share/atuin",
    ".config/BraveSoftware",
    ".thunderbird",
];

/// Secrets of the machine, which only root can read.
const MACHINE_SECRETS: &[&str] = &["/etc/shadow", "/etc/shadow-", "/etc/gshadow", "/etc/gshadow-"];

/// The same, with which clients of services sign in. Not keys for ssh: git has no ssh while planning.
const CREDENTIAL_PATHS: &[&str] = &[
    ".aws",
    ".azure",
    ".config/gcloud",
    ".kube",
    ".config/rclone",
    ".config/containers",
    ".config/glab-cli",
    ".config/doctl",
    ".config/stripe",
    ".config/wrangler",
    ".config/.wrangler",
    ".databrickscfg",
    ".snowflake",
    ".oci",
    ".kaggle",
    ".s3cfg",
    ".boto",
    ".terraformrc",
    ".fly",
    ".dbt/profiles.yml",
    ".docker/config.json",
    ".npmrc",
    ".config/gh/hosts.yml",
    ".config/hub",
    ".cargo/credentials",
    ".cargo/credentials.toml",
    ".gem/credentials",
    ".terraform.d/credentials.tfrc.json",
    ".m2/settings.xml",
    ".m2/settings-security.xml",
    ".vault-token",
];

/// Of all those, what is harmless.
const PUBLIC_PATHS: &[&str] = &[".ssh/known_hosts", ".ssh/config", ".aws/config", ".kube/cache"];

/// Folders in a working folder, at any depth, whose files decide what runs later.
const PROTECTED_FOLDERS: &[&str] = &[
    ".forelook",
    ".git",
    ".husky",
    ".githooks",
    ".vscode",
    ".idea",
    ".zed",
    ".devcontainer",
    ".circleci",
    ".buildkite",
    ".direnv",
    ".mise",
    ".woodpecker",
    ".builds",
    ".semaphore",
    ".tekton",
    ".claude",
    ".codex",
    ".gemini",
    ".cursor",
    ".opencode",
    ".windsurf",
    ".kiro",
    ".qwen",
    ".roo",
    ".junie",
    ".amazonq",
    ".trae",
    ".augment",
    ".qoder",
    ".iflow",
    ".agent",
    ".agents",
    ".helix",
    ".clinerules",
    ".continue",
    ".factory",
    ".openhands",
    ".kilocode",
    ".lefthook",
    ".idx",
    ".codesandbox",
    ".teamcity",
];

/// The same for pairs of folders.
const PROTECTED_PAIRS: &[(&str, &str)] = &[
    (".github", "workflows"),
    (".github", "actions"),
    (".github", "agents"),
    (".github", "hooks"),
    (".gitea", "workflows"),
    (".gitea", "actions"),
    (".forgejo", "workflows"),
    (".forgejo", "actions"),
    (".hg", "hgrc"),
    (".jj", "repo"),
    (".mvn", "extensions.xml"),
    (".mvn", "jvm.config"),
    (".mvn", "maven.config"),
    (".config", "mise"),
    (".yarn", "releases"),
    (".yarn", "plugins"),
    (".cargo", "config.toml"),
    (".cargo", "config"),
];

/// Files whose contents run by themselves one day.
const PROTECTED_NAMES: &[&str] = &[
    // shells and editors
    ".bashrc",
    ".bash_profile",
    ".bash_login",
    ".bash_logout",
    ".bash_aliases",
    ".profile",
    ".zshrc",
    ".zshenv",
    ".zprofile",
    ".zlogin",
    ".zlogout",
    ".kshrc",
    ".cshrc",
    ".tcshrc",
    ".inputrc",
    ".vimrc",
    ".exrc",
    ".nvimrc",
    ".nvim.lua",
    ".lvimrc",
    ".lazy.lua",
    ".emacs",
    ".dir-locals.el",
    ".dir-locals-2.el",
    ".gdbinit",
    ".lldbinit",
    ".Rprofile",
    ".Renviron",
    ".RData",
    ".rspec",
    ".proverc",
    ".rdbgrc",
    ".byebugrc",
    ".latexmkrc",
    ".pdbrc.py",
    "jupyter_server_config.py",
    ".ghci",
    ".iex.exs",
    ".irbrc",
    ".pryrc",
    ".pdbrc",
    ".perldb",
    ".ocamlinit",
    ".octaverc",
    ".envrc",
    ".devcontainer.json",
    // tools that choose what runs
    "mise.toml",
    "mise.*.toml",
    ".mise.toml",
    ".mise.*.toml",
    ".tool-versions",
    "rust-toolchain",
    "rust-toolchain.toml",
    ".tmux.conf",
    ".screenrc",
    ".xinitrc",
    ".xprofile",
    "*.code-workspace",
    // version control and its hooks
    ".gitconfig",
    ".gitmodules",
    ".gitattributes",
    ".pre-commit-config.yaml",
    ".pre-commit-config.yml",
    "lefthook.yml",
    "lefthook.yaml",
    ".lefthook.yml",
    ".lefthook.yaml",
    "lefthook.toml",
    ".lefthook.toml",
    "lefthook.json",
    ".lefthook.json",
    "lefthook-local.*",
    ".lefthook-local.*",
    ".huskyrc",
    ".bazelrc",
    ".bazeliskrc",
    ".simple-git-hooks.json",
    "prek.toml",
    ".actrc",
    ".sbtopts",
    ".jvmopts",
    "ansible.cfg",
    "compose.override.yaml",
    "compose.override.yml",
    "docker-compose.override.yaml",
    "docker-compose.override.yml",
    ".hgrc",
    // package managers
    ".npmrc",
    ".yarnrc",
    ".yarnrc.yml",
    ".pnpmfile.cjs",
    ".pnpmfile.mjs",
    ".pnp.cjs",
    ".pnp.loader.mjs",
    "bunfig.toml",
    ".pypirc",
    "pip.conf",
    ".gemrc",
    ".condarc",
    // continuous integration
    ".gitlab-ci.yml",
    ".travis.yml",
    "Jenkinsfile",
    "azure-pipelines.yml",
    "azure-pipelines.yaml",
    ".cirrus.yml",
    ".build.yml",
    ".appveyor.yml",
    ".gitpod.yml",
    "buildspec.yml",
    "buildspec.yaml",
    "bitbucket-pipelines.yml",
    "appveyor.yml",
    ".drone.yml",
    ".drone.star",
    ".woodpecker*",
    "cloudbuild.yaml",
    "cloudbuild.yml",
    ".zuul.yaml",
    ".zuul.yml",
    ".replit",
    // agents
    ".mcp.json",
    ".claude.json",
    "opencode.json",
    "opencode.jsonc",
    ".aider.conf.yml",
];

/// Folders of a project from which programs are run or loaded, and names that agents obey. They are no protected folders:
/// much in them is made by hand or by tools, and asked about like any other file.
const RUN_FROM: &[&str] = &[
    "agents.md",
    "claude.md",
    ".vim",
    ".venv",
    "bin",
    "node_modules",
    "sbin",
    "site-packages",
    "vendor",
    "venv",
];

/// Folders of a project whose files agents obey or run, if they are where agents look for them.
const OBEYED: &[&str] = &["agents", "commands", "hooks", "prompts", "rules", "skills", "workflows"];

/// Places below the home folder that run at login.
const PROTECTED_PATHS: &[&str] = &[
    ".config/fish",
    ".config/nvim",
    ".config/autostart",
    ".config/systemd",
    ".config/environment.d",
    ".config/git",
    // helpers that clients run to sign in, and what they run for a word of their own
    ".aws/config",
    ".config/gh",
    ".docker/config.json",
    ".kube/config",
    ".local/bin",
    ".ssh",
    ".emacs.d",
    ".vim",
    "Library/LaunchAgents",
    ".cargo/bin",
    "bin",
];

/// Folders below the home folder with what package managers and toolchains installed: no projects of the user's own.
const DEPENDENCY_PATHS: &[&str] = &[
    ".bun/install",
    ".cache",
    ".cargo/git",
    ".cargo/registry",
    ".deno",
    ".gradle/caches",
    ".local/lib",
    ".local/share/pnpm",
    ".m2/repository",
    ".npm",
    ".nvm",
    ".pyenv",
    ".rbenv",
    ".rustup",
    ".yarn",
    "go/pkg",
];

/// The same for the machine, and where programs leave what they write for a while.
const SYSTEM_PATHS: &[&str] = &[
    "/bin",
    "/dev",
    "/lib",
    "/lib32",
    "/lib64",
    "/nix/store",
    "/opt",
    "/proc",
    "/sbin",
    "/sys",
    "/tmp",
    "/usr",
    "/var/lib",
    "/var/log",
    "/var/tmp",
];

/// Whether a folder holds what the system, package managers and toolchains installed, and no projects of the user's own.
pub(crate) fn is_dependency(path: &AbsPath, home: Option<&AbsPath>) -> bool {
    let is_system = SYSTEM_PATHS.iter().any(|folder| path.as_path().starts_with(folder));
    // Somebody's home may lie in one of them.
    let at_home = home.is_some_and(|home| path.is_inside(home));
    is_system && !at_home || is_below_home(path, home, DEPENDENCY_PATHS)
}

/// Whether a file is known to hold a secret: it is called like one, or lies where secrets are.
pub fn is_secret(path: &AbsPath, home: Option<&AbsPath>) -> bool {
    let name = name_of(path);
    if PUBLIC_NAMES.iter().any(|shown| matches_name(shown, &name)) || is_below_home(path, home, PUBLIC_PATHS)
    {
        return false;
    }
    SECRET_NAMES.iter().any(|secret| matches_name(secret, &name)) || is_secret_path(path, home)
}

/// Whether the client of a service signs in with this.
pub(crate) fn is_credentials(path: &AbsPath, home: Option<&AbsPath>) -> bool {
    is_below_home(path, home, CREDENTIAL_PATHS) && is_secret(path, home)
}

/// Whether something in `folder` whose name begins so may be a secret. A pattern that does not begin with a dot matches no
/// hidden file, and `*.rs` names what it ends with, which is not known here: only names that must begin so count.
pub(crate) fn may_be_secret(folder: &AbsPath, begins: &str, home: Option<&AbsPath>) -> bool {
    let in_place = is_secret_path(folder, home);
    let named = begins.starts_with('.')
        && begins.len() > 1
        && SECRET_NAMES.iter().any(|secret| secret.starts_with('.') && secret.starts_with(begins));
    in_place || named
}

/// Whether a file decides what runs later.
pub fn is_protected(path: &AbsPath, home: Option<&AbsPath>) -> bool {
    let parts: Vec<String> =
        path.as_path().components().map(|part| part.as_os_str().to_string_lossy().into_owned()).collect();
    let name = name_of(path);
    let by_folder = parts.iter().any(|part| PROTECTED_FOLDERS.contains(&part.as_str()));
    let by_pair = parts.windows(2).any(|pair| {
        matches!(pair, [first, second] if PROTECTED_PAIRS.contains(&(first.as_str(), second.as_str())))
    });
    let by_name = PROTECTED_NAMES.iter().any(|one| matches_name(one, &name));
    by_folder || by_pair || by_name || is_below_home(path, home, PROTECTED_PATHS)
}

/// Whether what is in this folder of a project decides what runs later, or what an agent does: too much for what is written
/// there without asking. Nobody knows all agents, so every folder with a dot counts, and what is in it; but not a folder
/// `plans` beside the settings, where many keep plans and nothing looks for anything else, nor one that is called `.plans`.
/// Both paths have their links followed. What does not lie in the project counts, too.
pub fn is_run_or_obeyed(folder: &AbsPath, project: &AbsPath, home: Option<&AbsPath>) -> bool {
    let Ok(below) = folder.as_path().strip_prefix(project) else { return true };
    let names: Vec<String> = below.iter().map(|name| name.to_string_lossy().to_lowercase()).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let is_hidden = names.iter().any(|name| name.starts_with('.') && *name != ".plans");
    let is_run_from = names.iter().any(|name| RUN_FROM.contains(name));
    let is_obeyed = names.first().is_some_and(|first| OBEYED.contains(first));
    match names.as_slice() {
        [".forelook" | ".claude", "plans"] => false,
        _ => is_run_from || is_hidden || is_obeyed || is_protected(&folder.join("plan.md"), home),
    }
}

/// Whether a folder is one that files which decide what runs later are kept in, by its own name or place: `.cargo`. What may
/// be deeper is not known.
pub(crate) fn may_hold_protected(path: &AbsPath, home: Option<&AbsPath>) -> bool {
    let at_home = |place: &&str| home.is_some_and(|home| home.join(place).is_inside(path));
    has_protected_files(&name_of(path)) || PROTECTED_PATHS.iter().any(at_home)
}

/// Whether a file or folder of this name may be a secret or protected by its name, whatever folder it is in. Quick, and yes
/// where it is not certain.
pub(crate) fn may_be_guarded(name: &str) -> bool {
    // All other names of the tables are told apart by comparing lengths, mostly; hidden files are few.
    let listed = |names: &[&str]| names.iter().any(|one| !one.starts_with('.') && matches_name(one, name));
    name.starts_with('.')
        || listed(SECRET_NAMES)
        || listed(PROTECTED_NAMES)
        || PROTECTED_PAIRS.iter().any(|(_, second)| *second == name)
        || PLACES.iter().any(|places| places.iter().any(|place| last_name(place) == name))
}

/// Whether some files in a folder of this name are protected, though the folder itself is not.
pub fn has_protected_files(name: &str) -> bool {
    PROTECTED_PAIRS.iter().any(|(first, _)| *first == name)
}

/// The names of files and folders that are secret or protected in any folder; a star stands for any text.
pub(crate) fn guarded_names() -> impl Iterator<Item = &'static str> {
    [SECRET_NAMES, PROTECTED_NAMES, PROTECTED_FOLDERS].into_iter().flatten().copied()
}

/// The same for a name in a folder of a name.
pub(crate) fn guarded_pairs() -> impl Iterator<Item = (&'static str, &'static str)> {
    PROTECTED_PAIRS.iter().copied()
}

/// The places that are secret or protected for where they lie.
pub(crate) fn guarded_places(home: &AbsPath) -> impl Iterator<Item = AbsPath> {
    let places = [SECRET_PATHS, CREDENTIAL_PATHS, PROTECTED_PATHS];
    places.into_iter().flatten().map(|place| home.join(place)).chain(machine_secrets())
}

/// Places that may lie in a working folder, if that is the home folder or above it.
const PLACES: [&[&str]; 4] = [SECRET_PATHS, CREDENTIAL_PATHS, PROTECTED_PATHS, MACHINE_SECRETS];

fn last_name(place: &str) -> &str {
    place.rsplit('/').next().unwrap_or(place)
}

/// The places below a home folder that hold secrets: those of the table, and files in it that are called so.
pub fn secret_places(home: &AbsPath) -> impl Iterator<Item = AbsPath> {
    let names = SECRET_NAMES.iter().filter(|name| !name.contains('*'));
    SECRET_PATHS.iter().chain(CREDENTIAL_PATHS).chain(names).map(|place| home.join(place))
}

/// The places below a home folder that run at login, and files in it that are called so.
pub fn protected_places(home: &AbsPath) -> impl Iterator<Item = AbsPath> {
    let names = PROTECTED_NAMES.iter().filter(|name| !name.contains('*'));
    PROTECTED_PATHS.iter().chain(PROTECTED_FOLDERS).chain(names).map(|place| home.join(place))
}

/// Files of the machine that hold secrets.
pub(crate) fn machine_secrets() -> impl Iterator<Item = AbsPath> {
    MACHINE_SECRETS.iter().filter_map(|path| AbsPath::new(path).ok())
}

fn is_secret_path(path: &AbsPath, home: Option<&AbsPath>) -> bool {
    let of_machine = || MACHINE_SECRETS.iter().any(|secret| path.as_path() == Path::new(secret));
    is_below_home(path, home, SECRET_PATHS) || is_below_home(path, home, CREDENTIAL_PATHS) || of_machine()
}

fn is_below_home(path: &AbsPath, home: Option<&AbsPath>, places: &[&str]) -> bool {
    let below = home.and_then(|home| path.as_path().strip_prefix(home).ok());
    below.is_some_and(|below| places.iter().any(|place| below.starts_with(place)))
}

fn name_of(path: &AbsPath) -> String {
    path.as_path().file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default()
}

fn matches_name(pattern: &str, name: &str) -> bool {
    match pattern.split_once('*') {
        Some((begin, end)) => {
            name.len() >= begin.len() + end.len() && name.starts_with(begin) && name.ends_with(end)
        }
        None => pattern == name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(text: &str) -> AbsPath {
        AbsPath::new(text).unwrap()
    }

    #[test]
    fn secrets() {
        let home = path("/home/ada");
        for (file, expected) in [
            ("/p/.env", true),
            ("/p/.env.production", true),
            ("/p/.env.example", false),
            ("/p/prod.env", true),
            ("/home/ada/.ssh/id_ed25519", true),
            ("/home/ada/.ssh/id_ed25519.pub", false),
            ("/home/ada/.ssh/known_hosts", false),
            ("/home/ada/.aws/credentials", true),
            ("/p/server.pem", true),
            ("/p/environment.rs", false),
            ("/p/.ENV", true),
            ("/p/.env-prod", true),
            ("/p/.env-example", false),
            ("/home/ada/.kube/prod", true),
            ("/home/ada/.claude.json", true),
            ("/home/ada/.config/rclone/rclone.conf", true),
            ("/home/ada/.cache/huggingface/token", true),
            ("/p/src/main.rs", false),
            ("/home/ada/.npmrc", true),
            ("/p/.npmrc", false),
            ("/home/ada/.m2/settings.xml", true),
            ("/home/ada/.bash_history", true),
            ("/home/ada/.local/share/fish/fish_history", true),
            ("/etc/shadow", true),
            ("/etc/passwd", false),
            ("/p/venv/certifi/cacert.pem", false),
        ] {
            assert_eq!(is_secret(&path(file), Some(&home)), expected, "{file}");
        }
        let by_name = SECRET_NAMES.iter().chain(PROTECTED_NAMES).chain(PROTECTED_FOLDERS);
        for name in by_name.map(|name| name.replace('*', "x")) {
            assert!(may_be_guarded(&name), "{name}");
        }
        for place in PLACES.iter().copied().flatten() {
            assert!(may_be_guarded(last_name(place)), "{place}");
        }
        assert!(!["main.rs", "README.md", "environment.rs", "src"].into_iter().any(may_be_guarded));
        assert!(may_be_secret(&path("/p"), ".e", Some(&home)));
        assert!(!may_be_secret(&path("/p"), "", Some(&home)));
        assert!(!may_be_secret(&path("/p"), "src", Some(&home)));
        assert!(may_be_secret(&path("/home/ada/.ssh"), "", Some(&home)));
    }

    /// One of each kind is below; what the tables list is listed there.
    #[test]
    fn everything_in_the_tables_is_protected_at_any_depth() {
        let names = PROTECTED_NAMES.iter().map(|name| name.replace('*', "x"));
        let folders = PROTECTED_FOLDERS.iter().map(|folder| format!("{folder}/x"));
        let pairs = PROTECTED_PAIRS.iter().map(|(first, second)| format!("{first}/{second}"));
        for name in names.chain(folders).chain(pairs) {
            for folder in ["/p", "/p/a/b"] {
                assert!(is_protected(&path(folder).join(&name), None), "{folder}/{name}");
            }
        }
    }

    #[test]
    fn folders_from_which_something_runs_or_is_obeyed() {
        let project = path("/p");
        for (folder, expected) in [
            ("plans", false),
            ("docs/plans", false),
            (".forelook/plans", false),
            ("combined", false),
            ("bin", true),
            ("tools/bin", true),
            ("node_modules/.bin", true),
            (".vim", true),
            ("AGENTS.md", true),
            (".github/hooks", true),
            (".helix", true),
            (".clinerules", true),
            (".claude/plans", false),
            ("sub/.claude/plans", true),
            (".plans", false),
            ("docs/.plans", false),
            (".agent/rules", true),
            (".trae/rules", true),
            (".augment/rules", true),
            (".qoder/rules", true),
            (".iflow/commands", true),
            (".unheard-of/rules", true),
            (".forelook/agents", true),
            ("commands", true),
            ("Agents", true),
            ("skills/x", true),
            ("docs/skills", false),
        ] {
            assert_eq!(is_run_or_obeyed(&project.join(folder), &project, None), expected, "{folder}");
        }
        assert!(is_run_or_obeyed(&path("/elsewhere/plans"), &project, None));
    }

    #[test]
    fn protected() {
        for (file, expected) in [
            ("/p/.git/config", true),
            ("/p/.git/hooks/pre-commit", true),
            ("/p/.gitignore", false),
            ("/p/.github/workflows/ci.yml", true),
            ("/p/.github/ISSUE_TEMPLATE.md", false),
            ("/p/.envrc", true),
            ("/p/AGENTS.md", false),
            ("/p/compose.yaml", false),
            ("/p/sub/.npmrc", true),
            ("/home/ada/.config/fish/config.fish", true),
            ("/home/ada/.config/other/x", false),
            ("/home/ada/p/bin/tool", false),
            ("/home/ada/bin/tool", true),
            ("/p/src/git/mod.rs", false),
            ("/p/package.json", false),
            ("/p/.hg/store/x", false),
            ("/p/mise.dev.toml", true),
            ("/p/.mvn/wrapper/maven-wrapper.jar", false),
            ("/p/.woodpecker.yml", true),
            ("/p/.yarn/cache/x.zip", false),
        ] {
            assert_eq!(is_protected(&path(file), Some(&path("/home/ada"))), expected, "{file}");
        }
    }
}
