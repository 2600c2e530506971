//! Charts of a run over time, drawn by `plotters` as SVG. The style sheet gives text and axes the page's colours; the
//! lines' colours are chosen to be seen on light and on dark.

use maud::{Markup, PreEscaped, html};
use plotters::coord::ranged1d::ValueFormatter;
use plotters::coord::types::RangedCoordf64;
use plotters::prelude::*;

/// The size in pixels; narrow, so that the text can still be read where a phone shrinks it.
const SIZE: (u32, u32) = (480, 270);
/// More points than this can't be told apart.
const MOST_POINTS: usize = 240;

/// One line of a chart.
pub struct Series {
    /// Its name, for the legend.
    pub name: String,
    /// Its colour.
    pub color: RGBColor,
    /// Seconds and values.
    pub points: Vec<(f64, f64)>,
}

/// How a chart's vertical axis goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// From 0 on.
    Linear,
    /// By powers of ten from 1 on: a handful beside a million is still seen. A 0 has no place and is left out.
    Logarithmic,
}

/// A chart with its legend; nothing if no series has two points.
pub fn chart(title: &str, scale: Scale, mut series: Vec<Series>) -> Markup {
    for series in &mut series {
        series.points.retain(|(_, value)| scale == Scale::Linear || *value > 0.0);
        thin(&mut series.points);
    }
    series.retain(|series| series.points.len() > 1);
    if series.is_empty() {
        return Markup::default();
    }
    let Ok(svg) = draw(scale, &series) else { return Markup::default() };
    // The crate's text begins with `<svg `; what it means is for people who don't see it.
    let described = svg.replacen("<svg ", &format!("<svg role=\"img\" aria-label=\"{title}\" "), 1);
    html! {
        figure.chart {
            figcaption {
                (title)
                @for series in &series {
                    span.key { span.swatch style={ "background:" (css(series.color)) } {} (series.name) }
                }
            }
            (PreEscaped(described))
        }
    }
}

fn css(RGBColor(red, green, blue): RGBColor) -> String {
    format!("#{red:02x}{green:02x}{blue:02x}")
}

/// Leaves out points evenly, and keeps the last.
fn thin(points: &mut Vec<(f64, f64)>) {
    let step = points.len().div_ceil(MOST_POINTS).max(1);
    let last = points.len().saturating_sub(1);
    let mut index = 0;
    points.retain(|_| {
        index += 1;
        (index - 1) % step == 0 || index - 1 == last
    });
}

type Drawn = Result<String, Box<dyn std::error::Error>>;

fn draw(scale: Scale, series: &[Series]) -> Drawn {
    let points = || series.iter().flat_map(|series| &series.points);
    let (second, unit) = unit(points().map(|point| point.0).fold(1.0, f64::max));
    let end = points().map(|point| point.0 / second).fold(0.0, f64::max);
    let most = points().map(|point| point.1).fold(1.0, f64::max);
    let mut svg = String::new();
    {
        let root = SVGBackend::with_string(&mut svg, SIZE).into_drawing_area();
        let mut builder = ChartBuilder::on(&root);
        builder.margin(6).margin_right(16).x_label_area_size(34).y_label_area_size(62);
        match scale {
            Scale::Linear => lines(builder.build_cartesian_2d(0.0..end, 0.0..most * 1.08)?, series, (second, unit))?,
            Scale::Logarithmic => {
                lines(
                    builder.build_cartesian_2d(0.0..end, (0.8..(most * 1.6).max(10.0)).log_scale())?,
                    series,
                    (second, unit),
                )?;
            }
        }
        root.present()?;
    }
    Ok(svg)
}

/// The grid and the lines, with seconds in this unit.
fn lines<'a, Y>(
    mut chart: ChartContext<'a, SVGBackend<'a>, Cartesian2d<RangedCoordf64, Y>>,
    series: &[Series],
    (second, unit): (f64, &str),
) -> Result<(), Box<dyn std::error::Error>>
where
    Y: Ranged<ValueType = f64> + ValueFormatter<f64>,
{
    chart
        .configure_mesh()
        .light_line_style(TRANSPARENT)
        .bold_line_style(RGBColor(128, 128, 128).mix(0.25))
        .axis_style(RGBColor(128, 128, 128))
        .label_style(("sans-serif", 14))
        .x_labels(6)
        .y_labels(5)
        .x_desc(unit)
        .x_label_formatter(&|time| short(*time))
        .y_label_formatter(&|value| short(*value))
        .draw()?;
    for Series { color, points, .. } in series {
        chart.draw_series(LineSeries::new(
            points.iter().map(|(seconds, value)| (seconds / second, *value)),
            color.stroke_width(2),
        ))?;
    }
    Ok(())
}

/// The unit that suits a span of seconds: how many seconds it has, and its name.
fn unit(end: f64) -> (f64, &'static str) {
    match end {
        end if end < 180.0 => (1.0, "seconds"),
        end if end < 3.0 * 3600.0 => (60.0, "minutes"),
        _ => (3600.0, "hours"),
    }
}

/// A number in few characters: `250`, `1.5k`, `2M`.
pub fn short(value: f64) -> String {
    let (value, suffix) = match value {
        value if value >= 1e9 => (value / 1e9, "G"),
        value if value >= 1e6 => (value / 1e6, "M"),
        value if value >= 1e4 => (value / 1e3, "k"),
        value => (value, ""),
    };
    let text = format!("{value:.1}");
    format!("{}{suffix}", text.strip_suffix(".0").unwrap_or(&text))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn series(points: Vec<(f64, f64)>) -> Series {
        Series { name: "agree & more".into(), color: BLUE, points }
    }

    #[test]
    fn a_chart_has_its_lines_and_says_what_it_is() {
        let points = (0..2000).map(|at| (f64::from(at), f64::from(at * at)));
        for scale in [Scale::Linear, Scale::Logarithmic] {
            let svg = chart("Verdicts over time", scale, vec![series(points.clone().collect())]).into_string();
            assert!(svg.contains("role=\"img\" aria-label=\"Verdicts over time\""), "{svg}");
            assert!(svg.contains("agree &amp; more") && svg.contains("minutes"), "{svg}");
            assert!(svg.matches("<polyline").count() >= 1 && svg.len() < 20_000, "{} bytes", svg.len());
            assert!(!svg.contains("NaN"), "{svg}");
        }
    }

    #[test]
    fn what_has_no_extent_is_not_drawn() {
        for points in [vec![], vec![(1.0, 1.0)]] {
            assert_eq!(chart("x", Scale::Linear, vec![series(points)]).into_string(), "");
        }
        // Nothing but zeros has no place on a logarithmic axis.
        assert_eq!(chart("x", Scale::Logarithmic, vec![series(vec![(0.0, 0.0), (1.0, 0.0)])]).into_string(), "");
    }

    #[test]
    fn thinning_keeps_both_ends() {
        let mut points: Vec<_> = (0..1001).map(|at| (f64::from(at), 0.0)).collect();
        thin(&mut points);
        assert!(points.len() <= MOST_POINTS + 1, "{}", points.len());
        assert_eq!((points[0].0, points[points.len() - 1].0), (0.0, 1000.0));
    }

    #[test]
    fn numbers_are_short() {
        let shown = [0.0, 7.5, 9999.0, 15_000.0, 2e6, 3.2e9].map(short);
        assert_eq!(shown, ["0", "7.5", "9999", "15k", "2M", "3.2G"]);
    }
}
