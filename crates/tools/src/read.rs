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
use crate::tool::{BadInput, CallLocation};
use crate::typed::{ToolFailure, ToolMetadata, ToolSuccess, TypedTool, blocking};
use crate::{paths, seen};
use lines::{LineRange, NumberedText, quoted};
pub use pdf::PDF_READER;
use picture::PictureError;
pub use picture::{NoPicture, picture, picture_from_base64};

const DEFAULT_LINES: usize = 2000;

/// Reads a file.
pub(crate) struct Read;

/// What to read.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// Path of the file: absolute, or relative to the current directory.
    file_path: String,
    /// The first line to read, starting at 1.
    #[serde(default)]
    offset: Option<usize>,
    /// How many lines to read; defaults to 2000.
    #[serde(default)]
    limit: Option<NonZeroUsize>,
}

impl Input {
    /// As much of the file as a result holds.
    pub(crate) fn whole(file_path: String) -> Self {
        Self { file_path, offset: None, limit: None }
    }

    /// These lines, counted from 1.
    pub(crate) fn lines(file_path: String, first: usize, limit: Option<NonZeroUsize>) -> Self {
        Self { file_path, offset: Some(first), limit }
    }
}

impl ToolMetadata for Read {
    type Input = Input;
    const NAME: &'static str = "Read";
    const CONCURRENCY_SAFE: bool = true;

