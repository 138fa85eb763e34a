// ---- Texts -----------------------------------------------------------------------------------------------------------

const by = (id) => document.getElementById(id);
const [text, translation, source, target, go, copy] =
  ["text", "translation", "source", "target", "go", "copy"].map(by);
let wait = 400;      // ms without a key before what was typed is translated
let limit = -1;      // characters
let mostAlternatives = 0;
let languages = [];
let models = [];
let timer = 0;
let current = null;  // the request under way
let detected = "";   // the language of the text, where it is to be detected

function showError(message) {
  by("error").textContent = message;
  by("error").hidden = !message;
}

/** Asks the server; its own words are the error where it gives any. */
async function ask(path, options) {
  let response;
  try {
    response = await fetch(path, options);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Error("The server does not answer. Your text is still here: try again when the server is back.");
  }
  let answer = null;
  try { answer = await response.json(); } catch (error) { if (error.name === "AbortError") throw error; }
  if (!response.ok) throw new Error((answer && answer.error) || `The server answers with status ${response.status}, without saying why.`);
  if (answer === null) throw new Error("The server's answer is not understood. A proxy in between may have sent it.");
  return answer;
}

function find(code) {
  return languages.find((one) => one.code === code);
}

/** Offers languages: as a choice where there are several, as text where there is one. The chosen one stays if it can. */
function fill(select, codes) {
  const chosen = select.value;
  select.replaceChildren(...codes.map((code) => new Option(code === "auto" ? "Detect language" : nameOf(code), code)));
  if (codes.includes(chosen)) select.value = chosen;
  select.hidden = codes.length < 2;
  by(`${select.id}-name`).textContent = codes.length === 1 ? select.options[0].text : "";
}

/** What is translated from: the chosen language, or the one that was detected. */
function from() {
  return source.value === "auto" ? detected : source.value;
}

function targetsOf(code) {
  if (code !== "auto") return find(code) ? find(code).targets : [];
  return [...new Set(languages.flatMap((one) => one.targets))];
}

function fillTargets() {
  detected = "";
  fill(target, targetsOf(source.value));
  chooseTarget();
}

function chooseTarget() {
  const back = find(target.value);
  by("swap").hidden = !(back && back.targets.includes(source.value));
  showDetected("");
  translation.lang = by("alternatives").lang = target.value;
}

const nameOf = (code) => (find(code) ? find(code).name : new Intl.DisplayNames(["en"], {type: "language"}).of(code));

function showDetected(code) {
  detected = code;
  const automatic = [...source.options].find((one) => one.value === "auto");
  if (automatic) automatic.text = code && source.value === "auto" ? `Detect language (${nameOf(code)})` : "Detect language";
  text.lang = from();
  showModel();
}

/** Tells when the text is in another language than the chosen one; CLD2 needs some words to be sure of it. */
async function checkLanguage(words) {
  by("hint").hidden = true;
  if (source.value === "auto" || words.trim().length < 20) return;
  try {
    const body = JSON.stringify({q: words.slice(0, 2000)});
    const [best] = await ask("detect", {method: "POST", headers: {"Content-Type": "application/json"}, body});
    if (best.language === source.value || best.confidence < 80 || text.value !== words) return;
    const leads = targetsOf(best.language).length > 0;
    by("hint-text").textContent = `The text seems to be in ${nameOf(best.language)}, not in ${nameOf(source.value)}.`;
    by("take-hint").textContent = `Translate from ${nameOf(best.language)}`;
    by("take-hint").dataset.language = best.language;
    by("take-hint").hidden = !leads;
    by("hint").hidden = false;
  } catch {
    // It is a hint alone.
  }
}

function takeHint() {
  const old = target.value;
  source.value = by("take-hint").dataset.language;
  fillTargets();
  if (targetsOf(source.value).includes(old)) target.value = old;
  chooseTarget();
  by("hint").hidden = true;
  translateNow();
  text.focus();
}

/** The model of the direction, or that there are two with a language between. */
function showModel() {
  const model = models.find((one) => one.directions.some((pair) => pair.source === from() && pair.target === target.value));
  by("model").textContent = model ? model.name : models.length && from() ? "Two models, through another language" : "–";
}

/** The other direction, with the translation as the text. */
function swap() {
  const [from, to] = [source.value, target.value];
  source.value = to;
  fillTargets();
  target.value = from;
  chooseTarget();
  if (translation.value) text.value = translation.value;
  show("");
  update();
  translateNow();
}

const counted = (count) => count.toLocaleString("en");

