//! The properties for a second each, and that inputs, mutants and seeds are what they are meant to be.

use std::fs;

use super::*;
use crate::case::{Case, Form, Program};
use crate::generate::{Choices, SplitMix64};
use crate::{lab, record};

/// How long each property runs; the fuzz targets run longer.
const BUDGET_MS: u64 = 1_000;

#[test]
fn all_validators_judge_functions_as_the_map_has_it() {
    let nowhere = std::path::Path::new("no such folder");
    arbtest::arbtest(|u| {
        validate(&u.arbitrary::<Function>()?.0, nowhere);
        Ok(())
    })
    .budget_ms(BUDGET_MS);
}

#[test]
fn phis_and_arguments_are_equivalent() {
    arbtest::arbtest(|u| {
        phi_args(&u.arbitrary::<Function>()?.0);
        Ok(())
    })
    .budget_ms(BUDGET_MS);
}

#[test]
fn constructions_and_pruning_keep_the_program() {
    arbtest::arbtest(|u| {
        construct(&u.arbitrary::<Tiny>()?.0);
        construct(&u.arbitrary::<Tac>()?.0);
        Ok(())
    })
    .budget_ms(BUDGET_MS);
}

#[test]
fn a_target_for_two_languages_reads_each_in_its_own() {
    let text = |data: &[u8]| record::case_text(&from_bytes(tiny_or_tac(data), data), &[]);
    for program in ["# run: 3\ninput n;\nreturn n\n", "# run: 3\ninput n\n  ret n\n"] {
        assert_eq!(text(program.as_bytes()), program);
    }
    let forms: Vec<Form> = [b"\x02".as_slice(), b"\x03", b""].into_iter().map(tiny_or_tac).collect();
    assert_eq!(forms, [Form::Tiny, Form::Tac, Form::Tiny]);
}

#[test]
fn printed_programs_parse() {
    arbtest::arbtest(|u| {
        parse(format!("{:?}", u.arbitrary::<Tiny>()?).as_bytes());
        parse(format!("{:?}", u.arbitrary::<Tac>()?).as_bytes());
        parse(format!("{:?}", u.arbitrary::<Function>()?).as_bytes());
        parse(u.bytes(u.len())?);
        Ok(())
    })
    .budget_ms(BUDGET_MS);
}

#[test]
fn all_paths_agree_on_what_a_fuzzer_makes() {
    let nowhere = std::path::Path::new("no such folder");
    arbtest::arbtest(|u| {
        roundtrip(&u.arbitrary::<Tiny>()?.0, nowhere);
        roundtrip(&u.arbitrary::<Tac>()?.0, nowhere);
        Ok(())
    })
    .budget_ms(BUDGET_MS);
}

#[test]
fn the_labs_targets_see_valid_and_invalid_functions_of_both_forms() {
    let mut seen = std::collections::BTreeMap::new();
    for seed in 0..2000_u64 {
        let mut choices = SplitMix64::new(seed, 0);
        let bytes: Vec<u8> = (0..100).flat_map(|_| choices.bits().to_le_bytes()).collect();
        let (form, violations) = match from_bytes(Form::Ssa, &bytes).program {
            Program::Ssa(function) => ("ssa", lab::validate(&function)),
            Program::Phi(function) => ("phi", lab::validate_phi(&function)),
            program => panic!("{:?}", program.form()),
        };
        *seen.entry((form, violations.first().map(|violation| violation.rule))).or_insert(0) += 1;
    }
    use crate::lab::Rule::{S1, S2, S3, S4};
    for form in ["ssa", "phi"] {
        for rule in [None, Some(S1), Some(S2), Some(S3), Some(S4)] {
            assert!(seen.get(&(form, rule)).is_some_and(|&count| count >= 10), "{form} {rule:?}: {seen:?}");
        }
    }
}

