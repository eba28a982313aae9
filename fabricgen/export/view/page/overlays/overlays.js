// @ts-check
"use strict";
/**
 * Overlays: what is coloured by what. Each gives a number of an entry of its legend for rows of tables; an entry has a
 * fill and a mark of a letter or two, since colour is never the only sign.
 * @typedef {{fill: string, mark: string, text: string}} Entry
 * @typedef {{entries: Entry[], device?: (row: number) => number, link?: (row: number) => number, cable?: (row: number) => number,
 *   ribbon?: (row: number) => number, rack?: (row: number) => number, worst?: boolean, rest?: string, list?: Node}} Overlay
 * @typedef {{name: string, title: string, load: () => Promise<Overlay | null>}} Known
 */
FG.overlay = {};

/** @type {Known[]} */
FG.overlay.known = [];

/** @type {Overlay | null} */
FG.overlay.now = null;

/** @type {Map<string, number>} Entries of bands and racks, once they are asked for. */
FG.overlay.merged = new Map();

/** @type {any} Devices by band and by rack, where an overlay or a loss needs them. */
FG.overlay.groups = null;

/** What is down and what is cut off come before every overlay. @type {{down: Entry, cut: Entry, some: Entry}} */
FG.overlay.failed = {
  down: { fill: "#3A3F45", mark: "✕", text: "lost" },
  cut: { fill: "#BE4614", mark: "!", text: "cut off" },
  some: { fill: "#F5C3AE", mark: "–", text: "without a rail" },
};
FG.overlay.rest = { fill: "#C9CFD6", mark: "", text: "none, or several" };
FG.overlay.several = { fill: "#C9CFD6", mark: "~", text: "a group of several" };

/** The colour and mark of a thing; null for its usual one. @param {string} kind @param {number} id @returns {Entry | null} */
FG.overlay.of = (kind, id) => {
  const { now, groups } = FG.overlay;
  if (FG.overlay.marks && kind === "device" && FG.overlay.marks[id]) return FG.overlay.lossEntries[FG.overlay.marks[id]];
  if (!now && !FG.overlay.marks) return null;
  const failed = kind === "rack" && FG.overlay.marks ? FG.overlay.merge(kind, id) : null;
  if (failed && FG.overlay.lossEntries.includes(failed) && failed !== FG.overlay.rest) return failed;
  const own = kind === "rack" && now?.rack ? now.rack(id) : -1;
  if (now && own >= 0) return now.entries[own];
  if (kind === "band" || kind === "rack") return groups ? FG.overlay.merge(kind, id) : null;
  const find = now && /** @type {any} */ (now)[kind];
  return find ? now.entries[find(id)] ?? FG.overlay.rest : null;
};

/** @param {number} i @returns {Entry | null} */
FG.overlay.ribbon = (i) => {
  const now = FG.overlay.now;
  return now?.ribbon ? now.entries[now.ribbon(i)] ?? FG.overlay.rest : null;
};

/** @type {Uint8Array | null} What has failed, by device: an index of `lossEntries`. */
FG.overlay.marks = null;
FG.overlay.lossEntries = [FG.overlay.rest, FG.overlay.failed.some, FG.overlay.failed.cut, FG.overlay.failed.down];

/** The entry of many devices: that of all of them, or of the worst; else none. @param {string} kind @param {number} id @returns {Entry | null} */
FG.overlay.merge = (kind, id) => {
  const key = `${kind}${id}`, { merged, groups, now, marks } = FG.overlay;
  const failed = FG.overlay.lossEntries.length;
  let found = merged.get(key) ?? NaN;
  if (Number.isNaN(found)) {
    const rows = kind === "band" ? groups.bands(id) : groups.racks(id);
    found = -1;
    let hurt = rows.length ? failed : 0;
    for (const row of rows) {
      if (marks) hurt = Math.min(hurt, marks[row]);
      const own = now?.device ? now.device(row) : -1;
      found = found === -1 || own === found ? own : now?.worst ? Math.max(own, found) : -2;
    }
    if (marks && hurt && hurt < failed) found = 1000 + hurt;
    merged.set(key, found);
  }
  if (found >= 1000) return FG.overlay.lossEntries[found - 1000];
  return found === -2 ? FG.overlay.several : now?.device || (kind === "rack" && now?.rack) ? now.entries[found] ?? FG.overlay.rest : null;
};

