//! Annotations of GitHub Actions: workflow commands that a job prints, one a line, and that its page shows on top.

use crate::record::night::Night;
use crate::record::part;

/// GitHub shows no more than ten errors of a step.
const MOST: usize = 10;

/// A long run's annotations: findings first, then the corpus, then parts.
pub fn annotations(night: &Night) -> Vec<String> {
    let mut lines = Vec::new();
    for finding in &night.findings {
        lines.push(error(None, &finding.identity, &finding.program));
    }
    for artifact in &night.artifacts {
        lines.push(error(None, "a fuzz target failed", &artifact.display().to_string()));
    }
    for entry in night.replayed.iter().filter(|entry| !entry.ok) {
        let message = format!("expected {}, is {}", entry.expected, entry.verdict);
        lines.push(error(Some(&entry.file), "not as expected", &message));
    }
    for part in night.parts.iter().filter(|part| ![0, 4].contains(&part.status)) {
        let name = part::name(part.status).unwrap_or("unknown");
        lines.push(error(None, &format!("{}: {name}", part.name), part.why.as_deref().unwrap_or(&part.command)));
    }
    lines.extend(night.shortfalls().iter().map(|sentence| error(None, "falls short", sentence)));
    lines.truncate(MOST);
    lines
}

fn error(file: Option<&str>, title: &str, message: &str) -> String {
    let file = file.map(|file| format!("file={},", property(file))).unwrap_or_default();
    format!("::error {file}title={}::{}", property(title), data(message))
}

/// A message, escaped as workflow commands want it.
fn data(text: &str) -> String {
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// A property's value, in which separators are escaped too.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_would_end_a_command_is_escaped() {
        assert_eq!(
            error(Some("a,b.tiny"), "crash.x: y", "100%\nof ::it"),
            "::error file=a%2Cb.tiny,title=crash.x%3A y::100%25%0Aof ::it"
        );
    }
}
