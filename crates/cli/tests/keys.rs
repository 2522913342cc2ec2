//! Keys on their way to a server, and nowhere else.

#![expect(clippy::unwrap_used, clippy::disallowed_methods, reason = "a failure here is a failed test")]

use std::fs;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Command;
use std::sync::{Arc, Mutex};

use forelook_testkit::{Lab, RunOutput, copy_program, unprivileged};
use serde_json::json;

/// What a key looks like here.
const MARK: &str = "sk-planted-in-keys";

/// A server on this machine, for both of what an Ollama is asked.
struct KeyCheckingServer {
    port: u16,
    /// First line, `authorization` and body of every request.
    heard: Arc<Mutex<Vec<(String, String, String)>>>,
}

impl KeyCheckingServer {
    /// Starts one that refuses this key.
    fn start(refused: &str) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = listener.local_addr().unwrap().port();
        let heard = Arc::new(Mutex::new(Vec::new()));
        let (log, refused) = (Arc::clone(&heard), format!("Bearer {refused}"));
        std::thread::spawn(move || {
            for stream in listener.incoming() {
                answer(stream.unwrap(), &log, &refused);
            }
        });
        Self { port, heard }
    }

    fn keys(&self) -> Vec<String> {
        self.heard.lock().unwrap().iter().map(|(_, key, _)| key.clone()).collect()
    }
}

fn answer(stream: TcpStream, heard: &Mutex<Vec<(String, String, String)>>, refused: &str) {
    let mut stream = BufReader::new(stream);
    let (mut first, mut key, mut length) = (String::new(), String::new(), 0);
    stream.read_line(&mut first).unwrap();
    loop {
        let mut line = String::new();
        stream.read_line(&mut line).unwrap();
        let (name, value) = line.trim().split_once(": ").unwrap_or_default();
        match name.to_lowercase().as_str() {
            "authorization" => key = value.to_owned(),
            "content-length" => length = value.parse().unwrap(),
            _ => {}
        }
        if line.trim().is_empty() {
            break;
        }
    }
    let mut body = vec![0; length];
    stream.read_exact(&mut body).unwrap();
    let said = if key == refused {
        // A rude server: it repeats what it was sent.
        let error = format!(r#"{{"error": {{"message": "Incorrect API key provided: {key}"}}}}"#);
        format!(
            "HTTP/1.1 401 Unauthorized\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{error}",
            error.len()
        )
    } else {
        let said = match first.split(' ').nth(1).unwrap_or_default() {
            "/api/tags" => r#"{"models": [{"name": "old:1b"}, {"name": "able:8b"}]}"#.to_owned(),
            "/api/show" if body.windows(4).any(|it| it == b"able") => {
                r#"{"capabilities": ["completion", "tools"]}"#.to_owned()
            }
            "/api/show" => r#"{"capabilities": ["completion"]}"#.to_owned(),
            _ => [
                r#"{"id":"1","model":"m","choices":[{"index":0,"delta":{"role":"assistant","content":"Hello."}}]}"#,
                r#"{"id":"1","model":"m","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}"#,
                "[DONE]",
            ]
            .map(|data| format!("data: {data}\n\n"))
            .concat(),
        };
        let kind = if said.starts_with("data") { "text/event-stream" } else { "application/json" };
        format!("HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nConnection: close\r\n\r\n{said}")
    };
    heard.lock().unwrap().push((first, key, String::from_utf8(body).unwrap()));
    let _ = stream.get_mut().write_all(said.as_bytes());
}

fn lab(settings: &str) -> Lab {
    let lab = Lab::new(env!("CARGO_BIN_EXE_forelook"));
    fs::create_dir_all(lab.home()).unwrap();
    fs::write(lab.home().join("settings.json"), settings).unwrap();
    lab
}

fn command(lab: &Lab, args: &[&str]) -> Command {
    let mut command = lab.command(args);
    for name in ["FORELOOK_MODEL", "ANTHROPIC_API_KEY", "OPENAI_API_KEY"] {
        command.env_remove(name);
    }
    command.env("FORELOOK_LOG", "trace");
    command
}

fn ran(mut command: Command) -> RunOutput {
    let out = command.output().unwrap();
    RunOutput {
        stdout: String::from_utf8(out.stdout).unwrap(),
        stderr: String::from_utf8(out.stderr).unwrap(),
        code: out.status.code(),
    }
}

/// Every file below a folder that has these words in it.
fn files_with(folder: &Path, words: &str) -> Vec<String> {
    let mut found = Vec::new();
    for path in forelook_testkit::tree::entries(folder) {
        if path.is_dir() {
            found.extend(files_with(&path, words));
        } else if fs::read(&path).unwrap().windows(words.len()).any(|it| it == words.as_bytes()) {
            found.push(path.file_name().unwrap().to_string_lossy().into_owned());
        }
    }
    found.sort();
    found
}

#[test]
fn a_helper_is_asked_again_when_its_key_is_refused() {
    let server = KeyCheckingServer::start(&format!("{MARK}-1"));
    let lab = lab(&format!(
        r#"{{"model": {{"providers": {{"work": {{"baseUrl": "http://127.0.0.1:{}/v1",
            "keyHelper": "echo x >> count; echo a word to the person >&2; echo sk-planted-in-keys-$(($(wc -l < count)))"}}}}}}}}"#,
        server.port
    ));
    let out = ran(command(&lab, &["-p", "hi", "--model", "work/big", "--debug"]));
    assert_eq!((out.stdout.as_str(), out.code), ("Hello.\n", Some(0)), "{}", out.stderr);
    assert_eq!(server.keys(), [format!("Bearer {MARK}-1"), format!("Bearer {MARK}-2")]);
    assert!(!out.stderr.contains(MARK), "{}", out.stderr);
    // Only where the person wrote the beginning of it down.
    assert_eq!(files_with(&lab.root(), MARK), ["settings.json"]);
    assert_eq!(files_with(&lab.root(), &format!("{MARK}-1")), [""; 0]);
}

