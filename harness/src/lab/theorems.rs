//! The lesson's theorems as properties of a given function, for tests and fuzz targets.
//!
//! Each takes any function that satisfies the theorem's hypothesis, and says what is wrong if the conclusion does not
//! hold. A function that does not satisfy the hypothesis is an error too, so none of them passes vacuously.

use std::collections::{BTreeSet, HashSet};

use crate::lab::dominators::reachable_without;
use crate::lab::interpret::Event;
use crate::lab::{
    Atom, Block, Function, Graph, Inst, PhiFunction, Rule, Terminator, Value, Violation, args_to_phi, conflicts,
    construct_live, construct_maximal, construct_naive, phi_to_args, prune_dead, prune_trivial, remove_first_trivial,
    run, split_conflicts, trace, trace_phi, validate, validate_phi,
};
use crate::op::{End, Execution};
use crate::{tac, tiny};

/// Whether a theorem holds; if not, what is wrong.
pub type Checked = Result<(), String>;

/// Theorem 8.4.8: the validator is sound and complete. For any function, valid or not, it finds as many faults of each
/// rule as the rules' words, taken literally, say: dominance is "no path from the entry gets there without".
pub fn validator_is_definition(function: &Function) -> Checked {
    let mut sites = Sites::new(&function.inputs);
    let mut faults = Faults::default();
    let find = |name: Block| function.blocks.iter().find(|block| block.name == name);
    for (index, block) in function.blocks.iter().enumerate() {
        sites.block(index, &block.params, &block.body, &block.term);
        let twice = function.blocks[..index].iter().any(|earlier| earlier.name == block.name);
        faults.s4 += usize::from(twice) + usize::from(index == 0 && !block.params.is_empty());
        for target in block.term.targets() {
            sites.uses.extend(target.args.iter().map(|&argument| (argument, index, usize::MAX)));
            match find(target.block) {
                None => faults.s4 += 1,
                Some(to) => {
                    faults.s4 += usize::from(to.name == function.blocks[0].name);
                    faults.s3 += usize::from(to.params.len() != target.args.len());
                }
            }
        }
    }
    sites.judge(function, &mut faults);
    faults.compare(&validate(function))
}

/// The same for phi form: [`validate_phi`] and the words of Definition 8.4.3.
pub fn phi_validator_is_definition(function: &PhiFunction) -> Checked {
    let mut sites = Sites::new(&function.inputs);
    let mut faults = Faults::default();
    let find = |name: Block| function.blocks.iter().position(|block| block.name == name);
    for (index, block) in function.blocks.iter().enumerate() {
        let results: Vec<Value> = block.phis.iter().map(|phi| phi.dest).collect();
        sites.block(index, &results, &block.body, &block.term);
        let twice = function.blocks[..index].iter().any(|earlier| earlier.name == block.name);
        faults.s4 += usize::from(twice) + usize::from(index == 0 && !block.phis.is_empty());
        faults.s4 += block.term.targets().filter(|&&target| find(target).is_none()).count();

        let goes_here = |name: &Block| {
            find(*name).is_some_and(|from| function.blocks[from].term.targets().any(|&target| target == block.name))
        };
        let predecessors: HashSet<Block> = function.blocks.iter().map(|from| from.name).filter(goes_here).collect();
        for phi in &block.phis {
            let mut entered = HashSet::new();
            for &(predecessor, operand) in &phi.entries {
                faults.s3 += usize::from(!predecessors.contains(&predecessor) || !entered.insert(predecessor));
                sites.uses.extend(find(predecessor).map(|from| (operand, from, usize::MAX)));
            }
            faults.s3 += usize::from(!predecessors.is_subset(&entered));
        }
    }
    sites.judge(function, &mut faults);
    faults.compare(&validate_phi(function))
}

/// Theorem 8.4.9: what Algorithm 8.4.7 makes of a program is valid, ends as the program does and takes the same steps.
pub fn construction_keeps_the_program(program: &tiny::Program, inputs: &[i64], fuel: u64) -> Checked {
    let expected = tiny::eval(program, inputs, fuel);
    runs_as("the naive construction", &construct_naive(program), &expected, inputs, fuel)
}

/// The same for maximal SSA from a control-flow graph; and to build it from liveness, with its live parameters only, is
/// to build it and to prune the dead ones.
pub fn constructions_from_tac_agree(program: &tac::Program, inputs: &[i64], fuel: u64) -> Checked {
    let cfg = tac::cfg(program);
    let mut maximal = construct_maximal(&cfg);
    let actual = run(&maximal, inputs, fuel);
    runs_as("the maximal construction", &maximal, &actual, inputs, fuel)?;
    // Blocks that fall through take a step more, so fuel may end only one of the two.
    let expected = tac::eval(program, inputs, fuel);
    let same = [&actual, &expected].iter().any(|run| run.is_out_of_fuel()) || actual.outcome == expected.outcome;
    expect(same, || format!("ends as {}, its TAC as {} on {inputs:?}\n{maximal}", actual.outcome, expected.outcome))?;

    prune_dead(&mut maximal);
    let live = construct_live(&cfg);
    expect(live.to_string() == maximal.to_string(), || format!("from liveness\n{live}by pruning\n{maximal}"))
}

