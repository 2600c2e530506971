//! Algorithm 8.4.7: block-argument SSA from a Tiny tree, every variable passed at every join.
//!
//! One pass over the tree with one emission point. Invariant: `env[x]` is an atom whose definition dominates the
//! emission point, if that is reachable, and which holds x's current value. The statements of the dialect plus are ours
//! (`docs/LANGUAGE.md` §8): they leave the block, and what follows goes into one that nothing branches to. Block names
//! are taken before the blocks are opened (`docs/LANGUAGE.md` §6), so while the pass runs a [`Block`] is the number of
//! its name; [`Builder::finish`] puts the places in the listing in its stead.

use std::mem;

use crate::lab::{Atom, Block, BlockData, Function, Inst, Target, Terminator, Value};
use crate::names::Names;
use crate::op::Op;
use crate::plant::{self, Fault};
use crate::tiny::{Expr, Logic, Program, Stmt};

/// The naive SSA of a Tiny program (Algorithm 8.4.7): valid, with the program's value (Theorem 8.4.9).
pub fn construct_naive(program: &Program) -> Function {
    let mut builder = Builder::new(program);
    let inputs: Vec<Value> = (0..program.inputs).map(|variable| builder.fresh_value(variable)).collect();
    builder.env[..program.inputs].copy_from_slice(&atoms(&inputs));
    builder.stmts(&program.body);
    let result = builder.expr(&program.result);
    builder.close(Terminator::Ret(result));
    builder.finish(inputs)
}

/// The emission point and what is emitted so far.
struct Builder {
    /// The current atom of each variable.
    env: Vec<Atom>,
    /// The next version of each base name: the variables', then those of temporaries and blocks if no variable has
    /// their name.
    next: Vec<u32>,
    /// The base of temporaries, `t`.
    temporary: usize,
    /// The base of blocks, `b`.
    block: usize,
    value_names: Names,
    /// The version of each block's name.
    block_versions: Vec<u32>,
    /// The blocks that are closed, in listing order.
    blocks: Vec<BlockData>,
    /// The open block's name.
    name: Block,
    /// The open block's parameters.
    params: Vec<Value>,
    /// The open block's instructions.
    body: Vec<Inst>,
    /// The open loops, from the outermost to the innermost.
    loops: Vec<Loop>,
}

/// Where `continue` and `break` go.
struct Loop {
    header: Block,
    exit: Block,
    /// The values at the loop's last test.
    at_header: Vec<Atom>,
}

const ENTRY: Block = Block(0);

impl Builder {
    fn new(program: &Program) -> Builder {
        let variables = &program.variables;
        let mut value_names = Names::default();
        for variable in variables {
            value_names.base(variable.clone());
        }
        let temporary =
            variables.iter().position(|name| **name == *"t").unwrap_or_else(|| value_names.base("t") as usize);
        let block = variables.iter().position(|name| **name == *"b").unwrap_or(variables.len() + 1);
        Builder {
            env: vec![Atom::Const(0); variables.len()],
            next: vec![0; variables.len() + 2],
            temporary,
            block,
            value_names,
            block_versions: vec![0],
            blocks: Vec::new(),
            name: ENTRY,
            params: Vec::new(),
            body: Vec::new(),
            loops: Vec::new(),
        }
    }

    fn stmts(&mut self, stmts: &[Stmt]) {
        for stmt in stmts {
            match stmt {
                Stmt::Assign(variable, value) => self.env[variable.index()] = self.expr(value),
                Stmt::While(condition, body) => self.while_loop(condition, body),
                Stmt::If(condition, then, otherwise) => self.if_else(condition, then, otherwise),
                Stmt::Switch(value, arms, otherwise) => self.switch(value, arms, otherwise),
                Stmt::Do(op, operands) => {
                    let operands: Vec<Atom> = operands.iter().map(|operand| self.expr(operand)).collect();
                    self.emit(*op, &operands);
                }
                Stmt::Break => {
                    let stale = plant::on(Fault::LabBreakStaleValues);
                    let args = |open: &Loop, env: &[Atom]| if stale { open.at_header.clone() } else { env.to_vec() };
                    let exit = self.loops.last().map(|open| Target { block: open.exit, args: args(open, &self.env) });
                    self.leave(exit.map(Terminator::Br));
                }
                Stmt::Continue => {
                    let header = self.loops.last().map(|open| Target { block: open.header, args: self.env.clone() });
                    self.leave(header.map(Terminator::Br));
                }
                Stmt::Return(value) => {
                    let value = self.expr(value);
                    self.leave(Some(Terminator::Ret(value)));
                }
            }
        }
    }

