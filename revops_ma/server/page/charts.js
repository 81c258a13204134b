// The charts of an episode: a line per figure, stacked rewards, and who moved when.
//
// Axes are as long as the episode from the start, so nothing jumps while it grows. A story is cut at
// a step by `draw`; the line that a fork left is drawn thin.

import { capital, fill, make, short, shown, words } from "./dom.js";

const COLOURS = ["--s1", "--s2", "--s3", "--s4", "--s5", "--s6", "--s7", "--s8"];

let probe;
function colour(name) {
  probe ??= document.body.appendChild(make("span", { hidden: true }));
  probe.style.color = `var(${name})`;
  return getComputedStyle(probe).color;
}

const faded = (rgb, alpha) => rgb.replace("rgb(", "rgba(").replace(")", `, ${alpha})`);

// Vertical lines where the second seat struck.
const strikes = {
  id: "strikes",
  beforeDatasetsDraw(chart, _, { steps = [], colour: ink }) {
    const { ctx, chartArea: area, scales } = chart;
    ctx.save();
    ctx.strokeStyle = ink;
    ctx.fillStyle = ink;
    ctx.setLineDash([2, 3]);
    for (const step of steps) {
      const x = scales.x.getPixelForValue(step);
      ctx.beginPath();
      ctx.moveTo(x, area.top);
      ctx.lineTo(x, area.bottom);
      ctx.stroke();
      ctx.beginPath();
      ctx.moveTo(x - 4, area.top);
      ctx.lineTo(x + 4, area.top);
      ctx.lineTo(x, area.top + 6);
      ctx.fill();
    }
    ctx.restore();
  },
};

export const struck = (story, upTo = Infinity) =>
  story.turns.filter((turn) => turn.role > 0 && turn.kind !== null && turn.strength > 0 && turn.step <= upTo);

export const strikeText = (turn) => `${turn.move} by ${turn.by}${turn.text ? `: ${turn.text}` : ""}`;

export class Charts {
  constructor(parent) {
    this.parent = parent;
    this.all = new Map();
  }

  // Redraw everything, after a change of theme for example.
  reset() {
    for (const { chart } of this.all.values()) chart.destroy();
    this.all.clear();
    fill(this.parent, []);
  }

  draw(story, upTo, base) {
    const wanted = [...Object.keys(story.series), "*rewards", "*moves"];
    const key = `${story.world}:${wanted}`;
    if (key !== this.key) {
      this.reset();
      this.key = key;
      const figures = wanted.length - 2;
      this.parent.dataset.perRow = figures % 4 === 0 ? 4 : Math.min(figures, 3);
      for (const name of wanted) this.add(name, story);
    }
    for (const [name, entry] of this.all) {
      if (name === "*rewards") this.drawRewards(entry, story, upTo);
      else if (name === "*moves") this.drawMoves(entry, story, upTo);
      else this.drawFigure(entry, name, story, upTo, base);
    }
  }

  add(name, story) {
    const canvas = make("canvas", { role: "img" });
    const value = make("span", { class: "value" });
    const title =
      name === "*rewards" ? "Reward signals" : name === "*moves" ? "Moves and strengths" : story.figures[name].title;
    const wide = name.startsWith("*");
    const caption = make("figcaption", {}, make("span", {}, title), value);
    const holder = make("div", { class: "canvas" }, canvas);
    this.parent.append(make("figure", { class: wide ? "chart wide" : "chart", "data-chart": name }, caption, holder));
    const ink = colour("--soft");
    const chart = new Chart(canvas, {
      type: name === "*rewards" ? "bar" : name === "*moves" ? "bubble" : "line",
      data: { datasets: [] },
      options: options(ink, colour("--hair"), wide, name === "*rewards"),
      plugins: [strikes],
    });
    this.all.set(name, { chart, value, canvas, title });
  }

  finish({ chart, canvas, title }, story, upTo, summary) {
    const hits = struck(story, upTo);
    // Bars and circles are as wide as a step.
    const isWide = chart.config.type !== "line";
    chart.options.scales.x.max = (story.max_steps ?? Math.max(story.steps, 10)) + (isWide ? 0.6 : 0);
    chart.options.scales.x.ticks.callback = (value) => (Number.isInteger(value) ? value : "");
    chart.options.plugins.strikes = { steps: hits.map((turn) => turn.step), colour: colour("--s2") };
    chart.options.plugins.tooltip.callbacks.title = (items) => `${capital(story.step_name)} ${items[0]?.parsed.x}`;
    chart.options.plugins.tooltip.callbacks.footer = (items) => {
      const here = hits.filter((turn) => turn.step === items[0]?.parsed.x);
      return here.map((turn) => `Struck: ${strikeText(turn)}`.slice(0, 160));
    };
    canvas.setAttribute("aria-label", `${title}: ${summary}`);
    chart.update("none");
  }

