// Paints what is seen: boxes and pieces of edges in bands, so that what is far away costs nothing.
import { group } from "./dom.js";
import { FONTS, HEAD } from "./place.js";
const DASHES = { capture: [6, 4], control: [1.5, 3.5], memory: [8, 3, 2, 3] };
const COLOURS = "paper ink muted line border accent match way holder head added removed changed".split(" ");
const MARKS = { added: "+", removed: "−", changed: "≠", inside: "•" };

export class Painter {
  constructor(canvas, model, placer) {
    Object.assign(this, { canvas, model, placer, measure: placer.measure });
    this.context = canvas.getContext("2d");
  }

  /** Read the colours of the theme from the style of the page. */
  readColours(isDark) {
    const style = getComputedStyle(this.canvas);
    const read = (name) => style.getPropertyValue(`--relayish-${name}`).trim();
    this.colours = Object.fromEntries(COLOURS.map((name) => [name, read(name)]));
    this.colours.inside = this.colours.changed;
    this.isDark = isDark;
  }

  fill(box) {
    const family = this.model.families[this.model.boxes[box].family ?? -1];
    return family ? family[this.isDark ? "dark" : "light"] : this.colours.paper;
  }

  /** Paint a scene as a camera sees it, with what is to stand out. */
  paint(scene, camera, state) {
    const { context: pen, canvas, colours } = this;
    const scale = camera.scale * camera.density;
    Object.assign(this, { scene, state, zoom: camera.scale });
    pen.setTransform(1, 0, 0, 1, 0, 0);
    pen.fillStyle = colours.paper;
    pen.fillRect(0, 0, canvas.width, canvas.height);
    pen.setTransform(scale, 0, 0, scale, -camera.x * scale, -camera.y * scale);
    const area = camera.area();
    const boxes = scene.boxesIn(area);
    const pieces = scene.piecesIn(area);
    const open = boxes.filter((box) => scene.isOpen[box]);
    for (const box of open) this._holder(box);
    this._edges(pieces);
    if (this.zoom > 0.3) this._loose(area);
    for (const box of open) this._header(box);
    for (const box of boxes) if (!scene.isOpen[box]) this._box(box);
    for (const box of boxes) this._outline(box);
    if (this.zoom > 0.62) this._labels(pieces);
  }

  _alpha(box) { return !this.state.only || this.state.only.has(box) ? 1 : 0.22; }

  /** Fill and stroke a rounded rectangle like that of a box, but larger, or moved. */
  _round(box, { fill, stroke, width = 1, dash = [], grow = 0, move = 0 }) {
    const { scene, context: pen } = this;
    const [x, y] = [scene.left[box] - grow + move, scene.top[box] - grow + move];
    pen.beginPath();
    pen.roundRect(x, y, scene.width[box] + 2 * grow, scene.height[box] + 2 * grow, this._radius(box) + grow);
    Object.assign(pen, { fillStyle: fill, strokeStyle: stroke, lineWidth: width });
    pen.setLineDash(dash);
    if (fill) pen.fill();
    pen.stroke();
    pen.setLineDash([]);
  }

  _radius(box) {
    const { kind } = this.model.boxes[box];
    if (kind === "input" || kind === "output" || kind === "capture") return Math.min(15, this.scene.height[box] / 2);
    return kind === "constant" || kind === "statement" ? 2 : this.scene.isOpen[box] ? 9 : 6;
  }

  _holder(box) {
    const { kind } = this.model.boxes[box];
    const [fill, stroke] = [this.colours.holder, this.colours.border];
    this._round(box, { fill, stroke, width: kind === "scope" ? 1 : 1.4, dash: kind === "branch" ? [7, 4] : [] });
  }

  _header(box) {
    if (this.zoom * 13 < 5) return;
    const { context: pen, colours, scene } = this;
    const { head, font, told } = this.placer.face(box);
    const [left, top] = [scene.left[box] + 10, scene.top[box] + HEAD / 2 + 1];
    const width = this.measure.width(head, font) + 18;
    const aside = told ? this.measure.width(told, FONTS.small) + 8 : 0;
    pen.globalAlpha = this._alpha(box);
    const fill = this.fill(box);
    pen.fillStyle = fill === colours.paper ? colours.head : fill;
    pen.beginPath();
    pen.roundRect(left - 4, top - 10, width + aside + 10, 20, 5);
    pen.fill();
    this._write("▾", left, top, FONTS.line, colours.muted, "left");
    this._write(head, left + 15, top, font, colours.ink, "left");
    this._write(told, left + width + 5, top, FONTS.small, colours.muted, "left");
    this._ports(box);
    pen.globalAlpha = 1;
  }

