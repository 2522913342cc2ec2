//! The model's own questions, one after the other.

use forelook_protocol::{Answer, Choice, PersonQuestion};
use ratatui_core::text::{Line, Span};

use super::Step;
use crate::markdown::{self, Look};
use crate::term::{Code, Key};
use crate::text::{Hang, harmless, wrap};

/// Rows of a preview that are shown.
const PREVIEW: usize = 10;

/// Questions that are being answered.
#[derive(Debug)]
pub(super) struct Choose {
    questions: Vec<PersonQuestion>,
    choices: Vec<Choice>,
    /// The option that is looked at, none at first; behind the last one are the person's own words.
    at: Option<usize>,
    /// Those that were ticked, where several may be.
    ticked: Vec<bool>,
    words: String,
}

impl Choose {
    pub(super) fn new(questions: &[PersonQuestion]) -> Self {
        let questions = questions.to_vec();
        let mut choose =
            Self { questions, choices: Vec::new(), at: None, ticked: Vec::new(), words: String::new() };
        choose.begin();
        choose
    }

    fn begin(&mut self) {
        self.at = None;
        self.words.clear();
        self.ticked = vec![false; self.question().map_or(0, |it| it.options.len())];
    }

    fn question(&self) -> Option<&PersonQuestion> {
        self.questions.get(self.choices.len())
    }

    pub(super) fn key(&mut self, key: Key) -> Step {
        let Some(question) = self.question() else { return Step::Answered(Answer::Dismissed) };
        let (options, several) = (question.options.len(), question.multi_select);
        let writing = self.at == Some(options);
        match key.code {
            Code::Esc => return Step::Answered(Answer::Dismissed),
            Code::Up => self.at = Some(self.at.and_then(|at| at.checked_sub(1)).unwrap_or(options)),
            Code::Down | Code::Tab => self.at = Some(self.at.map_or(0, |at| (at + 1) % (options + 1))),
            Code::Enter => return self.enter(several),
            Code::Backspace if writing => drop(self.words.pop()),
            Code::Char(' ') if several && !writing => {
                if let Some(tick) = self.at.and_then(|at| self.ticked.get_mut(at)) {
                    *tick ^= true;
                }
            }
            _ => match key.letter() {
                Some(letter) if writing => self.words.push(letter),
                Some(digit @ '1'..='9') => {
                    let number = usize::from(digit as u8 - b'1');
                    if number <= options {
                        self.at = Some(number);
                    }
                }
                _ => {}
            },
        }
        Step::Open
    }

    fn enter(&mut self, several: bool) -> Step {
        let Some(question) = self.question() else { return Step::Open };
        let words = self.words.trim().to_owned();
        let label = |at: usize| question.options.get(at).map(|it| it.label.clone());
        // A bare Enter chooses nothing.
        let Some(at) = self.at else { return Step::Open };
        let choice = match label(at) {
            None if words.is_empty() => Choice::Skipped,
            None => Choice::Words(words),
            Some(_) if several && self.ticked.contains(&true) => {
                let ticked = self.ticked.iter().enumerate().filter(|(_, ticked)| **ticked);
                Choice::Options(ticked.filter_map(|(at, _)| label(at)).collect())
            }
            Some(label) => Choice::Options(vec![label]),
        };
        self.choices.push(choice);
        if self.choices.len() < self.questions.len() {
            self.begin();
            return Step::Open;
        }
        Step::Answered(Answer::Chosen { choices: std::mem::take(&mut self.choices) })
    }

    pub(super) fn rows(&self, look: Look) -> Vec<Line<'static>> {
        let Some(question) = self.question() else { return Vec::new() };
        let theme = look.theme;
        let count = match self.questions.len() {
            1 => String::new(),
            all => format!(" ({} of {all})", self.choices.len() + 1),
        };
        let mut rows = vec![Line::styled(format!("{}{count}", harmless(&question.header)), theme.plan)];
        let asked = Line::styled(harmless(&question.question).into_owned(), theme.heading);
        rows.extend(wrap(&asked, look.width, &Hang::all("  ")));
        rows.push(Line::default());
        for (at, option) in question.options.iter().enumerate() {
            let tick = match (question.multi_select, self.ticked.get(at)) {
                (true, Some(true)) => "☑ ",
                (true, _) => "☐ ",
                (false, _) => "",
            };
            let label = format!("{tick}{}. {}", at + 1, harmless(&option.label));
            rows.extend(self.option(at, label, &option.description, look));
        }
        let own = match (self.at == Some(question.options.len()), self.words.as_str()) {
            (false, "") => "Something else: say it".to_owned(),
            (true, words) => format!("{words}▏"),
            (false, words) => words.to_owned(),
        };
        rows.extend(self.option(question.options.len(), own, "", look));
        if let Some(preview) =
            self.at.and_then(|at| question.options.get(at)).and_then(|it| it.preview.as_deref())
        {
            rows.push(Line::default());
            let shown = markdown::rows(preview, Look { width: look.width.saturating_sub(4), ..look });
            let bar = |row: Line<'static>| {
                Line::from_iter(std::iter::once(Span::styled("  ▎ ", theme.quiet)).chain(row.spans))
            };
            rows.extend(shown.into_iter().take(PREVIEW).map(bar));
        }
        rows.push(Line::default());
        let several = if question.multi_select { "Space ticks, " } else { "" };
        rows.push(Line::styled(
            format!("  ↑↓ choose, {several}Enter answers, Esc puts it away"),
            theme.quiet,
        ));
        rows
    }

    fn option(&self, at: usize, label: String, about: &str, look: Look) -> Vec<Line<'static>> {
        let here = self.at == Some(at);
        let style = if here { look.theme.heading } else { ratatui_core::style::Style::new() };
        let mark = if here { "  ❯ " } else { "    " };
        let mut spans = vec![Span::styled(label, style)];
        if !about.is_empty() {
            spans.push(Span::styled(format!("  {}", harmless(about)), look.theme.quiet));
        }
        wrap(&Line::from(spans), look.width, &Hang::first(mark))
    }
}
