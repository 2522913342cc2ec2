//! What tests of this crate share.
#![expect(clippy::disallowed_methods, reason = "tests make the files that the crate must cope with")]

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};

use forelook_protocol::{AbsPath, IdGenerator};
use jiff::Timestamp;

use crate::PlanStore;

/// Ids that count up.
#[derive(Default)]
pub(crate) struct SequentialIds(AtomicU64);

impl IdGenerator for SequentialIds {
    fn next(&self) -> uuid::Uuid {
        uuid::Uuid::from_u128(self.0.fetch_add(1, Ordering::Relaxed).into())
    }
}

/// A home and a project, and a place outside that must stay as it is.
pub(crate) struct World {
    _base: tempfile::TempDir,
    pub(crate) home: AbsPath,
    pub(crate) project: AbsPath,
    pub(crate) outside: AbsPath,
}

impl World {
    pub(crate) fn new() -> Self {
        let base = tempfile::tempdir().unwrap();
        let real = base.path().canonicalize().unwrap();
        let folder = |name: &str| {
            std::fs::create_dir(real.join(name)).unwrap();
            AbsPath::new(real.join(name)).unwrap()
        };
        let (home, project, outside) = (folder("home"), folder("project"), folder("outside"));
        std::fs::write(outside.join("kept"), "kept").unwrap();
        Self { _base: base, home, project, outside }
    }

    /// The plans under the home.
    pub(crate) fn plans(&self) -> PlanStore {
        let (plans, error) = PlanStore::resolve(&self.home, &self.project, None);
        assert!(error.is_none(), "{error:?}");
        plans.ensure_folder().unwrap();
        plans
    }

    /// The plans in a folder of the project.
    pub(crate) fn plans_in(&self, setting: &str) -> PlanStore {
        let (plans, error) = PlanStore::resolve(&self.home, &self.project, Some(setting));
        assert!(error.is_none(), "{error:?}");
        plans.ensure_folder().unwrap();
        plans
    }

    pub(crate) fn assert_outside_untouched(&self) {
        assert_eq!(names(self.outside.as_path()), ["kept"]);
        assert_eq!(std::fs::read(self.outside.join("kept")).unwrap(), b"kept");
    }
}

/// What is in a folder, sorted.
pub(crate) fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

/// Writes a file raw, with the folders above it.
pub(crate) fn put(path: impl AsRef<Path>, bytes: impl AsRef<[u8]>) -> PathBuf {
    let path = path.as_ref();
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, bytes).unwrap();
    path.to_path_buf()
}

/// A moment, by seconds.
pub(crate) fn at(second: i64) -> Timestamp {
    Timestamp::from_second(second).unwrap()
}

/// What a closure logs as a warning, counted.
pub(crate) fn warnings(act: impl FnOnce()) -> u32 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    struct Count(AtomicU32);
    impl tracing::Subscriber for Count {
        fn enabled(&self, _: &tracing::Metadata<'_>) -> bool {
            true
        }
        fn new_span(&self, _: &tracing::span::Attributes<'_>) -> tracing::span::Id {
            tracing::span::Id::from_u64(NEXT.fetch_add(1, Ordering::Relaxed))
        }
        fn record(&self, _: &tracing::span::Id, _: &tracing::span::Record<'_>) {}
        fn record_follows_from(&self, _: &tracing::span::Id, _: &tracing::span::Id) {}
        fn event(&self, event: &tracing::Event<'_>) {
            if *event.metadata().level() == tracing::Level::WARN {
                self.0.fetch_add(1, Ordering::Relaxed);
            }
        }
        fn enter(&self, _: &tracing::span::Id) {}
        fn exit(&self, _: &tracing::span::Id) {}
    }
    let count = std::sync::Arc::new(Count(AtomicU32::new(0)));
    tracing::subscriber::with_default(count.clone(), act);
    count.0.load(Ordering::Relaxed)
}
