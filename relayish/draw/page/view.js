// A view of a document in an element: `relayish.view(element, document, options)`.
import { make, amount } from "./dom.js";
import { Model, FOLDABLE } from "./model.js";
import { Placer, HEAD } from "./place.js";
import { Scene } from "./scene.js";
import { Painter } from "./paint.js";
import { Camera, Minimap, follow } from "./camera.js";
import { aboutOf, detailsOf } from "./panel.js";
import { press } from "./keys.js";
import { build } from "./parts.js";
const READABLE = 0.55; // the scale below which a picture does not open
const preference = matchMedia("(prefers-color-scheme: dark)");
preference.addEventListener("change", () => views.forEach((each) => each.setTheme(each.theme)));

class View {
  constructor(element, document_, options = {}) {
    this.options = { panel: true, map: true, fragment: false, onselect: null, ...options };
    Object.assign(this, { element, model: new Model(document_), camera: new Camera() });
    Object.assign(this, { chosen: -1, matches: [], ways: null, only: null, state: { hovered: -1, hot: null } });
    this.placer = new Placer(this.model);
    build(this);
    this.painter = new Painter(this.canvas, this.model, this.placer);
    this.map = new Minimap(this.mapCanvas, this.camera, () => this.repaint());
    this._listen();
    this.setTheme(options.theme || "");
    this._measure();
    this._place();
    this._open();
    this._tell();
    if (this.options.fragment) this._fromFragment();
    this._paint();
    requestAnimationFrame(() => setTimeout(() => performance.mark("relayish:painted")));
  }

  _listen() {
    follow(this.stage, this.camera, {
      moved: () => this.repaint(),
      point: (x, y) => this._point(x, y),
      click: (x, y, isSecond) => this._click(x, y, isSecond),
      open: (x, y) => this.toggle(this.scene.boxAt(...this.camera.point(x, y))),
    });
    this.element.addEventListener("keydown", (event) => press(this, event));
    if (this.options.fragment) {
      addEventListener("popstate", () => this._fromFragment());
      addEventListener("keydown", (event) => event.target === document.body && press(this, event));
    }
    new ResizeObserver(() => {
      this._measure();
      this.map.draw(this.scene, this.painter);
      this._paint();
    }).observe(this.stage);
  }

  _measure() {
    const { camera, canvas } = this;
    const { width, height } = this.stage.getBoundingClientRect();
    Object.assign(camera, { width: Math.max(1, width), height: Math.max(1, height), density: devicePixelRatio || 1 });
    canvas.width = Math.round(camera.width * camera.density);
    canvas.height = Math.round(camera.height * camera.density);
  }

  _place() {
    const places = this.placer.place();
    this.scene = new Scene(this.model, places);
    this.camera.whole = { width: places.across, height: places.down };
    this.map.draw(this.scene, this.painter);
    this._stand();
  }

