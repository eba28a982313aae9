// @ts-check
"use strict";
/**
 * The inspector: what the CSV files say of the chosen thing, the line of the blueprint that made it, what hangs on it.
 *
 * A sheet is {title, parts}; a part is {heading, pairs: [[name, text, chosen?]]} or {heading, columns, rows, at}, where
 * `rows` is an array of arrays of texts, or a number of rows of which `at(i)` makes each when it is shown; a cell is a
 * text, [text, chosen], or [text, chosen, shorter text]; or {heading, text: async () => text}. `render` makes another element of a list. `chosen` is where a click goes.
 * @typedef {{title: string, parts: any[], buttons?: [string, () => void][]}} Sheet
 */

/** Sheets by kind of thing. @type {Object<string, (id: number) => Promise<Sheet | null>>} */
FG.sheets = {};
FG.SHOWN = 100;

/** @param {Object<string, string>} row @param {Object<string, any>} [go] @returns {any[]} */
FG.pairs = (row, go = {}) => Object.entries(row).map(([name, text]) => [name, text, go[name]]);

/** A part that lists rows, which are made when they are shown. @param {string} heading @param {string[]} columns @param {ArrayLike<number>} rows @param {(row: number) => any[] | Promise<any[]>} make */
FG.list = (heading, columns, rows, make) => ({ heading, columns, rows: rows.length, at: (/** @type {number} */ i) => make(rows[i]) });

/** What made a thing: the line of the blueprint. @param {"classes" | "segments"} kind @param {number} number */
FG.madeBy = (kind, number) => ({ heading: "Blueprint", pairs: [["line", FG.block("origins").lines[kind][number]]] });

/** Ports of a device with their far ends. @param {number} device @param {ArrayLike<number>} rows */
FG.portList = async (device, rows) => {
  const [links, devices, cables] = [await FG.links(), await FG.devices(), await FG.cables()];
  const segments = FG.block("head").segments;
  const own = `${devices.name.at(device)}:`, short = (/** @type {string} */ cable, /** @type {string} */ far) => (cable.startsWith(own) ? cable.slice(own.length - 1) : cable.startsWith(`${far}:`) ? `…${cable.slice(far.length)}` : cable);
  return FG.list("Ports (links.csv)", ["port", "far end", "Gb/s", "m", "fabric", "cable"], rows, (link) => {
    const [near, far] = links.a.at(link) === device ? ["a", "b"] : ["b", "a"];
    const other = links[far].at(link), cable = links.cable.at(link), segment = segments[links.segment.at(link)];
    return [
      [links[`${near}_port`].at(link), { kind: "link", id: link }],
      [`${devices.name.at(other)}:${links[`${far}_port`].at(link)}`, { kind: "device", id: other }],
      String(segment.gbps), cable < 0 ? "" : String(cables.length_m.at(cable)), segment.fabric,
      cable < 0 ? "" : [cables.cable.at(cable), { kind: "cable", id: cable }, short(cables.cable.at(cable), devices.name.at(other))],
    ];
  });
};

/** A list without a column that is the same in all rows. @param {any} list @param {string} [name] */
FG.without = (list, name) => {
  const i = name ? list.columns.indexOf(name) : -1;
  if (i < 0) return list;
  return { ...list, columns: list.columns.toSpliced(i, 1), at: async (/** @type {number} */ row) => (await list.at(row)).toSpliced(i, 1) };
};

/** Devices. @param {string} heading @param {ArrayLike<number>} rows @param {string} [but] a column that is left out */
FG.deviceList = async (heading, rows, but) => {
  const devices = await FG.devices(), classes = FG.block("head").classes;
  return FG.without(FG.list(heading, ["device", "rack", "u", "model"], rows, (row) =>
    [[devices.name.at(row), { kind: "device", id: row }], devices.rack.at(row), String(devices.u.at(row)), classes[devices.class.at(row)].model]), but);
};

