// ---- Colours -------------------------------------------------------------------------------------------------------
// Both scales are straight lines of lightness in OKLCH, where equal steps look equally large; they begin near the
// page's own background, so that "more" stands out more in light and dark alike, and also without seeing hues.

/** OKLCH (lightness 0..1, chroma, hue in degrees) as [red, green, blue] of 0..255, clipped to what a screen has. */
function oklch(lightness, chroma, hue) {
  const a = chroma * Math.cos((hue * Math.PI) / 180);
  const b = chroma * Math.sin((hue * Math.PI) / 180);
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  return [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ].map((x) => Math.round(255 * clamp(x <= 0.0031308 ? 12.92 * x : 1.055 * x ** (1 / 2.4) - 0.055, 0, 1)));
}

const STEPS = 256;
const ramp = (colour) => range(STEPS).map((step) => colour(step / (STEPS - 1)));

/** Weights, 0 to 1. */
const WEIGHT_RAMPS = {
  light: ramp((t) => oklch(0.965 - 0.645 * t, 0.01 + 0.15 * Math.sin(Math.PI * Math.min(0.8 * t, 0.5)), 220 + 60 * t)),
  dark: ramp((t) => oklch(0.265 + 0.675 * t, 0.02 + 0.12 * Math.sin(Math.PI * (0.04 + 0.7 * t)), 275 - 165 * t)),
};

/** Signed numbers, -1 to 1 brought to 0..1: blue below, orange above. */
const SIGNED_RAMPS = {
  light: ramp((t) => oklch(0.965 - 0.45 * Math.abs(2 * t - 1), 0.15 * Math.abs(2 * t - 1), t < 0.5 ? 255 : 45)),
  dark: ramp((t) => oklch(0.265 + 0.5 * Math.abs(2 * t - 1), 0.14 * Math.abs(2 * t - 1), t < 0.5 ? 250 : 55)),
};

const theme = () => document.documentElement.dataset.theme;
const pick = (ramps, t) => ramps[theme()][Math.round(clamp(t, 0, 1) * (STEPS - 1))];
const css = (rgb) => `rgb(${rgb.join(" ")})`;

/** Black or white, whichever reads better: the better one always has a contrast of at least 4.5. */
function textOn(rgb) {
  const [r, g, b] = rgb.map((c) => (c <= 10 ? c / 3294 : ((c / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b > 0.179 ? "#000" : "#fff";
}

function showLegend(host, ramps, low, high) {
  const bar = make("i", { "aria-hidden": "true" });
  const stops = range(9).map((step) => css(pick(ramps, step / 8)));
  bar.style.background = `linear-gradient(to right, ${stops.join(", ")})`;
  host.replaceChildren(low, bar, high);
}
