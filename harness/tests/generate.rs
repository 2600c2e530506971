//! What generated programs are like, over a few thousand of them: they end, they seldom trap, every trait occurs, and
//! their text is theirs.

use arbitrary::{Arbitrary, Unstructured};
use harness::case::{Case, Form, Program};
use harness::dialect::Dialect;
use harness::generate::profile::Trait;
use harness::generate::{self, Choices, Feature, Features, Policy, Profile, SplitMix64};
use harness::{lab, tac, tiny};

const PROGRAMS: u64 = 5_000;

fn profile(form: Form, dialect: Dialect) -> Profile {
    let mut profile = Profile::default();
    let policy = Policy { dialect, ..Policy::default() };
    for index in 0..PROGRAMS {
        let case = generate::case(1, index, form, &policy);
        profile.add_program(&case.program);
        for vector in &case.vectors {
            profile.add_run(&match &case.program {
                Program::Tiny(program) => tiny::eval(program, vector, case.fuel),
                Program::Tac(program) => tac::eval(program, vector, case.fuel),
                other => panic!("generated {other:?}"),
            });
        }
    }
    println!("{form:?}, {dialect}: {profile:?}");
    profile
}

/// At least 98% of the runs end, at most 10% trap, and half of them are short.
fn assert_runs(profile: &Profile) {
    assert!(profile.runs >= PROGRAMS);
    assert!(profile.out_of_fuel * 100 <= profile.runs * 2, "{} of {} without end", profile.out_of_fuel, profile.runs);
    assert!(profile.traps * 100 <= profile.runs * 10, "{} of {} trap", profile.traps, profile.runs);
    assert!(profile.traps > 0 && profile.out_of_fuel > 0, "neither traps nor endless loops are tested");
    assert!(profile.median_steps_below() <= 256, "median {}", profile.median_steps_below());
    let size = profile.operations / profile.programs;
    assert!((25..=90).contains(&size), "{size} operations a program");
}

fn assert_traits(profile: &Profile, absent: &[Trait]) {
    for &which in Trait::ALL {
        let least = if absent.contains(&which) { 0 } else { PROGRAMS / 50 };
        assert!(profile.count(which) >= least, "{}: {} of {PROGRAMS}", which.name(), profile.count(which));
    }
}

#[test]
fn tiny_programs_end_and_have_every_trait() {
    let profile = profile(Form::Tiny, Dialect::Core);
    assert_runs(&profile);
    let absent = [Trait::Irreducible, Trait::Unreachable, Trait::UnreachableCycle, Trait::SelfLoop, Trait::MultiEdge];
    let absent_too = [Trait::SeveralExits, Trait::Chain, Trait::Switch, Trait::ManyArms, Trait::Plus, Trait::Narrow];
    assert_traits(&profile, &[&absent[..], &absent_too].concat());
}

#[test]
fn tac_programs_end_and_have_every_trait() {
    let profile = profile(Form::Tac, Dialect::Core);
    assert_runs(&profile);
    assert_traits(&profile, &[Trait::ShortCircuit, Trait::Plus, Trait::Narrow]);
}

/// Plus only adds: most programs have its operations, and they end and trap as those of core do.
#[test]
fn programs_of_plus_end_and_have_its_operations() {
    for form in [Form::Tiny, Form::Tac] {
        let profile = profile(form, Dialect::Plus);
        assert_runs(&profile);
        assert!(profile.count(Trait::Plus) * 2 > PROGRAMS, "{}", profile.count(Trait::Plus));
        assert!(profile.count(Trait::Narrow) * 5 > PROGRAMS, "{}", profile.count(Trait::Narrow));
        // Swarm: some have none of it.
        assert!(profile.count(Trait::Plus) * 200 < PROGRAMS * 199, "{}", profile.count(Trait::Plus));
        // Its statements make graphs of Tiny that core's can't.
        for which in [Trait::Switch, Trait::ManyArms, Trait::SeveralExits, Trait::Unreachable] {
            assert!(profile.count(which) * 50 > PROGRAMS, "{form:?}, {}: {}", which.name(), profile.count(which));
        }
    }
}

