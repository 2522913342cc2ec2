//! What a page writes, glyph by glyph.

use std::sync::Arc;

use hayro_font::hayro_cmap::BfString;
use hayro_font::kurbo::{Affine, Point, Vec2};
use hayro_font::{CMapResolverFn, Font, FontCache, FontGlyph, FontQuery, FontResolverFn, UNITS_PER_EM};
use hayro_syntax::content::TypedIter;
use hayro_syntax::content::ops::TypedInstruction;
use hayro_syntax::object::dict::keys::{CONTENTS, FORM, MATRIX, RESOURCES, SUBTYPE};
use hayro_syntax::object::{Array, Name, Object, ObjectIdentifier, Stream};
use hayro_syntax::page::{Page, Resources};
use tokio_util::sync::CancellationToken;

use super::layout::{GlyphBox, Layout};
use super::{PdfError, bounds};

/// Forms inside forms.
const MAX_DEPTH: usize = 12;
/// States that are put aside.
const MAX_STATES: usize = 256;
/// Operations of one page; what goes on longer is no text.
const MAX_OPERATIONS: usize = 2_000_000;
/// Forms that one page draws, one in the other or one after the other.
const MAX_FORMS: usize = 10_000;
/// Text of one page.
const MAX_TEXT: usize = 4 * 1024 * 1024;

/// The text of a page.
pub(super) fn page_text<'a>(
    page: &Page<'a>,
    fonts: &FontCache<'a>,
    stop: &CancellationToken,
) -> Result<String, PdfError> {
    let whole = page.raw().get::<Stream<'_>>(CONTENTS);
    let parts = page.raw().get::<Array<'_>>(CONTENTS);
    let mut streams = whole.into_iter().chain(parts.iter().flat_map(|parts| parts.iter::<Stream<'_>>()));
    if !streams.all(|stream| bounds::is_safe(&stream)) {
        return Err(PdfError::TooLarge);
    }
    let mut writer = ContentReader {
        fonts,
        stop,
        font_files: Arc::new(|query| match query {
            FontQuery::Standard(font) => Some(font.get_font_data()),
            FontQuery::Fallback(query) => Some(query.pick_standard_font().get_font_data()),
        }),
        cmaps: Arc::new(|_| None),
        layout: Layout::default(),
        state: TextState::default(),
        saved: Vec::new(),
        inside: Vec::new(),
        forms: 0,
        operations: 0,
        written: 0,
    };
    writer.run(page.typed_operations(), page.resources())?;
    Ok(writer.layout.finish())
}

#[derive(Clone)]
struct TextState<'a> {
    page: Affine,
    font: Option<Font<'a>>,
    size: f64,
    character_space: f64,
    word_space: f64,
    /// 1 unless letters are made wider or narrower.
    scale: f64,
    leading: f64,
    matrix: Affine,
    line: Affine,
}

impl Default for TextState<'_> {
    fn default() -> Self {
        Self {
            page: Affine::IDENTITY,
            font: None,
            size: 1.0,
            character_space: 0.0,
            word_space: 0.0,
            scale: 1.0,
            leading: 0.0,
            matrix: Affine::IDENTITY,
            line: Affine::IDENTITY,
        }
    }
}

impl TextState<'_> {
    fn next_line(&mut self, x: f64, y: f64) {
        self.line *= Affine::translate((x, y));
        self.matrix = self.line;
    }

    fn advance(&mut self, by: f64, horizontal: bool) {
        let by = if horizontal { Vec2::new(by * self.scale, 0.0) } else { Vec2::new(0.0, by) };
        self.matrix *= Affine::translate(by);
    }
}

/// Follows the operations of a page that have to do with text.
struct ContentReader<'a, 'f> {
    fonts: &'f FontCache<'a>,
    stop: &'f CancellationToken,
    font_files: FontResolverFn,
    cmaps: CMapResolverFn,
    layout: Layout,
    state: TextState<'a>,
    saved: Vec<TextState<'a>>,
    /// The forms that are being drawn: none of them is drawn inside itself.
    inside: Vec<ObjectIdentifier>,
    forms: usize,
    operations: usize,
    written: usize,
}

