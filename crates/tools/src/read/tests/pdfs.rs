//! PDFs, written by hand: whole, empty, locked, nested without end, cut anywhere.

use std::fmt::Write as _;
use std::io::Write as _;
use std::time::Duration;

use flate2::Compression;
use flate2::write::ZlibEncoder;
use forelook_protocol::SessionEffect;
use proptest::prelude::*;
use serde_json::json;

use crate::read::lines::LineRange;
use crate::read::{ReadJob, pdf};
use crate::testing::Bench;

/// A document of these objects, numbered from 1; the first is the catalogue.
fn document(objects: &[Vec<u8>], trailer: &str) -> Vec<u8> {
    let mut out = b"%PDF-1.7\n".to_vec();
    let mut places = Vec::new();
    for (index, object) in objects.iter().enumerate() {
        places.push(out.len());
        out.extend(format!("{} 0 obj\n", index + 1).bytes());
        out.extend(object);
        out.extend(b"\nendobj\n");
    }
    let start = out.len();
    let mut end = format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1);
    for place in places {
        let _ = writeln!(end, "{place:010} 00000 n ");
    }
    let _ = write!(
        end,
        "trailer\n<< /Size {} /Root 1 0 R {trailer} >>\nstartxref\n{start}\n%%EOF\n",
        objects.len() + 1
    );
    out.extend(end.bytes());
    out
}

fn stream(dict: &str, data: &[u8]) -> Vec<u8> {
    let head = format!("<< /Length {} {dict} >>\nstream\n", data.len());
    [head.as_bytes(), data, b"\nendstream"].concat()
}

fn packed(data: &[u8]) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(data).unwrap();
    encoder.finish().unwrap()
}

