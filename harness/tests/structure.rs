//! experiment
use harness::case::{Form, Program};
use harness::generate::{self, Policy, Profile, profile::Trait};
use harness::path::{self, Detail, Stage};
use harness::structure;
use std::collections::BTreeMap;

#[test]
fn experiment() {
    let paths = path::registry();
    let wanted = ["none", "none-single_pass", "perturbed-sealing", "mem2reg-O0", "sroa-O0"];
    let paths: Vec<_> = paths.iter().filter(|p| wanted.contains(&p.id().variant.as_str())).collect();
    let mut table: BTreeMap<(String, String, bool, bool, &str), u64> = BTreeMap::new();
    let mut shown: BTreeMap<(String, &str), u64> = BTreeMap::new();
    for form in [Form::Tiny, Form::Tac] {
        for index in 0..1500 {
            let mut case = generate::case(11, index, form, &Policy::default());
            case.vectors.truncate(1);
            let mut profile = Profile::default();
            profile.add_program(&case.program);
            let irr = profile.count(Trait::Irreducible) > 0;
            let dead = profile.count(Trait::Unreachable) > 0;
            let base = structure::yardstick(&case.program).unwrap();
            for path in &paths {
                let seen = path.observe(&case, Detail::default());
                let Some(raised) = seen.raised.iter().find(|r| r.stage == Stage::Construct) else { continue };
                let n = structure::params(&raised.function);
                let least = structure::least(raised.function.clone());
                let mut count = |what: &'static str| {
                    *table.entry((path.id().variant, format!("{form:?}"), irr, dead, what)).or_default() += 1;
                    let k = shown.entry((path.id().variant, what)).or_default();
                    *k += 1;
                    if *k <= 3 && (what.starts_with("least >") || what.starts_with("least <") || what == "worse") {
                        if let Program::Tac(p) = &case.program
                            && p.lines.len() < 60
                        {
                            println!("=== {} {what} {n} {least} base {base}\n{p}\n{}", path.id(), raised.function);
                        }
                    }
                };
                count("all");
                if n > base {
                    count("worse")
                }
                if n < base {
                    count("better")
                }
                if least > base {
                    count("least > base")
                }
                if least < base {
                    count("least < base")
                }
            }
        }
    }
    for ((path, form, irr, dead, what), n) in &table {
        println!("{path:18} {form:5} irreducible {irr:5} dead {dead:5} {what:14} {n}");
    }
}