/// Parsing what is printed gives the same program, and its order is canonical already.
fn assert_own_text(program: &Program) {
    match program {
        Program::Tiny(program) => assert_eq!(tiny::parse(&program.to_string()).as_ref(), Ok(program), "{program}"),
        Program::Tac(program) => assert_eq!(tac::parse(&program.to_string()).as_ref(), Ok(program), "{program}"),
        other => panic!("generated {other:?}"),
    }
}

#[test]
fn generated_programs_are_their_own_text() {
    for index in 0..1_000 {
        for (form, dialect) in [
            (Form::Tiny, Dialect::Core),
            (Form::Tac, Dialect::Core),
            (Form::Tiny, Dialect::Plus),
            (Form::Tac, Dialect::Plus),
        ] {
            let policy = Policy { dialect, ..Policy::default() };
            let Case { program, vectors, .. } = generate::case(2, index, form, &policy);
            assert_own_text(&program);
            assert!(!vectors.is_empty() && vectors.iter().all(|vector| vector.len() == program.inputs()));
        }
    }
}

#[test]
fn functions_are_generated_valid_in_both_forms() {
    for index in 0..300 {
        for form in [Form::Ssa, Form::Phi] {
            let case = generate::case(2, index, form, &Policy::default());
            assert_eq!(case.program.form(), form);
            let faults = match &case.program {
                Program::Ssa(function) => lab::validate(function),
                Program::Phi(function) => lab::validate_phi(function),
                other => panic!("generated {other:?}"),
            };
            assert!(faults.is_empty(), "{faults:?}");
        }
    }
}

#[test]
fn a_case_depends_on_seed_and_index_alone() {
    let policy = Policy::default();
    for form in [Form::Tiny, Form::Tac] {
        let forward: Vec<Case> = (0..50).map(|index| generate::case(3, index, form, &policy)).collect();
        let mut backward: Vec<Case> = (0..50).rev().map(|index| generate::case(3, index, form, &policy)).collect();
        backward.reverse();
        assert_eq!(forward, backward);
        assert!(forward.windows(2).all(|pair| pair[0] != pair[1]));
        assert_ne!(forward[0], generate::case(4, 0, form, &policy));
    }
}

#[test]
fn a_policy_holds_features_in_and_keeps_features_out() {
    let never: Features = [Feature::Division, Feature::Loops, Feature::Boundaries].into_iter().collect();
    let policy = Policy { never, always: Features::NONE.with(Feature::ManyLive), inputs: 2, ..Policy::default() };
    for form in [Form::Tiny, Form::Tac] {
        let mut profile = Profile::default();
        for index in 0..500 {
            let case = generate::case(5, index, form, &policy);
            assert!(case.program.inputs() <= 2);
            profile.add_program(&case.program);
        }
        assert_eq!(profile.count(Trait::Division), 0, "{form:?}");
        assert!(profile.count(Trait::ManyLive) > 400, "{form:?}: {}", profile.count(Trait::ManyLive));
        if form == Form::Tiny {
            assert_eq!(profile.count(Trait::Loops), 0);
        }
    }
}

#[test]
fn a_fuzzers_bytes_give_programs_and_few_bytes_small_ones() {
    let mut stream = SplitMix64::new(6, 0);
    let bytes: Vec<u8> = (0..4096).map(|_| stream.bits() as u8).collect();
    let mut different = std::collections::HashSet::new();
    for length in [0, 1, 10, 100, 1000, 4096] {
        let u = || Unstructured::new(&bytes[..length]);
        let program = tiny::Program::arbitrary(&mut u()).unwrap();
        assert_own_text(&Program::Tiny(program.clone()));
        different.insert(program.to_string());
        assert_own_text(&Program::Tac(tac::Program::arbitrary(&mut u()).unwrap()));
        assert_own_text(&Case::arbitrary(&mut u()).unwrap().program);
    }
    assert!(different.len() >= 3, "{different:?}");
    assert!(tiny::Program::arbitrary(&mut Unstructured::new(&[])).unwrap().size() < 20);
}

