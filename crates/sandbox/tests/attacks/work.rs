//! What a fence must not change: ordinary work, and what is told where it cannot be raised.

use std::path::Path;
use std::sync::Arc;

use forelook_sandbox::{ChildExit, Fence, FencePolicy, KernelLayers};

use crate::check::FENCES;
use crate::life::{raise, run, same, shell};

/// Lines that read, with the same output and end everywhere.
const READING: &[&str] = &[
    "ls -la /usr/bin | wc -l",
    "find /etc -maxdepth 1 2> /dev/null | sort | head -50",
    "grep -rc root /etc/passwd",
    "tar cf - -C /etc hostname passwd | wc -c",
    "seq 100000 | sort --parallel=4 -n | tail -1",
    "seq 100 | xargs -P 8 -n 1 echo | sort -n | tail -1",
    "perl -e 'pipe(A, B); if (fork) { wait; print 1 } else { exit 3 }; print $? >> 8'",
    "perl -MSocket -e 'socketpair(A, B, AF_UNIX, SOCK_STREAM, 0) or die; syswrite A, q(x); sysread B, $x, 1; print $x'",
    "perl -e '$SIG{USR1} = sub { print 1 }; kill USR1 => $$; print 2'",
    "sh -c 'kill -TERM $$'; echo $?",
    "perl -e 'if ($p = fork) { kill TERM => $p; wait; print $? & 127 } else { sleep 30 }'",
    "bash -c 'cat < <(echo a) - <<< b; echo ${PIPESTATUS[@]}'",
    "bash -c 'ulimit -c 0 && ulimit -n 64 && ulimit -n'",
    "timeout 0.1 sleep 5; echo $?",
    "nice -n 5 nice",
    "stty size < /dev/null; tty; test -t 1; echo $?",
    "cat /dev/null; head -c 3 /dev/zero | od -c; echo x > /dev/null; echo y > /dev/full; echo $?",
    "cat /dev/stdin < /etc/passwd | wc -l; echo a > /dev/stderr; echo b > /dev/fd/1",
    "head -c 8 /dev/urandom | wc -c",
    "git --version; git -C /etc status 2> /dev/null; echo $?",
    "date -r /etc/passwd; readlink /proc/self/exe; test -r /proc/self/maps; echo $?",
    "umask; id -u; pwd; hostname; uname -a",
];

/// Lines that need scratch, which only namespaces have: each in a folder of its own that was not there before.
const SCRATCH: &[&str] = &[
    "echo x > f && chmod 600 f && mv f g && cat g && rm g && ls",
    "mkdir -p d/e && ln -s d l && touch d/f && ln d/f h && ls l h",
    "git init -q . && git -c user.name=a -c user.email=b commit -q --allow-empty -m x && git log --oneline | wc -l",
    "sqlite3 x.db 'create table t (a); insert into t values (7); select a from t'",
    "perl -e 'open F, q(+>), q(x) or die; print F q(x); close F; print -s q(x); unlink q(x) or die'",
    "mkfifo p && (echo through > p &) && cat p",
];

pub(crate) fn ordinary_work(base: &Path) -> Result<(), String> {
    for (name, layers) in FENCES {
        let fence = raise(base, layers)?;
        let scratch = if layers.namespaces { SCRATCH } else { &[] };
        let apart = |line: &&str| format!("d=$(mktemp -d) && cd $d && ({line}); cd / && rm -rf \"${{d:?}}\"");
        let lines = READING.iter().map(|line| (*line).to_owned()).chain(scratch.iter().map(apart));
        for line in lines {
            let line = line.as_str();
            let mut program = shell(Some(&fence), line);
            if let Some(scratch) = fence.scratch() {
                program.env.set("TMPDIR", scratch);
            }
            same(&format!("{name}: {line}"), &run(&program), &run(&shell(None, line)))?;
        }
    }
    Ok(())
}

/// What works in the folder that Landlock alone gives: all but changing modes and the like.
const PLAIN_SCRATCH: &[&str] = &[
    "echo x > f && mv f g && cat g && rm g && ls",
    "mkdir -p d/e && ln -s d l && : > d/f && mv d/f d/e/g && ls l/e && rm -r d l",
    "mktemp && d=$(mktemp -d) && rmdir $d",
    "seq 100000 | sort -n -S 100k | tail -1",
    "sqlite3 x.db 'create table t (a); insert into t values (7); select a from t'",
];

/// Landlock has no scratch of its own: it gives the folder that it was told, and nothing beside it.
pub(crate) fn scratch_without_namespaces(base: &Path) -> Result<(), String> {
    let scratch = base.join(format!("scratch-{}", std::process::id()));
    std::fs::create_dir_all(scratch.join("in")).map_err(|error| error.to_string())?;
    let policy = FencePolicy {
        folders: vec![base.into()],
        scratch: Some(scratch.join("in")),
        ..FencePolicy::default()
    };
    let layers = KernelLayers { namespaces: false, ..KernelLayers::ALL };
    let fence = Arc::new(Fence::raise(&policy, layers).map_err(|error| error.to_string())?);
    let in_scratch = |line: &str| {
        let mut program = shell(Some(&fence), line);
        program.folder = scratch.join("in");
        program.env.set("TMPDIR", scratch.join("in"));
        run(&program)
    };
    for line in PLAIN_SCRATCH {
        let (output, ending) = in_scratch(line)?;
        same(&format!("{line}: {output}"), &ending, &ChildExit::Exited(0))?;
    }
    for line in [
        ": > ../f",
        "mkdir ../d",
        ": > f; mv f ..",
        ": > /tmp/forelook-f",
        ": > /dev/shm/forelook-f",
        "rmdir ../in",
    ] {
        same(line, &in_scratch(line)?.1.is_success(), &false)?;
    }
    same("beside it", &std::fs::read_dir(&scratch).unwrap().count(), &1)?;
    forelook_sandbox::remove_overlay(&scratch).map_err(|error| error.to_string())
}

/// Started where namespaces are switched off: Landlock takes over, and a person is told what to change.
pub(crate) fn namespaces_refused(base: &Path) -> Result<(), String> {
    let available = KernelLayers::available();
    let words = available.describe();
    same(&words[0], &words[0].contains("user.max_user_namespaces"), &true)?;
    let alone = KernelLayers { namespaces: false, ..KernelLayers::ALL };
    same("layers", &available.layers(), &Some(alone))?;
    let refused =
        Fence::raise(&FencePolicy::default(), KernelLayers::ALL).err().map(|error| error.to_string());
    same(&format!("{refused:?}"), &refused.is_some_and(|words| words.starts_with("Namespaces: ")), &true)?;
    let line = format!("cd {} && touch here", base.display());
    same("touch", &run(&shell(Some(&raise(base, alone)?), &line))?.1, &ChildExit::Exited(1))
}
