//! A whole front end in one file: it drives a session in another process over the serialized protocol.
//!
//!     front_end target/debug/forelook "One cent goes missing when a bill is split" --demo
//!
//! Arguments after the prompt go to `forelook serve --stdio`. Answer each question with one line on standard input.
#![expect(clippy::print_stdout, clippy::disallowed_methods, reason = "an example talks to its terminal")]

use std::error::Error;
use std::io::{BufRead, BufReader, Lines, StdinLock, Write};
use std::process::{Child, ChildStdin, ChildStdout, Command as Process, Stdio};

use forelook_protocol::{
    AnswerEvent, Approval, ClientFrame, Command, Entry, EntryBody, Event, FrontEnd, HostAnswer, HostAsk,
    LiveEvent, PersonQuestion, PlanAnswer, PlanCommand, QuestionAnswer, SessionFrame, WIRE_VERSION,
};

type Failure = Box<dyn Error>;

fn main() -> Result<(), Failure> {
    let mut words = std::env::args().skip(1);
    let program = words.next().ok_or("usage: front_end PROGRAM PROMPT [ARGUMENT…]")?;
    let prompt = words.next().ok_or("the prompt is missing")?;
    let mut session = Session::start(&program, words)?;
    let front_end = FrontEnd::attended("example");
    session.write(&ClientFrame::Attach { version: WIRE_VERSION, front_end, whole_answers: false })?;
    session.send(Command::Plan(PlanCommand::Say { enter: true, text: prompt }))?;
    let mut person = Person(std::io::stdin().lines());
    while let Some(frame) = session.read()? {
        match frame {
            SessionFrame::Attached { snapshot, .. } => println!("In {}", snapshot.status.folder),
            SessionFrame::Event(Event::Recorded(entry)) => recorded(&mut session, &mut person, &entry)?,
            SessionFrame::Event(Event::Live(live)) => show(&live)?,
            SessionFrame::Refused { message, .. } | SessionFrame::NotUnderstood { message } => {
                println!("Refused: {message}");
            }
            SessionFrame::Accepted { .. } | SessionFrame::Reply { .. } => {}
            SessionFrame::Closed { .. } => break,
        }
    }
    session.child.wait().map(drop).map_err(Failure::from)
}

/// Handles an entry that is now in the journal.
fn recorded(session: &mut Session, person: &mut Person, entry: &Entry) -> Result<(), Failure> {
    match &entry.body {
        EntryBody::QuestionOpened(opened) => {
            if let Some(answer) = person.answer(&opened.question.ask)? {
                session.send(Command::Answer { request: opened.question.id, answer })?;
            }
        }
        EntryBody::PermissionDecided(decided) => println!("\n* {}", decided.tool),
        EntryBody::QuestionClosed(replied) => println!("  Answered by {}", replied.by),
        EntryBody::PlanReviewed(review) => println!("  Reviewed; now in {} mode", review.mode_state.mode()),
        EntryBody::TurnEnded(ended) => {
            println!("\nTurn {} ended: {:?}", ended.turn, ended.reason);
            session.send(Command::Close)?;
        }
        _ => {}
    }
    Ok(())
}

/// Shows what the model is writing.
fn show(live: &LiveEvent) -> Result<(), Failure> {
    match live {
        LiveEvent::Answer { agent: None, event: AnswerEvent::Text { text } } => print!("{text}"),
        LiveEvent::Notice(notice) => println!("Note: {}", notice.text),
        _ => {}
    }
    Ok(std::io::stdout().flush()?)
}

/// The person at the terminal.
struct Person(Lines<StdinLock<'static>>);

impl Person {
    /// Asks the person; `None` if the question is not for a person.
    fn answer(&mut self, ask: &HostAsk) -> Result<Option<HostAnswer>, Failure> {
        Ok(Some(match ask {
            HostAsk::Permission { tool, input, .. } => self.yes_or_no(&format!("Allow {tool} {input}?"))?,
            HostAsk::EnterPlan { path } => self.yes_or_no(&format!("Plan first, in {path}?"))?,
            HostAsk::Running { shells } => self.yes_or_no(&format!("Keep {shells:?} running?"))?,
            HostAsk::Choose { questions } => {
                let choices = questions.iter().map(|question| self.choose(question));
                HostAnswer::Chosen { choices: choices.collect::<Result<_, _>>()? }
            }
            HostAsk::Review(review) => {
                let plan = review.plan.as_deref().unwrap_or_default();
                let said = self.line(&format!("{plan}\nApprove this plan? [y, or what should change]"))?;
                let approval = Approval { hash: review.hash.clone(), ..Approval::default() };
                HostAnswer::Plan(match said.as_str() {
                    "y" => PlanAnswer::Approve(approval),
                    _ => PlanAnswer::KeepPlanning { feedback: Some(said), comments: Vec::new() },
                })
            }
            _ => return Ok(None),
        }))
    }

    fn line(&mut self, question: &str) -> Result<String, Failure> {
        println!("\n? {question}");
        Ok(self.0.next().ok_or("standard input has ended")??)
    }

    fn yes_or_no(&mut self, question: &str) -> Result<HostAnswer, Failure> {
        let said = self.line(&format!("{question} [y]"))?;
        Ok(if said == "y" { HostAnswer::yes() } else { HostAnswer::Deny { message: None } })
    }

    fn choose(&mut self, question: &PersonQuestion) -> Result<QuestionAnswer, Failure> {
        let labels: Vec<&String> = question.options.iter().map(|option| &option.label).collect();
        let said = self.line(&format!("{} {labels:?} [a number, or your own answer]", question.question))?;
        let chosen = said.parse::<usize>().ok().and_then(|number| labels.get(number.checked_sub(1)?));
        let options = |label: &&String| QuestionAnswer::Options(vec![(*label).clone()]);
        Ok(chosen.map_or(QuestionAnswer::FreeText(said), options))
    }
}

/// The session's process, and the frames to and from it.
struct Session {
    child: Child,
    to: ChildStdin,
    from: Lines<BufReader<ChildStdout>>,
    sent: u64,
}

impl Session {
    fn start(program: &str, arguments: impl Iterator<Item = String>) -> Result<Self, Failure> {
        let mut process = Process::new(program);
        process.args(["serve", "--stdio"]).args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = process.spawn()?;
        let (to, from) = (child.stdin.take().ok_or("no input")?, child.stdout.take().ok_or("no output")?);
        Ok(Self { child, to, from: BufReader::new(from).lines(), sent: 0 })
    }

    fn write(&mut self, frame: &ClientFrame) -> Result<(), Failure> {
        Ok(writeln!(self.to, "{}", serde_json::to_string(frame)?)?)
    }

    fn send(&mut self, command: Command) -> Result<(), Failure> {
        self.sent += 1;
        self.write(&ClientFrame::Command { id: self.sent, command })
    }

    fn read(&mut self) -> Result<Option<SessionFrame>, Failure> {
        let line = self.from.next().transpose()?;
        Ok(line.map(|line| serde_json::from_str(&line)).transpose()?)
    }
}
