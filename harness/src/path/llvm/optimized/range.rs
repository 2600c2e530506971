//! The attribute `range(i64 0, 65)` of a result, of which LLVM's C API has no way to read the bounds but LLVM's text,
//! and the metadata `!range !{i64 0, i64 65}` of a load.

use super::c::Object;
use super::{Raiser, Reason};
use crate::optimized::{Range, Type, mask};

impl Raiser<'_, '_> {
    /// The range that the attributes of a function's result, or of a call's, promise.
    pub(super) fn range(&self, object: Object<'_>, is_call: bool) -> Result<Option<Range>, Reason> {
        if !object.has_range(is_call) {
            return Ok(None);
        }
        let text = object.text();
        // The result's attributes stand before the name; an argument's, after it.
        let before = text.split('@').next().unwrap_or_default();
        read(before).map(Some).ok_or_else(|| "the attribute range".into())
    }
}

/// The range that a load's metadata promises. Several in one are unsupported.
pub(super) fn of_load(load: Object<'_>) -> Result<Option<Range>, Reason> {
    let Some(bounds) = load.metadata_operands("range") else { return Ok(None) };
    match (&bounds[..], load.ty().raised()) {
        (&[from, to], Some(Type::Int(bits))) => {
            let bound = |bound: Object<'_>| super::constant::int(bound, bits);
            Ok(Some(Range { from: bound(from)?, to: bound(to)? }))
        }
        _ => Err("load with several !range".into()),
    }
}

/// The first range of a text.
fn read(text: &str) -> Option<Range> {
    let (_, rest) = text.split_once("range(i")?;
    let (inner, _) = rest.split_once(')')?;
    let (bits, bounds) = inner.split_once(' ')?;
    let (from, to) = bounds.split_once(", ")?;
    let ones = mask(bits.parse().ok().filter(|bits| (1..=crate::optimized::WIDEST).contains(bits))?);
    let bound = |text: &str| Some(text.trim().parse::<i128>().ok()? as u128 & ones);
    Some(Range { from: bound(from)?, to: bound(to)? })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_are_read() {
        assert_eq!(read("%1 = call range(i64 0, 65) i64 "), Some(Range { from: 0, to: 65 }));
        let around = Some(Range { from: 255, to: 1 });
        assert_eq!(read("define noundef range(i8 -1, 1) i8 "), around);
        assert_eq!(read("define i64 "), None);
        assert_eq!(read("range(i64 0)"), None);
    }
}
