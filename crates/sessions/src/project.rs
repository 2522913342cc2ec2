//! Names for project folders: readable, and different for each path.

use std::os::unix::ffi::OsStrExt as _;

use forelook_protocol::{AbsPath, to_hex};
use sha2::{Digest as _, Sha256};

/// How much of the path stays readable: the end, because it tells projects apart. With the hash, the name stays far
/// below the limit of 255 bytes.
const MAX_READABLE: usize = 80;

/// The end of the path with `-` for everything but letters and digits, followed by eight digits of the path's hash, so
/// that `/a/b` and `/a-b` get different names.
pub(crate) fn project_dir_name(folder: &AbsPath) -> String {
    let path = folder.as_path().as_os_str().as_bytes();
    let end = path.get(path.len().saturating_sub(MAX_READABLE)..).unwrap_or(path);
    let mut name: String =
        end.iter().map(|byte| if byte.is_ascii_alphanumeric() { *byte as char } else { '-' }).collect();
    name.push('-');
    name.push_str(&to_hex(&Sha256::digest(path)[..4]));
    name
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::OsStr;

    fn of(path: &[u8]) -> String {
        project_dir_name(&AbsPath::new(OsStr::from_bytes(path)).unwrap())
    }

    #[test]
    fn names_are_readable_and_stable() {
        assert_eq!(of(b"/home/ann/my project"), "-home-ann-my-project-b6928297");
        assert_eq!(of(b"/"), "--8a5edab2");
    }

    #[test]
    fn any_path_has_a_name_of_its_own() {
        let long = [b"/".as_slice(), &[b'x'; 4000]].concat();
        let longer = [b"/".as_slice(), &[b'x'; 3999], b"y"].concat();
        let paths: [&[u8]; 9] =
            [b"/a/b", b"/a-b", b"/a b", b"/a\nb", b"/a\xffb", b"/a\xfeb", "/ä".as_bytes(), &long, &longer];
        let mut names: Vec<String> = paths.iter().map(|path| of(path)).collect();
        for name in &names {
            assert!(name.len() <= MAX_READABLE + 9, "{name}");
            assert!(name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-'), "{name}");
        }
        names.sort();
        names.dedup();
        assert_eq!(names.len(), paths.len());
    }
}
