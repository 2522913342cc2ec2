//! Schemas as models should see them, and a schema in a few words.

use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value};

/// The schema of a type as models should see it: no references, nothing that says nothing.
pub(super) fn schema<T: JsonSchema>() -> Value {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.meta_schema = None;
        settings.inline_subschemas = true;
    });
    let mut schema = settings.into_generator().into_root_schema_for::<T>().to_value();
    tidy(&mut schema, true);
    if let Some(schema) = schema.as_object_mut() {
        // The tool's own text says what the whole is.
        schema.remove("description");
        // Some providers refuse an object that does not list its fields, be it that there are none.
        schema.entry("properties").or_insert_with(|| Value::Object(Map::new()));
    }
    schema
}

/// Takes out `title`, `format`, breaks of lines and the `null` of optional fields: leaving a field out says the same.
fn tidy(schema: &mut Value, is_schema: bool) {
    match schema {
        Value::Object(map) => {
            if is_schema {
                map.remove("title");
                map.remove("format");
                // Comments are broken where the editor's edge is.
                if let Some(Value::String(about)) = map.get_mut("description") {
                    *about = about.split_whitespace().collect::<Vec<_>>().join(" ");
                }
                if map.get("default").is_some_and(Value::is_null) {
                    map.remove("default");
                }
                if let Some(Value::Array(kinds)) = map.get("type")
                    && let [kind, Value::String(null)] = kinds.as_slice()
                    && null == "null"
                {
                    let kind = kind.clone();
                    map.insert("type".to_owned(), kind);
                }
                if let Some(Value::Array(values)) = map.get_mut("enum") {
                    values.retain(|value| !value.is_null());
                }
            }
            // The keys of `properties` are names of fields, such as a field `title`.
            map.iter_mut().for_each(|(key, value)| tidy(value, key != "properties" || !is_schema));
        }
        Value::Array(items) => items.iter_mut().for_each(|item| tidy(item, true)),
        _ => {}
    }
}

/// The fields of an object in a few words: `file_path` (string), `offset` (integer, optional).
pub(super) fn fields(schema: &Value) -> String {
    let required: Vec<&str> =
        schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
    let Some(properties) = schema["properties"].as_object().filter(|properties| !properties.is_empty())
    else {
        return "no fields: send `{}`".to_owned();
    };
    let words = properties.iter().map(|(name, field)| {
        let kind = field["type"].as_str().unwrap_or("one of its values");
        let optional = if required.contains(&name.as_str()) { "" } else { ", optional" };
        format!("`{name}` ({kind}{optional})")
    });
    words.collect::<Vec<_>>().join(", ")
}
