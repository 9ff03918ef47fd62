//! Functions that Z3 knows by examples only.
//!
//! To Z3 such a function is any function at all, with what holds of it at some points: first at a few that are likely to do, then at those that
//! models came up with. A model is only good if the conditions hold for what the functions really are.

use num_bigint::BigInt;
use rustc_hash::FxHashSet;
use z3::ast::{Ast, Bool, Dynamic, Int, Real};

use super::decode::{big, float as nearest};
use super::encode::{Encoder, Result, float, integer};
use super::sorts::Shape;
use super::{Model, Question};
use crate::sym::eval::{Denoted, Evaluator};
use crate::sym::{Arena, Expr, Function, SymId};
use crate::term::bits::segment::{float_bits, float_of_bits};
use crate::term::{Heap, Literals, Packed, Value};

/// How often a model is tried that does not agree with the functions.
pub(super) const ROUNDS: usize = 100;

/// Where functions of floats are looked at beforehand.
const POINTS: [f64; 19] =
    [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 10.0, 0.5, 0.1, -0.5, -1.0, -2.0, -3.0, -10.0, 20.0, 100.0, 1000.0, 1.0e6, -100.0];
/// The same for functions of two floats, for each of both.
const FEW_POINTS: usize = 13;
/// How many floats of a question are looked at, with their neighbours.
const CONSTANTS: usize = 20;
/// Hashes of integers from zero on.
const HASHES: i64 = 64;

/// The calls of such functions in a question.
pub(super) fn calls(question: &Question<'_>) -> Vec<SymId> {
    if question.arena.applications() == 0 {
        return Vec::new();
    }
    let is_call = |id: &SymId| matches!(question.arena.get(*id), Expr::Apply(..));
    let mut found: Vec<SymId> = question.parts().filter(is_call).collect();
    found.sort_unstable();
    found
}

/// Whether all of a question's conditions hold for the inputs of a model.
pub(super) fn holds(question: &Question<'_>, model: &Model) -> bool {
    let mut evaluator = evaluator(question.arena, model);
    let mut steps = question.prefix.iter().chain([&question.goal]);
    steps.all(|step| evaluator.holds(step.condition) == Some(step.taken))
}

fn evaluator<'a>(arena: &'a Arena, model: &Model) -> Evaluator<'a> {
    let nothing = Packed::pack(&Heap::new(Literals::default()), Value::NIL);
    let inputs: Vec<Packed> =
        model.inputs.iter().map(|input| input.clone().unwrap_or_else(|| nothing.clone())).collect();
    Evaluator::new(arena, &inputs)
}

/// Examples, and where to look next.
pub(super) struct Learnt {
    pub(super) facts: Vec<Bool>,
    /// That calls have just the arguments that give the results they had in the model.
    pub(super) hints: Vec<Bool>,
}

/// What the functions are for the arguments that they have in a model.
pub(super) fn learn(
    encoder: &mut Encoder,
    question: &Question<'_>,
    calls: &[SymId],
    found: (&z3::Model, &Model),
) -> Result<Learnt> {
    let mut evaluator = evaluator(question.arena, found.1);
    let mut learnt = Learnt { facts: Vec::new(), hints: Vec::new() };
    for id in calls {
        let Expr::Apply(function, args) = question.arena.get(*id) else { continue };
        // A square root has an equation, which examples with their rounding would contradict.
        if *function == Function::Math(crate::sym::function::Math::Sqrt) {
            continue;
        }
        let value = evaluator.value(*id);
        encoder.encode(question.arena, *id)?;
        let args = args.iter().map(|arg| encoder.dynamic(*arg)).collect::<Result<Vec<_>>>()?;
        if let Some((point, value)) = inverse(encoder, *function, *id, found.0)? {
            learnt.facts.extend(example(encoder, *function, &point, &value)?);
            learnt.facts.extend(in_order(encoder, *function, *id, &(point.clone(), value))?);
            learnt.hints.extend(args.iter().zip(&point).map(|(arg, value)| arg.eq(value)));
        }
        let Some(value) = value else { continue };
        let Some(args) = args.iter().map(|arg| found.0.eval(arg, true)).collect::<Option<Vec<_>>>() else { continue };
        learnt.facts.extend(example(encoder, *function, &args, &value)?);
    }
    Ok(learnt)
}

