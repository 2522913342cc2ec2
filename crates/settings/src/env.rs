//! The environment: every variable the program honours, in one table, read once.
//!
//! The table is the documentation (`docs/environment.md` is made from it) and the only way to a
//! value: [`Env`] looks up a [`Variable`], never a bare name. An empty value counts as not set.

mod fence;
mod network;
mod pairs;
mod plan;
mod wire;

use std::ffi::{OsStr, OsString};
use std::fmt;

use forelook_disk::Owners;
use forelook_protocol::{AbsPath, Secret};
use forelook_sandbox::KernelLayers;
use jiff::Timestamp;

use fence::FenceLayers;
pub use network::NetworkVariables;
use pairs::Pairs;
pub use plan::PlanVariables;
pub use wire::TestWire;

/// A variable the program honours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Variable {
    /// Its name.
    pub name: &'static str,
    /// What it does, in one sentence.
    pub meaning: &'static str,
    /// For whom it is.
    pub audience: Audience,
}

/// For whom a variable is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Audience {
    /// Anyone may set it.
    People,
    /// Only tests and measurements set it.
    Tests,
}

macro_rules! variables {
    ($($audience:ident $constant:ident $name:literal: $meaning:literal;)*) => {
        $(#[doc = $meaning] pub const $constant: Variable =
            Variable { name: $name, meaning: $meaning, audience: Audience::$audience };)*
        /// Every variable the program honours.
        pub const VARIABLES: &[Variable] = &[$($constant),*];
    };
}

