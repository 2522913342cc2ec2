//! What asking a model over a wire costs: `wire_speed PROGRAM [--quick]` runs the program against a server in this process and
//! prints figures as JSON; `cargo xtask bench` runs it.
//!
//! The server is as plain as one can be (blocking, a thread a connection, answers made before they are asked for), so
//! that what is measured is the program. It speaks Anthropic Messages.
#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "a measurement starts processes, says what it found, or stops"
)]

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use nix::sys::resource::{UsageWho, getrusage};
use rustls::pki_types::PrivateKeyDer;
use rustls::{ServerConfig, ServerConnection, StreamOwned};
use serde_json::json;

const CALLS: usize = 1000;

/// How often everything is done.
#[derive(Clone, Copy)]
struct Runs {
    starts: usize,
    calls: usize,
    deltas: usize,
}

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    let whole = Runs { starts: 100, calls: 5, deltas: 9 };
    match words[..] {
        ["--plain", port] => plain(port.parse().unwrap()),
        [program] => measure(program, whole),
        [program, "--quick"] => measure(program, Runs { starts: 10, calls: 1, deltas: 1 }),
        _ => panic!("usage: wire_speed PROGRAM [--quick]"),
    }
}

fn measure(program: &str, runs: Runs) {
    let bench_dir = BenchDir::make(Path::new(program).canonicalize().unwrap(), runs);
    // First of all: the kernel keeps one maximum for all children.
    let (first, whole) = starts(&bench_dir, Tls::No);
    let peak = getrusage(UsageWho::RUSAGE_CHILDREN).unwrap().max_rss() as f64 / 1024.0;
    let (first_tls, _) = starts(&bench_dir, Tls::Yes);
    let runs: Vec<Calls> = (0..runs.calls).map(|_| calls(&bench_dir)).collect();
    let of_runs = |figure: fn(&Calls) -> f64| {
        let mut figures: Vec<f64> = runs.iter().map(figure).collect();
        figures.sort_by(f64::total_cmp);
        figures[figures.len() / 2]
    };
    let small = deltas(&bench_dir, 20_000, 50);
    let large = deltas(&bench_dir, 200_000, 50);
    let (one, four) = (deltas(&bench_dir, 1, 1 << 20), deltas(&bench_dir, 1, 4 << 20));
    let figures = json!({
        "first_http_ms": first, "first_https_ms": first_tls, "run_ms": whole, "peak_mib": peak,
        "call_median_ms": of_runs(|it| it.median), "call_p95_ms": of_runs(|it| it.p95),
        "call_flat": of_runs(|it| it.flat), "call_flat_own": of_runs(|it| it.flat_own),
        "floor_flat": of_runs(|it| it.floor_flat), "call_growth_mib": of_runs(|it| it.growth),
        "call_bytes": runs[0].bytes,
        "deltas_ms": small.wall, "deltas_cpu_ms": small.cpu, "deltas_tenfold": large.wall / small.wall,
        "event_4mib_ms": four.wall, "event_fourfold": four.wall / one.wall,
    });
    println!("{figures}");
}

/// A project and a home for the program.
struct BenchDir {
    program: PathBuf,
    runs: Runs,
    folder: tempfile::TempDir,
}

#[derive(Clone, Copy, PartialEq)]
enum Tls {
    Yes,
    No,
}

impl BenchDir {
    fn make(program: PathBuf, runs: Runs) -> Self {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("project")).unwrap();
        std::fs::write(folder.path().join("project/small.txt"), "a line of a small file\n".repeat(10))
            .unwrap();
        Self { program, runs, folder }
    }

    fn start(&self, server: &Server) -> Child {
        let scheme = if server.tls == Tls::Yes { "https" } else { "http" };
        let folder = self.folder.path();
        Command::new(&self.program)
            .args(["-p", "go", "--model", "anthropic/claude-sonnet-4-5"])
            .current_dir(folder.join("project"))
            .env_clear()
            .env("PATH", "/usr/bin:/bin")
            .env("FORELOOK_HOME", folder.join("home"))
            .env("ANTHROPIC_API_KEY", "sk-planted")
            .env("ANTHROPIC_BASE_URL", format!("{scheme}://127.0.0.1:{}", server.port))
            .env("SSL_CERT_FILE", &server.certificate)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .spawn()
            .unwrap()
    }
}

