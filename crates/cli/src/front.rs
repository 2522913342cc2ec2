//! Hands a session to a front end.

use std::io::{IsTerminal, Write};

use forelook_engine::{Client, load_agents};
use forelook_headless::print::{Input, Output};
use forelook_headless::{Ended, InputLines, Stdin, lines, print};
use forelook_protocol::{Attached, EventPort, FrontEnd, UserBlock};
use forelook_settings::{Trust, TrustStore};

use crate::args::{InputFormat, OutputFormat};
use crate::failure::{Failure, Kind};
use crate::open::Opened;
use crate::run::{Task, clock, ids, line_ids};
use crate::screen::can_be_drawn_on;
use crate::{authority, signals, stdin};

impl Task<'_> {
    /// Runs the front end that was asked for.
    pub(crate) async fn talk(self) -> Result<Ended, Failure> {
        match self.audience.lines {
            true if can_be_drawn_on(self.env) => self.screen().await,
            true => self.lines().await,
            false => self.print(|events| events, Box::new(std::io::stdout())).await,
        }
    }

    /// Prints results. Events go through `through` on their way to the front end.
    pub(crate) async fn print(
        mut self,
        through: impl FnOnce(Box<dyn EventPort>) -> Box<dyn EventPort>,
        stdout: Box<dyn Write + Send>,
    ) -> Result<Ended, Failure> {
        let approved = self.approved.take();
        let input = match self.args.input_format {
            _ if approved.is_some() => Input::Begun,
            InputFormat::StreamJson => Input::Stream(Stdin::lines()),
            InputFormat::Text => {
                let words = prompt(self.args.prompt.as_deref(), self.example)?;
                Input::Prompt(vec![UserBlock::text(words)])
            }
        };
        let output = match self.args.output_format {
            OutputFormat::Text => Output::Text,
            OutputFormat::Json => Output::Json,
            OutputFormat::StreamJson => Output::Stream { partial: self.args.include_partial_messages },
        };
        let (ids, line_ids, clock) = (ids(self.env), line_ids(self.env), clock(self.env));
        let signals = signals::wishes_to_stop();
        let asks = self.audience.asks;
        let Opened { client, notices } = self.open(&ids, &clock).await?;
        let front_end = asks.front_end(input.both_ways(output));
        let attached = attach(&client, front_end).await?;
        if let Some(plan) = approved {
            plan.begin(&*attached.session).await?;
        }
        let run = print::Run {
            attached: Attached { events: through(attached.events), ..attached },
            input,
            output,
            asks,
            notices,
            stdout,
            stderr: Box::new(std::io::stderr()),
            ids: line_ids,
            clock,
            signals,
        };
        Ok(print::run(run).await)
    }

    async fn lines(mut self) -> Result<Ended, Failure> {
        let signals = signals::wishes_to_stop();
        let mut input = Stdin::lines();
        self.ask_for_trust(&mut input).await?;
        let (approved, prompt) = (self.approved.take(), self.args.prompt.clone());
        let colour = std::io::stdout().is_terminal() && !self.env.no_color;
        let (ids, clock) = (ids(self.env), clock(self.env));
        let Opened { client, notices } = self.open(&ids, &clock).await?;
        let attached = attach(&client, lines::front_end()).await?;
        if let Some(plan) = approved {
            plan.begin(&*attached.session).await?;
        }
        let run = lines::Run {
            attached,
            input,
            prompt,
            notices,
            stdout: Box::new(std::io::stdout()),
            colour,
            width: columns(),
            echo: !std::io::stdin().is_terminal(),
            clock,
            signals,
        };
        Ok(lines::run(run).await)
    }

    /// What a project brings is a stranger's until the person says otherwise. Only somebody at a terminal is asked.
    async fn ask_for_trust(&mut self, input: &mut InputLines) -> Result<(), Failure> {
        let brings = self.brings();
        if brings.is_empty() || !std::io::stdin().is_terminal() {
            return Ok(());
        }
        let text = format!("Do you trust {}? {}", self.places.project, brings.join(" "));
        match lines::confirm(input, &mut std::io::stdout(), &text).await {
            true => self.trust(),
            false => Ok(()),
        }
    }

    /// The same on a screen.
    pub(crate) async fn ask_for_trust_on(&mut self, terminal: forelook_tui::Terminal) -> Result<(), Failure> {
        let brings = self.brings();
        if brings.is_empty() {
            return Ok(());
        }
        let folder = self.places.project.to_string();
        let trusted =
            forelook_tui::confirm_trust(terminal, self.loaded.settings.screen.theme, &folder, &brings).await;
        match trusted.map_err(|error| Failure::of(Kind::Task, &error))? {
            true => self.trust(),
            false => Ok(()),
        }
    }

    /// What the project brings that waits for trust, in sentences.
    fn brings(&self) -> Vec<String> {
        if self.loaded.trust == Trust::Trusted {
            return Vec::new();
        }
        let settings =
            self.loaded.settings.waiting.words().map(|waiting| format!("Its settings bring {waiting}."));
        // Read as a stranger's they come to nothing but a word that there are some.
        let agents = load_agents(None, &self.places.project, false).1;
        let agents = (!agents.is_empty()).then(|| "It has agents of its own.".to_owned());
        settings.into_iter().chain(agents).collect()
    }

    /// The folder is trusted from now on: what it says is read again.
    fn trust(&mut self) -> Result<(), Failure> {
        let mut store = TrustStore::load(&self.env.home);
        store.trust(&self.places.project).map_err(|error| Failure::of(Kind::Task, &error))?;
        self.loaded = authority::load(self.env, &self.places)?;
        self.notices = self.loaded.settings.problems.clone();
        self.choose_model()
    }
}

/// Attaches a front end to a session that was just opened.
pub(crate) async fn attach(client: &Client, front_end: FrontEnd) -> Result<Attached, Failure> {
    client.attach(front_end).await.map_err(|refused| Failure::of(Kind::Task, &refused))
}

/// The prompt of the command line, and after it what was piped in.
fn prompt(words: Option<&str>, example: &str) -> Result<String, Failure> {
    let piped = stdin::piped(words.is_some())?;
    let parts: Vec<&str> =
        words.into_iter().chain([piped.trim_end()]).filter(|part| !part.trim().is_empty()).collect();
    if parts.is_empty() {
        return Err(Failure::new(Kind::Usage, "There is no prompt")
            .hint(format!("Give one: {example}, or pipe it in")));
    }
    Ok(parts.join("\n\n"))
}

/// How many columns the terminal has that we print on.
fn columns() -> Option<usize> {
    let size = rustix::termios::tcgetwinsize(std::io::stdout()).ok()?;
    Some(usize::from(size.ws_col)).filter(|&columns| columns > 0)
}
