//! Why a turn ended.

use crate::counted;

/// That the model said nothing.
pub const NO_ANSWER: &str = "The model gave no answer, even when asked again";

/// How many answers of the model a turn may take.
pub fn answer_limit(limit: u32) -> String {
    counted(u64::from(limit), "model answer", "model answers")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_answer_is_no_answers() {
        assert_eq!([1, 3].map(answer_limit), ["1 model answer", "3 model answers"]);
    }
}
