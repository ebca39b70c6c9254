// Where boxes and edges are: sizes from texts, places within each level, levels within their boxes.
import { group, amount } from "./dom.js";
const SWEEPS = 8;
const GAP = 28; // between two boxes of a layer
const HEAVY = 500; // boxes count so much more than points, and than boxes at ends, which give way
const THIN = 12; // the width of the place that an edge takes in a layer it goes through
const DROP = 40; // between two layers
const PAD = 18; // between a box and what lies in it
export const HEAD = 28; // of the title of a box that is unfolded
const WIDEST = 340; // of a text
const FACE = '"Segoe UI", "Helvetica Neue", Arial, system-ui, sans-serif';
export const FONTS = {
  title: `600 13px ${FACE}`,
  line: `11.5px ${FACE}`,
  small: `10px ${FACE}`,
  code: '12px ui-monospace, "SF Mono", "DejaVu Sans Mono", Menlo, monospace',
};

/** Measures texts, each once. */
class Measure {
  constructor() {
    this.context = document.createElement("canvas").getContext("2d");
    this.known = new Map(Object.values(FONTS).map((font) => [font, new Map()]));
  }

  width(text, font) {
    const known = this.known.get(font);
    if (!known.has(text)) {
      this.context.font = font;
      known.set(text, this.context.measureText(text).width);
    }
    return known.get(text);
  }

  /** Return as much of a text as fits. */
  cut(text, font, room) {
    if (text.length < 2000 && this.width(text, font) <= room) return text;
    let [fits, not] = [0, Math.min(text.length, 2000)];
    while (not - fits > 1) {
      const middle = (fits + not) >> 1;
      if (this.width(`${text.slice(0, middle)}…`, font) <= room) fits = middle;
      else not = middle;
    }
    return fits ? `${text.slice(0, fits).trimEnd()}…` : "";
  }
}

export class Placer {
  constructor(model) {
    this.model = model;
    this.measure = new Measure();
    this.layouts = new Map(); // of levels, while nothing in them changes
    this.faces = []; // what is written in boxes, and how large that is
  }

  /** Forget what a box takes that is folded or unfolded, and so where everything around it is. */
  forget(box) {
    for (let at = this.model.parent[box]; ; at = this.model.parent[at]) {
      this.layouts.delete(at);
      if (at < 0) return;
    }
  }

  /** Return where everything seen is. */
  place() {
    const { model } = this;
    const count = model.boxes.length;
    const seen = new Uint8Array(count);
    const open = [];
    for (let box = 0; box < count; box++) {
      const holder = model.parent[box];
      seen[box] = holder < 0 || (seen[holder] && !model.folded[holder]) ? 1 : 0;
      if (seen[box] && this.isOpen(box)) open.push(box);
    }
    for (const box of [...open].reverse()) this._layout(box);
    this._layout(-1);
    const places = { seen, open, pieces: [], stubs: [], loops: [] };
    for (const name of ["left", "top", "width", "height"]) places[name] = new Float64Array(count);
    for (const box of [-1, ...open]) this._put(box, places);
    const { width, height } = this.layouts.get(-1);
    return { ...places, across: width, down: height };
  }

  isOpen(box) { return this.model.isHolder(box) && !this.model.folded[box]; }

  sizeOf(box) {
    if (!this.isOpen(box)) return this.face(box);
    const [layout, { width, top }] = [this.layouts.get(box), this.face(box)];
    return { width: Math.max(layout.width, width + 40, top) + 2 * PAD, height: layout.height + HEAD + 2 * PAD };
  }

