//! Where on a compiler's way it went wrong: the stage from the report, the pass or the option from trials.

use crate::compare::{Report, Source};
use crate::op::{End, Outcome};
use crate::path::{AS_WRITTEN, PathId, Stage};
use crate::triage::{Place, Trial, Trials, accuse};

/// Where a path went wrong.
pub fn place(report: &Report, path: &PathId, trials: &Trials) -> Place {
    let right = accuse::right(report);
    let is_pass_by_pass = trials.trials.first().is_some_and(|trial| trial.what == AS_WRITTEN);
    if is_pass_by_pass {
        by_passes(report, path, &trials.trials, &right)
    } else {
        by_options(report, path, &trials.trials, &right)
    }
}

/// The first stage at which a path is wrong.
fn first_stage(report: &Report, path: &PathId) -> Option<Stage> {
    let wrong = report.runs.iter().flat_map(|run| run.classes.iter().filter(|class| class.outcome != run.right));
    let sources = wrong.flat_map(|class| &class.sources).filter(|source| source.path == *path);
    let faults = report.faults.iter().filter(|fault| fault.path == *path);
    sources.map(|source| source.stage).chain(faults.map(|fault| fault.stage)).min()
}

fn exact(stage: Stage, pass: Option<String>, why: String) -> Place {
    Place { stage: stage.name().into(), pass, why, is_exact: true }
}

/// The first form that is wrong, of the program as written and after each pass.
fn by_passes(report: &Report, path: &PathId, trials: &[Trial], right: &[Outcome]) -> Place {
    let Some(index) = trials.iter().position(|trial| !trial.is_right(right)) else {
        return not_seen_apart(report, path);
    };
    let trial = &trials[index];
    let seen = seen(trial, right);
    if index > 0 {
        let stage = match trial.what.as_str() {
            what if is_construction(what) => Stage::Construct,
            what if is_code_generation(what) => Stage::Compile,
            _ => Stage::Optimize,
        };
        let why = format!("{path} is right before the pass {} and wrong after it ({seen})", trial.what);
        return exact(stage, Some(trial.what.clone()), why);
    }
    if trial.is_raised_right(right) {
        exact(
            Stage::Compile,
            None,
            format!(
                "{path}: the IR as written is right in the lab's interpreter, and wrong as machine code, with every pass skipped that can be"
            ),
        )
    } else {
        exact(
            Stage::Lower,
            None,
            format!("{path}: the IR as written is wrong before any pass ({seen}), so it is the harness's own lowering"),
        )
    }
}

/// LLVM's own construction, which comes before a path's pipeline.
fn is_construction(pass: &str) -> bool {
    ["1 mem2reg ", "1 PromotePass ", "1 sroa ", "1 SROA"].iter().any(|name| pass.starts_with(name))
}

/// The passes of code generation run on machine functions, which LLVM names in another way.
fn is_code_generation(pass: &str) -> bool {
    pass.contains(" on function (")
}

/// How a form shows that it is wrong.
fn seen(trial: &Trial, right: &[Outcome]) -> String {
    if let Some(fault) = trial.faults.first() {
        return fault.message.lines().next().unwrap_or_default().to_string();
    }
    let raised = match (trial.raised.is_empty(), trial.is_raised_right(right)) {
        (true, _) => "it can't be raised",
        (_, true) => "raised, it is right",
        (_, false) => "raised, it is wrong in the lab's interpreter",
    };
    let executed =
        if trial.is_executed_right(right) { "its machine code is right" } else { "its machine code is wrong" };
    format!("{raised}; {executed}")
}

/// Taken apart, the path shows nothing wrong in machine code and raised forms. Undefined behaviour is seen in what IR
/// means alone, and the report may tell of it; else what the path does in the report depends on something else.
fn not_seen_apart(report: &Report, path: &PathId) -> Place {
    let told = |of: &dyn Fn(&PathId) -> bool| {
        let mut notes = report.notes.iter().filter(|(id, note)| of(id) && note.pass.is_some());
        notes.next().map(|(id, note)| {
            let why = format!("{id}, pass by pass in the interpreter of its IR: {}", note.message);
            exact(note.stage, note.pass.clone(), why)
        })
    };
    let place =
        told(&|id| id == path).or_else(|| told(&|id| id.compiler == path.compiler && id.version == path.version));
    if let Some(place) = place {
        return place;
    }
    let stage = first_stage(report, path).map_or("unknown", Stage::name).to_string();
    let why = format!("{path}: taken apart pass by pass it is right, so the place is not known");
    Place { stage, pass: None, why, is_exact: false }
}

