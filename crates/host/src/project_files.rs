//! How a session reads its project's files: whose are believed, and which are not for a model's eyes.

use std::sync::Arc;

use forelook_disk::{ProjectFiles, ReadGuard};
use forelook_engine::{PermissionConfig, is_instruction_file};
use forelook_permissions::{AgentKind, PermissionPolicy, ReadBarrier, RuleSet};
use forelook_protocol::{AbsPath, ModeState};
use forelook_settings::{Env, SettingsPaths};

use crate::authority::LoadedSettings;

/// The reader of a session's project. Its guard knows the session's rules and all known secrets: what it reads is sent
/// with the first request, before anybody can be asked.
pub(crate) fn project_files(
    env: &Env,
    settings_paths: &SettingsPaths,
    loaded: &LoadedSettings,
    permissions: &PermissionConfig,
) -> ProjectFiles {
    bound_files(settings_paths, loaded).guarded(guard(env, settings_paths, permissions))
}

/// The reader of a project whose files are not sent to anybody. What trust is about must be what was trusted.
pub(crate) fn bound_files(settings_paths: &SettingsPaths, loaded: &LoadedSettings) -> ProjectFiles {
    let bound = Arc::clone(&loaded.bound);
    ProjectFiles::new(&settings_paths.project, loaded.owners.clone())
        .checked(Arc::new(move |real: &AbsPath, bytes: &[u8]| bound.refuses(real, bytes)))
}

fn guard(env: &Env, settings_paths: &SettingsPaths, permissions: &PermissionConfig) -> ReadGuard {
    let folders = permissions.folders.iter().chain([&settings_paths.working]).cloned().collect();
    let policy = PermissionPolicy {
        mode_state: ModeState::default(),
        rules: Arc::new(RuleSet::new(permissions.rules.clone(), permissions.strictness)),
        folders,
        user_home: permissions.user_home.clone(),
        own: permissions.own.clone(),
        agent: AgentKind::default(),
        plan_file: None,
        workspace: None,
    };
    let home = env.home.clone();
    Arc::new(move |path: &AbsPath| {
        let barrier = policy.read_barrier(path);
        match barrier {
            // Such a rule turns off the tool. The instruction files of a folder are read for the user all the same.
            Some(ReadBarrier::AllReads) if is_instruction_file(path) => None,
            Some(barrier) => Some(barrier.to_string()),
            // Sessions of other projects, mostly. The user's own instructions are there, too.
            None if path.is_inside(&home) && !is_own_text(path) => {
                Some("it is one of Forelook's own files".to_owned())
            }
            None => None,
        }
    })
}

/// What the user writes into Forelook's folder for models to read.
fn is_own_text(path: &AbsPath) -> bool {
    path.as_path().extension().is_some_and(|ending| ending == "md")
}
