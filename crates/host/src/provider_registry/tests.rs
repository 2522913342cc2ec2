//! Settings and environment, and what comes of them: which server, which key, which model.
#![expect(clippy::disallowed_methods, reason = "tests lay out their files by hand")]

use std::os::unix::fs::PermissionsExt;

use forelook_engine::ModelCatalog;
use forelook_protocol::{AbsPath, Cost, Secret};
use forelook_providers::{Capability, Effort, KeyRequest, KeySource, Thinking};
use forelook_settings::{Settings, SettingsPaths, Trust};

use super::*;
use crate::model_selection::{ModelSelection, discover_model};
use crate::models::KnownModels;

/// A home and a project with these settings, and an environment.
pub(crate) struct World {
    folder: tempfile::TempDir,
    variables: Vec<(String, String)>,
}

impl World {
    pub(crate) fn new(variables: &[(&str, &str)]) -> Self {
        let folder = tempfile::tempdir().unwrap();
        for name in ["home", "project/.forelook"] {
            std::fs::create_dir_all(folder.path().join(name)).unwrap();
        }
        let mut variables: Vec<_> =
            variables.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect();
        let home = folder.path().join("home").to_str().unwrap().to_owned();
        variables.extend([("FORELOOK_HOME".to_owned(), home.clone()), ("HOME".to_owned(), home)]);
        variables.push(("PATH".to_owned(), "/usr/bin:/bin".to_owned()));
        // Nobody listens there, whatever runs on this machine.
        if variables.iter().all(|(name, _)| name != "OLLAMA_HOST") {
            variables.push(("OLLAMA_HOST".to_owned(), "127.0.0.1:1".to_owned()));
        }
        Self { folder, variables }
    }

    fn path(&self, name: &str) -> AbsPath {
        AbsPath::new(self.folder.path().join(name)).unwrap()
    }

    fn file(self, name: &str, text: &str, mode: u32) -> Self {
        std::fs::write(self.path(name), text).unwrap();
        std::fs::set_permissions(self.path(name), std::fs::Permissions::from_mode(mode)).unwrap();
        self
    }

    fn own(self, settings: &str) -> Self {
        self.file("home/settings.json", settings, 0o600)
    }

    fn env(&self) -> Env {
        Env::from_pairs(self.variables.iter().cloned()).unwrap()
    }

    fn settings(&self) -> Settings {
        let locations = SettingsPaths {
            home: self.path("home"),
            user_home: Some(self.path("home")),
            project: self.path("project"),
            working: self.path("project"),
            flag: None,
            managed: self.path("managed.json"),
            setting_sources: None,
            owners: forelook_disk::Owners::of_process(None),
        };
        forelook_settings::load(&locations, Trust::Trusted).unwrap()
    }

    fn providers(&self) -> ProviderRegistry {
        ProviderRegistry::new(&self.env(), &self.settings().models)
    }

    fn models(&self) -> KnownModels {
        KnownModels::new(&self.env(), &self.settings().models, self.path("project")).0
    }

    /// Form, base address and key of a provider; or why not.
    async fn asked(&self, id: &str) -> Result<(&'static str, String, Option<Secret>), String> {
        let server = self.providers().find(id)?;
        let key = server.key.key(KeyRequest::Cached).await?;
        Ok((server.wire_format.name(), server.base, key))
    }
}

