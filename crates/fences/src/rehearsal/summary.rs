//! What the model is told after each rehearsed call.

use std::collections::BTreeMap;
use std::path::Path;

use forelook_protocol::{AbsPath, FileChange, shorten};

use super::diff::{self, LineCounts};
use super::file_states::FolderViews;
use super::overlay::OverlaidFolder;
use super::preview::{changed, name};
use super::scan::{FileStamp, Scan, TouchedFile};

/// Files that are named, of those that this call changed and of the others.
const MAX_NAMED: usize = 20;

/// Characters of a path that may be very long.
const MAX_PLACE: usize = 100;

/// The state of the layer that was told last.
pub(super) type ReportedStamps = BTreeMap<AbsPath, FileStamp>;

/// In one line. `reported` is what the model knows already; afterwards it knows this.
pub(super) fn summary(
    overlaid: &[OverlaidFolder],
    scan: &Scan,
    reported: &mut ReportedStamps,
    base: &Path,
) -> String {
    let views: Vec<Option<FolderViews>> =
        overlaid.iter().map(|folder| FolderViews::new(folder).ok()).collect();
    let view = |touched: &TouchedFile| views.get(touched.folder).and_then(Option::as_ref);
    let differing = scan.touched.iter().filter(|(path, touched)| {
        view(touched).is_some_and(|views| differs(&overlaid[touched.folder], path, touched, views))
    });
    let (before, fresh): (Vec<_>, Vec<_>) =
        differing.partition(|(path, touched)| reported.get(path) == Some(&touched.stamp));
    let list = |files: &[(&AbsPath, &TouchedFile)]| {
        let named = files.iter().take(MAX_NAMED).filter_map(|(path, touched)| {
            Some(describe_file(&name(path, Some(base)), touched, view(touched)?))
        });
        let mut words: Vec<String> = named.collect();
        if files.len() > MAX_NAMED {
            words.push(format!("and {} more", files.len() - MAX_NAMED));
        }
        words.join(", ")
    };
    let count = before.len() + fresh.len();
    let files = if count == 1 { "1 file".to_owned() } else { format!("{count} files") };
    let mut text = match (before.as_slice(), fresh.as_slice()) {
        ([], []) => "Rehearsed: no real file changed, and none would change".to_owned(),
        ([], fresh) => format!("Rehearsed: no real file changed. {files} would change: {}", list(fresh)),
        (before, []) => {
            format!("Rehearsed: no real file changed. {files} would still change: {}", list(before))
        }
        (before, fresh) => format!(
            "Rehearsed: no real file changed. {files} would change: {}; from earlier rehearsals: {}",
            list(fresh),
            list(before)
        ),
    };
    if scan.ignored > 0 {
        text.push_str(&format!("; {} ignored by git", scan.ignored));
    }
    text.push_str(&unread(scan, base));
    *reported = scan.touched.iter().map(|(path, touched)| (path.clone(), touched.stamp)).collect();
    format!("[{text}]")
}

/// Where something may have changed that nobody saw.
fn unread(scan: &Scan, base: &Path) -> String {
    let Some((path, why)) = scan.unread.first_key_value() else { return String::new() };
    let place = shorten(&name(path, Some(base)), MAX_PLACE);
    match scan.unread.len() {
        1 => format!("; 1 folder was not checked: `{place}` ({why})"),
        count => format!("; {count} folders were not checked, such as `{place}` ({why})"),
    }
}

/// Whether a file is another than it was. Only one of the same size is read.
fn differs(overlaid: &OverlaidFolder, path: &AbsPath, touched: &TouchedFile, views: &FolderViews) -> bool {
    let FileStamp::Present { size, .. } = touched.stamp else { return true };
    let real = path.as_path().symlink_metadata();
    let new = overlaid.upper.join(&touched.rest).symlink_metadata();
    match (real, new) {
        (Ok(real), Ok(new)) if real.is_file() && new.is_file() && real.len() == size => {
            changed(views, touched).is_some()
        }
        (Ok(real), Ok(new)) if real.is_symlink() && new.is_symlink() => changed(views, touched).is_some(),
        _ => true,
    }
}

fn describe_file(name: &str, touched: &TouchedFile, views: &FolderViews) -> String {
    let Some(both) = changed(views, touched) else { return format!("M {name}") };
    let letter = match both.change {
        FileChange::Added => 'A',
        FileChange::Changed => 'M',
        FileChange::Removed => 'D',
    };
    let counts = match (both.change, diff::lines(&both.old, &both.new)) {
        (FileChange::Removed, _) | (_, LineCounts { added: 0, removed: 0 }) => String::new(),
        (_, LineCounts { added, removed: 0 }) => format!(" (+{added})"),
        (_, LineCounts { added: 0, removed }) => format!(" (−{removed})"),
        (_, LineCounts { added, removed }) => format!(" (+{added} −{removed})"),
    };
    format!("{letter} {name}{counts}")
}