  drawFigure(entry, name, story, upTo, base) {
    const { unit, limits } = story.figures[name];
    const points = story.series[name].slice(0, upTo + 1).map((y, x) => ({ x, y }));
    const ink = colour("--s1");
    const longest = story.max_steps ?? Math.max(story.steps, 10);
    const line = (label, data, more) => ({ label, data, parsing: false, pointRadius: 0, borderWidth: 2, ...more });
    const sets = [
      line(entry.title, points, { borderColor: ink, backgroundColor: ink, pointRadius: points.length > 40 ? 0 : 2 }),
    ];
    const before = base?.series[name]?.map((y, x) => ({ x, y }));
    if (before) sets.push(line("Before the fork", before, { borderColor: colour("--s7"), borderWidth: 1.5, borderDash: [5, 4] }));
    for (const limit of limits) {
      const ends = [{ x: 0, y: limit }, { x: longest, y: limit }];
      sets.push(line("Lost at", ends, { borderColor: colour("--s4"), borderWidth: 1.5, borderDash: [2, 2], pointHitRadius: 0 }));
    }
    entry.chart.data.datasets = sets;
    const axis = entry.chart.options.scales.y;
    axis.ticks.callback = (value) => short(value, unit);
    // A figure that never moved gets an axis from 0 to 1, not from -1 to 1.
    Object.assign(axis, points.every((point) => point.y === 0) ? { min: 0, suggestedMax: 1 } : { min: undefined, suggestedMax: undefined });
    entry.chart.options.plugins.tooltip.callbacks.label = (item) => `${item.dataset.label}: ${shown(item.parsed.y, unit)}`;
    const last = points.at(-1)?.y;
    entry.value.textContent = shown(last, unit);
    this.finish(entry, story, upTo, `${points.length} points, now ${shown(last, unit)}`);
  }

  drawRewards(entry, story, upTo) {
    const rewards = story.rewards.slice(0, upTo);
    entry.chart.data.datasets = story.signals.map((signal, index) => ({
      label: words(signal),
      data: rewards.map((each, at) => ({ x: at + 1, y: each[signal] })),
      backgroundColor: colour(COLOURS[index]),
      stack: "reward",
      // A single bar would be as wide as the gap between two labels.
      maxBarThickness: Math.max(2, (0.75 * entry.canvas.parentElement.clientWidth) / ((story.max_steps ?? 10) + 4)),
    }));
    entry.chart.options.plugins.tooltip.callbacks.label = (item) => `${item.dataset.label}: ${item.parsed.y.toFixed(3)}`;
    const total = rewards.reduce((sum, each) => sum + Object.values(each).reduce((a, b) => a + b, 0), 0);
    entry.value.textContent = `total ${total.toFixed(2)}`;
    this.finish(entry, story, upTo, `${rewards.length} steps, total ${total.toFixed(2)}`);
  }

  drawMoves(entry, story, upTo) {
    const turns = story.turns.filter((turn) => turn.step <= upTo && turn.kind !== null);
    // The seats' moves stay apart: the first one's are above.
    const labels = [...new Set(turns.toSorted((a, b) => a.role - b.role).map((turn) => turn.kind))];
    const scale = entry.chart.options.scales.y;
    Object.assign(scale, { type: "category", labels: labels.length ? labels : ["no move yet"], offset: true });
    Object.assign(scale.ticks, { autoSkip: false, maxTicksLimit: labels.length + 1 });
    scale.ticks.callback = (index) => capital(words(scale.labels[index] ?? "")).slice(0, 26);
    entry.chart.data.datasets = story.roles.map((role, index) => {
      const ink = colour(COLOURS[index]);
      return {
        label: capital(role),
        data: turns
          .filter((turn) => turn.role === index)
          .map((turn) => ({ x: turn.step, y: turn.kind, r: 2 + 3.2 * Math.min(turn.strength, 1.5), move: turn.move })),
        clip: false,
        backgroundColor: faded(ink, 0.65),
        borderColor: ink,
      };
    });
    entry.chart.options.plugins.tooltip.callbacks.label = (item) => `${item.dataset.label}: ${item.raw.move}`;
    const count = `${turns.length} move${turns.length === 1 ? "" : "s"}`;
    entry.value.textContent = count;
    this.finish(entry, story, upTo, count);
  }
}

function options(ink, grid, legend, stacked) {
  const font = { family: getComputedStyle(document.body).fontFamily, size: 11 };
  return {
    animation: false,
    responsive: true,
    maintainAspectRatio: false,
    interaction: { mode: "index", intersect: false, axis: "x" },
    scales: {
      x: { type: "linear", min: 0, max: 30, offset: false, stacked, ticks: { color: ink, font, precision: 0, includeBounds: false, maxRotation: 0 }, grid: { color: grid, offset: false } },
      y: { stacked, ticks: { color: ink, font, maxTicksLimit: 6 }, grid: { color: grid } },
    },
    plugins: {
      legend: { display: legend, labels: { color: ink, font, boxWidth: 10 } },
      tooltip: { callbacks: {}, footerFont: { weight: "normal" } },
      strikes: {},
    },
  };
}
