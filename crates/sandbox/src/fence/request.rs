//! What the supervisor is told to start, laid out so that it needs no memory of its own to read it.

use std::ffi::{CString, OsStr};
use std::io;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;

use rustix::fs::{MemfdFlags, memfd_create};

use crate::Program;

/// How a request begins. Everything else is found by its offset from here; no offset is zero.
#[repr(C)]
pub(super) struct RequestHeader {
    pub(super) path: usize,
    pub(super) folder: usize,
    /// Where the list of words is: offsets, then a zero.
    pub(super) words: usize,
    /// Where the list of variables is.
    pub(super) variables: usize,
    /// The number of one more descriptor in the child, or -1.
    pub(super) side: isize,
}

const HEAD: usize = size_of::<RequestHeader>();
const WORD: usize = size_of::<usize>();

/// The request in a file that has no name. The supervisor maps it: a socket would limit how long an environment may be.
pub(super) fn encode(program: &Program, side: Option<i32>) -> io::Result<OwnedFd> {
    let words: Vec<&OsStr> = std::iter::once(program.path.as_os_str())
        .chain(program.args.iter().map(|arg| arg.as_os_str()))
        .collect();
    let variables: Vec<CString> = program
        .variables()
        .map(|(name, value)| crate::spawn::variable(name, value))
        .collect::<io::Result<_>>()?;
    let lists = (words.len() + 1 + variables.len() + 1) * WORD;
    let mut texts = StringTable { begin: HEAD + lists, bytes: Vec::new() };
    let path = texts.push(program.path.as_os_str().as_bytes())?;
    let folder = texts.push(program.folder.as_os_str().as_bytes())?;
    let mut offsets = Vec::with_capacity(lists / WORD);
    for word in &words {
        offsets.push(texts.push(word.as_bytes())?);
    }
    offsets.push(0);
    for variable in &variables {
        offsets.push(texts.push(variable.as_bytes())?);
    }
    offsets.push(0);
    let head = [path, folder, HEAD, HEAD + (words.len() + 1) * WORD];
    let side = isize::try_from(side.unwrap_or(-1)).unwrap_or(-1);
    let mut blob = Vec::with_capacity(texts.begin + texts.bytes.len());
    for number in head {
        blob.extend_from_slice(&number.to_ne_bytes());
    }
    blob.extend_from_slice(&side.to_ne_bytes());
    for offset in offsets {
        blob.extend_from_slice(&offset.to_ne_bytes());
    }
    blob.extend_from_slice(&texts.bytes);
    let file = memfd_create("request", MemfdFlags::CLOEXEC)?;
    let mut file = std::fs::File::from(file);
    io::Write::write_all(&mut file, &blob)?;
    Ok(file.into())
}

/// Texts one behind the other, each with the zero that ends it for C.
struct StringTable {
    begin: usize,
    bytes: Vec<u8>,
}

impl StringTable {
    /// Its offset from the beginning of the request.
    fn push(&mut self, text: &[u8]) -> io::Result<usize> {
        if text.contains(&0) {
            return Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                "an argument or a path contains a NUL byte",
            ));
        }
        let offset = self.begin + self.bytes.len();
        self.bytes.extend_from_slice(text);
        self.bytes.push(0);
        Ok(offset)
    }
}
