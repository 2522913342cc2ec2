//! `forelook serve --stdio`: a session for a front end in another process.

use std::process::ExitCode;

use forelook_headless::{RunOutcome, Stdin, serve};
use forelook_host::{Failure, FailureClass, demo, ids};
use forelook_settings::Env;

use crate::args::ServeArgs;
use crate::demo::demo_spec;
use crate::run::{SessionRun, begin, finish, here};
use crate::spec::RunRequest;
use crate::{exit, signals};

/// Serves one front end over standard input and output.
pub(crate) fn run(env: Env, args: ServeArgs) -> Result<ExitCode, Failure> {
    if !args.stdio {
        return Err(Failure::new(FailureClass::Usage, "`serve` needs to know how to reach the front end")
            .hint("Run `forelook serve --stdio` to use standard input and output"));
    }
    let host = begin(env, args.run.session.debug);
    let folder = match args.demo {
        true => demo::make_project(&*ids(host.env()))?,
        false => here()?,
    };
    let RunRequest { spec, front } = args.run.request(&host, folder)?;
    let spec = if args.demo { demo_spec(spec) } else { spec };
    let session_run = SessionRun::new(host, spec, front)?.with_model()?;
    Ok(exit::of_run(&finish(session_run.serve())?))
}

impl SessionRun {
    async fn serve(self) -> Result<RunOutcome, Failure> {
        let signals = signals::stop_signals();
        let client = self.session.open_to_serve().await?;
        let attach = Box::new(|front_end| -> forelook_protocol::BoxFuture<'static, _> {
            Box::pin(async move { client.attach(front_end).await })
        });
        let stdout = Box::new(std::io::stdout());
        Ok(serve::run(serve::ServeSetup { attach, input: Stdin::lines(), stdout, signals }).await)
    }
}
