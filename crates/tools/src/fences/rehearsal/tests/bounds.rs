//! Layers that are half gone, deep or full.

use std::fs;

use super::super::layer::Layer;
use super::rehearse;
use crate::rehearse::tests::planning;

/// Whoever removed the layer was ended half-way: the note of its folders went first, and the rest must not be built on.
#[tokio::test]
async fn a_layer_that_is_half_removed_is_not_gone_on_from_in_a_rehearsal() {
    for note in [None, Some("[]"), Some("nonsense")] {
        let mut bench = planning();
        rehearse(&mut bench, "echo left > over; rm old.txt").await;
        let folder = bench.cx.place.project.parent().unwrap().join("fences");
        bench.cx.fences = std::sync::Arc::new(crate::Fences::new(crate::FenceSetup::plain(&folder)));
        let path = Layer::of(&folder).root().join("folders.json");
        match note {
            None => fs::remove_file(&path).unwrap(),
            Some(note) => fs::write(&path, note).unwrap(),
        }
        let said = rehearse(&mut bench, "cat old.txt; test ! -e over").await;
        assert!(said.starts_with("old\n[Rehearsed: nothing real changed, and no file would]"), "{said}");
    }
}
