//! How well methods predict the next acts: metrics of policies.

pub mod metrics;