/// What the server saw of one request.
struct RequestTiming {
    /// The whole of it had arrived.
    arrived: Instant,
    /// Its body.
    bytes: usize,
    /// The first byte of the answer was about to leave.
    answered: Instant,
    /// The last byte of the answer had left.
    sent: Instant,
}

struct Server {
    port: u16,
    tls: Tls,
    certificate: PathBuf,
    timings: Arc<Mutex<Vec<RequestTiming>>>,
}

/// What is answered to request number `n`.
type Answers = Arc<dyn Fn(usize) -> Vec<Vec<u8>> + Send + Sync>;

impl Server {
    fn start(folder: &Path, tls: Tls, answers: Answers) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let made = rcgen::generate_simple_self_signed(vec!["127.0.0.1".to_owned()]).unwrap();
        let certificate = folder.join("certificate.pem");
        std::fs::write(&certificate, made.cert.pem()).unwrap();
        let key = PrivateKeyDer::try_from(made.signing_key.serialize_der()).unwrap();
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![made.cert.der().clone()], key)
            .unwrap();
        let (config, timings) = (Arc::new(config), Arc::<Mutex<Vec<RequestTiming>>>::default());
        let noted = Arc::clone(&timings);
        std::thread::spawn(move || {
            for stream in listener.incoming().map(Result::unwrap) {
                stream.set_nodelay(true).unwrap();
                let (config, answers, timings) =
                    (Arc::clone(&config), Arc::clone(&answers), Arc::clone(&noted));
                std::thread::spawn(move || match tls {
                    Tls::No => serve(stream, &answers, &timings),
                    Tls::Yes => {
                        let connection = ServerConnection::new(config).unwrap();
                        serve(StreamOwned::<_, TcpStream>::new(connection, stream), &answers, &timings);
                    }
                });
            }
        });
        Self { port, tls, certificate, timings }
    }
}

/// Answers requests until the other side leaves.
fn serve(mut stream: impl Read + Write, answers: &Answers, timings: &Mutex<Vec<RequestTiming>>) {
    // Room for the largest, so that the time to make room is not in the figures.
    let mut text = vec![1; 4 << 20];
    loop {
        let Some(body) = request(&mut stream, &mut text) else { return };
        let arrived = Instant::now();
        let number = timings.lock().unwrap().len();
        let pieces = answers(number);
        let answered = Instant::now();
        for piece in pieces {
            if stream.write_all(&piece).and_then(|()| stream.flush()).is_err() {
                return;
            }
        }
        timings.lock().unwrap().push(RequestTiming { arrived, bytes: body, answered, sent: Instant::now() });
    }
}

/// Reads one request; gives the length of its body.
fn request(stream: &mut impl Read, text: &mut [u8]) -> Option<usize> {
    let (mut have, mut head) = (0, None);
    loop {
        if head.is_none() {
            head = text[..have].windows(4).position(|it| it == b"\r\n\r\n").map(|end| {
                let head = String::from_utf8_lossy(&text[..end]).to_ascii_lowercase();
                let length = head.lines().find_map(|line| line.strip_prefix("content-length:"));
                (end + 4, length.unwrap().trim().parse::<usize>().unwrap())
            });
        }
        if let Some((start, length)) = head
            && have == start + length
        {
            return Some(length);
        }
        have += stream.read(&mut text[have..]).ok().filter(|count| *count > 0)?;
    }
}

fn event(name: &str, data: &serde_json::Value) -> String {
    let mut data = data.clone();
    data["type"] = json!(name);
    format!("event: {name}\ndata: {data}\n\n")
}

