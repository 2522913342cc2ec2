//! What is written and sent: the composer, the menus below it, and what comes into it from elsewhere.

use forelook_protocol::{Command, Delivery, Prompt, Reply, UserBlock};

use super::{App, ExitReason, Priority, TWICE_MS, TaskResult, Toast, ToastTone, UiEffect, UiTask};
use crate::commands;
use crate::composer::{ComposerOutcome, Mark, Submission, picture_path};
use crate::menu::{EditKind, MenuAction};
use crate::term::{Code, Key};

/// What is remembered between two keys.
#[derive(Debug, Default)]
pub(super) struct ComposerState {
    /// When Esc was pressed with words in the composer.
    clearing: Option<u64>,
    /// Whether the text is in an editor.
    editing: bool,
}

impl App {
    /// A key for the composer.
    pub(super) fn write(&mut self, key: Key) -> Vec<UiEffect> {
        let clearing = self.composing.clearing.take().filter(|since| self.now.ms < since + TWICE_MS);
        if self.composer.search().is_none() {
            // Below a question no menu is seen.
            let act = match self.dialogs.is_empty() {
                true => self.menus.key(key, self.composer.before_cursor()),
                false => None,
            };
            if let Some(act) = act {
                return self.act(act);
            }
            if let Some(effects) = self.shortcut(key) {
                return effects;
            }
        }
        match self.composer.key(key, self.composer_width()) {
            ComposerOutcome::Sent(submission) => self.send(submission, self.delivery()),
            ComposerOutcome::Edited => {
                self.follow(match key.letter().is_some() || key.code == Code::Backspace {
                    true => EditKind::Typing,
                    false => EditKind::Other,
                })
            }
            ComposerOutcome::Nothing if key.code == Code::Esc => self.escape(clearing.is_some()),
            ComposerOutcome::Nothing => Vec::new(),
        }
    }

    /// Keys that do something other than to change the text.
    fn shortcut(&mut self, key: Key) -> Option<Vec<UiEffect>> {
        let plain_tab = key == Key::plain(Code::Tab);
        if key == Key::ctrl('d') && self.composer.is_empty() {
            return Some(vec![UiEffect::Leave(ExitReason::Done)]);
        }
        if key == Key::ctrl('v') {
            return Some(vec![UiEffect::Spawn(UiTask::ClipboardPicture)]);
        }
        if key == Key::ctrl('g') {
            self.composing.editing = true;
            return Some(vec![UiEffect::Spawn(UiTask::Edit(self.composer.whole()))]);
        }
        if plain_tab && self.live_area.view.is_running() {
            let submission = self.composer.send()?;
            return Some(self.send(submission, Delivery::NextTurn));
        }
        None
    }

    fn escape(&mut self, again: bool) -> Vec<UiEffect> {
        if self.live_area.view.is_running() {
            return self.stop();
        }
        match self.composer.is_empty() {
            true => {}
            false if again => self.clear(),
            false => {
                self.composing.clearing = Some(self.now.ms);
                self.hint("Press Esc again to clear the input");
            }
        }
        Vec::new()
    }

    /// Takes away what is written; undo brings it back.
    pub(super) fn clear(&mut self) {
        self.composer.clear();
        self.menus.close();
    }

    fn act(&mut self, act: MenuAction) -> Vec<UiEffect> {
        match act {
            MenuAction::Stay => Vec::new(),
            MenuAction::Complete { before, text } => {
                self.composer.complete(before, &text);
                // Behind a folder the menu goes on with what is in it.
                self.follow(EditKind::Typing)
            }
            MenuAction::Write(text) => {
                self.composer.set(&text);
                self.follow(EditKind::Typing)
            }
            MenuAction::Say(text) => {
                self.composer.set(&text);
                self.composer
                    .send()
                    .map_or_else(Vec::new, |submission| self.send(submission, self.delivery()))
            }
        }
    }

    fn follow(&mut self, after: EditKind) -> Vec<UiEffect> {
        let shell = self.composer.mark() == Mark::Shell;
        // To a shell an `@` means nothing.
        if shell || self.composer.is_normal() || self.composer.search().is_some() {
            self.menus.close();
            return Vec::new();
        }
        self.menus.follow(self.composer.text(), self.composer.before_cursor(), after)
    }

