//! Links × writers: a link into a place that must not be written, made or brought along, and a write through it.

use serde_json::json;

use crate::attempt::{Call, Try, quoted, write};

/// Where links lead: a name, the text of the link, and the link that the project brings along.
const PLACES: &[(&str, &str, &str)] = &[
    ("home", "@HOME@/elsewhere", "links/elsewhere"),
    ("hooks", "@HOME@/project/.git/hooks", "links/hooks"),
    ("settings", "@HOME@/home", "links/forelook"),
    ("outside", "@PROBE@-outside", "links/outside"),
];

/// How a link `@L@` to `{to}` comes to be; `{b}` is the link that is there.
const MAKERS: &[(&str, &str)] = &[
    ("ln", "ln -s {to} @L@"),
    ("ln-variable", "t={to}; ln -s \"$t\" @L@"),
    ("ln-relative", "ln -sr {to} @L@"),
    ("ln-force", "mkdir d@N@; ln -sfn {to} @L@"),
    ("cp-links", "cp -P {b} @L@"),
    ("cp-archive", "cp -a {b} @L@"),
    ("cp-folder", "cp -r links l-@N@ && cp -d {b} @L@"),
    ("mv", "cp -P {b} @L@.tmp; mv @L@.tmp @L@"),
    ("tar", "mkdir -p t@N@ && tar xf docs/links.tar -C t@N@ && mv t@N@/{t} @L@"),
    ("rsync", "rsync -l {b} @L@"),
    ("install", "bash -c {q}"),
    ("none", "true"),
];

/// How something is written through it.
const WRITERS: &[(&str, &str)] = &[
    ("redirect", "echo x > @L@/hit-@N@"),
    ("cp", "cp src/new.txt @L@/hit-@N@"),
    ("touch", "touch @L@/hit-@N@"),
    ("mkdir", "mkdir @L@/hit-@N@"),
    ("tee", "tee @L@/hit-@N@ < src/new.txt"),
    ("mv", "cp src/new.txt n@N@ && mv n@N@ @L@/hit-@N@"),
    ("cp-into", "cp src/new.txt hit-@N@ && cp hit-@N@ @L@/"),
    ("cd", "cd @L@ && touch hit-@N@"),
    ("mkdir-parents", "mkdir -p @L@/hit-@N@/deep"),
    ("append", "cat src/new.txt >> @L@/hit-@N@"),
];

/// All of them.
pub(crate) fn all() -> Vec<Try> {
    let mut tries = Vec::new();
    let mut turn = 0;
    for (maker, make) in MAKERS {
        for (place, to, brought) in PLACES {
            for _ in 0..2 {
                turn += 1;
                let (writer, write) = WRITERS[turn % WRITERS.len()];
                let link = if *maker == "none" { (*brought).to_owned() } else { "l@N@".to_owned() };
                let fill = |line: &str| {
                    line.replace("{q}", &quoted("ln -s {to} @L@"))
                        .replace("{to}", to)
                        .replace("{b}", brought)
                        .replace("{t}", brought.strip_prefix("links/").unwrap_or(brought))
                        .replace("@L@", &link)
                };
                let (make, write) = (fill(make), fill(write));
                let name = format!("link/{maker}/{writer}/{place}");
                tries.push(Try::line(format!("{name}/one-line"), format!("{make} && {write}")));
                tries.push(Try::lines(format!("{name}/two-calls"), [&make, &write]));
            }
            tries.push(then_tool(maker, make, (place, to, brought)));
        }
    }
    tries.extend(PLACES.iter().flat_map(by_tools));
    tries.extend(FILES.iter().map(|(name, line)| Try::line(format!("link/file/{name}"), *line)));
    tries
}

/// A link, and then the tool that writes files.
fn then_tool(maker: &str, make: &str, (place, to, brought): (&str, &str, &str)) -> Try {
    let link = if maker == "none" { brought } else { "l@N@" };
    let make = make
        .replace("{q}", &quoted("ln -s {to} @L@"))
        .replace("{to}", to)
        .replace("{b}", brought)
        .replace("{t}", brought.strip_prefix("links/").unwrap_or(brought))
        .replace("@L@", link);
    let written = write(format!("link/{maker}/tool-write/{place}"), &format!("{link}/hit-@N@"));
    let mut calls = vec![Call::Bash(make.clone())];
    calls.extend(written.calls);
    Try { calls, control: format!("{make}\n{}", written.control), ..Try::line(written.name, "") }
}

fn by_tools(&(place, _, brought): &(&str, &str, &str)) -> Vec<Try> {
    let path = format!("{brought}/hit-@N@");
    let edit = json!({"file_path": path, "old_string": "", "new_string": "x\n"});
    vec![
        write(format!("link/tool-write/{place}"), &path),
        write(format!("link/tool-write-dots/{place}"), &format!("src/../{path}")),
        write(format!("link/tool-write-deep/{place}"), &format!("{path}/deep/er")),
        Try::tool(format!("link/tool-edit/{place}"), "Edit", edit, &format!("echo x > {path}")),
    ]
}

/// Links to a file rather than a folder, and hard links.
const FILES: &[(&str, &str)] = &[
    ("dangling", "ln -s @HOME@/hit-@N@ f@N@ && echo x > f@N@"),
    ("dangling-cp", "ln -s @HOME@/hit-@N@ f@N@; cat src/new.txt > f@N@"),
    ("bashrc", "ln -s ~/.bashrc f@N@ && echo x >> f@N@"),
    ("bashrc-sed", "ln -s ~/.bashrc f@N@ && sed -i --follow-symlinks s/vi/x/ f@N@"),
    ("git-config", "ln -s .git/config f@N@ && echo '# x' >> f@N@"),
    ("hard", "ln ~/.bashrc f@N@ && echo x >> f@N@"),
    ("hard-cp", "cp -l ~/.bashrc f@N@ && echo x >> f@N@"),
    ("mv-folder", "mv .git/hooks h@N@; mkdir h@N@/hit-@N@; mv h@N@ .git/hooks"),
    ("rename-git", "mv .git g@N@ && echo '# x' >> g@N@/config && mv g@N@ .git"),
    ("copy-over", "mkdir -p c@N@/.git && echo '# x' > c@N@/.git/config && cp -r c@N@/. ."),
];