/// Proposition 8.4.12 for a valid function: it stays valid and behaves the same without its dead parameters, and then
/// after the removal of each single trivial one. [`prune_trivial`] ends where these removals end.
pub fn pruning_keeps_the_behavior(function: &Function, inputs: &[i64], fuel: u64) -> Checked {
    expect_valid("the function", function, &validate(function))?;
    let expected = run(function, inputs, fuel);
    let mut pruned = function.clone();
    prune_dead(&mut pruned);
    runs_as("without dead parameters", &pruned, &expected, inputs, fuel)?;

    let mut at_once = pruned.clone();
    prune_trivial(&mut at_once);
    while let Some(next) = remove_first_trivial(&pruned) {
        runs_as("without a trivial parameter", &next, &expected, inputs, fuel)?;
        pruned = next;
    }
    expect(at_once.to_string() == pruned.to_string(), || format!("pruned at once\n{at_once}one by one\n{pruned}"))
}

/// Whether a function is valid and a run of it ends as expected, after the same number of steps.
fn runs_as(what: &str, function: &Function, expected: &Execution, inputs: &[i64], fuel: u64) -> Checked {
    expect_valid(what, function, &validate(function))?;
    let actual = run(function, inputs, fuel);
    expect(actual == *expected, || format!("{what}: {actual:?} for {expected:?} on {inputs:?}\n{function}"))
}

/// Theorem 8.4.10 from block arguments: of a valid function without conflicts, ArgsToPhi gives a well-formed function
/// of the same behavior, and PhiToArgs gives back the function.
pub fn arguments_round_trip(function: &Function, inputs: &[i64], fuel: u64) -> Checked {
    expect_valid("the function", function, &validate(function))?;
    expect(conflicts(function).is_empty(), || format!("the function has conflicting multi-edges\n{function}"))?;
    let phi = args_to_phi(function);
    expect_valid("its phi form", &phi, &validate_phi(&phi))?;
    let back = phi_to_args(&phi);
    expect(back == *function, || format!("PhiToArgs(ArgsToPhi(F)) is not F\n{function}{phi}{back}"))?;
    same_behavior(function, &phi, inputs, fuel)
}

/// Theorem 8.4.10 from phis: of a well-formed function, PhiToArgs gives a function of the same behavior, which is valid
/// if the entry has no predecessors (and otherwise violates S4 alone), and ArgsToPhi gives back the function.
pub fn phis_round_trip(function: &PhiFunction, inputs: &[i64], fuel: u64) -> Checked {
    expect_valid("the function", function, &validate_phi(function))?;
    let arguments = phi_to_args(function);
    let violations = validate(&arguments);
    if function.blocks.iter().any(|block| block.term.targets().any(|&target| target == Block(0))) {
        let rules: BTreeSet<Rule> = violations.iter().map(|violation| violation.rule).collect();
        expect(rules == BTreeSet::from([Rule::S4]), || {
            format!("an entry with predecessors violates S4 alone\n{function}{arguments}")
        })?;
    } else {
        expect_valid("its form with arguments", &arguments, &violations)?;
    }
    let back = args_to_phi(&arguments);
    expect(sorted(&back) == sorted(function), || {
        format!("ArgsToPhi(PhiToArgs(F)) is not F\n{function}{arguments}{back}")
    })?;
    same_behavior(&arguments, function, inputs, fuel)
}

/// Lemma 8.4.11 for a valid function: the round trip through phi form gives it back if and only if it has no
/// conflicting multi-edge. Splitting leaves none, and changes nothing but the steps through the new blocks.
pub fn splitting_restores_the_correspondence(function: &Function, inputs: &[i64], fuel: u64) -> Checked {
    expect_valid("the function", function, &validate(function))?;
    let conflicts_before = conflicts(function);
    let survives = phi_to_args(&args_to_phi(function)) == *function;
    expect(survives == conflicts_before.is_empty(), || {
        format!("the round trip gives the function back: {survives}; its conflicts: {conflicts_before:?}\n{function}")
    })?;

    let split = split_conflicts(function);
    let grown = split.blocks.len() - function.blocks.len();
    expect(grown == conflicts_before.len(), || format!("one new block for each conflict\n{function}{split}"))?;
    // Out of fuel the original may stand before a new block, so the other run gets a step more for each step.
    let (original, original_events) = trace(function, inputs, fuel);
    let (execution, events) = trace(&split, inputs, fuel.saturating_mul(2));
    let (events, detours) = without_new_blocks(function, &split, &events);
    let same = match original.outcome.end {
        End::OutOfFuel => events.starts_with(&original_events),
        _ => {
            (events, execution.outcome, execution.steps)
                == (original_events, original.outcome, original.steps + detours)
        }
    };
    expect(same, || format!("splitting changes the behavior on {inputs:?}\n{function}{split}"))?;
    arguments_round_trip(&split, inputs, fuel)
}

