//! For LLVM: IR that `opt`, `llc` and `lli` take, whose `main` ends with status 0 if the result is right and 1 if it is
//! wrong; the pass; and pages that show it.

use std::fmt::Write;

use crate::op::{End, Outcome, Trap};
use crate::path::Stage;
use crate::report::draft::{Subject, extra, links};
use crate::triage::{Triage, Trials};

/// IR that shows a fault, and how to see it there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repro {
    /// The module as the compiler had it.
    pub text: String,
    /// The same with a `main`.
    pub module: String,
    /// The passes to run, in `opt`'s notation; none if code generation is at fault.
    pub passes: Option<String>,
    /// Whether it was seen to be wrong after these passes, and right before them.
    pub is_verified: bool,
}

/// The modules to try, the best first: before the pass, with that pass alone; as written, with all passes up to it; for
/// code generation, after all passes.
pub fn candidates(triage: &Triage, trials: &Trials, toolchain: &str, inputs: &[i64], right: &Outcome) -> Vec<Repro> {
    let repro = |text: &str, passes: Option<String>| Repro {
        text: text.into(),
        module: module(text, inputs, right),
        passes,
        is_verified: false,
    };
    let trials = &trials.trials;
    let Some(pass) = &triage.pass else {
        return trials.last().map(|last| repro(&last.text, None)).into_iter().collect();
    };
    let before = trials.iter().position(|trial| trial.what == *pass).and_then(|index| index.checked_sub(1));
    let before = before.or_else(|| trials.len().checked_sub(1)).and_then(|index| trials.get(index));
    let alone = before.map(|trial| repro(&trial.text, Some(pass_name(pass).into())));
    let all = trials.first().map(|written| repro(&written.text, Some(pipelines(toolchain))));
    alone.into_iter().chain(all).collect()
}

/// A path's pipelines as one for `opt`, from its toolchain's `; passes mem2reg, default<O2>; code generation ..`.
fn pipelines(toolchain: &str) -> String {
    let passes = toolchain.split("; ").find_map(|part| part.strip_prefix("passes ")).unwrap_or_default();
    let nested = |pipeline: &str| match pipeline.starts_with("default<") {
        true => pipeline.to_string(),
        false => format!("function({pipeline})"),
    };
    passes.split(", ").map(nested).collect::<Vec<_>>().join(",")
}

/// `instcombine` of `14 instcombine on f`, with what keeps `opt` from ending early. Before LLVM 16 passes are told by
/// the names of their classes.
fn pass_name(pass: &str) -> &str {
    match pass.split(' ').nth(1).unwrap_or(pass) {
        "instcombine" => "instcombine<no-verify-fixpoint>",
        "InstCombinePass" => "instcombine",
        "PromotePass" => "mem2reg",
        "SROAPass" | "SROA" => "sroa",
        "EarlyCSEPass" => "early-cse",
        "SimplifyCFGPass" => "simplifycfg",
        "JumpThreadingPass" => "jump-threading",
        "IndVarSimplifyPass" => "indvars",
        "GVNPass" | "GVN" => "gvn",
        "SCCPPass" => "sccp",
        "ADCEPass" => "adce",
        "ReassociatePass" => "reassociate",
        "LICMPass" => "licm",
        "LoopRotatePass" => "loop-rotate",
        "LoopFullUnrollPass" => "loop-unroll-full",
        "CorrelatedValuePropagationPass" => "correlated-propagation",
        name => name,
    }
}

