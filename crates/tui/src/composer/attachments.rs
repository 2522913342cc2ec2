//! What a name in the text stands for: pasted text that is too long to be looked at, and pictures.

use forelook_protocol::UserBlock;

use super::layout::layout_text;

/// A paste that takes more rows is folded.
const MAX_ROWS: usize = 8;

/// What is held, by its names.
#[derive(Debug, Default)]
pub(super) struct Attachments {
    texts: Vec<(String, String)>,
    pictures: Vec<(String, UserBlock)>,
}

/// What a name stands for.
#[derive(Clone, Copy)]
enum Attachment<'a> {
    Text(&'a str),
    Picture(&'a UserBlock),
}

/// Words, and the name behind them.
struct Piece<'a> {
    words: &'a str,
    name: &'a str,
    attachment: Option<Attachment<'a>>,
}

impl Attachments {
    /// The name that stands for this text, if it is too long to be shown in so many columns.
    pub(super) fn fold(&mut self, text: &str, width: usize) -> Option<String> {
        let lines = text.lines().count();
        // What is long in any case need not be laid out.
        let is_long = lines > MAX_ROWS || text.len() > MAX_ROWS * width * 8;
        if !is_long && layout_text(text, 0, width).rows.len() <= MAX_ROWS {
            return None;
        }
        let number = self.texts.len() + 1;
        let name = match lines {
            1 => format!("[Pasted text {number}: {} characters]", text.chars().count()),
            _ => format!("[Pasted text {number}: {lines} lines]"),
        };
        self.texts.push((name.clone(), text.to_owned()));
        Some(name)
    }

    /// The name of a picture.
    pub(super) fn picture(&mut self, picture: UserBlock) -> String {
        let name = format!("[image {}]", self.pictures.len() + 1);
        self.pictures.push((name.clone(), picture));
        name
    }

    /// The text with what names stand for. Pictures have no words: they keep their names.
    pub(super) fn unfold(&self, text: &str) -> String {
        let whole = self.pieces(text).into_iter().flat_map(|piece| match piece.attachment {
            Some(Attachment::Text(text)) => [piece.words, text],
            _ => [piece.words, piece.name],
        });
        whole.collect()
    }

    /// The same without the names of pictures: what they stand for is gone when the text comes back from the history.
    pub(super) fn words(&self, text: &str) -> String {
        let whole = self.pieces(text).into_iter().flat_map(|piece| match piece.attachment {
            Some(Attachment::Text(text)) => [piece.words, text],
            _ => [piece.words, ""],
        });
        whole.collect()
    }

    /// Words and pictures in their order.
    pub(super) fn content(&self, text: &str) -> Vec<UserBlock> {
        let mut content = Vec::new();
        let mut written = String::new();
        let close = |written: &mut String, content: &mut Vec<UserBlock>| {
            if !written.trim().is_empty() {
                content.push(UserBlock::text(written.trim()));
            }
            written.clear();
        };
        for piece in self.pieces(text) {
            written.push_str(piece.words);
            match piece.attachment {
                Some(Attachment::Text(text)) => written.push_str(text),
                Some(Attachment::Picture(picture)) => {
                    close(&mut written, &mut content);
                    content.push(picture.clone());
                }
                None => {}
            }
        }
        close(&mut written, &mut content);
        content
    }

    /// The text in pieces. A paste may hold a name itself: each is looked for in the text alone.
    fn pieces<'a>(&'a self, text: &'a str) -> Vec<Piece<'a>> {
        let texts = self.texts.iter().map(|(name, text)| (name, Attachment::Text(text)));
        let pictures = self.pictures.iter().map(|(name, picture)| (name, Attachment::Picture(picture)));
        let places = |(name, attachment): (&'a String, Attachment<'a>)| {
            text.match_indices(name.as_str()).map(move |(at, name)| (at, name, attachment))
        };
        let mut found: Vec<_> = texts.chain(pictures).flat_map(places).collect();
        found.sort_by_key(|(at, ..)| *at);
        let (mut pieces, mut done) = (Vec::new(), 0);
        for (at, name, attachment) in found {
            pieces.push(Piece { words: &text[done..at], name, attachment: Some(attachment) });
            done = at + name.len();
        }
        pieces.push(Piece { words: &text[done..], name: "", attachment: None });
        pieces
    }
}
