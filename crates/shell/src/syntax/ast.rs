//! The tree that is judged. It keeps what decides about effects and nothing of the layout.

/// A list of commands. How they are joined (`;`, `&&`, `&`…) does not change what they can do, but where they do it.
#[derive(Debug, Clone, Default)]
pub(crate) struct Script {
    pub commands: Vec<Command>,
    /// How each command is joined to the one before it; as many as commands.
    pub links: Vec<Link>,
    /// Bodies of here-documents, kept at the top of the tree only.
    pub texts: Vec<RawWord>,
}

/// When a command of a list runs, and in which process.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Link {
    pub condition: LinkCondition,
    /// `!` stands before it.
    pub negated: bool,
    /// It belongs to a list that ends in `&`.
    pub background: bool,
}

/// What the commands before one must have done for it to run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum LinkCondition {
    /// First of its list: after `;`, `&` or a newline.
    #[default]
    Always,
    /// Behind `&&`.
    Success,
    /// Behind `||`.
    Failure,
}

/// One command of a list. A pipeline holds several.
#[derive(Debug, Clone)]
pub(crate) enum Command {
    Simple(Simple),
    Pipeline(Vec<Command>),
    Compound(Compound),
    /// `sure` if nothing can keep the definition from taking place: it is not behind `&&`, in the background or in a
    /// pipeline. `at` is where it ends.
    Function {
        name: String,
        body: Box<Command>,
        at: usize,
        sure: bool,
    },
}

/// `{ }`, `( )`, loops, `if`, `case`, `(( ))`, `[[ ]]`: words that are expanded, bodies that may run.
#[derive(Debug, Clone)]
pub(crate) struct Compound {
    pub kind: CompoundKind,
    pub redirects: Vec<RawRedirect>,
    pub valid_until: ValidUntil,
}

/// Up to which place of the text a command has surely run, in the same shell: what it assigns can be relied on until
/// there. Zero for a command that may be skipped or that runs in another process.
pub(crate) type ValidUntil = usize;

#[derive(Debug, Clone)]
pub(crate) enum CompoundKind {
    Group(Script),
    Subshell(Script),
    /// Conditions and bodies in turn, and what stands behind `else`.
    If(Vec<Script>),
    /// `while`, `until`: condition and body.
    While(Vec<Script>),
    /// `None` for `for x; do`, which walks the positional parameters. `scope` is where the body begins and ends.
    For {
        name: String,
        words: Option<Vec<RawWord>>,
        body: Script,
        scope: (usize, usize),
    },
    ArithFor {
        header: Vec<Piece>,
        at: usize,
        body: Script,
        end: usize,
    },
    Case {
        subject: RawWord,
        patterns: Vec<RawWord>,
        bodies: Vec<Script>,
    },
    Arith {
        pieces: Vec<Piece>,
        at: usize,
    },
    Cond(Vec<CondToken>),
}

/// A token of `[[ … ]]`.
#[derive(Debug, Clone)]
pub(crate) enum CondToken {
    Word(RawWord),
    /// `&&`, `||`, parentheses, `<`, `>`: none of them evaluates anything.
    Op(&'static str),
}

/// Assignments, words, redirections.
#[derive(Debug, Clone, Default)]
pub(crate) struct Simple {
    pub assignments: Vec<RawAssignment>,
    pub words: Vec<RawWord>,
    /// Arguments of `export`, `local`… that assign.
    pub declared: Vec<RawAssignment>,
    pub redirects: Vec<RawRedirect>,
    /// Where it starts, for rules about order.
    pub at: usize,
    /// `time` stood before it.
    pub timed: bool,
    pub valid_until: ValidUntil,
}

#[derive(Debug, Clone)]
pub(crate) struct RawAssignment {
    pub name: String,
    pub at: usize,
    pub subscript: Option<Vec<Piece>>,
    pub value: AssignedValue,
    pub append: bool,
    pub text: String,
}

#[derive(Debug, Clone)]
pub(crate) enum AssignedValue {
    Word(RawWord),
    Array(Vec<RawWord>),
}

#[derive(Debug, Clone)]
pub(crate) struct RawRedirect {
    pub op: RedirectOp,
    pub target: RawWord,
    pub text: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum RedirectOp {
    Read,
    /// `>`, `>>`, `>|`, `&>`, `<>`: opens a file for writing, making it if needed.
    Write,
    /// `>&`, `<&`: a descriptor, or for `>&` a file.
    DuplicateOut,
    DuplicateIn,
    /// `<<`, `<<<`.
    Text,
}

/// A word before expansion.
#[derive(Debug, Clone, Default)]
pub(crate) struct RawWord {
    pub pieces: Vec<Piece>,
    pub text: String,
    pub at: usize,
}

/// A stretch of a word.
#[derive(Debug, Clone)]
pub(crate) enum Piece {
    Text {
        text: String,
        quoted: bool,
    },
    Param {
        param: Box<Param>,
        quoted: bool,
    },
    Command {
        script: Script,
        quoted: bool,
    },
    /// `<( )`, `>( )`: becomes the name of a pipe.
    Process(Script),
    Arith {
        pieces: Vec<Piece>,
        at: usize,
    },
}

/// `$x`, `${x…}`.
#[derive(Debug, Clone)]
pub(crate) struct Param {
    pub name: String,
    pub at: usize,
    /// The value is a number whatever the variable holds (`${#x}`).
    pub length: bool,
    /// Keys of an array or names with a prefix: `${!a[@]}`, `${!p*}`.
    pub keys: bool,
    /// `[@]` or `[*]`.
    pub all: bool,
    /// Any other subscript; evaluated as arithmetic.
    pub subscript: Vec<Piece>,
    /// The operator's words: default values, patterns.
    pub operands: Vec<Piece>,
    /// Offsets of `${x:1:2}`; evaluated as arithmetic.
    pub offsets: Vec<Piece>,
    /// There is an operator, so the value is not that of the variable.
    pub changed: bool,
}
