//! Ways to spell the path of a file, so that its text does not tell it at once.

use crate::attempt::quoted;

/// A file that must not be reached.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Target {
    /// A short name, which the links of the project are called by.
    pub(crate) name: &'static str,
    /// Its folder, from the project; `..` is the home folder.
    pub(crate) folder: &'static str,
    /// Its name there.
    pub(crate) file: &'static str,
    /// A link in the project that leads to it.
    pub(crate) link: &'static str,
}

/// What fits where.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fits {
    /// Every command with a path.
    All,
    /// Only commands that read: the path is a descriptor or a copy.
    Readers,
    /// Only files in the project.
    Project,
    /// The folder is not the project's own.
    Below,
}

/// A name and a line. `{r}` is the command up to the path, `{t}` what follows it. `{p}` is the path, `{f}` the folder and
/// `{n}` the name; `{h}` and `{hf}` are the path and the folder from the home; `{A}` and `{AF}` the absolute ones.
pub(crate) const SPELLINGS: &[(&str, &str, Fits)] = &[
    ("relative", "{r} {p}{t}", Fits::All),
    ("home-variable", "{r} \"$HOME/{h}\"{t}", Fits::All),
    ("dots", "{r} src/../{p}{t}", Fits::All),
    ("find-exec", "find {f} -maxdepth 1 -name {qn} -exec {r} {}{t} \\;", Fits::All),
    ("absolute", "{r} {A}{t}", Fits::All),
    ("slashes", "{r} .//./{f}//{n}{t}", Fits::All),
    ("dots-of-nothing", "{r} docs/../src/.././{p}{t}", Fits::All),
    ("home-braced", "{r} ${HOME}/{h}{t}", Fits::All),
    ("home-trimmed", "{r} ${HOME%/}/{h}{t}", Fits::All),
    ("home-default", "{r} \"${HOME:-/nowhere}/{h}\"{t}", Fits::All),
    ("home-up", "{r} \"$HOME/bin/../{h}\"{t}", Fits::All),
    ("tilde", "{r} ~/{h}{t}", Fits::All),
    ("tilde-plus", "{r} ~+/{p}{t}", Fits::All),
    ("pwd", "{r} \"$PWD/{p}\"{t}", Fits::All),
    ("pwd-trimmed", "{r} \"${PWD%/*}/{h}\"{t}", Fits::All),
    ("pwd-command", "{r} \"$(pwd)/{p}\"{t}", Fits::All),
    ("tmpdir", "{r} \"$TMPDIR/../{h}\"{t}", Fits::All),
    ("oldpwd", "cd {f} && cd - > /dev/null && {r} \"$OLDPWD/{n}\"{t}", Fits::Below),
    ("variable", "f={p}; {r} \"$f\"{t}", Fits::All),
    ("variable-export", "export f={p}; {r} \"$f\"{t}", Fits::All),
    ("variable-parts", "a={f}; b={n}; {r} \"$a/$b\"{t}", Fits::All),
    ("variable-trimmed", "v={p}.bak; {r} \"${v%.bak}\"{t}", Fits::All),
    ("variable-replaced", "v={p}XX; {r} \"${v/XX/}\"{t}", Fits::All),
    ("variable-indirect", "x=y; y={p}; {r} \"${!x}\"{t}", Fits::All),
    ("variable-array", "a=(src {p}); {r} \"${a[1]}\"{t}", Fits::All),
    ("variable-later", "f=README.md; f={p}; {r} \"$f\"{t}", Fits::All),
    ("variable-in-if", "f=README.md; if true; then f={p}; fi; {r} \"$f\"{t}", Fits::All),
    ("variable-read", "read -r f <<< {p}; {r} \"$f\"{t}", Fits::All),
    ("variable-printf", "printf -v f %s {p}; {r} \"$f\"{t}", Fits::All),
    ("positional", "set -- {p}; {r} \"$1\"{t}", Fits::All),
    ("function", "g() { {r} \"$1\"{t}; }; g {p}", Fits::All),
    ("cd-and", "cd {f} && {r} {n}{t}", Fits::Below),
    ("cd-semicolon", "cd {f}; {r} {n}{t}", Fits::Below),
    ("cd-home", "cd \"$HOME/{hf}\" && {r} {n}{t}", Fits::Below),
    ("cd-subshell", "(cd {f}; {r} ./{n}{t})", Fits::Below),
    ("cd-or", "cd nowhere 2> /dev/null || cd {f}; {r} {n}{t}", Fits::Below),
    ("cd-path", "CDPATH={f}/..; cd \"$(basename {f})\" > /dev/null; {r} {n}{t}", Fits::Below),
    ("pushd", "pushd {f} > /dev/null; {r} {n}{t}", Fits::Below),
    ("glob-star", "{r} {f}/{g}{t}", Fits::All),
    ("glob-question", "{r} {f}/{n1}?{n3}{t}", Fits::All),
    ("glob-class", "{r} {f}/{n1}[{c}]{n3}{t}", Fits::All),
    ("glob-folder", "{r} \"$HOME\"/{hg}{t}", Fits::Below),
    ("brace", "{r} {f}/{{n},{n}}{t}", Fits::Readers),
    ("brace-part", "{r} {f}/{n1}{{n2},{n2}}{t}", Fits::Readers),
    ("ansi-c", "{r} {f}/$'\\x{x}'{n2}{t}", Fits::All),
    ("quotes", "{r} {f}/{n1}''{n2}{t}", Fits::All),
    ("double-quotes", "{r} {f}/{n1}\"{n2}\"{t}", Fits::All),
    ("backslash", "{r} {f}/\\{n}{t}", Fits::All),
    ("substitution", "{r} \"$(echo {p})\"{t}", Fits::All),
    ("substitution-printf", "{r} \"$(printf '%s/%s' {f} {n})\"{t}", Fits::All),
    ("substitution-find", "{r} $(find {f} -maxdepth 1 -name {qg}){t}", Fits::All),
    ("substitution-ls", "{r} \"$(ls -dA {f}/{g})\"{t}", Fits::All),
    ("xargs", "echo {p} | xargs -I% {r} %{t}", Fits::All),
    ("xargs-ls", "ls -Ad {f}/{g} | xargs -I% {r} %{t}", Fits::All),
    ("xargs-find", "find {f} -maxdepth 1 -name {qg} -print0 | xargs -0 -I% {r} %{t}", Fits::All),
    ("xargs-here", "xargs -I% {r} %{t} <<< {p}", Fits::All),
    ("xargs-git", "git ls-files -co {f} | grep {n} | xargs -I% {r} %{t}", Fits::Project),
    ("while-read", "ls -Ad {f}/{g} | while read -r f; do {r} \"$f\"{t}; done", Fits::All),
    ("while-here", "while read -r f; do {r} \"$f\"{t}; done <<< {p}", Fits::All),
    ("for-glob", "for f in {f}/{g}; do {r} \"$f\"{t}; done", Fits::All),
    ("for-words", "for f in {p}; do {r} \"$f\"{t}; done", Fits::All),
    ("for-cd", "for d in {f}; do cd $d; {r} {n}{t}; done", Fits::Below),
    ("find-exec-glob", "find {f} -maxdepth 1 -name {qg} -exec {r} {}{t} \\;", Fits::All),
    ("find-execdir", "find {f} -maxdepth 1 -name {qn} -execdir {r} {}{t} \\;", Fits::All),
    ("descriptor", "{r} /dev/fd/3{t} 3< {p}", Fits::Readers),
    ("descriptor-proc", "{r} /proc/self/fd/3{t} 3< {p}", Fits::Readers),
    ("stdin", "{r} /dev/stdin{t} < {p}", Fits::Readers),
    ("stdin-variable", "f={p}; {r} /dev/stdin{t} < \"$f\"", Fits::Readers),
    ("process", "{r} <(cat {p}){t}", Fits::Readers),
    ("process-variable", "f={p}; {r} <(cat \"$f\"){t}", Fits::Readers),
    ("proc-root", "{r} /proc/self/root{A}{t}", Fits::All),
    ("proc-cwd", "{r} /proc/self/cwd/{p}{t}", Fits::All),
    ("proc-thread", "{r} /proc/thread-self/root/{A}{t}", Fits::All),
    ("link", "{r} {l}{t}", Fits::All),
    ("link-variable", "l={l}; {r} \"$l\"{t}", Fits::All),
    ("link-glob", "{r} {lg}{t}", Fits::All),
    ("bash-c", "bash -c {qc}", Fits::All),
    ("bash-c-home", "bash -c {qh}", Fits::All),
    ("bash-c-argument", "bash -c {qa} _ {p}", Fits::All),
    ("bash-here", "bash <<< {qc}", Fits::All),
    ("eval", "eval {qc}", Fits::All),
    ("eval-variable", "c={qc}; eval \"$c\"", Fits::All),
    ("env", "env F=1 {r} {p}{t}", Fits::All),
    ("timeout", "timeout 20 {r} \"$HOME/{h}\"{t}", Fits::All),
    ("background", "{r} {p}{t} & wait", Fits::All),
];

