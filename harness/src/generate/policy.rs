//! What generated programs may look like: limits for all of them, and a swarm of features.
//!
//! Swarm testing (Groce et al., 2012): a program that may use everything uses everything a little, and no part much. So
//! every program first draws a subset of the features and a bias of its own; in Csmith's and YARPGen's experience that
//! finds bugs which nothing else does.

use serde::{Deserialize, Serialize};

use super::choices::Choices;
use crate::case::DEFAULT_FUEL;

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
    /// TAC: `switch`.
    Switches "switches" 40,
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
}

impl Style {
    /// Draws a style.
    pub fn draw(choices: &mut impl Choices, policy: &Policy) -> Style {
        let mut features = policy.always;
        for &feature in Feature::ALL {
            if choices.chance(feature.percent()) {
                features = features.with(feature);
            }
        }
        features = Features(features.0 & !policy.never.0);
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
        }
    }

    /// Whether the program may use a feature.
    pub fn has(&self, feature: Feature) -> bool {
        self.features.has(feature)
    }
}