variables! {
    People FORELOOK_HOME "FORELOOK_HOME":
        "The folder for settings, sessions, and logs, as an absolute path; by default `.forelook` in `HOME`.";
    People HOME "HOME":
        "Your home folder.";
    People FORELOOK_MODEL "FORELOOK_MODEL":
        "The model to use, as `provider/name`, if `--model` is not given; it overrides the settings.";
    People FORELOOK_LOG "FORELOOK_LOG":
        "The log level: `error`, `warn`, `info`, `debug`, or `trace`.";
    People FORELOOK_SANDBOXED "FORELOOK_SANDBOXED":
        "Set to `1` if the machine itself is disposable; this makes the mode `bypassPermissions` available as root.";
    People FORELOOK_IN_TOOL "FORELOOK_IN_TOOL":
        "Forelook sets it to `1` for the commands that a model runs. Commands that speak for you, such as `forelook apply`, refuse to run there. Unsetting it does not change that.";
    People FORELOOK_PLAN_EXPLORE_AGENT_COUNT "FORELOOK_PLAN_EXPLORE_AGENT_COUNT":
        "How many Explore agents can run at once while planning, 1 to 10; it overrides `plan.exploreAgents`.";
    People FORELOOK_PLAN_AGENT_COUNT "FORELOOK_PLAN_AGENT_COUNT":
        "How many Plan agents can run at once, 1 to 10; it overrides `plan.agents`.";
    People FORELOOK_PLAN_MODE_INTERVIEW_PHASE "FORELOOK_PLAN_MODE_INTERVIEW_PHASE":
        "Whether the model develops the plan in conversation with you, `true` or `false`; it overrides `plan.interview`.";
    People CLAUDE_CODE_PLAN_V2_EXPLORE_AGENT_COUNT "CLAUDE_CODE_PLAN_V2_EXPLORE_AGENT_COUNT":
        "The same as `FORELOOK_PLAN_EXPLORE_AGENT_COUNT`, if that is not set.";
    People CLAUDE_CODE_PLAN_V2_AGENT_COUNT "CLAUDE_CODE_PLAN_V2_AGENT_COUNT":
        "The same as `FORELOOK_PLAN_AGENT_COUNT`, if that is not set.";
    People CLAUDE_CODE_PLAN_MODE_INTERVIEW_PHASE "CLAUDE_CODE_PLAN_MODE_INTERVIEW_PHASE":
        "The same as `FORELOOK_PLAN_MODE_INTERVIEW_PHASE`, if that is not set.";
    People VISUAL "VISUAL":
        "The command that starts your editor.";
    People EDITOR "EDITOR":
        "The command that starts your editor, if `VISUAL` is not set.";
    People NO_COLOR "NO_COLOR":
        "Set to any value to turn off colors.";
    People ANTHROPIC_API_KEY "ANTHROPIC_API_KEY":
        "The key for Anthropic's models. Keys never appear in output, in transcripts, or in the environment of child processes.";
    People ANTHROPIC_AUTH_TOKEN "ANTHROPIC_AUTH_TOKEN":
        "A token to use instead of Anthropic's key, for gateways: it is sent as `Authorization: Bearer`. The key takes precedence.";
    People ANTHROPIC_BASE_URL "ANTHROPIC_BASE_URL":
        "The base URL for Anthropic's models, without `/v1`; by default `https://api.anthropic.com`.";
    People OPENAI_API_KEY "OPENAI_API_KEY":
        "The key for OpenAI's models.";
    People OPENAI_BASE_URL "OPENAI_BASE_URL":
        "The base URL for OpenAI's models, with `/v1`; by default `https://api.openai.com/v1`. Other hosts are used with Chat Completions.";
    People OLLAMA_HOST "OLLAMA_HOST":
        "Where Ollama listens: a host, a host and port, or a URL; by default `127.0.0.1:11434`.";
    People OPENROUTER_API_KEY "OPENROUTER_API_KEY":
        "The key for OpenRouter.";
    People DEEPSEEK_API_KEY "DEEPSEEK_API_KEY":
        "The key for DeepSeek.";
    People GROQ_API_KEY "GROQ_API_KEY":
        "The key for Groq.";
    People MISTRAL_API_KEY "MISTRAL_API_KEY":
        "The key for Mistral.";
    People TOGETHER_API_KEY "TOGETHER_API_KEY":
        "The key for Together.";
    People XAI_API_KEY "XAI_API_KEY":
        "The key for xAI.";
    People GEMINI_API_KEY "GEMINI_API_KEY":
        "The key for Google Gemini.";
    People FIREWORKS_API_KEY "FIREWORKS_API_KEY":
        "The key for Fireworks.";
    People CEREBRAS_API_KEY "CEREBRAS_API_KEY":
        "The key for Cerebras.";
    People HTTPS_PROXY "HTTPS_PROXY":
        "The proxy for `https` URLs. `https_proxy` means the same and takes precedence.";
    People HTTP_PROXY "http_proxy":
        "The proxy for `http` URLs. Lowercase only, as in curl: web servers set `HTTP_PROXY` from a header that a client sends.";
    People ALL_PROXY "ALL_PROXY":
        "The proxy for URLs without a specific proxy. `all_proxy` means the same and takes precedence.";
    People NO_PROXY "NO_PROXY":
        "Hosts to reach without a proxy, separated by commas. `no_proxy` means the same and takes precedence.";
    People SSL_CERT_FILE "SSL_CERT_FILE":
        "A PEM file with certificates to trust in addition to the usual ones.";
    People NODE_EXTRA_CA_CERTS "NODE_EXTRA_CA_CERTS":
        "The same as `SSL_CERT_FILE`; Forelook uses both.";
    People SUDO_UID "SUDO_UID":
        "Set by `sudo`: as root, Forelook also believes the project files of the user who ran `sudo`.";
    Tests FORELOOK_FENCE_LAYERS "FORELOOK_FENCE_LAYERS":
        "Layers of the kernel fence to use: any of `namespaces`, `landlock`, and `seccomp`, separated by commas, or `none`; by default all that the machine supports. It simulates a machine that supports less; it cannot add layers.";
    Tests FORELOOK_TEST_CLOCK "FORELOOK_TEST_CLOCK":
        "Stops the clock at this instant (RFC 3339), so that a test's journal is the same every time.";
    Tests FORELOOK_TEST_IDS "FORELOOK_TEST_IDS":
        "A number: new IDs count up from it instead of being random.";
    Tests FORELOOK_TEST_REQUESTS "FORELOOK_TEST_REQUESTS":
        "A file to which Forelook appends each model request as a line of JSON, in its own format, for every provider.";
    Tests FORELOOK_TEST_WIRE "FORELOOK_TEST_WIRE":
        "`anthropic=ADDRESS`, `responses=ADDRESS`, or `chat=ADDRESS`: scripted models are called over HTTP, with this wire format, at this base URL.";
}