  /** Paint when the browser is ready for it; several calls are one. */
  repaint() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this._paint();
    });
  }

  _paint() {
    this.painter.paint(this.scene, this.camera, this.state);
    this.map.frame(this.painter);
    const seen = this.seen().length;
    const told = [`${seen.toLocaleString("en")} of ${amount(this.model.boxes.length, "box", "boxes")} shown`];
    this.status.textContent = [...told, `${Math.round(this.camera.scale * 100)} %`].join(" · ");
  }

  /** Show light or dark, or what the system prefers if neither is said. */
  setTheme(theme) {
    this.theme = theme;
    this.isDark = theme ? theme === "dark" : preference.matches;
    this.element.dataset.theme = this.isDark ? "dark" : "light";
    this.painter.readColours(this.isDark);
    for (const dot of this.element.querySelectorAll("[data-family]")) {
      const family = this.model.families[dot.dataset.family];
      dot.style.background = family ? family[this.isDark ? "dark" : "light"] : "transparent";
    }
    if (!this.scene) return;
    this.map.draw(this.scene, this.painter);
    this._paint();
  }

  flipTheme() { this.setTheme(this.isDark ? "light" : "dark"); }

  /** Return the boxes that are not inside a folded one. */
  seen() { return this.scene.list; }

  /** Return where everything seen is, by key: for tests, and for who draws over the picture. */
  geometry() {
    const { left, top, width, height, isOpen } = this.scene;
    const keyOf = (box) => (box < 0 ? null : this.model.boxes[box].key);
    return this.seen().map((box) => ({
      key: keyOf(box), parent: keyOf(this.model.parent[box]), open: Boolean(isOpen[box]),
      left: left[box], top: top[box], width: width[box], height: height[box],
    }));
  }

  /** Show the whole if it can be read, or else its beginning. */
  _open() {
    const { left, width, top } = this.scene;
    const isFirst = (box) => !this.scene.isOpen[box] && top[box] < this.camera.height;
    const first = this.seen().filter((box) => isFirst(box) && this.model.outgoing[box].length);
    const middles = first.map((box) => left[box] + width[box] / 2);
    this.camera.fit(READABLE, middles.reduce((sum, x) => sum + x, 0) / Math.max(1, middles.length));
  }

  /** Let something move the camera. */
  move(how) {
    how(this.camera);
    this.repaint();
  }

  /** Fold boxes, or unfold them; what is seen of `still` stays where it is on the screen. */
  fold(boxes, isFolded, still = this.chosen >= 0 ? this.chosen : boxes[0]) {
    const { model, scene } = this;
    if (!boxes.length) return;
    const held = model.shown(still);
    for (const box of boxes) model.folded[box] = isFolded ? 1 : 0;
    for (const box of boxes) this.placer.forget(box);
    this._place();
    const now = model.shown(held);
    this.camera.x += this.scene.left[now] - scene.left[held];
    this.camera.y += this.scene.top[now] - scene.top[held];
  }

  foldAll(isFolded) {
    this.fold([...this.model.levels.keys()].filter((box) => box >= 0), isFolded);
    if (this.chosen < 0) this._open();
  }

  foldKind(name) {
    const boxes = this.model.holdersOf(FOLDABLE[name]);
    this.fold(boxes, boxes.some((box) => !this.model.folded[box]));
  }

  /** Fold or unfold a box, or the one around it if nothing is in it. */
  toggle(box) {
    const holder = this.model.isHolder(box) ? box : this.model.parent[box];
    if (holder >= 0) this.fold([holder], !this.model.folded[holder], holder);
  }

  /** Select the box of a key, show it, and unfold what hides it; none for "". Return whether there is one. */
  select(key) {
    const box = key ? this.model.number.get(key) : -1;
    if (box >= 0) this.go(box);
    else if (box < 0) this.clear();
    return box !== undefined;
  }

  /** Select a box and bring it into sight. */
  go(box) {
    const opened = this.model.reveal(box);
    if (opened.length) {
      for (const each of opened) this.placer.forget(each);
      this._place();
    }
    this.choose(box);
    this.show(box);
  }

  show(box) {
    const { left, top, width, height } = this.scene;
    const { camera } = this;
    if (camera.scale < READABLE) camera.scale = Math.min(1, READABLE * 1.4);
    const area = camera.area();
    const margin = 40 / camera.scale;
    const isWithin = (start, end, first, last) => start > first + margin && end < last - margin;
    const isIn =
      isWithin(left[box], left[box] + width[box], area.left, area.right) &&
      isWithin(top[box], top[box] + height[box], area.top, area.bottom);
    const high = Math.min(height[box], (area.bottom - area.top) * 0.8);
    if (!isIn) camera.centre(left[box] + width[box] / 2, top[box] + high / 2);
    this.repaint();
  }

  /** Select a box, or none with -1, where it is. */
  choose(box) {
    if (box !== this.chosen) this.before = this.chosen;
    [this.chosen, this.ways] = [box, null];
    this._stand();
    this._tell();
    const key = box < 0 ? "" : this.model.boxes[box].key;
    if (this.options.fragment && decode(location.hash) !== key)
      history.pushState(null, "", key ? `#${encodeURIComponent(key)}` : location.pathname + location.search);
    if (this.options.onselect) this.options.onselect(key, this);
  }

  /** Find what of that which is to stand out is seen: itself, or what it is folded in. */
  _stand() {
    const { model, state, chosen, ways } = this;
    const shown = (boxes) => new Set([...boxes].map((box) => model.shown(box)));
    const edges = chosen < 0 ? [] : [...model.crossing(chosen, true), ...model.crossing(chosen, false)];
    state.shown = chosen < 0 ? -1 : model.shown(chosen);
    state.around = new Set(edges);
    state.near = shown(edges.flatMap((edge) => [model.edges[edge][0], model.edges[edge][2]]));
    state.near.delete(state.shown);
    state.matches = shown(this.matches);
    state.way = ways && shown(ways.boxes);
    state.wayEdges = ways && ways.edges;
    state.only = this.only && shown(this.only);
    for (const box of state.only || []) if (model.parent[box] >= 0) state.only.add(model.parent[box]);
    this.repaint();
  }

  _tell(...more) {
    const { model, chosen } = this;
    const help = make("p", { class: "relayish-told" }, `${amount(model.boxes.length, "box", "boxes")}. Click one to see what is known of it.`);
    const told = chosen < 0 ? [...aboutOf(model), help] : detailsOf(model, chosen, (box) => this._link(box));
    this.details.replaceChildren(...more, ...told);
    this.details.scrollTop = 0;
  }

  /** Let all boxes on ways between two boxes stand out, in either direction; return their keys. */
  path(one, two) {
    const { model } = this;
    let ways = model.ways(one, two);
    if (!ways.boxes.size) ways = model.ways(two, one);
    const found = ways.boxes.size ? `${amount(ways.boxes.size, "box", "boxes")} on the ways` : "no way leads";
    const told = `${found} between ${model.nameOf(one)} and ${model.nameOf(two)}`;
    this.ways = ways.boxes.size ? ways : null;
    this.only = this.ways && ways.boxes;
    this._stand();
    this._tell(make("p", { class: "relayish-way", role: "status" }, told));
    return [...ways.boxes].map((box) => model.boxes[box].key);
  }

  match(boxes) {
    this.matches = boxes;
    this._stand();
  }

  /** Let boxes stand out, of which one may be gone to; or let nothing, if they already do. */
  emphasise(boxes, pressed, box) {
    const isOff = box === undefined && pressed.classList.contains("relayish-here");
    this._release();
    if (isOff) return;
    pressed.classList.add("relayish-here");
    if (box !== undefined) this.go(box);
    this.only = boxes;
    this._stand();
  }

  /** Let nothing stand out. */
  clear() {
    this._release();
    this.choose(-1);
  }

  _release() {
    for (const each of this.panel.querySelectorAll(".relayish-here")) each.classList.remove("relayish-here");
    this.only = null;
    this._stand();
  }

  _point(x, y) {
    const [worldX, worldY] = this.camera.point(x, y);
    const box = x < 0 ? undefined : this.scene.boxAt(worldX, worldY);
    const onBox = box !== undefined && !this.scene.isOpen[box];
    const edges = x < 0 || onBox ? [] : this.scene.edgesAt(worldX, worldY, 5 / this.camera.scale);
    const told = edges.length ? this._tellEdges(edges) : "";
    if (this.state.hovered !== (box ?? -1) || this.hint.textContent !== told) this.repaint();
    this.state = { ...this.state, hovered: box ?? -1, hot: edges.length ? new Set(edges) : null };
    this.hint.textContent = told;
    Object.assign(this.hint.style, { left: `${Math.min(x + 14, this.camera.width - 240)}px`, top: `${y + 14}px` });
    this.stage.style.cursor = onBox ? "pointer" : "";
  }

  _tellEdges(edges) {
    const { model } = this;
    const [source, , , , , label] = model.edges[edges[0]];
    const targets = edges.map((edge) => {
      const [, , target, input] = model.edges[edge];
      const port = (model.boxes[target].inputs || [])[input];
      return model.nameOf(target) + (port ? `.${port}` : "");
    });
    const more = targets.length > 5 ? ` and ${targets.length - 5} more` : "";
    return `${model.nameOf(source)} → ${targets.slice(0, 5).join(", ")}${more}${label ? `\n${label}` : ""}`;
  }

  _click(x, y, isSecond) {
    this.stage.focus({ preventScroll: true });
    const { scene, model } = this;
    const [worldX, worldY] = this.camera.point(x, y);
    const stub = scene.stubAt(worldX, worldY);
    const box = scene.boxAt(worldX, worldY);
    const isBehind = box === undefined || scene.isOpen[box];
    if (stub && isBehind) return this.go(stub.edges.length > 1 ? model.edges[stub.edges[0]][0] : stub.other);
    if (box === undefined) return this.clear();
    const isCorner = worldX - scene.left[box] < 28 && worldY - scene.top[box] < HEAD && scene.isOpen[box];
    if (isCorner) return this.toggle(box);
    if (isSecond && this.chosen >= 0 && this.chosen !== box) return this.path(this.chosen, box);
    this._release();
    return this.choose(box);
  }

  _link(box) {
    const { key } = this.model.boxes[box];
    const go = (event) => {
      event.preventDefault();
      this.go(box);
    };
    return make("a", { href: `#${encodeURIComponent(key)}`, title: key, onclick: go }, this.model.nameOf(box));
  }

  _fromFragment() {
    const key = decode(location.hash);
    const box = this.model.number.get(key);
    if (box !== undefined && box !== this.chosen) this.go(box);
    else if (!key && this.chosen >= 0) this.clear();
  }

  help() { this.keys.showModal(); }

  /** Save what is seen as an image. */
  saveImage() { make("a", { href: this.canvas.toDataURL(), download: `${this.model.title}.png` }).click(); }

  /** Go along an edge: to the first user of what is selected, or to its first operand. */
  walk(isUpwards) {
    const [edge] = this.chosen < 0 ? [] : this.model.crossing(this.chosen, isUpwards);
    if (edge !== undefined) this.go(this.model.edges[edge][isUpwards ? 0 : 2]);
  }

  /** Go to the box before or after what is selected, among those seen. */
  step(step) {
    const seen = this.seen();
    const place = this.chosen < 0 ? -1 : seen.indexOf(this.model.shown(this.chosen));
    this.go(seen[(place + step + seen.length) % seen.length]);
  }

  /** Go to the box around what is selected, or to the first one inside it. */
  climb(isInwards) {
    const { model, chosen } = this;
    const box = !isInwards ? model.parent[chosen] : model.isHolder(chosen) ? model.levels.get(chosen).children[0] : -1;
    if (box >= 0) this.go(box);
  }
}

function decode(fragment) {
  try {
    return decodeURIComponent(fragment.slice(1));
  } catch {
    return fragment.slice(1); // written by hand
  }
}

/** The views that are in this page. */
export const views = [];

/** Show a document in an element. */
export function view(element, document_, options) {
  const others = views.filter((each) => each.element.isConnected);
  views.splice(0, views.length, ...others, new View(element, document_, options));
  return views[views.length - 1];
}
