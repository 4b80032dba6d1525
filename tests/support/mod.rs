//! Shared parts of the integration tests. Each of the three binaries compiles its own copy and uses a part of it.
#![allow(dead_code, clippy::expect_used, clippy::unwrap_used, clippy::panic)]

pub mod driver;
pub mod fixture;
pub mod games;
pub mod logged;
pub mod opened;
pub mod program;
#[cfg(unix)]
pub mod pty;
pub mod recordings;
pub mod requests;
pub mod screen;
pub mod server;
pub mod session;
pub mod targets;
pub mod toy_world;
