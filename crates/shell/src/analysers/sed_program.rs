//! A sed program, read as GNU sed reads it: which commands write, read or run.

/// What a sed program does beyond printing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum SedAction {
    Reads(String),
    Writes(String),
    Runs,
}

/// How an implementation finds the end of an expression that holds its delimiter in brackets (`s/[^/]*$//`).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum BracketRules {
    /// The first bare delimiter ends it.
    Ignored,
    /// Not inside `[ ]`, which the first `]` closes.
    Simple,
    /// Not inside `[ ]`, in which `[:alpha:]` and a leading `]` are ordinary.
    Full,
}

/// Everything that the program does in any of the ways to read it, or why it was not understood. A reading that fails
/// is an error for that implementation too, which then runs nothing; but the files before the error are made by then.
pub(super) fn actions(program: &str) -> Result<Vec<SedAction>, String> {
    let (mut all, understood) = actions_with(program, BracketRules::Full);
    understood?;
    for brackets in [BracketRules::Ignored, BracketRules::Simple] {
        let (actions, understood) = actions_with(program, brackets);
        let counts = |act: &SedAction| understood.is_ok() || matches!(act, SedAction::Writes(_));
        all.extend(actions.into_iter().filter(|a| counts(a) && !all.contains(a)).collect::<Vec<_>>());
    }
    Ok(all)
}

/// What one reading finds, as far as it comes.
fn actions_with(program: &str, brackets: BracketRules) -> (Vec<SedAction>, Result<(), String>) {
    let mut parser = SedParser { chars: program.chars().collect(), at: 0, actions: Vec::new(), brackets };
    loop {
        match parser.command() {
            Ok(true) => {}
            Ok(false) => return (parser.actions, Ok(())),
            Err(why) => return (parser.actions, Err(why)),
        }
    }
}

struct SedParser {
    chars: Vec<char>,
    at: usize,
    actions: Vec<SedAction>,
    brackets: BracketRules,
}

impl SedParser {
    fn peek(&self) -> Option<char> {
        self.chars.get(self.at).copied()
    }

    fn next(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.at += 1;
        Some(c)
    }

    fn skip(&mut self, set: &str) {
        while self.peek().is_some_and(|c| set.contains(c)) {
            self.at += 1;
        }
    }

    fn lost(&self) -> String {
        let near: String = self.chars.iter().skip(self.at.saturating_sub(1)).take(10).collect();
        format!("Cannot parse the `sed` script at `{near}`")
    }

    /// One command with its addresses; false at the end.
    fn command(&mut self) -> Result<bool, String> {
        self.skip(" \t\n;");
        if self.peek().is_none() {
            return Ok(false);
        }
        self.addresses()?;
        self.skip(" \t!");
        let Some(name) = self.next() else { return Err(self.lost()) };
        match name {
            '{' => {}
            '}' | '=' | 'd' | 'D' | 'g' | 'G' | 'h' | 'H' | 'n' | 'N' | 'p' | 'P' | 'x' | 'z' | 'F' => {
                self.end()?
            }
            '#' => {
                self.line();
            }
            'a' | 'i' | 'c' => self.text(),
            ':' | 'b' | 't' | 'T' => self.label()?,
            'q' | 'Q' | 'l' | 'L' => {
                self.skip(" \t0123456789");
                self.end()?;
            }
            'r' | 'R' => {
                let path = self.line();
                self.actions.push(SedAction::Reads(path));
            }
            'w' | 'W' => {
                let path = self.line();
                self.actions.push(SedAction::Writes(path));
            }
            'e' => {
                self.line();
                self.actions.push(SedAction::Runs);
            }
            's' => self.substitute()?,
            'y' => {
                let delimiter = self.next().ok_or_else(|| self.lost())?;
                self.delimited(delimiter)?;
                self.delimited(delimiter)?;
                self.end()?;
            }
            _ => return Err(self.lost()),
        }
        Ok(true)
    }

    fn addresses(&mut self) -> Result<(), String> {
        if !self.address()? {
            return Ok(());
        }
        self.skip(" \t");
        if self.peek() == Some(',') {
            self.at += 1;
            self.skip(" \t+~");
            if !self.address()? {
                return Err(self.lost());
            }
        }
        Ok(())
    }