  _write(text, x, y, font, colour, align = "center") {
    Object.assign(this.context, { font, fillStyle: colour, textAlign: align, textBaseline: "middle" });
    this.context.fillText(text, x, y);
  }

  _box(box) {
    const { colours } = this;
    const { kind } = this.model.boxes[box];
    const isEnd = kind === "input" || kind === "output";
    const line = { stroke: isEnd ? colours.muted : colours.border, width: isEnd ? 1.4 : 1 };
    this.context.globalAlpha = this._alpha(box);
    if (this.zoom < 0.16) return this._speck(box); // too small for more than its colour
    // a second sheet behind a folded box: there is more in it
    if (this.model.isHolder(box)) this._round(box, { ...line, fill: colours.holder, move: 4 });
    this._round(box, { ...line, fill: this.fill(box), dash: kind === "capture" || kind === "branch" ? [4, 3] : [] });
    if (this.zoom * 13 >= 5) this._texts(box, this.scene);
    this.context.globalAlpha = 1;
    return undefined;
  }

  _speck(box, { left, top, width, height } = this.scene) {
    const fill = this.fill(box);
    this.context.fillStyle = fill === this.colours.paper ? this.colours.border : fill;
    this.context.fillRect(left[box], top[box], width[box], height[box]);
    this.context.globalAlpha = 1;
  }

  /** Write the names of operands where their edges end. */
  _ports(box, { left, top, width } = this.scene) {
    const { names } = this.placer.face(box);
    const at = (place) => left[box] + ((place + 0.5) * width[box]) / names.length;
    names.forEach((name, place) => this._write(name, at(place), top[box] + 8, FONTS.small, this.colours.muted));
  }

  _texts(box, { left, top, width }) {
    const { colours } = this;
    const { head, texts, named, font } = this.placer.face(box);
    const middle = left[box] + width[box] / 2;
    const y = top[box] + (named ? 25 : 15);
    this._ports(box);
    this._write(head, middle, y, font, colours.ink);
    texts.forEach((text, place) => this._write(text, middle, y + 17 + 15 * place, FONTS.line, colours.muted));
  }

  /** Paint what stands out around a box: marks, matches, what is selected. */
  _outline(box) {
    const { colours, state } = this;
    const mark = this.model.marked[box];
    const thick = Math.max(1, 0.5 / this.zoom);
    const ring = (stroke, width, grow) => this._round(box, { stroke, width: width * thick, grow });
    if (mark && (mark !== "inside" || !this.scene.isOpen[box])) {
      ring(colours[mark], mark === "inside" ? 1.5 : 2.5, 0);
      if (this.zoom > 0.3) this._badge(box, mark);
    }
    if (state.near.has(box)) ring(colours.accent, 1.6, 1);
    if (state.matches.has(box)) ring(colours.match, 2.6, 2);
    if (state.way && state.way.has(box)) ring(colours.way, 2, 1);
    if (box === state.shown) ring(colours.accent, this.scene.isOpen[box] ? 2 : 3, 3);
    else if (box === state.hovered) ring(colours.muted, 1.2, 1);
  }

  _badge(box, mark) {
    const { context: pen, colours } = this;
    const [x, y] = [this.scene.left[box] + this.scene.width[box] - 4, this.scene.top[box] + 4];
    pen.fillStyle = colours[mark];
    pen.beginPath();
    pen.arc(x, y, 7.5, 0, 2 * Math.PI);
    pen.fill();
    this._write(MARKS[mark], x, y + 0.5, FONTS.title, colours.paper);
  }

  _edges(pieces) {
    const { state, colours } = this;
    const plain = state.only ? "0line" : "1line"; // the strong ones last, so that they are on top
    const styles = group(pieces, (piece) => {
      const is = (edges) => edges && piece.edges.some((edge) => edges.has(edge));
      const style = is(state.hot) ? "3accent" : is(state.wayEdges) ? "2way" : is(state.around) ? "2accent" : plain;
      return `${style} ${piece.kind}`;
    });
    for (const [key, row] of [...styles].sort(([one], [two]) => (one < two ? -1 : 1))) {
      const [style, kind] = key.split(" ");
      const isStrong = style[0] > 1;
      this.context.globalAlpha = style[0] > 0 ? 1 : 0.25;
      const width = Math.max(isStrong ? 2 : kind === "control" ? 1 : 1.3, (isStrong ? 1.4 : 0.7) / this.zoom);
      this._strokes(row, kind, colours[style.slice(1)], width);
    }
    this.context.globalAlpha = 1;
  }

