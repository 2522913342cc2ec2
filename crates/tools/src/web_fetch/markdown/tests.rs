//! Pages, and what becomes of them.

use proptest::prelude::*;

use super::*;

fn made(html: &str) -> MarkdownText {
    markdown(html, &Url::parse("https://example.com/a/b").unwrap(), 400_000, || true)
}

fn check(html: &str, expect: &str) {
    assert_eq!(made(html).text, expect, "{html}");
}

#[test]
fn words_and_marks() {
    for (html, expect) in [
        ("one  two\n three", "one two three"),
        ("<p>one<p>two", "one\n\ntwo"),
        ("<div>one<div>two</div></div>three", "one\n\ntwo\n\nthree"),
        ("a<br>b", "a\nb"),
        ("a<hr>b", "a\n\n---\n\nb"),
        ("<b> bold </b>text", "**bold** text"),
        ("x<b></b>y<i> </i>z", "xy z"),
        ("<b>a <i>b</b> c</i> d", "**a _b_** c d"),
        ("<code>a &lt; b</code>", "`a < b`"),
        ("a&nbsp;&amp;&#x20;b", "a & b"),
        ("<h2>Head<br>line</h2>text", "## Head line\n\ntext"),
        ("<h1></h1><p>x", "x"),
        ("<h2><a href=x>T</a></h2>", "## [T](https://example.com/a/x)"),
        ("<s>no</s> <u>yes</u>", "~~no~~ yes"),
        ("<script>1 < 2; '<p>'</script><style>p{}</style><noscript>off</noscript>on", "on"),
        ("<svg><g><text>t</text></g></svg><svg/>after", "after"),
        ("<!-- no --><template><p>no</template>yes", "yes"),
    ] {
        check(html, expect);
    }
}

#[test]
fn links_and_pictures() {
    for (html, expect) in [
        ("<a href='/x y'>t</a>.", "[t](https://example.com/x%20y)."),
        ("<a href='//o.org/(a)'>t</a>", "[t](https://o.org/%28a%29)"),
        ("<a href='#part'>t</a> <a>u</a> <a href='javascript:x()'>v</a>", "t u v"),
        ("<a href=x></a>y", "y"),
        ("<a href=x>one<a href=y>two</a>", "[one](https://example.com/a/x)[two](https://example.com/a/y)"),
        ("<a href=x><div>card</div><p>text</p></a>", "[card text](https://example.com/a/x)"),
        ("<base href='https://o.org/'><a href=x>t</a>", "[t](https://o.org/x)"),
        ("<img alt=' a  b ' src=p.png>", "![a b](https://example.com/a/p.png)"),
        ("<img src=p.png><img alt='' src=p>x", "x"),
        ("<img alt=i src='data:image/png;base64,AAAA'>", "![i]"),
    ] {
        check(html, expect);
    }
}

#[test]
fn lists_quotes_and_code() {
    for (html, expect) in [
        ("<ul><li>a<li>b</ul>c", "- a\n- b\n\nc"),
        ("<ol start=3><li>a</li><li>b</li></ol>", "3. a\n4. b"),
        ("<ul><li>a<ul><li>b</li></ul></li><li>c</li></ul>", "- a\n  - b\n- c"),
        ("<ul><li><p>a</p><p>b</p></li></ul>", "- a\n\n  b"),
        ("<blockquote><p>a<p>b</blockquote>c", "> a\n>\n> b\n\nc"),
        ("<blockquote><ul><li>a<li>b</ul></blockquote>", "> - a\n> - b"),
        ("<li>alone", "- alone"),
        ("<pre>\n a\n  b </pre>c", "```\n a\n  b\n```\n\nc"),
        ("<pre><code class='x language-rust'>fn <b>a</b>()</code></pre>", "```rust\nfn a()\n```"),
        ("<pre>a ``` b</pre>", "````\na ``` b\n````"),
        ("<ul><li><pre>a\nb</pre></ul>", "- ```\n  a\n  b\n  ```"),
        ("<pre>never closed", "```\nnever closed\n```"),
    ] {
        check(html, expect);
    }
}

#[test]
fn tables() {
    for (html, expect) in [
        (
            "<table><tr><th>a<th>b<tr><td>1|2</td><td><p>x</p><p>y</p></td></table>z",
            "| a | b |\n|---|---|\n| 1\\|2 | x y |\n\nz",
        ),
        ("<table><tr><td>alone</table>", "alone"),
        ("<table><tr><td>a<td><table><tr><td>b<td>c</table></table>", "a\n\nb\nc"),
        ("<table><tr><td><td></table>x", "x"),
        ("<td>stray", "stray"),
    ] {
        check(html, expect);
    }
}

#[test]
fn the_title_is_told_apart() {
    let text = made("<head><title> A &amp;\n B </title></head><body>x<title>no</title></body>");
    assert_eq!((text.title.as_deref(), text.text.as_str()), (Some("A & B"), "x"));
    assert_eq!(made("<title></title>").title, None);
}

/// A hundred thousand of each inside each other, closed or not: no stack, no explosion.
#[test]
fn depth_is_no_danger() {
    for tag in ["div", "b", "ul><li", "blockquote", "table><tr><td", "a href=x", "h1", "pre", "svg"] {
        let closed = tag.split('>').rev().map(|name| format!("</{}>", name.trim_end_matches(" href=x")));
        let closed: String = closed.collect();
        let html = format!("start {}{}", format!("<{tag}>w").repeat(100_000), closed.repeat(100_000));
        let text = made(&html).text;
        assert!(text.starts_with("start") && text.len() < html.len(), "{tag}: {}", text.len());
    }
}

/// What makes a tree of a page many times its size is here as long as it is.
#[test]
fn open_marks_are_not_made_again_and_again() {
    let open: String = (0..1000).map(|number| format!("<b id={number}><i id={number}>")).collect();
    let html = format!("{open}{}", "<p>x".repeat(50_000));
    let text = made(&html).text;
    assert!(text.len() < 2 * html.len(), "{}", text.len());
}

#[test]
fn it_ends_where_it_is_told_to() {
    let html = "<p>word".repeat(10_000);
    let text = markdown(&html, &Url::parse("https://example.com").unwrap(), 1000, || true);
    assert!(text.cut && text.text.len() < 1100);
    let text = markdown(&html, &Url::parse("https://example.com").unwrap(), 1_000_000, || false);
    assert_eq!(text.text, "");
}

proptest! {
    /// Whatever comes: it ends, nothing panics, and it is not much longer than what came.
    #[test]
    fn anything_can_be_read(parts in proptest::collection::vec(prop_oneof![
        "[a-z |`<&]{0,8}",
        proptest::sample::select(vec![
            "<p>", "</p>", "<b>", "</b>", "<i>", "</i>", "<a href=x>", "</a>", "<ul>", "</ul>", "<ol>", "</ol>", "<li>",
            "</li>", "<table>", "</table>", "<tr>", "</tr>", "<td>", "</td>", "<h1>", "</h1>", "<pre>", "</pre>",
            "<code>", "</code>", "<blockquote>", "</blockquote>", "<br>", "<hr>", "<img alt=i>", "<svg>", "</svg>",
            "<title>", "</title>", "<script>", "</script>", "<!--", "-->", "<", "\u{e9}",
        ]).prop_map(str::to_owned),
    ], 0..60)) {
        let html = parts.concat();
        let text = made(&html).text;
        prop_assert!(text.len() <= 60 * html.len() + 100, "{html} {text}");
    }
}
