//! Walks over expressions.
//!
//! Expressions share their parts, so each is looked at once; they can be deep, so no walk calls itself.

use std::convert::Infallible;
use std::iter;

use rustc_hash::FxHashSet;

use super::arena::{Arena, SymId};
use super::expr::Expr;

impl Arena {
    /// What some expressions are made of, themselves among them, each once.
    pub fn parts(&self, roots: impl IntoIterator<Item = SymId>) -> impl Iterator<Item = SymId> + '_ {
        self.parts_down_to(roots, |_| false)
    }

    /// The same, but not what those are made of that are an end.
    pub fn parts_down_to<'a>(
        &'a self,
        roots: impl IntoIterator<Item = SymId>,
        is_end: impl Fn(SymId) -> bool + 'a,
    ) -> impl Iterator<Item = SymId> + 'a {
        let mut rest: Vec<SymId> = roots.into_iter().collect();
        let mut seen: FxHashSet<SymId> = FxHashSet::default();
        iter::from_fn(move || {
            let id = iter::from_fn(|| rest.pop()).find(|id| seen.insert(*id))?;
            if !is_end(id) {
                rest.extend(self.get(id).children());
            }
            Some(id)
        })
    }

    /// Visits an expression after all that it is made of. What the visitor knows already is not visited again.
    pub fn parts_first<V>(
        &self,
        id: SymId,
        visitor: &mut V,
        is_known: impl Fn(&V, SymId) -> bool,
        mut visit: impl FnMut(&mut V, SymId),
    ) {
        let visit = |visitor: &mut V, id| {
            visit(visitor, id);
            Ok::<(), Infallible>(())
        };
        let Ok(()) = self.try_parts_first(id, visitor, is_known, visit);
    }

    /// The same, up to the first error.
    pub fn try_parts_first<V, E>(
        &self,
        id: SymId,
        visitor: &mut V,
        is_known: impl Fn(&V, SymId) -> bool,
        mut visit: impl FnMut(&mut V, SymId) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut stack = vec![id];
        while let Some(top) = stack.last().copied() {
            let below = stack.len();
            if !is_known(visitor, top) {
                stack.extend(self.get(top).children().filter(|child| !is_known(visitor, *child)));
                if stack.len() > below {
                    continue;
                }
                visit(visitor, top)?;
            }
            stack.pop();
        }
        Ok(())
    }

    /// The terms that a part of a list or of a tuple is in, from the inside out.
    pub fn wholes(&self, part: SymId) -> impl Iterator<Item = SymId> + '_ {
        iter::successors(self.whole(part), |at| self.whole(*at))
    }

    fn whole(&self, part: SymId) -> Option<SymId> {
        match self.get(part) {
            Expr::Head(whole) | Expr::Tail(whole) | Expr::Element(whole, _) => Some(*whole),
            _ => None,
        }
    }

    /// Which expressions, by their numbers, depend on the terms at some places of the inputs. Other parts of the lists and tuples that these are in
    /// do not.
    pub fn dependents(&self, places: &[SymId]) -> Vec<bool> {
        let mut depends = vec![false; self.len()];
        for place in places {
            for at in self.wholes(*place).chain([*place]) {
                depends.get_mut(at.number() as usize).into_iter().for_each(|one| *one = true);
            }
        }
        // A child always has a smaller number than its parent.
        for number in 0..depends.len() {
            let expr = self.get(SymId::from_number(number as u32));
            if matches!(expr, Expr::Head(_) | Expr::Tail(_) | Expr::Element(..)) {
                continue;
            }
            let inherits = expr.children().any(|child| depends.get(child.number() as usize) == Some(&true));
            depends.get_mut(number).into_iter().for_each(|one| *one |= inherits);
        }
        depends
    }

    /// Whether an expression is an input, or a part of one that lists and tuples lead to.
    pub fn is_place(&self, id: SymId) -> bool {
        let outermost = self.wholes(id).last().unwrap_or(id);
        matches!(self.get(outermost), Expr::Input(_))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shared_part_is_walked_once_and_before_what_it_is_in() {
        let mut arena = Arena::default();
        let input = arena.input(0);
        let mut sum = arena.int_of(input);
        // 2^64 ways lead from the last sum to the first integer.
        for _ in 0..64 {
            let product = arena.mul(sum, sum);
            sum = arena.add(product, sum);
        }
        let mut parts: Vec<SymId> = arena.parts([sum, input]).collect();
        parts.sort_unstable();
        let mut visited: Vec<SymId> = Vec::new();
        arena.parts_first(sum, &mut visited, |known, id| known.contains(&id), |known, id| known.push(id));
        assert!(visited.is_sorted());
        assert_eq!(parts, visited);
    }

    #[test]
    fn neighbours_in_a_list_do_not_depend_on_each_other() {
        let mut arena = Arena::default();
        let list = arena.input(0);
        let (head, tail) = (arena.head(list), arena.tail(list));
        let (first, rest) = (arena.int_of(head), arena.head(tail));
        let second = arena.int_of(rest);
        let (sum, square) = (arena.add(first, second), arena.mul(second, second));
        let depends = arena.dependents(&[head]);
        let of = |ids: &[SymId]| ids.iter().map(|id| depends.get(id.number() as usize).copied()).collect::<Vec<_>>();
        assert_eq!(of(&[list, head, first, sum]), [Some(true); 4]);
        assert_eq!(of(&[tail, rest, second, square]), [Some(false); 4]);
    }

    #[test]
    fn the_parts_of_an_end_are_left_out() {
        let mut arena = Arena::default();
        let input = arena.input(0);
        let head = arena.head(input);
        let int = arena.int_of(head);
        let parts: Vec<SymId> = arena.parts_down_to([int], |id| id == head).collect();
        assert_eq!(parts, [int, head]);
        assert!(arena.is_place(head) && !arena.is_place(int));
        assert_eq!(arena.wholes(head).collect::<Vec<_>>(), [input]);
    }
}
