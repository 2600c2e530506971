//! `roundtrip lower`: one form of a program, printed.

use std::path::PathBuf;

use anyhow::bail;
use clap::ValueEnum;
use harness::case::{Case, DEFAULT_FUEL, Program};
use harness::directives;
use harness::lab::{self, Function};
use harness::path::{self, Detail};
use harness::report;
use harness::tac;

use crate::planted::Plant;
use crate::source::{InputForm, Source};
use crate::status::Status;
use crate::terminal::Terminal;
use crate::validate::violations;
use crate::workers::{Checker, LimitOptions};

/// Print one form of a program
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  roundtrip lower program.tiny --form ssa
  roundtrip lower program.tac --form tac-pruned
  roundtrip lower program.tiny --form llvm-O2
  roundtrip lower program.tiny --form llvm-flags
  roundtrip lower program.tiny --form dot | dot -Tsvg > cfg.svg

A .tiny program has all forms; a .tac program tac, tac-ssa, tac-live, tac-pruned and the compilers' forms;
a .ssa function ssa, ssa-live, ssa-pruned (its phi form: `roundtrip convert --to phi`).")]
pub struct Args {
    /// A program; `-` is standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,
    #[command(flatten)]
    input_form: InputForm,
    /// The form to print
    #[arg(long, value_name = "FORM")]
    form: LowerForm,
    #[command(flatten)]
    limits: LimitOptions,
    #[command(flatten)]
    plant: Plant,
}

/// The forms, in the order of the data flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum LowerForm {
    /// The program printed anew
    Tiny,
    /// Naive SSA (Algorithm 8.4.7)
    Ssa,
    /// Dead parameters removed
    SsaLive,
    /// Dead and trivial parameters removed
    SsaPruned,
    /// The phi form of ssa-pruned
    Phi,
    /// The phi form of ssa
    PhiNaive,
    /// Three-address code
    Tac,
    /// Maximal SSA of the three-address code
    TacSsa,
    /// Dead parameters removed
    TacLive,
    /// Dead and trivial parameters removed
    TacPruned,
    /// What Cranelift is given
    Clif,
    /// What Cranelift's optimizer makes of it
    ClifOpt,
    /// What LLVM is given
    Llvm,
    /// The same with each value in the narrowest type that holds it, as the paths phi-narrow have it
    #[value(name = "llvm-narrow")]
    LlvmNarrow,
    /// What LLVM is given, with the promises that the file's `# run:` lines keep: nsw, exact, ranges, branch weights
    #[value(name = "llvm-flags")]
    LlvmFlags,
    /// After LLVM's mem2reg
    #[value(name = "llvm-mem2reg")]
    LlvmMem2reg,
    /// After LLVM's default<O2>
    #[value(name = "llvm-O2")]
    LlvmO2,
    /// The control-flow graph of ssa-pruned, for Graphviz
    Dot,
}

impl LowerForm {
    /// The name on the command line, which is also that of a compiler's text.
    fn name(self) -> String {
        self.to_possible_value().map(|value| value.get_name().to_owned()).unwrap_or_default()
    }

    /// The compiler whose paths have this text.
    fn compiler(self) -> Option<&'static str> {
        match self {
            LowerForm::Clif | LowerForm::ClifOpt => Some("cranelift"),
            LowerForm::Llvm
            | LowerForm::LlvmNarrow
            | LowerForm::LlvmFlags
            | LowerForm::LlvmMem2reg
            | LowerForm::LlvmO2 => Some("llvm"),
            _ => None,
        }
    }
}

/// Prints the form.
pub fn run(args: &Args, terminal: &Terminal) -> anyhow::Result<Status> {
    args.plant.apply();
    let source = Source::read(&args.file, &args.input_form)?;
    let program = source.program(terminal)?;
    if let (Some(fault), true) = (violations(&program).first(), args.form != LowerForm::Ssa) {
        bail!("{}: {fault}; only a valid function has other forms", source.name);
    }
    let text = match (args.form.compiler(), &program) {
        (Some(compiler), Program::Tiny(_) | Program::Tac(_)) => {
            let vectors = match args.form {
                LowerForm::LlvmFlags => vectors(&source, &program, terminal)?,
                _ => Vec::new(),
            };
            Some(compiled(args, compiler, Case { program, vectors, fuel: DEFAULT_FUEL }, terminal)?)
        }
        _ => lowered(&program, args.form),
    };
    let Some(text) = text else {
        let (form, ending) = (args.form.name(), source.form.extension());
        bail!("{}: a .{ending} file has no form {form}; `roundtrip lower --help` lists which has which", source.name);
    };
    terminal.print(&text)?;
    if !text.ends_with('\n') {
        terminal.print("\n")?;
    }
    Ok(Status::Good)
}

