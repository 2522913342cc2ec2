//! `forelook plan`: makes a plan, prints it, and changes nothing.

use std::process::ExitCode;
use std::sync::{Arc, Mutex, PoisonError};

use forelook_disk::Permissions;
use forelook_headless::RunOutcome;
use forelook_host::{Failure, FailureClass, PlanPolicy, Responder, SessionSpec};
use forelook_protocol::{
    AbsPath, AnswerBlock, BoxFuture, Entry, EntryBody, Event, EventPort, Mode, PLAN_KEY, PlanAnswer,
};
use forelook_settings::Env;

use crate::args::{OutputFormat, PlanArgs};
use crate::exit;
use crate::front::FrontOptions;
use crate::out::{print_note, say};
use crate::run::{SessionRun, begin, finish, here};

/// Plans.
pub(crate) fn run(env: Env, args: PlanArgs) -> Result<ExitCode, Failure> {
    let PlanArgs { task, output, session } = args;
    let folder = here()?;
    let output = output.map(|file| folder.join(file));
    let host = begin(env, session.debug);
    let spec = SessionSpec { mode: Some(Mode::Plan), ..session.spec(folder) };
    let front = FrontOptions {
        example: "forelook plan \"what to change\"",
        ..FrontOptions::printing(task, OutputFormat::Text)
    };
    let session_run =
        SessionRun::new(host, spec.unattended(Responder::Policy(PlanPolicy::Exit)), front)?.with_model()?;
    let observer = Arc::new(Mutex::new(PlanObserver::default()));
    let shared = Arc::clone(&observer);
    let watch = move |inner| -> Box<dyn EventPort> { Box::new(ObservedEvents { inner, observer: shared }) };
    // What the session prints is the model's last words; here only the plan counts.
    let ended = finish(session_run.print(watch, Box::new(std::io::sink())))?;
    let observer = std::mem::take(&mut *observer.lock().unwrap_or_else(PoisonError::into_inner));
    match (ended, observer.outcome()) {
        (RunOutcome::Done | RunOutcome::NobodyToAsk, PlanOutcome::Plan(plan)) => {
            hand_over(&plan, output.as_ref())
        }
        (RunOutcome::Done | RunOutcome::NobodyToAsk, PlanOutcome::None { final_text }) => {
            Err(no_plan(&final_text))
        }
        // Why it ended was told by the front end.
        (ended, PlanOutcome::Plan(plan)) => {
            print_note(&format!("The unfinished plan is saved in {}", plan.path));
            Ok(exit::of_run(&ended))
        }
        (ended, PlanOutcome::None { .. }) => Ok(exit::of_run(&ended)),
    }
}

fn hand_over(plan: &PlanText, output: Option<&AbsPath>) -> Result<ExitCode, Failure> {
    say!("{}", plan.text.trim_end_matches('\n'));
    if !plan.handed_over {
        print_note("The model did not submit the plan for review; this is what it wrote so far");
    }
    if let Some(file) = output {
        forelook_disk::replace(file, plan.text.as_bytes(), Permissions::Keep).map_err(|error| {
            Failure::of(FailureClass::Task, &error).hint(format!("The plan is saved in {}", plan.path))
        })?;
    }
    let name = plan.path.as_path().file_stem().map(|name| name.to_string_lossy().into_owned());
    print_note(&format!(
        "The plan is saved in {}\nTo implement it, run: forelook apply {}",
        plan.path,
        name.unwrap_or_default()
    ));
    Ok(ExitCode::SUCCESS)
}

fn no_plan(final_text: &str) -> Failure {
    match final_text.trim() {
        "" => Failure::new(FailureClass::Task, "The model stopped without a plan or an answer"),
        final_text => {
            print_note(final_text);
            Failure::new(FailureClass::Task, "The model did not write a plan; its answer is above")
        }
    }
    .hint("Describe a change to plan; for a question, use `forelook -p`")
}

/// What went by.
#[derive(Debug, Default)]
struct PlanObserver {
    /// The plan as it was written last.
    written: Option<(AbsPath, String)>,
    /// The plan that was handed over.
    handed_over: Option<(AbsPath, String)>,
    /// What the model said last.
    final_text: String,
}

/// What came of it.
#[derive(Debug, PartialEq, Eq)]
enum PlanOutcome {
    Plan(PlanText),
    None { final_text: String },
}

#[derive(Debug, PartialEq, Eq)]
struct PlanText {
    path: AbsPath,
    text: String,
    handed_over: bool,
}

impl PlanObserver {
    /// Takes an entry; a subagent's plans are its own.
    fn on_entry(&mut self, entry: &Entry) {
        if entry.agent.is_some() {
            return;
        }
        match &entry.body {
            EntryBody::FileSnapshot(file) if file.key == PLAN_KEY => {
                self.written = Some((file.path.clone(), file.text.clone()));
            }
            EntryBody::PlanReviewed(reviewed) if reviewed.answer == PlanAnswer::HandOver => {
                let plan = reviewed.plan.clone().unwrap_or_default();
                self.handed_over = Some((reviewed.path.clone(), plan));
            }
            EntryBody::ModelAnswered(answered) => {
                let texts = answered.blocks.iter().filter_map(|block| match block {
                    AnswerBlock::Text { text } => Some(text.as_str()),
                    AnswerBlock::Thinking { .. } | AnswerBlock::Opaque { .. } | AnswerBlock::ToolUse(_) => {
                        None
                    }
                });
                self.final_text = texts.collect::<Vec<_>>().join("\n");
            }
            _ => {}
        }
    }

    fn outcome(self) -> PlanOutcome {
        let handed_over = self.handed_over.is_some();
        match self.handed_over.or(self.written).filter(|(_, text)| !text.trim().is_empty()) {
            Some((path, text)) => PlanOutcome::Plan(PlanText { path, text, handed_over }),
            None => PlanOutcome::None { final_text: self.final_text },
        }
    }
}

/// Events on their way to the front end, looked at.
struct ObservedEvents {
    inner: Box<dyn EventPort>,
    observer: Arc<Mutex<PlanObserver>>,
}

impl EventPort for ObservedEvents {
    fn next(&mut self) -> BoxFuture<'_, Event> {
        Box::pin(async move {
            let event = self.inner.next().await;
            if let Event::Recorded(entry) = &event {
                self.observer.lock().unwrap_or_else(PoisonError::into_inner).on_entry(entry);
            }
            event
        })
    }

    fn skip_deltas(&mut self) {
        self.inner.skip_deltas();
    }
}
