//! `forelook plan`: makes a plan, prints it, and changes nothing.

use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};

use forelook_disk::Permissions;
use forelook_headless::Ended;
use forelook_host::{Answerer, Failure, Kind, OnPlan, SessionSpec};
use forelook_protocol::{
    AbsPath, AnswerBlock, Body, Boxed, Entry, Event, EventPort, Mode, PLAN_KEY, PlanAnswer,
};
use forelook_settings::Env;

use crate::args::{OutputFormat, PlanArgs};
use crate::exit;
use crate::front::Front;
use crate::out::say;
use crate::run::{Task, begin, finish, here};

/// Plans.
pub(crate) fn run(env: Env, args: PlanArgs) -> Result<ExitCode, Failure> {
    let PlanArgs { task, output, session } = args;
    let folder = here()?;
    let output = output.map(|file| folder.join(file));
    let host = begin(env, session.debug);
    let spec = SessionSpec { mode: Some(Mode::Plan), ..session.spec(folder) };
    let front =
        Front { example: "forelook plan \"what to change\"", ..Front::printing(task, OutputFormat::Text) };
    let task = Task::new(host, spec.unattended(Answerer::Policy(OnPlan::Exit)), front)?.with_model()?;
    let seen = Arc::new(Mutex::new(Seen::default()));
    let heard = Arc::clone(&seen);
    let watch = move |inner| -> Box<dyn EventPort> { Box::new(Watched { inner, seen: heard }) };
    // What the session prints is the model's last words; here only the plan counts.
    let ended = finish(task.print(watch, Box::new(std::io::sink())))?;
    let seen = std::mem::take(&mut *seen.lock().unwrap_or_else(PoisonError::into_inner));
    match (ended, seen.outcome()) {
        (Ended::Done | Ended::NobodyToAsk, Outcome::Plan(plan)) => hand_over(&plan, output.as_ref()),
        (Ended::Done | Ended::NobodyToAsk, Outcome::None { words }) => Err(no_plan(&words)),
        // Why it ended was told by the front end.
        (ended, Outcome::Plan(plan)) => {
            tell(&format!("What there is of the plan is in {}", plan.path));
            Ok(exit::of_run(&ended))
        }
        (ended, Outcome::None { .. }) => Ok(exit::of_run(&ended)),
    }
}

fn hand_over(plan: &Plan, output: Option<&AbsPath>) -> Result<ExitCode, Failure> {
    say!("{}", plan.text.trim_end_matches('\n'));
    if !plan.handed_over {
        tell("The model did not say that the plan is finished; this is what it wrote");
    }
    if let Some(file) = output {
        forelook_disk::replace(file, plan.text.as_bytes(), Permissions::Keep).map_err(|error| {
            Failure::of(Kind::Task, &error).hint(format!("The plan is kept in {}", plan.path))
        })?;
    }
    let name = plan.path.as_path().file_stem().map(|name| name.to_string_lossy().into_owned());
    tell(&format!(
        "The plan is kept in {}\nCarry it out with: forelook apply {}",
        plan.path,
        name.unwrap_or_default()
    ));
    Ok(ExitCode::SUCCESS)
}

fn no_plan(words: &str) -> Failure {
    match words.trim() {
        "" => Failure::new(Kind::Task, "The model ended without a plan, and said nothing"),
        words => {
            tell(words);
            Failure::new(Kind::Task, "The model answered without a plan; its words are above")
        }
    }
    .hint("Ask for something to be changed: a question needs no plan, and `forelook -p` answers it")
}

#[expect(clippy::print_stderr, reason = "standard output is for the plan alone")]
fn tell(text: &str) {
    eprintln!("{text}");
}

/// What went by.
#[derive(Debug, Default)]
struct Seen {
    /// The plan as it was written last.
    written: Option<(AbsPath, String)>,
    /// The plan that was handed over.
    handed_over: Option<(AbsPath, String)>,
    /// What the model said last.
    words: String,
}

/// What came of it.
#[derive(Debug, PartialEq, Eq)]
enum Outcome {
    Plan(Plan),
    None { words: String },
}

#[derive(Debug, PartialEq, Eq)]
struct Plan {
    path: AbsPath,
    text: String,
    handed_over: bool,
}

impl Seen {
    /// Takes an entry; a subagent's plans are its own.
    fn hear(&mut self, entry: &Entry) {
        if entry.agent.is_some() {
            return;
        }
        match &entry.body {
            Body::FileSnapshot(file) if file.key == PLAN_KEY => {
                self.written = Some((file.path.clone(), file.text.clone()));
            }
            Body::Review(reviewed) if reviewed.answer == PlanAnswer::HandOver => {
                let plan = reviewed.plan.clone().unwrap_or_default();
                self.handed_over = Some((reviewed.path.clone(), plan));
            }
            Body::Answer(answered) => {
                let texts = answered.blocks.iter().filter_map(|block| match block {
                    AnswerBlock::Text { text } => Some(text.as_str()),
                    AnswerBlock::Thinking { .. } | AnswerBlock::Sealed { .. } | AnswerBlock::ToolUse(_) => {
                        None
                    }
                });
                self.words = texts.collect::<Vec<_>>().join("\n");
            }
            _ => {}
        }
    }

    fn outcome(self) -> Outcome {
        let handed_over = self.handed_over.is_some();
        match self.handed_over.or(self.written).filter(|(_, text)| !text.trim().is_empty()) {
            Some((path, text)) => Outcome::Plan(Plan { path, text, handed_over }),
            None => Outcome::None { words: self.words },
        }
    }
}

/// Events on their way to the front end, looked at.
struct Watched {
    inner: Box<dyn EventPort>,
    seen: Arc<Mutex<Seen>>,
}

impl EventPort for Watched {
    fn next(&mut self) -> Boxed<'_, Event> {
        Box::pin(async move {
            let event = self.inner.next().await;
            if let Event::Recorded(entry) = &event {
                self.seen.lock().unwrap_or_else(PoisonError::into_inner).hear(entry);
            }
            event
        })
    }

    fn skip_pieces(&mut self) {
        self.inner.skip_pieces();
    }
}
