//! The keys about models: which one, how it is asked, where it is, and who has its key.
//!
//! A project may say which model it likes, once it is trusted. It may not say where a model is or where a key comes from: whoever could
//! do that would have the key sent to them, or their own command run.

use super::{Key, KeyScope, ValueKind};

/// How long a model may say nothing, if nobody says otherwise; in seconds.
pub const DEFAULT_IDLE_TIMEOUT: u16 = 120;

/// The longest that a model may be said to be allowed to say nothing; in seconds.
pub const MAX_IDLE_TIMEOUT: u16 = 3600;

/// How many answers one turn may have.
pub const DEFAULT_MAX_ANSWERS: u16 = 1000;

/// What `model.effort` can be.
pub const EFFORTS: &[&str] = &["low", "medium", "high"];

/// What `wireFormat` of a provider can be.
pub const WIRE_FORMATS: &[&str] = &["anthropic", "responses", "chat"];

/// What `thinking` of a known model can be.
pub const THINKING_SUPPORT: &[&str] = &["adaptive", "budget", "none"];

/// What a provider has.
pub(crate) const PROVIDER_FIELDS: &[&str] = &["wireFormat", "baseUrl", "keyVariable", "keyFile", "keyHelper"];

/// What is known of a model.
pub(crate) const KNOWN_FIELDS: &[&str] = &["window", "output", "price", "images", "thinking"];

/// What a price has.
pub(crate) const PRICE_FIELDS: &[&str] = &["input", "output", "cacheRead", "cacheWrite"];

/// `model.main`
pub const MODEL_MAIN: Key = Key {
    name: "model.main",
    kind: ValueKind::Text,
    scope: KeyScope::Anyone,
    doc: "The model of the main agent, as `provider/name`; `docs/models.md` lists the providers. A well-known name such as `claude-sonnet-5-5` or `sonnet` needs no provider. `--model` and `FORELOOK_MODEL` override it. In project files it has no effect until you trust the folder.",
    default: "the first one found: a key in the environment, Ollama on this machine, or the demo",
    example: r#""anthropic/claude-sonnet-5-5""#,
};

/// `model.small`
pub const MODEL_SMALL: Key = Key {
    name: "model.small",
    kind: ValueKind::Text,
    scope: KeyScope::Anyone,
    doc: "The small, fast model, as `provider/name`; Explore agents use it. By default, it is the small model of the session's provider (`claude-haiku-5-5` for Anthropic, `gpt-6-luna` for OpenAI); providers without a known one, or at another address, use the session's model. In project files it has no effect until you trust the folder.",
    default: "the small model of the session's provider",
    example: r#""anthropic/claude-haiku-5-5""#,
};

/// `model.plan`
pub const MODEL_PLAN: Key = Key {
    name: "model.plan",
    kind: ValueKind::Text,
    scope: KeyScope::Anyone,
    doc: "The model of the main agent in plan mode, as `provider/name`. In project files it has no effect until you trust the folder.",
    default: "the session's model",
    example: r#""anthropic/claude-opus-5-5""#,
};

/// `model.fallback`
pub const MODEL_FALLBACK: Key = Key {
    name: "model.fallback",
    kind: ValueKind::Text,
    scope: KeyScope::Anyone,
    doc: "The model to use while the session's model is overloaded, as `provider/name`. `--fallback-model` overrides it. In project files it has no effect until you trust the folder.",
    default: "none",
    example: r#""anthropic/claude-sonnet-5""#,
};

/// `model.effort`
pub const MODEL_EFFORT: Key = Key {
    name: "model.effort",
    kind: ValueKind::Word(EFFORTS),
    scope: KeyScope::Anyone,
    doc: "The reasoning effort, for models that support it.",
    default: "the model's default",
    example: r#""high""#,
};

/// `model.thinking`
pub const MODEL_THINKING: Key = Key {
    name: "model.thinking",
    kind: ValueKind::Word(&["on", "off"]),
    scope: KeyScope::Anyone,
    doc: "Whether models think before they answer, for models that support it.",
    default: "`on` for models that decide for themselves how much to think, otherwise `off`",
    example: r#""off""#,
};

