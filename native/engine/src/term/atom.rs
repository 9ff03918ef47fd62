//! Atoms: names interned once for the whole process.
//!
//! NIF calls move between the VM's scheduler threads and literals are shared by all workers, so the table is process-global and
//! only grows, as the VM's own does. The atoms that the engine itself names have fixed numbers.

use std::cmp::Ordering;
use std::fmt;
use std::sync::{Arc, LazyLock, OnceLock};

use indexmap::IndexSet;
use parking_lot::RwLock;
use rustc_hash::{FxBuildHasher, FxHashMap};

/// The number of an atom.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct AtomId(pub(crate) u32);

type Table = IndexSet<Arc<str>, FxBuildHasher>;

static TABLE: LazyLock<RwLock<Table>> =
    LazyLock::new(|| RwLock::new(FIXED.iter().map(|name| Arc::from(*name)).collect()));

/// Where the atom of a name stands among all that the VM has come to know, the oldest first. It gets to know this one, if it can.
pub type Registry = fn(&str) -> Option<u64>;

static REGISTRY: OnceLock<Registry> = OnceLock::new();
static AGES: LazyLock<RwLock<FxHashMap<AtomId, u64>>> = LazyLock::new(RwLock::default);

/// With more atoms than this, programs make no others.
const MOST: usize = 1 << 19;

/// Younger than all atoms that the VM knows.
const UNKNOWN: u64 = 1 << 62;

/// Says whom to ask for the ages of atoms. Only the first word counts.
pub fn set_registry(registry: Registry) {
    let _ = REGISTRY.set(registry);
}

macro_rules! fixed_atoms {
    ($($constant:ident = $name:literal),* $(,)?) => {
        #[allow(non_camel_case_types, clippy::upper_case_acronyms)]
        #[repr(u32)]
        enum Fixed { $($constant),* }
        const FIXED: &[&str] = &[$($name),*];
        impl AtomId {
            $(pub const $constant: AtomId = AtomId(Fixed::$constant as u32);)*
        }
    };
}

fixed_atoms! {
    FALSE = "false", TRUE = "true", OK = "ok", ERROR = "error", EXIT = "exit", THROW = "throw",
    UNDEFINED = "undefined", EMPTY = "",
    BADARG = "badarg", BADARITH = "badarith", BADMATCH = "badmatch", BADFUN = "badfun", BADARITY = "badarity",
    BADMAP = "badmap", BADKEY = "badkey", BADRECORD = "badrecord",
    CASE_CLAUSE = "case_clause", FUNCTION_CLAUSE = "function_clause", IF_CLAUSE = "if_clause", TRY_CLAUSE = "try_clause",
    ELSE_CLAUSE = "else_clause", UNDEF = "undef", SYSTEM_LIMIT = "system_limit", NOCATCH = "nocatch",
    EXIT_TAG = "EXIT", FILE = "file", LINE = "line", ERROR_INFO = "error_info", ERLANG = "erlang", LISTS = "lists",
    INFINITY = "infinity", NORMAL = "normal", KILL = "kill", VALUE = "value", NODE = "nonode@nohost",
}

impl AtomId {
    /// The atom of this name, made if need be.
    pub fn intern(name: &str) -> Self {
        if let Some(index) = TABLE.read().get_index_of(name) {
            return AtomId(index as u32);
        }
        let (index, _) = TABLE.write().insert_full(Arc::from(name));
        AtomId(index as u32)
    }

    /// The atom of a name that a program has put together. None if there are so many already that it may go on like that without end: atoms
    /// stay for as long as the VM lives, which has room for twice as many and ends when that is used up.
    pub fn made(name: &str) -> Option<Self> {
        let may_be_made = {
            let table = TABLE.read();
            table.len() < MOST || table.contains(name)
        };
        may_be_made.then(|| AtomId::intern(name))
    }

    pub fn name(self) -> Arc<str> {
        TABLE.read().get_index(self.0 as usize).cloned().unwrap_or_else(|| Arc::from(""))
    }

    /// By the code points of the names, which is the order of UTF-8.
    pub fn compare_names(self, other: Self) -> Ordering {
        if self == other {
            return Ordering::Equal;
        }
        let table = TABLE.read();
        table.get_index(self.0 as usize).cmp(&table.get_index(other.0 as usize))
    }

    /// When the VM came to know it, compared with others. If it does not, that is when the engine did.
    pub fn age(self) -> u64 {
        if let Some(age) = AGES.read().get(&self) {
            return *age;
        }
        match REGISTRY.get().and_then(|registry| registry(&self.name())) {
            Some(age) => *AGES.write().entry(self).or_insert(age),
            None => UNKNOWN + u64::from(self.0),
        }
    }

    pub const fn number(self) -> u32 {
        self.0
    }

    /// The atom of a number, if there is one: the way back from a solver's model.
    pub fn from_number(number: u32) -> Option<Self> {
        ((number as usize) < TABLE.read().len()).then_some(AtomId(number))
    }

    pub const fn boolean(b: bool) -> Self {
        if b { AtomId::TRUE } else { AtomId::FALSE }
    }
}

impl fmt::Display for AtomId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name())
    }
}

impl fmt::Debug for AtomId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "'{}'", self.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_make_atoms_that_nobody_knew() {
        let made = AtomId::made("an atom of this test alone");
        assert_eq!(made, Some(AtomId::intern("an atom of this test alone")));
    }

    #[test]
    fn fixed_atoms_have_the_names_they_say() {
        assert_eq!(&*AtomId::FALSE.name(), "false");
        assert_eq!(&*AtomId::NODE.name(), "nonode@nohost");
        assert_eq!(AtomId::intern("function_clause"), AtomId::FUNCTION_CLAUSE);
    }

    #[test]
    fn one_name_is_one_number() {
        assert_eq!(AtomId::intern("some atom"), AtomId::intern("some atom"));
        assert_ne!(AtomId::intern("some atom"), AtomId::intern("another atom"));
    }
}
