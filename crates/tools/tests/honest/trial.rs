//! One line of the table: inside a fence, then outside, in the same place.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use forelook_fences::{FenceInputs, FenceSetup, Fences, GuardSearch, Launch, LaunchOptions, PathGuard};
use forelook_protocol::{AbsPath, Confinement};
use forelook_tools::{ChildEnv, KernelLayers, ToolContext, ToolServices, Toolbox};
use serde_json::json;

use crate::snapshot;
use crate::table::{Case, GO, READS, READS_WITH_NAMESPACES, REHEARSED, Told, WRITES};

/// Where programs are: the compiler, then those of the machine.
pub(crate) const PATH: &str = "/mnt/toolchain/bin:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin";

/// Says that `go` is to be tried too: it is large, and not everybody has it. The long run sets it.
pub(crate) const WITH_GO: &str = "FORELOOK_HONEST_GO";

fn with_go() -> bool {
    std::env::var_os(WITH_GO).is_some()
}

/// What makes the fence.
#[derive(Clone, Copy)]
pub(crate) enum Held {
    /// All layers.
    Whole,
    /// Landlock and seccomp, where namespaces are refused.
    Landlock,
}

impl Held {
    pub(crate) fn named(name: &str) -> Self {
        match name {
            "whole" => Held::Whole,
            _ => Held::Landlock,
        }
    }

    pub(crate) fn name(self) -> &'static str {
        match self {
            Held::Whole => "whole",
            Held::Landlock => "landlock",
        }
    }

    fn layers(self) -> KernelLayers {
        KernelLayers { namespaces: matches!(self, Held::Whole), ..KernelLayers::ALL }
    }
}

/// What is tried.
#[derive(Clone, Copy)]
pub(crate) enum What {
    Reads(&'static Case),
    ReadsWithNamespaces(&'static Case),
    /// With a file that would change, if there is one.
    Rehearsed(&'static Case, Option<&'static str>),
    Writes(&'static Case),
}

impl What {
    pub(crate) fn all() -> Vec<Self> {
        let rehearsed = REHEARSED.iter().map(|(case, file)| What::Rehearsed(case, *file));
        let go = if with_go() { GO } else { &[] };
        let reads = READS.iter().chain(go).map(What::Reads);
        let more = READS_WITH_NAMESPACES.iter().map(What::ReadsWithNamespaces);
        reads.chain(more).chain(rehearsed).chain(WRITES.iter().map(What::Writes)).collect()
    }

    pub(crate) fn named(kind: &str, name: &str) -> Self {
        let is = |what: &Self| what.kind() == kind && what.name() == name;
        Self::all().into_iter().find(is).expect("a line of this name")
    }

    pub(crate) fn kind(&self) -> &'static str {
        match self {
            What::Reads(_) | What::ReadsWithNamespaces(_) => "reads",
            What::Rehearsed(..) => "rehearsed",
            What::Writes(_) => "writes",
        }
    }

    pub(crate) fn name(&self) -> &'static str {
        self.case().name
    }

    fn case(&self) -> &'static Case {
        match self {
            What::Reads(case)
            | What::ReadsWithNamespaces(case)
            | What::Rehearsed(case, _)
            | What::Writes(case) => case,
        }
    }

    /// Only namespaces give a layer to rehearse on.
    pub(crate) fn fences(&self) -> &'static [Held] {
        match self {
            What::Rehearsed(..) | What::ReadsWithNamespaces(_) => &[Held::Whole],
            What::Reads(_) | What::Writes(_) => &[Held::Whole, Held::Landlock],
        }
    }

    fn sandbox(&self) -> Confinement {
        match self {
            What::Rehearsed(..) => Confinement::Rehearsal,
            What::Reads(_) | What::ReadsWithNamespaces(_) | What::Writes(_) => Confinement::ReadOnly,
        }
    }
}

/// What a call came to.
#[derive(Debug)]
struct Came {
    failed: bool,
    text: String,
}

