//! What was meant is found, in small files and in large ones.

use super::*;

const FILE: &str = "fn one() {\n    let x = 1;\n}\n\nfn two() {\n\tlet y = 2;\n}\n";

#[test]
fn the_place_that_was_meant_is_found() {
    for (wanted, expected) in [
        (
            "fn two() {\n    let y = 2;\n}",
            "The closest match is at line 5:\n     5\tfn two() {\n     6\t\tlet y = 2;\n     7\t}\n\
             Line 6 differs only in whitespace (· is a space, → a tab):\n\
             file       →let·y·=·2;\nold_string ····let·y·=·2;",
        ),
        (
            "let x = 10;",
            "The closest match is at line 2:\n     2\t    let x = 1;\nLine 2 differs:\n\
             file           let x = 1;\nold_string let x = 10;",
        ),
    ] {
        assert_eq!(describe(FILE, wanted).as_deref(), Some(expected), "{wanted}");
    }
    for wanted in ["nothing like it at all", "", "\n\n"] {
        assert_eq!(describe(FILE, wanted), None, "{wanted:?}");
    }
    assert_eq!(describe("", "x"), None);
}

#[test]
fn a_large_file_and_a_long_text_are_no_matter() {
    let line = |n: usize| format!("    let value_{n} = compute({});\n}}\n", n * 7);
    let text: String = (0..200_000).map(line).collect();
    let mut wanted: String = (100_000..110_000).map(line).collect();
    wanted.insert_str(0, "    something_else();\n");
    let found = describe(&text, &wanted).unwrap();
    assert!(found.starts_with("The closest match is at line 200000:\n"), "{found}");
    assert!(found.lines().count() < 30 && found.len() < 5000, "{found}");
    // No line is the same, one is alike.
    let found = describe(&text, "let value_123456 = computed(864192);").unwrap();
    assert!(found.starts_with("The closest match is at line 246913:\n"), "{found}");
}

#[test]
fn lines_that_are_everywhere_do_not_count() {
    let text = "}\n".repeat(100_000) + "fn here() {\n    one();\n}\n" + &"}\n".repeat(100_000);
    let found = describe(&text, "}\n}\nfn here() {\n    two();\n}").unwrap();
    assert!(found.starts_with("The closest match is at line 99999:\n"), "{found}");
    assert!(describe(&text, "}\n{").unwrap().starts_with("The closest match is at line 1:\n"));
}

#[test]
fn a_place_inside_a_huge_line_is_found() {
    let text =
        format!("{}function nearest(a,b){{return a-b}};{}", "é=1;".repeat(500_000), "y=2;".repeat(500_000));
    let found = describe(&text, "function nearest(a, b) {return a - b}").unwrap();
    assert!(
        found.contains("line 1, starting at character ") && found.contains("function nearest(a,b)"),
        "{found}"
    );
    assert!(found.len() < 2000);
}
