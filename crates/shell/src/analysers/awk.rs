//! `awk`: options, then the program's tokens.

use super::awk_tokens::{Token, tokens};
use crate::judge::finding::Finding;
use crate::judge::options;
use crate::table::CommandSpec;
use crate::types::{PathTarget, Verdict, Word};

pub(super) fn judge(name: &str, spec: &CommandSpec, args: &[Word]) -> Finding {
    let mut finding = Finding::read_only();
    let scan = options::scan(name, spec, args, &mut finding);
    if scan.flags.iter().any(|f| matches!(f.as_str(), "--version" | "-V")) && scan.operands.is_empty() {
        return finding;
    }
    let in_file = scan.flags.iter().any(|f| IN_FILE.contains(&f.as_str()));
    for file in scan.operands.iter().skip(usize::from(!in_file)) {
        if file.literal().is_some_and(|t| t.contains("/inet")) {
            finding.mark_unknown("`awk` reads from the network");
        }
        finding.read(file.target());
    }
    match scan.operands.first().and_then(|w| w.literal()) {
        _ if in_file => {}
        Some(program) => {
            judge_program(program, &mut finding);
            if finding.verdict != Verdict::ReadOnly {
                finding.special_options.push(program.to_owned());
            }
        }
        None => {
            finding.read(PathTarget::Somewhere);
            finding.mark_unknown("The `awk` program is unknown until it runs");
        }
    }
    finding
}

/// Options with the program, which is no operand then.
const IN_FILE: &[&str] = &["-f", "-E", "-e", "--file", "--exec", "--source"];

fn judge_program(program: &str, finding: &mut Finding) {
    // The program can name its own files.
    if program.contains("ARGV") {
        finding.read(PathTarget::Somewhere);
    }
    // Whatever the tokens say: nothing harmless needs these, and a token read wrongly must not hide them.
    if program.contains("system") || program.contains('@') || program.contains("/inet") {
        return finding.mark_unknown("The `awk` program can run commands or load code");
    }
    match tokens(program) {
        Ok(tokens) => AwkScanner { tokens: &tokens, print_depth: None, depth: 0 }.run(finding),
        Err(why) => finding.mark_unknown(why),
    }
}

struct AwkScanner<'a> {
    tokens: &'a [Token],
    /// Inside a `print` statement: the depth of parentheses at which it began.
    print_depth: Option<usize>,
    depth: usize,
}

impl AwkScanner<'_> {
    fn run(mut self, finding: &mut Finding) {
        for (index, token) in self.tokens.iter().enumerate() {
            let next = self.tokens.get(index + 1..).unwrap_or(&[]);
            match token {
                Token::Word(word) if word == "print" || word == "printf" => {
                    self.print_depth = Some(self.depth)
                }
                Token::Word(word) if word == "getline" => getline(next, finding),
                Token::Op(op) => self.operator(op, next, finding),
                Token::Word(_) | Token::Text(_) | Token::Number | Token::Regex => {}
            }
        }
    }

    fn operator(&mut self, op: &str, next: &[Token], finding: &mut Finding) {
        match op {
            "(" | "[" => self.depth += 1,
            ")" | "]" => self.depth = self.depth.saturating_sub(1),
            // A newline may continue the list after a comma, so only what surely ends the statement counts.
            ";" | "}" => self.print_depth = None,
            "|" | "|&" => finding.mark_unknown("The `awk` program pipes to or from a command"),
            ">" | ">>" if self.print_depth.is_some_and(|at| self.depth <= at) => redirected(next, finding),
            _ => {}
        }
    }
}

/// `print > "file"`.
fn redirected(next: &[Token], finding: &mut Finding) {
    match next.first() {
        Some(Token::Text(path)) if is_terminal(path) && ends_statement(next.get(1)) => {}
        Some(Token::Text(path)) => {
            finding.write(PathTarget::Path(path.clone()), format!("The `awk` program writes to `{path}`"));
        }
        _ => finding.write(PathTarget::Somewhere, "The `awk` program writes to a file"),
    }
}

fn is_terminal(path: &str) -> bool {
    matches!(path, "/dev/stdout" | "/dev/stderr" | "/dev/null")
}

fn ends_statement(token: Option<&Token>) -> bool {
    match token {
        None => true,
        Some(Token::Op(op)) => matches!(op.as_str(), ";" | "\n" | "}"),
        Some(_) => false,
    }
}

/// `getline < "file"` reads; from anywhere else it may be the network.
fn getline(next: &[Token], finding: &mut Finding) {
    let from = next.iter().take(8).position(|t| matches!(t, Token::Op(op) if op == "<"));
    let Some(from) = from else { return };
    match next.get(from + 1) {
        Some(Token::Text(path)) => finding.read(PathTarget::Path(path.clone())),
        _ => {
            finding.read(PathTarget::Somewhere);
            finding.mark_unknown("`getline` in `awk` reads from an unknown source");
        }
    }
}