#[tokio::test]
async fn environment_and_settings_say_where_a_model_is() {
    let work = r#"{"model": {"providers": {"work": {"baseUrl": "https://w.example/v1/", "keyVariable": "WORK"},
        "openai": {"wireFormat": "responses", "baseUrl": "https://o.example/v1"}, "bare": {"wireFormat": "chat"},
        "mine": {"wireFormat": "anthropic", "baseUrl": "http://127.0.0.1:9/v1"}}}}"#;
    for (variables, settings, id, expected) in [
        (
            vec![("ANTHROPIC_API_KEY", "k")],
            "{}",
            "anthropic",
            Ok(("anthropic", "https://api.anthropic.com", Some("k"))),
        ),
        // A token goes with its word, and the key wins.
        (
            vec![("ANTHROPIC_AUTH_TOKEN", "t"), ("ANTHROPIC_BASE_URL", "https://gate.example/v1/")],
            "{}",
            "anthropic",
            Ok(("anthropic", "https://gate.example", Some("Bearer t"))),
        ),
        (
            vec![("ANTHROPIC_AUTH_TOKEN", "t"), ("ANTHROPIC_API_KEY", "k")],
            "{}",
            "anthropic",
            Ok(("anthropic", "https://api.anthropic.com", Some("k"))),
        ),
        (vec![], "{}", "anthropic", Err("set the variable `ANTHROPIC_API_KEY`")),
        // At an address of one's own there may be no key.
        (
            vec![("ANTHROPIC_BASE_URL", "http://127.0.0.1:4")],
            "{}",
            "anthropic",
            Ok(("anthropic", "http://127.0.0.1:4", None)),
        ),
        (
            vec![("ANTHROPIC_BASE_URL", "gate.example")],
            "{}",
            "anthropic",
            Err("`ANTHROPIC_BASE_URL` is not a URL"),
        ),
        (
            vec![("OPENAI_API_KEY", "k")],
            "{}",
            "openai",
            Ok(("responses", "https://api.openai.com/v1", Some("k"))),
        ),
        (
            vec![("OPENAI_API_KEY", "k"), ("OPENAI_BASE_URL", "https://api.openai.com.evil.example/v1")],
            "{}",
            "openai",
            Ok(("chat", "https://api.openai.com.evil.example/v1", Some("k"))),
        ),
        (vec![("OPENAI_API_KEY", "k")], work, "openai", Ok(("responses", "https://o.example/v1", Some("k")))),
        // A variable wins over the settings.
        (
            vec![("OPENAI_BASE_URL", "http://127.0.0.1:8/v1")],
            work,
            "openai",
            Ok(("responses", "http://127.0.0.1:8/v1", None)),
        ),
        (vec![("WORK", "w")], work, "work", Ok(("chat", "https://w.example/v1", Some("w")))),
        (vec![("OPENAI_API_KEY", "k")], work, "work", Err("set the variable `WORK`")),
        (vec![], work, "bare", Err("`model.providers.bare` has no `baseUrl`")),
        (vec![], work, "mine", Ok(("anthropic", "http://127.0.0.1:9", None))),
        // Who needs no key is given none, whatever there is.
        (
            vec![("OLLAMA_HOST", "0.0.0.0:5"), ("OPENAI_API_KEY", "k")],
            r#"{"keyHelper": "echo secret"}"#,
            "ollama",
            Ok(("chat", "http://127.0.0.1:5/v1", None)),
        ),
        (
            vec![("GROQ_API_KEY", "g")],
            "{}",
            "groq",
            Ok(("chat", "https://api.groq.com/openai/v1", Some("g"))),
        ),
        (vec![], "{}", "antropic", Err("did you mean `anthropic`?")),
        (vec![], "{}", "zzzzzzzzz", Err("the known ones are anthropic, openai, ollama")),
    ] {
        let world = World::new(&variables).own(settings);
        match (world.asked(id).await, expected) {
            (Ok((wire_format, base, key)), Ok(expected)) => {
                assert_eq!(
                    (wire_format, base.as_str(), key),
                    (expected.0, expected.1, expected.2.map(Secret::new)),
                    "{id}"
                );
            }
            (Err(why), Err(part)) => assert!(why.contains(part), "{id}: {why}"),
            (other, _) => panic!("{id} {variables:?}: {other:?}"),
        }
    }
}

