//! Memory, queues and semaphores that belong to a user: no file system guards them.

use crate::attack::{Attack, call};
use crate::sys::{Done, c, known, number, sys};

pub(crate) const ATTACKS: &[Attack] = &[
    call("shared-memory-write", || {
        let place = sys!(libc::SYS_shmat, number("MEMORY"), 0usize, 0)? as usize as *mut u8;
        // SAFETY: it is attached for writing, and a page long.
        unsafe { place.write_volatile(77) };
        Ok(())
    }),
    call("shared-memory-remove", || {
        sys!(libc::SYS_shmctl, number("MEMORY"), libc::IPC_RMID, 0usize).map(drop)
    }),
    call("shared-memory-mode", || {
        // SAFETY: all zero is a whole structure.
        let mut about: libc::shmid_ds = unsafe { std::mem::zeroed() };
        sys!(libc::SYS_shmctl, number("MEMORY"), libc::IPC_STAT, &raw mut about)?;
        about.shm_perm.mode = 0o666;
        sys!(libc::SYS_shmctl, number("MEMORY"), libc::IPC_SET, &raw const about).map(drop)
    }),
    call("queue-send", || {
        let message = (1i64, *b"attacked");
        sys!(libc::SYS_msgsnd, number("QUEUE"), &raw const message, 8usize, 0).map(drop)
    }),
    call("queue-remove", || sys!(libc::SYS_msgctl, number("QUEUE"), libc::IPC_RMID, 0usize).map(drop)),
    call("semaphore-raise", || {
        let step = [0i16, 1, 0];
        sys!(libc::SYS_semop, number("SEMAPHORE"), step.as_ptr(), 1usize).map(drop)
    }),
    call("semaphore-timed-raise", || {
        let step = [0i16, 1, 0];
        sys!(libc::SYS_semtimedop, number("SEMAPHORE"), step.as_ptr(), 1usize, 0usize).map(drop)
    }),
    call("semaphore-set", || sys!(libc::SYS_semctl, number("SEMAPHORE"), 0, 16, 5).map(drop)),
    call("semaphore-remove", || sys!(libc::SYS_semctl, number("SEMAPHORE"), 0, libc::IPC_RMID, 0).map(drop)),
    call("message-send", send),
    call("message-queue-remove", || sys!(libc::SYS_mq_unlink, c(&known("MESSAGES")).as_ptr()).map(drop)),
];

fn send() -> Done {
    let queue = sys!(libc::SYS_mq_open, c(&known("MESSAGES")).as_ptr(), libc::O_WRONLY, 0, 0)?;
    sys!(libc::SYS_mq_timedsend, queue, c"attacked".as_ptr(), 8usize, 1, 0usize).map(drop)
}
