//! Hands a session to a front end.

use std::io::{IsTerminal, Write};

use forelook_headless::print::{HostQuestions, Input, Output};
use forelook_headless::{Charset, InputLines, RunOutcome, Stdin, lines, print};
use forelook_host::{Client, Failure, FailureClass, OpenSession, PreparedSession, SessionStart, line_ids};
use forelook_protocol::{
    Delivery, EventPort, FrontEnd, Mentions, Mode, Notice, PlanCommand, PlanSlashCommand, Prompt,
    SessionConnection, SessionId, UserBlock,
};
use forelook_wording::parse_mentions;

use crate::apply::ApprovedPlan;
use crate::args::{InputFormat, OutputFormat};
use crate::out::print_note;
use crate::resume::short_id;
use crate::run::SessionRun;
use crate::screen::{can_be_drawn_on, has_colors};
use crate::{signals, stdin};

/// Whether what is said first is for the model: then nothing that was left undone comes before it. Commands are not, but for
/// `/plan` with a task, whatever the mode is. A line that looks like one for the shell is never run.
pub(crate) fn is_prompt(first: Option<&str>) -> bool {
    let says = |argument, mode| {
        matches!(PlanSlashCommand::parse(argument, mode), Ok(PlanSlashCommand::Run(PlanCommand::Say { .. })))
    };
    first.is_some_and(|words| match forelook_wording::parse_slash(words) {
        None => !words.trim().is_empty(),
        Some(("plan", argument)) => [Mode::Default, Mode::Plan].into_iter().all(|mode| says(argument, mode)),
        Some(_) => false,
    })
}

/// How a session is shown: what of a command line is not the session's own.
#[derive(Debug, Clone)]
pub(crate) struct FrontOptions {
    /// What is said first.
    pub(crate) prompt: Option<String>,
    pub(crate) input: InputFormat,
    pub(crate) output: OutputFormat,
    /// With `stream-json`: pieces of answers as they arrive.
    pub(crate) partial: bool,
    /// Whether there is a conversation, on the screen or in lines; else results are printed.
    pub(crate) conversation: bool,
    /// What the program that drives us is asked.
    pub(crate) asks: HostQuestions,
    /// Whether who leaves the terminal program is told how to come back; not where somebody else says it.
    pub(crate) tells_way_back: bool,
    /// How a prompt is given, for who gave none.
    pub(crate) example: &'static str,
}

impl Default for FrontOptions {
    /// A conversation.
    fn default() -> Self {
        Self {
            prompt: None,
            input: InputFormat::Text,
            output: OutputFormat::Text,
            partial: false,
            conversation: true,
            asks: HostQuestions::Nobody,
            tells_way_back: true,
            example: "forelook -p \"what to do\"",
        }
    }
}

impl FrontOptions {
    /// One prompt, and its result printed.
    pub(crate) fn printing(prompt: Option<String>, output: OutputFormat) -> Self {
        Self { prompt, output, conversation: false, ..Self::default() }
    }
}

impl SessionRun {
    /// Runs the front end that was asked for.
    pub(crate) async fn talk(self) -> Result<RunOutcome, Failure> {
        match self.front.conversation {
            true if can_be_drawn_on(self.host.env()) => self.screen().await,
            true => self.lines().await,
            false => self.print(|events| events, Box::new(std::io::stdout())).await,
        }
    }

    /// Prints results. Events go through `through` on their way to the front end.
    pub(crate) async fn print(
        mut self,
        through: impl FnOnce(Box<dyn EventPort>) -> Box<dyn EventPort>,
        stdout: Box<dyn Write + Send>,
    ) -> Result<RunOutcome, Failure> {
        let approved = self.approved.take();
        let input = match self.front.input {
            _ if approved.is_some() => Input::Begun,
            InputFormat::StreamJson => Input::Stream(Stdin::lines()),
            InputFormat::Text => {
                let words = prompt(self.front.prompt.as_deref(), self.front.example)?;
                // What was piped in names nothing, and the command line may be a script's.
                let paths = self.front.prompt.as_deref().map(parse_mentions).unwrap_or_default();
                let prompt = Prompt::person(vec![UserBlock::text(words)], Delivery::NextTurn);
                Input::Prompt(prompt.naming(Mentions::given(paths)))
            }
        };
        let output = match self.front.output {
            OutputFormat::Text => Output::Text,
            OutputFormat::Json => Output::Json,
            OutputFormat::StreamJson => Output::Stream { partial: self.front.partial },
        };
        let (ids, clock) = (line_ids(self.host.env()), self.host.clock());
        let signals = signals::stop_signals();
        let asks = self.front.asks;
        // A program that drives us resumes a session to say something: that comes before what was left undone.
        let prompts_first = matches!(input, Input::Prompt(_) | Input::Stream(_));
        let front_end = asks.front_end(input.both_ways(output)).with_prompt(prompts_first);
        let start = self.session.spec().start;
        let (attached, notices) = match open(self.session, front_end, approved).await {
            Ok(opened) => opened,
            Err(failure) => {
                // A program that gave us something to do waits for its result.
                if !matches!(input, Input::Stream(_)) {
                    let session = match start {
                        SessionStart::New(Some(id)) | SessionStart::Resume(id) => id,
                        SessionStart::New(None) | SessionStart::Fork(_) => SessionId(ids.next()),
                    };
                    print::unopened((output, stdout), session, &*ids, failure.text());
                }
                return Err(failure);
            }
        };
        let run = print::PrintSetup {
            attached: SessionConnection { events: through(attached.events), ..attached },
            input,
            output,
            asks,
            notices,
            stdout,
            stderr: Box::new(std::io::stderr()),
            ids,
            clock,
            signals,
        };
        Ok(print::run(run).await)
    }

