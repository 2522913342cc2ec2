//! Who is still in the session that a child began: also what made a process group of its own, as `timeout` and a shell with
//! job control do.
//!
//! The kernel signals a group in one go, but it has no call for a session. So its members are looked for in `/proc`. Nothing
//! here allocates: the guardian needs it, too.
#![expect(unsafe_code, reason = "the guardian was forked from a process with threads: only system calls")]

use std::ffi::CStr;

use crate::fence::raw;

/// How often members are looked for: one that forks while we look may be behind us.
const MAX_LOOKS: usize = 16;
/// Where the kernel's list of processes begins in `/proc`: so many names come before process 0. Linux counts its place in the
/// folder like this; where it does not, the whole folder is read.
const FIRST_PROCESS: i64 = 258;
/// More than what we read of a file has: the name of a program, in `stat`, has 64 bytes at most.
const CONTENTS: usize = 256;
const LISTING: usize = 4096;

/// Which processes may be members.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Candidates {
    /// All of the machine.
    All,
    /// Those that began after the leader, by their numbers. Only for a leader that began a moment ago: later, the numbers may
    /// have begun again and passed its own.
    AfterLeader,
}

/// Signals every group in this session but the leader's own, which is signalled by its number. Who is stopped or asked to
/// end is signalled once; with SIGKILL, until nobody is left.
///
/// The leader must not be reaped yet: until then its number is no other session's.
pub(crate) fn signal(leader: i32, signal: i32, candidates: Candidates) {
    let looks = if signal == libc::SIGKILL { MAX_LOOKS } else { 1 };
    for _ in 0..looks {
        let mut found = false;
        for_each(leader, candidates, |member| {
            if member.session == leader && member.group != leader && member.state != b'Z' {
                found = true;
                // SAFETY: no pointers. A group is in one session only.
                unsafe { libc::kill(-member.group, signal) };
            }
        });
        if !found {
            return;
        }
    }
}

/// What `stat` says of a process.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Member {
    state: u8,
    group: i32,
    session: i32,
}

fn for_each(leader: i32, candidates: Candidates, mut see: impl FnMut(Member)) {
    let Some(proc) = Descriptor::open(libc::AT_FDCWD, c"/proc", libc::O_DIRECTORY) else { return };
    if candidates == Candidates::AfterLeader && newest(&proc).is_some_and(|newest| newest >= leader) {
        proc.seek(FIRST_PROCESS + i64::from(leader));
        let mut first = None;
        proc.list(|number| {
            // The leader is not reaped, so it is listed: first, if the place is right.
            if *first.get_or_insert(number) == leader {
                read_member(&proc, number).into_iter().for_each(&mut see);
            }
        });
        if first == Some(leader) {
            return;
        }
        proc.seek(0);
    }
    proc.list(|number| read_member(&proc, number).into_iter().for_each(&mut see));
}

fn read_member(proc: &Descriptor, number: i32) -> Option<Member> {
    let mut name = [0u8; 24];
    let mut bytes = [0u8; CONTENTS];
    let path = stat_path(number, &mut name)?;
    parse(Descriptor::open(proc.0, path, 0)?.read(&mut bytes)?)
}

/// The number of the process that began last. If it is lower than that of one that runs, the numbers have begun again.
fn newest(proc: &Descriptor) -> Option<i32> {
    let mut bytes = [0u8; CONTENTS];
    let load = Descriptor::open(proc.0, c"loadavg", 0)?.read(&mut bytes)?;
    let last = load.trim_ascii_end().rsplit(|byte| *byte == b' ').next()?;
    std::str::from_utf8(last).ok()?.parse().ok()
}

/// `NUMBER/stat`, with the zero that ends it.
fn stat_path(number: i32, buffer: &mut [u8; 24]) -> Option<&CStr> {
    const END: &[u8] = b"/stat\0";
    let mut at = buffer.len() - END.len();
    buffer[at..].copy_from_slice(END);
    let mut rest = u32::try_from(number).ok()?;
    while rest > 0 {
        at -= 1;
        buffer[at] = b'0' + (rest % 10) as u8;
        rest /= 10;
    }
    CStr::from_bytes_with_nul(&buffer[at..]).ok()
}

