//! `Glob`: files by a pattern of their names.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::{Mutex, PoisonError};

use forelook_protocol::{AbsPath, Action, FileRef};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::context::{PathFilter, ToolContext};
use crate::paths;
use crate::search::{
    DEFAULT_ENTRIES, FileWalk, Globs, Hit, MAX_CHARS, PathDisplay, ResultPage, SearchRoot, SearchStats,
    StopFlag, TopHits, is_plain, mtime, number, plural, run_blocking,
};
use crate::tool::{BadInput, CallLocation};
use crate::typed::{ToolFailure, ToolMetadata, ToolSuccess, TypedTool};

/// Files by a pattern of their names.
pub(crate) struct Glob;

/// What is wanted.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// The pattern, such as `**/*.rs`, `src/**/*.{ts,tsx}`, `Cargo.toml`, or `/etc/*.conf`.
    pattern: String,
    /// The directory to search; defaults to the current directory.
    #[serde(default)]
    path: Option<String>,
}

impl ToolMetadata for Glob {
    type Input = Input;
    const NAME: &'static str = "Glob";
    const CONCURRENCY_SAFE: bool = true;

    fn description(&self) -> Cow<'static, str> {
        "Finds files by name pattern and lists their paths, most recently changed first. `*` and `?` match within a \
         name, `**` matches any directories, `{a,b}` one of several alternatives, `[a-z]` one character. A pattern \
         without `/` matches names at any depth; one with `/` starts at `path`. It may also be absolute or start \
         with `../` or `~/`. Hidden files are listed; files excluded by `.gitignore` or `.ignore` are not, unless \
         their directory or the file itself is named in full. Directories, symlinks, and everything in `.git` are not \
         listed. To find text in files, use Grep.".into()
    }

    fn check(&self, input: &Input) -> Result<(), BadInput> {
        if input.pattern.is_empty() || input.pattern.contains('\0') {
            return Err(BadInput(
                "`pattern` is empty or not valid text: send a pattern such as `**/*.rs`".to_owned(),
            ));
        }
        Ok(())
    }
}

impl TypedTool for Glob {
    fn action(&self, input: &Input, place: &CallLocation) -> Result<Action, BadInput> {
        Ok(Action::Read { file: GlobRoot::new(input, place)?.folder })
    }

    async fn run(&self, input: Input, cx: ToolContext) -> Result<ToolSuccess, ToolFailure> {
        let start = GlobRoot::new(&input, &cx.place)?;
        let folder = SearchRoot::decided(start.folder, &cx)?;
        let search = GlobSearch {
            folder,
            rest: start.rest,
            anchored: start.anchored,
            display: PathDisplay::new(cx.place.folder.clone()),
            readable: Arc::clone(&cx.files.readable),
        };
        let progress = cx.output.progress().clone();
        run_blocking(&cx, move |stop| search.run(&stop, &progress)).await
    }
}

/// A pattern as the folder it begins in and what it says of the files there.
#[derive(Debug)]
struct GlobRoot {
    folder: FileRef,
    rest: String,
    /// Whether the rest begins right in that folder, rather than anywhere below.
    anchored: bool,
}

impl GlobRoot {
    fn new(input: &Input, place: &CallLocation) -> Result<Self, BadInput> {
        let folder = paths::file("path", input.path.as_deref().unwrap_or("."), place)?;
        let (begin, rest) = split(&input.pattern, folder.real.as_path());
        if rest.split('/').any(|part| matches!(part, "." | "..")) {
            return Err(BadInput(
                "`pattern` has a `.` or `..` after a `*`, which matches nothing: start with the directory you mean"
                    .to_owned(),
            ));
        }
        let anchored = input.pattern.contains('/');
        let folder = match begin.as_str() {
            "" => folder,
            begin => paths::file("pattern", begin, &CallLocation { folder: folder.real, ..place.clone() })?,
        };
        Ok(Self { folder, rest, anchored })
    }
}

/// Splits a pattern after the folders that it names in full. A folder that exists is taken by its name even if that
/// looks like a pattern, such as `app/[id]/page.tsx`.
fn split(pattern: &str, folder: &Path) -> (String, String) {
    let mut begin = String::new();
    if pattern.starts_with('/') {
        begin.push('/');
    }
    let mut parts = pattern.split('/').filter(|part| !part.is_empty()).peekable();
    let ends_in_folder = pattern.ends_with('/');
    let mut rest: Vec<&str> = Vec::new();
    while let Some(part) = parts.next() {
        let is_last = parts.peek().is_none() && !ends_in_folder;
        let exists = || !part.contains(['*', '?']) && folder.join(&begin).join(part).is_dir();
        if rest.is_empty() && !is_last && (is_plain(part) || exists()) {
            begin.push_str(part);
            begin.push('/');
        } else {
            rest.push(part);
        }
    }
    if ends_in_folder {
        rest.push("**");
    }
    (begin, rest.join("/"))
}

