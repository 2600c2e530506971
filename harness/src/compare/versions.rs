//! Two compilers, or two versions or option sets of one, over many programs: what changed from the first to the second.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::compare::Standing;
use crate::path::Size;

/// What one path was and made on one program.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seen {
    /// Whether it was right.
    pub standing: Standing,
    /// What it made; measured where both are right.
    pub size: Option<Size>,
    /// The median time of lowering, compiling and validating, without running; measured where both are right.
    pub time: Duration,
}

/// A program under both paths.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Row {
    /// The program.
    pub program: String,
    /// The first path.
    pub first: Seen,
    /// The second.
    pub second: Seen,
}

/// Two paths over many programs.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Comparison {
    /// The first path.
    pub first: String,
    /// The second.
    pub second: String,
    /// All of it in numbers.
    pub summary: Summary,
    /// The programs.
    pub rows: Vec<Row>,
}

/// What a program's verdicts changed to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Change {
    /// The first was right, the second is wrong.
    Regression,
    /// The first didn't take the program, the second is wrong.
    NewlyWrong,
    /// The first was wrong, the second is right.
    Fixed,
    /// The first took the program, the second doesn't.
    NewlyUnsupported,
    /// Both are wrong, otherwise.
    OtherwiseWrong,
}

impl Change {
    /// All of them, the gravest first.
    pub const ALL: [Change; 5] =
        [Change::Regression, Change::NewlyWrong, Change::Fixed, Change::NewlyUnsupported, Change::OtherwiseWrong];

    /// The name in reports.
    pub const fn name(self) -> &'static str {
        match self {
            Change::Regression => "regression",
            Change::NewlyWrong => "newly wrong",
            Change::Fixed => "fixed",
            Change::NewlyUnsupported => "newly unsupported",
            Change::OtherwiseWrong => "otherwise wrong",
        }
    }
}

impl Comparison {
    /// Sums up the rows.
    pub fn new(first: String, second: String, rows: Vec<Row>) -> Comparison {
        Comparison { first, second, summary: summarize(&rows), rows }
    }

    /// The programs whose verdicts changed, the gravest change first.
    pub fn changed(&self) -> impl Iterator<Item = (Change, &Row)> {
        let of =
            |change| self.rows.iter().filter(move |row| row.change() == Some(change)).map(move |row| (change, row));
        Change::ALL.into_iter().flat_map(of)
    }
}

impl Row {
    /// What changed about its verdicts, if anything.
    pub fn change(&self) -> Option<Change> {
        use Standing::{NotRun, Right, Unsupported, Wrong};
        match (&self.first.standing, &self.second.standing) {
            (Right, Wrong(_)) => Some(Change::Regression),
            (Unsupported(_) | NotRun, Wrong(_)) => Some(Change::NewlyWrong),
            (Wrong(_), Right) => Some(Change::Fixed),
            (Right | Wrong(_), Unsupported(_) | NotRun) => Some(Change::NewlyUnsupported),
            (Wrong(first), Wrong(second)) if first != second => Some(Change::OtherwiseWrong),
            _ => None,
        }
    }
}

/// How a quantity of the second path relates to the first's, over many programs.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Spread {
    /// The median of the programs' ratios.
    pub median: f64,
    /// A quarter of them is below.
    pub low: f64,
    /// A quarter is above.
    pub high: f64,
}

impl Spread {
    /// The spread of pairs of a first and a second quantity; `None` if no pair has a ratio.
    pub fn of(pairs: impl IntoIterator<Item = (f64, f64)>) -> Option<Spread> {
        let mut ratios: Vec<f64> = pairs.into_iter().filter(|pair| pair.0 > 0.0).map(|(a, b)| b / a).collect();
        ratios.sort_by(f64::total_cmp);
        let at = |quarter: usize| ratios.get((ratios.len().saturating_sub(1)) * quarter / 4).copied();
        Some(Spread { median: at(2)?, low: at(1)?, high: at(3)? })
    }
}

/// All of it in numbers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Summary {
    /// How many programs.
    pub programs: usize,
    /// How many of them changed, by [`Change`].
    pub changes: Vec<(Change, usize)>,
    /// Of the programs that both are right on: parameters or phis, first and second.
    pub parameters: (u64, u64),
    /// The same of the other instructions.
    pub instructions: (u64, u64),
    /// Code size in bytes, as ratios.
    pub code: Option<Spread>,
    /// Compile time, as ratios.
    pub time: Option<Spread>,
    /// The programs' median compile time in microseconds, first and second.
    pub microseconds: Option<(u128, u128)>,
}

