//! Tools with a typed input, and the one adapter that makes a [`Tool`] of each.

use std::borrow::Cow;
use std::future::Future;

use forelook_protocol::{Action, CallId, Effect, Part, PersonQuestion, ToolOutcome, ToolResult, ToolSpec};
use futures::FutureExt;
use futures::future::BoxFuture;
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use serde::de::DeserializeOwned;
use serde_json::{Map, Number, Value};

use crate::output::shorten;
use crate::tool::{BadInput, Place, Tool, ToolContext};

/// Characters of what is told about a bad input.
const MAX_BAD: usize = 2000;

/// A tool whose input is a type.
pub(crate) trait TypedTool: Send + Sync + 'static {
    /// Its input. Unknown fields must be denied: a field that is passed over in silence misleads the model.
    type Input: DeserializeOwned + JsonSchema + Send;
    /// Its name, as models know it.
    const NAME: &'static str;
    /// Words to search by, if its schema may be held back.
    const DEFERRED: Option<&'static str> = None;
    /// Whether calls may run beside others.
    const CONCURRENCY_SAFE: bool = false;

    /// When and how to use it.
    fn description(&self) -> Cow<'static, str>;

    /// What to say of an input before its type does, where the type's own words would mislead.
    fn check_fields(&self, input: &Map<String, Value>) -> Result<(), BadInput> {
        let _ = input;
        Ok(())
    }

    /// What the type cannot say: ranges, lengths, counts.
    fn check(&self, input: &Self::Input) -> Result<(), BadInput> {
        let _ = input;
        Ok(())
    }

    /// What it would do.
    fn action(&self, input: &Self::Input, place: &Place) -> Result<Action, BadInput>;

    /// What a person must be asked first.
    fn questions(&self, input: Self::Input) -> Option<Vec<PersonQuestion>> {
        let _ = input;
        None
    }

    /// Does it.
    fn run(&self, input: Self::Input, cx: ToolContext) -> impl Future<Output = Result<Done, Failure>> + Send;
}

/// What a call came to, before it has its call's id.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Done {
    /// May be empty if there are pictures.
    pub(crate) text: String,
    /// What is shown after the text.
    pub(crate) pictures: Vec<Picture>,
    pub(crate) effects: Vec<Effect>,
    /// The result in fields, for programs that watch.
    pub(crate) output: Option<Value>,
}

/// A picture for the model.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Picture {
    /// Such as `image/png`.
    pub(crate) media_type: String,
    /// Base64.
    pub(crate) data: String,
}

impl Done {
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), pictures: Vec::new(), effects: Vec::new(), output: None }
    }

    pub(crate) fn with(mut self, effect: Effect) -> Self {
        self.effects.push(effect);
        self
    }

    pub(crate) fn output(self, output: Value) -> Self {
        Self { output: Some(output), ..self }
    }
}

/// A failed call: words for the model, and what changed nevertheless.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Failure {
    pub(crate) text: String,
    pub(crate) effects: Vec<Effect>,
    /// The result in fields, for programs that watch.
    pub(crate) output: Option<Value>,
}

impl Failure {
    pub(crate) fn new(text: impl Into<String>) -> Self {
        Self { text: text.into(), effects: Vec::new(), output: None }
    }

    pub(crate) fn output(self, output: Option<Value>) -> Self {
        Self { output, ..self }
    }

    /// The turn was interrupted before anything was done.
    pub(crate) fn interrupted() -> Self {
        Self::new("Interrupted before anything was done")
    }
}

impl From<BadInput> for Failure {
    fn from(bad: BadInput) -> Self {
        Self::new(shorten(&bad.0, MAX_BAD))
    }
}

/// Runs blocking work beside the runtime. An error of the task itself (a panic) is a failure like any.
pub(crate) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Failure> + Send + 'static,
) -> Result<T, Failure> {
    tokio::task::spawn_blocking(work).await.unwrap_or_else(|_| {
        Err(Failure::new("Failed inside Forelook; look at the file before you try again"))
    })
}

/// A typed tool as a [`Tool`].
pub(crate) struct Adapter<T> {
    tool: T,
    spec: ToolSpec,
}

impl<T: TypedTool> Adapter<T> {
    pub(crate) fn new(tool: T) -> Self {
        let spec = ToolSpec {
            name: T::NAME.to_owned(),
            description: tool.description().into_owned(),
            input_schema: schema::<T::Input>(),
        };
        Self { tool, spec }
    }

    fn parse(&self, input: &Value) -> Result<T::Input, BadInput> {
        let Some(fields) = input.as_object() else {
            return Err(self.bad("The input is not a JSON object".to_owned()));
        };
        self.tool.check_fields(fields)?;
        let whole = has_whole_float(input).then(|| with_integers(input));
        let input = whole.as_ref().unwrap_or(input);
        let parsed: T::Input = serde_path_to_error::deserialize(input).map_err(|error| {
            let at = error.path().to_string();
            match at.as_str() {
                "." => self.bad(format!("Bad input: {}", error.inner())),
                at => self.bad(format!("Bad input in `{at}`: {}", error.inner())),
            }
        })?;
        self.tool.check(&parsed)?;
        Ok(parsed)
    }

    /// What is wrong, and what to send instead.
    fn bad(&self, what: String) -> BadInput {
        // What is wrong may quote a value of any length.
        let what = shorten(&what, MAX_BAD);
        BadInput(format!("{what}\n`{}` takes {}", self.spec.name, fields(&self.spec.input_schema)))
    }
}

impl<T: TypedTool> Tool for Adapter<T> {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn action(&self, input: &Value, place: &Place) -> Result<Action, BadInput> {
        self.tool.action(&self.parse(input)?, place).map_err(|bad| BadInput(shorten(&bad.0, MAX_BAD)))
    }

    fn concurrency_safe(&self, input: &Value) -> bool {
        T::CONCURRENCY_SAFE && self.parse(input).is_ok()
    }

    fn deferred(&self) -> Option<&str> {
        T::DEFERRED
    }

    fn questions(&self, input: &Value) -> Option<Vec<PersonQuestion>> {
        self.tool.questions(self.parse(input).ok()?)
    }

    fn run<'a>(&'a self, input: Value, cx: ToolContext) -> BoxFuture<'a, ToolOutcome> {
        async move {
            let call = cx.call.clone();
            if cx.cancel.is_cancelled() {
                return outcome(call, Err(Failure::interrupted()));
            }
            match self.parse(&input) {
                Ok(input) => outcome(call, self.tool.run(input, cx).await),
                Err(bad) => outcome(call, Err(Failure::new(bad.0))),
            }
        }
        .boxed()
    }
}

fn outcome(call: CallId, ran: Result<Done, Failure>) -> ToolOutcome {
    match ran {
        Ok(Done { text, pictures, effects, output }) => {
            let words = (!text.is_empty() || pictures.is_empty()).then_some(Part::Text { text });
            let pictures =
                pictures.into_iter().map(|it| Part::Image { media_type: it.media_type, data: it.data });
            let content = words.into_iter().chain(pictures).collect();
            ToolOutcome { result: ToolResult { call, content, is_error: false }, effects, output }
        }
        Err(Failure { text, effects, output }) => {
            ToolOutcome { result: ToolResult::error(call, text), effects, output }
        }
    }
}

/// The schema of a type as models should see it: no references, nothing that says nothing.
fn schema<T: JsonSchema>() -> Value {
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
fn fields(schema: &Value) -> String {
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
