//! Links whose state is in the address: they are built without a network, and nothing is stored anywhere.
//!
//! Compiler Explorer takes base64 of a JSON description behind `/clientstate/` (its `docs/API.md`). Alive2's page is an
//! instance of it, whose links have the state behind `#` in Rison, the notation of its layouts.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::json;

use crate::triage::Triage;

/// What Compiler Explorer's own links leave as it is, in a query or behind `#`.
const KEPT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');

fn encoded(text: &str) -> String {
    utf8_percent_encode(text, KEPT).to_string()
}

/// A page of Compiler Explorer with an LLVM IR text and one of LLVM's tools (`opttrunk`, `llctrunk`).
pub fn compiler_explorer(source: &str, tool: &str, options: &str) -> String {
    let compilers = json!([{"id": tool, "options": options}]);
    let state = json!({"sessions": [{"id": 1, "language": "llvm", "source": source, "compilers": compilers}]});
    format!("https://godbolt.org/clientstate/{}", encoded(&STANDARD.encode(state.to_string())))
}

/// Alive2's page with a text that holds `@src` and `@tgt`: is the second one a refinement of the first?
pub fn alive2(source: &str) -> String {
    let rison = source.replace('!', "!!").replace('\'', "!'");
    let editor = format!(
        "(g:!((h:codeEditor,i:(j:1,lang:llvm,source:'{}'),l:'5',n:'0',o:'',t:'0')),k:50,l:'4',n:'0',o:'',s:0,t:'0')",
        encoded(&rison)
    );
    let compiler = "(g:!((h:compiler,i:(compiler:alive,j:1,lang:llvm,libs:!(),options:'--disable-undef-input',source:1),\
                    l:'5',n:'0',o:'',t:'0')),k:50,l:'4',n:'0',o:'',s:0,t:'0')";
    format!("https://alive2.llvm.org/ce/#g:!((g:!({editor},{compiler}),l:'2',n:'0',o:'',t:'0')),version:4")
}

/// A search of the compiler's tracker for what somebody may have filed before.
pub fn search(compiler: &str, triage: &Triage) -> Option<String> {
    let repository = match compiler {
        "llvm" => "llvm/llvm-project",
        "cranelift" => "bytecodealliance/wasmtime",
        _ => return None,
    };
    let kind = match triage.signature.split('.').next() {
        Some("disagree") => "miscompile OR \"wrong code\" OR \"incorrect result\"",
        Some("invalid") => "verifier",
        Some("crash") => "crash OR panic OR assertion",
        _ => "hang OR \"infinite loop\"",
    };
    let what = triage.pass.as_deref().map(|pass| pass.split(' ').nth(1).unwrap_or(pass)).unwrap_or(
        match triage.stage.as_str() {
            "compile" => "codegen",
            stage => stage,
        },
    );
    let query = format!("is:issue {compiler} {what} {kind}");
    Some(format!("<https://github.com/{repository}/issues?q={}>", encoded(&query)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_state_of_a_link_is_the_text() {
        let link = compiler_explorer("define i64 @f() {\n  ret i64 1 ; ÿ>?\n}\n", "opttrunk", "-passes=gvn");
        let state = link.strip_prefix("https://godbolt.org/clientstate/").unwrap();
        assert!(!state.contains(['/', '+', '=']), "{state}");
        let state = percent_encoding::percent_decode_str(state).decode_utf8().unwrap().into_owned();
        let state: serde_json::Value = serde_json::from_slice(&STANDARD.decode(state).unwrap()).unwrap();
        let session = &state["sessions"][0];
        assert_eq!(session["source"], "define i64 @f() {\n  ret i64 1 ; ÿ>?\n}\n");
        assert_eq!((&session["compilers"][0]["id"], &session["language"]), (&"opttrunk".into(), &"llvm".into()));
    }

    #[test]
    fn quotes_of_a_text_do_not_end_it() {
        let link = alive2("; it's @src!");
        assert!(link.contains("source:'%3B%20it%21%27s%20%40src%21%21'"), "{link}");
        assert!(!link.contains([' ', '\n', '"']), "{link}");
    }
}
