//! Shells in the background, as the program sees them.
