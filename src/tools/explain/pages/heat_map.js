// ---- Heat map: labels of the page on two sides, cells on a canvas --------------------------------------------------

class HeatMap {
  /** `onMove(row, column)` is called when the user goes to a cell; the owner answers with `place`. */
  constructor(host, labels, onMove) {
    this.onMove = onMove;
    this.corner = make("div", { className: "corner", "aria-hidden": "true" });
    this.cols = make("div", { className: "cols", "aria-hidden": "true" });
    this.rows = make("div", { className: "rows", "aria-hidden": "true" });
    this.canvas = make("canvas", { "aria-hidden": "true" });
    this.cursor = make("div", { className: "cursor" });
    this.cells = make("div", { className: "cells" }, this.canvas, this.cursor);
    this.map = make("div", { className: "map" }, this.corner, this.cols, this.rows, this.cells);
    // An application: a screen reader leaves the arrow keys to it and reads the readout, a status region.
    this.box = make("div", { className: "map-box", tabIndex: 0, role: "application", ...labels }, this.map);
    this.host = host;
    host.replaceChildren(this.box);
    this.frame = scroller(this.box, { narrow: true, focusable: true });
    this.cells.onpointermove = (event) => event.pointerType !== "touch" && this.point(event);
    this.cells.onclick = (event) => this.point(event);  // a finger's tap; its drag scrolls
    this.box.onkeydown = (event) => this.key(event);
    this.at = { row: 0, col: 0 };
    let width = 0;
    new ResizeObserver(() => {
      if (this.spec && host.clientWidth !== width) this.layout();
      width = host.clientWidth;
    }).observe(host);
  }

  /**
   * spec: rowLabels, colLabels (texts; null: none), corner, colour(row, col) -> [r, g, b] or null for no cell,
   * number(row, col) -> text or "" (drawn where there is room), ticks (labels are scattered numbers, cells may be
   * thin), size(width, printing) -> [cell width, cell height].
   */
  show(spec) {
    this.spec = spec;
    this.map.classList.toggle("ticks", Boolean(spec.ticks));
    const label = (text) =>
      text === null ? make("span") : make("span", { dir: "auto", title: text }, ...pieceNodes(text));
    this.rows.replaceChildren(...spec.rowLabels.map(label));
    this.cols.replaceChildren(...spec.colLabels.map(label));
    this.corner.textContent = spec.corner;
    this.layout();
  }

  layout(printWidth) {
    const { spec, map, cols, rows } = this;
    const count = spec.colLabels.length;
    map.style.fontSize = "";
    const available = (printWidth ?? this.host.clientWidth) - rows.offsetWidth - 2;
    const { angle, strip, overhang, longest, size } = this.arrange(available, printWidth !== undefined);
    [this.width, this.height] = size;
    if (!spec.ticks) map.style.fontSize = `${clamp(Math.floor(this.height * 0.8), 6, 12)}px`;
    map.classList.toggle("level", angle === 0);
    cols.style.setProperty("--angle", `${-angle}deg`);
    cols.style.height = `${strip}px`;
    cols.style.width = `${count * this.width + overhang}px`;
    [...cols.children].forEach((label, col) => {
      label.style.left = `${(spec.ticks ? col : col + 0.5) * this.width}px`;
      label.style.maxWidth = `${longest}px`;
    });
    for (const label of rows.children) label.style.height = label.style.lineHeight = `${this.height}px`;
    // The marks of the frame stand beside the labels, which stay where they are.
    this.frame.style.setProperty("--head", `${cols.offsetHeight}px`);
    this.frame.style.setProperty("--side", `${rows.offsetWidth}px`);
    this.draw();
    this.place(this.at.row, this.at.col);
  }

