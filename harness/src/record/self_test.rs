//! What `roundtrip self-test` came to: the faults that were planted in the harness, each with the attempts to find it.

use serde::{Deserialize, Serialize};

/// Each planted fault from one seed: what the part `planted` of a long run writes.
pub const PLANTED: &str = "planted.json";

/// Each from many seeds: what the part `identities` writes.
pub const IDENTITIES: &str = "identities.json";

/// A planted fault.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Planted {
    /// Its name.
    pub fault: String,
    /// The part of the harness that it is in.
    pub part: String,
    /// What is wrong then.
    pub description: String,
    /// Whether it was found from every seed, small and named rightly, and told apart from all others. Not if it was not
    /// tried.
    pub ok: bool,
    /// One for each seed that was tried.
    pub trials: Vec<Attempt>,
    /// What is wrong with them, each in a sentence.
    pub wrong: Vec<String>,
}

/// The fault looked for from one seed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Attempt {
    /// The seed.
    pub seed: u64,
    /// Programs until it was found.
    pub programs: u64,
    /// Seconds until it was found, minimized and recorded.
    pub seconds: f64,
    /// The size of the minimized program, in statements of Tiny or lines of TAC.
    pub statements: Option<usize>,
    /// The finding's identity, or what the harness says of itself.
    pub called: String,
    /// Whether it was found, small, and named rightly.
    pub ok: bool,
}
