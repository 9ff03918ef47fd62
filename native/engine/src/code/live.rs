//! Which slots of a frame are read again, from the places on where a function can be suspended.
//!
//! What is found contains every slot that some way through the function reads before it writes it; the other way round it may contain more. Inside of a `try`,
//! what its handler reads counts as read, since every instruction there may raise. The code of one function is looked at when it is first
//! asked for, which is when a collection finds it on a stack: most functions never are.

use rustc_hash::FxHashMap;

use super::ir::{BitsSegment, BitsSize, Function, Instr, Label, Operand, Slot, Src, Window};

/// Words of work that a function is worth. In a larger one, everything counts as read.
const MOST: usize = 1 << 20;

/// The slots that are read from some places of a function on.
#[derive(Debug, Default)]
pub struct Liveness {
    /// Positions, ascending, and the number of the set of each.
    places: Box<[(u32, u32)]>,
    /// Bits, so many words for each set.
    sets: Box<[u64]>,
    width: usize,
}

/// A set of slots.
#[derive(Clone, Copy)]
pub struct Live<'l>(&'l [u64]);

impl Live<'_> {
    pub const NONE: Live<'static> = Live(&[]);

    #[inline]
    pub fn contains(self, slot: usize) -> bool {
        self.0.get(slot / 64).is_some_and(|word| word & (1 << (slot % 64)) != 0)
    }
}

impl Liveness {
    pub fn of(function: &Function) -> Self {
        let width = (function.frame as usize).div_ceil(64).max(1);
        if function.code.len().saturating_mul(width) > MOST {
            return Liveness::default();
        }
        Pass::new(&function.code, width).run()
    }

    /// What is read from a position on; all slots, if nothing is known of it.
    pub fn at(&self, pc: u32) -> Option<Live<'_>> {
        let place = self.places.binary_search_by_key(&pc, |(pc, _)| *pc).ok()?;
        let (_, set) = self.places.get(place)?;
        let from = *set as usize * self.width;
        self.sets.get(from..from + self.width).map(Live)
    }
}

/// One look through the code from its end to its beginning, and more of them if there are jumps back.
struct Pass<'f> {
    code: &'f [Instr],
    width: usize,
    /// Positions that are jumped to, ascending, and what is live at each.
    targets: Vec<u32>,
    at_targets: Vec<Vec<u64>>,
    /// What is live before the instruction at hand.
    live: Vec<u64>,
    /// The handlers in force there, by their `PushHandler`; the innermost is last.
    handlers: Vec<(Label, Slot)>,
    places: Vec<(u32, u32)>,
    sets: Vec<u64>,
    numbers: FxHashMap<Vec<u64>, u32>,
}

impl<'f> Pass<'f> {
    fn new(code: &'f [Instr], width: usize) -> Self {
        let mut targets: Vec<u32> = code.iter().filter_map(target).collect();
        targets.sort_unstable();
        targets.dedup();
        Pass {
            code,
            width,
            at_targets: vec![vec![0; width]; targets.len()],
            targets,
            live: vec![0; width],
            handlers: Vec::new(),
            places: Vec::new(),
            sets: Vec::new(),
            numbers: FxHashMap::default(),
        }
    }

    fn run(mut self) -> Liveness {
        let pops = matching_handlers(self.code);
        while self.look(&pops) {}
        self.places.reverse();
        Liveness { places: self.places.into(), sets: self.sets.into(), width: self.width }
    }

    /// True if more has been found to be live at a target that was asked for before.
    fn look(&mut self, pops: &FxHashMap<usize, (Label, Slot)>) -> bool {
        self.places.clear();
        self.live.fill(0);
        let mut target = self.targets.len();
        let mut again = false;
        // Those that instructions seen so far have asked for.
        let mut first_asked = u32::MAX;
        for (pc, instr) in self.code.iter().enumerate().rev() {
            self.instruction(pc, instr, pops);
            first_asked = first_asked.min(self::target(instr).unwrap_or(u32::MAX));
            let Some(place) = target.checked_sub(1).filter(|place| self.targets.get(*place) == Some(&(pc as u32)))
            else {
                continue;
            };
            target = place;
            if let Some(known) = self.at_targets.get_mut(place)
                && *known != self.live
            {
                again |= first_asked <= pc as u32;
                known.clone_from(&self.live);
            }
        }
        self.note(0);
        again
    }