function update() {
  const length = [...text.value].length;
  const tooLong = limit > 0 && length > limit;
  by("count").textContent = limit > 0 ? `${counted(length)} / ${counted(limit)} characters` : `${counted(length)} characters`;
  by("count-foot").classList.toggle("over", tooLong);
  if (tooLong) {
    showError(`The text is ${counted(length - limit)} ${length - limit === 1 ? "character" : "characters"} too long: this server takes ${counted(limit)} at a time. ` +
              "Shorten it, or translate it in parts.");
  } else if (by("count-foot").dataset.tooLong) {
    showError("");
  }
  by("count-foot").dataset.tooLong = tooLong ? "yes" : "";
  go.disabled = !text.value.trim() || !languages.length || tooLong;
  by("clear").disabled = !text.value;
}

function showDetails(answer) {
  by("score").textContent = answer && answer.score !== undefined ? answer.score.toFixed(2).replace("-", "−") : "–";
  const alternatives = (answer && answer.alternatives) || [];
  by("alternatives").replaceChildren(...alternatives.map((words) => {
    const item = document.createElement("li");
    item.dir = "auto";
    item.textContent = words;
    return item;
  }));
  by("no-alternatives").hidden = !(answer && answer.alternatives && !alternatives.length);
}

function show(words, answer = null) {
  translation.value = words;
  showDetails(answer);
  translation.classList.remove("old");
  copy.disabled = !words;
}

async function translateNow() {
  clearTimeout(timer);
  if (current) current.abort();
  current = null;
  if (go.disabled) {
    by("status").textContent = "";
    if (!text.value.trim()) { show(""); if (languages.length) showError(""); }
    else if (translation.value) translation.classList.add("old");  // too long
    return;
  }
  const mine = current = new AbortController();
  by("status").textContent = "Translating …";
  translation.classList.add("old");
  const start = performance.now();
  const asked = {q: text.value, source: source.value, target: target.value, format: "text"};
  if (by("others").open) asked.alternatives = mostAlternatives;  // they take longer
  if (by("about").open) asked.score = true;
  try {
    const answer = await ask("translate", {
      method: "POST",
      headers: {"Content-Type": "application/json"},
      body: JSON.stringify(asked),
      signal: mine.signal,
    });
    if (mine !== current) return;
    showError("");
    show(answer.translatedText, answer);
    showDetected(answer.detectedLanguage ? answer.detectedLanguage.language : "");
    checkLanguage(asked.q);
    by("status").textContent = `${((performance.now() - start) / 1000).toFixed(2)} s`;
  } catch (error) {
    if (mine !== current) return;
    showError(error.message);
    by("status").textContent = "";
  }
  current = null;
}

function changed() {
  by("hint").hidden = true;
  update();
  clearTimeout(timer);
  if (!text.value.trim()) translateNow();
  else if (by("live").checked) timer = setTimeout(translateNow, wait);
  else if (translation.value) translation.classList.add("old");
}

text.addEventListener("input", changed);
source.addEventListener("change", () => { fillTargets(); translateNow(); });
target.addEventListener("change", () => { chooseTarget(); translateNow(); });
by("swap").addEventListener("click", swap);
["others", "about"].forEach((name) => by(name).addEventListener("toggle", () => {
  if (by(name).open && translation.value) translateNow();
}));
go.addEventListener("click", translateNow);
by("live").addEventListener("change", changed);
by("clear").addEventListener("click", () => { text.value = ""; changed(); text.focus(); });
document.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) { event.preventDefault(); translateNow(); }
});
copy.addEventListener("click", async () => {
  try {
    await navigator.clipboard.writeText(translation.value);  // only of a secure page
  } catch (error) {
    translation.select();
    document.execCommand("copy");
  }
  by("status").textContent = "Copied";
});

by("take-hint").addEventListener("click", takeHint);

async function start() {
  startTheme();
  update();
  try {
    const [settings, list] = await Promise.all([ask("frontend/settings"), ask("languages")]);
    limit = settings.charLimit;
    by("learn").hidden = !settings.learn;
    wait = settings.frontendTimeout;
    mostAlternatives = settings.alternativesLimit || 0;
    by("others").hidden = !mostAlternatives;
    models = settings.models || [];
    languages = list;
    offerFiles(settings);
    fill(source, ["auto", ...list.filter((one) => one.targets.length).map((one) => one.code)]);
    source.value = source.options[1].value;
    fillTargets();
    changed();
  } catch (error) {
    showError(error.message);
  }
}
start();
