// ---- The page: text and changes in, results to the views -----------------------------------------------------------

const SLICE = 30;  // milliseconds of computing between two looks at the user's input
const MOST_CHARACTERS = 1000;
const PAUSE = 200;  // milliseconds after the last key press

const state = { changes: { ...UNCHANGED }, step: 0, turn: 0 };
let data = null;
let translator = null;
let views = null;
let shownResult = null;

const isChanged = () => JSON.stringify(state.changes) !== JSON.stringify(UNCHANGED);
const nextSlice = () => new Promise((resolve) => { setTimeout(resolve); });

/** Translates with some changes, in slices of time; null if another turn began meanwhile. */
async function compute(input, changes, turn) {
  const steps = [];
  const search = translator.steps(input, changes);
  let sliceEnd = performance.now() + SLICE;
  let next = search.next();
  for (; !next.done; next = search.next()) {
    steps.push(next.value);
    if (performance.now() < sliceEnd) continue;
    await nextSlice();
    if (turn !== state.turn) return null;
    sliceEnd = performance.now() + SLICE;
  }
  const text = translator.target.decode(steps.map(({ generated }) => generated));
  return { input, changes, steps, text, isTruncated: next.value };
}

/** Adds the stages of a pass over the finished translation. */
function observed(result) {
  const read = result.steps.map((step) => step.read);
  const subwords = (tokenizer, ids) => ids.map((id) => tokenizer.subword(id));
  return {
    ...result, model: translator.model, stages: translator.observe(result.input, read, result.changes),
    subword: (id) => translator.target.subword(id),
    sentence: {
      source_pieces: subwords(translator.source, result.input.ids), decoder_input: subwords(translator.target, read),
      output_pieces: subwords(translator.target, result.steps.map(({ generated }) => generated)),
      probabilities: result.steps.map(({ likeliest }) => likeliest[0].probability),
    },
  };
}

function showProblem(text) {
  byId("problem").textContent = text;
  byId("problem").hidden = !text;
}

/** Shows no translation. */
function clear() {
  byId("views").hidden = true;
  byId("translation").textContent = "";
  for (const id of ["source", "target"]) byId(id).replaceChildren();
  for (const element of document.querySelectorAll(".changed")) element.hidden = true;
}

/** Translates what is in the text box, and shows everything. */
async function translate() {
  const turn = ++state.turn;
  const text = byId("text").value.replace(/[\r\n]+/g, " ");  // one line, as the program reads it
  const isBlank = !text.trim();
  byId("hint").hidden = !isBlank;
  if (isBlank) {
    showProblem("");
    clear();
    byId("translation").setAttribute("aria-busy", "false");
    return;
  }
  byId("translation").setAttribute("aria-busy", "true");
  try {
    if (text.length > MOST_CHARACTERS) throw new Error(`${text.length} characters; the page reads ${MOST_CHARACTERS} at most`);
    const input = translator.encoderInput(text);
    state.changes.hiddenSource = state.changes.hiddenSource.filter((position) => position < input.ids.length);
    const changed = await compute(input, { ...state.changes }, turn);
    const unchanged = isChanged() && changed ? await compute(input, UNCHANGED, turn) : changed;
    if (turn !== state.turn) return;
    showProblem("");
    show(observed(changed), unchanged);
  } catch (error) {
    showProblem(error.message);
    clear();
  }
  byId("translation").setAttribute("aria-busy", "false");
}

function show(result, unchanged) {
  shownResult = result;
  const showText = (id, { text, isTruncated }) => byId(id).replaceChildren(text || "(empty)",
    make("span", { className: "muted" }, isTruncated ? " (truncated: it reached the length limit)" : ""));
  showText("translation", result);
  showText("unchanged", unchanged);
  byId("translation-label").textContent = isChanged() ? "Changed model" : "Translation";
  for (const element of document.querySelectorAll(".changed")) element.hidden = !isChanged();
  byId("views").hidden = false;
  state.step = Math.min(state.step, result.steps.length - 1);
  showSubwords();
  views.attention.show(result);
  views.stream.show(result);
  views.stage.show(result);
  chooseStep(state.step);
}

