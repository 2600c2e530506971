//! Known bugs of released compilers: a program each, whose comments say which versions are wrong.
//!
//! ```text
//! # wrong: llvm 13..=19 phi:loop(indvars)
//! # right: llvm phi-O2 phi-O3
//! # source: https://github.com/llvm/llvm-project/issues/126012
//! # pass: indvars
//! ```
//!
//! A program that shows known bugs beside other things, anywhere in a corpus, says so in the same words.
//!
//! `wrong` names a compiler, the versions, and the variants of paths that show the bug; all other versions must be
//! right on these variants. `right` names variants that must be right on its versions, all of them if it names none.
//! Versions are ranges, `13..=19`, `20..`, `..=12`, `14`, several joined by commas; a range's end includes what only
//! goes on with it: 19.1.7 is in `..=19`. `pass` names LLVM's pass that is wrong: where a path runs pass by pass,
//! `steps-`, and is wrong, it must say so.

use crate::syntax::SyntaxError;

/// What a file says of a bug.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KnownBug {
    /// Where it was reported.
    pub source: Option<String>,
    /// The pass that is wrong.
    pub pass: Option<String>,
    /// Who is wrong and who is right, in the order of the file.
    pub claims: Vec<Claim>,
}

/// A line that says who is wrong or right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Claim {
    /// Whether the versions are wrong.
    pub wrong: bool,
    /// The compiler.
    pub compiler: String,
    /// Its versions.
    pub versions: Vec<Range>,
    /// The variants of its paths.
    pub variants: Vec<String>,
}

/// Versions from one to another, both included.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Range {
    first: Option<Vec<u64>>,
    last: Option<Vec<u64>>,
}

impl KnownBug {
    /// Reads the claims in a program's comments. At least one must say that somebody is wrong.
    pub fn parse(text: &str) -> Result<KnownBug, SyntaxError> {
        let mut bug = KnownBug::default();
        let mut begin = 0;
        for line in text.split_inclusive('\n') {
            let span = begin..begin + line.trim_end().len();
            begin += line.len();
            let Some((key, rest)) = line.trim().strip_prefix('#').and_then(|comment| comment.split_once(':')) else {
                continue;
            };
            match key.trim() {
                "source" => bug.source = Some(rest.trim().to_string()),
                "pass" => bug.pass = Some(rest.trim().to_string()),
                key @ ("wrong" | "right") => {
                    let claim = Claim::parse(key == "wrong", rest).map_err(|message| {
                        SyntaxError::new(span, message).with_help("a claim looks like `# wrong: llvm 13..=19 phi-O2`")
                    })?;
                    bug.claims.push(claim);
                }
                _ => {}
            }
        }
        if bug.claims.iter().any(|claim| claim.wrong) {
            Ok(bug)
        } else {
            let end = text.find('\n').unwrap_or(text.len());
            Err(SyntaxError::new(0..end, "nothing says which compiler is wrong")
                .with_help("add a comment like `# wrong: llvm 13..=19 phi-O2`"))
        }
    }

    /// Whether a path must be wrong; `None` if the file says nothing of it.
    pub fn expects_wrong(&self, compiler: &str, version: &str, variant: &str) -> Option<bool> {
        let named = |claim: &&Claim| claim.compiler == compiler && claim.variants.iter().any(|known| known == variant);
        let mut claims = self.claims.iter().filter(named).peekable();
        claims.peek()?;
        Some(claims.any(|claim| claim.wrong && claim.contains(version)))
    }
}

impl Claim {
    fn parse(wrong: bool, text: &str) -> Result<Claim, String> {
        let mut words = text.split_whitespace().peekable();
        let compiler = words.next().ok_or("a claim names a compiler")?.to_string();
        let mut versions = Vec::new();
        if let Some(word) = words.next_if(|word| word.starts_with(|c: char| c.is_ascii_digit() || c == '.')) {
            versions = word.split(',').map(Range::parse).collect::<Result<_, _>>()?;
        } else if wrong {
            return Err(format!("which versions of {compiler} are wrong?"));
        }
        let variants: Vec<String> = words.map(str::to_string).collect();
        if variants.is_empty() {
            Err("a claim names variants of paths".into())
        } else {
            Ok(Claim { wrong, compiler, versions, variants })
        }
    }

    /// Whether a version is one of its versions.
    pub fn contains(&self, version: &str) -> bool {
        self.versions.is_empty() || self.versions.iter().any(|range| range.contains(version))
    }

    /// The versions that its closed ranges count up to, as far as they are written: 0.122, 0.123, ..
    pub fn counted(&self) -> Vec<String> {
        self.versions.iter().flat_map(Range::counted).collect()
    }
}

