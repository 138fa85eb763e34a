// ---- The views of one computation: each draws itself from a result of learn_page.js --------------------------------

const signed = (value) => (Number.isFinite(value) ? value.toFixed(4) : value < 0 ? "−∞" : "∞");
const rootMeanSquare = (row) => Math.sqrt(row.reduce((sum, value) => sum + value * value, 0) / row.length);
const stageNamed = (result, name) => result.stages.find((stage) => stage.name === name)?.value;

/** A table's row for a subword: its text, numbers, and its probability as a bar. */
function probabilityRow(cells, probability, taken = false) {
  const bar = make("span", { className: "bar" });
  bar.style.width = `${(100 * probability).toFixed(1)}%`;
  return make("tr", { className: taken ? "taken" : "" }, ...cells.map((cell) => make("td", {}, cell)),
    make("td", {}, probability.toFixed(4)), make("td", { "aria-hidden": "true" }, bar));
}

/** The chosen step: what was read, and what could have come next. */
class StepView {
  show(translator, result, step) {
    const { read, generated, likeliest } = result.steps[step];
    const text = (id) => bold(translator.target.subword(id));
    byId("step-title").textContent = `Step ${step + 1} of ${result.steps.length}`;
    byId("step-about").replaceChildren("The decoder has read ", make("span", { className: "number" }, String(step + 1)),
      step === 0 ? " subword, " : " subwords, the last of them ", text(read), "; it generates ", text(generated), ".");
    byId("likeliest").replaceChildren(...likeliest.map(({ id, logit, probability }) =>
      probabilityRow([text(id), logit.toFixed(3)], probability, id === generated)));
    const lens = translator.lens(result.stages, step, result.changes.outputTemperature);
    byId("lens").replaceChildren(...lens.map(({ id, probability }, layer) =>
      probabilityRow([String(layer), text(id)], probability, id === generated)));
  }
}

/** The attention weights: a map of one head, and all heads as small pictures. */
class AttentionView {
  constructor() {
    this.kind = "cross";
    this.layer = Infinity;  // the last one
    this.head = MEAN;
    this.at = { row: 0, col: 0 };  // the first row is the step that is chosen at first
    this.map = new HeatMap(byId("map"), {
      "aria-label": "Heat map of attention weights: rows attend to columns; arrow keys move",
      "aria-describedby": "readout",
    }, (row, col) => {
      this.at = { row, col };
      this.showCell();
    });
    this.overview = new HeadOverview(byId("heads"), (layer, head) => this.choose(layer, head));
    scroller(byId("heads").parentElement, { focusable: true });
    byId("layer").onchange = (event) => this.choose(Number(event.target.value), this.head);
    byId("head").onchange = ({ target: { value } }) => this.choose(this.layer, value === MEAN ? value : Number(value));
    byId("kinds").replaceChildren(...Object.entries(KINDS).map(([kind, { name }]) => {
      const input = make("input", { type: "radio", name: "kind", value: kind, checked: kind === this.kind });
      input.onchange = () => {
        this.kind = kind;
        this.show(this.result);
      };
      return make("label", {}, input, make("span", {}, name));
    }));
  }

  /** Rows of weights of a head, or of the mean over a layer's heads. */
  weights(layer, head) {
    const block = this.kind === "cross" ? "cross_attention_block" : "self_attention_block";
    const stack = this.kind === "encoder" ? "encoder" : "decoder";
    const tensor = stageNamed(this.result, `${stack}.layers.${layer}.${block}.weights`);
    if (head !== MEAN) return tensor.matrix(head);
    const heads = range(tensor.size(1)).map((index) => tensor.matrix(index));
    const mean = (row, col) => heads.reduce((sum, one) => sum + one[row][col], 0) / heads.length;
    return heads[0].map((values, row) => Array.from(values, (_, col) => mean(row, col)));
  }

  isMasked(row, col) {
    return this.result.changes.causalMask && Boolean(KINDS[this.kind].masked?.(row, col));
  }

  show(result) {
    this.result = result;
    const options = result.model.options;
    const layers = this.kind === "encoder" ? options.encoder_layers : options.decoder_layers;
    const heads = options.num_heads;
    this.layer = Math.min(this.layer, layers - 1);
    if (heads === 1) this.head = 0;
    byId("layer").replaceChildren(...range(layers).map((layer) => option(layer, `layer ${layer}`)));
    byId("head").replaceChildren(...(heads > 1 ? [option(MEAN, `mean of ${heads}`)] : []),
      ...range(heads).map((head) => option(head, `head ${head}`)));
    byId("about").replaceChildren(...KINDS[this.kind].about.map((text) => make("p", {}, text)));
    const kind = KINDS[this.kind];
    this.at = {
      row: clamp(this.at.row, 0, kind.queries(result.sentence).length - 1),
      col: clamp(this.at.col, 0, kind.keys(result.sentence).length - 1),
    };
    const colouring = (matrix) => (row, col) => (this.isMasked(row, col) ? null : pick(WEIGHT_RAMPS, matrix[row][col]));
    this.overview.show(layers, heads, (layer, head) => this.weights(layer, head), colouring);
    this.colouring = colouring;
    this.choose(this.layer, this.head);
  }

