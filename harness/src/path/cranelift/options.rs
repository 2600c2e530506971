//! A path with one option changed: which one makes it wrong?
//!
//! Cranelift has no fuel for its optimizations: the control plane's limits the perturbations of its feature `chaos`,
//! which only delays and reorders. So the options are what there is to bisect by, as far as the version offers them.

use cranelift_codegen::settings;

use super::{Cranelift, VARIANTS, target};
use crate::case::Case;
use crate::path::{Detail, Observation, Path, PathId};

/// The options that compilation depends on, what they are by default, and the other values that are tried: what changes
/// least first.
const OPTIONS: [(&str, &str, &[&str]); 7] = [
    ("enable_alias_analysis", "true", &["false"]),
    ("regalloc_algorithm", "backtracking", &["single_pass", "backtracking"]),
    ("regalloc_checker", "false", &["true"]),
    ("use_egraphs", "false", &["true"]),
    ("enable_heap_access_spectre_mitigation", "true", &["false"]),
    ("is_pic", "false", &["true"]),
    ("opt_level", "none", &["speed", "speed_and_size", "none"]),
];

/// Observes a case on a path with one option after the other changed: `opt_level=none, not speed` and the like, and
/// what that gave.
pub fn options(id: &PathId, case: &Case) -> Result<Vec<(String, Observation)>, String> {
    let is_named = |variant: &super::Variant| variant.name == id.variant;
    let variant = VARIANTS.into_iter().find(is_named).ok_or_else(|| format!("{id} is no path of Cranelift"))?;
    let offered: Vec<&str> = settings::builder().iter().map(|setting| setting.name).collect();
    let mut forms = Vec::new();
    for (name, default, values) in OPTIONS.into_iter().filter(|(name, ..)| offered.contains(name)) {
        let own = match name {
            "opt_level" => variant.opt_level,
            "regalloc_algorithm" => variant.allocator,
            _ => default,
        };
        for &value in values.iter().filter(|&&value| value != own) {
            // An option may be there without all of its values.
            let Ok(isa) = target(variant, &[(name, value)]) else { continue };
            let path = Cranelift { variant, egraphs: false, isa: Ok(isa) };
            let observation = path.observe(case, Detail { texts: true, ..Detail::default() });
            forms.push((format!("{name}={value}, not {own}"), observation));
        }
    }
    Ok(forms)
}
