// Matches: two agents over many seeds, and a scoreboard with intervals.

import { call } from "./calls.js";
import { byId, capital, choose, fill, make, shown, words } from "./dom.js";

// How the facts of all worlds are titled.
const titles = {};

export function startMatches(worlds, trying) {
  for (const world of worlds) Object.assign(titles, world.figures);
  const worldOf = () => worlds.find((world) => world.name === byId("m-world").value);
  const draw = () => {
    choose(byId("m-scenario"), worldOf().scenarios.map((each) => each.name));
    const { against } = worldOf().scenarios.find((each) => each.name === byId("m-scenario").value);
    fill(byId("m-players"), worldOf().roles.map((role) => {
      const select = make("select", { "data-role": role.name });
      choose(select, role.agents.filter((each) => each.kind !== "language").map((each) => each.name), role === worldOf().roles[0] ? "heuristic" : against);
      return make("label", {}, `${capital(role.name)} `, select);
    }));
  };
  choose(byId("m-world"), worlds.map((world) => world.name));
  byId("m-world").addEventListener("change", draw);
  draw();
  const results = [];
  byId("match").addEventListener("submit", async (event) => {
    event.preventDefault();
    const button = byId("m-play");
    button.disabled = true;
    button.textContent = "Playing …";
    await trying(async () => {
      const players = Object.fromEntries(
        [...byId("m-players").querySelectorAll("select")].map((select) => [select.dataset.role, select.value]),
      );
      const asked = {
        world: worldOf().name,
        scenario: byId("m-scenario").value,
        players,
        episodes: Number(byId("m-episodes").value),
        seed: Number(byId("m-seed").value),
      };
      results.unshift({ ...(await call("/api/match", asked)), roles: Object.keys(players) });
      byId("m-note").textContent = "Bars are 95 % intervals. Rows on the same seeds can be compared directly.";
      drawScores(byId("scoreboard"), results);
    });
    button.disabled = false;
    button.textContent = "Play the match";
  });
}

// A row per match: who, how many, and each figure with its interval.
export function drawScores(table, results) {
  const figures = (result) => [
    ["won", result.survival, "%"],
    ["return", result.episode_return, ""],
    ["reward a step", result.reward_per_step, ""],
    ...Object.entries(result.facts ?? {}).map(([name, value]) => [titles[name]?.title ?? words(name), value, titles[name]?.unit ?? ""]),
  ];
  // Worlds have different facts: a column for each that some match has.
  const names = [...new Set(results.flatMap((result) => figures(result).map(([name]) => name)))];
  const heads = ["Scenario", "Who", "Episodes", ...names];
  fill(table.tHead, [make("tr", {}, ...heads.map((name) => make("th", { scope: "col" }, capital(name))))]);
  const ranges = new Map();
  for (const result of results) for (const [name, value] of figures(result)) spread(ranges, name, value);
  fill(table.tBodies[0], results.map((result) => {
    const who = ["pilot", "crisis"].map((role) => result[role]).filter(Boolean).join(" against ");
    const failed = result.failed ? `, ${result.failed} failed` : "";
    const found = new Map(figures(result).map(([name, ...rest]) => [name, rest]));
    const cells = names.map((name) => make("td", {}, ...(found.has(name) ? interval(...found.get(name), ranges.get(name)) : ["–"])));
    return make("tr", {}, make("td", {}, result.scenario ?? ""), make("th", { scope: "row" }, who), make("td", {}, `${result.completed}${failed}`), ...cells);
  }));
}

function spread(ranges, name, value) {
  const [low, high] = ranges.get(name) ?? [Infinity, -Infinity];
  ranges.set(name, [Math.min(low, value.low ?? value.mean ?? low), Math.max(high, value.high ?? value.mean ?? high)]);
}

const SVG = "http://www.w3.org/2000/svg";

function interval({ mean, low, high }, unit, [least, most]) {
  const text = `${shown(mean, unit)} [${shown(low, unit)}, ${shown(high, unit)}]`;
  if (mean === null || low === null) return [shown(mean, unit)];
  const [from, to] = unit === "%" ? [0, 1] : [Math.min(least, 0), most > least ? most : least + 1];
  const x = (value) => 2 + (96 * (value - from)) / (to - from || 1);
  const svg = document.createElementNS(SVG, "svg");
  for (const [name, value] of [["viewBox", "0 0 100 10"], ["class", "interval"], ["aria-hidden", "true"], ["preserveAspectRatio", "none"]]) svg.setAttribute(name, value);
  const add = (tag, attributes) => {
    const part = document.createElementNS(SVG, tag);
    for (const [name, value] of Object.entries(attributes)) part.setAttribute(name, value);
    svg.append(part);
  };
  add("line", { x1: 0, x2: 100, y1: 5, y2: 5, class: "rail" });
  add("line", { x1: x(low), x2: x(high), y1: 5, y2: 5, class: "range" });
  add("rect", { x: x(mean) - 0.8, y: 1, width: 1.6, height: 8, class: "mean" });
  return [make("span", { class: "number" }, text), svg];
}
