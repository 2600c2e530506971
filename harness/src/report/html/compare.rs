//! The page of `roundtrip compare`: two paths, or pair after pair of them, program by program.

use maud::{DOCTYPE, Markup, html};

use super::head;
use crate::compare::versions::{Comparison, Spread};

/// The page.
pub fn comparisons(comparisons: &[Comparison]) -> String {
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            (head("roundtrip: comparison"))
            body {
                header { h1 { "What changed from one to the other" } (overview(comparisons)) }
                main { @for (index, comparison) in comparisons.iter().enumerate() { (section(index, comparison)) } }
                footer { p { "Written by roundtrip " (env!("CARGO_PKG_VERSION")) "." } }
            }
        }
    };
    page.into_string()
}

/// One line a pair.
fn overview(comparisons: &[Comparison]) -> Markup {
    html! {
        div.scroll tabindex="0" role="region" aria-label="Overview" { table.whole-words {
            thead { tr {
                th scope="col" { "first → second" } th.n scope="col" { "programs" }
                th.n scope="col" { "regressions" } th.n scope="col" { "fixed" } th.n scope="col" { "newly unsupported" }
                th.n scope="col" { "otherwise wrong" } th scope="col" { "parameters" } th scope="col" { "instructions" }
                th scope="col" { "code size" } th scope="col" { "compile time" }
            } }
            tbody { @for (index, comparison) in comparisons.iter().enumerate() {
                @let summary = &comparison.summary;
                tr {
                    th.line scope="row" { a href={ "#pair-" (index) } { (comparison.first) br; "→ " (comparison.second) } }
                    td.n { (summary.programs) }
                    @for (place, (_, count)) in summary.changes.iter().enumerate() {
                        td.n.wrong[place == 0 && *count > 0] { (count) }
                    }
                    td.line { (summary.parameters.0) " → " (summary.parameters.1) }
                    td.line { (summary.instructions.0) " → " (summary.instructions.1) }
                    td.line { (spread(summary.code)) }
                    td.line {
                        @if let Some((first, second)) = summary.microseconds { (first) " → " (second) " µs" br; }
                        (spread(summary.time))
                    }
                }
            } }
        } }
        p.note { "Sizes and times are of the programs that both are right on: sums, medians, and the ratios' median with the half of the programs around it." }
    }
}

fn spread(spread: Option<Spread>) -> String {
    match spread {
        Some(Spread { median, low, high }) => format!("× {median:.2} ({low:.2} to {high:.2})"),
        None => "–".into(),
    }
}

fn section(index: usize, comparison: &Comparison) -> Markup {
    let mut measured: Vec<_> = comparison
        .rows
        .iter()
        .filter_map(|row| Some((row, row.first.size.as_ref()?, row.second.size.as_ref()?)))
        .collect();
    // What grew most comes first.
    measured.sort_by(|(_, a, b), (_, c, d)| (d.code * a.code.max(1)).cmp(&(b.code * c.code.max(1))));
    html! {
        section aria-labelledby={ "pair-" (index) } {
            h2 id={ "pair-" (index) } { (comparison.first) " → " (comparison.second) }
            @if comparison.changed().next().is_none() { p.note { "No verdict changed." } }
            @else {
                div.scroll tabindex="0" role="region" aria-label="Verdicts that changed" { table {
                    thead { tr { th scope="col" { "change" } th scope="col" { "program" } th scope="col" { "was" } th scope="col" { "is" } } }
                    tbody { @for (change, row) in comparison.changed() {
                        tr {
                            td { (change.name()) } th scope="row" { (row.program) }
                            td { (row.first.standing) } td { (row.second.standing) }
                        }
                    } }
                } }
            }
            details {
                summary { (measured.len()) " programs measured" }
                div.scroll tabindex="0" role="region" aria-label="Sizes and times" { table {
                    thead { tr {
                        th scope="col" { "program" } th.n scope="col" { "parameters" } th.n scope="col" { "instructions" }
                        th.n scope="col" { "bytes of code" } th.n scope="col" { "µs" }
                    } }
                    tbody { @for (row, first, second) in &measured {
                        tr {
                            th scope="row" { (row.program) }
                            td.n { (first.parameters) " → " (second.parameters) }
                            td.n { (first.instructions) " → " (second.instructions) }
                            td.n { (first.code) " → " (second.code) }
                            td.n { (row.first.time.as_micros()) " → " (row.second.time.as_micros()) }
                        }
                    } }
                } }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;
    use crate::compare::Standing;
    use crate::compare::versions::{Row, Seen};
    use crate::path::Size;

    #[test]
    fn a_page_has_regressions_and_measures_with_what_grew_most_first() {
        let seen = |standing, code| {
            let size = (code > 0).then_some(Size { parameters: 1, instructions: 2, code });
            Seen { standing, size, time: Duration::from_micros(code) }
        };
        let row = |program: &str, first, second| Row { program: program.into(), first, second };
        let wrong = Standing::Wrong("return <1> for return 2".into());
        let rows = vec![
            row("less.tiny", seen(Standing::Right, 30), seen(Standing::Right, 10)),
            row("more.tiny", seen(Standing::Right, 10), seen(Standing::Right, 20)),
            row("worse.tiny", seen(Standing::Right, 0), seen(wrong, 0)),
        ];
        let page = comparisons(&[Comparison::new("llvm@14/a".into(), "llvm@22/a".into(), rows)]);
        assert!(page.contains("<td>regression</td><th scope=\"row\">worse.tiny</th>"), "{page}");
        assert!(page.contains("return &lt;1&gt; for return 2") && page.contains("30 → 20 µs<br>× 0.33"), "{page}");
        let place = |program| page.rfind(&format!(">{program}<")).unwrap();
        assert!(place("more.tiny") < place("less.tiny"), "{page}");
    }
}