/** Cables. @param {string} heading @param {ArrayLike<number>} rows @param {string} [but] a column that is left out */
FG.cableList = async (heading, rows, but) => {
  const cables = await FG.cables();
  return FG.without(FG.list(heading, ["cable", "m", "medium", "part"], rows, (row) =>
    [[cables.cable.at(row), { kind: "cable", id: row }], String(cables.length_m.at(row)), cables.medium.at(row), cables.part.at(row)]), but);
};

/** Rows of a table for which something holds. @param {number} count @param {(row: number) => boolean} holds */
FG.rowsWhere = (count, holds) => { const found = []; for (let i = 0; i < count; i += 1) if (holds(i)) found.push(i); return found; };

/** MACs, serial numbers and GUIDs of a device. @param {number} row @returns {Promise<any[]>} */
FG.hardwareOf = async (row) => {
  const { inventory, guids } = await FG.hardware(), name = (await FG.devices()).name.at(row);
  const stated = FG.rowsWhere(inventory.rows, (i) => inventory.device.at(i) === name);
  const own = FG.rowsWhere(guids.rows, (i) => guids.device.rows[i] === row);
  const parts = [];
  if (stated.length) parts.push(FG.list("Inventory", ["port", "mac", "guid", "serial"], stated, (i) => ["port", "mac", "guid", "serial"].map((column) => inventory[column].at(i))));
  if (own.length) parts.push(FG.list("GUIDs", ["port", "guid", "port guid", ""], own, (i) => [guids.port.at(i), FG.guid(guids, "guid", i), FG.guid(guids, "port_guid", i), guids.stated.at(i) ? "stated" : "planned"]));
  return parts;
};

/** Configurations of a device, or of the fabric that it is in. @param {string[]} owners @returns {Promise<any[]>} */
FG.configsOf = async (owners) => {
  if (!FG.block("configs")) return [];
  const table = FG.table("configs"), [of, file] = [await table.column("of"), await table.column("file")];
  return FG.rowsWhere(table.rows, (i) => owners.includes(of.at(i))).map((i) => (
    { heading: `${of.at(i)}/${file.at(i)}`, text: async () => (await table.column("text")).at(i) }));
};

/** GPUs of a node with their own ports. @param {number} id @param {number} cls @param {string} name @returns {any[]} */
FG.gpuParts = (id, cls, name) => {
  const rows = [];
  for (let gpu = 0; FG.gpuPorts(cls, null, gpu).length; gpu += 1) {
    const own = FG.gpuPorts(cls, null, gpu).map(([fabric, port]) => `${port} (${fabric})`);
    rows.push([[`${name}:gpu${gpu}`, { kind: "gpu", id: FG.gpuId(id, gpu) }], own.join(", ")]);
  }
  return rows.length ? [{ heading: "Accelerators and their own ports", columns: ["accelerator", "ports"], rows }] : [];
};

FG.sheets.device = async (/** @type {number} */ id) => {
  const row = await FG.csv.devices(id), [links, devices, racks] = [await FG.links(), await FG.devices(), await FG.racks()];
  const rack = racks.name.of.indexOf(row.rack), addresses = await FG.csv.addresses(id), cls = FG.block("head").classes[devices.class.at(id)];
  const owner = cls.kind === "switch" ? [row.device, row.fabric] : [row.device], watts = (await FG.drawnWatts())[id];
  return {
    title: row.device,
    parts: [
      { heading: "devices.csv", pairs: FG.pairs(row, { rack: rack >= 0 && { kind: "rack", id: rack }, model: { kind: "model", id: FG.models().indexOf(row.model) } }) },
      FG.madeBy("classes", devices.class.at(id)),
      { heading: "Power", pairs: [["with optics, W", watts ? watts.toLocaleString("en") : "not stated"]] },
      ...FG.gpuParts(id, devices.class.at(id), row.device),
      await FG.portList(id, links.on.of(id)),
      { heading: "addresses.csv", columns: ["prefix", "kind", "port"], rows: addresses.map((one) => [one.prefix, one.kind, one.port]) },
      ...await FG.hardwareOf(id),
      ...await FG.configsOf(owner),
    ],
  };
};

