//! The first line of a front end: who it is, and which version it speaks.

use forelook_protocol::{ClientFrame, FrontEnd, WIRE_VERSION, WireVersion};
use serde_json::Value;

use crate::input::InputLines;

/// What a front end said first.
#[derive(Debug, PartialEq)]
pub(super) struct Handshake {
    pub(super) front_end: FrontEnd,
    pub(super) whole_answers: bool,
}

/// Reads the first line; or says why there is nothing to attach.
pub(super) async fn first(input: &mut InputLines) -> Result<Handshake, String> {
    match input.recv().await {
        Some(Ok(line)) => read(&line),
        Some(Err(error)) => Err(instead(format!("Cannot read the input: {error}"))),
        None => Err(instead("The input ended before the first line")),
    }
}

fn read(line: &str) -> Result<Handshake, String> {
    let broken = |error: serde_json::Error| instead(format!("Cannot parse the first line: {error}"));
    let line: Value = serde_json::from_str(line).map_err(broken)?;
    // Before all else: whoever speaks another version may say the rest in another form.
    if let Ok(version) = serde_json::from_value::<WireVersion>(line["attach"]["version"].clone())
        && !WIRE_VERSION.is_compatible_with(version)
    {
        return Err(format!(
            "The front end uses protocol version {version}, but this program uses version {WIRE_VERSION}\n\
             Use versions with the same major number"
        ));
    }
    match serde_json::from_value(line).map_err(broken)? {
        ClientFrame::Attach { front_end, whole_answers, .. } => Ok(Handshake { front_end, whole_answers }),
        ClientFrame::Command { .. } | ClientFrame::Query { .. } => {
            Err(instead("The first line does not say who the front end is"))
        }
    }
}

/// What was wrong, and what to send.
fn instead(wrong: impl Into<String>) -> String {
    let WireVersion { major, minor } = WIRE_VERSION;
    format!(
        "{}\nBegin with {{\"attach\": {{\"version\": {{\"major\": {major}, \"minor\": {minor}}}, \"front_end\": {{\"name\": \"…\"}}}}}}",
        wrong.into()
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn only_a_greeting_in_our_version_is_one() {
        let version = |major| json!({"major": major, "minor": 7});
        let good = json!({"attach": {"version": version(1), "front_end": {"name": "log"}}});
        let handshake = Handshake { front_end: FrontEnd::watching("log"), whole_answers: false };
        assert_eq!(read(&good.to_string()), Ok(handshake));
        for (line, part) in [
            ("{".to_owned(), "Cannot parse"),
            ("[]".to_owned(), "Begin with {\"attach\": {\"version\": {\"major\": 1, \"minor\": 0}"),
            (json!({"command": {"id": 1, "command": "interrupt"}}).to_string(), "who the front end is"),
            (json!({"attach": {"version": version(2), "visitor": "log"}}).to_string(), "version 2.7"),
            (json!({"attach": {"version": version(2), "visitor": "log"}}).to_string(), "version 1.0"),
        ] {
            let message = read(&line).unwrap_err();
            assert!(message.contains(part), "{line} said {message}");
        }
    }
}
