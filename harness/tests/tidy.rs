//! What holds of the source as text: the import table of `docs/ARCHITECTURE.md`, and the shape of every file.
//!
//! The table is the document's own, read from there: a module imports what its row names and nothing else, every module
//! has a row, and every row has a module. Code under `#[cfg(test)]` is free.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use proc_macro2::{TokenStream, TokenTree};

/// A file longer than this holds more than one idea.
const MOST_LINES: usize = 500;

/// A file of the harness.
struct Source {
    /// Its place under `harness/src`, for messages.
    name: String,
    /// Its module's path in the crate; empty for `lib.rs`.
    module: Vec<String>,
    /// Its tokens, without comments and without items under `#[cfg(test)]`.
    tokens: Vec<String>,
}

/// A row of the import table.
#[derive(Debug)]
struct Row {
    modules: BTreeSet<String>,
    crates: BTreeSet<String>,
    everything: bool,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// All Rust files under a folder, in order.
fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                files.push(path);
            }
        }
    }
    files.sort();
    files
}

/// The harness's files, without modules that are there for tests only.
fn sources() -> Vec<Source> {
    let folder = root().join("harness/src");
    let mut sources = Vec::new();
    let mut test_modules = BTreeSet::new();
    for file in rust_files(&folder) {
        let name = file.strip_prefix(&folder).unwrap().to_str().unwrap().to_string();
        let mut module: Vec<String> = name.trim_end_matches(".rs").split('/').map(str::to_string).collect();
        module.retain(|part| part != "mod" && part != "lib");
        let stream: TokenStream = fs::read_to_string(&file).unwrap().parse().unwrap();
        let mut tokens = Vec::new();
        flatten(stream, &mut tokens);
        let (tokens, tests) = split_tests(&tokens);
        test_modules.extend(tests.into_iter().map(|name| [&module[..], &[name]].concat()));
        sources.push(Source { name, module, tokens });
    }
    let is_test = |source: &Source| test_modules.iter().any(|test| source.module.starts_with(test));
    sources.retain(|source| !is_test(source));
    sources
}

/// The tokens with brackets among them; `::` is one token.
fn flatten(stream: TokenStream, tokens: &mut Vec<String>) {
    for tree in stream {
        match tree {
            TokenTree::Group(group) => {
                let (open, close) = match group.delimiter() {
                    proc_macro2::Delimiter::Parenthesis => ("(", ")"),
                    proc_macro2::Delimiter::Brace => ("{", "}"),
                    proc_macro2::Delimiter::Bracket => ("[", "]"),
                    proc_macro2::Delimiter::None => ("", ""),
                };
                tokens.push(open.into());
                flatten(group.stream(), tokens);
                tokens.push(close.into());
            }
            TokenTree::Punct(punct) if punct.as_char() == ':' && tokens.last().is_some_and(|last| last == ":+") => {
                *tokens.last_mut().unwrap() = "::".into();
            }
            // A colon that another one follows at once.
            TokenTree::Punct(punct) if punct.as_char() == ':' && punct.spacing() == proc_macro2::Spacing::Joint => {
                tokens.push(":+".into());
            }
            // What a text says is no code.
            TokenTree::Literal(_) => tokens.push("literal".into()),
            TokenTree::Ident(_) | TokenTree::Punct(_) => tokens.push(tree.to_string()),
        }
    }
}

/// The tokens without the items under `#[cfg(test)]`, and the names of the modules `#[cfg(test)] mod name;`.
fn split_tests(tokens: &[String]) -> (Vec<String>, Vec<String>) {
    const ATTRIBUTE: [&str; 7] = ["#", "[", "cfg", "(", "test", ")", "]"];
    let mut kept = Vec::new();
    let mut modules = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        if tokens[at..].len() < ATTRIBUTE.len() || tokens[at..].iter().zip(ATTRIBUTE).any(|(token, a)| token != a) {
            kept.push(tokens[at].clone());
            at += 1;
            continue;
        }
        at += ATTRIBUTE.len();
        if let [keyword, name, end, ..] = &tokens[at..]
            && (keyword.as_str(), end.as_str()) == ("mod", ";")
        {
            modules.push(name.clone());
        }
        let mut depth = 0;
        while at < tokens.len() {
            let token = tokens[at].as_str();
            depth += matches!(token, "{" | "(" | "[") as i32 - matches!(token, "}" | ")" | "]") as i32;
            at += 1;
            if depth == 0 && matches!(token, ";" | "}") {
                break;
            }
        }
    }
    (kept, modules)
}

