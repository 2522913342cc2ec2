//! What still works: the person's own configuration, and git itself.

use super::world::World;

fn said(world: &World, lines: &str) -> String {
    let output = world.run(&world.quiet(), lines);
    assert!(output.status.success(), "{lines}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn what_the_person_names_is_still_run() {
    let base = World::with_repository();
    for (config, lines) in [
        (
            "[filter \"mine\"]\n clean = $E\n",
            "echo '*.mine filter=mine' >.gitattributes; echo x >x.mine; git add x.mine",
        ),
        ("[alias]\n mine = !$E\n", "git mine"),
        ("[diff \"evil\"]\n textconv = $E\n", "git diff"),
    ] {
        let world = base.hostile("[filter \"evil\"]\n clean = $E\n");
        world.append("home/.gitconfig", config);
        said(&world, lines);
        assert!(world.marks().is_some(), "{config}");
    }
}

#[test]
fn differences_are_shown_without_the_programs_that_would_show_them() {
    let base = World::with_repository();
    for config in [
        "[diff \"evil\"]\n textconv = $E\n",
        "[diff \"evil\"]\n command = $E\n",
        "[diff]\n external = $E\n",
        "[filter \"evil\"]\n clean = $E\n required = true\n",
    ] {
        let world = base.hostile(config);
        let text = said(&world, "git diff");
        for expected in ["--- a/a.txt", "+++ b/a.txt", "\n-two\n", "\n+six\n"] {
            assert!(text.contains(expected), "{config}: {text}");
        }
        assert_eq!(said(&world, "git status --short"), " M a.txt\n", "{config}");
        said(&world, "git commit -qam six && git log -p");
    }
}

#[test]
fn versions_are_joined_without_the_program_that_would_join_them() {
    let base = World::with_repository();
    let world = base.hostile("[merge \"evil\"]\n driver = $E %O %A %B\n");
    let text = said(&world, "git stash -q; git merge side >/dev/null; cat a.txt");
    assert!(text.contains("<<<<<<<") && text.contains("two") && text.contains("side"), "{text}");
}

#[test]
fn another_name_for_a_command_is_no_program() {
    let base = World::with_repository();
    let world = base.hostile("[alias]\n st = status\n l = log --oneline\n");
    assert!(said(&world, "git st").contains("a.txt"));
    let refused = world.run(&world.quiet(), "git l");
    assert!(
        String::from_utf8_lossy(&refused.stderr).contains("repository's own configuration"),
        "{refused:?}"
    );
}

#[test]
fn what_cannot_be_read_or_silenced_switches_git_off() {
    let base = World::with_repository();
    let long = format!("[x]\n y = {}\n", "z".repeat(2_000_000));
    for config in [long.as_str(), "[gc]\n recentObjectsHook = $E\n", "[include]\n path = ~root/x\n"] {
        let world = base.hostile(config);
        let output = world.run(&world.quiet(), "git --no-pager status");
        assert!(!output.status.success(), "{}", config.get(..20).unwrap_or(config));
    }
}

#[test]
fn a_bare_repository_that_one_stands_in_is_looked_at() {
    let world = World::new();
    world.run(&world.loud(), "git init -q --bare repo");
    assert_eq!(said(&world, "git rev-parse --is-bare-repository"), "true\n");
}
