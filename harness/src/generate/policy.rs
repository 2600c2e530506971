//! What generated programs may look like: limits for all of them, and a swarm of features.
//!
//! Swarm testing (Groce et al., 2012): a program that may use everything uses everything a little, and no part much. So
//! every program first draws a subset of the features and a bias of its own; in Csmith's and YARPGen's experience that
//! finds bugs which nothing else does.

use serde::{Deserialize, Serialize};

use super::choices::Choices;
use crate::case::DEFAULT_FUEL;
use crate::dialect::Dialect;
use crate::op::{Array, Int, Op};

/// The limits of generation. The default is what `roundtrip fuzz` uses.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Policy {
    /// About how many operations the average program has before its values are folded into the result, which takes
    /// some ten more. Each program draws its own size from a quarter to nearly twice of it.
    pub size: u32,
    /// How deep statements may nest.
    pub depth: u32,
    /// The most inputs a program may have.
    pub inputs: u32,
    /// The most input vectors for a program with inputs; it has at least two, if that many are allowed.
    pub vectors: u32,
    /// The reference interpreter's budget for a run.
    pub fuel: u64,
    /// Features that every program may use.
    pub always: Features,
    /// Features that no program uses.
    pub never: Features,
    /// Which operations there are to choose from.
    pub dialect: Dialect,
}

impl Default for Policy {
    fn default() -> Policy {
        Policy {
            size: 30,
            depth: 4,
            inputs: 4,
            vectors: 4,
            fuel: DEFAULT_FUEL,
            always: Features::NONE,
            never: Features::NONE,
            dialect: Dialect::Core,
        }
    }
}

