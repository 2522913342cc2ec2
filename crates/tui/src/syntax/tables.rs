//! The tables of the languages.

use super::languages::{Grammar, Language, Quote};

const fn quote(open: &'static str, close: &'static str) -> Quote {
    Quote { open, close, escapes: true, lines: false, letter: false }
}

const fn long(open: &'static str, close: &'static str) -> Quote {
    Quote { lines: true, ..quote(open, close) }
}

const fn raw(open: &'static str, close: &'static str) -> Quote {
    Quote { escapes: false, lines: true, ..quote(open, close) }
}

const LETTER: Quote = Quote { letter: true, ..quote("'", "'") };
const DOUBLE: Quote = quote("\"", "\"");
const SINGLE: Quote = quote("'", "'");
const SLASHES: &[&str] = &["//"];
const STARS: Option<(&str, &str)> = Some(("/*", "*/"));

/// What most languages have.
const BASE: Language = Language {
    names: &[],
    grammar: Grammar::Code,
    keywords: &[],
    types: &[],
    comments: SLASHES,
    block: STARS,
    quotes: &[DOUBLE, LETTER],
    capitals: true,
};

// A word on each line would make ten pages of this.
#[rustfmt::skip]
pub(super) const ALL: &[Language] = &[
    Language {
        names: &["rust", "rs"],
        keywords: &[
            "as", "async", "await", "break", "const", "continue", "crate", "dyn", "else", "enum", "extern",
            "false", "fn", "for", "if", "impl", "in", "let", "loop", "match", "mod", "move", "mut", "pub",
            "ref", "return", "self", "static", "struct", "super", "trait", "true", "type", "union",
            "unsafe", "use", "where", "while",
        ],
        types: &[
            "bool", "char", "f32", "f64", "i8", "i16", "i32", "i64", "i128", "isize", "str", "u8", "u16",
            "u32", "u64", "u128", "usize",
        ],
        quotes: &[raw("r##\"", "\"##"), raw("r#\"", "\"#"), raw("r\"", "\""), long("\"", "\""), LETTER],
        ..BASE
    },
    Language {
        names: &["python", "py", "python3", "pyi"],
        keywords: &[
            "False", "None", "True", "and", "as", "assert", "async", "await", "break", "case", "class",
            "continue", "def", "del", "elif", "else", "except", "finally", "for", "from", "global", "if",
            "import", "in", "is", "lambda", "match", "nonlocal", "not", "or", "pass", "raise", "return",
            "self", "try", "while", "with", "yield",
        ],
        types: &[
            "bool", "bytes", "dict", "float", "int", "list", "object", "set", "str", "tuple",
        ],
        comments: &["#"],
        block: None,
        quotes: &[long("\"\"\"", "\"\"\""), long("'''", "'''"), DOUBLE, SINGLE],
        ..BASE
    },
    Language {
        names: &[
            "javascript", "js", "jsx", "mjs", "cjs", "typescript", "ts", "tsx", "mts", "node",
        ],
        keywords: &[
            "abstract", "as", "async", "await", "break", "case", "catch", "class", "const", "continue",
            "debugger", "declare", "default", "delete", "do", "else", "enum", "export", "extends", "false",
            "finally", "for", "from", "function", "get", "if", "implements", "import", "in", "instanceof",
            "interface", "keyof", "let", "namespace", "new", "null", "of", "private", "protected", "public",
            "readonly", "return", "set", "static", "super", "switch", "this", "throw", "true", "try",
            "type", "typeof", "undefined", "var", "void", "while", "yield",
        ],
        types: &[
            "any", "bigint", "boolean", "never", "number", "string", "symbol", "unknown",
        ],
        quotes: &[long("`", "`"), DOUBLE, SINGLE],
        ..BASE
    },
    Language {
        names: &["go", "golang"],
        keywords: &[
            "break", "case", "chan", "const", "continue", "default", "defer", "else", "fallthrough",
            "false", "for", "func", "go", "goto", "if", "import", "interface", "map", "nil", "package",
            "range", "return", "select", "struct", "switch", "true", "type", "var",
        ],
        types: &[
            "any", "bool", "byte", "error", "float32", "float64", "int", "int8", "int16", "int32", "int64",
            "rune", "string", "uint", "uint8", "uint16", "uint32", "uint64", "uintptr",
        ],
        quotes: &[raw("`", "`"), DOUBLE, LETTER],
        ..BASE
    },
    Language {
        names: &["java", "kotlin", "kt", "kts", "scala", "swift", "dart"],
        keywords: &[
            "abstract", "assert", "break", "case", "catch", "class", "const", "continue", "data", "def",
            "default", "do", "else", "enum", "extends", "false", "final", "finally", "for", "fun", "func",
            "guard", "if", "implements", "import", "in", "instanceof", "interface", "internal", "is", "let",
            "native", "new", "nil", "null", "object", "open", "override", "package", "private", "protected",
            "public", "record", "return", "sealed", "static", "struct", "super", "switch", "synchronized",
            "this", "throw", "throws", "trait", "transient", "true", "try", "val", "var", "volatile",
            "when", "while", "yield",
        ],
        types: &[
            "boolean", "byte", "char", "double", "float", "int", "long", "short", "void",
        ],
        quotes: &[long("\"\"\"", "\"\"\""), DOUBLE, LETTER],
        ..BASE
    },
    Language {
        names: &[
            "c", "h", "cpp", "c++", "cc", "cxx", "hpp", "hh", "objc", "m", "cuda", "cu", "zig",
        ],
        keywords: &[
            "auto", "break", "case", "catch", "class", "concept", "const", "constexpr", "continue",
            "default", "define", "delete", "do", "else", "endif", "enum", "explicit", "extern", "false",
            "final", "for", "friend", "goto", "if", "ifdef", "ifndef", "include", "inline", "namespace",
            "new", "noexcept", "nullptr", "operator", "override", "pragma", "private", "protected",
            "public", "register", "return", "sizeof", "static", "struct", "switch", "template", "this",
            "throw", "true", "try", "typedef", "typename", "union", "using", "virtual", "volatile", "while",
        ],
        types: &[
            "bool", "char", "double", "float", "int", "int16_t", "int32_t", "int64_t", "int8_t", "long",
            "short", "signed", "size_t", "uint16_t", "uint32_t", "uint64_t", "uint8_t", "unsigned", "void",
            "wchar_t",
        ],
        ..BASE
    },
    Language {
        names: &["csharp", "cs", "c#"],
        keywords: &[
            "abstract", "as", "async", "await", "base", "break", "case", "catch", "class", "const",
            "continue", "default", "delegate", "do", "else", "enum", "event", "explicit", "false",
            "finally", "fixed", "for", "foreach", "get", "if", "implicit", "in", "init", "interface",
            "internal", "is", "lock", "namespace", "new", "null", "operator", "out", "override", "params",
            "private", "protected", "public", "readonly", "record", "ref", "return", "sealed", "set",
            "sizeof", "static", "struct", "switch", "this", "throw", "true", "try", "typeof", "using",
            "var", "virtual", "when", "where", "while", "yield",
        ],
        types: &[
            "bool", "byte", "char", "decimal", "double", "dynamic", "float", "int", "long", "object",
            "sbyte", "short", "string", "uint", "ulong", "ushort", "void",
        ],
        quotes: &[long("\"\"\"", "\"\"\""), raw("@\"", "\""), DOUBLE, LETTER],
        ..BASE
    },
    Language {
        names: &["ruby", "rb", "elixir", "ex", "exs"],
        keywords: &[
            "BEGIN", "END", "alias", "and", "begin", "break", "case", "class", "def", "defined", "do",
            "else", "elsif", "end", "ensure", "false", "fn", "for", "if", "in", "module", "next", "nil",
            "not", "or", "redo", "require", "rescue", "retry", "return", "self", "super", "then", "true",
            "undef", "unless", "until", "use", "when", "while", "yield",
        ],
        comments: &["#"],
        block: Some(("=begin", "=end")),
        quotes: &[DOUBLE, SINGLE],
        ..BASE
    },
    Language {
        names: &["php"],
        keywords: &[
            "abstract", "and", "array", "as", "break", "case", "catch", "class", "clone", "const",
            "continue", "declare", "default", "do", "echo", "else", "elseif", "empty", "enum", "extends",
            "false", "final", "finally", "fn", "for", "foreach", "function", "global", "if", "implements",
            "include", "instanceof", "interface", "isset", "match", "namespace", "new", "null", "or", "php",
            "print", "private", "protected", "public", "readonly", "require", "return", "static", "switch",
            "this", "throw", "trait", "true", "try", "unset", "use", "var", "while", "yield",
        ],
        types: &[
            "bool", "float", "int", "iterable", "mixed", "never", "object", "string", "void",
        ],
        comments: &["//", "#"],
        quotes: &[DOUBLE, SINGLE],
        ..BASE
    },
    Language {
        names: &[
            "shell", "sh", "bash", "zsh", "fish", "ksh", "console", "dockerfile", "makefile", "make",
            "powershell", "ps1",
        ],
        keywords: &[
            "ARG", "CMD", "COPY", "ENTRYPOINT", "ENV", "EXPOSE", "FROM", "RUN", "USER", "VOLUME", "WORKDIR",
            "case", "cd", "declare", "do", "done", "echo", "elif", "else", "end", "esac", "eval", "exec",
            "exit", "export", "fi", "for", "function", "if", "in", "local", "read", "readonly", "return",
            "select", "set", "shift", "source", "sudo", "test", "then", "trap", "unset", "until", "while",
        ],
        comments: &["#"],
        block: None,
        quotes: &[long("\"", "\""), raw("'", "'")],
        capitals: false,
        ..BASE
    },
    Language {
        names: &["json", "jsonc", "json5", "jsonl"],
        grammar: Grammar::Keyed(':'),
        keywords: &["false", "null", "true"],
        quotes: &[DOUBLE],
        capitals: false,
        ..BASE
    },
    Language {
        names: &["yaml", "yml"],
        grammar: Grammar::Keyed(':'),
        keywords: &["false", "no", "null", "off", "on", "true", "yes"],
        comments: &["#"],
        block: None,
        quotes: &[DOUBLE, SINGLE],
        capitals: false,
        ..BASE
    },
    Language {
        names: &["toml", "ini", "cfg", "conf", "properties", "env", "lock"],
        grammar: Grammar::Keyed('='),
        keywords: &["false", "true"],
        comments: &["#", ";"],
        block: None,
        quotes: &[long("\"\"\"", "\"\"\""), raw("'''", "'''"), DOUBLE, Quote { escapes: false, ..SINGLE }],
        capitals: false,
        ..BASE
    },
    Language {
        names: &["css", "scss", "sass", "less"],
        grammar: Grammar::Keyed(':'),
        keywords: &["auto", "important", "inherit", "initial", "media", "none", "unset"],
        quotes: &[DOUBLE, SINGLE],
        capitals: false,
        ..BASE
    },
    Language {
        names: &["sql", "postgresql", "postgres", "mysql", "sqlite"],
        // The first word says that case does not matter.
        keywords: &[
            "ALL", "ADD", "ALTER", "AND", "AS", "ASC", "BEGIN", "BETWEEN", "BY", "CASCADE", "CASE", "CHECK",
            "COMMIT", "CONSTRAINT", "CREATE", "CROSS", "DEFAULT", "DELETE", "DESC", "DISTINCT", "DROP",
            "ELSE", "END", "EXISTS", "FOREIGN", "FROM", "FULL", "GROUP", "HAVING", "IF", "IN", "INDEX",
            "INNER", "INSERT", "INTO", "IS", "JOIN", "KEY", "LEFT", "LIKE", "LIMIT", "NOT", "NULL",
            "OFFSET", "ON", "OR", "ORDER", "OUTER", "PRIMARY", "REFERENCES", "RETURNING", "RIGHT",
            "ROLLBACK", "SELECT", "SET", "TABLE", "THEN", "TRIGGER", "UNION", "UNIQUE", "UPDATE", "USING",
            "VALUES", "VIEW", "WHEN", "WHERE", "WITH",
        ],
        comments: &["--"],
        quotes: &[Quote { escapes: false, lines: true, ..SINGLE }, DOUBLE],
        capitals: false,
        ..BASE
    },
    Language {
        names: &["html", "xml", "svg", "htm", "xhtml", "vue", "svelte"],
        grammar: Grammar::Markup,
        ..BASE
    },
    Language { names: &["diff", "patch"], grammar: Grammar::Diff, ..BASE },
];
