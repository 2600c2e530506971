//! A function as it stands, valid or not, written as LLVM's text for LLVM's reader and verifier to judge.
//!
//! The text can say what LLVM's memory can't: a name that is defined twice or nowhere, a block that does not exist.
//! There the reader judges, and the verifier what the reader takes. Parameters are phis whose entries are what the
//! edges pass, one for each *edge*; LLVM checks that they match the predecessors, its counterpart of S3. So a missing
//! argument is a missing entry, but an argument without a parameter has no place.

use std::fmt::{self, Write};
use std::iter::repeat_n;

use inkwell::llvm_sys::core::LLVMDisposeMemoryBuffer;
use inkwell::memory_buffer::MemoryBuffer;

use super::compat;
use super::session::{self, Session};
use crate::lab::{Atom, Block, Function, Inst, PhiFunction, Target, Terminator, Value};
use crate::op::Op;
use crate::path::{Judge, Judgement, PathId, Toolchain, Validator};

/// LLVM's reader and verifier.
pub fn validator() -> Validator {
    let version = compat::version();
    Validator {
        judge: Judge::Llvm,
        path: PathId::new("llvm", Some(&version), "verifier"),
        toolchain: Toolchain {
            description: format!("LLVM {version}, reader and verifier"),
            group: "llvm".into(),
            unavailable: None,
        },
        judge_ssa,
        judge_phi,
    }
}

/// What LLVM says of a function in block-argument form.
fn judge_ssa(function: &Function) -> Judgement {
    let mut arriving: Vec<Vec<(Block, &Target)>> = vec![Vec::new(); function.blocks.len()];
    for block in &function.blocks {
        for target in block.term.targets() {
            let Some(to) = function.blocks.get(target.block.index()) else { continue };
            if target.args.len() > to.params.len() {
                return Judgement::CannotSay("an argument without a parameter".into());
            }
            arriving[target.block.index()].push((block.name, target));
        }
    }
    let blocks = function.blocks.iter().map(|block| {
        let arriving = &arriving[block.name.index()];
        let phi = |(index, &dest): (usize, &Value)| {
            let entries = arriving.iter().filter_map(|(from, target)| Some((*from, *target.args.get(index)?)));
            PhiText { dest, entries: entries.collect() }
        };
        let phis = block.params.iter().enumerate().map(phi).collect();
        BlockText { name: block.name, phis, body: &block.body, term: block.term.map(|target| target.block) }
    });
    judge(&function.inputs, &blocks.collect::<Vec<_>>())
}

/// What LLVM says of a function in phi form. An entry stands for every edge from its predecessor.
fn judge_phi(function: &PhiFunction) -> Judgement {
    let blocks = function.blocks.iter().map(|block| {
        let edges = |from: Block| {
            let source = function.blocks.get(from.index());
            source.map_or(0, |source| source.term.targets().filter(|&&target| target == block.name).count())
        };
        let phis = block.phis.iter().map(|phi| {
            let entries = phi.entries.iter().flat_map(|&entry| repeat_n(entry, edges(entry.0).max(1)));
            PhiText { dest: phi.dest, entries: entries.collect() }
        });
        BlockText { name: block.name, phis: phis.collect(), body: &block.body, term: block.term.clone() }
    });
    judge(&function.inputs, &blocks.collect::<Vec<_>>())
}

struct BlockText<'f> {
    name: Block,
    phis: Vec<PhiText>,
    body: &'f [Inst],
    term: Terminator<Block>,
}

/// A phi with an entry for each edge.
struct PhiText {
    dest: Value,
    entries: Vec<(Block, Atom)>,
}

