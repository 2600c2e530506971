//! Parsing both forms (`docs/LANGUAGE.md` §2 and §3): rule S0.
//!
//! The texts are read line by line. What the other rules forbid parses: names defined twice or never, targets that do
//! not exist, wrong numbers of arguments. Two passes: the first reads the blocks' names, because a branch may name a
//! block that stands further down, and a [`Block`] is numbered by its place in the listing. Values are numbered by
//! their first occurrence in the text.

use std::collections::HashMap;

use crate::dialect::Dialect;
use crate::lab::lines::{Line, significant_tokens};
use crate::lab::{Atom, Block, BlockData, Function, Inst, Phi, PhiBlock, PhiFunction, Target, Terminator, Value};
use crate::names::Names;
use crate::op::{Op, Trap};
use crate::syntax::{Kind, SyntaxError, Token};

/// What parsing gives.
pub(super) type Result<T> = std::result::Result<T, SyntaxError>;

/// Parses an `ssa` text in the dialect that it says.
pub fn parse_ssa(text: &str) -> Result<Function> {
    parse_ssa_in(text, Dialect::of(text)?)
}

/// Parses an `ssa` text in this dialect, whatever it says itself.
pub fn parse_ssa_in(text: &str, dialect: Dialect) -> Result<Function> {
    let tokens = significant_tokens(text)?;
    let mut parser = Parser { dialect, ..Parser::default() };
    let (inputs, blocks) = parser.function(text, &tokens, "ssa", Parser::ssa_block)?;
    Ok(Function { inputs, blocks, value_names: parser.value_names, block_names: parser.block_names })
}

/// Parses the `ssa` text of a function that was raised from a compiler's output: it may have every operation, and
/// traps.
pub fn parse_raised(text: &str) -> Result<Function> {
    let tokens = significant_tokens(text)?;
    let mut parser = Parser { raised: true, dialect: Dialect::Plus, ..Parser::default() };
    let (inputs, blocks) = parser.function(text, &tokens, "ssa", Parser::ssa_block)?;
    Ok(Function { inputs, blocks, value_names: parser.value_names, block_names: parser.block_names })
}

/// Parses a `phi` text in the dialect that it says.
pub fn parse_phi(text: &str) -> Result<PhiFunction> {
    parse_phi_in(text, Dialect::of(text)?)
}

/// Parses a `phi` text in this dialect, whatever it says itself.
pub fn parse_phi_in(text: &str, dialect: Dialect) -> Result<PhiFunction> {
    let tokens = significant_tokens(text)?;
    let mut parser = Parser { dialect, ..Parser::default() };
    let (inputs, blocks) = parser.function(text, &tokens, "phi", Parser::phi_block)?;
    Ok(PhiFunction { inputs, blocks, value_names: parser.value_names, block_names: parser.block_names })
}

/// The two name spaces while a text is read.
#[derive(Default)]
struct Parser<'t> {
    dialect: Dialect,
    /// Whether all is allowed that raised functions have.
    raised: bool,
    values: HashMap<&'t str, Value>,
    value_names: Names,
    blocks: HashMap<&'t str, Block>,
    block_names: Names,
}