/// Arguments of a function with its result there.
type Point = (Vec<Dynamic>, Denoted);

/// Of bits and floats it is also known which argument gives the result that a model has.
fn inverse(encoder: &Encoder, function: Function, id: SymId, model: &z3::Model) -> Result<Option<Point>> {
    let pair = match function {
        Function::FloatOfBits(size) => {
            model.eval(encoder.real(id)?, true).and_then(|real| with_bits(nearest(&real), size))
        }
        Function::BitsOfFloat(size) => model.eval(encoder.int(id)?, true).and_then(|bits| {
            let bits = u64::try_from(big(&bits)).ok()?;
            Some((bits, float_of_bits(bits, size as usize)?))
        }),
        Function::Hash | Function::Math(_) => None,
    };
    pair.map(|(bits, float)| bits_point(function, bits, float)).transpose()
}

/// The bits of a float, and the float that they are: rounded to what so few bits can hold.
fn with_bits(float: f64, size: u32) -> Option<(u64, f64)> {
    let bits = float_bits(float, size as usize)?;
    Some((bits, float_of_bits(bits, size as usize)?))
}

/// Floats and their bits are in the same order, or in the opposite one below zero: held against a point of another sign than zero.
fn in_order(encoder: &Encoder, function: Function, id: SymId, point: &Point) -> Result<Vec<Bool>> {
    let call = encoder.dynamic(id)?;
    let (Some(arg), Some(at)) = (call.nth_child(0), point.0.first()) else { return Ok(Vec::new()) };
    let (size, bits, float, at_bits, at_float) = match (function, &point.1) {
        (Function::FloatOfBits(size), Denoted::Real(result)) => {
            (size, arg.as_int(), call.as_real(), at.as_int(), Some(real(*result)?))
        }
        (Function::BitsOfFloat(size), Denoted::Int(result)) => {
            (size, call.as_int(), arg.as_real(), Some(integer(result)?), at.as_real())
        }
        (Function::FloatOfBits(_) | Function::BitsOfFloat(_) | Function::Hash | Function::Math(_), _) => {
            return Ok(Vec::new());
        }
    };
    let (Some(bits), Some(float), Some(at_bits), Some(at_float)) = (bits, float, at_bits, at_float) else {
        return Ok(Vec::new());
    };
    let value = nearest(&at_float);
    let half = integer(&(BigInt::from(1) << (size - 1)))?;
    Ok(if value > 0.0 {
        vec![
            float.ge(&at_float).implies(bits.ge(&at_bits)),
            float.le(&at_float).implies(Bool::or(&[bits.le(&at_bits), bits.ge(&half)])),
        ]
    } else if value < 0.0 {
        vec![float.le(&at_float).implies(bits.ge(&at_bits)), float.ge(&at_float).implies(bits.le(&at_bits))]
    } else {
        Vec::new()
    })
}

fn bits_point(function: Function, bits: u64, float: f64) -> Result<Point> {
    let bits = BigInt::from(bits);
    Ok(match function {
        Function::FloatOfBits(_) => (vec![integer(&bits)?.into()], Denoted::Real(float + 0.0)),
        Function::BitsOfFloat(_) | Function::Hash | Function::Math(_) => {
            (vec![real(float)?.into()], Denoted::Int(bits))
        }
    })
}

fn example(encoder: &Encoder, function: Function, args: &[Dynamic], value: &Denoted) -> Result<Option<Bool>> {
    // There are two zeros, but one real.
    let zeros = |arg: &Dynamic| arg.as_real().is_some_and(|real| nearest(&real) == 0.0);
    if matches!(function, Function::BitsOfFloat(_)) && args.iter().any(zeros) {
        return Ok(None);
    }
    let call = encoder.call(function, args);
    Ok(match value {
        Denoted::Int(int) => call.as_int().map(|call| Ok(call.eq(integer(int)?))).transpose()?,
        Denoted::Real(real) if real.is_finite() => {
            call.as_real().map(|call| Ok(call.eq(float(real.to_bits())?))).transpose()?
        }
        Denoted::Real(_) | Denoted::Term(_) | Denoted::Bool(_) => None,
    })
}

