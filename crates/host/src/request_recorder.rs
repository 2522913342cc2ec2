//! For tests and benchmarks: every request is also written to a file, a line each.

use std::fs::OpenOptions;
use std::io::Write;
use std::sync::Arc;

use forelook_protocol::{AbsPath, BoxFuture};
use forelook_providers::{AnswerStream, Provider, ProviderFailure, Request};
use tokio_util::sync::CancellationToken;

/// A provider that writes down what it is asked, and then asks the one it stands for.
pub(crate) struct RequestRecorder {
    pub(crate) path: AbsPath,
    pub(crate) inner: Arc<dyn Provider>,
}

impl Provider for RequestRecorder {
    #[expect(clippy::disallowed_methods, reason = "the benchmark reads a pipe here")]
    fn stream(&self, request: Request, cancel: CancellationToken) -> AnswerStream {
        // Opened for appending and not through `disk`, because the benchmark reads a pipe here.
        let written = serde_json::to_string(&request).map_err(std::io::Error::other).and_then(|mut line| {
            line.push('\n');
            // A run that was killed may have left half a line; this one must not be glued to it.
            if std::fs::metadata(&self.path).is_ok_and(|it| it.is_file())
                && std::fs::read(&self.path).is_ok_and(|text| text.last().is_some_and(|last| *last != b'\n'))
            {
                line.insert(0, '\n');
            }
            OpenOptions::new().create(true).append(true).open(&self.path)?.write_all(line.as_bytes())
        });
        if let Err(error) = written {
            tracing::warn!(%error, "could not record a request");
        }
        self.inner.stream(request, cancel)
    }

    fn count_tokens(&self, request: Request) -> BoxFuture<'_, Result<Option<u64>, ProviderFailure>> {
        self.inner.count_tokens(request)
    }

    fn warm_up(&self) {
        self.inner.warm_up();
    }

    fn defers_tools(&self) -> bool {
        self.inner.defers_tools()
    }
}
