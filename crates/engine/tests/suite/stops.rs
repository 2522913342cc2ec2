//! Why models stop, and what follows.

use forelook_protocol::{EndReason, FailureKind};

use crate::common::{Home, life, words};

async fn end_of(home: &Home, script: &str) -> EndReason {
    let mut front = home.begin(script).await;
    front.say("Do it").await;
    let end = front.turn_end().await;
    front.close().await;
    end
}

#[test]
fn a_model_that_paused_goes_on_from_its_own_words() {
    const SCRIPT: &str = "[[answer]]\ntext = 'First half'\nstop = 'paused'\n[[answer]]\ntext = 'second half'";
    life(async {
        let home = Home::new();
        assert_eq!(end_of(&home, SCRIPT).await, EndReason::Done);
        let requests = home.requests();
        assert_eq!(requests.len(), 2);
        let told: Vec<_> = requests[1]["messages"].as_array().unwrap().iter().map(words).collect();
        assert_eq!(told, ["Do it", "First half"]);
    });
}

#[test]
fn a_model_that_only_pauses_is_not_sent_on_for_ever() {
    const SCRIPT: &str =
        "[[answer]]\nname = 'more'\ntext = 'hm'\nstop = 'paused'\nnext = [{ goto = 'more' }]";
    life(async {
        let home = Home::new();
        let end = end_of(&home, SCRIPT).await;
        assert!(
            matches!(&end, EndReason::Stuck { message } if message.contains("paused 20 times")),
            "{end:?}"
        );
        assert_eq!(home.requests().len(), 21);
    });
}

#[test]
fn a_full_window_is_reported_as_such() {
    life(async {
        let home = Home::new();
        let end = end_of(&home, "[[answer]]\ntext = 'too'\nstop = 'window_full'").await;
        let EndReason::Provider { failure } = end else { panic!("{end:?}") };
        assert_eq!(failure.kind, FailureKind::ContextOverflow);
    });
}

/// What the service stopped because of what it says is no order, however whole it looks.
#[test]
fn calls_of_a_declined_answer_do_not_run() {
    const SCRIPT: &str = r#"
        [[answer]]
        text = "I will."
        stop = "refusal"
        call = [{ tool = "Bash", input = { command = "touch ran" } }, { tool = "Write", input = { file_path = "written", content = "x" } }]
        [[answer]]
        text = "Fine."
    "#;
    life(async {
        let home = Home::new();
        let mut front = home.begin(SCRIPT).await;
        front.say("Do it").await;
        assert_eq!(front.turn_end().await, EndReason::Refusal);
        assert_eq!((home.text("ran"), home.text("written")), (None, None));
        // The calls have results, so the conversation can go on.
        front.say("Another way?").await;
        assert_eq!(front.turn_end().await, EndReason::Done);
        front.close().await;
        assert_eq!(home.requests().len(), 2);
    });
}

/// The last call of an answer that reached its limit is half a call: the model is told so, not that it cannot write JSON.
#[test]
fn half_a_call_is_not_run_and_the_model_hears_why() {
    const SCRIPT: &str = r#"
        [[answer]]
        stop = "max_tokens"
        call = [{ tool = "Bash", input = { command = "touch whole" } }, { tool = "Write", raw = '{"file_path": "half", "con' }]
        [[answer]]
        text = "Fine."
    "#;
    life(async {
        let home = Home::new();
        assert_eq!(end_of(&home, SCRIPT).await, EndReason::Done);
        assert_eq!((home.text("whole").as_deref(), home.text("half")), (Some(""), None));
        let results = home.last_request().last().unwrap().to_string();
        assert!(results.contains("its length limit") && !results.contains("not a JSON object"), "{results}");
    });
}

/// Small servers count the calls of each answer anew.
#[test]
fn ids_that_come_again_in_another_answer_are_made_new() {
    const SCRIPT: &str = r#"
        [[answer]]
        call = [{ tool = "Bash", id = "call_0", input = { command = "echo one >> ran" } }]
        [[answer]]
        call = [{ tool = "Bash", id = "call_0", input = { command = "echo one >> ran" } }]
        [[answer]]
        text = "Fine."
    "#;
    life(async {
        let home = Home::new();
        assert_eq!(end_of(&home, SCRIPT).await, EndReason::Done);
        assert_eq!(home.text("ran").as_deref(), Some("one\none\n"));
        home.last_request();
    });
}

/// An answer without a word is asked for once more, and the model hears why.
#[test]
fn an_empty_answer_is_asked_for_once_more() {
    for (empty, told) in [
        ("[[answer]]\nthinking = 'hm'", "Your last answer was empty"),
        ("[[answer]]\ntext = '  '", "Your last answer was empty"),
        ("[[answer]]\ntext = \"\\u200b \\ufeff\"", "Your last answer was empty"),
        ("[[answer]]\nthinking = 'hm'\nstop = 'max_tokens'", "reached the output limit before"),
    ] {
        life(async {
            let home = Home::new();
            let script = format!("{empty}\n[[answer]]\ntext = 'Done.'");
            assert_eq!(end_of(&home, &script).await, EndReason::Done, "{empty}");
            let requests = home.requests();
            assert_eq!(requests.len(), 2, "{empty}");
            assert!(requests[1]["messages"].to_string().contains(told), "{empty}: {}", requests[1]);
        });
    }
}

#[test]
fn a_model_that_stays_silent_is_no_success() {
    for (empty, end) in [
        ("", EndReason::Empty),
        ("thinking = 'hm'", EndReason::Empty),
        ("thinking = 'hm'\nstop = 'max_tokens'", EndReason::MaxTokens),
    ] {
        life(async {
            let home = Home::new();
            let script = format!("[[answer]]\nname = 'a'\nnext = [{{ goto = 'a' }}]\n{empty}");
            assert_eq!(end_of(&home, &script).await, end, "{empty}");
            assert_eq!(home.requests().len(), 2, "{empty}");
        });
    }
}
