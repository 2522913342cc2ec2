//! Questions to the user.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{AnsweredBy, HostAnswer, HostRequest, RequestId};

/// A question was opened.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct QuestionOpened {
    /// The question.
    pub question: HostRequest,
}

/// A question was closed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct QuestionClosed {
    /// The question.
    pub question: RequestId,
    /// The answer.
    pub answer: HostAnswer,
    /// Who closed it.
    #[serde(default, skip_serializing_if = "AnsweredBy::is_session")]
    pub by: AnsweredBy,
}

impl QuestionClosed {
    /// A question that the session itself closed.
    pub fn by_session(question: RequestId, answer: HostAnswer) -> Self {
        Self { question, answer, by: AnsweredBy::Session }
    }
}
