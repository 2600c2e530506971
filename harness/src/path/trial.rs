//! The path `lab/validator` puts the validator itself on trial, on every program: a validator that accepts everything
//! would make all other paths look right.
//!
//! The program's pruned function is broken on purpose in a way whose right judgement is known by definition: the
//! operand of a reachable `ret` is replaced by the first name that some other block defines. By Definition 8.4.1 the
//! use is valid if and only if the `ret` can't be reached from the entry without that block, which is what
//! [`reachable_without`] walks. The validator decides it by dominators (Algorithm 8.4.5); both must say the same.
//!
//! The other rules are broken where nothing has to be decided: a second definition of a name (S1), an argument or a
//! phi's entry too few (S3), a branch to the entry (S4).

use crate::case::Case;
use crate::lab::dominators::reachable_without;
use crate::lab::{self, Atom, Block, Function, Target, Terminator};
use crate::path::interpreters::pruned;
use crate::path::{Detail, Fault, FaultKind, Observation, Path, PathId, Raised, Stage, Toolchain};

/// The path.
pub struct Trial;

impl Path for Trial {
    fn id(&self) -> PathId {
        PathId::new("lab", None, "validator")
    }

    fn toolchain(&self) -> Toolchain {
        Toolchain {
            description: format!("roundtrip {} lab, validator on trial", env!("CARGO_PKG_VERSION")),
            group: "lab".into(),
            unavailable: None,
        }
    }

    fn observe(&self, case: &Case, _: Detail) -> Observation {
        let function = match pruned(&case.program) {
            Ok(function) => function,
            Err(reason) => return Observation::unsupported(reason),
        };
        let mut observation = Observation::empty();
        if lab::validate(&function).is_empty() {
            observation.faults.extend(misjudged(&function).or_else(|| accepted(&function)).map(|message| Fault {
                stage: Stage::Construct,
                kind: FaultKind::Invalid,
                message,
            }));
        }
        observation.raised.push(Raised { stage: Stage::Construct, function });
        observation
    }
}

/// The first misjudged break of a valid function, if there is one.
fn misjudged(function: &Function) -> Option<String> {
    let reachable = reachable_without(function, None);
    let ret = (0..function.blocks.len())
        .find(|&block| reachable[block] && matches!(function.blocks[block].term, Terminator::Ret(_)))?;
    let mut broken = function.clone();
    function.blocks.iter().enumerate().filter(|&(block, _)| block != ret).find_map(|(block, data)| {
        let value = data.params.first().copied().or(data.body.first().map(|inst| inst.dest))?;
        broken.blocks[ret].term = Terminator::Ret(Atom::Value(value));
        let valid = !reachable_without(function, Some(Block(block as u32)))[ret];
        let accepted = lab::validate(&broken).is_empty();
        (valid != accepted).then(|| {
            let what = if accepted { "accepts a use that a path reaches without" } else { "rejects a use behind" };
            format!("the validator {what} its definition: ret {}", function.value_names.get(value.0))
        })
    })
}

/// Breaks a function, if it has something to break.
type Break = fn(&mut Function) -> Option<()>;

/// The first break of a valid function, of those that are against a rule wherever they are, that the validator accepts.
fn accepted(function: &Function) -> Option<String> {
    let breaks: [(&str, Break); 3] = [
        ("a name that is defined twice", define_twice),
        ("a branch that passes too few arguments", pass_fewer),
        ("a branch to the entry block", enter_again),
    ];
    let mut accepted = breaks.into_iter().filter_map(|(what, change)| {
        let mut broken = function.clone();
        change(&mut broken)?;
        lab::validate(&broken).is_empty().then_some(what)
    });
    let what = accepted.next().or_else(|| {
        let mut phi = lab::args_to_phi(&lab::split_conflicts(function));
        phi.blocks.iter_mut().flat_map(|block| &mut block.phis).find_map(|phi| phi.entries.pop())?;
        lab::validate_phi(&phi).is_empty().then_some("a phi without an entry for a predecessor")
    });
    what.map(|what| format!("the validator accepts {what}"))
}

/// Gives an instruction the name that another has.
fn define_twice(function: &mut Function) -> Option<()> {
    let mut insts = function.blocks.iter_mut().flat_map(|block| &mut block.body);
    let first = insts.next()?.dest;
    insts.next()?.dest = first;
    Some(())
}

/// Takes an argument from a branch.
fn pass_fewer(function: &mut Function) -> Option<()> {
    let targets = function.blocks.iter_mut().flat_map(|block| block.term.targets_mut());
    targets.filter(|target| !target.args.is_empty()).find_map(|target| target.args.pop())?;
    Some(())
}

/// Lets a block that returns go to the entry.
fn enter_again(function: &mut Function) -> Option<()> {
    let entry = function.blocks.first()?.name;
    // A function of the entry alone is every program's at last.
    let ret = function.blocks.iter_mut().skip(1).find(|block| matches!(block.term, Terminator::Ret(_)))?;
    ret.term = Terminator::Br(Target { block: entry, args: Vec::new() });
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_validator_agrees_with_the_definition_on_a_diamond() {
        let text = "ssa(a)\nentry:\n  x = add a, 1\n  cbr x, t(), e()\nt:\n  y = add a, 2\n  br j(y)\ne:\n  z = add a, 3\n  \
                    br j(z)\nj(p):\n  ret p\n";
        let diamond = lab::parse_ssa(text).unwrap();
        assert_eq!((misjudged(&diamond), accepted(&diamond)), (None, None));
        for change in [define_twice, pass_fewer, enter_again] {
            let mut broken = diamond.clone();
            assert!(change(&mut broken).is_some());
            assert_eq!(lab::validate(&broken).len(), 1, "{broken}");
        }
    }
}
