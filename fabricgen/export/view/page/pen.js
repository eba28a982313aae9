// @ts-check
"use strict";
/** Draws in pixels what stands in units of a drawing, so that lines and letters have their own sizes at every zoom. */
FG.Pen = class {
  /** @param {CanvasRenderingContext2D} c @param {any} camera @param {any} theme */
  constructor(c, camera, theme) {
    this.c = c;
    /** The fill that is set. */
    this.filled = "";
    this.theme = theme;
    this.scale = camera.scale;
    this.width = camera.width;
    this.height = camera.height;
    this.left = camera.x - camera.width / 2 / camera.scale;
    this.top = camera.y - camera.height / 2 / camera.scale;
    this.right = this.left + camera.width / camera.scale;
    this.bottom = this.top + camera.height / camera.scale;
    c.setTransform(FG.ratio, 0, 0, FG.ratio, 0, 0);
  }

  /** @param {number} x */
  x(x) { return (x - this.left) * this.scale; }

  /** @param {number} y */
  y(y) { return (y - this.top) * this.scale; }

  /** Whether a rectangle is in sight. @param {number} x @param {number} y @param {number} w @param {number} h */
  sees(x, y, w, h) { return x < this.right && y < this.bottom && x + w > this.left && y + h > this.top; }

  /** @param {number} x @param {number} y @param {number} w @param {number} h @param {string} fill */
  fill(x, y, w, h, fill) {
    if (fill !== this.filled) this.c.fillStyle = this.filled = fill;
    this.c.fillRect(this.x(x), this.y(y), w * this.scale, h * this.scale);
  }

  /** @param {number} x @param {number} y @param {number} w @param {number} h @param {string} ink @param {number} [thick] */
  frame(x, y, w, h, ink, thick = 1) {
    this.c.strokeStyle = ink;
    this.c.lineWidth = thick;
    this.c.strokeRect(this.x(x), this.y(y), w * this.scale, h * this.scale);
  }

  /** @param {number[]} ends @param {string} ink @param {number} thick */
  line([x0, y0, x1, y1], ink, thick) {
    this.c.strokeStyle = ink;
    this.c.lineWidth = thick;
    this.c.beginPath();
    this.c.moveTo(this.x(x0), this.y(y0));
    this.c.lineTo(this.x(x1), this.y(y1));
    this.c.stroke();
  }

  /** How wide a text is, pixels. @param {string} text @param {number} size */
  wide(text, size) {
    let wide = FG.Pen.widths.get(text);
    if (wide === undefined) {
      this.c.font = "10px system-ui, sans-serif";
      FG.Pen.widths.set(text, (wide = this.c.measureText(text).width / 10));
    }
    return wide * size;
  }

  /**
   * A text at a pixel; no wider than `room`, cut with a sign that it is; on a `ground` that hides lines below it.
   * @param {string} text @param {number} px @param {number} py @param {number} size @param {string} ink
   * @param {{align?: CanvasTextAlign, base?: CanvasTextBaseline, room?: number, bold?: boolean, turned?: boolean, ground?: string}} [how]
   */
  text(text, px, py, size, ink, how = {}) {
    const c = this.c, room = how.room ?? Infinity;
    const most = Math.floor(room / (size * 0.56) + 0.5);
    if (text.length > most) text = most > 3 ? `${text.slice(0, Math.ceil(most / 2) - 1)}…${text.slice(text.length - Math.floor(most / 2))}` : "";
    if (!text) return;
    c.font = `${how.bold ? "600 " : ""}${size}px system-ui, sans-serif`;
    c.textAlign = how.align ?? "left";
    c.textBaseline = how.base ?? "middle";
    if (how.turned) {
      const w = how.ground ? c.measureText(text).width + 4 : 0;
      c.save();
      c.translate(px, py);
      c.rotate(-Math.PI / 2);
      if (how.ground) { c.fillStyle = how.ground; c.fillRect(-w / 2, -size * 0.55, w, size * 1.1); }
      c.fillStyle = ink;
      c.fillText(text, 0, 0);
      c.restore();
      this.filled = "";
      return;
    }
    c.fillStyle = this.filled = ink;
    if (room < Infinity) c.fillText(text, px, py, room); else c.fillText(text, px, py);
  }

  /** A text on a plate of paper, so that it can be read over anything. @param {string} text @param {number} px @param {number} py @param {CanvasTextAlign} [align] @param {string} [ink] */
  plate(text, px, py, align = "center", ink = this.theme.ink) {
    const c = this.c, size = 12;
    c.font = `${size}px system-ui, sans-serif`;
    const w = c.measureText(text).width + 8, x = align === "center" ? px - w / 2 : align === "right" ? px - w : px;
    c.fillStyle = this.filled = this.theme.paper;
    c.globalAlpha = 0.9;
    c.fillRect(x, py - 9, w, 18);
    c.globalAlpha = 1;
    this.text(text, x + 4, py, size, ink);
  }
};
/** Widths of texts of one pixel, which are measured once. @type {Map<string, number>} */
FG.Pen.widths = new Map();
