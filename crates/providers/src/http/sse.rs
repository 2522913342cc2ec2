//! Server-sent events out of bytes, as they arrive.

use std::ops::ControlFlow;

/// One event may be this large; a model's answer never is.
const EVENT_LIMIT: usize = 16 << 20;

/// A buffer that grew beyond this is given back after its event.
const KEPT_CAPACITY: usize = 1 << 20;

const BOM: &[u8] = b"\xEF\xBB\xBF";

/// Why the bytes cannot be read as events.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub(super) enum DecodeError {
    #[error("one event is larger than {} MiB", EVENT_LIMIT >> 20)]
    TooLarge,
    #[error("it is not UTF-8")]
    NotText,
}

/// Cuts bytes into events. Each byte is looked at once and moved at most twice, however the bytes are cut.
///
/// Our own, and not the crate `sse-stream` (which tests compare it with): that one puts no bound on the size of an
/// event, makes two new strings an event, and hands them out one `poll` each, where we want all events of a chunk in
/// one go.
#[derive(Default)]
pub(super) struct Decoder {
    /// The beginning of a line whose end has not come.
    line: Vec<u8>,
    /// The data of the open event; its lines are joined with `\n`.
    data: Vec<u8>,
    name: Vec<u8>,
    has_data: bool,
    /// The last byte was the `\r` of a line end: an `\n` right after it belongs to it.
    after_return: bool,
    /// A line was seen: a byte order mark has no place any more.
    begun: bool,
}

impl Decoder {
    /// Takes more bytes; `each` is called with name and data of every event that is complete by them, until it breaks.
    pub(super) fn feed(
        &mut self,
        mut bytes: &[u8],
        mut each: impl FnMut(&str, &str) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, DecodeError> {
        if self.after_return && !bytes.is_empty() {
            bytes = bytes.strip_prefix(b"\n").unwrap_or(bytes);
            self.after_return = false;
        }
        while let Some(end) = bytes.iter().position(|byte| matches!(byte, b'\n' | b'\r')) {
            let (line, rest) = (&bytes[..end], &bytes[end + 1..]);
            if bytes[end] == b'\r' {
                self.after_return = rest.is_empty();
                bytes = rest.strip_prefix(b"\n").unwrap_or(rest);
            } else {
                bytes = rest;
            }
            if self.whole_line(line)? && self.dispatch(&mut each)?.is_break() {
                return Ok(ControlFlow::Break(()));
            }
        }
        self.line.extend_from_slice(bytes);
        self.bounded()?;
        Ok(ControlFlow::Continue(()))
    }

    /// No more bytes will come. A last event whose empty line is missing counts if its data is whole JSON or the
    /// `[DONE]` of some servers: those that forget the line exist, and half an event is never whole JSON.
    pub(super) fn finish(&mut self, each: impl FnMut(&str, &str) -> ControlFlow<()>) {
        if self.whole_line(b"").is_err() {
            return;
        }
        let whole = self.data.starts_with(b"{")
            && serde_json::from_slice::<serde::de::IgnoredAny>(&self.data).is_ok()
            || self.data == b"[DONE]";
        if whole {
            // What is no text is no JSON either, so this cannot fail.
            let _ = self.dispatch(each);
        }
    }

    /// A line ends with these bytes; whether it was the empty one that ends an event.
    fn whole_line(&mut self, end: &[u8]) -> Result<bool, DecodeError> {
        if self.line.is_empty() {
            return self.field(end);
        }
        let mut line = std::mem::take(&mut self.line);
        line.extend_from_slice(end);
        let ends = self.field(&line);
        if line.capacity() <= KEPT_CAPACITY {
            line.clear();
            self.line = line;
        }
        ends
    }

    fn field(&mut self, mut line: &[u8]) -> Result<bool, DecodeError> {
        if !self.begun {
            self.begun = true;
            line = line.strip_prefix(BOM).unwrap_or(line);
        }
        if line.is_empty() {
            return Ok(true);
        }
        let colon = line.iter().position(|byte| *byte == b':').unwrap_or(line.len());
        let value = line.get(colon + 1..).unwrap_or_default();
        let value = value.strip_prefix(b" ").unwrap_or(value);
        match &line[..colon] {
            b"data" => {
                if self.has_data {
                    self.data.push(b'\n');
                }
                self.has_data = true;
                self.data.extend_from_slice(value);
            }
            b"event" => {
                self.name.clear();
                self.name.extend_from_slice(value);
            }
            // Comments have no name. Ids and waiting times are for those who come back to a stream; nobody does here.
            _ => {}
        }
        self.bounded()?;
        Ok(false)
    }

    /// The open event is complete. One without data says nothing, and neither does one with empty data.
    fn dispatch(
        &mut self,
        mut each: impl FnMut(&str, &str) -> ControlFlow<()>,
    ) -> Result<ControlFlow<()>, DecodeError> {
        let flow = if self.data.is_empty() {
            ControlFlow::Continue(())
        } else {
            let name = std::str::from_utf8(&self.name).map_err(|_| DecodeError::NotText)?;
            let data = std::str::from_utf8(&self.data).map_err(|_| DecodeError::NotText)?;
            each(name, data)
        };
        self.has_data = false;
        self.name.clear();
        self.data.clear();
        if self.data.capacity() > KEPT_CAPACITY {
            self.data = Vec::new();
        }
        Ok(flow)
    }

    fn bounded(&self) -> Result<(), DecodeError> {
        let held = self.line.len() + self.data.len() + self.name.len();
        if held > EVENT_LIMIT { Err(DecodeError::TooLarge) } else { Ok(()) }
    }
}

#[cfg(test)]
mod tests {
    use futures::{FutureExt, StreamExt};
    use proptest::prelude::*;

