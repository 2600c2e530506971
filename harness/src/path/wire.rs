//! What the harness and a shared object with another version of a compiler say to each other: bytes.
//!
//! Nothing else crosses between them. Each has a copy of the harness's sources, of Rust's library and of the compiler
//! for itself; a request and its answer are plain data, encoded by `postcard`. Both encode by the same types because
//! both were built from the same sources: [`built_from`] is compared before the first request is made.

use std::borrow::Cow;
use std::ffi::c_void;
use std::sync::OnceLock;

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

use crate::case::Case;
use crate::path::{self, Detail, Path, PathId, Toolchain, panics};

/// The symbol that says what an object was built from.
pub const SYMBOL_BUILT_FROM: &str = "roundtrip_built_from";
/// The symbol that answers requests.
pub const SYMBOL_ANSWER: &str = "roundtrip_answer";

/// The sources here that a shared object of a compiler is made of, as `build.rs` has them.
pub fn built_from(compiler: &str) -> Option<&'static str> {
    match compiler {
        "cranelift" => Some(env!("ROUNDTRIP_SOURCES_CRANELIFT")),
        "llvm" => Some(env!("ROUNDTRIP_SOURCES_LLVM")),
        _ => None,
    }
}

/// Takes an answer's bytes; the last argument is what the caller wanted back.
pub type Take = unsafe extern "C" fn(*const u8, usize, *mut c_void);

/// What can be asked of a shared object.
#[derive(Debug, Serialize, Deserialize)]
pub enum Request<'a> {
    /// Its compiler's paths, in order: a list of [`Described`].
    Paths,
    /// Its compiler's path of this variant, [`path::custom`] ones too: a [`Described`].
    Path(Cow<'a, str>),
    /// To observe a case by the path of this variant: an [`Observation`](path::Observation).
    Observe(Cow<'a, str>, Cow<'a, Case>, Detail),
    /// To take the path of this variant apart: a list of names and [`Observation`](path::Observation)s, as
    /// [`path::take_apart`] gives them.
    TakeApart(Cow<'a, str>, Cow<'a, Case>, Option<u32>),
    /// To run a text of LLVM IR before and after passes: two [`Observation`](path::Observation)s.
    RunText(Cow<'a, str>, Option<Cow<'a, str>>, Cow<'a, Case>),
}

/// A path of a shared object.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Described {
    /// Its name.
    pub id: PathId,
    /// What stands behind it.
    pub toolchain: Toolchain,
}

/// Encodes a request.
pub fn encode(request: &Request<'_>) -> Result<Vec<u8>, String> {
    postcard::to_allocvec(request).map_err(|error| format!("the request can't be encoded: {error}"))
}

/// Decodes an answer, or the reason why there is none.
pub fn decode<T: DeserializeOwned>(answer: &[u8]) -> Result<T, String> {
    postcard::from_bytes::<Result<T, String>>(answer)
        .unwrap_or_else(|error| Err(format!("the answer can't be read: {error}")))
}

/// Answers a request: in a shared object with its compiler's paths, in the harness with those that it links in.
/// Whatever the bytes are, there is an answer.
pub fn answer(request: &[u8]) -> Vec<u8> {
    let answered = panics::catch(|| match postcard::from_bytes(request) {
        Ok(Request::Paths) => encoded(&Ok(listed().iter().map(|path| Described::of(&**path)).collect::<Vec<_>>())),
        Ok(Request::Path(variant)) => encoded(&with_path(&variant, Described::of)),
        Ok(Request::Observe(variant, case, detail)) => {
            encoded(&with_path(&variant, |path| path.observe(&case, detail)))
        }
        Ok(Request::TakeApart(variant, case, passes)) => {
            let id = with_path(&variant, |path| path.id());
            encoded(&id.and_then(|id| path::take_apart(&id, &case, passes)))
        }
        Ok(Request::RunText(text, passes, case)) => encoded(
            &path::run_llvm_text(&text, passes.as_deref(), &case).ok_or_else(|| "there is no LLVM here".to_string()),
        ),
        Err(error) => refused(format!("the request can't be read: {error}")),
    });
    answered.unwrap_or_else(refused)
}

fn refused(reason: String) -> Vec<u8> {
    encoded::<()>(&Err(reason))
}

fn encoded<T: Serialize>(answer: &Result<T, String>) -> Vec<u8> {
    // Encoding into memory fails for sequences of unknown length only, which none of our types has; an empty answer
    // can't be read, and is told as such.
    postcard::to_allocvec(answer).unwrap_or_default()
}

/// The paths of the compilers that are linked in here.
fn listed() -> &'static [Box<dyn Path>] {
    static PATHS: OnceLock<Vec<Box<dyn Path>>> = OnceLock::new();
    PATHS.get_or_init(|| path::registry().into_iter().filter(|path| path.id().version.is_some()).collect())
}

fn with_path<T>(variant: &str, use_it: impl FnOnce(&dyn Path) -> T) -> Result<T, String> {
    if let Some(path) = listed().iter().find(|path| path.id().variant == variant) {
        return Ok(use_it(&**path));
    }
    let own = ["cranelift", "llvm"].into_iter().find_map(|compiler| path::custom(compiler, variant));
    own.map(|path| use_it(&*path)).ok_or_else(|| format!("there is no path {variant}"))
}

impl Described {
    fn of(path: &dyn Path) -> Described {
        Described { id: path.id(), toolchain: path.toolchain() }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::case::{DEFAULT_FUEL, Program};
    use crate::path::Observation;
    use crate::tiny;

    #[test]
    fn what_goes_over_the_wire_is_what_the_path_says() {
        let paths: Vec<Described> = decode(&answer(&encode(&Request::Paths).unwrap())).unwrap();
        assert_eq!(paths, listed().iter().map(|path| Described::of(&**path)).collect::<Vec<_>>());
        let text = "input a, b; while b != 0 { t = a % b; a = b; b = t } return a";
        let program = Program::Tiny(tiny::parse(text).unwrap());
        let case = Case { program, vectors: vec![vec![1071, 462], vec![i64::MIN, -1]], fuel: DEFAULT_FUEL };
        let detail = Detail { texts: true, ..Detail::default() };
        // A shared object has one compiler. Here are all, and of two with one variant the first is asked.
        let mut variants = BTreeSet::new();
        for path in listed().iter().filter(|path| variants.insert(path.id().variant)).step_by(7) {
            let request = Request::Observe(path.id().variant.into(), Cow::Borrowed(&case), detail);
            let seen: Observation = decode(&answer(&encode(&request).unwrap())).unwrap();
            assert_eq!(seen, path.observe(&case, detail), "{}", path.id());
            assert!(!seen.texts.is_empty() && seen.outcomes.len() == 2, "{seen:?}");
        }
    }

    #[test]
    fn no_bytes_are_without_an_answer() {
        let case = Case {
            program: Program::Tiny(tiny::parse("return 1").unwrap()),
            vectors: vec![vec![]],
            fuel: DEFAULT_FUEL,
        };
        let request = encode(&Request::Observe("none-such".into(), Cow::Owned(case), Detail::default())).unwrap();
        let refused = decode::<Observation>(&answer(&request)).unwrap_err();
        assert!(refused.contains("no path none-such"), "{refused}");
        for end in 0..request.len() {
            let refused = decode::<Observation>(&answer(&request[..end])).unwrap_err();
            assert!(refused.contains("can't be read"), "{refused}");
        }
        assert!(decode::<Vec<Described>>(&[]).unwrap_err().contains("answer can't be read"));
    }
}