    /// From what is live after an instruction to what is live before it.
    fn instruction(&mut self, pc: usize, instr: &Instr, pops: &FxHashMap<usize, (Label, Slot)>) {
        if !super::distance::goes_on(instr) {
            self.live.fill(0);
        }
        if suspends(instr) {
            self.note(pc as u32 + 1);
        }
        self.handlers.extend(pops.get(&pc));
        let access = access(instr);
        access.writes.into_iter().flatten().for_each(|slot| self.kill(slot));
        if matches!(instr, Instr::PushHandler { .. }) {
            self.handlers.pop();
        } else if let Some(to) = target(instr) {
            self.join(to, None);
        }
        if let Some((Label(to), at)) = self.handlers.last().copied() {
            self.join(to, Some(at));
        }
        access.each_read(|slot| self.read(slot));
    }

    fn kill(&mut self, Slot(slot): Slot) {
        if let Some(word) = self.live.get_mut(slot as usize / 64) {
            *word &= !(1 << (slot % 64));
        }
    }

    fn read(&mut self, Slot(slot): Slot) {
        if let Some(word) = self.live.get_mut(slot as usize / 64) {
            *word |= 1 << (slot % 64);
        }
    }

    /// What is live at a target is live here. A handler gets three slots from the exception.
    fn join(&mut self, to: u32, handler: Option<Slot>) {
        let Ok(place) = self.targets.binary_search(&to) else { return };
        let given = handler.map_or(0..0, |Slot(at)| at..at + 3);
        let Some(there) = self.at_targets.get(place) else { return };
        for (index, (word, more)) in self.live.iter_mut().zip(there).enumerate() {
            let mut more = *more;
            for slot in given.clone().filter(|slot| *slot as usize / 64 == index) {
                more &= !(1 << (slot % 64));
            }
            *word |= more;
        }
    }

    /// The function can be suspended before this position.
    fn note(&mut self, pc: u32) {
        let next = self.numbers.len() as u32;
        let number = match self.numbers.get(&self.live) {
            Some(known) => *known,
            None => {
                self.sets.extend_from_slice(&self.live);
                self.numbers.insert(self.live.clone(), next);
                next
            }
        };
        self.places.push((pc, number));
    }
}

fn target(instr: &Instr) -> Option<u32> {
    instr.label().filter(|label| *label != Label::RAISE).map(|Label(to)| to)
}

/// The handler that each `PopHandler` ends. They are nested as they stand in the code.
fn matching_handlers(code: &[Instr]) -> FxHashMap<usize, (Label, Slot)> {
    let mut open = Vec::new();
    let mut pops = FxHashMap::default();
    for (pc, instr) in code.iter().enumerate() {
        if let Instr::PushHandler { handler, at } = instr {
            open.push((*handler, *at));
        } else if matches!(instr, Instr::PopHandler) {
            pops.extend(open.pop().map(|handler| (pc, handler)));
        }
    }
    pops
}

/// Instructions after which a function goes on when others have run.
fn suspends(instr: &Instr) -> bool {
    matches!(
        instr,
        Instr::Call { .. }
            | Instr::CallRemote { .. }
            | Instr::CallFun { .. }
            | Instr::CallNamed { .. }
            | Instr::Apply { .. }
            | Instr::Bif { fail: Label::RAISE, .. }
            | Instr::WaitTimeout { .. }
    )
}

/// The slots that an instruction has to do with.
#[derive(Default)]
struct Access<'i> {
    writes: [Option<Slot>; 2],
    reads: [Option<Src>; 2],
    window: Option<Window>,
    plan: &'i [BitsSegment],
}

impl Access<'_> {
    fn each_read(&self, mut read: impl FnMut(Slot)) {
        let of_segment = |segment: &BitsSegment| {
            let size = match segment.size {
                BitsSize::Units(src) => Some(src),
                BitsSize::Fixed(_) | BitsSize::All => None,
            };
            [Some(segment.value), size]
        };
        let sources = self.reads.into_iter().chain(self.plan.iter().flat_map(of_segment));
        for src in sources.flatten() {
            match src.operand() {
                Operand::Slot(slot) => read(Slot(slot as u32)),
                Operand::Constant(_) => {}
            }
        }
        let window = self.window.map_or(0..0, |window| window.at.0..window.at.0 + window.len);
        window.map(Slot).for_each(read);
    }

    fn writing(self, slot: Slot) -> Self {
        Access { writes: [Some(slot), None], ..self }
    }

    fn and(self, src: Src) -> Self {
        let [first, _] = self.reads;
        Access { reads: [first, Some(src)], ..self }
    }
}

