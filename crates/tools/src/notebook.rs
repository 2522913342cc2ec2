//! A Jupyter notebook: its cells in their order, everything else as it was.

use serde_json::{Map, Value};

/// A notebook whose fields are all kept, known or not.
#[derive(Debug, Clone, PartialEq)]
#[expect(dead_code, reason = "the next commit reads and edits notebooks")]
pub(crate) struct Notebook {
    fields: Map<String, Value>,
}
