// Search: by name, operator, type, attribute, or anything.
import { make, amount } from "./dom.js";
const MOST_RESULTS = 200; // results that are listed

/** What of boxes can be searched for; made when it is first asked for. */
class Index {
  constructor(model) {
    this.rows = model.boxes.map((box, number) => {
      const { details = {}, lines = [], kind } = box;
      const labels = [...model.outgoing[number], ...model.incoming[number]].map((edge) => model.edges[edge][5]);
      const types = (details.values || []).map(({ type }) => type);
      const attributes = Object.entries(details.attributes || {}).map(([name, text]) => `${name}=${text}`);
      const parts = {
        name: [box.key, kind === "operator" ? "" : box.title, ...(details.outputs || [])],
        op: [kind === "operator" || kind === "statement" ? box.title : ""],
        type: [details.type, ...labels, ...types],
        attr: [...attributes, ...lines],
      };
      const joined = ([name, texts]) => [name, texts.filter(Boolean).join("\n").toLowerCase()];
      const row = Object.fromEntries(Object.entries(parts).map(joined));
      row.all = [row.name, row.op, row.type, row.attr, details.text, details.place].join("\n").toLowerCase();
      return row;
    });
  }

  /** Return the boxes that every word of a query fits: `op:conv type:float32 relu`. */
  find(query) {
    const words = query.toLowerCase().split(/\s+/u).filter(Boolean);
    const tests = words.map((word) => {
      const [, field, text] = /^(op|type|attr|name):(.*)$/su.exec(word) || [null, "all", word];
      return (row) => row[field].includes(text);
    });
    if (!tests.length) return [];
    return this.rows.flatMap((row, number) => (tests.every((test) => test(row)) ? [number] : []));
  }
}

/** The field of a search, with the list of what it finds below. */
export function search(model, { found, go, leave }) {
  let [index, matches, place] = [null, [], -1];
  const list = make("ol", { class: "relayish-results", "aria-label": "results", hidden: true });
  const told = make("span", { class: "relayish-told", role: "status" });
  const field = make("input", {
    type: "search", placeholder: "Search   /", "aria-label": "search",
    title: "words; op:conv, type:float32, attr:axis=1, name:x search in one place",
    spellcheck: "false", autocomplete: "off",
    oninput: () => run(field.value),
    onkeydown: (event) => {
      const step = { Enter: event.shiftKey ? -1 : 1, ArrowDown: 1, ArrowUp: -1 }[event.key];
      if (step) next(step);
      else if (event.key === "Escape") close();
      else return;
      event.preventDefault();
      event.stopPropagation();
    },
  });
  function run(query) {
    index = index || new Index(model);
    [matches, place] = [index.find(query), -1];
    list.replaceChildren(...matches.slice(0, MOST_RESULTS).map((box, number) => {
      const pick = () => ((place = number), go(box), show());
      const [name, { key }] = [model.nameOf(box), model.boxes[box]];
      const aside = make("span", { class: "relayish-aside" }, key === name ? "" : key);
      return make("li", {}, make("button", { type: "button", onclick: pick }, make("span", {}, name), aside));
    }));
    if (matches.length > MOST_RESULTS) list.append(make("li", {}, `… and ${matches.length - MOST_RESULTS} more`));
    list.hidden = !matches.length;
    show();
    found(matches);
  }
  function show() {
    const words = place < 0 ? amount(matches.length, "match", "matches") : `${place + 1} of ${matches.length}`;
    told.textContent = field.value.trim() ? words : "";
    [...list.children].forEach((row, number) => row.classList.toggle("relayish-here", number === place));
    if (list.children[place]) list.children[place].scrollIntoView({ block: "nearest" });
  }
  function next(step) {
    if (!matches.length) return;
    place = (Math.max(place, step < 0 ? 0 : -1) + step + matches.length) % matches.length;
    go(matches[place]);
    show();
  }
  const set = (query) => run((field.value = query));
  const close = () => (set(""), leave());
  const element = make("div", { class: "relayish-search", role: "search" }, field, told, list);
  return { element, next, close, set, focus: () => (field.focus(), field.select()) };
}