  /** Return the texts of a box that shows nothing of what lies in it, and its size. */
  face(box) {
    if (this.faces[box]) return this.faces[box];
    const { model, measure } = this;
    const { kind, lines = [], inputs = [] } = model.boxes[box];
    const font = kind === "statement" ? FONTS.code : FONTS.title;
    const texts = lines.map((line) => measure.cut(line, FONTS.line, WIDEST));
    if (model.isHolder(box)) texts.push(`▸ ${amount(model.size[box] - 1, "box", "boxes")}`);
    const ports = String(model.ports[box]) === "0" ? [] : model.ports[box]; // a first one alone is told by nothing else
    const all = ports.map((port) => measure.cut(inputs[port] || "", FONTS.small, 90));
    const names = all.some(Boolean) ? all : [];
    const named = names.length > 0;
    const head = measure.cut(model.boxes[box].title, font, WIDEST);
    const widths = texts.map((text) => measure.width(text, FONTS.line));
    const port = Math.max(0, ...names.map((name) => measure.width(name, FONTS.small))) + 12;
    const width = Math.ceil(Math.max(44, measure.width(head, font), ...widths)) + 24;
    const word = kind === head || kind === "operator" ? "" : kind;
    const told = measure.cut([word, ...lines].filter(Boolean).join(" · "), FONTS.small, 2 * WIDEST); // beside it when it is open
    const face = { head, texts, names, named, font, told };
    face.top = Math.ceil(measure.width(head, font) + measure.width(told, FONTS.small)) + 40;
    face.width = Math.max(width, Math.ceil(named ? port * names.length + 8 : 14 * ports.length));
    face.height = 30 + texts.length * 15 + (named ? 11 : 0) + (texts.length ? 3 : 0);
    return (this.faces[box] = face);
  }

  /** Return how far from the middle of a box an edge begins or ends. */
  _port(box, edge, isTarget, width) {
    const { model } = this;
    const [source, output, target, input] = model.edges[edge];
    if ((isTarget ? target : source) !== box) {
      if (model.folded[box]) return 0;
      const layout = this.layouts.get(box);
      const point = (isTarget ? layout.enter : layout.leave).get(edge);
      return point === undefined ? 0 : layout.x[point] + (width - layout.width) / 2 - width / 2;
    }
    const ports = isTarget ? model.ports[box] : model.results[box];
    const spread = Math.min(width, isTarget && this.face(box).named ? width : 26 * ports.length);
    const place = ports.length < 2 ? 0 : ports.indexOf(isTarget ? input : output);
    return ((place + 0.5) / Math.max(1, ports.length) - 0.5) * spread;
  }

  _layout(holder) {
    if (this.layouts.has(holder)) return;
    const level = this.model.levels.get(holder);
    const { children, count, layers, routes } = level;
    const layout = { layerOf: new Int32Array(count), enter: new Map(), leave: new Map(), level };
    layers.forEach((layer, number) => layer.forEach((item) => (layout.layerOf[item] = number)));
    for (const { edge, items, last } of routes) {
      if (items[0] >= children.length) layout.enter.set(edge, items[0]);
      if (items[last] >= children.length) layout.leave.set(edge, items[last]);
    }
    const sizes = children.map((box) => this.sizeOf(box));
    const widths = new Float64Array(count).fill(THIN);
    sizes.forEach(({ width }, item) => (widths[item] = width + GAP));
    for (const { items } of routes) if (items[0] === items[1]) widths[items[0]] += 44;
    layout.ends = routes.map((route) => this._ends(route, children, sizes));
    const [above, below] = neighbours(level, layout.ends, (box) => box !== undefined && this.isOpen(box));
    const isLight = (item) => item >= children.length || !above[item].length || !below[item].length;
    layout.x = across(layers, widths, above, below, Array.from({ length: count }, (_, item) => (isLight(item) ? 1 : HEAVY)));
    let [left, right] = count ? [Infinity, -Infinity] : [0, 0];
    layout.x.forEach((x, item) => {
      const half = item < sizes.length ? sizes[item].width / 2 : 0;
      [left, right] = [Math.min(left, x - half), Math.max(right, x + half)];
    });
    routes.forEach(({ edge, reversed, items }, route) => {
      const [item, label] = [items[0], this._labelOf(edge, reversed, children[items[0]])];
      const layer = layers[layout.layerOf[item]];
      if (!label || layer[layer.length - 1] !== item) return;
      const width = Math.min(200, this.measure.width(label, FONTS.small));
      right = Math.max(right, layout.x[item] + layout.ends[route][0] + width + 8);
    });
    for (let item = 0; item < count; item++) layout.x[item] -= left;
    layout.width = right - left;
    this._spread(layout, sizes);
    stack(layout, sizes);
    this.layouts.set(holder, layout);
  }

