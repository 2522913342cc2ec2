//! What on a command line does nothing without something else there. To pass over what somebody asked for is worse than to
//! refuse it.

use forelook_host::{Failure, FailureClass};

use super::{InputFormat, OutputFormat, RunArgs};

/// Something that needs something else.
struct Need {
    /// Whether it is there.
    given: fn(&RunArgs) -> bool,
    /// Whether what it needs is there, too.
    met: fn(&RunArgs) -> bool,
    /// What is missing.
    text: &'static str,
    /// What to do.
    hints: &'static [&'static str],
}

const NEEDS: [Need; 5] = [
    Need {
        given: |args| args.prompt.as_deref().is_some_and(|prompt| !prompt.trim().is_empty()),
        met: |args| args.input_format == InputFormat::Text,
        text: "With --input-format stream-json, prompts are read from standard input, not from the command line",
        hints: &[
            r#"Write it there: {"type":"user","message":{"role":"user","content":"what to do"}}"#,
            r#"Or omit --input-format: forelook -p "what to do""#,
        ],
    },
    Need {
        given: |args| args.output_format != OutputFormat::Text,
        met: |args| args.print || args.input_format == InputFormat::StreamJson,
        text: "--output-format json and stream-json need -p or --input-format stream-json",
        hints: &[r#"Give the prompt with -p: forelook -p "what to do" --output-format json"#],
    },
    Need {
        given: |args| args.include_partial_messages,
        met: |args| args.output_format == OutputFormat::StreamJson,
        text: "--include-partial-messages needs --output-format stream-json",
        hints: &["In a conversation, messages are shown as they arrive"],
    },
    Need {
        given: |args| args.fork_session,
        met: |args| args.continue_session || args.resume.is_some(),
        text: "--fork-session needs --continue or --resume",
        hints: &[],
    },
    Need {
        given: |args| args.permission_prompt_tool.as_deref() == Some("stdio"),
        met: RunArgs::is_driven,
        text: "`--permission-prompt-tool stdio` needs --input-format stream-json and --output-format stream-json",
        hints: &["Questions and answers are messages in that stream"],
    },
];

impl RunArgs {
    /// Whether a program drives us, and reads what we say.
    pub(crate) fn is_driven(&self) -> bool {
        self.input_format == InputFormat::StreamJson && self.output_format == OutputFormat::StreamJson
    }

    /// Refuses what would do nothing here.
    pub(crate) fn check_needs(&self) -> Result<(), Failure> {
        match NEEDS.iter().find(|need| (need.given)(self) && !(need.met)(self)) {
            None => Ok(()),
            Some(need) => {
                let failure = Failure::new(FailureClass::Usage, need.text);
                Err(need.hints.iter().fold(failure, |failure, hint| failure.hint(*hint)))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::args::{parse, tests::words};

    #[test]
    fn what_would_do_nothing_is_refused() {
        let both = "--input-format stream-json --output-format stream-json";
        for (line, expected) in [
            ("hi".to_owned(), None),
            ("-p hi --output-format json".to_owned(), None),
            ("-p hi --output-format stream-json --include-partial-messages".to_owned(), None),
            (format!("{both} --include-partial-messages --permission-prompt-tool stdio"), None),
            (format!("-p {both}"), None),
            ("-p --input-format stream-json".to_owned(), None),
            ("hi --output-format text".to_owned(), None),
            ("-c --fork-session".to_owned(), None),
            ("-r --fork-session".to_owned(), None),
            ("-p hi --input-format stream-json".to_owned(), Some("read from standard input")),
            ("hi --input-format stream-json".to_owned(), Some("read from standard input")),
            (format!("{both} hi"), Some("read from standard input")),
            ("hi --output-format json".to_owned(), Some("need -p")),
            ("--output-format stream-json".to_owned(), Some("need -p")),
            ("--output-format stream-json --include-partial-messages".to_owned(), Some("need -p")),
            ("--include-partial-messages".to_owned(), Some("needs --output-format stream-json")),
            ("hi --include-partial-messages".to_owned(), Some("needs --output-format stream-json")),
            ("-p hi --include-partial-messages".to_owned(), Some("needs --output-format stream-json")),
            (
                "-p hi --output-format json --include-partial-messages".to_owned(),
                Some("needs --output-format stream-json"),
            ),
            ("-p hi --fork-session".to_owned(), Some("needs --continue or --resume")),
            ("-p hi --permission-prompt-tool stdio".to_owned(), Some("needs --input-format stream-json")),
        ] {
            let found = parse(words(&line)).unwrap().args.run.check_needs().err().map(|it| it.text());
            match (&found, expected) {
                (None, None) => {}
                (Some(found), Some(part)) => assert!(found.contains(part), "{line}: {found}"),
                _ => panic!("{line}: {found:?}, not {expected:?}"),
            }
        }
    }
}
