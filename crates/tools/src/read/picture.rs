//! Pictures, made small enough for models.

use std::io::Cursor;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use forelook_protocol::UserBlock;
use image::codecs::jpeg::JpegEncoder;
use image::imageops::FilterType;
use image::metadata::Orientation;
use image::{DynamicImage, ImageDecoder, ImageFormat, ImageReader, Limits};
use tokio_util::sync::CancellationToken;

use crate::typed::Picture;

/// The longest side that models look at; what is larger they scale down themselves, after it was paid for.
const MAX_SIDE: u32 = 1568;
/// Bytes of a picture: in base64 they stay below 5 MB, where providers draw the line.
const MAX_BYTES: usize = 3_750_000;
/// Memory that the pixels of one picture may take.
const MAX_DECODED: u64 = 256 * 1024 * 1024;

/// A picture for the model, and what became of it.
#[derive(Debug)]
pub(super) struct PreparedPicture {
    pub(super) picture: Picture,
    pub(super) name: &'static str,
    /// Width and height of what is in the file.
    pub(super) size: (u32, u32),
    /// Width and height of what is shown, if that is something else.
    pub(super) scaled: Option<(u32, u32)>,
}

/// Why a picture is not shown.
#[derive(Debug, thiserror::Error)]
pub(super) enum PictureError {
    /// It would fill the memory.
    #[error("{0}×{1} pixels are too many to decode")]
    TooLarge(u32, u32),
    /// It cannot be decoded.
    #[error("it is broken: {0}")]
    Broken(String),
    /// The turn was interrupted.
    #[error("interrupted")]
    Interrupted,
}

/// Why something that was sent as a picture is none.
#[derive(Debug, thiserror::Error)]
pub enum NoPicture {
    /// Its text cannot be read.
    #[error("the data of an image is not base64")]
    NotBase64,
    /// It is something else.
    #[error("an image is not a PNG, JPEG, GIF or WebP file")]
    OtherKind,
    /// It cannot be decoded.
    #[error("an image cannot be decoded: {0}")]
    Undecodable(String),
}

/// The picture that these bytes are, small enough for models.
pub fn picture(bytes: &[u8]) -> Result<UserBlock, NoPicture> {
    let kind = kind(bytes).ok_or(NoPicture::OtherKind)?;
    let shown = show(bytes, kind, &CancellationToken::new());
    let Picture { media_type, data } =
        shown.map_err(|error| NoPicture::Undecodable(error.to_string()))?.picture;
    Ok(UserBlock::Image { media_type, data })
}

/// The same of a picture as base64. What it is called does not count: a service looks at the bytes, and refuses the whole
/// conversation if they are something else.
pub fn picture_from_base64(data: &str) -> Result<UserBlock, NoPicture> {
    picture(&STANDARD.decode(data).map_err(|_| NoPicture::NotBase64)?)
}

/// The kind of picture that these bytes are, by what they begin with, not by a name.
pub(super) fn kind(bytes: &[u8]) -> Option<ImageFormat> {
    let format = image::guess_format(bytes).ok()?;
    known(format).map(|_| format)
}

/// Its name and media type.
fn known(format: ImageFormat) -> Option<(&'static str, &'static str)> {
    Some(match format {
        ImageFormat::Png => ("PNG", "image/png"),
        ImageFormat::Jpeg => ("JPEG", "image/jpeg"),
        ImageFormat::Gif => ("GIF", "image/gif"),
        ImageFormat::WebP => ("WebP", "image/webp"),
        _ => return None,
    })
}

/// Makes a picture of the bytes of a file. They are always decoded, also when they can be sent as they are: a broken
/// picture in a conversation makes every later request fail.
pub(super) fn show(
    bytes: &[u8],
    format: ImageFormat,
    cancel: &CancellationToken,
) -> Result<PreparedPicture, PictureError> {
    show_within(MAX_BYTES, bytes, format, cancel)
}

/// The same with another number of bytes that are allowed.
fn show_within(
    max_bytes: usize,
    bytes: &[u8],
    format: ImageFormat,
    cancel: &CancellationToken,
) -> Result<PreparedPicture, PictureError> {
    let (name, media_type) = known(format).unwrap_or(("unknown", "application/octet-stream"));
    let (image, orientation) = decode(bytes, format)?;
    let size = (image.width(), image.height());
    let longest = size.0.max(size.1);
    if longest <= MAX_SIDE && bytes.len() <= max_bytes {
        return Ok(PreparedPicture { picture: encoded(media_type, bytes), name, size, scaled: None });
    }
    let mut image = smaller(image, MAX_SIDE, cancel)?;
    image.apply_orientation(orientation);
    let size = if turned(orientation) { (size.1, size.0) } else { size };
    let (media_type, bytes) = encode(&mut image, format, max_bytes, cancel)?;
    let scaled = Some((image.width(), image.height())).filter(|scaled| *scaled != size);
    Ok(PreparedPicture { picture: encoded(media_type, &bytes), name, size, scaled })
}

fn encoded(media_type: &str, bytes: &[u8]) -> Picture {
    Picture { media_type: media_type.to_owned(), data: STANDARD.encode(bytes) }
}

fn turned(orientation: Orientation) -> bool {
    use Orientation::{Rotate90, Rotate90FlipH, Rotate270, Rotate270FlipH};
    matches!(orientation, Rotate90 | Rotate270 | Rotate90FlipH | Rotate270FlipH)
}

