//! Reading programs: the four file endings, standard input, run directives and input vectors.

use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use harness::case::{Case, DEFAULT_FUEL, Form, Program};
use harness::dialect::Dialect;
use harness::directives::{self, Directive};
use harness::report::{self, Expectation, count};
use harness::syntax::SyntaxError;
use harness::{lab, tac, tiny};

use crate::terminal::{Rendered, Terminal};

/// The largest text that is read; more is surely not a program.
const MAX_BYTES: u64 = 64 << 20;

/// How a file is read, for the commands that read programs.
#[derive(clap::Args)]
pub struct InputForm {
    /// The language of standard input (`-`) or of a file with another ending: tiny, tac, ssa, phi
    #[arg(long, value_name = "FORM", value_parser = form)]
    pub input_form: Option<Form>,
    /// The dialect of its operations, core or plus, whatever its `# dialect:` line says
    #[arg(long, value_name = "DIALECT")]
    pub dialect: Option<Dialect>,
}

/// Which input vectors to run, for the commands that run programs.
#[derive(clap::Args)]
pub struct RunOptions {
    /// One value for each input, comma-separated; again for another run. Overrides the file's `# run:` lines
    #[arg(long, value_name = "N,N", allow_hyphen_values = true, value_parser = vector)]
    pub inputs: Vec<Vector>,
    /// Steps of the interpreter after which a run is given up as `out of fuel`
    #[arg(long, value_name = "STEPS", default_value_t = DEFAULT_FUEL)]
    pub fuel: u64,
}

impl RunOptions {
    /// The vectors given, if any; each must fit the program.
    pub fn vectors(&self, name: &str, program: &Program) -> anyhow::Result<Option<Vec<Vec<i64>>>> {
        for Vector(values) in &self.inputs {
            let (given, wanted) = (values.len(), program.inputs());
            if given != wanted {
                bail!("{name}: --inputs has {}, the program takes {wanted}", count(given, "value"));
            }
        }
        let vectors: Vec<Vec<i64>> = self.inputs.iter().map(|vector| vector.0.clone()).collect();
        Ok((!vectors.is_empty()).then_some(vectors))
    }
}

/// One value for each input.
#[derive(Clone, Debug)]
pub struct Vector(pub Vec<i64>);

fn form(name: &str) -> Result<Form, String> {
    Form::from_extension(name).ok_or_else(|| "there are tiny, tac, ssa and phi".into())
}

fn vector(text: &str) -> Result<Vector, String> {
    if text.trim().is_empty() {
        return Ok(Vector(Vec::new()));
    }
    let value = |part: &str| part.trim().parse().map_err(|_| format!("{part:?} is not a 64-bit integer"));
    text.split(',').map(value).collect::<Result<_, _>>().map(Vector)
}

/// A program's text and where it came from.
pub struct Source {
    /// The file's name, as messages have it.
    pub name: String,
    /// The text.
    pub text: String,
    /// Its language.
    pub form: Form,
    /// Its dialect, if somebody said it.
    pub dialect: Option<Dialect>,
}

/// The runs that somebody asked for.
pub struct Runs {
    /// The input vectors, each once.
    pub vectors: Vec<Vec<i64>>,
    /// The outcomes that the file says are right.
    pub expectations: Vec<Expectation>,
}

/// A program with its runs, ready to be checked.
pub struct Loaded {
    /// Its text.
    pub source: Source,
    /// The program and its input vectors.
    pub case: Case,
    /// The outcomes that the file says are right.
    pub expectations: Vec<Expectation>,
}

impl Source {
    /// Reads a file, or standard input for `-`.
    pub fn read(path: &Path, input_form: &InputForm) -> anyhow::Result<Source> {
        let name = if is_stdin(path) { "<stdin>".into() } else { path.display().to_string() };
        let form = match input_form.input_form.or_else(|| form_of(path)) {
            Some(form) => form,
            None if is_stdin(path) => bail!("which language is standard input? say --input-form tiny, tac, ssa or phi"),
            None => bail!("{name}: a program's file ends in .tiny, .tac, .ssa or .phi; or say --input-form"),
        };
        let text = text(&name, read_bytes(path)?)?;
        Ok(Source { name, text, form, dialect: input_form.dialect })
    }

    /// Parses the program.
    pub fn program(&self, terminal: &Terminal) -> anyhow::Result<Program> {
        self.parse().map_err(|error| self.error(&error, terminal))
    }

    /// Parses the program, leaving the error as it is.
    pub fn parse(&self) -> Result<Program, SyntaxError> {
        let dialect = self.dialect.map_or_else(|| Dialect::of(&self.text), Ok)?;
        match self.form {
            Form::Tiny => tiny::parse_in(&self.text, dialect).map(Program::Tiny),
            Form::Tac => tac::parse_in(&self.text, dialect).map(Program::Tac),
            Form::Ssa => lab::parse_ssa_in(&self.text, dialect).map(Program::Ssa),
            Form::Phi => lab::parse_phi_in(&self.text, dialect).map(Program::Phi),
        }
    }