/** Links on the own ports of a GPU. @param {number} id @returns {Promise<number[]>} */
FG.gpuLinks = async (id) => {
  const [device, gpu] = FG.gpuOf(id), [links, devices] = [await FG.links(), await FG.devices()], own = FG.gpuPorts(devices.class.at(device), null, gpu);
  return [...links.on.of(device)].filter((link) => own.some(([fabric, port]) =>
    links.a.at(link) === device && links.a_port.at(link) === port && FG.block("head").segments[links.segment.at(link)].fabric === fabric));
};

FG.sheets.gpu = async (/** @type {number} */ id) => {
  const [device, gpu] = FG.gpuOf(id), row = await FG.csv.devices(device);
  const domain = FG.block("origins").domains[row.model], rows = await FG.gpuLinks(id);
  return {
    title: `${row.device}:gpu${gpu}`,
    parts: [
      { heading: "Accelerator", pairs: [["node", row.device, { kind: "device", id: device }], ["model", row.model], ["scale-up", domain ?? ""]] },
      await FG.portList(device, rows),
    ],
  };
};

/** The device or rack whose cables one goes along. @type {any} */
FG.walked = null;

/** Cables of a device in the order of its ports, or of a rack from its top to its foot. @param {any} place @returns {Promise<number[]>} */
FG.cablesAt = async ({ kind, id }) => {
  const [links, devices, racks] = [await FG.links(), await FG.devices(), await FG.racks()], at = (/** @type {number} */ row) => Number(devices.u.at(row));
  const own = kind === "device" ? [id] : FG.rowsWhere(devices.rows, (row) => devices.rack.at(row) === racks.name.at(id)).sort((a, b) => at(b) - at(a) || a - b);
  return [...new Set(own.flatMap((row) => [...links.on.of(row)].map((link) => links.cable.at(link))))].filter((cable) => cable >= 0);
};

/**
 * What is printed on both ends of a cable; of one through panels on those of its jumpers: at the device, and at the panel.
 * @param {any[]} rows of cables.csv @param {number[]} at rows of ends @param {any} ends @returns {[string, string][]}
 */
FG.cableLabels = (rows, at, ends) => [...new Map(rows.flatMap((row, i) => ["a", "b"].flatMap((end) => {
  const panel = ends[`${end}_panel`]?.at(at[i]) ?? "", text = row[`label_${end}`], [own] = text.split(" > ");
  return panel.includes(":") ? [[`${end}, at the device`, `${own} > ${panel}`], [`${end}, at the panel`, `${panel} > ${own}`]] : [[end, text]];
})).map((/** @type {any} */ pair) => [pair[1], pair])).values()];

/** What is printed on both ends of a cable, which it is of those where one works, and buttons to the ones before and after it. @param {number} cable */
FG.labelsAndNext = async (cable) => {
  const [links, cables] = [await FG.links(), await FG.cables()], rows = await FG.csv.cables(cable), labels = FG.cableLabels(rows, [...cables.endsOf.of(cable)], cables.ends);
  let all = FG.walked ? await FG.cablesAt(FG.walked) : [];
  if (!all.includes(cable)) all = await FG.cablesAt(FG.walked = { kind: "device", id: links.a.at(links.byCable.of(cable)[0]) });
  const at = all.indexOf(cable), where = await FG.naming[FG.walked.kind].name(FG.walked.id);
  const go = (/** @type {number} */ by) => () => FG.choose({ kind: "cable", id: all[(at + by + all.length) % all.length] });
  const racks = [...new Set(rows.flatMap((row) => [row.a_rack, row.b_rack]))], names = (await FG.racks()).name.of;
  return {
    part: {
      heading: `Labels · cable ${(at + 1).toLocaleString("en")} of ${all.length.toLocaleString("en")} at ${where}`, pairs: labels,
      render: () => { const made = FG.make("div"); made.append(...labels.map(([, text]) => FG.make("p", text, "label"))); return made; },
    },
    buttons: /** @type {[string, () => void][]} */ ([
      ...(all.length > 1 ? [["‹ Cable", go(-1)], ["Next cable ›", go(1)]] : []),
      ...racks.map((name) => [name, () => FG.choose({ kind: "rack", id: names.indexOf(name) })]),
    ]),
  };
};

