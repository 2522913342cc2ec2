//! The same policy in the words of macOS: the text of a profile for `/usr/bin/sandbox-exec -p`.
//!
//! Nothing starts a program with it yet, and no Mac has read it: it is made and tested everywhere so that it can be tried
//! there. What is known to be missing: a held path that does not exist yet is held in this spelling alone, and a disk
//! that takes `.GIT` for `.git` would let it be made in another.
//!
//! Everything is denied that is not allowed, the last rule that fits counts, and a rule sees the real path of a file,
//! never the link that led there. Hard links, clones and devices are in no rule and so are never made.

#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io;
use std::path::{Path, PathBuf};

use crate::{FencePolicy, FenceScope, NetworkAccess};

/// What any program needs: to run others, to read, to ask the system who is who, and to write into nothing.
const ALWAYS: &str = r#"(version 1)
(deny default)
(allow process-fork process-exec)
(allow signal process-info* (target same-sandbox))
(allow file-read* file-map-executable)
(allow file-write-data file-ioctl
    (literal "/dev/null")
    (literal "/dev/zero")
    (literal "/dev/dtracehelper"))
(allow sysctl-read)
(allow ipc-posix-sem)
(allow ipc-posix-shm-read-data
    (ipc-posix-name "apple.shm.notification_center"))
(allow mach-lookup
    (global-name "com.apple.system.logger")
    (global-name "com.apple.system.notification_center")
    (global-name "com.apple.system.opendirectoryd.libinfo"))
"#;

/// What a program needs that speaks with others safely: to ask which certificates are trusted.
const TRUST: &str = r#"(allow system-socket)
(allow mach-lookup
    (global-name "com.apple.SecurityServer")
    (global-name "com.apple.SystemConfiguration.configd")
    (global-name "com.apple.trustd.agent"))
"#;

/// All of the internet, and the one socket of the machine that finds names.
const HOST: &str = r#"(allow network-outbound
    (remote ip "*:*")
    (literal "/private/var/run/mDNSResponder"))
(allow network-bind network-inbound (local ip "*:*"))
"#;

/// The text of the profile that holds this policy. `gate`: the port of this machine on which we listen, for
/// [`NetworkAccess::Gate`].
///
/// A rehearsal needs files that seem to change and do not. macOS has no such thing for a program without privileges, so
/// that is an error, as is a path that cannot be written into the text.
pub fn profile(policy: &FencePolicy, gate: Option<u16>) -> io::Result<String> {
    text(policy, gate, &real)
}

fn text(policy: &FencePolicy, gate: Option<u16>, real: &dyn Fn(&Path) -> PathBuf) -> io::Result<String> {
    if policy.scope == FenceScope::MasksOnly {
        return masks_only(&policy.masked.iter().map(|path| real(path)).collect());
    }
    if policy.overlay.is_some() {
        return Err(unsupported("Rehearsals are not available on macOS, which has no overlays"));
    }
    let all = |paths: &[PathBuf]| paths.iter().map(|path| real(path)).collect::<BTreeSet<PathBuf>>();
    let (protected, masked) = (all(&policy.protected), all(&policy.masked));
    let mut writable = all(&policy.writable);
    writable.extend(policy.scratch.as_deref().map(real));
    let fixed = || protected.union(&masked);

    let mut text = ALWAYS.to_owned();
    network(&mut text, policy.network, gate)?;
    rule(&mut text, "allow file-write*", "subpath", &writable)?;
    rule(&mut text, "deny file-write*", "subpath", fixed())?;
    // What is held by its path is lost if a folder above it gets another name.
    rule(&mut text, "deny file-write-unlink", "literal", &above(fixed(), &writable))?;
    rule(&mut text, "deny file-read-data file-read-xattr", "subpath", &masked)?;
    Ok(text)
}

/// Everything is allowed but what is masked. What is masked by its path is seen if a folder above it gets another name.
fn masks_only(masked: &BTreeSet<PathBuf>) -> io::Result<String> {
    let mut text = "(version 1)\n(allow default)\n".to_owned();
    rule(&mut text, "deny file-write* file-read-data file-read-xattr", "subpath", masked)?;
    let everywhere = BTreeSet::from([PathBuf::from("/")]);
    rule(&mut text, "deny file-write-unlink", "literal", &above(masked.iter(), &everywhere))?;
    Ok(text)
}

fn network(text: &mut String, network: NetworkAccess, gate: Option<u16>) -> io::Result<()> {
    match (network, gate) {
        // There is no loopback but the machine's, where others listen too.
        (NetworkAccess::None | NetworkAccess::Loopback, _) => {}
        (NetworkAccess::Host, _) => {
            text.push_str(TRUST);
            text.push_str(HOST);
        }
        (NetworkAccess::Gate, Some(port)) => {
            text.push_str(TRUST);
            let _ = writeln!(text, "(allow network-outbound (remote ip \"localhost:{port}\"))");
        }
        (NetworkAccess::Gate, None) => {
            return Err(unsupported("A gate needs a local port to listen on"));
        }
    }
    Ok(())
}

/// One rule about paths, in their order; none if there are none, since a rule without a path is about all of them.
fn rule<'a>(
    text: &mut String,
    what: &str,
    how: &str,
    paths: impl IntoIterator<Item = &'a PathBuf>,
) -> io::Result<()> {
    let mut paths = paths.into_iter().peekable();
    if paths.peek().is_none() {
        return Ok(());
    }
    let _ = write!(text, "({what}");
    for path in paths {
        let _ = write!(text, "\n    ({how} {})", quoted(path)?);
    }
    text.push_str(")\n");
    Ok(())
}

/// The folders between what is fixed and the writable folder that it lies in, that one too.
fn above<'a>(fixed: impl Iterator<Item = &'a PathBuf>, writable: &BTreeSet<PathBuf>) -> BTreeSet<PathBuf> {
    let within = |folder: &&Path| writable.iter().any(|root| folder.starts_with(root));
    let folders = fixed.flat_map(|path| path.ancestors().skip(1).take_while(within));
    folders.map(Path::to_path_buf).collect()
}

/// A path as a text of the profile: only a quote ends one, and only a backslash means something else in it.
fn quoted(path: &Path) -> io::Result<String> {
    let cannot = || {
        let why = format!("Cannot write `{}` into a profile: it is not valid text", path.display());
        io::Error::new(io::ErrorKind::InvalidInput, why)
    };
    let path = path.to_str().filter(|path| !path.contains('\0')).ok_or_else(cannot)?;
    Ok(format!("\"{}\"", path.replace('\\', r"\\").replace('"', r#"\""#)))
}

/// Where a path really is (`/tmp` is in `/private`); of one that does not exist, where it would be.
fn real(path: &Path) -> PathBuf {
    for above in path.ancestors() {
        if let (Ok(real), Ok(rest)) = (above.canonicalize(), path.strip_prefix(above)) {
            return real.components().chain(rest.components()).collect();
        }
    }
    path.to_path_buf()
}

fn unsupported(why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::Unsupported, why)
}