/// A whole answer as it goes over the wire: the head, and events in chunks, some of them in a packet.
fn answer(
    block: serde_json::Value,
    deltas: impl Iterator<Item = serde_json::Value>,
    stop: &str,
) -> Vec<Vec<u8>> {
    let begin = json!({"message": {"id": "msg_1", "type": "message", "role": "assistant", "model": "m",
        "content": [], "stop_reason": null, "stop_sequence": null, "usage": {"input_tokens": 9, "output_tokens": 1}}});
    let mut events = vec![
        event("message_start", &begin),
        event("content_block_start", &json!({"index": 0, "content_block": block})),
    ];
    events.extend(deltas.map(|delta| event("content_block_delta", &json!({"index": 0, "delta": delta}))));
    events.push(event("content_block_stop", &json!({"index": 0})));
    let end = json!({"delta": {"stop_reason": stop, "stop_sequence": null}, "usage": {"output_tokens": 5}});
    events.push(event("message_delta", &end));
    events.push(event("message_stop", &json!({})));
    let head = "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n";
    let mut pieces = vec![head.as_bytes().to_vec()];
    for event in events {
        let chunk = format!("{:x}\r\n{event}\r\n", event.len()).into_bytes();
        match pieces.last_mut() {
            Some(last) if last.len() + chunk.len() <= 16_384 => last.extend(chunk),
            _ => pieces.push(chunk),
        }
    }
    pieces.last_mut().unwrap().extend(b"0\r\n\r\n");
    pieces
}

fn text(deltas: usize, size: usize) -> Vec<Vec<u8>> {
    let piece = "x".repeat(size);
    let deltas = (0..deltas).map(|_| json!({"type": "text_delta", "text": piece}));
    answer(json!({"type": "text", "text": ""}), deltas, "end_turn")
}

/// Medians over many starts: until the first request has arrived, and of the whole run; in milliseconds.
fn starts(bench_dir: &BenchDir, tls: Tls) -> (f64, f64) {
    let hello = text(1, 6);
    let server = Server::start(bench_dir.folder.path(), tls, Arc::new(move |_| hello.clone()));
    let (mut first, mut whole) = (Vec::new(), Vec::new());
    for at in 0..bench_dir.runs.starts {
        let began = Instant::now();
        assert!(bench_dir.start(&server).wait().unwrap().success());
        whole.push(began.elapsed());
        first.push(server.timings.lock().unwrap()[at].arrived - began);
    }
    (milliseconds(quantile(&mut first, 0.5)), milliseconds(quantile(&mut whole, 0.5)))
}

struct Calls {
    median: f64,
    p95: f64,
    /// The last hundred against the first.
    flat: f64,
    /// The same, less what it takes to send as many bytes.
    flat_own: f64,
    /// The same of a client that does nothing else.
    floor_flat: f64,
    growth: f64,
    bytes: usize,
}

/// A thousand calls of Read in one turn: from the last byte of an answer to the whole next request.
fn calls(bench_dir: &BenchDir) -> Calls {
    let path = bench_dir.folder.path().join("project/small.txt");
    let answers: Answers = Arc::new(move |number| {
        let number = number % (CALLS + 1);
        if number == CALLS {
            return text(1, 6);
        }
        let block = json!({"type": "tool_use", "id": format!("toolu_{number}"), "name": "Read", "input": {}});
        let input = json!({"file_path": path}).to_string();
        answer(block, std::iter::once(json!({"type": "input_json_delta", "partial_json": input})), "tool_use")
    });
    let server = Server::start(bench_dir.folder.path(), Tls::No, answers);
    let mut child = bench_dir.start(&server);
    let (mut early, mut late) = (0, 0);
    while child.try_wait().unwrap().is_none() {
        let count = server.timings.lock().unwrap().len();
        let memory = resident(child.id());
        if count <= 20 {
            early = memory.max(early);
        }
        late = memory.max(late);
        std::thread::sleep(Duration::from_millis(5));
    }
    let timings = server.timings.lock().unwrap();
    assert_eq!(timings.len(), CALLS + 1);
    let mut times: Vec<Duration> = timings.windows(2).map(|two| two[1].arrived - two[0].sent).collect();
    let median = |part: &[Duration]| quantile(&mut part.to_vec(), 0.5).as_secs_f64();
    let flat = median(&times[900..]) / median(&times[10..50]);
    let bytes = timings.last().unwrap().bytes;
    let growth = (late.saturating_sub(early)) as f64 / 1024.0 - bytes as f64 / 1_048_576.0;
    let sizes: Vec<usize> = timings.iter().map(|it| it.bytes).collect();
    drop(timings);
    let floor = floor(&server, &sizes);
    let (low, high) = (median(&floor[10..50]), median(&floor[900..]));
    let flat_own = (median(&times[900..]) - high) / (median(&times[10..50]) - low);
    let (median, p95) = (quantile(&mut times, 0.5), quantile(&mut times, 0.95));
    Calls {
        median: milliseconds(median),
        p95: milliseconds(p95),
        flat,
        flat_own,
        floor_flat: high / low,
        growth,
        bytes,
    }
}

