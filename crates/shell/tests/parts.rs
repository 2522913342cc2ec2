//! What the parts of a line tell those who match rules and ask about dangers.

use forelook_shell::{
    Analysis, Danger, FolderConfig, LinePart, PathTarget, ShellEffect, Verdict, WorkingFolder, analyse,
};

fn only(line: &str) -> LinePart {
    let Analysis { mut parts, .. } = analyse(line);
    assert_eq!(parts.len(), 1, "{line}");
    parts.remove(0)
}

fn has(forms: &[String], form: &str) -> bool {
    forms.iter().any(|f| f == form)
}

#[test]
fn deny_rules_see_through_wrappers_quotes_and_paths() {
    for line in [
        "rm f",
        "r\"m\" f",
        "/bin/rm f",
        "X=1 rm f",
        "timeout 5 rm f",
        "env X=1 nice rm f",
        "sudo rm f",
        "\\rm f",
        "command rm f",
    ] {
        assert!(has(&only(line).deny_forms, "rm f"), "{line}: {:?}", only(line).deny_forms);
    }
    let parts = analyse("ls | xargs rm").parts;
    assert!(parts.iter().any(|p| p.deny_forms.iter().any(|f| f.starts_with("rm "))));
}

#[test]
fn allow_rules_see_only_harmless_wrappers() {
    assert!(has(&only("LC_ALL=C timeout 5 npm run test").allow_forms, "npm run test"));
    assert!(!has(&only("PATH=. npm run test").allow_forms, "npm run test"));
    assert!(!has(&only("sudo npm run test").allow_forms, "npm run test"));
    assert!(!has(&only("xargs npm run test").allow_forms, "npm run test"));
}

