//! The server: listens on this machine, in a thread of its own, until it is dropped.

use std::collections::VecDeque;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;

use forelook_providers::WireFormat;
use http_body_util::BodyExt;
use hyper::body::Incoming;
use hyper::service::service_fn;
use hyper::{Method, Request};
use hyper_util::rt::{TokioExecutor, TokioIo};
use hyper_util::server::conn::auto::Builder;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use super::answer::{self, HttpResult, RequestTarget, plain};
use super::fault::Fault;
use super::log::{Log, LoggedRequest};
use super::scripts::Scripts;
use super::seal::ExpectedSeals;
use super::tls::Identity;

/// What a server is like.
#[derive(Debug, Default)]
pub struct ServerOptions {
    /// The key that a request must have. Nothing: any, or none.
    pub key: Option<String>,
    /// The script of the model `demo`.
    pub demo: Option<String>,
    /// The script of every model whose name is no path.
    pub script: Option<String>,
    /// Whether requests are kept in memory.
    pub keep: bool,
    /// A file that the body of every request is added to, a line each.
    pub log: Option<PathBuf>,
    /// The port; any that is free if 0.
    pub port: u16,
    /// Whether it also listens with TLS, on a port of its own.
    pub tls: bool,
}

pub(super) struct ServerState {
    pub(super) key: Option<String>,
    pub(super) scripts: Scripts,
    pub(super) log: Log,
    pub(super) received: AtomicUsize,
    pub(super) faults: Mutex<VecDeque<Fault>>,
    pub(super) expected_seals: ExpectedSeals,
    problems: Mutex<Vec<String>>,
}

impl ServerState {
    pub(super) fn problem(&self, what: String) {
        self.problems.lock().unwrap().push(what);
    }
}

/// A server that runs.
pub struct ScriptedServer {
    state: Arc<ServerState>,
    address: SocketAddr,
    tls: Option<(SocketAddr, String)>,
    stop: CancellationToken,
    thread: Option<JoinHandle<()>>,
}

impl ScriptedServer {
    /// Starts one, on this machine.
    pub fn start(options: ServerOptions) -> Self {
        let ServerOptions { key, demo, script, keep, log, port, tls } = options;
        let state = Arc::new(ServerState {
            key,
            scripts: Scripts::new(demo, script),
            log: Log::new(keep, log),
            received: AtomicUsize::default(),
            faults: Mutex::default(),
            expected_seals: ExpectedSeals::default(),
            problems: Mutex::default(),
        });
        let plain = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, port)).expect("a port");
        let address = plain.local_addr().unwrap();
        let secure = tls.then(|| {
            let listener = std::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port");
            (listener, Identity::new())
        });
        let tls = secure.as_ref().map(|(listener, it)| (listener.local_addr().unwrap(), it.pem.clone()));
        let stop = CancellationToken::new();
        let (of_thread, stopped) = (Arc::clone(&state), stop.clone());
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async move {
                tokio::select! {
                    () = stopped.cancelled() => {}
                    () = listen(Arc::clone(&of_thread), plain, None) => {}
                    () = async {
                        match secure {
                            Some((listener, identity)) => listen(of_thread, listener, Some(identity)).await,
                            None => std::future::pending().await,
                        }
                    } => {}
                }
            });
        });
        Self { state, address, tls, stop, thread: Some(thread) }
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// Its address for clients of any form, without `/v1`.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Its address with TLS and the certificate to trust, as PEM.
    pub fn secure(&self) -> Option<(String, &str)> {
        self.tls.as_ref().map(|(address, pem)| (format!("https://{address}"), pem.as_str()))
    }

    /// The base address as clients of this form are given it.
    pub fn base(&self, wire_format: WireFormat) -> String {
        match wire_format {
            WireFormat::Anthropic => self.url(),
            WireFormat::Responses | WireFormat::Chat => format!("{}/v1", self.url()),
        }
    }

    /// Lets these things happen to the next requests, one to each.
    pub fn faults(&self, faults: impl IntoIterator<Item = Fault>) {
        self.state.faults.lock().unwrap().extend(faults);
    }

    /// Every request for an answer that came, if they are kept.
    pub fn requests(&self) -> Vec<LoggedRequest> {
        self.state.log.all()
    }

    /// What was wrong with requests: nothing, if all is well.
    pub fn problems(&self) -> Vec<String> {
        self.state.problems.lock().unwrap().clone()
    }

    /// How many requests came, whatever became of them.
    pub fn received(&self) -> usize {
        self.state.received.load(Ordering::SeqCst)
    }
}

impl Drop for ScriptedServer {
    fn drop(&mut self) {
        self.stop.cancel();
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

async fn listen(state: Arc<ServerState>, listener: std::net::TcpListener, identity: Option<Identity>) {
    listener.set_nonblocking(true).unwrap();
    let listener = TcpListener::from_std(listener).unwrap();
    loop {
        let Ok((stream, _)) = listener.accept().await else { continue };
        stream.set_nodelay(true).unwrap();
        let (state, acceptor) = (Arc::clone(&state), identity.as_ref().map(|it| it.acceptor.clone()));
        tokio::spawn(async move {
            match acceptor {
                None => handle_connection(state, stream).await,
                // Whoever does not trust us goes away; that is what some tests want.
                Some(acceptor) => {
                    if let Ok(stream) = acceptor.accept(stream).await {
                        handle_connection(state, stream).await;
                    }
                }
            }
        });
    }
}

async fn handle_connection(state: Arc<ServerState>, stream: impl AsyncRead + AsyncWrite + Unpin + 'static) {
    let service = service_fn(move |request| {
        let state = Arc::clone(&state);
        async move { serve(&state, request).await }
    });
    // A connection that ends early is the client's or a fault's doing.
    let _ = Builder::new(TokioExecutor::new()).serve_connection(TokioIo::new(stream), service).await;
}

async fn serve(state: &Arc<ServerState>, request: Request<Incoming>) -> HttpResult {
    let (head, body) = request.into_parts();
    let path = head.uri.path();
    let Some(target) = RequestTarget::of(path).filter(|_| head.method == Method::POST) else {
        state.problem(format!("nothing answers to {} {path}", head.method));
        return Ok(plain(
            404,
            [],
            r#"{"error":{"type":"not_found_error","message":"There is nothing here"}}"#,
        ));
    };
    // Whoever hangs up while it asks hears nothing.
    let Ok(body) = body.collect().await else { return Err(super::body::ConnectionCut) };
    answer::respond(state, target, &head, body.to_bytes()).await
}
