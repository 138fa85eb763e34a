// ---- The page: asks the server again and again, and shows what it answers ---------------------------------------------

const INTERVAL = 5000;  // ms between two questions
let runs = [];
let timer = 0;

function showError(message) {
  by("error").textContent = message;
  by("error").hidden = !message;
}

/** The facts of a run: names and texts, without those that are not known. */
function factsOf(run) {
  const facts = [];
  const add = (name, value, text) => { if (isNumber(value)) facts.push([name, text(value)]); };
  const limit = isNumber(run.max_steps) ? ` of ${whole(run.max_steps)}` : "";
  add("Step", run.step, (step) => `${whole(step)}${limit}`);
  add("Epoch", run.epoch, whole);
  add("Time left", run.seconds_left, duration);
  add("Training time", run.seconds, duration);
  add("Training loss", run.loss, digits);
  if (run.best) {
    const values = [["BLEU", run.best.bleu], ["chrF", run.best.chrf], ["loss", run.best.loss]].filter(([, value]) => isNumber(value));
    facts.push(["Best validation", `${values.map(([name, value]) => `${name} ${digits(value)}`).join(", ")} at step ${whole(run.best.step)}`]);
  }
  add("Speed", run.tokens_per_second, (speed) => `${whole(speed)} target tokens/s`);
  add("Memory", run.memory_bytes, (now) => memory(now) + (isNumber(run.peak_memory_bytes) ? `, at most ${memory(run.peak_memory_bytes)}` : ""));
  add("Memory of the GPU", run.device_memory_bytes, memory);
  add("Last report", run.age_seconds, (age) => `${duration(age)} ago`);
  return facts;
}

function cardOf(run, index) {
  const card = make("article", {className: "card"}, make("h3", {}, swatch(index), run.name));
  if (run.problem) card.append(make("p", {className: "problem", textContent: run.problem}));
  if (isNumber(run.max_steps) && isNumber(run.step)) {
    const bar = make("progress", {max: run.max_steps, value: Math.min(run.step, run.max_steps)});
    bar.setAttribute("aria-label", `Progress of ${run.name}`);
    card.append(bar);
  }
  const list = make("dl", {});
  for (const [name, text] of factsOf(run)) list.append(make("dt", {textContent: name}), make("dd", {textContent: text}));
  if (list.children.length) card.append(list);
  return card;
}

/** Translations of the same sentence by several runs stand below each other. */
function showSamples() {
  const sentences = new Map();
  for (const run of runs) {
    for (const {source, reference, translation} of run.samples.list) {
      const key = JSON.stringify([source, reference]);
      if (!sentences.has(key)) sentences.set(key, {source, reference, translations: []});
      sentences.get(key).translations.push([run, translation]);
    }
  }
  by("samples-section").hidden = !sentences.size;
  const text = (content) => make("dd", {dir: "auto", textContent: content || "(nothing)"});
  by("samples").replaceChildren(...[...sentences.values()].map(({source, reference, translations}) => {
    const list = make("dl", {}, make("dt", {textContent: "Source"}), text(source), make("dt", {textContent: "Reference"}), text(reference));
    for (const [run, translation] of translations) {
      const step = isNumber(run.samples.step) ? `, step ${whole(run.samples.step)}` : "";
      list.append(make("dt", {}, swatch(runs.indexOf(run)), ` ${run.name}${step}`), text(translation));
    }
    return make("article", {className: "card"}, list);
  }));
}

const valueText = (value) => (value === null ? "–" : typeof value === "string" ? value : JSON.stringify(value));

function showDifferences(differences) {
  by("differences-section").hidden = !differences.length;
  const column = (name, properties) => make("th", {scope: "col", textContent: name, ...properties});
  by("differences-head").replaceChildren(make("tr", {}, column("Key"), ...runs.map((run) => column(run.name))));
  by("differences").replaceChildren(...differences.map(({key, values}) => make("tr", {}, make("th", {scope: "row", textContent: key}),
    ...values.map((value) => make("td", {textContent: valueText(value)})))));
}

function show(answer) {
  runs = answer.runs;
  document.title = `Training: ${runs.map((run) => run.name).join(", ")}`;
  by("runs").replaceChildren(...runs.map(cardOf));
  drawCharts(runs);
  showSamples();
  showDifferences(answer.differences);
  by("status").textContent = `As of ${new Date().toLocaleTimeString()}; the page asks again every ${INTERVAL / 1000} seconds.`;
}

/** Asks the server; what was shown stays where it does not answer. */
async function poll() {
  clearTimeout(timer);
  try {
    const response = await fetch("training");
    if (!response.ok) throw new Error(`the server answers with status ${response.status}`);
    show(await response.json());
    showError("");
  } catch (error) {
    showError(`These values are no longer new: ${error.message}. The page tries again.`);
  }
  timer = setTimeout(poll, INTERVAL);
}

startTheme();
startCharts();
by("logarithmic").addEventListener("change", () => drawCharts(runs));
addEventListener("resize", () => drawCharts(runs));
document.addEventListener("visibilitychange", () => { if (document.hidden) clearTimeout(timer); else poll(); });
poll();
