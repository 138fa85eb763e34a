// ---- Theme -----------------------------------------------------------------------------------------------------------

/** The theme of the system, or the one that was chosen by the button, which the browser remembers. */
function startTheme() {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  const themes = ["system", "light", "dark"];
  let chosen = "system";
  try { chosen = localStorage.getItem("theme") || chosen; } catch { /* a browser may forbid it */ }
  const show = () => {
    document.documentElement.dataset.theme = chosen === "system" ? (dark.matches ? "dark" : "light") : chosen;
    by("theme").textContent = `Theme: ${chosen}`;
  };
  dark.addEventListener("change", show);
  by("theme").addEventListener("click", () => {
    chosen = themes[(themes.indexOf(chosen) + 1) % themes.length];
    try { localStorage.setItem("theme", chosen); } catch { /* a browser may forbid it */ }
    show();
  });
  show();
}