/** Devices by band and by rack. @returns {Promise<any>} */
FG.overlay.group = async () => {
  const scene = FG.block("scene"), bands = new FG.Table(scene.bands);
  const [order, first, last, rack] = await Promise.all([FG.numbers(scene.order), bands.numbers("first"), bands.numbers("last"), FG.table("devices").column("rack")]);
  const { number } = await FG.losses.load();
  /** @type {number[][]} */
  const held = Array.from({ length: number.size }, () => []);
  for (let i = 0; i < FG.table("devices").rows; i += 1) held[number.get(rack.at(i))]?.push(i);
  return { bands: (/** @type {number} */ id) => order.subarray(first[id], last[id]), racks: (/** @type {number} */ id) => held[id] ?? [] };
};

/** Paint anew with what is lost now and what is coloured now. */
FG.overlay.renew = async () => {
  const loss = FG.losses.now;
  FG.overlay.merged.clear();
  if (loss || FG.overlay.now) FG.overlay.groups ??= await FG.overlay.group();
  FG.overlay.marks = null;
  if (loss) {
    const marks = new Uint8Array(loss.down.length);
    for (const rails of loss.rails.values()) for (const rows of rails.values()) for (const row of rows) marks[row] = 1;
    for (const rows of loss.cut.values()) for (const row of rows) marks[row] = 2;
    loss.down.forEach((down, row) => { if (down) marks[row] = 3; });
    FG.overlay.marks = marks;
  }
  FG.overlay.legend();
  FG.repaint?.();
};

/** What colours mean where nothing else colours: fabrics, and nodes or what racks hold. @returns {(Entry & {ink?: string})[]} */
FG.overlay.usual = () => {
  const { fabrics } = FG.block("head"), entries = fabrics.map((/** @type {any} */ one) => ({ fill: one.fill, ink: one.ink, mark: one.code, text: `${one.name} (${one.protocol})` }));
  if (FG.state.way !== "hall") return [...entries, { fill: "var(--node)", ink: "#FFFFFF", mark: "", text: "nodes and extra devices" }];
  const block = FG.block("hall"), theme = FG.theme(), used = new Set(block.looks.flatMap((/** @type {any} */ look) => [look.fill, ...look.stripes.map((/** @type {[string, boolean]} */ [fill]) => fill)]));
  for (const [fill] of block.swatches) used.add(fill);
  if (block.beside) used.add(block.panel_fill);
  const plain = (/** @type {string} */ fill, /** @type {string} */ text) => ({ fill: fill && FG.rackFill(fill, theme), ink: theme.ink, mark: "", text });
  const kinds = new Set(block.fixtures.map((/** @type {any[]} */ one) => one[0]).filter((/** @type {string} */ kind) => kind !== "busway"));
  return [
    ...[[block.node_fill, "nodes"], [block.extra_fill, "other devices"], [block.panel_fill, block.beside || "panels"]].filter(([fill]) => used.has(fill)).map(([fill, text]) => plain(fill, text)),
    ...entries.filter((/** @type {Entry} */ one) => used.has(one.fill)), ...[...kinds].map((kind) => { const [fill, text] = block.fixture_looks[kind]; return plain(fill, text); }),
  ];
};