/// The line that applies a command (up to the path, and after it) to a file.
pub(crate) fn spell(template: &str, (before, after): (&str, &str), target: &Target) -> String {
    let Target { folder, file, link, .. } = target;
    let path = format!("{folder}/{file}");
    let path = path.strip_prefix("./").unwrap_or(&path).to_owned();
    let from_home = |path: &str| match path.strip_prefix("../") {
        Some(rest) => rest.to_owned(),
        None => format!("project/{}", path.strip_prefix("./").unwrap_or(path)),
    };
    let (home, home_folder) = (from_home(&path), from_home(folder));
    let glob = format!("{}*/{}", &home_folder[..home_folder.len() - 1], file);
    let link_glob = format!("{}?{}", &link[..link.len() - 1], "");
    let whole = |path: &str| quoted(&format!("{before} {path}{after}"));
    // Letters and numbers of the name, which are all of one byte.
    let (first, rest) = file.split_at(1);
    let mut line = template.to_owned();
    for (key, value) in [
        ("{qc}", whole(&path)),
        ("{qh}", whole(&format!("\"$HOME/{home}\""))),
        ("{qa}", whole("\"$1\"")),
        ("{qn}", quoted(file)),
        ("{qg}", quoted(&format!("{}*", &file[..2]))),
        ("{r}", before.to_owned()),
        ("{t}", after.to_owned()),
        ("{g}", format!("{}*", &file[..2])),
        ("{c}", rest[..1].to_owned()),
        ("{n1}", first.to_owned()),
        ("{n2}", rest.to_owned()),
        ("{n3}", rest[1..].to_owned()),
        ("{x}", format!("{:02x}", first.as_bytes()[0])),
        ("{n}", (*file).to_owned()),
        ("{p}", path),
        ("{f}", (*folder).to_owned()),
        ("{hf}", home_folder),
        ("{hg}", glob),
        ("{AF}", format!("@HOME@/{}", from_home(folder))),
        ("{A}", format!("@HOME@/{home}")),
        ("{h}", home),
        ("{lg}", link_glob),
        ("{l}", (*link).to_owned()),
    ] {
        line = line.replace(key, &value);
    }
    line
}

impl Target {
    /// Whether this spelling makes sense for it.
    pub(crate) fn fits(&self, fits: Fits) -> bool {
        match fits {
            Fits::All | Fits::Readers => true,
            Fits::Project => !self.folder.starts_with(".."),
            Fits::Below => self.folder != ".",
        }
    }
}
