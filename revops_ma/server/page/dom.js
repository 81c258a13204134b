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
  const large = Math.abs(value) >= 1000;
  const number = value.toLocaleString("en-US", {
    maximumFractionDigits: large ? 0 : Math.abs(value) >= 100 ? 1 : 2,
  });
  if (unit === "$") return value < 0 ? `−$${number.slice(1)}` : `$${number}`;
  return unit ? `${number} ${unit}` : number;
}

export const signed = (value) =>
  value === null || value === undefined ? "" : `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(3)}`;
