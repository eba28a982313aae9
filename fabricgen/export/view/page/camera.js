// @ts-check
"use strict";
/** Which part of a drawing is in sight: x and y of the middle in its units, and pixels a unit. */
FG.Camera = class {
  /** @param {HTMLCanvasElement} canvas @param {() => void} changed */
  constructor(canvas, changed) {
    this.canvas = canvas;
    this.changed = changed;
    this.x = 0;
    this.y = 0;
    this.scale = 1;
    this.least = 0.01;
    this.most = 200;
    /** Pixels above and below a rectangle that is shown, for what is written there. */
    this.margin = 0;
    /** @type {number[] | null} The rectangle that is shown, until it is moved or zoomed. */
    this.shown = null;
    /** @type {(px: number, py: number) => void} Called where the pointer went down and up in one place. */
    this.tapped = () => {};
    this.listen();
  }

  get width() { return this.canvas.clientWidth; }
  get height() { return this.canvas.clientHeight; }

  /** Show a rectangle, with a margin. @param {number} x @param {number} y @param {number} w @param {number} h */
  show(x, y, w, h) {
    this.x = x + w / 2;
    this.y = y + h / 2;
    this.scale = this.bounded(Math.min((0.95 * this.width) / w, Math.min(0.95 * this.height, this.height - 2 * this.margin) / h));
    this.shown = [x, y, w, h];
    this.changed();
  }

  /** @param {number} scale */
  bounded(scale) { return Math.min(this.most, Math.max(this.least, scale)); }

  /** The place in the drawing of a pixel. @param {number} px @param {number} py @returns {[number, number]} */
  at(px, py) { return [this.x + (px - this.width / 2) / this.scale, this.y + (py - this.height / 2) / this.scale]; }

  /** Whether a place is in sight. @param {number} x @param {number} y */
  sees(x, y) { return Math.abs(x - this.x) * this.scale < this.width / 2 && Math.abs(y - this.y) * this.scale < this.height / 2; }

  /** @param {number} factor @param {number} px @param {number} py */
  zoom(factor, px = this.width / 2, py = this.height / 2) {
    const [x, y] = this.at(px, py);
    this.scale = this.bounded(this.scale * factor);
    this.shown = null;
    this.x = x - (px - this.width / 2) / this.scale;
    this.y = y - (py - this.height / 2) / this.scale;
    this.changed();
  }

  /** @param {number} dx @param {number} dy */
  pan(dx, dy) {
    this.x -= dx / this.scale;
    this.y -= dy / this.scale;
    this.shown = null;
    this.changed();
  }

  listen() {
    const canvas = this.canvas;
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      this.zoom(Math.exp(-event.deltaY * 0.0015), event.offsetX, event.offsetY);
    }, { passive: false });
    /** @type {Map<number, PointerEvent>} */
    const down = new Map();
    let moved = 0;
    canvas.addEventListener("pointerdown", (event) => {
      if (event.button) return;
      moved = down.size ? Infinity : 0;
      down.set(event.pointerId, event);
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener("pointermove", (event) => {
      const before = down.get(event.pointerId);
      if (!before) return;
      moved += Math.abs(event.offsetX - before.offsetX) + Math.abs(event.offsetY - before.offsetY);
      const other = [...down.values()].find((one) => one.pointerId !== event.pointerId);
      if (other) {
        const was = Math.hypot(before.offsetX - other.offsetX, before.offsetY - other.offsetY);
        const is = Math.hypot(event.offsetX - other.offsetX, event.offsetY - other.offsetY);
        this.zoom(is / Math.max(1, was), (event.offsetX + other.offsetX) / 2, (event.offsetY + other.offsetY) / 2);
      } else {
        this.pan(event.offsetX - before.offsetX, event.offsetY - before.offsetY);
      }
      down.set(event.pointerId, event);
    });
    canvas.addEventListener("pointerup", (event) => { if (down.delete(event.pointerId) && moved < 5) this.tapped(event.offsetX, event.offsetY); });
    canvas.addEventListener("pointercancel", (event) => down.delete(event.pointerId));
    canvas.addEventListener("keydown", (event) => {
      const step = 60;
      /** @type {Object<string, () => void>} */
      const keys = {
        ArrowLeft: () => this.pan(step, 0), ArrowRight: () => this.pan(-step, 0),
        ArrowUp: () => this.pan(0, step), ArrowDown: () => this.pan(0, -step),
        "+": () => this.zoom(1.25), "=": () => this.zoom(1.25), "-": () => this.zoom(0.8),
      };
      if (keys[event.key]) { event.preventDefault(); keys[event.key](); }
    });
  }
};
