//! The cell: a small process inside of the namespaces that starts programs there for us.
//!
//! It is forked once, before our heap has grown, and lives as long as the fence. What it starts is a child of ours and not
//! of its own (`CLONE_PARENT`), so that waiting and killing work as for any other; and it starts them as `vfork` does, so
//! that nothing is copied. Nothing here may allocate: see `raw.rs`.
#![expect(unsafe_code, reason = "a process of its own, made of system calls")]

use super::plan::{Plan, Step};
use super::raw::{self, Errno};
use super::request::Head;
use super::wire::{self, Report, Stage};
use super::{landlock, seccomp};

/// What a child needs between its beginning and its program.
struct Birth<'a> {
    head: *const Head,
    base: *mut u8,
    stdin: i32,
    stdout: i32,
    stderr: i32,
    side: i32,
    rules: Option<i32>,
    filters: &'a [seccomp::Filter],
    /// Why there is no program, for the cell to read: until then they share their memory.
    failed: Errno,
}

/// Becomes the cell. It ends when the other end of the socket does.
pub(super) fn run(plan: &Plan, socket: i32) -> ! {
    raw::close_between(3, socket as u32 - 1);
    raw::close_between(socket as u32 + 1, u32::MAX);
    reset_signals();
    match settle(plan, socket) {
        Ok(rules) => {
            wire::report(socket, Report { stage: Stage::Ready, number: 0 });
            serve(plan, socket, rules)
        }
        Err((stage, errno)) => {
            wire::report(socket, Report { stage, number: errno });
            raw::exit(1)
        }
    }
}

/// Makes the namespaces and the view of the machine in them. The rules of Landlock, if there are any.
fn settle(plan: &Plan, socket: i32) -> Result<Option<i32>, (Stage, Errno)> {
    if plan.layers.namespaces {
        let flags = libc::CLONE_NEWUSER | libc::CLONE_NEWNS | libc::CLONE_NEWNET | libc::CLONE_NEWIPC;
        raw::unshare(flags).map_err(|errno| (Stage::Namespaces, errno))?;
        // Who we are in there is written by whoever may.
        wire::report(socket, Report { stage: Stage::Apart, number: 0 });
        if !wire::go_on(socket) {
            raw::exit(0);
        }
        mount_all(plan).map_err(|errno| (Stage::Mounts, errno))?;
        raw::unshare(libc::CLONE_NEWPID).map_err(|errno| (Stage::Processes, errno))?;
        first_process().map_err(|errno| (Stage::Processes, errno))?;
    }
    match &plan.landlock {
        Some(rules) => rules.make().map(Some).map_err(|errno| (Stage::Landlock, errno)),
        None => Ok(None),
    }
}

fn mount_all(plan: &Plan) -> Result<(), Errno> {
    let none = c"";
    raw::mount(none, c"/", none, libc::MS_REC | libc::MS_PRIVATE, none)?;
    plan.before.iter().try_for_each(|step| take(plan, step))?;
    raw::make_read_only(c"/")?;
    plan.after.iter().try_for_each(|step| take(plan, step))
}

fn take(plan: &Plan, step: &Step) -> Result<(), Errno> {
    let kept = |slot: &usize| plan.kept.get(*slot);
    match step {
        Step::Keep { from, slot } => {
            // Gone since it was looked for: then it is not put back either.
            if let (Ok(tree), Some(kept)) = (raw::open_tree(from), kept(slot)) {
                kept.set(tree);
            }
            Ok(())
        }
        Step::Cover { lower, upper, work, slot } => {
            let tree = raw::cover(lower, upper, work)?;
            kept(slot).map(|kept| kept.set(tree)).ok_or(libc::EINVAL)
        }
        Step::Scratch { at, options } => {
            raw::mount(c"tmpfs", at, c"tmpfs", libc::MS_NOSUID | libc::MS_NODEV, options)
        }
        Step::Folder { at } => raw::mkdir(at, 0o755),
        Step::File { at } => raw::open(at, libc::O_CREAT | libc::O_WRONLY).map(raw::close),
        Step::Put { slot, at } => match kept(slot).map(|kept| kept.replace(-1)) {
            Some(tree @ 0..) => {
                let moved = raw::move_mount(tree, at);
                raw::close(tree);
                moved
            }
            _ => Ok(()),
        },
        Step::Link { to, at } => {
            // SAFETY: both texts end with zero and live as long as the plan. A link less is no harm.
            let _ = unsafe { libc::symlink(to.as_ptr(), at.as_ptr()) };
            Ok(())
        }
    }
}