FG.sheets.link = async (/** @type {number} */ id) => {
  const [row, links] = [await FG.csv.links(id), await FG.links()], cable = links.cable.at(id);
  const go = { a_device: { kind: "device", id: links.a.at(id) }, b_device: { kind: "device", id: links.b.at(id) }, cable: cable >= 0 && { kind: "cable", id: cable } };
  const next = cable < 0 ? null : await FG.labelsAndNext(cable);
  return {
    title: row.link,
    buttons: next?.buttons,
    parts: [
      ...(next ? [next.part] : []),
      { heading: "links.csv", pairs: FG.pairs(row, go) },
      FG.madeBy("segments", links.segment.at(id)),
      ...(cable < 0 ? [{ heading: "Cable", pairs: [["", "none: a backplane"]] }] : await FG.cableParts(cable)),
    ],
  };
};

/** @param {number} id @returns {Promise<any[]>} */
FG.cableParts = async (id) => {
  const rows = await FG.csv.cables(id), [links, cables] = [await FG.links(), await FG.cables()];
  const ends = [...cables.endsOf.of(id)];
  return rows.map((row, i) => {
    const link = cables.ends.link.at(ends[i]);
    const go = { cable: { kind: "cable", id }, a_device: { kind: "device", id: links.a.at(link) }, b_device: { kind: "device", id: links.b.at(link) } };
    return { heading: rows.length > 1 ? `cables.csv, end ${i + 1} of ${rows.length}` : "cables.csv", pairs: FG.pairs(row, go) };
  });
};

FG.sheets.cable = async (/** @type {number} */ id) => {
  const [links, devices] = [await FG.links(), await FG.devices()], rows = links.byCable.of(id);
  const end = (/** @type {string} */ s, /** @type {number} */ link) => `${devices.name.at(links[s].at(link))}:${links[`${s}_port`].at(link)}`;
  const next = await FG.labelsAndNext(id);
  return {
    title: await FG.naming.cable.name(id),
    buttons: next.buttons,
    parts: [
      next.part,
      ...await FG.cableParts(id),
      FG.list("Links that it carries", ["link", "far end"], rows, (link) => [[end("a", link), { kind: "link", id: link }], end("b", link)]),
      FG.madeBy("segments", links.segment.at(rows[0])),
    ],
  };
};

/** Where a rack stands and what it holds, as racks.csv has it. @param {number} id @returns {Promise<[string, string][]>} */
FG.rackPairs = async (id) => {
  const racks = await FG.racks(), said = (/** @type {string} */ name) => String(racks[name].at(id)), kinds = FG.block("hall").kinds;
  const budget = kinds[(await FG.hallRacks().numbers("kind"))[id]].power_kw;
  const without = (/** @type {[string, string][]} */ ...of) => FG.unfigured(...of.map(([name, noun]) => /** @type {[number, string]} */ ([Number(said(name)), noun])));
  return [
    ["place", said("place")], ["hall", said("place").split(".").slice(0, -2).join(".")], ["row", said("row")], ["column", said("column")], ["units used", `${said("units_used")} of ${said("units")}`],
    ["power, W", `${Number(said("drawn_w")) || "not stated"}${budget ? ` of ${Math.round(budget * 1000)}` : ""}${without(["unpowered", "device"], ["unpowered_optics", "optic"])}`],
    ["power of devices", said("power_basis").replaceAll("+", " + ")],
    ["weight, kg", `${Number(said("weight_kg")) || "not stated"}${without(["unweighed", "device"])}`],
  ];
};

