//! Schedules for tests: jobs that work on files at once, in every order of their operations.
//!
//! A job is a thread that waits before each operation on a file until it is its turn; only one runs at a time, so a schedule is the list of
//! whose turn it was, and every run of it is the same. Orders are gone through depth first, up to a number of preemptions: switches away
//! from a job that could have gone on, of which most faults need one or two.

use std::cell::RefCell;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// Something that works on files.
pub type Job<'a> = Box<dyn FnOnce() + Send + 'a>;

/// How many tests want to be asked before operations.
static ASKING: AtomicUsize = AtomicUsize::new(0);

/// Operations are asked about as long as this is held.
#[derive(Debug)]
pub(crate) struct Asked;

impl Asked {
    pub(crate) fn begin() -> Self {
        ASKING.fetch_add(1, Ordering::Release);
        Asked
    }
}

impl Drop for Asked {
    fn drop(&mut self) {
        ASKING.fetch_sub(1, Ordering::Release);
    }
}

pub(crate) fn is_asked() -> bool {
    ASKING.load(Ordering::Acquire) > 0
}

thread_local! {
    /// The schedule that this thread is a job of, and which.
    static TICKET: RefCell<Option<(Arc<Turns>, usize)>> = const { RefCell::new(None) };
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Runs,
    Waits,
    Done,
}

#[derive(Debug)]
struct Turns {
    jobs: Mutex<Vec<State>>,
    changed: Condvar,
}

impl Turns {
    fn jobs(&self) -> MutexGuard<'_, Vec<State>> {
        self.jobs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn set(&self, job: usize, state: State) {
        if let Some(known) = self.jobs().get_mut(job) {
            *known = state;
        }
        self.changed.notify_all();
    }

    fn wait(&self, until: impl Fn(&[State]) -> bool) -> Vec<State> {
        let waits = |jobs: &mut Vec<State>| !until(jobs);
        self.changed.wait_while(self.jobs(), waits).unwrap_or_else(PoisonError::into_inner).clone()
    }
}

/// Says that a job is done, however it ends.
struct Ends(Arc<Turns>, usize);

impl Drop for Ends {
    fn drop(&mut self) {
        self.0.set(self.1, State::Done);
    }
}

/// Waits for the turn of this thread, if it is a job.
pub(crate) fn pass() {
    let ticket = TICKET.with_borrow(Clone::clone);
    if let Some((turns, job)) = ticket {
        turns.set(job, State::Waits);
        turns.wait(|jobs| jobs.get(job) != Some(&State::Waits));
    }
}

/// How long a lock is waited for: by a job as long as a process just started has copies of all locks, since another job keeps its own.
pub(crate) fn patience(usual: Duration) -> Duration {
    if TICKET.with_borrow(Option::is_some) { usual.min(Duration::from_millis(20)) } else { usual }
}

/// One run of a schedule.
struct Run {
    /// Whose turn it was each time, and who could have had it.
    course: Vec<(usize, Vec<usize>)>,
    /// Whether one had nothing more to do at its turn.
    differs: bool,
}

impl Run {
    /// Follows a schedule, and goes on with whoever had the turn last, or the first that can.
    fn follow(jobs: Vec<Job<'_>>, schedule: &[usize]) -> Self {
        let turns = Arc::new(Turns { jobs: Mutex::new(vec![State::Runs; jobs.len()]), changed: Condvar::new() });
        let (mut course, mut differs) = (Vec::new(), false);
        std::thread::scope(|scope| {
            for (job, work) in jobs.into_iter().enumerate() {
                let turns = Arc::clone(&turns);
                scope.spawn(move || {
                    let _ends = Ends(Arc::clone(&turns), job);
                    TICKET.set(Some((turns, job)));
                    pass();
                    work();
                });
            }
            loop {
                let states = turns.wait(|jobs| !jobs.contains(&State::Runs));
                let able: Vec<usize> =
                    (0..states.len()).filter(|job| states.get(*job) == Some(&State::Waits)).collect();
                let last = course.last().map(|(job, _)| *job).filter(|job| able.contains(job));
                let planned = schedule.get(course.len()).filter(|job| able.contains(job)).copied();
                differs |= planned.is_none() && course.len() < schedule.len();
                let Some(turn) = planned.or(last).or(able.first().copied()) else { break };
                course.push((turn, able));
                turns.set(turn, State::Runs);
            }
        });
        Run { course, differs }
    }

    /// Switches away from a job that could have gone on, up to a turn.
    fn preemptions(&self, until: usize, turn: usize) -> usize {
        let whose = self.course.iter().take(until).map(|(job, _)| *job).chain([turn]);
        let next = whose.clone().skip(1).zip(self.course.iter().skip(1));
        whose.zip(next).filter(|(last, (next, (_, able)))| last != next && able.contains(last)).count()
    }
}

/// Runs jobs in every order of their operations with so many preemptions at most, and asks after each run whether all is well. The jobs
/// of a run are made anew. Returns how many orders there were.
/// Errors: the first that is not well, with its schedule.
pub fn every_order<'a>(
    preemptions: usize,
    mut jobs: impl FnMut() -> Vec<Job<'a>>,
    mut check: impl FnMut() -> Result<(), String>,
) -> Result<usize, String> {
    let _asked = Asked::begin();
    let (mut left, mut orders) = (vec![Vec::new()], 0);
    while let Some(schedule) = left.pop() {
        let mut tries = 0;
        let run = loop {
            let run = Run::follow(jobs(), &schedule);
            let whose = || run.course.iter().map(|(job, _)| job.to_string()).collect::<String>();
            check().map_err(|why| format!("jobs in the order {}: {why}", whose()))?;
            tries += 1;
            match run.differs {
                false => break run,
                // A lock that a process had by accident makes one do otherwise, once.
                true if tries < 5 => {}
                true => return Err(format!("jobs in the order {}: they do not do the same each time", whose())),
            }
        };
        orders += 1;
        for (at, (turn, able)) in run.course.iter().enumerate().skip(schedule.len()) {
            for other in able.iter().filter(|other| *other != turn && run.preemptions(at, **other) <= preemptions) {
                let before = run.course.iter().take(at).map(|(job, _)| *job);
                left.push(before.chain([*other]).collect());
            }
        }
    }
    Ok(orders)
}
