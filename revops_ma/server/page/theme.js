// Sets the theme before anything is drawn, so that nothing flashes.
try {
  const chosen = localStorage.getItem("theme");
  if (chosen === "light" || chosen === "dark") document.documentElement.dataset.theme = chosen;
} catch {
  // Storage may be forbidden; then the system's theme is used.
}
