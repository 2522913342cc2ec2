//! The body of an answer: pieces that come one by one, and may be spoilt on the way.

use bytes::Bytes;
use futures::stream::{self, BoxStream};
use futures::{Stream, StreamExt};
use http_body_util::combinators::UnsyncBoxBody;
use http_body_util::{BodyExt, Full, StreamBody};
use hyper::body::Frame;

use super::fault::Fault;

/// The connection ends here, as if somebody had pulled the plug.
#[derive(Debug)]
pub(super) struct ConnectionCut;

impl std::fmt::Display for ConnectionCut {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("cut on purpose")
    }
}

impl std::error::Error for ConnectionCut {}

pub(super) type Body = UnsyncBoxBody<Bytes, ConnectionCut>;
pub(super) type Pieces = BoxStream<'static, Result<Bytes, ConnectionCut>>;

/// A body that is there at once.
pub(super) fn whole(bytes: impl Into<Bytes>) -> Body {
    Full::new(bytes.into()).map_err(|never| match never {}).boxed_unsync()
}

/// A body that comes in pieces.
pub(super) fn streamed(pieces: impl Stream<Item = Result<Bytes, ConnectionCut>> + Send + 'static) -> Body {
    StreamBody::new(pieces.map(|piece| piece.map(Frame::data))).boxed_unsync()
}

/// What a fault makes of a body.
pub(super) fn with_fault(fault: &Fault, pieces: Pieces) -> Pieces {
    match fault {
        Fault::CutAfter(bytes) => first(*bytes, pieces).chain(stream::once(cut())).boxed(),
        Fault::HangAfter(bytes) => first(*bytes, pieces).chain(stream::pending()).boxed(),
        Fault::Borders(size) => cut_into(*size, pieces),
        _ => pieces,
    }
}

/// Ends the connection, after what was sent before has really gone out.
pub(super) async fn cut() -> Result<Bytes, ConnectionCut> {
    flush_pause().await;
    Err(ConnectionCut)
}

/// What is not ready lets the connection send what it holds.
async fn flush_pause() {
    for _ in 0..4 {
        tokio::task::yield_now().await;
    }
}

fn first(bytes: usize, pieces: Pieces) -> Pieces {
    let left = pieces.scan(bytes, |left, piece| {
        let piece = piece.map(|bytes| bytes.slice(..bytes.len().min(*left)));
        *left -= piece.as_ref().map_or(0, Bytes::len);
        futures::future::ready(piece.as_ref().map_or(true, |bytes| !bytes.is_empty()).then_some(piece))
    });
    left.boxed()
}

fn cut_into(size: usize, pieces: Pieces) -> Pieces {
    let size = size.max(1);
    let small = pieces.flat_map(move |piece| {
        let parts: Vec<Result<Bytes, ConnectionCut>> = match piece {
            Ok(bytes) => (0..bytes.len())
                .step_by(size)
                .map(|at| Ok(bytes.slice(at..bytes.len().min(at + size))))
                .collect(),
            Err(cut) => vec![Err(cut)],
        };
        stream::iter(parts)
    });
    let flushing = small.then(|piece| async {
        flush_pause().await;
        piece
    });
    flushing.boxed()
}

/// A stream that says nothing, for as long as is wanted: comments, as a server sends them to keep a connection.
pub(super) fn huge(bytes: u64) -> Pieces {
    const LINE: &[u8] = b": still here, and nothing to say; this line is ignored by all\n";
    let block = Bytes::from(LINE.repeat(1024));
    let count = bytes.div_ceil(block.len() as u64);
    stream::iter((0..count).map(move |_| Ok(block.clone()))).boxed()
}

#[cfg(test)]
mod tests {
    use super::*;

    async fn played(fault: Fault, pieces: &[&'static str]) -> (Vec<String>, bool) {
        let pieces: Vec<Result<Bytes, ConnectionCut>> =
            pieces.iter().map(|it| Ok(Bytes::from(*it))).collect();
        let all: Vec<_> = with_fault(&fault, stream::iter(pieces).boxed()).collect().await;
        let was_cut = all.iter().any(Result::is_err);
        let texts = all.into_iter().flatten().map(|it| String::from_utf8(it.to_vec()).unwrap());
        (texts.collect(), was_cut)
    }

    #[tokio::test]
    async fn bodies_are_cut_and_divided() {
        assert_eq!(played(Fault::CutAfter(4), &["abc", "def"]).await, (vec!["abc".into(), "d".into()], true));
        assert_eq!(played(Fault::CutAfter(0), &["abc"]).await, (vec![], true));
        let (pieces, was_cut) = played(Fault::Borders(2), &["abc", "d"]).await;
        assert_eq!((pieces.join("|").as_str(), was_cut), ("ab|c|d", false));
    }

    #[tokio::test]
    async fn a_huge_body_has_at_least_its_size() {
        let size: usize =
            huge(100_000).map(|piece| piece.unwrap().len()).fold(0, |a, b| async move { a + b }).await;
        assert!(size >= 100_000);
    }
}
