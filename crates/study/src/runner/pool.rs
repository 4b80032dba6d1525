//! Many independent pieces of work, a few at a time, each result handed on as it comes.

use std::future::Future;

use tokio::task::JoinSet;
use tokio_util::sync::CancellationToken;

/// Does every task, `jobs` at a time, and gives each result as it ends; a task that was cancelled has none. Once `cancel` fires no
/// further task begins.
pub(super) async fn each<T, R, F>(
    tasks: Vec<T>,
    jobs: usize,
    cancel: &CancellationToken,
    work: impl Fn(T) -> F,
    mut ended: impl FnMut(R) -> Result<(), String>,
) -> Result<(), String>
where
    R: Send + 'static,
    F: Future<Output = Option<R>> + Send + 'static,
{
    let mut waiting = tasks.into_iter();
    let mut running = JoinSet::new();
    for task in waiting.by_ref().take(jobs.max(1)) {
        running.spawn(work(task));
    }
    while let Some(done) = running.join_next().await {
        if let Some(result) = done.map_err(|e| format!("a task broke off: {e}"))? {
            ended(result)?;
        }
        if !cancel.is_cancelled()
            && let Some(task) = waiting.next()
        {
            running.spawn(work(task));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[tokio::test]
    async fn so_many_at_once_and_each_once() {
        let (now, most) = (Arc::new(AtomicUsize::new(0)), Arc::new(AtomicUsize::new(0)));
        let work = |task: usize| {
            let (now, most) = (Arc::clone(&now), Arc::clone(&most));
            async move {
                most.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                tokio::task::yield_now().await;
                now.fetch_sub(1, Ordering::SeqCst);
                (!task.is_multiple_of(5)).then_some(task)
            }
        };
        let mut done = Vec::new();
        let take = |task| {
            done.push(task);
            Ok(())
        };
        each((0..20).collect(), 3, &CancellationToken::new(), work, take).await.unwrap();
        done.sort_unstable();
        assert_eq!(done, (0..20).filter(|n| n % 5 != 0).collect::<Vec<_>>());
        assert!((1..=3).contains(&most.load(Ordering::SeqCst)));
    }

    #[tokio::test]
    async fn nothing_begins_after_the_end() {
        let cancel = CancellationToken::new();
        let mut done = 0;
        let take = |_: usize| {
            done += 1;
            cancel.cancel();
            Ok(())
        };
        each((0..20).collect(), 2, &cancel, |task: usize| async move { Some(task) }, take).await.unwrap();
        // What was under way is still taken.
        assert!(done <= 2);
        let never = CancellationToken::new();
        let refused = each(vec![1], 1, &never, |_| async { Some(1) }, |_| Err("full".to_owned()));
        assert_eq!(refused.await, Err("full".to_owned()));
    }
}
