//! What can go wrong on the way, for tests in Rust.

/// What happens to one request; what is not said here is as a script says it.
#[derive(Debug, Clone)]
pub enum Fault {
    /// Nothing: this request is answered as usual.
    None,
    /// This answer, whatever was asked.
    Answer {
        /// The status.
        status: u16,
        /// Headers.
        headers: Vec<(String, String)>,
        /// The body.
        body: Vec<u8>,
    },
    /// The connection is closed before anything is answered.
    Close,
    /// The connection is closed after this many bytes of the answer's body.
    CutAfter(usize),
    /// The answer's body comes in pieces of this many bytes.
    Borders(usize),
    /// Nothing is ever answered.
    Hang,
    /// Nothing more comes after this many bytes of the answer's body.
    HangAfter(usize),
    /// Ask elsewhere.
    Redirect(String),
    /// A stream that says nothing, of this many bytes.
    Huge(u64),
}

impl Fault {
    /// A refusal with this status and body.
    pub fn status(status: u16, body: impl Into<Vec<u8>>) -> Self {
        let headers = vec![("content-type".to_owned(), "application/json".to_owned())];
        Fault::Answer { status, headers, body: body.into() }
    }

    /// A refusal that asks to wait.
    pub fn wait(status: u16, header: &str, value: &str, body: impl Into<Vec<u8>>) -> Self {
        let headers = vec![(header.to_owned(), value.to_owned())];
        Fault::Answer { status, headers, body: body.into() }
    }
}
