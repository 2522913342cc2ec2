//! Pages from real servers on this machine.

mod addresses;
mod limits;
mod pages;
mod reading;
mod server;

use std::sync::{Arc, Mutex};

use forelook_protocol::Usage;
use futures::FutureExt;
use futures::future::BoxFuture;
use serde_json::json;

use self::server::Server;
use super::*;
use crate::testing::Bench;
use crate::typed::Adapter;
use crate::{SmallModel, SmallModelReply, SmallModelRequest, Tool, Toolbox};

/// The tool with a server that it may fetch from.
fn tool(server: &Server) -> WebFetch {
    WebFetch::new(WebAccess { network: Arc::default(), allow_local: vec![server.host()] })
}

fn bench(tool: WebFetch) -> Bench {
    Bench::new().with(Toolbox::new(vec![Arc::new(Adapter::new(tool))]))
}

/// The page at this path, itself.
async fn page(server: &Server, path: &str) -> String {
    bench(tool(server)).ok("WebFetch", json!({"url": server.url(path)})).await
}

async fn no_page(server: &Server, path: &str) -> String {
    bench(tool(server)).failure("WebFetch", json!({"url": server.url(path)})).await
}

/// A small model that notes what it is asked, and says this.
struct Model {
    asked: Mutex<Vec<SmallModelRequest>>,
    says: Result<&'static str, &'static str>,
}

impl Model {
    fn saying(says: Result<&'static str, &'static str>) -> Arc<Self> {
        Arc::new(Self { asked: Mutex::default(), says })
    }
}

impl SmallModel for Model {
    fn ask(&self, question: SmallModelRequest) -> BoxFuture<'_, Result<SmallModelReply, String>> {
        self.asked.lock().unwrap().push(question);
        let text = self.says.map(str::to_owned).map_err(str::to_owned);
        let answer =
            |text| SmallModelReply { text, model: "small".into(), usage: Usage::default(), cost: None };
        async move { text.map(answer) }.boxed()
    }
}