  /** Return what is written where a route begins, if that is where its edge does. */
  _labelOf(edge, reversed, box) {
    const told = this.model.edges[edge];
    return box === told[0] && !reversed ? told[5] : "";
  }

  /** Return how far from the middles of its first and last item a route begins and ends. */
  _ends({ edge, reversed, items, last }, children, sizes) {
    const end = (item, isTarget) => {
      if (item >= children.length) return 0;
      const { width } = sizes[item];
      return reversed ? Math.min(24, width / 4) : this._port(children[item], edge, isTarget, width);
    };
    return [end(items[0], false), end(items[last], true)];
  }

  /** Let edges end at folded boxes side by side, in the order in which they come. */
  _spread({ level, ends, x }, sizes) {
    const { model } = this;
    const found = [];
    const note = (item, side, from, route) => {
      const box = level.children[item];
      const edge = model.edges[level.routes[route].edge];
      if (box === undefined || !model.folded[box] || edge[side ? 2 : 0] === box) return;
      const result = side ? `${edge[0]} ${edge[1]}` : `${edge[0]} ${edge[1]} ${from}`;
      found.push({ route, side, item, at: x[from] ?? 0, result });
    };
    level.routes.forEach(({ items, last }, route) => {
      note(items[0], 0, items[1], route);
      note(items[last], 1, items[last - 1], route);
    });
    for (const row of group(found, ({ item, side }) => `${item} ${side}`).values()) {
      row.sort((one, two) => one.at - two.at);
      const slots = [...new Set(row.map(({ result }) => result))];
      const step = Math.min(26, (sizes[row[0].item].width - 16) / slots.length);
      for (const { route, side, result } of row)
        ends[route][side] = (slots.indexOf(result) - (slots.length - 1) / 2) * step;
    }
  }

  /** Put what lies in a box where it is in the whole. */
  _put(holder, places) {
    const layout = this.layouts.get(holder);
    const { level, x, tops, layerOf } = layout;
    const isInner = holder >= 0;
    const left = isInner ? places.left[holder] + (places.width[holder] - layout.width) / 2 : 0;
    const top = isInner ? places.top[holder] + HEAD + PAD : 0;
    const border = isInner ? [places.top[holder], places.top[holder] + places.height[holder]] : [];
    level.children.forEach((box, item) => {
      const { width, height } = this.sizeOf(box);
      places.left[box] = left + x[item] - width / 2;
      places.top[box] = top + tops[layerOf[item]];
      places.width[box] = width;
      places.height[box] = height;
    });
    const at = { places, layout, left, top, border, known: new Map(), stubs: new Map() };
    level.routes.forEach((route, number) => {
      const { items, edge } = route;
      if (items[0] === items[1]) places.loops.push({ box: level.children[items[0]], edge });
      else this._draw(at, route, layout.ends[number]);
    });
    const next = new Float64Array(level.count).fill(Infinity); // where what is on the right begins to be in the way
    for (const layer of level.layers)
      for (let place = 1; place < layer.length; place++) {
        const [one, two] = [level.children[layer[place - 1]], level.children[layer[place]]];
        const half = places.height[two] > places.height[one] + 4 ? places.width[two] / 2 : 0;
        next[layer[place - 1]] = left + x[layer[place]] - half;
      }
    for (const piece of at.known.values()) piece.room = next[piece.item] - piece.x0 - 10;
  }

