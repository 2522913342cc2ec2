//! The wire by which tests ask scripted models.

use std::str::FromStr;

/// A form of wire, and where it is spoken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TestWire {
    /// `anthropic`, `responses` or `chat`.
    pub form: String,
    /// The address, without a slash at its end.
    pub base: String,
}

/// It has another form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NoWire;

impl FromStr for TestWire {
    type Err = NoWire;

    fn from_str(text: &str) -> Result<Self, NoWire> {
        let (form, base) = text.split_once('=').ok_or(NoWire)?;
        let known = ["anthropic", "responses", "chat"].contains(&form);
        let is_address = base.starts_with("http://") || base.starts_with("https://");
        let wire = || Self { form: form.to_owned(), base: base.trim_end_matches('/').to_owned() };
        (known && is_address).then(wire).ok_or(NoWire)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_wire_is_a_form_and_an_address() {
        let wire = |form: &str, base: &str| Ok(TestWire { form: form.to_owned(), base: base.to_owned() });
        assert_eq!("chat=http://127.0.0.1:80/".parse(), wire("chat", "http://127.0.0.1:80"));
        assert_eq!("anthropic=https://h".parse(), wire("anthropic", "https://h"));
        for text in ["", "chat", "chat=", "chat=127.0.0.1:80", "telex=http://h", "=http://h"] {
            assert_eq!(text.parse::<TestWire>(), Err(NoWire), "{text}");
        }
    }
}