#[test]
fn mutants_of_tiny_programs_differ_parse_and_stay_small() {
    let mut choices = SplitMix64::new(7, 0);
    let mut different = 0;
    let mut with_plus = 0;
    for index in 0..300 {
        let dialect = if index % 2 == 0 { Dialect::Core } else { Dialect::Plus };
        let policy = Policy { dialect, ..Policy::default() };
        let programs = [0, 1].map(|more| generate::case(7, 2 * index + more, Form::Tiny, &policy).program);
        let [Program::Tiny(mut program), Program::Tiny(donor)] = programs else { panic!("another form") };
        for _ in 0..20 {
            let before = program.clone();
            generate::mutate(&mut program, Some(&donor), &mut choices);
            different += u32::from(program != before);
            assert_own_text(&Program::Tiny(program.clone()));
            assert!(program.size() <= 200 && program.depth() <= 100);
            with_plus += u32::from(tiny::walk::lists(&program).into_iter().flatten().any(tiny::Stmt::is_of_plus));
        }
    }
    assert!(different > 300 * 20 / 2, "{different}");
    assert!(with_plus > different / 3, "{with_plus} of {different}");
}

#[test]
fn mutants_of_the_empty_program_grow() {
    let mut choices = SplitMix64::new(8, 0);
    let mut program = tiny::parse("return 0").unwrap();
    for _ in 0..50 {
        generate::mutate(&mut program, None, &mut choices);
    }
    assert!(program.size() > 5, "{program}");
}

#[test]
fn mutants_of_tac_programs_differ_and_parse() {
    let mut choices = SplitMix64::new(9, 0);
    let mut different = 0;
    for index in 0..300 {
        let Program::Tac(mut program) = generate::case(9, index, Form::Tac, &Policy::default()).program else {
            panic!("another form")
        };
        for _ in 0..20 {
            let before = program.clone();
            generate::mutate_tac(&mut program, &mut choices);
            different += u32::from(program != before);
            assert_own_text(&Program::Tac(program.clone()));
        }
    }
    assert!(different > 300 * 20 / 2, "{different}");
}

/// Every dialect's programs spliced with the corpus's: they are of their dialect, small, their own text, and end.
#[test]
fn spliced_programs_are_of_the_dialect_and_end() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../corpus/agree");
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let tiny = files.filter(|file| file.extension().is_some_and(|extension| extension == "tiny"));
    let corpus: Vec<_> = tiny.map(|file| tiny::parse(&std::fs::read_to_string(file).unwrap()).unwrap()).collect();
    for dialect in [Dialect::Core, Dialect::Plus] {
        let policy = Policy { dialect, ..Policy::default() };
        let pieces: Vec<_> = corpus.iter().filter(|program| program.dialect() <= dialect).cloned().collect();
        assert!(pieces.len() > 20);
        let (mut spliced, mut endless) = (0, 0);
        for index in 0..2000 {
            let case = generate::case_of_pieces(3, index, Form::Tiny, &policy, &pieces);
            assert_eq!(case, generate::case_of_pieces(3, index, Form::Tiny, &policy, &pieces));
            if case == generate::case(3, index, Form::Tiny, &policy) {
                continue;
            }
            spliced += 1;
            assert_own_text(&case.program);
            let Program::Tiny(program) = &case.program else { panic!("another form") };
            assert!(program.dialect() <= dialect && program.size() <= 60, "{program}");
            assert!(case.vectors.iter().all(|vector| vector.len() == program.inputs));
            let ends = |vector: &Vec<i64>| !tiny::eval(program, vector, case.fuel).is_out_of_fuel();
            endless += u32::from(!case.vectors.iter().all(ends));
        }
        assert!((300..600).contains(&spliced), "{spliced}");
        assert_eq!(endless, 0);
    }
    let policy = Policy::default();
    assert_eq!(
        generate::case_of_pieces(3, 7, Form::Tac, &policy, &corpus),
        generate::case(3, 7, Form::Tac, &policy),
        "TAC has no statements to splice"
    );
}

#[test]
fn profiles_add_up() {
    let mut parts = [Profile::default(), Profile::default()];
    let mut whole = Profile::default();
    for index in 0..40 {
        let case = generate::case(10, index, Form::Tac, &Policy::default());
        let Program::Tac(program) = &case.program else { panic!("another form") };
        let run = tac::eval(program, &case.vectors[0], case.fuel);
        for profile in [&mut parts[index as usize % 2], &mut whole] {
            profile.add_program(&case.program);
            profile.add_run(&run);
        }
    }
    let [mut first, second] = parts;
    first.merge(&second);
    assert_eq!(first, whole);
}
