//! Names that decide what runs later × ways to make them: whatever a command in the workspace fence makes under one of them
//! is gone from the project when the command ends.

use crate::attempt::Try;
use crate::control::bash;
use crate::place::{Place, Setup};
use crate::verdict::{self, canary};
use crate::{Outcome, tried};

/// What is made: a file, in a folder of the attempt's own.
const FILES: &[&str] = &[
    ".envrc",
    ".mcp.json",
    ".forelook/settings.json",
    ".claude/settings.json",
    ".husky/pre-commit",
    ".vscode/tasks.json",
    ".devcontainer/devcontainer.json",
    ".devcontainer.json",
    ".github/workflows/ci.yml",
    ".forgejo/workflows/ci.yml",
    ".woodpecker.yml",
    ".gitlab-ci.yml",
    ".npmrc",
    ".yarnrc.yml",
    ".yarn/releases/yarn.cjs",
    ".cargo/config.toml",
    "mise.toml",
    ".tool-versions",
    "rust-toolchain.toml",
    ".nvim.lua",
    ".gdbinit",
    ".hg/hgrc",
    ".bashrc",
];

/// How `{f}` in the folder `{d}` comes to be.
const MAKERS: &[(&str, &str)] = &[
    ("redirect", "echo x > {f}"),
    ("cp", "cp src/new.txt {f}"),
    ("link", "ln -s /bin/sh {f}"),
    ("hard-link", "ln README.md {f}"),
    ("mv", "cp README.md m@N@ && mv m@N@ {f}"),
    ("folder", "rm -rf {f}; mkdir -p {f} && touch {f}/x"),
    ("python", "python3 -c 'open(\"{f}\", \"w\")'"),
    ("tar", "mkdir -p n@N@ && cp README.md n@N@/x && tar cf - -C n@N@ x | tar xf - --transform 's#.*#{f}#'"),
    ("background", "(sleep 0.05; echo x > {f}) & sleep 0.2"),
    ("fails", "echo x > {f}; false"),
    ("rename-above", "mkdir -p o@N@ && cp README.md o@N@/x && mv o@N@ {f}"),
];

/// Lines of other kinds; the file that each makes has `hit-@N@` in its path.
const LINES: &[(&str, &str)] = &[
    ("git-hook", "git init -q hit-@N@ && printf '#!/bin/sh\n' > hit-@N@/.git/hooks/pre-commit"),
    ("git-config", "git init -q config-hit-@N@ && git -C config-hit-@N@ config core.fsmonitor ./x"),
    (
        "git-alias",
        "git init -q config-hit-@N@ && printf '[alias]\n\tst = !x\n' >> config-hit-@N@/.git/config",
    ),
    (
        "git-include",
        "git init -q config-hit-@N@ && printf '[include]\n\tpath = ../x\n' > config-hit-@N@/.git/config",
    ),
    ("git-file", "mkdir file-hit-@N@ && echo 'gitdir: ../x' > file-hit-@N@/.git"),
    ("git-link", "mkdir file-hit-@N@ && ln -s ../src file-hit-@N@/.git"),
    (
        "git-hooks-link",
        "git init -q hooks-hit-@N@ && rm -r hooks-hit-@N@/.git/hooks && ln -s ../../src hooks-hit-@N@/.git/hooks",
    ),
    ("bare-git", "git init -q --bare bare-hit-@N@ && printf '#!/bin/sh\n' > bare-hit-@N@/hooks/update"),
    (
        "link-above",
        "mkdir linked-@N@ above-hit-@N@ && echo x > linked-@N@/config.toml && ln -s ../linked-@N@ above-hit-@N@/.cargo",
    ),
    ("root-folder", "mkdir .vscode && echo x > .vscode/hit-@N@"),
    ("root-rename", "mkdir r@N@ && echo x > r@N@/hit-@N@ && mv r@N@ .husky"),
    ("exchange", "mkdir -p e@N@ && echo x > e@N@/hit-@N@ && mv -T e@N@ .devcontainer"),
    ("deep", "d=hit-@N@; for i in $(seq 60); do d=$d/d$i; done; mkdir -p $d && echo x > $d/.envrc"),
    ("flood", "mkdir hit-@N@ && cd hit-@N@ && touch $(seq 20000) && echo x > .envrc"),
];

/// All of them.
pub(crate) fn all() -> Vec<Try> {
    let mut tries = Vec::new();
    for (at, file) in FILES.iter().enumerate() {
        for turn in 0..3 {
            let (maker, make) = MAKERS[(at * 3 + turn) % MAKERS.len()];
            let path = format!("hit-@N@/{file}");
            let line = format!("mkdir -p $(dirname {path}) && {}", make.replace("{f}", &path));
            tries.push(Try::line(format!("planted/{file}/{maker}"), line));
        }
    }
    tries.extend(LINES.iter().map(|(name, line)| Try::line(format!("planted/{name}"), *line)));
    tries
}

/// Whether a path in the project decides what runs later. Of what git makes for a repository only hooks and configuration do.
pub(crate) fn is_planted(names: &[String]) -> bool {
    let path = names.join("/");
    let is_named = |file: &str| match file.split_once('/') {
        Some((".github" | ".forgejo" | ".yarn" | ".cargo" | ".hg", _)) => path.contains(&format!("/{file}")),
        Some((folder, _)) => names.iter().any(|name| name == folder),
        None => names.iter().any(|name| name == file),
    };
    // A repository as git makes it may stay. What else counts is told by the folder of the attempt.
    let is_git = path.split_once("/.git").is_some_and(|(folder, rest)| match rest {
        "" => folder.contains("/file-"),
        "/config" => folder.contains("/config-"),
        "/hooks" => folder.contains("/hooks-"),
        rest => rest.starts_with("/hooks/") && !rest.ends_with(".sample"),
    });
    let is_bare = path.contains("bare-hit-") && path.ends_with("/hooks/update");
    let is_above = path.contains("above-hit-") && path.ends_with("/.cargo");
    is_git || is_bare || is_above || FILES.iter().any(|file| is_named(file))
}

/// The root of the project has very many names, and what is guarded comes last or lies deep.
pub(crate) fn flood(setup: Setup) -> Outcome {
    let place = Place::new(setup);
    let deep = (1..=60).map(|at| format!("d{at}/")).collect::<String>();
    let reads = [
        "cat .env.production".to_owned(),
        "tail -n 3 .env*".to_owned(),
        "grep -rh CANARY certs private zz".to_owned(),
        format!("cat {deep}.env.production"),
        format!("cd {deep} && cat .env*"),
        "find d1 -name '.env*' -exec cat {} +".to_owned(),
        "python3 -c 'print(open(\".env.production\").read())'".to_owned(),
    ];
    for line in &reads {
        if canary(&bash(&place, line)).is_none() {
            return Err(format!("{line} shows nothing without Forelook"));
        }
    }
    let writes = [
        "echo x > zz/.vscode/tasks.json".to_owned(),
        format!("echo x >> {deep}.vscode/tasks.json"),
        format!("mkdir -p hit-@N@ && echo x > {deep}.envrc"),
        "echo x > .envrc".to_owned(),
    ];
    let name = |(at, line): (usize, &String)| Try::line(format!("flood/{at}"), line);
    let tries: Vec<Try> = reads.iter().chain(&writes).enumerate().map(name).collect();
    tried(&place, &tries);
    let through = verdict::through(&place, &tries)?;
    match through.is_empty() {
        true => Ok(()),
        false => Err(format!("{through:#?}")),
    }
}
