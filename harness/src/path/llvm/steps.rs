//! A pipeline pass by pass: after each pass the function is run as it stands, and the first pass after which a run
//! gives something else is named. A flag that one pass sets wrongly and a later one drops is seen here, and nowhere
//! else.
//!
//! `default<O2>` is a name for many passes. `pipelines/` holds, by LLVM's major version, what LLVM says that they are:
//! `opt -passes='default<O2>' -print-pipeline-passes`; where there is no `opt`, `clang -O2 -mllvm
//! -print-pipeline-passes` without `declare-to-assign`, which is clang's own. Each pass runs as a pipeline of its own,
//! within the pass managers that it stands in, so analyses are made anew each time; that changes what a pass knows, and
//! rarely what it does. Of a version that has no file there, a name is one step.

use inkwell::module::Module;

#[cfg(not(shared_object))]
use super::faults;
use super::machine::Machine;
use super::session::Session;
use super::{Stop, compat, machine, optimized};
use crate::case::Case;
use crate::op::Outcome;
use crate::optimized::Function;
use crate::path::{Detail, Note, Observation, Stage, Unsupported, now};

/// One pass of a pipeline.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The pass with its parameters: `licm<allowspeculation>`.
    pub pass: String,
    /// The pipeline of this pass alone: `function(loop-mssa(licm<allowspeculation>))`.
    pub alone: String,
}

impl Step {
    /// The pass without its parameters.
    fn name(&self) -> &str {
        self.pass.split('<').next().unwrap_or_default()
    }
}

/// Runs a pipeline pass by pass, and the function after each.
pub fn run(
    machine: &Machine,
    session: &Session,
    module: &Module<'_>,
    passes: &str,
    (case, detail, observation): (&Case, Detail, &mut Observation),
) -> Result<(), Stop> {
    let steps = steps(passes);
    let mut seen = Seen { case, observation, last: None, before: None };
    seen.look(module, Stage::Construct, None);
    now::enter(Stage::Optimize);
    for (index, step) in steps.iter().enumerate() {
        let name = format!("pass {} of {}, {}", index + 1, steps.len(), step.name());
        if detail.texts {
            let text = format!("; opt -S -passes='{}'\n{}", step.alone, module.print_to_string());
            seen.before = Some((format!("llvm-before-{}-{}", index + 1, step.name()), text));
        }
        #[cfg(not(shared_object))]
        let places = faults::before(&step.pass, module);
        let ran = machine.run(session, module, &step.alone, Stage::Optimize);
        if ran.is_err() {
            seen.note(step, format!("it is {name}, that fails"));
            seen.observation.texts.extend(seen.before.take());
        }
        ran?;
        #[cfg(not(shared_object))]
        faults::after(&step.pass, module, &places);
        seen.look(module, Stage::Optimize, Some((step, &name)));
    }
    seen.end();
    machine::verify(module, Stage::Optimize)
}

/// What has been seen of the function so far.
struct Seen<'a> {
    case: &'a Case,
    observation: &'a mut Observation,
    /// The function when it was last looked at, and what its runs gave.
    last: Option<(Function, Vec<Outcome>)>,
    /// The text before the pass that has run last, and its name, if somebody reads texts.
    before: Option<(String, String)>,
}

impl Seen<'_> {
    /// Runs the function if it has changed, and keeps what the runs gave if that has. `after` is the pass that has run,
    /// and what it is called in the pipeline.
    fn look(&mut self, module: &Module<'_>, stage: Stage, after: Option<(&Step, &str)>) {
        let function = match optimized::raise(module) {
            Ok(function) => function,
            Err(reason) => {
                let unsupported = Unsupported { stage, reason };
                if !self.observation.unsupported.contains(&unsupported) {
                    self.observation.unsupported.push(unsupported);
                }
                return;
            }
        };
        if self.last.as_ref().is_some_and(|(last, _)| *last == function) {
            return;
        }
        let (outcomes, undefined) = optimized::outcomes(&function, self.case);
        match (&self.last, after) {
            (Some((_, before)), _) if *before == outcomes => {}
            (Some((_, before)), Some((step, name))) => {
                let changed = before.iter().zip(&outcomes).position(|(before, after)| before != after).unwrap_or(0);
                let (inputs, before, after) = (&self.case.vectors[changed], &before[changed], &outcomes[changed]);
                let why = undefined.map(|undefined| format!("; {undefined}")).unwrap_or_default();
                let what =
                    format!("{name}: inputs {inputs:?} gave {before:#} before it and give {after:#} after it{why}");
                self.note(step, what);
                self.observation.texts.extend(self.before.take());
                self.keep(stage, &outcomes);
            }
            _ => {
                self.observation.notes.extend(undefined.map(|message| Note { stage, pass: None, message }));
                self.keep(stage, &outcomes);
            }
        }
        self.last = Some((function, outcomes));
    }

    fn keep(&mut self, stage: Stage, outcomes: &[Outcome]) {
        self.observation.interpreted.push((stage, outcomes.iter().cloned().map(Some).collect()));
    }

    fn note(&mut self, step: &Step, message: String) {
        let pass = Some(step.name().to_string());
        self.observation.notes.push(Note { stage: Stage::Optimize, pass, message });
    }

    /// Keeps what the last form gave: the optimized one's runs count even when nothing has changed them.
    fn end(&mut self) {
        let kept = self.observation.interpreted.iter().any(|(stage, _)| *stage == Stage::Optimize);
        if let (false, Some((_, outcomes))) = (kept, self.last.take()) {
            self.keep(Stage::Optimize, &outcomes);
        }
    }
}

