// @ts-check
"use strict";
/** What things can be coloured by: rails, planes, media, lengths, speeds, oversubscription, power, findings, phases, changes. */
FG.colours_by = {};

/** Entries for distinct values: the colours of fabrics, once round. @param {any[]} values @param {(value: any) => string} mark @param {(value: any) => string} text */
FG.colours_by.kinds = (values, mark, text) => {
  const { palette } = FG.block("overlays");
  return values.map((value, i) => ({ fill: palette[i % palette.length], mark: mark(value), text: text(value) }));
};

/** Entries for amounts: five steps of one colour, or as many as there are amounts, without empty ones; `step(value)` is the number of an entry. @param {ArrayLike<number>} amounts @param {(from: number, to: number) => string} text */
FG.colours_by.steps = (amounts, text) => {
  const { scale } = FG.block("overlays");
  const known = [...new Set(Array.from(amounts))].filter((one) => one > 0).sort((a, b) => a - b);
  const count = Math.min(scale.length, known.length);
  const bounds = known.length <= scale.length ? known : scale.map((/** @type {string} */ _, /** @type {number} */ i) => known[0] + (known[known.length - 1] - known[0]) * (i + 1) / scale.length);
  const among = (/** @type {number} */ value) => (value > 0 ? bounds.findIndex((/** @type {number} */ bound) => value <= bound * (1 + 1e-9)) : -1);
  const used = [...new Set(known.map(among))], step = (/** @type {number} */ value) => used.indexOf(among(value));
  const spread = (/** @type {number} */ i) => (count < 2 ? 2 : Math.round(i * (scale.length - 1) / (count - 1)));
  /** @type {Entry[]} */
  const entries = used.map((at, i) => {
    const inside = known.filter((one) => among(one) === at);
    return { fill: scale[spread(at)], mark: String(i + 1), text: text(inside[0], inside[inside.length - 1]) };
  });
  return { entries, step };
};

/** Texts of amounts, as one or a range. @param {string} unit */
FG.colours_by.range = (unit) => (/** @type {number} */ from, /** @type {number} */ to) => {
  const said = (/** @type {number} */ n) => n.toLocaleString("en");
  return from === to ? `${said(from)} ${unit}` : `${said(from)} to ${said(to)} ${unit}`;
};

/** Numbers of a column, whatever it is made of; 0 where it has none. @param {Column} column @param {number} rows */
FG.colours_by.numbersOf = (column, rows) => Float64Array.from({ length: rows }, (_, i) => Number(column.at(i)) || 0);

/** @type {Known[]} */
FG.overlay.known = [
  { name: "rail", title: "rail", load: () => FG.colours_by.coordinate("rail", (rail) => String(rail)) },
  { name: "plane", title: "plane", load: () => FG.colours_by.coordinate("plane", (plane) => String.fromCharCode(64 + ((Number(plane) - 1) % 26) + 1)) },
  { name: "medium", title: "medium", load: () => FG.colours_by.medium() },
  { name: "length", title: "length of cables", load: () => FG.colours_by.lengths() },
  { name: "speed", title: "speed of links", load: () => FG.colours_by.speeds() },
  { name: "oversubscription", title: "oversubscription (the worst of its tier)", load: () => FG.colours_by.oversubscription() },
  { name: "power", title: "power drawn, with optics", load: () => FG.colours_by.power() },
  { name: "rackpower", title: "power of racks (hall)", load: () => FG.colours_by.rackpower() },
  { name: "findings", title: "what lint finds", load: () => FG.colours_by.findings() },
  { name: "phase", title: "phase", load: () => FG.colours_by.phases() },
  { name: "change", title: "what changes", load: () => FG.colours_by.changes() },
];

/** Rail or plane of switches and links. @param {string} name @param {(value: any) => string} mark @returns {Promise<Overlay>} */
FG.colours_by.coordinate = async (name, mark) => {
  const [devices, links] = [FG.table("devices"), FG.table("links")];
  const of = FG.colours_by.numbersOf(await devices.column(name), devices.rows);
  const on = FG.colours_by.numbersOf(await links.column(name), links.rows);
  const values = [...new Set([...of, ...new Set(on)])].filter((value) => value > 0).sort((a, b) => a - b);
  return {
    entries: FG.colours_by.kinds(values, mark, (value) => `${name} ${value}`),
    rest: `no ${name}, or several`,
    device: (row) => values.indexOf(of[row]),
    link: (row) => values.indexOf(on[row]),
    ...await FG.colours_by.ribbons(name, (value) => values.indexOf(value)),
  };
};

