//! A fence that only masks: what it hides, and that it changes nothing else.
//!
//! Root mounts the masks by its own right and keeps it, so it can lift them. Everybody else gets them in a user namespace,
//! where they hold.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;

use forelook_sandbox::{ChildExit, Fence, FencePolicy, FenceScope, KernelLayers, Program};

use crate::life::{run, same, shell, sleepers, until};

/// What nobody may read.
const SECRET: &str = "planted";

/// A project, a link to a masked file, and files and a folder that are masked.
struct Project(PathBuf);

impl Project {
    fn new(base: &Path, name: &str) -> Self {
        let folder = base.join(format!("masks-{name}-{}", std::process::id()));
        fs::create_dir_all(folder.join("closed/deep")).unwrap();
        fs::create_dir_all(folder.join("sub")).unwrap();
        for file in ["secret", "sub/secret", "closed/secret", "closed/deep/secret"] {
            fs::write(folder.join(file), SECRET).unwrap();
        }
        fs::write(folder.join("open"), "as it was\n").unwrap();
        symlink("secret", folder.join("link")).unwrap();
        Self(folder)
    }

    fn fence(&self) -> Result<Arc<Fence>, String> {
        let policy = FencePolicy {
            scope: FenceScope::MasksOnly,
            masked: ["link", "sub/secret", "closed", "closed/secret", "not-there"]
                .map(|name| self.0.join(name))
                .to_vec(),
            ..FencePolicy::default()
        };
        Fence::raise(&policy, KernelLayers::ALL).map(Arc::new).map_err(|error| error.to_string())
    }

    fn line(&self, fence: Option<&Arc<Fence>>, line: &str) -> Program {
        shell(fence, &format!("cd {} || exit 99; {line}", self.0.display()))
    }

    fn read(&self, file: &str) -> String {
        fs::read_to_string(self.0.join(file)).unwrap_or_default()
    }
}

