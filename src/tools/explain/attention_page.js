// ---- What is shown -------------------------------------------------------------------------------------------------

const state = { sentence: 0, kind: "cross", layer: 0, head: MEAN, scale: "full", row: 0, col: 0 };
let data = null;
let map = null;
let overview = null;
let positionsMap = null;

const sentenceNow = () => data.sentences[state.sentence];
const kindNow = () => KINDS[state.kind];
const layersOf = (kind) => sentenceNow()[kind] ?? [];
const hasKind = (kind) => Boolean(layersOf(kind)[0]?.[0]?.[0]?.length);

/** The weights of one head, or the mean over a layer's heads: rows of numbers. */
function weights(layer, head) {
  const heads = layersOf(state.kind)[layer];
  if (head !== MEAN) return heads[head];
  return heads[0].map((row, r) => row.map((_, c) => heads.reduce((sum, one) => sum + one[r][c], 0) / heads.length));
}

/** For each row, the weight that gets the strongest colour. */
function rowLimits(matrix) {
  const largest = matrix.map((row) => Math.max(...row, 1e-9));
  if (state.scale === "row") return largest;
  const limit = state.scale === "map" ? Math.max(...largest) : 1;
  return largest.map(() => limit);
}

function colouring(matrix) {
  const limits = rowLimits(matrix);
  const { masked } = kindNow();
  return (row, col) => (masked?.(row, col) ? null : pick(WEIGHT_RAMPS, matrix[row][col] / limits[row]));
}

// ---- Controls ------------------------------------------------------------------------------------------------------

function showChoices() {
  const sentence = sentenceNow();
  if (!hasKind(state.kind)) state.kind = Object.keys(KINDS).find(hasKind) ?? state.kind;
  byId("kinds").replaceChildren(...Object.entries(KINDS).map(([kind, { name }]) => {
    const checked = kind === state.kind;
    const input = make("input", { type: "radio", name: "kind", value: kind, checked, disabled: !hasKind(kind) });
    input.onchange = () => {
      state.kind = kind;
      showLayersAndHeads();
      showAll();
    };
    return make("label", {}, input, make("span", {}, name));
  }));
  byId("texts").replaceChildren(
    make("dt", {}, "Source"), make("dd", { dir: "auto" }, sentence.source),
    make("dt", {}, "Translation"), make("dd", { dir: "auto" }, sentence.translation || "(empty)",
      sentence.truncated ? make("span", { className: "muted" }, " (truncated: it reached the length limit)") : ""));
  showLayersAndHeads();
}

function showLayersAndHeads() {
  const layers = layersOf(state.kind);
  const heads = layers[0]?.length ?? 0;
  state.layer = clamp(state.layer, 0, Math.max(0, layers.length - 1));
  if (state.head !== MEAN && state.head >= heads) state.head = 0;
  if (heads === 1) state.head = 0;
  byId("layer").replaceChildren(...layers.map((_, layer) => option(layer, `layer ${layer}`)));
  byId("head").replaceChildren(...(heads > 1 ? [option(MEAN, `mean of ${heads}`)] : []),
    ...range(heads).map((head) => option(head, `head ${head}`)));
  byId("layer").value = state.layer;
  byId("head").value = state.head;
}

function listenToControls() {
  byId("sentence").append(...data.sentences.map(({ source }, index) =>
    option(index, `${index + 1}. ${source.length > 90 ? `${source.slice(0, 88)}…` : source}`)));
  byId("sentence").onchange = (event) => {
    state.sentence = Number(event.target.value);
    showChoices();
    showAll();
  };
  byId("layer").onchange = (event) => choose(Number(event.target.value), state.head);
  byId("head").onchange = ({ target: { value } }) => choose(state.layer, value === MEAN ? value : Number(value));
  byId("scale").onchange = (event) => {
    state.scale = event.target.value;
    showMap();
    showHeads();
  };
}

/** Goes to another layer or head; the cell that is looked at stays. */
function choose(layer, head) {
  Object.assign(state, { layer, head });
  byId("layer").value = layer;
  byId("head").value = head;
  showMap();
  overview.mark(layer, head);
}

// ---- Map, lines of pieces, readout ---------------------------------------------------------------------------------

function showHeads() {
  const layers = layersOf(state.kind);
  overview.show(layers.length, layers[0].length, weights, colouring);
  overview.mark(state.layer, state.head);
}

