// Small helpers. Every text goes in as text: nothing of a game is ever read as HTML.

export const byId = (id) => document.getElementById(id);

export function make(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    if (name === "class") element.className = value;
    else element.setAttribute(name, value === true ? "" : String(value));
  }
  for (const child of children) {
    element.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
  return element;
}

export function fill(parent, children) {
  parent.replaceChildren(...children);
}

export function choose(select, names, wanted) {
  const before = wanted ?? select.value;
  const options = names.map((each) => {
    const { name, label = name, title = "" } = typeof each === "string" ? { name: each } : each;
    return make("option", { value: name, title }, label);
  });
  fill(select, options);
  if (names.some((each) => (each.name ?? each) === before)) select.value = before;
}

export const words = (name) => String(name).replaceAll("_", " ");
export const capital = (text) => text.charAt(0).toUpperCase() + text.slice(1);

export function shown(value, unit = "") {
  if (value === null || value === undefined) return "–";
  if (unit === "%") return `${(value * 100).toFixed(1)} %`;
  const large = Math.abs(value) >= (unit === "$" ? 100 : 1000);
  const number = value.toLocaleString("en-US", {
    maximumFractionDigits: large ? 0 : unit || Math.abs(value) >= 100 ? 1 : 2,
  });
  if (unit === "$") return value < 0 ? `−$${number.slice(1)}` : `$${number}`;
  return `${number.replace("-", "−")}${unit ? ` ${unit}` : ""}`;
}

// A number on an axis: as short as it can be.
export const short = (value, unit = "") => {
  const number = Math.abs(value) >= 1000 ? `${+(value / 1000).toFixed(2)}k` : String(+value.toFixed(2));
  if (unit === "%") return `${+(value * 100).toFixed(1)}%`;
  return unit === "$" ? `$${number}`.replace("$-", "−$") : number;
};

const sign = (value) => (value < 0 ? "−" : "+");
const isNone = (text) => Number(text.replace(/[^\d.]/g, "")) === 0;
export const signed = (value) => (value === null || value === undefined ? "" : `${sign(value)}${Math.abs(value).toFixed(3)}`);
export function moved(change, unit) {
  const size = unit === "%" ? `${Math.abs(change * 100).toFixed(1)} pts` : shown(Math.abs(change), unit);
  return `${isNone(size) ? "±" : sign(change)}${size}`;
}
