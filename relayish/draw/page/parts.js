// The elements of a view: the bar, the stage with its map, the panel.
import { make, button, amount } from "./dom.js";
import { FOLDABLE } from "./model.js";
import { search } from "./find.js";
import { table, legend } from "./panel.js";
import { keyList } from "./keys.js";
/** Make the elements of a view, in its element. */
export function build(view) {
  const { model, options } = view;
  const div = (name, ...children) => make("div", { class: `relayish-${name}` }, ...children);
  view.search = search(model, {
    found: (boxes) => view.match(boxes),
    go: (box) => view.go(box),
    leave: () => view.stage.focus(),
  });
  view.canvas = make("canvas", { "aria-hidden": "true" });
  view.mapCanvas = make("canvas", { class: "relayish-map", "aria-hidden": "true", hidden: !options.map });
  view.hint = div("hint");
  view.status = make("div", { class: "relayish-status", role: "status" });
  view.keys = keyList();
  const label = `${model.title}: ${amount(model.boxes.length, "box", "boxes")}; ? lists keys`;
  const told = { class: "relayish-stage", tabindex: "0", role: "application", "aria-label": label };
  view.stage = make("div", told, view.canvas);
  view.details = make("div", { class: "relayish-details", "aria-live": "polite" });
  const lower = div("lower", make("h3", {}, "Operators"));
  lower.append(legend(model, (boxes, chip) => view.emphasise(boxes, chip)));
  lower.append(table(model, (boxes, row, box) => view.emphasise(boxes, row, box)));
  lower.hidden = !lower.querySelector("button");
  const panel = { class: "relayish-panel", "aria-label": "details", hidden: !options.panel };
  view.panel = make("aside", panel, view.details, lower);
  const picture = div("picture", view.stage, view.hint, view.status, view.mapCanvas);
  view.element.classList.add("relayish");
  view.element.replaceChildren(bar(view), div("main", picture, view.panel), view.keys);
}

function bar(view) {
  const { model } = view;
  const cluster = (...row) => make("div", { class: "relayish-group" }, ...row);
  const header = make("header", { class: "relayish-bar" }, make("h1", {}, model.title), view.search.element);
  const folds = Object.entries(FOLDABLE).flatMap(([name, kinds], place) => {
    const { length } = model.holdersOf(kinds);
    const told = `fold or unfold ${name} (${place + 1})`;
    return length ? [button(`${name} ${length}`, told, () => view.foldKind(name))] : [];
  });
  const all = [
    button("fold all", "fold all ([)", () => view.foldAll(true)),
    button("unfold all", "unfold all (])", () => view.foldAll(false)),
  ];
  const zoom = [
    button("−", "smaller (−)", () => view.move((camera) => camera.zoom(1 / 1.4))),
    button("+", "larger (+)", () => view.move((camera) => camera.zoom(1.4))),
    button("fit", "show the whole (0)", () => view.move((camera) => camera.fit())),
  ];
  const aside = [
    button("theme", "light or dark (t)", () => view.flipTheme()),
    button("keys", "keys (?)", () => view.help()),
  ];
  if (model.levels.size > 1) header.append(cluster(...all, ...folds));
  header.append(cluster(...zoom), cluster(...aside));
  return header;
}
