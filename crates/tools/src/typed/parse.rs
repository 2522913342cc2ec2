//! The one way from an input to its type.

use forelook_protocol::ToolSpec;
use serde_json::{Number, Value};

use super::schema::fields;
use super::{MAX_BAD, ToolMetadata};
use crate::output::shorten;
use crate::tool::BadInput;

/// Understands an input, or says what is wrong with it and what to send.
pub(super) fn parse<T: ToolMetadata>(tool: &T, spec: &ToolSpec, input: &Value) -> Result<T::Input, BadInput> {
    // How often an input is understood is something that tests count.
    tracing::trace!(target: "forelook::tools::parse", tool = T::NAME);
    let Some(fields) = input.as_object() else {
        return Err(bad(spec, "The input is not a JSON object"));
    };
    tool.check_fields(fields)?;
    let whole = has_whole_float(input).then(|| with_integers(input));
    let input = whole.as_ref().unwrap_or(input);
    let parsed: T::Input = serde_path_to_error::deserialize(input).map_err(|error| {
        let at = error.path().to_string();
        match at.as_str() {
            "." => bad(spec, &format!("Bad input: {}", error.inner())),
            at => bad(spec, &format!("Bad input in `{at}`: {}", error.inner())),
        }
    })?;
    tool.check(&parsed)?;
    Ok(parsed)
}

/// What is wrong, and what to send instead.
fn bad(spec: &ToolSpec, what: &str) -> BadInput {
    // What is wrong may quote a value of any length.
    let what = shorten(what, MAX_BAD);
    BadInput(format!("{what}\n`{}` takes {}", spec.name, fields(&spec.input_schema)))
}

/// Whether a number such as `2.0` stands anywhere: to JSON, and so to the schema, an integer, but not to serde.
fn has_whole_float(value: &Value) -> bool {
    match value {
        Value::Number(number) => whole(number).is_some(),
        Value::Array(items) => items.iter().any(has_whole_float),
        Value::Object(fields) => fields.values().any(has_whole_float),
        _ => false,
    }
}

/// The same with integers where whole numbers were written as floats.
fn with_integers(value: &Value) -> Value {
    match value {
        Value::Number(number) => whole(number).map_or_else(|| value.clone(), Value::from),
        Value::Array(items) => items.iter().map(with_integers).collect(),
        Value::Object(fields) => {
            fields.iter().map(|(name, value)| (name.clone(), with_integers(value))).collect()
        }
        other => other.clone(),
    }
}

/// The integer that a float stands for, as long as floats are exact.
fn whole(number: &Number) -> Option<i64> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    let float = number.as_f64().filter(|_| number.is_f64())?;
    #[expect(
        clippy::cast_possible_truncation,
        reason = "it is whole, and in the range where floats are exact"
    )]
    (float.fract() == 0.0 && float.abs() <= EXACT).then_some(float as i64)
}
