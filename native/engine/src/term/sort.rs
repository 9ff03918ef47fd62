//! Sorting by an order that may break off.
//!
//! Comparisons of terms can give up ([`super::effort`]), and then contradict each other. The sort of the standard library may panic at that, this one
//! leaves some order.

use std::cmp::Ordering;

/// Equal items stay in the order in which they are.
pub fn sort_by<T: Copy>(items: &mut [T], mut order: impl FnMut(&T, &T) -> Ordering) {
    sort(items, &mut Vec::new(), &mut order);
}

fn sort<T: Copy>(items: &mut [T], merged: &mut Vec<T>, order: &mut impl FnMut(&T, &T) -> Ordering) {
    if items.len() < 2 {
        return;
    }
    let (left, right) = items.split_at_mut(items.len() / 2);
    sort(left, merged, order);
    sort(right, merged, order);
    if let (Some(last), Some(first)) = (left.last(), right.first())
        && order(last, first).is_le()
    {
        return;
    }
    let (mut left, mut right) = (&*left, &*right);
    merged.clear();
    while let (Some((x, rest_left)), Some((y, rest_right))) = (left.split_first(), right.split_first()) {
        if order(x, y).is_gt() {
            merged.push(*y);
            right = rest_right;
        } else {
            merged.push(*x);
            left = rest_left;
        }
    }
    merged.extend_from_slice(left);
    merged.extend_from_slice(right);
    items.copy_from_slice(merged);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_sorts_as_the_standard_library_does() {
        for count in [0_u64, 1, 2, 3, 10, 1000] {
            let items: Vec<(u64, u64)> = (0..count).map(|n| (n * 7919 % 101, n)).collect();
            let (mut sorted, mut expected) = (items.clone(), items);
            sort_by(&mut sorted, |x, y| x.0.cmp(&y.0));
            expected.sort_by_key(|item| item.0);
            assert_eq!(sorted, expected);
        }
    }

    #[test]
    fn an_order_that_contradicts_itself_gives_some_order() {
        let mut items: Vec<u32> = (0..1000).collect();
        let mut state = 1_u32;
        sort_by(&mut items, |_, _| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            [Ordering::Less, Ordering::Equal, Ordering::Greater]
                .into_iter()
                .cycle()
                .nth((state >> 16) as usize % 3)
                .unwrap_or(Ordering::Equal)
        });
        items.sort_unstable();
        assert!(items.into_iter().eq(0..1000));
    }
}
