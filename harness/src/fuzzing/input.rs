//! Inputs of the targets: program text. What is no program's text is a generator's choices.
//!
//! So a corpus holds text that people read and that `roundtrip check` runs, while bytes from anywhere still make
//! programs. The mutator changes the program and writes text again: a corpus that is text stays text.

use std::fmt;
use std::hash::{DefaultHasher, Hash, Hasher};

use arbitrary::{Arbitrary, Result, Unstructured};

use crate::case::{Case, DEFAULT_FUEL, Form, Program};
use crate::dialect::Dialect;
use crate::fuzzing::function;
use crate::generate::{self, Choices, Policy, SplitMix64};
use crate::{directives, lab, record, tac, tiny};

/// The most input vectors that an input runs on.
const MOST_VECTORS: u32 = 4;

macro_rules! inputs {
    ($($(#[doc = $doc:literal])* $name:ident $form:ident,)*) => {$(
        $(#[doc = $doc])*
        #[derive(Clone, PartialEq, Eq)]
        pub struct $name(pub Case);

        impl<'a> Arbitrary<'a> for $name {
            fn arbitrary(u: &mut Unstructured<'a>) -> Result<Self> {
                Ok($name(from_choices(Form::$form, u)))
            }

            fn arbitrary_take_rest(u: Unstructured<'a>) -> Result<Self> {
                Ok($name(from_bytes(Form::$form, u.take_rest())))
            }
        }

        impl fmt::Debug for $name {
            /// A file that `roundtrip` runs: what `cargo fuzz fmt` prints.
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&record::case_text(&self.0, &[]))
            }
        }
    )*};
}

inputs! {
    /// A Tiny program with its runs.
    Tiny Tiny,
    /// A TAC program with its runs.
    Tac Tac,
    /// A function in block-argument or phi form, valid or not, with its runs.
    Function Ssa,
}

/// The case that these bytes stand for. `ssa` and `phi` both mean a function in either form.
pub fn from_bytes(form: Form, data: &[u8]) -> Case {
    let text = std::str::from_utf8(data).ok();
    text.and_then(|text| from_text(form, text)).unwrap_or_else(|| from_choices(form, &mut Unstructured::new(data)))
}

/// The form in which a target that takes programs in both languages reads these bytes: the language whose text they
/// are; choices make either.
pub fn tiny_or_tac(data: &[u8]) -> Form {
    let is_tac = match std::str::from_utf8(data) {
        Ok(text) if tiny::parse(text).is_ok() => false,
        Ok(text) if tac::parse(text).is_ok() => true,
        _ => data.first().is_some_and(|first| first % 2 == 1),
    };
    if is_tac { Form::Tac } else { Form::Tiny }
}

fn from_choices(form: Form, choices: &mut Unstructured<'_>) -> Case {
    match form {
        Form::Tiny | Form::Tac => {
            let dialect = if choices.chance(50) { Dialect::Plus } else { Dialect::Core };
            generate::case_from(choices, form, &Policy { dialect, ..Policy::default() })
        }
        Form::Ssa | Form::Phi => {
            let program = function::generate(choices);
            let vectors = generate::vectors(choices, program.inputs(), MOST_VECTORS);
            Case { program, vectors, fuel: DEFAULT_FUEL }
        }
    }
}

/// Reads a program and its runs; without directives that fit, the runs depend on the text alone.
fn from_text(form: Form, text: &str) -> Option<Case> {
    let program = match form {
        Form::Tiny => Program::Tiny(tiny::parse(text).ok()?),
        Form::Tac => Program::Tac(tac::parse(text).ok()?),
        Form::Ssa | Form::Phi => match lab::parse_ssa(text) {
            Ok(function) => Program::Ssa(function),
            Err(_) => Program::Phi(lab::parse_phi(text).ok()?),
        },
    };
    let directives = directives::parse(text).unwrap_or_default();
    let mut vectors: Vec<Vec<i64>> = directives.into_iter().map(|directive| directive.vector).collect();
    vectors.retain(|vector| vector.len() == program.inputs());
    vectors.truncate(MOST_VECTORS as usize);
    if vectors.is_empty() {
        let mut hasher = DefaultHasher::new();
        text.hash(&mut hasher);
        vectors = generate::vectors(&mut SplitMix64::new(hasher.finish(), 0), program.inputs(), MOST_VECTORS);
    }
    Some(Case { program, vectors, fuel: DEFAULT_FUEL })
}

/// A custom mutator's body: changes the program in `data[..size]` and writes its text back; gives the new size.
pub fn mutate(form: Form, data: &mut [u8], size: usize, max_size: usize, seed: u32) -> usize {
    let case = from_bytes(form, &data[..size]);
    let text = changed(case, None, max_size, &mut SplitMix64::new(seed.into(), 0));
    write(data, &text)
}

/// A custom crossover's body: changes the program in `first` with pieces of the one in `second`.
pub fn cross(form: Form, first: &[u8], second: &[u8], out: &mut [u8], seed: u32) -> usize {
    let donor = from_bytes(form, second).program;
    let text = changed(from_bytes(form, first), Some(&donor), out.len(), &mut SplitMix64::new(seed.into(), 1));
    write(out, &text)
}

/// Copies a text into a buffer that it is known to fit.
fn write(buffer: &mut [u8], text: &str) -> usize {
    buffer[..text.len()].copy_from_slice(text.as_bytes());
    text.len()
}

/// The text of a changed case that fits `max_size`; the shortest program there is when nothing else does.
fn changed(case: Case, donor: Option<&Program>, max_size: usize, choices: &mut SplitMix64) -> String {
    /// Changes tried before giving up.
    const TRIES: usize = 8;
    for _ in 0..TRIES {
        let mut case = case.clone();
        change(&mut case, donor, choices);
        let text = record::case_text(&case, &[]);
        if text.len() <= max_size {
            return text;
        }
    }
    String::new()
}

fn change(case: &mut Case, donor: Option<&Program>, choices: &mut SplitMix64) {
    let inputs = case.program.inputs();
    let only_vectors = inputs > 0 && donor.is_none() && choices.chance(15);
    if !only_vectors {
        match (&mut case.program, donor) {
            (Program::Tiny(program), Some(Program::Tiny(donor))) => generate::mutate(program, Some(donor), choices),
            (Program::Tiny(program), _) => generate::mutate(program, None, choices),
            (Program::Tac(program), _) => generate::mutate_tac(program, choices),
            (Program::Ssa(program), _) => function::mutate(program, choices),
            (program @ Program::Phi(_), _) => {
                let bytes: Vec<u8> = (0..64).flat_map(|_| choices.bits().to_le_bytes()).collect();
                *program = function::generate(&mut Unstructured::new(&bytes));
            }
        }
    }
    if only_vectors || case.program.inputs() != inputs {
        case.vectors = generate::vectors(choices, case.program.inputs(), MOST_VECTORS);
    }
}
