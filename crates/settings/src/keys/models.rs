//! The keys about models: which one, how it is asked, where it is, and who has its key.
//!
//! A project may say which model it likes, once it is trusted. It may not say where a model is or where a key comes from: whoever could
//! do that would have the key sent to them, or their own command run.

use super::{Key, Kind, Who};

/// How long a model may say nothing, if nobody says otherwise; in seconds.
pub const SILENCE: u16 = 120;

/// The longest that a model may be said to be allowed to say nothing; in seconds.
pub const LONGEST_SILENCE: u16 = 3600;

/// What `model.effort` can be.
pub const EFFORTS: &[&str] = &["low", "medium", "high"];

/// What `form` of a provider can be.
pub const FORMS: &[&str] = &["anthropic", "responses", "chat"];

/// What `thinking` of a known model can be.
pub const MEANS: &[&str] = &["adaptive", "budget", "none"];

/// What a provider has.
pub(crate) const PROVIDER_FIELDS: &[&str] = &["form", "baseUrl", "keyVariable", "keyFile", "keyHelper"];

/// What is known of a model.
pub(crate) const KNOWN_FIELDS: &[&str] = &["window", "output", "price", "images", "thinking"];

/// What a price has.
pub(crate) const PRICE_FIELDS: &[&str] = &["input", "output", "cacheRead", "cacheWrite"];

/// `model.main`
pub const MODEL_MAIN: Key = Key {
    name: "model.main",
    kind: Kind::Text,
    who: Who::Anyone,
    doc: "The model of the main agent, as `provider/name`; `docs/models.md` has the providers. A well-known name such as `claude-sonnet-5-5` or `sonnet` needs no provider. `--model` and `FORELOOK_MODEL` win over it. In a project's own files it does nothing until the folder is trusted.",
    default: "what is found: a key in the environment, else a local Ollama, else the demo",
    example: r#""anthropic/claude-sonnet-5-5""#,
};

/// `model.small`
pub const MODEL_SMALL: Key = Key {
    name: "model.small",
    kind: Kind::Text,
    who: Who::Anyone,
    doc: "The small, fast model, as `provider/name`: Explore agents use it. In a project's own files it does nothing until the folder is trusted.",
    default: "the session's model",
    example: r#""anthropic/claude-haiku-5-5""#,
};

/// `model.plan`
pub const MODEL_PLAN: Key = Key {
    name: "model.plan",
    kind: Kind::Text,
    who: Who::Anyone,
    doc: "The model of the main agent while it plans, as `provider/name`. In a project's own files it does nothing until the folder is trusted.",
    default: "the session's model",
    example: r#""anthropic/claude-opus-5-5""#,
};

/// `model.fallback`
pub const MODEL_FALLBACK: Key = Key {
    name: "model.fallback",
    kind: Kind::Text,
    who: Who::Anyone,
    doc: "The model that is asked while the session's has too much to do, as `provider/name`. `--fallback-model` wins over it. In a project's own files it does nothing until the folder is trusted.",
    default: "none",
    example: r#""anthropic/claude-sonnet-5""#,
};

/// `model.effort`
pub const MODEL_EFFORT: Key = Key {
    name: "model.effort",
    kind: Kind::Word(EFFORTS),
    who: Who::Anyone,
    doc: "How hard a model is asked to try, where it can be asked that.",
    default: "the model's own",
    example: r#""high""#,
};

/// `model.thinking`
pub const MODEL_THINKING: Key = Key {
    name: "model.thinking",
    kind: Kind::Word(&["on", "off"]),
    who: Who::Anyone,
    doc: "Whether a model is asked to think before it answers, where it can.",
    default: "`on` for models that decide by themselves how much they think, else `off`",
    example: r#""off""#,
};

/// `model.silenceSeconds`
pub const MODEL_SILENCE: Key = Key {
    name: "model.silenceSeconds",
    kind: Kind::Count { most: LONGEST_SILENCE },
    who: Who::Anyone,
    doc: "How many seconds a server may say nothing before the request is given up and sent again. A large model on a small machine may need more.",
    default: "`120`",
    example: "600",
};

/// `model.providers`
pub const MODEL_PROVIDERS: Key = Key {
    name: "model.providers",
    kind: Kind::Providers,
    who: Who::UserAndManaged,
    doc: "Providers of your own, or other words about a known one. `form` is how it is spoken to (`anthropic`: Anthropic Messages; `responses`: OpenAI Responses; `chat`: OpenAI Chat Completions, which nearly all others understand), `baseUrl` its base address. Its key is in the variable `keyVariable`, in the file `keyFile`, or is what the command `keyHelper` prints; without any of them it needs no key. Merged provider by provider, the heavier file's whole.",
    default: "none",
    example: r#"{"work": {"form": "chat", "baseUrl": "https://models.example.com/v1", "keyVariable": "WORK_API_KEY"}}"#,
};

/// `model.known`
pub const MODEL_KNOWN: Key = Key {
    name: "model.known",
    kind: Kind::Known,
    who: Who::UserAndManaged,
    doc: "What is known of a model, as `provider/name`, where the program does not know it or knows it wrong: `window` and `output` in tokens, `price` in dollars for a million tokens (without `cacheRead` and `cacheWrite` the cache costs what `input` does), whether it sees `images`, and whether its `thinking` is `adaptive`, `budget` or `none`. Merged model by model.",
    default: "none",
    example: r#"{"work/big": {"window": 128000, "output": 16000, "price": {"input": 2.5, "output": 10, "cacheRead": 0.25}, "images": false}}"#,
};

/// `keyHelper`
pub const KEY_HELPER: Key = Key {
    name: "keyHelper",
    kind: Kind::Text,
    who: Who::UserAndManaged,
    doc: "A command whose output is a key: either the key of Anthropic alone, or JSON with the keys of several providers, `{\"anthropic\": \"…\", \"openai\": \"…\"}`. It runs when a key is first needed, and once more when a server refuses that key. A key in the environment wins over it; it wins over `keyFile`.",
    default: "none",
    example: r#""pass show anthropic""#,
};

/// `keyFile`
pub const KEY_FILE: Key = Key {
    name: "keyFile",
    kind: Kind::Path,
    who: Who::UserAndManaged,
    doc: "A file with keys: either the key of Anthropic alone, or JSON with the keys of several providers, `{\"anthropic\": \"…\", \"openai\": \"…\"}`. It must be yours, and nobody else may read or write it (`chmod 600`). The path may begin with `~/`; a relative one starts at `~/.forelook`. A key in the environment and `keyHelper` win over it.",
    default: "none",
    example: r#""~/.forelook/keys.json""#,
};

/// `network.certificates`
pub const CERTIFICATES: Key = Key {
    name: "network.certificates",
    kind: Kind::Path,
    who: Who::UserAndManaged,
    doc: "A file with certificates (PEM) to trust besides the usual ones, as a company's proxy needs. The path may begin with `~/`; a relative one starts at `~/.forelook`. Those of `SSL_CERT_FILE` and `NODE_EXTRA_CA_CERTS` count as well.",
    default: "none",
    example: r#""~/company-ca.pem""#,
};