FG.sheets.rack = async (/** @type {number} */ id) => {
  const [devices, racks, links] = [await FG.devices(), await FG.racks(), await FG.links()], name = racks.name.at(id);
  const code = devices.rack.of.indexOf(name), inside = FG.rowsWhere(devices.rows, (i) => devices.rack.codes[i] === code);
  inside.sort((a, b) => Number(devices.u.at(b)) - Number(devices.u.at(a)) || a - b);
  const touching = new Set(inside.flatMap((row) => [...links.on.of(row)])), here = new Set(inside), within = new Set(), leaving = new Set();
  for (const link of touching) {
    const cable = links.cable.at(link);
    if (cable >= 0) (here.has(links.a.at(link)) && here.has(links.b.at(link)) ? within : leaving).add(cable);
  }
  for (const cable of leaving) within.delete(cable);
  const feeds = (await FG.feeds()), own = racks.feeds.at(id);
  /** @type {any[]} */
  const parts = [
    { heading: "Rack", pairs: [["rack", name], ...await FG.rackPairs(id), ["feeds", own, own && { kind: "feed", id: feeds.indexOf(own.split("+")[0]) }], ["devices", String(inside.length)], ["cables within", String(within.size)], ["cables that leave", String(leaving.size)]] },
    await FG.deviceList("Devices", inside, "rack"),
    await FG.cableList("Cables that leave", [...leaving].sort((a, b) => a - b)),
    await FG.cableList("Cables within", [...within].sort((a, b) => a - b)),
  ];
  return { title: name, parts: parts.filter((part) => part.rows !== 0) };
};

FG.sheets.part = async (/** @type {number} */ id) => {
  const cables = await FG.cables(), rows = FG.rowsWhere(cables.rows, (i) => cables.part.codes[i] === id);
  return { title: await FG.naming.part.name(id), parts: [await FG.cableList("Cables of this part", rows, "part")] };
};
FG.sheets.model = async (/** @type {number} */ id) => {
  const devices = await FG.devices(), classes = FG.block("head").classes, model = FG.models()[id];
  const rows = FG.rowsWhere(devices.rows, (i) => classes[devices.class.at(i)].model === model);
  return { title: model, parts: [await FG.deviceList("Devices of this model", rows, "model")] };
};
FG.sheets.asn = async (/** @type {number} */ id) => {
  const devices = await FG.devices(), rows = FG.rowsWhere(devices.rows, (i) => devices.asn.codes[i] === id);
  return { title: `AS ${devices.asn.of[id]}`, parts: [await FG.deviceList("Devices with this AS number", rows)] };
};
FG.sheets.feed = async (/** @type {number} */ id) => {
  const [racks, devices] = [await FG.racks(), await FG.devices()], feed = (await FG.feeds())[id];
  const on = new Set(FG.rowsWhere(racks.rows, (i) => racks.feeds.at(i).split("+").includes(feed)).map((i) => racks.name.at(i)));
  const coded = devices.rack.of.map((/** @type {string} */ name) => on.has(name));
  return {
    title: `Feed ${feed}`,
    parts: [
      FG.list("Racks on this feed", ["rack", "feeds"], FG.rowsWhere(racks.rows, (i) => on.has(racks.name.at(i))), (i) => [[racks.name.at(i), { kind: "rack", id: i }], racks.feeds.at(i)]),
      await FG.deviceList("Devices on this feed", FG.rowsWhere(devices.rows, (i) => coded[devices.rack.codes[i]])),
    ],
  };
};

FG.sheets.band = async (/** @type {number} */ id) => {
  const fabric = FG.fabricWay, { first, last, cls } = fabric.bands;
  const rows = fabric.order.slice(first[id], last[id]).sort();
  return { title: fabric.describe({ kind: "band", id }), parts: [FG.madeBy("classes", cls[id]), await FG.deviceList("Devices", rows, "model")] };
};
for (const kind of ["box", "ribbon"]) {
  FG.sheets[kind] = async (/** @type {number} */ id) => {
    const [title, ...lines] = FG.fabricWay.describe({ kind, id }).split("\n"), segment = kind === "ribbon" ? FG.fabricWay.bundles.segment[id] : -1;
    return { title, parts: [...lines.map((/** @type {string} */ line) => ({ heading: line, pairs: [] })), ...(segment < 0 ? [] : [FG.madeBy("segments", segment)])] };
  };
}