impl<'t> Parser<'t> {
    /// A whole text: the header if it is there, then the blocks. `block` reads one from its first line and the others.
    fn function<B>(
        &mut self,
        text: &'t str,
        tokens: &'t [Token],
        form: &str,
        block: impl Fn(&mut Self, Line<'t>, &[Line<'t>]) -> Result<B>,
    ) -> Result<(Vec<Value>, Vec<B>)> {
        let lines: Vec<Line<'t>> = Line::all(text, tokens).collect();
        let mut lines = &lines[..];
        let mut inputs = Vec::new();
        if let [header, rest @ ..] = lines
            && header.word() == form
            && !header.is_instruction()
            && !header.is_block()
        {
            inputs = self.header(*header)?;
            lines = rest;
        }
        match lines {
            [] => return Err(SyntaxError::new(text.len()..text.len(), "expected a block, found the end of the text")),
            [first, ..] if !first.is_block() => return Err(first.unexpected("a block's name and `:`")),
            _ => {}
        }
        for (index, head) in lines.iter().filter(|line| line.is_block()).enumerate() {
            self.blocks.entry(head.word()).or_insert(Block(index as u32));
            self.block_names.push(head.word());
        }
        let mut blocks = Vec::with_capacity(self.block_names.len());
        while let [head, rest @ ..] = lines {
            let (own, next) = rest.split_at(rest.iter().position(Line::is_block).unwrap_or(rest.len()));
            blocks.push(block(self, *head, own)?);
            lines = next;
        }
        Ok((inputs, blocks))
    }

    /// `ssa`, `ssa(a, b)`, `phi`, `phi(a, b)`: the inputs.
    fn header(&mut self, mut line: Line<'t>) -> Result<Vec<Value>> {
        line.name("`ssa` or `phi`")?;
        let inputs = self.optional_names(&mut line)?;
        line.finish()?;
        Ok(inputs)
    }

    fn ssa_block(&mut self, mut head: Line<'t>, lines: &[Line<'t>]) -> Result<BlockData> {
        let name = self.block(&mut head)?;
        let params = self.optional_names(&mut head)?;
        head.expect(Kind::Colon, "`(` or `:`")?;
        head.finish()?;
        let lines = Lines::split(head, lines)?;
        let body = lines.body.iter().map(|&line| self.inst(line)).collect::<Result<_>>()?;
        let term = self.terminator(lines.term, |parser, line| {
            let block = parser.block(line)?;
            line.expect(Kind::Open, "`(`: a target always has parentheses")?;
            Ok(Target { block, args: line.list_to_close(|line| parser.atom(line))? })
        })?;
        lines.finish()?;
        Ok(BlockData { name, params, body, term })
    }

    fn phi_block(&mut self, mut head: Line<'t>, lines: &[Line<'t>]) -> Result<PhiBlock> {
        let name = self.block(&mut head)?;
        head.expect(Kind::Colon, "`:`: blocks have no parameters in phi form")?;
        head.finish()?;
        let lines = Lines::split(head, lines)?;
        let phis = lines.body.iter().take_while(|line| line.is_phi()).count();
        let (phis, body) = lines.body.split_at(phis);
        let phis = phis.iter().map(|&line| self.phi(line)).collect::<Result<_>>()?;
        if let Some(late) = body.iter().find(|line| line.is_phi()) {
            return Err(late.unexpected("an instruction: phis come first"));
        }
        let body = body.iter().map(|&line| self.inst(line)).collect::<Result<_>>()?;
        let term = self.terminator(lines.term, Self::block)?;
        lines.finish()?;
        Ok(PhiBlock { name, phis, body, term })
    }

    /// `x = add a, b`
    fn inst(&mut self, mut line: Line<'t>) -> Result<Inst> {
        let dest = self.value(&mut line)?;
        line.expect(Kind::Assign, "`=`")?;
        let op =
            Op::named(line.word(), self.dialect).map_err(|help| line.unexpected("an operation").with_help(help))?;
        line.name("an operation")?;
        let mut inst = Inst { dest, op, args: [Atom::Const(0); 3] };
        for (index, operand) in inst.operands_mut().iter_mut().enumerate() {
            if index > 0 {
                line.expect(Kind::Comma, "`,`")?;
            }
            *operand = self.atom(&mut line)?;
        }
        line.finish()?;
        Ok(inst)
    }

    /// `x = phi [a, P], ..`, or `x = phi`
    fn phi(&mut self, mut line: Line<'t>) -> Result<Phi> {
        let dest = self.value(&mut line)?;
        line.expect(Kind::Assign, "`=`")?;
        line.name("`phi`")?;
        let mut entries = Vec::new();
        while !line.is_empty() {
            if !entries.is_empty() {
                line.expect(Kind::Comma, "`,`")?;
            }
            line.expect(Kind::OpenBracket, "`[`")?;
            let atom = self.atom(&mut line)?;
            line.expect(Kind::Comma, "`,`")?;
            entries.push((self.block(&mut line)?, atom));
            line.expect(Kind::CloseBracket, "`]`")?;
        }
        Ok(Phi { dest, entries })
    }

    fn terminator<T>(
        &mut self,
        mut line: Line<'t>,
        target: impl Fn(&mut Self, &mut Line<'t>) -> Result<T>,
    ) -> Result<Terminator<T>> {
        let word = line.word();
        if !(matches!(word, "br" | "cbr" | "switch" | "ret") || self.raised && word == "trap") {
            return Err(line.unexpected("an instruction `x = ..` or a terminator `br`, `cbr`, `switch`, `ret`"));
        }
        line.name("a terminator")?;
        let term = match word {
            "br" => Terminator::Br(target(self, &mut line)?),
            "cbr" => {
                let cond = self.atom(&mut line)?;
                line.expect(Kind::Comma, "`,`")?;
                let yes = target(self, &mut line)?;
                line.expect(Kind::Comma, "`,`")?;
                Terminator::Cbr(cond, yes, target(self, &mut line)?)
            }
            "trap" => Terminator::Trap(trap(&mut line)?),
            "switch" => {
                let value = self.atom(&mut line)?;
                let mut arms = Vec::new();
                loop {
                    line.expect(Kind::Comma, "`,`: a switch ends with a target")?;
                    match line.arm(&arms)? {
                        Some(constant) => arms.push((constant, target(self, &mut line)?)),
                        None => break Terminator::Switch(value, arms, target(self, &mut line)?),
                    }
                }
            }
            _ => Terminator::Ret(self.atom(&mut line)?),
        };
        line.finish()?;
        Ok(term)
    }

    /// `(a, b)`, `()` or nothing.
    fn optional_names(&mut self, line: &mut Line<'t>) -> Result<Vec<Value>> {
        if line.eat(Kind::Open).is_none() {
            return Ok(Vec::new());
        }
        line.list_to_close(|line| self.value(line))
    }

    fn atom(&mut self, line: &mut Line<'t>) -> Result<Atom> {
        if let Some(constant) = line.constant()? {
            return Ok(Atom::Const(constant));
        }
        let name = line.name("a name or a constant")?;
        Ok(Atom::Value(self.intern(name)))
    }

    fn value(&mut self, line: &mut Line<'t>) -> Result<Value> {
        let name = line.name("a name")?;
        Ok(self.intern(name))
    }

    fn intern(&mut self, name: &'t str) -> Value {
        *self.values.entry(name).or_insert_with(|| Value(self.value_names.push(name)))
    }

    /// A block's name. One that no block bears is numbered past the listing.
    fn block(&mut self, line: &mut Line<'t>) -> Result<Block> {
        let name = line.name("a block's name")?;
        Ok(*self.blocks.entry(name).or_insert_with(|| Block(self.block_names.push(name))))
    }
}

