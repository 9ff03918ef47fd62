//! Functions that are emulated in Erlang when an argument is symbolic.
//!
//! A function whose result in Rust would be concrete may be written again in a module of our own, in plain Erlang, by means of
//! operations that have a symbolic meaning. The machine calls that function, of the same name and arity, in place of the
//! built-in one as soon as an argument, or a part of one, is symbolic. To the program it is the built-in function: exceptions have the
//! reason that the emulation raises, and the built-in function's frame with the arguments it was called with.
//!
//! Rules for such modules: raise with `error(Reason)` just what the built-in function raises; end for every input, with as few decisions
//! as possible; call nothing that has side effects. Called from its own emulation, a function is the built-in one. A function that can be called in a guard is not emulated there: it is concrete.

use std::sync::LazyLock;

use rustc_hash::FxHashMap;

use super::mfa;
use crate::code::ir::Mfa;

/// A module of emulations, and what it emulates.
struct Prelude {
    module: &'static str,
    functions: &'static [(&'static str, &'static str, usize)],
}

const PRELUDES: &[Prelude] = &[
    Prelude {
        module: "cuter_prelude_binary",
        functions: &[
            ("binary", "match", 2),
            ("binary", "match", 3),
            ("binary", "matches", 2),
            ("binary", "matches", 3),
            ("binary", "split", 2),
            ("binary", "split", 3),
            ("binary", "compile_pattern", 1),
            ("binary", "copy", 2),
            ("binary", "decode_unsigned", 1),
            ("binary", "decode_unsigned", 2),
            ("binary", "encode_unsigned", 1),
            ("binary", "encode_unsigned", 2),
            ("binary", "longest_common_prefix", 1),
            ("binary", "longest_common_suffix", 1),
            ("erlang", "binary_to_list", 3),
            ("erlang", "binary_to_integer", 1),
            ("erlang", "binary_to_integer", 2),
            ("erlang", "integer_to_binary", 1),
            ("erlang", "integer_to_binary", 2),
        ],
    },
    Prelude {
        module: "cuter_prelude_text",
        functions: &[
            ("erlang", "integer_to_list", 1),
            ("erlang", "integer_to_list", 2),
            ("erlang", "list_to_integer", 1),
            ("erlang", "list_to_integer", 2),
            ("erlang", "list_to_float", 1),
            ("erlang", "binary_to_float", 1),
            ("erlang", "atom_to_binary", 2),
            ("erlang", "binary_to_atom", 2),
            ("erlang", "list_to_existing_atom", 1),
            ("erlang", "binary_to_existing_atom", 2),
        ],
    },
    Prelude {
        module: "cuter_prelude_unicode",
        functions: &[
            ("unicode", "bin_is_7bit", 1),
            ("unicode", "characters_to_binary", 2),
            ("unicode", "characters_to_list", 2),
        ],
    },
    // Called where the program looks for the server, symbolic or not.
    Prelude { module: "cuter_prelude_timer", functions: &[] },
    // Called where something symbolic is printed.
    Prelude { module: "cuter_prelude_io", functions: &[] },
];

/// What looks at something to be printed, and sends it to the device.
pub fn look_at_printed() -> Mfa {
    mfa("cuter_prelude_io", "send", 2)
}

/// What starts a server of the run, and returns its process.
pub fn start_of_server() -> Mfa {
    mfa("cuter_prelude_timer", "whereis", 1)
}

static EMULATED: LazyLock<FxHashMap<Mfa, Mfa>> = LazyLock::new(|| {
    let each = |prelude: &'static Prelude| {
        let pair = |(module, name, arity): &(&str, &str, usize)| {
            (mfa(module, name, *arity), mfa(prelude.module, name, *arity))
        };
        prelude.functions.iter().map(pair)
    };
    PRELUDES.iter().flat_map(each).collect()
});

/// The function that stands in for another one.
pub fn emulation(of: Mfa) -> Option<Mfa> {
    EMULATED.get(&of).copied()
}

/// Whether functions of a module are for the emulations only.
pub fn is_module(name: &str) -> bool {
    PRELUDES.iter().any(|prelude| prelude.module == name)
}

/// The emulated functions, for tables and tests.
pub fn emulated() -> impl Iterator<Item = Mfa> {
    EMULATED.keys().copied()
}