/** After another sentence or kind was chosen. */
function showAll() {
  if (!hasKind(state.kind)) {
    byId("views").hidden = true;
    showMessage("This sentence has no attention weights.");
    return;
  }
  byId("views").hidden = false;
  byId("message").hidden = true;
  // The first row of a decoder is that of the start of the sentence, where little is to be seen.
  state.row = Math.min(1, kindNow().queries(sentenceNow()).length - 1);
  state.col = indexOfLargest(weights(state.layer, state.head)[state.row]);
  byId("about").replaceChildren(...kindNow().about.map((text) => make("p", {}, text)));
  showLines();
  showMap();
  showHeads();
}

function showLines() {
  const kind = kindNow();
  const sentence = sentenceNow();
  byId("keys-title").textContent = kind.cols;
  byId("queries-title").textContent = kind.rows;
  byId("queries").setAttribute("aria-label", `${kind.title}: subwords that attend; left and right arrow keys move`);
  pieceLine(byId("keys"), kind.keys(sentence), "span");
  const buttons = pieceLine(byId("queries"), kind.queries(sentence), "button");
  buttons.forEach((button, row) => {
    button.type = "button";
    const look = (reveal) => {
      if (row === state.row && !reveal) return;
      state.row = row;
      state.col = indexOfLargest(weights(state.layer, state.head)[row]);
      map.place(row, state.col, reveal);
      showCell();
    };
    button.onpointerenter = (event) => event.pointerType !== "touch" && look(false);
    button.onfocus = button.onclick = () => look(true);
  });
  roving(buttons, state.row, alongLine(buttons));
}

function showMap() {
  const kind = kindNow();
  const sentence = sentenceNow();
  const matrix = weights(state.layer, state.head);
  const rows = matrix.length;
  const columns = matrix[0].length;
  map.at = { row: state.row, col: state.col };
  map.show({
    rowLabels: kind.queries(sentence), colLabels: kind.keys(sentence), corner: `${kind.cols} →\n${kind.rows} ↓`,
    colour: colouring(matrix),
    number: (row, col) => (matrix[row][col] < 0.015 ? "" : matrix[row][col].toFixed(2)),
    size: (width, printing) => {
      const smallest = printing ? 4 : matchMedia("(pointer: coarse)").matches ? 20 : 16;
      const height = Math.floor(clamp(Math.min(width / columns, 600 / rows), smallest, 46));
      return [Math.floor(clamp(width / columns, height, rows > 20 ? height : 72)), height];
    },
  });
  byId("map-title").textContent = `${kind.title}, layer ${state.layer}, ${headName(state.head)}`;
  const limit = rowLimits(matrix)[0];
  const strongest = { full: "1", map: limit.toFixed(2), row: "largest in the row" };
  showLegend(byId("map-legend"), WEIGHT_RAMPS, "0", strongest[state.scale]);
  showCell();
}

/** The cell that is looked at, in words, and its row on the line of keys. */
function showCell() {
  const { row, col } = state;
  const kind = kindNow();
  const sentence = sentenceNow();
  const keys = kind.keys(sentence);
  const matrix = weights(state.layer, state.head);
  const masked = kind.masked?.(row, col) ?? false;
  const top = range(keys.length).sort((a, b) => matrix[row][b] - matrix[row][a]).slice(0, 3)
    .filter((key) => matrix[row][key] > 0);
  const colour = colouring(matrix);
  byId("readout").replaceChildren(
    make("p", {}, ...kind.did(sentence, row, masked), bold(shown(keys[col])),
      ...(masked ? [", which comes later."] : [": ", number(matrix[row][col].toFixed(4))])),
    make("p", { className: "muted small" },
      `Layer ${state.layer}, ${headName(state.head)}; row ${row}, column ${col}. Most: `,
      ...top.flatMap((key, index) => [index ? ", " : "", bold(shown(keys[key])), ` ${matrix[row][key].toFixed(2)}`])));
  [...byId("keys").children].forEach((piece, key) => {
    const rgb = colour(row, key);
    piece.style.background = rgb ? css(rgb) : "";
    piece.style.color = rgb ? textOn(rgb) : "";
    piece.classList.toggle("on", key === col);
  });
  for (const [host, index] of [[byId("keys"), col], [byId("queries"), row]]) {
    const piece = host.children[index];
    host.scrollTop = scrolled(host.scrollTop, host.clientHeight, piece.offsetTop, piece.offsetHeight);
  }
  [...byId("queries").children].forEach((piece, query) => {
    piece.setAttribute("aria-pressed", query === row);
    piece.tabIndex = query === row ? 0 : -1;
  });
}