    /// The program and the runs that the options or else its directives ask for.
    pub fn load(self, options: &RunOptions, terminal: &Terminal) -> anyhow::Result<Loaded> {
        let program = self.program(terminal)?;
        let runs = self.runs(&program, options, terminal)?;
        let Runs { vectors, expectations } = runs.unwrap_or_else(|| Runs {
            vectors: default_vectors(&program, &self.name, terminal),
            expectations: Vec::new(),
        });
        let case = Case { program, vectors, fuel: options.fuel };
        Ok(Loaded { source: self, case, expectations })
    }

    /// The runs that somebody asked for: the options, or else the directives. A program without inputs has one anyway.
    pub fn runs(&self, program: &Program, options: &RunOptions, terminal: &Terminal) -> anyhow::Result<Option<Runs>> {
        let directives = directives::parse(&self.text).map_err(|error| self.error(&error, terminal))?;
        let given = options.vectors(&self.name, program)?;
        for directive in &directives {
            self.check_directive(directive, program.inputs(), terminal)?;
        }
        if let Some(vectors) = given {
            return Ok(Some(Runs { vectors, expectations: Vec::new() }));
        }
        let mut vectors: Vec<Vec<i64>> = Vec::new();
        let mut expectations = Vec::new();
        for Directive { vector, expected, span } in directives {
            let run = vectors.iter().position(|known| *known == vector).unwrap_or_else(|| {
                vectors.push(vector);
                vectors.len() - 1
            });
            expectations.extend(expected.map(|expected| Expectation { run, expected, span }));
        }
        if vectors.is_empty() && program.inputs() == 0 {
            vectors.push(Vec::new());
        }
        Ok((!vectors.is_empty()).then_some(Runs { vectors, expectations }))
    }

    fn check_directive(&self, directive: &Directive, wanted: usize, terminal: &Terminal) -> anyhow::Result<()> {
        let given = directive.vector.len();
        if given == wanted {
            return Ok(());
        }
        let message = format!("this run has {}, the program takes {wanted}", count(given, "value"));
        Err(self.error(&SyntaxError::new(directive.span.clone(), message), terminal))
    }

    /// An error in this text, with its excerpt.
    pub fn error(&self, error: &SyntaxError, terminal: &Terminal) -> anyhow::Error {
        Rendered(report::syntax_error(&self.name, &self.text, error, terminal.error_color())).into()
    }
}

/// Vectors for a program with inputs of which nobody said what they are: small numbers, signs, and both ends.
fn default_vectors(program: &Program, name: &str, terminal: &Terminal) -> Vec<Vec<i64>> {
    const ROWS: [[i64; 3]; 6] =
        [[0, 0, 0], [1, 2, 3], [10, 3, 7], [-1, 1, -7], [i64::MIN, -1, i64::MAX], [i64::MAX, i64::MIN, 1]];
    let vectors: Vec<Vec<i64>> =
        ROWS.iter().map(|row| row.iter().copied().cycle().take(program.inputs()).collect()).collect();
    let shown: Vec<String> = vectors.iter().map(|vector| format!("({})", report::values(vector))).collect();
    terminal.note(format!("{name} has no `# run:` line; it runs on {}", shown.join(", ")));
    vectors
}

fn is_stdin(path: &Path) -> bool {
    path.as_os_str() == "-"
}

/// The language of a file's ending.
pub fn form_of(path: &Path) -> Option<Form> {
    path.extension().and_then(|extension| Form::from_extension(extension.to_str()?))
}

/// A file's bytes, or standard input's for `-`.
pub fn read_bytes(path: &Path) -> anyhow::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let read = if is_stdin(path) {
        io::stdin().lock().take(MAX_BYTES + 1).read_to_end(&mut bytes)
    } else {
        File::open(path).and_then(|file| file.take(MAX_BYTES + 1).read_to_end(&mut bytes))
    };
    let name = || if is_stdin(path) { PathBuf::from("standard input") } else { path.to_path_buf() };
    read.with_context(|| format!("cannot read {}", name().display()))?;
    if bytes.len() as u64 > MAX_BYTES {
        bail!("{} is larger than {} MB", name().display(), MAX_BYTES >> 20);
    }
    Ok(bytes)
}

fn text(name: &str, bytes: Vec<u8>) -> anyhow::Result<String> {
    String::from_utf8(bytes).map_err(|error| {
        let good = error.utf8_error().valid_up_to();
        let (byte, line) =
            (error.as_bytes()[good], 1 + error.as_bytes()[..good].iter().filter(|&&b| b == b'\n').count());
        anyhow::anyhow!("{name}: not UTF-8 text: byte 0x{byte:02x} in line {line}")
    })
}
