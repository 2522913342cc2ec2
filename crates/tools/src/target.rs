//! The file of an edit: where it is read from and written to.

use std::path::{Path, PathBuf};

use forelook_disk::{DiskError, Open, Permissions, Root};
use forelook_protocol::AbsPath;

use crate::file::{read_open, read_whole};
use crate::paths;
use crate::tool::ToolContext;
use crate::typed::Failure;

/// A file that may be edited.
pub(crate) struct Target {
    path: AbsPath,
    below: Option<Below>,
}

/// A file below a folder that is held open; no link is followed on the way to either.
struct Below {
    root: Root,
    rest: PathBuf,
}

impl Target {
    /// The file that was decided on.
    pub(crate) fn decided(text: &str, cx: &ToolContext) -> Result<Self, Failure> {
        let path = paths::decided(text, cx)?;
        let below = cx.confined.as_ref().map(|folder| Below::new(&path, folder)).transpose()?;
        Ok(Self { path, below })
    }

    /// Where it is, for messages.
    pub(crate) fn path(&self) -> &AbsPath {
        &self.path
    }

    /// All bytes, or nothing when there is no file.
    pub(crate) fn read(&self) -> Result<Option<Vec<u8>>, Failure> {
        let Some(Below { root, rest }) = &self.below else { return read_whole(&self.path) };
        match root.open_beneath(rest, Open::Read) {
            Ok(file) => read_open(&self.path, file).map(Some),
            Err(DiskError::Missing { .. }) => Ok(None),
            Err(error) => Err(failure(error)),
        }
    }

    /// Makes the folders above it that are missing.
    pub(crate) fn make_folders(&self) -> Result<(), Failure> {
        let made = match (&self.below, self.path.parent()) {
            (Some(Below { root, rest }), _) => {
                root.make_folders_beneath(rest.parent().unwrap_or(Path::new("")))
            }
            (None, Some(folder)) => forelook_disk::make_folders(&folder),
            (None, None) => Ok(()),
        };
        made.map_err(failure)
    }

    /// Puts the bytes in place, whole or not at all.
    pub(crate) fn save(&self, bytes: &[u8]) -> Result<(), Failure> {
        let saved = match &self.below {
            None => forelook_disk::replace(&self.path, bytes, Permissions::Keep),
            Some(Below { root, rest }) => root.replace_beneath(rest, bytes, Permissions::Keep),
        };
        saved.map_err(failure)
    }
}

impl Below {
    fn new(path: &AbsPath, folder: &AbsPath) -> Result<Self, Failure> {
        // The path has no links in it; the folder's may.
        let folder = forelook_disk::resolve(folder).map_err(failure)?;
        let rest =
            path.as_path().strip_prefix(folder.as_path()).ok().filter(|rest| rest.file_name().is_some());
        let Some(rest) = rest else {
            return Err(Failure::new(format!(
                "`{path}` does not lie in `{folder}`, so nothing was changed\nTry again with the path you were given"
            )));
        };
        let root = match Root::open_without_links(&folder) {
            Err(DiskError::Missing { .. }) => {
                forelook_disk::make_folders(&folder).and_then(|_| Root::open_without_links(&folder))
            }
            opened => opened,
        };
        Ok(Self { root: root.map_err(failure)?, rest: rest.to_path_buf() })
    }
}

