//! Shells that run beside the conversation: started by one call, looked at by others, ended with the session.

/// The shells of one session. All that still run are ended when this is dropped.
#[derive(Debug, Default)]
pub struct Shells;
