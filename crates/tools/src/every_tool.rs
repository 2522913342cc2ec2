//! Rules that every tool keeps: what its schema says, what it says of itself, and that both agree with what it takes.

use std::sync::Arc;

use forelook_plan::Eagerness;
use forelook_protocol::AbsPath;
use jsonschema::Validator;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::{Config, TestRunner};
use serde_json::{Map, Value, json};

use crate::{AgentListing, BuiltinToolOptions, CallLocation, Tool, Toolbox, WebAccess};

fn tools() -> Toolbox {
    let agents = ["Explore", "general-purpose"].map(|name| AgentListing {
        name: name.to_owned(),
        description: "Finds files and searches code.".to_owned(),
        read_only: true,
    });
    crate::testing::built(BuiltinToolOptions {
        eagerness: Eagerness::Eager,
        agents: agents.into(),
        channels: false,
        web: WebAccess::default(),
    })
}

fn each(mut check: impl FnMut(&str, &Arc<dyn Tool>)) {
    let tools = tools();
    for spec in tools.specs() {
        check(&spec.name, &tools.get(&spec.name).unwrap());
    }
}

/// What the tool says of an input that it does not take.
fn refusal(tool: &Arc<dyn Tool>, input: &Value) -> Option<String> {
    let root = AbsPath::new("/nowhere/at/all").unwrap();
    let place = CallLocation { project: root.clone(), folder: root, agent: None };
    let action = Arc::clone(tool).parse(input).and_then(|call| call.action(&place));
    action.err().map(|bad| bad.to_string())
}

fn properties(schema: &Value) -> impl Iterator<Item = (&String, &Value)> {
    schema["properties"].as_object().into_iter().flatten()
}

fn required(schema: &Value) -> Vec<&str> {
    schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str).collect()
}

#[test]
fn its_text_is_of_a_length_and_in_a_form() {
    each(|name, tool| {
        let text = &tool.spec().description;
        let length = text.chars().count();
        assert!((1..=1500).contains(&length), "{name} has {length} characters");
        assert!(!text.contains('\t') && !text.contains("  "), "{name}: {text}");
        assert_eq!(text.trim(), text, "{name}");
    });
}

#[test]
fn its_schema_is_strict_and_says_what_each_field_is() {
    fn check(at: &str, schema: &Value) {
        match schema["type"].as_str() {
            Some("object") => {
                assert_eq!(schema["additionalProperties"], false, "{at} takes what it does not know");
                let names: Vec<&String> = properties(schema).map(|(name, _)| name).collect();
                assert!(required(schema).iter().all(|name| names.iter().any(|it| it == name)), "{at}");
                for (name, field) in properties(schema) {
                    let at = format!("{at}.{name}");
                    let about = field["description"].as_str().unwrap_or_default();
                    assert!(!about.is_empty() && about.len() < 500, "{at} is not described: {field}");
                    assert!(!about.contains('\n') && !about.contains("  "), "{at}: {about}");
                    check(&at, field);
                }
            }
            Some("array") => check(&format!("{at}[]"), &schema["items"]),
            // The tool checks how long a text is: engines that make a grammar of the schema give up on large bounds.
            Some("string") => {
                assert!(schema.get("maxLength").or(schema.get("minLength")).is_none(), "{at}: {schema}");
            }
            Some("integer" | "number" | "boolean") => {}
            _ => {
                let choices = schema["oneOf"].as_array().or(schema["anyOf"].as_array());
                let choices = choices.unwrap_or_else(|| panic!("{at} has no type: {schema}"));
                choices.iter().for_each(|choice| check(at, choice));
            }
        }
    }
    each(|name, tool| {
        let schema = &tool.spec().input_schema;
        assert_eq!(schema["type"], "object", "{name}");
        assert!(schema["properties"].is_object(), "{name}");
        jsonschema::meta::validate(schema).unwrap_or_else(|error| panic!("{name}: {error}"));
        check(name, schema);
    });
}

/// A value that no field of this kind takes.
fn wrong(field: &Value) -> Value {
    match field["type"].as_str() {
        Some("string") => json!(7),
        Some("object") => json!([[]]),
        _ => json!("x"),
    }
}

