// @ts-check
"use strict";
/** Single links of the fabric view: those of devices in sight and of the chosen device, and faces with cages. */
FG.Links = class {
  /** @param {any} fabric */
  constructor(fabric) {
    this.fabric = fabric;
    /** @type {any} */
    this.ends = null;
    this.most = 3000;
    /** @type {any[]} */
    this.parts = [];
    FG.on("change", () => { if (FG.state.chosen?.kind === "device") this.need(); });
  }

  /** Have the ends of links read, and paint anew. */
  need() {
    if (this.asked) return;
    this.asked = true;
    (async () => {
      const ends = await FG.ends(), table = FG.table("links");
      this.segment = await table.numbers("segment");
      this.cages = [await table.column("a_cage"), await table.column("b_cage")];
      this.parts = [["rail", await table.column("rail")], ["plane", await table.column("plane")]];
      this.ends = ends;
      FG.repaint();
    })();
  }

  /** Whether a link is of the rail and plane that are chosen, or of none. @param {number} link */
  lit(link) {
    for (const [key, column] of this.parts ?? []) {
      const own = FG.state[key] ? Number(column.at(link)) : 0;
      if (own && own !== FG.state[key]) return false;
    }
    return true;
  }

  /** Whether single links stand in place of ribbons at a zoom. @param {any} view */
  shown(view) { return view.scale * this.fabric.head.cell[0] >= 120; }

  /** Cages of a device's face, and by label where they are. @param {any} view @param {number} device @param {any} cls @param {number[]} room */
  face(view, device, cls, room) {
    const { c, theme } = view, front = FG.block("faces")?.[cls.model];
    if (!front) return;
    const [x, y, w, h] = this.fit(front, room);
    c.strokeStyle = theme.line;
    c.lineWidth = 1;
    c.strokeRect(x, y, w, h);
    if (w > 110) this.need();
    const used = this.ends && w > 110 ? this.used(device) : null;
    for (const [cx, cy, cw, ch, label] of front.cages) {
      const swatch = used?.get(label);
      c.fillStyle = swatch?.fill ?? theme.box;
      c.fillRect(x + cx * w, y + cy * h, cw * w, ch * h);
      if (w > 90) c.strokeRect(x + cx * w, y + cy * h, cw * w, ch * h);
      const size = Math.min(10, ch * h * 0.7);
      if (size >= 5) view.texts.push({ choices: [label], x: x + cx * w, y: y + (cy + ch / 2) * h, w: cw * w, size, colour: swatch?.ink ?? theme.ink, middle: true, alpha: c.globalAlpha, plain: true, ground: swatch?.fill ?? theme.box });
    }
  }

  /** The rectangle of a front within a room, in its proportions. @param {any} front @param {number[]} room */
  fit(front, [x, y, w, h]) {
    const by = Math.min((w * 0.96) / 450, (h * 0.92) / (44.45 * front.units)), fw = 450 * by, fh = 44.45 * front.units * by;
    return [x + (w - fw) / 2, y + (h - fh) / 2, fw, fh];
  }

  /** The fabric of each cage of a device that has a link. @param {number} device */
  used(device) {
    /** @type {Map<string, any>} */
    const found = new Map();
    for (const link of this.ends.of(device)) found.set(this.cage(link, device), this.fabric.segments[this.segment[link]].swatch);
    return found;
  }

  /** The label of the cage that a link has on a device. @param {number} link @param {number} device */
  cage(link, device) { return String(this.cages?.[this.ends.a[link] === device ? 0 : 1].at(link)); }

  /** Where a link meets a device: its cage where faces are shown, else the side that looks to the other end. @param {any} view @param {number} link @param {number} device @param {number} far */
  at(view, link, device, far) {
    const { fabric } = this, band = fabric.bandOf[device], [w, h] = fabric.cell(band), { scale, X, Y } = view;
    const x = X(fabric.dx[device]), y = Y(fabric.dy[device]);
    if (w * scale >= 150) {
      const front = FG.block("faces")?.[fabric.head.classes[fabric.bands.cls[band]].model], label = this.cage(link, device);
      const cage = front?.cages.find((/** @type {any[]} */ one) => one[4] === label);
      if (cage) {
        const [fx, fy, fw, fh] = this.fit(front, [x, y + h * scale * 0.2, w * scale, h * scale * 0.8]);
        return [fx + (cage[0] + cage[2] / 2) * fw, fy + (cage[1] + cage[3] / 2) * fh];
      }
    }
    return [x + (w * scale) / 2, fabric.dy[far] < fabric.dy[device] ? y : y + h * scale];
  }

  /** @param {any} view */
  paint(view) {
    const { c } = view, { fabric } = this, chosen = FG.state.chosen?.kind === "device" ? FG.state.chosen.id : -1;
    const near = this.shown(view);
    if ((near || chosen >= 0) && !this.ends) this.need();
    if (!this.ends) return;
    let left = this.most;
    if (near) {
      const done = new Set();
      for (const device of view.devices) {
        for (const link of this.ends.of(device)) {
          if (left <= 0 || done.has(link)) continue;
          const segment = fabric.segments[this.segment[link]];
          if ((FG.state.fabric && segment.fabric !== FG.state.fabric) || !this.lit(link)) continue;
          done.add(link);
          left -= 1;
          c.strokeStyle = FG.overlay?.of?.("link", link)?.fill ?? FG.visible(segment.swatch.fill, view.theme);
          c.globalAlpha = chosen < 0 ? 0.6 : 0.15;
          this.curve(view, link, device);
        }
      }
    }
    if (chosen >= 0) this.paintChosen(view, chosen);
    c.globalAlpha = 1;
  }

  /** A link as a curve. @param {any} view @param {number} link @param {number} device */
  curve(view, link, device) {
    const far = this.ends.far(link, device), { c } = view, { fabric } = this;
    view.lined = true;
    const [x0, y0] = this.at(view, link, device, far), [x1, y1] = this.at(view, link, far, device);
    const beside = Math.abs(fabric.dy[far] - fabric.dy[device]) < 1e-6, m = beside ? Math.min(y0, y1) - 40 : (y0 + y1) / 2;
    c.beginPath();
    c.moveTo(x0, y0);
    c.bezierCurveTo(x0, m, x1, m, x1, y1);
    c.stroke();
    return [x1, y1];
  }

  /** All links of the chosen device, with the names of their far ends by band, where there is room. @param {any} view @param {number} device */
  paintChosen(view, device) {
    const { c, theme } = view, { fabric } = this;
    /** @type {Map<number, {far: Set<number>, links: number}>} */
    const ends = new Map();
    c.lineWidth = 2;
    c.globalAlpha = 0.9;
    for (const link of this.ends.of(device).subarray(0, this.most)) {
      c.strokeStyle = FG.visible(fabric.segments[this.segment[link]].swatch.fill, view.theme);
      this.curve(view, link, device);
      const far = this.ends.far(link, device), band = fabric.bandOf[far], known = ends.get(band) ?? { far: new Set(), links: 0 };
      known.links += 1;
      known.far.add(far);
      ends.set(band, known);
    }
    c.lineWidth = 1;
    /** @type {number[][]} */
    const taken = [];
    for (const [band, { far, links }] of ends) {
      const [first] = far, more = far.size > 1 ? ` +${far.size - 1}` : "";
      const text = `${fabric.deviceNames.at(first)}${more} · ${links} ${links > 1 ? "links" : "link"}`, w = text.length * 6.2;
      const { x, y, w: bw, h } = fabric.bands, above = y[band] < fabric.dy[device];
      const left = view.X(x[band] + bw[band] / 2) - w / 2, line = above ? view.Y(y[band]) - 9 : view.Y(y[band] + h[band]) + 9;
      if (band === fabric.bandOf[device] || taken.length > 60 || taken.some(([tx, ty, tw]) => left < tx + tw && tx < left + w && Math.abs(line - ty) < 14)) continue;
      taken.push([left, line, w]);
      view.texts.push({ choices: [text], x: left, y: line, w: w + 20, size: 11, colour: theme.ink, middle: true, alpha: 1 });
    }
  }
};
