//! Which files of the tables a pattern of the shell may match. What is on the disk does not count: until the command runs,
//! there may be more.

use forelook_protocol::{AbsPath, FileRef};

use crate::paths::{guarded_names, guarded_pairs, guarded_places};

/// Files that are secret or protected by their names or places, one for each entry of the tables that the pattern meets.
/// They are named as the pattern is.
pub(crate) fn matches(pattern: &AbsPath, home: Option<&AbsPath>) -> Vec<FileRef> {
    let text = pattern.to_string();
    let parts: Vec<String> = text.split('/').map(simple).collect();
    let mut found = Vec::new();
    for (at, part) in parts.iter().enumerate().filter(|(_, part)| is_open(part)) {
        let names = guarded_names().filter(|name| meets(part, name));
        found.extend(names.map(|name| filled(&parts, at, &[name])));
    }
    for (at, pair) in parts.windows(2).enumerate().filter(|(_, pair)| pair.iter().any(|part| is_open(part))) {
        let [folder, name] = pair else { continue };
        let pairs = guarded_pairs().filter(|(first, second)| meets(folder, first) && meets(name, second));
        found.extend(pairs.map(|(first, second)| filled(&parts, at, &[first, second])));
    }
    let places = home.into_iter().flat_map(guarded_places).map(|place| place.to_string());
    found.extend(places.filter(|place| {
        let names: Vec<&str> = place.split('/').collect();
        names.len() <= parts.len() && parts.iter().zip(names).all(|(part, name)| meets(part, name))
    }));
    let file = |path: String| Some(FileRef { named: pattern.clone(), real: AbsPath::new(path).ok()? });
    found.into_iter().filter_map(file).collect()
}

/// The path with these names from here on, and some name wherever else the pattern is open.
fn filled(parts: &[String], from: usize, names: &[&str]) -> String {
    let part = |(at, part): (usize, &String)| {
        let name = at.checked_sub(from).and_then(|at| names.get(at));
        name.map_or_else(|| any(part), |name| any(name))
    };
    parts.iter().enumerate().map(part).collect::<Vec<_>>().join("/")
}

/// Some name that this stands for.
fn any(part: &str) -> String {
    part.replace(['*', '?'], "x")
}

fn is_open(part: &str) -> bool {
    part.contains(['*', '?'])
}

/// A name with `?` for each list of letters.
fn simple(part: &str) -> String {
    let mut simple = String::new();
    let mut rest = part;
    while let Some((before, list)) = rest.split_once('[') {
        simple.push_str(before);
        // The first letter of a list may be the bracket itself.
        let start = list.chars().next().map_or(0, char::len_utf8);
        match list.get(start..).and_then(|letters| letters.split_once(']')) {
            Some((_, after)) => {
                simple.push('?');
                rest = after;
            }
            None => {
                simple.push('[');
                rest = list;
            }
        }
    }
    simple.push_str(rest);
    simple
}

/// Whether some name fits both: a pattern of the shell, and a name of the tables in which a star stands for any text. A
/// pattern that begins openly matches no hidden file.
fn meets(pattern: &str, name: &str) -> bool {
    if pattern.starts_with(['*', '?']) && name.starts_with('.') {
        return false;
    }
    // `*.rs` and `lefthook-local.*` could meet, but nobody has such a file, and `*.rs` is in half of all lines.
    let end = |text: &str| text.rsplit_once('*').map(|(_, end)| end.to_owned());
    if pattern.starts_with('*')
        && let (Some(wanted), Some(open)) = (end(pattern), end(name))
        && !open.ends_with(&wanted)
    {
        return false;
    }
    let (pattern, name): (Vec<char>, Vec<char>) = (pattern.chars().collect(), name.chars().collect());
    // Whether what follows in the pattern can be what follows in the name, for each place in the name.
    let mut after: Vec<bool> = Vec::new();
    for at in (0..=pattern.len()).rev() {
        let mut here = vec![false; name.len() + 1];
        let letter = pattern.get(at);
        for in_name in (0..=name.len()).rev() {
            let below = |row: &[bool], step: usize| row.get(in_name + step).copied().unwrap_or(false);
            let fits = match (letter, name.get(in_name)) {
                (None, None) => true,
                (Some('*'), _) => below(&after, 0) || below(&here, 1),
                (_, Some('*')) => below(&here, 1) || letter.is_some() && below(&after, 0),
                (Some(letter), Some(other)) => (*letter == '?' || letter == other) && below(&after, 1),
                _ => false,
            };
            if let Some(slot) = here.get_mut(in_name) {
                *slot = fits;
            }
        }
        after = here;
    }
    after.first().copied().unwrap_or(false)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_a_pattern_may_be() {
        for (pattern, name, expected) in [
            (".env*", ".env", true),
            (".e?v", ".env", true),
            (".[e]nv", ".env", true),
            ("*", ".env", false),
            ("*", "id_rsa", true),
            ("id_*", "id_rsa", true),
            ("*.rs", "*.pem", false),
            ("*.rs", "lefthook-local.*", false),
            ("*", "lefthook-local.*", true),
            ("a*", "*.pem", true),
            ("*.pem", "*.pem", true),
            ("*.toml", "mise.*.toml", true),
            ("src*", "Jenkinsfile", false),
            ("**********a", "aaaaaaaaaaaaaaaaaaaab", false),
        ] {
            assert_eq!(meets(&simple(pattern), name), expected, "{pattern} {name}");
        }
    }

    #[test]
    fn places_that_a_pattern_may_lead_to() {
        let home = AbsPath::new("/home/ada").unwrap();
        for (pattern, expected) in [
            ("/p/.env*", true),
            ("/p/.git/*", true),
            ("/p/.g*/config", true),
            ("/p/.github/w*/x", true),
            ("/home/ada/.s?h/id", true),
            ("/home/ada/.kube/c*", true),
            ("/etc/shad*", true),
            ("/p/*.rs", false),
            ("/p/src/*.txt", false),
        ] {
            let found = matches(&AbsPath::new(pattern).unwrap(), Some(&home));
            let guarded = |path: &AbsPath| {
                crate::is_secret(path, Some(&home)) || crate::is_protected(path, Some(&home))
            };
            assert_eq!(found.iter().any(|file| file.paths().any(guarded)), expected, "{pattern}: {found:?}");
        }
    }
}
