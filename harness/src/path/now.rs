//! Which stage a path is at, for whoever has to say where it died: the path itself, when it catches its compiler's
//! fatal error, and a worker's parent, which sees what is written here through memory that it shares.

use std::cell::Cell;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU8, Ordering};

use crate::path::Stage;

thread_local! {
    static STAGE: Cell<Stage> = const { Cell::new(Stage::Lower) };
}

/// Where the stage is written down too.
static FOLLOWED: OnceLock<&'static AtomicU8> = OnceLock::new();

/// The path that this thread runs is at this stage from now on.
pub fn enter(stage: Stage) {
    STAGE.set(stage);
    if let Some(followed) = FOLLOWED.get() {
        followed.store(stage as u8, Ordering::Relaxed);
    }
}

/// The stage that the path of this thread entered last.
pub fn stage() -> Stage {
    STAGE.get()
}

/// Has the stages of this process's paths written down, for good. For a process that runs one path at a time.
pub(crate) fn follow(place: &'static AtomicU8) {
    FOLLOWED.get_or_init(|| place);
}

/// Where they are written down, if they are: a shared object's paths write there too.
#[cfg(not(shared_object))]
pub(crate) fn followed() -> Option<&'static AtomicU8> {
    FOLLOWED.get().copied()
}
