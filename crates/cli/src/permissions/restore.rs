//! `forelook permissions restore`: brings back what commands made and Forelook moved out of the project.

use std::process::ExitCode;

use forelook_host::{Failure, FailureClass, set_aside};
use forelook_protocol::SetAsideFile;
use forelook_settings::Env;

use crate::out::say;
use crate::run::here;

/// Lists it, or brings it back.
pub(crate) fn run(env: &Env, ids: &[String], all: bool) -> Result<ExitCode, Failure> {
    let folder = here()?;
    let found = set_aside::list(&env.home);
    if ids.is_empty() && !all {
        let here: Vec<&SetAsideFile> = found.iter().filter(|it| it.from.is_inside(&folder)).collect();
        return list(&here);
    }
    let wanted: Vec<&SetAsideFile> = match all {
        true => found.iter().filter(|it| it.from.is_inside(&folder)).collect(),
        false => ids.iter().map(|id| find(&found, id)).collect::<Result<_, _>>()?,
    };
    for item in wanted {
        set_aside::restore(item).map_err(|error| {
            let text = format!("{:?} was not brought back: {error}", item.from.as_path());
            Failure::new(FailureClass::Task, text)
        })?;
        say!("Brought back {:?}", item.from.as_path());
    }
    Ok(ExitCode::SUCCESS)
}

fn find<'a>(found: &'a [SetAsideFile], id: &str) -> Result<&'a SetAsideFile, Failure> {
    found.iter().find(|it| it.id == id).ok_or_else(|| {
        Failure::new(FailureClass::Usage, format!("Nothing was set aside as `{id}`"))
            .hint("List what was with `forelook permissions restore`")
    })
}

fn list(found: &[&SetAsideFile]) -> Result<ExitCode, Failure> {
    if found.is_empty() {
        say!("Nothing in this folder was set aside");
        return Ok(ExitCode::SUCCESS);
    }
    say!(
        "Commands in the workspace fence created these files and folders. Forelook moved them out of the project, because \
         they control what runs later.\nCheck them first; then bring one back with `forelook permissions restore ID`, or all \
         of them with `--all`.\n"
    );
    for item in found {
        // Commands chose the names: nothing in them may reach the terminal as it is.
        say!("{}\n  from {:?}\n  now  {:?}", item.id, item.from.as_path(), item.kept.as_path());
    }
    Ok(ExitCode::SUCCESS)
}
