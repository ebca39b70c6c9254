// The part of the picture that is looked at, the small map of the whole, and hands that move both.
const CLOSEST = 4;
const MARGIN = 28;

export class Camera {
  constructor() {
    Object.assign(this, { x: 0, y: 0, scale: 1, width: 1, height: 1, density: 1 });
    this.whole = { width: 1, height: 1 };
  }

  area() {
    const { x, y, scale } = this;
    return { left: x, top: y, right: x + this.width / scale, bottom: y + this.height / scale };
  }

  /** Return the scale at which the whole is seen, or at least its width. */
  fitting(isWhole = true) {
    const scale = (room, side) => Math.max(20, room - 2 * MARGIN) / Math.max(1, side);
    const wide = scale(this.width, this.whole.width);
    return isWhole ? Math.min(1.25, wide, scale(this.height, this.whole.height)) : wide;
  }

  /** Show the whole; or, where nothing could be read then, what is around the middle of its beginning. */
  fit(least = 0, middle = this.whole.width / 2) {
    this.scale = Math.max(this.fitting(), least && Math.max(least, Math.min(0.85, this.fitting(false))));
    const { width, height } = this.whole;
    const [wide, high, margin] = [this.width / this.scale, this.height / this.scale, MARGIN / this.scale];
    const isNarrow = width + 2 * margin <= wide;
    this.x = isNarrow ? (width - wide) / 2 : Math.min(width - wide + margin, Math.max(-margin, middle - wide / 2));
    this.y = height + 2 * margin <= high * 1.001 ? (height - high) / 2 : -margin;
  }

  zoom(factor, screenX = this.width / 2, screenY = this.height / 2) {
    const [x, y] = this.point(screenX, screenY);
    this.scale = Math.min(CLOSEST, Math.max(Math.min(0.2, this.fitting() * 0.8), this.scale * factor));
    this.hold(x, y, screenX, screenY);
  }

  /** Return what place of the picture is at one of the screen. */
  point(screenX, screenY) { return [this.x + screenX / this.scale, this.y + screenY / this.scale]; }

  /** Let a place of the picture be at one of the screen. */
  hold(x, y, screenX, screenY) {
    this.x = x - screenX / this.scale;
    this.y = y - screenY / this.scale;
  }

  pan(across, down) {
    const { width, height } = this.whole;
    const [wide, high] = [this.width / this.scale, this.height / this.scale];
    this.x = Math.min(width - wide * 0.1, Math.max(-wide * 0.9, this.x + across / this.scale));
    this.y = Math.min(height - high * 0.1, Math.max(-high * 0.9, this.y + down / this.scale));
  }

  centre(x, y) { this.hold(x, y, this.width / 2, this.height / 2); }
}

/** A small map of the whole, with a frame around what is looked at. */
export class Minimap {
  constructor(canvas, camera, moved) {
    Object.assign(this, { canvas, camera });
    this.picture = document.createElement("canvas");
    const move = (event) => {
      const box = canvas.getBoundingClientRect();
      const across = (event.clientX - box.left) / box.width;
      const down = (event.clientY - box.top) / box.height;
      camera.centre(across * camera.whole.width, down * camera.whole.height);
      moved();
    };
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      move(event);
    });
    canvas.addEventListener("pointermove", (event) => event.buttons && move(event));
  }

  /** Draw the map anew; far from square pictures are drawn broader or higher than they are. */
  draw(scene, painter) {
    const { width, height } = this.camera.whole;
    const shape = Math.min(3, Math.max(1 / 7, width / Math.max(1, height)));
    const high = Math.min(Math.max(60, this.camera.height * 0.4), 170 / shape, 220);
    const [w, h] = [Math.max(30, high * shape), high];
    for (const canvas of [this.canvas, this.picture]) {
      canvas.width = Math.round(w * this.camera.density);
      canvas.height = Math.round(h * this.camera.density);
    }
    Object.assign(this.canvas.style, { width: `${w}px`, height: `${h}px` });
    const pen = this.picture.getContext("2d");
    const [across, down] = [this.picture.width / width, this.picture.height / height];
    const { left, top, isOpen, seen } = scene;
    for (let box = 0; box < seen.length; box++) {
      if (!seen[box]) continue;
      const fill = isOpen[box] ? painter.colours.holder : painter.fill(box);
      pen.fillStyle = fill === painter.colours.paper ? painter.colours.border : fill;
      const [wide, deep] = [scene.width[box] * across, scene.height[box] * down];
      pen.fillRect(left[box] * across, top[box] * down, Math.max(1, wide), Math.max(0.5, deep));
    }
  }

  frame(painter) {
    const { camera, canvas, picture } = this;
    const pen = canvas.getContext("2d");
    const { left, top, right, bottom } = camera.area();
    const [across, down] = [canvas.width / camera.whole.width, canvas.height / camera.whole.height];
    pen.clearRect(0, 0, canvas.width, canvas.height);
    pen.drawImage(picture, 0, 0);
    const [x, y] = [Math.max(1, left * across), Math.max(1, top * down)];
    const [x1, y1] = [Math.min(canvas.width - 1, right * across), Math.min(canvas.height - 1, bottom * down)];
    pen.strokeStyle = painter.colours.accent;
    pen.lineWidth = 1.5 * camera.density;
    pen.strokeRect(x, y, Math.max(4, x1 - x), Math.max(4, y1 - y));
  }
}

/** Let mouse, trackpad and fingers move a camera; `hands` is told of clicks and of where one points. */
export function follow(stage, camera, hands) {
  let [last, isDragged] = [null, false];
  const at = (event) => {
    const box = stage.getBoundingClientRect();
    return [event.clientX - box.left, event.clientY - box.top];
  };
  stage.addEventListener("pointerdown", (event) => {
    if (event.button > 1) return;
    stage.setPointerCapture(event.pointerId);
    [last, isDragged] = [at(event), false];
  });
  stage.addEventListener("pointermove", (event) => {
    const [x, y] = at(event);
    if (!last) return hands.point(x, y);
    if (!isDragged && Math.hypot(x - last[0], y - last[1]) < 4) return undefined;
    camera.pan(last[0] - x, last[1] - y);
    [last, isDragged] = [[x, y], true];
    return hands.moved();
  });
  const lift = (event) => {
    const isClick = last && !isDragged && event.type === "pointerup" && event.button === 0;
    last = null;
    if (isClick) hands.click(...at(event), event.shiftKey);
  };
  stage.addEventListener("pointerup", lift);
  stage.addEventListener("pointercancel", lift);
  stage.addEventListener("pointerleave", () => hands.point(-1, -1));
  stage.addEventListener("dblclick", (event) => hands.open(...at(event)));
  const turn = (event) => {
    event.preventDefault();
    const [across, down] = [event.deltaX, event.deltaY].map((delta) => delta * (event.deltaMode === 1 ? 20 : 1));
    if (event.ctrlKey || event.metaKey) camera.zoom(Math.exp(-Math.max(-60, Math.min(60, down)) * 0.01), ...at(event));
    else if (event.shiftKey && !across) camera.pan(down, 0);
    else camera.pan(across, down);
    hands.moved();
  };
  stage.addEventListener("wheel", turn, { passive: false });
}
