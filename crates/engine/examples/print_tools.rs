//! Prints `docs/tools.md`: every tool that is built in, from what it says of itself.
#![expect(clippy::print_stdout, clippy::print_stderr, reason = "printing is what this program is for")]

use std::fmt::Write;
use std::process::ExitCode;
use std::sync::Arc;

use forelook_engine::{AgentDefinition, built_in_agents};
use forelook_plan::Eagerness;
use forelook_protocol::{AbsPath, Action, ToolSpec};
use forelook_tools::{
    BuiltinToolOptions, CallLocation, Tool, ToolRegistry, ToolServices, Toolbox, WebAccess, is_generic,
};
use serde_json::{Value, json};

const HEAD: &str = "\
<!-- Made by `cargo xtask docs` from the tools in `crates/tools/src`; edit those. -->

# Tools

Use this page to look up what the model can do with each tool, what you have to approve, and which rules apply.

The descriptions and inputs below are exactly what the model gets, so \"you\" in them is the model. `Permission` says what a
call needs before it runs; there, \"you\" is the user. `docs/permissions.md` has the details.

If an input is invalid, the result says what is wrong and what to send. Long results are truncated and say what was left
out. Read-only calls can run in parallel. A call that takes longer than a second reports progress every second
(`tool_progress` in `stream-json`), and an interrupt ends it.
";

fn main() -> ExitCode {
    match page() {
        Ok(page) => {
            print!("{page}");
            ExitCode::SUCCESS
        }
        Err(why) => {
            eprintln!("{why}");
            ExitCode::FAILURE
        }
    }
}

fn page() -> Result<String, String> {
    let agents = built_in_agents().iter().map(AgentDefinition::listing).collect();
    let options = BuiltinToolOptions {
        eagerness: Eagerness::default(),
        agents,
        channels: false,
        web: WebAccess::default(),
    };
    // Nothing is run here.
    let nowhere = AbsPath::new("/").map_err(|error| error.to_string())?;
    let tools = Toolbox::builtin(options, &ToolServices::new(Arc::default(), nowhere));
    let mut page = HEAD.to_owned();
    for spec in tools.specs() {
        let tool = tools.get(&spec.name).ok_or("a tool without a name")?;
        page.push_str(&section(&tool)?);
    }
    let open = ToolRegistry::with_external_tools(tools).snapshot();
    let generic = open.specs().iter().find(|spec| is_generic(&spec.name)).ok_or("no generic tool")?;
    page.push_str(&described(generic));
    page.push_str(
        "\nPermission: the same as for the tool it calls, which is also what hooks, the journal, and front ends see.\n\n\
         Only in sessions that accept external tools.\n",
    );
    Ok(page)
}

fn section(tool: &Arc<dyn Tool>) -> Result<String, String> {
    let spec = tool.spec();
    let mut text = described(spec);
    let place = AbsPath::new("/project").map_err(|error| error.to_string())?;
    let place = CallLocation { project: place.clone(), folder: place, agent: None };
    let mut input = sample("", 0, &spec.input_schema);
    if spec.name == "NotebookEdit" {
        // Which of these are needed depends on what is done.
        (input["cell_id"], input["new_source"]) = (json!("cell-0"), json!("1 + 1"));
    }
    let action = Arc::clone(tool).parse(&input).and_then(|call| call.action(&place));
    let action = action.map_err(|bad| format!("`{}` does not take its sample: {bad}", spec.name))?;
    let _ = write!(text, "\nPermission: {}\n", permission(&action));
    if tool.deferred().is_some() {
        text.push_str(
            "\nDeferred until `ToolSearch` finds it, if the provider supports adding tools later.\n",
        );
    }
    Ok(text)
}

/// What the model is told of it.
fn described(spec: &ToolSpec) -> String {
    let mut text = format!("\n## {}\n\n{}\n", spec.name, spec.description.trim());
    let mut rows = Vec::new();
    fields("", &spec.input_schema, &mut rows);
    if !rows.is_empty() {
        text.push_str("\n| input | kind | meaning |\n|---|---|---|\n");
        for [name, kind, about] in rows {
            let _ = writeln!(text, "| {name} | {kind} | {about} |");
        }
    }
    text
}

/// A row for each input, those inside of others after them.
fn fields(above: &str, schema: &Value, rows: &mut Vec<[String; 3]>) {
    let required: Vec<&Value> = schema["required"].as_array().into_iter().flatten().collect();
    for (name, field) in schema["properties"].as_object().into_iter().flatten() {
        let needed = required.iter().any(|it| *it == name);
        let name = format!("{above}{name}");
        let optional = if needed { "" } else { ", optional" };
        let about = field["description"].as_str().unwrap_or_default().replace('|', "\\|");
        rows.push([format!("`{name}`"), format!("{}{optional}", kind(field)), about]);
        fields(&format!("{name}[]."), &field["items"], rows);
        fields(
            &format!("{name}."),
            &json!({"properties": field["properties"], "required": field["required"]}),
            rows,
        );
    }
}