  choose(layer, head) {
    Object.assign(this, { layer, head });
    byId("layer").value = layer;
    byId("head").value = head;
    this.overview.mark(layer, head);
    const kind = KINDS[this.kind];
    const { sentence } = this.result;
    const matrix = this.weights(layer, head);
    this.map.at = this.at;
    this.map.show({
      rowLabels: kind.queries(sentence), colLabels: kind.keys(sentence), corner: `${kind.cols} →\n${kind.rows} ↓`,
      colour: this.colouring(matrix),
      number: (row, col) => (matrix[row][col] < 0.015 ? "" : matrix[row][col].toFixed(2)),
      size: (width, printing) => {
        const smallest = printing ? 4 : matchMedia("(pointer: coarse)").matches ? 20 : 16;
        const height = Math.floor(clamp(Math.min(width / matrix[0].length, 500 / matrix.length), smallest, 40));
        return [Math.floor(clamp(width / matrix[0].length, height, 56)), height];
      },
    });
    byId("map-title").textContent = `${kind.title}, layer ${layer}, ${headName(head)}`;
    showLegend(byId("map-legend"), WEIGHT_RAMPS, "0", "1");
    this.showCell();
  }

  showCell() {
    const { row, col } = this.at;
    const kind = KINDS[this.kind];
    const { sentence } = this.result;
    const masked = this.isMasked(row, col);
    const weight = number(this.weights(this.layer, this.head)[row][col].toFixed(4));
    byId("readout").replaceChildren(make("p", {}, ...kind.did(sentence, row, masked),
      bold(shown(kind.keys(sentence)[col])), ...(masked ? [", which comes later."] : [": ", weight])));
  }
}

/** A map of numbers with a readout, for the residual stream and for single stages. */
class NumberMap {
  /** `id`: the beginning of the ids of its elements. `label`: for screen readers. */
  constructor(id, label) {
    this.id = id;
    this.map = new HeatMap(byId(`${id}-map`), {
      "aria-label": `${label}; arrow keys move`, "aria-describedby": `${id}-readout`,
    }, (row, col) => this.read(row, col));
  }

  /** spec: rows of numbers, rowNames, colNames, colLabels, ramps, low and high: the numbers of the scale's ends. */
  show(spec) {
    this.spec = spec;
    const { rows, ramps, low, high } = spec;
    const at = { row: Math.min(this.map.at.row, rows.length - 1), col: Math.min(this.map.at.col, rows[0].length - 1) };
    this.map.at = at;
    const colour = (value) => (Number.isFinite(value) ? pick(ramps, (value - low) / (high - low)) : null);
    const narrowest = (printing) => (printing ? 1 : spec.ticks ? 3 : 18);  // pixels of a cell
    this.map.show({
      ticks: spec.ticks, corner: "", rowLabels: spec.rowNames, colLabels: spec.colLabels,
      colour: (row, col) => colour(rows[row][col]),
      number: (row, col) => rows[row][col].toFixed(2),
      size: (width, printing) => [clamp(Math.floor(width / rows[0].length), narrowest(printing), 46), 20],
    });
    showLegend(byId(`${this.id}-legend`), ramps, low === 0 ? "0" : `−${Math.abs(low).toFixed(2)}`, high.toFixed(2));
    this.read(at.row, at.col);
  }

  read(row, col) {
    const { rows, rowNames, colNames } = this.spec;
    byId(`${this.id}-readout`).replaceChildren(bold(shown(rowNames[row])), ", ", colNames(col), ": ",
      number(signed(rows[row][col])));
  }
}

/** The sizes of the residual stream's vectors, or of what each sub-layer adds to them. */
class StreamView {
  constructor() {
    this.numbers = new NumberMap("stream", "Residual stream: rows are subwords, columns sub-layers");
    for (const id of ["stream-side", "stream-what"]) byId(id).onchange = () => this.show(this.result);
  }