/// Every path in the tokens that begins with `crate` or `super`, from the crate's root on; groups are multiplied out.
fn crate_paths(source: &Source) -> Vec<Vec<String>> {
    let mut paths = Vec::new();
    for at in 0..source.tokens.len() {
        let begins = at == 0 || source.tokens[at - 1] != "::";
        let base = match source.tokens[at].as_str() {
            "crate" => Vec::new(),
            "super" => source.module[..source.module.len().saturating_sub(1)].to_vec(),
            _ => continue,
        };
        if begins && source.tokens.get(at + 1).is_some_and(|next| next == "::") {
            tree(&source.tokens, at + 2, base, &mut paths);
        }
    }
    paths
}

/// Reads the rest of a path or of a `use` tree; gives the place after it.
fn tree(tokens: &[String], mut at: usize, mut prefix: Vec<String>, paths: &mut Vec<Vec<String>>) -> usize {
    loop {
        match tokens[at].as_str() {
            "{" => {
                while tokens[at] != "}" {
                    at += 1;
                    if tokens[at] != "," && tokens[at] != "}" {
                        at = tree(tokens, at, prefix.clone(), paths);
                        while tokens[at] == "as" {
                            at += 2;
                        }
                    }
                }
                return at + 1;
            }
            "super" => drop(prefix.pop()),
            name => prefix.push(name.to_string()),
        }
        at += 1;
        if tokens.get(at).is_none_or(|next| next != "::") {
            paths.push(prefix);
            return at;
        }
        at += 1;
    }
}

/// The rows of the table in `docs/ARCHITECTURE.md`: module, the modules it may import, the crates it may use.
fn table() -> BTreeMap<String, Row> {
    let text = fs::read_to_string(root().join("docs/ARCHITECTURE.md")).unwrap();
    let quoted = |cell: &str| -> BTreeSet<String> { cell.split('`').skip(1).step_by(2).map(str::to_string).collect() };
    let mut rows = BTreeMap::new();
    let after = text.split_once("## Who may import whom").expect("the import table's heading").1;
    for line in after.lines().take_while(|line| !line.starts_with("## ")).filter(|line| line.starts_with("| `")) {
        let cells: Vec<&str> = line.trim_matches('|').split('|').collect();
        let [modules, imports, crates, ..] = cells[..] else { panic!("a row of the import table is short: {line}") };
        for module in quoted(modules) {
            let row =
                Row { modules: quoted(imports), crates: quoted(crates), everything: imports.contains("everything") };
            assert!(rows.insert(module.clone(), row).is_none(), "the import table has two rows for {module}");
        }
    }
    rows
}

/// The row that a module belongs to: the longest that is a prefix of its path.
fn row_of(module: &[String], table: &BTreeMap<String, Row>) -> Option<String> {
    (1..=module.len()).rev().map(|length| module[..length].join("/")).find(|name| table.contains_key(name))
}

/// The names of `[dependencies]` in the harness's manifest, as code spells them.
fn dependencies() -> BTreeSet<String> {
    let manifest = fs::read_to_string(root().join("harness/Cargo.toml")).unwrap();
    manifest
        .lines()
        .skip_while(|line| *line != "[dependencies]")
        .skip(1)
        .take_while(|line| !line.starts_with('['))
        .filter_map(|line| line.split_once('=').filter(|_| !line.starts_with('#')))
        .map(|(name, _)| name.trim().split('.').next().unwrap().replace('-', "_"))
        .collect()
}

