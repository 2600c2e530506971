//! The harness on trial: the faults that were planted in it, and which it found.

use maud::{Markup, html};

use crate::record::self_test::Planted;
use crate::report::self_test::{COLUMNS, counts, rows};

/// A section; nothing if no fault was planted. The table is folded away where nothing failed.
pub fn section(id: &str, title: &str, faults: &[Planted]) -> Markup {
    if faults.is_empty() {
        return html! {};
    }
    let failed: Vec<&Planted> = faults.iter().filter(|fault| !fault.wrong.is_empty()).collect();
    html! {
        section aria-labelledby=(id) {
            h2 id=(id) { (title) }
            p.note {
                (counts(faults)) ". Programs and seconds until a fault was found are medians, the size of the minimized "
                "program is the largest."
            }
            @if !failed.is_empty() {
                ul { @for fault in &failed {
                    @for why in &fault.wrong { li { code { (fault.fault) } " (" (fault.description) "): " (why) } }
                } }
            }
            details open[!failed.is_empty()] {
                summary { "All of them" }
                div.scroll tabindex="0" role="region" aria-label=(title) { table {
                    thead { tr { @for column in COLUMNS { th scope="col" { (column) } } } }
                    tbody { @for row in rows(faults) { tr { @for cell in row { td { (cell) } } } } }
                } }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_failed_is_told_and_the_table_is_open_then() {
        let fault = |wrong: &[&str]| Planted {
            fault: "lab-args-order".into(),
            part: "lab".into(),
            description: "arguments are exchanged".into(),
            ok: wrong.is_empty(),
            trials: Vec::new(),
            wrong: wrong.iter().map(|why| (*why).into()).collect(),
        };
        let failed = section("planted", "Planted faults", &[fault(&["exit <status> 0"])]).into_string();
        assert!(failed.contains("arguments are exchanged): exit &lt;status&gt; 0") && failed.contains("<details open"));
        let good = section("planted", "Planted faults", &[fault(&[])]).into_string();
        assert!(good.contains("<details><summary>") && !good.contains("<ul>"), "{good}");
        assert_eq!(section("planted", "Planted faults", &[]).into_string(), "");
    }
}