impl Drop for Project {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Whether somebody in such a fence may unmount: then masks hold nobody who wants to lift them.
fn may_unmount() -> bool {
    let status = fs::read_to_string("/proc/self/status").unwrap();
    let effective = status.lines().find_map(|line| line.strip_prefix("CapEff:")).unwrap();
    u64::from_str_radix(effective.trim(), 16).unwrap() & (1 << 21) != 0
}

pub(crate) fn hide(base: &Path) -> Result<(), String> {
    let project = Project::new(base, "hide");
    let fence = project.fence()?;
    let inside = |line: &str| run(&project.line(Some(&fence), line));
    // None of these shows it, and none changes it.
    for line in [
        "cat secret",
        "cat link",
        "cat sub/secret",
        "cat closed/secret",
        "cat closed/deep/secret",
        "cp secret copy",
        "cp link copy",
        "ln secret copy",
        "mv secret copy",
        "rm -f secret",
        "mv closed moved",
        "echo x > secret",
        "echo x >> sub/secret",
        "echo x > closed/new",
        "dd if=secret",
        "mv open secret",
        "ln -sf open secret",
    ] {
        let (output, ending) = inside(line)?;
        if output.contains(SECRET) || ending == ChildExit::Exited(0) {
            return Err(format!("{line}: {output} {ending:?}"));
        }
    }
    for line in ["ls closed", "grep -rs planted .", "find . -type f -exec cat {} +", "cat */*"] {
        let (output, _) = inside(line)?;
        same(line, &output.contains(SECRET), &false)?;
    }
    // Under another name of its folder too.
    same("moved", &inside("mv sub other; cat other/secret 2>&1; mv other sub")?.0.contains(SECRET), &false)?;
    for file in ["secret", "sub/secret", "closed/secret", "closed/deep/secret"] {
        same(file, &project.read(file).as_str(), &SECRET)?;
    }
    same("open", &project.read("open").as_str(), &"as it was\n")?;
    // And outside nothing is masked.
    same("outside", &run(&project.line(None, "cat link"))?.0.as_str(), &SECRET)
}

/// Everything that a program could notice or do is as without a fence, but for what a user namespace takes.
pub(crate) fn change_nothing_else(base: &Path) -> Result<(), String> {
    let project = Project::new(base, "nothing-else");
    let fence = project.fence()?;
    for line in [
        "echo changed > open && cat open && echo more >> open && cat open",
        "mkdir -p new && echo x > new/x && chmod 700 new && touch -d @1 new/x && mv new/x new/y && ls -l new",
        "rm -rf new && mkfifo pipe && (echo through > pipe &) && cat pipe && rm pipe",
        "id -u; id -g; umask; ulimit -a; nice; pwd; hostname; tty",
        "cat /proc/self/oom_score_adj /proc/self/cgroup /proc/self/uid_map | head -2",
        "grep -E '^(NoNewPrivs|Seccomp|SigBlk|Uid|Gid)' /proc/self/status",
        "for kind in pid net ipc uts cgroup time; do readlink /proc/self/ns/$kind; done",
        "stat -c '%n %d:%i' / /dev /dev/shm /dev/tty /tmp /var/tmp /proc /proc/1 $HOME; cat /proc/1/comm",
        "echo \"[$TMPDIR]\"; echo x > /dev/null && head -c 3 /dev/zero | od -c",
        "sleep 60 & kill $! && wait $!; echo $?",
        "strace -qq -e trace=none -e signal=none true && echo traced",
        "unshare -Ur true && echo nested",
    ] {
        let (inside, outside) = (run(&project.line(Some(&fence), line))?, run(&project.line(None, line))?);
        same(line, &inside, &outside)?;
    }
    let (line, own) = ("readlink /proc/self/ns/user", fs::read_link("/proc/self/ns/user").unwrap());
    let users = run(&project.line(Some(&fence), line))?.0.trim() == own.to_string_lossy();
    same("who must make a user namespace", &users, &may_unmount())?;
    if may_unmount() {
        let line = "grep Cap /proc/self/status";
        same(line, &run(&project.line(Some(&fence), line))?, &run(&project.line(None, line))?)?;
    }
    signals_go_out(&project, &fence)?;
    connections_go_both_ways(&project, &fence)
}

fn signals_go_out(project: &Project, fence: &Arc<Fence>) -> Result<(), String> {
    let mut outside = Command::new("sleep").arg("600").spawn().map_err(|error| error.to_string())?;
    let killed = run(&project.line(Some(fence), &format!("kill {}", outside.id())))?;
    let _ = outside.kill();
    let ended = outside.wait().map_err(|error| error.to_string())?;
    same("a signal to a process outside", &killed.1, &ChildExit::Exited(0))?;
    same("by that signal", &std::os::unix::process::ExitStatusExt::signal(&ended), &Some(libc::SIGTERM))
}

fn connections_go_both_ways(project: &Project, fence: &Arc<Fence>) -> Result<(), String> {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").map_err(|error| error.to_string())?;
    let port = listener.local_addr().unwrap().port();
    let line = format!("bash -c 'exec 3<>/dev/tcp/127.0.0.1/{port}; cat <&3'");
    let greeter = std::thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        std::io::Write::write_all(&mut stream, b"hello").unwrap();
    });
    same("a connection to outside", &run(&project.line(Some(fence), &line))?.0.as_str(), &"hello")?;
    greeter.join().map_err(|_| "nobody came".to_owned())?;
    // A server inside would be found by its port in the same network.
    let listens = "cat /proc/net/dev | wc -l";
    same(listens, &run(&project.line(Some(fence), listens))?, &run(&project.line(None, listens))?)
}

