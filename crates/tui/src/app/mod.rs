//! x
mod scene;
