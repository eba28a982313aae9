// @ts-check
"use strict";
/** The ways of cables along trays, by the racks and cross trays that the plan took, and how many cables each tray has. */
FG.Trays = class {
  /** @param {any} hall */
  constructor(hall) {
    this.hall = hall;
    this.block = hall.block;
    this.racks = hall.racks;
    /** @type {Map<string, any>} */
    this.between = new Map();
    /** @type {any} Links by device. */
    this.ends = null;
    this.cable = new Int32Array(0);
    /** @type {any} Lengths of cables; segments, planes and rails of links. */
    this.length = this.segment = this.plane = this.rail = null;
    /** @type {Int32Array[]} By link: racks of panels on its way, and the cross tray of each leg. */
    this.via = [];
    /** @type {Int32Array[]} */
    this.cross = [];
    for (const [a, b, places] of this.block.ways) {
      this.between.set(`${a} ${b}`, places);
      this.between.set(`${b} ${a}`, [...places].reverse());
    }
  }

  async load() {
    const { via, cross } = this.block.routes;
    this.ends = await FG.ends();
    this.cable = await FG.table("links").numbers("cable");
    this.length = await FG.table("cables").column("length_m");
    this.segment = await FG.table("links").numbers("segment");
    this.plane = await FG.table("links").column("plane");
    this.rail = await FG.table("links").column("rail");
    this.via = await Promise.all(via.map(async (/** @type {any} */ one) => (await FG.column(one)).numbers));
    this.cross = await Promise.all(cross.map(async (/** @type {any} */ one) => (await FG.column(one)).numbers));
  }

  /**
   * The way of a link: `add(key, x0, y0, x1, y1)` hears of each straight piece. The key is the tray's row, or a text
   * where no tray of a row or across rows is: "=" before a way between halls that is drawn straight.
   * @param {number} link @param {(key: number | string, x0: number, y0: number, x1: number, y1: number) => void} add
   */
  way(link, add) {
    if (this.cable[link] < 0) return;
    let from = this.hall.rackOf[this.ends.a[link]];
    for (let leg = 0; leg <= this.via.length; leg += 1) {
      const to = leg < this.via.length ? this.via[leg][link] : this.hall.rackOf[this.ends.b[link]];
      if (to < 0) continue;
      if (from !== to) this.leg(from, to, this.cross[leg]?.[link] ?? -1, add);
      from = to;
    }
  }

  /** @param {number} a @param {number} b @param {number} cross @param {any} add */
  leg(a, b, cross, add) {
    const { x, y, hall, tray } = this.racks;
    if (hall[a] !== hall[b]) {
      this.toExit(a, add);
      this.toExit(b, add);
      this.overHalls(hall[a], hall[b], add);
    } else if (y[a] === y[b]) add(tray[a], x[a], y[a], x[b], y[b]);
    else {
      const at = cross < 0 ? x[b] : this.block.trays[cross].ends[0] / 10;
      add(tray[a], x[a], y[a], at, y[a]);
      add(cross < 0 ? `x${at}` : cross, at, y[a], at, y[b]);
      add(tray[b], at, y[b], x[b], y[b]);
    }
  }

  /** @param {number} rack @param {any} add */
  toExit(rack, add) {
    const { x, y, hall, tray, to_exit } = this.racks;
    const [ex, ey] = this.exit(hall[rack]), cross = to_exit[rack];
    const at = cross < 0 ? ex : this.block.trays[cross].ends[0] / 10;
    add(tray[rack], x[rack], y[rack], at, y[rack]);
    add(cross < 0 ? `x${at}` : cross, at, y[rack], at, ey);
    add(`y${ey}`, at, ey, ex, ey);
  }

  /** @param {number} hall @returns {number[]} */
  exit(hall) { return this.block.halls[hall].exit.map((/** @type {number} */ mm) => mm / 10); }

  /** From exit to exit, over a riser where there is one. @param {number} a @param {number} b @param {any} add */
  overHalls(a, b, add) {
    const halls = this.block.halls, places = this.between.get(`${a} ${b}`) ?? [];
    const stops = [[a, ...this.exit(a)], ...places.map((/** @type {number[]} */ [hall, x, y]) => [hall, x / 10, y / 10]), [b, ...this.exit(b)]];
    for (let i = 1; i < stops.length; i += 1) {
      const [h0, x0, y0] = stops[i - 1], [h1, x1, y1] = stops[i];
      if (halls[h0].site !== halls[h1].site || halls[h0].storey !== halls[h1].storey) add(`=${a} ${b}`, x0, y0, x1, y1);
      else { add(`y${y0}`, x0, y0, x1, y0); add(`x${x1}`, x1, y0, x1, y1); }
    }
  }

  /** Those of some links that are of the fabric, plane and rail that the picture is limited to. @param {ArrayLike<number>} links @returns {number[]} */
  limited(links) {
    const { fabric, plane, rail } = FG.state, segments = FG.block("head").segments;
    const of = (/** @type {any} */ column, /** @type {number} */ link, /** @type {number} */ wanted) => !wanted || !Number(column.at(link)) || Number(column.at(link)) === wanted;
    return Array.from(links).filter((link) => (!fabric || segments[this.segment[link]].fabric === fabric) && of(this.plane, link, plane) && of(this.rail, link, rail));
  }

  /**
   * The cables of what is chosen, along their trays.
   * @param {number[]} links @param {string} name
   */
  bundle(links, name) {
    /** @type {Map<any, {flat: boolean, at: number, spans: number[]}>} */
    const trays = new Map();
    /** @type {Map<number, number>} */
    const total = new Map();
    /** @type {Map<number, {count: number, least: number, most: number}>} */
    const racks = new Map();
    /** @type {number[][]} */
    const straight = [];
    const seen = new Set(), size = this.racks.rows;
    let inside = 0, cables = 0;
    for (const link of links) {
      const cable = this.cable[link], a = this.hall.rackOf[this.ends.a[link]], b = this.hall.rackOf[this.ends.b[link]];
      const key = (cable * size + a) * size + b;
      if (cable < 0 || seen.has(key)) continue;
      seen.add(key);
      cables += 1;
      const metres = Number(this.length.at(cable)) || 0;
      for (const rack of a === b ? [a] : [a, b]) {
        const known = racks.get(rack) ?? { count: 0, least: Infinity, most: 0 };
        racks.set(rack, { count: known.count + 1, least: Math.min(known.least, metres), most: Math.max(known.most, metres) });
      }
      if (a === b) inside += 1;
      const here = new Set();
      this.way(link, (tray, x0, y0, x1, y1) => {
        if (x0 === x1 && y0 === y1) return;
        if (typeof tray === "string" && tray[0] === "=") { straight.push([x0, y0, x1, y1]); return; }
        const flat = y0 === y1, low = flat ? Math.min(x0, x1) : Math.min(y0, y1), high = flat ? Math.max(x0, x1) : Math.max(y0, y1);
        const found = trays.get(tray) ?? { flat, at: flat ? y0 : x0, spans: [] };
        trays.set(tray, found);
        found.spans.push(low, high);
        if (typeof tray === "number") here.add(tray);
      });
      for (const tray of here) total.set(tray, (total.get(tray) ?? 0) + 1);
    }
    const rows = this.block.trays.filter((/** @type {any} */ tray) => tray.row !== null).map((/** @type {any} */ tray) => tray.ends.map((/** @type {number} */ mm) => mm / 10));
    return { name, cables, inside, total, racks, straight, rows, pieces: [...trays.entries()].flatMap(([tray, found]) => FG.swept(tray, found)) };
  }
};

