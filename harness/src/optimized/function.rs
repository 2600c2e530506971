//! The data: values, instructions, blocks.
//!
//! Everything that an instruction can use is a [`Value`] with a type: constants and the pointer to the inputs too. A
//! value consists of *lanes*, each an integer of 1 to 128 bits: a scalar has one, a vector several. A pointer is a lane
//! of 64 bits that holds an address.

use crate::op::Trap;

/// An index into [`Function::values`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Value(pub u32);

impl Value {
    /// The index as a `usize`.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// An index into [`Function::blocks`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Block(pub u32);

impl Block {
    /// The index as a `usize`.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The widest lane, in bits.
pub const WIDEST: u32 = 128;

/// A value's type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Type {
    /// An integer of so many bits.
    Int(u32),
    /// An address.
    Pointer,
    /// So many integers of so many bits.
    Vector(u32, u32),
    /// What an operation `with.overflow` gives: an integer of so many bits, and a bit that says whether it overflowed.
    Overflow(u32),
}

impl Type {
    /// How many lanes.
    pub fn lanes(self) -> usize {
        match self {
            Type::Int(_) | Type::Pointer => 1,
            Type::Vector(lanes, _) => lanes as usize,
            Type::Overflow(_) => 2,
        }
    }

    /// The bits of each lane (of the integer, for [`Type::Overflow`]).
    pub fn bits(self) -> u32 {
        match self {
            Type::Int(bits) | Type::Vector(_, bits) | Type::Overflow(bits) => bits,
            Type::Pointer => 64,
        }
    }
}

/// A lane of a constant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Constant {
    /// These bits.
    Bits(u128),
    /// Poison.
    Poison,
    /// Any bits: others at every use.
    Undef,
}

/// Where a value comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// A constant, lane by lane.
    Constant(Vec<Constant>),
    /// The address of the inputs.
    Inputs,
    /// The address so many bytes into a table of [`Function::tables`].
    Table(u32, u64),
    /// A phi or an instruction.
    Computed,
}

/// How a value or a block is called.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Label {
    /// By its number in the compiler's own listing.
    Number(u32),
    /// By name.
    Name(String),
}

/// A value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ValueData {
    /// Its type.
    pub ty: Type,
    /// Where it comes from.
    pub origin: Origin,
    /// What it is called, unless it is a constant.
    pub label: Label,
}

/// What an instruction promises. Where a promise is broken, the result is poison.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Flags(pub u8);

impl Flags {
    /// None.
    pub const NONE: Flags = Flags(0);
    /// No unsigned wrap.
    pub const NUW: Flags = Flags(1);
    /// No signed wrap.
    pub const NSW: Flags = Flags(1 << 1);
    /// Nothing is lost: no remainder, no bit shifted out.
    pub const EXACT: Flags = Flags(1 << 2);
    /// No bit is set in both operands.
    pub const DISJOINT: Flags = Flags(1 << 3);
    /// The operand is not negative.
    pub const NNEG: Flags = Flags(1 << 4);
    /// Both operands have the same sign.
    pub const SAMESIGN: Flags = Flags(1 << 5);
    /// The address stays within what its base points into.
    pub const INBOUNDS: Flags = Flags(1 << 6);

    /// Whether all of the other's promises are made.
    pub fn has(self, other: Flags) -> bool {
        self.0 & other.0 == other.0
    }

    /// One by one.
    pub fn each(self) -> impl Iterator<Item = Flags> {
        (0..u8::BITS).map(move |bit| Flags(self.0 & 1 << bit)).filter(|flag| *flag != Flags::NONE)
    }

    /// The promises of both.
    pub fn with(self, other: Flags) -> Flags {
        Flags(self.0 | other.0)
    }

    /// The promise if it is made, none otherwise.
    pub fn when(self, is_made: bool) -> Flags {
        if is_made { self } else { Flags::NONE }
    }
}