fn reading<'i>(src: Src) -> Access<'i> {
    Access { reads: [Some(src), None], ..Access::default() }
}

/// So many slots from a place on.
fn slots<'i>(Slot(at): Slot, len: u32) -> Access<'i> {
    Access { window: Some(Window { at: Slot(at), len }), ..Access::default() }
}

/// The arguments of a call and what stands before them.
fn call<'i>(args: Window, before: u32) -> Access<'i> {
    slots(Slot(args.at.0.saturating_sub(before)), args.len + before)
}

fn access(instr: &Instr) -> Access<'_> {
    match instr {
        Instr::Move { dst, src } => reading(*src).writing(*dst),
        Instr::Cons { dst, head, tail } => reading(*head).and(*tail).writing(*dst),
        Instr::Tuple { dst, elements } => call(*elements, 0).writing(*dst),
        Instr::NewMap { dst, pairs } => call(*pairs, 0).writing(*dst),
        Instr::UpdateMap { dst, map, pairs, .. } => call(*pairs, 0).and(*map).writing(*dst),
        Instr::Closure { dst, captured, .. } => call(*captured, 0).writing(*dst),
        Instr::IsCons { value, .. }
        | Instr::IsTuple { value, .. }
        | Instr::IsTrue { value, .. }
        | Instr::IsType { value, .. } => reading(*value),
        Instr::IsLiteral { value, literal, .. } => reading(*value).and(*literal),
        Instr::Compare { a, b, .. } => reading(*a).and(*b),
        Instr::Head { dst, cons } | Instr::Tail { dst, cons } => reading(*cons).writing(*dst),
        Instr::Element { dst, tuple, .. } => reading(*tuple).writing(*dst),
        Instr::MapElement { dst, map, key, .. } => reading(*map).and(*key).writing(*dst),
        Instr::BitsStart { value, at, .. } => Access { writes: [Some(*at), Some(Slot(at.0 + 1))], ..reading(*value) },
        Instr::BitsInteger { dst, at, .. } | Instr::BitsRest { dst, at, .. } => slots(*at, 2).writing(*dst),
        Instr::BitsTake { dst, at, size, .. } => slots(*at, 2).and(*size).writing(*dst),
        Instr::BitsSkip { at, size, .. } => slots(*at, 2).and(*size),
        Instr::BitsUnits { at, .. } | Instr::BitsEnd { at, .. } => slots(*at, 2),
        Instr::BitsLiteral { at, literal, .. } => slots(*at, 2).and(*literal),
        Instr::BitsBuild { dst, plan, .. } => Access { plan: &plan.segments, ..Access::default() }.writing(*dst),
        Instr::BitsWritable { dst, room } => reading(*room).writing(*dst),
        Instr::Arithmetic { dst, a, b, .. } => reading(*a).and(*b).writing(*dst),
        Instr::Bif { dst, args, .. } => call(*args, 0).writing(*dst),
        Instr::Call { args, dst, .. } | Instr::CallRemote { args, dst, .. } | Instr::Apply { args, dst } => {
            call(*args, 0).writing(*dst)
        }
        Instr::TailCall { args, .. } | Instr::TailCallRemote { args, .. } | Instr::TailApply { args } => call(*args, 0),
        Instr::CallFun { args, dst } => call(*args, 1).writing(*dst),
        Instr::TailCallFun { args } => call(*args, 1),
        Instr::CallNamed { args, dst } => call(*args, 2).writing(*dst),
        Instr::TailCallNamed { args } => call(*args, 2),
        Instr::Return { src } => reading(*src),
        Instr::Caught { dst, at } => slots(*at, 3).writing(*dst),
        Instr::BuildTrace { dst, raw } => reading(*raw).writing(*dst),
        Instr::Reraise { trace, reason } => reading(*trace).and(*reason),
        Instr::RawRaise { dst, args } => call(*args, 0).writing(*dst),
        Instr::MatchFail { reason } => reading(*reason),
        Instr::SkipOlder { than } => reading(*than),
        Instr::PeekMessage { found, message } => Access { writes: [Some(*found), Some(*message)], ..Access::default() },
        Instr::WaitTimeout { dst, timeout } => reading(*timeout).writing(*dst),
        Instr::Jump { .. }
        | Instr::Enter { .. }
        | Instr::PushHandler { .. }
        | Instr::PopHandler
        | Instr::NextMessage
        | Instr::RemoveMessage
        | Instr::Unsupported { .. } => Access::default(),
    }
}

#[cfg(test)]
mod tests;
