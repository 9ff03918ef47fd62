//! The term library against the real BEAM, which makes random terms and says how it orders, prints and encodes them.
//!
//! Needs `erl` and `erlc` on the PATH.
#![allow(clippy::unwrap_used, clippy::indexing_slicing, clippy::panic)]

use std::cmp::Ordering;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::LazyLock;

use cuter_engine::release;
use cuter_engine::term::map::{self, Map};
use cuter_engine::term::{AtomId, Bits, Heap, Literals, Value, View, bits, etf, hash, order};
use cuter_engine::term::{Packed, term_to_string};

const COUNT: usize = 2000;

/// Made once for all tests.
static SAMPLES: LazyLock<Samples> = LazyLock::new(Samples::of_the_beam);

/// What the BEAM said, in a heap: a tuple as `term_samples:write/2` describes it.
struct Samples {
    heap: Heap,
    root: Value,
    file: PathBuf,
}

impl Samples {
    fn of_the_beam() -> Self {
        let directory = Path::new(env!("CARGO_TARGET_TMPDIR")).join("term_beam");
        std::fs::create_dir_all(&directory).unwrap();
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/term_beam/term_samples.erl");
        run(Command::new("erlc").arg("-o").arg(&directory).arg(source));
        let file = directory.join("samples.etf");
        erl(&directory, &format!("ok = term_samples:write({file:?}, {COUNT})"));
        let number = directory.join("release");
        erl(&directory, &format!("ok = file:write_file({number:?}, erlang:system_info(otp_release))"));
        let number = std::fs::read_to_string(number).unwrap();
        release::set(number.parse().unwrap());
        let mut heap = Heap::new(Literals::default());
        let root = etf::decode(&mut heap, &std::fs::read(&file).unwrap()).unwrap();
        Samples { heap, root, file }
    }

    fn list(&self, field: usize) -> Vec<Value> {
        let mut list = self.heap.element(self.root, field);
        let mut elements = Vec::new();
        while list.is_cons() {
            elements.push(self.heap.head(list));
            list = self.heap.tail(list);
        }
        elements
    }

    fn fields<const N: usize>(&self, tuple: Value) -> [Value; N] {
        assert_eq!(self.heap.tuple_arity(tuple), Some(N));
        std::array::from_fn(|index| self.heap.element(tuple, index))
    }

    fn bytes(&self, value: Value) -> Vec<u8> {
        bits::to_bytes(&self.heap, self.bits(value))
    }

    fn bits(&self, value: Value) -> Bits {
        match self.heap.view(value) {
            View::Bits(bits) => bits,
            other => panic!("not a binary: {other:?}"),
        }
    }

    /// Whether the engine knows in which order the VM has the parts of the term: from OTP 26 on that of a map's atoms is the VM's own.
    fn has_known_order(&self, value: Value) -> bool {
        let mut todo = vec![value];
        while let Some(value) = todo.pop() {
            match self.heap.view(value) {
                View::Cons(_) => todo.extend([self.heap.head(value), self.heap.tail(value)]),
                View::Tuple(_, arity) => todo.extend((0..arity).map(|index| self.heap.element(value, index))),
                View::Map(..) => {
                    let pairs = map::pairs(&self.heap, Map::of(&self.heap, value).unwrap());
                    if pairs.iter().filter(|(key, _)| key.is_atom()).count() > 1 {
                        return release::maps_order_atoms_by_name();
                    }
                    todo.extend(pairs.into_iter().flat_map(|(key, value)| [key, value]));
                }
                _ => {}
            }
        }
        true
    }

    /// The samples that can be compared by the order of their parts.
    fn ordered(&self) -> Vec<Value> {
        let samples: Vec<Value> =
            self.list(0).into_iter().filter(|sample| self.has_known_order(self.heap.element(*sample, 0))).collect();
        assert!(samples.len() > COUNT / 2, "{}", samples.len());
        samples
    }

    fn print(&self, value: Value) -> String {
        term_to_string(&self.heap, value)
    }
}

fn erl(directory: &Path, expression: &str) {
    let program = format!("{expression}, halt().");
    let mut command = Command::new("erl");
    command.env("ERL_CRASH_DUMP_BYTES", "0").arg("-noshell").arg("-pa").arg(directory);
    run(command.args(["-eval", &program]));
}

fn run(command: &mut Command) {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(output.status.success(), "{command:?}: {output:?}");
}

#[test]
fn terms_are_encoded_as_the_beam_encodes_them() {
    let samples = &*SAMPLES;
    assert_eq!(samples.list(0).len(), COUNT);
    for sample in samples.ordered() {
        let [term, bytes, _] = samples.fields(sample);
        let expected = samples.bytes(bytes);
        assert_eq!(etf::encode(&samples.heap, term).unwrap(), expected, "{}", samples.print(term));
    }
}

#[test]
fn terms_are_printed_as_the_beam_prints_them() {
    let samples = &*SAMPLES;
    for sample in samples.ordered() {
        let [term, _, text] = samples.fields(sample);
        assert_eq!(samples.print(term), String::from_utf8(samples.bytes(text)).unwrap());
    }
    for sample in samples.list(4) {
        let [float, text] = samples.fields(sample);
        assert_eq!(samples.print(float), String::from_utf8(samples.bytes(text)).unwrap());
    }
}

#[test]
fn terms_are_sorted_as_the_beam_sorts_them() {
    let samples = &*SAMPLES;
    let mut terms: Vec<Value> = samples.list(0).into_iter().map(|sample| samples.heap.element(sample, 0)).collect();
    terms.sort_by(|a, b| order::compare(&samples.heap, *a, *b));
    let expected = samples.list(1);
    assert_eq!(terms.len(), expected.len());
    for (ours, theirs) in terms.into_iter().zip(expected) {
        let same = order::equal(&samples.heap, ours, theirs);
        assert!(same, "{} where {} is due", samples.print(ours), samples.print(theirs));
    }
}

#[test]
fn pairs_compare_as_the_beam_compares_them() {
    let samples = &*SAMPLES;
    let heap = &samples.heap;
    for pair in samples.list(2) {
        let [a, b, less, equal, identical, less_as_key] = samples.fields(pair);
        let what = format!("{} and {}", samples.print(a), samples.print(b));
        let order = order::compare(heap, a, b);
        let exact = order::compare_exact(heap, a, b);
        assert_eq!(Value::boolean(order == Ordering::Less), less, "{what}: <");
        assert_eq!(Value::boolean(order::equal(heap, a, b)), equal, "{what}: ==");
        assert_eq!(Value::boolean(order::identical(heap, a, b)), identical, "{what}: =:=");
        assert_eq!(Value::boolean(exact == Ordering::Less), less_as_key, "{what}: as keys");
        if identical == Value::atom(AtomId::TRUE) {
            assert_eq!(hash::hash(heap, a), hash::hash(heap, b), "{what}: hash");
        }
    }
}

#[test]
fn the_beam_reads_back_the_same_terms_also_large_maps() {
    let samples = &*SAMPLES;
    assert_eq!(samples.list(3).len(), 20);
    let (packed, root) = Packed::pack(&samples.heap, samples.root).open();
    let copy = samples.file.with_file_name("copy.etf");
    std::fs::write(&copy, etf::encode(&packed, root).unwrap()).unwrap();
    let directory = samples.file.parent().unwrap();
    erl(directory, &format!("true = term_samples:compare({:?}, {copy:?})", samples.file));
}
