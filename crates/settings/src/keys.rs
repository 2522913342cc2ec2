//! Every key a settings file may have.
//!
//! A key is a row of [`KEYS`]: reading, warnings and `docs/settings.md` follow from it. To add one,
//! add a row, a field to [`crate::Settings`], and, if a project must not set it freely, a rule in
//! [`crate::trust`].

use forelook_protocol::Mode;

/// A key of the settings.
#[derive(Debug, PartialEq, Eq)]
pub struct Key {
    /// Its name, sections joined by dots.
    pub name: &'static str,
    /// What it holds.
    pub kind: Kind,
    /// What it does.
    pub doc: &'static str,
    /// What holds without it.
    pub default: &'static str,
    /// An example value, as JSON.
    pub example: &'static str,
}

/// What a key holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// The name of a permission mode.
    Mode,
    /// A text that is not empty.
    Text,
    /// Environment variables: names with texts.
    Variables,
}

impl Kind {
    /// What it holds, in words that follow "must be".
    pub fn words(self) -> String {
        match self {
            Kind::Mode => {
                let names: Vec<String> = Mode::ALL.iter().map(|mode| format!("`{mode}`")).collect();
                format!("one of {}", names.join(", "))
            }
            Kind::Text => "a text".to_owned(),
            Kind::Variables => "an object of texts".to_owned(),
        }
    }
}

/// What a file holds for a key, checked against its kind.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Value {
    /// For [`Kind::Mode`].
    Mode(Mode),
    /// For [`Kind::Text`].
    Text(String),
    /// For [`Kind::Variables`].
    Variables(Vec<Assignment>),
}

/// One environment variable.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Assignment {
    /// Its name: not empty, without `=`.
    pub name: String,
    /// Its value.
    pub value: String,
    /// The line it stands on.
    pub line: usize,
}

impl Value {
    /// The mode, if this is one.
    pub fn as_mode(&self) -> Option<Mode> {
        if let Value::Mode(mode) = self { Some(*mode) } else { None }
    }

    /// The text, if this is one.
    pub fn as_text(&self) -> Option<&str> {
        if let Value::Text(text) = self { Some(text) } else { None }
    }

    /// The variables, if these are some.
    pub fn as_variables(&self) -> Option<&[Assignment]> {
        if let Value::Variables(variables) = self { Some(variables) } else { None }
    }
}

/// `permissions.defaultMode`
pub const DEFAULT_MODE: Key = Key {
    name: "permissions.defaultMode",
    kind: Kind::Mode,
    doc: "The permission mode in which a session starts. A project's own files may not set `auto` or `bypassPermissions`.",
    default: "`default`",
    example: r#""acceptEdits""#,
};

/// `model.main`
pub const MODEL_MAIN: Key = Key {
    name: "model.main",
    kind: Kind::Text,
    doc: "The model of the main agent, as `provider/name`.",
    default: "`FORELOOK_MODEL`, else the demo",
    example: r#""scripted/answers.toml""#,
};

/// `env`
pub const ENV: Key = Key {
    name: "env",
    kind: Kind::Variables,
    doc: "Environment variables for the commands that the model runs. Merged variable by variable. In a project's own files it does nothing until the folder is trusted; keys of model providers are left out always.",
    default: "none",
    example: r#"{"RUST_BACKTRACE": "1"}"#,
};

/// Every key, in the order of the documentation.
pub const KEYS: &[&Key] = &[&DEFAULT_MODE, &MODEL_MAIN, &ENV];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_unique_and_no_key_is_a_section() {
        for (at, key) in KEYS.iter().enumerate() {
            for other in &KEYS[at + 1..] {
                assert_ne!(key.name, other.name);
                assert!(!other.name.starts_with(&format!("{}.", key.name)), "{} is a section", key.name);
                assert!(!key.name.starts_with(&format!("{}.", other.name)), "{} is a section", other.name);
            }
        }
    }
}
