//! A server on this machine that says what it is told to, byte for byte.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

/// Answers one request: its path, and where to write.
type Answer = dyn Fn(&str, &mut dyn Write) -> std::io::Result<()> + Send + Sync;

/// A server in threads of its own; they end with the test.
pub(super) struct Server {
    address: SocketAddr,
    scheme: &'static str,
    heard: Arc<Mutex<Vec<String>>>,
}

impl Server {
    pub(super) fn new(
        answer: impl Fn(&str, &mut dyn Write) -> std::io::Result<()> + Send + Sync + 'static,
    ) -> Self {
        Self::over("http", |stream| Box::new(stream), answer)
    }

    /// One that speaks TLS.
    pub(super) fn secure(
        config: Arc<rustls::ServerConfig>,
        answer: impl Fn(&str, &mut dyn Write) -> std::io::Result<()> + Send + Sync + 'static,
    ) -> Self {
        let wrap = move |stream| {
            let tls = rustls::ServerConnection::new(Arc::clone(&config)).unwrap();
            Box::new(rustls::StreamOwned::new(tls, stream)) as Box<dyn Both>
        };
        Self::over("https", wrap, answer)
    }

    fn over(
        scheme: &'static str,
        wrap: impl Fn(TcpStream) -> Box<dyn Both> + Send + Sync + 'static,
        answer: impl Fn(&str, &mut dyn Write) -> std::io::Result<()> + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let heard = Arc::new(Mutex::new(Vec::new()));
        let (said, answer, wrap) = (Arc::clone(&heard), Arc::new(answer), Arc::new(wrap));
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (said, answer, wrap) = (Arc::clone(&said), Arc::clone(&answer), Arc::clone(&wrap));
                std::thread::spawn(move || serve(wrap(stream), &said, &*answer));
            }
        });
        Self { address, scheme, heard }
    }

    /// `127.0.0.1:port`.
    pub(super) fn host(&self) -> String {
        self.address.to_string()
    }

    pub(super) fn port(&self) -> u16 {
        self.address.port()
    }

    pub(super) fn url(&self, path: &str) -> String {
        format!("{}://{}{path}", self.scheme, self.address)
    }

    /// The requests so far, each with its headers.
    pub(super) fn heard(&self) -> Vec<String> {
        self.heard.lock().unwrap().clone()
    }
}

pub(super) trait Both: Read + Write {}
impl<T: Read + Write> Both for T {}

/// One request for each connection; a client that goes away is no failure.
fn serve(stream: Box<dyn Both>, heard: &Mutex<Vec<String>>, answer: &Answer) {
    let mut reader = BufReader::new(stream);
    let mut request = String::new();
    while reader.read_line(&mut request).is_ok_and(|read| read > 2) {}
    let path = request.split(' ').nth(1).unwrap_or("").to_owned();
    heard.lock().unwrap().push(request);
    let stream = reader.get_mut();
    let _ = answer(&path, stream).and_then(|()| stream.flush());
}

/// A whole answer.
pub(super) fn whole(out: &mut dyn Write, status: &str, headers: &str, body: &[u8]) -> std::io::Result<()> {
    let length = body.len();
    write!(out, "HTTP/1.1 {status}\r\ncontent-length: {length}\r\nconnection: close\r\n{headers}\r\n")?;
    out.write_all(body)
}

/// A page of this type.
pub(super) fn ok(out: &mut dyn Write, content_type: &str, body: impl AsRef<[u8]>) -> std::io::Result<()> {
    whole(out, "200 OK", &format!("content-type: {content_type}\r\n"), body.as_ref())
}

/// Sends on to somewhere else.
pub(super) fn to(out: &mut dyn Write, place: &str) -> std::io::Result<()> {
    whole(out, "302 Found", &format!("location: {place}\r\n"), b"moved")
}
