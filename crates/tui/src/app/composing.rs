//! What is written and sent: the composer, the menus below it, and what comes into it from elsewhere.

use forelook_protocol::{
    Command, Delivery, EntryId, Mentions, PastPrompt, PermissionsCommand, Prompt, PromptsWithdrawn, Reply,
    UserBlock,
};
use forelook_view::user_text;
use forelook_wording::parse_mentions;

use super::{App, ExitReason, Priority, TWICE_MS, TaskResult, Toast, ToastTone, UiEffect, UiTask};
use crate::commands;
use crate::composer::{ComposerOutcome, Mark, Submission, picture_path};
use crate::menu::{EditKind, MenuAction};
use crate::term::{Code, Key};

/// The toast that says what another Esc does.
const CLEAR: &str = "clear";

/// What is remembered between two keys.
#[derive(Debug, Default)]
pub(super) struct ComposerState {
    /// When Esc was pressed with words in the composer.
    clearing: Option<u64>,
    /// Whether the text is in an editor.
    editing: bool,
    /// The queued prompt that the session was asked to give back.
    taking_back: Option<EntryId>,
    /// Prompts that came back while the text was in an editor: they go before what that brings.
    returned: Vec<Prompt>,
}

impl App {
    /// A key for the composer.
    pub(super) fn write(&mut self, key: Key) -> Vec<UiEffect> {
        let clearing = self.forget_clearing();
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
            ComposerOutcome::Nothing if key.code == Code::Esc => self.escape(clearing),
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
            self.composer.unfolds();
            return Some(vec![UiEffect::Spawn(UiTask::Edit(self.composer.whole()))]);
        }
        if key == Key::plain(Code::Up) && self.composer.is_empty() {
            return self.take_back_last();
        }
        if plain_tab && self.live_area.view.is_running() {
            let submission = self.composer.send()?;
            return Some(self.send(submission, Delivery::NextTurn));
        }
        None
    }

    /// The queued prompt that the person wrote last.
    pub(super) fn last_queued(&self) -> Option<EntryId> {
        let mut queued = self.live_area.view.turns().queued().iter().rev();
        queued.find(|queued| queued.prompt.origin.is_person()).map(|queued| queued.id)
    }

    /// Asks for the last queued prompt, to edit it; nothing if none is queued.
    fn take_back_last(&mut self) -> Option<Vec<UiEffect>> {
        let last = self.last_queued()?;
        // One press is one prompt, however long the session takes to answer.
        if self.composing.taking_back == Some(last) {
            return Some(Vec::new());
        }
        self.composing.taking_back = Some(last);
        Some(vec![UiEffect::Send(Command::TakeBack { prompt: last })])
    }

    /// Queued prompts were taken back. Whoever did that gets the words of the person back, to send or to change them.
    pub(super) fn withdrawn(&mut self, withdrawn: &PromptsWithdrawn) {
        self.composing.taking_back = None;
        let prompts = self.live_area.view.turns().withdrawn(withdrawn);
        let (own, others): (Vec<Prompt>, Vec<Prompt>) = prompts
            .into_iter()
            .map(|queued| queued.prompt)
            .partition(|prompt| self.is_by_us(&withdrawn.by) && prompt.origin.is_person());
        for prompt in others {
            self.show_note(&format!("Not sent to the model: {}", user_text(&prompt.content)));
        }
        match self.composing.editing {
            true => self.composing.returned.extend(own),
            false => self.put_before(own),
        }
    }

    fn put_before(&mut self, prompts: Vec<Prompt>) {
        if !prompts.is_empty() {
            self.menus.close();
            self.composer.put_before(prompts, self.composer_width());
        }
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
                let (tone, priority) = (ToastTone::Quiet, Priority::Immediate);
                let text = "Press Esc again to clear the input".to_owned();
                self.toast(Toast { key: CLEAR, text, tone, priority, lasts_ms: TWICE_MS });
            }
        }
        Vec::new()
    }

    /// Another Esc would be the first. Whether one was pressed a moment ago.
    pub(super) fn forget_clearing(&mut self) -> bool {
        let Some(since) = self.composing.clearing.take() else { return false };
        self.toasts.drop(CLEAR, self.now.ms);
        self.now.ms < since + TWICE_MS
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
    pub(super) fn hint(&mut self, words: &str) {
        let (tone, priority) = (ToastTone::Quiet, Priority::Immediate);
        self.toast(Toast { key: "hint", text: words.to_owned(), tone, priority, lasts_ms: TWICE_MS });
    }

    /// Text that was put in at once. The path of a picture, as terminals paste it when one is dropped on them, becomes
    /// the picture.
    pub(super) fn paste(&mut self, text: &str) -> Vec<UiEffect> {
        self.forget_clearing();
        self.menus.close();
        match picture_path(text) {
            Some(path) => vec![UiEffect::Spawn(UiTask::Picture(path))],
            None => {
                self.composer.paste(text, self.composer_width());
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
        if let Some(("permissions", rest)) = forelook_wording::parse_slash(text)
            && PermissionsCommand::changes_rules(rest)
        {
            self.refused(forelook_wording::RULES_ARE_TYPED);
            return Vec::new();
        }
        let content = vec![UserBlock::text(text)];
        match text.starts_with('!') {
            true => vec![UiEffect::Send(Command::Prompt(Prompt::person(content, delivery)))],
            false => {
                let mentions = Mentions::given(parse_mentions(text));
                let (text, written) = (text.to_owned(), text.to_owned());
                let past = PastPrompt::here(text.as_str());
                self.deliver(Submission { text, past, written, content, mentions }, delivery)
            }
        }
    }

    fn send(&mut self, submission: Submission, delivery: Delivery) -> Vec<UiEffect> {
        self.menus.close();
        if forelook_wording::is_exit_word(&submission.text) && submission.is_text() {
            return vec![UiEffect::Leave(ExitReason::Done)];
        }
        let mut effects = Vec::new();
        if !submission.text.is_empty() {
            effects.push(UiEffect::Remember(submission.past.clone()));
        }
        effects.extend(self.deliver(submission, delivery));
        effects
    }

    fn deliver(&mut self, submission: Submission, delivery: Delivery) -> Vec<UiEffect> {
        let (shell, slash) =
            (submission.text.strip_prefix('!'), forelook_wording::parse_slash(&submission.text));
        if shell.is_none() && slash.is_none() {
            self.live_area.sent(&submission.content, &submission.written);
            // A path behind `@` stays in the words as it was typed; the session attaches what it leads to.
            let prompt = Prompt::person(submission.content, delivery).naming(submission.mentions);
            return vec![UiEffect::Send(Command::Prompt(prompt))];
        }
        let has_images = !submission.is_text();
        let warn = |app: &mut Self| {
            if has_images {
                app.refused("Commands do not take images; the command ran without them");
            }
        };
        match (shell, slash) {
            (Some(line), _) => {
                warn(self);
                vec![UiEffect::Send(Command::UserShell(line.trim().to_owned()))]
            }
            (_, Some((name, rest))) => self.run_line(submission.written.clone(), |app| {
                warn(app);
                app.run_command(name, rest)
            }),
            (None, None) => Vec::new(),
        }
    }

    fn run_command(&mut self, name: &str, rest: &str) -> Vec<UiEffect> {
        match commands::named(name) {
            Some(slash) => (slash.run)(self, rest),
            None => {
                self.refused(&commands::unknown(name));
                Vec::new()
            }
        }
    }

    /// What an errand brought for the composer.
    pub(super) fn on_composer_result(&mut self, result: TaskResult) -> Vec<UiEffect> {
        match result {
            TaskResult::History(submission) => self.composer.remember(submission),
            TaskResult::Reply(Reply::Files(files)) => return self.menus.files(files),
            TaskResult::Matches(ticket, found) => self.menus.matches(ticket, found),
            TaskResult::Picture(_, Some(picture)) => self.composer.attach(picture),
            TaskResult::Picture(Some(path), None) => self.composer.paste(&path, self.composer_width()),
            TaskResult::Picture(None, None) => self.hint("No image to paste"),
            TaskResult::Edited(edited) if std::mem::take(&mut self.composing.editing) => {
                match edited {
                    Ok(text) => {
                        self.menus.close();
                        self.composer.set(text.replace("\r\n", "\n").trim_end_matches('\n'));
                    }
                    Err(why) => {
                        // What to do about it is part of why, if anything is.
                        let rest = if why.contains('\n') { "" } else { "\nYour text is as it was" };
                        self.refused(&format!("Could not get the text back from the editor: {why}{rest}"));
                    }
                }
                let returned = std::mem::take(&mut self.composing.returned);
                self.put_before(returned);
            }
            _ => {}
        }
        Vec::new()
    }
}

#[cfg(test)]
mod tests;
