// Holds the computation of a page of `translate-explain --learn` against the program's own numbers, without a browser:
// node learn_page_numbers.mjs PAGE.html EXPLAINED.jsonl SUBWORDS.jsonl
// EXPLAINED.jsonl: lines of `translate-explain --explain --json`; SUBWORDS.jsonl: lines of `translate-explain --score
// --json`, whose `tokens` are the subwords of `translation` by the target's tokenizer. Prints a line for each
// difference, then a summary; the exit code is 1 if there was one.

import fs from "node:fs";

const TOLERANCE = 1e-4;
const MOST_SHOWN = 20;

const [pageFile, explainedFile, subwordsFile] = process.argv.slice(2);
const page = fs.readFileSync(pageFile, "utf8");
const [, code] = /<script id="computation">([\s\S]*?)<\/script>/.exec(page);
const [, json] = /<script type="application\/json" id="data">([\s\S]*?)<\/script>/.exec(page);
const { TranslationModel, UNCHANGED } = new Function(`${code}\nreturn { TranslationModel, UNCHANGED };`)();
const translator = new TranslationModel(JSON.parse(json));
const lines = (file) => fs.readFileSync(file, "utf8").split("\n").filter(Boolean).map((line) => JSON.parse(line));

let differences = 0;
let largest = 0;
let compared = 0;
const differ = (text) => {
  differences += 1;
  if (differences <= MOST_SHOWN) console.log(text);
};

function compareSubwords(where, expected, actual) {
  if (JSON.stringify(expected) !== JSON.stringify(actual)) {
    differ(`${where}: the program has ${expected}, the page ${actual}`);
  }
}

/** Numbers of the program, nested or not; null stands for -infinity. */
function compareNumbers(where, expected, actual) {
  expected.flat(Infinity).forEach((value, index) => {
    const difference = value === null ? (actual[index] === -Infinity ? 0 : Infinity) : Math.abs(value - actual[index]);
    largest = Math.max(largest, difference);
    compared += 1;
    if (!(difference <= TOLERANCE)) {
      differ(`${where}, number ${index}: the program has ${value}, the page ${actual[index]}`);
    }
  });
}

function compareStages(where, expected, actual) {
  compareSubwords(`${where}: stages`, expected.map(({ name, shape }) => [name, ...shape]),
    actual.map(({ name, value }) => [name, ...value.shape]));
  expected.forEach(({ name, values }, index) => compareNumbers(`${where}: ${name}`, values, actual[index].value.data));
}

function compareSteps(where, expected, actual) {
  compareSubwords(`${where}: generated`, expected.map(({ said }) => said),
    actual.map(({ generated }) => translator.target.subword(generated)));
  expected.forEach(({ likeliest }, step) => likeliest.forEach(({ id, probability }, place) => {
    // Of subwords that are as likely as each other, either may come first.
    const found = actual[step].likeliest.find((one) => one.id === id) ?? actual[step].likeliest[place];
    compareNumbers(`${where}: step ${step}, subword ${id}`, [probability], [found.probability]);
  }));
}

for (const { source, translation, parts: [part] } of lines(explainedFile)) {
  const input = translator.encoderInput(source);
  compareSubwords(`${source}: ids`, part.source_pieces.map(({ id }) => id), input.ids);
  const steps = [...translator.steps(input, UNCHANGED)];
  compareSteps(source, part.steps, steps);
  const generated = steps.map((step) => step.generated);
  compareSubwords(`${source}: translation`, translation, translator.target.decode(generated));
  compareStages(source, part.stages, translator.observe(input, steps.map(({ read }) => read), UNCHANGED));
}
let texts = 0;
for (const { translation, tokens } of lines(subwordsFile)) {
  texts += 1;
  const ids = translator.target.encode(translation);
  compareSubwords(translation, tokens, ids.map((id) => translator.target.subword(id)));
}
console.log(`${compared} numbers, at most ${largest.toExponential(1)} apart; ${texts} texts split; `
  + `${differences} differences`);
process.exit(differences > 0 || compared === 0 || texts === 0 ? 1 : 0);
