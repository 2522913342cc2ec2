//! The notation for flags in the tables.
//!
//! A list of tokens separated by blanks: `-abc` three short flags without a value, `-k:` one with a value, `-U?` one
//! whose value can only be attached, `-#` a number such as `-20`; `--name`, `--name:` (value after `=` or in the next
//! word), `--name?` (only after `=`). In a table with `single_dash` a token `-name` is one flag, as find and go have.

/// How a flag takes a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Arity {
    None,
    /// Attached or the next word.
    Required,
    /// Only attached.
    Optional,
}

/// What a flag means for the verdict.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FlagRole {
    Harmless,
    /// Its value is a file that is read.
    Reads,
    /// Its value is a file of which it tells name, size or times.
    Looks,
    /// Its value is data, or names a file with a sign at its beginning: `@f`.
    Data,
    /// Its value is data, or names a file with it: `@f`, `name=@f`, `name=<f`, `name@f`.
    Attaches,
    /// Its value says what is printed, and may send that to a file.
    Reports,
    /// Its value is the folder that the program goes to before anything else.
    Moves,
    /// Its value is a file that is written; without a value, a file in the folder.
    Writes,
    /// Its value is how the names of files begin that are written.
    Prefixes,
    /// Its value is a folder below which files are written whose names only the input tells.
    Fills,
    /// The command changes something when it is given.
    Changes,
    /// Runs a program: its value, or what configuration names.
    Runs,
    /// Talks to other machines.
    Network,
    /// Known, but what it does depends on something that the text does not tell.
    Opaque,
}

impl FlagRole {
    /// Must a rule name the flag to cover it? A command that may write files anyway may do so where an option says.
    pub(crate) fn is_special(self, writes_anyway: bool) -> bool {
        match self {
            // Whether a report goes to a file, its value tells.
            Self::Harmless
            | Self::Reads
            | Self::Looks
            | Self::Data
            | Self::Attaches
            | Self::Reports
            | Self::Moves => false,
            Self::Writes | Self::Prefixes | Self::Fills | Self::Changes => !writes_anyway,
            Self::Runs | Self::Network | Self::Opaque => true,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Flag {
    /// With its dashes; `-#` for numbers.
    pub name: String,
    pub arity: Arity,
    pub role: FlagRole,
}

/// Reads a list of tokens.
pub(super) fn parse(text: &str, role: FlagRole, single_dash: bool) -> Result<Vec<Flag>, String> {
    let mut flags = Vec::new();
    for token in text.split_whitespace() {
        let (name, arity) = match (token.strip_suffix(':'), token.strip_suffix('?')) {
            (Some(name), _) => (name, Arity::Required),
            (None, Some(name)) if name.len() > 1 => (name, Arity::Optional),
            _ => (token, Arity::None),
        };
        let cluster =
            name.strip_prefix('-').filter(|n| !n.starts_with('-') && !single_dash && n.chars().count() > 1);
        match cluster {
            Some(letters) if arity == Arity::None => {
                flags.extend(letters.chars().map(|c| Flag { name: format!("-{c}"), arity, role }));
            }
            Some(_) => return Err(format!("`{token}`: several letters cannot share a value")),
            None if name.starts_with(['-', '+']) => flags.push(Flag { name: name.to_owned(), arity, role }),
            None => return Err(format!("`{token}` does not begin with a dash")),
        }
    }
    Ok(flags)
}
