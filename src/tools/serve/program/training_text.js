// ---- Numbers and times as text ---------------------------------------------------------------------------------------

const by = (id) => document.getElementById(id);

/** An element with a text or children. */
function make(name, properties, ...children) {
  const element = Object.assign(document.createElement(name), properties);
  element.append(...children);
  return element;
}

const isNumber = (value) => typeof value === "number" && Number.isFinite(value);
const whole = (value) => Math.round(value).toLocaleString("en");

/** A value with three digits or more: 12,345; 31.23; 0.0123; 1.20e−4. */
function digits(value) {
  const size = Math.abs(value);
  if (size >= 1000) return whole(value);
  if (size === 0 || size >= 0.1) return value.toFixed(size >= 10 ? 2 : 3);
  if (size >= 0.001) return value.toPrecision(3);
  return value.toExponential(2).replace("-", "−");
}

/** A value on an axis: 0.25, 950, 1.5k, 20k, 3M; 5e−4 where it is very small or large. */
function brief(value) {
  if (value !== 0 && (Math.abs(value) < 0.01 || Math.abs(value) >= 1e12)) {
    return value.toExponential().replace("+", "").replace("-", "−");
  }
  if (value >= 1e6) return `${Number((value / 1e6).toFixed(2))}M`;
  return value >= 1e3 ? `${Number((value / 1e3).toFixed(2))}k` : `${Number(value.toPrecision(3))}`;
}

/** A span of time, as the log of a training has it. */
function duration(seconds) {
  const two = (value) => String(value).padStart(2, "0");
  const span = Math.round(seconds);
  if (span < 60) return `${span} s`;
  if (span < 3600) return `${Math.floor(span / 60)} min ${two(span % 60)} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 6000) return `${Math.floor(minutes / 60)} h ${two(minutes % 60)} min`;
  const hours = Math.round(seconds / 3600);
  return `${Math.floor(hours / 24)} d ${two(hours % 24)} h`;
}

function memory(bytes) {
  const mebibytes = bytes / 2 ** 20;
  return mebibytes < 1024 ? `${whole(mebibytes)} MiB` : `${(mebibytes / 1024).toFixed(1)} GiB`;
}
