"use strict";
// The page is complete without this: it adds quick tooltips, the theme switch and legend highlights.
(() => {
  const root = document.documentElement;
  const asked = location.hash.slice(1);
  const isTheme = (name) => name === "dark" || name === "light";
  const remembered = () => {
    try { return localStorage.getItem("theme"); } catch { return null; }
  };
  const theme = isTheme(asked) ? asked : remembered();
  if (isTheme(theme)) root.dataset.theme = theme;

  const isDark = () =>
    root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;

  const switchTheme = (button) => {
    const show = () => {
      button.textContent = isDark() ? "Light" : "Dark";
      button.setAttribute("aria-label", `Use ${isDark() ? "light" : "dark"} colours`);
      button.setAttribute("aria-pressed", String(isDark()));
    };
    button.addEventListener("click", () => {
      root.dataset.theme = isDark() ? "light" : "dark";
      try { localStorage.setItem("theme", root.dataset.theme); } catch { /* a private window */ }
      show();
    });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", show);
    show();
    button.hidden = false;
  };

  const textOf = (target) => {
    const owner = target.closest?.("svg *");
    for (let at = owner; at && at.tagName !== "svg"; at = at.parentNode) {
      const title = at.querySelector(":scope > title");
      if (title) {
        at.dataset.tip = title.textContent;
        title.remove();
      }
      if (at.dataset.tip) return at.dataset.tip;
    }
    return "";
  };

  const tooltips = () => {
    const tip = document.createElement("div");
    tip.id = "tip";
    tip.hidden = true;
    tip.setAttribute("role", "status");
    document.body.append(tip);
    const hide = () => { tip.hidden = true; };
    document.addEventListener("pointermove", (event) => {
      const text = textOf(event.target);
      if (!text) return hide();
      if (tip.textContent !== text) tip.textContent = text;
      tip.hidden = false;
      const { width, height } = tip.getBoundingClientRect();
      const left = Math.min(event.clientX + 14, innerWidth - width - 8);
      const below = event.clientY + 18;
      tip.style.left = `${Math.max(left, 8)}px`;
      tip.style.top = `${below + height > innerHeight ? event.clientY - height - 12 : below}px`;
    });
    document.addEventListener("pointerleave", hide);
    document.addEventListener("scroll", hide, { passive: true });
  };

  const highlights = () => {
    for (const entry of document.querySelectorAll(".legend li")) {
      const others = () => [...entry.closest("section").querySelectorAll(".series")].filter(
        (series) => series.dataset.series !== entry.dataset.name);
      entry.addEventListener("pointerenter", () => others().forEach((each) => each.classList.add("faded")));
      entry.addEventListener("pointerleave", () => others().forEach((each) => each.classList.remove("faded")));
    }
  };

  document.addEventListener("DOMContentLoaded", () => {
    switchTheme(document.getElementById("theme"));
    tooltips();
    highlights();
  });
})();