#[test]
fn folders_follow_cd() {
    let mut wrong = Vec::new();
    for (line, expected) in [
        ("cd a && ls", "a"),
        ("cd a && cd b && ls", "a/b"),
        ("cd a && true || true && ls", "a|"),
        ("cd a || exit 1; ls", "a"),
        ("cd a || { echo no; exit; }; ls", "a"),
        ("cd a || return; ls", "a|"),
        ("cd a; ls", "a|"),
        ("cd a\nls", "a|"),
        ("cd a && true; ls", "a|"),
        ("cd a || cd b; ls", "a|b|"),
        ("cd a; cd b; ls", "a/b|b|a|"),
        ("cd a; cd b; cd c; ls", "?"),
        ("cd a; cd /b && ls", "/b"),
        ("cd a; bash -c 'ls'", "a|"),
        ("false && cd a; ls", "a|"),
        ("cd a & ls", ""),
        ("cd a | ls", ""),
        ("(cd a && true); ls", ""),
        ("(cd a && ls)", "a"),
        ("{ cd a && true; }; ls", "a|"),
        ("{ cd a && true; } && ls", "a"),
        ("! cd a && ls", ""),
        ("if cd a; then ls; fi", "a"),
        ("if cd a; then true; else ls; fi", ""),
        ("if true; then cd a; fi; ls", "a|"),
        ("for i in 1 2; do cd a && ls; done", "?"),
        ("for i in 1 2; do cd /a && ls; done", "/a"),
        ("for i in 1 2; do (cd a && ls); done", "a"),
        ("while cd a; do ls; done", "?"),
        ("case x in x) cd a;; esac; ls", "?"),
        ("f() { cd a; }; f; ls", "?"),
        ("f() { ls; }; cd a && f", "?"),
        ("f() { ls; }; f", ""),
        ("cd() { :; }; cd a && ls", "?"),
        ("cd a && cd - && ls", ""),
        ("cd a && cd .. && ls", ""),
        ("cd a && cd ../b && ls", "?"),
        ("cd a/../b && ls", "?"),
        ("cd .. && cd b && ls", "../b"),
        ("cd - && ls", "?"),
        ("cd -P a && ls", "?"),
        ("cd -- a && ls", "a"),
        ("cd \"$x\" && ls", "?"),
        ("cd && ls", "~"),
        ("cd ~/x && ls", "~/x"),
        ("cd \"$HOME\" && ls", "~"),
        ("cd $HOME/x && ls", "~/x"),
        ("cd \"$PWD/x\" && ls", "x"),
        ("HOME=/x; cd && ls", "?"),
        ("export CDPATH=/x; cd a && ls", "?"),
        ("CDPATH=/x cd a && ls", "?"),
        ("export CDPATH=/x; cd ./a && ls", "a"),
        ("export C\"\"DPATH=/x; cd a && ls", "?"),
        ("read \"$x\"; cd a && ls", "?"),
        ("pushd a && ls", "?"),
        ("command cd a && ls", "a"),
        ("builtin cd a && ls", "a"),
        ("$x a && ls", "?"),
        ("source f && ls", "?"),
        ("eval 'cd a' && ls", "?"),
        ("eval 'cd a && ls'", "a"),
        ("cd a && bash -c 'ls'", "a"),
        ("cd a && bash -c 'cd b && ls'", "a/b"),
        ("bash -c 'cd a'; ls", ""),
        ("export CDPATH=/x; bash -c 'cd a && ls'", "?"),
        ("cd a && find . -exec ls {} +", "a"),
        ("cd a && find . -execdir ls {} +", "?"),
        ("cd a && x=$(ls)", "a"),
        ("x=$(cd a && pwd); ls", ""),
        ("cd a && echo <(ls)", "a"),
        ("cd a && { ls; } > /dev/null", "a"),
        ("{ cd a; } > f && ls", "a"),
        ("shopt -s lastpipe; true | cd a; ls", "?"),
        ("set -e; ls", ""),
        ("cd a && cat <<E\n$(ls)\nE", "?"),
        ("time cd a && ls", "a"),
        ("trap 'cd /' DEBUG; ls", "?"),
        ("cd a && OLDPWD=/x && cd - && ls", "?"),
        ("cd a && PWD=/x && cd b && cd - && ls", "?"),
        ("BASH_ENV=./x bash -c 'ls'", "?"),
        ("export BASH_ENV=./x; bash -c 'cd /y && ls'", "?"),
        ("env BASHOPTS=lastpipe bash -c 'true | cd /x; ls'", "?"),
        ("bash -lc 'cd a && ls'", "?"),
        ("bash -lc 'ls'", ""),
        ("declare -n r=CD\"P\"ATH; r=/x; cd a && ls", "?"),
    ] {
        let parts = analyse(line).parts;
        let one = |text: &str| match text {
            "" => WorkingFolder::Start,
            other => WorkingFolder::Moved(other.to_owned()),
        };
        let folder = match expected {
            "?" => WorkingFolder::Elsewhere,
            several if several.contains('|') => WorkingFolder::OneOf(several.split('|').map(one).collect()),
            single => one(single),
        };
        let found: Vec<&WorkingFolder> =
            parts.iter().filter(|p| p.program() == Some("ls")).map(|p| &p.folder).collect();
        if found != [&folder] {
            wrong.push(format!("{line}: {found:?}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn written_paths_are_known() {
    let paths = |line: &str| analyse(line).writes().cloned().collect::<Vec<_>>();
    let path = |p: &str| PathTarget::Path(p.to_owned());
    assert_eq!(paths("echo x > out 2>&1"), [path("out")]);
    // If `b` is a folder, the copy is in it.
    assert_eq!(paths("cp x/a b"), [path("b"), path("b/a")]);
    assert_eq!(paths("sort -o f g"), [path("f")]);
    assert_eq!(paths("touch a 'b c'"), [path("a"), path("b c")]);
    assert_eq!(paths("rm src/*"), [PathTarget::Begins("src/".to_owned())]);
    assert_eq!(paths("echo > \"$x\""), [PathTarget::Somewhere]);
    assert_eq!(analyse("cat a b").reads().count(), 2);
}

#[test]
fn a_number_that_is_no_descriptor_makes_a_line_unknown() {
    assert_eq!(analyse("cat a 10<b").verdict, Verdict::ReadOnly);
    assert_eq!(analyse("cat a 10485760485<b").verdict, Verdict::Unknown);
}

#[test]
fn dangers() {
    for line in [
        "rm -rf /",
        "rm -rf ~",
        "rm -rf .",
        "rm -rf ..",
        "rm -rf *",
        "rm -rf /usr",
        "rm -rf \"$X\"/*",
        "rm -rf ./",
        "sudo rm -rf /*",
        "rm -r ~/",
    ] {
        assert!(only(line).dangers.iter().any(|d| matches!(d, Danger::Root { .. })), "{line}");
    }
    for line in [
        "git reset --hard",
        "git clean -fd",
        // No dry runs: `-n` is a value, a path, or taken back.
        "git clean -fdx -e -n",
        "git clean -fdx --exclude -n",
        "git clean -fd -enode_modules",
        "git clean -fd --exclude=node_modules",
        "git clean -f -- -n",
        "git clean -n -f --no-dry-run",
        "git clean -fd --dry-run --no-dry",
        "git clean -n -i",
        "git clean -nf \"$x\"",
        "git -c clean.requireForce=false clean -d",
        "git checkout -- .",
        "git stash drop",
        "git push --force-with-lease",
        "git branch -D x",
        "git restore .",
    ] {
        assert!(only(line).dangers.iter().any(|d| matches!(d, Danger::IrreversibleGit { .. })), "{line}");
    }
    for line in [
        "rm -rf target",
        "git reset HEAD f",
        "git push",
        "rm src/*",
        "git stash list",
        "git clean -nfd",
        "git clean --force --dry-run",
        "git clean -fdn -enode_modules",
        "git clean -fd -n -- src",
        "sudo git clean -nd",
        "ls /",
    ] {
        assert!(only(line).dangers.is_empty(), "{line}");
    }
}

#[test]
fn dependencies_and_effects() {
    assert_eq!(analyse("npm ls; git log").depends_on(), [FolderConfig::Git, FolderConfig::Npm]);
    assert!(only("curl x").effects.contains(&ShellEffect::Network));
    assert_eq!(only("curl x").verdict, Verdict::Unknown);
    assert!(!analyse("ls (").parsed);
}

#[test]
fn a_refusal_names_the_part() {
    let why = analyse("ls && rm notes.txt | cat").why;
    assert_eq!(why, "`rm` removes files (in `rm notes.txt`)");
    assert_eq!(analyse("echo x > f").why, "A redirection writes to `f`");
}

/// A decision has no time for a line that is nothing but words, however it is made.
#[test]
fn a_line_of_thousands_of_words_is_unknown() {
    let many = |piece: &str, count| piece.repeat(count);
    assert_eq!(analyse(&many("ls ", 1500)).verdict, Verdict::ReadOnly);
    for line in [many("ls ", 2001), many("ls;", 2001), many("A=1 ", 2001), format!("ls {}", many("[a]", 501))]
    {
        assert_eq!(analyse(&line).verdict, Verdict::Unknown, "{}", line.get(..12).unwrap());
    }
}