    fn address(&mut self) -> Result<bool, String> {
        match self.peek() {
            Some('0'..='9') => {
                self.skip("0123456789");
                if self.peek() == Some('~') {
                    self.at += 1;
                    self.skip("0123456789");
                }
            }
            Some('$') => self.at += 1,
            Some('/') => {
                self.at += 1;
                self.delimited('/')?;
                self.skip("IM");
            }
            Some('\\') => {
                self.at += 1;
                let delimiter = self.next().ok_or_else(|| self.lost())?;
                self.delimited(delimiter)?;
                self.skip("IM");
            }
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// Up to the next bare delimiter.
    fn delimited(&mut self, delimiter: char) -> Result<(), String> {
        if delimiter == '\\' || delimiter == '\n' || delimiter == '[' || delimiter.is_ascii_alphanumeric() {
            return Err(self.lost());
        }
        loop {
            match self.next() {
                None => return Err(self.lost()),
                Some('\\') => {
                    self.next();
                }
                Some(c) if c == delimiter => return Ok(()),
                Some('[') => self.bracket(),
                Some(_) => {}
            }
        }
    }

    /// Skips a bracket expression if there is a whole one.
    fn bracket(&mut self) {
        let rest: Vec<char> = self.chars.iter().skip(self.at).copied().collect();
        let length = match self.brackets {
            BracketRules::Ignored => None,
            BracketRules::Simple => rest.iter().position(|c| *c == ']').map(|p| p + 1),
            BracketRules::Full => full_bracket(&rest),
        };
        let inner = rest.get(..length.unwrap_or(0)).unwrap_or(&[]);
        if !inner.contains(&'\n') {
            self.at += inner.len();
        }
    }

    fn substitute(&mut self) -> Result<(), String> {
        let delimiter = self.next().ok_or_else(|| self.lost())?;
        self.delimited(delimiter)?;
        self.delimited(delimiter)?;
        loop {
            match self.peek() {
                Some('g' | 'p' | 'i' | 'I' | 'm' | 'M' | '0'..='9') => self.at += 1,
                Some('e') => {
                    self.at += 1;
                    self.actions.push(SedAction::Runs);
                }
                Some('w') => {
                    self.at += 1;
                    let path = self.line();
                    self.actions.push(SedAction::Writes(path));
                    return Ok(());
                }
                _ => return self.end(),
            }
        }
    }

    /// Nothing but blanks up to a separator.
    fn end(&mut self) -> Result<(), String> {
        self.skip(" \t");
        match self.peek() {
            None | Some(';' | '\n' | '}' | '#') => Ok(()),
            Some(_) => {
                self.at += 1;
                Err(self.lost())
            }
        }
    }

    /// The rest of the line, without leading blanks.
    fn line(&mut self) -> String {
        self.skip(" \t");
        let text: String = self.chars.iter().skip(self.at).take_while(|c| **c != '\n').collect();
        self.at += text.chars().count();
        text
    }

    /// The text of `a`, `i`, `c`: lines as long as they end with a backslash.
    fn text(&mut self) {
        loop {
            let line = self.line();
            self.next();
            let slashes = line.chars().rev().take_while(|c| *c == '\\').count();
            if slashes % 2 == 0 || self.peek().is_none() {
                return;
            }
        }
    }

    /// A label of plain characters; others end differently in each implementation.
    fn label(&mut self) -> Result<(), String> {
        self.skip(" \t");
        while self.peek().is_some_and(|c| c.is_ascii_alphanumeric() || c == '_') {
            self.at += 1;
        }
        self.end()
    }
}

/// The length of a bracket expression after its `[`, by the rules of POSIX.
fn full_bracket(rest: &[char]) -> Option<usize> {
    let mut at = usize::from(rest.first() == Some(&'^'));
    if rest.get(at) == Some(&']') {
        at += 1;
    }
    loop {
        match (rest.get(at)?, rest.get(at + 1)) {
            (']', _) => return Some(at + 1),
            ('[', Some(kind @ (':' | '.' | '='))) => {
                let close = rest
                    .iter()
                    .skip(at + 2)
                    .zip(rest.iter().skip(at + 3))
                    .position(|(a, b)| a == kind && *b == ']')?;
                at += close + 4;
            }
            _ => at += 1,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{SedAction, actions};

    #[test]
    fn printing_programs_do_nothing_else() {
        for program in [
            "1,5p",
            "/a/,/b/p",
            "s/a/b/g",
            "s|a/b|c|; p",
            "$!N;P;D",
            ":a;N;$!ba;s/\\n/ /g",
            "/x/{p;q}",
            "2q",
            "y/abc/xyz/",
            "/^$/d",
            "a\\\nhello w file",
            "a hello; w file",
            "1~2p",
            "/a/I,+3p",
            "s/w/e/",
            "\\,a,p",
            "/a/!d",
            "10q;p",
            "# w file",
            "s/[^,]*,//2p",
            "=",
            "s/[^/]*$//",
            "s/.*[/]//",
        ] {
            assert_eq!(actions(program), Ok(vec![]), "{program}");
        }
    }

    #[test]
    fn acts_are_seen() {
        let w = |p: &str| vec![SedAction::Writes(p.to_owned())];
        for (program, expected) in [
            ("w out", w("out")),
            ("/x/w out", w("out")),
            ("s/a/b/w out", w("out")),
            ("s/a/b/gw out", w("out")),
            ("p;W out", w("out")),
            ("{p;w out\n}", w("out")),
            ("e touch x", vec![SedAction::Runs]),
            ("1e", vec![SedAction::Runs]),
            ("s/a/b/e", vec![SedAction::Runs]),
            ("s,a,b,2e", vec![SedAction::Runs]),
            ("a x\nw out", w("out")),
            ("r in", vec![SedAction::Reads("in".to_owned())]),
            ("1!w out", w("out")),
            ("s/\\//x/w out", w("out")),
            ("s/[/]/x/w out/", w("out/")),
            ("s/[[:alpha:]/]/x/;w out", w("out")),
        ] {
            assert_eq!(actions(program), Ok(expected), "{program}");
        }
    }

    #[test]
    fn the_rest_is_refused() {
        for program in ["s/a/b", "k", "p p", "s/a/b/k", "saxbxw f", ":a b"] {
            assert!(actions(program).is_err(), "{program}");
        }
    }
}
