//! The runs of a night: what each did, whether it ended, and its charts.

use std::path::Path;
use std::time::{Duration, SystemTime};

use maud::{Markup, html};
use plotters::style::RGBColor;

use super::chart::{Scale, Series, chart, short};
use crate::record::run_log::{End, Event, Limit, Line, Log, Start, Totals, Verdicts};

/// Runs whose charts are open when the page is.
const OPEN: usize = 4;

/// A run as its log tells it.
pub struct Ran<'a> {
    /// The log's file, below the folder of the report.
    pub file: String,
    /// What it was to do.
    pub start: &'a Start,
    /// When it began, in seconds since 1970.
    pub began: u64,
    /// When its log was last written to.
    pub last: u64,
    /// The totals on the way.
    progress: Vec<&'a Totals>,
    /// The last totals that there are.
    pub totals: Totals,
    /// How it ended, if it did in good order.
    pub end: Option<&'a End>,
    /// Findings of signatures that the run saw for the first time.
    pub findings: usize,
}

/// The runs of all logs, in the order of their beginning.
pub fn ran<'a>(logs: &'a [(std::path::PathBuf, Log)], folder: &Path) -> Vec<Ran<'a>> {
    let mut runs: Vec<Ran> = Vec::new();
    for (file, log) in logs {
        let file = file.strip_prefix(folder).unwrap_or(file).display().to_string();
        runs.extend(log.runs().into_iter().filter_map(|lines| Ran::of(file.clone(), lines)));
    }
    runs.sort_by(|a, b| (a.began, &a.file).cmp(&(b.began, &b.file)));
    runs
}

