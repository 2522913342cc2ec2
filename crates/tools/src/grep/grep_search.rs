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
    CountMode, FileSearcher, FileWalk, Globs, Hit, LineSink, MAX_CHARS, PathDisplay, ResultPage, SearchQuery,
    SearchRoot, SearchStats, StopFlag, TopHits, matcher, mtime, number, plural, types,
};
use crate::typed::{ToolFailure, ToolSuccess};

/// A search and where it takes place.
pub(super) struct GrepSearch {
    pub(super) path: AbsPath,
    /// The current folder.
    pub(super) folder: AbsPath,
    pub(super) display: PathDisplay,
    pub(super) readable: Arc<dyn PathFilter>,
    pub(super) progress: Progress,
    pub(super) input: Input,
}

impl GrepSearch {
    pub(super) fn run(&self, stop: &StopFlag) -> Result<ToolSuccess, ToolFailure> {
        let root = SearchRoot::inspect(&self.path)?;
        let Input { pattern, ignore_case, multiline, .. } = &self.input;
        let query = SearchQuery {
            matcher: matcher(pattern, *ignore_case, *multiline)?,
            multiline: *multiline,
            named: root == SearchRoot::File,
        };
        let stats = SearchStats::default();
        let found = match root {
            SearchRoot::File => self.search_file(&query, &stats, stop)?,
            SearchRoot::Folder => self.search_folder(&query, &stats, stop)?,
        };
        Ok(ToolSuccess::new(self.render(found, &query, &stats, stop)))
    }

    fn count_mode(&self) -> CountMode {
        if self.input.mode() == Mode::FilesWithMatches { CountMode::Any } else { CountMode::Count }
    }

