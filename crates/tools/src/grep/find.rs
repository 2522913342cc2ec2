//! One search: first which files match and how often, then the text for the model.
//!
//! Two passes, so that results have an order although many workers find them, in bounded memory. The second looks only
//! into the files that are shown.

use std::cmp::Reverse;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::{Mutex, PoisonError};

use forelook_protocol::AbsPath;

use super::{Input, Mode};
use crate::Progress;
use crate::context::PathFilter;
use crate::search::{
    Best, Globs, Hit, Lines, Looker, MAX_CHARS, Page, Root, Shown, Sought, Stop, Sweep, Tally, Wanted,
    matcher, mtime, number, plural, types,
};
use crate::typed::{Done, Failure};

/// A search and where it takes place.
pub(super) struct Find {
    pub(super) path: AbsPath,
    /// The current folder.
    pub(super) folder: AbsPath,
    pub(super) shown: Shown,
    pub(super) readable: Arc<dyn PathFilter>,
    pub(super) progress: Progress,
    pub(super) input: Input,
}

impl Find {
    pub(super) fn run(&self, stop: &Stop) -> Result<Done, Failure> {
        let root = Root::look(&self.path)?;
        let Input { pattern, ignore_case, multiline, .. } = &self.input;
        let sought = Sought {
            matcher: matcher(pattern, *ignore_case, *multiline)?,
            multiline: *multiline,
            named: root == Root::File,
        };
        let tally = Tally::default();
        let found = match root {
            Root::File => self.look_at_file(&sought, &tally, stop)?,
            Root::Folder => self.sweep(&sought, &tally, stop)?,
        };
        Ok(Done::new(self.tell(found, &sought, &tally, stop)))
    }

    fn wanted(&self) -> Wanted {
        if self.input.mode() == Mode::FilesWithMatches { Wanted::Any } else { Wanted::Count }
    }

    /// Searches the one file that was named, and so decided on: no need to ask whether it may be read.
    fn look_at_file(&self, sought: &Sought, tally: &Tally, stop: &Stop) -> Result<Best, Failure> {
        let mut best = Best::new(1);
        let looked = Looker::new(sought, &sought.settings(), stop).count(self.path.as_path(), self.wanted());
        tally.add_files(1, &self.progress, "searched");
        match looked {
            Ok((found, _)) if found.matches > 0 => {
                if found.binary && self.input.mode() == Mode::Content {
                    tally.binary_matches(self.path.as_path());
                } else {
                    best.push(Hit {
                        newest: Reverse((0, 0)),
                        path: self.path.as_path().into(),
                        matches: found.matches,
                    });
                }
            }
            Ok(_) => {}
            Err(error) if error.kind() == std::io::ErrorKind::PermissionDenied => {
                return Err(Failure::new(format!(
                    "Not allowed to read `{}`\nIts permissions forbid it",
                    self.path
                )));
            }
            Err(error) => tally.file_failed(self.path.as_path(), &error),
        }
        Ok(best)
    }

    /// Searches all files of a folder.
    fn sweep(&self, sought: &Sought, tally: &Tally, stop: &Stop) -> Result<Best, Failure> {
        let filter = |glob: &String| Globs::filter(glob, &self.path, &self.folder);
        let found = Mutex::new(Best::new(self.input.limit()));
        let settings = sought.settings();
        let mut sweep = Sweep {
            root: &self.path,
            globs: self.input.glob.as_ref().filter(|glob| !glob.is_empty()).map(filter).transpose()?,
            types: self.input.kind.as_deref().filter(|kind| !kind.is_empty()).map(types).transpose()?,
            depth: None,
            stop,
            tally,
            progress: &self.progress,
            verb: "searched",
        };
        sweep.run(|| {
            let mut own = Best::of_worker(&found);
            let mut looker = Looker::new(sought, &settings, stop);
            Box::new(move |path: PathBuf| {
                if let Some(hit) = self.look(&mut looker, path, tally) {
                    own.push(hit);
                }
            })
        });
        Ok(found.into_inner().unwrap_or_else(PoisonError::into_inner))
    }