  _strokes(pieces, kind, colour, width) {
    const pen = this.context;
    Object.assign(pen, { strokeStyle: colour, fillStyle: colour, lineWidth: width });
    pen.setLineDash((this.zoom > 0.25 && DASHES[kind]) || []);
    pen.beginPath();
    for (const { x0, y0, y1, x1, y2 } of pieces) {
      const middle = (y1 + y2) / 2;
      pen.moveTo(x0, y0);
      pen.lineTo(x0, y1);
      if (x0 === x1 || this.zoom < 0.16) pen.lineTo(x1, y2);
      else pen.bezierCurveTo(x0, middle, x1, middle, x1, y2);
    }
    pen.stroke();
    pen.setLineDash([]);
    if (this.zoom < 0.25) return;
    const side = 3.2 + width * 0.4;
    for (const { x0, y0, x1, y2, arrow } of pieces)
      if (arrow > 0) this._triangle(x1, y2, [-side, -2 * side], [side, -2 * side]);
      else if (arrow < 0) this._triangle(x0, y0, [-side, 2 * side], [side, 2 * side]);
  }

  _triangle(x, y, one, two) {
    const pen = this.context;
    pen.beginPath();
    pen.moveTo(x, y);
    pen.lineTo(x + one[0], y + one[1]);
    pen.lineTo(x + two[0], y + two[1]);
    pen.fill();
  }

  /** Paint edges that are no line: those too long to be drawn, and those of a box to itself. */
  _loose({ left, top, right, bottom }) {
    const { context: pen, scene, colours, model } = this;
    pen.lineWidth = 1.3;
    for (const { box, edge } of scene.loops) {
      const [x, y, high] = [scene.left[box] + scene.width[box], scene.top[box], scene.height[box]];
      if (x < left || x - 100 > right || y > bottom || y + high < top) continue;
      pen.strokeStyle = pen.fillStyle = this.state.around.has(edge) ? colours.accent : colours.line;
      pen.setLineDash(DASHES[model.edges[edge][4]] || []);
      pen.beginPath();
      pen.moveTo(x, y + high * 0.75);
      pen.bezierCurveTo(x + 30, y + high, x + 30, y, x + 6, y + high * 0.25);
      pen.stroke();
      pen.setLineDash([]);
      this._triangle(x, y + high * 0.25, [8, -4], [8, 4]);
    }
    for (const stub of scene.stubs) {
      if (stub.x < left - 80 || stub.x > right + 80 || stub.y < top - 40 || stub.y > bottom + 40) continue;
      pen.strokeStyle = stub.edges.some((edge) => this.state.around.has(edge)) ? colours.accent : colours.line;
      pen.beginPath();
      pen.moveTo(stub.x, stub.y);
      pen.lineTo(stub.x, stub.y + 9 * stub.direction);
      pen.stroke();
      if (this.zoom < 0.5) continue;
      const more = stub.edges.length - 1;
      const name = `${model.nameOf(stub.other)}${more ? ` +${more}` : ""}`;
      const text = this.measure.cut(`${stub.direction > 0 ? "↓" : "↑"} ${name}`, FONTS.small, stub.room);
      this._beside(text, stub.x - 5 * stub.direction, stub.y + 10 * stub.direction, colours.accent, stub.direction > 0 ? "right" : "left");
    }
  }

  /** Write types beside where edges begin, as far as there is room. */
  _labels(pieces) {
    for (const { x0, y0, label, room } of pieces) {
      if (!label || room < 24) continue;
      const text = this.measure.cut(label, FONTS.small, Math.min(room, 200));
      this._beside(text, x0 + 6, y0 + 10, this.colours.muted, "left");
    }
  }

  /** Write beside a line, and so that lines are not seen through it. */
  _beside(text, x, y, colour, align) {
    const pen = this.context;
    Object.assign(pen, { font: FONTS.small, textAlign: align, textBaseline: "middle", lineJoin: "round" });
    Object.assign(pen, { strokeStyle: this.colours.paper, lineWidth: 3 });
    pen.strokeText(text, x, y);
    this._write(text, x, y, FONTS.small, colour, align);
  }
}