    /// Searches the one file that was named, and so decided on: no need to ask whether it may be read.
    fn search_file(
        &self,
        query: &SearchQuery,
        stats: &SearchStats,
        stop: &StopFlag,
    ) -> Result<TopHits, ToolFailure> {
        let mut best = TopHits::new(1);
        let looked =
            FileSearcher::new(query, &query.settings(), stop).count(self.path.as_path(), self.count_mode());
        stats.add_files(1, &self.progress, "searched");
        match looked {
            Ok((found, _)) if found.matches > 0 => {
                if found.binary && self.input.mode() == Mode::Content {
                    stats.binary_matches(self.path.as_path());
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
                return Err(ToolFailure::new(format!(
                    "Permission denied: cannot read `{}`\nCheck its permissions",
                    self.path
                )));
            }
            Err(error) => stats.file_failed(self.path.as_path(), &error),
        }
        Ok(best)
    }

    /// Searches all files of a folder.
    fn search_folder(
        &self,
        query: &SearchQuery,
        stats: &SearchStats,
        stop: &StopFlag,
    ) -> Result<TopHits, ToolFailure> {
        let filter = |glob: &String| Globs::filter(glob, &self.path, &self.folder);
        let found = Mutex::new(TopHits::new(self.input.limit()));
        let settings = query.settings();
        let mut walk = FileWalk {
            root: &self.path,
            globs: self.input.glob.as_ref().filter(|glob| !glob.is_empty()).map(filter).transpose()?,
            types: self.input.kind.as_deref().filter(|kind| !kind.is_empty()).map(types).transpose()?,
            depth: None,
            stop,
            stats,
            progress: &self.progress,
            verb: "searched",
        };
        walk.run(|| {
            let mut own = TopHits::of_worker(&found);
            let mut searcher = FileSearcher::new(query, &settings, stop);
            Box::new(move |path: PathBuf| {
                if let Some(hit) = self.search_one(&mut searcher, path, stats) {
                    own.push(hit);
                }
            })
        });
        Ok(found.into_inner().unwrap_or_else(PoisonError::into_inner))
    }

    /// Looks into one file of many.
    fn search_one(&self, searcher: &mut FileSearcher, path: PathBuf, stats: &SearchStats) -> Option<Hit> {
        let by_time = self.count_mode() == CountMode::Any;
        match searcher.count(&path, self.count_mode()) {
            Ok((found, _)) if found.matches == 0 => None,
            // Not even counted: whoever may not read a file could else guess it, pattern by pattern.
            Ok(_) if !self.may_read(&path) => None,
            Ok((found, _)) if found.binary => {
                stats.binary_matches(&path);
                None
            }
            Ok((found, file)) => {
                let time = if by_time { mtime(file.metadata()) } else { (0, 0) };
                Some(Hit { newest: Reverse(time), path, matches: found.matches })
            }
            Err(error) => {
                stats.file_failed(&path, &error);
                None
            }
        }
    }

    fn may_read(&self, path: &Path) -> bool {
        AbsPath::new(path).is_ok_and(|path| self.readable.admits(&path))
    }

    /// The text for the model.
    fn render(&self, found: TopHits, query: &SearchQuery, stats: &SearchStats, stop: &StopFlag) -> String {
        let (files, matches) = (found.files(), found.matches());
        let mut page = ResultPage::new(MAX_CHARS, self.input.limit());
        let hits = found.into_sorted();
        let mode = self.input.mode();
        if mode == Mode::Content {
            self.write_lines(&hits, &mut page, query, stop);
        }
        let list = if mode == Mode::Content { &[][..] } else { &hits };
        for hit in list {
            let path = self.display.path(&hit.path);
            let fits = match mode {
                Mode::Count => page.entry(&format!("{path}:{}", hit.matches)),
                _ => page.entry(&path),
            };
            if !fits {
                break;
            }
        }
        if files == 0 {
            page.text = self.no_match(stats);
        }
        let lines =
            if self.input.multiline { ("match", "matches") } else { ("matching line", "matching lines") };
        let all = format!("{} in {}", plural(matches, lines.0, lines.1), plural(files, "file", "files"));
        let mut notes = Vec::new();
        match mode {
            Mode::Content if page.matches < matches => {
                notes.push(format!("Showing the first {} of {all}. {}", number(page.matches), more(&page)));
            }
            Mode::FilesWithMatches if page.files < files => {
                let files = plural(files, "file", "files");
                notes.push(format!("Showing the newest {} of {files}. {}", number(page.files), more(&page)));
            }
            Mode::Count if page.files < files => {
                notes.push(format!(
                    "Showing the first {} files of {all}. {}",
                    number(page.files),
                    more(&page)
                ));
            }
            Mode::Count if files > 1 => notes.push(all),
            _ => {}
        }
        notes.extend(stats.notes(&self.display));
        for note in notes {
            page.text.push_str(&format!("\n[{note}]\n"));
        }
        page.text
    }

    /// Looks again into the first files, for their lines.
    fn write_lines(&self, hits: &[Hit], page: &mut ResultPage, query: &SearchQuery, stop: &StopFlag) {
        let context = self.input.context();
        let mut settings = query.settings();
        settings.line_number(context.numbers).before_context(context.before).after_context(context.after);
        let mut searcher = FileSearcher::new(query, &settings, stop);
        for hit in hits {
            if page.is_full() || stop.is_set() {
                break;
            }
            let heading = self.display.path(&hit.path);
            let lines =
                LineSink { page, matcher: &query.matcher, numbers: context.numbers, heading: Some(&heading) };
            // A file that vanished meanwhile has no lines to show.
            let _ = searcher.search(&hit.path, lines);
        }
    }

    fn no_match(&self, stats: &SearchStats) -> String {
        let path = self.display.path(self.path.as_path());
        let Input { pattern, glob, kind, .. } = &self.input;
        let pattern = crate::output::shorten(pattern, 200);
        let files = stats.files();
        let mut text = format!("No match for `{pattern}` in `{path}` ({})\n", plural(files, "file", "files"));
        let filters = [("glob", glob), ("type", kind)];
        let filters: Vec<String> = filters
            .iter()
            .filter_map(|(field, value)| Some(format!("`{field}` {}", value.as_ref()?)))
            .map(|filter| crate::output::shorten(&filter, 200))
            .collect();
        if files == 0 && !filters.is_empty() {
            text.push_str(&format!(
                "No file matches {}; write several alternatives as `*.{{a,b}}`\n",
                filters.join(" and ")
            ));
        }
        text
    }
}

/// How to see what does not stand on the page.
fn more(page: &ResultPage) -> &'static str {
    if page.is_long() {
        "For the rest, narrow the search with `path`, `glob`, or `pattern`"
    } else {
        "For the rest, raise `head_limit`, or narrow the search with `path`, `glob`, or `pattern`"
    }
}
