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
export function bars(numbers) {
  const most = Math.max(1, ...numbers);
  const told = { class: "relayish-histogram", role: "img", "aria-label": `histogram: ${numbers.join(", ")}` };
  const heights = numbers.map((number) => number && Math.max(2, (number / most) * 100));
  return make("div", told, ...heights.map((height) => make("span", { style: `height: ${height}%` })));
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
    groups.set(key, groups.get(key) ?? []).get(key).push(thing);
  }
  return groups;
}
