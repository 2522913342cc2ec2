//! Attacks on what is held in a folder that may be written to: what decides what a person's own programs run later.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use forelook_sandbox::{ChildExit, Fence, FencePolicy, KernelLayers, remove_overlay};

use crate::check::FENCES;
use crate::life::{run, same, shell};
use crate::snapshot::{self, Snapshot, difference};

/// Each changes what is held, where nothing holds it.
const ATTACKS: &[&str] = &[
    "echo evil >> .envrc",
    "rm -f .envrc",
    "mv .envrc x",
    "echo evil > x && mv -f x .envrc",
    "ln -sf x .envrc",
    "ln .envrc x && echo evil > x",
    "chmod 777 .envrc",
    "touch .envrc",
    "truncate -s 0 .envrc",
    "sed -i s/was/is/ .envrc",
    "echo evil > .git/hooks/pre-commit",
    "cd .git/hooks && echo evil > post-commit",
    "mkdir .git/hooks/x",
    "rm -rf .git/hooks",
    "mv .git/hooks .git/x",
    "mv .git/hooks x && mkdir .git/hooks",
    "git config core.pager evil",
    "cp .git/config x && mv x .git/config",
    "rm -rf .git",
    "mv .git x",
    "mv .git x && mkdir -p .git/hooks && echo evil > .git/hooks/pre-commit",
    "cp -a .git x && rm -rf .git; mv x .git",
    "perl -e 'rename q(.git), q(x) or die'",
    "mkdir x && perl -e '($a, $b) = qw(.git x); syscall RENAME, -100, $a, -100, $b, 2'",
    "mkdir x && perl -e '($a, $b) = qw(x .git); syscall RENAME, -100, $a, -100, $b, 2'",
    "mv sub x",
    "mv sub/deep sub/x && mkdir sub/deep && echo evil > sub/deep/.envrc",
    "rm -rf sub",
    "rm link",
    "ln -sfn x link",
    "mv link x",
    "echo evil > link",
    "rm target/run",
    "mv target x && mkdir target && echo evil > target/run",
    "rm chain",
    "ln -sf x second",
    "mv \"$PWD\" \"$PWD-x\"",
    "cd .. && mv project x && mkdir project && echo evil > project/.envrc",
    "find . -name .envrc -delete",
    "tar cf - .envrc | (sleep 0.01; tar xf - --overwrite)",
    "mount --bind x .git/hooks || rm .envrc",
    "umount .git/hooks; umount -l .envrc; rm -rf .git/hooks .envrc",
];

/// What must work beside it.
const HONEST: &[&str] = &[
    "echo x > new && mv new newer && ln newer newest && chmod 600 newest && rm newer newest",
    "mkdir -p sub/deep/er && echo x > sub/deep/er/x && mv sub/deep/er sub/deep/est && rm -r sub/deep/est",
    "cat .envrc link chain .git/config sub/deep/.envrc target/run > /dev/null && ls .git/hooks > /dev/null",
    "git add . && git -c user.name=a -c user.email=b commit -qm x && git checkout -qb other && git status > /dev/null",
    "git rm -q plain && git -c user.name=a -c user.email=b commit -qm y && git reset -q --hard HEAD~1 && test -f plain",
    "echo x > target/new && rm target/new",
];

/// Each makes a file that runs as its owner.
const RUN_AS_OWNER: &[&str] = &[
    "chmod u+s plain",
    "chmod g+s plain",
    "chmod 6755 plain",
    "install -m 4755 plain x",
    "perl -e 'chmod 04755, q(plain) or die'",
    "perl -e 'open(F, q(>), q(x)); chmod 02755, *F or die'",
    "perl -e 'sysopen(F, q(x), 0101, 04755) or die'",
    "perl -e '$p = q(plain); syscall 452, -100, $p, 04755, 0'",
    "perl -e '($p, $how) = (q(x), pack(q(QQQ), 0101, 04755, 0)); syscall OPENAT2, -100, $p, $how, 24'",
    "perl -e '$p = q(x); syscall MKNODAT, -100, $p, 0104755, 0'",
];

const HELD: &[&str] =
    &[".envrc", ".git/hooks", ".git/config", "sub/deep/.envrc", "link", "chain", "not-there"];
/// What the links lead to as well.
const LOOKED_AT: &[&str] =
    &[".envrc", ".git/hooks", ".git/config", "sub/deep/.envrc", "link", "chain", "second", "target/run"];

struct Project(PathBuf);

impl Project {
    fn new(base: &Path) -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let project = Self(base.join(format!("held-{}-{number}", std::process::id())));
        fs::create_dir_all(project.folder().join("sub/deep")).unwrap();
        let line = format!(
            "cd {} && git init -q . && rm -rf .git/hooks && mkdir .git/hooks target && for f in .envrc .git/hooks/pre-push \
             sub/deep/.envrc target/run plain; do echo as it was > $f; done && ln -s target/run link && ln -s link second \
             && ln -s sub/../second chain",
            project.folder().display()
        );
        assert_eq!(run(&shell(None, &line)).unwrap(), (String::new(), ChildExit::Exited(0)));
        project
    }

    fn folder(&self) -> PathBuf {
        self.0.join("project")
    }

    fn look(&self) -> Snapshot {
        let mut seen = Snapshot::new();
        for name in LOOKED_AT {
            snapshot::add(&mut seen, name, &self.folder().join(name));
        }
        seen
    }

    fn fence(&self, layers: KernelLayers) -> Result<Arc<Fence>, String> {
        let protected = HELD.iter().map(|name| self.folder().join(name)).collect();
        let policy = FencePolicy { writable: vec![self.folder()], protected, ..FencePolicy::default() };
        Fence::raise(&policy, layers).map(Arc::new).map_err(|error| format!("{layers:?}: {error}"))
    }
}