/// Something that the schema takes, as short as can be.
fn least(schema: &Value) -> Value {
    let first = |key: &str| schema[key].as_array().and_then(|all| all.first());
    if let Some(value) = first("enum").or_else(|| schema.get("const")) {
        return value.clone();
    }
    let count = |key: &str| usize::try_from(schema[key].as_u64().unwrap_or(0)).unwrap();
    match schema["type"].as_str() {
        Some("string") => json!("x"),
        Some("integer" | "number") => json!(schema["minimum"].as_i64().unwrap_or(0)),
        Some("boolean") => json!(false),
        Some("array") => json!(vec![least(&schema["items"]); count("minItems")]),
        Some("object") => {
            let field = |name: &&str| ((*name).to_owned(), least(&schema["properties"][*name]));
            Value::Object(required(schema).iter().map(field).collect())
        }
        _ => first("oneOf").or_else(|| first("anyOf")).map_or(Value::Null, least),
    }
}

#[test]
fn what_it_does_not_take_is_named_with_what_it_takes() {
    each(|name, tool| {
        let schema = &tool.spec().input_schema;
        let refused = |input: &Value, parts: &[&str]| {
            let text = refusal(tool, input).unwrap_or_else(|| panic!("{name} takes {input}"));
            for part in parts {
                assert!(text.contains(part), "{name} says nothing of {part} to {input}: {text}");
            }
        };
        let takes = format!("`{name}` takes ");
        for input in [json!(null), json!("{}"), json!([]), json!(7), json!(true)] {
            refused(&input, &["not a JSON object", &takes]);
        }
        let mut unknown = least(schema);
        unknown["nonsense"] = json!(1);
        refused(&unknown, &["`nonsense`", &takes]);
        match required(schema).as_slice() {
            [] => assert_eq!(refusal(tool, &json!({})), None, "{name}"),
            needed => {
                let text = refusal(tool, &json!({})).unwrap();
                assert!(needed.iter().any(|field| text.contains(&format!("`{field}`"))), "{name}: {text}");
                refused(&json!({}), &[&takes]);
            }
        }
        for (field, about) in properties(schema) {
            let mut input = least(schema);
            input[field] = wrong(about);
            refused(&input, &[&format!("`{field}`"), &takes]);
        }
    });
}

/// Any JSON, small.
fn anything() -> BoxedStrategy<Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-5_i64..5000).prop_map(Value::from),
        Just(json!(1.5)),
        Just(json!(3.0)),
        "[a-z ./*]{0,8}".prop_map(Value::from),
    ];
    leaf.prop_recursive(2, 8, 3, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..3).prop_map(Value::from),
            vec(("[a-z_]{1,6}", inner), 0..3).prop_map(|fields| Value::Object(fields.into_iter().collect())),
        ]
    })
    .boxed()
}

/// What a schema takes, mostly.
fn made(schema: &Value) -> BoxedStrategy<Value> {
    let all = |key: &str| schema[key].as_array().cloned();
    if let Some(values) = all("enum").or_else(|| schema.get("const").map(|value| vec![value.clone()])) {
        return select(values).boxed();
    }
    let bound =
        |key: &str, other: usize| schema[key].as_u64().map_or(other, |it| usize::try_from(it).unwrap());
    match schema["type"].as_str() {
        Some("string") => {
            let edge = prop_oneof![Just("é".repeat(2000)), Just("é".repeat(2001)), Just(String::new())];
            let usual = vec(select(vec!['a', 'B', '/', '.', '*', ' ', '\n', 'é', '0']), 0..=12);
            let usual = usual.prop_map(|chars| chars.into_iter().collect::<String>());
            let path = select(vec!["/a/b.txt", "a.rs", "https://example.org/"]).prop_map(str::to_owned);
            prop_oneof![8 => usual, 3 => path, 1 => edge].prop_map(Value::from).boxed()
        }
        Some("integer" | "number") => {
            let least = schema["minimum"].as_i64().unwrap_or(-2);
            let most = schema["maximum"].as_i64().unwrap_or(1_000_000);
            // To JSON `2.0` is an integer.
            let whole = (least..=most.min(1 << 50)).prop_map(|it| json!(it as f64));
            let outside = prop_oneof![Just(least - 1), Just(most.saturating_add(1))];
            prop_oneof![8 => (least..=most).prop_map(Value::from), 1 => outside.prop_map(Value::from), 1 => whole].boxed()
        }
        Some("boolean") => any::<bool>().prop_map(Value::from).boxed(),
        Some("array") => {
            let (least, most) = (bound("minItems", 0), bound("maxItems", 5).min(5));
            vec(made(&schema["items"]), least..=most.max(least)).prop_map(Value::from).boxed()
        }
        Some("object") => object(schema),
        _ => {
            let choices = all("oneOf").or_else(|| all("anyOf")).unwrap();
            proptest::strategy::Union::new(choices.iter().map(made)).boxed()
        }
    }
}

