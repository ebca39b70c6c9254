// The page of a report: the list of steps, and of one of them the program before and after.

import { element, show, change, signed, time, bytes } from "./parts.js";
import { listRows } from "./lines.js";
import { renderPictures, renderWalk } from "./views.js";
const CONTEXT = 3; // lines shown around what changed
const CHUNK = 400; // lines that one click unfolds
const MANY = 1000; // lines that are shown without being unfolded
const LONG = 500; // characters of a line that is shown in part

const report = JSON.parse(document.getElementById("report").textContent);
const state = { step: 0, tab: "text", types: false, all: false, open: new Set(), views: [] };

// -- the list ---------------------------------------------------------------------------------

// the outermost pass, none of a pipeline's, that ran another one by itself; -1 if there is none
function runner(number) {
  let found = -1;
  for (let at = report.steps[number].parent; at >= 0; at = report.steps[at].parent) if (!report.steps[at].group) found = at;
  return found;
}

// what ran because a pass needs it, or runs it by itself, stands at that pass, folded away
function arrange() {
  const rows = [];
  const rowOf = new Map();
  let waiting = [];
  report.steps.forEach((step, number) => {
    const outer = runner(number);
    if (outer >= 0 && rowOf.has(outer)) rowOf.get(outer).inner.push(number);
    else if (step.neededBy || outer >= 0) waiting.push(number);
    else {
      const row = { number, implied: waiting, inner: [] };
      rowOf.set(number, row);
      rows.push(row);
      waiting = [];
    }
  });
  for (const number of waiting) rows.push({ number, implied: [], inner: [] });
  return rows;
}

function bar(kind, share) {
  if (!share) return "";
  const width = Math.max(2, Math.round(100 * Math.min(1, share)));
  return element("span", { class: `bar ${kind}` }, [element("i", { style: `width:${width}%` })]);
}

// what a step is measured by: operators, or nodes where there are none
const measureOf = (step) => (step.operators[0] + step.operators[1] ? step.operators : step.nodes);

function greatest(pick) {
  return report.steps.reduce((most, step) => (step.group ? most : Math.max(most, pick(step))), 1e-9);
}

const most = {
  seconds: greatest((step) => step.seconds),
  size: greatest((step) => Math.abs(change(measureOf(step)))),
  bytes: greatest((step) => Math.abs(change(step.bytes))),
};

function figure(title, kind, share, text) {
  return element("span", { class: "figure", title }, [bar(kind, share), text]);
}

function grownBy(delta) {
  if (!delta) return "";
  return delta > 0 ? `+${bytes(delta)}` : bytes(delta);
}

function renderFigures(step) {
  const [grown, delta] = [change(measureOf(step)), change(step.bytes)];
  const kind = (number) => (number > 0 ? "more" : "less");
  const what = measureOf(step) === step.operators ? "operators" : "nodes";
  return element("span", { class: "figures" }, [
    figure("time", "time", step.group ? 0 : step.seconds / most.seconds, time(step.seconds)),
    figure(what, kind(grown), Math.abs(grown) / most.size, grown ? signed(grown) : ""),
    figure("bytes of constants", kind(delta), Math.abs(delta) / most.bytes, grownBy(delta)),
  ]);
}

function renderFold(number, folded) {
  const isOpen = state.open.has(number);
  const open = (event) => {
    event.stopPropagation();
    toggle(number);
  };
  const title = `${folded} ${folded === 1 ? "pass" : "passes"} that it requires or runs`;
  const told = { class: "fold", type: "button", "aria-expanded": isOpen, tabindex: -1, title, onclick: open };
  return element("button", told, [`${isOpen ? "\u25be" : "\u25b8"} ${folded}`]);
}

function nameOf(step) {
  return [step.name, step.options.length ? element("small", {}, [` ${step.options.join(", ")}`]) : null];
}

function renderRow(number, folded, isImplied) {
  const step = report.steps[number];
  const told = {
    class: `step ${step.outcome}${isImplied ? " implied" : ""}${step.group ? " group" : ""}`,
    "data-step": number, role: "option", "aria-selected": number === state.step,
    style: `--depth:${step.depth + (isImplied ? 1 : 0)}`, onclick: () => choose(number),
  };
  const name = element("span", { class: "name" }, [...nameOf(step), folded ? renderFold(number, folded) : null]);
  return element("li", told, [name, renderFigures(step)]);
}

function renderList() {
  const list = document.getElementById("steps");
  const rows = [];
  for (const { number, implied, inner } of arrange()) {
    const isOpen = state.open.has(number);
    if (isOpen) for (const each of implied) rows.push(renderRow(each, 0, true));
    rows.push(renderRow(number, implied.length + inner.length, Boolean(report.steps[number].neededBy)));
    if (isOpen) for (const each of inner) rows.push(renderRow(each, 0, false));
  }
  for (const [name, why] of report.leftOut) {
    const told = element("small", {}, [`not run: ${why}`]);
    rows.push(element("li", { class: "left" }, [element("span", { class: "name" }, [name]), told]));
  }
  list.replaceChildren(...rows);
}