    /// Ends the block; what follows goes into one that nothing branches to.
    fn leave(&mut self, term: Option<Terminator<Target>>) {
        if let Some(term) = term {
            self.close(term);
            let behind = self.fresh_block();
            self.open(behind, Vec::new());
        }
    }

    fn while_loop(&mut self, condition: &Expr, body: &[Stmt]) {
        let (header, inside, exit) = (self.fresh_block(), self.fresh_block(), self.fresh_block());
        let params = self.fresh_params();
        let before = plant::on(Fault::LabLoopExitEnv).then(|| self.env.clone());
        let at_header = atoms(&params);
        let args = mem::replace(&mut self.env, at_header.clone());
        self.close(Terminator::Br(Target { block: header, args }));

        // What `break` brings to the exit differs from what the header does.
        let is_left = has_break(body);
        self.open(header, params);
        let condition = self.expr(condition);
        let args = if is_left { at_header.clone() } else { Vec::new() };
        self.close(Terminator::Cbr(condition, to(inside), Target { block: exit, args }));

        self.open(inside, Vec::new());
        self.loops.push(Loop { header, exit, at_header: at_header.clone() });
        self.stmts(body);
        self.loops.pop();
        let args = mem::replace(&mut self.env, at_header);
        self.close(Terminator::Br(Target { block: header, args }));

        let params = if is_left { self.fresh_params() } else { Vec::new() };
        if is_left {
            self.env = atoms(&params);
        }
        self.open(exit, params);
        if let Some(before) = before {
            self.env = before;
        }
    }

    fn if_else(&mut self, condition: &Expr, then: &[Stmt], otherwise: &[Stmt]) {
        let (yes, no, join) = (self.fresh_block(), self.fresh_block(), self.fresh_block());
        let condition = self.expr(condition);
        self.close(Terminator::Cbr(condition, to(yes), to(no)));
        let before = self.env.clone();

        self.open(yes, Vec::new());
        self.stmts(then);
        let after_then = mem::replace(&mut self.env, before);
        let faulty = plant::on(Fault::LabIfSameArm).then(|| after_then.clone());
        self.close(Terminator::Br(Target { block: join, args: after_then }));

        self.open(no, Vec::new());
        self.stmts(otherwise);
        let params = self.fresh_params();
        let after_else = mem::replace(&mut self.env, atoms(&params));
        self.close(Terminator::Br(Target { block: join, args: faulty.unwrap_or(after_else) }));

        self.open(join, params);
    }

    fn switch(&mut self, value: &Expr, arms: &[(i64, Vec<Stmt>)], otherwise: &[Stmt]) {
        let blocks: Vec<Block> = arms.iter().map(|_| self.fresh_block()).collect();
        let (other, join) = (self.fresh_block(), self.fresh_block());
        let value = self.expr(value);
        let targets = arms.iter().zip(&blocks).map(|((constant, _), block)| (*constant, to(*block))).collect();
        self.close(Terminator::Switch(value, targets, to(other)));
        let before = self.env.clone();

        let bodies = arms.iter().map(|(_, arm)| &arm[..]).chain([otherwise]);
        for (block, body) in blocks.into_iter().chain([other]).zip(bodies) {
            self.open(block, Vec::new());
            self.stmts(body);
            let after = if plant::on(Fault::LabArmStaleValues) { self.env.clone() } else { before.clone() };
            let args = mem::replace(&mut self.env, after);
            self.close(Terminator::Br(Target { block: join, args }));
        }

        let params = self.fresh_params();
        self.env = atoms(&params);
        self.open(join, params);
    }

