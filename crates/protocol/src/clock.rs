//! The sources of time and of new IDs. They are passed in, so that tests can control both.

use jiff::Timestamp;
use uuid::Uuid;

/// Provides the current time.
pub trait Clock: Send + Sync {
    /// The current time.
    fn now(&self) -> Timestamp;
}

/// Creates unique IDs.
pub trait IdGenerator: Send + Sync {
    /// A new ID. Later IDs sort after earlier ones.
    fn next(&self) -> Uuid;
}
