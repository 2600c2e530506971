//! Further versions of the compilers: shared objects that `scripts/toolchain` has built, as paths like any other.
//!
//! A shared object holds one version of one compiler, with the sources of its paths as they are here. It is loaded
//! with its symbols kept to itself, so that any number of versions live in one process, and spoken to in bytes
//! ([`wire`]). It is never unloaded: the compilers in it have per-thread state.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::ffi::{CStr, OsStr, c_char, c_void};
use std::path::{self, PathBuf};
use std::sync::atomic::AtomicU8;
use std::{env, fs, ptr, slice};

use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW, Symbol};
use serde::de::DeserializeOwned;

use crate::case::Case;
use crate::path::wire::{self, Described, Request, Take};
use crate::path::{Detail, Fault, FaultKind, Observation, Path, PathId, Stage, Toolchain, custom, now, registry};

/// The environment variable that names the folder of shared objects.
pub const FOLDER_VARIABLE: &str = "ROUNDTRIP_TOOLCHAINS";

/// A shared object that is there.
#[derive(Clone, Debug)]
pub struct Found {
    /// Its file.
    pub file: PathBuf,
    /// Its compiler.
    pub compiler: String,
    /// Its version, or the beginning of it, as it was asked for: `14`, `0.122`.
    pub version: String,
}

/// Where shared objects are looked for: beside the workspace's own builds, if the environment doesn't say otherwise.
pub fn folder() -> PathBuf {
    let default = || path::Path::new(env!("CARGO_MANIFEST_DIR")).with_file_name("target").join("toolchains");
    env::var_os(FOLDER_VARIABLE).map_or_else(default, PathBuf::from)
}

/// Every shared object in the folder, `COMPILER-VERSION.so`, not loaded yet; in the order of compilers and versions.
pub fn found() -> Vec<Found> {
    // A folder that can't be read has nothing installed.
    let files = fs::read_dir(folder()).into_iter().flatten().flatten().map(|entry| entry.path());
    let mut found: Vec<Found> = files.filter_map(Found::of_file).collect();
    let numbers = |found: &Found| -> Vec<u64> { found.version.split('.').filter_map(|n| n.parse().ok()).collect() };
    found.sort_by_cached_key(|found| (found.compiler.clone(), numbers(found), found.file.clone()));
    found
}

impl Found {
    fn of_file(file: PathBuf) -> Option<Found> {
        if file.extension() != Some(OsStr::new("so")) {
            return None;
        }
        let (compiler, version) = file.file_stem()?.to_str()?.split_once('-')?;
        Some(Found { compiler: compiler.into(), version: version.into(), file: file.clone() })
    }

    /// What it would be called in a path's name, without what follows of the version.
    pub fn name(&self) -> String {
        format!("{}@{}", self.compiler, self.version)
    }

    /// Its paths. The error says what is wrong with the shared object and what to do.
    pub fn paths(&self) -> Result<Vec<Box<dyn Path>>, String> {
        let object = self.object()?;
        let listed: Vec<Described> = object.ask(&Request::Paths).map_err(|reason| self.broken(&reason))?;
        Ok(listed.into_iter().map(|path| Box::new(Installed { object, path }) as Box<dyn Path>).collect())
    }

    /// Its path of this variant, if there is one: one of the list, or one with passes of one's own.
    pub fn path(&self, variant: &str) -> Result<Option<Box<dyn Path>>, String> {
        let object = self.object()?;
        let path = object.ask::<Described>(&Request::Path(variant.into())).ok();
        Ok(path.map(|path| Box::new(Installed { object, path }) as Box<dyn Path>))
    }

    /// Takes its path of this variant apart, as [`path::take_apart`](crate::path::take_apart) does.
    pub fn take_apart(
        &self,
        variant: &str,
        case: &Case,
        passes: Option<u32>,
    ) -> Result<Vec<(String, Observation)>, String> {
        self.object()?.ask(&Request::TakeApart(variant.into(), Cow::Borrowed(case), passes))
    }

    /// Runs LLVM IR before and after passes, as [`path::run_llvm_text`](crate::path::run_llvm_text) does.
    pub fn run_text(&self, text: &str, passes: Option<&str>, case: &Case) -> Result<[Observation; 2], String> {
        self.object()?.ask(&Request::RunText(text.into(), passes.map(Into::into), Cow::Borrowed(case)))
    }

    /// Whether it holds this path's version of its compiler.
    pub fn holds(&self, id: &PathId) -> bool {
        let version = id.version.as_deref().and_then(|version| version.strip_prefix(&self.version));
        self.compiler == id.compiler && version.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
    }

    fn object(&self) -> Result<&'static Object, String> {
        // Never dropped: it stays loaded. The system's loader gives the same one again for the same file.
        Object::load(&self.file, &self.compiler)
            .map(|object| &*Box::leak(Box::new(object)))
            .map_err(|reason| self.broken(&reason))
    }

    fn broken(&self, reason: &str) -> String {
        let Found { file, compiler, version } = self;
        format!("{}: {reason}; rebuild it: scripts/toolchain add {compiler} {version}", file.display())
    }
}

