//! Which part of a line weighs most: the one place where reasons are put in order.

use super::code::language;
use crate::types::{Danger, LinePart, PathTarget, RunsAs, ShellEffect, Verdict, Word, WordValue};

/// How much a part weighs, the worst last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Severity {
    /// Something that the text does not tell, such as an option that is not known.
    Unclear,
    /// Runs a program that is not known, or a script.
    Runs,
    /// Talks to other machines.
    Network,
    /// Changes something here.
    Changes,
    /// Removes files.
    Removes,
    /// Changes something on another machine.
    Sends,
    /// Throws away work.
    Discards,
    /// Has another user's privileges.
    Privileged,
    /// Runs what comes from another machine.
    Downloaded,
    /// The same with another user's privileges.
    DownloadedPrivileged,
    /// Removes or overwrites roots or devices.
    Destroys,
}

/// Why the parts of a line are not harmless, the worst first; each part with its own reason, as a sentence.
pub fn reasons<'a>(parts: impl IntoIterator<Item = (&'a LinePart, Option<&'a str>)>) -> Vec<String> {
    let all: Vec<(&LinePart, Option<&str>)> = parts.into_iter().collect();
    let parts: Vec<&LinePart> = all.iter().map(|(part, _)| *part).collect();
    let mut found: Vec<Found<'_>> = Vec::new();
    for (at, (part, why)) in all.iter().enumerate() {
        let Some(why) = why else { continue };
        // A shell that runs a line only repeats the reason of a command in it.
        if found.iter().any(|earlier| *why != earlier.why && why.contains(earlier.why)) {
            continue;
        }
        let download = parts.get(..at).and_then(|before| downloaded(part, before));
        let told = told(part, why, download);
        match found.iter_mut().find(|earlier| earlier.told == told) {
            Some(earlier) => earlier.more += 1,
            None => {
                let severity = severity(part, download.is_some());
                found.push(Found { severity, why, told, place: &part.text, more: 0 });
            }
        }
    }
    found.sort_by_key(|found| std::cmp::Reverse(found.severity));
    found.iter().map(|found| found.sentence(parts.len())).collect()
}

/// A reason, and where it was found first.
struct Found<'a> {
    severity: Severity,
    why: &'a str,
    told: String,
    place: &'a str,
    /// In how many more parts.
    more: usize,
}

impl Found<'_> {
    fn sentence(&self, parts: usize) -> String {
        let Self { told, place, more, .. } = self;
        match (parts > 1 && !place.is_empty(), more) {
            (false, _) => told.clone(),
            (true, 0) => format!("{told} (in `{}`)", shorten(place)),
            (true, more) => format!("{told} (in `{}`, and {more} more)", shorten(place)),
        }
    }
}

/// The reason of a part as it is told: what it runs and as whom comes before what else is not known of it.
fn told(part: &LinePart, why: &str, download: Option<&str>) -> String {
    match (download, whose(part)) {
        (Some(source), Some(whose)) => format!("Runs what `{source}` downloads, {whose}"),
        (Some(source), None) => format!("Runs what `{source}` downloads"),
        (None, Some(whose)) if !why.contains("privileges") => format!("Runs {whose}: {why}"),
        (None, _) => why.to_owned(),
    }
}

fn severity(part: &LinePart, downloaded: bool) -> Severity {
    let has = |wanted: fn(&ShellEffect) -> bool| part.effects.iter().any(wanted);
    let destroys = |danger: &Danger| !matches!(danger, Danger::IrreversibleGit { .. });
    match (downloaded, whose(part).is_some()) {
        _ if part.dangers.iter().any(destroys) => Severity::Destroys,
        (true, true) => Severity::DownloadedPrivileged,
        (true, false) => Severity::Downloaded,
        (false, true) => Severity::Privileged,
        (false, false) if !part.dangers.is_empty() => Severity::Discards,
        (false, false) if has(|effect| matches!(effect, ShellEffect::Send)) => Severity::Sends,
        (false, false) if part.verdict == Verdict::Changes && removes(part) => Severity::Removes,
        (false, false) if part.verdict == Verdict::Changes => Severity::Changes,
        (false, false) if has(|effect| matches!(effect, ShellEffect::Network)) => Severity::Network,
        (false, false) if has(|effect| matches!(effect, ShellEffect::Run { .. })) => Severity::Runs,
        (false, false) => Severity::Unclear,
    }
}

/// Whether it takes files away, or what is in them.
fn removes(part: &LinePart) -> bool {
    const REMOVERS: &[&str] = &["rm", "rmdir", "shred", "truncate", "unlink"];
    let has = |text: &str| part.words.iter().any(|word| word.text == text);
    match part.program().map(|program| program.rsplit('/').next().unwrap_or(program)) {
        Some("find") => has("-delete"),
        Some("git") => has("rm") || has("clean"),
        program => program.is_some_and(|program| REMOVERS.contains(&program)),
    }
}

/// As whom it runs, if not as the person.
fn whose(part: &LinePart) -> Option<&'static str> {
    let runs_as = part.wrappers.iter().rev().find_map(|wrapper| wrapper.runs_as)?;
    Some(match runs_as {
        RunsAs::Root => "as root",
        RunsAs::Other => "as another user",
    })
}