fn failure(error: DiskError) -> Failure {
    match error {
        DiskError::Links { path } => Failure::new(format!(
            "There is a link at `{}` or above it, where the file itself should be, so nothing was changed\n\
             Tell the person: only they can say whether it should be there",
            path.display()
        )),
        error => Failure::new(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;
    use std::path::Path;

    use forelook_protocol::Action;
    use serde_json::json;

    use super::*;
    use crate::testing::Bench;

    /// A project with a plan in a folder of its own, and beside it a file that must stay as it is.
    fn bench() -> Bench {
        let mut bench = Bench::new();
        std::fs::create_dir_all(bench.path("deep/plans")).unwrap();
        bench.file("deep/plans/plan.md", "old\n");
        bench.file("other", "untouched");
        bench.cx.confined = Some(bench.path("deep"));
        bench
    }

    fn target(bench: &Bench) -> Result<Target, Failure> {
        let mut cx = bench.cx.clone();
        let file = paths::file("file_path", "deep/plans/plan.md", &cx.place).unwrap();
        cx.action = Action::Edit { file };
        Target::decided("deep/plans/plan.md", &cx)
    }

    fn untouched(bench: &Bench) {
        assert_eq!(bench.bytes("other"), b"untouched");
    }

    #[tokio::test]
    async fn below_the_folder_files_are_made_and_changed() {
        let mut bench = bench();
        bench.read("deep/plans/plan.md").await;
        bench.ok("Write", json!({"file_path": "deep/plans/plan.md", "content": "one\n"})).await;
        let edit = json!({"file_path": "deep/plans/plan.md", "old_string": "one", "new_string": "two"});
        bench.ok("Edit", edit).await;
        assert_eq!(bench.bytes("deep/plans/plan.md"), b"two\n");
        bench.ok("Write", json!({"file_path": "deep/new/plan.md", "content": "x"})).await;
        assert_eq!(bench.bytes("deep/new/plan.md"), b"x");
        bench.cx.confined = Some(bench.path("not/yet"));
        bench.ok("Write", json!({"file_path": "not/yet/plan.md", "content": "x"})).await;
        assert_eq!(bench.bytes("not/yet/plan.md"), b"x");
    }

    #[tokio::test]
    async fn what_lies_elsewhere_is_refused() {
        let mut bench = bench();
        bench.read("other").await;
        let text = bench.failure("Write", json!({"file_path": "other", "content": "x"})).await;
        assert!(text.contains("does not lie in"), "{text}");
        bench.cx.confined = Some(bench.path("deep/plans/plan.md"));
        bench.read("deep/plans/plan.md").await;
        bench.failure("Write", json!({"file_path": "deep/plans/plan.md", "content": "x"})).await;
        assert_eq!(bench.bytes("deep/plans/plan.md"), b"old\n");
        untouched(&bench);
    }

    /// The plan becomes a link after the decision, before the call runs.
    #[tokio::test]
    async fn a_link_in_the_place_of_the_plan_is_refused() {
        for (link, leads_to) in
            [("deep/plans/plan.md", "other"), ("deep/plans/plan.md", "missing"), ("deep/plans", "elsewhere")]
        {
            for tool in ["Write", "Edit"] {
                let mut bench = bench();
                bench.read("deep/plans/plan.md").await;
                let input = match tool {
                    "Write" => json!({"file_path": "deep/plans/plan.md", "content": "new"}),
                    _ => json!({"file_path": "deep/plans/plan.md", "old_string": "old", "new_string": "new"}),
                };
                let tools = crate::Toolbox::plain();
                let tool = tools.get(tool).unwrap();
                bench.cx.action = tool.action(&input, &bench.cx.place).unwrap();
                std::fs::create_dir(bench.path("elsewhere")).unwrap();
                bench.file("elsewhere/plan.md", "old\n");
                std::fs::rename(bench.path(link), bench.path("moved")).unwrap();
                symlink(bench.path(leads_to), bench.path(link)).unwrap();
                let outcome = tool.run(input, bench.cx.clone()).await;
                assert!(outcome.result.is_error, "{}", outcome.result.text());
                assert_eq!(bench.bytes("elsewhere/plan.md"), b"old\n");
                assert!(!Path::new(bench.path("missing").as_path()).exists());
                untouched(&bench);
            }
        }
    }

    /// The link comes even later: after the last look at the path.
    #[test]
    fn a_link_that_comes_after_the_last_look_is_refused_too() {
        let bench = bench();
        let (plan, held) = (bench.path("deep/plans/plan.md"), target(&bench).unwrap_or_else(|_| panic!()));
        std::fs::remove_file(&plan).unwrap();
        symlink(bench.path("other"), &plan).unwrap();
        for failed in [held.read().map(|_| ()), held.save(b"new")] {
            assert!(failed.unwrap_err().text.contains("There is a link at"));
        }
        // A link to a neighbour stays inside, and is refused all the same: it is another plan.
        std::fs::remove_file(&plan).unwrap();
        bench.file("deep/plans/another.md", "another");
        symlink("another.md", &plan).unwrap();
        assert!(held.read().is_err() && held.save(b"new").is_err());
        assert_eq!(bench.bytes("deep/plans/another.md"), b"another");
        // A folder on the way.
        std::fs::rename(bench.path("deep/plans"), bench.path("deep/moved")).unwrap();
        symlink("moved", bench.path("deep/plans")).unwrap();
        assert!(held.read().is_err() && held.save(b"new").is_err() && held.make_folders().is_err());
        untouched(&bench);
    }
}