/// Only machine code is wrong: a trap for another trap may be the harness's own reading of a signal.
fn execution(report: &Report, path: &PathId) -> Place {
    let differing = report.runs.iter().flat_map(|run| run.classes.iter().map(move |class| (&run.right, class)));
    let mut wrong =
        differing.filter(|(right, class)| class.outcome != **right && class.sources.iter().any(|s| s.path == *path));
    let is_trap = |outcome: &Outcome| matches!(outcome.end, End::Trap(_));
    let (stage, why) = if report.wrong().contains(path)
        && wrong.all(|(right, class)| is_trap(right) && is_trap(&class.outcome))
    {
        (
            Stage::Execute,
            "one trap is taken for another: the trap's code in the machine code, or the harness's reading of the signal",
        )
    } else {
        (Stage::Compile, "only the machine code is wrong, so it is code generation")
    };
    Place { stage: stage.name().into(), pass: None, why: why.into(), is_exact: true }
}

/// Whether a path's machine code ran, and gave nothing wrong.
fn is_executed_right(report: &Report, path: &PathId) -> bool {
    let classes =
        report.runs.iter().flat_map(|run| run.classes.iter().map(move |class| (class.outcome == run.right, class)));
    let is_own = |source: &&Source| source.path == *path && source.stage == Stage::Execute;
    let mut executed = classes.filter(|(_, class)| class.sources.iter().any(|source| is_own(&source))).peekable();
    executed.peek().is_some() && executed.all(|(is_right, _)| is_right)
}

/// The stage from the report; then the option whose change makes it right.
fn by_options(report: &Report, path: &PathId, trials: &[Trial], right: &[Outcome]) -> Place {
    // What gave nothing at all says nothing.
    let gave = |trial: &&Trial| !trial.raised.is_empty() || !trial.executed.is_empty();
    let changed = trials.iter().filter(gave).find(|trial| trial.is_right(right)).map(|trial| trial.what.as_str());
    // `opt_level=none, not speed`: the option that it is wrong with is `opt_level=speed`.
    let option = changed.and_then(|what| {
        let (change, own) = what.split_once(", not ")?;
        Some(format!("{}={own}", change.split_once('=')?.0))
    });
    let helps = match changed {
        Some(change) => format!("with {change}, it is right"),
        None if trials.is_empty() => "no options were tried".into(),
        None => format!("none of these makes it right: {}", names(trials)),
    };
    let first = first_stage(report, path);
    if matches!(first, Some(Stage::Construct | Stage::Optimize)) && is_executed_right(report, path) {
        let why = format!(
            "{path}: its machine code is right, and wrong is only what the lab's interpreter runs: the raising"
        );
        return Place { stage: "raise".into(), pass: None, why, is_exact: true };
    }
    match first {
        Some(Stage::Lower | Stage::Construct) => construction(report, path),
        Some(Stage::Optimize) => exact(
            Stage::Optimize,
            option,
            format!("{path}: the IR is right as constructed and wrong as optimized; {helps}"),
        ),
        _ => {
            let execution = execution(report, path);
            let why = format!("{path}: the IR is right as optimized; {}; {helps}", execution.why);
            Place { pass: option, why, ..execution }
        }
    }
}

fn names(trials: &[Trial]) -> String {
    trials.iter().map(|trial| trial.what.as_str()).collect::<Vec<_>>().join("; ")
}

/// Wrong as constructed. Where the lab's SSA, written down without any construction by the compiler, is wrong as well,
/// it is what both lowerings share.
fn construction(report: &Report, path: &PathId) -> Place {
    let written = format!("lab+{}", path.compiler);
    let wrong = report.runs.iter().flat_map(|run| run.classes.iter().filter(|class| class.outcome != run.right));
    let is_written = wrong.flat_map(|class| &class.sources).any(|s| s.group == written && s.stage == Stage::Construct);
    if is_written {
        let why = format!(
            "{path}: the IR as constructed is wrong, and so is {written}'s, which constructs nothing: it is the harness's own lowering"
        );
        exact(Stage::Lower, None, why)
    } else {
        let why = format!(
            "{path}: the IR as constructed is wrong, and {written}'s, which the lab constructed, is not: it is the compiler's construction, or the harness's use of it"
        );
        exact(Stage::Construct, None, why)
    }
}
