//! A program that drives Forelook over `stream-json`, and says no to everything that it is asked.

use std::io::{BufRead, BufReader, Lines, Read, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command};
use std::sync::mpsc;
use std::time::Duration;

use serde_json::{Value, json};

use super::Stage;
use super::script::DONE;

/// A session that takes longer hangs.
const PATIENCE: Duration = Duration::from_secs(120);
/// Turns that may end early, at a call that ends one, before it counts as a session without an end.
const MOST_TURNS: usize = 20;

/// The host of one process.
pub struct Host {
    child: Child,
    stdin: Option<ChildStdin>,
    lines: Lines<BufReader<ChildStdout>>,
    complaints: mpsc::Receiver<String>,
    /// Ends the watch over the child when it is dropped.
    _watched: mpsc::Sender<()>,
    /// Says yes when the model asks to plan. Everything else is a no.
    pub lets_plan: bool,
    /// Says yes to everything.
    pub says_yes: bool,
    asked: usize,
}

impl Host {
    /// Starts the program. `args` are added to what makes it listen to us.
    pub fn start(stage: &Stage, model: &str, args: &[&str]) -> Self {
        let format = ["--input-format", "stream-json", "--output-format", "stream-json"];
        let rest = ["--permission-prompt-tool", "stdio", "--model", model];
        let args: Vec<&str> = format.iter().chain(&rest).chain(args).copied().collect();
        let mut command = stage.command(&args, None);
        // Some ways begin in `bypassPermissions`, which root may not have otherwise.
        command.env("FORELOOK_SANDBOXED", "1");
        Self::of(command)
    }

    /// Drives a program that was told to listen to us.
    pub fn of(mut command: Command) -> Self {
        let mut child = command.spawn().unwrap();
        let mut stderr = child.stderr.take().unwrap();
        let (say, complaints) = mpsc::channel();
        std::thread::spawn(move || {
            let mut text = String::new();
            let _ = stderr.read_to_string(&mut text);
            let _ = say.send(text);
        });
        let stdin = child.stdin.take();
        let lines = BufReader::new(child.stdout.take().unwrap()).lines();
        let watched = watch(child.id());
        Self {
            child,
            stdin,
            lines,
            complaints,
            _watched: watched,
            lets_plan: false,
            says_yes: false,
            asked: 0,
        }
    }

    fn send(&mut self, line: &Value) {
        let stdin = self.stdin.as_mut().expect("it still listens");
        writeln!(stdin, "{line}")
            .and_then(|()| stdin.flush())
            .unwrap_or_else(|error| panic!("{error}: {line}"));
    }

    /// Reads on to the first line that is wanted; questions on the way are answered.
    pub fn read_to(&mut self, wanted: impl Fn(&Value) -> bool) -> Value {
        loop {
            let Some(line) = self.lines.next() else { panic!("It ended too early: {}", self.ended()) };
            let line: Value = serde_json::from_str(&line.unwrap()).unwrap();
            if line["type"] == "control_request" {
                self.answer(&line);
            }
            if wanted(&line) {
                return line;
            }
        }
    }

    fn answer(&mut self, question: &Value) {
        let request = &question["request"];
        let plans = self.lets_plan && request["tool_name"] == "EnterPlanMode";
        let answer = match plans || self.says_yes {
            true => json!({"behavior": "allow", "updatedInput": request["input"]}),
            false => json!({"behavior": "deny", "message": "No."}),
        };
        let response =
            json!({"subtype": "success", "request_id": question["request_id"], "response": answer});
        self.send(&json!({"type": "control_response", "response": response}));
    }

    /// Asks for something and waits for the answer, which must be a yes.
    pub fn control(&mut self, request: &Value) {
        self.asked += 1;
        let id = format!("host-{}", self.asked);
        self.send(&json!({"type": "control_request", "request_id": id, "request": request}));
        let answer = self.read_to(|line| {
            line["type"] == "control_response" && line["response"]["request_id"] == id.as_str()
        });
        assert_eq!(answer["response"]["subtype"], "success", "{request}: {answer}");
    }

    /// Another mode.
    pub fn mode(&mut self, mode: &str) {
        self.control(&json!({"subtype": "set_permission_mode", "mode": mode}));
    }

    /// Says something without waiting.
    pub fn say(&mut self, words: &str) {
        self.send(&json!({"type": "user", "message": {"role": "user", "content": words}}));
    }

    /// Says something and waits for the end of the turn.
    pub fn prompt(&mut self, words: &str) -> Value {
        self.say(words);
        self.read_to(|line| line["type"] == "result")
    }

    /// Lets a model try everything, in as many turns as it takes.
    pub fn let_loose(&mut self, model: &str) {
        self.control(&json!({"subtype": "set_model", "model": model}));
        for _ in 0..MOST_TURNS {
            let result = self.prompt("go on");
            if result["result"].as_str().is_some_and(|words| words.contains(DONE)) {
                return;
            }
            assert_eq!(result["is_error"], false, "{result}");
        }
        panic!("The model never came to an end");
    }

    /// After a first turn, so that the session is more than an idea.
    pub fn greeted(mut self) -> Self {
        self.prompt("hello");
        self
    }

    /// Closes the input and waits for the end.
    pub fn end(mut self) {
        self.stdin = None;
        while self.lines.next().is_some() {}
        self.ended();
    }

    /// Kills it, as a power cut would.
    pub fn kill(mut self) {
        self.child.kill().unwrap();
        self.child.wait().unwrap();
    }

    fn ended(&mut self) -> String {
        let status = self.child.wait().unwrap();
        let words = self.complaints.recv_timeout(PATIENCE).unwrap_or_default();
        format!("{status}\n{words}")
    }
}

/// Kills the process if it is still there when patience is over; dropping the sender ends the watch.
pub fn watch(process: u32) -> mpsc::Sender<()> {
    let (alive, over) = mpsc::channel();
    std::thread::spawn(move || {
        if over.recv_timeout(PATIENCE) == Err(mpsc::RecvTimeoutError::Timeout) {
            let _ = Command::new("kill").args(["-9", &process.to_string()]).status();
        }
    });
    alive
}
