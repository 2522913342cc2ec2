//! What a person can choose about planning, by name.

use std::fmt;
use std::str::FromStr;

/// A word that names no choice.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("Unknown {what} `{word}`; use one of {known}")]
pub struct UnknownChoice {
    word: String,
    what: &'static str,
    known: String,
}

macro_rules! choices {
    ($what:literal: $(#[$doc:meta])* $name:ident { $($(#[$inner:meta])* $variant:ident = $word:literal,)* }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum $name {
            $($(#[$inner])* $variant,)*
        }

        impl $name {
            /// All of them.
            pub const ALL: &[Self] = &[$(Self::$variant,)*];

            /// The name used in settings.
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $word,)*
                }
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(self.name())
            }
        }

        impl FromStr for $name {
            type Err = UnknownChoice;
            fn from_str(word: &str) -> Result<Self, UnknownChoice> {
                let found = Self::ALL.iter().copied().find(|choice| choice.name() == word);
                found.ok_or_else(|| UnknownChoice {
                    word: word.to_owned(),
                    what: $what,
                    known: Self::ALL.iter().map(|choice| choice.name()).collect::<Vec<_>>().join(", "),
                })
            }
        }
    };
}

choices!("plan length":
    /// How long a plan should be (`plan.length`).
    #[derive(Default)]
    LengthStyle {
        /// A short section of context; concise.
        #[default]
        Control = "control",
        /// The context in a line, one command to verify.
        Trim = "trim",
        /// No context; mostly under 40 lines.
        Cut = "cut",
        /// 40 lines at most.
        Cap = "cap",
    }
);

choices!("planning eagerness":
    /// How readily the model is to ask for plan mode (`plan.eagerness`).
    #[derive(Default)]
    Eagerness {
        /// For every task that is not simple; in doubt too.
        #[default]
        Eager = "eager",
        /// Only where the approach is really unclear.
        Reserved = "reserved",
    }
);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_lead_back() {
        for length in LengthStyle::ALL {
            assert_eq!(length.to_string().parse(), Ok(*length));
        }
        for eagerness in Eagerness::ALL {
            assert_eq!(eagerness.to_string().parse(), Ok(*eagerness));
        }
        let error = "short".parse::<LengthStyle>().unwrap_err();
        assert_eq!(error.to_string(), "Unknown plan length `short`; use one of control, trim, cut, cap");
    }
}
