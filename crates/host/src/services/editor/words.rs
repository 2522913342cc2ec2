//! Splits a command as a shell would: blanks outside of quotes separate, quotes and backslashes keep together. Nothing is
//! expanded.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt as _;

/// The words of a command; an error if a quote is not closed.
pub(super) fn split(command: &[u8]) -> Result<Vec<OsString>, &'static str> {
    let mut words = Vec::new();
    let mut word: Option<Vec<u8>> = None;
    let mut bytes = command.iter().copied();
    while let Some(byte) = bytes.next() {
        match byte {
            b' ' | b'\t' | b'\n' => words.extend(word.take().map(OsString::from_vec)),
            b'\'' => single_quoted(&mut bytes, word.get_or_insert_default())?,
            b'"' => double_quoted(&mut bytes, word.get_or_insert_default())?,
            b'\\' => word.get_or_insert_default().push(bytes.next().ok_or("it ends with a backslash")?),
            byte => word.get_or_insert_default().push(byte),
        }
    }
    words.extend(word.map(OsString::from_vec));
    Ok(words)
}

fn single_quoted(bytes: &mut impl Iterator<Item = u8>, word: &mut Vec<u8>) -> Result<(), &'static str> {
    loop {
        match bytes.next().ok_or("a quote `'` is not closed")? {
            b'\'' => return Ok(()),
            byte => word.push(byte),
        }
    }
}

fn double_quoted(bytes: &mut impl Iterator<Item = u8>, word: &mut Vec<u8>) -> Result<(), &'static str> {
    let open = "a quote `\"` is not closed";
    loop {
        match bytes.next().ok_or(open)? {
            b'"' => return Ok(()),
            b'\\' => {
                let next = bytes.next().ok_or(open)?;
                // Before anything else a backslash in double quotes is only a backslash.
                if !matches!(next, b'"' | b'\\' | b'$' | b'`') {
                    word.push(b'\\');
                }
                word.push(next);
            }
            byte => word.push(byte),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn as_a_shell_would() {
        for (command, expected) in [
            ("vim", Ok(&["vim"][..])),
            ("  code   --new-window\t-r\n", Ok(&["code", "--new-window", "-r"])),
            (r#""/opt/My Editor/bin/ed" -f"#, Ok(&["/opt/My Editor/bin/ed", "-f"])),
            (r"/opt/My\ Editor/ed", Ok(&["/opt/My Editor/ed"])),
            (r#"emacsclient -a '' -e "(x \"y\" \z)""#, Ok(&["emacsclient", "-a", "", "-e", r#"(x "y" \z)"#])),
            (r"a'b'c", Ok(&["abc"])),
            ("", Ok(&[])),
            ("$HOME/ed ~/x", Ok(&["$HOME/ed", "~/x"])),
            ("'open", Err("a quote `'` is not closed")),
            ("\"open", Err("a quote `\"` is not closed")),
            ("x\\", Err("it ends with a backslash")),
        ] {
            let expected = expected.map(|words| words.iter().map(OsString::from).collect::<Vec<_>>());
            assert_eq!(split(command.as_bytes()), expected, "{command}");
        }
    }
}
