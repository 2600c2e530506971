//! Where two executions part, laid out like a compiler's note: both functions with the place pointed at.

use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};

use crate::parting::{Parting, Side};
use crate::report::values;

/// The note, as plain text.
pub fn parting_text(parting: &Parting) -> String {
    Renderer::plain().render(&[note(parting)])
}

/// The note: what is right, then what is wrong.
pub(super) fn note(parting: &Parting) -> Group<'_> {
    let Parting { inputs, right, wrong, visit, .. } = parting;
    let time = if *visit > 1 { format!(", entered for the {} time", ordinal(*visit)) } else { String::new() };
    let run = if inputs.is_empty() { String::new() } else { format!("on inputs {}, ", values(inputs)) };
    let title = format!("{run}they part in block `{}`{time}", right.block);
    Level::NOTE.primary_title(title).element(snippet(right, AnnotationKind::Context, "right")).element(snippet(
        wrong,
        AnnotationKind::Primary,
        "WRONG",
    ))
}

fn snippet<'a>(side: &'a Side, kind: AnnotationKind, mark: &str) -> Snippet<'a, annotate_snippets::Annotation<'a>> {
    Snippet::source(side.listing.as_str())
        .path(side.form.as_str())
        .annotation(kind.span(side.span.clone()).label(format!("{mark}: {}", side.happens)))
        .annotation(AnnotationKind::Visible.span(side.shown.clone()))
}

/// `2nd`, `11th`.
fn ordinal(number: usize) -> String {
    let ending = match (number % 10, number % 100) {
        (_, 11..=13) => "th",
        (1, _) => "st",
        (2, _) => "nd",
        (3, _) => "rd",
        _ => "th",
    };
    format!("{number}{ending}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_sides_are_shown_with_the_place_pointed_at() {
        let side = |form: &str, listing: &str, at: &str, happens: &str| {
            let start = listing.find(at).unwrap();
            Side {
                form: form.into(),
                listing: listing.into(),
                span: start..start + at.len(),
                shown: listing.find("l(").unwrap()..listing.len() - 1,
                block: "l".into(),
                happens: happens.into(),
            }
        };
        let parting = Parting {
            inputs: vec![3, -1],
            right: side(
                "lab/naive",
                "ssa(a)\ne:\n  br l(a)\nl(b):\n  c = sub b, 1\n  ret c\n",
                "c = sub b, 1",
                "c is 2",
            ),
            wrong: side(
                "c/none, as constructed",
                "ssa(v)\nl(v1):\n  v2 = sub 1, v1\n  ret v2\n",
                "v2 = sub 1, v1",
                "v2 is -2",
            ),
            visit: 2,
            source: None,
        };
        insta::assert_snapshot!(parting_text(&parting));
    }

    #[test]
    fn ordinals() {
        assert_eq!([1, 2, 3, 4, 11, 12, 21, 112].map(ordinal).join(" "), "1st 2nd 3rd 4th 11th 12th 21st 112th");
    }
}