/// The first process of the new table: it shows the table, takes in orphans, and when it ends all end.
fn first_process() -> Result<(), Errno> {
    let mut ready = [0; 2];
    // SAFETY: there is room for two numbers.
    if unsafe { libc::pipe2(ready.as_mut_ptr(), libc::O_CLOEXEC) } != 0 {
        return Err(raw::errno());
    }
    let [read, write] = ready;
    if raw::fork()? != 0 {
        raw::close(write);
        let mut byte = 0u8;
        // SAFETY: there is room for one byte. Its end without a byte is as good: then nobody mounted the table.
        unsafe { libc::read(read, (&raw mut byte).cast(), 1) };
        raw::close(read);
        return Ok(());
    }
    // It goes with the cell, whatever ends that.
    let _ = raw::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL as libc::c_ulong);
    // Read-only: root owns `/proc/sys` in every namespace, and needs no capability to write there.
    let flags = libc::MS_RDONLY | libc::MS_NOSUID | libc::MS_NODEV | libc::MS_NOEXEC;
    // Inside of containers that hide parts of theirs this is refused; then the old one is seen, read-only.
    let _ = raw::mount(c"proc", c"/proc", c"proc", flags, c"");
    // SAFETY: one byte is there to be written.
    unsafe { libc::write(write, c"x".as_ptr().cast(), 1) };
    raw::close_between(0, u32::MAX);
    loop {
        // SAFETY: no pointers. Without a child there is an error at once, and nothing to do until one is taken in.
        if unsafe { libc::waitpid(-1, std::ptr::null_mut(), 0) } < 0 {
            // SAFETY: as above.
            unsafe { libc::poll(std::ptr::null_mut(), 0, 1000) };
        }
    }
}

fn serve(plan: &Plan, socket: i32, rules: Option<i32>) -> ! {
    while let Some(received) = wire::receive(socket) {
        let begun = begin(plan, &received, rules);
        for fd in received.fds {
            if fd >= 0 {
                raw::close(fd);
            }
        }
        let report = match begun {
            Ok(pid) => Report { stage: Stage::Begun, number: pid },
            Err(errno) => Report { stage: Stage::NotBegun, number: errno },
        };
        if !wire::report(socket, report) {
            break;
        }
    }
    raw::exit(0)
}

/// Starts a program; its number, which is the same for us and for whoever asked.
fn begin(plan: &Plan, received: &wire::Received, rules: Option<i32>) -> Result<i32, Errno> {
    let [blob, stdin, stdout, stderr, side] = received.fds;
    let mapped = Mapped::new(blob)?;
    let base = mapped.0;
    let head = base.cast::<Head>();
    // SAFETY: the mapping begins with a head, written by ourselves on the other side of the socket.
    unsafe {
        to_pointers(base, (*head).words);
        to_pointers(base, (*head).variables);
    }
    let mut birth =
        Birth { head, base, stdin, stdout, stderr, side, rules, filters: &plan.filters, failed: 0 };
    let mut stack = Stack([0; STACK]);
    let flags = libc::CLONE_VM | libc::CLONE_VFORK | libc::CLONE_PARENT | libc::SIGCHLD;
    // SAFETY: the child runs on a stack of its own, which outlives it in this memory: we sleep until its program has
    // begun or it is gone.
    let pid = unsafe {
        libc::clone(child, stack.0.as_mut_ptr().add(STACK).cast(), flags, (&raw mut birth).cast())
    };
    if pid < 0 {
        return Err(raw::errno());
    }
    // SAFETY: the child wrote it, and is done with it.
    match unsafe { std::ptr::read_volatile(&raw const birth.failed) } {
        0 => Ok(pid),
        errno => Err(errno),
    }
}

const STACK: usize = 64 * 1024;

#[repr(align(16))]
struct Stack([u8; STACK]);

/// Offsets become addresses, up to the zero that ends the list.
///
/// # Safety
/// `base` must be a whole request, and the list one of its own.
unsafe fn to_pointers(base: *mut u8, list: usize) {
    // SAFETY: as demanded.
    unsafe {
        let mut at = base.add(list).cast::<usize>();
        while *at != 0 {
            *at += base as usize;
            at = at.add(1);
        }
    }
}

/// Between two programs: everything that holds the child, then its program.
extern "C" fn child(birth: *mut libc::c_void) -> libc::c_int {
    let birth = birth.cast::<Birth<'_>>();
    // SAFETY: the cell sleeps and holds nothing of it.
    let failed = unsafe { become_program(&*birth) };
    // SAFETY: as above.
    unsafe { std::ptr::write_volatile(&raw mut (*birth).failed, failed) };
    raw::exit(127)
}

