//! The tables at the end of a run. Counts are results and go to standard output: they are the same whatever the jobs.
//! Times are not; they go to standard error.

use std::time::Duration;

use harness::path::PathId;
use harness::report::table;
use serde_json::{Map, Value, json};

use crate::fuzz::findings::Counts;
use crate::fuzz::tally::{StructureTally, Tally};
use crate::terminal::{Format, Terminal};

/// Prints the counts.
pub fn print(
    tally: &Tally,
    ids: &[PathId],
    findings: &Counts,
    format: Format,
    terminal: &Terminal,
) -> anyhow::Result<()> {
    if format == Format::Json {
        return terminal.json(&object(tally, ids, findings));
    }
    let rows = [("programs", tally.programs)].into_iter().chain(tally.verdicts.rows());
    terminal.line(table(["verdict", "programs"], rows.map(|(name, n)| [name.into(), n.to_string()])))?;
    if !findings.signatures.is_empty() {
        let rows = findings.signatures.iter().map(|(signature, n)| [signature.to_string(), n.to_string()]);
        terminal.line(format!("\n{}", table(["signature", "programs"], rows)))?;
        let rows = findings.identities.iter().map(|(identity, n)| [identity.to_string(), n.to_string()]);
        terminal.line(format!("\n{}", table(["finding", "minimized programs"], rows)))?;
    }
    let rows = generator_rows(tally).into_iter().map(|(name, n, of)| [name, n.to_string(), percent(n, of)]);
    terminal.line(format!("\n{}", table(["generator", "count", "%"], rows)))?;
    let rows = ids.iter().zip(&tally.paths).map(|(id, path)| {
        let counts = [path.programs, path.executions(), path.returns, path.traps, path.wrong, path.faults];
        let [programs, runs, returns, traps, wrong, faults] = counts.map(|n| n.to_string());
        [id.to_string(), programs, runs, returns, traps, wrong, faults, path.unsupported.to_string()]
    });
    let header = ["path", "programs", "runs", "return", "trap", "wrong", "faults", "unsupported"];
    terminal.line(format!("\n{}", table(header, rows)))?;
    let reasons = ids.iter().zip(&tally.paths).flat_map(|(id, path)| path.reasons.iter().map(move |it| (id, path, it)));
    let rows: Vec<_> = reasons
        .map(|(id, path, (reason, &n))| [id.to_string(), reason.clone(), n.to_string(), percent(n, path.programs)])
        .collect();
    if !rows.is_empty() {
        terminal.line(format!("\n{}", table(["path", "unsupported", "programs", "%"], rows)))?;
    }
    print_structure(tally, ids, terminal)
}

/// The parameters of constructed SSA against the lab's (`harness::structure`), and which relations are broken. Quality,
/// not correctness: it is no part of the verdicts, and a program is had again by its number (`roundtrip generate`).
fn print_structure(tally: &Tally, ids: &[PathId], terminal: &Terminal) -> anyhow::Result<()> {
    let measured: Vec<_> = ids.iter().zip(&tally.paths).filter(|(_, path)| path.structure.programs > 0).collect();
    if measured.is_empty() {
        return Ok(());
    }
    let rows = measured.into_iter().map(|(id, path)| {
        let structure = &path.structure;
        let mean = |sum| format!("{:.2}", sum as f64 / structure.programs as f64);
        let [programs, fewer, more] = [structure.programs, structure.fewer, structure.more].map(|n| n.to_string());
        [id.to_string(), programs, mean(structure.params), mean(structure.yardstick), fewer, more]
    });
    let header = ["constructed SSA", "programs", "parameters", "lab's", "fewer", "more"];
    terminal.line(format!("\n{}", table(header, rows)))?;
    if !tally.quality.is_empty() {
        let rows = tally.quality.iter().map(|(name, (n, first))| [name.to_string(), n.to_string(), first.to_string()]);
        terminal.line(format!("\n{}", table(["quality", "programs", "first program"], rows)))?;
    }
    Ok(())
}

/// What the generator made: a name, a number, and the number that it is a part of.
fn generator_rows(tally: &Tally) -> Vec<(String, u64, u64)> {
    let profile = &tally.profile;
    let mut rows = vec![
        ("runs".into(), profile.runs, profile.runs),
        ("runs ended within the fuel".into(), profile.runs - profile.out_of_fuel, profile.runs),
        ("runs trapped".into(), profile.traps, profile.runs),
        ("programs looked at".into(), profile.programs, tally.programs),
    ];
    rows.extend(profile.rows().map(|(name, n)| (format!("  {name}"), n, profile.programs)));
    rows
}