/// The draft, and the module as a file.
pub(super) fn draft(subject: &Subject<'_>) -> (String, (String, String)) {
    let triage = subject.triage;
    let module = subject.repro.map(|repro| repro.module.clone()).unwrap_or_default();
    let passes = subject.repro.and_then(|repro| repro.passes.as_deref());
    let title = match (&triage.pass, triage.stage == Stage::Compile.name()) {
        (Some(pass), _) => format!("[{}] {}", pass.split(' ').nth(1).unwrap_or(pass), subject.what()),
        (None, true) => format!("[X86] {} in code generation", subject.what()),
        (None, false) => format!("{} at stage {}", subject.what(), triage.stage),
    };
    let mut text = format!("# {title}\n\nExpected: {}\n\nActual: `{}`\n\n", subject.expected(), subject.actual());
    let _ = write!(text, "{}.\n\n```llvm\n{module}```\n\nTo see it, with this as `repro.ll`:\n\n", triage.why);
    text.push_str(&commands(passes));
    let verified = match subject.repro {
        Some(repro) if repro.is_verified => "Seen in a process of its own: right before, wrong after.",
        _ => "This short form was *not* seen to show the fault; the path that does is named below. Try it first.",
    };
    let _ = write!(text, "\n{verified}\n\n");
    let (tool, options) = match passes {
        Some(passes) => ("opttrunk", format!("-passes={passes}")),
        None => ("llctrunk", "-O2".into()),
    };
    let _ = writeln!(text, "- [Compiler Explorer]({})", links::compiler_explorer(&module, tool, &options));
    if let Some((before, after)) = around(triage, subject.trials) {
        let _ =
            writeln!(text, "- [Alive2]({}): is what the pass made a refinement?", links::alive2(&pair(before, after)));
    }
    let path = triage.path.as_ref().map(ToString::to_string).unwrap_or_default();
    let _ = write!(text, "\nVersion: {}; path `{path}`. {}.\n\n", subject.toolchain, triage.versions.note);
    (text + &extra(subject), ("repro.ll".into(), module))
}

fn commands(passes: Option<&str>) -> String {
    match passes {
        Some(passes) => format!(
            "    lli -O0 repro.ll; echo $?    # right: 0\n    opt -S -passes='{passes}' repro.ll -o after.ll\n    lli -O0 \
             after.ll; echo $?    # wrong: not 0\n"
        ),
        None => "    lli -O0 repro.ll; echo $?    # right: 0\n    lli -O2 repro.ll; echo $?    # wrong: not 0\n".into(),
    }
}

/// The texts before and after the pass.
fn around<'a>(triage: &Triage, trials: &'a Trials) -> Option<(&'a str, &'a str)> {
    let after = trials.trials.iter().position(|trial| Some(&trial.what) == triage.pass.as_ref())?;
    Some((&trials.trials.get(after.checked_sub(1)?)?.text, &trials.trials[after].text))
}

/// A module of the function with a `main` that runs it on one vector. The inputs are a global that others may change,
/// and the function is not inlined, so that they stay opaque to it.
pub fn module(text: &str, inputs: &[i64], right: &Outcome) -> String {
    let mut module = String::new();
    for line in text.lines() {
        if is_definition(line) && line.ends_with('{') {
            module.push_str(&line[..line.len() - 1]);
            module.push_str("noinline {\n");
        } else if !HOST.iter().any(|name| line.starts_with(&format!("declare void @{name}("))) {
            module.push_str(line);
            module.push('\n');
        }
    }
    module + &frame(text.contains("@f(i64* "), inputs, right)
}

/// The functions that the harness provides.
const HOST: [&str; 2] = ["raise_trap", "emit"];

/// `main` and what it needs. Before LLVM 15 a pointer has the type of what it points to.
fn frame(has_typed_pointers: bool, inputs: &[i64], right: &Outcome) -> String {
    let pointer = if has_typed_pointers { "i8*" } else { "ptr" };
    let first = |element: &str, count: usize, name: &str| {
        let array = format!("[{count} x {element}]");
        if has_typed_pointers {
            format!("{element}* getelementptr ({array}, {array}* {name}, i64 0, i64 0)")
        } else {
            format!("ptr {name}")
        }
    };
    let returned = first("i8", 13, "@returned");
    let trapped = first("i8", 11, "@trapped");
    let printf = format!("call i32 ({pointer}, ...) @printf");
    let values: Vec<String> = inputs.iter().map(|value| format!("i64 {value}")).collect();
    let array = format!("[{} x i64]", inputs.len());
    // A trap's code is 0 for a division by zero and 1 for an overflow.
    let (code, value) = match right.end {
        End::Trap(Trap::DivByZero) => (0, None),
        End::Trap(Trap::Overflow) => (1, None),
        End::Return(value) => (-1, Some(value)),
        End::OutOfFuel | End::Undefined => (-1, None),
    };
    let end = match value {
        Some(value) => format!(
            "  %differs = icmp ne i64 %result, {value}\n{}  ret i32 %status\n",
            status(has_typed_pointers, right.emitted.len())
        ),
        None => "  ret i32 1\n".into(),
    };
    format!(
        r#"
@inputs = global {array} [{values}]
@returned = constant [13 x i8] c"return %lld\0A\00"
@trapped = constant [11 x i8] c"trap %lld\0A\00"
declare i32 @printf({pointer}, ...)
declare void @exit(i32)

define void @raise_trap(i64 %code) noinline optnone noreturn nounwind {{
  {printf}({trapped}, i64 %code)
  %differs = icmp ne i64 %code, {code}
{status}  call void @exit(i32 %status)
  unreachable
}}

define i32 @main() noinline optnone {{
  %result = call i64 @f({inputs})
  {printf}({returned}, i64 %result)
{end}}}
{emitting}"#,
        emitting = emitting(has_typed_pointers, &printf, &right.emitted),
        status = status(has_typed_pointers, right.emitted.len()),
        values = values.join(", "),
        inputs = first("i64", inputs.len(), "@inputs"),
    )
}

