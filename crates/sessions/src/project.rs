//! The name of a project's folder: readable, and one for each path.

use std::os::unix::ffi::OsStrExt as _;

use forelook_protocol::AbsPath;
use sha2::{Digest as _, Sha256};

/// How much of the path stays readable: the end, which tells projects apart. With the digits it stays
/// far below the 255 bytes that a name may have.
const READABLE: usize = 80;

/// The path with everything but letters and digits as `-`, its end only, and eight digits of its hash,
/// by which `/a/b` and `/a-b` differ.
pub(crate) fn project(folder: &AbsPath) -> String {
    let path = folder.as_path().as_os_str().as_bytes();
    let end = path.get(path.len().saturating_sub(READABLE)..).unwrap_or(path);
    let mut name: String =
        end.iter().map(|byte| if byte.is_ascii_alphanumeric() { *byte as char } else { '-' }).collect();
    name.push('-');
    name.push_str(&hex(&Sha256::digest(path)[..4]));
    name
}

/// Lower-case hexadecimal.
pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::ffi::OsStr;

    fn of(path: &[u8]) -> String {
        project(&AbsPath::new(OsStr::from_bytes(path)).unwrap())
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
            assert!(name.len() <= READABLE + 9, "{name}");
            assert!(name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-'), "{name}");
        }
        names.sort();
        names.dedup();
        assert_eq!(names.len(), paths.len());
    }
}
