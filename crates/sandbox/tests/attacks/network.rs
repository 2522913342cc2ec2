//! How far the network reaches inside: nowhere, among themselves, to us and nobody else, or as outside. Real sockets.

use std::fs;
use std::io::{ErrorKind, Read as _, Write as _};
use std::net::TcpListener;
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::sync::Arc;

use forelook_sandbox::{ChildExit, Fence, FencePolicy, KernelLayers, NetworkAccess};

use crate::check::FENCES;
use crate::life::{run, same, shell};

fn raise(base: &Path, layers: KernelLayers, network: NetworkAccess) -> Result<Arc<Fence>, String> {
    let policy = FencePolicy { folders: vec![base.to_owned()], network, ..FencePolicy::default() };
    Fence::raise(&policy, layers).map(Arc::new).map_err(|error| format!("{layers:?}, {network:?}: {error}"))
}

/// Says a word at a port, and what the answer was.
fn says(port: u16, word: &str) -> String {
    format!("bash -c 'exec 3<>/dev/tcp/127.0.0.1/{port} && echo {word} >&3 && cat <&3'")
}

/// Answers one who comes with what they said, twice.
fn answer(door: &TcpListener) -> std::io::Result<String> {
    let (mut visitor, _) = door.accept()?;
    let mut bytes = [0; 64];
    let got = visitor.read(&mut bytes)?;
    let words = String::from_utf8_lossy(&bytes[..got]).into_owned();
    visitor.write_all(format!("{words}{words}").as_bytes())?;
    Ok(words)
}

/// What comes of a line, and what was heard at the door meanwhile.
fn heard(fence: &Arc<Fence>, line: &str, door: &TcpListener) -> Result<(String, String), String> {
    std::thread::scope(|scope| {
        let heard = scope.spawn(|| answer(door).map_err(|error| error.to_string()));
        let (output, ending) = run(&shell(Some(fence), line))?;
        same(&output, &ending, &ChildExit::Exited(0))?;
        Ok((output, heard.join().unwrap()?))
    })
}

fn nobody_came(what: &str, door: &TcpListener) -> Result<(), String> {
    door.set_nonblocking(true).unwrap();
    let came = door.accept().map(drop).map_err(|error| error.kind());
    door.set_nonblocking(false).unwrap();
    same(what, &came, &Err(ErrorKind::WouldBlock))
}

/// Names are looked up over sockets to the kernel, to servers and to daemons: only the last may fail.
const LOOK_UP: &str = "getent ahosts localhost | grep -c STREAM > /dev/null && perl -MSocket -e \
    'socket(S, AF_INET6, SOCK_DGRAM, 0) or die; socket(S, 16, SOCK_RAW, 0) or die; exit 4 if socket(S, 16, SOCK_RAW, 2)'";

pub(crate) fn as_outside(base: &Path) -> Result<(), String> {
    let door = TcpListener::bind("127.0.0.1:0").unwrap();
    let path = base.join(format!("socket-{}", std::process::id()));
    let local = UnixListener::bind(&path).unwrap();
    local.set_nonblocking(true).unwrap();
    let port = door.local_addr().unwrap().port();
    for (name, layers) in FENCES {
        let fence = raise(base, layers, NetworkAccess::Host)?;
        let told = heard(&fence, &says(port, name), &door)?;
        same(name, &told, &(format!("{name}\n{name}\n"), format!("{name}\n")))?;
        same(name, &run(&shell(Some(&fence), LOOK_UP))?.1, &ChildExit::Exited(0))?;
        let line = format!(
            "perl -MSocket -e 'socket(S, AF_UNIX, SOCK_STREAM, 0) or exit 3; connect(S, pack_sockaddr_un(q({})))'",
            path.display()
        );
        same(name, &run(&shell(Some(&fence), &line))?.1, &ChildExit::Exited(3))?;
        let came = local.accept().map(drop).map_err(|error| error.kind());
        same(name, &came, &Err(ErrorKind::WouldBlock))?;
        let line = format!("cd {} && touch new", base.display());
        same(name, &run(&shell(Some(&fence), &line))?.1, &ChildExit::Exited(1))?;
    }
    fs::remove_file(path).map_err(|error| error.to_string())
}