/// Pages with this content and these streams, which are their resources as forms `F0`, `F1`…
fn pages_with(contents: &[Vec<u8>], forms: &[Vec<u8>], trailer: &str) -> Vec<u8> {
    let first_page = 4;
    let first_form = first_page + 2 * contents.len();
    let kids: String = (0..contents.len()).map(|at| format!("{} 0 R ", first_page + 2 * at)).collect();
    let names: String = (0..forms.len()).map(|at| format!("/F{at} {} 0 R ", first_form + at)).collect();
    let mut objects = vec![
        b"<< /Type /Catalog /Pages 2 0 R >>".to_vec(),
        format!(
            "<< /Type /Pages /Kids [{kids}] /Count {} /MediaBox [0 0 600 800] \
             /Resources << /Font << /H 3 0 R >> /XObject << {names} >> >> >>",
            contents.len()
        )
        .into_bytes(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>".to_vec(),
    ];
    for (at, content) in contents.iter().enumerate() {
        objects.push(
            format!("<< /Type /Page /Parent 2 0 R /Contents {} 0 R >>", first_page + 2 * at + 1).into_bytes(),
        );
        objects.push(content.clone());
    }
    objects.extend(forms.iter().cloned());
    document(&objects, trailer)
}

fn pages(contents: &[&str]) -> Vec<u8> {
    let contents: Vec<Vec<u8>> = contents.iter().map(|text| stream("", text.as_bytes())).collect();
    pages_with(&contents, &[], "")
}

#[tokio::test]
async fn the_text_comes_page_by_page() {
    let mut bench = Bench::new();
    let form = stream(
        "/Type /XObject /Subtype /Form /BBox [0 0 600 800] /Matrix [1 0 0 1 0 -300]",
        b"BT /H 10 Tf 50 700 Td (In a form) Tj ET",
    );
    let first = "BT /H 12 Tf 50 700 Td (Hello ) Tj (world) Tj 0 -14 Td [(kern) -20 (ed) -400 (text)] TJ \
                 14 TL (next) ' T* (Caf\\351 \\223q\\224) Tj ET q 1 0 0 1 0 0 cm /F0 Do Q BT /H 12 Tf 50 50 Td (end) Tj ET";
    let document = pages_with(
        &[
            stream("", first.as_bytes()),
            stream("/Filter /FlateDecode", &packed(b"0 0 100 100 re f")),
            stream(
                "/Filter /FlateDecode",
                &packed(b"BT /H 12 Tf 0 1 -1 0 300 100 Tm (upright) Tj 20 0 Td (  ) Tj (word) Tj ET"),
            ),
        ],
        &[form],
        "",
    );
    let path = bench.file("document", &document);
    let outcome = bench.call("Read", json!({"file_path": "document"})).await;
    let SessionEffect::FileSeen(seen) = &outcome.effects[0] else { panic!() };
    assert_eq!(seen.path, path);
    let lines = "[Page 1 of 3]\nHello world\nkerned text\nnext\nCafé “q”\n\nIn a form\n\nend\n\
                 [Page 2 of 3]\n(no text)\n[Page 3 of 3]\nupright\nword";
    let numbered: String =
        lines.lines().enumerate().map(|(at, line)| format!("{:>6}\t{line}\n", at + 1)).collect();
    assert_eq!(outcome.result.text(), numbered);
    let text = bench.ok("Read", json!({"file_path": "document", "offset": 3, "limit": 2})).await;
    assert!(text.starts_with("     3\tkerned text\n     4\tnext\n"), "{text}");
    assert!(text.ends_with("[Lines 3 to 4, up to page 1 of 3. Continue with `offset` 5.]\n"), "{text}");
    let text = bench.failure("Read", json!({"file_path": "document", "offset": 400})).await;
    assert!(text.contains("lines\n`offset` 400 is past the end"), "{text}");
}

#[tokio::test]
async fn what_cannot_be_read_is_told() {
    let mut bench = Bench::new();
    let locked = "/Encrypt << /Filter /Standard /V 1 /R 2 /P -4 /O (12345678901234567890123456789012) \
                  /U (12345678901234567890123456789012) >> /ID [(a) (b)]";
    let odd = "/Encrypt << /Filter /Standard /V 77 /R 2 /P -4 /O (1) /U (1) >> /ID [(a) (b)]";
    let text = || vec![stream("", b"BT /H 12 Tf (x) Tj ET")];
    let deep = (0..40).fold(b"x".to_vec(), |inner, _| packed(&inner));
    for (document, part) in [
        (pages(&["0 0 9 9 re f", ""]), "is a PDF of 2 pages without readable text"),
        (pages_with(&text(), &[], locked), "needs a password"),
        (pages_with(&text(), &[], odd), "unknown or broken encryption"),
        (b"%PDF-1.7\n".to_vec(), "is a broken PDF"),
        (pages(&[]), "is a broken PDF"),
        (pages_with(&[stream("/Filter /FlateDecode", b"no such thing")], &[], ""), "without readable text"),
        (
            pages_with(&[stream("/Filter /FlateDecode", &packed(&vec![b' '; 80 << 20]))], &[], ""),
            "expands to far too much",
        ),
        (
            pages_with(&[stream("/Filter [/FlateDecode /FlateDecode]", &deep)], &[], ""),
            "expands to far too much",
        ),
    ] {
        bench.file("it.pdf", &document);
        let outcome = bench.call("Read", json!({"file_path": "it.pdf"})).await;
        let text = outcome.result.text();
        assert!(outcome.result.is_error && text.contains(part), "{part}: {text}");
    }
    // What only says that it is one is text.
    bench.file("it.pdf", "text\n");
    assert_eq!(bench.ok("Read", json!({"file_path": "it.pdf"})).await, "     1\ttext\n");
    bench.file("notes.md", "The mark is\n%PDF-1.7\n");
    assert!(bench.ok("Read", json!({"file_path": "notes.md"})).await.contains("The mark is"));
}

/// Forms that draw themselves, pages that contain themselves, a thousand states, fonts that are none.
#[tokio::test]
async fn what_has_no_end_ends() {
    let mut bench = Bench::new();
    let itself = stream("/Subtype /Form /BBox [0 0 9 9]", b"/F0 Do /F0 Do /F1 Do BT /H 1 Tf (x) Tj ET");
    let forms = pages_with(&[stream("", b"/F0 Do")], &[itself.clone(), itself], "");
    let tree = document(
        &[
            b"<< /Type /Catalog /Pages 2 0 R >>".to_vec(),
            b"<< /Type /Pages /Kids [2 0 R 1 0 R 3 0 R] /Count 3 /Parent 2 0 R >>".to_vec(),
            b"<< /Type /Pages /Kids [2 0 R 3 0 R] /Count 3 /Parent 2 0 R >>".to_vec(),
        ],
        "",
    );
    let states = pages(&["q ".repeat(100_000).as_str()]);
    let brackets = pages(&["[".repeat(100_000).as_str()]);
    let dicts = document(&["<< /A ".repeat(1000).into_bytes()], "");
    for bytes in [forms, tree, states, brackets, dicts] {
        bench.file("it.pdf", &bytes);
        // Whatever it says, it says it.
        bench.call("Read", json!({"file_path": "it.pdf"})).await;
    }
}

/// Nested so deeply that the reader of PDFs works on it for a long time.
#[test]
fn what_takes_too_long_is_given_up() {
    let bench = Bench::new();
    let job = ReadJob {
        path: bench.path("it.pdf"),
        range: LineRange { first: 1, limit: 10 },
        ranged: false,
        cancel: bench.cx.cancel.clone(),
        progress: bench.cx.output.progress().clone(),
    };
    let nested = document(&["<< /A ".repeat(20_000).into_bytes()], "");
    let text = pdf::read_within(Duration::ZERO, &job, nested).unwrap_err().text;
    assert!(text.contains("was not extracted within 0 seconds\nTry Bash: `pdftotext"), "{text}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    /// A document with a byte changed or its end missing gives some answer.
    #[test]
    fn damaged_documents_are_survived(at in 0usize..1000, byte: u8, cut: bool) {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        runtime.block_on(async {
            let mut bench = Bench::new();
            let mut bytes = pages(&["BT /H 12 Tf 50 700 Td (Hello world) Tj ET"]);
            let at = at % bytes.len();
            match cut {
                true => bytes.truncate(at),
                false => bytes[at] = byte,
            }
            bench.file("it.pdf", &bytes);
            let outcome = bench.call("Read", json!({"file_path": "it.pdf"})).await;
            assert!(!outcome.result.text().contains("Failed inside"), "{}", outcome.result.text());
        });
    }
}