    fn description(&self) -> Cow<'static, str> {
        "Reads a file. Each line is prefixed with its line number and a tab, which are not part of the file. \
         Without `offset` and `limit` it returns the first 2000 lines; read longer files in parts. For very \
         large files, only the requested part is read. Lines over 2000 characters are truncated. Images \
         (PNG, JPEG, GIF, WebP) are shown to you, scaled down if needed. For a PDF you get the text, page by \
         page; for a Jupyter notebook, its cells with their ids and outputs, including images. For both, \
         `offset` and `limit` count the lines of that text. Read a file before you change it with Edit, \
         Write, or NotebookEdit. For directories, use Glob, or Bash with `ls`."
            .into()
    }

    fn check_fields(&self, input: &Map<String, Value>) -> Result<(), BadInput> {
        let below = |field: &str, least: i64| input.get(field)?.as_i64().filter(|number| *number < least);
        if let Some(offset) = below("offset", 0) {
            return Err(BadInput(format!(
                "`offset` is {offset}, but line numbers start at 1\n\
                 Send the first line to read; for the last {0} lines, use Bash with `tail -n {0}`",
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
    fn action(&self, input: &Input, place: &CallLocation) -> Result<Action, BadInput> {
        Ok(Action::Read { file: paths::file("file_path", &input.file_path, place)? })
    }

    async fn run(&self, input: Input, cx: ToolContext) -> Result<ToolSuccess, ToolFailure> {
        let job = ReadJob {
            path: paths::decided(&input.file_path, &cx)?,
            range: LineRange {
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
            () = cx.cancel.cancelled() => Err(ToolFailure::interrupted()),
        }
    }
}

/// One file to read.
struct ReadJob {
    path: AbsPath,
    range: LineRange,
    /// Whether `offset` or `limit` was sent.
    ranged: bool,
    cancel: CancellationToken,
    progress: Progress,
}

impl ReadJob {
    fn read(&self) -> Result<ToolSuccess, ToolFailure> {
        let place = file::place(&self.path)?;
        let opened = place.map_or(Ok(None), |place| file::open(&self.path, &place))?;
        let Some(opened) = opened else { return Err(missing::missing(&self.path)) };
        match file::content(&self.path, &opened)? {
            Content::Whole(bytes) => self.whole(bytes),
            Content::Large => self.large(opened),
        }
    }

    fn whole(&self, bytes: Vec<u8>) -> Result<ToolSuccess, ToolFailure> {
        let path = &self.path;
        let effect = seen::seen_effect(path, &bytes);
        let done = if let Some(format) = picture::kind(&bytes) {
            self.picture(&bytes, format)?
        } else if pdf::is_pdf(path, &bytes) {
            ToolSuccess::new(pdf::read(self, bytes)?)
        } else {
            let (encoding, text) =
                text_file::view(&bytes).map_err(|_| binary(path, &bytes, bytes.len() as u64))?;
            match is_notebook(path) && !text.trim().is_empty() {
                true => self.notebook(&text, encoding)?,
                false => ToolSuccess::new(
                    NumberedText { path, text: &text, encoding: Some(encoding) }.numbered(self.range)?,
                ),
            }
        };
        Ok(done.with(effect))
    }

    /// A file that is too large to be held. What must be held whole to be read cannot be read.
    fn large(&self, mut file: std::fs::File) -> Result<ToolSuccess, ToolFailure> {
        let path = &self.path;
        let fail = |error: io::Error| file::failure(path, &error);
        let mut start = Vec::new();
        file.rewind().map_err(fail)?;
        (&file).take(1024).read_to_end(&mut start).map_err(fail)?;
        let (what, hint) = if picture::kind(&start).is_some() {
            (
                "an image",
                format!(
                    "Make a smaller one with Bash: `magick {} -resize 1568x1568 small.png`",
                    quoted(path)
                ),
            )
        } else if pdf::is_pdf(path, &start) {
            ("a PDF", format!("View part of it with Bash: `pdftotext -f 1 -l 20 {} -`", quoted(path)))
        } else {
            return large::read(self, file);
        };
        Err(ToolFailure::new(format!(
            "`{path}` is {what} of over {} MiB, too large to read\n{hint}",
            MAX_FILE >> 20
        )))
    }

    fn picture(&self, bytes: &[u8], format: ImageFormat) -> Result<ToolSuccess, ToolFailure> {
        let path = &self.path;
        let shown = picture::show(bytes, format, &self.cancel).map_err(|why| match why {
            PictureError::Interrupted => ToolFailure::interrupted(),
            PictureError::TooLarge(..) => ToolFailure::new(format!(
                "`{path}` is an image that cannot be shown: {why}\n\
                 If you trust it, make a smaller one with Bash: `magick {} -resize 1568x1568 small.png`",
                quoted(path)
            )),
            PictureError::Broken(_) => ToolFailure::new(format!(
                "`{path}` is an image that cannot be shown: {why}\n\
                 Inspect it with Bash: `file`, `xxd | head`"
            )),
        })?;
        let (width, height) = shown.size;
        let scaled =
            shown.scaled.map(|(width, height)| format!(", shown as {width}×{height}")).unwrap_or_default();
        let no_lines = if self.ranged { "; `offset` and `limit` do not apply here" } else { "" };
        let text = format!("`{path}` is a {} image, {width}×{height} pixels{scaled}{no_lines}", shown.name);
        Ok(ToolSuccess { pictures: vec![shown.picture], ..ToolSuccess::new(text) })
    }

    /// A notebook as its cells; one that is broken as the text that it is, so that it can be mended.
    fn notebook(&self, text: &str, encoding: Encoding) -> Result<ToolSuccess, ToolFailure> {
        let path = &self.path;
        match notebook::render(text, &self.cancel) {
            Ok(rendered) => {
                let lines =
                    NumberedText { path, text: &rendered.text, encoding: None }.numbered(self.range)?;
                Ok(ToolSuccess { pictures: rendered.pictures, ..ToolSuccess::new(lines) })
            }
            Err(why) => {
                let lines = NumberedText { path, text, encoding: Some(encoding) }.numbered(self.range)?;
                Ok(ToolSuccess::new(format!(
                    "[This is not a notebook: {why}. It is shown as text.]\n{lines}"
                )))
            }
        }
    }
}

fn is_notebook(path: &AbsPath) -> bool {
    path.as_path().extension().is_some_and(|end| end.eq_ignore_ascii_case("ipynb"))
}

/// A file that is no text, and what could be done about it.
fn binary(path: &AbsPath, start: &[u8], size: u64) -> ToolFailure {
    let hint = match looks_like_utf16(start) {
        true => format!(
            "It looks like UTF-16 without a byte order mark. Read it with Bash: `iconv -f UTF-16LE -t UTF-8 \
             {}` (or UTF-16BE)",
            quoted(path)
        ),
        false => "Inspect it with Bash: `file`, `xxd | head`, `strings`".to_owned(),
    };
    ToolFailure::new(format!(
        "`{path}` is a binary file ({size} bytes), which cannot be shown as text\n{hint}"
    ))
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