/// The lab's forms, as `docs/LANGUAGE.md` ("Which forms a file has") lists them.
fn lowered(program: &Program, form: LowerForm) -> Option<String> {
    Some(match (program, form) {
        (Program::Tiny(program), LowerForm::Tiny) => program.to_string(),
        (Program::Tiny(program), LowerForm::Tac) => tac::lower(program).to_string(),
        (Program::Tiny(program), LowerForm::TacSsa | LowerForm::TacLive | LowerForm::TacPruned) => {
            from_tac(&tac::lower(program), form)?.to_string()
        }
        (Program::Tiny(program), _) => {
            let naive = lab::construct_naive(program);
            match form {
                LowerForm::PhiNaive => phi(&naive),
                LowerForm::Phi => phi(&pruned(naive)),
                LowerForm::Dot => report::dot(&pruned(naive)),
                _ => pruned_to(naive, form)?.to_string(),
            }
        }
        (Program::Tac(program), LowerForm::Tac) => program.to_string(),
        (Program::Tac(program), _) => from_tac(program, form)?.to_string(),
        (Program::Ssa(function), _) => pruned_to(function.clone(), form)?.to_string(),
        (Program::Phi(_), _) => return None,
    })
}

fn from_tac(program: &tac::Program, form: LowerForm) -> Option<Function> {
    let cfg = tac::cfg(program);
    match form {
        LowerForm::TacSsa => Some(lab::construct_maximal(&cfg)),
        LowerForm::TacLive => Some(lab::construct_live(&cfg)),
        LowerForm::TacPruned => Some(pruned(lab::construct_live(&cfg))),
        _ => None,
    }
}

fn pruned_to(mut function: Function, form: LowerForm) -> Option<Function> {
    match form {
        LowerForm::Ssa => {}
        LowerForm::SsaLive => lab::prune_dead(&mut function),
        LowerForm::SsaPruned => function = pruned(function),
        _ => return None,
    }
    Some(function)
}

fn pruned(mut function: Function) -> Function {
    lab::prune_dead(&mut function);
    lab::prune_trivial(&mut function);
    function
}

fn phi(function: &Function) -> String {
    lab::args_to_phi(&lab::split_conflicts(function)).to_string()
}

/// The vectors of the file's run directives, which promises depend on.
fn vectors(source: &Source, program: &Program, terminal: &Terminal) -> anyhow::Result<Vec<Vec<i64>>> {
    let directives = directives::parse(&source.text).map_err(|error| source.error(&error, terminal))?;
    let vectors: Vec<Vec<i64>> = directives.into_iter().map(|directive| directive.vector).collect();
    if vectors.is_empty() || vectors.iter().any(|vector| vector.len() != program.inputs()) {
        bail!(
            "{}: llvm-flags needs `# run:` lines with a value for each input: it promises what they keep",
            source.name
        );
    }
    Ok(vectors)
}

/// The text of this name from the first of the compiler's paths that has it.
fn compiled(args: &Args, compiler: &str, case: Case, terminal: &Terminal) -> anyhow::Result<String> {
    let name = args.form.name();
    let mut reasons = Vec::new();
    for path in path::registry().into_iter().filter(|path| path.id().compiler == compiler) {
        if let Some(why) = path.toolchain().unavailable {
            reasons.push(why);
            continue;
        }
        let checker = Checker::new(&[&*path], &args.plant, &args.limits);
        let observation = checker.observe(&case, &*path, Detail { texts: true, ..Detail::default() })?;
        for fault in &observation.faults {
            terminal.warn(format!("{}, {}: {}", path.id(), fault.stage, fault.message));
        }
        if let Some((_, text)) = observation.texts.into_iter().find(|(text_name, _)| *text_name == name) {
            return Ok(text);
        }
        reasons.extend(observation.unsupported.into_iter().map(|unsupported| unsupported.reason));
    }
    let why = reasons.first().map_or_else(|| format!("this build has no {compiler}"), Clone::clone);
    bail!("there is no {name} here: {why}")
}
