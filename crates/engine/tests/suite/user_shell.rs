//! Lines of the person's own for the shell.

use forelook_engine::{Responder, SessionStart};
use forelook_protocol::{
    Command, CommandError, Delivery, EndReason, EntryBody, Event, LiveEvent, Mode, UserShellEnded,
};

use crate::common::{Front, Home, SESSION, kinds, life, words};

const SAY: &str = "[[answer]]\nname = 'say'\ntext = 'Said.'\nnext = [{ goto = 'say' }]";

async fn shell(front: &Front, line: &str) {
    front.send(Command::UserShell(line.to_owned())).await.unwrap();
}

async fn ended(front: &mut Front) -> UserShellEnded {
    front.until(|body| if let EntryBody::UserShellEnded(it) = body { Some(it.clone()) } else { None }).await
}

/// Waits until a line has written this.
async fn written(front: &mut Front, wanted: &str) {
    loop {
        if let Event::Live(LiveEvent::Output { text, .. }) = front.event().await
            && text.contains(wanted)
        {
            return;
        }
    }
}

#[test]
fn the_model_is_told_once_before_the_next_prompt() {
    life(async {
        let home = Home::new();
        let mut front = home.begin(SAY).await;
        shell(&front, "echo one; mkdir sub; cd sub; export WORD=kept").await;
        assert_eq!(ended(&mut front).await.output, "one");
        shell(&front, "pwd; echo $WORD; exit 3").await;
        let second = ended(&mut front).await;
        assert_eq!(second.output, format!("{}\nkept", home.project.join("sub")));
        assert_eq!(second.failed.as_deref(), Some("exit code 3"));
        front.say("Look").await;
        assert_eq!(front.turn_end().await, EndReason::Done);
        front.say("Again").await;
        front.turn_end().await;
        let sent: Vec<String> = home.last_request().iter().map(words).collect();
        let sent = sent.join("\n---\n").replace(&home.project.to_string(), "/project");
        insta::assert_snapshot!(sent, @r"
        <system-reminder>
        The user ran this in their shell. It is for your information; do nothing about it unless they ask.
        $ echo one; mkdir sub; cd sub; export WORD=kept
        one
        </system-reminder>
        ---
        <system-reminder>
        The user ran this in their shell. It is for your information; do nothing about it unless they ask.
        $ pwd; echo $WORD; exit 3
        /project/sub
        kept
        [exit code 3]
        </system-reminder>
        ---
        Look
        ---
        Said.
        ---
        Again
        ");
        front.close().await;
        let told = kinds(&home.entries()).iter().filter(|kind| **kind == "reminder").count();
        assert_eq!(told, 2);
    });
}

/// Nobody judges it: plan mode and rules are for the model.
#[test]
fn it_runs_in_plan_mode_and_against_rules() {
    life(async {
        let home = Home::new();
        let mut config = home.config(SessionStart::New(Some(SESSION)), SAY);
        config.mode = Some(Mode::Plan);
        config.permissions = home.permissions(&["deny Bash"]);
        let mut front = Front::open(config).await;
        shell(&front, "echo written > file").await;
        assert_eq!(ended(&mut front).await.failed, None);
        assert_eq!(home.text("file").as_deref(), Some("written\n"));
        front.close().await;
    });
}

#[test]
fn nothing_is_not_run() {
    life(async {
        let home = Home::new();
        let front = home.begin(SAY).await;
        let refused = front.send(Command::UserShell(" \n".into())).await;
        assert_eq!(refused, Err(CommandError::EmptyLine));
        let heard = front.close().await;
        assert!(!heard.iter().any(|entry| entry.body.kind().starts_with("user_shell")));
    });
}

#[test]
fn several_run_together_and_an_interrupt_ends_them() {
    life(async {
        let home = Home::new();
        let mut front = home.begin(SAY).await;
        shell(&front, "echo first; sleep 600").await;
        written(&mut front, "first").await;
        shell(&front, "echo second; sleep 600").await;
        written(&mut front, "second").await;
        // One that ends by itself does not wait for the others.
        shell(&front, "echo third").await;
        assert_eq!(ended(&mut front).await.output, "third");
        front.send(Command::Interrupt).await.unwrap();
        let mut outputs = Vec::new();
        for _ in 0..2 {
            let ended = ended(&mut front).await;
            assert_eq!(ended.failed.as_deref(), Some("interrupted"));
            outputs.push(ended.output);
        }
        outputs.sort();
        assert_eq!(outputs, ["first", "second"]);
        // What comes after an interrupt runs.
        shell(&front, "echo fourth").await;
        assert_eq!(ended(&mut front).await.failed, None);
        front.close().await;
    });
}

#[test]
fn closing_ends_it_and_writes_it_down() {
    life(async {
        let home = Home::new();
        let mut front = home.begin(SAY).await;
        shell(&front, "echo begun; sleep 600").await;
        written(&mut front, "begun").await;
        front.close().await;
        assert_eq!(kinds(&home.entries()).last(), Some(&"user_shell_ended"));
    });
}

/// A prompt that steers is told of it too, and so is a turn that is under way: it never waits for a line.
#[test]
fn a_prompt_that_steers_brings_it_along() {
    const ASK: &str = r#"
[[answer]]
call = [{ tool = "AskUserQuestion", input = { questions = [{ question = "Which?", header = "Which", options = [{ label = "A" }, { label = "B" }] }] } }]
[[answer]]
text = "Said."
"#;
    life(async {
        let home = Home::new();
        let mut front = home.begin(ASK).await;
        front.say("Do it").await;
        let question = front.question().await;
        shell(&front, "echo between").await;
        ended(&mut front).await;
        front.say_for("quickly", Delivery::Steer).await;
        front.answer(&question, forelook_protocol::HostAnswer::Dismissed).await.unwrap();
        assert_eq!(front.turn_end().await, EndReason::Done);
        let sent: Vec<String> = home.last_request().iter().map(words).collect();
        let [.., line, steered] = sent.as_slice() else { panic!("{sent:?}") };
        assert!(line.contains("$ echo between\nbetween"), "{line}");
        assert_eq!(steered, "quickly");
        front.close().await;
    });
}

/// Killed while a line ran: the next life closes it and tells the model, and one that ended untold is told then.
#[test]
fn a_killed_session_loads_and_tells() {
    let home = Home::new();
    life(async {
        let mut front = home.begin(SAY).await;
        shell(&front, "echo untold").await;
        ended(&mut front).await;
        shell(&front, "echo begun; sleep 600").await;
        written(&mut front, "begun").await;
    });
    assert_eq!(kinds(&home.entries()).last(), Some(&"user_shell_started"));
    life(async {
        let mut front = home.resume(SAY, Responder::Person).await;
        front.say("Look").await;
        assert_eq!(front.turn_end().await, EndReason::Done);
        let sent: Vec<String> = home.last_request().iter().map(words).collect();
        assert_eq!(sent.len(), 3, "{sent:?}");
        assert!(sent[0].contains("$ echo untold\nuntold"), "{sent:?}");
        assert!(sent[1].contains("[interrupted; it may have run partly or completely]"), "{sent:?}");
        front.close().await;
    });
}