function toggle(number) {
  if (!state.open.delete(number)) state.open.add(number);
  renderList();
}

function choose(number, isFromAddress) {
  state.step = Math.max(0, Math.min(report.steps.length - 1, number));
  const owner = arrange().find(({ implied, inner }) => [...implied, ...inner].includes(state.step));
  if (owner) state.open.add(owner.number);
  const hasAddress = location.protocol !== "about:"; // none inside a cell of a notebook
  if (!isFromAddress && hasAddress) history.replaceState(null, "", `#step=${state.step + 1}`);
  renderList();
  renderStep();
  const row = document.querySelector('[aria-selected="true"]');
  if (row) row.scrollIntoView({ block: "nearest" });
}

// -- the step ---------------------------------------------------------------------------------

function renderStep() {
  state.views = [];
  state.walk = null;
  const step = report.steps[state.step];
  const place = document.getElementById("step");
  if (!step) {
    place.replaceChildren(element("p", { class: "nothing" }, ["No pass ran."]));
    return;
  }
  const isPicture = state.tab === "picture" && step.pictures;
  place.replaceChildren(renderHead(step), renderTabs(step), isPicture ? renderPictures(report, state, step) : renderText(step));
}

function renderHead(step) {
  const arrow = (pair, show_) => `${show_(pair[0])} \u2192 ${show_(pair[1])}`;
  const facts = [
    ["took", time(step.seconds)],
    ["operators", arrow(step.operators, show)],
    ["nodes", arrow(step.nodes, show)],
    ["constants", arrow(step.bytes, bytes)],
    ["level", `${step.level}`],
  ];
  if (step.neededBy) facts.push(["required by", step.neededBy]);
  const fact = ([label, text]) => element("div", {}, [element("dt", {}, [label]), element("dd", {}, [text])]);
  const badge = element("span", { class: `badge ${step.outcome}` }, [OUTCOMES[step.outcome]]);
  const notes = step.notes.map((note) => element("li", {}, [note]));
  return element("header", {}, [
    element("h2", {}, [...nameOf(step), badge]),
    element("dl", {}, facts.map(fact)),
    step.checks.length ? element("p", { class: "checks" }, step.checks.map(renderCheck)) : null,
    step.error ? element("pre", { class: "error" }, [step.error]) : null,
    notes.length ? element("ul", { class: "notes" }, notes) : null,
  ]);
}

function renderCheck([name, said]) {
  const told = { class: said ? "check failed" : "check", title: said || "holds" };
  return element("span", told, [`${said ? "\u2717" : "\u2713"} ${name}`]);
}

const OUTCOMES = { changed: "changed", retyped: "only types", equal: "unchanged", failed: "failed" };

function renderTabs(step) {
  const tab = (name, label, isThere) => element("button", {
    type: "button", role: "tab", "aria-selected": state.tab === name && isThere, disabled: !isThere,
    onclick: () => { state.tab = name; renderStep(); },
  }, [label]);
  const option = (name, label) => {
    const box = element("input", { type: "checkbox", id: `option-${name}` });
    box.checked = state[name];
    box.addEventListener("change", () => { state[name] = box.checked; renderStep(); });
    return element("label", {}, [box, ` ${label}`]);
  };
  const isText = state.tab === "text" || !step.pictures;
  return element("nav", { role: "tablist" }, [
    tab("text", "Text", true), tab("picture", "Picture", Boolean(step.pictures)),
    element("span", { class: "space" }),
    isText ? null : renderWalk(report, state, step),
    isText ? option("all", "all lines") : null,
    isText && report.typed.length ? option("types", "types") : null,
  ]);
}

// -- text -------------------------------------------------------------------------------------

function lineOf(text, place) {
  const numbers = state.types && report.typed.length ? report.typed[text] : report.texts[text];
  return report.lines[numbers[place]];
}

function renderWords(words, marked) {
  return words.map((word, place) => {
    const kind = word[0];
    const isMarked = marked && marked.has(place);
    if (kind === "x" && !isMarked) return word.slice(1);
    return element("span", { class: `r-${kind}${isMarked ? " word" : ""}` }, [word.slice(1)]);
  });
}

// a line of many rows scrolls by itself
function renderLong(words, marked) {
  const shown = renderWords(words, marked);
  const length = words.reduce((sum, word) => sum + word.length - 1, 0);
  return length < LONG ? shown : [element("div", { class: "long" }, shown)];
}

function cells(text, place, kind, marked) {
  if (place === null) return [element("td", { class: "number" }), element("td", { class: "none" })];
  return [
    element("td", { class: `number ${kind}` }, [String(place + 1)]),
    element("td", { class: kind }, renderLong(lineOf(text, place), marked)),
  ];
}