impl<'a> ContentReader<'a, '_> {
    fn run(&mut self, mut operations: TypedIter<'_>, resources: &Resources<'a>) -> Result<(), PdfError> {
        while let Some(operation) = operations.next() {
            self.operations += 1;
            if self.operations.is_multiple_of(1024) && self.stop.is_cancelled() {
                return Err(PdfError::Stopped);
            }
            if self.operations > MAX_OPERATIONS || self.written > MAX_TEXT {
                return Ok(());
            }
            match operation {
                TypedInstruction::XObject(form) if self.inside.len() < MAX_DEPTH => {
                    if let Some(stream) = resources.get_x_object(form.0) {
                        self.form(&stream, resources)?;
                    }
                }
                TypedInstruction::TextFont(font) => {
                    self.state.size = font.1.as_f64();
                    self.state.font = self.font(font.0, resources);
                }
                operation => self.operation(&operation),
            }
        }
        Ok(())
    }

    fn operation(&mut self, operation: &TypedInstruction<'_, '_>) {
        let state = &mut self.state;
        match operation {
            TypedInstruction::SaveState(_) if self.saved.len() < MAX_STATES => self.saved.push(state.clone()),
            TypedInstruction::RestoreState(_) => *state = self.saved.pop().unwrap_or_else(|| state.clone()),
            TypedInstruction::Transform(m) => {
                state.page *= Affine::new([&m.0, &m.1, &m.2, &m.3, &m.4, &m.5].map(|it| it.as_f64()));
            }
            TypedInstruction::BeginText(_) => (state.matrix, state.line) = Default::default(),
            TypedInstruction::SetTextMatrix(m) => {
                state.line = Affine::new([&m.0, &m.1, &m.2, &m.3, &m.4, &m.5].map(|it| it.as_f64()));
                state.matrix = state.line;
            }
            TypedInstruction::CharacterSpacing(space) => state.character_space = space.0.as_f64(),
            TypedInstruction::WordSpacing(space) => state.word_space = space.0.as_f64(),
            TypedInstruction::HorizontalScaling(percent) => state.scale = percent.0.as_f64() / 100.0,
            TypedInstruction::TextLeading(leading) => state.leading = leading.0.as_f64(),
            TypedInstruction::NextLine(by) => state.next_line(by.0.as_f64(), by.1.as_f64()),
            TypedInstruction::NextLineAndSetLeading(by) => {
                state.leading = -by.1.as_f64();
                state.next_line(by.0.as_f64(), by.1.as_f64());
            }
            TypedInstruction::NextLineUsingLeading(_) => state.next_line(0.0, -state.leading),
            TypedInstruction::NextLineAndShowText(text) => {
                state.next_line(0.0, -state.leading);
                self.show(text.0.as_bytes());
            }
            TypedInstruction::ShowTextWithParameters(text) => {
                (state.word_space, state.character_space) = (text.0.as_f64(), text.1.as_f64());
                state.next_line(0.0, -state.leading);
                self.show(text.2.as_bytes());
            }
            TypedInstruction::ShowText(text) => self.show(text.0.as_bytes()),
            TypedInstruction::ShowTexts(texts) => self.show_all(texts.0),
            _ => {}
        }
    }

    fn font(&self, name: &Name<'_>, resources: &Resources<'a>) -> Option<Font<'a>> {
        let font = resources.get_font(name).filter(bounds::is_safe_font)?;
        self.fonts.font(&font, &self.font_files, &self.cmaps)
    }

    /// Something that is drawn as a page of its own.
    fn form(&mut self, stream: &Stream<'a>, around: &Resources<'a>) -> Result<(), PdfError> {
        let dict = stream.dict();
        let id = stream.obj_id();
        let is_form = dict.get::<Name<'_>>(SUBTYPE).as_deref() == Some(FORM);
        if !is_form || self.inside.contains(&id) || self.forms == MAX_FORMS {
            return Ok(());
        }
        if !bounds::is_safe(stream) {
            return Err(PdfError::TooLarge);
        }
        let Ok(data) = stream.decoded_data() else { return Ok(()) };
        let own = dict.get(RESOURCES).map(Resources::new);
        let state = self.state.clone();
        let saved = std::mem::take(&mut self.saved);
        self.state.page *= dict.get::<[f64; 6]>(MATRIX).map_or(Affine::IDENTITY, Affine::new);
        self.forms += 1;
        self.inside.push(id);
        self.run(TypedIter::new(&data), own.as_ref().unwrap_or(around))?;
        self.inside.pop();
        (self.state, self.saved) = (state, saved);
        Ok(())
    }

    fn show_all(&mut self, texts: &Array<'_>) {
        for text in texts.iter::<Object<'_>>() {
            match text {
                Object::String(text) => self.show(text.as_bytes()),
                Object::Number(back) => {
                    let by = -back.as_f64() / f64::from(UNITS_PER_EM) * self.state.size;
                    let horizontal = self.state.font.as_ref().is_none_or(Font::is_horizontal);
                    self.state.advance(by, horizontal);
                }
                _ => {}
            }
        }
    }

    fn show(&mut self, bytes: &[u8]) {
        let Some(font) = self.state.font.clone() else { return };
        let horizontal = font.is_horizontal();
        let mut at = 0;
        while at < bytes.len() {
            let (code, length) = font.read_code(bytes, at);
            at += length.max(1);
            let advance = font.code_advance(code);
            let space = if code == 32 && length == 1 { self.state.word_space } else { 0.0 };
            let units = if horizontal { advance.x } else { advance.y };
            let by = units / f64::from(UNITS_PER_EM) * self.state.size;
            let start = self.state.page * self.state.matrix;
            // The glyph ends before the space that is put after it: that space may be one between words.
            self.state.advance(by, horizontal);
            let end = self.state.page * self.state.matrix * Point::ORIGIN;
            self.state.advance(self.state.character_space + space, horizontal);
            self.place(&unicode(&font, code), start, end, horizontal);
        }
    }

    fn place(&mut self, text: &str, start: Affine, end: Point, horizontal: bool) {
        let [a, b, c, d, ..] = start.as_coeffs();
        let (right, up) = (Vec2::new(a, b), Vec2::new(c, d));
        let (along, height) = if horizontal { (right, up) } else { (-up, right) };
        let (along, height) = (along.normalize(), height.hypot() * self.state.size.abs());
        let start = start * Point::ORIGIN;
        if along.is_finite() && height.is_finite() && start.is_finite() && end.is_finite() {
            self.written += text.len();
            self.layout.add(text, GlyphBox { start, end, along, height });
        }
    }
}

/// What a glyph means; the replacement character if the document does not say.
fn unicode(font: &Font<'_>, code: u32) -> String {
    let meaning = match font.glyph(font.map_code(code), code) {
        FontGlyph::Outline(glyph) => glyph.as_unicode(),
        FontGlyph::Type3(glyph) => glyph.as_unicode(),
    };
    match meaning {
        Some(BfString::Char(c)) => c.to_string(),
        Some(BfString::String(text)) => text,
        None => char::REPLACEMENT_CHARACTER.to_string(),
    }
}
