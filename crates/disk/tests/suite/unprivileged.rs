//! What a normal user may not do, which root would never see.

use std::fs::Permissions as Mode;
use std::os::unix::fs::PermissionsExt as _;
use std::path::Path;

use crate::again::as_nobody;
use forelook_disk::{
    Appender, DiskError, FileLock, LockError, Permissions, copy_new, create_new, make_private, remove_file,
    replace, resolve,
};

fn chmod(path: &Path, mode: u32) {
    std::fs::set_permissions(path, Mode::from_mode(mode)).unwrap();
}

#[test]
fn a_read_only_folder() {
    let Some((_home, path)) = as_nobody("unprivileged::a_read_only_folder") else { return };
    let folder = path.join("folder");
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("file"), "old").unwrap();
    chmod(&folder, 0o555);
    let tried = [
        replace(folder.join("file"), b"new", Permissions::Keep),
        create_new(folder.join("new"), &[b"new"], Permissions::Keep),
        make_private(folder.join("a/b")),
        remove_file(folder.join("file")).map(drop),
        Appender::create(folder.join("lines")).map(drop),
    ];
    for result in tried {
        let error = result.unwrap_err();
        assert!(matches!(&error, DiskError::NotAllowed { .. }), "{error:?}");
        assert!(error.to_string().contains("Check the permissions"), "{error}");
    }
    assert!(matches!(
        FileLock::acquire(folder.join("lock")),
        Err(LockError::Disk(DiskError::NotAllowed { .. }))
    ));
    chmod(&folder, 0o755);
    assert_eq!(std::fs::read(folder.join("file")).unwrap(), b"old");
    assert_eq!(std::fs::read_dir(&folder).unwrap().count(), 1);
}

#[test]
fn a_read_only_file_is_meant_to_stay() {
    let Some((_home, path)) = as_nobody("unprivileged::a_read_only_file_is_meant_to_stay") else { return };
    let file = path.join("file");
    std::fs::write(&file, "old").unwrap();
    chmod(&file, 0o444);
    let error = replace(&file, b"new", Permissions::Keep).unwrap_err();
    assert!(matches!(&error, DiskError::NotAllowed { .. }), "{error:?}");
    assert!(matches!(Appender::open(&file), Err(DiskError::NotAllowed { .. })));
    assert_eq!(std::fs::read(&file).unwrap(), b"old");
    assert_eq!(std::fs::read_dir(&path).unwrap().count(), 1);
}

#[test]
fn an_unreadable_file_and_folder() {
    let Some((_home, path)) = as_nobody("unprivileged::an_unreadable_file_and_folder") else { return };
    let file = path.join("file");
    std::fs::write(&file, "old\n").unwrap();
    chmod(&file, 0o200);
    assert!(matches!(
        copy_new(&file, path.join("copy"), Permissions::Keep),
        Err(DiskError::NotAllowed { .. })
    ));
    assert!(matches!(Appender::open(&file), Err(DiskError::NotAllowed { .. })));
    replace(&file, b"new", Permissions::Keep).unwrap();
    assert_eq!(std::fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o200);

    let folder = path.join("folder");
    std::fs::create_dir(&folder).unwrap();
    chmod(&folder, 0o300);
    // A folder that may be written but not read is no obstacle.
    replace(folder.join("file"), b"new", Permissions::Keep).unwrap();
    chmod(&folder, 0o000);
    assert!(matches!(resolve(folder.join("file")), Err(DiskError::NotAllowed { .. })));
    chmod(&folder, 0o700);
}
