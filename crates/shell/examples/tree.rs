//! Prints the syntax tree of each line given on stdin (lines separated by a line `%%`).

#![expect(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "it prints trees, for whoever works on the grammar"
)]

use std::io::Read;
fn main() {
    let mut s = String::new();
    std::io::stdin().read_to_string(&mut s).unwrap();
    for t in s.split("\n%%\n") {
        let mut p = tree_sitter::Parser::new();
        p.set_language(&tree_sitter_bash::LANGUAGE.into()).unwrap();
        let tree = p.parse(t, None).unwrap();
        println!("=== {t}");
        show(tree.root_node(), t, 0);
    }
}
fn show(n: tree_sitter::Node, t: &str, d: usize) {
    println!(
        "{}{}{} [{}..{}] {:?}",
        "  ".repeat(d),
        if n.is_named() { "" } else { "~" },
        n.kind(),
        n.start_byte(),
        n.end_byte(),
        if n.child_count() == 0 { &t[n.byte_range()] } else { "" }
    );
    let mut c = n.walk();
    for ch in n.children(&mut c) {
        show(ch, t, d + 1);
    }
}
