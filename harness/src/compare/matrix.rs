//! Programs by versions: on which program is which version of which compiler wrong? A table of it for a whole corpus.

use serde::{Deserialize, Serialize};

use crate::compare::Standing;

/// The table.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Matrix {
    /// The columns: compilers with their versions, `llvm@14.0.6`.
    pub versions: Vec<String>,
    /// The rows, in the order of the programs.
    pub rows: Vec<MatrixRow>,
}

/// A program on every version.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct MatrixRow {
    /// The program's file.
    pub program: String,
    /// One for each version.
    pub cells: Vec<Cell>,
}

/// A program on one version.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Cell {
    /// The paths taken together.
    pub verdict: CellVerdict,
    /// How many paths are right.
    pub right: usize,
    /// The others that ran, by variant, each with how it stands.
    pub others: Vec<(String, Standing)>,
}

/// How the paths of one version stand, taken together: the gravest counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum CellVerdict {
    /// None runs the program.
    NotRun,
    /// None takes it.
    Unsupported,
    /// All that take it are right.
    Right,
    /// Some are wrong, all of them where a known bug says so.
    Known,
    /// Some are wrong.
    Wrong,
}

impl CellVerdict {
    /// All, the gravest first.
    pub const ALL: [CellVerdict; 5] =
        [CellVerdict::Wrong, CellVerdict::Known, CellVerdict::Right, CellVerdict::Unsupported, CellVerdict::NotRun];

    /// The name in reports.
    pub const fn name(self) -> &'static str {
        match self {
            CellVerdict::NotRun => "not run",
            CellVerdict::Unsupported => "unsupported",
            CellVerdict::Right => "right",
            CellVerdict::Known => "known",
            CellVerdict::Wrong => "wrong",
        }
    }
}

impl Cell {
    /// Of paths by variant, each with how it stands and whether it is known to be wrong.
    pub fn of(paths: impl IntoIterator<Item = (String, Standing, bool)>) -> Cell {
        let mut cell = Cell { verdict: CellVerdict::NotRun, right: 0, others: Vec::new() };
        for (variant, standing, known) in paths {
            cell.verdict = cell.verdict.max(match standing {
                Standing::Right => CellVerdict::Right,
                Standing::Wrong(_) if known => CellVerdict::Known,
                Standing::Wrong(_) => CellVerdict::Wrong,
                Standing::Unsupported(_) => CellVerdict::Unsupported,
                Standing::NotRun => CellVerdict::NotRun,
            });
            match standing {
                Standing::Right => cell.right += 1,
                Standing::NotRun => {}
                other => cell.others.push((variant, other)),
            }
        }
        cell
    }

    /// The variants that are wrong, each with what it gives.
    pub fn wrong(&self) -> impl Iterator<Item = (&str, &str)> {
        self.others.iter().filter_map(|(variant, standing)| match standing {
            Standing::Wrong(what) => Some((variant.as_str(), what.as_str())),
            _ => None,
        })
    }
}

impl Matrix {
    /// How many cells have a verdict.
    pub fn count(&self, verdict: CellVerdict) -> usize {
        self.rows.iter().flat_map(|row| &row.cells).filter(|cell| cell.verdict == verdict).count()
    }

    /// The rows on which not all versions are right.
    pub fn telling(&self) -> impl Iterator<Item = &MatrixRow> {
        let tells = |cell: &Cell| matches!(cell.verdict, CellVerdict::Wrong | CellVerdict::Known);
        self.rows.iter().filter(move |row| row.cells.iter().any(tells))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_gravest_path_counts() {
        let wrong = || Standing::Wrong("return 1 for return 2".into());
        let unsupported = || Standing::Unsupported("switch".into());
        for (paths, verdict, right, others) in [
            (vec![], CellVerdict::NotRun, 0, 0),
            (vec![(Standing::NotRun, false)], CellVerdict::NotRun, 0, 0),
            (vec![(unsupported(), false), (Standing::NotRun, false)], CellVerdict::Unsupported, 0, 1),
            (vec![(Standing::Right, false), (unsupported(), false)], CellVerdict::Right, 1, 1),
            (vec![(Standing::Right, true), (Standing::Right, false)], CellVerdict::Right, 2, 0),
            (vec![(wrong(), true), (Standing::Right, false)], CellVerdict::Known, 1, 1),
            (vec![(wrong(), true), (wrong(), false)], CellVerdict::Wrong, 0, 2),
        ] {
            let cell = Cell::of(paths.iter().cloned().map(|(standing, known)| ("O2".to_string(), standing, known)));
            assert_eq!((cell.verdict, cell.right, cell.others.len()), (verdict, right, others), "{paths:?}");
        }
        let wrong = Cell::of([("O2".into(), wrong(), false), ("O0".into(), unsupported(), false)]);
        assert_eq!(wrong.wrong().collect::<Vec<_>>(), [("O2", "return 1 for return 2")]);
        let row = |cell: &Cell| MatrixRow { program: "p".into(), cells: vec![cell.clone()] };
        let matrix = Matrix { versions: vec!["llvm@14.0.6".into()], rows: vec![row(&wrong), row(&Cell::of([]))] };
        assert_eq!(CellVerdict::ALL.map(|verdict| matrix.count(verdict)), [1, 0, 0, 0, 1]);
        assert_eq!(CellVerdict::ALL.map(CellVerdict::name), ["wrong", "known", "right", "unsupported", "not run"]);
        assert_eq!(matrix.telling().count(), 1);
    }
}