/// Why the environment cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum EnvError {
    /// There is no place for settings and sessions.
    #[error("No home folder: neither `FORELOOK_HOME` nor `HOME` is set\nSet `FORELOOK_HOME` to a folder")]
    NoHome,
    /// A folder that is not absolute.
    #[error("`{name}` is `{value}`, which is not an absolute path\nUse a full path that starts with `/`")]
    NotAbsolute {
        /// The variable.
        name: &'static str,
        /// What it holds, fit to be shown.
        value: String,
    },
    /// A value of another form than needed. The value is not repeated: it may be a key.
    #[error("`{name}` must be {wanted}\nCorrect it or unset it")]
    Malformed {
        /// The variable.
        name: String,
        /// What it should hold.
        wanted: &'static str,
    },
}

/// One snapshot of the environment.
#[derive(Clone)]
pub struct Env {
    /// The program's folder: `FORELOOK_HOME`, else `.forelook` in the person's home folder.
    pub home: AbsPath,
    /// The person's home folder, if there is one.
    pub user_home: Option<AbsPath>,
    /// The model to use if nothing else names one.
    pub model: Option<String>,
    /// How much to log.
    pub log: Option<String>,
    /// The machine itself is disposable.
    pub sandboxed: bool,
    /// A model runs this, and no person.
    pub runs_for_model: bool,
    /// What is said about planning.
    pub plan: PlanVariables,
    /// The command of the person's editor, perhaps with options.
    pub visual: Option<OsString>,
    /// The same, where `visual` is nothing.
    pub editor: Option<OsString>,
    /// Output has no colours.
    pub no_color: bool,
    /// What is said about the way to a server.
    pub network: NetworkVariables,
    /// Layers of the kernel's fence that may be used.
    pub fence_layers: KernelLayers,
    /// The instant at which a test's clock stands.
    pub test_clock: Option<Timestamp>,
    /// Where a test's ids begin.
    pub test_ids: Option<u64>,
    /// Where requests are noted.
    pub test_requests: Option<AbsPath>,
    /// By which wire scripted models are asked.
    pub test_wire: Option<TestWire>,
    /// Whose project files are believed: root, the user, and who became root through `sudo`.
    pub owners: Owners,
    all: Vec<(OsString, OsString)>,
}

impl Env {
    /// Takes the snapshot of this process, and closes the process to others: nobody finds a key in it. The program calls
    /// it once, at its start, before there are threads.
    pub fn from_process() -> Result<Self, EnvError> {
        #[expect(clippy::disallowed_methods, reason = "this is the one place that reads the environment")]
        let pairs: Vec<_> = std::env::vars_os().collect();
        // Where it cannot be done nobody is worse off than without.
        forelook_sandbox::seal_process();
        let env = Self::from_pairs(pairs)?;
        Ok(Self { runs_for_model: env.runs_for_model || forelook_sandbox::runs_for_model(), ..env })
    }

