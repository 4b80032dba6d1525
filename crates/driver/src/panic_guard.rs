//! Jobs that a panic ends: what waits for them is told, in place of waiting for ever. The report of the crash is written where it happened.

use std::panic::{AssertUnwindSafe, catch_unwind};

use futures_util::FutureExt;

/// The message about such a job.
pub(super) const BROKE: &str = "the program itself broke here; the folder of logs has a report of it";

/// A job's result, or what stands for it where a panic ended it. Nothing that the job has is used after that.
pub(super) async fn catch_panic<T>(job: impl Future<Output = T>, otherwise: impl FnOnce() -> T) -> T {
    AssertUnwindSafe(job).catch_unwind().await.unwrap_or_else(|_| otherwise())
}

pub(super) fn catch_panic_in<T>(work: impl FnOnce() -> Result<T, String>) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|_| Err(BROKE.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn a_panic_is_an_answer() {
        assert_eq!(catch_panic(async { 1 }, || 2).await, 1);
        assert_eq!(catch_panic(async { if true { panic!("as if") } else { 1 } }, || 2).await, 2);
        assert_eq!(catch_panic_in(|| Ok(1)), Ok(1));
        assert_eq!(catch_panic_in(|| if true { panic!("as if") } else { Ok(1) }), Err(BROKE.to_owned()));
    }
}