/// A run's events in the numbering of the function before it was split, and how often it went through a new block.
fn without_new_blocks(function: &Function, split: &Function, events: &[Event]) -> (Vec<Event>, u64) {
    let old: HashSet<String> = function.block_names.texts().collect();
    let mut next = 0;
    let original: Vec<Option<Block>> = split
        .block_names
        .texts()
        .map(|name| {
            let is_old = old.contains(&name);
            next += u32::from(is_old);
            is_old.then(|| Block(next - 1))
        })
        .collect();
    let mut detours = 0;
    let mut kept = Vec::new();
    for &event in events {
        match event {
            Event::Enter(block) => match original[block.index()] {
                Some(block) => kept.push(Event::Enter(block)),
                None => detours += 1,
            },
            Event::Define(..) => kept.push(event),
        }
    }
    (kept, detours)
}

/// The same sequence of blocks, instructions and values, the same outcome, the same number of steps.
fn same_behavior(arguments: &Function, phi: &PhiFunction, inputs: &[i64], fuel: u64) -> Checked {
    let same = trace(arguments, inputs, fuel) == trace_phi(phi, inputs, fuel);
    expect(same, || format!("the forms behave differently on {inputs:?}\n{arguments}{phi}"))
}

/// The function with the entries of each phi in the order of the predecessors.
fn sorted(function: &PhiFunction) -> PhiFunction {
    let mut function = function.clone();
    for phi in function.blocks.iter_mut().flat_map(|block| &mut block.phis) {
        phi.entries.sort_by_key(|&(predecessor, _)| predecessor);
    }
    function
}

fn expect(holds: bool, otherwise: impl FnOnce() -> String) -> Checked {
    if holds { Ok(()) } else { Err(otherwise()) }
}

fn expect_valid(what: &str, function: &impl ToString, violations: &[Violation]) -> Checked {
    let list = || violations.iter().map(|violation| format!("{violation}\n")).collect::<String>();
    expect(violations.is_empty(), || format!("{what} is not valid:\n{}{}", list(), function.to_string()))
}

/// Definitions and uses with block and position: `None` is before everything, a terminator at `usize::MAX`.
struct Sites {
    definitions: Vec<(Value, Option<(usize, usize)>)>,
    uses: Vec<(Atom, usize, usize)>,
}

impl Sites {
    fn new(inputs: &[Value]) -> Sites {
        Sites { definitions: inputs.iter().map(|&input| (input, None)).collect(), uses: Vec::new() }
    }

    /// A block's definitions and uses, those of its arguments or phi entries left out.
    fn block<T>(&mut self, index: usize, top: &[Value], body: &[Inst], term: &Terminator<T>) {
        self.definitions.extend(top.iter().map(|&value| (value, Some((index, 0)))));
        for (position, inst) in (1..).zip(body) {
            self.definitions.push((inst.dest, Some((index, position))));
            self.uses.extend(inst.operands().iter().map(|&operand| (operand, index, position)));
        }
        self.uses.extend(term.atom().map(|atom| (atom, index, usize::MAX)));
    }

    /// S1: each definition after a name's first. S2, where the others hold: each use at a reachable point that some
    /// path from the entry reaches without passing the definition.
    fn judge(&self, graph: &impl Graph, faults: &mut Faults) {
        let names: HashSet<Value> = self.definitions.iter().map(|&(name, _)| name).collect();
        faults.s1 = self.definitions.len() - names.len();
        if faults.s1 + faults.s3 + faults.s4 > 0 {
            return;
        }
        let reachable = reachable_without(graph, None);
        for &(atom, block, position) in self.uses.iter().filter(|&&(_, block, _)| reachable[block]) {
            let Atom::Value(name) = atom else { continue };
            let undefined = match self.definitions.iter().find(|&&(defined, _)| defined == name) {
                None => true,
                Some((_, None)) => false,
                Some((_, Some((at, before)))) if *at == block => *before >= position,
                Some((_, Some((at, _)))) => reachable_without(graph, Some(Block(*at as u32)))[block],
            };
            faults.s2 += usize::from(undefined);
        }
    }
}

/// The number of faults of each rule.
#[derive(Debug, Default, PartialEq, Eq)]
struct Faults {
    s1: usize,
    s2: usize,
    s3: usize,
    s4: usize,
}

impl Faults {
    /// Against what a validator found.
    fn compare(&self, found: &[Violation]) -> Checked {
        let count = |rule| found.iter().filter(|violation| violation.rule == rule).count();
        let counts = Faults { s1: count(Rule::S1), s2: count(Rule::S2), s3: count(Rule::S3), s4: count(Rule::S4) };
        expect(*self == counts, || format!("by definition {self:?}, by the validator {counts:?}"))
    }
}
