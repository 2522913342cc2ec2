//! Entries on the wire: names, order, and what an older or newer version wrote.

use super::{Entry, EntryBody};

const ID: &str = "01890a5d-ac96-774b-bcce-b302099a8057";

#[test]
fn a_line_survives_reading_and_writing() {
    let line = format!(
        r#"{{"id":"{ID}","parent":null,"time":"2026-01-02T03:04:05Z","kind":"model_changed","data":{{"model":"a/b"}}}}"#
    );
    let entry = Entry::parse(&line).unwrap();
    assert!(matches!(&entry.body, EntryBody::ModelChanged(set) if set.model == "a/b"));
    assert_eq!(serde_json::to_string(&entry).unwrap(), line);
}

#[test]
fn an_unknown_kind_is_kept_to_the_letter() {
    let line = format!(
        r#"{{"id":"{ID}","parent":"{ID}","time":"2026-01-02T03:04:05Z","agent":"a","kind":"telepathy","data":{{"x": [1,  2.50]}}}}"#
    );
    let entry = Entry::parse(&line).unwrap();
    assert_eq!(entry.body.kind(), "telepathy");
    assert_eq!(serde_json::to_string(&entry).unwrap(), line);
}

#[test]
fn unknown_fields_of_a_known_kind_are_passed_over() {
    let line = format!(
        r#"{{"id":"{ID}","parent":null,"time":"2026-01-02T03:04:05Z","mood":"good","kind":"model_changed","data":{{"model":"a/b","why":"x"}}}}"#
    );
    assert!(Entry::parse(&line).is_ok());
}

#[test]
fn data_that_does_not_fit_names_the_kind() {
    let line = format!(
        r#"{{"id":"{ID}","parent":null,"time":"2026-01-02T03:04:05Z","kind":"mode_changed","data":{{"mode_state":"warp"}}}}"#
    );
    assert!(Entry::parse(&line).unwrap_err().to_string().contains("kind `mode_changed`"));
}
