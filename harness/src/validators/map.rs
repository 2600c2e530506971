//! The map of rules: which validator has which clause. `docs/VALIDATORS.md` shows it, with reasons.

use crate::lab::Clause;
use crate::path::Judge;

/// How a validator takes a clause.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ruling {
    /// It rejects a function that touches it.
    Rejects,
    /// It accepts a function that touches nothing worse.
    Accepts,
    /// Its form can't say it.
    CannotSay,
}

impl Ruling {
    /// The name in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Ruling::Rejects => "rejects",
            Ruling::Accepts => "accepts",
            Ruling::CannotSay => "cannot say",
        }
    }
}

/// The compilers' columns of the map: the clause, Cranelift, LLVM. The lab's column is [`Clause::rule`].
const MAP: [(Clause, Ruling, Ruling); 16] = {
    use Ruling::{Accepts, CannotSay, Rejects};
    [
        (Clause::DefinedTwice, CannotSay, Rejects),
        (Clause::Undefined, Rejects, Rejects),
        (Clause::Undominated, Rejects, Rejects),
        (Clause::UndefinedUnreachable, Rejects, Rejects),
        (Clause::UndominatedUnreachable, Accepts, Accepts),
        (Clause::TooFewArguments, Rejects, Rejects),
        (Clause::TooManyArguments, Rejects, CannotSay),
        (Clause::MissingEntry, Rejects, Rejects),
        (Clause::ExtraEntry, CannotSay, Rejects),
        (Clause::DuplicateEntry, CannotSay, Rejects),
        (Clause::BlockTwice, CannotSay, Rejects),
        (Clause::MissingTarget, Rejects, Rejects),
        (Clause::EntryParameters, Rejects, Accepts),
        (Clause::EntryPredecessors, Rejects, Rejects),
        (Clause::PhiEntryPredecessors, Rejects, Rejects),
        (Clause::ConflictingMultiEdge, Accepts, Rejects),
    ]
};

/// How a validator takes a clause.
pub fn ruling(judge: Judge, clause: Clause) -> Ruling {
    let row = MAP.iter().find(|(of, ..)| *of == clause);
    match (judge, row) {
        (Judge::Lab, _) if clause.rule().is_some() => Ruling::Rejects,
        (Judge::Cranelift, Some(&(_, cranelift, _))) => cranelift,
        (Judge::Llvm, Some(&(.., llvm))) => llvm,
        _ => Ruling::Accepts,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A row of the document's table: the clause, the lab, Cranelift, LLVM.
    fn row(line: &str) -> Option<[String; 4]> {
        let mut cells = line.strip_prefix("| `")?.split('|').map(|cell| cell.trim().trim_matches('`').to_string());
        Some([cells.next()?, cells.next()?, cells.next()?, cells.next()?])
    }

    #[test]
    fn the_document_shows_the_map() {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/VALIDATORS.md");
        let rows: Vec<[String; 4]> = std::fs::read_to_string(path).unwrap().lines().filter_map(row).collect();
        let expected: Vec<[String; 4]> = Clause::ALL
            .iter()
            .map(|&clause| {
                let lab = clause.rule().map_or("accepts".into(), |rule| format!("rejects ({rule})"));
                let of = |judge| ruling(judge, clause).name().to_string();
                [clause.name().into(), lab, of(Judge::Cranelift), of(Judge::Llvm)]
            })
            .collect();
        assert_eq!(rows, expected);
    }

    #[test]
    fn every_clause_has_its_row() {
        assert_eq!(MAP.map(|(clause, ..)| clause).as_slice(), Clause::ALL);
    }
}
