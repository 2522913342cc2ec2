//! An entry as one line of JSON.

use jiff::Timestamp;
use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::ser::SerializeStruct;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::value::RawValue;

use super::{Entry, EntryBody};
use crate::{AgentId, EntryId};

/// A line that is not an entry.
#[derive(Debug, thiserror::Error)]
pub enum EntryError {
    /// The line is not valid JSON for an entry.
    #[error("Not an entry: {0}")]
    Shape(#[source] serde_json::Error),
    /// The kind is known, but its data is invalid.
    #[error("Invalid data in an entry of kind `{kind}`: {source}")]
    Data {
        /// The kind.
        kind: String,
        /// What is wrong with the data.
        source: serde_json::Error,
    },
}

impl Serialize for Entry {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut line = serializer.serialize_struct("Entry", 6)?;
        line.serialize_field("id", &self.id)?;
        line.serialize_field("parent", &self.parent)?;
        line.serialize_field("time", &self.time)?;
        match &self.agent {
            Some(agent) => line.serialize_field("agent", agent)?,
            None => line.skip_field("agent")?,
        }
        line.serialize_field("kind", self.body.kind())?;
        self.body.serialize_data(&mut line)?;
        line.end()
    }
}

impl<'de> Deserialize<'de> for Entry {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let line = RawEntry::deserialize(deserializer)?;
        Entry::of(line).map_err(serde::de::Error::custom)
    }
}

impl JsonSchema for Entry {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Entry".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "One line of a journal. Ignore kinds that are not listed.",
            "type": "object",
            "properties": {
                "id": generator.subschema_for::<EntryId>(),
                "parent": generator.subschema_for::<Option<EntryId>>(),
                "time": generator.subschema_for::<Timestamp>(),
                "agent": generator.subschema_for::<AgentId>(),
                "kind": { "type": "string" },
                "data": true,
            },
            "required": ["id", "parent", "time", "kind", "data"],
            "anyOf": EntryBody::schemas(generator),
        })
    }
}

/// A line whose data is not parsed yet.
#[derive(Deserialize)]
struct RawEntry {
    id: EntryId,
    parent: Option<EntryId>,
    time: Timestamp,
    #[serde(default)]
    agent: Option<AgentId>,
    kind: String,
    data: Box<RawValue>,
}

impl Entry {
    /// Parses one line.
    pub fn parse(line: &str) -> Result<Self, EntryError> {
        Self::of(serde_json::from_str(line).map_err(EntryError::Shape)?)
    }

    fn of(line: RawEntry) -> Result<Self, EntryError> {
        let body = EntryBody::parse(&line.kind, &line.data)
            .map_err(|source| EntryError::Data { kind: line.kind.clone(), source })?;
        Ok(Self { id: line.id, parent: line.parent, time: line.time, agent: line.agent, body })
    }
}