fn structure_object(structure: &StructureTally) -> Value {
    json!({
        "programs": structure.programs,
        "parameters": structure.params,
        "yardstick": structure.yardstick,
        "fewer": structure.fewer,
        "more": structure.more,
    })
}

fn object(tally: &Tally, ids: &[PathId], findings: &Counts) -> Value {
    let signatures: Map<String, Value> =
        findings.signatures.iter().map(|(sig, n)| (sig.to_string(), json!(n))).collect();
    let identities: Map<String, Value> = findings.identities.iter().map(|(id, n)| (id.to_string(), json!(n))).collect();
    let quality: Map<String, Value> = (tally.quality.iter())
        .map(|(name, (programs, first))| (name.to_string(), json!({"programs": programs, "first": first})))
        .collect();
    let generator: Map<String, Value> =
        generator_rows(tally).into_iter().map(|(name, n, _)| (name.trim().into(), json!(n))).collect();
    let paths = ids.iter().zip(&tally.paths).map(|(id, path)| {
        json!({
            "path": id.to_string(),
            "programs": path.programs,
            "runs": path.executions(),
            "vectors": {"due": path.due, "done": path.done, "excused": path.excused},
            "outcomes": {"return": path.returns, "trap": path.traps, "wrong": path.wrong},
            "faults": path.faults,
            "unsupported": path.unsupported,
            "reasons": path.reasons,
            "structure": structure_object(&path.structure),
        })
    });
    json!({
        "summary": {
            "programs": tally.programs,
            "agree": tally.verdicts.agree,
            "findings": tally.verdicts.findings(),
            "known": tally.verdicts.known,
            "inconclusive": tally.verdicts.inconclusive,
            "verdicts": tally.verdicts,
            "signatures": signatures,
            "identities": identities,
            "generator": generator,
            "quality": quality,
            "paths": paths.collect::<Vec<_>>(),
        }
    })
}

/// Prints where the time went: by path, and by part of the pipeline.
pub fn print_times(tally: &Tally, ids: &[PathId], elapsed: Duration, jobs: usize, terminal: &Terminal) {
    if terminal.quiet {
        return;
    }
    let mut parts: Vec<(String, Duration)> =
        vec![("generate".into(), tally.generate), ("interpret (fuel)".into(), tally.reference)];
    for (id, path) in ids.iter().zip(&tally.paths) {
        match parts.iter_mut().find(|(name, _)| *name == id.compiler) {
            Some((_, time)) => *time += path.observe,
            None => parts.push((id.compiler.clone(), path.observe)),
        }
    }
    let is_own = |id: &PathId| id.version.is_none();
    let compilers: Duration =
        ids.iter().zip(&tally.paths).filter(|(id, _)| !is_own(id)).map(|(_, path)| path.observe).sum();
    parts.push(("validate and interpret".into(), tally.paths.iter().map(|path| path.judge).sum()));
    parts.push(("compare and count".into(), tally.compare));
    let total: Duration = parts.iter().map(|(_, time)| *time).sum();

    let rows = ids.iter().zip(&tally.paths).map(|(id, path)| {
        let time = path.observe + path.judge;
        [id.to_string(), path.programs.to_string(), each(time, path.programs), share(time, total)]
    });
    terminal.write(&format!("\n{}\n", table(["path", "programs", "µs each", "% of time"], rows)));
    let rows = parts.iter().map(|(name, time)| [name.clone(), each(*time, tally.programs), share(*time, total)]);
    terminal.write(&format!("\n{}\n", table(["part", "µs a program", "% of time"], rows)));
    let rate = tally.programs as f64 / elapsed.as_secs_f64().max(1e-9);
    let own = share(total.saturating_sub(compilers), total);
    terminal.write(&format!(
        "\n{} programs in {:.1} s on {jobs} workers, {rate:.0} programs/s; {own}% of the time is the harness's own\n",
        tally.programs,
        elapsed.as_secs_f64(),
    ));
}

fn percent(n: u64, of: u64) -> String {
    format!("{:.1}", n as f64 * 100.0 / of.max(1) as f64)
}

fn share(time: Duration, total: Duration) -> String {
    format!("{:.1}", time.as_secs_f64() * 100.0 / total.as_secs_f64().max(1e-9))
}

fn each(time: Duration, programs: u64) -> String {
    format!("{:.1}", time.as_secs_f64() * 1e6 / programs.max(1) as f64)
}
