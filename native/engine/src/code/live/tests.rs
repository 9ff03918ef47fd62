#![allow(clippy::unwrap_used, clippy::indexing_slicing)]

use proptest::prelude::*;

use super::*;
use crate::code::ir::{ClauseId, FnId};

const FRAME: u32 = 6;

fn slot(number: u32) -> Src {
    Src::slot(Slot(number))
}

fn moved(dst: u32, src: u32) -> Instr {
    Instr::Move { dst: Slot(dst), src: slot(src) }
}

fn called(at: u32, len: u32, dst: u32) -> Instr {
    Instr::Call { function: FnId(0), args: Window { at: Slot(at), len }, dst: Slot(dst) }
}

fn liveness(code: &[Instr]) -> Liveness {
    Pass::new(code, 1).run()
}

fn live_at(code: &[Instr], pc: u32) -> Vec<u32> {
    let liveness = liveness(code);
    let live = liveness.at(pc).unwrap();
    (0..FRAME).filter(|slot| live.contains(*slot as usize)).collect()
}

#[test]
fn what_is_read_after_a_call_is_live_and_what_is_not_is_dead() {
    let code = [
        moved(3, 0),
        called(3, 1, 2),
        Instr::Cons { dst: Slot(2), head: slot(1), tail: slot(2) },
        Instr::Return { src: slot(2) },
    ];
    assert_eq!(live_at(&code, 0), [0, 1]);
    assert_eq!(live_at(&code, 2), [1, 2]);
}

#[test]
fn nothing_is_said_of_places_where_nobody_is_suspended() {
    let code = [moved(1, 0), Instr::Return { src: slot(1) }];
    assert!(liveness(&code).at(1).is_none());
}

#[test]
fn what_either_side_of_a_test_reads_is_live() {
    let code = [
        called(4, 0, 3),
        Instr::IsCons { value: slot(3), fail: Label(3) },
        Instr::Return { src: slot(0) },
        Instr::Return { src: slot(1) },
    ];
    assert_eq!(live_at(&code, 1), [0, 1, 3]);
}

#[test]
fn what_a_loop_reads_when_it_comes_round_is_live() {
    let code = [
        called(4, 0, 3),
        Instr::IsTrue { value: slot(3), fail: Label(4) },
        moved(2, 1),
        Instr::Jump { to: Label(0) },
        Instr::Return { src: slot(2) },
    ];
    assert_eq!(live_at(&code, 1), [1, 2, 3]);
    assert_eq!(live_at(&code, 0), [1, 2]);
}

#[test]
fn what_a_handler_reads_is_live_while_it_is_in_force() {
    let at = Slot(3);
    let code = [
        Instr::PushHandler { handler: Label(6), at },
        called(2, 0, 2),
        Instr::MatchFail { reason: slot(2) },
        called(2, 0, 2),
        Instr::PopHandler,
        Instr::Return { src: slot(2) },
        Instr::Cons { dst: Slot(1), head: slot(1), tail: slot(4) },
        Instr::Return { src: slot(1) },
    ];
    // Class, reason and stacktrace come with the exception.
    assert_eq!(live_at(&code, 2), [1, 2]);
    assert_eq!(live_at(&code, 4), [1, 2]);
    assert_eq!(live_at(&code, 0), [1]);
}

#[test]
fn what_an_outer_handler_reads_is_live_where_an_inner_one_is_in_force_and_where_it_runs() {
    let code = [
        Instr::PushHandler { handler: Label(7), at: Slot(2) },
        Instr::PushHandler { handler: Label(4), at: Slot(2) },
        called(5, 0, 5),
        Instr::PopHandler,
        called(5, 0, 5),
        Instr::PopHandler,
        Instr::Return { src: slot(5) },
        Instr::Return { src: slot(0) },
    ];
    assert_eq!(live_at(&code, 3), [0]);
    assert_eq!(live_at(&code, 5), [0, 5]);
}

#[test]
fn a_function_and_its_name_are_read_before_the_arguments() {
    let args = Window { at: Slot(4), len: 1 };
    let code = [called(5, 0, 4), Instr::TailCallNamed { args }];
    assert_eq!(live_at(&code, 1), [2, 3, 4]);
    let code = [called(5, 0, 4), Instr::TailCallFun { args }];
    assert_eq!(live_at(&code, 1), [3, 4]);
}