    /// Makes a snapshot of given variables.
    pub fn from_pairs<K, V>(pairs: impl IntoIterator<Item = (K, V)>) -> Result<Self, EnvError>
    where
        K: Into<OsString>,
        V: Into<OsString>,
    {
        let pairs = Pairs(pairs.into_iter().map(|(name, value)| (name.into(), value.into())).collect());
        let user_home = pairs.folder(HOME);
        let home = match pairs.folder(FORELOOK_HOME).transpose()? {
            Some(home) => home,
            None => user_home.clone().ok_or(EnvError::NoHome)??.join(".forelook"),
        };
        Ok(Self {
            home,
            // A home folder that makes no sense is an error only for whoever needs it.
            user_home: user_home.and_then(Result::ok),
            model: pairs.text(FORELOOK_MODEL)?,
            log: pairs.text(FORELOOK_LOG)?,
            sandboxed: pairs.get(FORELOOK_SANDBOXED).is_some_and(|value| value == "1"),
            runs_for_model: pairs.get(FORELOOK_IN_TOOL).is_some(),
            plan: PlanVariables::read(&pairs),
            visual: pairs.get(VISUAL).map(OsStr::to_owned),
            editor: pairs.get(EDITOR).map(OsStr::to_owned),
            no_color: pairs.get(NO_COLOR).is_some(),
            network: NetworkVariables::read(&pairs)?,
            fence_layers: pairs
                .parsed(FORELOOK_FENCE_LAYERS, fence::WORDS)?
                .map_or(KernelLayers::ALL, |FenceLayers(layers)| layers),
            test_clock: pairs.parsed(FORELOOK_TEST_CLOCK, "an instant like 2026-01-31T12:00:00Z")?,
            test_ids: pairs.parsed(FORELOOK_TEST_IDS, "a number")?,
            test_requests: pairs.folder(FORELOOK_TEST_REQUESTS).transpose()?,
            test_wire: pairs
                .parsed(FORELOOK_TEST_WIRE, "a wire format and a URL like chat=http://127.0.0.1:8080")?,
            // Only `sudo` sets it; what is no number is not from there.
            owners: Owners::of_process(pairs.parsed(SUDO_UID, "a number").ok().flatten()),
            all: pairs.0,
        })
    }

    /// The key in a variable that the list of providers, or a provider in the settings, names.
    pub fn secret(&self, name: &str) -> Result<Option<Secret>, EnvError> {
        let value = self.named(name)?.map(str::trim).filter(|value| !value.is_empty());
        Ok(value.map(Secret::new))
    }

    /// The same, where it is a token, which goes with the word `Bearer`.
    pub fn token(&self, name: &str) -> Result<Option<Secret>, EnvError> {
        let value = self.named(name)?.map(str::trim).filter(|value| !value.is_empty());
        Ok(value.map(|value| Secret::new(format!("Bearer {value}"))))
    }

    /// The address in a variable that the list of providers names.
    pub fn address(&self, name: &str) -> Result<Option<&str>, EnvError> {
        Ok(self.named(name)?.map(str::trim).filter(|value| !value.is_empty()))
    }

    fn named(&self, name: &str) -> Result<Option<&str>, EnvError> {
        let found = self.all.iter().find(|(known, _)| known == name);
        let malformed = || EnvError::Malformed { name: name.to_owned(), wanted: "UTF-8 text" };
        found.map(|(_, value)| value.to_str().ok_or_else(malformed)).transpose()
    }

    /// What a terminal says of itself, such as in `TERM`.
    pub fn terminal(&self, name: &str) -> Option<String> {
        let (_, value) = self.all.iter().find(|(known, _)| known == name)?;
        value.to_str().filter(|value| !value.is_empty()).map(str::to_owned)
    }

    /// Every variable there is, keys included: the sandbox takes those out of what a child gets.
    pub fn all(&self) -> &[(OsString, OsString)] {
        &self.all
    }
}

/// Values are left out: the pairs hold them in the clear.
impl fmt::Debug for Env {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Env")
            .field("home", &self.home)
            .field("variables", &self.all.len())
            .finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::ffi::OsStringExt;

    fn env(pairs: &[(&str, &str)]) -> Result<Env, EnvError> {
        Env::from_pairs(pairs.iter().copied())
    }

