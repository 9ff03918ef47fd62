//! Snapshots of code that stay after their session, for those that load the same.
//!
//! A snapshot is known by what was loaded into it, in this order. A session that goes the same way gets the snapshot that is there instead of
//! reading and lowering the code again: the functions of a project are explored one after the other, and most begin with the same
//! modules.

use std::array;
use std::collections::VecDeque;
use std::hash::{BuildHasher, Hash, RandomState};
use std::sync::{Arc, LazyLock};

use parking_lot::Mutex;

use super::registry::CodeView;

/// How many snapshots are kept, and how many instructions the functions in them may have. Those of one session share their functions, so
/// this counts more than there is.
const MOST: usize = 32;
const MOST_INSTRUCTIONS: usize = 4_000_000;

static KEYS: LazyLock<[RandomState; 2]> = LazyLock::new(|| array::from_fn(|_| RandomState::new()));

static KEPT: Mutex<Kept> = Mutex::new(Kept(VecDeque::new()));

/// Those that were last used last.
struct Kept(VecDeque<(Way, Arc<CodeView>)>);

/// What has been loaded: a hash of 128 bits under random keys.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub(super) struct Way([u64; 2]);

impl Way {
    /// The way from here with something more.
    pub(super) fn then(self, more: impl Hash) -> Self {
        Way(array::from_fn(|at| KEYS.get(at).map_or(0, |key| key.hash_one((self.0, &more)))))
    }

    /// The snapshot that this way has led to before.
    pub(super) fn snapshot(self) -> Option<Arc<CodeView>> {
        KEPT.lock().snapshot(self)
    }

    pub(super) fn keep(self, view: &Arc<CodeView>) {
        // Code is given back when the lock is free again.
        let gone = KEPT.lock().keep(self, view);
        drop(gone);
    }
}

impl Kept {
    fn snapshot(&mut self, way: Way) -> Option<Arc<CodeView>> {
        let place = self.0.iter().position(|(known, _)| *known == way)?;
        let found = self.0.remove(place)?;
        let view = Arc::clone(&found.1);
        self.0.push_back(found);
        Some(view)
    }

    /// The result is what has no room any more.
    fn keep(&mut self, way: Way, view: &Arc<CodeView>) -> Vec<(Way, Arc<CodeView>)> {
        self.0.push_back((way, Arc::clone(view)));
        let mut room = MOST_INSTRUCTIONS;
        let fits = |(_, view): &&(Way, Arc<CodeView>)| {
            let size = view.instructions();
            let fits = size <= room;
            room = room.saturating_sub(size);
            fits
        };
        let too_many = self.0.len() - self.0.iter().rev().take(MOST).take_while(fits).count();
        self.0.drain(..too_many).collect()
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn a_snapshot_is_known_by_what_was_loaded_in_which_order() {
        let (mut kept, view) = (Kept(VecDeque::new()), Arc::new(CodeView::default()));
        let way = |steps: [&str; 2]| steps.into_iter().fold(Way::default(), |way, step| way.then(step));
        assert!(kept.keep(way(["first", "second"]), &view).is_empty());
        assert!(Arc::ptr_eq(&kept.snapshot(way(["first", "second"])).unwrap(), &view));
        assert!(kept.snapshot(way(["second", "first"])).is_none());
        assert!(kept.snapshot(Way::default().then("first")).is_none());
    }

    #[test]
    fn the_one_that_was_not_used_for_longest_goes() {
        let mut kept = Kept(VecDeque::new());
        let way = |number: usize| Way::default().then(number);
        let mut keep = |number| kept.keep(way(number), &Arc::new(CodeView::default()));
        assert!((0..MOST).all(|number| keep(number).is_empty()));
        assert!(kept.snapshot(way(0)).is_some());
        let gone = kept.keep(way(MOST), &Arc::new(CodeView::default()));
        assert!(gone.iter().map(|(way, _)| *way).eq([way(1)]));
    }
}
