//! Syntax errors with line, column, source excerpt and caret.

use std::ops::Range;

use annotate_snippets::{AnnotationKind, Level, Origin, Renderer, Snippet};

use crate::syntax::SyntaxError;

/// A line with more bytes than this is cut to so many before and after the place of the error.
const LONG_LINE: usize = 10_000;

/// A syntax error as a compiler shows it. Only the error's line is laid out, so a huge text costs nothing.
pub fn syntax_error(file: &str, text: &str, error: &SyntaxError, color: bool) -> String {
    let (line, column) = error.line_column(text);
    let (excerpt, is_cut) = excerpt(text, &error.span);
    let start = error.span.start.clamp(excerpt.start, excerpt.end) - excerpt.start;
    let end = error.span.end.clamp(excerpt.start, excerpt.end) - excerpt.start;
    let snippet = Snippet::source(&text[excerpt])
        .line_start(line)
        .annotation(AnnotationKind::Primary.span(start..end.max(start)));
    let title = Level::ERROR.primary_title(error.message.as_str());
    // The renderer counts columns in what it is given; in a line that is cut it has to be told.
    let mut group = if is_cut {
        title.element(Origin::path(file).line(line).char_column(column)).element(snippet)
    } else {
        title.element(snippet.path(file))
    };
    if let Some(help) = &error.help {
        group = group.element(Level::HELP.message(help.as_str()));
    }
    let renderer = if color { Renderer::styled() } else { Renderer::plain() };
    renderer.render(&[group])
}

/// The part of the error's line that is shown, and whether its beginning is cut off.
fn excerpt(text: &str, span: &Range<usize>) -> (Range<usize>, bool) {
    let at = span.start.min(text.len());
    let line_start = text[..at].rfind('\n').map_or(0, |at| at + 1);
    let line_end = text[at..].find('\n').map_or(text.len(), |end| at + end);
    let start = text.floor_char_boundary(line_start.max(at.saturating_sub(LONG_LINE)));
    let end = text.floor_char_boundary(line_end.min(at + LONG_LINE));
    (start..end, start > line_start)
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