/// The function that prints what is emitted and holds it against what is right: `@emitted` counts, and `@bad` is set at
/// the first value that differs.
fn emitting(has_typed_pointers: bool, printf: &str, right: &[i64]) -> String {
    let length = right.len().max(1);
    let values: Vec<String> = (0..length).map(|at| format!("i64 {}", right.get(at).copied().unwrap_or(0))).collect();
    let array = format!("[{length} x i64]");
    let to = |element: &str| if has_typed_pointers { format!("{element}*") } else { "ptr".into() };
    let (word, bit, whole) = (to("i64"), to("i1"), to(&array));
    let format = if has_typed_pointers {
        "i8* getelementptr ([12 x i8], [12 x i8]* @emits, i64 0, i64 0)"
    } else {
        "ptr @emits"
    };
    format!(
        r#"
@emits = constant [12 x i8] c"emits %lld\0A\00"
@right = constant {array} [{values}]
@emitted = global i64 0
@bad = global i1 false

define void @emit(i64 %value) noinline optnone nounwind {{
  {printf}({format}, i64 %value)
  %at = load i64, {word} @emitted
  %next = add i64 %at, 1
  store i64 %next, {word} @emitted
  %within = icmp ult i64 %at, {count}
  %index = select i1 %within, i64 %at, i64 0
  %place = getelementptr {array}, {whole} @right, i64 0, i64 %index
  %expected = load i64, {word} %place
  %same = icmp eq i64 %value, %expected
  %good = and i1 %within, %same
  %worse = xor i1 %good, true
  %before = load i1, {bit} @bad
  %after = or i1 %before, %worse
  store i1 %after, {bit} @bad
  ret void
}}
"#,
        values = values.join(", "),
        count = right.len(),
    )
}

/// The exit status in `%status`: 1 if `%differs`, or if something else was emitted than is right.
fn status(has_typed_pointers: bool, emitted: usize) -> String {
    let (word, bit) = if has_typed_pointers { ("i64*", "i1*") } else { ("ptr", "ptr") };
    format!(
        "  %count = load i64, {word} @emitted\n  %misses = icmp ne i64 %count, {emitted}\n  %was.bad = load i1, {bit} @bad\n  \
         %either = or i1 %misses, %was.bad\n  %wrong = or i1 %either, %differs\n  %status = zext i1 %wrong to i32\n"
    )
}

fn is_definition(line: &str) -> bool {
    line.starts_with("define ") && line.contains("@f(")
}

/// Both functions in one text, as Alive2 takes them: no groups of attributes, whose definitions are left out.
fn pair(before: &str, after: &str) -> String {
    let declared = "declare void @raise_trap(i64) noreturn nounwind\ndeclare void @emit(i64) nounwind\n";
    format!("{declared}\n{}\n{}", function(before, "@src("), function(after, "@tgt("))
}

/// The function's definition alone, under another name.
fn function(text: &str, name: &str) -> String {
    let lines = text.lines().skip_while(|line| !is_definition(line));
    let mut function = String::new();
    for line in lines {
        let kept: Vec<&str> = line.split(' ').filter(|word| !is_group(word)).collect();
        function.push_str(&kept.join(" ").replacen("@f(", name, 1));
        function.push('\n');
        if line == "}" {
            break;
        }
    }
    function
}

/// `#0`
fn is_group(word: &str) -> bool {
    word.strip_prefix('#').is_some_and(|number| !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()))
}
