//! `roundtrip generate`: the programs that `fuzz` would run.

use std::fs;
use std::path::PathBuf;

use anyhow::{Context, bail};
use harness::dialect::Dialect;
use harness::generate::{self, Policy};
use harness::judge;
use harness::record::case_text;

use crate::fuzz::GeneratedForm;
use crate::splice::SpliceOptions;
use crate::status::Status;
use crate::terminal::Terminal;

/// Write the programs that `fuzz` would run, with their input vectors and right outcomes
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  roundtrip generate --seed 7 --count 3
  roundtrip generate --seed 7 --from 1234 --count 1 > program.tiny
  roundtrip generate --seed 7 --count 3 --dialect plus
  roundtrip generate --seed 7 --count 100 --form tac --out programs
  roundtrip generate --seed 7 --count 3 --splice corpus/agree")]
pub struct Args {
    /// Where the programs come from
    #[arg(long, value_name = "N")]
    seed: u64,
    /// How many programs
    #[arg(long, value_name = "K")]
    count: u64,
    /// The number of the first program
    #[arg(long, value_name = "N", default_value_t = 0)]
    from: u64,
    /// The language of the programs: tiny, tac
    #[arg(long, value_name = "FORM", default_value = "tiny")]
    form: GeneratedForm,
    /// The dialect of the programs' operations: core, plus
    #[arg(long, value_name = "DIALECT", default_value_t = Dialect::Core)]
    dialect: Dialect,
    #[command(flatten)]
    splice: SpliceOptions,
    /// A folder for the programs, a file each; without it they are printed
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

/// Prints or writes them.
pub fn run(args: &Args, terminal: &Terminal) -> anyhow::Result<Status> {
    if args.count == 0 {
        bail!("--count 0 is an empty range: there would be no program");
    }
    if args.from.checked_add(args.count).is_none() {
        bail!("--from {} and --count go past the last number there is, {}", args.from, u64::MAX);
    }
    if let Some(out) = &args.out {
        fs::create_dir_all(out).with_context(|| format!("cannot make the folder {}", out.display()))?;
    }
    let pieces = args.splice.pieces(args.dialect)?;
    let policy = Policy { dialect: args.dialect, ..Policy::default() };
    for nth in 0..args.count {
        let index = args.from + nth;
        let case = generate::case_of_pieces(args.seed, index, args.form.into(), &policy, &pieces);
        let right: Vec<_> = judge::reference(&case).into_iter().map(|execution| execution.outcome).collect();
        let text = format!("# program {index} of seed {}\n{}", args.seed, case_text(&case, &right));
        match &args.out {
            Some(out) => {
                let name = format!("seed-{}-{index}.{}", args.seed, case.program.form().extension());
                let file = out.join(name);
                fs::write(&file, text).with_context(|| format!("cannot write {}", file.display()))?;
            }
            None => terminal.print(&text)?,
        }
    }
    Ok(Status::Good)
}
