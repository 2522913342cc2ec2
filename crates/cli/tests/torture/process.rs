//! What a process holds: memory, descriptors, threads, children.

use std::fmt;
use std::fs;

/// More memory than this is growth. The conversation itself stays in memory.
const MAX_GROWTH_KIB: u64 = 8 * 1024;

/// What a process holds at one moment.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Footprint {
    memory_kib: u64,
    /// Places in the table of its descriptors. Nobody but root may count those of a process that hides itself, but the
    /// kernel tells everybody how large the table has grown, and it never shrinks.
    descriptor_table: u64,
    threads: usize,
    children: usize,
}

impl Footprint {
    /// What it holds now.
    pub(crate) fn of(pid: u32) -> Self {
        let status = fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
        let value = |key: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(key)).unwrap();
            line.split_whitespace().next().unwrap().parse::<u64>().unwrap()
        };
        let count = |what: &str| fs::read_dir(format!("/proc/{pid}/{what}")).map_or(0, Iterator::count);
        let children = fs::read_to_string(format!("/proc/{pid}/task/{pid}/children")).unwrap_or_default();
        Self {
            memory_kib: value("VmRSS:"),
            descriptor_table: value("FDSize:"),
            threads: count("task"),
            children: children.split_whitespace().count(),
        }
    }

    /// Nothing is left open that was not before.
    pub(crate) fn must_not_exceed(&self, before: &Self) {
        assert!(self.memory_kib <= before.memory_kib + MAX_GROWTH_KIB, "memory grew from {before} to {self}");
        assert!(
            // A moment with more files open than before may double it once.
            self.descriptor_table <= before.descriptor_table * 2,
            "descriptors were left open: {before}, then {self}"
        );
        assert!(self.threads <= before.threads + 2, "threads were left: {before}, then {self}");
        assert!(self.children <= before.children, "processes were left: {before}, then {self}");
    }
}

impl fmt::Display for Footprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { memory_kib, descriptor_table, threads, children } = self;
        write!(
            f,
            "{memory_kib} KiB, a table for {descriptor_table} descriptors, {threads} threads, {children} children"
        )
    }
}
