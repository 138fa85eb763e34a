// ---- Theme and printing --------------------------------------------------------------------------------------------

/**
 * Shows the page in the theme that the system asks for, until the button #theme is pressed. Returns a function that
 * sets the theme, "light" or "dark"; `redraw` is called after each change, since canvases keep their colours.
 */
function startTheme(redraw) {
  const setTheme = (name) => {
    document.documentElement.dataset.theme = name;
    byId("theme").textContent = name === "dark" ? "Light theme" : "Dark theme";
    redraw();
  };
  const dark = matchMedia("(prefers-color-scheme: dark)");
  let chosenByHand = false;
  setTheme(dark.matches ? "dark" : "light");
  dark.addEventListener("change", () => chosenByHand || setTheme(dark.matches ? "dark" : "light"));
  byId("theme").onclick = () => {
    chosenByHand = true;
    setTheme(theme() === "dark" ? "light" : "dark");
  };
  return setTheme;
}

/** Paper is light and does not scroll: `maps()`, the heat maps of the page, shrink until they fit. */
function listenToPrinting(setTheme, maps) {
  const drawn = () => maps().filter((map) => map?.spec);
  let before = "light";
  addEventListener("beforeprint", () => {
    before = theme();
    setTheme("light");
    for (const map of drawn()) map.layout(/*printWidth=*/ 640);
  });
  addEventListener("afterprint", () => {
    setTheme(before);
    for (const map of drawn()) map.layout();
  });
}
