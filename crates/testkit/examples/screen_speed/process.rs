//! What the kernel says about a process.

use std::fs::{read_dir, read_to_string};

/// A process as it is now.
pub(crate) struct Process {
    /// Processor time in hundredths of a second, of it and its threads.
    pub(crate) ticks: u64,
    /// How often a thread of it got or gave up a processor.
    pub(crate) switches: u64,
    /// MiB in memory, and its part of them where they are shared.
    pub(crate) resident: f64,
    pub(crate) proportional: f64,
    pub(crate) children: usize,
}

impl Process {
    pub(crate) fn look(id: u32) -> Self {
        let stat = read_to_string(format!("/proc/{id}/stat")).unwrap();
        // The name of the program stands in brackets and may have blanks.
        let fields: Vec<&str> = stat.rsplit(") ").next().unwrap().split(' ').collect();
        let ticks = fields[11].parse::<u64>().unwrap() + fields[12].parse::<u64>().unwrap();
        let tasks: Vec<String> = read_dir(format!("/proc/{id}/task"))
            .unwrap()
            .map(|task| task.unwrap().path().display().to_string())
            .collect();
        let switches = tasks.iter().map(|task| {
            let status = read_to_string(format!("{task}/status")).unwrap_or_default();
            number(&status, "voluntary_ctxt_switches:") + number(&status, "nonvoluntary_ctxt_switches:")
        });
        let children = tasks.iter().map(|task| {
            read_to_string(format!("{task}/children")).unwrap_or_default().split_whitespace().count()
        });
        let memory = read_to_string(format!("/proc/{id}/smaps_rollup")).unwrap();
        Self {
            ticks,
            switches: switches.sum(),
            resident: number(&memory, "Rss:") as f64 / 1024.0,
            proportional: number(&memory, "Pss:") as f64 / 1024.0,
            children: children.sum(),
        }
    }
}

/// The number behind a name at the beginning of a line.
fn number(text: &str, name: &str) -> u64 {
    let line = text.lines().find_map(|line| line.strip_prefix(name));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or_default()
}