    use super::*;

    type Events = Vec<(String, String)>;

    fn decode(chunks: &[&[u8]]) -> Result<Events, DecodeError> {
        let mut decoder = Decoder::default();
        let mut events = Events::new();
        let mut each = |name: &str, data: &str| {
            events.push((name.to_owned(), data.to_owned()));
            ControlFlow::Continue(())
        };
        for chunk in chunks {
            let _ = decoder.feed(chunk, &mut each)?;
        }
        decoder.finish(&mut each);
        Ok(events)
    }

    fn check(bytes: &str, expect: &[(&str, &str)]) {
        let expect: Events = expect.iter().map(|(n, d)| ((*n).to_owned(), (*d).to_owned())).collect();
        assert_eq!(decode(&[bytes.as_bytes()]), Ok(expect.clone()), "in one piece: {bytes:?}");
        for at in 0..=bytes.len() {
            let (left, right) = bytes.as_bytes().split_at(at);
            assert_eq!(decode(&[left, right]), Ok(expect.clone()), "cut at {at}: {bytes:?}");
        }
        let single: Vec<&[u8]> = bytes.as_bytes().chunks(1).collect();
        assert_eq!(decode(&single), Ok(expect), "byte by byte: {bytes:?}");
    }

    #[test]
    fn every_form_of_line_and_field_is_read_however_it_is_cut() {
        check("data: a\n\ndata: b\n\n", &[("", "a"), ("", "b")]);
        check("event: x\r\ndata: a\r\n\r\ndata: b\r\n\r\n", &[("x", "a"), ("", "b")]);
        check("data: a\r\rdata: b\r\r", &[("", "a"), ("", "b")]);
        check("\u{FEFF}data: a\n\n", &[("", "a")]);
        check("\u{FEFF}: hello\n\ndata: a\n\n", &[("", "a")]);
        check(": ping\n\n:\n\ndata: a\n: between\n\n", &[("", "a")]);
        check("data:a\n\ndata:  b\n\n", &[("", "a"), ("", " b")]);
        check("data: a\ndata:\ndata: b\n\n", &[("", "a\n\nb")]);
        check("id: 7\nretry: 10\nfoo: bar\ndata: ü漢😀\n\n", &[("", "ü漢😀")]);
        check("event: x\nevent: y\ndata: a\n\n", &[("y", "a")]);
        check("event: x\n\ndata: a\n\n", &[("", "a")]);
        check("data\n\ndata:\n\n\n\n", &[]);
        check("data: a:b\n\n", &[("", "a:b")]);
    }

    #[test]
    fn a_last_event_without_its_empty_line_counts_only_if_it_is_whole() {
        check("data: {\"a\":1}", &[("", "{\"a\":1}")]);
        check("data: {\"a\":1}\n", &[("", "{\"a\":1}")]);
        check("data: [DONE]", &[("", "[DONE]")]);
        check("data: {\"a\":", &[]);
        check("data: 12", &[]);
        check("dat", &[]);
    }

    #[test]
    fn nothing_is_read_after_a_break() {
        let mut seen = 0;
        let flow = Decoder::default().feed(b"data: a\n\ndata: b\n\n", |_, _| {
            seen += 1;
            ControlFlow::Break(())
        });
        assert_eq!((flow, seen), (Ok(ControlFlow::Break(())), 1));
    }

    #[test]
    fn what_is_no_text_or_has_no_end_is_refused() {
        assert_eq!(decode(&[b"data: \xFF\n\n"]), Err(DecodeError::NotText));
        let piece = vec![b'a'; 1 << 20];
        let endless: Vec<&[u8]> =
            std::iter::once(b"data: ".as_slice()).chain(std::iter::repeat_n(piece.as_slice(), 17)).collect();
        assert_eq!(decode(&endless), Err(DecodeError::TooLarge));
        let many_lines = b"data: aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n".repeat(1 << 14);
        let lines: Vec<&[u8]> = std::iter::repeat_n(many_lines.as_slice(), 20).collect();
        assert_eq!(decode(&lines), Err(DecodeError::TooLarge));
    }

    proptest! {
        /// The crate that we do not use is still a second opinion.
        #[test]
        fn another_decoder_reads_the_same(
            lines in prop::collection::vec("(data|event|id|:|x)?(: ?)?[a-zü漢 :]{0,6}", 0..12),
            ends in prop::collection::vec("(\n|\r\n|\r)", 12),
            cut in 1usize..9,
        ) {
            let mut text: String = lines.iter().zip(&ends).map(|(line, end)| format!("{line}{end}")).collect();
            text.push_str("\n\n");
            let chunks: Vec<&[u8]> = text.as_bytes().chunks(cut).collect();
            let theirs = sse_stream::SseByteStream::new(futures::stream::iter(
                chunks.iter().map(|chunk| Ok::<_, std::io::Error>(*chunk)),
            ));
            let theirs: Events = theirs.collect::<Vec<_>>().now_or_never().unwrap()
                .into_iter()
                .map(Result::unwrap)
                .filter_map(|event| Some((event.event.unwrap_or_default(), event.data?)))
                .filter(|(_, data)| !data.is_empty())
                .collect();
            prop_assert_eq!(decode(&chunks), Ok(theirs));
        }
    }
}