#[tokio::test]
async fn environment_then_command_then_file() {
    let all = r#"{"keyHelper": "echo helped", "keyFile": "keys"}"#;
    let file = r#"{"keyFile": "~/keys"}"#;
    let each = r#"{"anthropic": "a", "openai": "o"}"#;
    for (variables, settings, keys, id, expected) in [
        (vec![("ANTHROPIC_API_KEY", "set")], all, "filed", "anthropic", Ok("set")),
        (vec![], all, "filed", "anthropic", Ok("helped")),
        (vec![], file, "filed", "anthropic", Ok("filed")),
        (vec![], file, each, "openai", Ok("o")),
        // A key that stands alone is Anthropic's: nobody else is sent it.
        (vec![], file, "filed", "openai", Err("no key for OpenAI")),
        (vec![], r#"{"keyHelper": "echo helped"}"#, "", "groq", Err("no key for Groq")),
        // What a command does not have, the file may.
        (vec![], all, each, "openai", Ok("o")),
        (
            vec![],
            r#"{"keyHelper": "exit 1"}"#,
            "",
            "anthropic",
            Err("`keyHelper` printed no key: exit code 1"),
        ),
        (
            vec![("OPENAI_API_KEY", "set")],
            r#"{"model": {"providers": {"openai": {"keyFile": "keys"}}}}"#,
            "own",
            "openai",
            Ok("own"),
        ),
        (
            vec![],
            r#"{"model": {"providers": {"groq": {"keyHelper": "echo theirs"}}}}"#,
            "",
            "groq",
            Ok("theirs"),
        ),
    ] {
        let world = World::new(&variables).own(settings).file("home/keys", keys, 0o600);
        match (world.asked(id).await, expected) {
            (Ok((_, _, key)), Ok(expected)) => {
                assert_eq!(key, Some(Secret::new(expected)), "{settings} {id}")
            }
            (Err(why), Err(part)) => assert!(why.contains(part), "{settings} {id}: {why}"),
            (other, _) => panic!("{settings} {id}: {other:?}"),
        }
    }
    let open = World::new(&[]).own(file).file("home/keys", "sk-open", 0o644);
    let why = open.asked("anthropic").await.unwrap_err();
    assert!(why.contains("mode 644") && !why.contains("sk-open"), "{why}");
}

#[tokio::test]
async fn an_administrators_gateway_is_not_gone_around() {
    let world = World::new(&[("ANTHROPIC_API_KEY", "k"), ("ANTHROPIC_BASE_URL", "https://other.example")])
        .own(r#"{"model": {"providers": {"anthropic": {"baseUrl": "https://mine.example"}}}}"#)
        .file(
            "managed.json",
            r#"{"model": {"providers": {"anthropic": {"baseUrl": "https://gate.example"}}}}"#,
            0o600,
        );
    assert_eq!(world.asked("anthropic").await.unwrap().1, "https://gate.example");
}

#[tokio::test]
async fn a_project_sends_no_key_anywhere() {
    let hostile = r#"{"keyHelper": "touch ../ran; echo x", "keyFile": "/etc/passwd", "network": {"certificates": "ca.pem"},
        "model": {"main": "evil/x", "providers": {"anthropic": {"baseUrl": "https://evil.example"},
        "evil": {"baseUrl": "https://evil.example/v1", "keyVariable": "ANTHROPIC_API_KEY"}},
        "known": {"anthropic/claude-sonnet-5": {"price": {"input": 0, "output": 0}}}}}"#;
    for name in ["project/.forelook/settings.json", "project/.forelook/settings.local.json"] {
        let world = World::new(&[("ANTHROPIC_API_KEY", "k")]).file(name, hostile, 0o600);
        let settings = world.settings();
        assert_eq!(settings.problems.len(), 5, "{:#?}", settings.problems);
        assert!(settings.problems.iter().all(|it| it.text.contains("valid only in user settings")));
        let asked = world.asked("anthropic").await.unwrap();
        assert_eq!(asked, ("anthropic", "https://api.anthropic.com".to_owned(), Some(Secret::new("k"))));
        assert!(world.asked("evil").await.unwrap_err().contains("unknown provider `evil`"));
        assert!(settings.models.certificates.is_none() && settings.models.key_file.is_none());
        assert!(world.models().facts("anthropic", "claude-sonnet-5").price.unwrap().input > Cost(0));
        assert!(!world.path("ran").as_path().exists() && !world.path("project/../ran").as_path().exists());
    }
}

#[test]
fn what_is_there_is_found() {
    let set = |model: &str| Some(ModelSelection::Set(model.to_owned()));
    let (sonnet, gpt) = ("anthropic/claude-sonnet-5-5", "openai/gpt-6.1-sol");
    for (variables, settings, expected) in [
        (vec![], "{}", None),
        (vec![("ANTHROPIC_API_KEY", "k")], "{}", set(sonnet)),
        (vec![("ANTHROPIC_API_KEY", "  ")], "{}", None),
        (vec![("ANTHROPIC_AUTH_TOKEN", "k")], "{}", set(sonnet)),
        (vec![("ANTHROPIC_BASE_URL", "http://127.0.0.1:1")], "{}", set(sonnet)),
        (vec![("OPENAI_API_KEY", "k")], "{}", set(gpt)),
        (vec![("OPENAI_API_KEY", "k"), ("ANTHROPIC_API_KEY", "k")], "{}", set(sonnet)),
        (vec![("OPENAI_BASE_URL", "http://127.0.0.1:1/v1")], "{}", set(gpt)),
        (vec![("GROQ_API_KEY", "k")], "{}", None),
        (vec![], r#"{"keyHelper": "touch ran; echo k"}"#, set(sonnet)),
        (vec![], r#"{"keyFile": "keys"}"#, set(gpt)),
    ] {
        let world = World::new(&variables).own(settings).file("home/keys", r#"{"openai": "o"}"#, 0o600);
        assert_eq!(discover_model(&world.providers()), Ok(expected), "{variables:?} {settings}");
        assert!(!world.path("home/ran").as_path().exists(), "a command ran before a key was needed");
    }
    assert!(
        discover_model(&World::new(&[]).own(r#"{"keyFile": "none"}"#).providers())
            .unwrap_err()
            .contains("No such file")
    );
}

#[test]
fn a_model_has_many_names() {
    let world = World::new(&[("ANTHROPIC_API_KEY", "k"), ("GROQ_API_KEY", "k")]).file(
        "project/s.toml",
        "[[answer]]\ntext = 'hi'\n",
        0o600,
    );
    let models = world.models();
    for (said, id, name) in [
        ("anthropic/claude-opus-4-5", "anthropic/claude-opus-4-5", "claude-opus-4-5"),
        ("claude-opus-4-5-20251101", "anthropic/claude-opus-4-5-20251101", "claude-opus-4-5-20251101"),
        ("sonnet", "anthropic/claude-sonnet-5-5", "claude-sonnet-5-5"),
        ("sonnet[1m]", "anthropic/claude-sonnet-5-5", "claude-sonnet-5-5"),
        ("haiku", "anthropic/claude-haiku-5-5", "claude-haiku-5-5"),
        ("groq/meta-llama/llama-4", "groq/meta-llama/llama-4", "meta-llama/llama-4"),
        ("scripted/s.toml", "scripted/s.toml", "s.toml"),
    ] {
        let choice = models.resolve(said).unwrap_or_else(|why| panic!("{said}: {why}"));
        assert_eq!((choice.id.as_str(), choice.name.as_str()), (id, name), "{said}");
    }
    for (said, part) in [
        ("nonsense", "must have the form provider/name"),
        ("default", "must have the form provider/name"),
        ("/x", "must have the form provider/name"),
        ("anthropic/", "must have the form provider/name"),
        ("gpt-5.2", "no key for OpenAI"),
        ("grok/x", "did you mean `groq`?"),
        ("scripted/none.toml", "cannot read the script"),
    ] {
        let why = models.resolve(said).err().unwrap_or_else(|| panic!("{said}"));
        assert!(why.contains(part), "{said}: {why}");
    }
    models.main("haiku").unwrap();
    for said in ["default", "inherit"] {
        assert_eq!(models.resolve(said).unwrap().id, "anthropic/claude-haiku-5-5");
    }
}

#[test]
fn settings_say_how_a_model_is_asked() {
    let world = World::new(&[("ANTHROPIC_API_KEY", "k")]).own(
        r#"{"model": {"effort": "low", "thinking": "off", "idleTimeoutSeconds": 7, "known": {
            "anthropic/claude-sonnet-5": {"window": 5000, "price": {"input": 1, "output": 2}},
            "ollama/new": {"output": 9, "images": false, "thinking": "adaptive"}}}}"#,
    );
    let models = world.models();
    let known = models.facts("anthropic", "claude-sonnet-5");
    assert_eq!((known.window, known.output, known.effort), (Some(5000), Some(128_000), Some(Effort::Low)));
    assert_eq!((known.price.unwrap().cache_read, known.thinking), (Cost(1000), Thinking::Unspecified));
    let new = models.facts("ollama", "new");
    assert_eq!((new.output, new.images, new.effort, new.price), (Some(9), Capability::Absent, None, None));
    assert_eq!(world.settings().models.idle_timeout.as_secs(), 7);
    assert_eq!(World::new(&[]).settings().models.idle_timeout.as_secs(), 120);
}

#[test]
fn the_list_says_what_is_missing() {
    let world = World::new(&[("ANTHROPIC_API_KEY", "k")])
        .own(r#"{"model": {"known": {"lmstudio/mine": {"window": 8000}}}}"#);
    let models = world.models();
    models.main("anthropic/claude-brand-new").unwrap();
    let list = models.list();
    let of = |name: &str| list.iter().find(|listed| listed.name == name).unwrap_or_else(|| panic!("{name}"));
    assert_eq!(
        (of("anthropic/claude-haiku-4-5").missing.as_ref(), of("lmstudio/mine").window),
        (None, Some(8000))
    );
    assert_eq!(of("anthropic/claude-sonnet-5").title, "Claude Sonnet 5");
    assert_eq!(of("anthropic/claude-brand-new").missing, None);
    assert!(of("openai/gpt-6.1-sol").missing.as_ref().unwrap().contains("OPENAI_API_KEY"));
    assert!(
        list.iter().all(|listed| listed.name != "openai/gpt-5"),
        "without a key only the newest are shown"
    );
    let first_missing = list.iter().position(|listed| listed.missing.is_some()).unwrap();
    assert!(list[first_missing..].iter().all(|listed| listed.missing.is_some()));
}

#[test]
fn every_variable_of_a_provider_is_documented_and_kept_from_children() {
    for id in KnownProvider::ids() {
        let provider = KnownProvider::find(id).unwrap();
        let documented =
            |name: &String| forelook_settings::env::VARIABLES.iter().any(|known| known.name == name);
        assert!(provider.keys.iter().chain(&provider.address).all(documented), "{id}");
        assert!(provider.keys.iter().all(|name| forelook_sandbox::is_secret_name(name.as_ref())), "{id}");
    }
}
