//! Which settings make git run something, and what they are set to instead.

use super::parse::Setting;

/// Shows a change by itself, in place of a program that would.
const DIFF: &str = r#"f() { diff -u --label "a/$1" --label "b/$1" "$2" "$5"; true; }; f"#;

/// Joins two versions by itself.
const MERGE: &str = "git merge-file %A %O %B";

/// Says why nothing happens. What stands behind it on the line is not looked at.
const ALIAS: &str = r#"!f() { echo "Forelook does not run this alias: it comes from the repository's own configuration" >&2; false; }; f"#;

/// What becomes of a setting.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Replacement {
    /// It runs nothing.
    Keep,
    /// These are set, of the same section and subsection.
    Set(&'static [(&'static str, &'static str)]),
    /// The setting is set to this.
    Value(&'static str),
    /// Git adds up such settings, and none can be taken away.
    Impossible,
}

/// What is set in place of a setting, so that nothing of the repository's runs.
pub(super) fn replacement(setting: &Setting) -> Replacement {
    use Replacement::{Impossible, Keep, Set, Value};
    let (section, below, name) = setting.parts();
    match (section, below, name) {
        // Without a command, what is in the files counts as it is; `required` would call that a failure.
        (b"filter", Some(_), b"clean" | b"smudge" | b"process" | b"required") => {
            Set(&[("clean", ""), ("smudge", ""), ("process", ""), ("required", "false")])
        }
        (b"diff", Some(_), b"textconv" | b"cachetextconv") => {
            Set(&[("textconv", "cat"), ("cachetextconv", "false")])
        }
        (b"diff", Some(_), b"command") | (b"diff", None, b"external") => Value(DIFF),
        (b"merge", Some(_), b"driver") => Value(MERGE),
        (b"alias", _, _) => alias(setting.value.as_deref()),
        (b"pager", _, _) => Value("false"),
        (b"interactive", None, b"difffilter") => Value("cat"),
        (b"remote", Some(_), b"uploadpack") => Value("git-upload-pack"),
        (b"remote", Some(_), b"receivepack") => Value("git-receive-pack"),
        (b"remote", Some(_), b"vcs") => Value("none"),
        (b"protocol", _, b"allow") => Value("never"),
        (b"submodule", Some(_), b"update") => Value("checkout"),
        (b"trailer", Some(_), b"command" | b"cmd") => Value("true"),
        (b"hook", Some(_), b"command" | b"event" | b"enabled") => {
            Set(&[("command", "true"), ("enabled", "false")])
        }
        (b"difftool" | b"mergetool" | b"browser" | b"man", Some(_), b"path") => Value("false"),
        (b"lfs", Some(_), b"path" | b"clean" | b"smudge") => Value("false"),
        (b"sendemail", _, b"smtpserver") => Value("localhost"),
        (b"imap", _, b"tunnel") => Value("false"),
        (b"gc", None, b"recentobjectshook") => Impossible,
        // An empty one already stands behind all others (`ChildEnv::harden_git`); another would come behind it.
        (b"credential", _, b"helper") => Keep,
        // Git takes this one from the person alone, or from the environment: ours would count where theirs did not.
        (b"uploadpack", _, b"packobjectshook") => Keep,
        (_, _, name) if ENDS.iter().any(|end| name.ends_with(end)) => Value("false"),
        _ => Keep,
    }
}

/// How the names of programs end, in git and in what people add to it. `false` in place of one fails at once.
const ENDS: [&[u8]; 8] =
    [b"cmd", b"command", b"program", b"hook", b"helper", b"editor", b"pager", b"askpass"];

/// An alias may be another name for a command, and no more: words after it can run anything (`rebase --exec`).
fn alias(value: Option<&[u8]>) -> Replacement {
    let harmless = |value: &[u8]| value.iter().all(|byte| byte.is_ascii_alphanumeric() || *byte == b'-');
    match value {
        Some(value) if harmless(value) && !value.starts_with(b"-") => Replacement::Keep,
        _ => Replacement::Value(ALIAS),
    }
}

/// Whether a setting makes a git command that only reads run something, although `ChildEnv::harden_git` is in force.
pub(super) fn is_hazard(setting: &Setting) -> bool {
    let (section, _, name) = setting.parts();
    match section {
        b"filter" => matches!(name, b"clean" | b"smudge" | b"process"),
        b"diff" => matches!(name, b"textconv" | b"command" | b"external" | b"guitool"),
        b"include" | b"includeif" => true,
        b"gpg" => name == b"program",
        b"core" => matches!(name, b"worktree" | b"alternaterefscommand" | b"gitproxy"),
        b"interactive" => name == b"difffilter",
        b"merge" => name == b"driver",
        b"hook" => name == b"command",
        // A partial clone fetches what is missing, through whatever the remote names.
        b"extensions" => name == b"partialclone",
        b"remote" => matches!(name, b"uploadpack" | b"receivepack" | b"vcs" | b"promisor"),
        _ => false,
    }
}

/// Whether git writes such a setting by itself when it makes a repository or a branch, and runs nothing for it.
pub(super) fn is_plain(setting: &Setting) -> bool {
    let (section, below, name) = setting.parts();
    match (section, below.is_some()) {
        (b"core", false) => matches!(
            name,
            b"repositoryformatversion"
                | b"filemode"
                | b"bare"
                | b"logallrefupdates"
                | b"ignorecase"
                | b"precomposeunicode"
                | b"symlinks"
                | b"autocrlf"
                | b"eol"
                | b"safecrlf"
                | b"sparsecheckout"
                | b"sparsecheckoutcone"
        ),
        // A helper of another transport (`ext::sh -c …`) runs what the address says.
        (b"remote" | b"submodule", true) => match name {
            b"url" | b"pushurl" => !setting.value.as_deref().is_some_and(has_transport_helper),
            b"fetch" | b"push" | b"active" | b"branch" | b"tagopt" | b"prune" | b"mirror" => true,
            b"promisor" | b"partialclonefilter" => true,
            _ => false,
        },
        (b"branch", true) => {
            matches!(name, b"remote" | b"merge" | b"rebase" | b"pushremote" | b"description")
        }
        (b"user", false) => matches!(name, b"name" | b"email"),
        (b"extensions", false) => {
            matches!(name, b"objectformat" | b"refstorage" | b"worktreeconfig" | b"partialclone")
        }
        (b"init", false) => name == b"defaultbranch",
        (b"pull", false) => matches!(name, b"rebase" | b"ff"),
        _ => false,
    }
}

/// Whether a setting makes no git command run anything, nor leads one to another repository or file that does.
pub(super) fn is_ordinary(setting: &Setting) -> bool {
    let (section, below, name) = setting.parts();
    if is_plain(setting) {
        return true;
    }
    match section {
        b"user" | b"author" | b"committer" | b"advice" | b"color" | b"column" | b"push" | b"fetch"
        | b"rerere" | b"status" | b"log" | b"tag" | b"index" | b"pack" | b"feature" | b"maintenance"
        | b"transfer" | b"receive" | b"http" | b"stash" | b"rebase" | b"checkout" | b"worktree"
        | b"blame" => !runs_by_name(name),
        b"commit" => matches!(name, b"gpgsign" | b"verbose" | b"cleanup" | b"status"),
        b"gc" => name != b"recentobjectshook",
        b"diff" => {
            below.is_none() && matches!(name, b"algorithm" | b"renames" | b"colormoved" | b"mnemonicprefix")
        }
        b"merge" => below.is_none() && matches!(name, b"conflictstyle" | b"ff" | b"log" | b"renames"),
        b"pull" | b"branch" => true,
        b"core" => matches!(
            name,
            b"fscache"
                | b"untrackedcache"
                | b"longpaths"
                | b"preloadindex"
                | b"quotepath"
                | b"trustctime"
                | b"checkstat"
                | b"abbrev"
                | b"whitespace"
                | b"commentchar"
                | b"compression"
                | b"protecthfs"
                | b"protectntfs"
                | b"splitindex"
                | b"sharedrepository"
                | b"multipackindex"
                | b"commitgraph"
        ),
        b"lfs" => matches!(name, b"repositoryformatversion" | b"locksverify" | b"url" | b"access"),
        b"extensions" => matches!(name, b"refstorage" | b"compatobjectformat" | b"relativeworktrees"),
        b"submodule" => name != b"update",
        b"remote" => {
            matches!(name, b"gh-resolved" | b"skipfetchall" | b"skipdefaultupdate" | b"followremotehead")
        }
        _ => false,
    }
}

fn runs_by_name(name: &[u8]) -> bool {
    ENDS.iter().any(|end| name.ends_with(end))
}

/// Whether the value of a setting that is not ordinary is a program, or may be one.
pub(super) fn names_program(setting: &Setting) -> bool {
    let (_, _, name) = setting.parts();
    let is_switch = setting.value.as_deref().is_none_or(|value| {
        let is = |word: &[u8]| value.eq_ignore_ascii_case(word);
        value.is_empty()
            || value.iter().all(|byte| byte.is_ascii_digit())
            || [b"true".as_slice(), b"false", b"yes", b"no", b"on", b"off"].iter().any(|word| is(word))
    });
    !is_switch
        && !matches!(
            name,
            b"hookspath"
                | b"worktree"
                | b"template"
                | b"excludesfile"
                | b"attributesfile"
                | b"insteadof"
                | b"pushinsteadof"
                | b"partialclone"
                | b"promisor"
                | b"url"
                | b"pushurl"
                | b"required"
        )
        && !matches!(setting.parts(), (b"include" | b"includeif", _, b"path"))
}

fn has_transport_helper(url: &[u8]) -> bool {
    url.windows(2).any(|pair| pair == b"::") || url.starts_with(b"-")
}
