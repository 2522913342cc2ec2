//! What a person hears of a folder that they come to trust.

#![expect(clippy::disallowed_methods, reason = "the test lays out its files by hand")]

use forelook_host::{Host, SessionSpec};
use forelook_protocol::{AbsPath, Notice, NoticeLevel};
use forelook_settings::Env;

#[tokio::test]
async fn what_was_said_before_is_still_said_after_a_yes() {
    let lab = tempfile::tempdir().unwrap();
    let at = |name: &str| lab.path().canonicalize().unwrap().join(name);
    std::fs::create_dir_all(at("project/.forelook")).unwrap();
    std::fs::write(at("project/.forelook/settings.json"), r#"{"permissions": {"allow": ["Bash(make)"]}}"#)
        .unwrap();
    std::fs::write(at("project/script.toml"), "[[answer]]\ntext = 'Hi.'").unwrap();
    let home = at("home").display().to_string();
    let host = Host::new(Env::from_pairs([("FORELOOK_HOME", home.as_str()), ("HOME", &home)]).unwrap());
    let mut spec = SessionSpec::new(AbsPath::new(at("project")).unwrap());
    spec.model = Some("scripted/script.toml".to_owned());

    let mut prepared = host.prepare(spec).unwrap();
    prepared.add_notice(Notice { level: NoticeLevel::Warning, text: "A flag is not known".to_owned() });
    prepared.trust().unwrap();

    let said: Vec<String> = prepared.open().await.unwrap().notices.into_iter().map(|it| it.text).collect();
    assert_eq!(said.iter().filter(|text| *text == "A flag is not known").count(), 1, "{said:?}");
}
