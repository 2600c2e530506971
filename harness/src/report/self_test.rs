//! The table of planted faults: which were found, how soon, how small, and under what name.

use std::fmt::Write;

use super::{count, table};
use crate::record::self_test::Planted;

/// The columns. Programs and seconds are medians, the size is the largest.
pub const COLUMNS: [&str; 7] = ["part", "fault", "found", "programs", "seconds", "size", "called"];

/// The rows of those that were tried.
pub fn rows(faults: &[Planted]) -> impl Iterator<Item = [String; 7]> + '_ {
    faults.iter().filter(|fault| !fault.trials.is_empty()).map(|fault| {
        let trials = &fault.trials;
        let good = trials.iter().filter(|trial| trial.ok).count();
        let found = match (trials.len(), good) {
            (1, 1) => "yes".into(),
            (1, _) => "NO".into(),
            (all, good) => format!("{good}/{all}"),
        };
        let mut names: Vec<&str> = trials.iter().map(|trial| trial.called.as_str()).collect();
        names.sort_unstable();
        names.dedup();
        let size = trials.iter().filter_map(|trial| trial.statements).max();
        [
            fault.part.clone(),
            fault.fault.clone(),
            found,
            middle(trials.iter().map(|trial| trial.programs as f64)).to_string(),
            format!("{:.1}", middle(trials.iter().map(|trial| trial.seconds))),
            size.map_or("-".into(), |size| size.to_string()),
            names.join(", "),
        ]
    })
}

/// How many were tried and how many failed, in a sentence.
pub fn counts(faults: &[Planted]) -> String {
    let tried = faults.iter().filter(|fault| !fault.trials.is_empty()).count();
    let failed = faults.iter().filter(|fault| !fault.wrong.is_empty()).count();
    let untried = faults.len() - tried;
    let rest = if untried == 0 { String::new() } else { format!(", {untried} not tried: the time was up") };
    format!("{} tried, {failed} failed{rest}", count(tried, "fault"))
}

/// The table for a terminal.
pub fn text(faults: &[Planted]) -> String {
    table(COLUMNS, rows(faults))
}

/// The counts, what failed, and the table, as Markdown.
pub fn markdown(faults: &[Planted]) -> String {
    let mut text = format!("{}.\n\n", counts(faults));
    for fault in faults {
        for why in &fault.wrong {
            let _ =
                writeln!(text, "- `{}` ({}): {}", fault.fault, fault.description, why.lines().next().unwrap_or(why));
        }
    }
    let _ = write!(text, "\n| {} |\n|---|---|---|--:|--:|--:|---|\n", COLUMNS.join(" | "));
    for row in rows(faults) {
        let _ = writeln!(text, "| {} |", row.join(" | "));
    }
    text
}

/// The median.
fn middle(values: impl Iterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.collect();
    values.sort_unstable_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::self_test::Attempt;

    fn planted(fault: &str, trials: &[(u64, f64, bool)], wrong: &[&str]) -> Planted {
        let attempt = |(seed, &(programs, seconds, ok)): (u64, &(u64, f64, bool))| Attempt {
            seed,
            programs,
            seconds,
            statements: Some(programs as usize),
            called: "disagree.lab".into(),
            ok,
        };
        Planted {
            fault: fault.into(),
            part: "lab".into(),
            description: "a sum is a difference".into(),
            ok: wrong.is_empty(),
            trials: (1..).zip(trials).map(attempt).collect(),
            wrong: wrong.iter().map(|why| (*why).into()).collect(),
        }
    }

    #[test]
    fn the_table_has_medians_and_the_largest_size_and_leaves_out_what_was_not_tried() {
        let faults = [
            planted("add", &[(3, 1.0, true), (1, 9.0, true), (2, 2.0, true)], &[]),
            planted("sub", &[(7, 1.25, false)], &["exit status 0\nlog"]),
            planted("mul", &[], &[]),
        ];
        let rows: Vec<_> = rows(&faults).map(|row| row.join(" ")).collect();
        assert_eq!(rows, ["lab add 3/3 2 2.0 3 disagree.lab", "lab sub NO 7 1.2 7 disagree.lab"]);
        let page = markdown(&faults);
        assert!(page.starts_with("2 faults tried, 1 failed, 1 not tried: the time was up.\n"), "{page}");
        assert!(page.contains("- `sub` (a sum is a difference): exit status 0\n\n| part"), "{page}");
        assert_eq!(text(&faults).lines().count(), 3);
    }
}
