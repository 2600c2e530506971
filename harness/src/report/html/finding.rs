//! A finding in the page's list: a line that says the most important, and the filter's hold on it.

use std::collections::BTreeSet;
use std::path::Path;

use maud::{Markup, PreEscaped, html};

use super::detail::detail;
use super::rank::{Rank, code, wrong_paths};
use crate::record::read::Stored;
use crate::report::count;

/// A finding with what the page is sorted and filtered by.
pub struct Finding<'a> {
    /// As it lies in its folder.
    pub stored: &'a Stored,
    /// Its folder, below the folder of the report.
    pub place: String,
    /// How sure and how small.
    pub rank: Rank,
    /// The paths that are wrong in it.
    pub wrong: BTreeSet<String>,
}

/// All findings in the page's order.
pub fn sorted<'a>(stored: &'a [Stored], folder: &Path) -> Vec<Finding<'a>> {
    let finding = |stored: &'a Stored| Finding {
        stored,
        place: stored.folder.strip_prefix(folder).unwrap_or(&stored.folder).display().to_string(),
        rank: Rank::of(stored),
        wrong: wrong_paths(stored),
    };
    let mut findings: Vec<Finding> = stored.iter().map(finding).collect();
    findings.sort_by(|a, b| (a.rank.key(), &a.place).cmp(&(b.rank.key(), &b.place)));
    findings
}

impl Finding<'_> {
    /// The finding in the list. Its body is text to the browser until somebody opens it, so that a thousand findings
    /// cost as little as one. `room` is how many bytes the page still has for bodies; what a body takes is taken off.
    pub fn item(&self, number: usize, room: &mut usize) -> Markup {
        let record = &self.stored.record;
        let body = detail(self).into_string();
        let fits = body.len() <= *room;
        *room -= if fits { body.len() } else { 0 };
        let first = self.stored.program.as_ref().and_then(|(_, text)| code(text).last()).unwrap_or_default();
        let paths: Vec<&str> = self.wrong.iter().map(String::as_str).collect();
        html! {
            details.finding id={ "finding-" (number) } data-verdict=(record.verdict)
                data-confidence=(self.rank.confidence.name()) data-paths=(paths.join(" ")) {
                summary {
                    span class={ "verdict " (record.verdict) } { (record.verdict) }
                    span.signature { (record.signature) }
                    span.sure { (self.rank.confidence.name()) @if self.rank.is_triaged { ", triaged" } }
                    span.size { (count(self.rank.lines, "line")) }
                    code.last { (first) }
                }
                @if fits { script type="text/html" { (PreEscaped(body)) } }
                @else { p.note { "The page has no room for more: see " code { (self.place) "/README.md" } "." } }
            }
        }
    }
}
