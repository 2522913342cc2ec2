//! `Read`: a file, or a part of it: text with line numbers, pictures, PDFs, notebooks.

mod large;
mod lines;
mod missing;
mod notebook;
mod pdf;
mod picture;

use std::borrow::Cow;
use std::io::{self, Read as _, Seek};
use std::num::NonZeroUsize;

use forelook_disk::text_file::{self, Encoding};
use forelook_protocol::{AbsPath, Action};
use image::ImageFormat;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value};
use tokio_util::sync::CancellationToken;

use crate::context::ToolContext;
use crate::file::{self, Content, MAX_FILE};
use crate::progress::Progress;
use crate::tool::{BadInput, Place};
use crate::typed::{Described, Done, Failure, TypedTool, blocking};
use crate::{paths, seen};
use lines::{Range, Text, quoted};
pub use pdf::PDF_READER;
use picture::NotShown;
pub use picture::picture;

const DEFAULT_LINES: usize = 2000;

/// Reads a file.
pub(crate) struct Read;

/// What to read.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// The file: an absolute path, or one relative to the current folder.
    file_path: String,
    /// The first line to read, counted from 1.
    #[serde(default)]
    offset: Option<usize>,
    /// How many lines to read; 2000 if left out.
    #[serde(default)]
    limit: Option<NonZeroUsize>,
}

impl Described for Read {
    type Input = Input;
    const NAME: &'static str = "Read";
    const CONCURRENCY_SAFE: bool = true;

    fn description(&self) -> Cow<'static, str> {
        "Reads a file. Of a text file each line comes as its number, a tab and its text; the number and the tab \
        are not part of the file. Without `offset` and `limit` it gives the first 2000 lines; longer files are \
        read in parts, and of very large ones only the wanted part is read. Lines over 2000 characters are cut. \
        Pictures (PNG, JPEG, GIF, WebP) are shown to you, scaled down if need be. Of a PDF you get the text, page \
        by page, and of a Jupyter notebook its cells with their ids and outputs, pictures included; `offset` and \
        `limit` count the lines of that text. Read a file before you change it with Edit, Write or NotebookEdit. \
        For folders use Glob, or Bash with `ls`."
            .into()
    }

    fn check_fields(&self, input: &Map<String, Value>) -> Result<(), BadInput> {
        let below = |field: &str, least: i64| input.get(field)?.as_i64().filter(|number| *number < least);
        if let Some(offset) = below("offset", 0) {
            return Err(BadInput(format!(
                "`offset` is {offset}, but lines are counted from 1\n\
                 Send the first line to read; for the last {0} lines use Bash with `tail -n {0}`",
                offset.unsigned_abs()
            )));
        }
        if let Some(limit) = below("limit", 1) {
            return Err(BadInput(format!(
                "`limit` is {limit}, so nothing would be read\nSend how many lines to read, or leave it out"
            )));
        }
        Ok(())
    }
}

impl TypedTool for Read {
    fn action(&self, input: &Input, place: &Place) -> Result<Action, BadInput> {
        Ok(Action::Read { file: paths::file("file_path", &input.file_path, place)? })
    }

    async fn run(&self, input: Input, cx: ToolContext) -> Result<Done, Failure> {
        let job = Job {
            path: paths::decided(&input.file_path, &cx)?,
            range: Range {
                first: input.offset.unwrap_or(1).max(1),
                limit: input.limit.map_or(DEFAULT_LINES, NonZeroUsize::get),
            },
            ranged: input.offset.is_some() || input.limit.is_some(),
            cancel: cx.cancel.clone(),
            progress: cx.output.progress().clone(),
        };
        // A read can hang, as on a server that is gone; an interrupt does not wait for it.
        tokio::select! {
            done = blocking(move || job.read()) => done,
            () = cx.cancel.cancelled() => Err(Failure::interrupted()),
        }
    }
}

/// One file to read.
struct Job {
    path: AbsPath,
    range: Range,
    /// Whether `offset` or `limit` was sent.
    ranged: bool,
    cancel: CancellationToken,
    progress: Progress,
}

impl Job {
    fn read(&self) -> Result<Done, Failure> {
        let Some(opened) = file::open(&self.path)? else { return Err(missing::missing(&self.path)) };
        match file::content(&self.path, opened)? {
            Content::Whole(bytes) => self.whole(bytes),
            Content::Large(file) => self.large(file),
        }
    }

