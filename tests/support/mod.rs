//! What several integration tests share. Each test compiles its own copy and uses a part of it.
#![allow(dead_code, clippy::expect_used, clippy::unwrap_used, clippy::panic)]

pub mod pty;
pub mod session;
