//! What words can become: values, braces, variables, arithmetic.

pub(crate) mod arith;
mod brace;
mod numeric;
pub(crate) mod value;
pub(crate) mod vars;
