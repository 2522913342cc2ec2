//! The gate of a fence: a proxy through which programs inside reach the domains that a person named, and no others.
//!
//! A fence can leave its programs a single door, a port on which we listen from outside. What comes to it is HTTP as
//! programs speak it to a proxy: `CONNECT host:port`, and requests with a whole `http://…` address. Judged is the name
//! that was asked for; connected is to an address that was looked up once and judged too, so that a name cannot become
//! another machine in between. What is said inside of a tunnel is encrypted, and not looked at.

mod connection;
mod domains;
mod idle;
mod responses;
#[cfg(test)]
mod tests;
mod upstream;

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use tokio::net::TcpListener;
use tokio::task::{JoinHandle, JoinSet};

use crate::{NetworkConfig, SystemResolver};
use domains::DomainAllowlist;
use upstream::Upstream;

/// A gate that stands open. It closes, and ends every connection through it, when this is dropped.
#[derive(Debug)]
pub struct Gate {
    task: JoinHandle<()>,
    refused: Arc<RefusedHosts>,
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
pub fn serve(listener: std::net::TcpListener, domains: Vec<String>, network: &NetworkConfig) -> Gate {
    open(listener, &domains, Upstream::new(network, Arc::new(SystemResolver)), Limits::default())
}

fn open(listener: std::net::TcpListener, domains: &[String], upstream: Upstream, limits: Limits) -> Gate {
    let refused = Arc::new(RefusedHosts::default());
    let shared = GateState {
        domains: DomainAllowlist::parse(domains),
        upstream,
        limits,
        refused: Arc::clone(&refused),
    };
    Gate { task: tokio::spawn(accept(listener, Arc::new(shared))), refused }
}

/// What all connections of a gate share.
struct GateState {
    domains: DomainAllowlist,
    upstream: Upstream,
    limits: Limits,
    refused: Arc<RefusedHosts>,
}

/// How much a gate bears. Programs inside are strangers.
#[derive(Debug, Clone, Copy)]
struct Limits {
    /// So many connections at once; the next ones wait in the kernel.
    max_connections: usize,
    /// How long a request may take to say what it wants.
    header_timeout: Duration,
    /// How long a connection may be silent. Servers close much sooner; this is for those who vanish without a word.
    idle_timeout: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            max_connections: 256,
            header_timeout: Duration::from_secs(10),
            idle_timeout: Duration::from_mins(10),
        }
    }
}

/// Who was refused. Not more than anybody reads: a program may try names without end.
#[derive(Debug, Default)]
struct RefusedHosts(Mutex<BTreeSet<String>>);

impl RefusedHosts {
    const MAX_HOSTS: usize = 64;

    fn note(&self, host: String) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if all.len() < Self::MAX_HOSTS {
            all.insert(host);
        }
    }

    fn take(&self) -> Vec<String> {
        std::mem::take(&mut *self.0.lock().unwrap_or_else(PoisonError::into_inner)).into_iter().collect()
    }
}

/// Out of descriptors, most likely: some will be closed soon.
const ACCEPT_RETRY_DELAY: Duration = Duration::from_millis(50);

async fn accept(listener: std::net::TcpListener, shared: Arc<GateState>) {
    let ready = listener.set_nonblocking(true).and_then(|()| TcpListener::from_std(listener));
    let listener = match ready {
        Ok(listener) => listener,
        Err(error) => return tracing::warn!(%error, "the gate cannot be opened"),
    };
    let mut connections = JoinSet::new();
    loop {
        tokio::select! {
            accepted = listener.accept(), if connections.len() < shared.limits.max_connections => match accepted {
                Ok((stream, _)) => {
                    connections.spawn(connection::handle(stream, Arc::clone(&shared)));
                }
                Err(error) => {
                    tracing::debug!(%error, "a connection to the gate failed");
                    tokio::time::sleep(ACCEPT_RETRY_DELAY).await;
                }
            },
            Some(_) = connections.join_next(), if !connections.is_empty() => {}
        }
    }
}
