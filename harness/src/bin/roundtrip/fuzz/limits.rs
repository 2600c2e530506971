//! What a run must keep to, so that it cannot pass by having done nothing. All limits stand here.

use std::time::Duration;

use harness::path::PathId;

use crate::fuzz::tally::{PathTally, Tally};

/// Percent of the programs that may be inconclusive, or that a path may not take.
const PERCENT: u64 = 1;
/// A number of programs that says nothing yet, however few there were.
const HANDFUL: u64 = 5;
/// A path that dies on so many of its programs one after the other is switched off.
pub const DEATHS_IN_A_ROW: u32 = 20;
/// A finding gets so long to become smaller: each step of a compiler's hang takes the whole of the path's limit.
pub const MINIMIZING: Duration = Duration::from_secs(600);

/// What a run falls short of, each in a sentence. `on` are the paths that were to run.
pub fn shortfalls(tally: &Tally, ids: &[PathId], on: &[usize]) -> Vec<String> {
    let (inconclusive, programs) = (tally.verdicts.inconclusive, tally.programs);
    let mut found = Vec::new();
    if programs == 0 {
        found.push("no program ran".into());
    } else if inconclusive == programs {
        found.push("nothing could be compared".into());
    } else if is_too_many(inconclusive, programs) {
        found.push(format!("{inconclusive} of {programs} programs were inconclusive, more than {PERCENT}%"));
    }
    found.extend(on.iter().filter_map(|&path| of_path(&ids[path], &tally.paths[path])));
    found
}

fn of_path(name: &PathId, path: &PathTally) -> Option<String> {
    let (unsupported, programs) = (path.unsupported, path.programs);
    if path.executions() == 0 {
        Some(format!("{name} executed nothing ({programs} programs)"))
    } else if is_too_many(unsupported, programs) {
        Some(format!("{name} did not take {unsupported} of {programs} programs, more than {PERCENT}%"))
    } else {
        None
    }
}

fn is_too_many(count: u64, of: u64) -> bool {
    count > HANDFUL && count * 100 > of * PERCENT
}

#[cfg(test)]
mod tests {
    use super::*;
    use harness::record::run_log::Verdicts;

    fn tally(programs: u64, inconclusive: u64, path: PathTally) -> Vec<String> {
        let verdicts = Verdicts { inconclusive, agree: programs - inconclusive, ..Verdicts::default() };
        let tally = Tally { programs, verdicts, paths: vec![path], ..Tally::default() };
        shortfalls(&tally, &[PathId::new("lab", None, "phi")], &[0])
    }

    fn path(programs: u64, returns: u64, unsupported: u64) -> PathTally {
        PathTally { programs, returns, unsupported, ..PathTally::default() }
    }

    #[test]
    fn a_good_run_falls_short_of_nothing() {
        assert!(tally(1000, 10, path(1000, 4000, 10)).is_empty());
        assert!(tally(10, 5, path(10, 40, 5)).is_empty(), "a handful says nothing");
    }

    #[test]
    fn each_limit_is_a_sentence() {
        assert!(tally(0, 0, path(0, 1, 0))[0].contains("no program"));
        assert!(tally(1, 1, path(1, 1, 0))[0].contains("nothing could be compared"));
        assert!(tally(1000, 11, path(1000, 4000, 0))[0].contains("11 of 1000"));
        assert!(tally(1000, 0, path(1000, 4000, 11))[0].contains("lab/phi did not take 11"));
        assert!(tally(1000, 0, path(1000, 0, 0))[0].contains("lab/phi executed nothing"));
    }
}
