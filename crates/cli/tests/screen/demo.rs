//! The whole demo, as a newcomer lives through it on a terminal.

use crate::keys::*;
use crate::play::{demo, each};
use crate::stage::Stage;

/// All that is written, without what differs from run to run: how long things took.
fn masked(stage: &mut Stage) -> String {
    regex::Regex::new(r"\b\d+(\.\d+)? (ms|s)\b").unwrap().replace_all(&stage.all(), "[TIME]").into_owned()
}

/// The row under the cursor of the review.
fn pointed_at(stage: &Stage) -> String {
    stage.screen().lines().find(|row| row.starts_with('❯')).unwrap_or_default().to_owned()
}

#[test]
fn from_the_question_to_the_last_test() {
    each(&[(80, 24), (40, 15), (200, 60)], |&(width, height)| {
        let mut stage = demo().on(width, height);
        stage.sees("Where do cents get lost?").sees("Who relies on it?");
        stage.sees("Who pays the leftover").calm().snapshot_live(&format!("demo-question-{width}x{height}"));
        stage
            .key("1")
            .key(ENTER)
            .is_on_page(true)
            .sees("Split bills in whole cents")
            .sees("keep planning")
            .calm();
        stage.snapshot(&format!("demo-review-{width}x{height}"));
        while !pointed_at(&stage).contains("Leftover") {
            let before = pointed_at(&stage);
            stage.key("j").until("the next row", |stage| pointed_at(stage) != before);
        }
        stage.key("c").sees("Comment on line").types("the last one pays them").key(ENTER);
        stage.sees("send 1 comment").key("s").sees("changes since the last review");
        stage.calm().snapshot(&format!("demo-again-{width}x{height}"));
        stage.key(END).sees("addressed").key("y").sees("Approve this plan").key(ENTER).is_on_page(false);
        stage.sees("Counting in whole cents").sees("0/3 todos").sees_above("All four tests pass.");
        stage.sees_no_more("Working").types("/exit").key(ENTER).leaves(0);
        let all = masked(&mut stage);
        stage.compare(&format!("demo-{width}x{height}-all"), &all);
    });
}

#[test]
fn a_review_that_was_left_is_opened_again_and_approved() {
    each(&[true, false], |&parks| {
        let mut stage = demo().on(80, 24);
        stage.sees("Who pays the leftover").calm().key("1").key(ENTER).is_on_page(true);
        stage.sees("keep planning").calm();
        match parks {
            true => stage.key("p").sees("Park the plan?").key(ENTER).is_on_page(false),
            false => stage.key(CTRL_C).is_on_page(false),
        };
        stage.sees_no_more("Working").calm().types("/plan review").key(ENTER).is_on_page(true);
        stage.sees("keep planning").calm().key("y").sees("Approve this plan").key(ENTER).is_on_page(false);
        stage.sees_above("All four tests pass.").sees_no_more("Working").types("/exit").key(ENTER).leaves(0);
    });
}