/// Examples at points chosen beforehand.
pub(super) struct Probes {
    pub(super) facts: Vec<Bool>,
    /// That each call has arguments of an example.
    pub(super) assumptions: Vec<Bool>,
}

pub(super) fn probes(encoder: &mut Encoder, question: &Question<'_>, calls: &[SymId]) -> Result<Probes> {
    let mut probes = Probes { facts: Vec::new(), assumptions: Vec::new() };
    let mut known = FxHashSet::default();
    let constants = constants(question);
    for id in calls {
        let Expr::Apply(function, args) = question.arena.get(*id) else { continue };
        encoder.encode(question.arena, *id)?;
        let args = args.iter().map(|arg| encoder.dynamic(*arg)).collect::<Result<Vec<_>>>()?;
        let points = points(encoder, *function, &constants)?;
        let at_point = |(point, _): &Point| {
            Bool::and(&args.iter().zip(point).map(|(arg, value)| arg.eq(value)).collect::<Vec<_>>())
        };
        for point in &points {
            probes.facts.extend(in_order(encoder, *function, *id, point)?);
        }
        probes.assumptions.push(Bool::or(&points.iter().map(at_point).collect::<Vec<_>>()));
        if *function != Function::Math(crate::sym::function::Math::Sqrt) && known.insert(*function) {
            for (point, value) in &points {
                probes.facts.extend(example(encoder, *function, point, value)?);
            }
        }
    }
    Ok(probes)
}

/// The floats that a question mentions, and some near them.
fn constants(question: &Question<'_>) -> Vec<f64> {
    let floats = question.parts().filter_map(|id| match question.arena.get(id) {
        Expr::Real(bits) => Some(f64::from_bits(*bits)),
        _ => None,
    });
    let near = |float: f64| [float, float + 1.0, float - 1.0, float.next_up(), float.next_down()];
    floats.take(CONSTANTS).flat_map(near).filter(|float| float.is_finite()).collect()
}

/// Points, with the results there.
fn points(encoder: &Encoder, function: Function, constants: &[f64]) -> Result<Vec<Point>> {
    match function {
        Function::Hash => (0..HASHES)
            .map(|number| {
                let term = encoder.sorts.make(Shape::Int, &[&Int::from_i64(number)])?;
                let heap = Heap::new(Literals::default());
                let hash = crate::bif::hash(&heap, Value::count(number as usize)).unwrap_or_default();
                Ok((vec![term.into()], Denoted::Int(BigInt::from(hash))))
            })
            .collect(),
        Function::Math(math) if math.arity() == 1 => {
            let defined = POINTS.into_iter().map(|point| (point, math.of(point, 0.0))).filter(|(_, y)| y.is_finite());
            defined.map(|(point, result)| Ok((vec![real(point)?.into()], Denoted::Real(result)))).collect()
        }
        Function::FloatOfBits(size) => {
            let known = constants.iter().chain(&POINTS).filter_map(|float| with_bits(*float, size));
            known.map(|(bits, float)| bits_point(function, bits, float)).collect()
        }
        Function::BitsOfFloat(size) => {
            let known = constants.iter().chain(&POINTS).filter(|float| **float != 0.0);
            let known = known.filter_map(|float| Some((float_bits(*float, size as usize)?, *float)));
            known.map(|(bits, float)| bits_point(function, bits, float)).collect()
        }
        Function::Math(math) => {
            let few = POINTS.into_iter().take(FEW_POINTS);
            let pairs = few.clone().flat_map(|a| few.clone().map(move |b| (a, b, math.of(a, b))));
            let defined = pairs.filter(|(_, _, result)| result.is_finite());
            defined.map(|(a, b, result)| Ok((vec![real(a)?.into(), real(b)?.into()], Denoted::Real(result)))).collect()
        }
    }
}

fn real(point: f64) -> Result<Real> {
    float((point + 0.0).to_bits())
}