  /** Add the pieces of a route: each goes down beside a layer, and then bends to the next. */
  _draw({ places, layout, left, top, border, known, stubs }, { edge, reversed, items, last }, ends) {
    const { level, x, tops, heights, layerOf } = layout;
    const { children } = level;
    const [source, output, target, input, kind] = this.model.edges[edge];
    const isBox = (item) => item < children.length;
    const mid = (place) => left + x[items[place]] + (place === 0 ? ends[0] : place === last ? ends[1] : 0);
    const ceiling = (item) => top + tops[layerOf[item]];
    const floor = (item) => ceiling(item) + heights[layerOf[item]];
    const bottom = (item) => ceiling(item) + (isBox(item) ? places.height[children[item]] : 0);
    const add = (found, all, key, made) => {
      if (!found.has(key)) {
        found.set(key, { ...made, edges: [], kind });
        all.push(found.get(key));
      }
      found.get(key).edges.push(edge);
      return found.get(key);
    };
    const piece = (a, b, shape, arrow) => {
      const key = `${a} ${b} ${Math.round(shape.x0)} ${Math.round(shape.x1)} ${kind} ${arrow}`;
      return add(known, places.pieces, key, { ...shape, arrow, item: a, label: "" });
    };
    const stub = (item, place, y, direction, other) => {
      const key = `${item} ${direction} ${Math.round(mid(place))} ${direction > 0 ? output : input}`;
      add(stubs, places.stubs, key, { x: mid(place), y, direction, other, room: 80 });
    };
    for (let place = 0; place < last; place++) {
      const [a, b] = [items[place], items[place + 1]];
      if (a === -1) continue;
      const [upper, lower] = reversed ? [target, source] : [source, target];
      const start = place === 0 && !isBox(a) ? border[0] : bottom(a);
      if (b === -1) {
        stub(a, place, start, 1, lower);
        stub(items[place + 2], place + 2, ceiling(items[place + 2]), -1, upper);
        continue;
      }
      const shape = { x0: mid(place), y0: start, y1: floor(a), x1: mid(place + 1), y2: ceiling(b) };
      const isEnd = place + 1 === last && isBox(b) && (children[b] === target || this.model.folded[children[b]]);
      const isStart = place === 0 && isBox(a);
      const made = piece(a, b, shape, reversed ? -isStart : Number(isEnd));
      if (isStart) made.label = made.label || this._labelOf(edge, reversed, children[a]);
    }
    const end = items[last];
    if (isBox(end)) return;
    piece(end, -1, { x0: mid(last), y0: ceiling(end), y1: border[1], x1: mid(last), y2: border[1] }, 0);
  }
}

/** Return for each item of a level those above it and below, and how far askew they should be. */
function neighbours({ children, count, routes }, ends, isOpen) {
  // where an edge enters an unfolded box matters; among the operands of one, chains would lean
  const aim = (item, route, side) => (isOpen(children[item]) ? ends[route][side] : 0);
  const above = Array.from({ length: count }, () => []);
  const below = Array.from({ length: count }, () => []);
  const known = new Set();
  routes.forEach(({ items, last }, number) => {
    for (let place = 0; place < last; place++) {
      const [a, b] = [items[place], items[place + 1]];
      if (a < 0 || b < 0 || a === b) continue;
      const key = a * count + b;
      if (known.has(key) && (a >= children.length || b >= children.length)) continue;
      known.add(key);
      const skew = (place === 0 ? aim(a, number, 0) : 0) - (place + 1 === last ? aim(b, number, 1) : 0);
      above[b].push(a, skew);
      below[a].push(b, -skew);
    }
  });
  return [above, below];
}

