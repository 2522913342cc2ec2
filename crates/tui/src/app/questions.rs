//! Questions: when they come, and when they are answered, here or in another front end.

use forelook_protocol::{AnsweredBy, HostRequest, Refused, Replied, RequestId, RequestState, Reviewed};
use forelook_wording::{answered_in, plan_answered_in};

use super::{App, Dialog, Guard, Wish};

impl App {
    /// Something is asked.
    pub(super) fn opened(&mut self, request: &HostRequest) {
        let from = request.agent.as_ref().map(|agent| self.scene.agent_words(agent));
        let Some(dialog) = Dialog::new(request, from, &self.past) else { return };
        self.dialogs.push_back((dialog, Guard::begin(self.now.ms)));
        self.wishes.extend(self.attention.asked(self.now.ms).map(Wish::Escape));
    }

    /// A question was closed.
    pub(super) fn closed(&mut self, replied: &Replied) {
        self.close(replied.question);
        self.tell_answered(&replied.by, |name| answered_in(name, &replied.answer));
    }

    /// A review was answered.
    pub(super) fn reviewed(&mut self, reviewed: &Reviewed) {
        if let Some(question) = reviewed.question {
            self.close(question);
        }
        self.past.answered(reviewed);
        self.tell_answered(&reviewed.through, |name| plan_answered_in(name, &reviewed.answer));
    }

    /// The session did not do what was wished for. That somebody else's answer came first is not told: the record of
    /// that answer says it.
    pub(crate) fn turned_down(&mut self, refused: &Refused) {
        let late = matches!(refused, Refused::NotOpen { now: RequestState::Closed { by, .. }, .. }
            if self.elsewhere(by).is_some());
        if !late {
            self.refused(&refused.to_string());
        }
    }

    /// Takes a question away. A review that was not answered, because the plan changed or the turn was interrupted,
    /// leaves its comments for the next one.
    fn close(&mut self, question: RequestId) {
        let Some(at) = self.dialogs.iter().position(|(dialog, _)| dialog.id == question) else { return };
        let Some((dialog, _)) = self.dialogs.remove(at) else { return };
        if let Some(review) = dialog.into_review() {
            let (path, before) = review.into_past();
            self.past.left_open(path, before);
        }
        // A key that was meant for this one is no answer to the next.
        self.begin_guards();
    }

    /// The name of the other front end, if it was one.
    fn elsewhere<'by>(&self, by: &'by AnsweredBy) -> Option<&'by str> {
        match by {
            AnsweredBy::FrontEnd { id, name } if *id != self.front_end => Some(name),
            AnsweredBy::FrontEnd { .. } | AnsweredBy::Session | AnsweredBy::Policy => None,
        }
    }

    /// Whoever sees a question go should know who answered it.
    fn tell_answered(&mut self, by: &AnsweredBy, words: impl FnOnce(&str) -> String) {
        let Some(text) = self.elsewhere(by).map(words) else { return };
        self.tell(&text);
        self.say_on_page(&text);
    }
}
