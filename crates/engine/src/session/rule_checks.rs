//! What allow rules would do that somebody thinks of adding: for the question that is open, and for the calls before it.

use std::sync::Arc;

use forelook_permissions::ProposedRules;
use forelook_protocol::{
    Action, AnswerBlock, Behavior, CallId, CommandError, Decision, HostAsk, Message, RequestId, RuleCheck,
    ToolCall,
};
use forelook_providers::WireCached;
use forelook_tools::{CallLocation, Toolbox};

use super::Session;
use crate::call::{ToolRuntime, decide_with_facts};
use crate::handle::{CallView, RecordError};

/// How many earlier calls are looked at.
const MAX_CALLS: usize = 300;

/// How many of those that match are named.
const MAX_NAMED: usize = 5;

/// Everything that a check needs. It is done beside the session, which waits for nobody.
pub(super) struct RuleChecker {
    rules: Vec<String>,
    asked: ToolCall,
    /// The newest answers, the newest first. Shared: somebody who types a rule checks it with every key.
    answers: Vec<Arc<WireCached<Message>>>,
    view: Arc<CallView>,
    runtime: Arc<ToolRuntime>,
}

impl Session {
    pub(super) fn rule_checker(
        &self,
        request: RequestId,
        rules: Vec<String>,
    ) -> Result<RuleChecker, CommandError> {
        let open = self.state.open.iter().find(|open| open.id == request);
        let open = open.ok_or_else(|| self.not_open(request))?;
        let (HostAsk::Permission { tool, input, .. }, Some(id)) = (&open.ask, &open.call) else {
            return Err(CommandError::DoesNotFit(request));
        };
        let asked = ToolCall { id: id.clone(), name: tool.clone(), input: input.clone() };
        let agent = open.agent.as_ref();
        let journal = |RecordError(message)| CommandError::Journal(message);
        let view = self.view(agent).map_err(journal)?;
        let answers = self.state.recent_answers.iter().rev().cloned().collect();
        Ok(RuleChecker { rules, asked, answers, view, runtime: Arc::clone(&self.runtime) })
    }
}

impl RuleChecker {
    /// Why these rules would change nothing, if they would not.
    fn adds_nothing(&self) -> Option<String> {
        if self.rules.is_empty() {
            return Some("Write a rule, or go back to the one that was offered".to_owned());
        }
        let twice = self.rules.iter().enumerate().find(|(at, rule)| self.rules[..*at].contains(rule));
        if let Some((_, rule)) = twice {
            return Some(format!("`{rule}` is there twice"));
        }
        let known = self.view.policy.rules.entries();
        let is_known = |rule: &&String| {
            known.iter().any(|it| it.origin.behavior == Behavior::Allow && it.rule.text == **rule)
        };
        self.rules.iter().find(is_known).map(|rule| format!("`{rule}` is an allow rule already"))
    }

    pub(super) async fn check(self) -> RuleCheck {
        let rules = self.rules.clone();
        let nothing = |problem: String| RuleCheck {
            rules: rules.clone(),
            suggested: Vec::new(),
            problem: Some(problem),
            covers: false,
            matched: Vec::new(),
            total: 0,
        };
        if let Some(problem) = self.adds_nothing() {
            return nothing(problem);
        }
        let proposed = match ProposedRules::parse(&self.view.policy, &self.rules) {
            Ok(proposed) => proposed,
            Err(error) => return nothing(error.to_string()),
        };
        let tools = self.runtime.tools.snapshot();
        let Some(action) = action(&tools, &self.asked, &self.view.place) else {
            return nothing("The call cannot be understood any more".to_owned());
        };
        let policy = proposed.added_to(&self.view.policy);
        let with = CallView { policy, ..(*self.view).clone() };
        let decision = decide_with_facts(&with, &self.asked.name, &action, None, &self.runtime.facts).await;
        let suggested = proposed.with_examples(&action);
        let covers = matches!(decision, Decision::Allow(_));
        let matched = tokio::task::spawn_blocking(move || self.matched(&tools, &proposed));
        let matched = matched.await.unwrap_or_default();
        let total = matched.len();
        let matched = matched.into_iter().take(MAX_NAMED).collect();
        RuleCheck { rules, suggested, problem: None, covers, matched, total }
    }

    /// What earlier calls were about that the rules match.
    fn matched(&self, tools: &Toolbox, proposed: &ProposedRules) -> Vec<String> {
        let told = |call: &ToolCall| {
            let action = action(tools, call, &self.view.place)?;
            proposed.match_some_of(&call.name, &action).then(|| about(&call.name, &action))
        };
        let earlier = self.answers.iter().flat_map(|answer| calls_before(answer, &self.asked.id));
        earlier.take(MAX_CALLS).filter_map(told).collect()
    }
}

/// The calls of an answer, the newest first. In the answer with this call, only those before it: the others are still to
/// come.
fn calls_before<'a>(answer: &'a Message, asked: &CallId) -> impl Iterator<Item = &'a ToolCall> {
    let blocks = match answer {
        Message::Assistant(blocks) => blocks.as_slice(),
        Message::User(_) => &[],
    };
    let calls = blocks.iter().filter_map(|block| match block {
        AnswerBlock::ToolUse(call) => Some(call),
        _ => None,
    });
    let calls: Vec<&ToolCall> = calls.take_while(|call| call.id != *asked).collect();
    calls.into_iter().rev()
}

fn action(tools: &Toolbox, call: &ToolCall, place: &CallLocation) -> Option<Action> {
    tools.get(&call.name)?.parse(&call.input).ok()?.action(place).ok()
}

/// What a call was about, in a line.
fn about(tool: &str, action: &Action) -> String {
    match action {
        Action::Shell { command, .. } => command.lines().next().unwrap_or_default().to_owned(),
        Action::Read { file } | Action::Edit { file } => format!("{tool} {}", file.named),
        Action::Fetch { host } => format!("{tool} {host}"),
        _ => tool.to_owned(),
    }
}