/// `NUMBER (NAME) STATE PARENT GROUP SESSION …`. A name may contain anything, so the last `)` ends it; what follows are
/// numbers.
fn parse(stat: &[u8]) -> Option<Member> {
    let end = stat.iter().rposition(|byte| *byte == b')')?;
    let mut fields = stat.get(end + 2..)?.split(|byte| *byte == b' ');
    let state = *fields.next()?.first()?;
    let mut number = |at: usize| std::str::from_utf8(fields.nth(at)?).ok()?.parse().ok();
    Some(Member { state, group: number(1)?, session: number(0)? })
}

/// A descriptor of this module's own.
struct Descriptor(i32);

impl Descriptor {
    fn open(folder: i32, path: &CStr, flags: i32) -> Option<Self> {
        // SAFETY: the text ends with zero and outlives the call.
        let fd = unsafe { libc::openat(folder, path.as_ptr(), flags | libc::O_RDONLY | libc::O_CLOEXEC) };
        (fd >= 0).then_some(Self(fd))
    }

    /// How a file begins.
    fn read<'a>(&self, buffer: &'a mut [u8; CONTENTS]) -> Option<&'a [u8]> {
        // SAFETY: there is room for so many bytes.
        let length = unsafe { libc::read(self.0, buffer.as_mut_ptr().cast(), buffer.len()) };
        buffer.get(..usize::try_from(length).ok()?)
    }

    fn seek(&self, place: i64) {
        // SAFETY: no pointers.
        unsafe { libc::lseek64(self.0, place, libc::SEEK_SET) };
    }

    /// The numbers of processes that it lists from here on.
    fn list(&self, mut see: impl FnMut(i32)) {
        #[repr(align(8))]
        struct Buffer([u8; LISTING]);
        let mut buffer = Buffer([0; LISTING]);
        loop {
            let (at, room) = (buffer.0.as_mut_ptr(), buffer.0.len());
            // SAFETY: there is room for so many bytes.
            let length = unsafe { libc::syscall(libc::SYS_getdents64, libc::c_long::from(self.0), at, room) };
            let Some(mut rest) = usize::try_from(length).ok().and_then(|length| buffer.0.get(..length))
            else {
                return;
            };
            if rest.is_empty() {
                return;
            }
            // Each is: inode, place, length, type, name.
            while let Some((length, name)) = rest.get(16..18).zip(rest.get(19..)) {
                let length = usize::from(u16::from_ne_bytes([length[0], length[1]]));
                process_number(name).into_iter().for_each(&mut see);
                rest = rest.get(length.max(1)..).unwrap_or_default();
            }
        }
    }
}

impl Drop for Descriptor {
    fn drop(&mut self) {
        raw::close(self.0);
    }
}

/// A name of digits only, up to its zero.
fn process_number(name: &[u8]) -> Option<i32> {
    let name = name.split(|byte| *byte == 0).next()?;
    std::str::from_utf8(name).ok().filter(|name| name.bytes().all(|byte| byte.is_ascii_digit()))?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_stat_says_is_read_whatever_the_name_of_the_program() {
        let member = |state, group, session| Some(Member { state, group, session });
        for (stat, expected) in [
            ("12 (sh) S 1 12 10 0 -1 4194304", member(b'S', 12, 10)),
            ("12 (a) R 9 9 9 (b)) Z 1 13 14 0", member(b'Z', 13, 14)),
            ("12 (sh) S 1 12", None),
            ("12 (sh", None),
            ("12 (sh)", None),
            ("", None),
        ] {
            assert_eq!(parse(stat.as_bytes()), expected, "{stat}");
        }
    }

    #[test]
    fn a_process_is_found_from_its_own_number_on() {
        let (us, mut found) = (std::process::id() as i32, Vec::new());
        let proc = Descriptor::open(libc::AT_FDCWD, c"/proc", libc::O_DIRECTORY).unwrap();
        proc.seek(FIRST_PROCESS + i64::from(us));
        proc.list(|number| found.push(number));
        assert_eq!(found.first(), Some(&us));
        let mut all = Vec::new();
        proc.seek(0);
        proc.list(|number| all.push(number));
        assert!(all.len() > found.len() && all.contains(&1) && all.contains(&us), "{all:?}");
        let mut buffer = [0; 24];
        assert_eq!(stat_path(us, &mut buffer).unwrap().to_str().unwrap(), format!("{us}/stat"));
        // SAFETY: it takes no pointer.
        assert_eq!(read_member(&proc, us).unwrap().session, unsafe { libc::getsid(0) });
        assert!(newest(&proc).unwrap() > 0);
    }
}
