//! What the model can do, one file each: schema, text, action, behaviour.
//!
//! A tool states what a call *would* do ([`Tool::action`]), is asked to do it ([`Tool::run`]) and returns a
//! result and effects. It never sees a mode or a rule, and it never holds the session.
//!
//! A tool's file has its input (doc comments become the schema's descriptions), its text for the model, its
//! action and its behaviour, in terms of the typed trait; one adapter makes a [`Tool`] of it.
#![cfg_attr(test, expect(clippy::disallowed_methods, reason = "tests lay out their files by hand"))]

mod ask_user_question;
mod bash;
mod clean;
mod diff;
mod edit;
mod endings;
mod facts;
mod file;
mod git_config;
mod nearest;
mod output;
mod paths;
mod read;
mod seen;
mod text_file;
mod todo_write;
mod tool;
mod toolbox;
mod typed;
mod write;

#[cfg(test)]
mod testing;

pub use facts::{Finder, find_out};
pub use forelook_sandbox::ChildEnv;
pub use tool::{BadInput, OutputSink, Place, Tool, ToolContext};
pub use toolbox::Toolbox;