/// For whoever is not root: nothing that is inside takes a mask away or finds a way around it.
pub(crate) fn cannot_be_lifted(base: &Path) -> Result<(), String> {
    let project = Project::new(base, "lifted");
    let fence = project.fence()?;
    let mut outside =
        Command::new("sleep").arg("600").stdin(Stdio::null()).spawn().map_err(|error| error.to_string())?;
    let folder = project.0.display().to_string();
    let supervisor = crate::life::cell()?;
    let attempts = [
        "umount $D/secret; cat $D/secret".to_owned(),
        "umount -l $D/secret; umount -l $D/closed; cat $D/secret $D/closed/secret".to_owned(),
        "unshare -m umount $D/secret; unshare -m cat $D/secret".to_owned(),
        "unshare -Urm sh -c 'umount $D/secret; umount -l $D/secret; umount -l $D/closed; cat $D/secret $D/closed/secret'"
            .to_owned(),
        "unshare -Urm sh -c 'mount --bind $D /mnt; cat /mnt/secret /mnt/closed/secret'".to_owned(),
        "unshare -Urm sh -c 'mount --rbind $D /mnt; umount /mnt/secret; cat /mnt/secret /mnt/closed/secret'".to_owned(),
        "unshare -Urm sh -c 'mount --bind / /mnt; cat /mnt/$D/secret'".to_owned(),
        "unshare -Urm sh -c 'mount -t tmpfs none /mnt; mkdir /mnt/u /mnt/w /mnt/m; mount -t overlay -o \
         lowerdir=$D,upperdir=/mnt/u,workdir=/mnt/w,userxattr none /mnt/m; cat /mnt/m/secret /mnt/m/closed/secret'"
            .to_owned(),
        "unshare -Urmpf sh -c 'mount -t proc none /proc; cat /proc/1/root/$D/secret'".to_owned(),
        "unshare -Ur chroot / cat $D/secret".to_owned(),
        "cat /proc/self/root/$D/secret /proc/thread-self/root/$D/closed/secret".to_owned(),
        format!("cat /proc/{}/root/$D/secret", outside.id()),
        format!("cat /proc/{}/root/$D/secret", std::process::id()),
        "cat /proc/1/root/$D/secret".to_owned(),
        format!("cat /proc/{supervisor}/root/$D/secret"),
        format!("nsenter -t {} -m cat $D/secret", outside.id()),
        format!("nsenter -U --preserve-credentials -m -t {} cat $D/secret", outside.id()),
        format!("nsenter -U --preserve-credentials -m -t {supervisor} sh -c 'umount $D/secret; cat $D/secret'"),
        format!("strace -p {supervisor} -o /dev/null & sleep 0.3; kill -0 $!"),
        "for n in /proc/[0-9]*; do cat $n/root/$D/secret $n/cwd/secret; done".to_owned(),
    ];
    for line in attempts {
        let mut program = project.line(Some(&fence), &format!("{line} 2>&1"));
        program.env.set("D", &folder);
        let (output, ending) = run(&program)?;
        // Root can, and keeps it: whoever is root here is told by no mask what to do.
        if !may_unmount()
            && (output.contains(SECRET) || line.starts_with("strace") && ending == ChildExit::Exited(0))
        {
            let _ = outside.kill();
            return Err(format!("{line}: {output}"));
        }
    }
    let _ = outside.kill();
    let _ = outside.wait();
    Ok(())
}

/// What was started in the background, in a session of its own, goes on without the fence, and with the masks.
pub(crate) fn end_nobody(base: &Path) -> Result<(), String> {
    let project = Project::new(base, "end-nobody");
    let seconds = format!("9{}", std::process::id());
    let waits = format!(
        "touch began; until [ -e go ]; do sleep 0.05; done; cat secret > seen 2>&1; exec sleep {seconds}"
    );
    let fence = project.fence()?;
    let line =
        format!("setsid sh -c '{waits}' > /dev/null 2>&1 & until [ -e began ]; do sleep 0.05; done; echo $!");
    let started = run(&project.line(Some(&fence), &line))?.0;
    fence.end();
    same("it stands no more", &fence.is_active(), &false)?;
    drop(fence);
    fs::write(project.0.join("go"), "").unwrap();
    until("it goes on", || sleepers(&seconds) == 1)?;
    same("it saw the secret", &project.read("seen").contains(SECRET), &false)?;
    let ended = run(&shell(None, &format!("kill {}", started.trim())))?;
    same("end", &ended.1, &ChildExit::Exited(0))
}

pub(crate) fn need_namespaces(_: &Path) -> Result<(), String> {
    let policy = FencePolicy { scope: FenceScope::MasksOnly, ..FencePolicy::default() };
    let without = KernelLayers { namespaces: false, ..KernelLayers::ALL };
    let error = Fence::raise(&policy, without).err().ok_or("Raised without namespaces")?;
    same("kind", &error.kind(), &std::io::ErrorKind::Unsupported)?;
    let only = KernelLayers { namespaces: true, landlock: false, seccomp: false };
    let fence = Arc::new(Fence::raise(&policy, only).map_err(|error| error.to_string())?);
    same("scratch", &fence.scratch(), &None)?;
    same("no masks at all", &run(&shell(Some(&fence), "exit 3"))?.1, &ChildExit::Exited(3))
}
