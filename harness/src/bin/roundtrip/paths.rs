//! `roundtrip paths`: what there is to compare.

use harness::path::{Path, installed, registry};
use harness::report;
use serde_json::json;

use crate::status::Status;
use crate::terminal::{Format, Terminal};

/// List every path: name, toolchain, independence group, whether it can be used here
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  roundtrip paths\n  roundtrip paths --format json")]
pub struct Args {
    /// How to print
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,
}

/// Prints a table, or an object a line: what is linked in, then the further versions that are installed.
pub fn run(args: &Args, terminal: &Terminal) -> anyhow::Result<Status> {
    let mut paths = registry();
    let mut status = Status::Good;
    for found in installed::found() {
        match found.paths() {
            Ok(further) => paths.extend(further),
            Err(reason) => {
                terminal.fail(&anyhow::anyhow!(reason));
                status = Status::Usage;
            }
        }
    }
    print(&paths, args, terminal)?;
    Ok(status)
}

fn print(paths: &[Box<dyn Path>], args: &Args, terminal: &Terminal) -> anyhow::Result<()> {
    if args.format == Format::Json {
        for path in paths {
            let (id, toolchain) = (path.id(), path.toolchain());
            terminal.json(&json!({
                "id": id.to_string(),
                "version": id.version,
                "toolchain": toolchain.description,
                "group": toolchain.group,
                "available": toolchain.unavailable.is_none(),
                "unavailable": toolchain.unavailable,
            }))?;
        }
        return Ok(());
    }
    let rows = paths.iter().map(|path| {
        let toolchain = path.toolchain();
        let available = toolchain.unavailable.unwrap_or_else(|| "yes".into());
        [path.id().to_string(), toolchain.group, available, toolchain.description]
    });
    terminal.line(report::table(["path", "group", "available", "toolchain"], rows))
}
