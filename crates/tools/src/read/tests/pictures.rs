//! Pictures, made by an encoder and then damaged.

use std::io::Cursor;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use forelook_protocol::{ResultBlock, ToolOutcome, UserBlock};
use image::{DynamicImage, ImageFormat, Rgb, RgbImage};
use serde_json::json;

use crate::testing::Bench;

pub(super) fn encoded(image: &DynamicImage, format: ImageFormat) -> Vec<u8> {
    let mut out = Cursor::new(Vec::new());
    image.write_to(&mut out, format).unwrap();
    out.into_inner()
}

pub(super) fn plain(width: u32, height: u32) -> DynamicImage {
    RgbImage::from_fn(width, height, |x, y| Rgb([(x % 256) as u8, (y % 256) as u8, 200])).into()
}

/// What was said, the media type and the bytes of the one picture.
fn shown(outcome: &ToolOutcome) -> (String, String, Vec<u8>) {
    let [ResultBlock::Text { text }, ResultBlock::Image { media_type, data }] =
        outcome.result.content.as_slice()
    else {
        panic!("{}", outcome.result.text())
    };
    assert!(data.len() < 5_000_000);
    (text.clone(), media_type.clone(), STANDARD.decode(data).unwrap())
}

#[tokio::test]
async fn pictures_are_known_by_their_content_and_come_as_they_are() {
    let mut bench = Bench::new();
    for (format, media_type, name) in [
        (ImageFormat::Png, "image/png", "PNG"),
        (ImageFormat::Jpeg, "image/jpeg", "JPEG"),
        (ImageFormat::Gif, "image/gif", "GIF"),
        (ImageFormat::WebP, "image/webp", "WebP"),
    ] {
        let bytes = encoded(&plain(40, 30), format);
        let path = bench.file("picture.txt", &bytes);
        let outcome = bench.call("Read", json!({"file_path": "picture.txt"})).await;
        let (text, found, sent) = shown(&outcome);
        assert_eq!(text, format!("`{path}` is a {name} image, 40×30 pixels"));
        assert_eq!((found.as_str(), sent), (media_type, bytes));
        assert_eq!(outcome.effects.len(), 1);
    }
    let outcome = bench.call("Read", json!({"file_path": "picture.txt", "offset": 3})).await;
    assert!(shown(&outcome).0.contains("`offset` and `limit` do not apply here"));
    // A name alone makes no picture.
    bench.file("text.png", "text\n");
    assert_eq!(bench.ok("Read", json!({"file_path": "text.png"})).await, "     1\ttext\n");
}

#[tokio::test]
async fn large_ones_are_scaled_and_keep_their_shape() {
    let mut bench = Bench::new();
    for (image, format, expected) in [
        (plain(3136, 100), ImageFormat::Png, (1568, 50, "image/png")),
        (plain(100, 7840), ImageFormat::Jpeg, (20, 1568, "image/jpeg")),
        (plain(1600, 4), ImageFormat::Gif, (1568, 4, "image/png")),
        (DynamicImage::from(plain(2000, 10).to_rgba16()), ImageFormat::Png, (1568, 8, "image/png")),
    ] {
        let path = bench.file("picture", encoded(&image, format));
        let outcome = bench.call("Read", json!({"file_path": "picture"})).await;
        let (text, media_type, sent) = shown(&outcome);
        let sent = image::load_from_memory(&sent).unwrap();
        assert_eq!((sent.width(), sent.height(), media_type.as_str()), expected, "{path}");
        assert!(text.ends_with(&format!("shown as {}×{}", expected.0, expected.1)), "{text}");
    }
}

/// A PNG whose head says that it is as large as this.
fn said_to_be(width: u32, height: u32) -> Vec<u8> {
    let mut bytes = encoded(&plain(4, 4), ImageFormat::Png);
    bytes[16..20].copy_from_slice(&width.to_be_bytes());
    bytes[20..24].copy_from_slice(&height.to_be_bytes());
    let mut sum = flate2::Crc::new();
    sum.update(&bytes[12..29]);
    bytes[29..33].copy_from_slice(&sum.sum().to_be_bytes());
    bytes
}

#[tokio::test]
async fn bombs_and_broken_pictures_are_told() {
    let mut bench = Bench::new();
    let png = encoded(&plain(64, 64), ImageFormat::Png);
    let mut wide_gif = encoded(&plain(4, 4), ImageFormat::Gif);
    wide_gif[6..10].copy_from_slice(&[0xFF; 4]);
    for (bytes, part) in [
        (said_to_be(50_000, 50_000), "50000×50000 pixels are too many to decode"),
        (said_to_be(u32::MAX >> 1, 9), "cannot be shown"),
        (said_to_be(0, 9), "cannot be shown: it is broken"),
        (wide_gif, "65535×65535 pixels are too many"),
        (png[..png.len() / 2].to_vec(), "cannot be shown: it is broken"),
        (png[..20].to_vec(), "cannot be shown: it is broken"),
        (b"\xFF\xD8\xFF\xE0nothing of the kind".to_vec(), "cannot be shown: it is broken"),
        (b"GIF89a".to_vec(), "cannot be shown: it is broken"),
        (b"RIFF\x10\0\0\0WEBPVP8 ".to_vec(), "cannot be shown: it is broken"),
    ] {
        bench.file("picture", &bytes);
        let text = bench.failure("Read", json!({"file_path": "picture"})).await;
        assert!(text.contains(part), "{text}");
    }
}

/// Whoever sends a picture with a prompt may send any bytes, under any name.
#[test]
fn what_is_sent_as_a_picture_is_decoded_and_made_small() {
    let sent = |bytes: &[u8]| crate::picture_from_base64(&STANDARD.encode(bytes));
    let png = encoded(&plain(64, 64), ImageFormat::Png);
    let shown = |bytes: &[u8]| {
        let Ok(UserBlock::Image { media_type, data }) = sent(bytes) else { panic!("no picture") };
        let bytes = STANDARD.decode(&data).unwrap();
        let image = image::load_from_memory(&bytes).unwrap();
        (media_type, image.width(), image.height(), data)
    };
    assert_eq!(shown(&png), ("image/png".into(), 64, 64, STANDARD.encode(&png)));
    let (_, width, height, _) = shown(&encoded(&plain(3136, 100), ImageFormat::Png));
    assert_eq!((width, height), (1568, 50));
    // Services take no more than so many bytes, however few pixels there are.
    let mut padded = png.clone();
    padded.resize(11_000_000, 0);
    assert!(shown(&padded).3.len() < 5_000_000);
    for (bytes, why) in [
        (&[0, 0, 0][..], "PNG, JPEG, GIF or WebP"),
        (b"", "PNG, JPEG, GIF or WebP"),
        (&png[..png.len() / 2], "cannot be decoded"),
    ] {
        let refused = sent(bytes).unwrap_err().to_string();
        assert!(refused.contains(why), "{refused}");
    }
    assert!(crate::picture_from_base64("not base64!").unwrap_err().to_string().contains("not base64"));
}