    fn whole(&self, bytes: Vec<u8>) -> Result<Done, Failure> {
        let path = &self.path;
        let effect = seen::saw(path, &bytes);
        let done = if let Some(format) = picture::kind(&bytes) {
            self.picture(&bytes, format)?
        } else if pdf::is_pdf(path, &bytes) {
            Done::new(pdf::read(self, bytes)?)
        } else {
            let (encoding, text) =
                text_file::view(&bytes).map_err(|_| binary(path, &bytes, bytes.len() as u64))?;
            match is_notebook(path) && !text.trim().is_empty() {
                true => self.notebook(&text, encoding)?,
                false => {
                    Done::new(Text { path, text: &text, encoding: Some(encoding) }.numbered(self.range)?)
                }
            }
        };
        Ok(done.with(effect))
    }

    /// A file that is too large to be held. What must be held whole to be read cannot be read.
    fn large(&self, mut file: std::fs::File) -> Result<Done, Failure> {
        let path = &self.path;
        let fail = |error: io::Error| file::failure(path, &error);
        let mut start = Vec::new();
        file.rewind().map_err(fail)?;
        (&file).take(1024).read_to_end(&mut start).map_err(fail)?;
        let (what, hint) = if picture::kind(&start).is_some() {
            (
                "picture",
                format!(
                    "Make a smaller one with Bash: `magick {} -resize 1568x1568 small.png`",
                    quoted(path)
                ),
            )
        } else if pdf::is_pdf(path, &start) {
            ("PDF", format!("Look at a part of it with Bash: `pdftotext -f 1 -l 20 {} -`", quoted(path)))
        } else {
            return large::read(self, file);
        };
        Err(Failure::new(format!(
            "`{path}` is a {what} of over {} MiB, too large to be read\n{hint}",
            MAX_FILE >> 20
        )))
    }

    fn picture(&self, bytes: &[u8], format: ImageFormat) -> Result<Done, Failure> {
        let path = &self.path;
        let shown = picture::show(bytes, format, &self.cancel).map_err(|why| match why {
            NotShown::Interrupted => Failure::interrupted(),
            NotShown::TooLarge(..) => Failure::new(format!(
                "`{path}` is a picture that cannot be shown: {why}\n\
                 If it can be trusted, make a smaller one with Bash: `magick {} -resize 1568x1568 small.png`",
                quoted(path)
            )),
            NotShown::Broken(_) => Failure::new(format!(
                "`{path}` is a picture that cannot be shown: {why}\nLook at it with Bash: `file`, `xxd | head`"
            )),
        })?;
        let (width, height) = shown.size;
        let scaled =
            shown.scaled.map(|(width, height)| format!(", shown as {width}×{height}")).unwrap_or_default();
        let no_lines = if self.ranged { "; `offset` and `limit` mean nothing here" } else { "" };
        let text = format!("`{path}` is a {} picture, {width}×{height} pixels{scaled}{no_lines}", shown.name);
        Ok(Done { pictures: vec![shown.picture], ..Done::new(text) })
    }

    /// A notebook as its cells; one that is broken as the text that it is, so that it can be mended.
    fn notebook(&self, text: &str, encoding: Encoding) -> Result<Done, Failure> {
        let path = &self.path;
        match notebook::render(text, &self.cancel) {
            Ok(rendered) => {
                let lines = Text { path, text: &rendered.text, encoding: None }.numbered(self.range)?;
                Ok(Done { pictures: rendered.pictures, ..Done::new(lines) })
            }
            Err(why) => {
                let lines = Text { path, text, encoding: Some(encoding) }.numbered(self.range)?;
                Ok(Done::new(format!("[This is not a notebook: {why}. It is shown as text.]\n{lines}")))
            }
        }
    }
}

fn is_notebook(path: &AbsPath) -> bool {
    path.as_path().extension().is_some_and(|end| end.eq_ignore_ascii_case("ipynb"))
}

/// A file that is no text, and what could be done about it.
fn binary(path: &AbsPath, start: &[u8], size: u64) -> Failure {
    let hint = match looks_like_utf16(start) {
        true => format!(
            "It looks like UTF-16 without a mark. Read it with Bash: `iconv -f UTF-16LE -t UTF-8 {}` (or UTF-16BE)",
            quoted(path)
        ),
        false => "Look at it with Bash: `file`, `xxd | head`, `strings`".to_owned(),
    };
    Failure::new(format!("`{path}` is a binary file ({size} bytes), which cannot be shown as text\n{hint}"))
}

/// Latin letters in UTF-16 have a zero in every other byte.
fn looks_like_utf16(start: &[u8]) -> bool {
    let pairs = start[..start.len().min(1024)].chunks_exact(2);
    let count = pairs.len();
    let zeros = |at: usize| pairs.clone().filter(|pair| pair[at] == 0 && pair[1 - at] != 0).count();
    count > 1 && zeros(0).max(zeros(1)) * 10 > count * 9
}

#[cfg(test)]
mod tests;
