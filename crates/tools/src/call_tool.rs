//! `CallTool`: the one generic tool, by which the model calls a tool that its list does not have.
//!
//! A list of tools is the first thing of a request, so a tool that joins later cannot be added to it without losing what
//! the provider has cached of the whole conversation. Its call goes through this one. It never runs itself: a call of it
//! is taken apart ([`unwrap_call`]) before anything else is done with it, and so is decided on, heard by hooks, written
//! down and shown as a call of the tool that is meant.

use std::borrow::Cow;

use forelook_protocol::ToolCall;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::call::CallKind;
use crate::input::is_text_too_deep;
use crate::tool::BadInput;
use crate::typed::{EngineTool, ToolMetadata};

/// The generic tool.
pub(crate) struct CallTool;

/// A call inside of a call.
#[derive(Debug, Clone, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Input {
    /// The tool's exact name.
    #[expect(dead_code, reason = "what is understood here is only what cannot be called")]
    name: String,
    /// The tool's input, as an object.
    #[serde(default)]
    #[expect(dead_code, reason = "as above")]
    input: Map<String, Value>,
}

impl ToolMetadata for CallTool {
    type Input = Input;
    const NAME: &'static str = "CallTool";

    fn description(&self) -> Cow<'static, str> {
        "Calls a tool that is not in your tool list because it was added during the session. `name` is its exact \
         name and `input` is its input; ToolSearch shows both. It counts as a call to that tool. Call tools that are \
         in your list directly."
            .into()
    }
}

impl EngineTool for CallTool {
    /// What could be taken apart does not come here.
    fn call(&self, _: Input) -> Result<CallKind, BadInput> {
        Err(BadInput(format!("`name` must be the name of another tool, not `{}` itself", Self::NAME)))
    }
}

/// The call that is meant by one of `CallTool`; nothing if it is no such call, or none that can be understood.
pub fn unwrap_call(call: &ToolCall) -> Option<ToolCall> {
    let fields = call.input.as_object().filter(|_| call.name == CallTool::NAME)?;
    let name = fields.get("name")?.as_str().filter(|name| *name != CallTool::NAME)?;
    if fields.keys().any(|key| key != "name" && key != "input") {
        return None;
    }
    let input = match fields.get("input") {
        None | Some(Value::Null) => Map::new(),
        Some(Value::Object(input)) => input.clone(),
        // Models are known to write an object inside an object as its text.
        Some(Value::String(text)) if is_text_too_deep(text) => return None,
        Some(Value::String(text)) => serde_json::from_str(text).ok()?,
        Some(_) => return None,
    };
    Some(ToolCall { id: call.id.clone(), name: name.to_owned(), input: Value::Object(input) })
}

/// The same call as the model sent it: what it said goes back to it in its own words.
pub fn wrap_call(call: &ToolCall) -> ToolCall {
    let input = json!({"name": call.name, "input": call.input});
    ToolCall { id: call.id.clone(), name: CallTool::NAME.to_owned(), input }
}

/// Whether calls of this name are to be taken apart.
pub fn is_generic(name: &str) -> bool {
    name == CallTool::NAME
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use forelook_protocol::CallId;

    use super::*;
    use crate::tool::Tool;
    use crate::typed::EngineAdapter;

    fn call(input: Value) -> ToolCall {
        ToolCall { id: CallId("c1".into()), name: "CallTool".into(), input }
    }

    #[test]
    fn a_call_is_taken_apart_and_put_together_again() {
        let sent = call(json!({"name": "mcp__a__b", "input": {"x": 1}}));
        let meant = unwrap_call(&sent).unwrap();
        assert_eq!((meant.name.as_str(), &meant.input, &meant.id), ("mcp__a__b", &json!({"x": 1}), &sent.id));
        assert_eq!(wrap_call(&meant), sent);
        let empty =
            [json!({"name": "t"}), json!({"name": "t", "input": null}), json!({"name": "t", "input": "{}"})];
        assert!(empty.into_iter().all(|input| unwrap_call(&call(input)).unwrap().input == json!({})));
        let text = call(json!({"name": "t", "input": "{\"x\": 1}"}));
        assert_eq!(unwrap_call(&text).unwrap().input, json!({"x": 1}));
    }

    #[test]
    fn what_cannot_be_taken_apart_is_told() {
        let tool: Arc<dyn Tool> = Arc::new(EngineAdapter::new(CallTool));
        for (input, part) in [
            (json!({}), "`name`"),
            (json!("x"), "JSON object"),
            (json!({"name": 7}), "`name`"),
            (json!({"name": "t", "input": [1]}), "`input`"),
            (json!({"name": "t", "input": "x"}), "`input`"),
            (json!({"name": "t", "inputs": {}}), "inputs"),
            (json!({"name": "CallTool", "input": {"name": "t"}}), "itself"),
        ] {
            assert_eq!(unwrap_call(&call(input.clone())), None, "{input}");
            let Err(bad) = Arc::clone(&tool).parse(&input) else { panic!("{input} was understood") };
            assert!(bad.0.contains(part), "{bad}");
        }
        let other = ToolCall { name: "Read".into(), ..call(json!({"name": "t"})) };
        assert_eq!(unwrap_call(&other), None);
    }
}
