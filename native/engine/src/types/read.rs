//! A signature from the term that the VM's side sends.

use num_bigint::BigInt;

use super::{Association, Clause, Node, Presence, Signature, TypeId, Types};
use crate::term::map::{self, Map};
use crate::term::{AtomId, Heap, Value};

/// What was not understood.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("the signature has a part that is none: {0}")]
pub struct BadSignature(String);

type Result<T> = std::result::Result<T, BadSignature>;

/// `#{clauses := [{[Ref], Ref}], types := tuple()}`
pub fn signature(heap: &Heap, value: Value) -> Result<Signature> {
    let mut reader = Reader { heap, types: 0 };
    let nodes = reader.tuple(reader.field(value, "types")?)?;
    reader.types = nodes.len();
    let types = Types::new(nodes.into_iter().map(|node| reader.node(node)).collect::<Result<_>>()?);
    let clauses = reader.list(reader.field(value, "clauses")?)?;
    let clauses = clauses.into_iter().map(|clause| reader.clause(clause)).collect::<Result<_>>()?;
    Ok(Signature { types, clauses })
}

struct Reader<'a> {
    heap: &'a Heap,
    /// How many types there are to refer to.
    types: usize,
}

impl Reader<'_> {
    fn bad<T>(&self, value: Value) -> Result<T> {
        Err(BadSignature(crate::term::print::term_to_string(self.heap, value)))
    }

    fn field(&self, value: Value, key: &str) -> Result<Value> {
        let key = Value::atom(AtomId::intern(key));
        match Map::of(self.heap, value).and_then(|map| map::get(self.heap, map, key)) {
            Some(field) => Ok(field),
            None => self.bad(value),
        }
    }

    fn tuple(&self, value: Value) -> Result<Vec<Value>> {
        match self.heap.tuple_arity(value) {
            Some(arity) => Ok((0..arity).map(|index| self.heap.element(value, index)).collect()),
            None => self.bad(value),
        }
    }

    fn list(&self, value: Value) -> Result<Vec<Value>> {
        let mut items = Vec::new();
        let mut rest = value;
        while rest.is_cons() {
            items.push(self.heap.head(rest));
            rest = self.heap.tail(rest);
        }
        if rest.is_nil() { Ok(items) } else { self.bad(value) }
    }

    fn number(&self, value: Value) -> Result<u64> {
        match self.heap.integer(value).map(u64::try_from) {
            Some(Ok(number)) => Ok(number),
            Some(Err(_)) | None => self.bad(value),
        }
    }

    fn reference(&self, value: Value) -> Result<TypeId> {
        match u32::try_from(self.number(value)?) {
            Ok(number) if (number as usize) < self.types => Ok(TypeId(number)),
            Ok(_) | Err(_) => self.bad(value),
        }
    }

    fn references(&self, value: Value) -> Result<Vec<TypeId>> {
        self.list(value)?.into_iter().map(|item| self.reference(item)).collect()
    }

    fn clause(&self, value: Value) -> Result<Clause> {
        match self.tuple(value)?.as_slice() {
            [args, result] => Ok(Clause { args: self.references(*args)?, result: self.reference(*result)? }),
            _ => self.bad(value),
        }
    }

    fn node(&self, value: Value) -> Result<Node> {
        if value.is_atom() {
            return self.plain(value);
        }
        let fields = self.tuple(value)?;
        let tag = fields.first().filter(|tag| tag.is_atom()).map(|tag| tag.as_atom().name());
        match (tag.as_deref(), fields.get(1..).unwrap_or(&[])) {
            (Some("integer"), [low, high]) => {
                Ok(Node::Integer { low: self.bound(*low, "neg_inf")?, high: self.bound(*high, "pos_inf")? })
            }
            (Some("atom"), [atom]) if atom.is_atom() => Ok(Node::Atom(atom.as_atom())),
            (Some("cons"), [head, tail]) => Ok(Node::Cons(self.reference(*head)?, self.reference(*tail)?)),
            (Some("tuple"), [elements]) => Ok(Node::Tuple(self.references(*elements)?)),
            (Some("bits"), [size, unit]) => Ok(Node::Bits { size: self.number(*size)?, unit: self.number(*unit)? }),
            (Some("map"), [list]) => {
                Ok(Node::Map(self.list(*list)?.into_iter().map(|item| self.association(item)).collect::<Result<_>>()?))
            }
            (Some("fun"), [args, result]) => {
                let any = args.is_atom();
                let args = if any { None } else { Some(self.references(*args)?) };
                Ok(Node::Fun { args, result: self.reference(*result)? })
            }
            (Some("union"), [parts]) => Ok(Node::Union(self.references(*parts)?)),
            _ => self.bad(value),
        }
    }

    fn plain(&self, value: Value) -> Result<Node> {
        Ok(match &*value.as_atom().name() {
            "any" => Node::Any,
            "none" => Node::None,
            "float" => Node::Float,
            "atom" => Node::AnyAtom,
            "nil" => Node::Nil,
            "tuple" => Node::AnyTuple,
            "pid" => Node::Pid,
            "port" => Node::Port,
            "reference" => Node::Reference,
            _ => return self.bad(value),
        })
    }

    /// An integer, or the atom that stands for no bound.
    fn bound(&self, value: Value, open: &str) -> Result<Option<BigInt>> {
        match self.heap.integer(value) {
            None if value == Value::atom(AtomId::intern(open)) => Ok(None),
            None => self.bad(value),
            bound => Ok(bound),
        }
    }

    fn association(&self, value: Value) -> Result<Association> {
        let fields = self.tuple(value)?;
        let [presence, key, element] = fields.as_slice() else { return self.bad(value) };
        let presence = if *presence == Value::atom(AtomId::intern("mandatory")) {
            Presence::Mandatory
        } else {
            Presence::Optional
        };
        Ok(Association { presence, key: self.reference(*key)?, value: self.reference(*element)? })
    }
}
