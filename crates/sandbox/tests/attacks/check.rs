//! One attack, outside and inside of every fence.

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use forelook_sandbox::{
    Caller, Child, ChildEnv, ChildEvent, ChildExit, Fence, FencePolicy, KernelLayers, NetworkAccess, Program,
};

use crate::attack::{Attack, How, Outside, REFUSED};
use crate::calls;
use crate::fixture::Fixture;
use crate::snapshot::difference;
use crate::sys::is_root;

pub(crate) const FENCES: [(&str, KernelLayers); 3] = [
    ("all layers", KernelLayers::ALL),
    ("namespaces", KernelLayers { landlock: false, ..KernelLayers::ALL }),
    ("landlock", KernelLayers { namespaces: false, ..KernelLayers::ALL }),
];

/// What is allowed inside.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Plain,
    /// Everything seems to change, and the real things do not; and there is a loopback.
    Rehearsal,
    /// There is a folder beside the project that may be written to, and is not looked at; and a network.
    Workspace(NetworkAccess),
    /// Nothing but a network as outside.
    Online,
}

const MORE: [(&str, KernelLayers, Kind); 3] = [
    ("rehearsal", KernelLayers::ALL, Kind::Rehearsal),
    ("workspace", KernelLayers::ALL, Kind::Workspace(NetworkAccess::Gate)),
    (
        "workspace by landlock",
        KernelLayers { namespaces: false, ..KernelLayers::ALL },
        Kind::Workspace(NetworkAccess::Host),
    ),
];

/// Only for attacks by sockets: a network changes nothing about the others.
const ONLINE: (&str, KernelLayers, Kind) = ("online", KernelLayers::ALL, Kind::Online);

/// What a network is for.
const BY_NETWORK: [&str; 7] =
    ["tcp", "tcp-fast-open", "udp", "udp-connected", "udp-six", "bash-tcp", "bash-udp"];

/// What gets through on purpose, or because nothing can hold it; why. Checked to be true, so that it cannot grow old.
const KNOWN: &[(&str, &str, &str)] = &[
    (
        "fifo",
        "namespaces",
        "a mount that is read-only does not close pipes that have names; only Landlock does",
    ),
    ("fifo-line", "namespaces", "as above"),
    ("fifo-read", "namespaces", READING),
    ("fifo-read", "all layers", READING),
    ("fifo-read", "landlock", READING),
    ("fifo-read", "workspace", READING),
    ("fifo-read", "workspace by landlock", READING),
    ("fifo-read", "online", READING),
];

const READING: &str = "reading is free, and who reads a pipe takes what is in it";

fn is_known(attack: &Attack, fence: &str) -> bool {
    let on_purpose =
        ["online", "workspace by landlock"].contains(&fence) && BY_NETWORK.contains(&attack.name);
    on_purpose || KNOWN.iter().any(|known| known.0 == attack.name && known.1 == fence)
}

/// How long an attack may take.
const LONG: Duration = Duration::from_secs(30);

/// What is wrong.
pub(crate) fn all(attack: &Attack, base: &Path) -> Result<(), String> {
    let mut wrong = Vec::new();
    let changes = match attack.outside {
        Outside::Works => Some(true),
        Outside::WorksForRoot(_) => Some(is_root()),
        Outside::Untried(_) | Outside::Refused => None,
    };
    if let Some(changes) = changes {
        let tried = attempt(attack, base, None, changes)?;
        if tried.changed.is_empty() == changes {
            let should = if changes { "changed nothing" } else { "should not succeed" };
            wrong.push(format!("Outside it {should}\n{tried:#?}"));
        }
    }
    let fences = FENCES.iter().map(|(name, layers)| (*name, *layers, Kind::Plain));
    let by_sockets =
        calls::sockets::ATTACKS.iter().map(|it| it.name).chain(BY_NETWORK).any(|name| name == attack.name);
    for (name, layers, kind) in fences.chain(MORE).chain(by_sockets.then_some(ONLINE)) {
        let known = is_known(attack, name);
        let tried = attempt(attack, base, Some((layers, kind)), known)?;
        if tried.changed.is_empty() == known {
            wrong
                .push(format!("{} from inside `{name}`:\n{tried:#?}", if known { "Not" } else { "Changed" }));
        }
        let failed = match attack.outside {
            Outside::Refused => tried.ending == ChildExit::Exited(i32::from(REFUSED)),
            Outside::Untried(_) => tried.ending != ChildExit::Exited(0),
            Outside::Works | Outside::WorksForRoot(_) => true,
        };
        if !failed {
            wrong.push(format!("Not refused inside `{name}`:\n{tried:#?}"));
        }
    }
    if wrong.is_empty() { Ok(()) } else { Err(wrong.join("\n")) }
}

/// What came of it.
#[derive(Debug)]
struct Tried {
    changed: Vec<String>,
    ending: ChildExit,
    /// Only to be shown.
    #[expect(dead_code, reason = "shown by `Debug`")]
    output: String,
}

fn attempt(
    attack: &Attack,
    base: &Path,
    fence: Option<(KernelLayers, Kind)>,
    changes: bool,
) -> Result<Tried, String> {
    let mut fixture = Fixture::new(base);
    let folders = vec![fixture.project(), base.join("bin")];
    let raised = fence.map(|(layers, kind)| {
        let mut policy = FencePolicy { folders, ..FencePolicy::default() };
        match kind {
            Kind::Plain => {}
            Kind::Rehearsal => {
                policy.overlay = Some(fixture.folder.join("layer"));
                policy.network = NetworkAccess::Loopback;
            }
            Kind::Workspace(network) => {
                policy.writable = vec![fixture.folder.join("space")];
                policy.network = network;
            }
            Kind::Online => policy.network = NetworkAccess::Host,
        }
        Fence::raise(&policy, layers).map(Arc::new)
    });
    let raised = raised.transpose().map_err(|error| format!("No fence with {fence:?}: {error}"))?;
    let mut env = ChildEnv::default();
    for (name, value) in fixture.known(base) {
        env.set(name, value);
    }
    let mut program = match attack.how {
        How::Line(line) => Program::new("/bin/sh", env, fixture.project()).arg("-c").arg(line),
        How::Call(_) => {
            Program::new(base.join("bin/attacks"), env, fixture.project()).arg("--call").arg(attack.name)
        }
    };
    program.fence.clone_from(&raised);
    // Outside it must have every right, or it shows nothing.
    program.caller = Caller::Person;
    let before = fixture.look();
    let (ending, output) = run(&program);
    drop((program, raised));
    let mut changed = difference(&before, &fixture.look());
    // A packet may still be on its way.
    let patience = Instant::now() + Duration::from_secs(1);
    while changes && changed.is_empty() && Instant::now() < patience {
        std::thread::sleep(Duration::from_millis(20));
        changed = difference(&before, &fixture.look());
    }
    Ok(Tried { changed, ending, output })
}

fn run(program: &Program) -> (ChildExit, String) {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    runtime.block_on(async {
        let mut child = match Child::spawn(program) {
            Ok(child) => child,
            Err(error) => return (ChildExit::Unknown, error.to_string()),
        };
        let mut output = Vec::new();
        let end = tokio::time::timeout(LONG, async {
            loop {
                match child.next().await {
                    ChildEvent::Output(chunk) => output.extend(chunk.bytes),
                    ChildEvent::Ended(ending) => return ending,
                }
            }
        });
        let ending = end.await.unwrap_or(ChildExit::Unknown);
        (ending, String::from_utf8_lossy(&output).into_owned())
    })
}