impl Range {
    fn parse(text: &str) -> Result<Range, String> {
        let numbers = |text: &str| -> Result<Option<Vec<u64>>, String> {
            let numbers = |text: &str| text.split('.').map(|part| part.parse().ok()).collect::<Option<Vec<u64>>>();
            if text.is_empty() { Ok(None) } else { numbers(text).map(Some).ok_or(format!("{text} is no version")) }
        };
        let (first, last) = match text.split_once("..") {
            None => (text, text),
            Some((first, "")) => (first, ""),
            Some((first, last)) => {
                (first, last.strip_prefix('=').ok_or(format!("a range is written A..=B, not {text}"))?)
            }
        };
        Ok(Range { first: numbers(first)?, last: numbers(last)? })
    }

    fn contains(&self, version: &str) -> bool {
        let version = numbers(version);
        let begins = |bound: &Vec<u64>| version[..bound.len().min(version.len())] <= bound[..];
        self.first.as_ref().is_none_or(|first| version[..] >= first[..]) && self.last.as_ref().is_none_or(begins)
    }

    fn counted(&self) -> Vec<String> {
        let (Some(first), Some(last)) = (&self.first, &self.last) else { return Vec::new() };
        let ((Some(from), beginning), (Some(to), same)) = (ending(first), ending(last)) else { return Vec::new() };
        if beginning != same {
            return Vec::new();
        }
        let text = |last: u64| beginning.iter().chain([&last]).map(u64::to_string).collect::<Vec<_>>().join(".");
        (from..=to).map(text).collect()
    }
}

/// A version's numbers, by which versions are in order.
pub fn numbers(version: &str) -> Vec<u64> {
    version.split('.').map_while(|part| part.parse().ok()).collect()
}

/// A version's last number, and those before it.
fn ending(version: &[u64]) -> (Option<u64>, &[u64]) {
    match version.split_last() {
        Some((last, beginning)) => (Some(*last), beginning),
        None => (None, &[]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "# LLVM: a story.\n# source: llvm 126012\n# pass: gvn\n# wrong: llvm 13..=15,17..=19 phi:gvn alloca-O2\n\
                        # right: llvm ..=19 phi-O0\n# run: => return 1\nreturn 1";

    #[test]
    fn claims_are_read() {
        let bug = KnownBug::parse(TEXT).unwrap();
        assert_eq!((bug.source.as_deref(), bug.pass.as_deref()), (Some("llvm 126012"), Some("gvn")));
        for (version, wrong) in
            [("12.0.1", false), ("13.0.1", true), ("16.0.6", false), ("19.1.7", true), ("20.1.8", false)]
        {
            assert_eq!(bug.expects_wrong("llvm", version, "phi:gvn"), Some(wrong), "{version}");
            assert_eq!(bug.expects_wrong("llvm", version, "alloca-O2"), Some(wrong), "{version}");
            assert_eq!(bug.expects_wrong("llvm", version, "phi-O0"), Some(false), "{version}");
        }
        assert_eq!(bug.expects_wrong("llvm", "14.0.6", "phi-O3"), None);
        assert_eq!(bug.expects_wrong("cranelift", "14.0.6", "phi-O0"), None);
        assert_eq!(bug.claims[0].counted(), ["13", "14", "15", "17", "18", "19"]);
    }

    #[test]
    fn a_range_goes_as_far_as_its_ends_say() {
        for (range, inside, outside) in [
            ("0.122..=0.125", &["0.122.0", "0.125.4"][..], &["0.121.9", "0.126.0", "0.12.5"][..]),
            ("20..", &["20.1.8", "123.0.0"], &["19.1.7"]),
            ("..=0.92", &["0.74.0", "0.92.1"], &["0.93.0"]),
            ("14", &["14.0.6"], &["15.0.6", "13.0.1"]),
            ("14.0.6", &["14.0.6"], &["14.0.5", "14.0.7"]),
        ] {
            let parsed = Range::parse(range).unwrap();
            assert!(inside.iter().all(|version| parsed.contains(version)), "{range}");
            assert!(!outside.iter().any(|version| parsed.contains(version)), "{range}");
        }
        assert_eq!(Range::parse("0.122..=0.124").unwrap().counted(), ["0.122", "0.123", "0.124"]);
    }

    #[test]
    fn what_is_no_claim_is_an_error_with_its_place() {
        for (text, line, message) in [
            ("return 1", 1, "nothing says"),
            ("# right: llvm phi-O0\nreturn 1", 1, "nothing says"),
            ("\n# wrong: llvm phi-O0\nreturn 1", 2, "which versions"),
            ("# wrong: llvm 14\nreturn 1", 1, "names variants"),
            ("# wrong: llvm 1x phi-O0", 1, "1x is no version"),
            ("# wrong: llvm 1..4 phi-O0", 1, "A..=B"),
            ("# wrong:", 1, "names a compiler"),
        ] {
            let error = KnownBug::parse(text).unwrap_err();
            assert!(error.message.contains(message), "{text}: {error}");
            assert_eq!(error.line_column(text).0, line, "{text}");
        }
    }
}
