// @ts-check
"use strict";
/**
 * The fabric view: boxes, bands of devices and ribbons of links at all zooms, devices and their faces where they are in
 * sight. What is painted depends on how large it is on the screen: a band is one block, then devices, then names, then
 * faces with cages (links.js).
 */
FG.Fabric = class {
  name = "fabric";
  title = "Fabric";
  /** @type {Promise<void> | null} */ loading = null;
  /** @type {any} */ scene = null;
  /** @type {any} */ head = null;
  /** @type {any} */ boxes = null;
  /** @type {any} */ bands = null;
  /** @type {any} */ bundles = null;
  /** @type {any} */ ribbons = null;
  /** @type {any} */ order = null;
  /** @type {any} */ dx = null;
  /** @type {any} */ dy = null;
  /** @type {any} */ boxNames = null;
  /** @type {any} */ deviceNames = null;
  /** @type {any} */ rail = null;
  /** @type {any} */ plane = null;
  /** @type {any} */ bandOf = null;
  /** @type {any} */ nodes = null;
  /** @type {any} */ gpus = null;
  /** @type {any} */ bandsOf = null;
  /** @type {any} */ fabricOf = null;
  /** @type {any} */ segments = null;
  /** @type {any} */ bundleText = null;
  /** Colours of scale-up domains by the level of their boxes. @type {Map<number, string>} */ domains = new Map();
  /** @type {any} */ labelled = null;
  /** @type {any} */ widest = null;
  /** @type {any} */ links = null;
  /** @type {any} */ choice = null;

  /** Read the scene, once. @returns {Promise<void>} */
  load() { return (this.loading ??= this.readScene()); }

  async readScene() {
    const scene = this.scene = FG.block("scene");
    const columns = FG.Fabric.read;
    this.head = FG.block("head");
    this.boxes = await columns(scene.boxes, { level: 1, parent: 1, x: 100, y: 100, w: 100, h: 100, foot: 100 });
    this.bands = await columns(scene.bands, { box: 1, cls: 1, first: 1, last: 1, columns: 1, x: 100, y: 100, w: 100, h: 100, scale: 100, header: 100 });
    this.bundles = await columns(scene.bundles, { box: 1, child: 1, lower: 1, other: 1, upper: 1, target: 1, segment: 1, links: 1 });
    this.ribbons = await columns(scene.ribbons, { bundle: 1, x0: 100, y0: 100, w0: 100, x1: 100, y1: 100, w1: 100, arc: 100 });
    this.order = await FG.numbers(scene.order);
    const devices = await columns(scene.devices, { x: 100, y: 100 });
    this.dx = devices.x;
    this.dy = devices.y;
    this.boxNames = await new FG.Table(scene.boxes).column("name");
    this.deviceNames = await FG.table("devices").column("name");
    const rails = await FG.table("devices").column("rail"), planes = await FG.table("devices").column("plane");
    this.rail = Int32Array.from(rails.codes ?? [], (/** @type {number} */ code) => Number(rails.of?.[code]) || 0);
    this.plane = Int32Array.from(planes.codes ?? [], (/** @type {number} */ code) => Number(planes.of?.[code]) || 0);
    this.index();
    this.links = new FG.Links(this);
  }

  /** Columns of a table as numbers, each divided by what `of` says. @param {any} packed @param {Object<string, number>} of */
  static async read(packed, of) {
    const table = new FG.Table(packed);
    /** @type {any} */
    const found = { rows: table.rows };
    for (const [name, by] of Object.entries(of)) {
      const numbers = await table.numbers(name);
      found[name] = by === 1 ? numbers : Float64Array.from(numbers, (/** @type {number} */ n) => n / by);
    }
    return found;
  }

  /** What follows from the tables: the band of each device, counts of each box, labels. */
  index() {
    const { boxes, bands, head, bundles } = this;
    this.bandOf = new Int32Array(this.dx.length);
    this.nodes = new Int32Array(boxes.rows);
    this.gpus = new Int32Array(boxes.rows);
    /** The width of the widest place in each box. */
    this.widest = new Float64Array(boxes.rows);
    for (let box = 1; box < boxes.rows; box += 1) this.widest[boxes.parent[box]] = Math.max(this.widest[boxes.parent[box]], boxes.w[box]);
    const computes = head.classes.some((/** @type {any} */ cls) => cls.accelerators);
    this.bandsOf = Array.from({ length: boxes.rows }, () => []);
    for (let i = 0; i < bands.rows; i += 1) {
      for (let at = bands.first[i]; at < bands.last[i]; at += 1) this.bandOf[this.order[at]] = i;
      this.bandsOf[bands.box[i]].push(i);
      const cls = head.classes[bands.cls[i]], count = bands.last[i] - bands.first[i];
      if (cls.kind !== "node" || (computes && !cls.accelerators)) continue;
      for (let box = bands.box[i]; box >= 0; box = boxes.parent[box]) { this.nodes[box] += count; this.gpus[box] += count * cls.accelerators; }
    }
    this.fabricOf = new Map(head.fabrics.map((/** @type {any} */ one) => [one.name, one]));
    this.segments = head.segments.map((/** @type {any} */ one) => ({ ...one, swatch: this.fabricOf.get(one.fabric) ?? head.fabrics[0] }));
    for (const cls of head.classes) {
      const domain = head.scale_up.find((/** @type {any} */ one) => one.name === cls.domain);
      cls.mark = domain?.per === "node" ? this.fabricOf.get(domain.name)?.fill : "";
    }
    for (const one of head.scale_up) if (head.levels.includes(one.per)) this.domains.set(head.levels.indexOf(one.per), this.fabricOf.get(one.name)?.fill);
    const over = new Map(head.oversubscription.map((/** @type {any} */ [low, high, ratio]) => [`${low} ${high}`, ratio]));
    const near = (/** @type {number} */ n) => String(Math.round(n * 100) / 100);
    const places = new Map();
    for (const parent of this.boxes.parent) places.set(parent, (places.get(parent) ?? 0) + 1);
    this.bundleText = Array.from(bundles.segment, (/** @type {number} */ number, /** @type {number} */ i) => {
      const ends = [bundles.lower[i], bundles.upper[i]], ratio = over.get(`${Math.min(...ends)} ${Math.max(...ends)}`), { gbps } = this.segments[number];
      // one arc for the links of all places of a grid with each other: see bundles.py:ALL_CHILDREN
      const among = bundles.child[i] === -2 && bundles.other[i] === -2 ? ` among ${places.get(bundles.box[i])}` : "";
      return `${bundles.links[i].toLocaleString("en")} x ${gbps}G${among}${ratio ? ` · ${near(ratio)}:1` : ""}`;
    });
    /** The largest piece of each bundle, which bears its label. */
    this.labelled = new Uint8Array(this.ribbons.rows);
    const best = new Map();
    for (let i = 0; i < this.ribbons.rows; i += 1) {
      const { bundle, w0, w1, y0, y1, arc } = this.ribbons, size = arc[i] ? 0 : (w0[i] + w1[i]) * (y0[i] - y1[i]);
      if (size > (best.get(bundle[i])?.size ?? -1)) best.set(bundle[i], { size, i });
    }
    for (const { i } of best.values()) this.labelled[i] = 1;
  }

  /** @param {number} box */
  boxText(box) {
    const { nodes, gpus } = this, count = (/** @type {number} */ n) => n.toLocaleString("en");
    const name = box ? this.shortName(box) : this.head.name;
    const longer = nodes[box] ? `${name} · ${count(nodes[box])} nodes` : name;
    return [gpus[box] ? `${longer} · ${count(gpus[box])} accelerators` : longer, longer, name, name.split(" ").at(-1) ?? name];
  }

  /** The name of a box without that of the box around it. @param {number} box */
  shortName(box) {
    const name = this.boxNames.at(box), around = this.boxes.parent[box] > 0 ? `${this.boxNames.at(this.boxes.parent[box])} ` : "";
    return around && name.startsWith(around) ? name.slice(around.length) : name;
  }

  /** @param {number} band */
  bandText(band) {
    const { bands, head } = this, cls = head.classes[bands.cls[band]], count = (bands.last[band] - bands.first[band]).toLocaleString("en");
    const name = cls.kind === "switch" ? `${cls.fabric} ${cls.label}` : cls.kind === "tray" ? cls.fabric : cls.label;
    return [`${name} · ${count} x ${cls.model}`, `${name} · ${count}`, name, cls.label];
  }

  /** The rectangle to show of what is chosen, or of all. @param {any} chosen @returns {number[] | null} */
  bounds(chosen) {
    if (!chosen) return [0, 0, this.scene.w, this.scene.h];
    const { boxes, bands } = this, { kind, id } = chosen;
    if (kind === "box") return [boxes.x[id], boxes.y[id], boxes.w[id], boxes.h[id]];
    if (kind === "band") return FG.Fabric.wider([bands.x[id], bands.y[id], bands.w[id], bands.h[id]], 1.5);
    if (kind === "device") {
      const [w, h] = this.cell(this.bandOf[id]);
      return FG.Fabric.wider([this.dx[id], this.dy[id], w, h], 7);
    }
    if (kind === "ribbon") {
      const rows = [...this.ribbons.bundle.keys()].filter((i) => this.ribbons.bundle[i] === id), r = this.ribbons;
      if (!rows.length) return null;
      const left = Math.min(...rows.map((i) => Math.min(r.x0[i] - r.w0[i] / 2, r.x1[i] - r.w1[i] / 2)));
      const right = Math.max(...rows.map((i) => Math.max(r.x0[i] + r.w0[i] / 2, r.x1[i] + r.w1[i] / 2)));
      const top = Math.min(...rows.map((i) => Math.min(r.y0[i], r.y1[i]) - r.arc[i])), bottom = Math.max(...rows.map((i) => r.y0[i]));
      return FG.Fabric.wider([left, top, right - left, bottom - top], 1.3);
    }
    return null;
  }

  /** @param {number[]} rectangle @param {number} by */
  static wider([x, y, w, h], by) { return [x - (w * (by - 1)) / 2, y - (h * (by - 1)) / 2, w * by, h * by]; }

  /** Width and height of a device of a band. @param {number} band */
  cell(band) { return [this.head.cell[0] * this.bands.scale[band], this.head.cell[1] * this.bands.scale[band]]; }

  /**
   * Devices of a band within a rectangle, by their grid. @param {number} band @param {number[]} sight left, top, right, bottom
   * @param {(device: number) => void} each
   */
  within(band, [left, top, right, bottom], each) {
    const { bands, order, head } = this, first = order[bands.first[band]], across = bands.columns[band];
    const stepX = (head.cell[0] + head.cell[2]) * bands.scale[band], stepY = (head.cell[1] + head.cell[2]) * bands.scale[band];
    const from = Math.max(0, Math.floor((left - this.dx[first]) / stepX)), to = Math.min(across - 1, Math.floor((right - this.dx[first]) / stepX));
    const count = bands.last[band] - bands.first[band];
    const low = Math.max(0, Math.floor((top - this.dy[first]) / stepY)), high = Math.min(Math.ceil(count / across) - 1, Math.floor((bottom - this.dy[first]) / stepY));
    for (let line = low; line <= high; line += 1) {
      for (let i = from; i <= to; i += 1) if (line * across + i < count) each(order[bands.first[band] + line * across + i]);
    }
  }

  /** What is at a place of the drawing: device, band, ribbon or box. @param {number} x @param {number} y */
  pick(x, y) {
    const { boxes, bands, ribbons } = this, scale = FG.camera.scale;
    let box = -1;
    for (let i = 0; i < boxes.rows; i += 1) if (x >= boxes.x[i] && y >= boxes.y[i] && x < boxes.x[i] + boxes.w[i] && y < boxes.y[i] + boxes.h[i]) box = i;
    if (box < 0) return null;
    for (const band of this.bandsOf[box] ?? []) {
      if (x < bands.x[band] || y < bands.y[band] || x > bands.x[band] + bands.w[band] || y > bands.y[band] + bands.h[band]) continue;
      let found = -1;
      const [w, h] = this.cell(band);
      if (w * scale >= 4) this.within(band, [x, y, x, y], (device) => { if (x <= this.dx[device] + w && y <= this.dy[device] + h) found = device; });
      return found < 0 ? { kind: "band", id: band } : { kind: "device", id: found };
    }
    for (let i = ribbons.rows - 1; i >= 0; i -= 1) {
      if (ribbons.arc[i] || y > ribbons.y0[i] || y < ribbons.y1[i]) continue;
      const [middle, half] = FG.Fabric.across(ribbons, i, y);
      if (Math.abs(x - middle) <= Math.max(half, 2 / scale)) return { kind: "ribbon", id: ribbons.bundle[i] };
    }
    return box ? { kind: "box", id: box } : null;
  }

  /** The middle and half the width of a ribbon at a y. @param {any} r @param {number} i @param {number} y */
  static across(r, i, y) {
    const share = (r.y0[i] - y) / Math.max(1e-9, r.y0[i] - r.y1[i]);
    let low = 0, high = 1;
    for (let step = 0; step < 20; step += 1) {
      const t = (low + high) / 2;
      if (3 * t * (1 - t) * 0.5 + t * t * t < share) low = t; else high = t;
    }
    const t = low, blend = 3 * t * t * (1 - t) + t * t * t;
    return [r.x0[i] + (r.x1[i] - r.x0[i]) * blend, (r.w0[i] + (r.w1[i] - r.w0[i]) * blend) / 2];
  }

  /** What a tooltip says. @param {any} picked */
  describe({ kind, id }) {
    const { bands, bundles, head } = this;
    if (kind === "box") return this.boxText(id)[0];
    if (kind === "band") return this.bandText(id)[0];
    if (kind === "device") {
      const cls = head.classes[bands.cls[this.bandOf[id]]];
      const where = [this.rail[id] ? `rail ${this.rail[id]}` : "", this.plane[id] ? `plane ${this.plane[id]}` : ""].filter(Boolean).join(", ");
      return [this.deviceNames.at(id), `${cls.fabric} ${cls.label} · ${cls.model}`.trim(), where].filter(Boolean).join("\n");
    }
    if (kind === "ribbon") {
      const ends = [bundles.lower[id], bundles.upper[id]].map((one) => `${head.classes[one].fabric} ${head.classes[one].label}`.trim());
      return `${this.segments[bundles.segment[id]].fabric}: ${ends.join(" to ")}\n${this.bundleText[id]}${this.bundleText[id].endsWith(":1") ? " (the worst of its tier)" : ""}`;
    }
    return "";
  }

  /** @param {any} chosen */
  parent({ kind, id }) {
    if (kind === "device") return { kind: "band", id: this.bandOf[id] };
    const box = kind === "band" ? this.bands.box[id] : kind === "ribbon" ? this.bundles.box[id] : kind === "box" ? this.boxes.parent[id] : -1;
    return box > 0 ? { kind: "box", id: box } : null;
  }

  /** The next of its kind in a direction. @param {any} chosen @param {string} way Left, Right, Up or Down */
  sibling({ kind, id }, way) {
    const step = way === "Left" ? -1 : way === "Right" ? 1 : 0;
    if (kind === "device") {
      const band = this.bandOf[id], { first, last, columns } = this.bands;
      const at = this.order.indexOf(id, first[band]) + (step || (way === "Up" ? -columns[band] : columns[band]));
      return at >= first[band] && at < last[band] ? { kind, id: this.order[at] } : null;
    }
    if (way === "Down") return this.inner({ kind, id });
    if (way === "Up") return this.parent({ kind, id });
    const alike = kind === "box" ? [...this.boxes.parent.keys()].filter((i) => this.boxes.parent[i] === this.boxes.parent[id])
      : kind === "band" ? this.bandsOf[this.bands.box[id]] ?? [] : [...this.bundles.box.keys()].filter((i) => this.bundles.box[i] === this.bundles.box[id]);
    const next = alike[alike.indexOf(id) + step];
    return next === undefined ? null : { kind, id: next };
  }

  /** Where keys begin: what is first in the cluster. */
  first() { return this.inner({ kind: "box", id: 0 }); }

  /** What is inside what is chosen: the first of it. @param {any} chosen */
  inner({ kind, id }) {
    if (kind === "band") return { kind: "device", id: this.order[this.bands.first[id]] };
    if (kind !== "box") return null;
    const child = this.boxes.parent.indexOf(id), band = this.bandsOf[id][0];
    return band !== undefined ? { kind: "band", id: band } : child > 0 ? { kind: "box", id: child } : null;
  }

  /** Move the camera so that what is chosen is in sight. @param {any} chosen @param {any} camera */
  reveal(chosen, camera) {
    const found = this.bounds(chosen);
    if (!found) return;
    const [left, top] = camera.at(0, 0), [right, bottom] = camera.at(camera.width, camera.height), [x, y, w, h] = found;
    if (x < left || y < top || x + w > right || y + h > bottom) { camera.x = x + w / 2; camera.y = y + h / 2; camera.changed(); }
  }
};