    #[test]
    fn home_is_the_variable_then_the_folder_then_an_error() {
        for (pairs, expected) in [
            (&[("FORELOOK_HOME", "/f"), ("HOME", "/h")][..], Some("/f")),
            (&[("HOME", "/h")], Some("/h/.forelook")),
            (&[("FORELOOK_HOME", ""), ("HOME", "/h")], Some("/h/.forelook")),
            (&[("FORELOOK_HOME", "/f"), ("HOME", "relative")], Some("/f")),
            (&[("FORELOOK_HOME", "relative"), ("HOME", "/h")], None),
            (&[("HOME", "relative")], None),
            (&[("HOME", "")], None),
            (&[], None),
        ] {
            let home = env(pairs).ok().map(|env| env.home);
            assert_eq!(home, expected.map(|path| AbsPath::new(path).unwrap()), "{pairs:?}");
        }
        assert!(EnvError::NoHome.to_string().contains("FORELOOK_HOME"));
    }

    #[test]
    fn the_mark_of_a_model_is_known_by_one_name() {
        assert_eq!(FORELOOK_IN_TOOL.name, forelook_sandbox::MODEL_MARK);
        assert!(!env(&[("HOME", "/h")]).unwrap().runs_for_model);
        assert!(env(&[("HOME", "/h"), (forelook_sandbox::MODEL_MARK, "1")]).unwrap().runs_for_model);
    }

    #[test]
    fn a_malformed_value_is_named_and_not_repeated() {
        for (name, value) in [("FORELOOK_TEST_CLOCK", "yesterday"), ("FORELOOK_TEST_IDS", "seven")] {
            let message = env(&[("HOME", "/h"), (name, value)]).unwrap_err().to_string();
            assert!(message.contains(name) && !message.contains(value), "{message}");
        }
        let bytes = OsString::from_vec(vec![b's', 0xff]);
        let pairs =
            [(OsString::from("HOME"), OsString::from("/h")), (OsString::from("OPENAI_API_KEY"), bytes)];
        let message = Env::from_pairs(pairs).unwrap().secret("OPENAI_API_KEY").unwrap_err().to_string();
        assert!(message.contains("OPENAI_API_KEY"), "{message}");
    }

    #[test]
    fn values_arrive_in_their_fields() {
        let env = env(&[
            ("HOME", "/h"),
            ("FORELOOK_TEST_CLOCK", "2026-01-31T12:00:00Z"),
            ("FORELOOK_TEST_IDS", "7"),
            ("FORELOOK_TEST_REQUESTS", "/tmp/requests"),
            ("FORELOOK_MODEL", "scripted/x"),
            ("FORELOOK_LOG", "debug"),
            ("NO_COLOR", "1"),
            ("VISUAL", "code --wait"),
            ("EDITOR", "vi"),
            ("FORELOOK_PLAN_AGENT_COUNT", "many"),
        ])
        .unwrap();
        assert_eq!(env.test_clock, Some("2026-01-31T12:00:00Z".parse().unwrap()));
        assert_eq!(env.test_ids, Some(7));
        assert_eq!(env.test_requests, Some(AbsPath::new("/tmp/requests").unwrap()));
        assert_eq!(env.model.as_deref(), Some("scripted/x"));
        assert_eq!(env.log.as_deref(), Some("debug"));
        assert!(env.no_color);
        assert_eq!((env.visual, env.editor), (Some("code --wait".into()), Some("vi".into())));
        assert_eq!((env.plan.plan_agents, env.plan.ignored.len()), (None, 1));
    }

    #[test]
    fn keys_are_not_printed() {
        let env = env(&[("HOME", "/h"), ("ANTHROPIC_API_KEY", "sk-1"), ("OPENAI_API_KEY", "sk-2")]).unwrap();
        assert_eq!(env.secret("ANTHROPIC_API_KEY"), Ok(Some(Secret::new("sk-1"))));
        assert_eq!(env.secret("GROQ_API_KEY"), Ok(None));
        assert!(!format!("{env:?}").contains("sk-"));
        assert_eq!(env.all().len(), 3);
    }
}
