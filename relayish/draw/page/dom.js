// Elements of the page, made of text alone: nothing of a document is ever read as HTML. And groups.
/** Return a new element; attributes that begin with "on" are listeners, strings become text. */
export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value !== false) element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children);
  return element;
}

/** Return a new button, which says in its title which key does the same. */
export function button(label, title, onclick, attributes = {}) {
  return make("button", { type: "button", title, "aria-label": title, onclick, ...attributes }, label);
}

/** Return a drawing of bars, each as high as its number. */
export function bars(numbers, width, height) {
  const space = "http://www.w3.org/2000/svg";
  const picture = document.createElementNS(space, "svg");
  picture.setAttribute("viewBox", `0 0 ${width} ${height}`);
  picture.setAttribute("class", "relayish-histogram");
  picture.setAttribute("role", "img");
  picture.setAttribute("aria-label", `histogram: ${numbers.join(", ")}`);
  const step = width / numbers.length;
  const most = Math.max(1, ...numbers);
  numbers.forEach((number, place) => {
    const bar = document.createElementNS(space, "rect");
    const high = number ? Math.max(1, (number / most) * height) : 0;
    const sides = { x: place * step + 0.5, y: height - high, width: step - 1, height: high };
    for (const [name, value] of Object.entries(sides)) bar.setAttribute(name, value.toFixed(2));
    picture.append(bar);
  });
  return picture;
}

/** Return how many there are of something, in words. */
export function amount(number, one, many = `${one}s`) {
  return `${number.toLocaleString("en")} ${number === 1 ? one : many}`;
}

/** Return things by what a function says of each, in their order. */
export function group(things, keyOf) {
  const groups = new Map();
  for (const thing of things) {
    const key = keyOf(thing);
    if (groups.has(key)) groups.get(key).push(thing);
    else groups.set(key, [thing]);
  }
  return groups;
}
