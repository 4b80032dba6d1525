//! What models and their servers remark in work that nobody watches: said once, where the work was begun.

use std::collections::HashSet;
use std::future::Future;
use std::sync::{Arc, Mutex, PoisonError};

type Say = Arc<dyn Fn(&str) + Send + Sync>;

tokio::task_local! {
    static SAY: Say;
}

/// Does `work`; `say` is called for each different remark in it, once.
pub async fn hearing<T>(say: impl Fn(&str) + Send + Sync + 'static, work: impl Future<Output = T>) -> T {
    let said = Mutex::new(HashSet::new());
    let once = move |text: &str| {
        if said.lock().unwrap_or_else(PoisonError::into_inner).insert(text.to_owned()) {
            say(text);
        }
    };
    SAY.scope(Arc::new(once), work).await
}

/// `work` to be done by a task of its own: its remarks are heard as those of the task that calls this.
pub(super) fn heard<T>(work: impl Future<Output = T>) -> impl Future<Output = T> {
    let say = SAY.try_with(Arc::clone).unwrap_or_else(|_| Arc::new(|_| {}));
    SAY.scope(say, work)
}

/// Has a remark said, if anybody hears.
pub(crate) fn remark(text: &str) {
    let _ = SAY.try_with(|say| say(text));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn each_remark_is_heard_once_from_tasks_too() {
        remark("nobody hears");
        let all = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&all);
        let say = move |text: &str| kept.lock().unwrap().push(text.to_owned());
        let work = async {
            remark("a");
            tokio::spawn(heard(async { ["a", "b"].into_iter().for_each(remark) })).await.unwrap();
        };
        hearing(say, work).await;
        assert_eq!(*all.lock().unwrap(), ["a", "b"]);
    }
}
