// Elements of the page, and how numbers are written.
export function element(tag, given, children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(given || {})) {
    if (name === "onclick") made.addEventListener("click", value);
    else if (name.startsWith("aria-")) made.setAttribute(name, String(value));
    else if (value === true) made.setAttribute(name, "");
    else if (value !== false && value !== null) made.setAttribute(name, value);
  }
  for (const child of children || []) if (child !== null) made.append(child);
  return made;
}

export const show = (number) => number.toLocaleString("en");
export const change = (pair) => pair[1] - pair[0];
export const signed = (number) => (number > 0 ? "+" : "\u2212") + show(Math.abs(number));

export function time(seconds) {
  const ms = seconds * 1000;
  return ms >= 1000 ? `${seconds.toFixed(2)} s` : `${ms.toFixed(ms < 10 ? 2 : 0)} ms`;
}

export function bytes(number) {
  const sign = number < 0 ? "\u2212" : "";
  let left = Math.abs(number);
  for (const unit of ["B", "KB", "MB"]) {
    const isShort = left < 100 && unit !== "B";
    if (left < 10000 || unit === "MB") return `${sign}${isShort ? left.toFixed(1) : show(Math.round(left))} ${unit}`;
    left /= 1024;
  }
  return "";
}
