//! `forelook serve --stdio`: a session for a front end in another process.

use std::process::ExitCode;

use forelook_headless::{Ended, Stdin, serve};
use forelook_settings::Env;

use crate::args::ServeArgs;
use crate::failure::{Failure, Kind};
use crate::run::{Task, clock, demo_task, finish, here, ids, no_model};
use crate::{demo, exit, signals};

/// Serves one front end over standard input and output.
pub(crate) fn run(env: &Env, args: ServeArgs) -> Result<ExitCode, Failure> {
    if !args.stdio {
        return Err(Failure::new(Kind::Usage, "`serve` needs to know where the front end is")
            .hint("`forelook serve --stdio` speaks with it over standard input and output"));
    }
    let task = match args.demo {
        true => demo_task(env, args.run, demo::make_project(&*ids(env))?)?,
        false => Task::resolve(env, args.run, here()?)?,
    };
    if task.model.is_none() {
        return Err(no_model());
    }
    Ok(exit::of_run(&finish(task.serve())?))
}

impl Task<'_> {
    async fn serve(self) -> Result<Ended, Failure> {
        let signals = signals::wishes_to_stop();
        let (ids, clock) = (ids(self.env), clock(self.env));
        let client = self.open_to_serve(&ids, &clock).await?;
        let attach = Box::new(|front_end| -> forelook_protocol::Boxed<'static, _> {
            Box::pin(async move { client.attach(front_end).await })
        });
        let stdout = Box::new(std::io::stdout());
        Ok(serve::run(serve::Serve { attach, input: Stdin::lines(), stdout, signals }).await)
    }
}