/** What keeps its usual colours beside the overlay; "" for nothing. */
FG.overlay.kept = () => {
  const now = FG.overlay.now;
  if (!now) return FG.overlay.marks ? "What stands has the colours of fabrics:" : "";
  if (FG.state.way === "hall") return now.device || now.rack ? "" : "Racks have the colours of what they hold:";
  return now.device ? (now.ribbon ? "" : "Ribbons have the colours of fabrics:") : now.ribbon ? "Devices have the colours of fabrics:" : "This is seen in the hall; here are the colours of fabrics:";
};

/** A list of what colours mean. @param {(Entry & {ink?: string})[]} entries */
FG.overlay.swatches = (entries) => {
  const list = document.createElement("ul");
  for (const { fill, mark, text, ink } of entries) {
    const item = document.createElement("li"), swatch = document.createElement("span");
    swatch.className = "swatch";
    swatch.style.background = fill;
    swatch.style.color = ink ?? FG.overlay.ink(fill);
    swatch.textContent = mark || "\u00a0";
    item.append(swatch, text);
    list.append(item);
  }
  return list;
};

/** The legend of what colours now in the way that is shown, and what belongs to the overlay. */
FG.overlay.legend = () => {
  const to = FG.el("legend"), now = FG.overlay.now, known = FG.overlay.known.find((one) => one.name === FG.state.overlay), kept = FG.overlay.kept();
  const own = (now?.entries ?? []).filter((/** @type {any} */ one) => !one.way || one.way === FG.state.way);
  const entries = [...own, ...(FG.overlay.marks ? [FG.overlay.failed.down, FG.overlay.failed.cut, FG.overlay.failed.some] : []), ...(now?.device && !now.worst ? [FG.overlay.several] : []), ...(now ? [FG.overlay.rest] : [])];
  const heading = document.createElement("h2");
  heading.textContent = `Colours: ${now && known ? known.title : FG.overlay.marks ? "what has failed" : FG.state.way === "hall" ? "what racks hold" : "its fabric"}`;
  to.replaceChildren(heading, FG.overlay.swatches(entries.length ? entries : FG.overlay.usual()));
  if (kept) {
    const others = document.createElement("div"), note = document.createElement("p");
    others.id = "kept";
    note.className = "note";
    note.textContent = kept;
    others.append(note, FG.overlay.swatches(FG.overlay.usual()));
    to.append(others);
  }
  to.append(...(now?.list ? [now.list] : []));
};
FG.on("change", (news) => { if ("way" in news) FG.overlay.legend(); });
FG.on("ready", () => FG.overlay.legend());

/** Black or white on a fill. @param {string} fill */
FG.overlay.ink = (fill) => {
  const [r, g, b] = [1, 3, 5].map((at) => Number.parseInt(fill.slice(at, at + 2), 16));
  return 0.299 * r + 0.587 * g + 0.114 * b > 140 ? "#000000" : "#FFFFFF";
};

/** Change to the overlay of FG.state. */
FG.overlay.choose = async () => {
  const name = FG.state.overlay, known = FG.overlay.known.find((one) => one.name === name);
  const select = /** @type {HTMLSelectElement} */ (FG.el("overlay"));
  const made = known ? await known.load() : null;
  if (name !== FG.state.overlay) return;
  select.value = known ? name : "";
  FG.overlay.now = made;
  FG.overlay.rest.text = made?.rest ?? "none, or several"; // several where links of one ribbon differ
  await FG.overlay.renew();
  document.documentElement.dataset.overlay = name;
};

/** The choice of overlays; those that this cluster has nothing for are left out. */
FG.overlay.start = () => {
  const label = document.createElement("label"), select = document.createElement("select");
  select.id = "overlay";
  for (const { name, title } of [{ name: "", title: "its fabric" }, ...FG.overlay.known]) {
    const option = document.createElement("option");
    option.value = name;
    option.textContent = title;
    select.append(option);
  }
  select.addEventListener("change", () => FG.set({ overlay: select.value }));
  label.append("Colour by ", select);
  FG.el("choices").append(label);
};

FG.on("change", (news) => { if ("overlay" in news) FG.overlay.choose(); });
