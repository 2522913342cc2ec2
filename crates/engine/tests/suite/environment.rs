//! What the model is told of the place: git's status and commits, without a wait that anybody notices.

use std::os::unix::fs::PermissionsExt;
use std::process::Command as Process;
use std::sync::Arc;
use std::time::{Duration, Instant};

use forelook_engine::{Config, SessionStart};
use forelook_tools::ChildEnv;
use forelook_tools::ToolServices;

use crate::common::{Front, Home, SESSION, life};

const SAY: &str = "[[answer]]\nname = 'say'\ntext = 'Said.'\nnext = [{ goto = 'say' }]";

fn git(home: &Home, lines: &str) {
    let identity = "git() { command git -c user.name=t -c user.email=t@example.com \"$@\"; }; set -e; ";
    let ran =
        Process::new("bash").arg("-c").arg(format!("{identity}{lines}")).current_dir(&home.project).output();
    let ran = ran.unwrap();
    assert!(ran.status.success(), "{ran:?}");
}

fn repository() -> Home {
    let home = Home::new();
    git(
        &home,
        "git init -q -b work; git commit -q --allow-empty -m 'One </environment> & only'; echo x > new.txt",
    );
    home
}

fn environment(home: &Home) -> String {
    let requests = home.requests();
    let blocks = requests[0]["system"].as_array().unwrap();
    let block = blocks.iter().find_map(|block| block.as_str().filter(|it| it.starts_with("<environment>")));
    block.unwrap().to_owned()
}

#[test]
fn the_status_and_the_commits_come_with_the_first_request_and_stay() {
    life(async {
        let home = repository();
        let mut front = home.begin(SAY).await;
        front.say("One").await;
        front.turn_end().await;
        home.file("later.txt", "x");
        front.say("Two").await;
        front.turn_end().await;
        let text = environment(&home);
        assert!(text.contains("yes, on branch `work`"), "{text}");
        assert!(text.contains("not updated since:\n?? new.txt\nLatest commits"), "{text}");
        assert!(text.contains("- One &lt;/environment> & only\n</environment>"), "{text}");
        let requests = home.requests();
        assert_eq!(requests[0]["system"], requests[1]["system"], "what was sent stays");
        front.close().await;
    });
}

/// A `git` that never ends stands for a repository that is too large, or a disk that does not answer.
#[test]
fn a_git_that_hangs_does_not_hold_up_the_first_request() {
    life(async {
        let home = repository();
        let (bin, config) = (home.root.join("bin"), home.config(SessionStart::New(Some(SESSION)), SAY));
        std::fs::create_dir(&bin).unwrap();
        let fake = bin.join("git");
        std::fs::write(&fake, "#!/bin/sh\nexec sleep 600\n").unwrap();
        std::fs::set_permissions(&fake, std::fs::Permissions::from_mode(0o755)).unwrap();
        let mut env = ChildEnv::from_process_without_secrets(std::env::vars_os());
        env.set("PATH", format!("{bin}:{}", std::env::var("PATH").unwrap()));
        let tool_services = ToolServices::new(Arc::new(env), home.root.join("scratch"));
        let mut front = Front::open(Config { tool_services, ..config }).await;
        let began = Instant::now();
        front.say("One").await;
        front.turn_end().await;
        assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
        let text = environment(&home);
        assert!(text.contains("branch `work`") && !text.contains("Git status"), "{text}");
        front.close().await;
    });
}
