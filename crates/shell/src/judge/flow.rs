//! How a line runs through its lists, branches and loops, and which folder each command finds.

use super::finding::Finding;
use super::folder::{Exit, Place, either};
use super::motion::Motion;
use super::walk::{Walker, reads_input};
use crate::analysers::cond;
use crate::syntax::ast::{Command, Compound, CompoundKind, Link, LinkCondition, Script};
use crate::words::vars::is_dangerous;

impl Walker<'_> {
    pub(crate) fn script(&mut self, script: &Script) -> Exit {
        let items: Vec<(&Command, Link)> = script.commands.iter().zip(script.links.iter().copied()).collect();
        let mut exit = Exit::stays(self.place.clone());
        for list in items.chunk_by(|_, (_, next)| next.condition != LinkCondition::Always) {
            if list.first().is_some_and(|(_, link)| link.background) {
                self.apart(|walker| walker.list(list));
                exit = Exit::stays(self.place.clone());
            } else {
                exit = self.list(list);
                self.place = exit.clone().any().unwrap_or_else(Place::elsewhere);
            }
        }
        self.texts(script);
        exit
    }

    /// Commands joined by `&&` and `||`.
    fn list(&mut self, list: &[(&Command, Link)]) -> Exit {
        let mut before = Exit::never();
        for (command, link) in list {
            let from = match link.condition {
                LinkCondition::Always => Some(self.place.clone()),
                LinkCondition::Success => before.success.take(),
                LinkCondition::Failure => before.failure.take(),
            };
            self.place = from.unwrap_or_else(Place::elsewhere);
            let exit = self.command(command);
            let exit = if link.negated { exit.negated() } else { exit };
            before = Exit {
                success: either(before.success, exit.success),
                failure: either(before.failure, exit.failure),
            };
        }
        before
    }

    /// Bodies of here-documents. They are kept at the end of the tree, so that the folder is known only if all are in one.
    fn texts(&mut self, script: &Script) {
        for text in &script.texts {
            let mut finding = Finding::read_only();
            let place = self.place_of_body();
            let outer = std::mem::replace(&mut self.place, place);
            self.pieces(&text.pieces, &mut finding);
            self.record_part("<<", finding);
            self.place = outer;
        }
    }

    /// Something that does not reach the rest of the line: a subshell, a stage of a pipeline, a substitution.
    pub(super) fn apart<T>(&mut self, run: impl FnOnce(&mut Self) -> T) -> T {
        let place = self.place.clone();
        let result = run(self);
        self.place = place;
        result
    }

    /// Where a text runs of which only the place in the line is known.
    fn place_of_body(&self) -> Place {
        match self.motions.anywhere {
            Motion::Stays => self.start.clone(),
            Motion::Moves => Place::elsewhere(),
            Motion::Loses => Place::lost(),
        }
    }

    fn command(&mut self, command: &Command) -> Exit {
        match command {
            Command::Simple(simple) => self.simple(simple),
            Command::Pipeline(stages) => {
                self.pipeline(stages);
                Exit::stays(self.place.clone())
            }
            Command::Compound(compound) => self.compound(compound),
            Command::Function { body, .. } => {
                let place = self.place_of_body();
                let outer = std::mem::replace(&mut self.in_function, true);
                self.apart(|walker| {
                    walker.place = place;
                    walker.command(body)
                });
                self.in_function = outer;
                Exit::stays(self.place.clone())
            }
        }
    }

    fn pipeline(&mut self, stages: &[Command]) {
        let mut before: Option<&Command> = None;
        for stage in stages {
            // What a group does with its input cannot be seen from here.
            self.piped = before
                .filter(|_| matches!(stage, Command::Simple(_)))
                .and_then(|command| self.found_paths(command));
            let outer = std::mem::replace(&mut self.in_pipe, before.is_some());
            self.apart(|walker| walker.command(stage));
            self.in_pipe = outer;
            self.piped = None;
            before = Some(stage);
        }
    }

    fn compound(&mut self, compound: &Compound) -> Exit {
        let mut finding = Finding::read_only();
        let before = self.place.clone();
        self.raw_redirects(&compound.redirects, &mut finding);
        let fed = self.in_fed;
        self.in_fed |= self.in_pipe || reads_input(&compound.redirects);
        let (label, mut exit) = self.kind(&compound.kind, &mut finding);
        self.in_fed = fed;
        // A redirection that fails keeps the command from running.
        if !compound.redirects.is_empty() {
            exit.failure = either(exit.failure, Some(before.clone()));
        }
        self.place = before;
        self.record_part(label, finding);
        exit
    }

    /// Walks the bodies; answers how to call the command in a sentence, and how it ends.
    fn kind(&mut self, kind: &CompoundKind, finding: &mut Finding) -> (&'static str, Exit) {
        match kind {
            CompoundKind::Group(script) => ("{ … }", self.script(script)),
            CompoundKind::Subshell(script) => {
                self.apart(|walker| walker.script(script));
                ("( … )", Exit::stays(self.place.clone()))
            }
            CompoundKind::If(all) => ("if", self.branches(all)),
            CompoundKind::While(all) => ("while", self.repeated(all)),
            CompoundKind::For { name, words, body, .. } => {
                words.iter().flatten().for_each(|w| self.pieces(&w.pieces, finding));
                if is_dangerous(name) {
                    finding.mark_unknown(format!("Setting `{name}` can change what commands do"));
                }
                ("for", self.repeated(std::slice::from_ref(body)))
            }
            CompoundKind::ArithFor { header, at, body, .. } => {
                self.arith(header, *at, finding);
                ("for ((", self.repeated(std::slice::from_ref(body)))
            }
            CompoundKind::Case { subject, patterns, bodies } => {
                self.pieces(&subject.pieces, finding);
                patterns.iter().for_each(|w| self.pieces(&w.pieces, finding));
                // With `;&` one body runs after another, so they are no better than a loop.
                ("case", self.repeated(bodies))
            }
            CompoundKind::Arith { pieces, at } => {
                self.arith(pieces, *at, finding);
                ("(( … ))", Exit::stays(self.place.clone()))
            }
            CompoundKind::Cond(tokens) => {
                for word in cond::words(tokens) {
                    self.pieces(&word.pieces, finding);
                }
                cond::judge(tokens, self.vars, finding);
                ("[[", Exit::stays(self.place.clone()))
            }
        }
    }

    /// `if`: conditions and bodies in turn, perhaps one more body behind `else`.
    fn branches(&mut self, all: &[Script]) -> Exit {
        let mut end = Exit::never();
        for pair in all.chunks(2) {
            let exit = match pair {
                [condition, body] => {
                    let tested = self.script(condition);
                    self.place = tested.success.unwrap_or_else(Place::elsewhere);
                    let exit = self.script(body);
                    self.place = tested.failure.clone().unwrap_or_else(Place::elsewhere);
                    exit
                }
                [otherwise] => self.script(otherwise),
                _ => Exit::never(),
            };
            end = Exit {
                success: either(end.success, exit.success),
                failure: either(end.failure, exit.failure),
            };
        }
        if all.len().is_multiple_of(2) {
            // No condition held.
            end.success = either(end.success, Some(self.place.clone()));
        }
        end
    }

    /// Bodies that run any number of times, in any order.
    fn repeated(&mut self, bodies: &[Script]) -> Exit {
        let place = match self.motions.scripts(bodies, self.vars) {
            Motion::Stays => self.place.clone(),
            Motion::Moves if self.place.lost => Place::lost(),
            Motion::Moves => Place::elsewhere(),
            Motion::Loses => Place::lost(),
        };
        for body in bodies {
            self.place.clone_from(&place);
            self.script(body);
        }
        Exit::stays(place)
    }
}
