//! A small world to decide in: a project, a home, links, and facts that are handed out when they are asked for.

use std::collections::HashMap;
use std::sync::Arc;

use forelook_permissions::{
    AgentKind, MAX_FACT_ROUNDS, PatternBases, PermissionPolicy, ProgramFiles, Rule, RuleEntry, RuleSet,
    ShellPattern, Strictness, WorkspaceModes, WorkspacePolicy, decide,
};
use forelook_protocol::{
    AbsPath, Action, Behavior, Confinement, Decision, Fact, Facts, FileRef, HookDecision, McpHint, Mode,
    ModeState, Reason, RuleOrigin, SandboxSupport, Shell, Source,
};

pub(crate) const PROJECT: &str = "/home/ada/project";

#[derive(Debug, Clone)]
pub(crate) struct World {
    pub(crate) mode_state: ModeState,
    pub(crate) rules: Vec<(Behavior, String)>,
    pub(crate) agent: AgentKind,
    pub(crate) network: Vec<String>,
    /// Paths that are links, and where they lead.
    pub(crate) links: HashMap<String, String>,
    /// What the repository's configuration could run.
    pub(crate) hazard: Option<String>,
    pub(crate) uncommitted: bool,
    /// What git could run that is not the user's own.
    pub(crate) git_runs: Option<String>,
    /// Folders that git takes for a repository's own.
    pub(crate) git_folders: Vec<AbsPath>,
    pub(crate) hook: Option<HookDecision>,
    /// What the kernel can enforce.
    pub(crate) kernel: SandboxSupport,
    pub(crate) workspace: Option<WorkspacePolicy>,
    /// Working directories.
    pub(crate) folders: Vec<AbsPath>,
}

/// A kernel that can enforce everything.
pub(crate) const FULL: SandboxSupport =
    SandboxSupport { read_only: true, rehearsal: true, workspace: true, masked: true };

pub(crate) fn path(text: &str) -> AbsPath {
    let full = match text.strip_prefix("~/") {
        Some(rest) => format!("/home/ada/{rest}"),
        None if text.starts_with('/') => text.to_owned(),
        None => format!("{PROJECT}/{text}"),
    };
    AbsPath::new(full).unwrap()
}

pub(crate) fn world(mode: Mode) -> World {
    World {
        mode_state: ModeState::new(mode),
        rules: Vec::new(),
        agent: AgentKind::Main,
        network: Vec::new(),
        links: HashMap::new(),
        hazard: None,
        uncommitted: false,
        git_runs: None,
        git_folders: Vec::new(),
        hook: None,
        kernel: FULL,
        workspace: Some(WorkspacePolicy::default()),
        folders: vec![path(PROJECT)],
    }
}

impl World {
    /// Rules such as `deny Bash(rm:*)`.
    pub(crate) fn with(mut self, rules: &[&str]) -> Self {
        for rule in rules {
            let (behavior, rule) = rule.split_once(' ').unwrap();
            let behavior = match behavior {
                "allow" => Behavior::Allow,
                "ask" => Behavior::Ask,
                "deny" => Behavior::Deny,
                other => panic!("{other}"),
            };
            self.rules.push((behavior, rule.to_owned()));
        }
        self
    }

    /// Where the kernel enforces nothing.
    pub(crate) fn unfenced(self) -> Self {
        self.on(SandboxSupport::default())
    }

    /// Where the kernel can enforce this.
    pub(crate) fn on(mut self, kernel: SandboxSupport) -> Self {
        self.kernel = kernel;
        self
    }

    /// Where the settings turn the workspace fence on.
    pub(crate) fn kept(mut self, outside: &[&str], online: bool) -> Self {
        let outside = outside.iter().map(|text| ShellPattern::parse(text).unwrap()).collect();
        let modes = WorkspaceModes::All;
        self.workspace = Some(WorkspacePolicy { modes, outside, writable: vec![path("~/.cache")], online });
        self
    }

    pub(crate) fn policy(&self) -> PermissionPolicy {
        let entries = self.rules.iter().map(|(behavior, text)| RuleEntry {
            rule: Rule::parse(text).unwrap(),
            origin: RuleOrigin {
                rule: text.clone(),
                behavior: *behavior,
                source: Source::UserSettings,
                file: None,
                line: None,
            },
            bases: PatternBases { home: Some(path("~/")), working: path(PROJECT), written: path(PROJECT) },
        });
        PermissionPolicy {
            mode_state: self.mode_state,
            rules: Arc::new(RuleSet::new(entries.collect(), Strictness::Runners).with_network_commands(
                self.network.iter().map(|text| ShellPattern::parse(text).unwrap()).collect(),
            )),
            folders: self.folders.clone(),
            user_home: Some(path("~/")),
            own: ProgramFiles {
                home: path("~/.forelook"),
                managed: path("/etc/forelook"),
                keys: vec![path("deploy/pass")],
                runs: Vec::new(),
                links: Vec::new(),
            },
            agent: self.agent,
            plan_file: Some(path("~/.forelook/plans/plan.md")),
            workspace: self.workspace.clone(),
        }
    }