/// A trap's name. It has more than one token.
fn trap(line: &mut Line) -> Result<Trap> {
    let here = *line;
    let name = line.take_rest();
    let trap = [Trap::DivByZero, Trap::Overflow].into_iter().find(|trap| trap.to_string() == name);
    trap.ok_or_else(|| here.unexpected("`div-by-zero` or `overflow`"))
}

/// A block's lines after its first: instructions and phis up to the terminator.
struct Lines<'l, 't> {
    body: &'l [Line<'t>],
    term: Line<'t>,
    /// What is not allowed: a line after the terminator.
    extra: Option<&'l Line<'t>>,
}

impl<'l, 't> Lines<'l, 't> {
    fn split(head: Line<'t>, lines: &'l [Line<'t>]) -> Result<Self> {
        let Some(end) = lines.iter().position(|line| !line.is_instruction()) else {
            let last = lines.last().unwrap_or(&head);
            return Err(last.at_end().unexpected("a terminator `br`, `cbr`, `switch`, `ret` on a line of its own"));
        };
        Ok(Lines { body: &lines[..end], term: lines[end], extra: lines.get(end + 1) })
    }

    fn finish(self) -> Result<()> {
        self.extra.map_or(Ok(()), |line| Err(line.unexpected("a new block `name:` after the terminator")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The line, the column and the message of the error.
    fn error<T: std::fmt::Debug>(parse: impl Fn(&str) -> Result<T>, text: &str) -> (usize, usize, String) {
        let error = parse(text).unwrap_err();
        let (line, column) = error.line_column(text);
        (line, column, error.message)
    }

    #[test]
    fn a_fault_of_s0_has_its_place() {
        let faults = [
            ("", (1, 1, "expected a block, found the end of the text")),
            ("ssa\n", (2, 1, "expected a block, found the end of the text")),
            ("phi\nentry:\n  ret 1\n", (1, 1, "expected a block's name and `:`, found `phi`")),
            (
                "entry:\n  ret 1 # fine\n  ret 2\n",
                (3, 3, "expected a new block `name:` after the terminator, found `ret`"),
            ),
            (
                "entry:\n",
                (
                    1,
                    7,
                    "expected a terminator `br`, `cbr`, `switch`, `ret` on a line of its own, found the end of the line",
                ),
            ),
            (
                "e:\n  x = neg 1\n",
                (
                    2,
                    12,
                    "expected a terminator `br`, `cbr`, `switch`, `ret` on a line of its own, found the end of the line",
                ),
            ),
            ("e:\n  x = neg 1, 2\n  ret x\n", (2, 12, "expected the end of the line, found `,`")),
            ("e:\n  x = and 1, 2\n  ret x\n", (2, 7, "expected an operation, found `and`")),
            ("e:\n  x = phi\n  ret x\n", (2, 7, "expected an operation, found `phi`")),
            ("e:\n  ret 9223372036854775808\n", (2, 7, "constant out of range")),
            ("e:\n  ret - 5\n", (2, 7, "expected digits right after `-`")),
            ("e:\n  ret --5\n", (2, 7, "expected digits right after `-`")),
            ("e:\n  ret 1 // no\n", (2, 9, "`//` begins no comment here")),
            ("e:\n  br f\n", (2, 7, "expected `(`: a target always has parentheses, found the end of the line")),
            ("e(1):\n  ret 1\n", (1, 3, "expected a name, found `1`")),
            ("e:\n  switch 1, 2: f(), 2: f(), f()\n", (2, 21, "the arm 2 is there twice")),
            ("e:\n  switch 1, 2 f(), f()\n", (2, 15, "expected `:`, found `f`")),
            (
                "e:\n  switch 1, 2: f()\n",
                (2, 19, "expected `,`: a switch ends with a target, found the end of the line"),
            ),
            ("e:\n  switch 1, 2: f(), f(), 3: f()\n", (2, 24, "expected the end of the line, found `,`")),
            (
                "e:\n  trap overflow\n",
                (2, 3, "expected an instruction `x = ..` or a terminator `br`, `cbr`, `switch`, `ret`, found `trap`"),
            ),
        ];
        for (text, (line, column, message)) in faults {
            assert_eq!(error(parse_ssa, text), (line, column, message.into()), "{text}");
        }
        assert_eq!(parse_ssa("e:\n  ret 1 // no\n").unwrap_err().span, 11..13, "the slashes alone");
    }

    #[test]
    fn a_fault_of_s0_in_phi_form_has_its_place() {
        let faults = [
            ("ssa\ne:\n  ret 1\n", (1, 1, "expected a block's name and `:`, found `ssa`")),
            ("e():\n  ret 1\n", (1, 2, "expected `:`: blocks have no parameters in phi form, found `(`")),
            ("e:\n  br f()\n", (2, 7, "expected the end of the line, found `(`")),
            (
                "e:\n  x = neg 1\n  y = phi [1, f]\n  ret x\n",
                (3, 3, "expected an instruction: phis come first, found `y`"),
            ),
            ("e:\n  x = phi [1, f] [2, g]\n  ret x\n", (2, 18, "expected `,`, found `[`")),
            ("e:\n  x = phi [1, f],\n  ret x\n", (2, 18, "expected `[`, found the end of the line")),
            ("e:\n  x = phi [1, 2]\n  ret x\n", (2, 15, "expected a block's name, found `2`")),
        ];
        for (text, (line, column, message)) in faults {
            assert_eq!(error(parse_phi, text), (line, column, message.into()), "{text}");
        }
    }

    #[test]
    fn what_raised_functions_have_more_parses_for_them_alone() {
        let text = "# dialect: plus\nssa(a)\ne:\n  x = select a, 1, a\n  cbr x, f(), g()\nf:\n  trap div-by-zero\ng:\n  trap overflow\n";
        assert_eq!(parse_raised(text).unwrap().to_string(), text);
        assert!(parse_ssa(text).is_err());
        let (line, column, message) = error(parse_raised, "e:\n  trap div\n");
        assert_eq!((line, column), (2, 8));
        assert_eq!(message, "expected `div-by-zero` or `overflow`, found `div`");
    }

    #[test]
    fn layout_does_not_matter_and_no_word_is_reserved() {
        let text = "\n# first\n ssa ( ssa , b )\r\n\nssa : # a block\n ssa.1=add ssa,-1\n br=neg b\n\tcbr br,ret( ssa.1 ),cbr()
            ret(x):\n ret x\ncbr():\n ret 007";
        let function = parse_ssa(text).unwrap();
        let printed = "ssa(ssa, b)\nssa:\n  ssa.1 = add ssa, -1\n  br = neg b\n  cbr br, ret(ssa.1), cbr()\n\
            ret(x):\n  ret x\ncbr:\n  ret 7\n";
        assert_eq!(function.to_string(), printed);
        assert_eq!(parse_ssa(printed).unwrap(), function);
        assert_eq!(parse_ssa("ssa()\ne:\n  ret 1\n"), parse_ssa("e:\n  ret 1\n"));
        // Without a header, the first line may be a block of that name.
        assert_eq!(parse_ssa("ssa:\n  ret 1\n").unwrap().to_string(), "ssa\nssa:\n  ret 1\n");
    }

    #[test]
    fn what_the_other_rules_forbid_parses_and_prints() {
        let switches = "ssa(a)\ne:\n  switch a, -1: f(1), 2: f(a), g()\nf(x):\n  switch x, g()\ng:\n  ret a\n";
        assert_eq!(parse_ssa(switches).unwrap().to_string(), switches);
        let phis = "phi(a)\ne:\n  switch a, -1: f, 2: f, g\nf:\n  x = phi [1, e]\n  switch x, g\ng:\n  ret a\n";
        assert_eq!(parse_phi(phis).unwrap().to_string(), phis);

        let text = "ssa(a, a)\nb(a):\n  a = add ghost, a\n  br nowhere(1)\nb:\n  cbr a, b(), nowhere()\n";
        let function = parse_ssa(text).unwrap();
        assert_eq!(function.to_string(), text);
        let names: Vec<u32> = function.blocks.iter().map(|block| block.name.0).collect();
        assert_eq!(names, [0, 0], "a second block of a name bears the first one's");
        let targets = function.blocks.iter().flat_map(|block| block.term.targets()).map(|target| target.block.0);
        assert_eq!(targets.collect::<Vec<_>>(), [2, 0, 2], "a target that does not exist is numbered past the listing");
    }
}
