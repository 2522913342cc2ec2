//! What was tried, in a review: it is shown, and applied only where that is ticked.

use super::*;

pub(super) fn tried() -> ReviewDialog {
    let rehearsal = Some(Box::new(crate::cells::rehearsal_sample()));
    laid(ReviewDialog::new(&ReviewRequest { rehearsal, ..review(Some(PLAN)) }, None, None))
}

#[test]
fn what_was_tried_is_beside_the_plan() {
    for (name, pressed) in [
        ("tried", ""),
        ("tried_seen", "t"),
        ("tried_end", "tG"),
        ("tried_approve", "a<ctrl-t>mind the tests"),
        ("tried_keys", "?"),
    ] {
        for (width, height) in [(80, 24), (40, 15), (120, 40)] {
            let mut dialog = tried();
            press(&mut dialog, pressed);
            insta::assert_snapshot!(format!("{name}_{width}x{height}"), shown(&mut dialog, width, height));
        }
    }
}

#[test]
fn a_yes_begins_with_what_was_tried_only_if_that_was_ticked() {
    let apply = |hash: Option<&str>| Some(Approval { apply: hash.map(str::to_owned), ..approval() });
    for (pressed, expected) in [
        ("y<enter>", apply(None)),
        ("ty<enter>", apply(None)),
        ("y<ctrl-t><enter>", apply(Some("r1"))),
        ("ty<ctrl-t><enter>", apply(Some("r1"))),
        ("y<ctrl-t><ctrl-t><enter>", apply(None)),
        // What was ticked and left is not ticked the next time.
        ("y<ctrl-t><esc>y<enter>", apply(None)),
        ("t<enter>", None),
        ("<ctrl-t><enter>", None),
        ("t<esc><enter>", None),
        ("tc<enter>", None),
    ] {
        let approved = match press(&mut tried(), pressed) {
            DialogStep::Answered(HostAnswer::Plan(PlanAnswer::Approve(approval))) => Some(approval),
            other => {
                assert_eq!(other, DialogStep::Open, "{pressed}");
                None
            }
        };
        assert_eq!(approved, expected, "{pressed}");
    }
    // Without a rehearsal the key does nothing.
    let step = press(&mut begin(PLAN), "y<ctrl-t><enter>");
    assert_eq!(step, plan(PlanAnswer::Approve(approval())));
    assert_eq!(press(&mut begin(PLAN), "t"), DialogStep::Open);
}

/// Files that decide what runs later stand apart, and a second tick is theirs.
#[test]
fn what_runs_later_is_ticked_by_itself() {
    let dialog = || {
        let mut rehearsal = crate::cells::rehearsal_sample();
        rehearsal.files[0].protected = true;
        let rehearsal = Some(Box::new(rehearsal));
        laid(ReviewDialog::new(&ReviewRequest { rehearsal, ..review(Some(PLAN)) }, None, None))
    };
    for (pressed, applied) in [
        ("y<enter>", (false, false)),
        ("y<ctrl-t><enter>", (true, false)),
        ("y<ctrl-t><ctrl-t><enter>", (true, true)),
        ("y<ctrl-t><ctrl-t><ctrl-t><enter>", (false, false)),
    ] {
        let DialogStep::Answered(HostAnswer::Plan(PlanAnswer::Approve(approval))) =
            press(&mut dialog(), pressed)
        else {
            panic!("{pressed}")
        };
        assert_eq!((approval.apply.is_some(), approval.apply_protected), applied, "{pressed}");
    }
    for (name, pressed) in [
        ("tried_protected", "t"),
        ("tried_protected_once", "y<ctrl-t>"),
        ("tried_protected_twice", "y<ctrl-t><ctrl-t>"),
    ] {
        let mut dialog = dialog();
        press(&mut dialog, pressed);
        insta::assert_snapshot!(format!("{name}_80x24"), shown(&mut dialog, 80, 24));
    }
}

#[test]
fn what_will_be_applied_is_named_before_the_yes() {
    for (width, height) in [(80, 24), (40, 15)] {
        let mut dialog = tried();
        press(&mut dialog, "y<ctrl-t>");
        let page = rows(&mut dialog, width, height).join(" ");
        assert!(page.contains("(Ctrl+T): 3 files, +12 −2") && page.contains("☑ apply"), "{page}");
        assert!(page.contains("this plan, apply the rehearsal"), "{page}");
    }
}

#[test]
fn the_place_in_the_plan_is_kept_while_one_looks_at_what_was_tried() {
    let mut dialog = tried();
    press(&mut dialog, "jjjj");
    let before = dialog.plan_pane.cursor();
    press(&mut dialog, "tjjjGg<esc>");
    assert_eq!(dialog.plan_pane.cursor(), before);
    press(&mut dialog, "tr");
    assert!(shown(&mut dialog, 80, 24).contains("the plan as Markdown source"));
    press(&mut dialog, "tr");
    assert!(shown(&mut dialog, 80, 24).contains("the plan as Markdown source"), "r leads to it");
}

#[test]
fn a_rehearsal_that_changes_no_file_is_none() {
    let only_builds = forelook_protocol::Rehearsal { ignored: 40, ..Default::default() };
    let review = ReviewRequest { rehearsal: Some(Box::new(only_builds)), ..review(Some(PLAN)) };
    let mut dialog = laid(ReviewDialog::new(&review, None, None));
    assert!(!shown(&mut dialog, 80, 24).contains("ehears"));
    assert_eq!(press(&mut dialog, "y<ctrl-t><enter>"), plan(PlanAnswer::Approve(approval())));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// Nothing is applied but with a tick that is seen when Enter is pressed.
    #[test]
    fn only_a_tick_that_is_seen_applies(pressed in prop::collection::vec(any_key(), 0..60)) {
        let mut dialog = tried();
        for key in pressed {
            let ticked = shown(&mut dialog, 80, 24).contains("☑ apply the rehearsal (Ctrl+T): 3 files, +12 −2");
            if let DialogStep::Answered(answer) = dialog.key(key) {
                if let HostAnswer::Plan(PlanAnswer::Approve(approval)) = answer {
                    prop_assert_eq!(approval.apply.is_some(), ticked);
                }
                break;
            }
        }
    }
}
