//! Who gave an outcome, in as few words as say it: compilers whose paths all did, and single paths otherwise.

use std::collections::BTreeMap;

use super::{Class, Run, Source};
use crate::path::{PathId, Stage};

impl Run {
    /// The paths of one of the run's classes: `llvm@22.1.8/* (36 paths)` when everything that this compiler ran is in
    /// the class, the path's name when that is one path, and `cranelift@0.135.8/speed (optimize, execute)` when only
    /// these stages of a path gave this outcome.
    pub fn side(&self, class: &Class) -> Vec<String> {
        let all = by_compiler(self.classes.iter().flat_map(|class| &class.sources));
        by_compiler(&class.sources).into_iter().flat_map(|(compiler, paths)| told(&paths, &all[&compiler])).collect()
    }
}

/// A compiler's paths, each with the stages that ran.
type Paths<'a> = BTreeMap<&'a PathId, Vec<Stage>>;

fn by_compiler<'a>(sources: impl IntoIterator<Item = &'a Source>) -> BTreeMap<(&'a str, Option<&'a str>), Paths<'a>> {
    let mut compilers: BTreeMap<_, Paths<'a>> = BTreeMap::new();
    for Source { path, stage, .. } in sources {
        let compiler = compilers.entry((path.compiler.as_str(), path.version.as_deref())).or_default();
        compiler.entry(path).or_default().push(*stage);
    }
    compilers
}

fn told(paths: &Paths<'_>, all: &Paths<'_>) -> Vec<String> {
    match paths.keys().next() {
        Some(path) if paths == all && all.len() > 1 => {
            let whole = PathId { variant: "*".into(), ..(*path).clone() };
            vec![format!("{whole} ({} paths)", all.len())]
        }
        _ => paths.iter().map(|(path, stages)| one(path, stages, &all[path])).collect(),
    }
}

fn one(path: &PathId, stages: &[Stage], all: &[Stage]) -> String {
    if stages == all {
        return path.to_string();
    }
    let stages: Vec<&str> = stages.iter().map(|stage| stage.name()).collect();
    format!("{path} ({})", stages.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::op::End;

    fn class(value: i64, sources: &[(&str, Stage)]) -> Class {
        let source = |&(name, stage): &(&str, Stage)| {
            let (compiler, variant) = name.split_once('/').unwrap();
            Source { path: PathId::new(compiler, None, variant), stage, group: compiler.into() }
        };
        Class { outcome: End::Return(value).into(), sources: sources.iter().map(source).collect() }
    }

    #[test]
    fn a_compiler_that_is_of_one_mind_is_named_once() {
        use Stage::{Construct, Execute};
        let right = class(
            1,
            &[
                ("llvm/a", Construct),
                ("llvm/a", Execute),
                ("llvm/b", Execute),
                ("c/none", Execute),
                ("c/fast", Construct),
            ],
        );
        let wrong = class(2, &[("c/fast", Execute), ("tiny/eval", Execute)]);
        let run = Run { inputs: vec![], right: right.outcome.clone(), classes: vec![right, wrong] };
        assert_eq!(run.side(&run.classes[0]), ["c/fast (construct)", "c/none", "llvm/* (2 paths)"]);
        assert_eq!(run.side(&run.classes[1]), ["c/fast (execute)", "tiny/eval"]);
    }
}
