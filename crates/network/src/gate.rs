//! The gate of a fence: a proxy through which programs inside reach the domains that a person named, and no others.
//!
//! A fence can leave its programs a single door, a port on which we listen from outside. What comes to it is HTTP as
//! programs speak it to a proxy: `CONNECT host:port`, and requests with a whole `http://…` address. Judged is the name
//! that was asked for; connected is to an address that was looked up once and judged too, so that a name cannot become
//! another machine in between. What is said inside of a tunnel is encrypted, and not looked at.

mod answers;
mod domains;
mod outside;
mod still;
mod talk;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::task::{JoinHandle, JoinSet};

use crate::{Network, SystemNames};
use domains::Domains;
use outside::Outside;

/// A gate that stands open. It closes, and ends every connection through it, when this is dropped.
#[derive(Debug)]
pub struct Gate {
    task: JoinHandle<()>,
    refused: Arc<Refused>,
}

impl Gate {
    /// Who was refused since this was last asked, each once, as it would have to stand in `sandbox.network`.
    pub fn refused(&self) -> Vec<String> {
        self.refused.take()
    }
}

impl Drop for Gate {
    fn drop(&mut self) {
        // The task owns the listener and the tasks of all connections; they go with it.
        self.task.abort();
    }
}

/// Opens a gate to these domains: `example.com`, `*.example.com` (whatever is below it, not itself), `*` (all), each with
/// a port if it is another one than 80 or 443 (`example.com:8080`). What goes out goes as we do ourselves: `network` may
/// lead through a proxy. Must be called in a runtime.
pub fn serve(listener: std::net::TcpListener, domains: Vec<String>, network: &Network) -> Gate {
    open(listener, &domains, Outside::new(network, Arc::new(SystemNames)), Limits::default())
}

fn open(listener: std::net::TcpListener, domains: &[String], outside: Outside, limits: Limits) -> Gate {
    let refused = Arc::new(Refused::default());
    let shared = Shared { domains: Domains::read(domains), outside, limits, refused: Arc::clone(&refused) };
    Gate { task: tokio::spawn(accept(listener, Arc::new(shared))), refused }
}

/// What all connections of a gate share.
struct Shared {
    domains: Domains,
    outside: Outside,
    limits: Limits,
    refused: Arc<Refused>,
}

/// How much a gate bears. Programs inside are strangers.
#[derive(Debug, Clone, Copy)]
struct Limits {
    /// So many connections at once; the next ones wait in the kernel.
    most: usize,
    /// How long a request may take to say what it wants.
    head: Duration,
    /// How long a connection may be silent. Servers close much sooner; this is for those who vanish without a word.
    silence: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self { most: 256, head: Duration::from_secs(10), silence: Duration::from_mins(10) }
    }
}

/// Who was refused. Not more than anybody reads: a program may try names without end.
#[derive(Debug, Default)]
struct Refused(Mutex<BTreeSet<String>>);

impl Refused {
    const MOST: usize = 64;

    fn note(&self, place: String) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if all.len() < Self::MOST {
            all.insert(place);
        }
    }

    fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner)).into_iter().collect()
    }
}

/// Out of descriptors, most likely: some will be closed soon.
const BREATH: Duration = Duration::from_millis(50);

async fn accept(listener: std::net::TcpListener, shared: Arc<Shared>) {
    let ready = listener.set_nonblocking(true).and_then(|()| TcpListener::from_std(listener));
    let listener = match ready {
        Ok(listener) => listener,
        Err(error) => return tracing::warn!(%error, "the gate cannot be opened"),
    };
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept(), if connections.len() < shared.limits.most => match accepted {
                Ok((stream, _)) => {
                    connections.spawn(talk::talk(stream, Arc::clone(&shared)));
                }
                Err(error) => {
                    tracing::debug!(%error, "a connection to the gate failed");
                    tokio::time::sleep(BREATH).await;
                }
            },
            Some(_) = connections.join_next(), if !connections.is_empty() => {}
        }
    }
}
