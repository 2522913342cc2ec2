//! Absolute paths that survive JSON unchanged.

use std::ffi::OsString;
use std::fmt;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Component, Path, PathBuf};

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::hex::{from_hex, to_hex};

/// A path that should be absolute but is not.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{}` is not an absolute path", .0.display())]
pub struct NotAbsolute(pub PathBuf);

/// An absolute path without `.` and `..`. They are removed from the text alone; links are not resolved (the `disk`
/// crate does that).
///
/// In JSON it is a string or, if its bytes are not UTF-8, `{"bytes": "<hex>"}`: a journal must name exactly the folder
/// it was written for.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AbsPath(PathBuf);

impl AbsPath {
    /// Takes an absolute path and removes `.`, `..`, and repeated slashes.
    pub fn new(path: impl AsRef<Path>) -> Result<Self, NotAbsolute> {
        let path = path.as_ref();
        if !path.is_absolute() {
            return Err(NotAbsolute(path.to_path_buf()));
        }
        Ok(Self(normalize(path)))
    }

    /// This path joined with `other`; an absolute `other` replaces it.
    pub fn join(&self, other: impl AsRef<Path>) -> Self {
        Self(normalize(&self.0.join(other)))
    }

    /// The parent directory; `None` for the root.
    pub fn parent(&self) -> Option<Self> {
        self.0.parent().map(|parent| Self(parent.to_path_buf()))
    }

    /// The path as a standard library type.
    pub fn as_path(&self) -> &Path {
        &self.0
    }

    /// Whether this is `folder` or is inside it.
    pub fn is_inside(&self, folder: &AbsPath) -> bool {
        self.0.starts_with(&folder.0)
    }
}

fn normalize(path: &Path) -> PathBuf {
    let mut out = PathBuf::from("/");
    for part in path.components() {
        match part {
            Component::ParentDir => {
                out.pop();
            }
            Component::Normal(name) => out.push(name),
            Component::RootDir | Component::CurDir | Component::Prefix(_) => {}
        }
    }
    out
}

impl AsRef<Path> for AbsPath {
    fn as_ref(&self) -> &Path {
        &self.0
    }
}

impl fmt::Display for AbsPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.display().fmt(f)
    }
}

impl fmt::Debug for AbsPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// An absolute path: a string if its bytes are UTF-8, otherwise the bytes in hexadecimal.
#[derive(Serialize, Deserialize, JsonSchema)]
#[serde(untagged)]
enum PathRepr {
    Text(String),
    Bytes { bytes: String },
}

impl Serialize for AbsPath {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0.to_str() {
            Some(text) => serializer.serialize_str(text),
            None => PathRepr::Bytes { bytes: to_hex(self.0.as_os_str().as_bytes()) }.serialize(serializer),
        }
    }
}

impl JsonSchema for AbsPath {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "AbsPath".into()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        PathRepr::json_schema(generator)
    }
}

impl<'de> Deserialize<'de> for AbsPath {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let path = match PathRepr::deserialize(deserializer)? {
            PathRepr::Text(text) => PathBuf::from(text),
            PathRepr::Bytes { bytes } => {
                let bytes =
                    from_hex(&bytes).ok_or_else(|| serde::de::Error::custom("`bytes` is not hexadecimal"))?;
                PathBuf::from(OsString::from_vec(bytes))
            }
        };
        Self::new(path).map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn dots_are_taken_out_by_words() {
        for (given, expected) in
            [("/a/./b", "/a/b"), ("/a/../b", "/b"), ("/../..", "/"), ("/a//b/", "/a/b"), ("/", "/")]
        {
            assert_eq!(AbsPath::new(given).unwrap().as_path(), Path::new(expected), "{given}");
        }
        assert!(AbsPath::new("a/b").is_err());
    }

    #[test]
    fn inside_goes_by_whole_names() {
        let folder = AbsPath::new("/home/ada").unwrap();
        assert!(AbsPath::new("/home/ada/a").unwrap().is_inside(&folder));
        assert!(folder.is_inside(&folder));
        assert!(!AbsPath::new("/home/adam").unwrap().is_inside(&folder));
    }

    proptest! {
        #[test]
        fn any_bytes_survive_json(names in proptest::collection::vec(proptest::collection::vec(1u8..=255, 1..12), 0..5)) {
            let mut path = PathBuf::from("/");
            for name in names {
                path.push(OsString::from_vec(name.into_iter().filter(|byte| *byte != b'/').collect()));
            }
            let path = AbsPath::new(path).unwrap();
            let json = serde_json::to_string(&path).unwrap();
            prop_assert_eq!(serde_json::from_str::<AbsPath>(&json).unwrap(), path);
        }
    }
}
