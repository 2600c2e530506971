//! What the narrowest types are, and that they hold what they are said to.

use super::*;
use crate::case::{Case, Program};
use crate::path::llvm::variants::variants;
use crate::path::{Detail, Path};
use crate::{lab, tiny};

#[test]
fn types_hold_their_own_numbers_and_no_others() {
    assert_eq!(Held::ALL, Held::range(0, 1));
    assert_eq!(Held::SIGNED, Held::range(-1, 1));
    assert_eq!(Held::NONE, Held::range(0, 1 << 32));
    for (index, ty) in TYPES.into_iter().enumerate() {
        let (least, most) = match ty.signed {
            true => (-1_i64 << (ty.bits - 1), (1_i64 << (ty.bits - 1)) - 1),
            false => (0, (1_i64 << ty.bits) - 1),
        };
        let holds = |value| Held::range(value, value).0 >> index & 1 == 1;
        assert!(holds(least) && holds(most) && !holds(least - 1) && !holds(most + 1), "{ty:?}");
    }
}

/// Each operation on numbers around the ends of the types: the type that it is said to have gives the result back.
#[test]
fn a_result_is_what_its_carrier_makes_of_its_low_bits() {
    let mut numbers = vec![0, 1, -1, 2, 7, i64::MIN, i64::MAX];
    for bits in [7, 8, 15, 16, 31, 32] {
        numbers.extend([1 << bits, (1 << bits) - 1, -1 << bits, (-1 << bits) - 1, -(1 << bits) + 1]);
    }
    let held = |value| Held::range(value, value);
    for op in Op::all() {
        for &a in &numbers {
            for &b in &numbers {
                for c in [0, 1, -200] {
                    let Ok(result) = op.eval([a, b, c]) else { continue };
                    // What loads give is not known, and is 0 here.
                    let types = Held::by(op, [held(a), held(b), held(c)]);
                    for (_, &carrier) in TYPES.iter().enumerate().filter(|(index, _)| types.0 >> index & 1 == 1) {
                        let Carrier { bits, signed } = carrier;
                        let back =
                            if signed { result << (64 - bits) >> (64 - bits) } else { result & ((1 << bits) - 1) };
                        assert_eq!(back, result, "{op} {a} {b} {c}: {carrier:?}");
                    }
                }
            }
        }
    }
}

/// A phi is what all of its entries are, itself among them; what an input or a sum of 64 bits goes into is wide.
#[test]
fn a_phi_has_the_type_of_all_its_entries() {
    let text = "# dialect: plus
phi(in)
b:
  br head
head:
  bit = phi [0, b], [next_bit, head]
  byte = phi [-128, b], [both, head]
  count = phi [1, b], [next_count, head]
  wide = phi [0, b], [next_wide, head]
  mixed = phi [-1, b], [unsigned, head]
  chosen = phi [7, b], [in, head]
  odd = and in, 1
  next_bit = select in, bit, odd
  low = sext8 in
  both = min low, byte
  next_count = add.s32 count, 1
  next_wide = add wide, 1
  unsigned = and in, 255
  cbr next_bit, head, out
out:
  ret wide
";
    let function = lab::parse_phi(text).unwrap();
    assert_eq!(lab::validate_phi(&function), []);
    let carriers = carriers(&function);
    let named = |name: &str| {
        let index = (0..carriers.len()).find(|&index| function.value_names.get(index as u32).to_string() == name);
        carriers[index.unwrap()]
    };
    assert_eq!((named("bit"), named("odd"), named("next_bit")), (Carrier::BIT, Carrier::BIT, Carrier::BIT));
    assert_eq!((named("byte"), named("both")), (Carrier::of(Int::S8), Carrier::of(Int::S8)));
    assert_eq!((named("count"), named("next_count")), (Carrier::of(Int::S32), Carrier::of(Int::S32)));
    assert_eq!((named("unsigned"), named("mixed")), (Carrier::of(Int::U8), Carrier::of(Int::S16)));
    for wide in ["in", "wide", "next_wide", "chosen"] {
        assert_eq!(named(wide), Carrier::WIDE, "{wide}");
    }
}

/// A truth value and a `short` are carried as C compilers carry them, and extended where more bits are wanted.
#[test]
fn what_llvm_is_given_is_narrow() {
    let text = "# dialect: plus
        input x; t = 0; c = 1; i = 0;
        while i != x { if i != 3 { t = i & 1; } c = add.s16(c, 3); i = i + 1; }
        emit c; if t { return c } return c & x";
    let program = tiny::parse(text).unwrap();
    let vectors = vec![vec![0], vec![4], vec![12_001]];
    let expected: Vec<_> = vectors.iter().map(|vector| Some(tiny::eval(&program, vector, 1_000_000).outcome)).collect();
    let case = Case { program: Program::Tiny(program), vectors, fuel: 1_000_000 };
    let path = variants().into_iter().find(|path| path.id().variant == "phi-narrow-O0").unwrap();
    let observation = path.observe(&case, Detail { texts: true, ..Detail::default() });
    assert_eq!((observation.faults.len(), observation.unsupported.len()), (0, 0));
    assert_eq!(observation.outcomes, expected);
    let text = &observation.texts[0].1;
    for part in ["phi i1 [ false, ", "phi i16 [ 1, ", "= trunc i64 %", "add i16 %", "br i1 %t.", "= sext i16 %c."] {
        assert!(text.contains(part), "{part} in\n{text}");
    }
    assert!(!text.contains("zext"), "{text}");
}