/** @returns {Promise<Overlay>} */
FG.colours_by.medium = async () => {
  const medium = await FG.table("cables").column("medium"), cable = await FG.table("links").numbers("cable");
  const values = [...new Set(medium.of ?? [])].filter(Boolean).sort();
  const find = (/** @type {number} */ row) => (row < 0 ? -1 : values.indexOf(medium.at(row)));
  return {
    entries: FG.colours_by.kinds(values, (value) => value.split("-")[0].toUpperCase().slice(0, 4), (value) => value),
    rest: "no cable, or several media", cable: find, link: (row) => find(cable[row]),
    ...await FG.colours_by.ribbons("medium", (value) => values.indexOf(value)),
  };
};

/** @returns {Promise<Overlay>} */
FG.colours_by.lengths = async () => {
  const cables = FG.table("cables"), cable = await FG.table("links").numbers("cable");
  const lengths = FG.colours_by.numbersOf(await cables.column("length_m"), cables.rows);
  const { entries, step } = FG.colours_by.steps(lengths, FG.colours_by.range("m"));
  return {
    entries, rest: "no cable", cable: (row) => step(lengths[row]), link: (row) => (cable[row] < 0 ? -1 : step(lengths[cable[row]])),
    ...await FG.colours_by.ribbons("length_m", step),
  };
};

/** @returns {Promise<Overlay>} */
FG.colours_by.speeds = async () => {
  const segments = FG.block("head").segments, segment = await FG.table("links").numbers("segment");
  const { entries, step } = FG.colours_by.steps(segments.map((/** @type {any} */ one) => one.gbps), FG.colours_by.range("Gb/s"));
  return {
    entries, rest: "not stated", link: (row) => step(segments[segment[row]].gbps),
    ...await FG.colours_by.ribbons("speed", step),
  };
};

/** @returns {Promise<Overlay>} */
FG.colours_by.oversubscription = async () => {
  const head = FG.block("head"), cls = await FG.table("devices").numbers("class");
  const ratios = head.classes.map((/** @type {any} */ one) => one.ratio);
  const { entries, step } = FG.colours_by.steps(ratios, (from, to) => (from === to ? `${from}:1` : `${from}:1 to ${to}:1`));
  return { entries, rest: "no figure: nodes, tops of fabrics", device: (row) => step(ratios[cls[row]]) };
};

/** What devices draw with their optics, and in the hall racks with all that is in them. @returns {Promise<Overlay>} */
FG.colours_by.power = async () => {
  const watts = await FG.drawnWatts(), { entries, step } = FG.colours_by.steps(watts, FG.colours_by.range("W"));
  const racks = await FG.colours_by.rackpower(), named = racks.entries.map((one, i) => ({ ...one, mark: "abcde"[i], text: `${one.text} a rack`, way: "hall" }));
  return {
    entries: [...entries, ...named], rest: "not stated", device: (row) => step(watts[row]),
    rack: (row) => { const at = racks.rack?.(row) ?? -1; return at < 0 ? -1 : entries.length + at; },
  };
};

/** What the devices and optics of each rack draw together. @returns {Promise<Overlay>} */
FG.colours_by.rackpower = async () => {
  const watts = await FG.hallRacks().numbers("power_w"), kw = Float64Array.from(watts, (one) => Math.round(one / 100) / 10);
  const { entries, step } = FG.colours_by.steps(kw, FG.colours_by.range("kW"));
  return { entries, rest: "not stated", rack: (row) => step(kw[row]) };
};