/// Sums up what changed.
fn summarize(rows: &[Row]) -> Summary {
    let sizes: Vec<(Size, Size)> = rows
        .iter()
        .filter(|row| row.first.standing == Standing::Right && row.second.standing == Standing::Right)
        .filter_map(|row| Some((row.first.size?, row.second.size?)))
        .collect();
    let sums = |of: fn(&Size) -> u64| {
        (sizes.iter().map(|(first, _)| of(first)).sum(), sizes.iter().map(|(_, second)| of(second)).sum())
    };
    let is_timed = |seen: &Seen| seen.size.is_some() && !seen.time.is_zero();
    let timed: Vec<&Row> = rows.iter().filter(|row| is_timed(&row.first) && is_timed(&row.second)).collect();
    let middle = |of: fn(&Row) -> Duration| median(timed.iter().map(|row| of(row)).collect()).as_micros();
    Summary {
        programs: rows.len(),
        changes: Change::ALL
            .into_iter()
            .map(|change| (change, rows.iter().filter(|row| row.change() == Some(change)).count()))
            .collect(),
        parameters: sums(|size| size.parameters),
        instructions: sums(|size| size.instructions),
        code: Spread::of(sizes.iter().map(|(first, second)| (first.code as f64, second.code as f64))),
        time: Spread::of(timed.iter().map(|row| (row.first.time.as_secs_f64(), row.second.time.as_secs_f64()))),
        microseconds: (!timed.is_empty()).then(|| (middle(|row| row.first.time), middle(|row| row.second.time))),
    }
}

/// The median of some times.
pub fn median(mut times: Vec<Duration>) -> Duration {
    times.sort();
    times.get(times.len() / 2).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(standing: Standing, code: u64, micros: u64) -> Seen {
        let size = (code > 0).then_some(Size { parameters: 1, instructions: code / 4, code });
        Seen { standing, size, time: Duration::from_micros(micros) }
    }

    #[test]
    fn changes_are_told_apart_and_only_what_is_right_is_measured() {
        let wrong = |what: &str| Standing::Wrong(what.into());
        let unsupported = || Standing::Unsupported("switch".into());
        let row = |first, second| Row { program: "p".into(), first, second };
        let rows = [
            row(seen(Standing::Right, 40, 10), seen(Standing::Right, 20, 30)),
            row(seen(Standing::Right, 40, 10), seen(wrong("return 1 for return 2"), 400, 20)),
            row(seen(wrong("hang"), 40, 10), seen(Standing::Right, 40, 10)),
            row(seen(wrong("hang"), 40, 10), seen(wrong("hang"), 40, 10)),
            row(seen(wrong("hang"), 40, 10), seen(wrong("crash"), 40, 10)),
            row(seen(Standing::Right, 40, 10), seen(unsupported(), 0, 1)),
            row(seen(unsupported(), 0, 1), seen(unsupported(), 0, 1)),
            row(seen(unsupported(), 0, 1), seen(wrong("hang"), 40, 10)),
        ];
        let changes: Vec<_> = rows.iter().map(Row::change).collect();
        use Change::*;
        assert_eq!(
            changes,
            [
                None,
                Some(Regression),
                Some(Fixed),
                None,
                Some(OtherwiseWrong),
                Some(NewlyUnsupported),
                None,
                Some(NewlyWrong)
            ]
        );
        let comparison = Comparison::new("a".into(), "b".into(), rows.to_vec());
        let gravest_first: Vec<Change> = comparison.changed().map(|(change, _)| change).collect();
        assert_eq!(gravest_first, [Regression, NewlyWrong, Fixed, NewlyUnsupported, OtherwiseWrong]);
        let names = ["regression", "newly wrong", "fixed", "newly unsupported", "otherwise wrong"];
        assert_eq!(Change::ALL.map(Change::name), names);
        let summary = comparison.summary;
        assert_eq!(summary.changes.iter().map(|(_, count)| *count).collect::<Vec<_>>(), [1, 1, 1, 1, 1]);
        assert_eq!((summary.parameters, summary.instructions), ((1, 1), (10, 5)));
        assert_eq!(summary.code, Some(Spread { median: 0.5, low: 0.5, high: 0.5 }));
        assert_eq!(summary.time, Some(Spread { median: 1.0, low: 1.0, high: 2.0 }));
        assert_eq!(summary.microseconds, Some((10, 10)));
    }

    #[test]
    fn a_median_is_the_upper_of_two() {
        let of = |times: &[u64]| median(times.iter().copied().map(Duration::from_micros).collect()).as_micros();
        assert_eq!([of(&[]), of(&[7]), of(&[9, 2]), of(&[5, 1, 3])], [0, 7, 9, 3]);
    }

    #[test]
    fn a_spread_is_its_quartiles() {
        let pairs = [(1.0, 5.0), (1.0, 1.0), (2.0, 4.0), (1.0, 3.0), (1.0, 4.0), (0.0, 9.0)];
        assert_eq!(Spread::of(pairs), Some(Spread { median: 3.0, low: 2.0, high: 4.0 }));
        assert_eq!(Spread::of([(0.0, 1.0)]), None);
    }
}
