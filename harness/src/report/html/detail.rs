//! All that there is to say about one finding.

use maud::{Markup, html};

use super::finding::Finding;
use super::forms::{forms, parsed};
use super::picture::picture;
use super::sides::{every, pairs, side_by_side};
use crate::compare::Run;
use crate::parting;
use crate::record::read::Triage;
use crate::report::{count, parting_text, values};

/// Runs and faults that are shown; the rest is counted.
const MOST: usize = 12;

/// Graphs that are open at once: those that the lab makes of a program.
const OPEN_GRAPHS: usize = 4;

/// The body of a finding, shown when somebody opens it.
pub fn detail(finding: &Finding) -> Markup {
    let stored = finding.stored;
    html! {
        (command(finding))
        (why(finding))
        h4 { "Program, minimized" }
        @match &stored.program {
            Some((_, text)) => pre.program tabindex="0" { (text) },
            None => p.note { "The folder has no minimized program." },
        }
        @if let Some(original) = &stored.original {
            details.text { summary { "Original program (" (count(original.lines().count(), "line")) ")" } pre tabindex="0" { (original) } }
        }
        (outcomes(&stored.record.minimized.runs))
        (parts(finding))
        (faults(finding))
        (sides(finding))
        (graphs(finding))
        @if let Some(draft) = &stored.draft {
            h4 { "Issue draft, for a person to file" }
            div.copy { button.copy type="button" { "Copy draft" } pre.draft tabindex="0" { (draft) } }
        }
        (toolchains(finding))
    }
}

/// The command, on one line that can be copied.
fn command(finding: &Finding) -> Markup {
    let record = &finding.stored.record;
    let name =
        finding.stored.program.as_ref().map_or("min.tiny".into(), |(form, _)| format!("min.{}", form.extension()));
    let command = record.command.clone().unwrap_or_else(|| format!("roundtrip check {name}"));
    html! {
        h4 { "To see it again, in " code { (finding.place) } }
        div.copy { button.copy type="button" { "Copy command" } pre.command tabindex="0" { (command) } }
        p.note { "First seen in " (record.origin) ", roundtrip " (record.roundtrip) ", " (record.host) "." }
    }
}

/// Who is accused, and how sure that is.
fn why(finding: &Finding) -> Markup {
    let rank = &finding.rank;
    let list = |groups: &std::collections::BTreeSet<String>| groups.iter().cloned().collect::<Vec<_>>().join(", ");
    html! {
        h4 { "How sure: " (rank.confidence.name()) }
        @match &finding.stored.triage {
            Some(triage) => (triaged(triage)),
            None => p {
                "Not triaged (" code { "roundtrip triage" } " localises it). Wrong groups: " (list(&rank.wrong)) ". "
                @if rank.suspects.is_empty() { "They have nothing in common." }
                @else { "What they have in common: " strong { (list(&rank.suspects)) } "." }
            },
        }
    }
}

fn triaged(triage: &Triage) -> Markup {
    let versions = match &triage.versions {
        serde_json::Value::Null => String::new(),
        serde_json::Value::String(text) => text.clone(),
        // Triage's own words for what it found of each version.
        other => other["note"].as_str().map_or_else(|| other.to_string(), str::to_owned),
    };
    html! {
        dl.facts {
            @for (name, text) in [
                ("accused", Some(&triage.accused.group)), ("because", Some(&triage.accused.why)), ("stage", triage.stage.as_ref()),
                ("pass", triage.pass.as_ref()), ("versions", Some(&versions)), ("why so sure", Some(&triage.why)),
            ] {
                @if let Some(text) = text.filter(|text| !text.is_empty()) { div { dt { (name) } dd { (text) } } }
            }
        }
    }
}