impl<'a> Ran<'a> {
    fn of(file: String, lines: &'a [Line]) -> Option<Ran<'a>> {
        let [Line { event: Event::Start(start), time }, ..] = lines else { return None };
        let last = lines.last().map_or(*time, |line| line.time);
        let mut ran = Ran {
            file,
            start,
            began: *time,
            last,
            progress: Vec::new(),
            totals: Totals::default(),
            end: None,
            findings: 0,
        };
        for line in lines {
            match &line.event {
                Event::Start(_) | Event::Part(_) => {}
                Event::Progress(totals) => ran.progress.push(totals),
                Event::Finding(_) => ran.findings += 1,
                Event::End(end) => ran.end = Some(end),
            }
        }
        ran.progress.extend(ran.end.map(|end| &end.totals));
        ran.totals = ran.progress.last().map(|totals| (*totals).clone()).unwrap_or_default();
        Some(ran)
    }

    /// What is wrong with the run itself: a sentence each.
    pub fn troubles(&self) -> Vec<String> {
        let name = format!("{} (seed {})", self.file, self.start.seed);
        match self.end {
            None => vec![format!("{name} has no end: killed, or still running. Last heard of {}.", date(self.last))],
            Some(end) => end.shortfalls.iter().map(|shortfall| format!("{name}: {shortfall}")).collect(),
        }
    }

    fn state(&self) -> String {
        self.end.map_or_else(|| "no end".into(), |end| format!("exit status {}", end.exit))
    }
}

/// `2026-11-30 07:28 UTC`
pub fn date(seconds: u64) -> String {
    let time = SystemTime::UNIX_EPOCH + Duration::from_secs(seconds.min(250_000_000_000));
    let text = humantime::format_rfc3339_seconds(time).to_string();
    format!("{} {} UTC", &text[..10], &text[11..16])
}

/// `2h 3m 4s`
pub fn duration(seconds: f64) -> String {
    let whole = Duration::from_secs(seconds.clamp(0.0, 1e12).round() as u64);
    humantime::format_duration(whole).to_string()
}

/// The section of the runs.
pub fn section(runs: &[Ran]) -> Markup {
    html! {
        section aria-labelledby="runs" {
            h2 #runs { "Runs" }
            @if runs.is_empty() { p.note { "No run log lies here. " code { "roundtrip fuzz --log FILE.jsonl" } " writes one." } }
            @for (index, ran) in runs.iter().enumerate() { (run(ran, index < OPEN)) }
        }
    }
}

fn run(ran: &Ran, is_open: bool) -> Markup {
    let (start, totals) = (ran.start, &ran.totals);
    let rate = if totals.seconds > 0.0 { totals.programs as f64 / totals.seconds } else { 0.0 };
    let limit = match start.limit {
        Limit::Programs(programs) => format!("{programs} programs"),
        Limit::Seconds(seconds) => duration(seconds),
    };
    html! {
        details.run open[is_open] {
            summary {
                strong { (ran.file) }
                " " (totals.programs) " programs, " (ran.findings) " findings"
                span.state.bad[ran.end.is_none_or(|end| end.exit != 0)] { (ran.state()) }
            }
            dl.facts {
                div { dt { "seed" } dd { (start.seed) ", from program " (start.from) } }
                div { dt { "language" } dd { (start.form.extension()) } }
                div { dt { "limit" } dd { (limit) } }
                div { dt { "began" } dd { (date(ran.began)) } }
                div { dt { "took" } dd { (duration(totals.seconds)) " with " (start.jobs) " at once" } }
                div { dt { "throughput" } dd { (short(rate)) " programs/s" } }
                div { dt { "worker deaths" } dd { (totals.deaths) } }
                div { dt { "roundtrip" } dd { (start.roundtrip) } }
            }
            (verdicts(&totals.verdicts))
            div.charts {
                (chart("Verdicts over time, cumulative", Scale::Logarithmic, over_time(&ran.progress)))
                (chart("Throughput over time, programs/s", Scale::Linear, vec![throughput(&ran.progress)]))
            }
        }
    }
}

/// The numbers of programs by verdict; verdicts that no program came to are left out.
pub fn verdicts(verdicts: &Verdicts) -> Markup {
    html! {
        ul.verdicts {
            @for (name, programs) in verdicts.rows().into_iter().filter(|(_, programs)| *programs > 0) {
                li class={ "verdict " (name) } { (name) " " strong { (programs) } }
            }
        }
    }
}

/// The verdicts' colours, as the style sheet has them too.
fn color(verdict: &str) -> RGBColor {
    match verdict {
        "agree" => RGBColor(0x2e, 0x9e, 0x5b),
        "disagree" => RGBColor(0xd6, 0x45, 0x45),
        "invalid" => RGBColor(0xc2, 0x6a, 0x1b),
        "crash" => RGBColor(0xa0, 0x4f, 0xd1),
        "hang" => RGBColor(0x3b, 0x82, 0xd6),
        _ => RGBColor(0x88, 0x88, 0x88),
    }
}

fn over_time(progress: &[&Totals]) -> Vec<Series> {
    let series = |(at, (name, _)): (usize, (&'static str, u64))| Series {
        name: name.into(),
        color: color(name),
        points: progress.iter().map(|totals| (totals.seconds, totals.verdicts.rows()[at].1 as f64)).collect(),
    };
    Verdicts::default().rows().into_iter().enumerate().map(series).collect()
}

/// Programs a second between one line of the log and the next.
fn throughput(progress: &[&Totals]) -> Series {
    let rate = |pair: &[&Totals]| {
        let seconds = pair[1].seconds - pair[0].seconds;
        (seconds > 0.0).then(|| (pair[1].seconds, pair[1].programs.saturating_sub(pair[0].programs) as f64 / seconds))
    };
    let points = progress.windows(2).filter_map(rate).collect();
    Series { name: "programs/s".into(), color: RGBColor(0x3b, 0x82, 0xd6), points }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::Form;

    fn line(time: u64, event: Event) -> Line {
        Line { event, time }
    }

    fn start() -> Event {
        Event::Start(Start {
            roundtrip: "0.1.0".into(),
            seed: 7,
            from: 0,
            form: Form::Tac,
            jobs: 2,
            limit: Limit::Seconds(7200.0),
            paths: Vec::new(),
        })
    }

    fn totals(programs: u64, seconds: f64) -> Totals {
        let verdicts = Verdicts { agree: programs, ..Verdicts::default() };
        Totals { programs, seconds, verdicts, ..Totals::default() }
    }

    #[test]
    fn a_killed_run_has_the_last_totals_that_it_wrote_and_is_called_so() {
        let end = Event::End(End { totals: totals(900, 40.0), shortfalls: vec!["too few".into()], exit: 3 });
        let lines = vec![
            line(100, start()),
            line(110, Event::Progress(totals(100, 10.0))),
            line(120, Event::Progress(totals(400, 20.0))),
            line(200, start()),
            line(240, end),
        ];
        let logs = [(Path::new("/d/n/fuzz.jsonl").to_path_buf(), Log { lines, unreadable: 0 })];
        let runs = ran(&logs, Path::new("/d"));
        assert_eq!(runs.iter().map(|run| run.totals.programs).collect::<Vec<_>>(), [400, 900]);
        assert!(runs[0].troubles()[0].starts_with("n/fuzz.jsonl (seed 7) has no end: killed, or still running."));
        assert_eq!(runs[1].troubles(), ["n/fuzz.jsonl (seed 7): too few"]);
        assert_eq!(throughput(&runs[0].progress).points, [(20.0, 30.0)]);
        let page = section(&runs).into_string();
        assert!(page.contains("no end") && page.contains("exit status 3") && page.contains("2h"), "{page}");
        assert_eq!(page.matches("<svg").count(), 1, "one run has two totals, the other none to connect");
    }

    #[test]
    fn times_are_for_people() {
        assert_eq!(date(1_796_023_680), "2026-11-30 07:28 UTC");
        assert_eq!(duration(7384.2), "2h 3m 4s");
        // What a broken log may say.
        date(u64::MAX);
        duration(f64::NAN);
    }
}