/// Only returns if it fails.
///
/// # Safety
/// The request in `birth` must be whole, with addresses in its lists.
unsafe fn become_program(birth: &Birth<'_>) -> Errno {
    // SAFETY: as demanded; the calls take numbers, or texts that end with zero.
    unsafe {
        let head = &*birth.head;
        let apart = if head.session == 1 { libc::setsid() } else { libc::setpgid(0, 0) };
        if apart < 0 {
            return raw::errno();
        }
        raw::close_on_exec_from(3);
        for (from, to) in [(birth.stdin, 0), (birth.stdout, 1), (birth.stderr, 2)] {
            if libc::dup2(from, to) < 0 {
                return raw::errno();
            }
        }
        if birth.side >= 0 && libc::dup2(birth.side, head.side as i32) < 0 {
            return raw::errno();
        }
        let no_core = libc::rlimit { rlim_cur: 0, rlim_max: 0 };
        libc::setrlimit(libc::RLIMIT_CORE, &raw const no_core);
        if libc::chdir(birth.base.add(head.folder).cast()) < 0 {
            return raw::errno();
        }
        if let Err(errno) = hold(birth) {
            return errno;
        }
        libc::execve(
            birth.base.add(head.path).cast(),
            birth.base.add(head.words).cast(),
            birth.base.add(head.variables).cast(),
        );
        raw::errno()
    }
}

/// The layers that a process puts on itself. From here on there is no way back.
fn hold(birth: &Birth<'_>) -> Result<(), Errno> {
    drop_capabilities()?;
    raw::prctl(libc::PR_SET_NO_NEW_PRIVS, 1)?;
    if let Some(rules) = birth.rules {
        landlock::enforce(rules)?;
    }
    birth.filters.iter().try_for_each(seccomp::Filter::enforce)
}

/// Inside of its own user namespace the cell is mighty; what it starts is not, not even as root.
fn drop_capabilities() -> Result<(), Errno> {
    const NOROOT_AND_LOCKED: libc::c_ulong = 0b11;
    let _ = raw::prctl(libc::PR_SET_SECUREBITS, NOROOT_AND_LOCKED);
    for capability in 0..64 {
        // Past the last one that the kernel knows, and for whoever has none to drop, this is an error.
        if raw::prctl(libc::PR_CAPBSET_DROP, capability).is_err() {
            break;
        }
    }
    #[repr(C)]
    struct Head {
        version: u32,
        pid: i32,
    }
    let head = Head { version: 0x2008_0522, pid: 0 };
    let none = [0u32; 6];
    // SAFETY: a head of the third version goes with two sets of three words.
    match unsafe { libc::syscall(libc::SYS_capset, &raw const head, none.as_ptr()) } {
        0 => Ok(()),
        _ => Err(raw::errno()),
    }
}

/// As every program expects them when it begins.
fn reset_signals() {
    for signal in 1..=64 {
        // SAFETY: those that cannot be set are an error and nothing else.
        unsafe { libc::signal(signal, libc::SIG_DFL) };
    }
    // SAFETY: an empty set is made whole before it is used.
    unsafe {
        let mut none = std::mem::zeroed::<libc::sigset_t>();
        libc::sigemptyset(&raw mut none);
        libc::sigprocmask(libc::SIG_SETMASK, &raw const none, std::ptr::null_mut());
    }
}

/// A request in memory, private to us: our changes do not reach its file.
struct Mapped(*mut u8, usize);

impl Mapped {
    fn new(blob: i32) -> Result<Self, Errno> {
        // SAFETY: the structure is filled by the call before it is read.
        let size = unsafe {
            let mut about = std::mem::zeroed::<libc::stat>();
            if libc::fstat(blob, &raw mut about) < 0 {
                return Err(raw::errno());
            }
            about.st_size as usize
        };
        let access = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: a new mapping of a file that nobody shortens.
        let base = unsafe { libc::mmap(std::ptr::null_mut(), size, access, libc::MAP_PRIVATE, blob, 0) };
        if base == libc::MAP_FAILED { Err(raw::errno()) } else { Ok(Self(base.cast(), size)) }
    }
}

impl Drop for Mapped {
    fn drop(&mut self) {
        // SAFETY: it is ours, and not used again.
        unsafe { libc::munmap(self.0.cast(), self.1) };
    }
}

