//! Which questions the program that drives us answers.

use std::collections::BTreeSet;

use forelook_protocol::{FrontEnd, RequestKind};

/// Which questions the program that drives us answers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asks {
    /// None; the session answers them itself.
    Nobody,
    /// Those about plans (`--on-plan ask`).
    Plans,
    /// All but the review of a plan, which a policy answers (`--permission-prompt-tool stdio` with `--on-plan`).
    AllButReviews,
    /// All (`--permission-prompt-tool stdio`).
    Everything,
}

impl Asks {
    /// What to attach to the session with. Only a program that reads and writes a stream of JSON can be asked at all:
    /// `both_ways`. It can then also define hooks of its own.
    pub fn front_end(self, both_ways: bool) -> FrontEnd {
        let persons = RequestKind::PERSONS.into_iter().filter(|&kind| self.includes(kind));
        let answers: BTreeSet<RequestKind> = match both_ways {
            true => persons.chain([RequestKind::Hook]).collect(),
            false => BTreeSet::new(),
        };
        let name = if answers.is_empty() { "print" } else { "sdk" };
        FrontEnd { name: name.to_owned(), answers }
    }

    fn includes(self, kind: RequestKind) -> bool {
        match self {
            Asks::Nobody => false,
            Asks::Plans => matches!(kind, RequestKind::EnterPlan | RequestKind::Review),
            Asks::AllButReviews => kind != RequestKind::Review,
            Asks::Everything => true,
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
            (Asks::Nobody, vec![Hook]),
            (Asks::Plans, vec![EnterPlan, Review, Hook]),
            (Asks::AllButReviews, vec![Permission, EnterPlan, Running, Choose, Hook]),
            (Asks::Everything, vec![Permission, EnterPlan, Review, Running, Choose, Hook]),
        ] {
            let answers = expected.into_iter().collect();
            assert_eq!(asks.front_end(true), FrontEnd { name: "sdk".into(), answers }, "{asks:?}");
            assert_eq!(asks.front_end(false), FrontEnd::watching("print"), "{asks:?}");
        }
    }
}