/** The subwords of both sides, each with its id. */
function showSubwords() {
  const { sentence, input, steps } = shownResult;
  const withIds = (buttons, ids) => buttons.forEach((button, index) => {
    button.type = "button";
    button.append(make("span", { className: "id" }, String(ids[index])));
  });
  const focused = [...byId("source").children].indexOf(document.activeElement);
  const sources = pieceLine(byId("source"), sentence.source_pieces, "button");
  withIds(sources, input.ids);
  sources.forEach((button, position) => {
    const hidden = state.changes.hiddenSource.includes(position);
    button.classList.toggle("off", hidden);
    button.setAttribute("aria-pressed", hidden);
    button.title = hidden ? "Show it to the attention again" : "Hide it from all attention";
    button.onclick = () => {
      const others = state.changes.hiddenSource.filter((one) => one !== position);
      state.changes.hiddenSource = hidden ? others : [...others, position];
      translate();
    };
  });
  sources[focused]?.focus();
  roving(sources, Math.max(0, focused), alongLine(sources));
  const targets = pieceLine(byId("target"), sentence.output_pieces, "button");
  withIds(targets, steps.map(({ generated }) => generated));
  targets.forEach((button, step) => { button.onclick = button.onfocus = () => chooseStep(step); });
  roving(targets, state.step, alongLine(targets));
}

function chooseStep(step) {
  state.step = step;
  [...byId("target").children].forEach((button, index) => {
    button.setAttribute("aria-pressed", index === step);
    button.tabIndex = index === step ? 0 : -1;
  });
  views.step.show(translator, shownResult, step);
}

// ---- Controls ------------------------------------------------------------------------------------------------------

const CHECKS = { causal: "causalMask", positions: "positions" };
const TEMPERATURES = { attention: "attentionTemperature", output: "outputTemperature" };

/** Shows the changes in the controls. Sliders are logarithmic: 0 is the temperature 1. */
function showChanges() {
  for (const [id, change] of Object.entries(CHECKS)) byId(id).checked = state.changes[change];
  for (const [id, change] of Object.entries(TEMPERATURES)) {
    const value = state.changes[change].toFixed(2);
    byId(`${id}-temperature`).value = Math.log2(state.changes[change]);
    byId(`${id}-temperature`).setAttribute("aria-valuetext", value);
    byId(`${id}-value`).textContent = value;
  }
}

function listenToControls() {
  let timer = 0;
  const translateSoon = (pause) => {
    clearTimeout(timer);
    timer = setTimeout(translate, pause);
  };
  byId("text").oninput = () => {
    state.changes.hiddenSource = [];
    translateSoon(PAUSE);
  };
  for (const [id, change] of Object.entries(CHECKS)) {
    byId(id).onchange = (event) => {
      state.changes[change] = event.target.checked;
      translate();
    };
  }
  for (const [id, change] of Object.entries(TEMPERATURES)) {
    byId(`${id}-temperature`).oninput = (event) => {
      state.changes[change] = 2 ** Number(event.target.value);
      showChanges();
      translateSoon(50);
    };
  }
  byId("reset").onclick = () => {
    state.changes = { ...UNCHANGED };
    showChanges();
    translate();
  };
  byId("examples").hidden = data.sentences.length < 2;
  byId("examples").replaceChildren(...data.sentences.map((sentence) => {
    const button = make("button", { type: "button", className: "button example", dir: "auto" }, sentence);
    button.onclick = () => {
      byId("text").value = sentence;
      state.changes.hiddenSource = [];
      translate();
    };
    return button;
  }));
}

// ---- Start ---------------------------------------------------------------------------------------------------------

function showMessage(text) {
  byId("message").textContent = text;
  byId("message").hidden = false;
}

function start() {
  try {
    data = JSON.parse(byId("data").textContent);
    translator = new TranslationModel(data);
  } catch (error) {
    showMessage(`The model of this page cannot be read (${error.message}).`);
    return;
  }
  const { model, title, parameters, languages } = data;
  document.title = `A Transformer to experiment with: ${title}`;
  byId("subtitle").textContent = [title, `${parameters.toLocaleString("en")} parameters`, `d_model ${model.d_model}`,
    `heads ${model.num_heads}`, `layers ${model.encoder_layers} + ${model.decoder_layers}`].join(" · ");
  if (languages.source) byId("text-label").textContent = `Sentence (${languages.source})`;
  if (languages.target) byId("target-title").textContent = `Generated (${languages.target})`;
  byId("top").hidden = byId("views").hidden = false;
  if (model.positions === "none") byId("positions").disabled = true;
  views = { step: new StepView(), attention: new AttentionView(), stream: new StreamView(), stage: new StageView() };
  for (const id of ["source", "target"]) scroller(byId(id), { focusable: true });
  listenToPrinting(setTheme, () => [views.attention.map, views.stream.numbers.map, views.stage.numbers.map]);
  listenToControls();
  showChanges();
  byId("text").value = data.sentences[0] ?? "";
  translate();
}

// The theme comes first: the data below can be long, and nothing should flash while it is read.
const setTheme = startTheme(() => {
  if (!shownResult || byId("views").hidden) return;
  views.attention.show(shownResult);
  views.stream.show(shownResult);
  views.stage.show(shownResult);
});
document.addEventListener("DOMContentLoaded", start);