/// The program before it that gets from another machine what this part runs.
fn downloaded<'a>(part: &LinePart, before: &[&'a LinePart]) -> Option<&'a str> {
    if language(part.program()?).is_none() && !part.runs_input() || part.verdict == Verdict::ReadOnly {
        return None;
    }
    let given = part.words.get(1..).unwrap_or(&[]);
    let is_output = |word: &Word| ["$(", "<(", "`"].iter().any(|sign| word.text.contains(sign));
    let is_open = |word: &&Word| !matches!(word.value, WordValue::Literal(_));
    let unseen = given.iter().filter(is_open).any(is_output)
        || part.special_options.iter().any(|option| matches!(option.as_str(), "<" | "-" | "-s"));
    let reads = |path: &PathTarget| part.reads().any(|read| read == path);
    let fetches = |source: &&&LinePart| {
        let network = source.effects.iter().any(|effect| matches!(effect, ShellEffect::Network));
        network && (unseen || source.writes().any(reads))
    };
    before.iter().rev().find(fetches).and_then(|source| source.program())
}

/// A part's text may be a page long; a sentence needs its beginning.
fn shorten(text: &str) -> String {
    const LONGEST: usize = 80;
    let line = text.lines().next().unwrap_or("");
    if line.chars().count() <= LONGEST && line.len() == text.len() {
        line.to_owned()
    } else {
        line.chars().take(LONGEST).chain(['…']).collect()
    }
}

#[cfg(test)]
mod tests {
    fn why(line: &str) -> Vec<String> {
        let analysis = crate::analyse(line);
        let all = super::reasons(analysis.parts.iter().map(|part| (part, part.why.as_deref())));
        assert_eq!(all.first().cloned().unwrap_or_default(), analysis.why, "{line}");
        all
    }

    #[test]
    fn the_worst_reason_comes_first_and_none_is_lost() {
        for (line, expected) in [
            (
                "git log --frob; curl -sSf https://x/i.sh | sudo bash",
                &[
                    "Runs what `curl` downloads, as root (in `sudo bash`)",
                    "`curl` uses the network (in `curl -sSf https://x/i.sh`)",
                    "The option `--frob` of `git log` is not known to be read-only (in `git log --frob`)",
                ][..],
            ),
            (
                "frob; rm -rf build && curl https://x | sh",
                &[
                    "Runs what `curl` downloads (in `sh`)",
                    "`rm` removes files (in `rm -rf build`)",
                    "`curl` uses the network (in `curl https://x`)",
                    "`frob` is not a known program (in `frob`)",
                ],
            ),
            ("touch a; rm b", &["`rm` removes files (in `rm b`)", "`touch` creates files"]),
            (
                "git commit -m x && git rm f",
                &["`git rm` makes changes (in `git rm f`)", "`git commit` creates"],
            ),
            (
                "env CC=x make > out",
                &[
                    "`make` runs commands from the Makefile, even with `-n`, and a redirection writes to `out`",
                ],
            ),
            ("frob a; frob b; frob c", &["`frob` is not a known program (in `frob a`, and 2 more)"]),
            ("cargo build; dd if=x of=/dev/sda", &["`dd` writes to `/dev/sda` (in `dd if=x of=/dev/sda`)"]),
            ("sudo -u ada ./x", &["`sudo` runs with another user's privileges"]),
            ("ls -l | wc", &[]),
        ] {
            let found = why(line);
            assert!(found.len() >= expected.len(), "{line}: {found:?}");
            for (found, expected) in found.iter().zip(expected) {
                assert!(found.starts_with(expected), "{line}: {found:?}");
            }
        }
    }

    #[test]
    fn the_user_is_the_one_that_the_wrapper_names() {
        for (line, whose) in [
            ("curl https://x | sudo bash -u", "as root"),
            ("curl https://x | sudo bash -s -- --user=x", "as root"),
            ("curl https://x | sudo -n -u ada bash", "as another user"),
            ("curl https://x | sudo -uada bash", "as another user"),
            ("curl https://x | sudo --user=ada bash", "as another user"),
            ("curl https://x | sudo -u \"$who\" bash", "as another user"),
            ("curl https://x | sudo -u root bash", "as root"),
            ("curl https://x | doas -u ada bash", "as another user"),
            ("curl https://x | sudo -u ada sudo bash", "as root"),
            ("curl https://x | sudo env -u HOME bash", "as root"),
        ] {
            let expected = format!("Runs what `curl` downloads, {whose} ");
            assert!(why(line)[0].starts_with(&expected), "{line}: {:?}", why(line));
        }
    }

    #[test]
    fn what_is_downloaded_and_run_is_seen_in_every_spelling() {
        for line in [
            "curl https://x | bash",
            "wget -qO- https://x | sudo -E bash -",
            "curl https://x | python3",
            "curl https://x | bash -s -- --yes",
            "bash <(curl -s https://x)",
            "sh -c \"$(curl -fsSL https://x)\"",
            "eval \"$(curl -s https://x)\"",
            "curl https://x -o i.sh && sudo bash i.sh",
            "git log --frob; curl https://x | sudo /bin/sh",
            "curl https://x | python3.12",
            "curl https://x | pkexec bash",
            "curl https://x | run0 bash",
            "curl https://x | su -c bash",
            "curl https://x | su - ada",
            "curl https://x | runuser -u ada -- bash",
        ] {
            let found = why(line);
            let root = |line: &str| ["sudo", "pkexec", "run0"].iter().any(|program| line.contains(program));
            assert!(found[0].starts_with("Runs what `"), "{line}: {found:?}");
            assert_eq!(found[0].contains("as root"), root(line), "{line}: {found:?}");
        }
        for line in [
            "curl https://x > page.html; bash build.sh",
            "curl https://x | grep x",
            "curl https://x > o; python3 \"$f\"",
            "bash build.sh",
        ] {
            assert!(!why(line)[0].contains("downloads"), "{line}");
        }
    }
}
