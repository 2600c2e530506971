// What the page does: finds open when somebody wants them, a filter, keys, copying. Everything else is in the HTML.
"use strict";

const list = document.getElementById("list");
const findings = list ? [...list.children] : [];
const inputs = ["text", "path", "verdict", "confidence"].map((name) => document.getElementById("filter-" + name));

// A finding's body is text until it is opened for the first time. The server has escaped all that is not ours.
function fill(finding) {
  const body = finding.querySelector(":scope > script");
  if (!body) return;
  const content = document.createElement("div");
  content.className = "body";
  content.innerHTML = body.textContent;
  body.replaceWith(content);
}

function filter() {
  const [text, path, verdict, confidence] = inputs.map((input) => input.value);
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  let shown = 0;
  for (const finding of findings) {
    const said = finding.firstElementChild.textContent.toLowerCase();
    const fits =
      words.every((word) => said.includes(word)) &&
      (!path || finding.dataset.paths.split(" ").includes(path)) &&
      (!verdict || finding.dataset.verdict === verdict) &&
      (!confidence || finding.dataset.confidence === confidence);
    finding.hidden = !fits;
    shown += fits;
  }
  document.getElementById("shown").textContent = shown + " of " + findings.length;
}

// The finding before or after the one that has the focus, among those that the filter leaves.
function move(step) {
  const seen = findings.filter((finding) => !finding.hidden);
  const here = seen.findIndex((finding) => finding.contains(document.activeElement));
  const next = seen[here < 0 ? (step > 0 ? 0 : seen.length - 1) : here + step];
  if (next) next.firstElementChild.focus();
}

function openFromAddress() {
  const finding = findings.find((finding) => "#" + finding.id === location.hash);
  if (!finding) return;
  finding.open = true;
  finding.firstElementChild.focus();
}

async function copy(button) {
  const text = button.parentElement.querySelector("pre").textContent;
  try {
    await navigator.clipboard.writeText(text);
    button.textContent = "Copied";
  } catch {
    // A page from a file may not write the clipboard: the text is selected, and the user's own key copies it.
    getSelection().selectAllChildren(button.parentElement.querySelector("pre"));
    button.textContent = "Selected";
  }
}

for (const finding of findings) {
  finding.addEventListener("toggle", () => {
    if (!finding.open) return;
    fill(finding);
    history.replaceState(null, "", "#" + finding.id);
  });
}
for (const input of inputs) {
  for (const event of ["input", "change"]) input?.addEventListener(event, filter);
}

document.addEventListener("click", (event) => {
  const button = event.target.closest("button");
  if (button?.className === "copy") copy(button);
  if (button?.className === "path") {
    inputs[1].value = button.dataset.path;
    filter();
    document.getElementById("findings").focus();
  }
});

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || !list) return;
  const isFinding = event.target.matches?.(".finding > summary") || event.target === document.body;
  if (event.key === "/" && !event.target.matches?.("input, select")) {
    event.preventDefault();
    inputs[0].focus();
  } else if (isFinding && (event.key === "ArrowDown" || event.key === "ArrowUp")) {
    event.preventDefault();
    move(event.key === "ArrowDown" ? 1 : -1);
  }
});

addEventListener("hashchange", openFromAddress);
openFromAddress();
