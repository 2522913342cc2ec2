//! Under a real terminal that breaks rows anew when its window changes, and keeps what scrolls away: tmux.

use std::process::Command;
use std::time::{Duration, Instant};

use forelook_testkit::Lab;
use forelook_testkit::kill::SeededRng;

use crate::play::each;

const DEADLINE: Duration = Duration::from_secs(30);
/// Each is one finished row, or several where the window is narrow.
const LINES: usize = 36;

/// A tmux server of its own, with the program in its only window.
struct Tmux {
    lab: Lab,
    socket: String,
}

impl Tmux {
    fn new(script: &str, width: u16, height: u16) -> Self {
        let lab = Lab::new(env!("CARGO_BIN_EXE_forelook")).with_script(script);
        let socket = lab.root().join("tmux").display().to_string();
        let tmux = Self { lab, socket };
        let (width, height) = (width.to_string(), height.to_string());
        let mut command = tmux.command();
        command.args(["-f", "/dev/null", "new-session", "-d", "-x", &width, "-y", &height]);
        // What comes after it keeps the window open.
        command.args(["--", "sh", "-c", "\"$0\"; echo ended; exec sleep 600"]).arg(tmux.lab.binary());
        assert!(command.status().unwrap().success());
        tmux.run(&["set-option", "-g", "status", "off"]);
        tmux.run(&["resize-window", "-x", &width, "-y", &height]);
        tmux.sees(&"─".repeat(width.parse().unwrap()));
        tmux
    }

    fn command(&self) -> Command {
        let mut command = Command::new("tmux");
        command.current_dir(self.lab.project()).env_clear().envs(self.lab.environment());
        command.env("LANG", "C.UTF-8").args(["-S", &self.socket]);
        command
    }

    fn run(&self, args: &[&str]) -> String {
        let out = self.command().args(args).output().unwrap();
        assert!(out.status.success(), "{args:?}: {}", String::from_utf8_lossy(&out.stderr));
        String::from_utf8(out.stdout).unwrap()
    }

    fn key(&self, key: &str) -> &Self {
        self.run(&["send-keys", key]);
        self
    }

    fn types(&self, text: &str) -> &Self {
        self.run(&["send-keys", "-l", text]);
        self
    }

    fn screen(&self) -> String {
        self.run(&["capture-pane", "-p"])
    }

    /// Everything, rows that were broken put together again.
    fn all(&self) -> String {
        self.run(&["capture-pane", "-p", "-J", "-S", "-"])
    }

    /// The last numbered line that is shown.
    fn newest(&self) -> usize {
        let screen = self.screen();
        let numbers = screen.split("line").skip(1).filter_map(|rest| rest.get(..3)?.parse().ok());
        numbers.max().unwrap_or(0)
    }

    /// Whether the whole answer was said. On a slow machine that may be before the window had all its sizes.
    fn is_over(&self) -> bool {
        self.newest() + 1 == LINES && !self.screen().contains("Working")
    }

    fn sees(&self, text: &str) -> &Self {
        self.until(&format!("{text:?}"), || self.screen().contains(text))
    }

    fn until(&self, what: &str, is_so: impl Fn() -> bool) -> &Self {
        let began = Instant::now();
        while !is_so() {
            assert!(began.elapsed() < DEADLINE, "There never was {what}:\n{}", self.all());
            std::thread::sleep(Duration::from_millis(10));
        }
        self
    }

    /// Another size; returns when the program has drawn for it.
    fn resize(&self, width: u16, height: u16) -> &Self {
        self.run(&["resize-window", "-x", &width.to_string(), "-y", &height.to_string()]);
        let rule = "─".repeat(usize::from(width));
        self.until(&format!("a frame of {width}x{height}"), || self.screen().lines().any(|row| row == rule))
    }
}

impl Drop for Tmux {
    fn drop(&mut self) {
        let _ = self.command().arg("kill-server").status();
    }
}

/// An answer of numbered lines, which streams for as long as the window changes.
fn numbered() -> String {
    let lines: Vec<String> =
        (0..LINES).map(|at| format!("line{at:03} 漢字の行 has some more words behind its number.")).collect();
    format!("chunk = 110\n[[answer]]\npace_ms = 350\ntext = '''\n{}\n'''", lines.join("\n\n"))
}

/// Every line is there once and in order, and nothing of a live area is above the one that is shown.
fn check(tmux: &Tmux, sizes: &[(u16, u16)]) {
    let all = tmux.all();
    // Lines that the program broke itself are no more joined than words are.
    let words: Vec<&str> = all.split_whitespace().filter(|word| word.starts_with("line")).collect();
    let meant: Vec<String> = (0..LINES).map(|at| format!("line{at:03}")).collect();
    assert_eq!(words, meant, "{sizes:?}:\n{all}");
    assert_eq!(all.matches("number.").count(), LINES, "{sizes:?}:\n{all}");
    let rules = all.lines().filter(|row| row.starts_with('─')).count();
    assert_eq!(rules, 2, "{sizes:?}:\n{all}");
    assert!(!all.contains("Working"), "{sizes:?}:\n{all}");
}

fn streams_while(sizes: &[(u16, u16)]) {
    let tmux = Tmux::new(&numbered(), 80, 24);
    tmux.types("go").key("Enter").sees("line000");
    for (width, height) in sizes {
        // Twice something new: tmux tells of a change only when the one before is a quarter of a second ago. And right
        // behind it: what was written for the old size must not still be on its way.
        for _ in 0..2 {
            let before = tmux.newest();
            tmux.until("something new", || tmux.newest() > before || tmux.is_over());
        }
        tmux.resize(*width, *height);
    }
    tmux.until("the end of the answer", || tmux.is_over());
    check(&tmux, sizes);
}

#[test]
fn any_sizes_while_it_streams() {
    let narrower_and_wider = vec![(40, 24), (120, 24), (50, 24), (80, 24)];
    let lower_and_higher = vec![(80, 15), (80, 40), (40, 15), (100, 30)];
    let by_dice = (1..=3).map(|seed| {
        let mut rng = SeededRng::new(seed);
        let mut roll = |least: u16, most: u16| least + rng.below(u64::from(most - least)) as u16;
        (0..5).map(|_| (roll(30, 130), roll(14, 40))).collect()
    });
    let cases: Vec<Vec<(u16, u16)>> =
        [narrower_and_wider, lower_and_higher].into_iter().chain(by_dice).collect();
    each(&cases, |sizes| streams_while(sizes));
}

#[test]
fn the_mode_changes_by_shift_tab() {
    let tmux = Tmux::new("[[answer]]\ntext = 'x'", 80, 24);
    tmux.key("BTab").sees("accept edits");
}

/// Ended, it leaves no row of its own behind, and what comes next begins right there.
#[test]
fn nothing_is_left_of_the_live_area() {
    let tmux = Tmux::new("[[answer]]\ntext = 'Heard.'", 80, 24);
    tmux.types("go").key("Enter").sees("Heard.").until("rest", || !tmux.screen().contains("Working"));
    tmux.key("C-d").sees("ended");
    let rows = tmux.all();
    let rows: Vec<&str> = rows.lines().filter(|row| !row.is_empty()).collect();
    let [_version, _place, keys, rest @ ..] = &rows[..] else { panic!("{rows:?}") };
    assert!(keys.starts_with("/help"), "{rows:?}");
    let [said @ .., continues, ended] = rest else { panic!("{rows:?}") };
    assert_eq!((said, *ended), (&["> go", "● Heard."][..], "ended"));
    assert!(continues.starts_with("To continue: forelook -r "), "{rows:?}");
}
