//! The report in a real browser: a finding is clicked, the filter is used, keys are pressed, in the light and in the
//! dark, at a desk's width and at a phone's. Chromium is driven through chromedriver.
//!
//! Screenshots lie in `target/tmp/report` afterwards, to be looked at. Without a browser the tests fail and say what to
//! do; plain `cargo test` does not run them.

mod night;

use std::fs;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use fantoccini::key::Key;
use fantoccini::wd::WebDriverCompatibleCommand;
use fantoccini::{Client, ClientBuilder, Locator};
use hyper_util::client::legacy::connect::HttpConnector;
use serde_json::{Value, json};

const SETUP: &str = "`scripts/setup --browser` installs Chromium and chromedriver";

/// A browser with a page. The driver, and with it the browser, ends with this value.
struct Browser {
    client: Client,
    driver: Driver,
}

struct Driver(Child);

impl Drop for Driver {
    fn drop(&mut self) {
        // It may have ended by itself; there is nothing more to do then.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A command of Chromium's own, beyond WebDriver: what a device looks like, which scheme its user prefers.
#[derive(Debug)]
struct Devtools(&'static str, Value);

impl WebDriverCompatibleCommand for Devtools {
    fn endpoint(&self, base: &url::Url, session: Option<&str>) -> Result<url::Url, url::ParseError> {
        base.join(&format!("session/{}/goog/cdp/execute", session.unwrap_or_default()))
    }

    fn method_and_body(&self, _: &url::Url) -> (http::Method, Option<String>) {
        (http::Method::POST, Some(json!({"cmd": self.0, "params": self.1}).to_string()))
    }
}

impl Browser {
    /// Opens a page in a window of this size.
    async fn open(page: &Path, (width, height): (u32, u32)) -> Browser {
        let mut driver = Command::new("chromedriver")
            .arg("--port=0")
            .stdout(Stdio::piped())
            .spawn()
            .unwrap_or_else(|error| panic!("chromedriver does not start ({error}): {SETUP}"));
        let mut said = BufReader::new(driver.stdout.take().unwrap()).lines();
        let driver = Driver(driver);
        let port = said.by_ref().map_while(Result::ok).find_map(|line| {
            let port = line.split_once("started successfully on port ")?.1;
            port.trim_end_matches('.').parse::<u16>().ok()
        });
        let port = port.expect("chromedriver says its port");
        // What it says later must go somewhere.
        std::thread::spawn(move || said.for_each(drop));
        let arguments =
            ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars"];
        let capabilities = json!({"goog:chromeOptions": {"args": arguments}});
        let client = ClientBuilder::new(HttpConnector::new())
            .capabilities(capabilities.as_object().unwrap().clone())
            .connect(&format!("http://localhost:{port}"))
            .await
            .unwrap_or_else(|error| panic!("Chromium does not start ({error}): {SETUP}"));
        let browser = Browser { client, driver };
        let metrics = json!({"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 500});
        browser.devtools("Emulation.setDeviceMetricsOverride", metrics).await;
        browser.client.goto(&format!("file://{}", page.display())).await.unwrap();
        browser
    }

    async fn devtools(&self, command: &'static str, parameters: Value) {
        self.client.issue_cmd(Devtools(command, parameters)).await.unwrap();
    }

    async fn prefer(&self, scheme: &str) {
        let features = json!([{"name": "prefers-color-scheme", "value": scheme}]);
        self.devtools("Emulation.setEmulatedMedia", json!({"features": features})).await;
    }

    async fn js(&self, script: &str) -> Value {
        self.client.execute(script, Vec::new()).await.unwrap_or_else(|error| panic!("{script}: {error}"))
    }

    async fn click(&self, css: &str) {
        self.client.find(Locator::Css(css)).await.unwrap().click().await.unwrap();
    }

    /// Presses keys where the focus is.
    async fn press(&self, keys: &str) {
        self.client.active_element().await.unwrap().send_keys(keys).await.unwrap();
    }

    /// What of the page is in sight, as a picture.
    async fn screenshot(&self, name: &str) {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("report");
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join(format!("{name}.png")), self.client.screenshot().await.unwrap()).unwrap();
    }

    async fn close(self) {
        self.client.close().await.unwrap();
        drop(self.driver);
    }
}

/// Runs a test to its end.
fn run(test: impl Future<Output = ()>) {
    tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap().block_on(test);
}

/// The id of the finding whose line has the focus.
const FOCUSED: &str = "return document.activeElement.closest('.finding')?.id ?? document.activeElement.id";
/// The findings that are in sight.
const SHOWN: &str = "return [...document.querySelectorAll('.finding:not([hidden])')].map(f => f.id)";

#[test]
fn a_click_opens_a_finding() {
    run(async {
        let folder = night::night();
        let browser = Browser::open(&night::report(folder.path()), (1200, 1400)).await;
        assert_eq!(
            browser.js("return document.querySelectorAll('.body').length").await,
            0,
            "opened before anybody asked"
        );
        browser.click("#finding-1 > summary").await;
        let body = browser.client.wait().for_element(Locator::Css("#finding-1 .body")).await.unwrap();
        let text = body.text().await.unwrap();
        for part in ["To see it again", "Program, minimized", "Outcomes", "Control-flow graphs", "Issue draft"] {
            assert!(text.contains(part), "{part} in\n{text}");
        }
        let graph = browser.js("const g = document.querySelector('.body .cfg rect').getBoundingClientRect(); return g.width * g.height").await;
        assert!(graph.as_f64().unwrap() > 400.0, "{graph}");
        assert_eq!(browser.js("return location.hash").await, "#finding-1");
        browser.screenshot("finding").await;
        // The address leads to the finding again, and copying never fails without a word.
        browser.client.refresh().await.unwrap();
        browser.client.wait().for_element(Locator::Css("#finding-1[open] .body")).await.unwrap();
        browser.click("#finding-1 .copy button").await;
        browser.client.wait().for_element(Locator::XPath("//button[.='Copied' or .='Selected']")).await.unwrap();
        browser.close().await;
    });
}

#[test]
fn the_filter_leaves_what_fits() {
    run(async {
        let folder = night::night();
        night::add_many(folder.path(), 30);
        let browser = Browser::open(&night::report(folder.path()), (1200, 900)).await;
        let shown = async || browser.js(SHOWN).await.as_array().unwrap().len();
        assert_eq!(shown().await, 32);
        let path = browser.client.find(Locator::Css("#filter-path")).await.unwrap();
        path.select_by_value("lab/tac").await.unwrap();
        let (left, said) = (shown().await, browser.js("return document.getElementById('shown').textContent").await);
        assert_eq!((left, said), (1, "1 of 32".into()));
        let fits = "return [...document.querySelectorAll('.finding:not([hidden])')].every(f => f.dataset.paths.split(' ').includes('lab/tac'))";
        assert_eq!(browser.js(fits).await, true);
        browser.screenshot("filtered").await;
        path.select_by_value("").await.unwrap();
        browser.click("#filter-text").await;
        browser.press("COPY 0007").await;
        assert_eq!(shown().await, 1);
        for _ in 0.."COPY 0007".len() {
            browser.press(&Key::Backspace.to_string()).await;
        }
        assert_eq!(shown().await, 32);
        // A path of the table filters too.
        browser.click("table.paths button[data-path='lab/tac']").await;
        assert_eq!(shown().await, left);
        browser.close().await;
    });
}

#[test]
fn the_keyboard_is_enough() {
    run(async {
        let folder = night::night();
        night::add_many(folder.path(), 3);
        let browser = Browser::open(&night::report(folder.path()), (1200, 900)).await;
        browser.press(&Key::Tab.to_string()).await;
        assert_eq!(browser.js("return document.activeElement.className").await, "skip");
        assert_ne!(browser.js("return getComputedStyle(document.activeElement).outlineStyle").await, "none");
        browser.press(&Key::Enter.to_string()).await;
        assert_eq!(browser.js(FOCUSED).await, "findings");
        browser.press("/").await;
        assert_eq!(browser.js(FOCUSED).await, "filter-text");
        browser.js("document.activeElement.blur()").await;
        browser.press(&Key::Down.to_string()).await;
        browser.press(&Key::Down.to_string()).await;
        assert_eq!(browser.js(FOCUSED).await, "finding-2");
        browser.press(&Key::Enter.to_string()).await;
        browser.client.wait().for_element(Locator::Css("#finding-2[open] .body")).await.unwrap();
        browser.press(&Key::Tab.to_string()).await;
        assert_eq!(
            browser.js("return document.activeElement.closest('.body') !== null").await,
            true,
            "Tab leads into it"
        );
        browser.js("document.querySelector('#finding-2 > summary').focus()").await;
        browser.press(&Key::Up.to_string()).await;
        assert_eq!(browser.js(FOCUSED).await, "finding-1");
        browser.close().await;
    });
}

/// The least contrast of any text in sight to what is behind it, with that text.
const CONTRAST: &str = r"
    const parse = (text) => (text.match(/[\d.]+/g) ?? []).map(Number);
    const light = ([r, g, b]) => [r, g, b].map((c) => (c /= 255) <= 0.03928 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
      .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
    const behind = (element) => {
      for (; element; element = element.parentElement) {
        const color = parse(getComputedStyle(element).backgroundColor);
        if (color.length === 3 || color[3] > 0) return color;
      }
      return [255, 255, 255];
    };
    let least = [99, ''];
    for (const element of document.querySelectorAll('body *')) {
      const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
      if (!own || !element.checkVisibility() || element.closest('script, style, option, .skip')) continue;
      const style = getComputedStyle(element);
      const [a, b] = [light(parse(element.closest('svg') ? style.fill : style.color)), light(behind(element))];
      const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
      if (contrast < least[0]) least = [contrast, element.outerHTML.slice(0, 120)];
    }
    return least;";

#[test]
fn text_stands_out_in_the_light_and_in_the_dark() {
    run(async {
        let folder = night::night();
        let browser = Browser::open(&night::report(folder.path()), (1200, 2400)).await;
        for number in [1, 2] {
            browser.click(&format!("#finding-{number} > summary")).await;
        }
        let mut grounds = Vec::new();
        for scheme in ["light", "dark"] {
            browser.prefer(scheme).await;
            grounds.push(browser.js("return getComputedStyle(document.body).backgroundColor").await);
            let least = browser.js(CONTRAST).await;
            assert!(least[0].as_f64().unwrap() >= 4.5, "{scheme}: {least}");
            browser.screenshot(scheme).await;
        }
        assert_ne!(grounds[0], grounds[1]);
        browser.close().await;
    });
}

#[test]
fn a_phone_shows_it_without_scrolling_sideways() {
    run(async {
        let folder = night::night();
        let browser = Browser::open(&night::report(folder.path()), (360, 1600)).await;
        browser.screenshot("phone").await;
        browser.click("#finding-1 > summary").await;
        browser.client.wait().for_element(Locator::Css("#finding-1 .body")).await.unwrap();
        let wide = "return [...document.querySelectorAll('body *')].filter(e => e.checkVisibility() && !e.closest('.scroll, .skip, pre, .defs')
            && e.getBoundingClientRect().right > 361).map(e => e.outerHTML.slice(0, 80))";
        assert_eq!(browser.js(wide).await, json!([]));
        assert_eq!(browser.js("return document.documentElement.scrollWidth").await, 360);
        let small =
            "return [...document.querySelectorAll('button, input, select, summary')].filter(e => e.checkVisibility()
            && e.getBoundingClientRect().height < 24).map(e => e.outerHTML.slice(0, 80))";
        assert_eq!(browser.js(small).await, json!([]), "too small for a thumb");
        browser.js("document.querySelector('#finding-1').scrollIntoView()").await;
        browser.screenshot("phone-finding").await;
        browser.close().await;
    });
}

#[test]
fn a_thousand_findings_can_be_used_and_none_of_them_runs_anything() {
    run(async {
        let folder = night::night();
        night::add_many(folder.path(), 1000);
        night::add_hostile(folder.path());
        let browser = Browser::open(&night::report(folder.path()), (1200, 900)).await;
        let elements = browser.js("return document.querySelectorAll('*').length").await;
        assert!(elements.as_u64().unwrap() < 15_000, "{elements}");
        browser.client.find(Locator::Css("#filter-text")).await.unwrap().send_keys("harmed").await.unwrap();
        let shown = browser.js(SHOWN).await;
        let [hostile] = &shown.as_array().unwrap()[..] else { panic!("{shown}") };
        browser.click(&format!("#{} > summary", hostile.as_str().unwrap())).await;
        let body = browser.client.wait().for_element(Locator::Css(".body")).await.unwrap();
        assert!(body.text().await.unwrap().contains("<img src=x onerror=window.harmed=2>"), "it is shown as text");
        browser.js("document.querySelectorAll('.body details').forEach(d => d.open = true)").await;
        assert_eq!(browser.js("return [window.harmed ?? null, document.images.length]").await, json!([null, 0]));
        assert_eq!(
            browser.js("return performance.getEntriesByType('resource').length").await,
            0,
            "it fetches something"
        );
        browser.screenshot("hostile").await;
        browser.close().await;
    });
}
