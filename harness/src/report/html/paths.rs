//! What every path did: the table by path, with bars.

use std::collections::BTreeMap;

use maud::{Markup, html};

use super::chart::short;
use super::runs::Ran;
use crate::record::run_log::PathTotals;
use crate::report::count;

/// A path over all runs.
#[derive(Default)]
struct Row {
    group: String,
    totals: PathTotals,
    findings: usize,
}

/// The section of the paths. `wrong` counts the findings in which each path is wrong.
pub fn section(runs: &[Ran], wrong: &BTreeMap<String, usize>) -> Markup {
    let rows = rows(runs, wrong);
    let most = rows.values().map(|row| row.totals.runs).max().unwrap_or(0);
    let slowest = rows.values().map(cost).fold(0.0, f64::max);
    html! {
        section aria-labelledby="paths" {
            h2 #paths { "Paths" }
            @if rows.is_empty() { p.note { "No path is named in what lies here." } }
            @else {
                details.paths open[rows.len() <= 24] {
                    summary { (count(rows.len(), "path")) ", " (rows.values().filter(|row| row.findings > 0).count()) " of them wrong in a finding" }
                    div.scroll tabindex="0" role="region" aria-label="Paths" { table.paths {
                        thead { tr {
                            th scope="col" { "path" } th scope="col" { "group" }
                            th.n scope="col" { "findings" } th.n scope="col" { "programs" }
                            th scope="col" { "runs: right, wrong" } th.n scope="col" { "wrong" }
                            th.n scope="col" { "faults" } th.n scope="col" { "unsupported" }
                            th scope="col" { "µs a program" }
                        } }
                        tbody { @for (path, row) in &rows { (table_row(path, row, most, slowest)) } }
                    } }
                }
            }
        }
    }
}

fn rows(runs: &[Ran], wrong: &BTreeMap<String, usize>) -> BTreeMap<String, Row> {
    let mut rows: BTreeMap<String, Row> = BTreeMap::new();
    for ran in runs {
        for toolchained in &ran.start.paths {
            rows.entry(toolchained.path.clone()).or_default().group = toolchained.toolchain.group.clone();
        }
        for totals in &ran.totals.paths {
            let sum = &mut rows.entry(totals.path.clone()).or_default().totals;
            sum.programs += totals.programs;
            sum.runs += totals.runs;
            sum.wrong += totals.wrong;
            sum.unsupported += totals.unsupported;
            sum.faults += totals.faults;
            sum.seconds += totals.seconds;
        }
    }
    for (path, findings) in wrong {
        rows.entry(path.clone()).or_default().findings = *findings;
    }
    rows
}

/// Microseconds a program.
fn cost(row: &Row) -> f64 {
    if row.totals.programs == 0 { 0.0 } else { row.totals.seconds * 1e6 / row.totals.programs as f64 }
}

fn table_row(path: &str, row: &Row, most: u64, slowest: f64) -> Markup {
    let PathTotals { programs, runs, wrong, unsupported, faults, .. } = &row.totals;
    let bad = *wrong > 0 || *faults > 0;
    html! {
        tr.bad[bad || row.findings > 0] {
            th scope="row" {
                @if row.findings > 0 { button.path type="button" data-path=(path) title="Show this path's findings" { (path) } }
                @else { (path) }
            }
            td { (row.group) }
            td.n { (row.findings) } td.n { (programs) }
            td { (bar(*runs as f64, *wrong as f64, most as f64)) (runs) }
            td.n { (wrong) } td.n { (faults) } td.n { (unsupported) }
            td { (bar(cost(row), 0.0, slowest)) (short(cost(row).round())) }
        }
    }
}

/// A bar of 100 units for `most`; its wrong part is never too thin to be seen.
fn bar(whole: f64, wrong: f64, most: f64) -> Markup {
    let width = |part: f64| if most > 0.0 { (part / most * 1000.0).round() / 10.0 } else { 0.0 };
    let wrong_width = if wrong > 0.0 { width(wrong).max(2.0) } else { 0.0 };
    html! {
        svg.bar viewBox="0 0 100 10" width="100" height="10" preserveAspectRatio="none" aria-hidden="true" {
            rect.whole width=(width(whole)) height="10" {}
            @if wrong > 0.0 { rect.wrong x=(width(whole - wrong).min(100.0 - wrong_width).max(0.0)) width=(wrong_width) height="10" {} }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_wrong_part_of_a_bar_is_seen_and_stays_within() {
        let bar = bar(1_000_000.0, 1.0, 1_000_000.0).into_string();
        assert!(bar.contains("<rect class=\"wrong\" x=\"98\" width=\"2\""), "{bar}");
        assert!(!super::bar(0.0, 0.0, 0.0).into_string().contains("NaN"));
    }

    #[test]
    fn a_path_of_a_finding_alone_has_a_row() {
        let page = section(&[], &BTreeMap::from([("lab/<phi>".to_string(), 2)])).into_string();
        assert!(page.contains("data-path=\"lab/&lt;phi&gt;\"") && page.contains("1 path, 1 of them"), "{page}");
        assert!(section(&[], &BTreeMap::new()).into_string().contains("No path is named"));
    }
}