/// The passes of a pipeline in order, those that only analyse left out.
pub fn steps(passes: &str) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut managers: Vec<&str> = Vec::new();
    let text = expanded(passes);
    let (mut start, mut depth) = (0, 0);
    for (at, character) in text.char_indices().chain([(text.len(), ',')]) {
        match character {
            '<' => depth += 1,
            '>' => depth -= 1,
            '(' if depth == 0 => {
                managers.push(&text[start..at]);
                start = at + 1;
            }
            ',' | ')' if depth == 0 => {
                let pass = &text[start..at];
                let analyses =
                    ["", "verify"].contains(&pass) || pass.starts_with("require<") || pass.starts_with("invalidate<");
                if !analyses {
                    let open: String = managers.iter().map(|manager| format!("{manager}(")).collect();
                    let alone = format!("{open}{pass}{}", ")".repeat(managers.len()));
                    steps.push(Step { pass: pass.to_string(), alone });
                }
                if character == ')' {
                    managers.pop();
                }
                start = at + 1;
            }
            _ => {}
        }
    }
    steps
}

/// What a name such as `default<O2>` stands for in the version that is loaded; other pipelines, and names that
/// `pipelines/` does not have, are what they are.
fn expanded(passes: &str) -> &str {
    let version = compat::version();
    let table = match version.split('.').next() {
        Some("14") => include_str!("pipelines/14.txt"),
        Some("15") => include_str!("pipelines/15.txt"),
        Some("16") => include_str!("pipelines/16.txt"),
        Some("18") => include_str!("pipelines/18.txt"),
        Some("19") => include_str!("pipelines/19.txt"),
        Some("20") => include_str!("pipelines/20.txt"),
        Some("21") => include_str!("pipelines/21.txt"),
        Some("22") => include_str!("pipelines/22.txt"),
        Some("23") => include_str!("pipelines/23.txt"),
        _ => "",
    };
    table
        .lines()
        .filter_map(|line| line.split_once(' '))
        .find(|(name, _)| *name == passes)
        .map_or(passes, |(_, text)| text)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::path::llvm::alloca;
    use crate::path::llvm::emit::Emitter;
    use crate::path::llvm::machine::CodeGen;
    use crate::{tac, tiny};

    #[test]
    fn passes_stand_alone_in_their_managers() {
        let text = "a,function<eager-inv>(b<x;y>,loop(c,d<>),require<e>,f),verify,g";
        let alone: Vec<String> = steps(text).into_iter().map(|step| step.alone).collect();
        let inner = ["b<x;y>", "loop(c)", "loop(d<>)", "f"].map(|pass| format!("function<eager-inv>({pass})"));
        assert_eq!(alone, [&["a".to_string()][..], &inner, &["g".to_string()]].concat());
        assert_eq!(steps(text)[3].pass, "d<>");
    }

    /// What stands in `pipelines/` is what the names mean: the same passes in the same order make the same of a
    /// function.
    #[test]
    fn a_default_pipeline_is_what_it_stands_for() {
        let program =
            "input a, b; s = 0; while a > b { s = s + a * 3; a = a - 1; if s % 7 == b { s = s / (b + 1) } } return s";
        let cfg = tac::cfg(&tac::lower(&tiny::parse(program).unwrap()));
        let optimized = |passes: &str| {
            let session = Session::new();
            let module = session.context.create_module("test");
            let ran = Machine::with(CodeGen::None, |machine| {
                machine.adopt(&module);
                alloca::emit(&cfg, false, &mut Emitter::new(&session.context, &module, true))?;
                machine.run(&session, &module, passes, Stage::Optimize)
            });
            assert!(ran.is_ok());
            module.print_to_string().to_string()
        };
        for name in ["default<O1>", "default<O2>", "default<O3>", "default<Os>"] {
            assert_eq!(optimized(expanded(name)), optimized(name), "{name}");
        }
    }

    #[test]
    fn the_default_pipelines_are_known() {
        for level in ["O1", "O2", "O3", "Os"] {
            let steps = steps(&format!("default<{level}>"));
            assert!(steps.len() > 50, "{level}: {steps:?}");
            assert!(steps.iter().any(|step| step.alone.ends_with("loop(indvars))))")), "{level}: {steps:?}");
        }
        assert_eq!(steps("mem2reg").len(), 1);
    }
}