fn judge(inputs: &[Value], blocks: &[BlockText<'_>]) -> Judgement {
    let mut text = String::new();
    if let Err(reason) = write(&mut text, inputs, blocks) {
        return Judgement::CannotSay(reason);
    }
    text.push('\0');
    let said = session::survive(|| {
        let session = Session::new();
        let buffer = MemoryBuffer::create_from_memory_range_copy(text.as_bytes(), "function");
        let raw = buffer.as_mut_ptr();
        let read = session.context.create_module_from_ir(buffer);
        // SAFETY: inkwell takes LLVM for the buffer's new owner and forgets it, but this version's reader only borrows
        // it, and a module that was read from text keeps nothing of it.
        unsafe { LLVMDisposeMemoryBuffer(raw) };
        let module = read.map_err(|message| message.to_string())?;
        module.verify().map_err(|message| message.to_string())
    });
    match said {
        Ok(Ok(())) => Judgement::Accepts,
        Ok(Err(message)) => Judgement::Rejects(message.trim_end().to_string()),
        Err(fatal) => Judgement::Fails(fatal),
    }
}

/// Writes the function; the error says what LLVM's text has no way to say.
fn write(text: &mut String, inputs: &[Value], blocks: &[BlockText<'_>]) -> Result<(), String> {
    let params: Vec<String> = inputs.iter().map(|&input| format!("i64 {}", Name(input))).collect();
    line(text, format_args!("define i64 @f({}) {{", params.join(", ")));
    for (index, block) in blocks.iter().enumerate() {
        line(text, format_args!("b{}:", block.name.0));
        for phi in &block.phis {
            let entries: Vec<String> =
                phi.entries.iter().map(|&(from, atom)| format!("[ {}, %b{} ]", Operand(atom), from.0)).collect();
            line(text, format_args!("{} = phi i64 {}", Name(phi.dest), entries.join(", ")));
        }
        for inst in block.body {
            instruction(text, inst);
        }
        match &block.term {
            Terminator::Br(to) => line(text, format_args!("br label %b{}", to.0)),
            Terminator::Cbr(atom, yes, no) => {
                // Blocks may have one name; the place in the listing has none twice.
                line(text, format_args!("%c{index} = icmp ne i64 {}, 0", Operand(*atom)));
                line(text, format_args!("br i1 %c{index}, label %b{}, label %b{}", yes.0, no.0));
            }
            Terminator::Switch(value, arms, default) => {
                let arms: Vec<String> =
                    arms.iter().map(|(constant, to)| format!("i64 {constant}, label %b{}", to.0)).collect();
                let (value, arms) = (Operand(*value), arms.join(" "));
                line(text, format_args!("switch i64 {value}, label %b{} [ {arms} ]", default.0));
            }
            Terminator::Ret(atom) => line(text, format_args!("ret i64 {}", Operand(*atom))),
            Terminator::Trap(trap) => return Err(format!("the terminator trap {trap}")),
        }
    }
    line(text, format_args!("}}"));
    Ok(())
}

fn instruction(text: &mut String, inst: &Inst) {
    let dest = Name(inst.dest);
    let [a, b, c] = inst.args.map(Operand);
    let zero = Operand(Atom::Const(0));
    let compare = |text: &mut String, predicate: &str, b: Operand| {
        line(text, format_args!("{dest}.bit = icmp {predicate} i64 {a}, {b}"));
        line(text, format_args!("{dest} = zext i1 {dest}.bit to i64"));
    };
    match inst.op {
        Op::Add => line(text, format_args!("{dest} = add i64 {a}, {b}")),
        Op::Sub => line(text, format_args!("{dest} = sub i64 {a}, {b}")),
        Op::Mul => line(text, format_args!("{dest} = mul i64 {a}, {b}")),
        Op::Div => line(text, format_args!("{dest} = sdiv i64 {a}, {b}")),
        Op::Rem => line(text, format_args!("{dest} = srem i64 {a}, {b}")),
        Op::Neg => line(text, format_args!("{dest} = sub i64 0, {a}")),
        Op::Copy => line(text, format_args!("{dest} = add i64 {a}, 0")),
        Op::Eq => compare(text, "eq", b),
        Op::Ne => compare(text, "ne", b),
        Op::Lt => compare(text, "slt", b),
        Op::Le => compare(text, "sle", b),
        Op::Gt => compare(text, "sgt", b),
        Op::Ge => compare(text, "sge", b),
        Op::Not => compare(text, "eq", zero),
        // Nothing of this runs, so an operation with as many operands does for any other.
        op if op.arity() == 1 => line(text, format_args!("{dest} = add i64 {a}, 0")),
        op if op.arity() == 2 => line(text, format_args!("{dest} = add i64 {a}, {b}")),
        _ => {
            line(text, format_args!("{dest}.bit = icmp ne i64 {a}, 0"));
            line(text, format_args!("{dest} = select i1 {dest}.bit, i64 {b}, i64 {c}"));
        }
    }
}

fn line(text: &mut String, line: fmt::Arguments<'_>) {
    // Writing to a string does not fail.
    let _ = writeln!(text, "{line}");
}

struct Name(Value);

impl fmt::Display for Name {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "%v{}", self.0.0)
    }
}

struct Operand(Atom);

impl fmt::Display for Operand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Atom::Const(n) => write!(f, "{n}"),
            Atom::Value(value) => Name(value).fmt(f),
        }
    }
}
