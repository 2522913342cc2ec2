//! Glyphs at places become lines of text.

use hayro_font::kurbo::{Point, Vec2};

/// A glyph on the page.
#[derive(Debug, Clone, Copy)]
pub(super) struct GlyphBox {
    pub(super) start: Point,
    pub(super) end: Point,
    /// Which way the text runs; of length 1.
    pub(super) along: Vec2,
    /// How high its letters are.
    pub(super) height: f64,
}

/// The text of a page, in the order in which it is written there.
#[derive(Debug, Default)]
pub(super) struct Layout {
    text: String,
    last: Option<(GlyphBox, char)>,
}

/// What lies between two glyphs.
#[derive(Debug, PartialEq, Eq)]
enum GlyphGap {
    None,
    Space,
    /// Wide, as between the columns of a table.
    Wide,
    Line,
    Paragraph,
    /// The same glyph at the same place once more, to make it look bold.
    Duplicate,
}

impl Layout {
    pub(super) fn add(&mut self, text: &str, placed: GlyphBox) {
        let Some(first) = text.chars().next() else { return };
        match self.last.map_or(GlyphGap::None, |(last, letter)| gap(&last, letter, &placed, first)) {
            GlyphGap::Duplicate => return,
            GlyphGap::None => {}
            GlyphGap::Space => self.space(1),
            GlyphGap::Wide => self.space(2),
            GlyphGap::Line => self.line(),
            GlyphGap::Paragraph => {
                self.line();
                self.text.push('\n');
            }
        }
        text.chars().for_each(|c| self.character(c));
        self.last = Some((placed, first));
    }

    fn character(&mut self, c: char) {
        match c {
            ' ' | '\u{a0}' | '\t' => self.space(1),
            'ﬀ' => self.text.push_str("ff"),
            'ﬁ' => self.text.push_str("fi"),
            'ﬂ' => self.text.push_str("fl"),
            'ﬃ' => self.text.push_str("ffi"),
            'ﬄ' => self.text.push_str("ffl"),
            c if c.is_control() => {}
            c => self.text.push(c),
        }
    }

    fn space(&mut self, count: usize) {
        if !self.text.is_empty() && !self.text.ends_with([' ', '\n']) {
            self.text.extend(std::iter::repeat_n(' ', count));
        }
    }

    fn line(&mut self) {
        self.text.truncate(self.text.trim_end_matches(' ').len());
        self.text.push('\n');
    }

    pub(super) fn finish(self) -> String {
        self.text
    }
}

fn gap(last: &GlyphBox, letter: char, next: &GlyphBox, first: char) -> GlyphGap {
    let height = last.height.max(next.height).max(f64::EPSILON);
    if letter == first && (next.start - last.start).hypot() < 0.1 * height {
        return GlyphGap::Duplicate;
    }
    let moved = next.start - last.end;
    let (along, across) = (moved.dot(next.along) / height, moved.cross(next.along).abs() / height);
    match (along, across) {
        (_, 2.2..) => GlyphGap::Paragraph,
        (_, 0.6..) => GlyphGap::Line,
        (..-0.8, _) => GlyphGap::Line,
        (1.5.., _) => GlyphGap::Wide,
        (0.16.., _) => GlyphGap::Space,
        _ => GlyphGap::None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_become_spaces_and_lines() {
        for (glyphs, expected) in [
            (&[("a", 0.0, 0.0), ("b", 5.0, 0.0)][..], "ab"),
            (&[("a", 0.0, 0.0), ("b", 8.0, 0.0)], "a b"),
            (&[("a", 0.0, 0.0), (" ", 5.0, 0.0), ("b", 10.0, 0.0)], "a b"),
            (&[("a", 0.0, 0.0), ("b", 90.0, 0.0)], "a  b"),
            (&[("a", 0.0, 0.0), ("b", 0.0, -12.0)], "a\nb"),
            (&[("a", 0.0, 0.0), (" ", 5.0, 0.0), ("b", 0.0, -40.0)], "a\n\nb"),
            (&[("a", 50.0, 0.0), ("b", 0.0, 0.0)], "a\nb"),
            (&[("x", 0.0, 0.0), ("2", 5.0, 4.0), ("y", 10.0, 0.0)], "x2y"),
            (&[("a", 0.0, 0.0), ("a", 0.3, 0.0), ("b", 5.3, 0.0)], "ab"),
            (&[("ﬁ", 0.0, 0.0), ("\u{0}", 5.0, 0.0)], "fi"),
        ] {
            let mut layout = Layout::default();
            for (text, x, y) in glyphs {
                let start = Point::new(*x, *y);
                let along = Vec2::new(1.0, 0.0);
                layout.add(text, GlyphBox { start, end: start + along * 5.0, along, height: 10.0 });
            }
            assert_eq!(layout.finish(), expected, "{glyphs:?}");
        }
    }
}
