//! Syntax errors with line, column, source excerpt and caret.

use std::ops::Range;

use annotate_snippets::{AnnotationKind, Level, Origin, Renderer, Snippet};

use crate::syntax::SyntaxError;

/// Bytes of a line that are shown before and after the place of the error.
const AROUND: usize = 100;

/// A syntax error as a compiler shows it. Only the lines around the error are laid out, so a huge text costs nothing.
pub fn syntax_error(file: &str, text: &str, error: &SyntaxError, color: bool) -> String {
    let (line, column) = error.line_column(text);
    let excerpt = excerpt(text, &error.span);
    let start = error.span.start.clamp(excerpt.start, excerpt.end) - excerpt.start;
    let end = error.span.end.clamp(excerpt.start, excerpt.end) - excerpt.start;
    let snippet = Snippet::source(&text[excerpt])
        .line_start(line)
        .annotation(AnnotationKind::Primary.span(start..end.max(start)));
    let mut group = Level::ERROR
        .primary_title(error.message.as_str())
        .element(Origin::path(file).line(line).char_column(column))
        .element(snippet);
    if let Some(help) = &error.help {
        group = group.element(Level::HELP.message(help.as_str()));
    }
    let renderer = if color { Renderer::styled() } else { Renderer::plain() };
    renderer.render(&[group])
}

/// The part of the error's line that is shown.
fn excerpt(text: &str, span: &Range<usize>) -> Range<usize> {
    let at = span.start.min(text.len());
    let line_start = text[..at].rfind('\n').map_or(0, |at| at + 1);
    let line_end = text[at..].find('\n').map_or(text.len(), |end| at + end);
    let start = text.floor_char_boundary(line_start.max(at.saturating_sub(AROUND)));
    let end = text.floor_char_boundary(line_end.min(at + AROUND));
    start..end
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn place_excerpt_caret_and_help() {
        let text = "x = 1\ny = 2 $ 3\nreturn x";
        let error = SyntaxError::new(12..13, "unexpected character '$'").with_help("take it out");
        let shown = syntax_error("a.tiny", text, &error, false);
        insta::assert_snapshot!(shown);
    }

    #[test]
    fn a_huge_line_is_cut() {
        let text = format!("{}é$é{}", "x".repeat(1 << 20), "y".repeat(1 << 20));
        let at = text.find('$').unwrap();
        let shown = syntax_error("a.tiny", &text, &SyntaxError::new(at..at + 1, "no"), false);
        assert!(shown.len() < 2000, "{} bytes", shown.len());
        assert!(shown.contains(&format!("a.tiny:1:{}", (1 << 20) + 2)), "{shown}");
    }

    #[test]
    fn the_end_of_the_text_is_a_place_too() {
        for text in ["", "x = 1\n", "é"] {
            let shown = syntax_error("a.tiny", text, &SyntaxError::new(text.len()..text.len(), "no `return`"), false);
            assert!(shown.contains("no `return`") && shown.contains("--> a.tiny:"), "{shown}");
        }
    }
}