macro_rules! features {
    ($($(#[doc = $doc:literal])* $variant:ident $name:literal $percent:literal,)*) => {
        /// Something a program may or may not use.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
        pub enum Feature { $($(#[doc = $doc])* $variant,)* }

        impl Feature {
            /// Every feature.
            pub const ALL: &'static [Feature] = &[$(Feature::$variant,)*];

            /// Its name in policies and statistics.
            pub const fn name(self) -> &'static str {
                match self { $(Feature::$variant => $name,)* }
            }

            /// The percentage of programs that may use it.
            const fn percent(self) -> u32 {
                match self { $(Feature::$variant => $percent,)* }
            }

            /// Whether only programs of the dialect plus can use it.
            pub const fn is_of_plus(self) -> bool {
                self as u32 >= Feature::Bits as u32
            }

            /// The feature of a name.
            pub fn from_name(name: &str) -> Option<Feature> {
                Feature::ALL.iter().copied().find(|feature| feature.name() == name)
            }
        }
    };
}

features! {
    /// Loops (in TAC: backward jumps).
    Loops "loops" 80,
    /// `if`, with and without an else part.
    Ifs "ifs" 80,
    /// Statements nested more than once.
    Nesting "nesting" 50,
    /// `&&` and `||`, as conditions and as values.
    ShortCircuits "short-circuits" 40,
    /// Comparisons and `!` as values, and conditions that are values rather than comparisons.
    Truth "truth-values" 50,
    /// `*`.
    Multiplication "multiplication" 60,
    /// `/` and `%`.
    Division "division" 50,
    /// Constants near powers of two, MIN and MAX, many of them.
    Boundaries "boundaries" 50,
    /// Lagged copies (`x = y; y = z`), rotations and swaps: the parallel copies of SSA's edges.
    Copies "copies" 50,
    /// Loops whose trip count depends on data: Euclid, digits, halving, bounds taken from inputs.
    DataLoops "data-loops" 50,
    /// Loops that are state machines: lagged copies, resets, flags, tests of signs and of the first turn.
    States "states" 50,
    /// Constants that occur again, or next to each other: what is added, compared with what, started from.
    Coupled "coupled-constants" 60,
    /// More than sixteen values live at once.
    ManyLive "many-live" 15,
    /// Values that nobody uses, arms and loops that are never entered (in TAC: unreachable blocks).
    DeadCode "dead-code" 35,
    /// Variables read before they are written.
    Uninitialised "uninitialised" 30,
    /// Loops that nothing but their data ends. A few never do.
    Unbounded "unbounded" 2,
    /// TAC: jumps to anywhere, also into loops.
    Irreducible "irreducible" 50,
    /// TAC: conditional jumps to the next line, chains of jumps, and loops of one block.
    OddEdges "odd-edges" 50,
    /// `switch`; in Tiny of the dialect plus.
    Switches "switches" 40,
    /// Plus: `& | ^ ~`.
    Bits "bits" 50,
    /// Plus: `<< >> >>>`.
    Shifts "shifts" 50,
    /// Plus: rotations.
    Rotations "rotations" 30,
    /// Plus: unsigned comparisons and divisions.
    Unsigned "unsigned" 40,
    /// Plus: minimum, maximum, absolute value.
    MinMax "min-max" 40,
    /// Plus: `select`.
    Select "select" 50,
    /// Plus: zeros and ones counted, bytes and bits reversed.
    Counts "counts" 40,
    /// Plus: the upper half of products.
    HighProducts "high-products" 25,
    /// Plus: operations at 8, 16 and 32 bits, at some of these in each program.
    Narrow "narrow" 60,
    /// Plus: `emit`.
    Emits "emits" 30,
    /// Plus: local arrays.
    Arrays "arrays" 40,
    /// Plus, Tiny: `break` and `continue`.
    Jumps "jumps" 50,
    /// Plus, Tiny: `return` before the end.
    Returns "returns" 40,
}

/// A set of [`Feature`]s.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Features(u32);

impl Features {
    /// No feature.
    pub const NONE: Features = Features(0);

    /// Whether the set has this one.
    pub const fn has(self, feature: Feature) -> bool {
        self.0 & (1 << feature as u32) != 0
    }

    /// The set with this one.
    #[must_use]
    pub const fn with(self, feature: Feature) -> Features {
        Features(self.0 | 1 << feature as u32)
    }

    /// The members in order.
    pub fn iter(self) -> impl Iterator<Item = Feature> {
        Feature::ALL.iter().copied().filter(move |&feature| self.has(feature))
    }
}

impl FromIterator<Feature> for Features {
    fn from_iter<I: IntoIterator<Item = Feature>>(features: I) -> Features {
        features.into_iter().fold(Features::NONE, Features::with)
    }
}

/// One program's draw from its policy.
#[derive(Clone, Debug)]
pub struct Style {
    /// What it may use.
    pub features: Features,
    /// About how many operations it has.
    pub size: u32,
    /// How deep its statements may nest.
    pub depth: u32,
    /// How many inputs it has.
    pub inputs: u32,
    /// How many other variables it may use.
    pub locals: u32,
    /// How many of 100 constants are boundaries.
    pub boundaries: u32,
    /// How many of 100 operands are constants.
    pub constants: u32,
    /// How many of 100 conditions are first put into a variable.
    pub materialise: u32,
    /// Which statements it may use.
    pub dialect: Dialect,
    /// The operations beyond the lesson's that it may use.
    pub plus: Vec<Op>,
    /// The comparisons that it may use.
    pub comparisons: Vec<Op>,
    /// The arrays that it may use; some if it has the feature.
    pub arrays: Vec<Array>,
}

/// The lesson's comparisons.
const COMPARISONS: [Op; 6] = [Op::Lt, Op::Le, Op::Gt, Op::Ge, Op::Eq, Op::Ne];

impl Style {
    /// Draws a style.
    pub fn draw(choices: &mut impl Choices, policy: &Policy) -> Style {
        let mut features = policy.always;
        for &feature in Feature::ALL {
            if feature.is_of_plus() && policy.dialect == Dialect::Core {
                continue;
            }
            if choices.chance(feature.percent()) {
                features = features.with(feature);
            }
        }
        features = Features(features.0 & !policy.never.0);
        let arrays = if features.has(Feature::Arrays) { draw_arrays(choices) } else { Vec::new() };
        let plus = plus_operations(choices, features, &arrays);
        let compares = |op: &Op| match op {
            Op::Ult | Op::Ule | Op::Ugt | Op::Uge => true,
            Op::At(narrow, _) => narrow.compares(),
            _ => false,
        };
        let comparisons = COMPARISONS.into_iter().chain(plus.iter().copied().filter(compares)).collect();
        let wanted = choices.pick(&[1, 1, 2, 2, 2, 3, 3, 3, 4, 2, 1, 0]);
        Style {
            features,
            size: choices.between(policy.size / 4, policy.size * 7 / 4).max(1),
            depth: if features.has(Feature::Nesting) { policy.depth.max(1) } else { 1 },
            inputs: wanted.min(policy.inputs),
            locals: if features.has(Feature::ManyLive) { choices.between(18, 24) } else { choices.between(2, 7) },
            boundaries: if features.has(Feature::Boundaries) { choices.between(25, 70) } else { 5 },
            constants: choices.between(20, 50),
            materialise: if features.has(Feature::Truth) { choices.between(0, 60) } else { 0 },
            dialect: policy.dialect,
            plus,
            comparisons,
            arrays,
        }
    }

    /// Whether the program may use a feature.
    pub fn has(&self, feature: Feature) -> bool {
        self.features.has(feature)
    }
}

/// Up to three arrays of one length, or of several.
fn draw_arrays(choices: &mut impl Choices) -> Vec<Array> {
    let count = choices.between(1, 3);
    let common = choices.pick(&LENGTHS);
    let mixed = choices.chance(40);
    (0..count as u8)
        .filter_map(|letter| Array::new(letter, if mixed { choices.pick(&LENGTHS) } else { common }))
        .collect()
}

/// The lengths of arrays: those that vectors divide, and others.
const LENGTHS: [u8; 14] = [1, 2, 3, 4, 5, 7, 8, 8, 8, 12, 16, 16, 32, 64];

/// The operations of the dialect plus that features allow; the narrow ones at some widths, and those on these arrays.
fn plus_operations(choices: &mut impl Choices, features: Features, arrays: &[Array]) -> Vec<Op> {
    if !Feature::ALL.iter().any(|&feature| feature.is_of_plus() && features.has(feature)) {
        return Vec::new();
    }
    let mut widths = Vec::new();
    if features.has(Feature::Narrow) {
        widths.extend(Int::ALL.into_iter().filter(|_| choices.chance(40)));
    }
    let allowed = |op: &Op| match *op {
        Op::At(narrow, int) => {
            widths.contains(&int) && family(narrow.wide(int)).is_none_or(|feature| features.has(feature))
        }
        Op::Zext8 | Op::Zext16 | Op::Zext32 | Op::Sext8 | Op::Sext16 | Op::Sext32 => features.has(Feature::Narrow),
        op => op.dialect() == Dialect::Plus && family(op).is_none_or(|feature| features.has(feature)),
    };
    let of_arrays = arrays.iter().flat_map(|&array| [Op::Load(array), Op::Store(array)]);
    Op::all().filter(|op| op.array().is_none() && allowed(op)).chain(of_arrays).collect()
}

/// The feature that an operation at 64 bits belongs to; none for what every program may use.
fn family(op: Op) -> Option<Feature> {
    Some(match op {
        Op::And | Op::Or | Op::Xor | Op::BitNot => Feature::Bits,
        Op::Shl | Op::Ashr | Op::Lshr => Feature::Shifts,
        Op::Rotl | Op::Rotr => Feature::Rotations,
        Op::Ult | Op::Ule | Op::Ugt | Op::Uge | Op::Udiv | Op::Urem => Feature::Unsigned,
        Op::Min | Op::Max | Op::Umin | Op::Umax | Op::Abs => Feature::MinMax,
        Op::Select => Feature::Select,
        Op::Clz | Op::Ctz | Op::Popcnt | Op::Bswap | Op::Bitrev => Feature::Counts,
        Op::Mulhi | Op::Umulhi => Feature::HighProducts,
        Op::Emit => Feature::Emits,
        Op::Mul => Feature::Multiplication,
        Op::Div | Op::Rem => Feature::Division,
        _ => return None,
    })
}
