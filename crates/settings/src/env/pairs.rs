//! A variable's value, in the form that is needed.

use std::ffi::{OsStr, OsString};

use forelook_protocol::AbsPath;

use super::{EnvError, Variable};
use crate::shown::shown;

/// Names with their values.
pub(super) struct Pairs(pub(super) Vec<(OsString, OsString)>);

impl Pairs {
    pub(super) fn get(&self, variable: Variable) -> Option<&OsStr> {
        let (_, value) = self.0.iter().find(|(name, _)| name == variable.name)?;
        (!value.is_empty()).then_some(value)
    }

    pub(super) fn text(&self, variable: Variable) -> Result<Option<String>, EnvError> {
        self.parsed(variable, "text in UTF-8")
    }

    pub(super) fn parsed<T: std::str::FromStr>(
        &self,
        variable: Variable,
        wanted: &'static str,
    ) -> Result<Option<T>, EnvError> {
        let malformed = || EnvError::Malformed { name: variable.name, wanted };
        self.get(variable)
            .map(|value| value.to_str().and_then(|text| text.parse().ok()).ok_or_else(malformed))
            .transpose()
    }

    pub(super) fn folder(&self, variable: Variable) -> Option<Result<AbsPath, EnvError>> {
        let value = self.get(variable)?;
        Some(AbsPath::new(value).map_err(|_| EnvError::NotAbsolute {
            name: variable.name,
            value: shown(&value.to_string_lossy()),
        }))
    }
}