/// What kind of value an input is, with its limits.
fn kind(field: &Value) -> String {
    let named = |values: &[Value]| {
        let name = |value: &Value| {
            let value = value.get("const").unwrap_or(value);
            format!("`{}`", value.as_str().map_or_else(|| value.to_string(), str::to_owned))
        };
        values.iter().map(name).collect::<Vec<_>>().join(", ")
    };
    let choices = field["enum"].as_array().or(field["oneOf"].as_array()).or(field["anyOf"].as_array());
    if let Some(values) = choices {
        return named(values);
    }
    let kind = field["type"].as_str().unwrap_or("anything");
    let (least, most, unit) = match kind {
        "array" => (&field["minItems"], &field["maxItems"], " items"),
        _ => (&field["minimum"], &field["maximum"], ""),
    };
    match (least.as_u64(), most.as_u64()) {
        (None | Some(0), Some(most)) => format!("{kind}, at most {most}{unit}"),
        (Some(least), Some(most)) => format!("{kind}, {least} to {most}{unit}"),
        (Some(1), None) if kind == "array" => format!("{kind}, at least 1 item"),
        // That a text must not be empty goes without saying.
        (Some(least), None) if least > 1 || kind != "string" && least > 0 => {
            format!("{kind}, at least {least}{unit}")
        }
        _ => kind.to_owned(),
    }
}

/// Something that the tool takes. Texts are made of the input's name and a number, so that no two are the same.
fn sample(name: &str, number: u64, schema: &Value) -> Value {
    let first = |key: &str| schema[key].as_array().and_then(|all| all.first()).cloned();
    let least = |key: &str| schema[key].as_u64().unwrap_or(0);
    match (name, schema["type"].as_str()) {
        ("url", _) => json!("https://example.org/"),
        ("notebook_path", _) => json!("/project/a.ipynb"),
        ("subagent_type", _) => json!("general-purpose"),
        ("edits", _) => json!([{"file_path": "a", "content": "b"}]),
        (_, Some("object")) => {
            let names = schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str);
            let field = |name: &str| (name.to_owned(), sample(name, number, &schema["properties"][name]));
            names.map(field).collect()
        }
        (_, Some("array")) => (0..least("minItems")).map(|at| sample(name, at, &schema["items"])).collect(),
        (_, Some("integer" | "number")) => json!(least("minimum")),
        (_, Some("boolean")) => json!(false),
        _ => first("enum")
            .or_else(|| schema.get("const").cloned())
            .or_else(|| Some(sample(name, number, &first("oneOf").or_else(|| first("anyOf"))?)))
            .unwrap_or_else(|| json!(format!("{name}{number}"))),
    }
}

/// What has to happen before such a call runs.
fn permission(action: &Action) -> &'static str {
    match action {
        Action::Read { .. } => {
            "none, except that files known to contain secrets need approval. Rules: `Read(…)`."
        }
        Action::Edit { .. } => {
            "needs approval, unless the mode accepts edits or a rule allows it. Rules: `Edit(…)`. While planning, only the \
             plan file can be changed."
        }
        Action::Shell { .. } => {
            "none for a read-only command; anything else needs approval, unless rules cover every part of it. Rules: \
             `Bash(…)`. While planning, and in other modes if you enable it, the kernel confines commands; then commands \
             that cannot be classified need no approval either."
        }
        Action::Rehearse { .. } => {
            "none while planning; rehearsals are not available in other modes. Rules that deny `Bash(…)` or `Edit(…)` apply."
        }
        Action::Fetch { .. } => "needs approval, unless a rule allows the host. Rules: `WebFetch(domain:…)`.",
        Action::Mcp { .. } => "needs approval, unless a rule allows it. Rules: `mcp__server__tool`.",
        Action::Agent { .. } => {
            "none; each call that the agent makes is decided like any other, in a mode with no more permissions than \
             its caller's. Rules: `Agent(…)`."
        }
        Action::Skill { .. } => "none. Rules: `Skill(…)`.",
        Action::AskPerson => {
            "none; the call is a question to you, and no mode, rule, hook, or classifier answers it for you."
        }
        Action::EnterPlan => "needs your approval; no rule, hook, or classifier can give it for you.",
        Action::ExitPlan => "you review the plan; no rule, hook, or classifier can do it for you.",
        Action::EndShell { .. } => {
            "none; it ends only shells of the agent that calls it. In plan mode, and for read-only agents, only \
             shells that were started there."
        }
        Action::Internal => "none; it changes nothing outside the session.",
    }
}
