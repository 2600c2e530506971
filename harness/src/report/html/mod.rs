//! The report of a night as one page: no network, nothing to install, readable by keyboard, on a phone, in the dark.
//!
//! Templates are `maud`'s, which escapes every text that a program, a compiler or a file brings in. A finding's body is
//! written as text that the browser does not look at before somebody opens it (`page.js`).

mod chart;
mod compare;
mod detail;
mod finding;
mod forms;
mod paths;
mod picture;
mod planted;
mod rank;
mod runs;
mod sides;
mod versions;

use std::collections::BTreeMap;
use std::path::Path;

pub use compare::comparisons;
use maud::{DOCTYPE, Markup, PreEscaped, html};

use crate::record::read::Below;
use crate::record::run_log::Verdicts;
use crate::report::count;
use finding::Finding;
use rank::Confidence;
use runs::Ran;

/// Bytes that the bodies of findings may take; more would make the page slow to open. The surest and smallest come
/// first.
const ROOM: usize = 64 << 20;

/// What the browser may do: run the page's own script and style it, and nothing else; least of all fetch something.
const POLICY: &str =
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'nonce-page'; base-uri 'none'; form-action 'none'";

/// The page of what lies below a folder.
pub fn page(folder: &Path, below: &Below) -> String {
    let runs = runs::ran(&below.logs, folder);
    let findings = finding::sorted(&below.findings, folder);
    let mut wrong: BTreeMap<String, usize> = BTreeMap::new();
    for path in findings.iter().flat_map(|finding| &finding.wrong) {
        *wrong.entry(path.clone()).or_default() += 1;
    }
    let title = format!("roundtrip: {}", count(findings.len(), "finding"));
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            (head(&title))
            body {
                a.skip href="#findings" { "Skip to the findings" }
                (arrow())
                header { h1 { (title) } p { code { (folder.display()) } } (summary(&runs, &findings)) }
                nav aria-label="Sections" {
                    a href="#findings" { "Findings" } a href="#runs" { "Runs" }
                    @if below.versions.is_some() { a href="#versions" { "Versions" } }
                    @if !below.planted.is_empty() { a href="#planted" { "Planted faults" } }
                    a href="#paths" { "Paths" }
                }
                main {
                    (troubles(below, &runs))
                    (list(&findings, &wrong))
                    (runs::section(&runs))
                    (versions::section(below.versions.as_ref()))
                    (planted::section("planted", "Planted faults", &below.planted))
                    (planted::section("identities", "Planted faults, each from many seeds", &below.identities))
                    (paths::section(&runs, &wrong))
                }
                footer { p { "Written by roundtrip " (env!("CARGO_PKG_VERSION")) "." } }
                script nonce="page" { (PreEscaped(include_str!("page.js"))) }
            }
        }
    };
    page.into_string()
}

/// The head of every page: its title, its style, and what the browser may do.
fn head(title: &str) -> Markup {
    html! {
        head {
            meta charset="utf-8";
            meta name="viewport" content="width=device-width, initial-scale=1";
            meta name="color-scheme" content="light dark";
            meta http-equiv="Content-Security-Policy" content=(POLICY);
            title { (title) }
            style { (PreEscaped(include_str!("page.css"))) }
        }
    }
}

/// The arrow head of all pictures.
fn arrow() -> Markup {
    html! {
        svg.defs width="0" height="0" aria-hidden="true" { defs {
            marker #arrow viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" orient="auto-start-reverse" {
                path d="M0 0L10 5L0 10z" {}
            }
        } }
    }
}

/// What there is to know at a glance.
fn summary(runs: &[Ran], findings: &[Finding]) -> Markup {
    let mut verdicts = Verdicts::default();
    runs.iter().for_each(|run| verdicts.merge(&run.totals.verdicts));
    let seconds: f64 = runs.iter().map(|run| run.totals.seconds).sum();
    let sure = |confidence| findings.iter().filter(|finding| finding.rank.confidence == confidence).count();
    html! {
        dl.facts {
            div { dt { "findings" } dd { strong { (findings.len()) } } }
            @for confidence in Confidence::ALL { div { dt { (confidence.name()) } dd { (sure(confidence)) } } }
            @if !runs.is_empty() {
                div { dt { "programs" } dd { strong { (verdicts.programs()) } } }
                div { dt { "runs" } dd { (runs.len()) } }
                div { dt { "time" } dd { (runs::duration(seconds)) } }
            }
        }
        (runs::verdicts(&verdicts))
    }
}

/// What is wrong with the night itself.
fn troubles(below: &Below, runs: &[Ran]) -> Markup {
    let mut troubles: Vec<String> = runs.iter().flat_map(Ran::troubles).collect();
    let torn = below.logs.iter().filter(|(_, log)| log.unreadable > 0);
    troubles
        .extend(torn.map(|(file, log)| format!("{}: {} can't be read", file.display(), count(log.unreadable, "line"))));
    troubles.extend(below.problems.iter().cloned());
    html! {
        @if !troubles.is_empty() {
            section.troubles role="alert" aria-label="Troubles" { ul { @for trouble in &troubles { li { (trouble) } } } }
        }
    }
}

/// The findings with the filter.
fn list(findings: &[Finding], wrong: &BTreeMap<String, usize>) -> Markup {
    let mut verdicts: BTreeMap<&str, usize> = BTreeMap::new();
    for finding in findings {
        *verdicts.entry(&finding.stored.record.verdict).or_default() += 1;
    }
    let mut room = ROOM;
    html! {
        section aria-labelledby="findings" {
            h2 #findings tabindex="-1" { "Findings" }
            @if findings.is_empty() { p.note { "No finding lies here." } }
            @else {
                noscript { p { "Without scripts a finding does not open here; its folder has a README.md with the same." } }
                p.note { (rank::RULE) }
                search.filter aria-label="Filter" {
                    label { "Text " input #filter-text type="search" autocomplete="off" placeholder="signature, code"; }
                    label { "Path " select #filter-path {
                        option value="" { "every path" }
                        @for (path, findings) in wrong { option value=(path) { (path) " (" (findings) ")" } }
                    } }
                    label { "Verdict " select #filter-verdict {
                        option value="" { "every verdict" }
                        @for (verdict, findings) in &verdicts { option value=(verdict) { (verdict) " (" (findings) ")" } }
                    } }
                    label { "How sure " select #filter-confidence {
                        option value="" { "all" }
                        @for confidence in Confidence::ALL { option { (confidence.name()) } }
                    } }
                    output #shown aria-live="polite" { (findings.len()) " of " (findings.len()) }
                }
                p.note.keys { "Keys: " kbd { "/" } " filters, " kbd { "↑" } " " kbd { "↓" } " go from finding to finding, " kbd { "Enter" } " opens." }
                div #list {
                    @for (index, finding) in findings.iter().enumerate() { (finding.item(index + 1, &mut room)) }
                }
            }
        }
    }
}
