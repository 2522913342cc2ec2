//! `forelook serve --stdio`: a session for a front end in another process.

use std::process::ExitCode;

use forelook_headless::{Ended, Stdin, serve};
use forelook_host::{Failure, Kind, demo, ids};
use forelook_settings::Env;

use crate::args::ServeArgs;
use crate::demo::acted;
use crate::run::{Task, begin, finish, here};
use crate::spec::Asked;
use crate::{exit, signals};

/// Serves one front end over standard input and output.
pub(crate) fn run(env: Env, args: ServeArgs) -> Result<ExitCode, Failure> {
    if !args.stdio {
        return Err(Failure::new(Kind::Usage, "`serve` needs to know where the front end is")
            .hint("`forelook serve --stdio` speaks with it over standard input and output"));
    }
    let host = begin(env, args.run.session.debug);
    let folder = match args.demo {
        true => demo::make_project(&*ids(host.env()))?,
        false => here()?,
    };
    let Asked { spec, front } = args.run.asked(&host, folder)?;
    let spec = if args.demo { acted(spec) } else { spec };
    let task = Task::new(host, spec, front)?.with_model()?;
    Ok(exit::of_run(&finish(task.serve())?))
}

impl Task {
    async fn serve(self) -> Result<Ended, Failure> {
        let signals = signals::wishes_to_stop();
        let client = self.session.open_to_serve().await?;
        let attach = Box::new(|front_end| -> forelook_protocol::Boxed<'static, _> {
            Box::pin(async move { client.attach(front_end).await })
        });
        let stdout = Box::new(std::io::stdout());
        Ok(serve::run(serve::Serve { attach, input: Stdin::lines(), stdout, signals }).await)
    }
}