function renderText(step) {
  const sides = step.outcome === "equal" ? [1] : [0, 1]; // where both are one program, it is shown once
  const body = element("tbody");
  const plain = (side, place) => report.lines[report.texts[step.texts[side]][place]];
  const rows = listRows(step.stretches, plain, (side, place) => lineOf(step.texts[side], place));
  const shown = state.all && rows.length <= MANY ? rows.map(() => true) : nearChanges(rows);
  const line = (row) => renderLine(row, step.texts, sides);
  let place = 0;
  while (place < rows.length) {
    if (shown[place]) {
      body.append(line(rows[place]));
      place += 1;
      continue;
    }
    let end = place;
    while (end < rows.length && !shown[end]) end += 1;
    body.append(renderGap(rows, place, end, line));
    place = end;
  }
  const labels = sides.length === 1 ? ["before and after"] : ["before", "after"];
  const heads = labels.map((label) => element("th", { colspan: 2 }, [label]));
  const columns = sides.flatMap(() => [element("col", { class: "number" }), element("col")]);
  const table = [element("colgroup", {}, columns), element("thead", {}, [element("tr", {}, heads)]), body];
  return element("div", { class: "text" }, [element("table", {}, table)]);
}

function renderLine(row, texts, sides) {
  const [isEqual, marks] = [row[2], row[3]];
  const kind = (side) => (isEqual ? "" : ["removed", "added"][side]);
  const found = sides.flatMap((side) => cells(texts[side], row[side], kind(side), marks && marks[side]));
  return element("tr", { class: isEqual ? "same" : "other" }, found);
}

function renderGap(rows, start, end, line) {
  const isSame = rows.slice(start, end).every((row) => row[2]);
  const unfold = () => {
    const stop = Math.min(end, start + CHUNK);
    const lines = rows.slice(start, stop).map(line);
    if (stop < end) lines.push(renderGap(rows, stop, end, line));
    gap.replaceWith(...lines);
  };
  const label = `${show(end - start)} ${end - start === 1 ? "line" : "lines"} ${isSame ? "the same" : "more"}`;
  const button = element("button", { type: "button", onclick: unfold }, [label]);
  const gap = element("tr", { class: "gap" }, [element("td", { colspan: 4 }, [button])]);
  return gap;
}

function nearChanges(rows) {
  const shown = rows.map(() => false);
  let any = false;
  rows.forEach((row, place) => {
    if (row[2]) return;
    any = true;
    const last = Math.min(rows.length - 1, place + CONTEXT);
    for (let near = Math.max(0, place - CONTEXT); near <= last; near += 1) shown[near] = true;
  });
  if (!any) return rows.map((_, place) => place < CHUNK);
  let count = 0;
  return shown.map((isShown) => isShown && (count += 1) <= MANY);
}

// -- the page ---------------------------------------------------------------------------------

function move(by) {
  const shown = [...document.querySelectorAll("#steps .step")].map((row) => Number(row.dataset.step));
  const place = shown.indexOf(state.step);
  choose(shown[Math.max(0, Math.min(shown.length - 1, place + by))]);
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest?.("input, .view")) return;
  const actions = {
    ArrowDown: () => move(1), ArrowUp: () => move(-1), j: () => move(1), k: () => move(-1),
    t: () => { state.tab = "text"; renderStep(); }, p: () => { state.tab = "picture"; renderStep(); },
    n: () => state.walk && state.walk(1), N: () => state.walk && state.walk(-1),
    a: () => { state.all = !state.all; renderStep(); },
  };
  const action = actions[event.key];
  if (!action) return;
  event.preventDefault();
  action();
});

function fromAddress() {
  const found = /^#step=(\d+)$/.exec(location.hash);
  const first = report.steps.findIndex((step) => step.outcome === "failed");
  const changed = report.steps.findIndex((step) => step.outcome === "changed" && !step.group);
  choose(found ? Number(found[1]) - 1 : first >= 0 ? first : Math.max(0, changed), true);
}

function renderSummary() {
  const steps = report.steps;
  document.getElementById("notes").replaceChildren(...report.notes.map((note) => element("li", {}, [note])));
  if (!steps.length) return;
  const first = steps[0];
  const last = steps[steps.length - 1];
  const total = steps.reduce((sum, step) => sum + (step.depth || step.group ? 0 : step.seconds), 0);
  const count = steps.filter((step) => step.outcome === "changed" && !step.group).length;
  document.getElementById("summary").textContent = [
    `${show(steps.length)} ${steps.length === 1 ? "pass" : "passes"}, ${show(count)} changed the program`,
    time(total),
    `operators ${show(first.operators[0])} \u2192 ${show(last.operators[1])}`,
    `constants ${bytes(first.bytes[0])} \u2192 ${bytes(last.bytes[1])}`,
  ].join(" \u00b7 ");
}

window.addEventListener("hashchange", fromAddress);
renderSummary();
fromAddress();
