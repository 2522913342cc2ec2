//! How much what runs inside may take, and what it may become.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, ExitCode};
use std::sync::Arc;

use forelook_sandbox::{ChildEnv, Fence, Program};

use crate::check::FENCES;
use crate::life::{raise, run, same, shell, until};
use crate::sys::is_root;

pub(crate) fn limits(base: &Path) -> Result<(), String> {
    for (name, layers) in FENCES {
        let fence = raise(base, layers)?;
        let said = |line: &str| run(&shell(Some(&fence), line)).map(|(output, _)| output.trim().to_owned());
        let limit =
            |what: &str| said(&format!("grep '^{what}' /proc/self/limits | tr -s ' ' | cut -d ' ' -f 4-5"));
        same(name, &limit("Max file size")?.split(' ').next(), &Some("2147483648"))?;
        same(name, &said("cat /proc/self/oom_score_adj")?.as_str(), &"500")?;
        // Whoever lowers it is told that it worked, and it stays.
        same(
            name,
            &said("ulimit -c 0 && grep '^Max core' /proc/self/limits | tr -s ' ' | cut -d ' ' -f 5-6")?
                .as_str(),
            &"1 1",
        )?;
        if layers.namespaces {
            let bytes: u64 = said("echo $(($(stat -f -c '%b * %S' /tmp)))")?.parse().unwrap();
            same(name, &(bytes > 0 && bytes <= 2 << 30), &true)?;
        }
    }
    Ok(())
}

/// Only where the fence's processes are counted apart. Elsewhere the limit is that of the user's processes, and
/// root has none.
pub(crate) fn fork_bomb(base: &Path) -> Result<(), String> {
    for (name, layers) in FENCES.into_iter().filter(|(_, layers)| layers.namespaces) {
        let fence = raise(base, layers)?;
        let program = base.join("bin/attacks");
        let mut program = Program::new(program, ChildEnv::default(), "/").arg("--bomb");
        program.fence = Some(fence);
        let (output, _) = run(&program)?;
        let count: u32 = output.trim().parse().map_err(|_| format!("{name}: {output}"))?;
        same(&format!("{name}: {count} processes"), &(count > 1000 && count < 4096), &true)?;
        same("outside", &Command::new("true").status().is_ok_and(|status| status.success()), &true)?;
    }
    Ok(())
}

/// The bomb: how many could be started. Far too many are not tried: outside of a fence nothing would hold it.
pub(crate) fn bomb() -> ExitCode {
    let mut count = 0;
    while count < 6000 {
        // SAFETY: there is one thread.
        match unsafe { libc::fork() } {
            -1 => break,
            0 => loop {
                // SAFETY: it takes nothing.
                unsafe { libc::pause() };
            },
            _ => count += 1,
        }
    }
    println!("{count}");
    ExitCode::SUCCESS
}

/// Who may read a file may lock it, and others wait. That hurts as long as the fence stands, and not longer.
pub(crate) fn locks_end_with_the_fence(base: &Path) -> Result<(), String> {
    let file = base.join(format!("locked-{}", std::process::id()));
    std::fs::write(&file, "x").map_err(|error| error.to_string())?;
    let locked = || {
        Command::new("flock").arg("-n").arg(&file).arg("true").status().is_ok_and(|status| !status.success())
    };
    for (name, layers) in FENCES {
        let line = format!("setsid flock {} sleep 99 & sleep 0.2; exit 0", file.display());
        let program = shell(Some(&raise(base, layers)?), &line);
        run(&program)?;
        same(name, &locked(), &true)?;
        drop(program);
        until("the lock is free", || !locked())?;
    }
    std::fs::remove_file(file).map_err(|error| error.to_string())
}

/// No program gains rights by being run, whoever owns it. (Only root can make one that would: see [`set_user_id`].)
pub(crate) fn no_more_rights(base: &Path) -> Result<(), String> {
    for (name, layers) in FENCES {
        let (said, _) = run(&shell(Some(&raise(base, layers)?), "grep NoNewPrivs /proc/self/status"))?;
        same(name, &said.split_whitespace().next_back(), &Some("1"))?;
    }
    Ok(())
}

/// A program of root's that everybody may run as root. Only root can make one; nobody tries it.
pub(crate) fn set_user_id(base: &Path) -> Result<(), String> {
    let (program, owned) = (base.join("bin/set-user-id"), base.join("owned"));
    if is_root() {
        let line = "cp \"$0/bin/attacks\" \"$0/bin/set-user-id\" && chmod 4755 \"$0/bin/set-user-id\" && echo x > \"$0/owned\"";
        let made = Command::new("sh").args(["-c", line]).arg(base).status();
        return same("made", &made.is_ok_and(|status| status.success()), &true);
    }
    let size = || std::fs::metadata(&owned).map_or(0, |meta| meta.len());
    let attack = |fence: Option<Arc<Fence>>| {
        let mut attack = Program::new(&program, ChildEnv::default(), "/").arg("--append").arg(&owned);
        attack.fence = fence;
        let before = size();
        run(&attack).map(|_| size() != before)
    };
    same("outside", &attack(None)?, &true)?;
    FENCES.into_iter().try_for_each(|(name, layers)| same(name, &attack(Some(raise(base, layers)?))?, &false))
}

/// What that program does.
pub(crate) fn append(path: &str) -> ExitCode {
    let done = std::fs::File::options().append(true).open(path).and_then(|mut file| file.write_all(b"x"));
    if done.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