/// `model.idleTimeoutSeconds`
pub const MODEL_IDLE_TIMEOUT: Key = Key {
    name: "model.idleTimeoutSeconds",
    kind: ValueKind::Count { max: MAX_IDLE_TIMEOUT },
    scope: KeyScope::Anyone,
    doc: "How many seconds a server can be silent before Forelook cancels the request and retries it. A server that sends only keep-alive signals gets five times as long. A large model on a small machine may need more.",
    default: "`120`",
    example: "600",
};

/// `model.maxAnswersPerTurn`
pub const MODEL_MAX_ANSWERS: Key = Key {
    name: "model.maxAnswersPerTurn",
    kind: ValueKind::Count { max: u16::MAX },
    scope: KeyScope::Anyone,
    doc: "How many answers of the model one turn can have before Forelook stops it, so that a model in a loop does not work forever. Type `continue` to go on after that. `--max-turns` overrides it.",
    default: "`1000`",
    example: "200",
};

/// `model.providers`
pub const MODEL_PROVIDERS: Key = Key {
    name: "model.providers",
    kind: ValueKind::Providers,
    scope: KeyScope::UserAndManaged,
    doc: "Your own providers, or changes to a known one. `wireFormat` is the API (`anthropic`: Anthropic Messages; `responses`: OpenAI Responses; `chat`: OpenAI Chat Completions, which nearly all others support); `baseUrl` is the base URL. The key comes from the variable `keyVariable`, the file `keyFile`, or the output of the command `keyHelper`; if none of these is set, your own provider needs no key. Providers are merged one by one: the file with the highest precedence replaces the whole provider.",
    default: "none",
    example: r#"{"work": {"wireFormat": "chat", "baseUrl": "https://models.example.com/v1", "keyVariable": "WORK_API_KEY"}}"#,
};

/// `model.known`
pub const MODEL_KNOWN: Key = Key {
    name: "model.known",
    kind: ValueKind::Known,
    scope: KeyScope::UserAndManaged,
    doc: "Facts about models, by `provider/name`, that Forelook does not know or has wrong: `window` and `output` in tokens, `price` in dollars per million tokens (without `cacheRead` and `cacheWrite`, the cache costs the same as `input`), whether it accepts `images`, and whether its `thinking` is `adaptive`, `budget`, or `none`. Entries are merged model by model.",
    default: "none",
    example: r#"{"work/big": {"window": 128000, "output": 16000, "price": {"input": 2.5, "output": 10, "cacheRead": 0.25}, "images": false}}"#,
};

/// `keyHelper`
pub const KEY_HELPER: Key = Key {
    name: "keyHelper",
    kind: ValueKind::Text,
    scope: KeyScope::UserAndManaged,
    doc: "A command that prints a key: either just the Anthropic key, or JSON with the keys of several providers, `{\"anthropic\": \"…\", \"openai\": \"…\"}`. It runs when a key is first needed, and again when a server rejects that key. A key in the environment overrides it; it overrides `keyFile`.",
    default: "none",
    example: r#""pass show anthropic""#,
};

/// `keyFile`
pub const KEY_FILE: Key = Key {
    name: "keyFile",
    kind: ValueKind::Path,
    scope: KeyScope::UserAndManaged,
    doc: "A file with keys: either just the Anthropic key, or JSON with the keys of several providers, `{\"anthropic\": \"…\", \"openai\": \"…\"}`. You must own it, and no one else may be able to read or write it (`chmod 600`). The path can begin with `~/`; a relative path starts at `~/.forelook`. A key in the environment and `keyHelper` override it.",
    default: "none",
    example: r#""~/.forelook/keys.json""#,
};

/// `network.certificates`
pub const CERTIFICATES: Key = Key {
    name: "network.certificates",
    kind: ValueKind::Path,
    scope: KeyScope::UserAndManaged,
    doc: "A PEM file with certificates to trust in addition to the usual ones, for example for a company proxy. The path can begin with `~/`; a relative path starts at `~/.forelook`. Certificates from `SSL_CERT_FILE` and `NODE_EXTRA_CA_CERTS` are trusted too.",
    default: "none",
    example: r#""~/company-ca.pem""#,
};
