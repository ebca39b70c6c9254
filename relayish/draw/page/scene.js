// What is placed, in bands, so that what is far away from a place costs nothing to find what is near.
const BAND = 600;

/** Return a function that finds which things reach into what is between two heights. */
function banded(things, topOf, bottomOf) {
  const bands = [];
  for (const thing of things)
    for (let band = Math.floor(topOf(thing) / BAND); band <= Math.floor(bottomOf(thing) / BAND); band++)
      (bands[band] = bands[band] || []).push(thing);
  return (top, bottom) => {
    const rows = bands.slice(Math.max(0, Math.floor(top / BAND)), Math.max(0, Math.floor(bottom / BAND) + 1));
    return [...new Set(rows.flat())].filter((thing) => topOf(thing) <= bottom && bottomOf(thing) >= top);
  };
}

export class Scene {
  constructor(model, places) {
    Object.assign(this, places);
    this.list = [...model.boxes.keys()].filter((box) => this.seen[box]);
    this.isOpen = new Uint8Array(model.boxes.length);
    for (const box of this.open) this.isOpen[box] = 1;
    this.boxes = banded(this.list, (box) => this.top[box], (box) => this.top[box] + this.height[box]);
    this.lines = banded(this.pieces, ({ y0 }) => y0, ({ y2 }) => y2);
  }

  /** Return the boxes within a rectangle, outer ones first. */
  boxesIn({ left, top, right, bottom }) {
    const isIn = (box) => this.left[box] <= right && this.left[box] + this.width[box] >= left;
    return this.boxes(top, bottom).filter(isIn).sort((one, two) => one - two);
  }

  piecesIn({ left, top, right, bottom }) {
    const isIn = ({ x0, x1, label }) => Math.min(x0, x1) <= right && Math.max(x0, x1) + (label ? 160 : 0) >= left;
    return this.lines(top, bottom).filter(isIn);
  }

  boxAt(x, y) { return this.boxesIn({ left: x, right: x, top: y, bottom: y }).pop(); }

  stubAt(x, y) {
    const isAside = (stub) => (stub.x - x) * stub.direction > -6 && (stub.x - x) * stub.direction < stub.room;
    return this.stubs.find((stub) => isAside(stub) && Math.abs(stub.y + 10 * stub.direction - y) < 8);
  }

  /** Return the edges that pass nearest to a point, if that is near. */
  edgesAt(x, y, near) {
    const pieces = this.piecesIn({ left: x - near, right: x + near, top: y - near, bottom: y + near });
    const away = pieces.map((piece) => distance(piece, x, y));
    const nearest = Math.min(near, ...away) + 0.5;
    return [...new Set(pieces.flatMap(({ edges }, place) => (away[place] < nearest ? edges : [])))];
  }
}

/** Return how far a point is from a piece, about: across, and less the flatter it is there. */
function distance({ x0, y0, y1, x1, y2 }, x, y) {
  if (y < y1) return y < y0 ? Infinity : Math.abs(x - x0);
  let t = 0.5;
  for (let step = 0.25; step > 0.0005; step /= 2)
    t += 1.5 * t * (1 - t) + t * t * t < (y - y1) / (y2 - y1) ? step : -step;
  const [right, down] = [(x1 - x0) * 6 * t * (1 - t), (y2 - y1) * (1.5 - 3 * t + 3 * t * t)];
  return (Math.abs(x - x0 - (x1 - x0) * t * t * (3 - 2 * t)) * down) / Math.hypot(right, down);
}