/// Fails with all of the messages, if there are any.
fn report(faults: BTreeSet<String>) {
    assert!(faults.is_empty(), "\n{}\n", faults.into_iter().collect::<Vec<_>>().join("\n"));
}

#[test]
fn modules_import_what_the_architecture_allows() {
    let (table, dependencies, sources) = (table(), dependencies(), sources());
    assert!(table.len() > 10 && dependencies.contains("serde"), "read {table:?} and {dependencies:?}");
    let mut faults = BTreeSet::new();
    let mut seen = BTreeSet::new();
    for source in sources.iter().filter(|source| !source.module.is_empty()) {
        let Some(unit) = row_of(&source.module, &table) else {
            faults.insert(format!("{}: docs/ARCHITECTURE.md has no row for this module", source.name));
            continue;
        };
        let row = &table[&unit];
        seen.insert(unit.clone());
        if row.everything {
            continue;
        }
        for path in crate_paths(source) {
            let Some(imported) = row_of(&path, &table) else { continue };
            if imported != unit && !row.modules.contains(&imported) {
                faults.insert(format!("{}: `{unit}` may not import `{imported}` ({})", source.name, path.join("::")));
            }
        }
        for (at, token) in source.tokens.iter().enumerate() {
            let begins_path = source.tokens.get(at + 1).is_some_and(|next| next == "::")
                && !(at > 0 && source.tokens[at - 1] == "::");
            if begins_path && dependencies.contains(token) && !row.crates.contains(token) {
                faults.insert(format!("{}: `{unit}` may not use the crate `{token}`", source.name));
            }
        }
    }
    faults.extend(
        table.keys().filter(|unit| !seen.contains(*unit)).map(|unit| format!("no module has the row `{unit}`")),
    );
    report(faults);
}

#[test]
fn only_the_command_line_ends_the_process_or_writes_to_the_terminal() {
    let mut faults = BTreeSet::new();
    for source in sources() {
        // A fuzz target has nobody else to tell; a compiler's fatal error outside of any protection ends the process.
        let is_free = source.module.first().is_some_and(|module| module == "bin" || module == "fuzzing")
            || source.module.starts_with(&["path".to_string(), "native".to_string()]);
        for window in source.tokens.windows(3).filter(|_| !is_free) {
            let [first, second, third] = window else { unreachable!() };
            let ends = first == "process" && second == "::" && (third == "exit" || third == "abort");
            let prints = matches!(first.as_str(), "print" | "println" | "eprint" | "eprintln" | "dbg") && second == "!";
            if ends || prints {
                faults.insert(format!("{}: {first}{second}{third}", source.name));
            }
        }
    }
    report(faults);
}

#[test]
fn every_file_says_what_it_is_for_and_holds_one_idea() {
    let mut faults = BTreeSet::new();
    let folders = ["harness/src", "harness/tests", "harness/benches", "fuzz/fuzz_targets"];
    for file in folders.iter().map(|folder| root().join(folder)).filter(|f| f.exists()).flat_map(|f| rust_files(&f)) {
        let text = fs::read_to_string(&file).unwrap();
        let lines = text.lines().count();
        let name = file.strip_prefix(root()).unwrap().display();
        if !text.starts_with("//! ") {
            faults.insert(format!("{name}: begins without a `//!` line that says what it is for"));
        }
        if lines > MOST_LINES {
            faults.insert(format!("{name}: {lines} lines, more than {MOST_LINES}"));
        }
    }
    report(faults);
}

#[test]
fn the_workflows_that_run_are_those_of_ci() {
    let workflows = |folder: &str| -> BTreeMap<_, _> {
        let files = fs::read_dir(root().join(folder)).unwrap().map(|entry| entry.unwrap().path());
        let workflows = files.filter(|file| file.extension().is_some_and(|extension| extension == "yml"));
        workflows.map(|file| (file.file_name().unwrap().to_owned(), fs::read_to_string(file).unwrap())).collect()
    };
    let kept = workflows("ci");
    assert!(!kept.is_empty());
    assert_eq!(kept, workflows(".github/workflows"), "copy ci/*.yml to .github/workflows");
}
