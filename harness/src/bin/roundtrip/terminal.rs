//! Where output goes: results to standard output, notes, errors and progress to standard error.

use std::io::{self, IsTerminal, Write};

use anyhow::Context;
use clap::ColorChoice;
use clap::builder::styling::{AnsiColor, Style};

/// The user's wishes about output.
pub struct Terminal {
    /// No notes, no progress.
    pub quiet: bool,
    /// Colour on standard output.
    pub color: bool,
    /// Colour on standard error.
    color_errors: bool,
}

/// An error that is already laid out for reading, with its source excerpt.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Rendered(pub String);

/// How results are printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum Format {
    /// For people.
    #[default]
    Text,
    /// One JSON object a line, for programs.
    Json,
}

impl Terminal {
    /// What `--color`, `NO_COLOR` and `--quiet` come to here.
    pub fn new(choice: ColorChoice, quiet: bool) -> Terminal {
        let no_color = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
        let on = |is_terminal: bool| match choice {
            ColorChoice::Always => true,
            ColorChoice::Never => false,
            ColorChoice::Auto => is_terminal && !no_color,
        };
        Terminal { quiet, color: on(io::stdout().is_terminal()), color_errors: on(io::stderr().is_terminal()) }
    }

    /// One that shows nothing but errors, without colour.
    pub fn silent() -> Terminal {
        Terminal { quiet: true, color: false, color_errors: false }
    }

    /// Colour for errors that carry a source excerpt.
    pub fn error_color(&self) -> bool {
        self.color_errors
    }

    /// Whether a progress bar has somewhere to stand.
    pub fn shows_progress(&self) -> bool {
        !self.quiet && io::stderr().is_terminal()
    }

    /// Prints a result.
    pub fn print(&self, text: &str) -> anyhow::Result<()> {
        let mut out = io::stdout().lock();
        out.write_all(text.as_bytes()).and_then(|()| out.flush()).context("cannot write to standard output")
    }

    /// Prints a result as a line.
    pub fn line(&self, text: impl std::fmt::Display) -> anyhow::Result<()> {
        self.print(&format!("{text}\n"))
    }

    /// Prints a result as a line of JSON.
    pub fn json(&self, value: &serde_json::Value) -> anyhow::Result<()> {
        self.line(value)
    }

    /// Says something that is not a result and no error either.
    pub fn note(&self, text: impl std::fmt::Display) {
        if !self.quiet {
            self.say("note", AnsiColor::Green, &text.to_string());
        }
    }

    /// Says what went wrong without ending the command.
    pub fn warn(&self, text: impl std::fmt::Display) {
        self.say("warning", AnsiColor::Yellow, &text.to_string());
    }

    /// Says why the command fails.
    pub fn fail(&self, error: &anyhow::Error) {
        match error.downcast_ref::<Rendered>() {
            Some(rendered) => self.write(&format!("{rendered}\n")),
            None => self.say("error", AnsiColor::Red, &format!("{error:#}")),
        }
    }

    fn say(&self, level: &str, color: AnsiColor, text: &str) {
        let style = if self.color_errors { color.on_default().bold() } else { Style::new() };
        self.write(&format!("{style}{level}{style:#}: {text}\n"));
    }

    /// Writes to standard error. There is nowhere to say that this failed.
    pub fn write(&self, text: &str) {
        let _ = io::stderr().lock().write_all(text.as_bytes());
    }
}

/// A reader that goes away (`roundtrip … | head`) ends the program as it ends any other: by SIGPIPE, without a word.
/// Rust's runtime ignores the signal, so that writing fails instead.
pub fn end_quietly_on_a_closed_pipe() {
    // SAFETY: sets a signal's default disposition before any thread starts.
    unsafe { libc::signal(libc::SIGPIPE, libc::SIG_DFL) };
}