/** Hardware as it is known. @returns {Promise<any>} */
FG.hardware = FG.once(async () => {
  const block = FG.block("hardware");
  return { inventory: await FG.columns(new FG.Table(block.inventory)), guids: await FG.columns(new FG.Table(block.guids)) };
});
/** A GUID as 16 digits; "" for none. @param {any} guids @param {string} name @param {number} i */
FG.guid = (guids, name, i) => {
  const [high, low] = ["high", "low"].map((half) => guids[`${name}_${half}`].numbers[i] >>> 0);
  return high || low ? [high, low].map((word) => word.toString(16).padStart(8, "0")).join("") : "";
};

/** The fragment under which a thing is found again. @param {any} chosen */
FG.linkTo = async (chosen) => {
  const name = encodeURIComponent(await FG.naming[chosen.kind].name(chosen.id));
  return `${location.href.split("#")[0]}#${chosen.kind === "device" ? "at" : chosen.kind}=${name}`;
};

/** Copy a text, and say so. @param {string} text @param {string} what */
FG.copy = async (text, what) => {
  try {
    await navigator.clipboard.writeText(text);
    FG.el("status").textContent = `Copied ${what}`;
  } catch {
    FG.el("status").textContent = `This browser does not let the page copy ${what}`;
  }
};

/** An element with a text, which is never markup. @param {string} tag @param {string} [text] @param {string} [name] @returns {any} */
FG.make = (tag, text, name) => {
  const made = document.createElement(tag);
  if (text !== undefined) made.textContent = text;
  if (name) made.className = name;
  return made;
};

