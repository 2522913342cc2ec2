//! How long a program takes to begin and end from a process that holds 100 MiB: with a fence around it, without, and by
//! the programs that people use for it; and how long a fence takes to be raised. Prints JSON.
#![expect(
    clippy::print_stdout,
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::disallowed_methods,
    reason = "it is a measurement, and prints it"
)]

use std::sync::Arc;
use std::time::{Duration, Instant};

use forelook_sandbox::{
    Child, ChildEnv, Fence, FencePolicy, FenceScope, KernelLayers, Program, find_program,
};

/// What is held while it is measured: forking a process costs more the more it holds.
const MANY: usize = 100 << 20;

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let quick = std::env::args().any(|word| word == "--quick");
    let layers = KernelLayers::available().layers().expect("the kernel holds something here");
    // As a session does it: the fence stands when the conversation has grown.
    let fence = Arc::new(Fence::raise(&FencePolicy::default(), layers).unwrap());
    let masks = FencePolicy {
        scope: FenceScope::MasksOnly,
        masked: vec!["/etc/hosts".into()],
        ..FencePolicy::default()
    };
    let masked = Arc::new(Fence::raise(&masks, layers).unwrap());
    // Written to, so that it is really there.
    let ballast: Vec<u8> = (0..MANY).map(|at| (at >> 12) as u8).collect();
    let [plain, fenced, masked, bwrap, unshare] =
        spawns([&fence, &masked], if quick { 20 } else { 300 }).await;
    let rounds = if quick { 5 } else { 50 };
    let [raise, first] = raises(&FencePolicy::default(), layers, rounds).await;
    let [raise_masks, first_masked] = raises(&masks, layers, rounds).await;
    assert_eq!(std::hint::black_box(&ballast).len(), MANY);
    println!(
        "{{\"plain_ms\": {plain}, \"fenced_ms\": {fenced}, \"bwrap_ms\": {bwrap}, \"unshare_ms\": {unshare}, \
        \"masked_ms\": {masked}, \"raise_masks_ms\": {raise_masks}, \"first_masked_ms\": {first_masked}, \
        \"fenced_more_ms\": {}, \"bwrap_ratio\": {}, \"raise_ms\": {raise}, \"first_ms\": {first}}}",
        fenced - plain,
        fenced / bwrap
    );
}

/// One after the other in turn, so that a busy machine slows all of them.
async fn spawns(fences: [&Arc<Fence>; 2], rounds: usize) -> [f64; 5] {
    let plain = program(&["true"]);
    let [fenced, masked] = fences.map(|fence| {
        let mut fenced = program(&["true"]);
        fenced.fence = Some(Arc::clone(fence));
        fenced
    });
    let bwrap = program(&["bwrap", "--ro-bind", "/", "/", "--unshare-all", "true"]);
    let unshare = program(&["unshare", "-Urmn", "true"]);
    let programs = [plain, fenced, masked, bwrap, unshare];
    let mut times = [(); 5].map(|()| Vec::with_capacity(rounds));
    for _ in 0..rounds {
        for (program, times) in programs.iter().zip(&mut times) {
            times.push(run(program).await);
        }
    }
    times.map(median)
}

/// A fence alone, and with the first program in it; taken down before the next.
async fn raises(policy: &FencePolicy, layers: KernelLayers, rounds: usize) -> [f64; 2] {
    let (mut raises, mut firsts) = (Vec::new(), Vec::new());
    for _ in 0..rounds {
        let begin = Instant::now();
        let fence = Fence::raise(policy, layers).unwrap();
        raises.push(begin.elapsed());
        let mut program = program(&["true"]);
        program.fence = Some(Arc::new(fence));
        run(&program).await;
        firsts.push(begin.elapsed());
    }
    [median(raises), median(firsts)]
}

fn program(words: &[&str]) -> Program {
    let mut env = ChildEnv::default();
    env.set("PATH", "/usr/bin:/bin");
    let path = find_program(words[0], &env).unwrap_or_else(|| panic!("`{}` is not installed", words[0]));
    words[1..].iter().fold(Program::new(path, env, "/"), |program, word| program.arg(word))
}

async fn run(program: &Program) -> Duration {
    let begin = Instant::now();
    let mut child = Child::spawn(program).unwrap();
    let ending = child.ended().await;
    let took = begin.elapsed();
    assert!(ending.is_success(), "{ending:?}");
    took
}

fn median(mut times: Vec<Duration>) -> f64 {
    times.sort_unstable();
    times[times.len() / 2].as_secs_f64() * 1e3
}
