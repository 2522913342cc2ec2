//! Keys in a file that is nobody else's.

use std::fs::OpenOptions;
use std::io::Read;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::sync::Mutex;

use forelook_protocol::AbsPath;
use forelook_providers::KeyRequest;
use rustix::fs::OFlags;
use rustix::process::geteuid;

use super::KeySet;

/// More than any file of keys.
const MAX_SIZE: u64 = 64 * 1024;

/// A file with keys, read when one is needed.
pub(crate) struct KeyFile {
    path: AbsPath,
    key_set: Mutex<Option<KeySet>>,
}

impl KeyFile {
    pub(crate) fn new(path: AbsPath) -> Self {
        Self { path, key_set: Mutex::default() }
    }

    pub(super) fn path(&self) -> &AbsPath {
        &self.path
    }

    /// Whether it has a key for this provider, or what is wrong with it.
    pub(crate) fn has(&self, provider: &str, owner: super::SingleKeyOwner) -> Result<bool, String> {
        Ok(self.key_set(KeyRequest::Cached)?.of(provider, owner).is_some())
    }

    /// What stands in it. A key that was refused may have been replaced since.
    pub(super) fn key_set(&self, which: KeyRequest) -> Result<KeySet, String> {
        let mut key_set = self.key_set.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        match &*key_set {
            Some(key_set) if which == KeyRequest::Cached => Ok(key_set.clone()),
            _ => {
                let read = self.read()?;
                *key_set = Some(read.clone());
                Ok(read)
            }
        }
    }

    fn read(&self) -> Result<KeySet, String> {
        let path = &self.path;
        let unread = |error: std::io::Error| format!("cannot read the key file `{path}`: {error}");
        // A pipe would make us wait for its writer.
        let flags = (OFlags::NONBLOCK | OFlags::NOCTTY).bits().cast_signed();
        #[expect(clippy::disallowed_methods, reason = "it is opened to be read")]
        let file = OpenOptions::new().read(true).custom_flags(flags).open(path).map_err(unread)?;
        // Of the open file, not of its name: between two looks at a name it can be exchanged.
        let found = file.metadata().map_err(unread)?;
        if !found.is_file() {
            return Err(format!("the key file `{path}` is not a regular file"));
        }
        if found.uid() != geteuid().as_raw() {
            return Err(format!(
                "the key file `{path}` belongs to another user and was not read; use a file of your own"
            ));
        }
        if found.mode() & 0o077 != 0 {
            let mode = found.mode() & 0o777;
            return Err(format!(
                "the key file `{path}` is accessible to other users (mode {mode:o}) and was not read; run \
                 `chmod 600 {path}`, and consider replacing the key"
            ));
        }
        let mut bytes = Vec::new();
        file.take(MAX_SIZE + 1).read_to_end(&mut bytes).map_err(unread)?;
        if bytes.len() as u64 > MAX_SIZE {
            return Err(format!("the key file `{path}` is larger than {} KiB", MAX_SIZE >> 10));
        }
        let text =
            String::from_utf8(bytes).map_err(|_| format!("the key file `{path}` is not UTF-8 text"))?;
        KeySet::read(&text).map_err(|why| format!("the key file `{path}` {why}"))
    }

    #[cfg(test)]
    pub(super) fn of_text(path: &str, text: &str) -> Self {
        let key_set = KeySet::read(text).ok();
        Self { path: AbsPath::new(path).unwrap(), key_set: Mutex::new(key_set) }
    }
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests lay out their files by hand")]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use forelook_protocol::Secret;

    use super::super::SingleKeyOwner;
    use super::*;

    fn written(text: &[u8], mode: u32) -> (tempfile::TempDir, AbsPath) {
        let folder = tempfile::tempdir().unwrap();
        let path = AbsPath::new(folder.path().join("keys")).unwrap();
        std::fs::write(&path, text).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
        (folder, path)
    }

    #[test]
    fn only_a_file_that_nobody_else_can_open_is_read() {
        for mode in [0o600, 0o400, 0o700] {
            let (_folder, path) = written(b"sk-1\n", mode);
            let key_set = KeyFile::new(path)
                .key_set(KeyRequest::Cached)
                .map(|key_set| key_set.of("anthropic", SingleKeyOwner::ThisProvider));
            assert_eq!(key_set, Ok(Some(Secret::new("sk-1"))), "{mode:o}");
        }
        for mode in [0o644, 0o640, 0o604, 0o660, 0o602, 0o610] {
            let (_folder, path) = written(b"sk-1\n", mode);
            let why = KeyFile::new(path.clone()).key_set(KeyRequest::Cached).map(drop).unwrap_err();
            assert!(why.contains(&format!("mode {mode:o}")) && why.contains("chmod 600"), "{why}");
            assert!(!why.contains("sk-1"));
        }
    }

    #[test]
    fn what_is_wrong_with_a_file_is_said() {
        let (folder, path) = written(&[b's', 0xff], 0o600);
        let why = |path: AbsPath| KeyFile::new(path).key_set(KeyRequest::Cached).map(drop).unwrap_err();
        assert!(why(path).contains("not UTF-8"));
        let place = |name: &str| AbsPath::new(folder.path().join(name)).unwrap();
        assert!(why(place("none")).contains("No such file"));
        assert!(why(place("")).contains("not a regular file"));
        let (_folder, long) = written(&vec![b'x'; MAX_SIZE as usize + 1], 0o600);
        assert!(why(long).contains("64 KiB"));
    }

    #[test]
    fn a_replaced_key_is_found_when_the_old_one_is_refused() {
        let (_folder, path) = written(b"sk-1", 0o600);
        let file = KeyFile::new(path.clone());
        let key = |which| {
            file.key_set(which)
                .unwrap_or_else(|why| panic!("{why}"))
                .of("anthropic", SingleKeyOwner::ThisProvider)
        };
        assert_eq!(key(KeyRequest::Cached), Some(Secret::new("sk-1")));
        std::fs::write(&path, "sk-2").unwrap();
        assert_eq!(key(KeyRequest::Cached), Some(Secret::new("sk-1")));
        assert_eq!(key(KeyRequest::Refreshed), Some(Secret::new("sk-2")));
        assert_eq!(key(KeyRequest::Cached), Some(Secret::new("sk-2")));
    }
}
