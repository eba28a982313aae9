// @ts-check
"use strict";
/** The hall: the floor from above, in centimetres; racks open in their places when they are large enough. */
FG.Hall = class {
  name = "hall";
  title = "Hall";
  /** Room for names of halls above them, and for the scale below. */
  margin = 24;

  /** Height in pixels from which on a rack shows its front. */
  static OPEN = 300;

  /** @type {any} The block of data, and its columns of racks by name, lengths in centimetres. */
  block;
  /** @type {any} */
  racks;
  /** @type {any} Names of devices. */
  names;
  /** By device: its class, rack, and lowest unit. */
  classOf = new Uint16Array(0);
  rackOf = new Int32Array(0);
  u = new Int16Array(0);
  /** Devices by rack, and where each rack's begin. */
  held = new Int32Array(0);
  start = new Int32Array(0);
  /** @type {number[]} Heights of classes, rack units. */
  highs = [];
  /** @type {Map<number, any[]>} */
  panels = new Map();
  /** @type {any} */
  elevation;
  /** @type {any} The ways of cables, read when something is chosen. */
  trays;
  /** @type {any} */
  bundle = null;
  /** @type {Promise<void> | null} */
  loading = null;
  /** @type {Promise<void> | null} */
  readingTrays = null;
  /** @type {Uint8Array | null} Devices that are lit, where the picture is limited; and their racks. */
  lit = null;
  litRacks = new Uint8Array(0);
  /** @type {number[]} Racks of what was chosen in the fabric view. */
  marked = [];
  /** @type {any} The path that the bundle is of. */
  followed = null;
  opened = 0;
  scale = 1;
  deepest = 1;

  load() { return this.loading ??= this.read(); }

  async read() {
    const block = this.block = FG.block("hall"), table = FG.hallRacks();
    const devices = FG.table("devices"), head = FG.block("head");
    const racks = this.racks = /** @type {any} */ ({ rows: table.rows });
    for (const name of ["x", "y", "w", "d"]) racks[name] = Float64Array.from(await table.numbers(name), (mm) => mm / 10);
    for (const name of ["faces", "hall", "kind", "tray", "to_exit", "power_w", "unpowered", "look"]) racks[name] = await table.numbers(name);
    racks.names = await table.column("name");
    this.names = await devices.column("name");
    this.classOf = new Uint16Array(devices.rows);
    head.classes.forEach((/** @type {any} */ cls, /** @type {number} */ i) => this.classOf.fill(i, cls.first, cls.first + cls.count));
    const models = FG.block("faces");
    this.highs = head.classes.map((/** @type {any} */ cls) => models[cls.model].units);
    const rackOfName = new Map(Array.from({ length: racks.rows }, (_, i) => [racks.names.at(i), i]));
    const rack = await devices.column("rack"), u = await devices.column("u");
    const rows = rack.of.map((/** @type {string} */ name) => rackOfName.get(name)), us = u.of.map(Number);
    this.rackOf = Int32Array.from(rack.codes, (code) => rows[code]);
    this.u = Int16Array.from(u.codes, (code) => us[code]);
    this.sort();
    await this.readPanels();
    this.elevation = new FG.Elevation(this);
    this.deepest = Math.max(...racks.d);
    FG.on("change", (news) => { if (["chosen", "fabric", "plane", "rail", "unit"].some((key) => key in news)) { this.limit(); this.choose(); } });
    this.limit();
    await this.choose();
  }

  /** Devices by rack, from the bottom. */
  sort() {
    const start = this.start = new Int32Array(this.racks.rows + 1);
    this.rackOf.forEach((rack) => { start[rack + 1] += 1; });
    for (let i = 0; i < this.racks.rows; i += 1) start[i + 1] += start[i];
    const next = start.slice();
    this.held = new Int32Array(this.rackOf.length);
    this.rackOf.forEach((rack, device) => { this.held[next[rack]++] = device; });
    for (let i = 0; i < this.racks.rows; i += 1) this.held.subarray(start[i], start[i + 1]).sort((a, b) => this.u[a] - this.u[b]);
  }

  async readPanels() {
    const table = new FG.Table(this.block.panels);
    if (!table.rows) return;
    const [name, rack, u, units] = await Promise.all(["name", "rack", "u", "units"].map((one) => table.column(one)));
    for (let i = 0; i < table.rows; i += 1) {
      const panel = { name: name.at(i), u: u.at(i), units: units.at(i) };
      this.panels.set(rack.at(i), [...(this.panels.get(rack.at(i)) ?? []), panel]);
    }
  }

  /** @param {number} rack @returns {Int32Array} */
  devicesIn(rack) { return this.held.subarray(this.start[rack], this.start[rack + 1]); }
  /** @param {number} rack @returns {any[]} */
  panelsIn(rack) { return this.panels.get(rack) ?? []; }
  /** @param {number} device */
  high(device) { return this.highs[this.classOf[device]]; }
  /** @param {number} device */
  model(device) { return FG.block("head").classes[this.classOf[device]].model; }
  /** @param {number} rack */
  rackName(rack) { return this.racks.names.at(rack); }
  /** What a rack draws; "+" where not all of its devices and optics have a figure, "" where none has. @param {number} rack */
  power(rack) {
    const { power_w, unpowered, kind } = this.racks, budget = this.block.kinds[kind[rack]].power_kw;
    const text = `${(power_w[rack] / 1000).toFixed(1)}${unpowered[rack] ? "+" : ""}${budget ? ` of ${budget}` : ""} kW`;
    return power_w[rack] || !unpowered[rack] ? text : "";
  }
  /** @param {string} kind @param {number} id */
  isChosen(kind, id) { return FG.state.chosen?.kind === kind && FG.state.chosen.id === id; }

  /** Light what FG.state limits the picture to, as the fabric view does. */
  async limit() {
    const { fabric, plane, rail, unit } = FG.state, way = FG.fabricWay;
    this.lit = null;
    if (!(fabric || plane || rail || unit)) return;
    await way.load();
    const part = way.chosenPart(), lit = this.lit = new Uint8Array(this.classOf.length), racks = this.litRacks = new Uint8Array(this.racks.rows);
    for (let band = 0; band < way.bands.rows; band += 1) {
      if (part.band(band)) for (const device of this.ofBand(band)) if (part.device(device)) lit[device] = racks[this.rackOf[device]] = 1;
    }
    FG.repaint();
  }

  /** Devices of a band of the fabric view. @param {number} band @returns {Int32Array} */
  ofBand(band) { return FG.fabricWay.order.subarray(FG.fabricWay.bands.first[band], FG.fabricWay.bands.last[band]); }

  /** Racks that hold what was chosen in the fabric view: a band, or a box with all that is in it. @param {any} chosen @returns {number[]} */
  racksOf(chosen) {
    const { bands, boxes } = FG.fabricWay;
    if (!chosen || !bands || !["band", "box"].includes(chosen.kind)) return [];
    const inside = (/** @type {number} */ box) => { for (let up = box; up >= 0; up = boxes.parent[up]) if (up === chosen.id) return true; return false; };
    const found = new Set();
    for (let band = 0; band < bands.rows; band += 1) {
      if (chosen.kind === "band" ? band === chosen.id : inside(bands.box[band])) for (const device of this.ofBand(band)) found.add(this.rackOf[device]);
    }
    return [...found];
  }

  /** Racks of devices that are marked; null where none is. */
  racksMarked() { return FG.marks && [...new Set(Array.from(FG.marks.rows, (device) => this.rackOf[device]))]; }

  /** The cables of what is chosen, when they have been read. */
  async choose() {
    const chosen = FG.state.chosen;
    this.bundle = null;
    this.marked = this.racksOf(chosen);
    if (!chosen || !["device", "rack", "link", "cable", "tray", "trace", "gpu"].includes(chosen.kind)) return;
    await this.readTrays();
    if (FG.state.chosen !== chosen) return;
    const name = FG.naming[chosen.kind] ? await FG.naming[chosen.kind].name(chosen.id) : "it";
    const links = chosen.kind === "gpu" ? await FG.gpuLinks(chosen.id) : this.linksOf(chosen);
    if (FG.state.chosen !== chosen) return;
    this.bundle = this.trays.bundle(this.trays.limited(links), name);
    FG.repaint();
  }

  /** Read the ways of cables. */
  readTrays() {
    return this.readingTrays ??= (async () => { const trays = new FG.Trays(this); await trays.load(); this.trays = trays; })();
  }

  /** The hall with the ways of its cables, for others. */
  async ready() { await this.load(); await this.readTrays(); return this; }

  /** @param {any} chosen @returns {ArrayLike<number>} */
  linksOf(chosen) {
    const { ends, cable } = this.trays;
    if (chosen.kind === "trace") return FG.drawn ? FG.drawn.path.map((/** @type {any} */ step) => step.link) : [];
    if (chosen.kind === "device") return ends.of(chosen.id);
    if (chosen.kind === "link") return [chosen.id];
    if (chosen.kind === "rack") return [...this.devicesIn(chosen.id)].flatMap((device) => [...ends.of(device)]);
    const found = [];
    let on = false;
    const hear = (/** @type {any} */ tray, /** @type {number} */ x0, /** @type {number} */ y0, /** @type {number} */ x1, /** @type {number} */ y1) => {
      if (tray === chosen.id && (x0 !== x1 || y0 !== y1)) on = true;
    };
    for (let link = 0; link < cable.length; link += 1) {
      on = chosen.kind === "cable" && cable[link] === chosen.id;
      if (chosen.kind === "tray") this.trays.way(link, hear);
      if (on) found.push(link);
    }
    return found;
  }

  /** @param {CanvasRenderingContext2D} c @param {any} camera @param {any} theme */
  paint(c, camera, theme) {
    const pen = new FG.Pen(c, camera, theme), { racks, block } = this;
    this.scale = camera.scale;
    if (FG.state.chosen?.kind === "trace" && FG.drawn !== this.followed) { this.followed = FG.drawn; this.choose(); }
    FG.paintFloor(pen, block);
    FG.paintFixtures(pen, block, false);
    FG.paintKept(pen, block);
    FG.paintGaps(pen, block);
    c.lineJoin = "miter";
    for (let i = 0; i < racks.rows; i += 1) {
      if (pen.sees(racks.x[i] - racks.w[i] / 2, racks.y[i] - racks.d[i] / 2, racks.w[i], racks.d[i])) this.rack(pen, i);
    }
    FG.paintTrays(pen, block, FG.state.chosen);
    FG.paintFixtures(pen, block, true);
    if (this.bundle) this.ends(pen);
    const busiest = this.bundle && !this.isOpen() ? FG.paintBundle(pen, this.bundle) : []; // it would hide fronts
    if (!this.isOpen() && camera.scale > 0.2) this.rackNames(pen);
    if (this.bundle) FG.paintCounts(pen, this.bundle, busiest);
    this.mark(pen);
    FG.paintRows(pen, block);
    FG.paintTitles(pen, block);
    FG.paintScale(pen);
    if (this.bundle) pen.plate(`${this.bundle.name}: ${FG.count(this.bundle.cables, "cable")}${this.bundle.inside ? `, ${this.bundle.inside} inside the rack` : ""}`, pen.width - 12, 14, "right");
  }

  /** Whether racks are open at this zoom: all at once. */
  isOpen() { return this.deepest * this.scale >= FG.Hall.OPEN; }

  /** @param {any} pen @param {number} i */
  rack(pen, i) {
    const { racks } = this, { theme, scale } = pen, look = this.block.looks[racks.look[i]];
    const w = racks.w[i] * (this.isOpen() ? 1 : 0.96), d = racks.d[i], x = racks.x[i] - w / 2, y = racks.y[i] - d / 2, down = racks.faces[i] > 0;
    const told = FG.overlay.of("rack", i);
    this.opened = i;
    pen.c.globalAlpha = this.lit && !this.litRacks[i] ? 0.25 : 1;
    if (this.isOpen()) this.elevation.paint(pen, i);
    else {
      pen.fill(x, y, w, d, told?.fill ?? FG.rackFill(look.fill, theme));
      const stripe = d * 0.14, each = w / Math.max(1, look.stripes.length);
      if (!told && w * scale >= 2.5) look.stripes.forEach((/** @type {[string, boolean]} */ [fill, rear], /** @type {number} */ n) => pen.fill(x + n * each, down !== rear ? y + d - stripe : y, each, stripe, fill));
      if (told?.mark && w * scale >= 9) pen.text(told.mark, pen.x(racks.x[i]), pen.y(racks.y[i] + (down ? 0.38 : -0.38) * d), Math.min(12, w * scale * 0.7), FG.overlay.ink(told.fill), { align: "center", bold: true });
    }
    if (w * scale >= 5) pen.frame(x, y, w, d, theme.line);
    else if (!told && !look.dark) {
      pen.c.globalAlpha *= 0.45; // pale racks that are too small for an outline would be the colour of the floor
      pen.fill(x, y, w, d, theme.line);
    }
    pen.c.globalAlpha = 1;
    if (w * scale >= 9) pen.line(down ? [x, y + d, x + w, y + d] : [x, y, x + w, y], theme.ink, Math.min(4, w * scale * 0.06));
  }

  /** Names of closed racks along their depth, and what they draw, where there is room. @param {any} pen */
  rackNames(pen) {
    const { racks } = this, { scale } = pen;
    for (let i = 0; i < racks.rows; i += 1) {
      const w = racks.w[i] * scale, d = racks.d[i] * scale, name = this.rackName(i), size = Math.min(11, w * 0.5);
      if (size < 7 || !pen.sees(racks.x[i] - racks.w[i] / 2, racks.y[i] - racks.d[i] / 2, racks.w[i], racks.d[i])) continue;
      const told = FG.overlay.of("rack", i), look = this.block.looks[racks.look[i]], ground = told?.fill ?? FG.rackFill(look.fill, pen.theme), ink = told ? FG.overlay.ink(told.fill) : look.dark || FG.rackFill(look.fill, pen.theme) !== look.fill ? "#ffffff" : "#000000";
      // clear of the stripes at both sides; the front is clear even without, but where all are at the rear
      const rear = !told && look.stripes.some((/** @type {any[]} */ one) => one[1]), front = !rear || look.stripes.some((/** @type {any[]} */ one) => !one[1]);
      const middle = racks.y[i] + (racks.faces[i] > 0 ? 0.07 : -0.07) * (Number(rear) - Number(front)) * racks.d[i], room = rear && front ? 0.66 : 0.8;
      const x = pen.x(racks.x[i]), y = pen.y(middle), power = w >= 34 ? this.power(i).replace(/ of .*(?= kW)/, "") : "";
      if (!power || pen.wide(name, size) > d * room) {
        const place = [racks.x[i], middle, racks.w[i], (racks.d[i] * room) / 0.84];
        // without its first words where it is too long: these say least
        for (let rest = name; !FG.turnedName(pen, rest, place, size, ink, ground) && /-.*-/.test(rest);) rest = rest.replace(/^…?[^-]*-/, "…");
        continue;
      }
      pen.text(name, x - 7, y, size, ink, { align: "center", turned: true, ground });
      if (power) pen.text(power, x + 8, y, 10, ink, { align: "center", turned: true, room: d * room, ground });
    }
  }

  /** Racks at which the cables of what is chosen end. @param {any} pen */
  ends(pen) {
    const { racks } = this;
    for (const rack of this.bundle.racks.keys()) {
      const x = racks.x[rack] - racks.w[rack] / 2, y = racks.y[rack] - racks.d[rack] / 2;
      if (pen.sees(x, y, racks.w[rack], racks.d[rack])) pen.frame(x, y, racks.w[rack], racks.d[rack], pen.theme.chosen, 1.5);
    }
  }

  /** A mark around the rack of what is chosen, with a ring where it would be too small to see. @param {any} pen */
  mark(pen) {
    const chosen = FG.state.chosen, { racks } = this;
    for (const i of this.racksMarked() ?? this.marked) {
      const x = racks.x[i] - racks.w[i] / 2, y = racks.y[i] - racks.d[i] / 2;
      if (pen.sees(x, y, racks.w[i], racks.d[i])) pen.frame(x, y, racks.w[i], racks.d[i], pen.theme.chosen, 2);
    }
    const rack = chosen?.kind === "rack" ? chosen.id : chosen?.kind === "device" ? this.rackOf[chosen.id] : -1;
    if (rack < 0) return;
    const w = racks.w[rack], d = racks.d[rack], x = racks.x[rack] - w / 2, y = racks.y[rack] - d / 2;
    if (chosen?.kind === "rack" || !this.isOpen()) pen.frame(x, y, w, d, pen.theme.chosen, 3);
    if (d * pen.scale > 26) return;
    pen.c.beginPath();
    pen.c.arc(pen.x(x + w / 2), pen.y(y + d / 2), 13, 0, 2 * Math.PI);
    pen.c.stroke();
  }

  /** Whether the path that is traced is drawn here along trays. */
  get follows() { return Boolean(this.bundle?.cables) && !this.isOpen(); }

  /** What is at a place. @param {number} x @param {number} y */
  pick(x, y) {
    const { racks } = this;
    for (let i = 0; i < racks.rows; i += 1) {
      if (Math.abs(x - racks.x[i]) <= racks.w[i] / 2 && Math.abs(y - racks.y[i]) <= racks.d[i] / 2) {
        return this.isOpen() ? this.elevation.pick(i, x, y, this.scale) : { kind: "rack", id: i };
      }
    }
    const near = 6 / this.scale;
    const tray = this.block.trays.findIndex((/** @type {any} */ one) => {
      const [x0, y0, x1, y1] = one.ends.map((/** @type {number} */ mm) => mm / 10), end = one.row === null ? near : 130;
      return x >= Math.min(x0, x1) - end && x <= Math.max(x0, x1) + end && y >= Math.min(y0, y1) - near && y <= Math.max(y0, y1) + near;
    });
    return tray < 0 ? null : { kind: "tray", id: tray };
  }

  /** @param {any} chosen @returns {number[] | null} */
  bounds(chosen) {
    const { racks } = this, [w, h] = this.block.size.map((/** @type {number} */ mm) => mm / 10);
    if (!chosen) return [-0.02 * w, -0.05 * h, 1.04 * w, 1.1 * h];
    const around = (/** @type {number[]} */ found) => {
      const box = [Infinity, Infinity, -Infinity, -Infinity];
      for (const i of found) {
        box[0] = Math.min(box[0], racks.x[i] - racks.w[i]);
        box[1] = Math.min(box[1], racks.y[i] - racks.d[i] / 2 - 10);
        box[2] = Math.max(box[2], racks.x[i] + racks.w[i]);
        box[3] = Math.max(box[3], racks.y[i] + racks.d[i] / 2 + 10);
      }
      return [box[0], box[1], box[2] - box[0], box[3] - box[1]];
    };
    if (chosen.kind === "rack") return around([chosen.id]);
    if (chosen.kind === "device") {
      const [x, y, fw, fh] = this.elevation.face(chosen.id);
      return [x - 3, y - 3, fw + 20, fh + 6];
    }
    if (chosen.kind === "tray") {
      const [x0, y0, x1, y1] = this.block.trays[chosen.id].ends.map((/** @type {number} */ mm) => mm / 10);
      return [x0 - 200, y0 - 200, x1 - x0 + 400, y1 - y0 + 400];
    }
    const found = ["link", "cable", "trace"].includes(chosen.kind) && this.bundle ? [...this.bundle.racks.keys()] : this.racksMarked() ?? this.racksOf(chosen);
    return found.length ? around(found) : null;
  }

  /** What a tip says. @param {any} found @returns {string} */
  describe(found) {
    const { racks, block } = this;
    if (found.kind === "tray") {
      const count = this.bundle?.total.get(found.id);
      return `${block.trays[found.id].name}${this.bundle ? `\n${FG.count(count ?? 0, "cable")} of ${this.bundle.name}` : ""}`;
    }
    if (found.kind === "link") {
      return this.elevation.told(found.id);
    }
    const rack = found.kind === "rack" ? found.id : this.rackOf[found.id], kind = block.kinds[racks.kind[rack]];
    const lines = [];
    if (found.kind === "device") lines.push(`${this.names.at(found.id)}: ${this.model(found.id)}, U${this.u[found.id]}`);
    const held = this.devicesIn(rack).length;
    lines.push(`${this.rackName(rack)}: ${held} device${held === 1 ? "" : "s"}, ${this.power(rack) || "power not stated"}`);
    const bare = racks.unpowered[rack];
    if (bare && this.power(rack)) lines.push(`+: ${bare} of its devices and optics ${bare === 1 ? "has" : "have"} no figure`);
    lines.push(`${kind.name}, ${kind.units} U, ${block.trays[racks.tray[rack]].name}`);
    const here = this.bundle?.racks.get(rack);
    if (here) lines.push(`${FG.count(here.count, "cable")} of ${this.bundle.name}, ${here.least === here.most ? here.most : `${here.least} to ${here.most}`} m`);
    return lines.join("\n");
  }

  /** @param {any} chosen */
  parent(chosen) { return chosen.kind === "device" ? { kind: "rack", id: this.rackOf[chosen.id] } : null; }

  /** Bring something into sight at this zoom. @param {any} chosen @param {any} camera */
  reveal(chosen, camera) {
    const found = this.bounds(chosen), x = found && found[0] + found[2] / 2, y = found && found[1] + found[3] / 2;
    if (!found || camera.sees(x, y)) return;
    [camera.x, camera.y] = [x, y];
    camera.changed();
  }

  /** Where keys begin: the rack that is nearest to the middle of what is in sight. @param {any} camera */
  first(camera) {
    const { x, y, rows } = this.racks;
    let best = -1, least = Infinity;
    for (let i = 0; i < rows; i += 1) { const far = Math.hypot(x[i] - camera.x, y[i] - camera.y); if (far < least) { best = i; least = far; } }
    return best < 0 ? null : { kind: "rack", id: best };
  }

  /** The neighbour in a direction: of a device in its rack, else the next rack. @param {any} chosen @param {string} way */
  sibling(chosen, way) {
    const rack = chosen.kind === "rack" ? chosen.id : chosen.kind === "device" ? this.rackOf[chosen.id] : -1;
    if (rack < 0) return null;
    if (chosen.kind === "device" && (way === "Up" || way === "Down")) {
      const held = this.devicesIn(rack), at = held.indexOf(chosen.id) + (way === "Up" ? 1 : -1);
      return at >= 0 && at < held.length ? { kind: "device", id: held[at] } : null;
    }
    const { x, y, rows } = this.racks, flat = way === "Left" || way === "Right", sign = way === "Left" || way === "Up" ? -1 : 1;
    let best = -1, least = Infinity;
    for (let i = 0; i < rows; i += 1) {
      const along = sign * (flat ? x[i] - x[rack] : y[i] - y[rack]), aside = Math.abs(flat ? y[i] - y[rack] : x[i] - x[rack]);
      if (along > 1 && along + 8 * aside < least) { best = i; least = along + 8 * aside; }
    }
    return best < 0 ? null : { kind: "rack", id: best };
  }
};