    fn expr(&mut self, expr: &Expr) -> Atom {
        match expr {
            Expr::Int(constant) => Atom::Const(*constant),
            Expr::Var(variable) => self.env[variable.index()],
            Expr::Unary(op, operand) => {
                let operand = self.expr(operand);
                self.emit(*op, &[operand])
            }
            Expr::Binary(op, left, right) => {
                let left = self.expr(left);
                let right = self.expr(right);
                self.emit(*op, &[left, right])
            }
            Expr::Select(operands) => {
                let operands = operands.each_ref().map(|operand| self.expr(operand));
                self.emit(Op::Select, &operands)
            }
            Expr::Logic(logic, left, right) => self.short_circuit(*logic, left, right),
        }
    }

    fn short_circuit(&mut self, logic: Logic, left: &Expr, right: &Expr) -> Atom {
        let (evaluate, join) = (self.fresh_block(), self.fresh_block());
        let param = self.fresh_value(self.temporary);
        let left = self.expr(left);
        let skip = |value| Target { block: join, args: vec![Atom::Const(value)] };
        self.close(match logic {
            Logic::And => Terminator::Cbr(left, to(evaluate), skip(0)),
            Logic::Or => Terminator::Cbr(left, skip(1), to(evaluate)),
        });

        self.open(evaluate, Vec::new());
        let right = self.expr(right);
        let normal = if plant::on(Fault::LabNoNormalise) { right } else { self.emit(Op::Ne, &[right, Atom::Const(0)]) };
        self.close(Terminator::Br(Target { block: join, args: vec![normal] }));

        self.open(join, vec![param]);
        Atom::Value(param)
    }

    fn emit(&mut self, op: Op, operands: &[Atom]) -> Atom {
        let dest = self.fresh_value(self.temporary);
        self.body.push(Inst::new(dest, op, operands));
        Atom::Value(dest)
    }

    fn open(&mut self, name: Block, params: Vec<Value>) {
        self.name = name;
        self.params = params;
    }

    fn close(&mut self, term: Terminator<Target>) {
        // The instructions are copied out, so that each block's vector has the right capacity and only one allocation.
        let body = self.body.as_slice().into();
        self.body.clear();
        self.blocks.push(BlockData { name: self.name, params: mem::take(&mut self.params), body, term });
    }

    fn fresh(&mut self, base: usize) -> u32 {
        let version = self.next[base];
        self.next[base] += 1;
        version
    }

    fn fresh_value(&mut self, base: usize) -> Value {
        let version = self.fresh(base);
        Value(self.value_names.push_version(base as u32, version))
    }

    fn fresh_params(&mut self) -> Vec<Value> {
        (0..self.env.len()).map(|variable| self.fresh_value(variable)).collect()
    }

    fn fresh_block(&mut self) -> Block {
        let version = self.fresh(self.block);
        self.block_versions.push(version);
        Block(self.block_versions.len() as u32 - 1)
    }

    /// The function, with every block called by its place in the listing.
    fn finish(mut self, inputs: Vec<Value>) -> Function {
        let mut block_names = Names::default();
        let base = block_names.base("b");
        let mut place = vec![ENTRY; self.blocks.len()];
        for (index, block) in self.blocks.iter_mut().enumerate() {
            let name = mem::replace(&mut block.name, Block(index as u32));
            place[name.index()] = block.name;
            if name == ENTRY {
                block_names.push("entry");
            } else {
                block_names.push_version(base, self.block_versions[name.index()]);
            }
        }
        for target in self.blocks.iter_mut().flat_map(|block| block.term.targets_mut()) {
            target.block = place[target.block.index()];
        }
        Function { inputs, blocks: self.blocks, value_names: self.value_names, block_names }
    }
}

/// Whether a `break` leaves the loop that these statements are the body of.
fn has_break(body: &[Stmt]) -> bool {
    body.iter().any(|stmt| match stmt {
        Stmt::Break => true,
        Stmt::While(..) => false,
        _ => stmt.blocks().any(|block| has_break(block)),
    })
}

/// A target without arguments.
fn to(block: Block) -> Target {
    Target { block, args: Vec::new() }
}

fn atoms(values: &[Value]) -> Vec<Atom> {
    values.iter().copied().map(Atom::Value).collect()
}
