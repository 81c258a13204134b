// The page: which view is shown, and the game in it.

import { call, Problem } from "./calls.js";
import { Charts, strikeText, struck } from "./charts.js";
import { byId, capital, choose, fill, make, moved, shown, signed, words } from "./dom.js";
import { startMatches } from "./match.js";
import { MoveForm } from "./moves.js";
import { startRuns } from "./runs.js";

const charts = new Charts(byId("charts"));
const game = { story: null, base: null, upTo: 0, stored: null, mine: false, playing: false, busy: false };
let worlds = [];
const form = new MoveForm(byId("moves"), () => refresh());

// --- Errors -----------------------------------------------------------------------------------

function complain(error) {
  if (!(error instanceof Problem)) throw error;
  byId("notice").textContent = error.message;
  byId("notice").hidden = false;
}

export async function trying(work) {
  byId("notice").hidden = true;
  try {
    return await work();
  } catch (error) {
    complain(error);
    return undefined;
  }
}

async function alone(work) {
  if (game.busy) return;
  game.busy = true;
  refresh();
  await trying(work);
  game.busy = false;
  refresh();
}

// --- Choices ----------------------------------------------------------------------------------

const worldOf = (name) => worlds.find((world) => world.name === name);
const other = (world, seat) => world.roles.find((role) => role.name !== seat);

function chooseWorld() {
  const world = worldOf(byId("world").value);
  choose(byId("scenario"), world.scenarios.map(({ name, about }) => ({ name, title: about })));
  choose(byId("seat"), world.roles.map((role) => ({ name: role.name, label: `the ${role.name}` })));
  chooseSeat();
}

function chooseSeat() {
  const world = worldOf(byId("world").value);
  const rival = other(world, byId("seat").value);
  byId("opponent-label").textContent = capital(rival.name);
  choose(byId("opponent"), rival.agents.map(described), usualOpponent(world, rival));
  if (!game.story) chooseAutopilot(world, byId("seat").value);
}

function usualOpponent(world, rival) {
  if (rival === world.roles[0]) return rival.agents.some((each) => each.name === "heuristic") ? "heuristic" : rival.agents[0].name;
  return world.scenarios.find((each) => each.name === byId("scenario").value)?.against;
}

const described = ({ name, about, kind }) => ({ name, title: about, label: kind === "language" ? `${name} (model)` : name });

function chooseAutopilot(world, seat) {
  const { agents } = world.roles.find((role) => role.name === seat);
  const usual = agents.find((each) => ["heuristic", "rule-based", "careful"].includes(each.name)) ?? agents[0];
  const known = agents.some((each) => each.name === byId("autopilot").value);
  choose(byId("autopilot"), agents.map(described), known ? undefined : usual.name);
}

// --- Playing ----------------------------------------------------------------------------------

function begin() {
  const world = worldOf(byId("world").value);
  const seat = byId("seat").value;
  const asked = { scenario: byId("scenario").value, seat, [other(world, seat).name]: byId("opponent").value };
  const seed = byId("seed").value.trim();
  if (seed) asked.seed = Number(seed);
  return alone(async () => follow(await call("/api/begin", { world: world.name, asked })));
}

function follow(story) {
  const { base = null } = story;
  game.playing = game.playing && !story.over;
  const isNew = !game.story || game.stored || game.story.seed !== story.seed || story.steps < game.story.steps;
  if (base) game.base = base;
  else if (isNew) game.base = null;
  Object.assign(game, { story, stored: null, mine: true, upTo: story.steps });
  form.show(worldOf(story.world).roles.find((role) => role.name === story.you).schema);
  chooseAutopilot(worldOf(story.world), story.you);
  draw();
}

function sendMove() {
  if (!form.kind) return undefined;
  return alone(async () => {
    const story = await call("/api/move", { action: form.read() });
    follow(story);
    if (story.refused) complain(new Problem("refused", `That move could not be played: ${words(story.refused)}. A fallback took its place.`));
  });
}

async function autoplay() {
  game.playing = !game.playing;
  while (game.playing) {
    const pace = Number(byId("pace").value);
    const before = game.story;
    await alone(async () => follow(await call("/api/auto", { agent: byId("autopilot").value, moves: pace ? 1 : 500 })));
    if (game.story === before) game.playing = false;
    else await new Promise((resolve) => setTimeout(resolve, pace));
  }
  refresh();
}

// What somebody who has never been here may want to see first.
async function watchDemo() {
  byId("pace").value = "150";
  await begin();
  if (game.story && !game.story.over && !game.playing) await autoplay();
}

