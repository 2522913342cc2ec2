//! Prints the parts of each line on standard input: folders, reads, writes, special options.

#![expect(clippy::print_stdout, reason = "it prints what it finds")]

use std::io::BufRead;

use forelook_shell::{ShellEffect, WorkingFolder};

fn main() {
    for line in std::io::stdin().lock().lines().map_while(Result::ok) {
        let analysis = forelook_shell::analyse(&line);
        println!("{:?}\t{line}\t{}", analysis.verdict, analysis.why);
        for part in &analysis.parts {
            let effects: Vec<&ShellEffect> =
                part.effects.iter().filter(|e| !matches!(e, ShellEffect::Unknown { .. })).collect();
            let folders = [&part.folder, &part.config_folder].map(shown);
            println!("    `{}` in {folders:?}: {effects:?} {:?}", part.text, part.special_options);
        }
    }
}

fn shown(folder: &WorkingFolder) -> String {
    match folder {
        WorkingFolder::Start => ".".to_owned(),
        WorkingFolder::Moved(to) => to.clone(),
        WorkingFolder::OneOf(folders) => folders.iter().map(shown).collect::<Vec<_>>().join("|"),
        WorkingFolder::Elsewhere => "?".to_owned(),
    }
}
