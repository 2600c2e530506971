//! For Cranelift: a file for `clif-util test`, and its project's template for bugs.
//!
//! The compiled function takes a pointer to its inputs, which must stay opaque to it; `%main` takes them as parameters
//! and puts them into a stack slot. What stands behind `== ` is what is *right*, not what the compiler gave.

use std::fmt::Write;

use crate::op::End;
use crate::report::draft::{Subject, extra};
use crate::report::values;

/// The draft, and the test as a file.
pub(super) fn draft(subject: &Subject<'_>) -> (String, (String, String)) {
    let triage = subject.triage;
    let clif = clif(subject);
    let pass = triage.pass.as_ref().map(|option| format!(", {option}")).unwrap_or_default();
    let mut text = format!("# Cranelift: {} at stage {}{pass}\n\n", subject.what(), triage.stage);
    let _ = write!(text, "### `.clif` Test Case\n\n```\n{clif}```\n\n");
    text.push_str(
        "### Steps to Reproduce\n\n* Save the test case as `repro.clif`.\n* Run `clif-util test repro.clif`.\n\n",
    );
    let _ = write!(text, "### Expected Results\n\n{}\n\n", subject.expected());
    let _ = write!(text, "### Actual Results\n\n`{}`\n\n{}.\n\n", subject.actual(), triage.why);
    let _ = write!(text, "### Versions and Environment\n\nCranelift version or commit: {}\n\n", subject.toolchain);
    let _ = write!(text, "Versions: {}\n\n", triage.versions.note);
    let _ = write!(text, "Operating system: {}\n\nArchitecture: {}\n\n", std::env::consts::OS, std::env::consts::ARCH);
    let _ = write!(text, "### Extra Info\n\n{}\n\n{}", interpreted(subject), extra(subject));
    (text, ("repro.clif".into(), clif))
}

/// What Cranelift's interpreter makes of the test.
fn interpreted(subject: &Subject<'_>) -> String {
    match subject.filetest {
        Some(Ok(0)) => "No run of it can be expressed as a run command: what is right is a trap.".into(),
        Some(Ok(_)) => "Cranelift's own interpreter gives what is expected.".into(),
        Some(Err(why)) => {
            format!("Cranelift's own interpreter does *not* give what is expected; look into that first: {why}")
        }
        None => "Cranelift's own interpreter was not asked.".into(),
    }
}

/// The test file.
pub fn clif(subject: &Subject<'_>) -> String {
    let mut text = format!("; {}\ntest interpret\ntest run\n", subject.triage.signature);
    // A path's toolchain names its settings as they are set.
    let settings = subject.toolchain.split([',', ' ', ';']).filter(|word| word.contains('='));
    settings.for_each(|setting| text.push_str(&format!("set {setting}\n")));
    text.push_str(&format!("target {}\n\n", target(subject.toolchain)));
    text.push_str(&function(subject.text("clif").unwrap_or_default()));
    text.push_str(&main(subject.case.program.inputs()));
    for run in &subject.report.runs {
        match run.right.end {
            End::Return(value) if run.right.emitted.is_empty() => {
                text.push_str(&format!("; run: %main({}) == {value}\n", values(&run.inputs)));
            }
            // A run command has no word for a trap, nor for what is emitted.
            _ => text.push_str(&format!("; %main({}) is right if it ends in: {}\n", values(&run.inputs), run.right)),
        }
    }
    text
}

/// The target that the toolchain names, with the features' preset if it names one.
fn target(toolchain: &str) -> String {
    let mut words = toolchain.split([',', ' ']);
    let target = if words.clone().any(|word| word.starts_with("aarch64-")) { "aarch64" } else { "x86_64" };
    let preset = words.find(|word| word.starts_with("x86-64-v"));
    preset.map_or_else(|| target.to_string(), |preset| format!("{target} {preset}"))
}

/// The function under a name of its own: run commands know no numbers.
fn function(text: &str) -> String {
    let name_end = text.find('(').unwrap_or(0);
    format!("function %f{}\n", &text[name_end..])
}

/// A function that takes the inputs as parameters.
fn main(inputs: usize) -> String {
    let types = vec!["i64"; inputs].join(", ");
    let params: Vec<String> = (0..inputs).map(|input| format!("v{input}: i64")).collect();
    let params = if params.is_empty() { String::new() } else { format!("({})", params.join(", ")) };
    let stores = (0..inputs).map(|input| format!("    stack_store v{input}, ss0+{}\n", 8 * input));
    format!(
        "function %main({types}) -> i64 system_v {{\n    ss0 = explicit_slot {size}\n    fn0 = colocated %f(i64) -> i64 \
         system_v\n\nblock0{params}:\n{stores}    v{address} = stack_addr.i64 ss0\n    v{result} = call \
         fn0(v{address})\n    return v{result}\n}}\n",
        size = 8 * inputs.max(1),
        stores = stores.collect::<String>(),
        address = inputs,
        result = inputs + 1,
    )
}

#[cfg(test)]
mod tests {
    use super::target;

    #[test]
    fn a_test_is_for_the_machine_that_was_compiled_for() {
        assert_eq!(
            target("Cranelift 0.135.8, x86_64-unknown-linux-gnu, x86-64-v3, opt_level=none"),
            "x86_64 x86-64-v3"
        );
        assert_eq!(target("Cranelift 0.135.8, aarch64-unknown-linux-gnu, run by qemu-aarch64 7.2.22"), "aarch64");
    }
}