impl Drop for Project {
    fn drop(&mut self) {
        remove_overlay(&self.0).unwrap();
    }
}

/// What the line changed of it.
fn changed(project: &Project, fence: Option<&Arc<Fence>>, line: &str) -> Result<Vec<String>, String> {
    // Who looks changes when it was read, once.
    project.look();
    let before = project.look();
    let line = line.replace("RENAME", &libc::SYS_renameat2.to_string());
    run(&shell(fence, &format!("cd {} && {line}", project.folder().display())))?;
    Ok(difference(&before, &project.look()))
}

/// Most of the time is spent waiting for the kernel.
fn side_by_side(check: impl Fn(&str) -> Result<(), String> + Sync) -> Result<(), String> {
    std::thread::scope(|scope| {
        let check = &check;
        let lines = ATTACKS.chunks(ATTACKS.len().div_ceil(6));
        let threads: Vec<_> =
            lines.map(|lines| scope.spawn(move || lines.iter().try_for_each(|line| check(line)))).collect();
        threads.into_iter().try_for_each(|thread| thread.join().unwrap())
    })
}

pub(crate) fn is_held(base: &Path) -> Result<(), String> {
    side_by_side(|line| {
        same(&format!("outside: {line}"), &changed(&Project::new(base), None, line)?.is_empty(), &false)
    })?;
    for (name, layers) in FENCES.into_iter().filter(|(_, layers)| layers.namespaces) {
        side_by_side(|line| {
            let project = Project::new(base);
            let fence = project.fence(layers)?;
            same(&format!("{name}: {line}"), &changed(&project, Some(&fence), line)?, &Vec::new())?;
            same(line, &fence.is_active(), &true)
        })?;
        let project = Project::new(base);
        let fence = project.fence(layers)?;
        for line in HONEST {
            let line = format!("cd {} && {line}", project.folder().display());
            let done = run(&shell(Some(&fence), &line))?;
            same(&format!("{name}: {line}"), &done, &(String::new(), ChildExit::Exited(0)))?;
        }
    }
    let refused = Project::new(base).fence(KernelLayers { namespaces: false, ..KernelLayers::ALL });
    same("without namespaces", &refused.is_err_and(|words| words.contains("requires namespaces")), &true)
}

/// Nothing that is made inside runs as its owner, whoever starts it later.
pub(crate) fn runs_as_starter(base: &Path) -> Result<(), String> {
    let made = |fence: Option<&Arc<Fence>>, project: &Project, line: &str| {
        let line = line
            .replace("OPENAT2", &libc::SYS_openat2.to_string())
            .replace("MKNODAT", &libc::SYS_mknodat.to_string());
        let look = "find . -path ./.git -prune -o -perm /6000 -print";
        let line = format!("cd {} && {{ {line}; }} 2> /dev/null; {look}", project.folder().display());
        run(&shell(fence, &line)).map(|(output, _)| output)
    };
    for line in RUN_AS_OWNER {
        same(&format!("outside: {line}"), &made(None, &Project::new(base), line)?.is_empty(), &false)?;
        for (name, layers) in FENCES.into_iter().filter(|(_, layers)| layers.namespaces && layers.seccomp) {
            let project = Project::new(base);
            let fence = project.fence(layers)?;
            same(&format!("{name}: {line}"), &made(Some(&fence), &project, line)?, &String::new())?;
        }
    }
    Ok(())
}

/// A mount goes with what it is on, if somebody outside replaces that. Then the fence is told to hold no longer.
pub(crate) fn is_replaced(base: &Path) -> Result<(), String> {
    for line in [
        "echo x > x && mv x .envrc",
        "rm .envrc",
        "git config a.b c",
        "mv .git x",
        "touch not-there",
        "ln -sf plain second",
    ] {
        let project = Project::new(base);
        let fence = project.fence(KernelLayers::ALL)?;
        run(&shell(
            None,
            &format!("cd {} && echo x > plain && echo y >> .git/HEAD", project.folder().display()),
        ))?;
        same(line, &fence.is_active(), &true)?;
        run(&shell(None, &format!("cd {} && {line}", project.folder().display())))?;
        same(line, &fence.is_active(), &false)?;
        let again = project.fence(KernelLayers::ALL)?;
        same(line, &again.is_active(), &true)?;
        let evil = "for f in .envrc .git/config not-there; do test ! -e $f || echo evil >> $f; done";
        same(line, &changed(&project, Some(&again), evil)?, &Vec::new())?;
    }
    Ok(())
}