// ---- Positional encoding -------------------------------------------------------------------------------------------

const POSITIONS_ABOUT = "Attention alone does not know the order of words. Therefore a row of this table is added to the "
  + "embedding of each subword before the first layer: row 0 to the first subword, row 1 to the second. ";
const POSITIONS_KIND = {
  sinusoidal: "The values are fixed: sines in even columns and cosines in odd ones. On the left they change fast from "
    + "row to row, on the right so slowly that the sine stays near 0 and the cosine near 1. No two rows are equal.",
  learned: "This model learned its rows in training, like its other weights.",
};

function showPositions() {
  const values = data.positions?.values;
  if (!values?.length || !values[0].length) {
    byId("positions-about").textContent = "The model adds no positional encoding.";
    byId("positions-readout").hidden = byId("positions-map").hidden = true;
    return;
  }
  const columns = values[0].length;
  const limit = Math.max(...values.map((row) => Math.max(...row.map(Math.abs)))) || 1;
  byId("positions-about").textContent = POSITIONS_ABOUT + (POSITIONS_KIND[data.positions.kind] ?? "");
  const ticks = (count, step) => range(count).map((index) => (index % step === 0 ? String(index) : null));
  const readout = (row, col) => byId("positions-readout").replaceChildren(
    `Position ${row}, dimension ${col}: `, number(values[row][col].toFixed(4)));
  positionsMap ??= new HeatMap(byId("positions-map"), {
    "aria-label": "Positional encoding: rows are positions, columns dimensions; arrow keys move",
    "aria-describedby": "positions-readout",
  }, readout);
  positionsMap.show({
    ticks: true, corner: "", rowLabels: ticks(values.length, values.length > 16 ? 8 : 1),
    colLabels: ticks(columns, columns > 128 ? 32 : columns > 32 ? 16 : 4),
    colour: (row, col) => pick(SIGNED_RAMPS, 0.5 + values[row][col] / limit / 2),
    size: (width, printing) => [clamp(width / columns, printing ? 1 : 3, 18), clamp(400 / values.length, 6, 18)],
  });
  showLegend(byId("positions-legend"), SIGNED_RAMPS, `−${limit.toFixed(2)}`, limit.toFixed(2));
  readout(positionsMap.at.row, positionsMap.at.col);
}

// ---- Start ----------------------------------------------------------------------------------------------------------

function showMessage(text) {
  byId("message").textContent = text;
  byId("message").hidden = false;
}

function start() {
  try {
    data = JSON.parse(byId("data").textContent);
  } catch (error) {
    showMessage(`The data of this page cannot be read (${error.message}).`);
    return;
  }
  const { model = {}, title = "" } = data;
  document.title = `Attention: ${title}`;
  byId("subtitle").textContent = [title, `d_model ${model.d_model}`, `heads ${model.num_heads}`,
    `layers ${model.encoder_layers} + ${model.decoder_layers}`].filter(Boolean).join(" · ");
  showPositions();
  listenToPrinting(setTheme, () => [map, positionsMap]);
  if (!data.sentences?.length) {
    showMessage("This file has no sentences, so there is no attention to show.");
    return;
  }
  byId("choices").hidden = byId("views").hidden = false;
  map = new HeatMap(byId("map"), {
    "aria-label": "Heat map of attention weights: rows attend to columns; arrow keys move",
    "aria-describedby": "readout",
  }, (row, col) => {
    Object.assign(state, { row, col });
    showCell();
  });
  overview = new HeadOverview(byId("heads"), choose);
  state.layer = Math.max(0, layersOf(state.kind).length - 1);
  scroller(byId("keys"));
  scroller(byId("queries"), { focusable: true });
  scroller(byId("heads").parentElement, { focusable: true });
  listenToControls();
  showChoices();
  showAll();
}

// The theme comes first: the data below can be long, and nothing should flash while it is read.
const setTheme = startTheme(() => {
  if (!data) return;
  if (!byId("views").hidden) {
    showMap();
    showHeads();
  }
  showPositions();
});
document.addEventListener("DOMContentLoaded", start);