    /// Looks into one file of many.
    fn look(&self, looker: &mut Looker, path: PathBuf, tally: &Tally) -> Option<Hit> {
        let by_time = self.wanted() == Wanted::Any;
        match looker.count(&path, self.wanted()) {
            Ok((found, _)) if found.matches == 0 => None,
            // Not even counted: whoever may not read a file could else guess it, pattern by pattern.
            Ok(_) if !self.may_read(&path) => None,
            Ok((found, _)) if found.binary => {
                tally.binary_matches(&path);
                None
            }
            Ok((found, file)) => {
                let time = if by_time { mtime(file.metadata()) } else { (0, 0) };
                Some(Hit { newest: Reverse(time), path, matches: found.matches })
            }
            Err(error) => {
                tally.file_failed(&path, &error);
                None
            }
        }
    }

    fn may_read(&self, path: &Path) -> bool {
        AbsPath::new(path).is_ok_and(|path| self.readable.admits(&path))
    }

    /// The text for the model.
    fn tell(&self, found: Best, sought: &Sought, tally: &Tally, stop: &Stop) -> String {
        let (files, matches) = (found.files(), found.matches());
        let mut page = Page::new(MAX_CHARS, self.input.limit());
        let hits = found.into_sorted();
        let mode = self.input.mode();
        if mode == Mode::Content {
            self.write_lines(&hits, &mut page, sought, stop);
        }
        let list = if mode == Mode::Content { &[][..] } else { &hits };
        for hit in list {
            let path = self.shown.path(&hit.path);
            let fits = match mode {
                Mode::Count => page.entry(&format!("{path}:{}", hit.matches)),
                _ => page.entry(&path),
            };
            if !fits {
                break;
            }
        }
        if files == 0 {
            page.text = self.nothing(tally);
        }
        let lines =
            if self.input.multiline { ("match", "matches") } else { ("matching line", "matching lines") };
        let all = format!("{} in {}", plural(matches, lines.0, lines.1), plural(files, "file", "files"));
        let mut notes = Vec::new();
        match mode {
            Mode::Content if page.matches < matches => {
                notes.push(format!("The first {} of {all}. {}", number(page.matches), more(&page)));
            }
            Mode::FilesWithMatches if page.files < files => {
                let files = plural(files, "file", "files");
                notes.push(format!("The newest {} of {files}. {}", number(page.files), more(&page)));
            }
            Mode::Count if page.files < files => {
                notes.push(format!("The first {} files of {all}. {}", number(page.files), more(&page)));
            }
            Mode::Count if files > 1 => notes.push(all),
            _ => {}
        }
        notes.extend(tally.notes(&self.shown));
        for note in notes {
            page.text.push_str(&format!("\n[{note}]\n"));
        }
        page.text
    }

    /// Looks again into the first files, for their lines.
    fn write_lines(&self, hits: &[Hit], page: &mut Page, sought: &Sought, stop: &Stop) {
        let context = self.input.context();
        let mut settings = sought.settings();
        settings.line_number(context.numbers).before_context(context.before).after_context(context.after);
        let mut looker = Looker::new(sought, &settings, stop);
        for hit in hits {
            if page.is_full() || stop.is_set() {
                break;
            }
            let heading = self.shown.path(&hit.path);
            let lines =
                Lines { page, matcher: &sought.matcher, numbers: context.numbers, heading: Some(&heading) };
            // A file that vanished meanwhile has no lines to show.
            let _ = looker.search(&hit.path, lines);
        }
    }

    fn nothing(&self, tally: &Tally) -> String {
        let path = self.shown.path(self.path.as_path());
        let Input { pattern, glob, kind, .. } = &self.input;
        let pattern = crate::output::shorten(pattern, 200);
        let files = tally.files();
        let mut text = format!("No match for `{pattern}` in `{path}` ({})\n", plural(files, "file", "files"));
        let filters = [("glob", glob), ("type", kind)];
        let filters: Vec<String> = filters
            .iter()
            .filter_map(|(field, value)| Some(format!("`{field}` {}", value.as_ref()?)))
            .map(|filter| crate::output::shorten(&filter, 200))
            .collect();
        if files == 0 && !filters.is_empty() {
            text.push_str(&format!(
                "No file fits {}; a glob of several is written `*.{{a,b}}`\n",
                filters.join(" and ")
            ));
        }
        text
    }
}

/// How to see what does not stand on the page.
fn more(page: &Page) -> &'static str {
    if page.is_long() {
        "For the others narrow the search with `path`, `glob` or `pattern`"
    } else {
        "For the others give a higher `head_limit`, or narrow the search with `path`, `glob` or `pattern`"
    }
}