/// The path that does the same as another pass by pass: of LLVM, where it has passes.
pub fn in_steps(id: &PathId) -> Option<Box<dyn Path>> {
    let is_one = id.variant.starts_with("steps-");
    let variant = if is_one { id.variant.clone() } else { format!("steps-{}", id.variant) };
    let listed = registry().into_iter().find(|path| path.id() == *id).filter(|_| is_one);
    let linked_in = listed.or_else(|| custom(&id.compiler, &variant).filter(|path| path.id().version == id.version));
    linked_in.or_else(|| found().iter().find(|found| found.holds(id))?.path(&variant).ok()?)
}

/// One version of one compiler that paths of this program go through, linked in or installed.
pub struct Version {
    /// The compiler.
    pub compiler: String,
    /// The exact version.
    pub version: String,
    /// The shared object; `None` if it is linked in.
    found: Option<Found>,
}

impl Version {
    /// All of them: what is linked in, then what is installed beyond it. The errors say which shared objects can't be
    /// used.
    pub fn all() -> (Vec<Version>, Vec<String>) {
        let (mut versions, mut errors) = (Vec::<Version>::new(), Vec::new());
        let mut add = |paths: &[Box<dyn Path>], found: Option<Found>| {
            let ids = paths.iter().map(|path| path.id()).filter_map(|id| Some((id.compiler, id.version?)));
            let ids: BTreeSet<(String, String)> = ids.collect();
            for (compiler, version) in ids {
                if !versions.iter().any(|known| known.compiler == compiler && known.version == version) {
                    versions.push(Version { compiler, version, found: found.clone() });
                }
            }
        };
        add(&registry(), None);
        for found in found() {
            match found.paths() {
                Ok(paths) => add(&paths, Some(found)),
                Err(error) => errors.push(error),
            }
        }
        (versions, errors)
    }

    /// Its paths.
    pub fn paths(&self) -> Result<Vec<Box<dyn Path>>, String> {
        let is_it = |id: PathId| id.compiler == self.compiler && id.version.is_some();
        match &self.found {
            Some(found) => found.paths(),
            None => Ok(registry().into_iter().filter(|path| is_it(path.id())).collect()),
        }
    }

    /// Its path of a variant, if there is one.
    pub fn path(&self, variant: &str) -> Result<Option<Box<dyn Path>>, String> {
        if let Some(found) = &self.found {
            return found.path(variant);
        }
        let is_it = |id: PathId| id.compiler == self.compiler && id.variant == variant;
        let linked_in = registry().into_iter().find(|path| is_it(path.id()));
        Ok(linked_in.or_else(|| super::custom(&self.compiler, variant)))
    }
}

type Answer = unsafe extern "C" fn(*const u8, usize, Take, *mut c_void, *const AtomicU8);

/// A shared object that is loaded and was built from the same sources.
struct Object {
    answer: Symbol<Answer>,
    /// What the symbol belongs to.
    _library: Library,
}

impl Object {
    fn load(file: &path::Path, compiler: &str) -> Result<Object, String> {
        // SAFETY: loading runs the initializers of a compiler's library, as linking it in would.
        let library = unsafe { Library::open(Some(file), RTLD_NOW | RTLD_LOCAL) };
        let library = library.map_err(|error| format!("it can't be loaded ({error})"))?;
        let foreign = |_| "it is none of ours".to_string();
        // SAFETY: the symbol is of this type in every version of it.
        let built_from: Symbol<unsafe extern "C" fn() -> *const c_char> =
            unsafe { library.get(wire::SYMBOL_BUILT_FROM) }.map_err(foreign)?;
        // SAFETY: it returns a text that is part of the object.
        let built_from = unsafe { CStr::from_ptr(built_from()) };
        if Some(built_from.to_bytes()) != wire::built_from(compiler).map(str::as_bytes) {
            return Err("it was built from other sources of the harness than this program".to_string());
        }
        // SAFETY: built from the same sources, it has the symbol at this type.
        let answer = unsafe { library.get(wire::SYMBOL_ANSWER) }.map_err(foreign)?;
        Ok(Object { answer, _library: library })
    }

    fn ask<T: DeserializeOwned>(&self, request: &Request<'_>) -> Result<T, String> {
        unsafe extern "C" fn take(answer: *const u8, length: usize, place: *mut c_void) {
            // SAFETY: the object passes its answer, and the place that it was given below.
            unsafe { (*place.cast::<Vec<u8>>()).extend_from_slice(slice::from_raw_parts(answer, length)) };
        }
        let request = wire::encode(request)?;
        let mut answer = Vec::new();
        let stage = now::followed().map_or(ptr::null(), ptr::from_ref);
        // SAFETY: as `roundtrip_answer` wants it.
        unsafe { (self.answer)(request.as_ptr(), request.len(), take, (&raw mut answer).cast(), stage) };
        wire::decode(&answer)
    }
}

/// A path of a shared object.
struct Installed {
    object: &'static Object,
    path: Described,
}

impl Path for Installed {
    fn id(&self) -> PathId {
        self.path.id.clone()
    }

    fn toolchain(&self) -> Toolchain {
        self.path.toolchain.clone()
    }

    fn observe(&self, case: &Case, detail: Detail) -> Observation {
        let request = Request::Observe(Cow::Borrowed(&self.path.id.variant), Cow::Borrowed(case), detail);
        self.object.ask(&request).unwrap_or_else(|message| {
            let fault = Fault { stage: Stage::Lower, kind: FaultKind::Crash, message };
            Observation { faults: vec![fault], ..Observation::empty() }
        })
    }
}
