//! How both of OpenAI's dialects are spoken: they differ in their address, their bodies and their events alone.

use bytes::Bytes;
use forelook_protocol::{ProviderFailure, Secret};

use super::{bearer, read_failure};
use crate::dialect::{Dialect, StreamParser};
use crate::{ModelFacts, Request, WireFormat};

/// One of the two.
pub(crate) struct OpenAi {
    pub(crate) wire_format: WireFormat,
    pub(crate) path: &'static str,
    pub(crate) body: fn(&Request, &ModelFacts) -> Bytes,
    pub(crate) parser: fn() -> Box<dyn StreamParser>,
}

impl Dialect for OpenAi {
    fn wire_format(&self) -> WireFormat {
        self.wire_format
    }

    fn path(&self) -> &'static str {
        self.path
    }

    fn headers(&self, key: Option<&Secret>) -> Vec<(&'static str, String)> {
        bearer(key)
    }

    fn body(&self, request: &Request, facts: &ModelFacts) -> Bytes {
        (self.body)(request, facts)
    }

    fn parser(&self) -> Box<dyn StreamParser> {
        (self.parser)()
    }

    fn failure_of(&self, status: u16, text: &str) -> Option<ProviderFailure> {
        read_failure(Some(status), text)
    }
}
