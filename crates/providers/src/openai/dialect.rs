//! How both of OpenAI's dialects are spoken: they differ in their address, their bodies and their events alone.

use bytes::Bytes;
use forelook_protocol::{ProviderFailure, Secret};

use super::{bearer, read_failure};
use crate::dialect::{Dialect, Reader};
use crate::{Form, ModelFacts, Request};

/// One of the two.
pub(crate) struct OpenAi {
    pub(crate) form: Form,
    pub(crate) path: &'static str,
    pub(crate) body: fn(&Request, &ModelFacts) -> Bytes,
    pub(crate) reader: fn() -> Box<dyn Reader>,
}

impl Dialect for OpenAi {
    fn form(&self) -> Form {
        self.form
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

    fn reader(&self) -> Box<dyn Reader> {
        (self.reader)()
    }

    fn refusal(&self, status: u16, text: &str) -> Option<ProviderFailure> {
        read_failure(Some(status), text)
    }
}
