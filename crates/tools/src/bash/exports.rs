//! What `export -p` prints, read back.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;

/// The exported variables that have a value. Nothing if the text is anything else than what bash prints: somebody else
/// wrote into it.
pub(crate) fn parse(text: &[u8]) -> Option<BTreeMap<OsString, OsString>> {
    let mut reader = ExportParser { rest: text };
    let mut variables = BTreeMap::new();
    while !reader.rest.is_empty() {
        let is_array = reader.attributes()?;
        let name = reader.name()?;
        match reader.next()? {
            b'\n' => {}
            b'=' => {
                let value = reader.value()?;
                // Arrays are never given to a child.
                if !is_array {
                    variables.insert(name, OsString::from_vec(value));
                }
            }
            _ => return None,
        }
    }
    Some(variables)
}

/// Whether bash takes this for a variable's name.
pub(crate) fn is_name(name: &[u8]) -> bool {
    name.first().is_some_and(|first| !first.is_ascii_digit()) && name.iter().all(|byte| is_name_byte(*byte))
}

fn is_name_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

struct ExportParser<'a> {
    rest: &'a [u8],
}

impl ExportParser<'_> {
    fn next(&mut self) -> Option<u8> {
        let (first, rest) = self.rest.split_first()?;
        self.rest = rest;
        Some(*first)
    }

    fn take_while(&mut self, belongs: impl Fn(u8) -> bool) -> Vec<u8> {
        let length = self.rest.iter().position(|byte| !belongs(*byte)).unwrap_or(self.rest.len());
        let (taken, rest) = self.rest.split_at(length);
        self.rest = rest;
        taken.to_vec()
    }

    /// `declare -ax ` or, under `set -o posix`, `export `; tells whether it is an array.
    fn attributes(&mut self) -> Option<bool> {
        if let Some(rest) = self.rest.strip_prefix(b"export ") {
            self.rest = rest;
            return Some(false);
        }
        self.rest = self.rest.strip_prefix(b"declare -")?;
        let letters = self.take_while(|byte| byte.is_ascii_alphabetic());
        (self.next()? == b' ').then_some(letters.iter().any(|letter| matches!(letter, b'a' | b'A')))
    }

    fn name(&mut self) -> Option<OsString> {
        let name = self.take_while(is_name_byte);
        is_name(&name).then(|| OsString::from_vec(name))
    }

    /// A quoted word up to the end of its line.
    fn value(&mut self) -> Option<Vec<u8>> {
        let mut value = Vec::new();
        loop {
            match self.next()? {
                b'\n' => return Some(value),
                b'"' => self.double(&mut value)?,
                b'\'' => {
                    value.extend(self.take_while(|byte| byte != b'\''));
                    self.next()?;
                }
                b'$' if self.rest.first() == Some(&b'\'') => {
                    self.next()?;
                    self.ansi(&mut value)?;
                }
                b'\\' => value.push(self.next()?),
                byte => value.push(byte),
            }
        }
    }

    /// The rest of `"…"`.
    fn double(&mut self, value: &mut Vec<u8>) -> Option<()> {
        loop {
            match self.next()? {
                b'"' => return Some(()),
                b'\\' => match self.next()? {
                    byte @ (b'"' | b'\\' | b'$' | b'`') => value.push(byte),
                    byte => value.extend([b'\\', byte]),
                },
                byte => value.push(byte),
            }
        }
    }

    /// The rest of `$'…'`.
    fn ansi(&mut self, value: &mut Vec<u8>) -> Option<()> {
        loop {
            match self.next()? {
                b'\'' => return Some(()),
                b'\\' => self.escape(value)?,
                byte => value.push(byte),
            }
        }
    }

    fn escape(&mut self, value: &mut Vec<u8>) -> Option<()> {
        let byte = match self.next()? {
            b'a' => 7,
            b'b' => 8,
            b'e' | b'E' => 27,
            b'f' => 12,
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'v' => 11,
            first @ b'0'..=b'7' => self.number(u32::from(first - b'0'), 8, 2)?.try_into().ok()?,
            b'x' => self.number(0, 16, 2)?.try_into().ok()?,
            kind @ (b'u' | b'U') => {
                let c = char::from_u32(self.number(0, 16, if kind == b'u' { 4 } else { 8 })?)?;
                value.extend(c.encode_utf8(&mut [0; 4]).bytes());
                return Some(());
            }
            byte => byte,
        };
        value.push(byte);
        Some(())
    }

    /// Up to `most` further digits.
    fn number(&mut self, begin: u32, radix: u32, most: usize) -> Option<u32> {
        let mut number = begin;
        for _ in 0..most {
            let Some(digit) = self.rest.first().and_then(|byte| char::from(*byte).to_digit(radix)) else {
                break;
            };
            number = number.checked_mul(radix)?.checked_add(digit)?;
            self.next()?;
        }
        Some(number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::os::unix::ffi::OsStrExt;
    use std::process::Command;

    fn parsed(text: &str) -> Option<Vec<(String, String)>> {
        let words =
            |(name, value): (OsString, OsString)| (name.into_string().unwrap(), value.into_string().unwrap());
        Some(parse(text.as_bytes())?.into_iter().map(words).collect())
    }

    #[test]
    fn what_bash_prints_is_read_and_nothing_else() {
        for (text, expected) in [
            ("", &[][..]),
            ("declare -x A=\"1\"\ndeclare -x B\ndeclare -rx C=\"\"\n", &[("A", "1"), ("C", "")]),
            ("export A=\"1\"\n", &[("A", "1")]),
            ("declare -x A=\"a\\\"\\\\\\$\\`\\n\nb\"\n", &[("A", "a\"\\$`\\n\nb")]),
            ("declare -x A=$'a\\n\\t\\'\\\\\\E\\001\\303\\251\\u00e9'\n", &[("A", "a\n\t'\\\u{1b}\u{1}éé")]),
            ("declare -ax A=([0]=\"x\ny\" [1]=$'\\n')\ndeclare -x B='c'\n", &[("B", "c")]),
        ] {
            let expected = expected.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect();
            assert_eq!(parsed(text), Some(expected), "{text}");
        }
        for text in [
            "x",
            "declare -x A=\"1",
            "declare -x 1A=\"1\"\n",
            "declare -x A%%=\"1\"\n",
            "dbg\ndeclare -x A=\"1\"\n",
        ] {
            assert_eq!(parsed(text), None, "{text}");
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(60))]
        #[test]
        fn any_value_comes_back(value in proptest::collection::vec(1u8..=255, 0..40), locale in "C|C\\.UTF-8") {
            #[expect(clippy::disallowed_methods, reason = "what the real bash prints is the point")]
            let printed = Command::new("bash")
                .args(["-c", "export -p"])
                .env_clear()
                .env("LC_ALL", locale)
                .env("A", std::ffi::OsStr::from_bytes(&value))
                .output()
                .unwrap();
            let all = parse(&printed.stdout).unwrap();
            prop_assert_eq!(all[std::ffi::OsStr::new("A")].as_bytes(), value.as_slice());
        }
    }
}
