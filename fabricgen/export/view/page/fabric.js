// @ts-check
"use strict";
/** The fabric view: boxes, bands and ribbons of all zooms, then devices that are in sight. */
FG.Fabric = class {
  name = "fabric";
  title = "Fabric";
  /** @type {any} */
  names = null;

  /** @param {any} chosen @returns {number[] | null} */
  bounds(chosen) {
    if (!chosen) return [0, 0, this.scene.w, this.scene.h];
    return null;
  }

  pick() { return null; }

  async load() {
    this.scene = FG.block("scene");
    const read = async (/** @type {any} */ packed, /** @type {string[]} */ names) => {
      const table = new FG.Table(packed);
      /** @type {any} */
      const found = { rows: table.rows };
      for (const name of names) found[name] = await table.numbers(name);
      return found;
    };
    this.boxes = await read(this.scene.boxes, ["level", "parent", "x", "y", "w", "h"]);
    this.names = await new FG.Table(this.scene.boxes).column("name");
    this.bands = await read(this.scene.bands, ["box", "cls", "first", "last", "x", "y", "w", "h", "scale"]);
    this.ribbons = await read(this.scene.ribbons, ["bundle", "x0", "y0", "w0", "x1", "y1", "w1", "arc"]);
    this.bundles = await read(this.scene.bundles, ["box", "segment"]);
    /** @type {any} */
    this.order = await FG.numbers(this.scene.order);
    this.devices = await read(this.scene.devices, ["x", "y"]);
  }

  /** @param {CanvasRenderingContext2D} c @param {any} camera @param {any} theme */
  paint(c, camera, theme) {
    const { boxes, bands, ribbons, devices } = this;
    const head = FG.block("head");
    const [left, top] = camera.at(0, 0), [right, bottom] = camera.at(camera.width, camera.height);
    const seen = (/** @type {number} */ x, /** @type {number} */ y, /** @type {number} */ w, /** @type {number} */ h) =>
      x < right && y < bottom && x + w > left && y + h > top;
    c.setTransform(devicePixelRatio * camera.scale, 0, 0, devicePixelRatio * camera.scale,
      devicePixelRatio * (camera.width / 2 - camera.x * camera.scale), devicePixelRatio * (camera.height / 2 - camera.y * camera.scale));
    c.lineWidth = 1 / camera.scale;
    for (let i = 0; i < boxes.rows; i += 1) {
      const x = boxes.x[i] / 100, y = boxes.y[i] / 100, w = boxes.w[i] / 100, h = boxes.h[i] / 100;
      if (!seen(x, y, w, h) || w * camera.scale < 3) continue;
      c.fillStyle = boxes.level[i] % 2 ? theme.box : theme.paper;
      c.fillRect(x, y, w, h);
      c.strokeStyle = theme.line;
      c.strokeRect(x, y, w, h);
    }
    for (let i = 0; i < ribbons.rows; i += 1) {
      const [x0, y0, w0, x1, y1, w1] = [ribbons.x0[i], ribbons.y0[i], ribbons.w0[i] / 2, ribbons.x1[i], ribbons.y1[i], ribbons.w1[i] / 2].map((n) => n / 100);
      const arc = ribbons.arc[i] / 100;
      if (arc) {
        c.globalAlpha = 0.35;
        c.fillStyle = head.fabrics.find((/** @type {any} */ f) => f.name === head.segments[this.bundles.segment[ribbons.bundle[i]]].fabric).fill;
        c.beginPath(); c.moveTo(x0 - w0, y0); c.bezierCurveTo(x0 - w0, y0 - arc * 1.33, x1 + w1, y1 - arc * 1.33, x1 + w1, y1);
        const inner = Math.max(0, arc - (w0 + w1)) * 1.33;
        c.lineTo(x1 - w1, y1); c.bezierCurveTo(x1 - w1, y1 - inner, x0 + w0, y0 - inner, x0 + w0, y0); c.fill(); c.globalAlpha = 1;
        continue;
      }
      const m = (y0 + y1) / 2;
      c.globalAlpha = 0.35;
      c.fillStyle = head.fabrics.find((/** @type {any} */ f) => f.name === head.segments[this.bundles.segment[ribbons.bundle[i]]].fabric).fill;
      c.beginPath();
      c.moveTo(x0 - w0, y0);
      c.bezierCurveTo(x0 - w0, m, x1 - w1, m, x1 - w1, y1);
      c.lineTo(x1 + w1, y1);
      c.bezierCurveTo(x1 + w1, m, x0 + w0, m, x0 + w0, y0);
      c.fill();
      c.globalAlpha = 1;
    }
    const fills = new Map(head.fabrics.map((/** @type {any} */ fabric) => [fabric.name, fabric.fill]));
    for (let i = 0; i < bands.rows; i += 1) {
      const x = bands.x[i] / 100, y = bands.y[i] / 100, w = bands.w[i] / 100, h = bands.h[i] / 100;
      if (!seen(x, y, w, h)) continue;
      const cls = head.classes[bands.cls[i]];
      const cellW = head.cell[0] * bands.scale[i] / 100, cellH = head.cell[1] * bands.scale[i] / 100;
      c.fillStyle = fills.get(cls.fabric) ?? theme.faint;
      if (cellW * camera.scale < 4) { c.fillRect(x, y, w, h); continue; }
      for (let at = bands.first[i]; at < bands.last[i]; at += 1) {
        const device = this.order[at], dx = devices.x[device] / 100, dy = devices.y[device] / 100;
        if (seen(dx, dy, cellW, cellH)) c.fillRect(dx, dy, cellW, cellH);
      }
    }
    this.words(c, camera, theme, seen);
  }

  /** Names of boxes, where they are large enough. @param {any} c @param {any} camera @param {any} theme @param {any} seen */
  words(c, camera, theme, seen) {
    const { boxes } = this;
    c.fillStyle = theme.ink;
    c.textBaseline = "top";
    const size = 12 / camera.scale;
    c.font = `${size}px system-ui, sans-serif`;
    for (let i = 0; i < boxes.rows; i += 1) {
      const x = boxes.x[i] / 100, y = boxes.y[i] / 100, w = boxes.w[i] / 100, h = boxes.h[i] / 100;
      if (w * camera.scale > 60 && seen(x, y, w, h)) c.fillText(this.names.at(i), x + 3 / camera.scale, y + 2 / camera.scale);
    }
  }
};
FG.ways.push(new FG.Fabric());
