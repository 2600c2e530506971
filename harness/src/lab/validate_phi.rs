//! Whether a function in phi form is well formed: Definition 8.4.3, with the rules of `docs/LANGUAGE.md` §4.
//!
//! The faults bear the rules of Definition 8.4.4 to which they correspond: an entry that is missing or too many is S3,
//! as a wrong number of arguments would be.

use crate::lab::judge::{Judge, Place, Rule, Violation};
use crate::lab::{Block, Dominators, Phi, PhiFunction};
use crate::plant::{self, Fault};

/// The faults of a function; none if and only if it is well formed.
pub fn validate_phi(function: &PhiFunction) -> Vec<Violation> {
    let mut judge = Judge::new(&function.value_names, &function.block_names);
    judge_blocks(function, &mut judge);
    judge_definitions(function, &mut judge);
    judge_entries(function, &mut judge);
    if judge.violations.is_empty() {
        judge_uses(function, &mut judge);
    }
    judge.violations
}

/// S4: block names are unique, every target exists, and the entry has no phi. It may have predecessors.
fn judge_blocks(function: &PhiFunction, judge: &mut Judge) {
    match function.blocks.first() {
        None => judge.report(Rule::S4, "there is no entry block".into()),
        Some(entry) if !entry.phis.is_empty() => {
            let message = format!("the entry block {} has phis", judge.block(entry.name));
            judge.report(Rule::S4, message);
        }
        Some(_) => {}
    }
    for (index, block) in function.blocks.iter().enumerate() {
        judge.judge_name(index, block.name);
        for (branch, &target) in block.term.targets().enumerate() {
            if target.index() >= function.blocks.len() {
                let problem = "goes to a block that does not exist";
                judge.report_branch(Rule::S4, (index, &block.term), (branch, target), problem);
            }
        }
    }
}

/// S1: every name is defined once, as an input, a phi or an instruction's result.
fn judge_definitions(function: &PhiFunction, judge: &mut Judge) {
    judge.define_inputs(&function.inputs);
    for (index, block) in function.blocks.iter().enumerate() {
        for phi in &block.phis {
            judge.define(phi.dest, Place::top(index));
        }
        judge.define_body(index, &block.body);
    }
}

/// S3: every phi has exactly one entry for each distinct predecessor, unreachable ones too.
fn judge_entries(function: &PhiFunction, judge: &mut Judge) {
    let mut expected = vec![0u32; function.blocks.len()];
    for (_, target) in distinct_edges(function) {
        expected[target.index()] += 1;
    }
    // For each block the last phi that had an entry for it, as a number from 1.
    let mut last_phi = vec![0u32; function.blocks.len()];
    let mut number = 0;
    let mut predecessors = None;
    for block in &function.blocks {
        for phi in &block.phis {
            number += 1;
            let mut found = 0;
            for &(predecessor, _) in &phi.entries {
                let source = function.blocks.get(predecessor.index());
                if !source.is_some_and(|source| source.term.targets().any(|&target| target == block.name)) {
                    report_entry(judge, block.name, phi, "an entry for", predecessor, ", which is no predecessor");
                } else if std::mem::replace(&mut last_phi[predecessor.index()], number) == number {
                    report_entry(judge, block.name, phi, "two entries for", predecessor, "");
                } else {
                    found += 1;
                }
            }
            if found < expected[block.name.index()] && !plant::on(Fault::LabAcceptsMissing) {
                let predecessors = predecessors.get_or_insert_with(|| distinct_predecessors(function));
                let own = &predecessors[block.name.index()];
                if let Some(&missing) = own.iter().find(|predecessor| last_phi[predecessor.index()] != number) {
                    report_entry(judge, block.name, phi, "no entry for", missing, "");
                }
            }
        }
    }
}

#[cold]
fn report_entry(judge: &mut Judge, block: Block, phi: &Phi, what: &str, predecessor: Block, more: &str) {
    let (name, block, predecessor) = (judge.value(phi.dest), judge.block(block), judge.block(predecessor));
    judge.report(Rule::S3, format!("phi {name} of {block} has {what} {predecessor}{more}"));
}

/// The edges between blocks that exist, a multi-edge once. Of two blocks with one name (S4) the first counts.
fn distinct_edges(function: &PhiFunction) -> impl Iterator<Item = (Block, Block)> {
    let named = function.blocks.iter().enumerate().filter(|(index, block)| block.name.index() == *index);
    named
        .flat_map(|(_, block)| block.term.distinct_targets().map(|target| (block.name, target)))
        .filter(|(_, target)| target.index() < function.blocks.len())
}

/// The distinct predecessors of every block in listing order; only a fault needs them.
#[cold]
fn distinct_predecessors(function: &PhiFunction) -> Vec<Vec<Block>> {
    let mut predecessors = vec![Vec::new(); function.blocks.len()];
    for (source, target) in distinct_edges(function) {
        predecessors[target.index()].push(source);
    }
    predecessors
}

/// S2: every use in a reachable block is dominated by its definition; a phi's operand is used at the end of the
/// predecessor that it names.
fn judge_uses(function: &PhiFunction, judge: &mut Judge) {
    let dominators = Dominators::of(function);
    for (index, block) in function.blocks.iter().enumerate() {
        if !dominators.reachable(Block(index as u32)) {
            continue;
        }
        let entries = block.phis.iter().flat_map(|phi| &phi.entries);
        for &(predecessor, atom) in entries.filter(|(predecessor, _)| dominators.reachable(*predecessor)) {
            judge.use_atom(&dominators, atom, Place::terminator(predecessor.index()));
        }
        judge.use_body(&dominators, index, &block.body);
        if let Some(atom) = block.term.atom() {
            judge.use_atom(&dominators, atom, Place::terminator(index));
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::lab;

    #[test]
    fn every_wrong_entry_says_what_and_where() {
        let text = "entry:\n  cbr 1, t, j\nt:\n  br j\nj:\n  x = phi [1, t], [2, j], [3, t]\n  y = phi\n  ret x\n";
        let violations = lab::validate_phi(&lab::parse_phi(text).unwrap());
        let report: Vec<String> = violations.iter().map(ToString::to_string).collect();
        assert_eq!(
            report,
            [
                "S3: phi x of j has an entry for j, which is no predecessor",
                "S3: phi x of j has two entries for t",
                "S3: phi x of j has no entry for entry",
                "S3: phi y of j has no entry for entry",
            ]
        );
    }
}
