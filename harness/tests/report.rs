//! `roundtrip report` without a browser: what the page holds, parsed as a browser parses it.

mod night;

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use scraper::{Html, Selector};

fn page(folder: &Path) -> (String, Html) {
    let text = fs::read_to_string(night::report(folder)).unwrap();
    let html = Html::parse_document(&text);
    (text, html)
}

fn count(html: &Html, selector: &str) -> usize {
    html.select(&Selector::parse(selector).unwrap()).count()
}

/// The texts of all that a selector finds.
fn texts(html: &Html, selector: &str) -> Vec<String> {
    html.select(&Selector::parse(selector).unwrap()).map(|element| element.text().collect()).collect()
}

/// The bodies of the findings, as the page's script inserts them.
fn bodies(html: &Html) -> Vec<Html> {
    texts(html, "details.finding > script").iter().map(|body| Html::parse_fragment(body)).collect()
}

#[test]
fn a_night_is_shown_with_all_that_belongs_to_a_finding() {
    let folder = night::night();
    let (text, html) = page(folder.path());
    assert!(html.errors.is_empty(), "the page is not well formed: {:?}", html.errors);
    for (selector, number) in [
        ("h1", 1),
        ("header", 1),
        ("nav", 1),
        ("main", 1),
        ("details.finding", 2),
        ("details.run", 1),
        ("figure.chart > svg[role=img][aria-label]", 2),
        ("table.paths tbody tr", 2),
        (".troubles[role=alert]", 1),
    ] {
        assert_eq!(count(&html, selector), number, "{selector} in\n{text}");
    }
    assert!(texts(&html, ".troubles").join("").contains("lab/tac executed nothing"));
    let summaries = texts(&html, "details.finding > summary");
    assert!(summaries[0].contains("high, triaged") && !summaries[1].contains("triaged"), "{summaries:?}");
    for (body, selector) in bodies(&html)
        .iter()
        .flat_map(|body| ["pre.command", "pre.program", "svg.cfg rect", "dl.toolchains"].map(|s| (body, s)))
    {
        assert!(count(body, selector) > 0, "{selector} in\n{}", body.html());
    }
    let sure = &bodies(&html)[0];
    assert!(count(sure, "table.diff tr.differs td.code") > 1, "{}", sure.html());
    assert!(texts(sure, "pre.command")[0].contains("roundtrip check min.tiny --paths 'tiny/eval,"), "{}", sure.html());
    assert_eq!(texts(sure, "dl.facts dd"), ["tac", "it alone", "construct", "all of them", "each run shows it"]);
    assert!(texts(sure, "pre.draft")[0].contains("for a person to file"));
    let outcomes =
        bodies(&html).iter().flat_map(|body| texts(body, "table.outcomes tr")).collect::<Vec<_>>().join("\n");
    assert!(outcomes.contains("✓ right") && outcomes.contains("✗ wrong"), "{outcomes}");
}

#[test]
fn the_page_needs_no_network_and_names_are_unique() {
    let folder = night::night();
    night::add_many(folder.path(), 3);
    let (text, html) = page(folder.path());
    assert_eq!(count(&html, "link, iframe, object, embed, img, script[src]"), 0);
    assert!(!text.contains("url(http") && !text.contains("@import"), "{text}");
    let policy = html.select(&Selector::parse("meta[http-equiv=Content-Security-Policy]").unwrap()).next().unwrap();
    assert!(policy.attr("content").unwrap().starts_with("default-src 'none'"));
    let ids: Vec<&str> =
        html.select(&Selector::parse("[id]").unwrap()).map(|element| element.attr("id").unwrap()).collect();
    assert_eq!(ids.iter().collect::<BTreeSet<_>>().len(), ids.len(), "{ids:?}");
    for anchor in html.select(&Selector::parse("a").unwrap()).map(|a| a.attr("href").unwrap()) {
        assert!(ids.contains(&anchor.strip_prefix('#').unwrap_or("")), "{anchor} leads nowhere");
    }
    assert_eq!(
        count(&html, "label > input, label > select"),
        count(&html, "input, select"),
        "a control without a label"
    );
}

#[test]
fn text_of_programs_and_compilers_is_never_markup() {
    let folder = night::night();
    night::add_hostile(folder.path());
    let (text, html) = page(folder.path());
    let clean = |html: &Html| {
        assert_eq!(count(html, "img"), 0, "{}", html.html());
        for attribute in ["onerror", "onclick", "onload"] {
            assert_eq!(count(html, &format!("[{attribute}]")), 0);
        }
    };
    clean(&html);
    let script = Selector::parse("script").unwrap();
    let scripts = html.select(&script);
    let kinds: Vec<_> = scripts.map(|script| script.attr("type").or(script.attr("nonce"))).collect();
    assert_eq!(kinds, [Some("text/html"), Some("text/html"), Some("text/html"), Some("page")], "{text}");
    assert_eq!(text.matches("</script>").count(), kinds.len());
    for body in bodies(&html) {
        clean(&body);
        assert_eq!(count(&body, "script"), 0);
    }
    // It is all there to be read.
    let hostile = bodies(&html).iter().map(|body| texts(body, "pre").join("\n")).find(|text| text.contains("harmed"));
    assert!(hostile.unwrap().matches(night::HOSTILE).count() >= 5);
}

#[test]
fn a_thousand_findings_stay_text_until_somebody_opens_one() {
    let folder = night::night();
    night::add_many(folder.path(), 1000);
    let (text, html) = page(folder.path());
    assert_eq!(count(&html, "details.finding"), 1002);
    let elements = count(&html, "*");
    assert!(elements < 15_000 && text.len() < 64 << 20, "{elements} elements, {} bytes", text.len());
    assert_eq!(texts(&html, "#shown"), ["1002 of 1002"]);
}

#[test]
fn nothing_or_half_of_it_is_a_page_too() {
    let folder = tempfile::tempdir().unwrap();
    let html = page(folder.path()).1;
    assert!(texts(&html, "main").join("").contains("No finding lies here."));
    night::write_log(&folder.path().join("killed.jsonl"), false);
    let findings = folder.path().join("findings/half");
    fs::create_dir_all(&findings).unwrap();
    fs::write(findings.join("finding.json"), "{\"signature\": \"tor").unwrap();
    let html = page(folder.path()).1;
    let troubles = texts(&html, ".troubles").join("");
    assert!(troubles.contains("killed.jsonl (seed 7) has no end"), "{troubles}");
    assert!(troubles.contains("half/finding.json"), "{troubles}");
    assert_eq!(count(&html, "details.finding"), 1);
}

#[test]
fn a_folder_that_is_none_is_an_error() {
    let output = Command::new(env!("CARGO_BIN_EXE_roundtrip")).args(["report", "nowhere", "--html", "x.html"]).output();
    let output = output.unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.code() == Some(2) && said.contains("nowhere is no folder"), "{said}");
    assert!(!Path::new("x.html").exists());
}
