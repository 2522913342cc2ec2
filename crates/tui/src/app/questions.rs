//! Questions: when they come, and when they are answered, here or in another front end.

use forelook_protocol::{
    AnsweredBy, CommandError, HostAnswer, HostRequest, PlanReviewed, Query, QuestionClosed, Reply, RequestId,
};
use forelook_wording::answered_in;

use super::{App, Dialog, KeyGuard, UiEffect};

impl App {
    /// Something is asked.
    pub(super) fn opened(&mut self, request: &HostRequest) {
        let from = request.agent.as_ref().map(|agent| self.live_area.agent_words(agent));
        let (past, folder) = (self.live_area.view.questions().history(), self.status_info.folder());
        let Some(dialog) = Dialog::new(request, from, past, folder) else { return };
        let id = dialog.id;
        self.dialogs.push_back((dialog, KeyGuard::begin(self.now.ms)));
        self.begin_draft(id);
        self.effects.extend(self.attention.question_opened(self.now.ms).map(UiEffect::Escape));
    }

    /// A question was closed.
    pub(super) fn closed(&mut self, replied: &QuestionClosed) {
        self.close(replied.question);
        self.show_answered(&replied.by, &replied.answer);
    }

    /// A review was answered.
    pub(super) fn reviewed(&mut self, reviewed: &PlanReviewed) {
        if let Some(question) = reviewed.question {
            self.close(question);
        }
        self.show_answered(&reviewed.through, &HostAnswer::Plan(reviewed.answer.clone()));
    }

    /// The session did not do what was wished for. That somebody else's answer came first is not told: the record of
    /// that answer says it.
    pub(crate) fn on_refused(&mut self, refused: &CommandError) {
        if !self.live_area.view.questions().lost_race(refused) {
            self.refused(&refused.to_string());
        }
    }

    /// Asks the session what rules would do that are being written for a question.
    pub(super) fn check_rules(&mut self, request: RequestId, rules: Vec<String>) -> Vec<UiEffect> {
        self.ask(Query::CheckRules { request, rules }, move |app, reply| {
            let dialog = app.dialogs.iter_mut().find(|(dialog, _)| dialog.id == request);
            if let (Some((dialog, _)), Reply::CheckRules(check)) = (dialog, reply) {
                dialog.checked(check);
            }
            Vec::new()
        })
    }

    /// Takes a question away. A review that was not answered, because the plan changed or the turn was interrupted,
    /// leaves its comments for the next one.
    fn close(&mut self, question: RequestId) {
        let Some(at) = self.dialogs.iter().position(|(dialog, _)| dialog.id == question) else { return };
        let Some((dialog, _)) = self.dialogs.remove(at) else { return };
        if let Some(review) = dialog.into_review() {
            self.live_area.view.questions_mut().history_mut().keep_open(review.into_review());
        }
        // A key that was meant for this one is no answer to the next.
        self.begin_guards();
    }

    /// Whoever has a review before them is told there that another question was answered elsewhere.
    fn show_answered(&mut self, by: &AnsweredBy, answer: &HostAnswer) {
        let name = self.live_area.view.questions().elsewhere(by);
        if let Some(text) = name.map(|name| answered_in(name, answer)) {
            self.show_on_review(&text);
        }
    }
}
