//! The text of a file, and its way back to bytes: whatever is not changed keeps its bytes exactly.

use std::borrow::Cow;

/// How text is written as bytes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Encoding {
    /// UTF-8.
    Utf8,
    /// UTF-8 after its mark.
    Utf8Bom,
    /// UTF-16, little end first, after its mark.
    Utf16Le,
    /// UTF-16, big end first, after its mark.
    Utf16Be,
    /// One byte a character; any bytes at all can be read as this, and written back.
    Latin1,
}

const BOM: [u8; 3] = [0xEF, 0xBB, 0xBF];
/// How far is looked for signs of a binary file: as far as git looks.
pub const SNIFF: usize = 8 * 1024;

/// The file is no text.
#[derive(Debug, PartialEq, Eq)]
pub struct Binary;

/// A character that the file's encoding does not have.
#[derive(Debug, PartialEq, Eq)]
pub struct Unencodable(pub char);

/// Reads bytes as text; [`encode`] of the result gives the same bytes back.
pub fn decode(bytes: &[u8]) -> Result<(Encoding, String), Binary> {
    view(bytes).map(|(encoding, text)| (encoding, text.into_owned()))
}

/// The same without a copy where the bytes are the text.
pub fn view(bytes: &[u8]) -> Result<(Encoding, Cow<'_, str>), Binary> {
    if let Some(rest) = bytes.strip_prefix(&BOM)
        && let Ok(text) = str::from_utf8(rest)
    {
        return Ok((Encoding::Utf8Bom, text.into()));
    }
    for (mark, encoding) in [([0xFF, 0xFE], Encoding::Utf16Le), ([0xFE, 0xFF], Encoding::Utf16Be)] {
        if let Some(rest) = bytes.strip_prefix(&mark)
            && let Some(text) = decode_utf16(rest, encoding)
        {
            return Ok((encoding, text.into()));
        }
    }
    if bytes.iter().take(SNIFF).any(|byte| *byte == 0) {
        return Err(Binary);
    }
    match str::from_utf8(bytes) {
        Ok(text) => Ok((Encoding::Utf8, text.into())),
        Err(_) if looks_binary(bytes) => Err(Binary),
        Err(_) => Ok((Encoding::Latin1, latin1(bytes).into())),
    }
}

/// Any bytes as text, one character each.
pub fn latin1(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| char::from(*byte)).collect()
}

/// Strictly: text with half a character in it would not come back as it was.
fn decode_utf16(bytes: &[u8], encoding: Encoding) -> Option<String> {
    if !bytes.len().is_multiple_of(2) {
        return None;
    }
    let units = bytes.chunks_exact(2).map(|pair| match encoding {
        Encoding::Utf16Be => u16::from_be_bytes([pair[0], pair[1]]),
        _ => u16::from_le_bytes([pair[0], pair[1]]),
    });
    char::decode_utf16(units).collect::<Result<String, _>>().ok()
}

/// Text in an old encoding has few control characters; a compressed file has many.
fn looks_binary(bytes: &[u8]) -> bool {
    let start = &bytes[..bytes.len().min(SNIFF)];
    let control = start.iter().filter(|byte| matches!(byte, 0..=8 | 14..=26 | 28..=31 | 127)).count();
    control * 20 > start.len()
}

/// Writes text as bytes.
pub fn encode(encoding: Encoding, text: &str) -> Result<Vec<u8>, Unencodable> {
    let utf16 = |mark: [u8; 2], bytes: fn(u16) -> [u8; 2]| {
        mark.into_iter().chain(text.encode_utf16().flat_map(bytes)).collect()
    };
    Ok(match encoding {
        Encoding::Utf8 => text.as_bytes().to_vec(),
        Encoding::Utf8Bom => [&BOM, text.as_bytes()].concat(),
        Encoding::Utf16Le => utf16([0xFF, 0xFE], u16::to_le_bytes),
        Encoding::Utf16Be => utf16([0xFE, 0xFF], u16::to_be_bytes),
        Encoding::Latin1 => {
            text.chars().map(|c| u8::try_from(c).map_err(|_| Unencodable(c))).collect::<Result<_, _>>()?
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn encodings_are_told_apart() {
        for (bytes, encoding, text) in [
            (&b"a\n"[..], Encoding::Utf8, "a\n"),
            (b"", Encoding::Utf8, ""),
            ("é".as_bytes(), Encoding::Utf8, "é"),
            (b"\xEF\xBB\xBFa", Encoding::Utf8Bom, "a"),
            (b"\xFF\xFEa\0\xe9\0", Encoding::Utf16Le, "aé"),
            (b"\xFE\xFF\0a\0\xe9", Encoding::Utf16Be, "aé"),
            (b"caf\xe9", Encoding::Latin1, "café"),
            (b"\xEF\xBB\xBFcaf\xe9", Encoding::Latin1, "ï»¿café"),
        ] {
            assert_eq!(decode(bytes), Ok((encoding, text.to_owned())), "{bytes:?}");
        }
        for bytes in [&b"a\0b"[..], b"\xFF\xFEa\0b", b"\x7fELF\x01\x02\x03\xff\xfe\x01", b"\xFF\xFE\x00\xD8"]
        {
            assert_eq!(decode(bytes), Err(Binary), "{bytes:?}");
        }
        assert_eq!(encode(Encoding::Latin1, "a→b"), Err(Unencodable('→')));
    }

    proptest! {
        #[test]
        fn what_is_read_is_written_back(bytes: Vec<u8>, mark in 0usize..4) {
            let marks: [&[u8]; 4] = [b"", b"\xEF\xBB\xBF", b"\xFF\xFE", b"\xFE\xFF"];
            let bytes = [marks[mark], &bytes].concat();
            if let Ok((encoding, text)) = decode(&bytes) {
                prop_assert_eq!(encode(encoding, &text), Ok(bytes));
            }
        }
    }
}
