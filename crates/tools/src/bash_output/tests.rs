//! Shells in the background, as a model uses them.