  /** How the column labels stand, in pixels: level where they have room, else slanted, upright over narrow cells. */
  arrange(available, printing) {
    const { spec } = this;
    const context = this.canvas.getContext("2d");
    context.font = `12px ${getComputedStyle(this.map).fontFamily}`;
    const widths = spec.colLabels.map((text) => context.measureText(shown(text ?? "")).width);
    const longest = Math.ceil(Math.min(120, Math.max(...widths))) + 6;
    let size = spec.size(available, printing);
    if (spec.ticks) return { angle: 0, strip: 20, overhang: 0, longest, size };
    if (longest <= size[0]) return { angle: 0, strip: 26, overhang: 0, longest, size };
    if (size[0] >= 26) {
      const overhang = Math.ceil(longest * Math.cos((50 * Math.PI) / 180));
      size = spec.size(available - overhang, printing);
      if (size[0] >= 24) return { angle: 50, strip: Math.ceil(longest * 0.77) + 12, overhang, longest, size };
    }
    return { angle: 90, strip: longest + 12, overhang: 0, longest, size: spec.size(available, printing) };
  }

  draw() {
    const { spec, canvas, width, height } = this;
    const rows = spec.rowLabels.length;
    const columns = spec.colLabels.length;
    // Sharp on screens of any density; very large maps stay below what browsers allow a canvas.
    const scale = Math.min(window.devicePixelRatio || 1, 8000 / (columns * width), 8000 / (rows * height));
    canvas.width = Math.round(columns * width * scale);
    canvas.height = Math.round(rows * height * scale);
    canvas.style.width = this.cells.style.width = `${columns * width}px`;
    canvas.style.height = `${rows * height}px`;
    const context = canvas.getContext("2d");
    const gap = width < 8 ? 0 : Math.max(1, Math.round(scale));
    context.font = `${11 * scale}px ${getComputedStyle(this.map).fontFamily}`;
    context.textAlign = "center";
    context.textBaseline = "middle";
    for (let row = 0; row < rows; row++) {
      const top = Math.round(row * height * scale);
      const bottom = Math.round((row + 1) * height * scale);
      for (let col = 0; col < columns; col++) {
        const rgb = spec.colour(row, col);
        if (!rgb) continue;
        const left = Math.round(col * width * scale);
        const right = Math.round((col + 1) * width * scale);
        context.fillStyle = css(rgb);
        context.fillRect(left, top, right - left - gap, bottom - top - gap);
        if (width < 34 || !spec.number) continue;
        context.fillStyle = textOn(rgb);
        context.fillText(spec.number(row, col), (left + right - gap) / 2, (top + bottom) / 2);
      }
    }
  }

  /** Puts the mark on a cell; `reveal` scrolls the box, never the page, until the cell is seen. */
  place(row, col, reveal = false) {
    const { width, height, box } = this;
    this.rows.children[this.at.row]?.classList.remove("on");
    this.cols.children[this.at.col]?.classList.remove("on");
    this.at = { row, col };
    this.rows.children[row]?.classList.add("on");
    this.cols.children[col]?.classList.add("on");
    const edge = width < 8 ? 3 : 0;  // around a thin cell, within a wide one
    Object.assign(this.cursor.style, {
      left: `${col * width - edge}px`, top: `${row * height - edge}px`,
      width: `${width + 2 * edge}px`, height: `${height + 2 * edge}px`,
    });
    if (!reveal) return;
    const seenWidth = box.clientWidth - this.rows.offsetWidth;
    const seenHeight = box.clientHeight - this.cols.offsetHeight;
    box.scrollLeft = scrolled(box.scrollLeft, seenWidth, col * width, width);
    box.scrollTop = scrolled(box.scrollTop, seenHeight, row * height, height);
  }

  point(event) {
    const area = this.canvas.getBoundingClientRect();
    const row = Math.floor((event.clientY - area.top) / this.height);
    const col = Math.floor((event.clientX - area.left) / this.width);
    this.go(row, col, false);
  }

  key(event) {
    const { row, col } = this.at;
    const lastCol = this.spec.colLabels.length - 1;
    const target = {
      ArrowUp: [row - 1, col], ArrowDown: [row + 1, col], ArrowLeft: [row, col - 1], ArrowRight: [row, col + 1],
      Home: [row, 0], End: [row, lastCol], PageUp: [row - 10, col], PageDown: [row + 10, col],
    }[event.key];
    if (!target || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    this.go(...target, true);
  }

  go(row, col, reveal) {
    row = clamp(row, 0, this.spec.rowLabels.length - 1);
    col = clamp(col, 0, this.spec.colLabels.length - 1);
    if (row === this.at.row && col === this.at.col) return;
    this.place(row, col, reveal);
    this.onMove(row, col);
  }
}
