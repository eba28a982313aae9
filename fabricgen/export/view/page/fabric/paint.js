// @ts-check
"use strict";
/** How the fabric view is painted: in pixels of the screen, only what is in sight and large enough to be seen. */
FG.DIM = 0.12;

FG.FabricWay = class extends FG.Fabric {
  /** Room that the label of a ribbon may take, beyond the ribbon if need be. */
  static LABEL = 116;

  /** @param {CanvasRenderingContext2D} c @param {any} camera @param {any} theme */
  paint(c, camera, theme) {
    const { scale } = camera, [left, top] = camera.at(0, 0), [right, bottom] = camera.at(camera.width, camera.height);
    /** @type {any} */
    const view = {
      c, theme, scale, sight: [left, top, right, bottom],
      X: (/** @type {number} */ x) => (x - left) * scale, Y: (/** @type {number} */ y) => (y - top) * scale,
      seen: (/** @type {number} */ x, /** @type {number} */ y, /** @type {number} */ w, /** @type {number} */ h) => x < right && y < bottom && x + w > left && y + h > top,
      texts: [], names: [], labels: [], devices: [],
    };
    c.setTransform(FG.ratio, 0, 0, FG.ratio, 0, 0);
    c.lineWidth = 1;
    this.choice = this.chosenPart();
    this.paintBoxes(view);
    this.paintRibbons(view);
    this.paintBands(view);
    this.links.paint(view);
    this.paintChosen(view);
    view.texts.push(...view.names);
    FG.FabricWay.write(view);
  }

  /** What FG.state limits the picture to: whether a class, a device, a box is of it. @returns {any} */
  chosenPart() {
    const { fabric, plane, rail, unit } = FG.state, { head, boxes, bundles } = this;
    const key = JSON.stringify([fabric, plane, rail, unit]);
    if (this.choice?.key === key) return this.choice;
    const of = head.classes.map(() => !fabric);
    if (fabric) for (let i = 0; i < bundles.rows; i += 1) if (this.segments[bundles.segment[i]].fabric === fabric) of[bundles.lower[i]] = of[bundles.upper[i]] = true;
    /** @type {Uint8Array | null} */
    let within = null;
    if (unit) {
      within = new Uint8Array(boxes.rows);
      for (let box = 0; box < boxes.rows; box += 1) {
        const own = this.boxNames.at(box) === unit;
        if (own) for (let up = boxes.parent[box]; up >= 0; up = boxes.parent[up]) within[up] = 1;
        if (own || (box && within[boxes.parent[box]] === 2)) within[box] = 2;
      }
    }
    return {
      key,
      box: (/** @type {number} */ box) => !within || within[box] > 0,
      band: (/** @type {number} */ band) => of[this.bands.cls[band]] && (!within || within[this.bands.box[band]] > 0),
      device: (/** @type {number} */ device) => (!plane || !this.plane[device] || this.plane[device] === plane) && (!rail || !this.rail[device] || this.rail[device] === rail),
      bundle: (/** @type {number} */ i) => (!fabric || this.segments[this.bundles.segment[i]].fabric === fabric)
        && (!within || within[this.bundles.box[i]] > 1 || (within[this.bundles.box[i]] > 0 && (this.bundles.child[i] < 0 || within[this.bundles.child[i]] > 0))),
    };
  }


  /** @param {any} view */
  paintBoxes(view) {
    const { boxes } = this, { c, theme, scale, X, Y } = view;
    for (let i = 0; i < boxes.rows; i += 1) {
      const x = boxes.x[i], y = boxes.y[i], w = boxes.w[i], h = boxes.h[i];
      if (w * scale < 3 || !view.seen(x, y, w, h)) continue;
      c.globalAlpha = this.choice.box(i) ? 1 : FG.DIM * 3;
      c.fillStyle = boxes.level[i] % 2 ? theme.box : theme.paper;
      c.fillRect(X(x), Y(y), w * scale, h * scale);
      const domain = this.domains.get(boxes.level[i]);
      c.strokeStyle = domain ? FG.visible(domain, theme) : theme.line;
      c.strokeRect(X(x), Y(y), w * scale, h * scale);
      if (domain && w * scale > 40) c.strokeRect(X(x) + 1, Y(y) + 1, w * scale - 2, h * scale - 2);
      const room = boxes.foot[i] * scale, size = Math.min(14, room * 0.9);
      if (size >= 7 || (w * scale > 50 && this.widest[i] * scale < 50)) view.names.push(size >= 7
          ? { ground: c.fillStyle, choices: this.boxText(i), x: X(x) + 4, y: Y(y + h) - room / 2 - 1, w: w * scale - 8, size, colour: theme.ink, alpha: c.globalAlpha, bold: true }
          : { plate: true, choices: this.boxText(i), x: X(x), y: this.widest[i] ? Y(y + h / 2) : Y(y + h) - 5, w: w * scale, size: this.widest[i] ? 11 : 9, colour: theme.ink, alpha: c.globalAlpha, bold: true, middle: true });
    }
    c.globalAlpha = 1;
  }

  /** @param {any} view */
  paintRibbons(view) {
    const { ribbons: r, bundles, boxes, segments } = this, { c, theme, scale, X, Y } = view;
    const faded = (this.links.shown(view) ? 0.12 : 0.38) * (theme.dark === "1" ? 1.5 : 1);
    for (let i = 0; i < r.rows; i += 1) {
      const bundle = r.bundle[i], box = bundles.box[bundle];
      if (boxes.w[box] * scale < 40) continue;
      const a = r.w0[i] / 2, b = r.w1[i] / 2, low = Math.min(r.x0[i] - a, r.x1[i] - b), high = Math.max(r.x0[i] + a, r.x1[i] + b);
      const up = Math.min(r.y0[i], r.y1[i]) - r.arc[i], down = Math.max(r.y0[i], r.y1[i]);
      if (!view.seen(low, up, high - low, down - up)) continue;
      const overlay = FG.overlay?.ribbon?.(bundle), lit = this.choice.bundle(bundle);
      c.globalAlpha = lit ? (overlay ? 0.7 : faded) : FG.DIM * 0.5;
      c.fillStyle = overlay?.fill ?? FG.visible(segments[bundles.segment[bundle]].swatch.fill, theme);
      FG.FabricWay.ribbonPath(c, [X(r.x0[i]), Y(r.y0[i]), Math.max(0.35, a * scale), X(r.x1[i]), Y(r.y1[i]), Math.max(0.35, b * scale), r.arc[i] * scale]);
      c.fill();
      const wide = (a + b) * scale;
      if (lit && FG.state.chosen?.kind !== "device" && this.labelled[i] && (wide > 30 || (r.arc[i] && wide > 4)) && (down - up) * scale > (r.arc[i] ? 16 : 22)) {
        const w = r.arc[i] ? (high - low) * scale : boxes.w[box] * scale < 2 * FG.FabricWay.LABEL ? wide : Math.max(wide, FG.FabricWay.LABEL);
        this.label(view, { edge: r.arc[i] ? segments[bundles.segment[bundle]].swatch.fill : "", choices: [this.bundleText[bundle]], x: X((r.x0[i] + r.x1[i]) / 2) - w / 2, y: (Y(r.y0[i]) + Y(r.y1[i])) / 2 - Math.max(r.arc[i] / 2, r.arc[i] - (a + b) / 2) * scale, w, size: 11, colour: theme.ink, middle: true, alpha: 1 });
      }
    }
    c.globalAlpha = 1;
  }

  /** The label of a ribbon, unless another is in its place, or that of an arc would hide devices. @param {any} view @param {any} text */
  label(view, text) {
    const x = text.x + text.w / 2, { bands } = this, { X, Y } = view;
    if (text.edge) for (let i = 0; i < bands.rows; i += 1) if (Math.abs(X(bands.x[i] + bands.w[i] / 2) - x) * 2 < bands.w[i] * view.scale + 60 && text.y > Y(bands.y[i]) && text.y < Y(bands.y[i] + bands.h[i])) return;
    view.c.font = `${text.size}px system-ui, sans-serif`;
    const half = Math.min(text.w, view.c.measureText(text.choices[0]).width) / 2 + 6;
    if (view.labels.length > 200 || view.labels.some((/** @type {number[]} */ [other, line, room]) => Math.abs(x - other) < half + room && Math.abs(text.y - line) < 16)) return;
    view.labels.push([x, text.y, half]);
    view.texts.push({ ...text, half });
  }

  /** The outline of a ribbon: middle, y and half width of both ends, and the height of an arc. @param {any} c @param {number[]} piece */
  static ribbonPath(c, [x0, y0, a, x1, y1, b, arc]) {
    c.beginPath();
    c.moveTo(x0 - a, y0);
    if (arc) {
      const outer = (arc * 4) / 3, inner = (Math.max(0, arc - a - b) * 4) / 3;
      c.bezierCurveTo(x0 - a, y0 - outer, x1 + b, y1 - outer, x1 + b, y1);
      c.lineTo(x1 - b, y1);
      c.bezierCurveTo(x1 - b, y1 - inner, x0 + a, y0 - inner, x0 + a, y0);
      return;
    }
    const m = (y0 + y1) / 2;
    c.bezierCurveTo(x0 - a, m, x1 - b, m, x1 - b, y1);
    c.lineTo(x1 + b, y1);
    c.bezierCurveTo(x1 + b, m, x0 + a, m, x0 + a, y0);
  }

  /** How large a name above a band is written upward: it ends below the tier above it, where it can be read so. @param {any} view @param {number} band @param {string} name */
  upwardSize({ c, X, Y }, band, name) {
    const { x, y, w, h, rows } = this.bands, middle = X(x[band] + w[band] / 2), foot = Y(y[band]);
    let roof = -Infinity;
    for (let i = 0; i < rows; i += 1) {
      const bottom = Y(y[i] + h[i]);
      if (bottom <= foot && X(x[i]) - 8 < middle && middle < X(x[i] + w[i]) + 8) roof = Math.max(roof, bottom);
    }
    c.font = "10px system-ui, sans-serif";
    return Math.max(6.5, Math.min(10, (10 * (foot - roof - 7)) / c.measureText(name).width));
  }

  /** @param {any} view */
  paintBands(view) {
    const { bands, head } = this, { c, theme, scale, X, Y } = view, over = FG.overlay.now || FG.overlay.marks;
    /** @type {number[]} */
    const cells = [];
    const turned = (/** @type {number} */ i, /** @type {any} */ cls) => ({ choices: [cls.label], x: X(bands.x[i] + bands.w[i] / 2), y: Y(bands.y[i]) - 3, w: 0, size: this.upwardSize(view, i, cls.label), colour: theme.ink, alpha: 1, turned: true });
    for (let i = 0; i < bands.rows; i += 1) {
      const x = bands.x[i], y = bands.y[i], w = bands.w[i], h = bands.h[i];
      if (w * scale < 3 || h * scale < 1.2 || !view.seen(x, y, w, h)) continue;
      const cls = head.classes[bands.cls[i]], [cellW, cellH] = this.cell(i), swatch = this.fabricOf.get(cls.fabric);
      const fill = swatch?.fill ?? theme.node, lit = this.choice.band(i), room = bands.header[i] * scale;
      c.globalAlpha = lit ? 1 : FG.DIM;
      if (cellW * scale < 6) {
        c.fillStyle = FG.overlay?.of?.("band", i)?.fill ?? fill;
        c.fillRect(X(x), Y(y), w * scale, h * scale);
        if (lit && w * scale > 24 && h * scale > 11) view.texts.push({ choices: this.bandText(i), x: X(x), y: Y(y + h / 2), w: w * scale, size: 11, colour: swatch?.ink ?? theme.paper, middle: true, alpha: 1, plain: true, ground: c.fillStyle });
        else if (lit && cls.kind === "extra" && w * scale >= 7) view.texts.push(turned(i, cls));
        continue;
      }
      c.fillStyle = theme.paper;
      c.fillRect(X(x), Y(y), w * scale, h * scale);
      c.strokeStyle = FG.visible(fill, theme);
      c.strokeRect(X(x), Y(y), w * scale, h * scale);
      if (["switch", "tray"].includes(cls.kind)) {
        const bar = Math.min(4, Math.max(2, head.bar * bands.scale[i] * scale));
        c.fillStyle = c.strokeStyle;
        c.fillRect(X(x), Y(y + h) - bar, w * scale, bar);
      }
      const size = Math.min(13, room * 0.75);
      const above = cls.kind === "extra" && lit && size < 13 && (size < 6.5 || cls.label.length * 5.5 > w * scale - 6);
      if (above) view.texts.push(turned(i, cls));
      else if (size >= 6.5) view.texts.push({ choices: this.bandText(i), x: X(x) + 3, y: Y(y) + room / 2 + 0.5, w: w * scale - 6, size, colour: theme.ink, alpha: lit ? 1 : FG.DIM * 3, plain: true, ground: theme.paper });
      if (cellW * scale < 16 && !over) {
        c.fillStyle = fill;
        this.within(i, view.sight, (device) => cells.push(device));
        FG.FabricWay.blocks(view, this, cells.splice(0), cellW * scale, cellH * scale, (device) => lit && this.choice.device(device));
        continue;
      }
      this.within(i, view.sight, (device) => {
        c.globalAlpha = lit && this.choice.device(device) ? 1 : FG.DIM;
        const over = FG.overlay?.of?.("device", device);
        this.paintDevice(view, device, { cls, fill: over?.fill ?? fill, ink: over ? FG.overlay.ink(over.fill) : swatch?.ink ?? theme.paper, mark: over?.mark, w: cellW * scale, h: cellH * scale });
      });
    }
    c.globalAlpha = 1;
  }

  /** Devices that are no more than blocks, in one path if they are lit, and in another if not. @param {any} view @param {any} fabric @param {number[]} devices @param {number} w @param {number} h @param {(device: number) => boolean} lit */
  static blocks({ c, X, Y }, fabric, devices, w, h, lit) {
    for (const alpha of [1, FG.DIM]) {
      c.globalAlpha = alpha;
      c.beginPath();
      for (const device of devices) if ((alpha === 1) === Boolean(lit(device))) c.rect(X(fabric.dx[device]), Y(fabric.dy[device]), w, h);
      c.fill();
    }
  }

  /** A device: a block, then with its name, then its face. @param {any} view @param {number} device @param {any} look */
  paintDevice(view, device, { cls, fill, ink, mark, w, h }) {
    const { c, X, Y, theme } = view, x = X(this.dx[device]), y = Y(this.dy[device]);
    const face = w >= 150;
    c.fillStyle = face ? theme.paper : fill;
    c.fillRect(x, y, w, h);
    const alpha = c.globalAlpha;
    if (face) {
      c.strokeStyle = fill;
      c.lineWidth = 2;
      c.strokeRect(x, y, w, h);
      c.lineWidth = 1;
      c.fillStyle = fill;
      c.fillRect(x, y, w, h * 0.2);
      this.links.face(view, device, cls, [x, y + h * 0.2, w, h * 0.8]);
      c.globalAlpha = alpha;
    }
    if (alpha === 1 && w >= 40) view.devices.push(device);
    if (cls.mark && w >= 8) {
      c.fillStyle = cls.mark;
      c.fillRect(x, y + h - Math.max(1.5, h * 0.1), w, Math.max(1.5, h * 0.1));
    }
    const name = this.deviceNames.at(device), high = face ? h * 0.2 : h, size = Math.min(12, high * 0.62);
    if (size >= 6 && w >= 34) {
      const texts = mark ? [`${mark} ${name}`, mark] : [name, ...FG.FabricWay.shorter(name)];
      view.texts.push({ choices: texts, x: x + 2, y: y + high / 2, w: w - 4, size, colour: ink, middle: true, alpha, plain: true, rigid: true, ground: fill });
    } else if (mark && w >= 8 && h >= 6) {
      view.texts.push({ choices: [mark], x, y: y + h / 2, w, size: Math.min(10, h), colour: ink, middle: true, alpha, plain: true, ground: fill });
    }
  }

  /** A name without its first parts, for little room. @param {string} name */
  static shorter(name) { const parts = name.split("-"); return [parts.slice(1).join("-"), parts.slice(-2).join("-"), parts.at(-1)].filter(Boolean); }

  /** Outline what is chosen. @param {any} view */
  paintChosen(view) {
    const { c, theme, scale, X, Y } = view, chosen = FG.state.chosen;
    if (!chosen) return;
    FG.paintMarks(view, this);
    c.strokeStyle = theme.chosen;
    c.lineWidth = 3;
    if (chosen.kind === "ribbon") {
      const r = this.ribbons;
      for (let i = 0; i < r.rows; i += 1) {
        if (r.bundle[i] !== chosen.id) continue;
        FG.FabricWay.ribbonPath(c, [X(r.x0[i]), Y(r.y0[i]), Math.max(1, (r.w0[i] / 2) * scale), X(r.x1[i]), Y(r.y1[i]), Math.max(1, (r.w1[i] / 2) * scale), r.arc[i] * scale]);
        c.closePath();
        c.stroke();
      }
    } else {
      const [w, h] = chosen.kind === "device" ? this.cell(this.bandOf[chosen.id]) : [];
      const found = chosen.kind === "device" ? [this.dx[chosen.id], this.dy[chosen.id], w, h] : chosen.kind === "band" ? ["x", "y", "w", "h"].map((n) => this.bands[n][chosen.id]) : this.bounds(chosen);
      if (found) c.strokeRect(X(found[0]) - 2, Y(found[1]) - 2, found[2] * scale + 4, found[3] * scale + 4);
    }
    c.lineWidth = 1;
  }

  /** A text that stands upright, from its place upward. @param {any} c @param {any} theme @param {any} text */
  static upward(c, theme, text) {
    c.save();
    c.globalAlpha = text.alpha;
    c.translate(text.x, text.y);
    c.rotate(-Math.PI / 2);
    c.fillStyle = theme.paper;
    c.fillRect(-2, -text.size * 0.6, c.measureText(text.choices[0]).width + 4, text.size * 1.2);
    c.fillStyle = text.colour;
    c.fillText(text.choices[0], 0, 0);
    c.restore();
  }

  /** Write the texts on paper, those on a ground of their own on that where lines cross it, each as long as it has room: the first of its choices that fits. @param {any} view */
  static write({ c, theme, texts, lined }) {
    c.textBaseline = "middle";
    let font = "";
    const plates = texts.filter((/** @type {any} */ one) => one.plate);
    const hidden = (/** @type {any} */ one) => one.plain && plates.some((/** @type {any} */ plate) => plate.alpha === 1 && Math.abs(one.y - plate.y) < (one.size + plate.size) / 2 && one.x < plate.x + plate.w && plate.x < one.x + one.w);
    const upright = texts.filter((/** @type {any} */ one) => one.turned);
    const crossed = (/** @type {any} */ one) => one.half && upright.some((/** @type {any} */ name) => one.y < name.y + 8 && one.y > name.y - 8 - name.choices[0].length * 6 && Math.abs(one.x + one.w / 2 - name.x) < one.half + 6);
    for (const text of texts) {
      if ((plates.length && hidden(text)) || (upright.length && crossed(text))) continue;
      const use = (/** @type {number} */ size) => { const wanted = `${text.bold ? "600 " : ""}${size.toFixed(1)}px system-ui, sans-serif`; if (wanted !== font) c.font = font = wanted; };
      const fit = (/** @type {string[]} */ choices) => choices.find((one) => c.measureText(one).width <= text.w);
      if (text.turned) { use(text.size); FG.FabricWay.upward(c, theme, text); continue; }
      let fits;
      for (const share of text.size > 9 && !text.rigid ? [1, 0.75, 0.6] : [1]) {
        use(text.size * share);
        fits = fit(text.choices.length > 1 ? text.choices.slice(0, -1) : text.choices);
        if (fits || text.size * share < 7) break;
      }
      if (!fits) { use(text.size); fits = fit(text.choices.slice(-1)); }
      if (!fits) continue;
      const x = text.middle ? text.x + (text.w - c.measureText(fits).width) / 2 : text.x;
      c.globalAlpha = text.alpha;
      if (text.ground ? lined : !text.plain) {
        const box = text.ground ? [x - 1, text.y - text.size * 0.55, c.measureText(fits).width + 2, text.size * 1.1] : [x - 3, text.y - text.size * 0.65, c.measureText(fits).width + 6, text.size * 1.3];
        c.fillStyle = text.ground ?? theme.paper;
        c.globalAlpha = (text.ground ? 1 : 0.85) * text.alpha;
        c.fillRect(...box);
        c.globalAlpha = text.alpha;
        if (text.edge) { c.strokeStyle = text.edge; c.lineWidth = 2; c.strokeRect(...box); }
      }
      c.fillStyle = text.colour;
      c.fillText(fits, x, text.y);
    }
    c.globalAlpha = 1;
    c.lineWidth = 1;
  }
};
FG.fabricWay = new FG.FabricWay();
FG.ways.push(FG.fabricWay);
