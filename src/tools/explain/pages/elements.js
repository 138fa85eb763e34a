// ---- Small helpers -------------------------------------------------------------------------------------------------

const byId = (id) => document.getElementById(id);
const clamp = (value, low, high) => Math.min(Math.max(value, low), high);
const range = (count) => Array.from({ length: count }, (_, index) => index);

/** An element with properties and children; strings become text nodes, so that no text is ever read as HTML. */
function make(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name.includes("-") || name === "role") element.setAttribute(name, value);
    else element[name] = value;
  }
  element.append(...children);
  return element;
}

/** Where a box of `seen` pixels, now scrolled to `now`, must scroll to show what begins at `begin`; 4 pixels of air. */
const scrolled = (now, seen, begin, size) => clamp(now, begin + size + 4 - seen, begin - 4);

const option = (value, text) => make("option", { value }, text);
const bold = (text) => make("b", { dir: "auto" }, text);
const number = (text) => make("span", { className: "number" }, text);
const shown = (piece) => (piece === "" ? "(empty)" : piece);
const indexOfLargest = (row) => row.reduce((best, value, index) => (value > row[best] ? index : best), 0);

/** The piece as text whose "▁" is dimmer than its letters. */
function pieceNodes(piece) {
  return shown(piece).split(/(▁)/).filter(Boolean)
    .map((part) => (part === "▁" ? make("span", { className: "space" }, part) : part));
}

/** Among `buttons`, one can be tabbed to; arrow keys move along `target(index, key)`, which may say undefined. */
function roving(buttons, current, target) {
  buttons.forEach((button, index) => {
    button.tabIndex = index === current ? 0 : -1;
    button.onkeydown = (event) => {
      const next = buttons[target(index, event.key)];
      if (!next) return;
      event.preventDefault();
      button.tabIndex = -1;
      next.tabIndex = 0;
      next.focus();
    };
  });
}

/**
 * `box`, which scrolls, in a frame with a mark on each edge beyond which there is more. A box that scrolls can be
 * tabbed to, so that arrow keys scroll it, unless `focusable` says that something in it takes the focus already.
 */
function scroller(box, { narrow = false, focusable = false } = {}) {
  const cues = Object.fromEntries(Object.entries({ up: "↑ more", down: "↓ more", left: "←", right: "→" })
    .map(([side, text]) => [side, make("div", { className: `cue ${side}`, "aria-hidden": "true" }, make("span", {}, text))]));
  const frame = make("div", { className: `scroller${narrow ? " narrow" : ""}` });
  box.replaceWith(frame);
  frame.append(box, ...Object.values(cues));
  const update = () => {
    const rest = {
      up: box.scrollTop, left: box.scrollLeft,
      down: box.scrollHeight - box.clientHeight - box.scrollTop, right: box.scrollWidth - box.clientWidth - box.scrollLeft,
    };
    for (const side in cues) cues[side].classList.toggle("on", rest[side] > 6);
    const scrolls = box.scrollHeight > box.clientHeight + 1 || box.scrollWidth > box.clientWidth + 1;
    if (!focusable) box.tabIndex = scrolls ? 0 : -1;
  };
  box.addEventListener("scroll", update, { passive: true });
  new ResizeObserver(update).observe(box);
  new MutationObserver(update).observe(box, { childList: true, subtree: true, attributeFilter: ["style", "class"] });
  return frame;
}

/** The writing direction of a text: that of its first letter. */
function directionOf(text) {
  const letter = /\p{L}/u.exec(text)?.[0] ?? "";
  return /\p{Script=Arabic}|\p{Script=Hebrew}|\p{Script=Syriac}|\p{Script=Thaana}|\p{Script=Nko}|\p{Script=Adlam}/u.test(letter)
    ? "rtl" : "ltr";
}

/** Where arrow keys lead to on a line of buttons, for roving(). */
function alongLine(buttons) {
  const forward = buttons[0]?.parentElement.dir === "rtl" ? -1 : 1;
  return (index, key) =>
    ({ ArrowLeft: index - forward, ArrowRight: index + forward, Home: 0, End: buttons.length - 1 })[key];
}

/** Pieces side by side, in the writing direction of their text; those that go on with a word stand close, where the tokenizer marks spaces at all. */
function pieceLine(host, pieces, tag) {
  const marked = pieces.some((piece) => piece.startsWith("▁"));
  const joined = (index) => index > 0 && marked && ![pieces[index - 1], pieces[index]].some(isSpecial)
    && !pieces[index].startsWith("▁");
  const elements = pieces.map((piece, index) => make(tag, {
    className: `piece${joined(index) ? " joined" : ""}`, dir: "auto",
  }, ...pieceNodes(piece)));
  host.dir = directionOf(pieces.filter((piece) => !isSpecial(piece)).join(""));
  host.replaceChildren(...elements);
  return elements;
}

// As SentencePiece and word-level tokenizers write them.
const isSpecial = (piece) => /^(<\/?s>|<(sos|eos|pad|unk)>|\[(SOS|EOS|PAD|UNK)\])$/.test(piece);
