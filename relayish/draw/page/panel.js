// The side: what is told of the box that is selected, the table of operators, the legend.
import { amount, bars, group, make } from "./dom.js";
const MOST_LINKS = 60; // links that are shown at once

function section(title, ...children) {
  return make("section", {}, make("h3", {}, title), ...children);
}

function pairs(entries) {
  return make("dl", {}, ...entries.flatMap(([name, text]) => [make("dt", {}, name), make("dd", {}, text)]));
}

/** Return a list of links; of a long one the beginning, and a button for the rest. */
function links(rows) {
  const list = make("ul", { class: "relayish-links" }, ...rows.slice(0, MOST_LINKS));
  if (rows.length > MOST_LINKS) {
    const more = make("button", { type: "button" }, `${rows.length - MOST_LINKS} more`);
    more.addEventListener("click", () => more.parentNode.replaceWith(...rows.slice(MOST_LINKS)));
    list.append(make("li", {}, more));
  }
  return list;
}

function valueOf({ name, type, first = [], low, high, mean, histogram, told }) {
  const short = (number) => Number(number.toPrecision(5)).toString();
  const facts = [["low", low], ["mean", mean], ["high", high]].filter(([, number]) => number !== undefined && number !== null);
  const parts = [make("h4", {}, `${name ? `${name}: ` : ""}${type}`)];
  if (histogram) parts.push(bars(histogram));
  if (facts.length)
    parts.push(make("div", { class: "relayish-range" }, ...facts.map(([label, number]) => make("span", { title: label }, `${label} ${short(number)}`))));
  if (first.length) parts.push(make("p", { class: "relayish-code" }, first.join(", ")));
  if (told) parts.push(make("p", { class: "relayish-told" }, told));
  return make("div", { class: "relayish-value" }, ...parts);
}

// What is told of the whole, where no box is selected.
export const aboutOf = ({ title, about }) => [make("h2", {}, title), ...(about.length ? [section("About", pairs(about))] : [])];

/** Return what is told of a box. */
export function detailsOf(model, box, link) {
  const { kind, details = {}, mark } = model.boxes[box];
  const { text, place, type, attributes = {}, outputs = [], notes = {}, values = [] } = details;
  const parts = [make("h2", {}, model.nameOf(box))];
  const inside = model.isHolder(box) ? [amount(model.size[box] - 1, "box inside", "boxes inside")] : [];
  parts.push(make("p", { class: "relayish-told" }, [kind, ...inside, ...(mark ? [mark] : [])].join(" · ")));
  if (text) parts.push(make("pre", { class: "relayish-code" }, text));
  const facts = [["type", type], ["place", place], ["results", outputs.join(", ")]].filter(([, told]) => told);
  if (facts.length) parts.push(pairs(facts));
  if (Object.keys(attributes).length) parts.push(section("Attributes", pairs(Object.entries(attributes))));
  if (values.length) parts.push(section("Constants", ...values.map(valueOf)));
  if (model.parent[box] >= 0) parts.push(section("In", links([make("li", {}, link(model.parent[box]))])));
  for (const [name, isIncoming] of [["Operands", true], ["Users", false]]) {
    const edges = model.crossing(box, isIncoming);
    const rows = edges.map((edge) => rowOf(model, edge, isIncoming, link));
    if (rows.length) parts.push(section(`${name} (${rows.length})`, links(rows)));
  }
  if (Object.keys(notes).length) parts.push(section("Notes", pairs(Object.entries(notes))));
  return parts;
}

function rowOf(model, edge, isIncoming, link) {
  const [source, , target, input, kind, label] = model.edges[edge];
  const port = (model.boxes[target].inputs || [])[input];
  const aside = [kind === "value" ? "" : kind, label].filter(Boolean).join(" · ");
  const row = make("li", {}, link(isIncoming ? source : target));
  if (port) row.prepend(make("span", { class: "relayish-port" }, port));
  if (aside) row.append(make("span", { class: "relayish-aside" }, aside));
  return row;
}

/** The table of operators; a click goes to one after another of its boxes. */
export function table(model, pick) {
  const dot = (family) => make("span", { class: "relayish-dot", "data-family": String(family ?? -1) });
  const all = [...model.boxes.keys()].filter((box) => ["operator", "statement"].includes(model.boxes[box].kind));
  const names = [...group(all, (box) => model.nameOf(box))];
  names.sort(([one, here], [two, there]) => there.length - here.length || (one < two ? -1 : 1));
  const rows = names.map(([name, boxes]) => {
    let place = -1;
    const next = () => pick(boxes, row, boxes[(place = (place + 1) % boxes.length)]);
    const label = make("button", { type: "button", onclick: next }, dot(model.boxes[boxes[0]].family), name);
    const row = make("tr", {}, make("td", {}, label), make("td", {}, boxes.length.toLocaleString("en")));
    return row;
  });
  return make("table", { class: "relayish-operators" }, make("tbody", {}, ...rows));
}

/** The legend: families of operators; a click lets one stand out. */
export function legend(model, pick) {
  const chips = model.families.map(({ label }, family) => {
    const show = () => pick(model.boxes.flatMap((box, number) => (box.family === family ? [number] : [])), chip);
    const chip = make("button", { type: "button", class: "relayish-chip", onclick: show });
    chip.append(make("span", { class: "relayish-dot", "data-family": String(family) }), label);
    return chip;
  });
  return make("div", { class: "relayish-legend" }, ...chips);
}