/// Makes the place, tries the line inside, looks what changed, and tries it outside.
pub(crate) fn check(held: Held, what: &What, place: &Path) -> Result<(), String> {
    fs::create_dir(place).unwrap();
    let made =
        Command::new("sh").args(["-c", include_str!("fixture.sh")]).current_dir(place).status().unwrap();
    assert!(made.success(), "the fixture could not be made");
    let (project, home) = (place.join("project"), place.join("home"));
    let before = [&project, &home].map(|folder| snapshot::of(folder));
    let bench = Bench::new(held, place);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let case = what.case();
    let inside = runtime.block_on(bench.run(case.line, what.sandbox()));
    let rehearsal = bench.fences.rehearsal();
    bench.fences.discard();
    let after = [&project, &home].map(|folder| snapshot::of(folder));
    let changed: Vec<String> =
        before.iter().zip(&after).flat_map(|(before, after)| snapshot::difference(before, after)).collect();
    if !changed.is_empty() {
        return Err(format!("changed by `{}`:\n{}\nwhich said {inside:?}", case.line, changed.join("\n")));
    }
    let outside = runtime.block_on(bench.run(case.line, Confinement::Off));
    compare(what, &inside, &outside)?;
    match (what, rehearsal) {
        (What::Rehearsed(_, Some(file)), Some(rehearsal)) if rehearsal.diff.contains(file) => Ok(()),
        (
            What::Rehearsed(_, None) | What::Reads(_) | What::ReadsWithNamespaces(_) | What::Writes(_),
            None,
        ) => Ok(()),
        (_, rehearsal) => Err(format!("`{}` would change {rehearsal:?}", case.line)),
    }
}

fn compare(what: &What, inside: &Came, outside: &Came) -> Result<(), String> {
    let fine = match (what, what.case().told) {
        (What::Writes(_), _) => inside.failed && !outside.failed,
        (_, Told::Same) => inside.failed == outside.failed && inside.text == outside.text,
        (_, Told::Has(words, _)) => {
            inside.failed == outside.failed && [inside, outside].iter().all(|came| came.text.contains(words))
        }
    };
    match fine {
        true => Ok(()),
        false => Err(format!(
            "`{}`\n── inside{}:\n{}\n── outside{}:\n{}",
            what.case().line,
            if inside.failed { ", failed" } else { "" },
            inside.text,
            if outside.failed { ", failed" } else { "" },
            outside.text
        )),
    }
}

/// A project, and what holds the programs that are tried in it.
struct Bench {
    project: AbsPath,
    services: ToolServices,
    fences: Arc<Fences>,
    inputs: Arc<FenceInputs>,
}

impl Bench {
    fn new(held: Held, place: &Path) -> Self {
        let path = |name: &str| AbsPath::new(place.join(name)).unwrap();
        let env = [
            ("HOME", path("home").as_path().as_os_str().to_owned()),
            ("PATH", PATH.into()),
            ("USER", "ann".into()),
            // Else it asks the network, and says another thing each day.
            ("npm_config_update_notifier", "false".into()),
        ];
        let env = ChildEnv::from_process_without_secrets(env.map(|(name, value)| (name.into(), value)));
        let setup = FenceSetup { layers: held.layers(), ..FenceSetup::plain(&path("fences")) };
        fs::create_dir(path("fences").as_path()).unwrap();
        let inputs = FenceInputs {
            folders: vec![path("project")],
            home: Some(path("home")),
            guards: Arc::new(|_: &AbsPath| PathGuard::Unguarded),
            search: GuardSearch::default(),
        };
        Self {
            project: path("project"),
            services: ToolServices::new(Arc::new(env), path("scratch")),
            fences: Arc::new(Fences::new(setup)),
            inputs: Arc::new(inputs),
        }
    }

    /// By Bash, as the model has it.
    async fn run(&self, line: &str, sandbox: Confinement) -> Came {
        let bash = Toolbox::plain(&self.services).get("Bash").expect("there is Bash");
        let options = LaunchOptions { sandbox, ..LaunchOptions::PLAIN };
        let launch = Launch::new(Arc::clone(&self.fences), Arc::clone(&self.inputs), options);
        let cx = ToolContext { launch, ..ToolContext::alone(&self.project) };
        let input = match sandbox {
            Confinement::Rehearsal => json!({"command": line, "rehearse": true}),
            _ => json!({"command": line}),
        };
        let call = bash.parse(&input).expect("Bash takes it");
        let outcome = call.runnable().expect("Bash runs it").run(cx).await;
        Came { failed: outcome.result.is_error, text: outcome.result.text() }
    }
}
