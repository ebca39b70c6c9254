// The page of a report: the list of steps, and of one of them the program before and after.

/* global relayish */
"use strict";

(function () {
  const CONTEXT = 3; // lines shown around what changed
  const CHUNK = 400; // lines that one click unfolds
  const LONG = 500; // characters of a line that is shown in part
  const CLOSELY = 4000; // pairs of lines, or of words, that are compared closely

  const report = JSON.parse(document.getElementById("report").textContent);
  const state = { step: 0, tab: "text", types: false, all: false, open: new Set(), views: [] };

  // -- elements ---------------------------------------------------------------------------------

  function element(tag, given, children) {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(given || {})) {
      if (name === "onclick") made.addEventListener("click", value);
      else if (name.startsWith("aria-")) made.setAttribute(name, String(value));
      else if (value === true) made.setAttribute(name, "");
      else if (value !== false && value !== null) made.setAttribute(name, value);
    }
    for (const child of children || []) if (child !== null) made.append(child);
    return made;
  }

  const show = (number) => number.toLocaleString("en");
  const change = (pair) => pair[1] - pair[0];
  const signed = (number) => (number > 0 ? "+" : "\u2212") + show(Math.abs(number));

  function time(seconds) {
    const ms = seconds * 1000;
    return ms >= 1000 ? `${seconds.toFixed(2)} s` : `${ms.toFixed(ms < 10 ? 2 : 0)} ms`;
  }

  function bytes(number) {
    const sign = number < 0 ? "\u2212" : "";
    let left = Math.abs(number);
    for (const unit of ["B", "KB", "MB"]) {
      if (left < 10000 || unit === "MB") return `${sign}${left < 100 && unit !== "B" ? left.toFixed(1) : show(Math.round(left))} ${unit}`;
      left /= 1024;
    }
    return "";
  }

  // -- the list ---------------------------------------------------------------------------------

  // what was run because a pass needs it stands below that pass, folded away
  function arrange() {
    const rows = [];
    let waiting = [];
    report.steps.forEach((step, number) => {
      if (step.neededBy) {
        waiting.push(number);
        return;
      }
      rows.push({ number, implied: waiting });
      waiting = [];
    });
    for (const number of waiting) rows.push({ number, implied: [] });
    return rows;
  }

  function bar(kind, share) {
    if (!share) return "";
    const width = Math.max(2, Math.round(100 * Math.min(1, share)));
    return element("span", { class: `bar ${kind}` }, [element("i", { style: `width:${width}%` })]);
  }

  function renderRow(number, implied, isImplied) {
    const step = report.steps[number];
    const measure = step.operators[0] + step.operators[1] ? step.operators : step.nodes;
    const grown = change(measure);
    const mostOf = (pick) => Math.max(1e-9, ...report.steps.map((each) => (each.group ? 0 : pick(each))));
    const fold = implied.length
      ? element("button", {
          class: "fold", type: "button", "aria-expanded": state.open.has(number), tabindex: -1,
          title: `${implied.length} required ${implied.length === 1 ? "pass" : "passes"} before it`,
          onclick: (event) => { event.stopPropagation(); toggle(number); },
        }, [`${state.open.has(number) ? "\u25be" : "\u25b8"} ${implied.length}`])
      : null;
    const delta = change(step.bytes);
    return element("li", {
      class: `step ${step.outcome}${isImplied ? " implied" : ""}${step.group ? " group" : ""}`,
      "data-step": number, role: "option", "aria-selected": number === state.step,
      style: `--depth:${step.depth + (isImplied ? 1 : 0)}`, onclick: () => choose(number),
    }, [
      element("span", { class: "name" }, [step.name, step.options.length ? element("small", {}, [` ${step.options.join(", ")}`]) : null, fold]),
      element("span", { class: "figures" }, [
        element("span", { class: "figure", title: "time" }, [bar("time", step.group ? 0 : step.seconds / mostOf((each) => each.seconds)), time(step.seconds)]),
        element("span", { class: "figure", title: step.operators === measure ? "operators" : "nodes" }, [
          bar(grown > 0 ? "more" : "less", Math.abs(grown) / mostOf((each) => Math.abs(change(each.operators[0] + each.operators[1] ? each.operators : each.nodes)))),
          grown ? signed(grown) : "",
        ]),
        element("span", { class: "figure", title: "bytes of constants" }, [
          bar(delta > 0 ? "more" : "less", Math.abs(delta) / mostOf((each) => Math.abs(change(each.bytes)))),
          delta ? (delta > 0 ? "+" : "") + bytes(delta) : "",
        ]),
      ]),
    ]);
  }

  function renderList() {
    const list = document.getElementById("steps");
    const rows = [];
    for (const { number, implied } of arrange()) {
      if (state.open.has(number)) for (const each of implied) rows.push(renderRow(each, [], true));
      rows.push(renderRow(number, implied, Boolean(report.steps[number].neededBy)));
    }
    for (const [name, why] of report.leftOut) {
      rows.push(element("li", { class: "left" }, [element("span", { class: "name" }, [name]), element("small", {}, [`not run: ${why}`])]));
    }
    list.replaceChildren(...rows);
  }

  function toggle(number) {
    if (!state.open.delete(number)) state.open.add(number);
    renderList();
  }

  function choose(number, isFromAddress) {
    state.step = Math.max(0, Math.min(report.steps.length - 1, number));
    for (const { number: owner, implied } of arrange()) if (implied.includes(state.step)) state.open.add(owner);
    if (!isFromAddress) history.replaceState(null, "", `#step=${state.step + 1}`);
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
    place.replaceChildren(renderHead(step), renderTabs(step), isPicture ? renderPictures(step) : renderText(step));
  }

  function renderHead(step) {
    const facts = [
      ["took", time(step.seconds)],
      ["operators", `${show(step.operators[0])} \u2192 ${show(step.operators[1])}`],
      ["nodes", `${show(step.nodes[0])} \u2192 ${show(step.nodes[1])}`],
      ["constants", `${bytes(step.bytes[0])} \u2192 ${bytes(step.bytes[1])}`],
      ["level", `${step.level}`],
    ];
    if (step.neededBy) facts.push(["required by", step.neededBy]);
    const checks = step.checks.map(([name, said]) => element("span", { class: said ? "check failed" : "check", title: said || "holds" }, [`${said ? "\u2717" : "\u2713"} ${name}`]));
    return element("header", {}, [
      element("h2", {}, [step.name, step.options.length ? element("small", {}, [` ${step.options.join(", ")}`]) : null,
        element("span", { class: `badge ${step.outcome}` }, [OUTCOMES[step.outcome]])]),
      element("dl", {}, facts.map(([label, text]) => element("div", {}, [element("dt", {}, [label]), element("dd", {}, [text])]))),
      checks.length ? element("p", { class: "checks" }, checks) : null,
      step.error ? element("pre", { class: "error" }, [step.error]) : null,
      step.notes.length ? element("ul", { class: "notes" }, step.notes.map((note) => element("li", {}, [note]))) : null,
    ]);
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
      isText ? null : renderWalk(step),
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
    const [before, after] = step.texts;
    const body = element("tbody");
    const rows = listRows(step);
    const shown = state.all ? rows.map(() => true) : nearChanges(rows);
    let place = 0;
    while (place < rows.length) {
      if (shown[place]) {
        body.append(renderLine(rows[place], before, after));
        place += 1;
        continue;
      }
      let end = place;
      while (end < rows.length && !shown[end]) end += 1;
      body.append(renderGap(rows, place, end, before, after));
      place = end;
    }
    const head = element("thead", {}, [element("tr", {}, [element("th", { colspan: 2 }, ["before"]), element("th", { colspan: 2 }, ["after"])])]);
    const columns = element("colgroup", {}, ["number", "", "number", ""].map((kind) => element("col", { class: kind })));
    return element("div", { class: "text" }, [element("table", {}, [columns, head, body])]);
  }

  function renderLine(row, before, after) {
    const [first, second, isEqual, marks] = row;
    return element("tr", { class: isEqual ? "same" : "other" }, [
      ...cells(before, first, isEqual ? "" : "removed", marks && marks[0]),
      ...cells(after, second, isEqual ? "" : "added", marks && marks[1]),
    ]);
  }

  function renderGap(rows, start, end, before, after) {
    const gap = element("tr", { class: "gap" }, [element("td", { colspan: 4 }, [
      element("button", {
        type: "button",
        onclick: () => {
          const stop = Math.min(end, start + CHUNK);
          const lines = rows.slice(start, stop).map((row) => renderLine(row, before, after));
          if (stop < end) lines.push(renderGap(rows, stop, end, before, after));
          gap.replaceWith(...lines);
        },
      }, [`${show(end - start)} ${end - start === 1 ? "line" : "lines"} the same`]),
    ])]);
    return gap;
  }

  function nearChanges(rows) {
    const shown = rows.map(() => false);
    let any = false;
    rows.forEach((row, place) => {
      if (row[2]) return;
      any = true;
      for (let near = Math.max(0, place - CONTEXT); near <= Math.min(rows.length - 1, place + CONTEXT); near += 1) shown[near] = true;
    });
    return any ? shown : rows.map((_, place) => place < CHUNK);
  }

  // rows of lines side by side: [place before, place after, whether equal, words that differ]
  function listRows(step) {
    const [before, after] = step.texts;
    const names = new Map(); // temporaries of the second text by what they are in the first
    const rows = [];
    for (const [isEqual, start, end, otherStart, otherEnd] of step.stretches) {
      if (isEqual) {
        for (let place = 0; place < end - start; place += 1) {
          rows.push([start + place, otherStart + place, true, null]);
          pairNames(report.lines[report.texts[before][start + place]], report.lines[report.texts[after][otherStart + place]], names);
        }
        continue;
      }
      const first = wordsOf(before, start, end);
      const second = wordsOf(after, otherStart, otherEnd);
      for (const [one, other] of alignLines(first, second)) {
        const marks = one !== null && other !== null ? markWords(first[one], second[other], names) : null;
        rows.push([one === null ? null : start + one, other === null ? null : otherStart + other, false, marks]);
      }
    }
    return rows;
  }

  function wordsOf(text, start, end) {
    const found = [];
    for (let place = start; place < end; place += 1) found.push(lineOf(text, place));
    return found;
  }

  const TEMPORARY = /^v%\d+$/;

  function pairNames(words, others, names) {
    words.forEach((word, place) => {
      if (TEMPORARY.test(word) && TEMPORARY.test(others[place] || "")) names.set(others[place], word);
    });
  }

  const isSpace = (word) => /^x\s*$/.test(word);

  // how much two lines have in common: 0 to 1
  function likeness(words, others) {
    const count = new Map();
    let size = 0;
    let common = 0;
    for (const word of words) {
      if (isSpace(word)) continue;
      size += word.length;
      count.set(word, (count.get(word) || 0) + 1);
    }
    for (const word of others) {
      if (isSpace(word)) continue;
      size += word.length;
      const left = count.get(word) || 0;
      if (left) {
        common += word.length;
        count.set(word, left - 1);
      }
    }
    return size ? (2 * common) / size : 1;
  }

  // the pairs of rising places whose values have the greatest sum
  function bestPairs(length, otherLength, value) {
    const best = Array.from({ length: length + 1 }, () => new Float64Array(otherLength + 1));
    const values = Array.from({ length }, (_, i) => Float64Array.from({ length: otherLength }, (__, j) => value(i, j)));
    for (let i = length - 1; i >= 0; i -= 1) {
      for (let j = otherLength - 1; j >= 0; j -= 1) {
        const paired = values[i][j] > 0 ? values[i][j] + best[i + 1][j + 1] : 0;
        best[i][j] = Math.max(paired, best[i + 1][j], best[i][j + 1]);
      }
    }
    const pairs = [];
    let i = 0;
    let j = 0;
    while (i < length && j < otherLength) {
      if (values[i][j] > 0 && best[i][j] === values[i][j] + best[i + 1][j + 1]) pairs.push([i++, j++]);
      else if (best[i][j] === best[i + 1][j]) i += 1;
      else j += 1;
    }
    return pairs;
  }

  function alignLines(first, second) {
    const rows = [];
    let one = 0;
    let other = 0;
    const pairs = first.length * second.length <= CLOSELY
      ? bestPairs(first.length, second.length, (i, j) => Math.max(0, likeness(first[i], second[j]) - 0.5))
      : [];
    for (const [i, j] of [...pairs, [first.length, second.length]]) {
      while (one < i) rows.push([one++, null]);
      while (other < j) rows.push([null, other++]);
      if (i < first.length) rows.push([one++, other++]);
    }
    return rows;
  }

  // "%3 = ..." defines a temporary, whose number says nothing
  const defined = (words) => words.find((word) => !isSpace(word));
  const isDefinition = (words) =>
    TEMPORARY.test(defined(words) || "") && (words[words.indexOf(defined(words)) + 1] || "").startsWith("x =");

  function markWords(words, others, names) {
    const all = (list) => new Set(list.map((_, place) => place));
    if (words.length * others.length > CLOSELY) return [all(words), all(others)];
    if (isDefinition(words) && isDefinition(others)) names.set(defined(others), defined(words));
    const renamed = others.map((word) => names.get(word) || word);
    const pairs = bestPairs(words.length, others.length, (i, j) => (words[i] === renamed[j] ? 1 : 0));
    const marked = [all(words), all(others)];
    for (const [i, j] of pairs) {
      marked[0].delete(i);
      marked[1].delete(j);
    }
    words.forEach((word, place) => { if (isSpace(word)) marked[0].delete(place); });
    others.forEach((word, place) => { if (isSpace(word)) marked[1].delete(place); });
    return marked;
  }

  // -- pictures ---------------------------------------------------------------------------------

  function renderPictures(step) {
    const sides = ["before", "after"].map((label) => element("figure", {}, [
      element("figcaption", {}, [label, ...legend(step, label)]),
      element("div", { class: "view", id: `view-${label}` }),
    ]));
    requestAnimationFrame(() => showViews(step, sides.map((side) => side.querySelector(".view"))));
    return element("div", {}, [
      step.pictures.note ? element("p", { class: "nothing" }, [step.pictures.note]) : null,
      element("div", { class: "pictures" }, sides),
    ]);
  }

  function legend(step, label) {
    const marks = step.pictures.views[label === "before" ? 0 : 1].marks;
    if (step.pictures.views.every((view) => !Object.keys(view.marks).length)) return [" \u00b7 no box is another"];
    return Object.entries(marks).map(([mark, numbers]) => element("span", { class: `mark ${mark}` }, [`${show(numbers.length)} ${mark}`]));
  }

  // what is marked, in the order of the program: [side, number of the box]
  function listChanges(step) {
    const found = [];
    step.pictures.views.forEach(({ marks }, side) => {
      for (const [mark, numbers] of Object.entries(marks)) {
        if (side && mark === "changed") continue; // is in both
        for (const number of numbers) found.push([side, number]);
      }
    });
    return found.sort((one, other) => one[1] - other[1] || one[0] - other[0]);
  }

  function renderWalk(step) {
    const changes = listChanges(step);
    if (!changes.length) return null;
    const go = (by) => {
      state.change = (state.change + by + changes.length) % changes.length;
      const [side, number] = changes[state.change];
      told.textContent = ` ${show(state.change + 1)} of ${show(changes.length)} `;
      state.views.forEach((view) => view.select(""));
      state.views[side].select(report.pictures[step.pictures.views[side].picture].boxes[number].key);
    };
    const told = element("span", {}, [` ${show(changes.length)} changes `]);
    state.walk = go;
    return element("span", { class: "walk" }, [
      element("button", { type: "button", title: "the change before (N)", onclick: () => go(-1) }, ["\u25c2"]),
      told,
      element("button", { type: "button", title: "the next change (n)", onclick: () => go(1) }, ["\u25b8"]),
    ]);
  }

  // what is selected in one view is selected in the other
  function showViews(step, places) {
    const documents = step.pictures.views.map((view) => withMarks(report.pictures[view.picture], view.marks));
    const partners = [0, 1].map((side) => new Map(step.pictures.pairs.map((pair) => [
      documents[side].boxes[pair[side]].key, documents[1 - side].boxes[pair[1 - side]].key,
    ])));
    let isLinking = false;
    const select = (side, key) => {
      const other = state.views[1 - side];
      const partner = partners[side].get(key);
      if (isLinking || !other || !partner) return;
      isLinking = true;
      other.select(partner);
      isLinking = false;
    };
    places.forEach((place, side) => {
      state.views[side] = relayish.view(place, documents[side], { panel: false, map: false, onselect: (key) => select(side, key) });
    });
    state.change = -1;
    if (state.walk) state.walk(1);
  }

  function withMarks(picture, marks) {
    const boxes = picture.boxes.slice();
    for (const [mark, numbers] of Object.entries(marks)) for (const number of numbers) boxes[number] = { ...boxes[number], mark };
    return { ...picture, boxes };
  }

  // -- the page ---------------------------------------------------------------------------------

  function move(by) {
    const shown = [...document.querySelectorAll("#steps .step")].map((row) => Number(row.dataset.step));
    const place = shown.indexOf(state.step);
    choose(shown[Math.max(0, Math.min(shown.length - 1, place + by))]);
  }

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, .view")) return;
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
})();