FG.inspector = {
  /** @type {Sheet | null} */ sheet: null,
  /** @type {any} */ chosen: null,

  /** @param {any} chosen */
  async show(chosen) {
    this.chosen = chosen;
    if (chosen && ["device", "rack"].includes(chosen.kind)) FG.walked = chosen;
    const kind = chosen ? chosen.kind : "all", made = FG.sheets[kind] ? await FG.sheets[kind](chosen?.id) : null;
    if (this.chosen !== chosen) return;
    this.sheet = made;
    const place = FG.el("inspector");
    if (place.contains(document.activeElement)) FG.focusPicture(); // what had the focus goes
    place.replaceChildren();
    if (made) await this.fill(place, made, chosen);
    FG.el("status").textContent = chosen && made ? `Chosen: ${made.title}` : "";
    if (FG.phone.matches) FG.el("side").scrollTop = 0;
    place.dataset.shown = chosen && made ? `${chosen.kind}:${chosen.id}` : "";
    FG.tell("inspected", chosen);
  },

  /** @param {HTMLElement} place @param {Sheet} sheet @param {any} chosen */
  async fill(place, sheet, chosen) {
    const bar = FG.make("div", undefined, "buttons");
    const tracing = chosen ? FG.traceButtons(chosen) : [];
    /** @type {any[]} */
    const buttons = [...(sheet.buttons ?? []), ["Copy text", () => this.copy()], ...(chosen ? [["Copy link", async () => FG.copy(await FG.linkTo(chosen), "a link to this")]] : [])];
    for (const [text, act] of [...buttons, ...tracing]) { const button = FG.make("button", text); button.addEventListener("click", act); bar.append(button); }
    place.append(FG.make("h2", sheet.title), bar);
    if (FG.traceNote() && tracing.length) place.append(FG.make("p", FG.traceNote(), "note"));
    for (const part of sheet.parts) place.append(await this.part(part));
  },

  /** @param {any} part */
  async part(part) {
    const made = FG.make("section");
    if (part.render) { made.append(FG.make("h3", part.heading), part.render()); return made; }
    if (part.text) {
      const fold = FG.make("details"), body = FG.make("pre");
      fold.append(FG.make("summary", part.heading), body);
      fold.addEventListener("toggle", async () => { body.textContent = fold.open ? await part.text() : ""; });
      made.append(fold);
      return made;
    }
    const count = part.pairs ? "" : ` · ${FG.rowCount(part).toLocaleString("en")}`;
    made.append(FG.make("h3", part.heading + count));
    const table = FG.make("table");
    made.append(table);
    if (part.pairs) {
      for (const [name, text, go] of part.pairs) { const row = FG.make("tr"), head = FG.make("th", name); head.scope = "row"; row.append(head, this.cell(go ? [text, go] : text)); table.append(row); }
      return made;
    }
    const head = FG.make("tr");
    for (const name of part.columns) { const cell = FG.make("th", name); cell.scope = "col"; head.append(cell); }
    table.append(head);
    await this.more(made, table, part, 0);
    return made;
  },

  /** Show some more rows of a list. @param {any} made @param {any} table @param {any} part @param {number} from */
  async more(made, table, part, from) {
    const end = Math.min(FG.rowCount(part), from + FG.SHOWN * (from ? 5 : 1));
    for (let i = from; i < end; i += 1) {
      const row = FG.make("tr");
      (await FG.rowAt(part, i)).forEach((/** @type {any} */ cell, /** @type {number} */ n) => { row.append(this.cell(cell)); row.lastChild.dataset.of = part.columns[n]; });
      part.mark?.(row, i);
      table.append(row);
    }
    if (end >= FG.rowCount(part)) return;
    const button = FG.make("button", `Show more: ${(FG.rowCount(part) - end).toLocaleString("en")} are not shown`);
    button.addEventListener("click", () => { button.remove(); this.more(made, table, part, end); });
    made.append(button);
  },

  /** @param {any} cell */
  cell(cell) {
    const made = FG.make("td"), [text, go, short] = Array.isArray(cell) ? cell : [cell, null];
    if (!go || go.id < 0) { made.textContent = text; return made; }
    const button = FG.make("button", short ?? text, "go");
    if (short) { button.title = text; button.setAttribute("aria-label", text); }
    button.addEventListener("click", () => FG.choose(go));
    made.append(button);
    return made;
  },

  /** The sheet as text: a line a row, tabs between cells. */
  async text() {
    const sheet = this.sheet, lines = [sheet?.title ?? ""], plain = (/** @type {any} */ cell) => (Array.isArray(cell) ? cell[0] : cell);
    for (const part of sheet?.parts ?? []) {
      if (part.text) continue;
      lines.push("", part.heading);
      for (const pair of part.pairs ?? []) lines.push(`${pair[0]}\t${pair[1]}`);
      if (!part.columns) continue;
      lines.push(part.columns.join("\t"));
      for (let i = 0; i < FG.rowCount(part); i += 1) lines.push((await FG.rowAt(part, i)).map(plain).join("\t"));
    }
    return `${lines.join("\n")}\n`;
  },

  async copy() { if (this.sheet) await FG.copy(await this.text(), "what is shown as text"); },
};

/** The keyboard goes on at the picture. */
FG.focusPicture = () => FG.el("picture").focus({ preventScroll: true });

/** @param {any} part @returns {number} */
FG.rowCount = (part) => (typeof part.rows === "number" ? part.rows : part.rows.length);
/** @param {any} part @param {number} i */
FG.rowAt = (part, i) => (typeof part.rows === "number" ? part.at(i) : part.rows[i]);

/** Choose a thing, and bring it into sight. @param {any} chosen */
FG.choose = (chosen) => {
  FG.sought = true;
  if (FG.state.chosen?.kind === chosen.kind && FG.state.chosen.id === chosen.id) FG.inspector.show(chosen);
  FG.set({ chosen });
  FG.goTo?.(chosen);
};

FG.on("change", (news) => { if ("chosen" in news) FG.inspector.show(FG.state.chosen); });
document.addEventListener("keydown", (event) => {
  const typing = event.target instanceof HTMLElement && event.target.closest("input, select, textarea");
  if (event.key === "c" && !typing && !event.ctrlKey && !event.metaKey && !event.altKey && !String(getSelection())) FG.inspector.copy();
});
