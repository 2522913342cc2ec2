//! The text of a PDF, page by page.

mod bounds;
mod content;
mod layout;

use std::fmt::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::thread;
use std::time::Duration;

use forelook_protocol::AbsPath;
use hayro_font::FontCache;
use hayro_syntax::{DecryptionError, LoadPdfError, Pdf};
use tokio_util::sync::CancellationToken;

use crate::typed::ToolFailure;

use super::ReadJob;
use super::lines::{LineRange, NumberedLines, past_end, quoted};

/// The name of the thread that reads a PDF. Its panics are caught.
pub const PDF_READER: &str = "pdf";

/// A document that takes longer is not worth the wait.
const MAX_TIME: Duration = Duration::from_secs(30);
/// Virtual, and taken only as far as it is used: a document can be nested deeply, and a full stack cannot be caught.
const STACK: usize = 64 * 1024 * 1024;

/// Why there is no text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum PdfError {
    /// It needs a password.
    Locked,
    /// Its encryption is unknown or broken.
    Encryption,
    Broken,
    /// It would unpack to more than can be held.
    TooLarge,
    /// Nobody waits for it any more.
    Stopped,
    /// It has these many pages, and no text on any.
    NoText(usize),
    /// It has this many lines.
    PastEnd(usize),
}

/// Whether these bytes are a PDF. Its mark may come late in a file that is called one.
pub(super) fn is_pdf(path: &AbsPath, bytes: &[u8]) -> bool {
    let named = path.as_path().extension().is_some_and(|end| end.eq_ignore_ascii_case("pdf"));
    let start = &bytes[..bytes.len().min(1024)];
    bytes.starts_with(b"%PDF-") || (named && memchr::memmem::find(start, b"%PDF-").is_some())
}

/// The wanted lines of the text.
pub(super) fn read(job: &ReadJob, bytes: Vec<u8>) -> Result<String, ToolFailure> {
    read_within(MAX_TIME, job, bytes)
}

/// The same, unless it takes longer than this. The reader of PDFs is another's code and the document anybody's: it gets a thread of
/// its own, with room on its stack, which is left behind should it never end.
pub(super) fn read_within(time: Duration, job: &ReadJob, bytes: Vec<u8>) -> Result<String, ToolFailure> {
    let stop = job.cancel.child_token();
    let (send, receive) = sync_channel(1);
    let (range, progress, until) = (job.range, job.progress.clone(), stop.clone());
    let work = move || {
        let say = |page: usize, pages: usize| progress.say(format!("page {page} of {pages}"));
        let done = catch_unwind(AssertUnwindSafe(|| extract(bytes, range, &until, &say)));
        // Nobody may be waiting any more.
        let _ = send.send(done.unwrap_or(Err(PdfError::Broken)));
    };
    let started = thread::Builder::new().name(PDF_READER.to_owned()).stack_size(STACK).spawn(work);
    if let Err(error) = started {
        return Err(ToolFailure::new(format!("`{}` could not be read: {error}\nTry again", job.path)));
    }
    match receive.recv_timeout(time) {
        Ok(Ok(text)) => Ok(text),
        Ok(Err(pdf_error)) => Err(failure(job, pdf_error)),
        Err(RecvTimeoutError::Disconnected) => Err(failure(job, PdfError::Broken)),
        Err(RecvTimeoutError::Timeout) => {
            stop.cancel();
            Err(ToolFailure::new(format!(
                "The text of `{}` was not extracted within {} seconds\n\
                 Try Bash: `pdftotext -f 1 -l 20 {} -`",
                job.path,
                time.as_secs(),
                quoted(&job.path)
            )))
        }
    }
}

fn failure(job: &ReadJob, pdf_error: PdfError) -> ToolFailure {
    let (path, name) = (&job.path, quoted(&job.path));
    ToolFailure::new(match pdf_error {
        PdfError::Stopped => return ToolFailure::interrupted(),
        PdfError::PastEnd(total) => return past_end(path, total, job.range.first),
        PdfError::Locked => format!(
            "`{path}` is a PDF that needs a password\n\
             Ask the user for it, then use Bash: `qpdf --decrypt --password=… {name} open.pdf`"
        ),
        PdfError::Encryption => format!(
            "`{path}` is a PDF with unknown or broken encryption\n\
             Try Bash: `qpdf --decrypt {name} open.pdf`"
        ),
        PdfError::Broken => format!(
            "`{path}` is a broken PDF: its pages were not found\n\
             Try Bash: `pdftotext {name} -`, or `qpdf {name} repaired.pdf`"
        ),
        PdfError::TooLarge => format!(
            "`{path}` is a small PDF that expands to far too much data, so it was not read\n\
             Tell the user: it may be malicious"
        ),
        PdfError::NoText(pages) => format!(
            "`{path}` is a PDF of {pages} {} without readable text, most likely scanned\n\
             Convert the pages to images with Bash and Read those: `pdftoppm -r 100 -png {name} page`",
            if pages == 1 { "page" } else { "pages" }
        ),
    })
}

fn extract(
    bytes: Vec<u8>,
    range: LineRange,
    stop: &CancellationToken,
    say: &dyn Fn(usize, usize),
) -> Result<String, PdfError> {
    bounds::check_file(&bytes)?;
    let pdf = Pdf::new(bytes).map_err(|error| match error {
        LoadPdfError::Decryption(DecryptionError::PasswordProtected) => PdfError::Locked,
        LoadPdfError::Decryption(_) => PdfError::Encryption,
        LoadPdfError::Invalid => PdfError::Broken,
    })?;
    let pages = pdf.pages();
    if pages.is_empty() {
        return Err(PdfError::Broken);
    }
    let fonts = FontCache::new();
    let mut window = LineWindow { output: NumberedLines::new(range), first: range.first, line: 1 };
    let mut readable = false;
    for (index, page) in pages.iter().enumerate() {
        say(index + 1, pages.len());
        let text = content::page_text(page, &fonts, stop)?;
        readable |= text.chars().any(|c| !c.is_whitespace() && c != char::REPLACEMENT_CHARACTER);
        if !window.page(index + 1, pages.len(), &text) {
            let next = window.output.next;
            let mut out = window.output.finish(|_| None);
            let _ = writeln!(
                out,
                "\n[Lines {} to {}, up to page {} of {}. Continue with `offset` {next}.]",
                range.first,
                next - 1,
                index + 1,
                pages.len()
            );
            return Ok(out);
        }
    }
    match readable {
        false => Err(PdfError::NoText(pages.len())),
        true if window.output.next == range.first => Err(PdfError::PastEnd(window.line - 1)),
        true => Ok(window.output.finish(|_| None)),
    }
}

/// The lines that are wanted, of all that come by.
struct LineWindow {
    output: NumberedLines,
    first: usize,
    /// The number of the next line.
    line: usize,
}

impl LineWindow {
    /// Adds the lines of a page; false when there is no room for all.
    fn page(&mut self, number: usize, pages: usize, text: &str) -> bool {
        let empty = if text.trim().is_empty() { Some("(no text)") } else { None };
        let head = format!("[Page {number} of {pages}]");
        let lines = std::iter::once(head.as_str()).chain(text.trim_end().lines()).chain(empty);
        for line in lines {
            if self.line >= self.first && !self.output.push(line) {
                return false;
            }
            self.line += 1;
        }
        true
    }
}
