// ---- Curves of several runs over each other --------------------------------------------------------------------------

const SVG = "http://www.w3.org/2000/svg";
const HEIGHT = 220;
const EDGE = {left: 56, right: 12, top: 10, bottom: 24};
const DASHES = ["", "7 4", "2 3", "10 3 2 3", "4 2", "1 2", "12 4", "6 2 1 2"];
const CHARTS = [
  {name: "training_loss", title: "Training loss", isLoss: true},
  {name: "validation_loss", title: "Validation loss", isLoss: true},
  {name: "bleu", title: "Validation BLEU"},
  {name: "chrf", title: "Validation chrF"},
  {name: "learning_rate", title: "Learning rate"},
  {name: "tokens_per_second", title: "Target tokens per second"},
];

function draw(name, attributes, text = "") {
  const element = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, String(value));
  element.textContent = text;
  return element;
}

const strokeOf = (index) => ({style: `stroke: var(--run-${index % 8})`, "stroke-dasharray": DASHES[index % 8], class: "line"});

/** A short line as the curves of a run have it. */
function swatch(index) {
  const picture = draw("svg", {width: 36, height: 12, class: "swatch", "aria-hidden": "true"});
  picture.append(draw("line", {x1: 1, y1: 6, x2: 35, y2: 6, ...strokeOf(index)}));
  return picture;
}

/** Round values from `low` to `high`, about `count` of them. */
function ticks(low, high, count) {
  const raw = (high - low) / count;
  const power = 10 ** Math.floor(Math.log10(raw));
  const unit = [1, 2, 5, 10].find((factor) => factor * power >= raw * 0.999) * power;
  const values = [];
  for (let i = Math.ceil(low / unit - 1e-9); i * unit <= high + unit * 1e-9; ++i) values.push(Number((i * unit).toPrecision(12)));
  return values;
}

/** Round values from `low` to `high`, both above 0, for a logarithmic axis: 1, 2 and 5 of each power of 10, or fewer. */
function logarithmicTicks(low, high) {
  const powers = [];
  for (let power = Math.floor(Math.log10(low)); power <= Math.log10(high); ++power) powers.push(power);
  const fine = powers.flatMap((power) => [1, 2, 5].map((factor) => Number(`${factor}e${power}`))).filter((value) => value >= low && value <= high);
  if (fine.length < 2) return ticks(low, high, 4).filter((value) => value > 0);
  const every = Math.ceil(powers.length / 6);
  return fine.length <= 7 ? fine : powers.filter((_, index) => index % every === 0).map((power) => 10 ** power).filter((value) => value >= low);
}

/** From values to pixels. */
function scale([low, high], [from, to], isLogarithmic) {
  const place = isLogarithmic ? Math.log : (value) => value;
  const [first, last] = [place(low), place(high)];
  return (value) => from + (last === first ? 0.5 : (place(value) - first) / (last - first)) * (to - from);
}

/** The least and the greatest of the values; a little more where they are the same. */
function range(values) {
  const low = values.reduce((a, b) => Math.min(a, b));
  const high = values.reduce((a, b) => Math.max(a, b));
  return low < high ? [low, high] : [low - Math.abs(low) * 0.1 - 1e-12, high + Math.abs(high) * 0.1 + 1e-12];
}

/** The point of a curve that is nearest to a step. */
function nearest(points, step) {
  return points.reduce((best, point) => (Math.abs(point[0] - step) < Math.abs(best[0] - step) ? point : best));
}

function showReadout(chart, curves, step) {
  const shown = curves.filter(({points}) => points.length).map(({run, index, points}) => {
    const [at, value] = step === null ? points[points.length - 1] : nearest(points, step);
    return make("span", {}, swatch(index), ` ${run}: ${digits(value)} at step ${whole(at)}`);
  });
  chart.readout.replaceChildren(...shown);
}

