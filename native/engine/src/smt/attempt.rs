//! Checks within limits: of what Z3 counts, of time, and as long as the answer is wanted.

use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use z3::{Params, SatResult};

use super::session::Session;

/// The resources of a first attempt, in Z3's own units: some tens of milliseconds. A time limit needs a timer for each check, which costs
/// a third of all the time, so only questions that are too hard for the first attempt are asked again with one.
const FIRST_ATTEMPT: u32 = 200_000;

/// How often a question that Z3 does not know the answer to is asked again, with other choices by chance.
const SEEDS: u32 = 4;

/// With more quotients than this a question has no first attempt: one can take seconds.
const MANY_QUOTIENTS: usize = 6;

/// How often a hard question is looked at whether it is still wanted.
const LOOK: Duration = Duration::from_millis(20);

/// Z3's word for having given up because of its memory.
pub(super) const OUT_OF_MEMORY: &str = "memout";

impl Session {
    pub(super) fn check_in_time(&self, deadline: Option<Instant>) -> SatResult {
        let left = deadline.map_or(u128::MAX, |end| end.saturating_duration_since(Instant::now()).as_millis());
        if left == 0 {
            return SatResult::Unknown;
        }
        // What is counted says little about the time that sums over many bits, or many quotients, take.
        let is_hard = self.facts.bitwise > 0 || self.facts.quotients > MANY_QUOTIENTS;
        let first = if is_hard { SatResult::Unknown } else { self.solver.check() };
        match first {
            SatResult::Unknown => self.check_patiently(u128::from(self.limits.timeout_ms).min(left) as u64),
            known @ (SatResult::Sat | SatResult::Unsat) => known,
        }
    }

    /// A check with a time limit. Z3 may be at a loss long before: it makes its choices by chance, so it is asked again with others.
    fn check_patiently(&self, timeout_ms: u64) -> SatResult {
        let end = Instant::now() + Duration::from_millis(timeout_ms);
        let mut result = SatResult::Unknown;
        for seed in 0..SEEDS {
            let left = end.saturating_duration_since(Instant::now()).as_millis() as u32;
            if left == 0 || self.unwanted.load(Ordering::SeqCst) {
                break;
            }
            self.solver.set_params(&second_attempt(left, seed));
            result = self.check_while_wanted();
            if result != SatResult::Unknown || self.is_out_of_memory() {
                break;
            }
        }
        self.solver.set_params(&first_attempt());
        result
    }

    /// A check that somebody watches over: it is interrupted when its answer is not wanted any more.
    fn check_while_wanted(&self) -> SatResult {
        let context = z3::Context::thread_local();
        let handle = context.handle();
        let done = AtomicBool::new(false);
        let unwanted = &*self.unwanted;
        thread::scope(|scope| {
            let watcher = scope.spawn(|| {
                while !done.load(Ordering::SeqCst) {
                    if unwanted.load(Ordering::SeqCst) {
                        handle.interrupt();
                    }
                    thread::park_timeout(LOOK);
                }
            });
            let result = self.solver.check();
            done.store(true, Ordering::SeqCst);
            watcher.thread().unpark();
            result
        })
    }

    fn is_out_of_memory(&self) -> bool {
        self.solver.get_reason_unknown().as_deref() == Some(OUT_OF_MEMORY)
    }
}

/// Limits on what is counted, not on time.
pub(super) fn first_attempt() -> Params {
    let mut params = common_params();
    params.set_u32("rlimit", FIRST_ATTEMPT);
    params.set_u32("random_seed", 0);
    params.set_u32("timeout", u32::MAX);
    params
}

fn second_attempt(timeout_ms: u32, seed: u32) -> Params {
    let mut params = common_params();
    params.set_u32("rlimit", 0);
    params.set_u32("random_seed", seed);
    params.set_u32("timeout", timeout_ms);
    params
}

/// Z3's solver is two in one. After an answer "unknown" of the incremental one it would start the other, past all limits: that one is
/// up to 400 times slower besides, and never wanted.
fn common_params() -> Params {
    let mut params = within_a_host();
    params.set_bool("ignore_solver1", true);
    params.set_u32("solver2_unknown", 0);
    params
}

/// Unless told otherwise Z3 has its own handler of SIGINT during each check: what the VM or the NIF does with an interrupt would be lost,
/// and two threads that check at once may leave the handler of one behind for good.
pub(super) fn within_a_host() -> Params {
    let mut params = Params::new();
    params.set_bool("ctrl_c", false);
    params
}