    async fn lines(mut self) -> Result<RunOutcome, Failure> {
        let mut signals = signals::stop_signals();
        let mut input = Stdin::lines();
        tokio::select! {
            asked = self.ask_for_trust(&mut input) => asked?,
            Some(_) = signals.recv() => return Ok(RunOutcome::Interrupted),
        }
        let (approved, prompt) = (self.approved.take(), self.front.prompt.take());
        let color = std::io::stdout().is_terminal() && has_colors(self.host.env());
        let charset = match std::io::stdout().is_terminal() {
            true => Charset::of(|name| self.host.env().terminal(name)),
            // A file or a program gets what was said.
            false => Charset::Unicode,
        };
        let clock = self.host.clock();
        let front_end = lines::front_end().with_prompt(is_prompt(prompt.as_deref()));
        let has_past = !matches!(self.session.spec().start, SessionStart::New(_));
        let (attached, notices) = open(self.session, front_end, approved).await?;
        let session = attached.snapshot.status.session;
        let tells_way_back = self.front.tells_way_back && std::io::stdin().is_terminal();
        let run = lines::LinesSetup {
            attached,
            has_past,
            input,
            prompt,
            notices,
            stdout: Box::new(std::io::stdout()),
            color,
            charset,
            width: columns(),
            echo: !std::io::stdin().is_terminal(),
            clock,
            signals,
        };
        let ended = lines::run(run).await;
        if ended.has_conversation && tells_way_back {
            print_note(&format!("To continue: forelook -r {}", short_id(&self.host, session)));
        }
        Ok(ended.outcome)
    }

    /// What a project brings is a stranger's until the person says otherwise. Only somebody at a terminal is asked.
    async fn ask_for_trust(&mut self, input: &mut InputLines) -> Result<(), Failure> {
        let Some(question) = self.session.trust_question() else { return Ok(()) };
        if !std::io::stdin().is_terminal() {
            return Ok(());
        }
        match lines::confirm_trust(input, &mut std::io::stdout(), &question).await {
            true => self.session.trust(),
            false => Ok(()),
        }
    }
}

/// Opens a session for a front end, and begins with the plan, if there is one.
async fn open(
    session: PreparedSession,
    front_end: FrontEnd,
    approved: Option<ApprovedPlan>,
) -> Result<(SessionConnection, Vec<Notice>), Failure> {
    let OpenSession { client, notices, .. } = session.open().await?;
    let attached = attach(&client, front_end).await?;
    if let Some(plan) = approved {
        plan.begin(&*attached.session).await?;
    }
    Ok((attached, notices))
}

/// Attaches a front end to a session that was just opened.
pub(crate) async fn attach(client: &Client, front_end: FrontEnd) -> Result<SessionConnection, Failure> {
    client.attach(front_end).await.map_err(|refused| Failure::of(FailureClass::Task, &refused))
}

/// The prompt of the command line, and after it what was piped in.
fn prompt(words: Option<&str>, example: &str) -> Result<String, Failure> {
    let piped = stdin::piped(words.is_some())?;
    let parts: Vec<&str> =
        words.into_iter().chain([piped.trim_end()]).filter(|part| !part.trim().is_empty()).collect();
    if parts.is_empty() {
        return Err(Failure::new(FailureClass::Usage, "No prompt given")
            .hint(format!("Give one: {example}, or pipe it in")));
    }
    Ok(parts.join("\n\n"))
}

/// How many columns the terminal has that we print on.
fn columns() -> Option<usize> {
    let size = rustix::termios::tcgetwinsize(std::io::stdout()).ok()?;
    Some(usize::from(size.ws_col)).filter(|&columns| columns > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_for_the_model() {
        for words in ["STOP", "/etc/hosts is wrong", "!rm it", "/plan write it", " /plan\nwrite it"] {
            assert!(is_prompt(Some(words)), "{words}");
        }
        for words in ["", "  ", "/plan", "/plan list", "/plan open", "/mode plan", "/exit", "/compact now"] {
            assert!(!is_prompt(Some(words)), "{words}");
        }
        assert!(!is_prompt(None));
    }
}
