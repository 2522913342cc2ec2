//! The most of one result that the conversation takes, whatever the tool thinks. Tools have smaller limits of their own;
//! these are for a tool that forgets.

use forelook_protocol::{ResultBlock, ToolResult};

/// Bytes of text, all parts together.
const MAX_TEXT: usize = 400_000;
/// Bytes of pictures in base64, all together: a quarter of what a request can have.
const MAX_PICTURE_BYTES: usize = 8 * 1024 * 1024;
const MAX_PICTURES: usize = 20;

/// The result with as much of it as there is room for, and a note of what was left out.
pub(crate) fn truncate_result(mut result: ToolResult) -> ToolResult {
    let (mut text_room, mut picture_room, mut pictures) = (MAX_TEXT, MAX_PICTURE_BYTES, 0);
    let (mut left_text, mut left_pictures) = (0, 0);
    result.content.retain_mut(|part| match part {
        ResultBlock::Text { text } => {
            let end = text.floor_char_boundary(text_room);
            let all = end == text.len();
            left_text += text.len() - end;
            text.truncate(end);
            // Once something was cut nothing follows: what stands there is the beginning.
            text_room = if all { text_room - end } else { 0 };
            all || end > 0
        }
        ResultBlock::Image { data, .. } => {
            let fits = pictures < MAX_PICTURES && data.len() <= picture_room;
            match fits {
                true => (pictures, picture_room) = (pictures + 1, picture_room - data.len()),
                false => left_pictures += 1,
            }
            fits
        }
    });
    let mut note = |text: String| match result.content.last_mut() {
        Some(ResultBlock::Text { text: last }) => last.push_str(&format!("\n{text}")),
        _ => result.content.push(ResultBlock::Text { text }),
    };
    if left_text > 0 {
        note(format!("[{left_text} more bytes left out]"));
    }
    if left_pictures > 0 {
        let what = if left_pictures == 1 { "image was" } else { "images were" };
        note(format!("[{left_pictures} more {what} left out: ask for fewer or smaller ones]"));
    }
    result
}

#[cfg(test)]
mod tests {
    use forelook_protocol::CallId;
    use proptest::prelude::*;

    use super::*;

    fn text(size: usize) -> ResultBlock {
        ResultBlock::Text { text: "é".repeat(size / 2) }
    }

    fn picture(size: usize) -> ResultBlock {
        ResultBlock::Image { media_type: "image/png".into(), data: "A".repeat(size) }
    }

    fn of(content: Vec<ResultBlock>) -> ToolResult {
        ToolResult { call: CallId("c".into()), content, is_error: false }
    }

    /// Each part: `t` and its bytes, or `p` and its bytes.
    fn sizes(result: &ToolResult) -> Vec<String> {
        let size = |part: &ResultBlock| match part {
            ResultBlock::Text { text } if text.starts_with('é') && text.ends_with('é') => {
                format!("t{}", text.len())
            }
            ResultBlock::Text { text } => text.trim_start_matches('é').to_owned(),
            ResultBlock::Image { data, .. } => format!("p{}", data.len()),
        };
        result.content.iter().map(size).collect()
    }

    #[test]
    fn what_fits_stays_and_what_does_not_is_told() {
        let large = MAX_PICTURE_BYTES;
        for (content, expected) in [
            (vec![text(10), picture(4), text(0)], vec!["t10", "p4", ""]),
            (vec![text(MAX_TEXT)], vec!["t400000"]),
            (vec![text(MAX_TEXT + 6)], vec!["\n[6 more bytes left out]"]),
            (
                vec![text(MAX_TEXT - 10), picture(1), text(20), text(30)],
                vec!["t399990", "p1", "\n[40 more bytes left out]"],
            ),
            (vec![picture(large)], vec!["p8388608"]),
            (
                vec![picture(large - 5), picture(9), picture(5)],
                vec!["p8388603", "p5", "[1 more image was left out: ask for fewer or smaller ones]"],
            ),
            (vec![picture(large + 1)], vec!["[1 more image was left out: ask for fewer or smaller ones]"]),
        ] {
            assert_eq!(sizes(&truncate_result(of(content))), expected);
        }
        let many = truncate_result(of(vec![picture(1); MAX_PICTURES + 2]));
        assert_eq!(many.content.len(), MAX_PICTURES + 1);
        assert!(many.text().contains("2 more images were left out"));
    }

    proptest! {
            #[test]
            fn any_result_is_bounded_and_never_empty(parts in proptest::collection::vec((any::<bool>(), 0_usize..300_000), 0..40)) {
                let content = parts.iter().map(|&(is_text, size)| if is_text { text(size) } else { picture(size) });
                let before = of(content.collect());
                let after = truncate_result(before.clone());
                let texts: usize = after.content.iter().map(|part| if let ResultBlock::Text { text } = part { text.len() } else { 0 }).sum();
                prop_assert!(texts <= MAX_TEXT + 200);
                prop_assert!(before.content.is_empty() || !after.content.is_empty());
    let pictures = after.content.iter().filter(|part| matches!(part, ResultBlock::Image { .. })).count();
                prop_assert!(pictures <= MAX_PICTURES);
            }
        }
}
