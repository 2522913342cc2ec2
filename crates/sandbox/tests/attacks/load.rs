//! A fence under load: many programs, from many threads, large ones, and ones that do not begin.

use std::path::Path;
use std::sync::Arc;

use forelook_sandbox::{ChildExit, Fence};

use crate::check::FENCES;
use crate::life::{cell, raise, run, same, shell, until};
use crate::sys::is_root;

pub(crate) fn starts_from_many_threads(base: &Path) -> Result<(), String> {
    for (name, layers) in FENCES {
        let fence = raise(base, layers)?;
        let starts = |thread: usize| {
            (0..20).try_for_each(|number| {
                let word = format!("{thread}-{number}");
                let program = shell(Some(&fence), &format!("echo {word} && exit {number}"));
                same(name, &run(&program)?, &(format!("{word}\n"), ChildExit::Exited(number)))
            })
        };
        std::thread::scope(|scope| {
            let threads: Vec<_> = (0..8).map(|thread| scope.spawn(move || starts(thread))).collect();
            threads.into_iter().try_for_each(|thread| thread.join().unwrap())
        })?;
    }
    Ok(())
}

/// However many programs it has started, some of them in vain, the cell is as it was.
pub(crate) fn lasts(base: &Path) -> Result<(), String> {
    for (name, layers) in FENCES {
        let fence = raise(base, layers)?;
        let cell = cell()?;
        let about = || {
            let status = std::fs::read_to_string(format!("/proc/{cell}/status")).unwrap();
            let size = status.lines().find(|line| line.starts_with("VmSize")).map(str::to_owned);
            // Only root may look at them.
            let descriptors = std::fs::read_dir(format!("/proc/{cell}/fd")).map(Iterator::count);
            assert!(descriptors.is_ok() || !is_root());
            (size, descriptors.ok())
        };
        let mut program = shell(Some(&fence), "(true &) ; exit 3");
        same(name, &run(&program)?.1, &ChildExit::Exited(3))?;
        let before = about();
        for _ in 0..100 {
            same(name, &run(&program)?.1, &ChildExit::Exited(3))?;
        }
        program.path = "/no/such/program".into();
        (0..20).for_each(|_| assert!(run(&program).is_err()));
        same(name, &about(), &before)?;
        same(name, &fence.is_active(), &true)?;
    }
    Ok(())
}

/// A start that fails inside leaves no dead child, which nobody would ever wait for; and the first process inside, which
/// waits for all others when it ends, is not kept by one.
pub(crate) fn failed_starts_leave_nothing(base: &Path) -> Result<(), String> {
    let children = |pid: i32| {
        let read = std::fs::read_to_string(format!("/proc/{pid}/task/{pid}/children"));
        read.unwrap().split_whitespace().map(|word| word.parse().unwrap()).collect::<Vec<i32>>()
    };
    let own = std::process::id() as i32;
    for (name, layers) in FENCES {
        let fence = raise(base, layers)?;
        let (cell, good) = (cell()?, shell(Some(&fence), "exit 3"));
        let inside = children(cell);
        let (mut missing, mut gone, mut large) = (good.clone(), good.clone(), good.clone());
        missing.path = "/no/such/program".into();
        gone.folder = base.join("no-such-folder");
        large.args.push("x".repeat(200_000).into());
        for _ in 0..20 {
            for program in [&missing, &gone, &large] {
                same(name, &run(program).is_err(), &true)?;
            }
        }
        same(name, &children(own), &vec![cell])?;
        same(name, &run(&good)?.1, &ChildExit::Exited(3))?;
        drop((fence, good, missing, gone, large));
        same(name, &children(own), &Vec::new())?;
        let left = || inside.iter().any(|pid| Path::new(&format!("/proc/{pid}")).exists());
        until(&format!("nothing is left of `{name}`"), || !left())?;
    }
    Ok(())
}

/// As without a fence: what is large works, and what is too large for the kernel is told so.
pub(crate) fn large_requests(base: &Path) -> Result<(), String> {
    for (name, layers) in FENCES {
        let fence = raise(base, layers)?;
        for (variables, words) in [(14, 5000), (1, 60_000), (40, 0)] {
            let program = |fence: Option<&Arc<Fence>>| {
                let mut program = shell(fence, "echo $# ${#V0} && env | wc -c").arg("sh");
                (0..variables).for_each(|number| program.env.set(format!("V{number}"), "x".repeat(100_000)));
                program.args.extend((0..words).map(|number: i32| number.to_string().into()));
                program
            };
            same(name, &run(&program(Some(&fence))), &run(&program(None)))?;
        }
        same("after that", &run(&shell(Some(&fence), "exit 3"))?.1, &ChildExit::Exited(3))?;
    }
    Ok(())
}
