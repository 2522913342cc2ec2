//! What is written and sent: the composer, the menus below it, and what comes into it from elsewhere.

use forelook_protocol::{Command, Delivery, Prompt, Reply, UserBlock};

use super::{App, Brought, Errand, Left, Priority, TWICE_MS, Toast, Tone, Wish};
use crate::commands;
use crate::composer::{Did, Mark, Said, picture_path};
use crate::menu::{Act, After};
use crate::term::{Code, Key};

/// What is remembered between two keys.
#[derive(Debug, Default)]
pub(super) struct Writing {
    /// When Esc was pressed with words in the composer.
    clearing: Option<u64>,
    /// Whether the text is in an editor.
    editing: bool,
}

impl App {
    /// A key for the composer.
    pub(super) fn write(&mut self, key: Key) -> Vec<Wish> {
        let clearing = self.writing.clearing.take().filter(|since| self.now.ms < since + TWICE_MS);
        if self.composer.search().is_none() {
            // Below a question no menu is seen.
            let act = match self.dialogs.is_empty() {
                true => self.menus.key(key, self.composer.before_cursor()),
                false => None,
            };
            if let Some(act) = act {
                return self.act(act);
            }
            if let Some(wishes) = self.beyond_text(key) {
                return wishes;
            }
        }
        match self.composer.key(key, self.writing_width()) {
            Did::Sent(said) => self.send(said, self.delivery()),
            Did::Edited => self.follow(match key.letter().is_some() || key.code == Code::Backspace {
                true => After::Typing,
                false => After::Other,
            }),
            Did::Nothing if key.code == Code::Esc => self.escape(clearing.is_some()),
            Did::Nothing => Vec::new(),
        }
    }

    /// Keys that do something other than to change the text.
    fn beyond_text(&mut self, key: Key) -> Option<Vec<Wish>> {
        let plain_tab = key == Key::plain(Code::Tab);
        if key == Key::ctrl('d') && self.composer.is_empty() {
            return Some(vec![Wish::Leave(Left::Done)]);
        }
        if key == Key::ctrl('v') {
            return Some(vec![Wish::See(Errand::CopiedPicture)]);
        }
        if key == Key::ctrl('g') {
            self.writing.editing = true;
            return Some(vec![Wish::See(Errand::Edit(self.composer.whole()))]);
        }
        if plain_tab && self.scene.view.is_running() {
            let said = self.composer.send()?;
            return Some(self.send(said, Delivery::NextTurn));
        }
        None
    }

    fn escape(&mut self, again: bool) -> Vec<Wish> {
        if self.scene.view.is_running() {
            return self.stop();
        }
        match self.composer.is_empty() {
            true => {}
            false if again => self.clear(),
            false => {
                self.writing.clearing = Some(self.now.ms);
                self.hint("Esc again clears what is written");
            }
        }
        Vec::new()
    }

    /// Takes away what is written; undo brings it back.
    pub(super) fn clear(&mut self) {
        self.composer.clear();
        self.menus.close();
    }

    fn act(&mut self, act: Act) -> Vec<Wish> {
        match act {
            Act::Stay => Vec::new(),
            Act::Complete { before, text } => {
                self.composer.complete(before, &text);
                // Behind a folder the menu goes on with what is in it.
                self.follow(After::Typing)
            }
            Act::Write(text) => {
                self.composer.set(&text);
                self.follow(After::Typing)
            }
            Act::Say(text) => {
                self.composer.set(&text);
                self.composer.send().map_or_else(Vec::new, |said| self.send(said, self.delivery()))
            }
        }
    }

    fn follow(&mut self, after: After) -> Vec<Wish> {
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
        let (tone, priority) = (Tone::Quiet, Priority::Immediate);
        self.toast(Toast { key: "hint", text: words.to_owned(), tone, priority, lasts_ms: TWICE_MS });
    }

    /// Text that was put in at once. The path of a picture, as terminals paste it when one is dropped on them, becomes
    /// the picture.
    pub(super) fn paste(&mut self, text: &str) -> Vec<Wish> {
        self.writing.clearing = None;
        self.menus.close();
        match picture_path(text) {
            Some(path) => vec![Wish::See(Errand::Picture(path))],
            None => {
                self.composer.paste(text);
                Vec::new()
            }
        }
    }

    /// Enter while a turn runs steers it: who writes then mostly wants to say something about what is going on.
    fn delivery(&self) -> Delivery {
        if self.scene.view.is_running() { Delivery::Steer } else { Delivery::NextTurn }
    }

    /// What stood on the command line: a command, or words for the model. A line for the shell is none: a script may pass
    /// on anybody's words.
    pub(crate) fn say(&mut self, text: &str) -> Vec<Wish> {
        let (text, delivery) = (text.trim(), self.delivery());
        let content = vec![UserBlock::text(text)];
        match text.starts_with('!') {
            true => vec![Wish::Send(Command::Prompt(Prompt::person(content, delivery)))],
            false => self.deliver(Said { text: text.to_owned(), content }, delivery),
        }
    }

    fn send(&mut self, said: Said, delivery: Delivery) -> Vec<Wish> {
        self.menus.close();
        let mut wishes = Vec::new();
        if !said.text.is_empty() {
            wishes.push(Wish::Remember(said.text.clone()));
        }
        wishes.extend(self.deliver(said, delivery));
        wishes
    }

    fn deliver(&mut self, said: Said, delivery: Delivery) -> Vec<Wish> {
        let (shell, slash) = (said.text.strip_prefix('!'), forelook_wording::slash(&said.text));
        if shell.is_none() && slash.is_none() {
            // A path behind `@` stays as it was typed: the model reads the file itself, as it reads every other.
            let prompt = Prompt::person(said.content, delivery);
            return vec![Wish::Send(Command::Prompt(prompt))];
        }
        if said.content.iter().any(|block| matches!(block, UserBlock::Image { .. })) {
            self.refused("A command takes no pictures: it was carried out without them");
        }
        match (shell, slash) {
            (Some(line), _) => vec![Wish::Send(Command::Shell(line.trim().to_owned()))],
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
    pub(super) fn brought_to_composer(&mut self, brought: Brought) -> Vec<Wish> {
        match brought {
            Brought::History(said) => self.composer.remember(said),
            Brought::Reply(Ok(Reply::Files(files))) => return self.menus.files(files),
            Brought::Matches(ticket, found) => self.menus.matches(ticket, found),
            Brought::Picture(_, Some(picture)) => self.composer.attach(picture),
            Brought::Picture(Some(path), None) => self.composer.paste(&path),
            Brought::Picture(None, None) => self.hint("There is no picture to paste"),
            Brought::Edited(edited) if std::mem::take(&mut self.writing.editing) => match edited {
                Ok(text) => {
                    self.menus.close();
                    self.composer.set(text.replace("\r\n", "\n").trim_end_matches('\n'));
                }
                Err(why) => self.refused(&format!(
                    "The editor did not give the text back: {why}\n`VISUAL` or `EDITOR` names the one to use"
                )),
            },
            _ => {}
        }
        Vec::new()
    }
}

#[cfg(test)]
mod tests;