    /// A few words below the composer, for a while.
    fn hint(&mut self, words: &str) {
        let (tone, priority) = (ToastTone::Quiet, Priority::Immediate);
        self.toast(Toast { key: "hint", text: words.to_owned(), tone, priority, lasts_ms: TWICE_MS });
    }

    /// Text that was put in at once. The path of a picture, as terminals paste it when one is dropped on them, becomes
    /// the picture.
    pub(super) fn paste(&mut self, text: &str) -> Vec<UiEffect> {
        self.composing.clearing = None;
        self.menus.close();
        match picture_path(text) {
            Some(path) => vec![UiEffect::Spawn(UiTask::Picture(path))],
            None => {
                self.composer.paste(text);
                Vec::new()
            }
        }
    }

    /// Enter while a turn runs steers it: who writes then mostly wants to say something about what is going on.
    fn delivery(&self) -> Delivery {
        if self.live_area.view.is_running() { Delivery::Steer } else { Delivery::NextTurn }
    }

    /// What stood on the command line: a command, or words for the model. A line for the shell is none: a script may pass
    /// on anybody's words.
    pub(crate) fn submit_text(&mut self, text: &str) -> Vec<UiEffect> {
        let (text, delivery) = (text.trim(), self.delivery());
        let content = vec![UserBlock::text(text)];
        match text.starts_with('!') {
            true => vec![UiEffect::Send(Command::Prompt(Prompt::person(content, delivery)))],
            false => self.deliver(Submission { text: text.to_owned(), content }, delivery),
        }
    }

    fn send(&mut self, submission: Submission, delivery: Delivery) -> Vec<UiEffect> {
        self.menus.close();
        let mut effects = Vec::new();
        if !submission.text.is_empty() {
            effects.push(UiEffect::Remember(submission.text.clone()));
        }
        effects.extend(self.deliver(submission, delivery));
        effects
    }

    fn deliver(&mut self, submission: Submission, delivery: Delivery) -> Vec<UiEffect> {
        let (shell, slash) =
            (submission.text.strip_prefix('!'), forelook_wording::parse_slash(&submission.text));
        if shell.is_none() && slash.is_none() {
            // A path behind `@` stays as it was typed: the model reads the file itself, as it reads every other.
            let prompt = Prompt::person(submission.content, delivery);
            return vec![UiEffect::Send(Command::Prompt(prompt))];
        }
        if submission.content.iter().any(|block| matches!(block, UserBlock::Image { .. })) {
            self.refused("Commands do not take images; the command ran without them");
        }
        match (shell, slash) {
            (Some(line), _) => vec![UiEffect::Send(Command::UserShell(line.trim().to_owned()))],
            (_, Some((name, rest))) => match commands::named(name) {
                Some(slash) => (slash.run)(self, rest),
                None => {
                    self.refused(&commands::unknown(name));
                    Vec::new()
                }
            },
            (None, None) => Vec::new(),
        }
    }

    /// What an errand brought for the composer.
    pub(super) fn on_composer_result(&mut self, result: TaskResult) -> Vec<UiEffect> {
        match result {
            TaskResult::History(submission) => self.composer.remember(submission),
            TaskResult::Reply(Ok(Reply::Files(files))) => return self.menus.files(files),
            TaskResult::Matches(ticket, found) => self.menus.matches(ticket, found),
            TaskResult::Picture(_, Some(picture)) => self.composer.attach(picture),
            TaskResult::Picture(Some(path), None) => self.composer.paste(&path),
            TaskResult::Picture(None, None) => self.hint("No image to paste"),
            TaskResult::Edited(edited) if std::mem::take(&mut self.composing.editing) => match edited {
                Ok(text) => {
                    self.menus.close();
                    self.composer.set(text.replace("\r\n", "\n").trim_end_matches('\n'));
                }
                Err(why) => self.refused(&format!(
                    "Could not get the text back from the editor: {why}\nSet `VISUAL` or `EDITOR` to choose an editor"
                )),
            },
            _ => {}
        }
        Vec::new()
    }
}

#[cfg(test)]
mod tests;