#[test]
fn a_refused_key_is_named_by_its_place() {
    let server = KeyCheckingServer::start(MARK);
    let lab = lab(&format!(
        r#"{{"model": {{"providers": {{"work": {{"baseUrl": "http://127.0.0.1:{}/v1", "keyVariable": "WORK"}}}}}}}}"#,
        server.port
    ));
    let mut command = command(&lab, &["-p", "hi", "--model", "work/big", "--debug"]);
    command.env("WORK", MARK);
    let out = ran(command);
    assert_eq!(out.code, Some(4), "{}{}", out.stdout, out.stderr);
    assert!(out.stderr.contains("the variable `WORK`"), "{}", out.stderr);
    assert!(!out.stderr.contains(MARK) && !out.stdout.contains(MARK), "{}{}", out.stdout, out.stderr);
    assert_eq!(files_with(&lab.root(), MARK), [""; 0]);
}

#[test]
fn a_local_ollama_is_found_and_given_no_key() {
    let server = KeyCheckingServer::start("nothing");
    let lab = lab(&format!(r#"{{"keyFile": "keys-{MARK}"}}"#));
    let keys = lab.home().join(format!("keys-{MARK}"));
    fs::write(&keys, r#"{"groq": "g"}"#).unwrap();
    fs::set_permissions(&keys, fs::Permissions::from_mode(0o600)).unwrap();
    let mut command = command(&lab, &["-p", "hi"]);
    command.env("OLLAMA_HOST", format!("127.0.0.1:{}", server.port));
    let out = ran(command);
    assert_eq!((out.stdout.as_str(), out.code), ("Hello.\n", Some(0)), "{}", out.stderr);
    assert!(out.stderr.contains("using the local model `ollama/able:8b`"), "{}", out.stderr);
    let heard = server.heard.lock().unwrap();
    let (first, key, body) = heard.last().unwrap();
    assert!(
        first.starts_with("POST /v1/chat/completions ") && body.contains(r#""able:8b""#),
        "{first}{body}"
    );
    assert_eq!(key, "");
}

#[test]
fn somebody_elses_key_file_is_not_read() {
    let lab = lab(r#"{"keyFile": "/etc/passwd"}"#);
    let binary = lab.root().join("forelook");
    copy_program(env!("CARGO_BIN_EXE_forelook").as_ref(), &binary);
    fs::set_permissions(lab.root(), fs::Permissions::from_mode(0o755)).unwrap();
    let wrapper = unprivileged(&[&lab.home(), lab.project()]);
    let lab = lab.with_binary(binary);
    let mut command = lab.wrapped(&wrapper, ["-p", "hi", "--model", "sonnet"]);
    command.env_remove("ANTHROPIC_API_KEY");
    let out = ran(command);
    assert_eq!(out.code, Some(2));
    assert!(out.stderr.contains("`/etc/passwd` belongs to another user"), "{}", out.stderr);
}

/// A key lies wherever the settings say; what runs unasked while planning cannot read it there.
#[test]
fn a_key_file_shows_nothing_to_what_runs_while_planning() {
    let script = r#"
[[answer]]
[[answer.call]]
tool = "Bash"
input = { command = "sh ./look.sh" }
[[answer]]
[[answer.call]]
tool = "Read"
input = { file_path = "pass" }
[[answer]]
text = "Done."
"#;
    for layers in ["namespaces,landlock,seccomp", "landlock,seccomp"] {
        let lab = lab("{}");
        let file = lab.project().join("pass");
        fs::write(&file, MARK).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
        fs::write(lab.project().join("look.sh"), "echo looked; cat pass; cat notes").unwrap();
        fs::write(lab.project().join("notes"), "nothing secret").unwrap();
        let provider = json!({"wireFormat": "chat", "baseUrl": "http://127.0.0.1:1/v1", "keyFile": file});
        let settings = json!({"model": {"providers": {"own": provider}}}).to_string();
        fs::write(lab.home().join("settings.json"), settings).unwrap();
        let lab = lab.with_script(script);
        let args = ["-p", "go", "--permission-mode", "plan", "--output-format", "stream-json", "--verbose"];
        let out = ran({
            let mut command = lab.command(args);
            command.env("FORELOOK_FENCE_LAYERS", layers);
            command
        });
        let said = format!("{layers}: {}{}", out.stdout, out.stderr);
        assert!(out.stdout.contains("looked") && out.stdout.contains("nothing secret"), "{said}");
        assert!(!out.stdout.contains(MARK), "{said}");
        assert!(files_with(&lab.home(), MARK).is_empty(), "{said}");
    }
}

/// The client of a service signs in with a file at home that is hidden from everybody else.
#[test]
fn a_declared_read_signs_in_and_what_nobody_can_judge_does_not() {
    let script = r#"
[[answer]]
[[answer.call]]
tool = "Bash"
input = { command = "gh pr view 7" }
[[answer.call]]
tool = "Bash"
input = { command = "sh ./look.sh" }
[[answer]]
text = "Done."
"#;
    for layers in ["namespaces,landlock,seccomp", "landlock,seccomp"] {
        let lab = lab(r#"{"plan": {"networkCommands": ["gh pr view:*"]}}"#).with_script(script);
        // Not where the lab is: that is scratch inside.
        let places = ["/var/lib".to_owned(), std::env::var("HOME").unwrap()];
        let beside = places.iter().find_map(|place| tempfile::tempdir_in(place).ok()).unwrap();
        let (user, bin) = (beside.path().join("user"), beside.path().join("bin"));
        fs::create_dir_all(user.join(".config/gh")).unwrap();
        fs::create_dir_all(&bin).unwrap();
        fs::write(user.join(".config/gh/hosts.yml"), "token: opened-by-its-client").unwrap();
        fs::write(user.join(".netrc"), MARK).unwrap();
        let look = "cat $HOME/.config/gh/hosts.yml; cat $HOME/.netrc; echo ended";
        fs::write(bin.join("gh"), "#!/bin/sh\necho \"client $(tr -d ' ' < $HOME/.config/gh/hosts.yml)\"\n")
            .unwrap();
        fs::set_permissions(bin.join("gh"), fs::Permissions::from_mode(0o755)).unwrap();
        fs::write(lab.project().join("look.sh"), look).unwrap();
        let mut command =
            lab.command(["-p", "go", "--permission-mode", "plan", "--output-format", "stream-json"]);
        let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
        command.env("FORELOOK_FENCE_LAYERS", layers).env("HOME", &user).env("PATH", path);
        let out = ran(command);
        let said = format!("{layers}: {}{}", out.stdout, out.stderr);
        assert!(out.stdout.contains("client token:opened-by-its-client"), "{said}");
        assert!(out.stdout.contains("ended") && !out.stdout.contains("token: opened"), "{said}");
        assert!(!out.stdout.contains(MARK), "{said}");
    }
}
