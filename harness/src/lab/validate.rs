//! Algorithm 8.4.5: whether a function in block-argument form is valid, by the rules S1–S4 of Definition 8.4.4.
//!
//! All faults are collected, except that S2 is only judged when S1, S3 and S4 hold, since dominance needs a sane graph.
//! Everything is a table indexed by names or blocks: this runs on several forms of every program.

use crate::lab::judge::{Judge, Place, Rule, Violation};
use crate::lab::{Block, Dominators, Function};
use crate::plant::{self, Fault};

/// The faults of a function; none if and only if it satisfies S1–S4 (Theorem 8.4.8).
pub fn validate(function: &Function) -> Vec<Violation> {
    let mut judge = Judge::new(&function.value_names, &function.block_names);
    judge_blocks(function, &mut judge);
    judge_definitions(function, &mut judge);
    judge_arguments(function, &mut judge);
    if judge.violations.is_empty() {
        judge_uses(function, &mut judge);
    }
    judge.violations
}

/// S4: block names are unique, every target exists, and the entry has no parameters and is not a branch target.
fn judge_blocks(function: &Function, judge: &mut Judge) {
    match function.blocks.first() {
        None => judge.report(Rule::S4, "there is no entry block".into()),
        Some(entry) if !entry.params.is_empty() => {
            let message = format!("the entry block {} has parameters", judge.block(entry.name));
            judge.report(Rule::S4, message);
        }
        Some(_) => {}
    }
    for (index, block) in function.blocks.iter().enumerate() {
        judge.judge_name(index, block.name);
        for (branch, target) in block.term.targets().enumerate() {
            let problem = match target.block.index() {
                0 if plant::on(Fault::LabAcceptsEntry) => continue,
                0 => "goes to the entry block",
                to if to >= function.blocks.len() => "goes to a block that does not exist",
                _ => continue,
            };
            judge.report_branch(Rule::S4, (index, &block.term), (branch, target.block), problem);
        }
    }
}

/// S1: every name is defined once, as an input, a parameter or an instruction's result.
fn judge_definitions(function: &Function, judge: &mut Judge) {
    judge.define_inputs(&function.inputs);
    for (index, block) in function.blocks.iter().enumerate() {
        for &param in &block.params {
            judge.define(param, Place::top(index));
        }
        judge.define_body(index, &block.body);
    }
}

/// S3: every branch to a block that exists passes as many arguments as the block has parameters.
fn judge_arguments(function: &Function, judge: &mut Judge) {
    for (index, block) in function.blocks.iter().enumerate() {
        for (branch, target) in block.term.targets().enumerate() {
            let Some(to) = function.blocks.get(target.block.index()) else { continue };
            let (passed, expected) = (target.args.len(), to.params.len());
            let fewer = plant::on(Fault::LabAcceptsFewer) && passed < expected;
            if passed != expected && !fewer {
                let (argument, parameter) = (counted(passed, "argument"), counted(expected, "parameter"));
                let problem = format!("passes {argument}, {} has {parameter}", judge.block(target.block));
                judge.report_branch(Rule::S3, (index, &block.term), (branch, target.block), problem);
            }
        }
    }
}

/// S2: every use in a reachable block is dominated by its definition; arguments are used at the terminator.
fn judge_uses(function: &Function, judge: &mut Judge) {
    let dominators = Dominators::of(function);
    for (index, block) in function.blocks.iter().enumerate() {
        if !dominators.reachable(Block(index as u32)) {
            continue;
        }
        judge.use_body(&dominators, index, &block.body);
        let arguments = block.term.targets().flat_map(|target| target.args.iter().copied());
        for atom in block.term.atom().into_iter().chain(arguments) {
            judge.use_atom(&dominators, atom, Place::terminator(index));
        }
    }
}

/// `1 argument`, `2 arguments`.
fn counted(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use crate::lab;

    /// The report on a text, a line a fault.
    fn report(text: &str) -> Vec<String> {
        lab::validate(&lab::parse_ssa(text).unwrap()).iter().map(ToString::to_string).collect()
    }

    #[test]
    fn every_fault_says_what_and_where() {
        let text = "ssa(a)\nentry(p):\n  x = add a, 1\n  br b(1)\nb(x, y):\n  a = neg y\n  cbr a, b(1, 2, 3), entry(1)\nb:\n  br c()\n";
        assert_eq!(
            report(text),
            [
                "S4: the entry block entry has parameters",
                "S4: cbr entry goes to the entry block: the false branch of b",
                "S4: block b stands twice in the listing",
                "S4: br c goes to a block that does not exist: the branch of b",
                "S1: x defined twice: at instruction 1 of entry, at the top of b",
                "S1: a defined twice: in the function's inputs, at instruction 1 of b",
                "S3: br b passes 1 argument, b has 2 parameters: the branch of entry",
                "S3: cbr b passes 3 arguments, b has 2 parameters: the true branch of b",
            ]
        );
    }

    #[test]
    fn the_branches_of_a_switch_are_told_apart() {
        let text = "entry:\n  switch 1, 2: b(), -3: b(1), b()\nb(p):\n  ret p\n";
        assert_eq!(
            report(text),
            [
                "S3: switch b passes 0 arguments, b has 1 parameter: the branch for 2 of entry",
                "S3: switch b passes 0 arguments, b has 1 parameter: the last branch of entry",
            ]
        );
    }

    #[test]
    fn every_undominated_use_says_why() {
        let text =
            "entry:\n  x = add x, ghost\n  cbr x, t(), j()\nt:\n  y = neg x\n  br j()\nj:\n  ret y\nu:\n  ret ghost\n";
        assert_eq!(
            report(text),
            [
                "S2: x used before its definition: used at instruction 1 of entry, defined at instruction 1 of entry",
                "S2: ghost never defined: used at instruction 1 of entry",
                "S2: definition of y does not dominate its use: used at the terminator of j, defined at instruction 1 of t",
            ]
        );
    }

    #[test]
    fn a_function_without_blocks_is_a_fault_not_a_panic() {
        let mut function = lab::parse_ssa("entry:\n  ret 1\n").unwrap();
        function.blocks.clear();
        assert_eq!(lab::validate(&function).len(), 1);
    }
}