macro_rules! lane_operations {
    ($($(#[doc = $doc:literal])* $variant:ident $name:literal $arity:literal,)*) => {
        /// An operation on lanes: the same on each, and poison where an operand is poison.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[allow(missing_docs, reason = "each one's name in LLVM says what it is")]
        pub enum LaneOp { $($(#[doc = $doc])* $variant,)* }

        impl LaneOp {
            /// Every operation.
            pub const ALL: &'static [LaneOp] = &[$(LaneOp::$variant,)*];

            /// LLVM's name; an intrinsic's without `llvm.`.
            pub const fn name(self) -> &'static str {
                match self { $(LaneOp::$variant => $name,)* }
            }

            /// How many operands it takes.
            pub const fn arity(self) -> usize {
                match self { $(LaneOp::$variant => $arity,)* }
            }

            /// The operation of a name.
            pub fn from_name(name: &str) -> Option<LaneOp> {
                LaneOp::ALL.iter().copied().find(|op| op.name() == name)
            }
        }
    };
}

lane_operations! {
    Add "add" 2, Sub "sub" 2, Mul "mul" 2, Udiv "udiv" 2, Sdiv "sdiv" 2, Urem "urem" 2, Srem "srem" 2,
    Shl "shl" 2, Lshr "lshr" 2, Ashr "ashr" 2, And "and" 2, Or "or" 2, Xor "xor" 2,
    Zext "zext" 1, Sext "sext" 1, Trunc "trunc" 1,
    Eq "icmp eq" 2, Ne "icmp ne" 2, Ugt "icmp ugt" 2, Uge "icmp uge" 2, Ult "icmp ult" 2, Ule "icmp ule" 2,
    Sgt "icmp sgt" 2, Sge "icmp sge" 2, Slt "icmp slt" 2, Sle "icmp sle" 2,
    Umin "umin" 2, Umax "umax" 2, Smin "smin" 2, Smax "smax" 2, Ucmp "ucmp" 2, Scmp "scmp" 2,
    /// The second operand says whether MIN gives poison.
    Abs "abs" 2,
    /// The second operand says whether 0 gives poison.
    Ctlz "ctlz" 2,
    /// The second operand says whether 0 gives poison.
    Cttz "cttz" 2,
    Ctpop "ctpop" 1, Bswap "bswap" 1, Bitreverse "bitreverse" 1, Fshl "fshl" 3, Fshr "fshr" 3,
    UaddSat "uadd.sat" 2, UsubSat "usub.sat" 2, SaddSat "sadd.sat" 2, SsubSat "ssub.sat" 2,
    UshlSat "ushl.sat" 2, SshlSat "sshl.sat" 2,
}

/// What an instruction does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Op {
    /// The operation on each lane.
    Lanes(LaneOp),
    /// The operation on all lanes of the operand: `vector.reduce`.
    Reduce(LaneOp),
    /// The index of the first lane that is not 0; where all are, their number, or poison if the second operand holds:
    /// `experimental.cttz.elts`.
    FirstNonzero,
    /// The operation with whether it left its range: `with.overflow`.
    WithOverflow(LaneOp, Signedness),
    /// Its second operand or its third, as its first says: one bit, or one for each lane.
    Select,
    /// Its operand; any bits where that is poison.
    Freeze,
    /// The same bits in other lanes.
    Bitcast,
    /// A vector's lane.
    ExtractElement,
    /// A vector with one lane replaced.
    InsertElement,
    /// Lanes of both operands, one after the other; `None` is a poison lane.
    Shuffle(Vec<Option<u32>>),
    /// A field of [`Type::Overflow`].
    ExtractValue(u32),
    /// The first operand's address plus a constant and, for each further operand, so many bytes times it.
    Offset(i64, Vec<i64>),
    /// What memory holds at an address that is a multiple of this.
    Load(u64),
    /// Puts its first operand at its second, an address that is a multiple of this.
    Store(u64),
    /// The address of so many bytes of memory.
    Alloca(u64),
    /// `memset`: at its first operand its second, a byte, as often as its third says.
    Fill,
    /// `memcpy` or `memmove`: to its first operand from its second so many bytes as its third says.
    Move(Overlap),
    /// Emits its operand, for everyone to see.
    Emit,
    /// Undefined behaviour unless its operand holds.
    Assume,
    /// Ends the run with the trap of [`TRAPS`] that its operand names.
    Trap,
}

/// Whether memory that is copied may lie across where it is copied to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Overlap {
    /// Then it is undefined behaviour: `memcpy`.
    Undefined,
    /// It may: `memmove`.
    Allowed,
}

/// The traps in the order of the codes that [`Op::Trap`] takes.
pub const TRAPS: [Trap; 2] = [Trap::DivByZero, Trap::Overflow];

/// Which of the two ways to read a number's bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Signedness {
    /// As an unsigned number.
    Unsigned,
    /// In two's complement.
    Signed,
}

/// Numbers from the first up to the second, which is not among them, going round at the end: LLVM's `range`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Range {
    /// The first number.
    pub from: u128,
    /// The first one that is not in it any more.
    pub to: u128,
}

impl Range {
    /// Whether a number is in it.
    pub fn contains(self, number: u128) -> bool {
        if self.from < self.to {
            (self.from..self.to).contains(&number)
        } else {
            number >= self.from || number < self.to
        }
    }
}

/// An instruction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Inst {
    /// What it defines, if anything.
    pub dest: Option<Value>,
    /// What it does.
    pub op: Op,
    /// What it promises.
    pub flags: Flags,
    /// Poison where the result lies outside.
    pub range: Option<Range>,
    /// Its operands.
    pub args: Vec<Value>,
}

/// A phi.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Phi {
    /// What it defines.
    pub dest: Value,
    /// One entry for each predecessor.
    pub entries: Vec<(Block, Value)>,
}

/// How a block ends.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Terminator {
    /// Goes on there.
    Br(Block),
    /// Goes to the first if the bit is set, else to the second.
    Cbr(Value, Block, Block),
    /// Goes to the block of the constant that is equal, else to the last.
    Switch(Value, Vec<(u128, Block)>, Block),
    /// Returns.
    Ret(Value),
    /// Is never reached.
    Unreachable,
}

/// A block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockData {
    /// What it is called.
    pub label: Label,
    /// The phis at its top.
    pub phis: Vec<Phi>,
    /// Its instructions.
    pub body: Vec<Inst>,
    /// Its terminator.
    pub term: Terminator,
}

/// A function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Function {
    /// Everything that can be used.
    pub values: Vec<ValueData>,
    /// Constant memory, byte by byte; `None` is poison.
    pub tables: Vec<Vec<Option<u8>>>,
    /// The blocks; the first is the entry.
    pub blocks: Vec<BlockData>,
    /// The result is poison if it lies outside.
    pub range: Option<Range>,
}

impl Function {
    /// A value's type.
    pub fn ty(&self, value: Value) -> Type {
        self.values[value.index()].ty
    }
}
