//! A variable's value, in the form that is needed.

use std::ffi::{OsStr, OsString};

use forelook_protocol::AbsPath;

use super::{EnvError, Variable};
use crate::sanitize::sanitized;

/// Names with their values.
pub(super) struct Pairs(pub(super) Vec<(OsString, OsString)>);

impl Pairs {
    pub(super) fn get(&self, variable: Variable) -> Option<&OsStr> {
        let (_, value) = self.0.iter().find(|(name, _)| name == variable.name)?;
        (!value.is_empty()).then_some(value)
    }

    /// The value of a variable whose name this is, in small letters.
    pub(super) fn lower(&self, variable: Variable) -> Result<Option<String>, EnvError> {
        let small = variable.name.to_ascii_lowercase();
        let value = self.0.iter().find(|(name, value)| *name == *small && !value.is_empty());
        let malformed = || EnvError::Malformed { name: small.clone(), wanted: "UTF-8 text" };
        value.map(|(_, value)| value.to_str().map(str::to_owned).ok_or_else(malformed)).transpose()
    }

    pub(super) fn text(&self, variable: Variable) -> Result<Option<String>, EnvError> {
        self.parsed(variable, "UTF-8 text")
    }

    pub(super) fn parsed<T: std::str::FromStr>(
        &self,
        variable: Variable,
        wanted: &'static str,
    ) -> Result<Option<T>, EnvError> {
        let malformed = || EnvError::Malformed { name: variable.name.to_owned(), wanted };
        self.get(variable)
            .map(|value| value.to_str().and_then(|text| text.parse().ok()).ok_or_else(malformed))
            .transpose()
    }

    pub(super) fn folder(&self, variable: Variable) -> Option<Result<AbsPath, EnvError>> {
        let value = self.get(variable)?;
        Some(AbsPath::new(value).map_err(|_| EnvError::NotAbsolute {
            name: variable.name,
            value: sanitized(&value.to_string_lossy()),
        }))
    }
}
