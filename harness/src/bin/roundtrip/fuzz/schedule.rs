//! Which paths run on which programs. Optimizing costs a compiler ten times what the rest costs, so such paths run on a
//! share of the programs; which ones depends on the seed and the program's number alone.

use anyhow::{Context, bail};
use harness::path::PathId;

use crate::select::{Pattern, split};

/// The shares in percent unless `--schedule` says otherwise. The first glob that fits counts; the rest runs always.
pub const DEFAULT: &str = "\
    llvm/*:*=2%,llvm/steps-{mid,O2}=5%,llvm/steps-*=1%,llvm/*-mid-flags=10%,llvm/*-flags=2%,llvm/*-cg2=2%,\
    llvm/*-{O1,O2,O3,Os}=1%,llvm/*-O2-cg0=1%,llvm/{mem2reg,sroa,phi-narrow}-mid=10%,llvm/{sroa,phi-narrow}-O0=25%,\
    cranelift/*{single_pass,speed_and_size,-flags}=25%,cranelift/aarch64-*=25%,lab/validator=10%,\
    lab/perturbed=25%,*/perturbed-{none,mem2reg-O0}=25%,*/perturbed-{speed,mid}=5%,*/perturbed-*=2%";

/// The first programs of a run take every path, so that a short run leaves none out.
const FIRST: u64 = 2;

/// The shares of a run's paths.
pub struct Schedule {
    /// For each path, the part of 2^32 of the programs that it runs on.
    shares: Vec<u64>,
    /// For each path, what sets its choice of programs apart from the others'.
    salts: Vec<u64>,
    /// The rules, as they were given.
    text: String,
}

impl Schedule {
    /// The shares of these paths by a `GLOB=N%` list, which goes before the default one.
    pub fn new(given: Option<&str>, paths: &[PathId]) -> anyhow::Result<Schedule> {
        let text: Vec<&str> = given.into_iter().chain([DEFAULT]).collect();
        let text = text.join(",");
        let rules = split(&text).map(rule).collect::<anyhow::Result<Vec<_>>>()?;
        let unfit = |(glob, _): &&(Pattern, f64)| !paths.iter().any(|path| glob.matches(path));
        if let Some((glob, _)) = rules.iter().take(given.map_or(0, |given| split(given).count())).find(unfit) {
            bail!("--schedule: {} fits no path of this run; `roundtrip paths` lists them", glob.text());
        }
        let percent = |path: &PathId| rules.iter().find(|(glob, _)| glob.matches(path)).map_or(100.0, |rule| rule.1);
        let percents: Vec<f64> = paths.iter().map(percent).collect();
        Ok(Schedule {
            shares: percents.iter().map(|percent| (percent / 100.0 * (1_u64 << 32) as f64) as u64).collect(),
            salts: paths.iter().map(|path| hash(path.to_string().bytes().map(u64::from))).collect(),
            text,
        })
    }

    /// The indices of the paths that run on a program, which is the `nth` of this run.
    pub fn paths(&self, seed: u64, index: u64, nth: u64) -> Vec<usize> {
        let runs = |&path: &usize| {
            let share = self.shares[path];
            share > 0 && (nth < FIRST || hash([seed, index, self.salts[path]]) >> 32 < share)
        };
        (0..self.shares.len()).filter(runs).collect()
    }

    /// The rules, the first that fits counts.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Whether a path is to run at all.
    pub fn is_on(&self, path: usize) -> bool {
        self.shares[path] > 0
    }
}

/// Whether a program is compiled to machine code where what the optimizer made is interpreted anyway.
pub fn runs_code(seed: u64, index: u64, percent: u32) -> bool {
    hash([seed, index, u64::from_le_bytes(*b"machine ")]) % 100 < u64::from(percent)
}

fn rule(text: &str) -> anyhow::Result<(Pattern, f64)> {
    let (glob, percent) = text.rsplit_once('=').with_context(|| format!("{text:?} is not GLOB=N%"))?;
    let percent: f64 =
        percent.trim_end_matches('%').parse().with_context(|| format!("{percent:?} is not a percentage"))?;
    if !(0.0..=100.0).contains(&percent) {
        bail!("{percent} is not a percentage");
    }
    Ok((Pattern::new(glob)?, percent))
}

/// Mixes numbers into one that looks random (the finalizer of SplitMix64).
fn hash(parts: impl IntoIterator<Item = u64>) -> u64 {
    parts.into_iter().fold(0x9e37_79b9_7f4a_7c15, |state, part| {
        let mut z = (state ^ part).wrapping_add(0x9e37_79b9_7f4a_7c15);
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use harness::path::Path;
    use harness::path::interpreters::Interpreter;

    fn schedule(given: &str) -> anyhow::Result<Schedule> {
        Schedule::new(Some(given), &[Interpreter::Tiny.id(), Interpreter::Phi.id()])
    }

    #[test]
    fn a_share_is_about_that_share_and_the_first_programs_take_all() {
        let schedule = schedule("lab/*=10%").unwrap();
        let runs = (0..10_000).filter(|&nth| schedule.paths(7, nth, nth).contains(&1)).count();
        assert!((900..1100).contains(&runs), "{runs}");
        assert_eq!(schedule.paths(7, 500, 0), [0, 1]);
        assert!(schedule.text().starts_with("lab/*=10%,llvm/"), "{}", schedule.text());
    }

    #[test]
    fn nothing_is_never_and_what_nobody_names_is_always() {
        let schedule = schedule("lab/phi=0").unwrap();
        assert!((0..100).all(|nth| schedule.paths(1, nth, nth) == [0]));
        assert!(!schedule.is_on(1));
    }

    #[test]
    fn machine_code_is_for_about_its_share_and_the_same_programs_again() {
        let of = |seed, percent| (0..10_000).filter(|&number| runs_code(seed, number, percent)).collect::<Vec<u64>>();
        assert_eq!([0, 100].map(|percent| of(7, percent).len()), [0, 10_000]);
        let tenth = of(7, 10);
        assert!((900..1100).contains(&tenth.len()), "{}", tenth.len());
        assert!(tenth == of(7, 10) && tenth != of(8, 10));
    }

    #[test]
    fn a_bad_rule_is_an_error() {
        for bad in ["lab/phi", "lab/phi=x", "lab/phi=200%", "lab/phi=-1", "[=5%"] {
            assert!(schedule(bad).is_err(), "{bad}");
        }
    }
}