/// Mutates a text many times over, each time from the last one's bytes.
fn mutants(form: Form, text: &str, count: u32) -> Vec<String> {
    let mut data = vec![0; 4096];
    data[..text.len()].copy_from_slice(text.as_bytes());
    let mut size = text.len();
    let mut mutants = Vec::new();
    for seed in 0..count {
        let capacity = data.len();
        size = mutate(form, &mut data, size, capacity, seed);
        mutants.push(String::from_utf8(data[..size].to_vec()).unwrap());
    }
    mutants
}

#[test]
fn mutants_are_readable_programs_and_differ() {
    for (form, text) in [
        (Form::Tiny, "# run: 3\ninput n;\nwhile n > 0 { n = n - 1; }\nreturn n\n"),
        (Form::Tac, "input n\nL0:\n  n = sub n, 1\n  if n goto L0\n  ret n\n"),
        (Form::Ssa, "ssa(n.0)\nB0:\n  br B1(n.0)\nB1(n.1):\n  t = sub n.1, 1\n  cbr t, B1(t), B2()\nB2:\n  ret t\n"),
    ] {
        let mutants = mutants(form, text, 200);
        let readable = |text: &&String| record::case_text(&from_bytes(form, text.as_bytes()), &[]) == **text;
        assert_eq!(mutants.iter().find(|mutant| !readable(mutant)), None);
        let distinct: std::collections::BTreeSet<_> = mutants.iter().collect();
        assert!(distinct.len() > 100, "{} of 200 {form:?} mutants differ", distinct.len());
    }
}

#[test]
fn a_crossover_takes_from_both() {
    let first = b"a = 1; b = 2; return a + b";
    let second = b"x = 77777; while x { x = x / 55555 } return x";
    let mut out = vec![0; 4096];
    let children: Vec<String> = (0..100)
        .map(|seed| {
            let size = cross(Form::Tiny, first, second, &mut out, seed);
            String::from_utf8(out[..size].to_vec()).unwrap()
        })
        .collect();
    assert!(children.iter().any(|child| child.contains("55555") && child.contains("a + b")), "{children:#?}");
}

#[test]
fn directives_give_the_runs_and_texts_without_them_fixed_ones() {
    let runs = |text: &str| -> Case { from_bytes(Form::Tiny, text.as_bytes()) };
    assert_eq!(runs("# run: 5, 6\n# run: 7, 8\ninput x, y; return x").vectors, [[5, 6], [7, 8]]);
    let derived = runs("input x, y; return x").vectors;
    assert!(!derived.is_empty() && derived.iter().all(|vector| vector.len() == 2));
    assert_eq!(derived, runs("input x, y; return x").vectors);
    // A directive that does not fit the program is no reason to run nothing.
    assert!(!runs("# run: 5\ninput x, y; return x").vectors.is_empty());
}

#[test]
fn seeds_are_copied_once_and_only_into_a_folder_that_is_there() {
    let folder = tempfile::tempdir().unwrap();
    let corpus = folder.path().join("corpus");
    let target = folder.path().join("target");
    fs::create_dir_all(corpus.join("agree")).unwrap();
    fs::write(corpus.join("agree/a.tiny"), "return 1").unwrap();
    fs::write(corpus.join("agree/b.tac"), "ret 1").unwrap();
    fs::create_dir_all(corpus.join("findings/disagree.x")).unwrap();
    fs::write(corpus.join("findings/disagree.x/min.tiny"), "return 3").unwrap();

    plant_seeds(&corpus, &[Form::Tiny], &target);
    assert!(!target.exists());
    fs::create_dir(&target).unwrap();
    plant_seeds(&corpus, &[Form::Tiny], &target);
    let seeds: Vec<_> = fs::read_dir(&target).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(seeds, ["agree-a.tiny"]);

    fs::write(target.join("agree-a.tiny"), "return 2").unwrap();
    plant_seeds(&corpus, &[Form::Tiny], &target);
    assert_eq!(fs::read_to_string(target.join("agree-a.tiny")).unwrap(), "return 2");
}