  show(result) {
    this.result = result;
    const stack = byId("stream-side").value;
    const added = byId("stream-what").value === "added";
    const side = stack === "encoder" ? "src" : "tgt";
    const { options } = result.model;
    const columns = [{ name: "embedding", stage: added ? `${side}_embed` : `${side}_pos.output` }];
    const positions = `${side}_pos.positions`;
    if (added && stageNamed(result, positions)) columns.push({ name: "positions", stage: positions });
    for (const layer of range(options[`${stack}_layers`])) {
      SUBLAYERS[stack].forEach(([name, block], index) => columns.push({
        name: `${layer}: ${name}`,
        stage: `${stack}.layers.${layer}.${added ? `${block}.output`
          : `residual_connections.${index}.${options.norm === "pre" ? "output" : "norm"}`}`,
      }));
    }
    if (!added && options.norm === "pre") columns.push({ name: "last norm", stage: `${stack}.output` });
    const sizes = columns.map(({ stage }) => stageNamed(result, stage).rows().map(rootMeanSquare));
    const rows = sizes[0].map((_, row) => sizes.map((column) => column[row]));
    this.numbers.show({
      rows, rowNames: stack === "encoder" ? result.sentence.source_pieces : result.sentence.decoder_input,
      colLabels: columns.map(({ name }) => name), colNames: (col) => columns[col].name,
      ramps: WEIGHT_RAMPS, low: 0, high: Math.max(...rows.flat(), 1e-9),
    });
  }
}

/** Any stage of the computation, as a map of its numbers. */
class StageView {
  static mostColumns = 512;

  constructor() {
    this.numbers = new NumberMap("stage", "Values of a stage: rows are subwords");
    this.name = "src_pos.output";
    byId("stage").onchange = (event) => {
      this.name = event.target.value;
      this.show(this.result);
    };
    byId("stage-head").onchange = () => this.show(this.result);
  }

  show(result) {
    this.result = result;
    if (!stageNamed(result, this.name)) this.name = "src_pos.output";
    this.showChoices();
    const tensor = stageNamed(result, this.name);
    const rows = tensor.shape.length === 4 ? tensor.matrix(Number(byId("stage-head").value)) : tensor.rows();
    const width = Math.min(rows[0].length, StageView.mostColumns);
    byId("stage-about").textContent = stageText(this.name, result.model.options.norm === "pre")
      + (width < rows[0].length ? ` The first ${width} of ${rows[0].length} columns are shown.` : "");
    this.numbers.show({ ...this.labels(rows.length, width), ...this.scale(rows, width),
      rows: rows.map((row) => row.subarray(0, width)) });
  }

  showChoices() {
    const groups = new Map();
    for (const { name, value } of this.result.stages) {
      const group = stageGroup(name);
      if (!groups.has(group)) groups.set(group, make("optgroup", { label: group }));
      const own = name.replace(/^(encoder|decoder)\.layers\.\d+\./, "");
      groups.get(group).append(option(name, `${own} (${value.shape.join(", ")})`));
    }
    byId("stage").replaceChildren(...groups.values());
    byId("stage").value = this.name;
    const { shape } = stageNamed(this.result, this.name);
    const heads = shape.length === 4 ? shape[1] : 1;
    const chosen = Math.min(Number(byId("stage-head").value) || 0, heads - 1);
    const headName = (head) => (heads > 1 ? `head ${head}` : "none");
    byId("stage-head").replaceChildren(...range(heads).map((head) => option(head, headName(head))));
    byId("stage-head").value = chosen;
    byId("stage-head").disabled = heads === 1;
  }

  /** Rows are subwords; columns are subwords, too, between positions, and otherwise numbered dimensions. */
  labels(rowCount, width) {
    const { source_pieces: source, decoder_input: target } = this.result.sentence;
    const { name } = this;
    const ofSource = /^(src|encoder)|cross_attention_block\.(key|value)$/.test(name);
    const rowNames = rowCount === 1 && name === "src_mask" ? ["all"] : (ofSource ? source : target).slice(0, rowCount);
    const isPairs = /(scores|scaled|masked|weights|_mask)$/.test(name);
    if (isPairs) {
      const columns = ofSource || name.includes("cross") ? source : target;
      return { rowNames, colLabels: columns, colNames: (col) => `to ${shown(columns[col])}`, ticks: false };
    }
    const step = width > 128 ? 32 : width > 32 ? 8 : 4;
    const isLogits = name === "projection_layer";
    return {
      rowNames, ticks: true, colLabels: range(width).map((col) => (col % step === 0 ? String(col) : null)),
      colNames: (col) => (isLogits ? `logit of ${this.result.subword(col)} (id ${col})` : `dimension ${col}`),
    };
  }

  scale(rows, width) {
    if (/weights$|_mask$/.test(this.name)) return { ramps: WEIGHT_RAMPS, low: 0, high: 1 };
    const largest = rows.reduce((most, row) => row.subarray(0, width)
      .reduce((sofar, value) => (Number.isFinite(value) ? Math.max(sofar, Math.abs(value)) : sofar), most), 1e-9);
    return { ramps: SIGNED_RAMPS, low: -largest, high: largest };
  }
}
