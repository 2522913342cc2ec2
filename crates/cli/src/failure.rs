//! Failures, printed in one place.

use std::io::Write;

use forelook_host::Failure;
use forelook_wording::visible;

/// Prints it for a person. It may quote a stranger's files, and a terminal obeys what it is sent.
pub(crate) fn print(failure: &Failure, out: &mut dyn Write) {
    let mut chain = failure.chain().iter();
    // If it cannot be printed there is no other way to tell.
    let _ = writeln!(out, "forelook: {}", visible(chain.next().map_or("", String::as_str)));
    for why in chain {
        let _ = writeln!(out, "  because: {}", visible(why));
    }
    for hint in failure.hints() {
        let _ = writeln!(out, "  hint: {}", visible(hint));
    }
}

#[cfg(test)]
mod tests {
    use forelook_host::FailureClass;

    use super::*;

    #[test]
    fn chain_and_hints() {
        let failure = Failure::of(FailureClass::Task, &std::io::Error::other("no luck\nMake it first"));
        let mut out = Vec::new();
        print(&failure.hint("Or give up"), &mut out);
        let expected = "forelook: no luck\n  hint: Make it first\n  hint: Or give up\n";
        assert_eq!(String::from_utf8(out).unwrap(), expected);
    }
}
