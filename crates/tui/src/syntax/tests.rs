//! Code with its colours.

use proptest::prelude::*;

use super::*;

/// Each part as `sign⟨text⟩`; what is plain stands alone.
fn shown(name: &str, code: &str) -> String {
    let theme = Theme::DARK;
    let mut highlighter = Highlighter::fenced(name);
    let syntax = theme.syntax;
    let sign = |style: Style| match style {
        it if it == syntax.keyword => "k",
        it if it == syntax.kind => "t",
        it if it == syntax.string => "s",
        it if it == syntax.number => "n",
        it if it == syntax.comment => "c",
        it if it == theme.good => "+",
        it if it == theme.bad => "-",
        _ => "",
    };
    let part = |span: &Span<'_>| match sign(span.style) {
        "" => span.content.to_string(),
        sign => format!("{sign}⟨{}⟩", span.content),
    };
    let line = |line| highlighter.line(line, theme).iter().map(part).collect::<String>() + "\n";
    code.lines().map(line).collect()
}

#[test]
fn what_code_looks_like() {
    let texts = [
        (
            "rust",
            "//! A module\nfn a<'a>(x: &'a str) -> Option<u8> { /* one\ntwo */ let c = 'x'; }\nlet s = \"a \\\" b\nstill\"; let r = r#\"raw \"q\"\"#; 0..5 1.5e3 MAX_SIZE",
        ),
        ("python", "@x\ndef f(self):\n    \"\"\"Doc\n    more\"\"\"\n    return f'a {b}' + \"it's\"  # why"),
        ("ts", "const a: string = `one ${x}\ntwo`; // c\nif (a === 'b') { return new Map() }"),
        ("sh", "if [ $# -gt 1 ]; then echo \"$x\" 'a b'; fi # end\nls --all"),
        ("json", "{\"a\": [1, true, \"b\"],\n \"c\": null}"),
        ("yaml", "name: \"x\" # c\nlist:\n  - on: push\n  - http://a:80\n  - plain"),
        ("toml", "[a.b]\nkey = 'C:\\d' # c\nn = 1_000"),
        ("html", "<p class=\"a\nb\">text <!-- no --> &amp; a < b</p>\n<br/>"),
        ("css", "a:hover { color: #fff; } /* c */\n  margin: 10px;"),
        ("sql", "select * FROM t where a = 'it''s' -- c"),
        ("diff", "@@ -1 +1 @@\n-old\n+new\n same"),
        ("go", "func f() error { return `a\nb` }"),
        ("c", "#include <a.h>\nint main(void) { char c = '\\n'; }"),
        ("c#", "var a = @\"C:\\\"; string b;"),
        ("ruby", "class A; def b; \"#{x}\" # c\nend; end"),
        ("php", "$a = new Foo('x'); # c\n// d"),
        ("java,ignore", "public final class A { int b = 3L; }"),
    ];
    let all: String = texts.iter().map(|(name, code)| format!("== {name}\n{}", shown(name, code))).collect();
    insta::assert_snapshot!(all);
}

#[test]
fn languages_by_fence_and_by_file() {
    for (words, known) in
        [("rust", true), ("Rust,ignore", true), ("js {1,2}", true), ("", false), ("md", false)]
    {
        assert_eq!(Highlighter::fenced(words).knows_the_language(), known, "{words}");
    }
    for (path, known) in
        [("/a/b.rs", true), ("Makefile", true), ("a.txt", false), ("x.patch", false), ("", false)]
    {
        assert_eq!(Highlighter::file(path).knows_the_language(), known, "{path}");
    }
}

#[test]
fn names_belong_to_one_language() {
    let mut names: Vec<_> = languages::all_names();
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), count);
}

proptest! {
    #[test]
    fn the_text_stays_what_it_is(
        which in 0usize..200,
        lines in prop::collection::vec("(fn |let |'|\"|\"\"\"|`|r#\"|/\\*|\\*/|//|#|<|<!--|-->|>|=|:|\\\\|[a-zA-Z]{1,4}|[0-9.]{1,3}| |漢|é|-){0,20}", 0..5),
    ) {
        let names = languages::all_names();
        let mut highlighter = Highlighter::fenced(names[which % names.len()]);
        for line in &lines {
            let spans = highlighter.line(line, Theme::DARK);
            prop_assert_eq!(&spans.iter().map(|it| it.content.as_ref()).collect::<String>(), line);
        }
    }
}
