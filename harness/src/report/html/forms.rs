//! The forms of a finding's program, as graphs: computed from its text by the lab, and as the paths raised them.

use crate::case::{Form, Program};
use crate::lab::{self, Function};
use crate::record::read::Stored;
use crate::report::graph::Graph;
use crate::{tac, tiny};

/// Recorded graphs that are shown.
const MOST_RECORDED: usize = 6;

/// A form with its name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown {
    /// The form's name, or the path and its text's.
    pub name: String,
    /// Whether the finding's folder has it; else it is what this version of the lab makes of the program.
    pub is_recorded: bool,
    /// The graph.
    pub graph: Graph,
}

/// Every form that there is. Forms with one graph are shown as one, under all their names; a recorded graph that is the
/// same as one before is left out.
pub fn forms(stored: &Stored) -> Vec<Shown> {
    let mut forms: Vec<Shown> = Vec::new();
    let program = stored.program.as_ref().and_then(|(form, text)| parsed(*form, text));
    let computed = program.map(computed).unwrap_or_default();
    let recorded = stored
        .texts
        .iter()
        .filter_map(|text| Some((format!("{} {}", text.path, text.name), Graph::of_text(&text.name, &text.text)?)));
    let all = computed.into_iter().map(|(name, graph)| (name.to_owned(), false, graph));
    for (name, is_recorded, graph) in all.chain(recorded.map(|(name, graph)| (name, true, graph))) {
        if let Some(same) = forms.iter_mut().find(|form| form.graph == graph) {
            if !is_recorded {
                same.name = format!("{}, {name}", same.name);
            }
            continue;
        }
        let is_room = !is_recorded || forms.iter().filter(|form| form.is_recorded).count() < MOST_RECORDED;
        if is_room {
            forms.push(Shown { name, is_recorded, graph });
        }
    }
    forms
}

/// A program's text as a program, if it is one.
pub fn parsed(form: Form, text: &str) -> Option<Program> {
    match form {
        Form::Tiny => tiny::parse(text).ok().map(Program::Tiny),
        Form::Tac => tac::parse(text).ok().map(Program::Tac),
        Form::Ssa => lab::parse_ssa(text).ok().map(Program::Ssa),
        Form::Phi => lab::parse_phi(text).ok().map(Program::Phi),
    }
}

/// The forms that the lab makes of a program; of one that is not valid, only itself.
fn computed(program: Program) -> Vec<(&'static str, Graph)> {
    let with_tac = |mut forms: Vec<(&'static str, Graph)>, tac: &tac::Program| {
        forms.push(("TAC", Graph::of_tac(tac)));
        forms
    };
    match program {
        Program::Tiny(program) => {
            with_tac(from_ssa("naive SSA", lab::construct_naive(&program)), &tac::lower(&program))
        }
        Program::Tac(program) => {
            with_tac(from_ssa("naive SSA (maximal)", lab::construct_maximal(&tac::cfg(&program))), &program)
        }
        Program::Ssa(function) => from_ssa("SSA", function),
        Program::Phi(function) => vec![("phi form", Graph::of_phi(&function))],
    }
}

fn from_ssa(name: &'static str, function: Function) -> Vec<(&'static str, Graph)> {
    let naive = Graph::of_function(&function);
    if !lab::validate(&function).is_empty() {
        return vec![(name, naive)];
    }
    let mut pruned = function;
    lab::prune_dead(&mut pruned);
    lab::prune_trivial(&mut pruned);
    let phi = lab::args_to_phi(&lab::split_conflicts(&pruned));
    vec![(name, naive), ("pruned SSA", Graph::of_function(&pruned)), ("phi form", Graph::of_phi(&phi))]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::read::StoredText;

    fn names(form: Form, text: &str) -> Vec<&'static str> {
        parsed(form, text).into_iter().flat_map(computed).map(|(name, _)| name).collect()
    }

    #[test]
    fn each_language_has_its_forms() {
        let tiny = "input a;\nwhile a > 0 { a = a - 1; }\nreturn a";
        assert_eq!(names(Form::Tiny, tiny), ["naive SSA", "pruned SSA", "phi form", "TAC"]);
        assert_eq!(names(Form::Tac, "x = add 1, 2\nret x"), ["naive SSA (maximal)", "pruned SSA", "phi form", "TAC"]);
        assert_eq!(names(Form::Ssa, "e:\n  ret 1\n").len(), 3);
        assert_eq!(names(Form::Ssa, "e:\n  ret x\n"), ["SSA"], "not valid");
        assert_eq!(names(Form::Phi, "e:\n  ret 1\n"), ["phi form"]);
        assert_eq!(names(Form::Tiny, "no program"), [""; 0]);
    }

    #[test]
    fn a_graph_is_shown_once() {
        let text = |name: &str, text: &str| StoredText { path: "c/none".into(), name: name.into(), text: text.into() };
        let stored = Stored {
            program: Some((Form::Ssa, "e:\n  ret 1\n".into())),
            texts: vec![
                text("raised-construct", "ssa\ne:\n  ret 1\n"),
                text("raised-optimize", "ssa\ne:\n  trap overflow\n"),
                text("clif", "e:"),
            ],
            ..Stored::default()
        };
        let forms = forms(&stored);
        let names: Vec<_> = forms.iter().map(|form| (form.name.as_str(), form.is_recorded)).collect();
        assert_eq!(names, [("SSA, pruned SSA, phi form", false), ("c/none raised-optimize", true)]);
    }
}
