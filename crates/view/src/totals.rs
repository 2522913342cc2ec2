//! What the session has used, and how full the model's window is.

use forelook_protocol::{AbsPath, Answered, Bill, Body, Entry, Spent, Status, Usage};

/// What the session has used, and how much the model can read.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Totals {
    /// What it cost.
    pub cost: Bill,
    /// Tokens of all answers.
    pub usage: Usage,
    /// How many tokens the model can read.
    pub window: Option<u64>,
    /// How many of them the conversation took, when it was last sent.
    pub used: u64,
    /// The plan file, once there is a name for it.
    pub plan: Option<AbsPath>,
}

impl Totals {
    pub(crate) fn of(status: &Status) -> Self {
        let mut spent = Spent::default();
        for one in status.spent.values() {
            spent += *one;
        }
        let Spent { usage, cost } = spent;
        Self { cost, usage, window: status.window, used: 0, plan: status.plan.clone() }
    }

    /// How much of the window is full.
    pub fn percent(&self) -> Option<u64> {
        let window = self.window.filter(|window| *window > 0)?;
        (self.used > 0).then(|| (self.used.saturating_mul(100) / window).min(100))
    }

    /// Something stands in the journal.
    pub(crate) fn recorded(&mut self, entry: &Entry) {
        self.read_before(entry);
        match &entry.body {
            Body::Answer(answered) => self.spend(Spent::on(answered.usage, answered.cost)),
            Body::SmallAnswer(answered) => self.spend(Spent::on(answered.usage, answered.cost)),
            Body::PlanNamed(named) => self.plan = Some(named.path.clone()),
            _ => {}
        }
    }

    fn spend(&mut self, spent: Spent) {
        self.cost += spent.cost;
        self.usage += spent.usage;
    }

    /// An entry from before we listened; what it cost is known already.
    pub(crate) fn read_before(&mut self, entry: &Entry) {
        if let (Body::Answer(Answered { usage, .. }), None) = (&entry.body, &entry.agent)
            && *usage != Usage::default()
        {
            self.used = tokens(*usage);
        }
    }
}

/// All tokens, whatever their price.
fn tokens(usage: Usage) -> u64 {
    [usage.cache_read_input_tokens, usage.cache_creation_input_tokens, usage.output_tokens]
        .into_iter()
        .fold(usage.input_tokens, u64::saturating_add)
}
