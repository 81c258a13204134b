// Stored runs: their scoreboard, and every episode to watch or to fork.

import { call } from "./calls.js";
import { byId, choose, fill, make, words } from "./dom.js";
import { drawScores } from "./match.js";

export function startRuns(names, trying, watch) {
  choose(byId("run"), names);
  byId("open-run").disabled = names.length === 0;
  if (!names.length) byId("runs-note").textContent = "None here. `revops-ma match … --out runs/NAME` writes one.";
  byId("runs").addEventListener("submit", (event) => {
    event.preventDefault();
    trying(async () => open(byId("run").value, trying, watch));
  });
}

async function open(name, trying, watch) {
  const run = await call(`/api/runs/${encodeURIComponent(name)}`);
  byId("runs-note").textContent = `${run.scenario}, ${run.planned} episodes planned`;
  drawScores(byId("run-scores"), run.scoreboard.map((line) => ({ ...line, scenario: run.scenario })));
  const rows = run.episodes.map((told) => {
    const button = make("button", { type: "button", "aria-label": `Watch episode ${told.number}` }, "Watch");
    button.disabled = told.status !== "completed";
    button.addEventListener("click", () =>
      trying(async () => watch(await call(`/api/runs/${encodeURIComponent(name)}/${told.number}`), name, told.number)),
    );
    return make(
      "tr",
      { "data-tone": told.won ? "good" : "plain" },
      make("td", {}, told.number),
      make("td", {}, told.matchup),
      make("td", {}, told.seed),
      make("td", {}, told.status === "completed" ? words(told.ending) : told.status),
      make("td", { class: "number" }, told.steps),
      make("td", { class: "number" }, told.return === null ? "" : told.return.toFixed(2)),
      make("td", {}, button),
    );
  });
  fill(byId("run-episodes").tBodies[0], rows);
}
