//! Prints the JSON Schema of the serialized protocol, for `docs/protocol.schema.json`.
#![expect(clippy::print_stdout, reason = "it prints a page")]

use forelook_protocol::{ClientFrame, SessionFrame, WIRE_VERSION};
use schemars::generate::SchemaSettings;
use serde_json::json;

fn main() {
    let mut generator = SchemaSettings::draft2020_12().into_generator();
    let client = generator.subschema_for::<ClientFrame>();
    let session = generator.subschema_for::<SessionFrame>();
    let mut definitions = generator.take_definitions(true);
    // Sorted by name, so that definitions are easy to find and a change touches few lines.
    definitions.sort_keys();
    let schema = json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": format!("Forelook's protocol, version {WIRE_VERSION}"),
        "description": "One line from either side. docs/protocol.md explains the protocol.",
        "oneOf": [client, session],
        "$defs": definitions,
    });
    println!("{schema:#}");
}