    fn real(&self, named: &AbsPath) -> AbsPath {
        let text = named.to_string();
        for (link, target) in &self.links {
            let link = path(link);
            if let Ok(rest) = named.as_path().strip_prefix(&link) {
                return if rest.as_os_str().is_empty() { path(target) } else { path(target).join(rest) };
            }
        }
        AbsPath::new(text).unwrap()
    }

    pub(crate) fn file(&self, text: &str) -> FileRef {
        let named = path(text);
        FileRef { real: self.real(&named), named }
    }

    /// `Tool(input)` as an action.
    pub(crate) fn action(&self, call: &str) -> (String, Action) {
        let (tool, input) =
            call.split_once('(').map_or((call, ""), |(tool, rest)| (tool, rest.strip_suffix(')').unwrap()));
        let action = match tool {
            "Read" => Action::Read { file: self.file(input) },
            "Edit" | "Write" => Action::Edit { file: self.file(input) },
            "Bash" => Action::Shell { shell: Shell::Bash, command: input.to_owned(), folder: path(PROJECT) },
            "Rehearse" => Action::Rehearse {
                edits: vec![self.file("src/a.rs")],
                command: (!input.is_empty()).then(|| input.to_owned()),
                folder: path(PROJECT),
            },
            "PowerShell" => {
                Action::Shell { shell: Shell::PowerShell, command: input.to_owned(), folder: path(PROJECT) }
            }
            "WebFetch" => Action::Fetch { host: input.to_owned() },
            "Agent" => {
                Action::Agent { kind: input.to_owned(), read_only: matches!(input, "Explore" | "Plan") }
            }
            "Skill" => Action::Skill { name: input.to_owned() },
            "KillShell" => {
                let sandbox = Confinement::ALL.into_iter().find(|it| format!("{it:?}") == input).unwrap();
                Action::EndShell { shell: "shell_1".to_owned(), sandbox }
            }
            "TodoWrite" => Action::Internal,
            "AskUserQuestion" => Action::AskPerson,
            "EnterPlanMode" => Action::EnterPlan,
            "ExitPlanMode" => Action::ExitPlan,
            mcp => {
                let (server, name) = mcp.strip_prefix("mcp__").unwrap().split_once("__").unwrap();
                let hint = match input {
                    "read" => McpHint::ReadOnly,
                    "destroy" => McpHint::Destructive,
                    _ => McpHint::Unknown,
                };
                Action::Mcp { server: server.to_owned(), tool: name.to_owned(), hint }
            }
        };
        (tool.to_owned(), action)
    }

    /// Decides, handing out facts as they are asked for.
    pub(crate) fn decide(&self, call: &str) -> Decision {
        let (tool, action) = self.action(call);
        let policy = self.policy();
        let mut facts = Facts { hook: self.hook.clone(), ..Facts::default() };
        for _ in 0..=MAX_FACT_ROUNDS {
            match decide(&policy, &tool, &action, &facts) {
                Decision::NeedFacts(missing) => self.add_facts(missing, &mut facts),
                decision => return decision,
            }
        }
        panic!("{call} asks for facts without end")
    }

    pub(crate) fn add_facts(&self, missing: impl IntoIterator<Item = Fact>, facts: &mut Facts) {
        for fact in missing {
            match fact {
                Fact::RealPath(named) => {
                    let real = self.real(&named);
                    facts.real.insert(named, real);
                }
                Fact::FolderConfig(kind, folder) => {
                    _ = facts.config.insert((kind, folder), self.hazard.clone())
                }
                Fact::Sandbox { .. } => facts.sandbox = Some(self.kernel),
                Fact::GitRuns(folder) => _ = facts.git_runs.insert(folder, self.git_runs.clone()),
                Fact::GovernsGit(path) => {
                    let is_in = self.git_folders.iter().any(|folder| path.is_inside(folder));
                    facts.governs_git.insert(path, is_in);
                }
                Fact::Uncommitted(folder) => _ = facts.uncommitted.insert(folder, self.uncommitted),
            }
        }
    }

    /// The decision as `verdict step`.
    pub(crate) fn says(&self, call: &str) -> String {
        let (verdict, reason) = self.reason(call);
        format!("{verdict} {}", reason.step.number())
    }

    /// The decision as `verdict step within`.
    pub(crate) fn says_sandbox(&self, call: &str) -> String {
        let (verdict, reason) = self.reason(call);
        format!("{verdict} {} {:?}", reason.step.number(), reason.sandbox)
    }

    pub(crate) fn reason(&self, call: &str) -> (&'static str, Reason) {
        match self.decide(call) {
            Decision::Allow(reason) => ("allow", reason),
            Decision::Ask(reason) => ("ask", reason),
            Decision::Deny(reason) => ("deny", reason),
            Decision::Classify(reason) => ("judge", reason),
            Decision::NeedFacts(_) => unreachable!(),
        }
    }
}