/// One search.
struct GlobSearch {
    folder: AbsPath,
    rest: String,
    anchored: bool,
    display: PathDisplay,
    readable: Arc<dyn PathFilter>,
}

impl GlobSearch {
    fn run(&self, stop: &StopFlag, progress: &crate::Progress) -> Result<ToolSuccess, ToolFailure> {
        if SearchRoot::inspect(&self.folder)? == SearchRoot::File {
            return Err(ToolFailure::new(format!(
                "`{}` is a file\nPass a directory as `path`; to view the file, use Read",
                self.folder
            )));
        }
        let stats = SearchStats::default();
        let found = Mutex::new(TopHits::new(DEFAULT_ENTRIES));
        let mut walk = FileWalk {
            root: &self.folder,
            globs: Some(Globs::below(&self.folder, &self.rest, self.anchored)?),
            types: None,
            depth: self.depth(),
            stop,
            stats: &stats,
            progress,
            verb: "found",
        };
        walk.run(|| {
            let mut own = TopHits::of_worker(&found);
            Box::new(move |path: PathBuf| {
                let newest = Reverse(mtime(fs::symlink_metadata(&path)));
                own.push(Hit { newest, path, matches: 1 });
            })
        });
        let found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
        Ok(ToolSuccess::new(self.render(found, &stats)))
    }

    /// How deep the pattern can reach.
    fn depth(&self) -> Option<usize> {
        (self.anchored && !self.rest.contains("**")).then(|| self.rest.split('/').count())
    }

    /// The list, and what is not on it.
    fn render(&self, mut found: TopHits, stats: &SearchStats) -> String {
        self.add_named(&mut found);
        let files = found.files();
        let (hits, barred): (Vec<Hit>, Vec<Hit>) =
            found.into_sorted().into_iter().partition(|hit| self.may_read(&hit.path));
        let mut page = ResultPage::new(MAX_CHARS, DEFAULT_ENTRIES);
        for hit in &hits {
            if !page.entry(&self.display.path(&hit.path)) {
                break;
            }
        }
        let barred = barred.len() as u64;
        let mut notes = Vec::new();
        if page.files + barred < files {
            notes.push(format!(
                "Showing the newest {} of {} files. For the others, send a longer `pattern` or a `path` below",
                number(page.files),
                number(files)
            ));
        }
        if barred > 0 {
            notes.push(format!(
                "{} not listed because reading needs approval; to ask for it, Read the file by name",
                plural(barred, "file is", "files are")
            ));
        }
        notes.extend(stats.notes(&self.display));
        if page.files == 0 {
            page.text = self.no_match();
        }
        for note in notes {
            page.text.push_str(&format!("\n[{note}]\n"));
        }
        page.text
    }

    /// A file that the pattern names in full is found even if it is ignored or a link.
    fn add_named(&self, found: &mut TopHits) {
        let path = self.folder.join(&self.rest);
        // Among too many it may have been there and been left out.
        let is_new = found.files() < DEFAULT_ENTRIES as u64 && !found.has(path.as_path());
        if is_new && !self.rest.contains('*') && fs::metadata(&path).is_ok_and(|meta| meta.is_file()) {
            let newest = Reverse(mtime(fs::metadata(&path)));
            found.push(Hit { newest, path: path.as_path().to_path_buf(), matches: 1 });
        }
    }

    fn may_read(&self, path: &Path) -> bool {
        // A link counts for what it leads to.
        let real = if path.is_symlink() { fs::canonicalize(path).ok() } else { None };
        AbsPath::new(real.as_deref().unwrap_or(path)).is_ok_and(|path| self.readable.admits(&path))
    }

    fn no_match(&self) -> String {
        let folder = self.display.path(self.folder.as_path());
        let mut text = format!("No file in `{folder}` matches `{}`\n", self.rest);
        if self.folder.join(&self.rest).as_path().is_dir() {
            text.push_str(&format!("`{0}` is a directory: for the files in it, use `{0}/**`\n", self.rest));
        } else {
            text.push_str(
                "Files that `.gitignore` excludes are listed only when their directory is passed as \
                           `path`\n",
            );
        }
        text
    }
}

#[cfg(test)]
mod tests;