fn object(schema: &Value) -> BoxedStrategy<Value> {
    let mut whole = Just(Map::new()).boxed();
    for (name, field) in properties(schema) {
        let (name, needed) = (name.clone(), required(schema).contains(&name.as_str()));
        let value =
            prop_oneof![40 => made(field).prop_map(Some), 1 => anything().prop_map(Some), 1 => Just(None)];
        whole = (whole, value, any::<bool>())
            .prop_map(move |(mut fields, value, there)| {
                if let Some(value) = value.filter(|_| there || needed) {
                    fields.insert(name.clone(), value);
                }
                fields
            })
            .boxed();
    }
    let stray = prop_oneof![15 => Just(None), 1 => ("[a-z]{1,5}", anything()).prop_map(Some)];
    (whole, stray)
        .prop_map(|(mut fields, stray)| {
            fields.extend(stray);
            Value::Object(fields)
        })
        .boxed()
}

/// The same without what is `null`: for an optional field that says no more than leaving it out.
fn without_nulls(value: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            let kept = fields.iter().filter(|(_, value)| !value.is_null());
            kept.map(|(name, value)| (name.clone(), without_nulls(value))).collect::<Map<_, _>>().into()
        }
        Value::Array(items) => items.iter().map(without_nulls).collect(),
        other => other.clone(),
    }
}

/// How often each verdict came up, so that the test cannot pass by seeing only one of them.
#[derive(Default)]
struct Seen {
    taken: u32,
    refused: u32,
}

fn agrees(
    tool: &Arc<dyn Tool>,
    schema: &Validator,
    input: &Value,
    seen: &mut Seen,
) -> Result<(), TestCaseError> {
    let refused = refusal(tool, input);
    if schema.is_valid(input) {
        seen.taken += 1;
        // Limits that no type can say (a blank name, the same twice, a path that is none) are told by the tool itself,
        // without the list of what it takes.
        let takes = format!("`{}` takes ", tool.spec().name);
        let by_type = refused.filter(|text| text.contains(&takes));
        prop_assert_eq!(by_type, None, "the schema takes {}", input);
    } else if !schema.is_valid(&without_nulls(input)) {
        seen.refused += 1;
        prop_assert!(refused.is_some(), "the schema does not take {input}, the tool does");
    }
    Ok(())
}

#[test]
fn its_schema_and_its_type_agree() {
    each(|name, tool| {
        let schema = &tool.spec().input_schema;
        let validator = jsonschema::validator_for(schema).unwrap();
        let mut seen = Seen::default();
        let mut runner =
            TestRunner::new(Config { cases: 300, failure_persistence: None, ..Config::default() });
        let counted = std::cell::RefCell::new(&mut seen);
        let ran =
            runner.run(&object(schema), |input| agrees(tool, &validator, &input, &mut counted.borrow_mut()));
        ran.unwrap_or_else(|error| panic!("{name}: {error}"));
        assert!(
            seen.taken > 10 && seen.refused > 3,
            "{name}: {} taken, {} refused",
            seen.taken,
            seen.refused
        );
    });
}
