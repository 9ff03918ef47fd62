//! Threads for workers, kept from one exploration to the next.
//!
//! A context of Z3 belongs to its thread, and making one takes longer than many a whole exploration. So the threads of an exploration that is
//! over wait for the next one, with their contexts. Those that have grown too large, or that nobody has needed for a while, are given up.
//!
//! What Z3 answers depends on what its context was asked before. Several workers find things in an order of their own each time anyway; but one
//! alone does the same each time, and has a context that nobody has used.

use std::time::{Duration, Instant};

use parking_lot::Mutex;
use rayon::{ThreadPool, ThreadPoolBuildError, ThreadPoolBuilder};

/// How many threads may wait altogether.
const WAITING: usize = 16;
/// How long they wait, at most, while others come and go.
const PATIENCE: Duration = Duration::from_secs(60);

struct Waiting {
    pool: ThreadPool,
    since: Instant,
}

static IDLE: Mutex<Vec<Waiting>> = Mutex::new(Vec::new());

/// Does the work on so many threads, each of which is told its number. What it returns tells whether the thread is good for more.
pub(super) fn on_each(count: usize, work: impl Fn() -> bool + Sync) -> Result<(), ThreadPoolBuildError> {
    let shared = count > 1;
    let pool = match shared.then(|| waiting(count)).flatten() {
        Some(pool) => pool,
        None => ThreadPoolBuilder::new()
            .num_threads(count)
            .stack_size(16 << 20)
            .thread_name(|index| format!("cuter-worker-{index}"))
            .build()?,
    };
    if pool.broadcast(|_| work()).into_iter().all(|good| good) && shared {
        keep(pool);
    }
    Ok(())
}

/// A pool of this size that waits, the one that has waited for the shortest time.
fn waiting(count: usize) -> Option<ThreadPool> {
    let mut idle = IDLE.lock();
    let at = idle.iter().rposition(|waiting| waiting.pool.current_num_threads() == count)?;
    Some(idle.remove(at).pool)
}

/// Gives up those that wait, with the memory of their contexts.
pub(super) fn give_up_waiting() {
    let given_up = std::mem::take(&mut *IDLE.lock());
    drop(given_up);
}

fn keep(pool: ThreadPool) {
    let now = Instant::now();
    let mut given_up = Vec::new();
    let mut idle = IDLE.lock();
    idle.push(Waiting { pool, since: now });
    let threads = |idle: &[Waiting]| idle.iter().map(|waiting| waiting.pool.current_num_threads()).sum::<usize>();
    while threads(&idle) > WAITING || idle.first().is_some_and(|first| now - first.since > PATIENCE) {
        given_up.push(idle.remove(0));
    }
    drop(idle);
    // Their threads end without anybody waiting for them.
    drop(given_up);
}