/// Who says what: the classes of each run that differs, the right one first and marked.
fn outcomes(runs: &[Run]) -> Markup {
    let differs = |run: &&Run| run.classes.iter().any(|class| class.outcome != run.right);
    let (differing, agreeing): (Vec<&Run>, Vec<&Run>) = runs.iter().partition(differs);
    html! {
        h4 { "Outcomes" }
        @if differing.is_empty() { p.note { "All executions agree (" (count(agreeing.len(), "run")) ")." } }
        @for run in differing.iter().take(MOST) {
            div.scroll tabindex="0" role="region" aria-label={ "Outcomes on " (inputs(run)) } { table.outcomes {
                caption { (inputs(run)) }
                thead { tr { th scope="col" { "outcome" } th scope="col" { "" } th scope="col" { "who" } } }
                tbody { @for class in &run.classes {
                    @let is_right = class.outcome == run.right;
                    tr.right[is_right].wrong[!is_right] {
                        th scope="row" { code { (format!("{:#}", class.outcome)) } }
                        td { @if is_right { "✓ right" } @else { "✗ wrong" } }
                        td { (run.side(class).join(", ")) }
                    }
                } }
            } }
        }
        @if differing.len() > MOST { p.note { "… and " (differing.len() - MOST) " more runs that differ." } }
        @if !differing.is_empty() && !agreeing.is_empty() { p.note { (count(agreeing.len(), "run")) " more without a difference." } }
    }
}

fn inputs(run: &Run) -> String {
    if run.inputs.is_empty() { "the run without inputs".into() } else { format!("inputs {}", values(&run.inputs)) }
}

/// Where executions part, by the SSA that was recorded.
fn parts(finding: &Finding) -> Markup {
    let stored = finding.stored;
    let program = stored.program.as_ref().and_then(|(form, text)| Some((parsed(*form, text)?, text)));
    let texts = stored.texts.iter().map(|text| (text.path.clone(), text.name.as_str(), text.text.as_str()));
    let parting = program.and_then(|(program, text)| {
        parting::find(&program, text, &stored.record.minimized.runs, &parting::forms(texts))
    });
    html! {
        @if let Some(parting) = parting {
            h4 { "Where they part" }
            pre.parting tabindex="0" { (parting_text(&parting)) }
        }
    }
}

fn faults(finding: &Finding) -> Markup {
    let faults = &finding.stored.record.minimized.faults;
    html! {
        @if !faults.is_empty() {
            h4 { (count(faults.len(), "fault")) }
            ul.faults { @for fault in faults.iter().take(MOST) {
                li { strong { (fault.path) } ", " (fault.stage) pre tabindex="0" { (fault.message) } }
            } }
            @if faults.len() > MOST { p.note { "… and " (faults.len() - MOST) " more." } }
        }
    }
}

fn sides(finding: &Finding) -> Markup {
    let texts = &finding.stored.texts;
    let pairs = pairs(texts, &finding.wrong);
    html! {
        @if !texts.is_empty() {
            h4 { "What the paths made of it" }
            @for (index, pair) in pairs.iter().enumerate() { (side_by_side(pair, index == 0)) }
            (every(texts))
        }
    }
}

fn graphs(finding: &Finding) -> Markup {
    let forms = forms(finding.stored);
    html! {
        @if !forms.is_empty() {
            h4 { "Control-flow graphs" }
            p.note { "Those named without a path are what this version of the lab makes of the program; the others were recorded." }
            div.graphs { @for (index, form) in forms.iter().enumerate() {
                details.graph open[index < OPEN_GRAPHS] {
                    summary { (form.name) }
                    div.scroll tabindex="0" role="region" aria-label={ "Graph of " (form.name) } { (picture(&form.name, &form.graph)) }
                }
            } }
        }
    }
}

/// Equal descriptions stand once, with their paths.
fn toolchains(finding: &Finding) -> Markup {
    let mut by_description: std::collections::BTreeMap<&str, Vec<&str>> = Default::default();
    for toolchained in &finding.stored.record.paths {
        by_description.entry(&toolchained.toolchain.description).or_default().push(&toolchained.path);
    }
    html! {
        @if !by_description.is_empty() {
            details.text {
                summary { "Toolchains (" (count(finding.stored.record.paths.len(), "path")) ")" }
                dl.toolchains { @for (description, paths) in &by_description { dt { (description) } dd { (paths.join(", ")) } } }
            }
        }
    }
}