/** Return the middles of items: near what they hang on, in their order, not too close. */
function across(layers, widths, above, below, weights) {
  const x = new Float64Array(widths.length);
  const most = layers.reduce((length, layer) => Math.max(length, layer.length), 0);
  const [offset, mean, weight, size] = [0, 1, 2, 3].map(() => new Float64Array(most));

  // Put a layer where the squares of the distances from its wishes are least: pool violators.
  function settle(layer, others) {
    let pools = 0, at = 0;
    for (let place = 0; place < layer.length; place++) {
      const item = layer[place];
      if (place) at += (widths[layer[place - 1]] + widths[item]) / 2;
      offset[place] = at;
      mean[pools] = (others ? wish(item, others[item]) : 0) - at;
      weight[pools] = weights[item];
      size[pools++] = 1;
      for (; pools > 1 && mean[pools - 2] > mean[pools - 1]; pools--) {
        const two = pools - 1;
        const one = two - 1;
        mean[one] = (mean[one] * weight[one] + mean[two] * weight[two]) / (weight[one] + weight[two]);
        weight[one] += weight[two];
        size[one] += size[two];
      }
    }
    for (let pool = 0, place = 0; pool < pools; pool++)
      for (const end = place + size[pool]; place < end; place++) x[layer[place]] = mean[pool] + offset[place];
  }

  function wish(item, row) {
    let sum = 0, all = 0;
    for (let place = 0; place < row.length; place += 2) {
      sum += (x[row[place]] + row[place + 1]) * weights[row[place]];
      all += weights[row[place]];
    }
    return all ? sum / all : x[item];
  }

  for (const layer of layers) settle(layer, null);
  for (let sweep = 0; sweep < SWEEPS; sweep++)
    for (let place = 0; place < layers.length; place++)
      if (sweep % 2) settle(layers[layers.length - 1 - place], below);
      else settle(layers[place], above);
  straighten(layers, widths, above, weights, x);
  return x;
}

/** Move what stands out of the column of the widest piece into it: else a long program leans. */
function straighten(layers, widths, above, weights, x) {
  const isNear = (one, other) => weights[one] + weights[other] === 2 * HEAVY && Math.abs(x[one] - x[other]) < 16;
  const pieces = [];
  for (const layer of layers) {
    const isHeld = layer.some((item) => above[item].some((one, at) => at % 2 === 0 && isNear(one, item)));
    if (!isHeld || !pieces.length) pieces.push([]);
    for (const item of layer) pieces[pieces.length - 1].push(item);
  }
  const lows = pieces.map((piece) => piece.reduce((low, item) => Math.min(low, x[item] - widths[item] / 2), Infinity));
  const highs = pieces.map((piece) => piece.reduce((high, item) => Math.max(high, x[item] + widths[item] / 2), -Infinity));
  const widest = lows.reduce((most, low, at) => (highs[at] - low > highs[most] - lows[most] ? at : most), 0);
  pieces.reduce((aside, piece, at) => {
    const moved = Math.min(Math.max(aside, lows[widest] - lows[at]), highs[widest] - highs[at]);
    for (const item of piece) x[item] += moved;
    return moved; // the piece below as far, if it may
  }, 0);
}

/** Put the layers of a level below one another, further apart where edges go far to the side. */
function stack(layout, sizes) {
  const { level, x, layerOf, ends } = layout;
  const far = new Float64Array(level.layers.length);
  level.routes.forEach(({ items, last }, number) => {
    for (let place = 0; place < last; place++) {
      const [a, b] = [items[place], items[place + 1]];
      if (a < 0 || b < 0) continue;
      const way = x[b] - x[a] + (place + 1 === last ? ends[number][1] : 0);
      far[layerOf[a]] = Math.max(far[layerOf[a]], Math.abs(way));
    }
  });
  layout.tops = [];
  layout.heights = [];
  let [y, drop] = [0, 0];
  level.layers.forEach((layer, number) => {
    const height = layer.reduce((most, item) => (item < sizes.length ? Math.max(most, sizes[item].height) : most), 0);
    layout.tops.push(y);
    layout.heights.push(height);
    drop = (height ? DROP : DROP / 2) + Math.min(160, far[number] / 14);
    y += height + drop;
  });
  layout.height = Math.max(0, y - drop);
}
