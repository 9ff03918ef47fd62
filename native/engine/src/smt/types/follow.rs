//! What the types of maps and funs say, for the keys that maps are asked for and the calls that are made.
//!
//! A map of a type that has a key has it by one of the associations, and what it has for the key is of that one's type. So a key that the type does
//! not know is one that the map does not have. Where the size matters too, all keys that the map must have are asked for, and all
//! that it can have if these are few literals: then the size is their number.

use indexmap::IndexSet;
use rustc_hash::FxBuildHasher;
use z3::ast::{Ast, Bool, Datatype, Int};

use super::{Demand, Result, TypeFacts};
use crate::smt::encode::{Encoder, integer};
use crate::smt::funs::Asked as Call;
use crate::smt::map_facts::{Asked, MapFacts};
use crate::smt::sorts::{Shape, Sorts};
use crate::types::keys::Literal;
use crate::types::{Association, Node, Presence, TypeId, Types};

/// The most keys that are asked for because the type has them.
pub(super) const LITERALS: usize = 16;

/// A map or fun that is of a type if the truth value holds.
#[derive(Clone)]
pub(super) struct Typed {
    pub(super) number: Int,
    pub(super) id: TypeId,
    pub(super) holds: Bool,
}

/// How much of each list has been gone through, all with all.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
struct Done {
    maps: usize,
    asked: usize,
    sized: usize,
    funs: usize,
    calls: usize,
}

#[derive(Default)]
pub(super) struct Followed {
    pub(super) maps: Vec<Typed>,
    pub(super) funs: Vec<Typed>,
    done: Done,
    /// Maps, by their place in the list, of whose keys it has been said which they have at least.
    begun: IndexSet<usize, FxBuildHasher>,
    /// Maps that have been asked for all the keys they must have.
    pub(super) complete: IndexSet<usize, FxBuildHasher>,
    /// Funs and calls that only a model showed to belong together, by their places in the lists.
    pub(super) joined: IndexSet<(usize, usize), FxBuildHasher>,
}

#[derive(Clone, Copy, Default)]
pub(super) struct FollowMark {
    maps: usize,
    funs: usize,
    done: Done,
    begun: usize,
    complete: usize,
    joined: usize,
}

/// What a type has to be followed to.
enum Task {
    Key(usize, Datatype),
    Size(usize),
    Result(usize, Datatype),
    /// A call, by its place in the list.
    Call(usize),
}

impl Followed {
    pub(super) fn mark(&self) -> FollowMark {
        FollowMark {
            maps: self.maps.len(),
            funs: self.funs.len(),
            done: self.done,
            begun: self.begun.len(),
            complete: self.complete.len(),
            joined: self.joined.len(),
        }
    }

    pub(super) fn undo(&mut self, mark: FollowMark) {
        self.maps.truncate(mark.maps);
        self.funs.truncate(mark.funs);
        self.done = mark.done;
        self.begun.truncate(mark.begun);
        self.complete.truncate(mark.complete);
        self.joined.truncate(mark.joined);
    }

    pub(super) fn add_map(&mut self, sorts: &Sorts, (place, id): &Demand, holds: Bool) -> Result<()> {
        self.maps.push(Typed { number: sorts.id(Shape::Map, place)?, id: *id, holds });
        Ok(())
    }

    pub(super) fn add_fun(&mut self, sorts: &Sorts, (place, id): &Demand, holds: Bool) -> Result<()> {
        self.funs.push(Typed { number: sorts.id(Shape::Fun, place)?, id: *id, holds });
        Ok(())
    }

    /// Pairs that have come up since the last time.
    fn news(&mut self, maps: &MapFacts, calls: &[Call]) -> Vec<Task> {
        let old = self.done;
        self.done = Done {
            maps: self.maps.len(),
            asked: maps.asked().len(),
            sized: maps.sized().len(),
            funs: self.funs.len(),
            calls: calls.len(),
        };
        let mut news = Vec::new();
        if old == self.done {
            return news;
        }
        for (at, typed) in self.maps.iter().enumerate() {
            let (asked, sized) = if at < old.maps { (old.asked, old.sized) } else { (0, 0) };
            let keys = maps.asked().iter().skip(asked).filter(|asked| asked.map == typed.number);
            news.extend(keys.map(|asked| Task::Key(at, asked.key.clone())));
            let is_sized = maps.sized().iter().skip(sized).any(|map| *map == typed.number);
            news.extend(is_sized.then_some(Task::Size(at)));
        }
        news.extend((old.calls..calls.len()).map(Task::Call));
        for (at, typed) in self.funs.iter().enumerate() {
            let from = if at < old.funs { old.calls } else { 0 };
            let own = calls.iter().skip(from).filter(|call| *call.fun() == typed.number);
            news.extend(own.filter_map(Call::result).map(|result| Task::Result(at, result.clone())));
        }
        news
    }
}

