//! Links the released program at a fixed address.
//!
//! The tables of its libraries hold 69,000 pointers. In a program that may be loaded anywhere the loader corrects every
//! one of them at every start, and copies 300 pages to do so: half of the time that `--version` takes. Packing the list
//! of pointers (RELR) was tried and saves a tenth of that, because the pages are copied all the same.
//!
//! Stack, heap and shared libraries are still placed at random. What is given up is the random place of our own code: one
//! obstacle less for whoever finds a fault in memory. That code is safe Rust but for `sandbox`, the grammar of shell lines and
//! cryptography, and what the kernel holds does not depend on it. Go's programs are linked like this too.

use std::env;

#[expect(clippy::disallowed_methods, reason = "variables are how cargo speaks to build scripts")]
fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let is = |variable: &str, value: &str| env::var(variable).is_ok_and(|it| it == value);
    if is("PROFILE", "release") && is("CARGO_CFG_TARGET_OS", "linux") && is("CARGO_CFG_TARGET_ENV", "gnu") {
        println!("cargo::rustc-link-arg-bins=-no-pie");
    }
}
