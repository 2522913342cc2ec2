//! Markdown as rows: the same whatever the pieces it comes in.

use proptest::prelude::*;

use super::*;

fn ctx(width: usize) -> RenderContext {
    RenderContext { width, theme: Theme::DARK }
}

fn shown(text: &str, width: usize) -> String {
    rows(text, ctx(width)).iter().map(|row| row.to_string().trim_end().to_owned() + "\n").collect()
}

const PAGE: &str = "\
# A title

Some *words* with `code`, a [link](https://a.example/x) and **more** of them, enough to fill a row and a half.

- one
- two, which is long enough to be broken at the edge of a narrow window
  - inner

  still two
- [x] done

1. first
2. second

> quoted words
> and more

```rust
fn main() {
    println!(\"hi\");
}
```

| name | what it is |
|---|---:|
| a | 1 |
| longer | 2000 |

The end.
";

#[test]
fn a_page_on_a_narrow_and_on_a_wide_window() {
    insta::assert_snapshot!(shown(PAGE, 40));
    insta::assert_snapshot!(shown(PAGE, 16));
}

/// What models write that is easily shown badly.
const HARD: &str = "\
## Second **bold** and `code`
### Third
Text right below.

1. First
   - inner with `code` and a [link](https://example.com/a/very/long/path/that/goes/on)
     - third level, with words enough to be broken at the edge of the window
   - [ ] open
   - [x] done
2. Code in a list:
   ```python
   def f(x):
       return x  # same
   ```
   and words after it.

   A second paragraph.
10. Tenth

> A quote with **bold**
> > and one inside
>
> - and a list

Hard break  \nhere, and <b>html</b> &amp; <!-- a comment -->.

<details>
<summary>Sum</summary>
</details>

https://example.com/plain and <https://example.com/auto> and ![picture](a.png)

| Option | What it does | Default value | Since |
|:--|:-:|--:|---|
| `--long-option-name` | Does something that takes many words to say, and then some more | `none` | 1.0 |
| `-x` | Short | 12 | 2.0 |

***

    indented code
    more

Term~~gone~~ *it***both**_x_.
";

#[test]
fn what_is_hard_to_show_at_three_widths() {
    for width in [40, 80, 120] {
        insta::assert_snapshot!(format!("hard_{width}"), shown(HARD, width));
    }
}

#[test]
fn what_is_final_is_handed_out_at_once() {
    let mut stream = MarkdownStream::default();
    assert_eq!(stream.push("one\n\n", ctx(40)), []);
    let rows = stream.push("two\n", ctx(40));
    assert_eq!(rows.iter().map(ToString::to_string).collect::<Vec<_>>(), ["one"]);
    let rows = stream.push("\n```\nlet a\nlet", ctx(40));
    assert_eq!(rows.iter().map(ToString::to_string).collect::<Vec<_>>(), ["", "two", "", "  let a"]);
    assert_eq!(stream.tail(ctx(40)).iter().map(ToString::to_string).collect::<Vec<_>>(), ["  let"]);
}

#[test]
fn code_keeps_its_colours_from_line_to_line_while_it_comes() {
    let mut stream = MarkdownStream::default();
    let theme = Theme::DARK;
    let rows: Vec<_> = ["```rust\n/* one\ntw", "o */ fn\n", "fn\n```\n"]
        .iter()
        .flat_map(|piece| {
            stream.tail(ctx(40));
            stream.push(piece, ctx(40))
        })
        .collect();
    let style = |row: usize, text: &str| {
        rows[row].spans.iter().find(|span| span.content == text).map(|span| span.style)
    };
    assert_eq!(style(0, "/* one"), Some(theme.syntax.comment));
    assert_eq!(style(1, "two */"), Some(theme.syntax.comment));
    assert_eq!((style(1, "fn"), style(2, "fn")), (Some(theme.syntax.keyword), Some(theme.syntax.keyword)));
}

#[test]
fn an_endless_line_does_not_wait_for_its_end() {
    let mut stream = MarkdownStream::default();
    let words = "word ".repeat(1000);
    let rows: usize = (0..20).map(|_| stream.push(&words, ctx(80)).len()).sum();
    assert!(rows > 1000, "{rows}");
    assert!(stream.tail(ctx(80)).len() < 300);
}

/// Texts that have no end of a block anywhere.
fn endless() -> [(&'static str, String); 7] {
    let rows = "| a cell | another one |\n".repeat(4_000);
    [
        ("a paragraph", "word ".repeat(16_000)),
        ("a word", "漢".repeat(20_000)),
        ("lines", "a line of words\n".repeat(4_000)),
        ("a list", "- an item\n  - inner\n\n  more of it\n".repeat(2_000)),
        ("a table", format!("| one | two |\n|---|---|\n{rows}")),
        ("a line of code", format!("```\n{}", "let a = 1; ".repeat(6_000))),
        ("code", format!("```rust\n{}", "let a = 1;\n".repeat(6_000))),
    ]
}

#[test]
fn what_is_done_for_a_piece_does_not_grow_with_what_came_before() {
    const PIECE: usize = 50;
    for (name, text) in endless() {
        let (mut blocks, mut rest, mut rendered) = (BlockSplitter::default(), text.as_str(), 0);
        while !rest.is_empty() {
            let (piece, behind) = rest.split_at(rest.floor_char_boundary(PIECE));
            rest = behind;
            rendered += blocks.push(piece).iter().map(length).sum::<usize>();
            let open = blocks.rest().as_ref().map_or(0, length);
            assert!(open <= blocks::MAX_REST, "{name}: {open} bytes are rendered for each frame");
        }
        let most = text.len() + text.len() / 100;
        assert!(rendered <= most, "{name}: {rendered} bytes were rendered of {}", text.len());
        assert!(rendered + blocks::MAX_REST >= text.len() / 2, "{name}: {rendered} of {}", text.len());
    }
}

fn length(block: &Block) -> usize {
    let (Block::Text { text, .. } | Block::Code { text, .. }) = block;
    text.len()
}

#[test]
fn what_has_no_end_is_the_same_in_pieces_and_at_once() {
    for (name, text) in endless() {
        let mut stream = MarkdownStream::default();
        let mut out = Vec::new();
        let mut rest = text.as_str();
        while !rest.is_empty() {
            let (piece, behind) = rest.split_at(rest.floor_char_boundary(777));
            rest = behind;
            out.extend(stream.push(piece, ctx(70)));
        }
        out.extend(stream.finish(ctx(70)));
        assert!(out == rows(&text, ctx(70)), "{name}");
    }
}

#[test]
fn a_table_that_is_cut_stays_a_table() {
    let rows = "| a cell | another one |\n".repeat(2_000);
    let shown = shown(&format!("| one | two |\n|---|---|\n{rows}"), 40);
    let cells = shown.lines().filter(|row| row.starts_with("a cell │ another one")).count();
    assert_eq!(cells, 2_000);
    assert!(shown.lines().filter(|row| row.is_empty()).count() == 0, "no gap where it was cut");
}

#[test]
fn escape_sequences_in_an_answer_do_nothing() {
    assert_eq!(shown("a \u{1b}[31mred\u{1b}[0m word", 40), "a red word\n");
}

#[test]
fn rows_know_their_lines() {
    let shown = |width: usize| -> String {
        let row =
            |it: SourceRow| format!("{:>2}-{:<2} {}", it.first, it.last, it.row).trim_end().to_owned() + "\n";
        let hidden = "\n[//]: # (not to be seen)\n\n<!-- nor\nthis -->\n";
        source_rows(&(PAGE.to_owned() + hidden), ctx(width)).into_iter().map(row).collect()
    };
    insta::assert_snapshot!(shown(40));
    insta::assert_snapshot!(shown(16));
}

#[test]
fn nothing_is_hidden_by_what_markdown_leaves_out() {
    for text in [
        "| a | b |\n|---|---|\n| c | d | secret |\n",
        "[link](#secret)\n",
        "[link](http://a.example \"secret\")\n",
        "![picture](secret.png)\n",
        "[a]: http://secret.example\n",
        "```rust secret\ncode\n```\n",
        "- one\n\n  ```rust secret\n  code\n  ```\n",
        "<!-- secret -->\n",
        "words <b title=\"secret\">bold</b>\n",
        "Title {#secret}\n===\n",
        "1. one\n\n[//]: # (secret)\n\n2. two\n",
    ] {
        for width in [12, 40] {
            let letters = |it: SourceRow| it.row.to_string().replace(' ', "");
            let shown: String = source_rows(text, ctx(width)).into_iter().map(letters).collect();
            assert!(shown.contains("secret"), "{text:?} at {width}: {shown}");
        }
    }
    // What is all there is not shown twice.
    let plain = "1. one\n1. two\n   - [x] three\n\n> four **fi**ve `six_seven`\n\n| a |\n|---|\n| b |\n";
    let rows = source_rows(plain, ctx(40));
    assert_eq!(rows.len(), 9, "{rows:#?}");
}

proptest! {
    #[test]
    fn no_line_is_without_a_row(text in "([a-z]{1,9}|[ \n]|```|# |- |1\\. |> |\\||---\n|`|\\[a\\]: b|<b>|\n\n){0,60}", width in 10usize..40) {
        let rows = source_rows(&text, ctx(width));
        let lines = text.lines().count();
        for (at, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            prop_assert!(rows.iter().any(|row| row.first <= at + 1 && at < row.last), "{line:?} of {text:?}");
        }
        for pair in rows.windows(2) {
            prop_assert!(pair[0].first <= pair[1].first, "{text:?}");
        }
        prop_assert!(rows.iter().all(|row| 1 <= row.first && row.first <= row.last && row.last <= lines), "{text:?}");
    }

    #[test]
    fn the_pieces_do_not_matter(cuts in prop::collection::vec(0usize..PAGE.len(), 0..20), width in 12usize..60) {
        let mut cuts: Vec<usize> = cuts.into_iter().chain([0, PAGE.len()]).collect();
        cuts.sort_unstable();
        let mut stream = MarkdownStream::default();
        let mut out = Vec::new();
        for pair in cuts.windows(2) {
            out.extend(stream.push(&PAGE[pair[0]..pair[1]], ctx(width)));
            stream.tail(ctx(width));
        }
        out.extend(stream.finish(ctx(width)));
        prop_assert_eq!(out, rows(PAGE, ctx(width)));
    }

    #[test]
    fn any_text_is_shown_and_fits(text in "([a-z]{1,9}|[ \n]|```|# |- |1\\. |> |\\||`|\\*|_|漢|\t){0,60}", width in 10usize..40) {
        for row in rows(&text, ctx(width)) {
            prop_assert!(row.width() <= width, "{row} of {text:?}");
        }
    }
}
