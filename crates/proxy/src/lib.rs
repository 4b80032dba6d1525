//! Proxy of language models for an agent that knows nothing of it: it asks at an address of ours, and gets what was decided.
//!
//! `server` answers on loopback, `slots` keeps what waits for a decision, `routes` says what is an answer and what just passes,
//! `upstream` asks the provider that the agent would have asked, `senders` finds it again. `agent` is the agent's process, `workspace`
//! copies the folder that it works in. It gates decisions and is no sandbox. Neither worlds nor methods are known here, and no key that
//! passes is kept or shown.

mod agent;
mod routes;
pub mod senders;
mod server;
mod slots;
mod upstream;
mod workspace;

pub use agent::{Agent, Launch, Stream};
pub use server::{Options, Proxy};
pub use slots::{Notice, Pending, Reply};
pub use upstream::{Ask, Refusal, Unpacking, Upstream, unpacked};
pub use workspace::{Copied, remove_copies};