fn decode(bytes: &[u8], format: ImageFormat) -> Result<(DynamicImage, Orientation), PictureError> {
    let mut reader = ImageReader::with_format(Cursor::new(bytes), format);
    let mut limits = Limits::no_limits();
    // The pixels, and what a decoder needs beside them.
    limits.max_alloc = Some(2 * MAX_DECODED);
    reader.limits(limits);
    let broken = |error: image::ImageError| PictureError::Broken(error.to_string());
    let mut decoder = reader.into_decoder().map_err(broken)?;
    let (width, height) = decoder.dimensions();
    if decoder.total_bytes() > MAX_DECODED {
        return Err(PictureError::TooLarge(width, height));
    }
    let orientation = decoder.orientation().unwrap_or(Orientation::NoTransforms);
    let image = DynamicImage::from_decoder(decoder).map_err(|error| match error {
        image::ImageError::Limits(_) => PictureError::TooLarge(width, height),
        error => broken(error),
    })?;
    Ok((image, orientation))
}

/// The picture with no side longer than this.
fn smaller(image: DynamicImage, side: u32, cancel: &CancellationToken) -> Result<DynamicImage, PictureError> {
    if cancel.is_cancelled() {
        return Err(PictureError::Interrupted);
    }
    let longest = image.width().max(image.height());
    if longest <= side {
        return Ok(image);
    }
    // A quick and rough step first: the fine one takes time by the pixel, and what it would see more is lost anyway.
    let image = if longest > 4 * side { image.thumbnail(2 * side, 2 * side) } else { image };
    Ok(image.resize(side, side, FilterType::CatmullRom))
}

/// As PNG where that is small enough (text and lines stay sharp), else as JPEG.
fn encode(
    image: &mut DynamicImage,
    format: ImageFormat,
    max_bytes: usize,
    cancel: &CancellationToken,
) -> Result<(&'static str, Vec<u8>), PictureError> {
    let broken = |error: image::ImageError| PictureError::Broken(error.to_string());
    if format != ImageFormat::Jpeg {
        let mut out = Cursor::new(Vec::new());
        eight_bits(image).write_to(&mut out, ImageFormat::Png).map_err(broken)?;
        let out = out.into_inner();
        if out.len() <= max_bytes {
            return Ok(("image/png", out));
        }
    }
    loop {
        if cancel.is_cancelled() {
            return Err(PictureError::Interrupted);
        }
        let mut out = Vec::new();
        let flat = on_white(image);
        JpegEncoder::new_with_quality(&mut out, 85).encode_image(&flat).map_err(broken)?;
        if out.len() <= max_bytes || image.width().max(image.height()) < 64 {
            return Ok(("image/jpeg", out));
        }
        let half = image.width().max(image.height()) / 2;
        *image = smaller(std::mem::take(image), half, cancel)?;
    }
}

/// Sixteen bits a colour are twice the bytes for nothing that a model could see.
fn eight_bits(image: &DynamicImage) -> DynamicImage {
    match image.color().has_alpha() {
        true => image.to_rgba8().into(),
        false => image.to_rgb8().into(),
    }
}

/// Without transparency, which JPEG does not have.
fn on_white(image: &DynamicImage) -> DynamicImage {
    if !image.color().has_alpha() {
        return image.to_rgb8().into();
    }
    let pixels = image.to_rgba8();
    let mut flat = image::RgbImage::new(pixels.width(), pixels.height());
    for (to, from) in flat.pixels_mut().zip(pixels.pixels()) {
        let [red, green, blue, alpha] = from.0.map(u32::from);
        let over =
            |colour: u32| u8::try_from((colour * alpha + 255 * (255 - alpha)) / 255).unwrap_or(u8::MAX);
        to.0 = [over(red), over(green), over(blue)];
    }
    flat.into()
}

#[cfg(test)]
mod tests {
    use image::{GenericImageView, Rgba, RgbaImage};

    use super::*;

    /// Noise, which cannot be packed, beside a part that is transparent.
    fn noise() -> DynamicImage {
        let mut seed = 1u32;
        let mut next = || {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (seed >> 24) as u8
        };
        let noise = RgbaImage::from_fn(200, 100, |x, _| match x {
            0..50 => Rgba([0, 0, 0, 0]),
            _ => Rgba([next(), next(), next(), 255]),
        });
        noise.into()
    }

    #[test]
    fn what_has_too_many_bytes_is_packed_tighter() {
        let mut png = Cursor::new(Vec::new());
        noise().write_to(&mut png, ImageFormat::Png).unwrap();
        let png = png.into_inner();
        for (max_bytes, media_type, size) in [
            (png.len(), "image/png", (200, 100)),
            (png.len() / 2, "image/jpeg", (200, 100)),
            (png.len() / 10, "image/jpeg", (100, 50)),
        ] {
            let shown = show_within(max_bytes, &png, ImageFormat::Png, &CancellationToken::new()).unwrap();
            let bytes = STANDARD.decode(&shown.picture.data).unwrap();
            assert!(bytes.len() <= max_bytes, "{} over {max_bytes}", bytes.len());
            let image = image::load_from_memory(&bytes).unwrap();
            assert_eq!((shown.picture.media_type.as_str(), image.dimensions()), (media_type, size));
            let corner = image.get_pixel(4, 4).0;
            assert!(
                media_type == "image/png" || corner[..3].iter().all(|colour| *colour > 240),
                "{corner:?}"
            );
        }
    }

    #[test]
    fn an_interrupt_ends_the_work() {
        let cancel = CancellationToken::new();
        cancel.cancel();
        let mut png = Cursor::new(Vec::new());
        noise().write_to(&mut png, ImageFormat::Png).unwrap();
        let shown = show_within(9, &png.into_inner(), ImageFormat::Png, &cancel);
        assert!(matches!(shown, Err(PictureError::Interrupted)));
    }
}