/** Pieces of a tray, each with the number of cables there. @param {any} tray @param {{flat: boolean, at: number, spans: number[]}} found */
FG.swept = (tray, { flat, at, spans }) => {
  /** @type {Map<number, number>} */
  const steps = new Map();
  for (let i = 0; i < spans.length; i += 2) {
    steps.set(spans[i], (steps.get(spans[i]) ?? 0) + 1);
    steps.set(spans[i + 1], (steps.get(spans[i + 1]) ?? 0) - 1);
  }
  const places = [...steps.keys()].sort((a, b) => a - b), found = /** @type {any[]} */ ([]);
  let count = 0;
  for (let i = 0; i + 1 < places.length; i += 1) {
    const step = steps.get(places[i]) ?? 0;
    count += step;
    const last = found[found.length - 1];
    if (!step && last) last.high = places[i + 1];
    else if (count) found.push({ tray, flat, at, low: places[i], high: places[i + 1], count });
  }
  return found;
};

/** Paint a bundle: lines as thick as they have many cables. @param {any} pen @param {any} bundle @returns {any[]} the busiest piece in sight of each tray */
FG.paintBundle = (pen, bundle) => {
  const { c, theme } = pen, { pieces, straight } = bundle;
  c.save();
  c.globalAlpha = 0.85;
  /** @type {Map<any, any>} */
  const busiest = new Map();
  for (const piece of pieces) {
    const { flat, at, low, high, count } = piece;
    if (!(flat ? pen.sees(low, at - 1, high - low, 2) : pen.sees(at - 1, low, 2, high - low))) continue;
    pen.line(flat ? [low, at, high, at] : [at, low, at, high], theme.chosen, Math.min(9, 1.5 + Math.log2(count)));
    const known = busiest.get(piece.tray);
    if (!known || count > known.count || (count === known.count && high - low > known.high - known.low)) busiest.set(piece.tray, piece);
  }
  c.setLineDash([6, 5]);
  for (const ends of straight) pen.line(ends, theme.chosen, 1.5);
  c.restore();
  return [...busiest.values()];
};

/** How many cables there are on some pieces of trays. @param {any} pen @param {any} bundle @param {any[]} pieces */
FG.paintCounts = (pen, bundle, pieces) => {
  const taken = bundle.rows.map((/** @type {number[]} */ [x, y]) => [pen.x(x) - 60, pen.y(y)]);
  for (const { flat, at, low, high, count } of pieces.sort((a, b) => b.count - a.count).slice(0, 60)) {
    const from = flat ? Math.max(low, pen.left) : Math.max(low, pen.top), to = flat ? Math.min(high, pen.right) : Math.min(high, pen.bottom);
    if ((to - from) * pen.scale < 14) continue;
    for (const share of [0.5, 0.35, 0.65, 0.2, 0.8]) {
      const along = from + share * (to - from), px = pen.x(flat ? along : at), py = pen.y(flat ? at : along);
      if (taken.some((/** @type {number[]} */ [x, y]) => Math.abs(x - px) < 96 && Math.abs(y - py) < 22)) continue;
      taken.push([px, py]);
      pen.plate(FG.count(count, "cable"), px, py, "center", pen.theme.chosen);
      break;
    }
  }
};
