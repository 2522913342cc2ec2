//! Which questions the program that drives us answers.

use std::collections::BTreeSet;

use forelook_protocol::{FrontEnd, RequestKind};

/// Which questions the program that drives us answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HostQuestions {
    /// None; the session answers them itself.
    Nobody,
    /// Those about plans (`--on-plan ask`).
    Plans,
    /// All but the review of a plan, which a policy answers (`--permission-prompt-tool stdio` with `--on-plan`).
    AllButReviews,
    /// All (`--permission-prompt-tool stdio`).
    Everything,
}

impl HostQuestions {
    /// What to attach to the session with. Only a program that reads and writes a stream of JSON can be asked at all:
    /// `both_ways`. It can then also define hooks of its own.
    pub fn front_end(self, both_ways: bool) -> FrontEnd {
        let persons = RequestKind::PERSONS.into_iter().filter(|&kind| self.includes(kind));
        let answers: BTreeSet<RequestKind> = match both_ways {
            true => persons.chain([RequestKind::Hook]).collect(),
            false => BTreeSet::new(),
        };
        let name = if answers.is_empty() { "print" } else { "sdk" };
        FrontEnd { name: name.to_owned(), answers, prompts_first: false }
    }

    fn includes(self, kind: RequestKind) -> bool {
        match self {
            HostQuestions::Nobody => false,
            HostQuestions::Plans => matches!(kind, RequestKind::EnterPlan | RequestKind::Review),
            HostQuestions::AllButReviews => kind != RequestKind::Review,
            HostQuestions::Everything => true,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_attaches_and_what_it_answers() {
        use RequestKind::{Choose, EnterPlan, Hook, Permission, Review, Running};
        for (asks, expected) in [
            (HostQuestions::Nobody, vec![Hook]),
            (HostQuestions::Plans, vec![EnterPlan, Review, Hook]),
            (HostQuestions::AllButReviews, vec![Permission, EnterPlan, Running, Choose, Hook]),
            (HostQuestions::Everything, vec![Permission, EnterPlan, Review, Running, Choose, Hook]),
        ] {
            let answers = expected.into_iter().collect();
            let expected = FrontEnd { name: "sdk".into(), answers, prompts_first: false };
            assert_eq!(asks.front_end(true), expected, "{asks:?}");
            assert_eq!(asks.front_end(false), FrontEnd::watching("print"), "{asks:?}");
        }
    }
}
