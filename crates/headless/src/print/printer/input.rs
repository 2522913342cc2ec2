//! Lines that a host writes, and their end.

use forelook_protocol::{Command, Delivery, EndReason, Mentions, Prompt};

use super::Printer;
use crate::print::control;
use crate::print::out::OutputClosed;
use crate::wire::incoming::{self, Incoming, MeantAs};
use crate::wire::outgoing;

impl Printer {
    pub(in crate::print) async fn line(&mut self, line: &str) -> Result<(), OutputClosed> {
        self.line_number += 1;
        if line.trim().is_empty() {
            return Ok(());
        }
        match incoming::parse(line) {
            Ok(Incoming::User { content, origin }) => {
                let mentions = Mentions::default();
                let prompt = Prompt { content, delivery: Delivery::NextTurn, origin, mentions };
                return self.prompt(prompt).await;
            }
            Ok(Incoming::Control { id, request }) => {
                let known = (&self.host, &mut self.models);
                let done = match request {
                    Ok(request) => control::run_control(&mut self.out, &*self.session, known, request).await,
                    Err(unreadable) => Err(unreadable),
                };
                return self.out.write(&outgoing::control_response(&id, done).to_string());
            }
            Ok(Incoming::Response { id, response }) => {
                return self.host.response(&mut self.out, &*self.session, &id, response).await;
            }
            Ok(Incoming::Other(kind)) => tracing::debug!(kind, "skipped an unreadable line"),
            Err(bad) => {
                let text = format!("Cannot parse line {} of the input. {bad}", self.line_number);
                self.out.complain(&text);
                self.bad_input = true;
                match incoming::meant_as(line) {
                    Some(MeantAs::Prompt) => {
                        return self.ready(EndReason::Internal { message: text }, String::new());
                    }
                    Some(MeantAs::Response) => {
                        return self.host.unreadable(&mut self.out, &*self.session).await;
                    }
                    None => {}
                }
            }
        }
        Ok(())
    }

    /// Nothing more will be read: nobody is there who could answer.
    pub(in crate::print) async fn input_ends(&mut self, error: Option<std::io::Error>) {
        if let Some(error) = error {
            self.out.complain(&format!("Cannot read the input: {error}"));
        }
        if self.host.answers() {
            let _ = self.session.send(Command::Unattended).await;
        }
    }
}
