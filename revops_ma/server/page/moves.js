// The form of a move, made from the JSON schema of the seat: any world's moves can be played.
//
// A schema is one object with a choice among names (company), or one object per tool (support desk).
// The chosen name becomes a group of buttons, numbers with both bounds become sliders.

import { capital, fill, make, words } from "./dom.js";

export class MoveForm {
  constructor(parent, onChoice) {
    this.parent = parent;
    this.onChoice = onChoice;
    this.schema = null;
  }

  show(schema) {
    const text = JSON.stringify(schema);
    if (text === this.shown) return;
    this.shown = text;
    this.schema = schema;
    this.inputs = [];
    this.fields = make("div", { class: "fields" });
    const kinds = kindsOf(schema);
    const group = make(
      "div",
      { role: "radiogroup", "aria-label": capital(words(kinds.key)), class: "kinds" },
    );
    for (const [index, kind] of kinds.all.entries()) {
      const input = make("input", { type: "radio", name: "kind", value: kind.name, id: `kind-${index}` });
      input.addEventListener("change", () => this.choose(kinds.key, kind));
      const label = make("label", { for: `kind-${index}`, title: kind.about }, words(kind.name));
      group.append(make("span", { class: "kind" }, input, label));
    }
    fill(this.parent, [group, this.fields]);
    this.kind = null;
    this.onChoice(false);
  }

  choose(key, kind) {
    const kept = Object.fromEntries(this.inputs.map((input) => [input.name, input.read()]));
    this.kind = { key, ...kind };
    this.inputs = Object.entries(kind.fields).map(([name, field]) => makeInput(name, field, kept[name], kind.needed));
    fill(this.fields, this.inputs.map((input) => input.element));
    this.onChoice(true);
  }

  read() {
    const values = {};
    for (const input of this.inputs) {
      const value = input.read();
      if (value !== undefined) values[input.name] = value;
    }
    const { key, name, within } = this.kind;
    return within ? { [key]: name, [within]: values } : { [key]: name, ...values };
  }
}

function kindsOf(schema) {
  if (schema.anyOf) {
    const key = Object.keys(schema.anyOf[0].properties).find((name) => "const" in schema.anyOf[0].properties[name]);
    const within = Object.keys(schema.anyOf[0].properties).find((name) => name !== key);
    const all = schema.anyOf.map((each) => ({
      name: each.properties[key].const,
      about: each.description ?? "",
      fields: each.properties[within].properties ?? {},
      needed: each.properties[within].required ?? [],
      within,
    }));
    return { key, all };
  }
  const key = Object.keys(schema.properties).find((name) => schema.properties[name].enum);
  const fields = Object.fromEntries(Object.entries(schema.properties).filter(([name]) => name !== key));
  const usual = Object.fromEntries(Object.entries(fields).filter(([, field]) => !isRare(field)));
  const all = schema.properties[key].enum.map((name) => ({
    name,
    about: "",
    fields: name === "PASS" || name === "pass" ? {} : usual,
    needed: schema.required ?? [],
    within: null,
  }));
  return { key, all };
}

// Numbers without bounds are the free-form deltas of a language model.
const isRare = (field) => field.type === "number" && field.maximum === undefined;

function makeInput(name, field, kept, needed) {
  const id = `field-${name}`;
  const isSlider = field.type === "number" && field.maximum !== undefined;
  const isNumber = field.type === "number" || field.type === "integer";
  const label = make("label", { for: id }, capital(words(name)));
  const input = make("input", {
    id,
    name,
    autocomplete: "off",
    maxlength: field.maxLength,
    placeholder: needed.includes(name) ? null : "optional",
    title: field.description,
  });
  if (isSlider) {
    Object.assign(input, { type: "range", min: field.minimum, max: field.maximum, step: 0.05 });
    input.value = kept ?? Math.min(0.8, field.maximum);
    const output = make("output", { for: id, class: "number" }, Number(input.value).toFixed(2));
    input.addEventListener("input", () => {
      output.textContent = Number(input.value).toFixed(2);
    });
    label.append(" ", output);
  } else if (kept !== undefined) input.value = kept;
  const read = () => {
    if (input.value === "") return undefined;
    const isWritten = isNumber && Number.isFinite(Number(input.value));
    return isSlider || isWritten ? Number(input.value) : input.value;
  };
  return { name, read, element: make("div", { class: "field" }, label, input) };
}
