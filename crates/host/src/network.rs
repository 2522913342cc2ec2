//! The way to servers: proxies and certificates, from the environment and the settings.

use forelook_disk::read_bounded;
use forelook_network::NetworkConfig;
use forelook_protocol::Notice;
use forelook_settings::keys::CERTIFICATES;
use forelook_settings::{Env, ModelSettings};

use crate::warning;

/// A hundred times what all public authorities together take.
const MAX_CERTIFICATES: u64 = 32 * 1024 * 1024;

/// How the network is reached, with what the person should hear about it.
pub(crate) fn network(env: &Env, settings: &ModelSettings) -> (NetworkConfig, Vec<Notice>) {
    let variables = &env.network;
    let mut files: Vec<(String, std::path::PathBuf)> =
        variables.certificates.iter().map(|(name, path)| (format!("`{name}`"), path.clone())).collect();
    if let Some(path) = &settings.certificates {
        files.push((format!("`{}`", CERTIFICATES.name), path.as_path().to_owned()));
    }
    let (mut origins, mut pem, mut notices) = (Vec::new(), Vec::new(), Vec::new());
    for (origin, path) in files {
        match read_bounded(&path, MAX_CERTIFICATES) {
            Ok(bytes) => {
                origins.push(origin);
                pem.extend(bytes);
                pem.push(b'\n');
            }
            Err(error) => notices.push(warning(format!(
                "Cannot read the certificates from {origin}: {error}\nIt must name a PEM file with certificates"
            ))),
        }
    }
    let network = NetworkConfig {
        http_proxy: variables.http_proxy.clone(),
        https_proxy: variables.https_proxy.clone(),
        all_proxy: variables.all_proxy.clone(),
        no_proxy: variables.no_proxy.clone(),
        certificates: (!origins.is_empty()).then(|| (origins.join(" and "), pem)),
    };
    (network, notices)
}
