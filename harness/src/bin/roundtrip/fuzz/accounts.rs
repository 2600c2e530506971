//! The books of a run: what the parent handed out and took back, against what the workers say that they did. A sum that
//! does not come out means that the harness has lost or invented something, and that nothing else it says is worth
//! much.

use harness::path::PathId;
use harness::report::count;

use crate::fuzz::job::Part;
use crate::fuzz::tally::Tally;

/// The parent's own count.
pub struct Accounts {
    /// Programs taken back, in order and without a gap.
    programs: u64,
    /// Findings taken back.
    findings: u64,
    /// For each path, the programs that it was to see.
    paths: Vec<u64>,
}

impl Accounts {
    /// Nothing yet, for this many paths.
    pub fn new(paths: usize) -> Accounts {
        Accounts { programs: 0, findings: 0, paths: vec![0; paths] }
    }

    /// A program was taken back, which these paths were to see.
    pub fn program(&mut self, took_part: &[usize]) {
        self.programs += 1;
        for &path in took_part {
            self.paths[path] += 1;
        }
    }

    /// A part was taken back.
    pub fn part(&mut self, part: &Part) {
        self.findings += u64::from(part.found.is_some());
    }

    /// What does not come out, a sentence each.
    pub fn faults(&self, tally: &Tally, ids: &[PathId]) -> Vec<String> {
        let mut faults = Vec::new();
        let mut must_be = |what: String, counted: u64, said: u64| {
            if counted != said {
                faults.push(format!("{what}: {counted} counted, the workers say {said}"));
            }
        };
        must_be("programs".into(), self.programs, tally.programs);
        must_be("programs by verdict".into(), self.programs, tally.verdicts.programs());
        must_be("findings".into(), self.findings, tally.verdicts.findings());
        for ((id, path), &programs) in ids.iter().zip(&tally.paths).zip(&self.paths) {
            must_be(format!("programs of {id}"), programs, path.programs);
            must_be(format!("runs of {id}, done or excused"), path.due, path.done + path.excused);
        }
        faults
    }

    /// The books in a line, when they come out.
    pub fn text(&self, tally: &Tally) -> String {
        let sum = |of: fn(&crate::fuzz::tally::PathTally) -> u64| tally.paths.iter().map(of).sum::<u64>();
        let (programs, due) = (count(self.programs as usize, "program"), sum(|path| path.due));
        let (done, excused) = (sum(|path| path.done), sum(|path| path.excused));
        format!(
            "accounts: {programs} out and back; {due} runs on paths were due, {done} executed, {excused} not: each has \
             its fault or its reason"
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fuzz::tally::PathTally;
    use harness::record::run_log::Verdicts;

    fn books() -> (Accounts, Tally, [PathId; 1]) {
        let mut accounts = Accounts::new(1);
        accounts.program(&[0]);
        accounts.program(&[]);
        let path = PathTally { programs: 1, due: 5, done: 3, excused: 2, ..PathTally::default() };
        let verdicts = Verdicts { agree: 2, ..Verdicts::default() };
        let tally = Tally { programs: 2, verdicts, paths: vec![path], ..Tally::default() };
        (accounts, tally, [PathId::new("lab", None, "phi")])
    }

    #[test]
    fn sums_that_come_out_are_no_fault() {
        let (accounts, tally, ids) = books();
        assert!(accounts.faults(&tally, &ids).is_empty());
        assert!(accounts.text(&tally).contains("2 programs out and back; 5 runs"), "{}", accounts.text(&tally));
    }

    #[test]
    fn whatever_is_missing_is_named() {
        let fault = |change: fn(&mut Tally)| {
            let (accounts, mut tally, ids) = books();
            change(&mut tally);
            let faults = accounts.faults(&tally, &ids);
            assert_eq!(faults.len(), 1, "{faults:?}");
            faults[0].clone()
        };
        assert!(fault(|tally| tally.programs = 1).starts_with("programs: 2 counted"));
        assert!(fault(|tally| tally.verdicts.agree = 1).starts_with("programs by verdict"));
        assert!(fault(|tally| (tally.verdicts.agree, tally.verdicts.hang) = (1, 1)).starts_with("findings: 0 counted"));
        assert!(fault(|tally| tally.paths[0].programs = 2).starts_with("programs of lab/phi"));
        assert!(
            fault(|tally| tally.paths[0].done = 2).starts_with("runs of lab/phi"),
            "one executed nothing, unexplained"
        );
    }
}
