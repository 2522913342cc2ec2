//! How long the first lines of a process take, when the tables are still unread.

#![expect(clippy::print_stdout, clippy::disallowed_methods, reason = "it prints times")]

fn main() {
    for line in ["ls", "git log --oneline -5", "git status", "sort f | uniq -c"] {
        let start = std::time::Instant::now();
        let verdict = forelook_shell::analyse(line).verdict;
        println!("{:?} {verdict:?} {line}", start.elapsed());
    }
}