const oneMove = () => alone(async () => follow(await call("/api/auto", { agent: byId("autopilot").value })));

function fork() {
  const body = { at: game.upTo + 1 };
  if (game.stored) Object.assign(body, { run: game.stored.run, episode: game.stored.number, seat: game.story.roles[0] });
  return alone(async () => {
    const story = await call("/api/fork", body);
    follow(story);
    byId("fork-note").textContent = `Playing on from step ${body.at} under the same luck; the dashed line is how it went before.`;
    byId("board").focus();
  });
}

async function watch() {
  game.watching = !game.watching;
  if (game.upTo >= game.story.steps) game.upTo = 0;
  while (game.watching && game.upTo < game.story.steps) {
    game.upTo += 1;
    draw();
    await new Promise((resolve) => setTimeout(resolve, Math.max(Number(byId("pace").value), 60)));
  }
  game.watching = false;
  refresh();
}

function openStored(story, run, number) {
  Object.assign(game, { story: { ...story, you: null }, base: null, upTo: 0, stored: { run, number }, playing: false });
  draw();
  showTab(byId("tab-play"));
  byId("board").focus();
}

// --- Drawing ----------------------------------------------------------------------------------

function draw() {
  const { story, upTo, base } = game;
  drawHead(story);
  drawTiles(story, upTo);
  drawDesk(story, upTo);
  charts.draw(story, upTo, base);
  drawLog(story, upTo);
  byId("welcome").hidden = true;
  byId("board").classList.remove("fresh");
  byId("prompt").textContent = story.text;
  byId("fork-note").hidden = !base;
  refresh();
}

function drawHead(story) {
  const who = story.roles.map((role) => `${role}: ${story.players[role]}`).join(", ");
  byId("title").textContent = story.scenario;
  byId("subtitle").textContent = `${who}, seed ${story.seed}${game.stored ? ` (stored in ${game.stored.run})` : ""}`;
  const isEnd = story.over && game.upTo === story.steps;
  const told = isEnd ? `${story.won ? "Won" : "Lost"}: ${words(story.ending)} after ${story.steps} ${story.step_name}s, return ${story.return.toFixed(2)}` : "";
  if (byId("outcome").textContent !== told) byId("outcome").textContent = told;
  byId("outcome").dataset.tone = isEnd ? (story.won ? "good" : "bad") : "";
}

function drawTiles(story, upTo) {
  const tile = (name, value) =>
    make("div", { class: "tile" }, make("span", { class: "name", title: name }, name), make("span", { class: "number" }, value));
  const paid = story.rewards.slice(0, upTo).reduce((sum, each) => sum + Object.values(each).reduce((a, b) => a + b, 0), 0);
  const brief = { months: "mo" };
  const tiles = [
    tile(capital(story.step_name), story.max_steps ? `${upTo} of ${story.max_steps}` : String(upTo)),
    tile(`${capital(story.roles[0])}'s return`, paid.toFixed(2)),
    ...Object.entries(story.figures).map(([name, { title, unit }]) => tile(title, shown(story.series[name][upTo], brief[unit] ?? unit))),
  ];
  fill(byId("tiles"), tiles);
  const last = struck(story, upTo).at(-1);
  byId("crisis").dataset.tone = last?.step === upTo ? "bad" : "";
  byId("crisis").textContent = last ? `${capital(story.roles[last.role])}, ${story.step_name} ${last.step}: ${strikeText(last)}` : "No crisis so far.";
}

function drawDesk(story, upTo) {
  const hasTask = story.brief !== "";
  byId("desk").hidden = !hasTask;
  if (!hasTask) return;
  byId("ticket").textContent = story.brief;
  byId("budget").max = story.max_steps;
  byId("budget").value = upTo;
  byId("budget-text").textContent = `${upTo} of ${story.max_steps} steps used`;
}

// How a step changed the figures that can lose the game.
function changes(story, step) {
  return Object.entries(story.figures)
    .filter(([, figure]) => figure.limits.length)
    .map(([name, { title, unit }]) => `${title} ${moved(story.series[name][step] - story.series[name][step - 1], unit)}`)
    .join(", ");
}