pub(crate) fn through_the_gate(base: &Path) -> Result<(), String> {
    let door = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = door.local_addr().unwrap().port();
    for (name, layers) in FENCES {
        if !layers.namespaces {
            let policy = FencePolicy { network: NetworkAccess::Gate, ..FencePolicy::default() };
            let refused = Fence::raise(&policy, layers).map(drop).map_err(|error| error.kind());
            same(name, &refused, &Err(ErrorKind::Unsupported))?;
            continue;
        }
        let fence = raise(base, layers, NetworkAccess::Gate)?;
        let gate = fence.gate().ok_or("There is no gate")?;
        same("a second time", &fence.gate().is_none(), &true)?;
        let inner = gate.local_addr().unwrap();
        same(name, &inner.ip().is_loopback(), &true)?;
        let told = heard(&fence, &says(inner.port(), name), &gate)?;
        same(name, &told, &(format!("{name}\n{name}\n"), format!("{name}\n")))?;
        // The port outside, and the way there.
        if port != inner.port() {
            same(name, &run(&shell(Some(&fence), &says(port, "no")))?.1, &ChildExit::Exited(1))?;
        }
        let line = "bash -c 'exec 3<>/dev/tcp/192.0.2.1/80' 2>&1 | grep -q unreachable";
        same(name, &run(&shell(Some(&fence), line))?.1, &ChildExit::Exited(0))?;
        nobody_came(name, &door)?;
        // From outside the port is nobody's, or somebody else's: never the gate's.
        let _ = std::net::TcpStream::connect(inner);
        nobody_came(name, &gate)?;
        let line = format!("cd {} && touch new", base.display());
        same(name, &run(&shell(Some(&fence), &line))?.1, &ChildExit::Exited(1))?;
    }
    Ok(())
}

pub(crate) fn nowhere(base: &Path) -> Result<(), String> {
    let door = TcpListener::bind("127.0.0.1:0").unwrap();
    let line = says(door.local_addr().unwrap().port(), "no");
    for (name, layers) in FENCES {
        let fence = raise(base, layers, NetworkAccess::None)?;
        same(name, &fence.gate().is_none(), &true)?;
        same(name, &run(&shell(Some(&fence), &line))?.1, &ChildExit::Exited(1))?;
        nobody_came(name, &door)?;
    }
    Ok(())
}

/// Those inside reach each other, and nobody outside reaches them or is reached.
pub(crate) fn among_themselves(base: &Path) -> Result<(), String> {
    let door = TcpListener::bind("127.0.0.1:0").unwrap();
    let line = says(door.local_addr().unwrap().port(), "no");
    let served = "perl -MIO::Socket::INET -e '$s = IO::Socket::INET->new(Listen => 1, LocalAddr => q(127.0.0.1)) or die; \
        unless (fork) { $c = IO::Socket::INET->new(PeerAddr => q(127.0.0.1), PeerPort => $s->sockport) or die; \
        print $c qq(heard\\n); exit } print scalar readline $s->accept'";
    for (name, layers) in FENCES {
        if !layers.namespaces {
            let policy = FencePolicy { network: NetworkAccess::Loopback, ..FencePolicy::default() };
            let refused = Fence::raise(&policy, layers).map(drop).map_err(|error| error.kind());
            same(name, &refused, &Err(ErrorKind::Unsupported))?;
            continue;
        }
        let fence = raise(base, layers, NetworkAccess::Loopback)?;
        same(name, &fence.gate().is_none(), &true)?;
        same(name, &run(&shell(Some(&fence), served))?, &("heard\n".to_owned(), ChildExit::Exited(0)))?;
        same(name, &run(&shell(Some(&fence), &line))?.1, &ChildExit::Exited(1))?;
        nobody_came(name, &door)?;
    }
    Ok(())
}
