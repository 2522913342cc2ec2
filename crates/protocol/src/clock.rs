//! Where time and new ids come from: handed in, so that a test can fix both.

use jiff::Timestamp;
use uuid::Uuid;

/// Tells the time of day.
pub trait Clock: Send + Sync {
    /// The present instant.
    fn now(&self) -> Timestamp;
}

/// Makes ids that were never used before.
pub trait Ids: Send + Sync {
    /// A new id. Later ones sort after earlier ones.
    fn next(&self) -> Uuid;
}