impl TypeFacts {
    /// Says what types say about the keys and calls that have been asked for since the last time.
    pub(in crate::smt) fn follow(
        &mut self,
        encoder: &mut Encoder,
        maps: &mut MapFacts,
        calls: &[Call],
        axioms: &mut Vec<Bool>,
    ) -> Result<()> {
        let Some(signature) = self.signature.clone() else { return Ok(()) };
        loop {
            let news = self.followed.news(maps, calls);
            if news.is_empty() {
                return Ok(());
            }
            let mut says = Says { facts: self, encoder, maps, types: &signature.types, axioms };
            for task in news {
                match task {
                    Task::Key(at, key) => says.key(at, &key)?,
                    Task::Size(at) => says.size(at)?,
                    Task::Result(at, result) => says.result(at, &result, None)?,
                    Task::Call(at) => says.call(calls, at)?,
                }
            }
        }
    }
}

/// Facts under way.
pub(super) struct Says<'a> {
    pub(super) facts: &'a mut TypeFacts,
    pub(super) encoder: &'a mut Encoder,
    pub(super) maps: &'a mut MapFacts,
    pub(super) types: &'a Types,
    pub(super) axioms: &'a mut Vec<Bool>,
}

impl<'a> Says<'a> {
    pub(super) fn typed(&self, at: usize) -> Option<(Typed, &'a [Association])> {
        let typed = self.facts.followed.maps.get(at)?.clone();
        match self.types.node(typed.id) {
            Node::Map(associations) => Some((typed, associations)),
            _ => None,
        }
    }

    pub(super) fn literal(&mut self, literal: &Literal) -> Result<Datatype> {
        let sorts = std::rc::Rc::clone(&self.encoder.sorts);
        match literal {
            Literal::Atom(atom) => self.encoder.atom(*atom),
            Literal::Nil => sorts.make(Shape::Nil, &[]),
            Literal::Int(int) => sorts.make(Shape::Int, &[&integer(int)?]),
        }
    }

    pub(super) fn ask(&mut self, map: &Int, key: &Datatype) -> Result<()> {
        let asked = Asked { map: map.clone(), key: key.clone() };
        self.maps.ask(self.encoder, asked, self.axioms)
    }

    /// A key that a typed map is asked for.
    fn key(&mut self, at: usize, key: &Datatype) -> Result<()> {
        let Some((typed, associations)) = self.typed(at) else { return Ok(()) };
        let has = self.encoder.functions.has(&typed.number, key)?;
        let value = self.encoder.functions.get(&typed.number, key)?;
        let cases = self.cases(associations, key, &value)?;
        self.axioms.push(Bool::and(&[typed.holds.clone(), has.clone()]).implies(Bool::or(&cases)));
        for literal in self.types.mandatory_keys(associations) {
            let same = key.eq(&self.literal(&literal)?).simplify();
            if same.as_bool() != Some(false) {
                self.axioms.push(Bool::and(&[typed.holds.clone(), same]).implies(&has));
            }
        }
        // Where there are other types it could be of, the keys that it must have tell which it is.
        let alternatives = self.facts.followed.maps.iter().filter(|other| other.number == typed.number);
        if alternatives.count() > 1 { self.complete(at) } else { self.begin(at) }
    }

    /// The ways for a map to have a key: one for each association that the key can belong to.
    fn cases(&mut self, associations: &[Association], key: &Datatype, value: &Datatype) -> Result<Vec<Bool>> {
        let mut cases = Vec::new();
        let mut before: Vec<TypeId> = Vec::new();
        for item in associations {
            let is_key = self.key_of(key, item.key)?;
            if is_key.as_bool() == Some(false) {
                continue;
            }
            let mut all = vec![is_key.clone()];
            for other in before.iter().filter(|other| self.types.tags(**other).meets(self.types.tags(item.key))) {
                all.push(self.facts.outside(self.encoder, self.types, key, *other)?);
            }
            let known = self.facts.demands.len();
            all.push(self.facts.demand(self.encoder, self.types, value, item.value)?);
            self.facts.settle(self.encoder, self.types, known, self.axioms)?;
            cases.push(Bool::and(&all));
            if is_key.as_bool() == Some(true) {
                break;
            }
            before.push(item.key);
        }
        Ok(cases)
    }

    /// That a key is of a type, with what that means.
    pub(super) fn key_of(&mut self, key: &Datatype, id: TypeId) -> Result<Bool> {
        let is_key = self.facts.demand(self.encoder, self.types, key, id)?.simplify();
        self.facts.mention_whole(self.encoder, key, self.axioms)?;
        Ok(is_key)
    }

    /// Mandatory associations with more than one key: the map has one of them.
    pub(super) fn begin(&mut self, at: usize) -> Result<()> {
        if !self.facts.followed.begun.insert(at) {
            return Ok(());
        }
        let Some((typed, associations)) = self.typed(at) else { return Ok(()) };
        for (place, item) in associations.iter().enumerate() {
            if item.presence == Presence::Optional || self.types.literal(item.key).is_some() {
                continue;
            }
            match self.types.literals(item.key, LITERALS) {
                Some(literals) => self.one_of(&typed, associations, (place, &literals))?,
                None => self.some_key(&typed, associations, place)?,
            }
        }
        Ok(())
    }

