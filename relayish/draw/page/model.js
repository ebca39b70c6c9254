// What a document tells, made quick to ask: what lies in what, who uses whom, which ways there are.
import { group } from "./dom.js";

const FLOW = { functions: ["function"], branches: ["branch", "loop"], blocks: ["block"] };
export const FOLDABLE = { ...FLOW, scopes: ["scope"], operators: ["operator", "statement", "point"] };

export class Model {
  constructor(document) {
    [this.title, this.about] = [document.title || "", Object.entries(document.about || {})];
    this.boxes = document.boxes;
    this.edges = document.edges || [];
    this.families = document.families || [];
    this.number = new Map(this.boxes.map((box, number) => [box.key, number]));
    this.parent = Int32Array.from(this.boxes, (box) => box.parent ?? -1);
    const route = (row) => ({ edge: row[0], reversed: row[1], items: row.slice(2), last: row.length - 3 });
    const unpack = (level) => ({ ...level, routes: level.routes.map(route) });
    this.levels = new Map(document.levels.map((level) => [level.box ?? -1, unpack(level)]));
    this._count();
    this._connect();
    this.folded = new Uint8Array(this.boxes.length);
    for (const box of document.folded || []) this.folded[box] = 1;
  }

  /** Number the boxes so that what lies in one is a range, which needs no recursion. */
  _count() {
    const { parent } = this;
    this.size = new Int32Array(parent.length).fill(1);
    this.marked = this.boxes.map((box) => box.mark || "");
    for (let box = parent.length - 1; box >= 0; box--) {
      if (parent[box] < 0) continue;
      this.size[parent[box]] += this.size[box];
      if (this.marked[box]) this.marked[parent[box]] = this.marked[parent[box]] || "inside";
    }
    this.first = new Int32Array(parent.length);
    const next = new Int32Array(parent.length + 1);
    for (let box = 0; box < parent.length; box++) {
      const place = parent[box] < 0 ? parent.length : parent[box];
      this.first[box] = next[place];
      next[place] += this.size[box];
      next[box] = this.first[box] + 1;
    }
  }

  _connect() {
    this.incoming = this.boxes.map(() => []);
    this.outgoing = this.boxes.map(() => []);
    this.edges.forEach(([source, , target], edge) => {
      this.outgoing[source].push(edge);
      this.incoming[target].push(edge);
    });
    for (const row of this.incoming) row.sort((one, two) => this.edges[one][3] - this.edges[two][3]);
    this.ports = this.boxes.map((_, box) => this._portsOf(this.incoming[box], 3));
    this.results = this.boxes.map((_, box) => this._portsOf(this.outgoing[box], 1));
  }

  /** Return the numbers of operands, or of results, to which edges go, ascending. */
  _portsOf(edges, field) {
    return [...new Set(edges.map((edge) => this.edges[edge][field]))].sort((a, b) => a - b);
  }

  nameOf(box) { return this.boxes[box].title || this.boxes[box].key; }

  isHolder(box) { return this.levels.has(box); }

  /** Return whether `inner` is `outer` or lies in it. */
  contains(outer, inner) {
    const distance = this.first[inner] - this.first[outer];
    return distance >= 0 && distance < this.size[outer];
  }

  /** Return what is seen of a box: itself, or the outermost folded box around it. */
  shown(box) {
    let found = box;
    for (let at = this.parent[box]; at >= 0; at = this.parent[at]) if (this.folded[at]) found = at;
    return found;
  }

  /** Unfold what hides a box; return those that were folded. */
  reveal(box) {
    const opened = [];
    for (let at = this.parent[box]; at >= 0; at = this.parent[at]) {
      if (this.folded[at]) opened.push(at);
      this.folded[at] = 0;
    }
    return opened;
  }

  holdersOf(kinds) {
    const wanted = new Set(kinds);
    return [...this.levels.keys()].filter((box) => box >= 0 && wanted.has(this.boxes[box].kind));
  }

  /** Return the edges that come into a box, or go out of it, over its border. */
  crossing(box, isIncoming) {
    if (!this.isHolder(box)) return isIncoming ? this.incoming[box] : this.outgoing[box];
    return this.edges.flatMap(([source, , target], edge) => {
      const [here, there] = isIncoming ? [target, source] : [source, target];
      return this.contains(box, here) && (here === box || !this.contains(box, there)) ? [edge] : [];
    });
  }

  /** Return the boxes on all directed ways from one box to another, and the edges between them. */
  ways(start, end) {
    const down = this._reach(start, false);
    const up = this._reach(end, true);
    const boxes = new Set([...down].filter((box) => up.has(box)));
    const isOn = ([source, , target]) => boxes.has(source) && boxes.has(target);
    return { boxes, edges: new Set([...this.edges.keys()].filter((edge) => isOn(this.edges[edge]))) };
  }

  _reach(start, isUpwards) {
    const work = [...this.boxes.keys()].filter((box) => this.contains(start, box));
    const found = new Set(work);
    const go = (box) => {
      if (!found.has(box)) work.push(box);
      found.add(box);
    };
    while (work.length) {
      const box = work.pop();
      for (const edge of isUpwards ? this.incoming[box] : this.outgoing[box])
        go(this.edges[edge][isUpwards ? 0 : 2]);
      for (const other of this._through(box, isUpwards)) go(other);
    }
    return found;
  }

  /** Return where values go on without an edge: out of a box by its outputs, in by its inputs. */
  _through(box, isUpwards) {
    if (!this.links) {
      const pairs = [];
      this.boxes.forEach(({ kind }, each) => {
        const edges = { output: this.outgoing, input: this.incoming }[kind];
        if (!edges || edges[each].length) return;
        let holder = this.parent[each];
        while (holder >= 0 && !edges[holder].length) holder = this.parent[holder];
        if (holder >= 0) pairs.push(kind === "output" ? [each, holder] : [holder, each]);
      });
      this.links = [0, 1].map((end) => group(pairs, (pair) => pair[end]));
    }
    const pairs = this.links[isUpwards ? 1 : 0].get(box) || [];
    return pairs.map((pair) => pair[isUpwards ? 0 : 1]);
  }
}
