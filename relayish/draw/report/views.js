// The pictures of a step: two views side by side, with what changed marked in both.

/* global relayish */
import { element, show } from "./parts.js";

export function renderPictures(report, state, step) {
  const sides = ["before", "after"].map((label) => element("figure", {}, [
    element("figcaption", {}, [label, ...legend(step, label)]),
    element("div", { class: "view", id: `view-${label}` }),
  ]));
  requestAnimationFrame(() => showViews(report, state, step, sides.map((side) => side.querySelector(".view"))));
  return element("div", {}, [
    step.pictures.note ? element("p", { class: "nothing" }, [step.pictures.note]) : null,
    element("div", { class: "pictures" }, sides),
  ]);
}

function legend(step, label) {
  const marks = step.pictures.views[label === "before" ? 0 : 1].marks;
  if (step.pictures.views.every((view) => !Object.keys(view.marks).length)) return [" \u00b7 no box is another"];
  const told = ([mark, numbers]) => element("span", { class: `mark ${mark}` }, [`${show(numbers.length)} ${mark}`]);
  return Object.entries(marks).map(told);
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

export function renderWalk(report, state, step) {
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

// what is selected in one view is selected in the other, or else the place where it would be shown
function showViews(report, state, step, places) {
  const documents = step.pictures.views.map((view) => withMarks(report.pictures[view.picture], view.marks));
  const partners = [0, 1].map((side) => findPartners(documents, step.pictures.pairs, side));
  let isLinking = false;
  const select = (side, key) => {
    const other = state.views[1 - side];
    const found = partners[side].get(key);
    if (isLinking || !other || !found) return;
    isLinking = true;
    if (found.isSame) other.select(found.key);
    else {
      other.select("");
      other.show(other.model.number.get(found.key));
    }
    isLinking = false;
  };
  places.forEach((place, side) => {
    const options = { panel: false, map: false, onselect: (key) => select(side, key) };
    state.views[side] = relayish.view(place, documents[side], options);
  });
  state.change = -1;
  if (state.walk) state.walk(1);
}

// by the keys of boxes in one picture, what is the same in the other, or the nearest that is above
function findPartners(documents, pairs, side) {
  const [boxes, others] = [documents[side].boxes, documents[1 - side].boxes];
  const found = new Map(pairs.map((pair) => [pair[side], { key: others[pair[1 - side]].key, isSame: true }]));
  const edges = documents[side].edges.slice().sort((one, other) => one[0] - other[0]);
  for (const [source, , target] of edges) {
    if (!found.has(target) && found.has(source)) found.set(target, { key: found.get(source).key, isSame: false });
  }
  return new Map([...found].map(([number, partner]) => [boxes[number].key, partner]));
}

function withMarks(picture, marks) {
  const boxes = picture.boxes.slice();
  for (const [mark, numbers] of Object.entries(marks)) {
    for (const number of numbers) boxes[number] = { ...boxes[number], mark };
  }
  return { ...picture, boxes };
}