/// What the server measures of a client that has nothing to do but to send as many bytes: this process once more.
fn floor(server: &Server, sizes: &[usize]) -> Vec<Duration> {
    let before = server.timings.lock().unwrap().len();
    let mut child = Command::new(std::env::current_exe().unwrap())
        .args(["--plain", &server.port.to_string()])
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    let sizes: Vec<String> = sizes.iter().map(ToString::to_string).collect();
    child.stdin.take().unwrap().write_all(sizes.join(" ").as_bytes()).unwrap();
    assert!(child.wait().unwrap().success());
    let timings = server.timings.lock().unwrap();
    timings[before..].windows(2).map(|two| two[1].arrived - two[0].sent).collect()
}

/// Sends bodies of the sizes in the standard input, each once the answer to the one before is there.
fn plain(port: u16) {
    let sizes = std::io::read_to_string(std::io::stdin()).unwrap();
    let mut stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
    stream.set_nodelay(true).unwrap();
    let (mut request, mut answer) = (vec![b'x'; 4 << 20], vec![0; 1 << 20]);
    for size in sizes.split(' ').map(|size| size.parse::<usize>().unwrap()) {
        let head = format!("POST / HTTP/1.1\r\ncontent-length: {size}\r\n\r\n");
        request[..head.len()].copy_from_slice(head.as_bytes());
        stream.write_all(&request[..head.len() + size]).unwrap();
        let mut have = 0;
        while !answer[..have].ends_with(b"\r\n0\r\n\r\n") {
            have += stream.read(&mut answer[have..]).unwrap();
        }
    }
}

/// KiB in memory now.
fn resident(process: u32) -> u64 {
    let text = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.trim().trim_end_matches(" kB").parse().ok()).unwrap_or_default()
}

struct Deltas {
    /// From the first byte to the exit, in milliseconds.
    wall: f64,
    /// Of the whole process.
    cpu: f64,
}

/// One answer of many pieces; the median of several runs.
fn deltas(bench_dir: &BenchDir, count: usize, size: usize) -> Deltas {
    let pieces = text(count, size);
    let server = Server::start(bench_dir.folder.path(), Tls::No, Arc::new(move |_| pieces.clone()));
    let (mut wall, mut cpu) = (Vec::new(), Vec::new());
    for at in 0..bench_dir.runs.deltas {
        let before = processor_time();
        assert!(bench_dir.start(&server).wait().unwrap().success());
        let ended = Instant::now();
        cpu.push(processor_time() - before);
        wall.push(ended - server.timings.lock().unwrap()[at].answered);
    }
    Deltas { wall: milliseconds(quantile(&mut wall, 0.5)), cpu: milliseconds(quantile(&mut cpu, 0.5)) }
}

/// Of all children that have ended.
fn processor_time() -> Duration {
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN).unwrap();
    let micros = |time: nix::sys::time::TimeVal| time.tv_sec() as u64 * 1_000_000 + time.tv_usec() as u64;
    Duration::from_micros(micros(usage.user_time()) + micros(usage.system_time()))
}

fn quantile(times: &mut [Duration], at: f64) -> Duration {
    times.sort_unstable();
    times[((times.len() - 1) as f64 * at) as usize]
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}
