//! The environment of programs inside: scratch folders instead of caches that they could not write, and the address of the
//! gate.
//!
//! Found by trial: without these, `npm ls` fails at its log, `cargo check` at its build folder and `go vet` at its cache,
//! although all of them only read.

use std::path::Path;

use forelook_protocol::{AbsPath, Confinement};
use forelook_sandbox::ChildEnv;

/// Variables that name a folder for a cache or the like, and its name in scratch.
const CACHES: &[(&str, &str)] = &[
    ("XDG_CACHE_HOME", "cache"),
    ("XDG_STATE_HOME", "state"),
    ("npm_config_cache", "npm"),
    ("GOCACHE", "go-build"),
];

/// The same for what is built in the working folders, where these cannot be written.
const BUILDS: &[(&str, &str)] =
    &[("CARGO_TARGET_DIR", "cargo-target"), ("MYPY_CACHE_DIR", "mypy"), ("RUFF_CACHE_DIR", "ruff")];

/// Variables that name what lies in the person's cache and is read rather than written: installed browsers, hooks and
/// models. They would be looked for in scratch else, and be fetched.
const INSTALLED: &[(&str, &str)] = &[
    ("COREPACK_HOME", "node/corepack"),
    ("CYPRESS_CACHE_FOLDER", "Cypress"),
    ("HF_HOME", "huggingface"),
    ("PLAYWRIGHT_BROWSERS_PATH", "ms-playwright"),
    ("PRE_COMMIT_HOME", "pre-commit"),
    ("PUPPETEER_CACHE_DIR", "puppeteer"),
    ("TORCH_HOME", "torch"),
];

/// What keeps programs from trying what cannot be done without a network.
const OFFLINE: &[(&str, &str)] = &[
    ("CARGO_NET_OFFLINE", "true"),
    ("npm_config_fetch_retries", "0"),
    ("GOPROXY", "off"),
    ("GOTOOLCHAIN", "local"),
];

/// What asks the network for nothing that anybody wanted to know.
const QUIET: &[(&str, &str)] = &[
    ("npm_config_update_notifier", "false"),
    ("npm_config_audit", "false"),
    ("npm_config_fund", "false"),
    ("PIP_DISABLE_PIP_VERSION_CHECK", "1"),
];

/// How far the network reaches, as programs should know it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum EgressRoute {
    Offline,
    Host,
    /// Through the gate at this port.
    Gate(u16),
}

/// Makes an environment one for the inside.
pub(super) fn adapt(
    env: &mut ChildEnv,
    sandbox: Confinement,
    scratch: &Path,
    home: Option<&AbsPath>,
    route: EgressRoute,
) {
    env.set("TMPDIR", scratch);
    let installed = env.get("XDG_CACHE_HOME").map(Path::new).map(Path::to_owned);
    let installed = installed.or_else(|| home.map(|home| home.join(".cache").as_path().to_owned()));
    for (name, folder) in INSTALLED {
        if let Some(path) = installed.as_ref().map(|it| it.join(folder)).filter(|it| it.is_dir())
            && !env.has(name)
        {
            env.set(name, path);
        }
    }
    let own = scratch.join(".forelook");
    let builds = if sandbox.is_read_only() { BUILDS } else { &[] };
    for (name, folder) in CACHES.iter().chain(builds) {
        env.set(name, own.join(folder));
    }
    if sandbox.is_read_only() {
        // Python goes on without it, but tries for every module.
        env.set("PYTHONDONTWRITEBYTECODE", "1");
    }
    let offline = if route == EgressRoute::Offline { OFFLINE } else { &[] };
    for (name, value) in QUIET.iter().chain(offline) {
        env.set(name, value);
    }
    if let EgressRoute::Gate(port) = route {
        set_proxy(env, port);
    }
}

/// The way out, where there is one: whoever speaks HTTP comes to it by these.
fn set_proxy(env: &mut ChildEnv, port: u16) {
    let gate = format!("http://127.0.0.1:{port}");
    for name in ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"] {
        env.set(name, &gate);
    }
    for name in ["NO_PROXY", "no_proxy"] {
        env.set(name, "localhost,127.0.0.1,::1");
    }
}
