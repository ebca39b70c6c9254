// What keys do, and the list that tells it.
import { make, button } from "./dom.js";
import { FOLDABLE } from "./model.js";
const pan = (across, down) => (view, isFar) =>
  view.move((camera) => camera.pan(across * (isFar ? 400 : 80), down * (isFar ? 400 : 80)));
const zoom = (factor) => (view) => view.move((camera) => camera.zoom(factor));
const flip = (part) => (view) => (view[part].hidden = !view[part].hidden);
const back = (view) => view.chosen >= 0 && view.show(view.chosen);
const way = (view) => view.chosen >= 0 && view.before >= 0 && view.path(view.before, view.chosen);
const match = (step) => (view) => view.search.next(step);
const kinds = Object.keys(FOLDABLE);

/** What is told of keys, which they are, and what they do; what the mouse does is only told. */
const KEYS = [
  ["click", "select a box; with shift, show every way to a second one"],
  ["double click", "fold or unfold a box; so does a click on its corner"],
  ["f", "fold or unfold what is selected, or the box around it", { f: (view) => view.toggle(view.chosen) }],
  ["[  ]", "fold all, unfold all", { "[": (view) => view.foldAll(true), "]": (view) => view.foldAll(false) }],
  [
    "1  2  3  4  5", `fold or unfold ${kinds.join(", ")}`,
    Object.fromEntries(kinds.map((name, place) => [place + 1, (view) => view.foldKind(name)])),
  ],
  [
    "drag, wheel, arrows", "move; with shift further",
    { ArrowLeft: pan(-1, 0), ArrowRight: pan(1, 0), ArrowUp: pan(0, -1), ArrowDown: pan(0, 1) },
  ],
  ["ctrl-wheel  +  −", "zoom", { "+": zoom(1.25), "=": zoom(1.25), "-": zoom(0.8) }],
  ["0", "show the whole", { 0: (view) => view.move((camera) => camera.fit()) }],
  ["c  s", "show what is selected, show every way to it from the box selected before", { c: back, s: way }],
  ["/", "search: words, or op:conv type:float32 attr:axis=1 name:x", { "/": (view) => view.search.focus() }],
  ["Enter  n  N", "next match, previous match", { Enter: match(1), n: match(1), N: match(-1) }],
  ["j  k", "to the first user, to the first operand", { j: (view) => view.walk(false), k: (view) => view.walk(true) }],
  ["h  l", "to the box before, to the box after", { h: (view) => view.step(-1), l: (view) => view.step(1) }],
  ["o  i", "out to the box around, into the first inside", { o: (view) => view.climb(false), i: (view) => view.climb(true) }],
  ["m  p  t", "map, panel, light or dark", { m: flip("mapCanvas"), p: flip("panel"), t: (view) => view.flipTheme() }],
  ["e", "save what is seen as an image, PNG", { e: (view) => view.saveImage() }],
  ["Escape", "let nothing stand out", { Escape: (view) => view.clear() }],
  ["?", "this list", { "?": (view) => view.help() }],
];
const ACTIONS = new Map(KEYS.flatMap(([, , does = {}]) => Object.entries(does)));

/** Let a view do what a key means. */
export function press(view, event) {
  const does = ACTIONS.get(event.key);
  const { target } = event;
  if (!does || event.ctrlKey || event.metaKey || event.altKey || view.keys.open || target.matches("input")) return;
  if (event.key === "Enter" && target.matches("button, a")) return;
  event.preventDefault();
  does(view, event.shiftKey);
}

/** Return the list of keys, closed. */
export function keyList() {
  const rows = KEYS.flatMap(([keys, told]) => [make("dt", {}, keys), make("dd", {}, told)]);
  const list = make("dialog", { class: "relayish-keys", "aria-label": "keys" }, make("h2", {}, "Keys"));
  list.append(make("dl", {}, ...rows), button("close", "close", () => list.close()));
  return list;
}
