//! Servers on this machine that do exactly what they are told: bytes on sockets, and no library in between.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Notify;

/// What the server does after it has heard a request.
#[derive(Clone)]
pub(crate) enum ServerAction {
    /// Sends these bytes.
    Send(Vec<u8>),
    /// Waits.
    Wait(Duration),
    /// Waits for a sign.
    Await(Arc<Notify>),
    /// Sends zeros for as long as somebody takes them; their number is counted.
    Flood,
    /// Says nothing more until the other side is gone.
    Stall,
    /// Closes the connection.
    Close,
    /// Breaks it.
    Reset,
}

/// Text or bytes to send.
pub(crate) fn send(bytes: impl AsRef<[u8]>) -> ServerAction {
    ServerAction::Send(bytes.as_ref().to_vec())
}

/// An answer that is whole, in one piece.
pub(crate) fn whole(status: &str, headers: &str, body: impl AsRef<[u8]>) -> Vec<ServerAction> {
    let body = body.as_ref();
    let head = format!("HTTP/1.1 {status}\r\n{headers}content-length: {}\r\n\r\n", body.len());
    vec![send([head.as_bytes(), body].concat())]
}

pub(crate) const EVENTS: &str = "content-type: text/event-stream\r\n";

/// The head of a stream in chunks.
pub(crate) fn chunked() -> ServerAction {
    send(format!("HTTP/1.1 200 OK\r\n{EVENTS}transfer-encoding: chunked\r\n\r\n"))
}

/// One chunk.
pub(crate) fn chunk(bytes: impl AsRef<[u8]>) -> ServerAction {
    let bytes = bytes.as_ref();
    send([format!("{:x}\r\n", bytes.len()).as_bytes(), bytes, b"\r\n"].concat())
}

/// The end of a stream in chunks.
pub(crate) fn end() -> ServerAction {
    send("0\r\n\r\n")
}

/// A request, as it was heard.
#[derive(Clone)]
pub(crate) struct ReceivedRequest {
    /// The line and the headers.
    pub(crate) head: String,
    pub(crate) body: Vec<u8>,
}

impl ReceivedRequest {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        let lines = self.head.lines().skip(1).filter_map(|line| line.split_once(": "));
        lines.into_iter().find(|(it, _)| it.eq_ignore_ascii_case(name)).map(|(_, value)| value)
    }
}

type Answers = dyn Fn(usize, &ReceivedRequest) -> Vec<ServerAction> + Send + Sync;

/// A server that runs as long as this is held.
pub(crate) struct Peer {
    pub(crate) address: SocketAddr,
    pub(crate) state: Arc<PeerState>,
    task: tokio::task::JoinHandle<()>,
}

pub(crate) struct PeerState {
    received: Mutex<Vec<ReceivedRequest>>,
    pub(crate) connections: AtomicUsize,
    /// Bytes that went out of a flood.
    pub(crate) flooded: AtomicUsize,
    /// The other side went away while the server stalled or flooded.
    pub(crate) gone: Notify,
    answers: Box<Answers>,
}

impl Peer {
    /// `answers` says what is done about the request with this number.
    pub(crate) async fn plain(
        answers: impl Fn(usize, &ReceivedRequest) -> Vec<ServerAction> + Send + Sync + 'static,
    ) -> Self {
        Self::start(None, answers).await
    }

    /// The same behind TLS.
    pub(crate) async fn secure(
        tls: tokio_rustls::TlsAcceptor,
        answers: impl Fn(usize, &ReceivedRequest) -> Vec<ServerAction> + Send + Sync + 'static,
    ) -> Self {
        Self::start(Some(tls), answers).await
    }

    async fn start(
        tls: Option<tokio_rustls::TlsAcceptor>,
        answers: impl Fn(usize, &ReceivedRequest) -> Vec<ServerAction> + Send + Sync + 'static,
    ) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let state = Arc::new(PeerState {
            received: Mutex::default(),
            connections: AtomicUsize::new(0),
            flooded: AtomicUsize::new(0),
            gone: Notify::new(),
            answers: Box::new(answers),
        });
        let shared = Arc::clone(&state);
        let task = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                shared.connections.fetch_add(1, Ordering::SeqCst);
                tokio::spawn(connection(stream, tls.clone(), Arc::clone(&shared)));
            }
        });
        Self { address, state, task }
    }

    pub(crate) fn base(&self) -> String {
        format!("http://{}", self.address)
    }

    pub(crate) fn received(&self) -> Vec<ReceivedRequest> {
        self.state.received.lock().unwrap().clone()
    }

    pub(crate) fn connections(&self) -> usize {
        self.state.connections.load(Ordering::SeqCst)
    }
}

impl Drop for Peer {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn connection(stream: TcpStream, tls: Option<tokio_rustls::TlsAcceptor>, state: Arc<PeerState>) {
    stream.set_nodelay(true).unwrap();
    match tls {
        None => talk(stream, &state).await,
        Some(tls) => {
            if let Ok(stream) = tls.accept(stream).await {
                talk(stream, &state).await;
            }
        }
    }
}

trait Breakable: AsyncRead + AsyncWrite + Unpin {
    fn break_off(&self) {}
}

impl Breakable for TcpStream {
    fn break_off(&self) {
        #[expect(deprecated, reason = "no time at all is the one that never blocks")]
        self.set_linger(Some(Duration::ZERO)).unwrap();
    }
}

impl Breakable for tokio_rustls::server::TlsStream<TcpStream> {}

async fn talk(mut stream: impl Breakable, state: &PeerState) {
    let mut buffer = Vec::new();
    while let Some(received) = request(&mut stream, &mut buffer).await {
        let number = {
            let mut all = state.received.lock().unwrap();
            all.push(received.clone());
            all.len() - 1
        };
        for act in (state.answers)(number, &received) {
            let going_on = match act {
                ServerAction::Send(bytes) => {
                    stream.write_all(&bytes).await.is_ok() && stream.flush().await.is_ok()
                }
                ServerAction::Wait(time) => {
                    tokio::time::sleep(time).await;
                    true
                }
                ServerAction::Await(sign) => {
                    sign.notified().await;
                    true
                }
                ServerAction::Flood => {
                    let zeros = vec![b'0'; 1 << 16];
                    while let Ok(sent) = stream.write(&zeros).await {
                        state.flooded.fetch_add(sent, Ordering::SeqCst);
                    }
                    state.gone.notify_one();
                    false
                }
                ServerAction::Stall => {
                    let mut rest = [0; 1024];
                    while matches!(stream.read(&mut rest).await, Ok(read) if read > 0) {}
                    state.gone.notify_one();
                    false
                }
                ServerAction::Close => false,
                ServerAction::Reset => {
                    stream.break_off();
                    false
                }
            };
            if !going_on {
                return;
            }
        }
    }
}

async fn request(stream: &mut (impl AsyncRead + Unpin), buffer: &mut Vec<u8>) -> Option<ReceivedRequest> {
    let head_end = loop {
        if let Some(at) = buffer.windows(4).position(|it| it == b"\r\n\r\n") {
            break at;
        }
        if stream.read_buf(buffer).await.ok()? == 0 {
            return None;
        }
    };
    let head = String::from_utf8(buffer.drain(..head_end + 4).collect()).unwrap();
    let mut received = ReceivedRequest { head, body: Vec::new() };
    let length = received.header("content-length").map_or(0, |it| it.parse().unwrap());
    while buffer.len() < length {
        if stream.read_buf(buffer).await.ok()? == 0 {
            return None;
        }
    }
    received.body = buffer.drain(..length).collect();
    Some(received)
}
