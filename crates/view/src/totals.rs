//! The usage of the session, and how full the context window is.

use forelook_protocol::{AbsPath, Entry, EntryBody, ModelAnswered, ModelUsage, Status, TotalCost, Usage};

/// The usage of the session, and the size of the context window.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Totals {
    /// The total cost.
    pub cost: TotalCost,
    /// The tokens of all responses.
    pub usage: Usage,
    /// The model's context window, in tokens.
    pub window: Option<u64>,
    /// How many of them the last request and its response used.
    pub used: u64,
    /// The plan file, once it has a name.
    pub plan: Option<AbsPath>,
}

impl Totals {
    pub(crate) fn of(status: &Status) -> Self {
        let mut spent = ModelUsage::default();
        for one in status.spent.values() {
            spent += *one;
        }
        let ModelUsage { usage, cost } = spent;
        Self { cost, usage, window: status.window, used: 0, plan: status.plan.clone() }
    }

    /// How full the context window is, in percent.
    pub fn percent(&self) -> Option<u64> {
        let window = self.window.filter(|window| *window > 0)?;
        (self.used > 0).then(|| (self.used.saturating_mul(100) / window).min(100))
    }

    /// Handles a new journal entry.
    pub(crate) fn recorded(&mut self, entry: &Entry) {
        self.read_replayed(entry);
        match &entry.body {
            EntryBody::ModelAnswered(answered) => self.spend(ModelUsage::new(answered.usage, answered.cost)),
            EntryBody::SmallModelAnswered(answered) => {
                self.spend(ModelUsage::new(answered.usage, answered.cost))
            }
            EntryBody::Compacted(compacted) => self.spend(ModelUsage::new(compacted.usage, compacted.cost)),
            EntryBody::PlanNamed(named) => self.plan = Some(named.path.clone()),
            _ => {}
        }
    }

    fn spend(&mut self, spent: ModelUsage) {
        self.cost += spent.cost;
        self.usage += spent.usage;
    }

    /// Reads an entry from before we attached; its cost is already known.
    pub(crate) fn read_replayed(&mut self, entry: &Entry) {
        if let (EntryBody::ModelAnswered(ModelAnswered { usage, .. }), None) = (&entry.body, &entry.agent)
            && *usage != Usage::default()
        {
            self.used = usage.total();
        }
        // How much is left the provider says with the next answer.
        if let (EntryBody::Compacted(_), None) = (&entry.body, &entry.agent) {
            self.used = 0;
        }
    }
}
