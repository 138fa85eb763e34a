// ---- Overview of all heads -----------------------------------------------------------------------------------------

/** One pixel per number, brought to the size of the picture: smoothly where it has more numbers than pixels. */
function thumbnail(rows, columns, colour) {
  const image = new ImageData(columns, rows);
  for (let row = 0; row < rows; row++) {
    for (let col = 0; col < columns; col++) {
      const rgb = colour(row, col);
      if (rgb) image.data.set([...rgb, 255], 4 * (row * columns + col));
    }
  }
  const small = make("canvas", { width: columns, height: rows });
  small.getContext("2d").putImageData(image, 0, 0);
  const canvas = make("canvas", { width: 120, height: 120 });
  const context = canvas.getContext("2d");
  context.imageSmoothingEnabled = Math.max(rows, columns) > 60;
  context.drawImage(small, 0, 0, 120, 120);
  return canvas;
}

/** A picture of each head's weights, a row for each layer, and of the mean over the heads; one of them is chosen. */
class HeadOverview {
  /** `host`: in a box that may scroll sideways. `onChoose(layer, head)` is called when the user chooses one. */
  constructor(host, onChoose) {
    this.host = host;
    this.onChoose = onChoose;
  }

  /** `weights(layer, head)`: rows of numbers; `colouring(matrix)` gives the colour of a cell. */
  show(layers, heads, weights, colouring) {
    const columns = [...range(heads), ...(heads > 1 ? [MEAN] : [])];
    this.host.style.gridTemplateColumns = `1.2em repeat(${columns.length}, minmax(28px, 72px))`;
    this.buttons = [];
    const cells = [make("span"), ...columns.map((head) => make("span", {}, String(head)))];
    for (const layer of range(layers)) {
      cells.push(make("span", {}, String(layer)));
      for (const head of columns) {
        const label = `Layer ${layer}, ${headName(head)}`;
        const matrix = weights(layer, head);
        const button = make("button", { type: "button", className: "head", title: label, "aria-label": label },
          thumbnail(matrix.length, matrix[0].length, colouring(matrix)));
        button.onclick = () => this.onChoose(layer, head);
        button.choice = { layer, head };
        this.buttons.push(button);
        cells.push(button);
      }
    }
    this.host.replaceChildren(...cells);
    const { length } = columns;
    roving(this.buttons, 0, (index, key) => ({
      ArrowLeft: index - 1, ArrowRight: index + 1, ArrowUp: index - length, ArrowDown: index + length,
      Home: index - (index % length), End: index - (index % length) + length - 1,
    })[key]);
  }

  /** Marks the chosen one, and brings it into view. */
  mark(layer, head) {
    for (const button of this.buttons) {
      const chosen = button.choice.layer === layer && button.choice.head === head;
      button.setAttribute("aria-pressed", chosen);
      button.tabIndex = chosen ? 0 : -1;
      if (!chosen) continue;
      const box = this.host.parentElement;
      box.scrollLeft = scrolled(box.scrollLeft, box.clientWidth, button.offsetLeft, button.offsetWidth);
    }
  }
}