function drawLog(story, upTo) {
  byId("paid").textContent = `${capital(story.roles[0])}'s reward`;
  const rows = story.turns.filter((turn) => turn.step <= upTo).reverse().map((turn) => {
    const role = story.roles[turn.role];
    const mark = turn.mark && turn.mark !== "ok" ? turn.mark : "";
    const came = turn.reward === null ? "" : changes(story, turn.step);
    const more = [turn.text, mark, turn.answer, came].filter(Boolean).join(" · ");
    const answer = make("td", { title: turn.full || null }, more);
    if (turn.full && turn.full !== turn.answer) answer.append(make("details", {}, make("summary", {}, "whole answer"), make("code", {}, turn.full)));
    return make(
      "tr",
      { "data-role": turn.role, "data-tone": turn.tone },
      make("td", {}, turn.step),
      make("td", {}, `${role} (${turn.by})`),
      make("td", {}, turn.move),
      answer,
      make("td", { class: "number" }, signed(turn.reward)),
    );
  });
  fill(byId("log").tBodies[0], rows);
}

function refresh() {
  const { story, stored, busy, playing, upTo } = game;
  const isLive = Boolean(story) && !stored && !story.over;
  byId("begin").disabled = byId("demo").disabled = busy || playing;
  byId("send").disabled = busy || playing || !isLive || !form.kind;
  byId("one").disabled = busy || playing || !isLive;
  byId("auto").disabled = !isLive && !playing;
  byId("auto").textContent = playing ? "Pause" : "Play on";
  byId("auto").setAttribute("aria-pressed", String(playing));
  byId("step").disabled = !story;
  byId("step").max = story?.steps ?? 0;
  byId("step").value = upTo;
  byId("step-shown").textContent = upTo;
  byId("watch").disabled = !story || story.steps === 0 || playing;
  byId("watch").textContent = game.watching ? "Stop" : "Replay";
  byId("back").hidden = !stored || !game.mine;
  byId("fork").disabled = busy || playing || !story || upTo >= story.steps;
  byId("turn").textContent = isLive ? `${story.you}, ${story.step_name} ${story.steps + 1}` : "";
}

// --- Views, theme, start ----------------------------------------------------------------------

const tabs = [...document.querySelectorAll("[role=tab]")];

function showTab(chosen) {
  for (const tab of tabs) {
    const isChosen = tab === chosen;
    tab.setAttribute("aria-selected", String(isChosen));
    tab.tabIndex = isChosen ? 0 : -1;
    byId(tab.getAttribute("aria-controls")).hidden = !isChosen;
  }
}

function moveTab(event) {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
  if (!step) return;
  const next = tabs[(tabs.indexOf(event.target) + step + tabs.length) % tabs.length];
  showTab(next);
  next.focus();
}

function isDark() {
  const { theme } = document.documentElement.dataset;
  return theme ? theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

function drawTheme() {
  byId("theme").textContent = isDark() ? "Light" : "Dark";
  byId("theme").setAttribute("aria-label", `Switch to the ${isDark() ? "light" : "dark"} theme`);
  charts.reset();
  charts.key = null;
  if (game.story) draw();
}

function switchTheme() {
  const theme = isDark() ? "light" : "dark";
  document.documentElement.dataset.theme = theme;
  try {
    localStorage.setItem("theme", theme);
  } catch {
    // Then it is forgotten.
  }
  drawTheme();
}

function listen() {
  const on = (id, event, work) => byId(id).addEventListener(event, work);
  const submit = (id, work) =>
    on(id, "submit", (event) => {
      event.preventDefault();
      work();
    });
  submit("start", begin);
  submit("hand", sendMove);
  on("world", "change", chooseWorld);
  on("seat", "change", chooseSeat);
  on("scenario", "change", chooseSeat);
  on("auto", "click", autoplay);
  on("one", "click", oneMove);
  on("fork", "click", fork);
  on("watch", "click", watch);
  on("demo", "click", watchDemo);
  on("back", "click", () => alone(async () => follow(await call("/api/story"))));
  on("theme", "click", switchTheme);
  on("step", "input", () => {
    game.upTo = Number(byId("step").value);
    draw();
  });
  for (const tab of tabs) {
    tab.addEventListener("click", () => showTab(tab));
    tab.addEventListener("keydown", moveTab);
  }
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", drawTheme);
}

async function resume() {
  try {
    follow(await call("/api/story"));
  } catch (error) {
    if (error.code !== "no_episode") complain(error);
  }
}

listen();
drawTheme();
refresh();
await trying(async () => {
  const found = await call("/api/choices");
  worlds = found.worlds;
  choose(byId("world"), worlds.map((world) => world.name));
  chooseWorld();
  startMatches(worlds, trying);
  startRuns(found.runs, trying, openStored);
  if (found.resumes) await resume();
});
document.body.dataset.ready = "yes";