/** The fill of a closed rack: on dark paper a light grey is a dark one, and a warm one (panels) a warm one. @param {string} fill @param {any} theme @returns {string} */
FG.rackFill = (fill, theme) => {
  if (theme.dark !== "1" || !/^#[0-9a-f]{6}$/i.test(fill)) return fill;
  const parts = [1, 3, 5].map((i) => Number.parseInt(fill.slice(i, i + 2), 16));
  return Math.max(...parts) - Math.min(...parts) < 24 && Math.min(...parts) > 190 ? (Math.min(...parts) > 245 ? "#5b646e" : parts[0] > parts[2] ? "#574f3f" : "#3b434b") : fill;
};

/** The table of racks, whose rows are racks' ids. @returns {any} */
FG.hallRacks = () => {
  if (!FG.tables.has("hall racks")) FG.tables.set("hall racks", new FG.Table(FG.block("hall").racks));
  return FG.tables.get("hall racks");
};
FG.naming.rack = FG.named(() => FG.hallRacks().column("name"), () => FG.hallRacks().rows);
FG.naming.tray = FG.named(
  async () => ({ at: (/** @type {number} */ i) => FG.block("hall").trays[i].name }), () => FG.block("hall").trays.length);
FG.hall = new FG.Hall();
FG.ways.push(FG.hall);
FG.on("painted", (way) => { document.documentElement.dataset.way = way.name; });