/** A picture of the curves; null where there are no points. */
function picture(chart, curves, width, isLogarithmic) {
  const all = curves.flatMap(({points}) => points);
  const usable = isLogarithmic ? all.filter(([, value]) => value > 0) : all;
  if (!usable.length) return null;
  const steps = range(usable.map(([step]) => step));
  const values = range(usable.map(([, value]) => value));
  const x = scale(steps, [EDGE.left, width - EDGE.right], false);
  const y = scale(values, [HEIGHT - EDGE.bottom, EDGE.top], isLogarithmic);
  const last = curves.filter(({points}) => points.length).map(({run, points}) => `${run} ${digits(points[points.length - 1][1])}`);
  const root = draw("svg", {viewBox: `0 0 ${width} ${HEIGHT}`, role: "img", "aria-label": `${chart.title}, the last values: ${last.join(", ")}`});
  for (const value of isLogarithmic ? logarithmicTicks(values[0], values[1]) : ticks(values[0], values[1], 4)) {
    root.append(draw("line", {x1: EDGE.left, x2: width - EDGE.right, y1: y(value), y2: y(value), class: "grid"}),
      draw("text", {x: EDGE.left - 6, y: y(value) + 4, "text-anchor": "end", class: "tick"}, brief(value)));
  }
  for (const step of ticks(Math.max(steps[0], 0), steps[1], width < 380 ? 4 : 5).filter(Number.isInteger)) {
    root.append(draw("text", {x: Math.min(x(step), width - 20), y: HEIGHT - 6, "text-anchor": "middle", class: "tick"}, brief(step)));
  }
  for (const {index, points} of curves) {
    const places = points.filter(([, value]) => !isLogarithmic || value > 0).map(([step, value]) => `${x(step).toFixed(1)},${y(value).toFixed(1)}`);
    root.append(draw("polyline", {points: places.join(" "), ...strokeOf(index)}));
    for (const place of places.length <= 30 ? places : []) {
      const [cx, cy] = place.split(",");
      root.append(draw("circle", {cx, cy, r: 2.5, style: `fill: var(--run-${index % 8})`}));
    }
  }
  follow(chart, curves, root, {steps, width});
  return root;
}

/** Shows the values at the step below the pointer. */
function follow(chart, curves, root, {steps, width}) {
  const cursor = draw("line", {y1: EDGE.top, y2: HEIGHT - EDGE.bottom, class: "cursor", visibility: "hidden"});
  root.append(cursor);
  root.addEventListener("pointermove", (event) => {
    const box = root.getBoundingClientRect();
    const at = Math.min(Math.max((event.clientX - box.left) / box.width * width, EDGE.left), width - EDGE.right);
    const share = (at - EDGE.left) / (width - EDGE.left - EDGE.right);
    for (const end of ["x1", "x2"]) cursor.setAttribute(end, String(at));
    cursor.setAttribute("visibility", "visible");
    showReadout(chart, curves, steps[0] + share * (steps[1] - steps[0]));
  });
  root.addEventListener("pointerleave", () => {
    cursor.setAttribute("visibility", "hidden");
    showReadout(chart, curves, null);
  });
}

function startCharts() {
  for (const chart of CHARTS) {
    chart.place = make("div", {});
    chart.readout = make("p", {className: "note readout"});
    chart.figure = make("figure", {className: "card chart", hidden: true}, make("figcaption", {textContent: chart.title}), chart.place, chart.readout);
    by("charts").append(chart.figure);
  }
}

/** Draws all curves again; a chart without points is hidden. */
function drawCharts(runs) {
  for (const chart of CHARTS) {
    const curves = runs.map((run, index) => ({run: run.name, index, points: run.curves[chart.name]}));
    chart.figure.hidden = !curves.some(({points}) => points.length);
    if (chart.figure.hidden) continue;
    const width = Math.max(chart.place.clientWidth, 240);
    const drawn = picture(chart, curves, width, Boolean(chart.isLoss) && by("logarithmic").checked);
    chart.place.replaceChildren(drawn || make("p", {className: "note", textContent: "No value is above 0."}));
    showReadout(chart, curves, null);
  }
}