    fn one_of(&mut self, typed: &Typed, all: &[Association], (place, keys): (usize, &[Literal])) -> Result<()> {
        let mut any = Vec::new();
        for literal in keys.iter().filter(|key| self.types.owner(all, key) == Some(place)) {
            let key = self.literal(literal)?;
            any.push(self.encoder.functions.has(&typed.number, &key)?);
            self.ask(&typed.number, &key)?;
        }
        self.axioms.push(typed.holds.implies(Bool::or(&any)));
        Ok(())
    }

    /// A key of an association that the map has, whichever it is.
    fn some_key(&mut self, typed: &Typed, all: &[Association], place: usize) -> Result<()> {
        let Some(item) = all.get(place) else { return Ok(()) };
        let key = self.facts.fresh_term(self.encoder);
        let is_key = self.key_of(&key, item.key)?;
        self.axioms.push(is_key);
        let mut known = vec![self.encoder.functions.has(&typed.number, &key)?];
        let before = all.iter().take(place);
        for other in before.filter(|other| self.types.tags(other.key).meets(self.types.tags(item.key))) {
            known.push(self.facts.outside(self.encoder, self.types, &key, other.key)?);
        }
        self.axioms.push(typed.holds.implies(Bool::and(&known)));
        self.ask(&typed.number, &key)
    }

    /// Asks a map for all keys that it must have.
    pub(super) fn complete(&mut self, at: usize) -> Result<()> {
        if !self.facts.followed.complete.insert(at) {
            return Ok(());
        }
        let Some((typed, associations)) = self.typed(at) else { return Ok(()) };
        for literal in self.types.mandatory_keys(associations) {
            let key = self.literal(&literal)?;
            self.ask(&typed.number, &key)?;
            let value = self.encoder.functions.get(&typed.number, &key)?;
            self.facts.mention(self.encoder, &value, self.axioms)?;
        }
        self.begin(at)
    }

    /// The size of a typed map matters.
    fn size(&mut self, at: usize) -> Result<()> {
        let Some((typed, associations)) = self.typed(at) else { return Ok(()) };
        self.complete(at)?;
        let size = self.encoder.functions.size(&typed.number)?;
        if let Some(keys) = self.types.closed_keys(associations, LITERALS) {
            let mut counted = Vec::new();
            for (literal, _) in keys {
                let key = self.literal(&literal)?;
                self.ask(&typed.number, &key)?;
                let has = self.encoder.functions.has(&typed.number, &key)?;
                counted.push(has.ite(&Int::from_u64(1), &Int::from_u64(0)));
            }
            let sum = if counted.is_empty() { Int::from_u64(0) } else { Int::add(&counted) };
            self.axioms.push(typed.holds.implies(size.eq(sum)));
            return Ok(());
        }
        let (fewest, most) = self.types.map_sizes(associations);
        self.axioms.push(typed.holds.implies(size.ge(fewest as u64)));
        if let Some(most) = most {
            self.axioms.push(typed.holds.implies(size.le(integer(&most)?)));
        }
        Ok(())
    }

    /// What a typed fun returns for some call, if a condition holds.
    pub(super) fn result(&mut self, at: usize, result: &Datatype, condition: Option<Bool>) -> Result<()> {
        let Some(typed) = self.facts.followed.funs.get(at).cloned() else { return Ok(()) };
        let Node::Fun { result: id, .. } = self.types.node(typed.id) else { return Ok(()) };
        // A fun that never returns is taken for one whose results do not matter.
        if self.types.height(*id).is_none() {
            return Ok(());
        }
        let known = self.facts.demands.len();
        let is = self.facts.demand(self.encoder, self.types, result, *id)?;
        self.facts.settle(self.encoder, self.types, known, self.axioms)?;
        let holds = match condition {
            Some(condition) => Bool::and(&[typed.holds, condition]),
            None => typed.holds,
        };
        self.axioms.push(holds.implies(is));
        Ok(())
    }

    /// A call depends on the whole of its arguments. Maps among them are told apart from those of other calls, and have all the keys they must have.
    fn call(&mut self, calls: &[Call], at: usize) -> Result<()> {
        let Some(call @ Call::Call { args, .. }) = calls.get(at) else { return Ok(()) };
        for (index, arg) in args.iter().enumerate() {
            self.facts.mention_whole(self.encoder, arg, self.axioms)?;
            let number = self.encoder.sorts.id(Shape::Map, arg)?;
            let typed = self.facts.followed.maps.iter().enumerate().filter(|(_, typed)| typed.number == number);
            let typed: Vec<usize> = typed.map(|(at, _)| at).collect();
            if typed.is_empty() {
                continue;
            }
            typed.into_iter().try_for_each(|at| self.complete(at))?;
            let others = calls.iter().take(at).filter(|other| other.fun() == call.fun());
            let others: Vec<&Datatype> = others.filter_map(|other| other.args().get(index)).collect();
            for other in others.into_iter().filter(|other| *other != arg) {
                self.maps.compare(self.encoder, (arg.clone(), other.clone()), self.axioms)?;
            }
        }
        Ok(())
    }
}
