//! The corpus on every version of every compiler: programs × versions, coloured by verdict.

use maud::{Markup, html};

use crate::compare::matrix::{Cell, CellVerdict, Matrix, MatrixRow};
use crate::report::matrix_counts;

/// The section; nothing if no such table was made. What all versions are right on is folded away.
pub fn section(matrix: Option<&Matrix>) -> Markup {
    let Some(matrix) = matrix else { return html! {} };
    let telling: Vec<&MatrixRow> = matrix.telling().collect();
    let others: Vec<&MatrixRow> = matrix.rows.iter().filter(|row| !telling.contains(row)).collect();
    html! {
        section aria-labelledby="versions" {
            h2 #versions { "Versions" }
            p.note {
                (matrix_counts(matrix)) ". A number says how many paths are wrong; where a known bug says so, it is "
                em { "known" } ". – takes no path, · runs none."
            }
            @if telling.is_empty() { p { "No version is wrong on any program." } }
            @else { (table(matrix, &telling)) }
            @if !others.is_empty() {
                details { summary { (others.len()) " on which no version is wrong" } (table(matrix, &others)) }
            }
        }
    }
}

fn table(matrix: &Matrix, rows: &[&MatrixRow]) -> Markup {
    html! {
        div.scroll tabindex="0" role="region" aria-label="Programs by versions" { table.versions {
            thead { tr { th scope="col" { "program" } @for version in &matrix.versions { th scope="col" { (version) } } } }
            tbody { @for row in rows { tr { th scope="row" { (row.program) } @for cell in &row.cells { (entry(cell)) } } } }
        } }
    }
}

fn entry(cell: &Cell) -> Markup {
    let wrong: Vec<String> = cell.wrong().map(|(variant, what)| format!("{variant}: {what}")).collect();
    let title = (!wrong.is_empty()).then(|| wrong.join("\n"));
    html! {
        td.(cell.verdict.name().replace(' ', "-")) title=[title] {
            @match cell.verdict {
                CellVerdict::NotRun => "·",
                CellVerdict::Unsupported => "–",
                CellVerdict::Right => "right",
                CellVerdict::Known => { "known " (wrong.len()) }
                CellVerdict::Wrong => { "wrong " (wrong.len()) }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compare::Standing;

    #[test]
    fn cells_have_the_colour_of_their_verdict_and_tell_who_is_wrong() {
        let wrong = Standing::Wrong("return <1> for return 2".into());
        let row = |program: &str, standing, known| MatrixRow {
            program: program.into(),
            cells: vec![Cell::of([("phi-O2".to_string(), standing, known)])],
        };
        let rows =
            vec![row("a.tiny", wrong.clone(), true), row("b.tiny", wrong, false), row("c", Standing::Right, false)];
        let matrix = Matrix { versions: vec!["llvm@14.0.6".into()], rows };
        let page = section(Some(&matrix)).into_string();
        assert!(
            page.contains("<td class=\"known\" title=\"phi-O2: return &lt;1&gt; for return 2\">known 1</td>"),
            "{page}"
        );
        assert!(page.contains("<td class=\"wrong\"") && page.contains("1 on which no version is wrong"), "{page}");
        assert_eq!(section(None).into_string(), "");
    }
}
