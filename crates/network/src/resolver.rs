//! The addresses of names.

use std::collections::HashSet;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use futures::future::BoxFuture;
use reqwest::dns::{Addrs, Name, Resolve, Resolving};

use crate::addresses::{AddressScope, address_scope};

/// Finds the addresses of names. Another one than the system's is for tests.
pub trait NameResolver: Send + Sync {
    /// All addresses of a name.
    fn lookup<'a>(&'a self, name: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>>;
}

/// Asks the system.
#[derive(Debug, Clone, Copy, Default)]
pub struct SystemResolver;

impl NameResolver for SystemResolver {
    fn lookup<'a>(&'a self, name: &'a str) -> BoxFuture<'a, io::Result<Vec<IpAddr>>> {
        Box::pin(async move {
            Ok(tokio::net::lookup_host((name, 0)).await?.map(|address| address.ip()).collect())
        })
    }
}

/// Finds addresses for a client. Our own so that its failures have types of ours (otherwise they could be told from
/// others by their words alone), and so that what is judged is what is connected to: a name that is looked up once to
/// be judged and once more to be connected to can be two different machines.
pub(crate) struct ClientResolver {
    resolver: Arc<dyn NameResolver>,
    policy: Arc<AddressPolicy>,
}

/// What a client may connect to.
pub(crate) enum AddressPolicy {
    Any,
    /// Nothing but the public internet; these names are the proxies', which are where the person says they are.
    Public {
        except: HashSet<String>,
    },
}

impl ClientResolver {
    pub(crate) fn new(resolver: Arc<dyn NameResolver>, policy: AddressPolicy) -> Self {
        Self { resolver, policy: Arc::new(policy) }
    }
}

impl AddressPolicy {
    /// One address that is not public spoils them all: which of them is connected to is chance.
    pub(crate) fn check(&self, name: &str, addresses: &[IpAddr]) -> Result<(), NotPublicName> {
        match self {
            AddressPolicy::Any => Ok(()),
            AddressPolicy::Public { except }
                if except.contains(&name.trim_end_matches('.').to_ascii_lowercase()) =>
            {
                Ok(())
            }
            AddressPolicy::Public { .. } => {
                let inside = addresses.iter().find_map(|it| Some((*it, address_scope(*it).if_not_public()?)));
                match inside {
                    None => Ok(()),
                    Some((address, scope)) => Err(NotPublicName { name: name.to_owned(), address, scope }),
                }
            }
        }
    }
}

impl Resolve for ClientResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let (resolver, policy) = (Arc::clone(&self.resolver), Arc::clone(&self.policy));
        let name = name.as_str().to_owned();
        Box::pin(async move {
            let addresses = resolver.lookup(&name).await.unwrap_or_default();
            if addresses.is_empty() {
                return Err(NameNotFound(name).into());
            }
            policy.check(&name, &addresses)?;
            Ok(Box::new(addresses.into_iter().map(|address| SocketAddr::new(address, 0))) as Addrs)
        })
    }
}

/// A name that has no address.
#[derive(Debug, thiserror::Error)]
#[error("the host `{0}` was not found")]
pub struct NameNotFound(pub String);

/// A name whose address is not on the public internet.
#[derive(Debug, thiserror::Error)]
#[error("the host `{name}` has the address {address}, {scope}")]
pub struct NotPublicName {
    /// The name.
    pub name: String,
    /// The address.
    pub address: IpAddr,
    /// Where that is.
    pub scope: AddressScope,
}
