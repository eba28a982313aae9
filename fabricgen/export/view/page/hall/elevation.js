// @ts-check
"use strict";
/**
 * A rack that is open: inside its place on the floor its front, in its true shape, with rack units to the left and
 * names to the right; closer, the cages of its devices with the far ends of their ports. Those of devices whose ports
 * are at the rear are drawn as they are seen from there, and "rear" stands behind the name.
 */
FG.Elevation = class {
  /** @param {any} hall */
  constructor(hall) {
    this.hall = hall;
    this.faces = FG.block("faces");
    this.fabrics = new Map(FG.block("head").fabrics.map((/** @type {any} */ fabric) => [fabric.name, fabric]));
    /** @type {Map<number, Map<string, any[]>>} Ports of devices by cage, of the last some hundred. */
    this.known = new Map();
    /** @type {any} */
    this.links = null;
  }

  /** The front of a rack in its place on the floor: left upper corner, its width, and a unit's height. @param {number} rack */
  front(rack) {
    const { x, y, w, d, kind } = this.hall.racks, units = this.hall.block.kinds[kind[rack]].units;
    const head = 5, unit = Math.min((d[rack] - head - 2) / units, (0.52 * w[rack] * 4.445) / 45);
    return { x: x[rack] - w[rack] / 2 + 4.2, y: y[rack] - d[rack] / 2 + head, w: (45 * unit) / 4.445, unit, units, head };
  }

  /** The face of a device on the floor. @param {number} device @returns {number[]} */
  face(device) {
    const front = this.front(this.hall.rackOf[device]), high = this.hall.high(device);
    return [front.x, front.y + (front.units - this.hall.u[device] - high + 1) * front.unit, front.w, high * front.unit];
  }

  /** @param {any} pen @param {number} rack */
  paint(pen, rack) {
    const { theme, scale } = pen, { x, y, w, d } = this.hall.racks, front = this.front(rack);
    const left = x[rack] - w[rack] / 2, px = front.unit * scale;
    pen.fill(left, y[rack] - d[rack] / 2, w[rack], d[rack], theme.paper);
    const size = Math.min(16, 3.6 * scale);
    if (size >= 6.5) {
      const name = this.hall.rackName(rack), kw = this.hall.power(rack), room = (w[rack] - 2) * scale, middle = pen.y(y[rack] - d[rack] / 2 + front.head / 2);
      pen.text(name, pen.x(left + 1), middle, size, theme.ink, { bold: true, room });
      if (pen.wide(name + kw, size * 1.1) < room) pen.text(kw, pen.x(left + w[rack] - 1), middle, size * 0.8, theme.faint, { align: "right" });
    }
    pen.fill(front.x, front.y, front.w, front.unit * front.units, theme.box);
    this.units(pen, front, px);
    for (const device of this.hall.devicesIn(rack)) this.device(pen, device, front);
    for (const panel of this.hall.panelsIn(rack)) {
      const top = front.y + (front.units - panel.u - panel.units + 1) * front.unit;
      this.box(pen, [front.x, top, front.w, panel.units * front.unit], this.hall.block.panel_fill);
      this.label(pen, panel.name, front, top, panel.units);
    }
    pen.frame(front.x, front.y, front.w, front.unit * front.units, theme.line);
  }

  /** Numbers of rack units, as many as can be read. @param {any} pen @param {any} front @param {number} px */
  units(pen, front, px) {
    const size = Math.min(12, 0.75 * px), step = px >= 7.5 ? 1 : px * 5 >= 9 ? 5 : 0;
    for (let u = step; step && u <= front.units; u += step) {
      const top = front.y + (front.units - u) * front.unit;
      if (top > pen.bottom || top + front.unit < pen.top) continue;
      pen.text(String(u), pen.x(front.x - 0.6), pen.y(top + front.unit / 2), Math.min(step > 1 ? 10 : size, 3 * pen.scale), pen.theme.faint, { align: "right" });
      if (step === 1 && u < front.units) pen.line([front.x, top, front.x + front.w, top], pen.theme.paper, 1);
    }
  }

  /** @param {any} pen @param {number[]} box @param {string} fill */
  box(pen, [x, y, w, h], fill) {
    const gap = Math.min(0.5, 0.08 * h * pen.scale) / pen.scale;
    pen.fill(x, y + gap, w, h - 2 * gap, fill);
    if (h * pen.scale >= 5) pen.frame(x, y + gap, w, h - 2 * gap, pen.theme.line);
  }

  /** @param {any} pen @param {number} device @param {any} front */
  device(pen, device, front) {
    const [x, y, w, h] = this.face(device), hall = this.hall;
    if (!pen.sees(x, y, front.w * 3, h)) return;
    const told = FG.overlay.of("device", device), [own, usual] = hall.block.swatches[hall.classOf[device]];
    const fill = told?.fill ?? FG.rackFill(own, pen.theme), ink = told ? FG.overlay.ink(fill) : fill === own ? usual : pen.theme.ink;
    pen.c.globalAlpha = hall.lit && !hall.lit[device] ? 0.25 : 1;
    this.box(pen, [x, y, w, h], fill);
    if (told?.mark && w * pen.scale < 200) pen.text(told.mark, pen.x(x + w / 2), pen.y(y + h / 2), Math.min(12, 0.8 * h * pen.scale), ink, { align: "center", bold: true, room: w * pen.scale });
    if (w * pen.scale >= 200) this.cages(pen, device, [x, y, w, h], ink);
    const rear = hall.block.rear[hall.classOf[device]] ? " · rear" : "";
    this.label(pen, hall.names.at(device) + rear, front, y, hall.high(device));
    if (hall.isChosen("device", device) || (FG.marks?.of[device] && FG.state.chosen?.kind !== "rack")) pen.frame(x, y, w, h, pen.theme.chosen, 3);
  }

  /** The name beside a device. @param {any} pen @param {string} name @param {any} front @param {number} top @param {number} high */
  label(pen, name, front, top, high) {
    const unit = front.unit * pen.scale, most = Math.min(13, 0.72 * unit * Math.min(high, 1.6));
    if (most < 5.5) return;
    const left = front.x + front.w + 1, { racks } = this.hall, rack = this.hall.opened;
    const right = racks.x[rack] + racks.w[rack] / 2 - 0.8;
    const size = Math.max(Math.min(most, 8), Math.min(most, ((right - left) * pen.scale) / name.length / 0.56));
    pen.text(name, pen.x(left), pen.y(top + (high * front.unit) / 2), size, pen.theme.ink, { room: (right - left) * pen.scale });
  }

  /** Ports of a device by cage; null until links are read, which paints anew. @param {number} device */
  ports(device) {
    if (!this.links) { this.read(); return null; }
    const known = this.known.get(device);
    if (known) return known;
    if (this.known.size > 400) this.known.clear();
    /** @type {Map<string, any[]>} */
    const found = new Map();
    const { ends, cages, ports, segment } = this.links, head = FG.block("head");
    for (const link of ends.of(device)) {
      const upper = ends.a[link] === device ? 0 : 1, far = ends.far(link, device);
      const cage = cages[upper].at(link), port = ports[1 - upper].at(link), other = cages[1 - upper].at(link);
      const place = port.startsWith(other) ? port : `${other} ${port}`;
      const told = { link, port: ports[upper].at(link), far, place, fabric: head.segments[segment[link]].fabric };
      found.set(cage, [...(found.get(cage) ?? []), told]);
    }
    this.known.set(device, found);
    return found;
  }

  /** A link in words: its ends, and the ports there. @param {number} link @returns {string} */
  told(link) {
    if (!this.links) return "";
    const { ends, ports, cages } = this.links;
    return [0, 1].map((end) => {
      const cage = cages[end].at(link), port = ports[end].at(link);
      return `${this.hall.names.at((end ? ends.b : ends.a)[link])} ${port.startsWith(cage) ? port : `${cage} ${port}`}`;
    }).join("\nto ");
  }

  async read() {
    if (this.reading) return;
    this.reading = true;
    const table = FG.table("links"), names = ["a_cage", "b_cage", "a_port", "b_port"];
    const [a_cage, b_cage, a_port, b_port] = await Promise.all(names.map((name) => table.column(name)));
    this.links = { ends: await FG.ends(), segment: await table.numbers("segment"), cages: [a_cage, b_cage], ports: [a_port, b_port] };
    FG.repaint();
  }

  /** @param {any} pen @param {number} device @param {number[]} box @param {string} ink */
  cages(pen, device, box, ink) {
    const ports = this.ports(device);
    for (const [cx, cy, cw, ch, label] of this.faces[this.hall.model(device)].cages) {
      const x = box[0] + cx * box[2], y = box[1] + cy * box[3], w = cw * box[2], h = ch * box[3];
      if (!pen.sees(x, y, w, h)) continue;
      const mine = ports?.get(label) ?? [], fabric = this.fabrics.get(mine[0]?.fabric);
      pen.fill(x, y, w, h, fabric ? fabric.fill : pen.theme.paper);
      pen.frame(x, y, w, h, ink);
      for (const one of mine) if (this.hall.isChosen("link", one.link)) pen.frame(x, y, w, h, pen.theme.chosen, 3);
      const px = w * pen.scale, py = h * pen.scale, text = fabric ? fabric.ink : pen.theme.faint;
      if (px < 110 || py < 24) {
        const size = Math.min(12, py * 0.6, (px / Math.max(2, label.length)) * 1.6);
        if (size >= 6) pen.text(label, pen.x(x + w / 2), pen.y(y + h / 2), size, text, { align: "center", room: px - 2 });
      } else this.farEnds(pen, [x, y, px, py], label, mine, text);
    }
  }

  /** The far ends of a cage's ports, a line each. @param {any} pen @param {number[]} cage @param {string} label @param {any[]} ports @param {string} ink */
  farEnds(pen, [x, y, px, py], label, ports, ink) {
    const size = Math.min(12, (py - 4) / (ports.length + 1) / 1.15), step = size * 1.15;
    if (size < 6) { pen.text(label, pen.x(x) + px / 2, pen.y(y) + py / 2, 10, ink, { align: "center", room: px }); return; }
    pen.text(ports.length ? label : `${label} spare`, pen.x(x) + 4, pen.y(y) + 3 + size / 2, size, ink, { bold: true, room: px - 8 });
    ports.forEach((one, i) => {
      const told = `${ports.length > 1 ? `${i + 1}: ` : ""}${this.hall.names.at(one.far)} ${one.place}`;
      pen.text(told, pen.x(x) + 4, pen.y(y) + 3 + size / 2 + (i + 1) * step, size, ink, { room: px - 8 });
    });
  }

  /** What is at a place of an open rack. @param {number} rack @param {number} x @param {number} y @param {number} scale */
  pick(rack, x, y, scale) {
    for (const device of this.hall.devicesIn(rack)) {
      const [left, top, w, h] = this.face(device);
      if (y < top || y > top + h || x < left - 4) continue;
      const cage = w * scale < 200 ? null : this.faces[this.hall.model(device)].cages.find((/** @type {any[]} */ [cx, cy, cw, ch]) =>
        x >= left + cx * w && x <= left + (cx + cw) * w && y >= top + cy * h && y <= top + (cy + ch) * h);
      const ports = cage && this.ports(device)?.get(cage[4]);
      if (!ports) return { kind: "device", id: device };
      const nth = Math.floor(((y - top - cage[1] * h) / (cage[3] * h)) * (ports.length + 1)) - 1;
      return { kind: "link", id: ports[Math.max(0, Math.min(nth, ports.length - 1))].link };
    }
    return { kind: "rack", id: rack };
  }
};