/** @returns {Promise<Overlay>} */
FG.colours_by.findings = async () => {
  const cls = await FG.table("devices").numbers("class"), found = FG.block("findings") ?? [];
  const severities = ["info", "warning", "error"], fills = ["#64D7F5", "#E9F538", "#BE4614"];
  const byClass = new Int8Array(FG.block("head").classes.length).fill(-1), byDevice = new Map();
  const list = document.createElement("ol");
  for (const one of found) {
    const level = severities.indexOf(one.severity), item = document.createElement("li");
    for (const at of one.classes) byClass[at] = Math.max(byClass[at], level);
    for (const row of one.devices) byDevice.set(row, Math.max(byDevice.get(row) ?? -1, level));
    item.className = "finding";
    item.textContent = `${one.severity} ${one.code}: ${one.message}`;
    const place = document.createElement("small");
    place.textContent = `${one.place}${one.hint ? ` — ${one.hint}` : ""}`;
    item.append(document.createElement("br"), place);
    list.append(item);
  }
  const count = (/** @type {string} */ word) => found.filter((/** @type {any} */ one) => one.severity === word).length;
  return {
    worst: true,
    rest: "nothing found",
    entries: severities.map((word, i) => ({ fill: fills[i], mark: word[0].toUpperCase(), text: `${word}: ${count(word)}` })),
    device: (row) => Math.max(byDevice.get(row) ?? -1, byClass[cls[row]]),
    list,
  };
};

/** @returns {Promise<Overlay | null>} */
FG.colours_by.phases = async () => {
  const said = FG.block("phases");
  if (!said) return null;
  const device = await new FG.Table(said.devices).numbers("phase"), link = await new FG.Table(said.links).numbers("phase");
  const names = [...said.names, "in the end"];
  return { entries: FG.colours_by.kinds(names, (name) => String(names.indexOf(name) + 1), (name) => name), rest: "none", device: (row) => device[row], link: (row) => link[row] };
};

/** @returns {Promise<Overlay | null>} */
FG.colours_by.changes = async () => {
  const said = FG.block("changes");
  if (!said) return null;
  const [device, link, cable] = await Promise.all(["device", "link", "cable"].map((name) => FG.numbers(said[name].numbers)));
  const { number } = await FG.losses.load();
  const gone = new Set(said.gone.map((/** @type {[string, string]} */ [, rack]) => number.get(rack)));
  const list = document.createElement("div");
  /** @param {string} kind @param {string} text */
  const line = (kind, text) => {
    const one = document.createElement("p");
    one.className = kind;
    one.textContent = text;
    list.append(one);
  };
  line("note", said.title);
  for (const [kind, words] of said.totals) line("total", `${kind}: ${words}`);
  for (const text of [...said.reasons, ...said.notes]) line("note", text);
  /** @param {string} title @param {string[]} names */
  const folded = (title, names) => {
    const details = document.createElement("details"), summary = document.createElement("summary");
    summary.textContent = title;
    details.append(summary, names.join(", "));
    if (names.length) list.append(details);
  };
  const { devices, cables } = said.counts;
  folded(`Gone: ${devices.removed.toLocaleString("en")} devices`, said.gone.map((/** @type {[string, string]} */ [name, rack]) => (rack ? `${name} (${rack})` : name)));
  folded(`Gone: ${cables.removed.toLocaleString("en")} cables`, said.gone_cables);
  return {
    worst: true,
    rest: "as before",
    entries: [
      { fill: "#64D7F5", mark: "≠", text: "changed" }, { fill: "#E9F538", mark: "c", text: "other cables" },
      { fill: "#EF8E25", mark: "→", text: "moved" }, { fill: "#14A556", mark: "+", text: "added" },
      { fill: "#6F1C54", mark: "−", text: "a rack that something leaves" },
    ],
    device: (row) => device[row], link: (row) => link[row], cable: (row) => cable[row],
    rack: (row) => (gone.has(row) ? 4 : -1), list,
  };
};

/** What the links of each bundle are alike in; one of several has none. @param {string} name @param {(value: any) => number} entry @returns {Promise<{ribbon?: (i: number) => number}>} */
FG.colours_by.ribbons = async (name, entry) => {
  const said = FG.block("overlays").bundles;
  if (!said) return {};
  const column = await new FG.Table(said).column(name);
  return { ribbon: (i) => entry(column.at(i)) };
};

FG.overlay.known = FG.overlay.known.filter(({ name }) => (name !== "phase" || FG.block("phases")) && (name !== "change" || FG.block("changes")) && (name !== "findings" || FG.block("findings")?.length));
FG.overlay.start();
FG.on("ready", () => { if (FG.block("changes") && !FG.state.overlay) FG.set({ overlay: "change" }); });
