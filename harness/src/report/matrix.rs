//! The table of programs by versions: for a terminal, and as Markdown.

use std::fmt::Write;

use comfy_table::{Cell as TableCell, Color, Table, presets};

use crate::compare::matrix::{Cell, CellVerdict, Matrix, MatrixRow};

/// A cell in few signs: how many paths are wrong, or that all are right.
fn short(cell: &Cell) -> String {
    match cell.verdict {
        CellVerdict::NotRun => "·".into(),
        CellVerdict::Unsupported => "–".into(),
        CellVerdict::Right => "right".into(),
        CellVerdict::Known => format!("known {}", cell.wrong().count()),
        CellVerdict::Wrong => format!("WRONG {}", cell.wrong().count()),
    }
}

fn color(verdict: CellVerdict) -> Option<Color> {
    match verdict {
        CellVerdict::NotRun | CellVerdict::Unsupported => None,
        CellVerdict::Right => Some(Color::Green),
        CellVerdict::Known => Some(Color::Yellow),
        CellVerdict::Wrong => Some(Color::Red),
    }
}

/// The table for a terminal. Below it, what the wrong paths give that are not known to be.
pub fn matrix_text(matrix: &Matrix, colored: bool) -> String {
    let mut table = Table::new();
    table.load_preset(presets::NOTHING);
    table.set_header(std::iter::once("program").chain(matrix.versions.iter().map(String::as_str)));
    if colored {
        table.enforce_styling();
    } else {
        table.force_no_tty();
    }
    for row in &matrix.rows {
        let cells = row.cells.iter().map(|cell| match color(cell.verdict) {
            Some(color) => TableCell::new(short(cell)).fg(color),
            None => TableCell::new(short(cell)),
        });
        table.add_row(std::iter::once(TableCell::new(&row.program)).chain(cells));
    }
    let mut text = table.trim_fmt();
    for (row, version, cell) in unknown(matrix) {
        for (variant, what) in cell.wrong() {
            let _ = write!(text, "\n{}: {version}/{variant}: {what}", row.program);
        }
    }
    text
}

/// The cells that are wrong and not known to be.
fn unknown(matrix: &Matrix) -> impl Iterator<Item = (&MatrixRow, &str, &Cell)> {
    let cells = matrix.rows.iter().flat_map(|row| row.cells.iter().zip(&matrix.versions).map(move |it| (row, it)));
    let named = cells.map(|(row, (cell, version))| (row, version.as_str(), cell));
    named.filter(|(_, _, cell)| cell.verdict == CellVerdict::Wrong)
}

/// The counts of all cells by verdict, in a sentence.
pub fn matrix_counts(matrix: &Matrix) -> String {
    let counts = CellVerdict::ALL.map(|verdict| format!("{} {}", matrix.count(verdict), verdict.name()));
    let (programs, versions) = (matrix.rows.len(), matrix.versions.len());
    format!("{programs} programs on {versions} versions: {}", counts.join(", "))
}

/// The rows that tell versions apart, as a Markdown table.
pub fn matrix_markdown(matrix: &Matrix) -> String {
    let mut text = format!("{}.\n", matrix_counts(matrix));
    if matrix.telling().next().is_none() {
        return text;
    }
    let _ = write!(
        text,
        "\n| program | {} |\n|---|{}\n",
        matrix.versions.join(" | "),
        "---|".repeat(matrix.versions.len())
    );
    for row in matrix.telling() {
        let cells: Vec<String> = row.cells.iter().map(marked).collect();
        let _ = writeln!(text, "| `{}` | {} |", row.program, cells.join(" | "));
    }
    text
}

/// A cell with a coloured sign, which is all the colour that Markdown has.
fn marked(cell: &Cell) -> String {
    let sign = match cell.verdict {
        CellVerdict::NotRun | CellVerdict::Unsupported => "⚪",
        CellVerdict::Right => "🟢",
        CellVerdict::Known => "🟡",
        CellVerdict::Wrong => "🔴",
    };
    format!("{sign} {}", short(cell))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::Standing;

    fn matrix() -> Matrix {
        let wrong = |known| Cell::of([("phi-O2".to_string(), Standing::Wrong("return 1 for return 2".into()), known)]);
        let right = || Cell::of([("phi-O2".to_string(), Standing::Right, false)]);
        let row = |program: &str, cells| MatrixRow { program: program.into(), cells };
        Matrix {
            versions: vec!["llvm@14.0.6".into(), "llvm@22.1.8".into()],
            rows: vec![
                row("good.tiny", vec![right(), right()]),
                row("old.tiny", vec![wrong(true), right()]),
                row("new.tiny", vec![Cell::of([]), wrong(false)]),
            ],
        }
    }

    #[test]
    fn a_terminal_shows_every_program_and_names_what_is_unknown() {
        let text = matrix_text(&matrix(), false);
        let lines: Vec<Vec<&str>> = text.lines().map(|line| line.split_whitespace().collect()).collect();
        assert_eq!(lines[0], ["program", "llvm@14.0.6", "llvm@22.1.8"]);
        assert_eq!(lines[1], ["good.tiny", "right", "right"]);
        assert_eq!(lines[2], ["old.tiny", "known", "1", "right"]);
        assert_eq!(lines[3], ["new.tiny", "·", "WRONG", "1"]);
        assert_eq!(text.lines().last(), Some("new.tiny: llvm@22.1.8/phi-O2: return 1 for return 2"));
        assert_eq!(text.lines().count(), 5, "{text}");
        assert!(matrix_text(&matrix(), true).contains("\u{1b}["));
    }

    #[test]
    fn markdown_shows_the_rows_that_tell_versions_apart() {
        let text = matrix_markdown(&matrix());
        assert!(
            text.starts_with("3 programs on 2 versions: 1 wrong, 1 known, 3 right, 0 unsupported, 1 not run."),
            "{text}"
        );
        assert!(text.contains("| `old.tiny` | 🟡 known 1 | 🟢 right |") && !text.contains("good.tiny"), "{text}");
    }
}
