//! A path that, on a share of the programs, does to its process what no path should: a trial of whoever runs paths. In
//! builds with the feature `plant` only, and there only when [`plant::chaos`](crate::plant::chaos) says how often.
//!
//! Which programs, and what happens on each, depends on the program's text alone. On the others it gives what the
//! language's own interpreter gives.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::hint::black_box;
use std::io::Write;

use crate::case::{Case, Program};
use crate::op::Execution;
use crate::path::{Detail, Observation, Path, PathId, Stage, Toolchain, now};
use crate::{plant, tac, tiny};

/// The path.
pub struct Chaos;

/// What can happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Mishap {
    /// The process aborts, as after a failed assertion.
    Abort,
    /// A panic.
    Panic,
    /// It never ends.
    Hang,
    /// It reads what is not there.
    Segfault,
    /// It calls itself without end.
    StackOverflow,
    /// It takes memory until there is none.
    Memory,
    /// It writes to wherever the process can write to, and goes on as if nothing were.
    Garbage,
    /// It ends the process in good order.
    Exit,
}

impl Mishap {
    /// All of them.
    pub const ALL: [Mishap; 8] = {
        use Mishap::*;
        [Abort, Panic, Hang, Segfault, StackOverflow, Memory, Garbage, Exit]
    };

    /// What happens on a program, if of a thousand programs so many are hit.
    pub fn on(program: &Program, permille: u32) -> Option<Mishap> {
        let text = text(program)?;
        let mut hasher = DefaultHasher::new();
        text.hash(&mut hasher);
        let hash = hasher.finish();
        let is_hit = hash % 1000 < u64::from(permille);
        is_hit.then(|| Mishap::ALL[(hash / 1000) as usize % Mishap::ALL.len()])
    }

    /// How the fault begins that comes of it.
    pub const fn message(self) -> &'static str {
        match self {
            Mishap::Abort => "abort in the compiler: chaos: Assertion `false' failed.",
            Mishap::Panic => "panic in the compiler: chaos",
            Mishap::Hang => "hang in the compiler",
            Mishap::Segfault => "SIGSEGV in the compiler",
            Mishap::StackOverflow => "stack overflow in the compiler",
            Mishap::Memory => "memory limit in the compiler",
            Mishap::Garbage => "garbage among the worker's answers",
            Mishap::Exit => "exit with status 0 in the compiler",
        }
    }

    fn happen(self) {
        match self {
            Mishap::Abort => {
                say("chaos: Assertion `false' failed.\n");
                // SAFETY: ends the process.
                unsafe { libc::abort() }
            }
            Mishap::Panic => panic!("chaos"),
            Mishap::Hang => {
                while black_box(true) {
                    std::hint::spin_loop();
                }
            }
            Mishap::Segfault => {
                let nowhere = black_box(8) as *const u8;
                // SAFETY: none: the fault is what is wanted.
                black_box(unsafe { nowhere.read_volatile() });
            }
            Mishap::StackOverflow => {
                black_box(overflow(black_box(0)));
            }
            Mishap::Memory => loop {
                std::mem::forget(black_box(Vec::<u8>::with_capacity(1 << 24)));
            },
            Mishap::Garbage => {
                for descriptor in 3..16 {
                    // SAFETY: at worst nothing is there to be written to.
                    unsafe { libc::send(descriptor, b"garbage".as_ptr().cast(), 7, libc::MSG_NOSIGNAL) };
                }
            }
            // SAFETY: ends the process.
            Mishap::Exit => unsafe { libc::exit(0) },
        }
    }
}

fn say(text: &str) {
    // Nobody may be there to read it.
    let _ = std::io::stderr().write_all(text.as_bytes());
}

#[expect(unconditional_recursion, reason = "until there is no stack")]
fn overflow(depth: u64) -> u64 {
    let frame = black_box([depth; 64]);
    overflow(depth + 1) + frame[(depth % 64) as usize]
}

fn text(program: &Program) -> Option<String> {
    match program {
        Program::Tiny(program) => Some(program.to_string()),
        Program::Tac(program) => Some(program.to_string()),
        Program::Ssa(_) | Program::Phi(_) => None,
    }
}

impl Path for Chaos {
    fn id(&self) -> PathId {
        PathId::new("chaos", None, "monkey")
    }

    fn toolchain(&self) -> Toolchain {
        let description = format!("mishaps on {} of 1000 programs", plant::chaos());
        Toolchain { description, group: "chaos".into(), unavailable: None }
    }

    fn observe(&self, case: &Case, _: Detail) -> Observation {
        now::enter(Stage::Optimize);
        if let Some(mishap) = Mishap::on(&case.program, plant::chaos()) {
            mishap.happen();
        }
        let run = |inputs: &Vec<i64>| -> Option<Execution> {
            match &case.program {
                Program::Tiny(program) => Some(tiny::eval(program, inputs, case.fuel)),
                Program::Tac(program) => Some(tac::eval(program, inputs, case.fuel)),
                Program::Ssa(_) | Program::Phi(_) => None,
            }
        };
        if text(&case.program).is_none() {
            return Observation::unsupported("needs a program in Tiny or TAC");
        }
        let mut observation = Observation::empty();
        observation.outcomes = case.vectors.iter().map(|inputs| run(inputs).map(|run| run.outcome)).collect();
        observation
    }
}
