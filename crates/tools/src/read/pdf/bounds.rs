//! What may be unpacked: a few bytes of a PDF can stand for gigabytes.

use std::io::Read;

use flate2::read::ZlibDecoder;
use hayro_syntax::Filter;
use hayro_syntax::object::dict::keys::{
    DESCENDANT_FONTS, FONT_DESC, FONT_FILE, FONT_FILE2, FONT_FILE3, TO_UNICODE,
};
use hayro_syntax::object::{Array, Dict, Stream};

use super::PdfError;

/// Bytes that one stream may have when it is unpacked.
const MAX_STREAM: u64 = 64 * 1024 * 1024;
/// Bytes that all lists of objects may have together: they are kept.
const MAX_OBJECTS: u64 = 256 * 1024 * 1024;
/// No byte of a deflated stream stands for more than these.
const DEFLATE: u64 = 1032;
/// The same for LZW.
const LZW: u64 = 2600;

/// Looks at the lists of objects, which the reader unpacks by itself.
pub(super) fn check_file(bytes: &[u8]) -> Result<(), PdfError> {
    check_file_within(MAX_OBJECTS, bytes)
}

fn check_file_within(most: u64, bytes: &[u8]) -> Result<(), PdfError> {
    let mut total = 0;
    for at in [&b"/ObjStm"[..], b"/XRef"].iter().flat_map(|mark| memchr::memmem::find_iter(bytes, mark)) {
        let rest = &bytes[at..];
        let head = &rest[..rest.len().min(1024)];
        let Some(start) = memchr::memmem::find(head, b"stream") else { continue };
        let data = &rest[start + b"stream".len()..];
        let line_end = data.iter().take(2).take_while(|byte| matches!(byte, b'\r' | b'\n')).count();
        total += unpacked(&data[line_end..], most - total + 1);
        if total > most {
            return Err(PdfError::TooLarge);
        }
    }
    Ok(())
}

/// How many bytes these are when unpacked, counted no further than this.
fn unpacked(data: &[u8], most: u64) -> u64 {
    let mut counted = 0;
    let mut unpacked = ZlibDecoder::new(data).take(most);
    let mut buffer = [0; 16 * 1024];
    while let Ok(count @ 1..) = unpacked.read(&mut buffer) {
        counted += count as u64;
    }
    counted
}

/// Whether a stream can be unpacked safely.
pub(super) fn is_safe(stream: &Stream<'_>) -> bool {
    let filters = stream.filters();
    let widening = filters
        .iter()
        .filter(|filter| matches!(filter, Filter::FlateDecode | Filter::LzwDecode | Filter::RunLengthDecode));
    let widening: Vec<&Filter> = widening.collect();
    let raw = stream.raw_data();
    let length = raw.len() as u64;
    match widening.as_slice() {
        [] => true,
        [Filter::FlateDecode] if length * DEFLATE <= MAX_STREAM => true,
        // Something is packed around it, such as hex; it cannot be counted as it is.
        [Filter::FlateDecode] if filters.len() > 1 => length * 100 <= MAX_STREAM,
        [Filter::FlateDecode] => unpacked(&raw, MAX_STREAM + 1) <= MAX_STREAM,
        [_] => length * LZW <= 4 * MAX_STREAM,
        // Packed twice by something that has no need of it.
        [..] => length * DEFLATE * DEFLATE <= MAX_STREAM,
    }
}

/// Whether all streams of a font can be unpacked safely.
pub(super) fn is_safe_font(font: &Dict<'_>) -> bool {
    let below = font.get::<Array<'_>>(DESCENDANT_FONTS);
    let below = below.iter().flat_map(|fonts| fonts.iter::<Dict<'_>>());
    std::iter::once(font.clone()).chain(below).all(|font| {
        let file = font.get::<Dict<'_>>(FONT_DESC);
        let files = file.iter().flat_map(|file| {
            [FONT_FILE, FONT_FILE2, FONT_FILE3].into_iter().filter_map(|key| file.get::<Stream<'_>>(key))
        });
        files.chain(font.get::<Stream<'_>>(TO_UNICODE)).all(|stream| is_safe(&stream))
    })
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::ZlibEncoder;

    use super::*;

    #[test]
    fn lists_of_objects_are_counted_together() {
        let mut packed = ZlibEncoder::new(Vec::new(), Compression::fast());
        packed.write_all(&[b' '; 1000]).unwrap();
        let packed = packed.finish().unwrap();
        let list =
            [b"1 0 obj << /Type /ObjStm /N 1 >>\nstream\r\n", packed.as_slice(), b"\nendstream\n"].concat();
        let other = [b"2 0 obj << /Length 9 >>\nstream\n", packed.as_slice(), b"\nendstream\n"].concat();
        let both = [list.clone(), other.clone(), list.clone()].concat();
        let cut = b"3 0 obj << /Type /XRef >> stream".to_vec();
        for (bytes, most, fits) in [
            (&list, 1000, true),
            (&list, 999, false),
            (&both, 2000, true),
            (&both, 1999, false),
            (&other, 0, true),
            (&cut, 0, true),
            (&Vec::new(), 0, true),
        ] {
            assert_eq!(check_file_within(most, bytes).is_ok(), fits, "{most}");
        }
    }
}