/// An instruction out of a few numbers: labels are of code that has so many instructions.
fn instruction(length: u32) -> impl Strategy<Value = Instr> {
    let slots = (0..FRAME, 0..FRAME, 0..FRAME);
    let label = (0..length).prop_map(Label);
    prop_oneof![
        3 => slots.clone().prop_map(|(dst, a, b)| Instr::Cons { dst: Slot(dst), head: slot(a), tail: slot(b) }),
        2 => slots.prop_map(|(dst, src, _)| moved(dst, src)),
        3 => (0..FRAME, 0..3u32, 0..FRAME).prop_map(|(at, len, dst)| called(at, len.min(FRAME - at), dst)),
        2 => (0..FRAME, label.clone()).prop_map(|(value, fail)| Instr::IsCons { value: slot(value), fail }),
        1 => label.prop_map(|to| Instr::Jump { to }),
        1 => (0..FRAME).prop_map(|src| Instr::Return { src: slot(src) }),
        1 => Just(Instr::Enter { clause: ClauseId(0) }),
    ]
}

fn program() -> impl Strategy<Value = Vec<Instr>> {
    (2..24u32).prop_flat_map(|length| {
        let body = prop::collection::vec(instruction(length), length as usize - 1);
        body.prop_map(|mut code| {
            code.push(Instr::Return { src: slot(0) });
            code
        })
    })
}

/// What the instructions on some way through the code read, of values that stand for where they were written. A way is what the bits say at tests.
fn read(code: &[Instr], poisoned: bool, ways: u64) -> Vec<Option<u32>> {
    let liveness = liveness(code);
    let mut frame: Vec<Option<u32>> = (0..FRAME).map(|_| Some(u32::MAX)).collect();
    let (mut pc, mut ways, mut seen) = (0, ways, Vec::new());
    for step in 0..200 {
        let Some(instr) = code.get(pc) else { break };
        let Access { writes, .. } = access(instr);
        access(instr).each_read(|Slot(slot)| seen.push(frame[slot as usize]));
        pc += 1;
        if let (Instr::Call { .. }, true, Some(live)) = (instr, poisoned, liveness.at(pc as u32)) {
            (0..frame.len()).filter(|slot| !live.contains(*slot)).for_each(|slot| frame[slot] = None);
        }
        writes.into_iter().flatten().for_each(|Slot(slot)| frame[slot as usize] = Some(step));
        match instr {
            Instr::Jump { to } => pc = to.0 as usize,
            Instr::IsCons { fail, .. } => {
                if ways & 1 == 1 {
                    pc = fail.0 as usize;
                }
                ways = ways.rotate_right(1);
            }
            Instr::Return { .. } => break,
            _ => {}
        }
    }
    seen
}

proptest! {
    #[test]
    fn nobody_reads_a_slot_that_was_dead_when_a_call_was_made(code in program(), ways: u64) {
        prop_assert_eq!(read(&code, true, ways), read(&code, false, ways));
    }

    #[test]
    fn a_slot_that_is_live_is_read_on_some_way_before_it_is_written(code in program()) {
        let liveness = liveness(&code);
        for (pc, _) in &liveness.places {
            let live = liveness.at(*pc).unwrap();
            for slot in (0..FRAME as usize).filter(|slot| live.contains(*slot)) {
                prop_assert!(is_read(&code, *pc as usize, slot), "slot {} at {}", slot, pc);
            }
        }
    }
}

fn is_read(code: &[Instr], from: usize, slot: usize) -> bool {
    let (mut rest, mut seen) = (vec![from], vec![false; code.len() + 1]);
    while let Some(pc) = rest.pop() {
        let Some(instr) = code.get(pc).filter(|_| !std::mem::replace(&mut seen[pc], true)) else { continue };
        let (access, mut read) = (access(instr), false);
        access.each_read(|other| read |= other.0 as usize == slot);
        if read {
            return true;
        }
        rest.extend(target(instr).map(|to| to as usize));
        let is_written = access.writes.into_iter().flatten().any(|other| other.0 as usize == slot);
        if super::super::distance::goes_on(instr) && !is_written {
            rest.push(pc + 1);
        }
    }
    false
}

#[test]
fn sets_that_are_equal_are_kept_once() {
    let code: Vec<Instr> = (0..50).map(|_| called(5, 0, 4)).chain([Instr::Return { src: slot(0) }]).collect();
    assert_eq!(liveness(&code).sets.len(), 1);
}
