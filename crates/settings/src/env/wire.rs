//! The wire by which tests ask scripted models.

use std::str::FromStr;

/// A form of wire, and where it is spoken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TestWire {
    /// `anthropic`, `responses` or `chat`.
    pub wire_format: String,
    /// The address, without a slash at its end.
    pub base: String,
}

/// It has another form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct InvalidTestWire;

impl FromStr for TestWire {
    type Err = InvalidTestWire;

    fn from_str(text: &str) -> Result<Self, InvalidTestWire> {
        let (wire_format, base) = text.split_once('=').ok_or(InvalidTestWire)?;
        let known = ["anthropic", "responses", "chat"].contains(&wire_format);
        let is_address = base.starts_with("http://") || base.starts_with("https://");
        let wire =
            || Self { wire_format: wire_format.to_owned(), base: base.trim_end_matches('/').to_owned() };
        (known && is_address).then(wire).ok_or(InvalidTestWire)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wire_is_a_form_and_an_address() {
        let wire = |wire_format: &str, base: &str| {
            Ok(TestWire { wire_format: wire_format.to_owned(), base: base.to_owned() })
        };
        assert_eq!("chat=http://127.0.0.1:80/".parse(), wire("chat", "http://127.0.0.1:80"));
        assert_eq!("anthropic=https://h".parse(), wire("anthropic", "https://h"));
        for text in ["", "chat", "chat=", "chat=127.0.0.1:80", "telex=http://h", "=http://h"] {
            assert_eq!(text.parse::<TestWire>(), Err(InvalidTestWire), "{text}");
        }
    }
}
