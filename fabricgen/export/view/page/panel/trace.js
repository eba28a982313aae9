// @ts-check
"use strict";
/**
 * Paths from one device or port to another: all shortest ones through the links of one fabric, and what is along them.
 *
 * A trace is a text `A..B`, perhaps with `..FABRIC` and `..NUMBER` of the path that is shown; an end is `DEVICE`,
 * `DEVICE:PORT`, or `DEVICE:gpu3`, which stands for the ports that the GPU has of its own.
 * @typedef {{text: string, device: number, port: string, gpu: number}} End
 */

/** Traces that were asked for; the id of a trace is its place here. @type {string[]} */
FG.traces = [];
/** The number of a trace. @param {string} text */
FG.traceId = (text) => { if (!FG.traces.includes(text)) FG.traces.push(text); return FG.traces.indexOf(text); };

/** @param {string} text @returns {Promise<End | null>} */
FG.traceEnd = async (text) => {
  const [name, port] = FG.cut(text), device = await FG.deviceRow(name);
  if (device < 0) return null;
  const gpu = /^gpu(\d+)$/i.exec(port), links = await FG.links();
  if (gpu && FG.hasGpu((await FG.devices()).class.at(device), Number(gpu[1]))) return { text, device, port: "", gpu: Number(gpu[1]) };
  const known = !port || [...links.on.of(device)].some((link) => (links.a.at(link) === device ? links.a_port : links.b_port).at(link) === port);
  return known ? { text, device, port, gpu: -1 } : null;
};

/** (fabric, port) of the ports of a GPU of a class of nodes. @param {number} cls @param {string[] | null} fabrics @param {number} gpu @returns {[string, string][]} */
FG.gpuPorts = (cls, fabrics, gpu) => FG.block("origins").gpus
  .filter((/** @type {any} */ one) => one.model === FG.block("head").classes[cls].model && (!fabrics || fabrics.includes(one.fabric)))
  .flatMap((/** @type {any} */ one) => Object.entries(one.ports).filter(([, own]) => own === gpu).map(([port]) => [one.fabric, port]));

/** Whether a class of devices has an accelerator of a number, with ports of its own or without. @param {number} cls @param {number} gpu */
FG.hasGpu = (cls, gpu) => gpu < FG.block("head").classes[cls].accelerators || FG.gpuPorts(cls, null, gpu).length > 0;

/** Fabrics that are one graph, by their names: those that share switches, and each scale-up network. @returns {string[][]} */
FG.graphs = () => {
  const cables = new Set(FG.block("head").segments.map((/** @type {any} */ segment) => segment.fabric));
  const scaleUp = FG.block("head").fabrics.filter((/** @type {any} */ one) => one.protocol === "scale-up").map((/** @type {any} */ one) => [one.name]);
  return [...FG.block("origins").graphs, ...scaleUp].filter((graph) => graph.some((/** @type {string} */ name) => cables.has(name)));
};

/** What a path is called that goes through nodes, from a fabric to another or between rails: one that a job can take, and no switch. */
FG.THROUGH = "through nodes";

/**
 * All shortest paths between two ends through the links of some fabrics: nodes pass nothing on, but where a scale-up
 * network has no switches, or where that is asked. Null where there is none.
 * @param {End} from @param {End} to @param {string[]} fabrics @param {boolean} [through]
 */
FG.paths = async (from, to, fabrics, through = false) => {
  const [links, devices] = [await FG.links(), await FG.devices()], head = FG.block("head");
  const a = links.a.numbers, b = links.b.numbers, segment = links.segment.numbers, cls = devices.class.numbers;
  const inside = head.segments.map((/** @type {any} */ one) => fabrics.includes(one.fabric));
  const switched = !through && head.classes.some((/** @type {any} */ cls) => fabrics.includes(cls.fabric));
  const passes = head.classes.map((/** @type {any} */ cls) => !switched || cls.kind === "switch" || cls.kind === "tray");
  const other = (/** @type {number} */ link, /** @type {number} */ device) => (a[link] === device ? b[link] : a[link]);
  const usable = (/** @type {End} */ end) => {
    const ports = FG.gpuPorts(devices.class.at(end.device), fabrics, end.gpu).map(([, port]) => port);
    const scaleUp = fabrics.every((name) => head.fabrics.find((/** @type {any} */ one) => one.name === name)?.protocol === "scale-up");
    return (/** @type {number} */ link) => {
      if (!inside[segment[link]]) return false;
      const port = (a[link] === end.device ? links.a_port : links.b_port).at(link);
      return end.port ? port === end.port : end.gpu < 0 || (scaleUp ? !port.startsWith("gpu") || port.startsWith(`gpu${end.gpu}/`) : ports.includes(port));
    };
  };
  const leaves = usable(from), arrives = usable(to), last = devices.rows, far = new Int32Array(last + 1).fill(-1);
  far[from.device] = 0;
  let frontier = [from.device], hops = 0;
  while (frontier.length && far[last] < 0) {
    hops += 1;
    const further = [];
    for (const device of frontier) {
      for (const link of links.on.of(device)) {
        if (!inside[segment[link]] || (device === from.device && !leaves(link))) continue;
        const beyond = other(link, device);
        if (beyond === to.device) { if (arrives(link)) far[last] = hops; }
        else if (far[beyond] < 0 && passes[cls[beyond]]) { far[beyond] = hops; further.push(beyond); }
      }
    }
    frontier = further;
  }
  return far[last] < 0 ? null : FG.pathsBack({ links, far, hops, from, to, last, inside, leaves, arrives, other });
};

/** Links of shortest paths by the device at their far end, how many paths reach each device, and each path by number. @param {any} found */
FG.pathsBack = ({ links, far, hops, from, to, last, inside, leaves, arrives, other }) => {
  /** @type {Map<number, [number, number][]>} */
  const into = new Map();
  let level = [last];
  for (let left = hops - 1; left >= 0; left -= 1) {
    const before = new Set();
    for (const place of level) {
      const device = place === last ? to.device : place, found = /** @type {[number, number][]} */ ([]);
      for (const link of links.on.of(device)) {
        const near = other(link, device);
        if (!inside[links.segment.at(link)] || far[near] !== left || (place === last && !arrives(link)) || (near === from.device && !leaves(link))) continue;
        found.push([link, near]);
        before.add(near);
      }
      into.set(place, found);
    }
    level = [...before];
  }
  const ways = new Map([[from.device, 1]]), places = [...into.keys()].reverse();
  for (const place of places) ways.set(place, /** @type {any[]} */ (into.get(place)).reduce((sum, [, near]) => sum + (ways.get(near) ?? 0), 0));
  const path = (/** @type {number} */ number) => {
    const steps = [];
    for (let place = last, left = number, count = hops; count > 0; count -= 1) {
      for (const [link, near] of /** @type {any[]} */ (into.get(place))) {
        const through = ways.get(near) ?? 0;
        if (left >= through) { left -= through; continue; }
        steps.unshift({ link, from: near, to: place === last ? to.device : place });
        place = near;
        break;
      }
    }
    return steps;
  };
  return { hops, count: ways.get(last) ?? 0, links: [...new Set([...into.values()].flatMap((all) => all.map(([link]) => link)))], path };
};

/** GPUs are numbered by their node and their place in it. @param {number} device @param {number} gpu */
FG.gpuId = (device, gpu) => device * 256 + gpu;
/** @param {number} id @returns {[number, number]} */
FG.gpuOf = (id) => [Math.floor(id / 256), id % 256];
FG.naming.gpu = {
  name: async (/** @type {number} */ id) => { const [device, gpu] = FG.gpuOf(id); return `${(await FG.devices()).name.at(device)}:gpu${gpu}`; },
  find: async (/** @type {string} */ text) => { const end = await FG.traceEnd(text); return end && end.gpu >= 0 ? FG.gpuId(end.device, end.gpu) : -1; },
};

/** What there is where two ends have no path: [what, words, the text of a trace] of each. @param {End} a @param {End} b @returns {Promise<[string, string, string][]>} */
FG.offers = async (a, b) => {
  const [from, to] = [FG.cut(a.text)[0], FG.cut(b.text)[0]], rail = a.gpu >= 0 && b.gpu >= 0 && a.gpu !== b.gpu ? `${to}:gpu${a.gpu}` : "";
  /** @type {[string, string, string, string][]} */
  const others = [
    ...(rail && from !== to ? [/** @type {[string, string, string, string]} */ (["by rail", `to ${rail} of the same node, and on inside the node`, a.text, rail])] : []),
    ["by another port", `from any port of ${from}`, from, b.text], ["by another port", `to any port of ${to}`, a.text, to], ["by other ports", `from any port of ${from} to any of ${to}`, from, to],
  ];
  const all = FG.graphs().flat(), first = await FG.paths(a, b, all, true);
  for (const [what, words, near, far] of others) {
    if (from === to || (near === a.text && far === b.text)) continue;
    const ends = [await FG.traceEnd(near), await FG.traceEnd(far)], [start, end] = ends;
    for (const graph of start && end ? FG.graphs() : []) if (start && end && await FG.paths(start, end, graph)) return [[what, words, `${near}..${far}`]];
  }
  if (!first) return [];
  const { name } = await FG.devices(), classes = FG.block("head").classes, cls = (await FG.devices()).class;
  const nodes = first.path(0).slice(1).map((step) => step.from).filter((row) => !["switch", "tray"].includes(classes[cls.at(row)].kind)).map((row) => name.at(row));
  return [[FG.THROUGH, `${first.hops} links, through ${nodes.join(" and ")}`, `${a.text}..${b.text}..${FG.THROUGH}..1`]];
};

/** The trace of a text, or why there is none. @param {string} text */
FG.traced = async (text) => {
  const [from, to, fabric = "", number = "1"] = text.split("..");
  const ends = [await FG.traceEnd(from), await FG.traceEnd(to ?? "")];
  const [a, b] = ends;
  if (!a || !b) return { why: `There is no ${a ? to : from}.`, from, to };
  const graphs = FG.graphs(), found = [], through = fabric === FG.THROUGH;
  for (const graph of through ? [graphs.flat()] : graphs) {
    const paths = await FG.paths(a, b, graph, through);
    if (paths) found.push({ name: through ? FG.THROUGH : graph[0], graph: through ? [FG.THROUGH] : graph, paths });
  }
  const head = FG.block("head"), model = head.classes[(await FG.devices()).class.at(a.device)].model, domain = FG.block("origins").domains[model];
  const wired = found.some((one) => head.fabrics.find((/** @type {any} */ each) => each.name === one.name)?.protocol === "scale-up");
  const inside = a.device === b.device && domain && !wired ? `Both are in one node: ${domain} joins its accelerators inside, without a cable.` : "";
  if (!found.length) return { why: inside || "No path: no fabric joins these two by links.", from, to, offers: await FG.offers(a, b) };
  const shown = found.find((one) => one.name === fabric) ?? found[0];
  return { from, to, inside, found, shown, number: Math.min(Math.max(1, Number.parseInt(number, 10) || 1), shown.paths.count) };
};

FG.naming.trace = {
  name: async (/** @type {number} */ id) => FG.traces[id],
  find: async (/** @type {string} */ text) => (text.includes("..") ? FG.traceId(text) : -1),
};

/** What is drawn over the fabric: a path, and the ends of the links of all equal ones. @type {{path: any[], pairs: number[][]} | null} */
FG.drawn = null;
/** Whether what is chosen is to be brought into sight: not where the address says which part of the picture to show. */
FG.sought = !/[#&]x=/.test(location.hash);
window.addEventListener("hashchange", () => { FG.sought = !/[#&]x=/.test(location.hash); });

FG.sheets.trace = async (/** @type {number} */ id) => {
  const trace = await FG.traced(FG.traces[id]);
  const title = `${trace.from} → ${trace.to}`;
  if (!trace.shown) {
    const offers = (trace.offers ?? []).map(([what, words, text]) => [what, words, { kind: "trace", id: FG.traceId(text) }]);
    return { title, parts: [{ heading: "Path", pairs: [["", trace.why], ...offers] }] };
  }
  const { shown, found, number, inside } = trace, path = shown.paths.path(number - 1);
  const links = await FG.links();
  FG.drawn = { path, pairs: shown.paths.links.map((link) => [links.a.at(link), links.b.at(link)]) };
  const again = (/** @type {string} */ fabric, /** @type {number} */ n) => () => FG.set({ chosen: { kind: "trace", id: FG.traceId(`${trace.from}..${trace.to}..${fabric}..${n}`) } });
  const step = (/** @type {number} */ by) => again(shown.name, ((number - 1 + by + shown.paths.count) % shown.paths.count) + 1);
  const hops = await FG.hopRows(path), sum = (/** @type {number} */ column) => hops.reduce((all, hop) => all + (Number(hop[column]) || 0), 0);
  const { ns_per_m: perMetre, ns_per_m_source: source } = FG.block("origins"), passed = await FG.switchTimes(path);
  const inCables = sum(6), inSwitches = passed.reduce((all, { ns }) => all + (ns ?? 0), 0), untold = passed.filter(({ ns }) => ns === null).length;
  /** @type {any[]} */
  const others = found.filter((one) => one !== shown).map((one) => [`In ${one.name}`, again(one.name, 1)]);
  /** @type {any[]} */
  const steps = shown.paths.count > 1 ? [["‹ Path", step(-1)], ["Path ›", step(1)]] : [];
  return {
    title,
    buttons: [...steps, ...others],
    parts: [
      { heading: "Path", pairs: [
        ["fabric", shown.graph.join(" + ")], ["equal shortest paths", shown.paths.count.toLocaleString("en")], ["shown", `path ${number}`],
        ["links", String(path.length)], ["switches", String(passed.length)], ["cable, m", String(Math.round(sum(5) * 100) / 100)], ["time in cables, ns", String(Math.round(inCables))],
        ["time in switches, ns", `${Math.round(inSwitches)}${untold ? `, without ${FG.count(untold, "switch", "switches")} of which none is published` : ""}`], ["one way, us", ((inCables + inSwitches) / 1000).toFixed(3)],
        ...(inside ? [["scale-up", inside]] : []),
      ] },
      { heading: "Hop by hop", columns: FG.HOPS, rows: hops, render: () => FG.hopList(hops) },
      { heading: "How this is computed", pairs: [
        ["cables", `${perMetre} ns for a metre: ${source}`],
        ...[...new Map(passed.map((one) => [one.model, one]))].map(([model, { ns, source }]) => [model, ns === null ? "not published" : `${ns} ns, as analyze reckons: ${source}`]),
        ["paths", "the fewest links; all of these count, whichever of them routing uses"]] },
    ],
  };
};

/** Switches that a path passes: the model of each, its time in ns or null, and where that was read. @param {any[]} path @returns {Promise<{model: string, ns: number | null, source: string}[]>} */
FG.switchTimes = async (path) => {
  const cls = (await FG.devices()).class, classes = FG.block("head").classes, known = FG.block("origins").switch_ns;
  return path.slice(1).map(({ from }) => classes[cls.at(from)]).filter(({ kind }) => kind === "switch" || kind === "tray").map(({ model }) => ({ model, ns: known[model]?.[0] ?? null, source: known[model]?.[1] ?? "" }));
};

FG.HOPS = ["device", "port", "cable", "part", "medium", "m", "ns", "to device", "to port"];
/** A row a hop. @param {any[]} path @returns {Promise<any[][]>} */
FG.hopRows = async (path) => {
  const [links, devices, cables] = [await FG.links(), await FG.devices(), await FG.cables()], perMetre = FG.block("origins").ns_per_m;
  return path.map(({ link, from, to }) => {
    const up = links.a.at(link) === from, cable = links.cable.at(link), metres = cable < 0 ? 0 : Number(cables.length_m.at(cable));
    const [near, far] = up ? ["a", "b"] : ["b", "a"];
    return [
      [devices.name.at(from), { kind: "device", id: from }], [links[`${near}_port`].at(link), { kind: "link", id: link }],
      ...(cable < 0 ? ["", "", "backplane", "", ""] : [[cables.cable.at(cable), { kind: "cable", id: cable }], cables.part.at(cable), cables.medium.at(cable), String(metres), String(Math.round(metres * perMetre * 10) / 10)]),
      [devices.name.at(to), { kind: "device", id: to }], [links[`${far}_port`].at(link), { kind: "link", id: link }],
    ];
  });
};

/** Hops one below the other: a device, what leaves it, the next device. @param {any[][]} hops */
FG.hopList = (hops) => {
  const list = FG.make("ol", undefined, "hops"), put = (/** @type {any} */ place, /** @type {any} */ cell) => place.append(...FG.inspector.cell(cell).childNodes);
  for (const [from, port, cable, part, medium, metres, time, , far] of hops) {
    const hop = FG.make("li"), ports = FG.make("div"), by = FG.make("div");
    put(hop, from);
    put(ports, port);
    ports.append(" → ");
    put(ports, far);
    if (cable) put(by, cable);
    by.append(cable ? ` · ${part} · ${medium} · ${metres} m · ${time} ns` : medium);
    hop.append(ports, by);
    list.append(hop);
  }
  const end = FG.make("li");
  put(end, hops[hops.length - 1][7]);
  list.append(end);
  return list;
};

/** Where a trace begins that is still without an end. */
FG.traceFrom = "";
/** What is chosen there. @type {any} */
FG.traceStart = null;
/** What is to be done for a trace that has begun; "" for none. */
FG.traceNote = () => (FG.traceFrom ? `A trace begins at ${FG.traceFrom}: choose its other end, a device, a GPU or a port, in the picture or by search, then “Trace here”.` : "");
/** Buttons to trace from and to what is chosen. @param {any} chosen @returns {[string, () => void][]} */
FG.traceButtons = (chosen) => {
  if (!["device", "gpu", "link"].includes(chosen.kind)) return [];
  const own = async () => FG.naming[chosen.kind].name(chosen.id);
  const here = Boolean(FG.traceFrom) && FG.traceStart?.kind === chosen.kind && FG.traceStart.id === chosen.id, again = () => FG.inspector.show({ ...chosen });
  if (here) return [["Do not trace", () => { FG.traceFrom = ""; again(); }]];
  /** @type {[string, () => void][]} */
  const buttons = [["Trace from here", async () => { FG.traceFrom = await own(); FG.traceStart = chosen; again(); }]];
  if (FG.traceFrom) buttons.push([`Trace here from ${FG.traceFrom}`, async () => { const from = FG.traceFrom, to = await own(); FG.traceFrom = ""; FG.choose({ kind: "trace", id: FG.traceId(`${from}..${to}`) }); }]);
  return buttons;
};

/** The path that is drawn of what is chosen: a trace, a link, or the links of a cable. @param {any} chosen */
FG.pathOf = async (chosen) => {
  if (chosen?.kind === "trace") return FG.drawn;
  const links = chosen && await FG.links(), kind = chosen?.kind;
  const rows = kind === "link" ? [chosen.id] : kind === "cable" ? [...links.byCable.of(chosen.id)] : kind === "gpu" ? await FG.gpuLinks(chosen.id) : [];
  return rows.length ? { path: rows.map((link) => ({ link, from: links.a.at(link), to: links.b.at(link) })), pairs: [] } : null;
};

/** Draw the path over the fabric: all equal ones faint, the one that is shown bold, with the names of its devices. @param {any} way */
FG.drawPath = (way) => {
  const drawn = FG.drawn, camera = FG.camera;
  if (!drawn || way.name !== "fabric") return;
  const canvas = /** @type {HTMLCanvasElement} */ (FG.el("picture")), c = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d", { alpha: false })), theme = FG.theme();
  const at = (/** @type {number} */ id) => {
    const [x, y, w, h] = way.bounds({ kind: "device", id });
    return [(x + w / 2 - camera.x) * camera.scale + camera.width / 2, (y + h / 2 - camera.y) * camera.scale + camera.height / 2];
  };
  const lines = (/** @type {number[][]} */ pairs, /** @type {number} */ alpha, /** @type {number} */ width) => {
    c.globalAlpha = alpha;
    c.lineWidth = width;
    c.beginPath();
    for (const [a, b] of pairs) { const [from, to] = [at(a), at(b)]; c.moveTo(from[0], from[1]); c.lineTo(to[0], to[1]); }
    c.stroke();
  };
  c.setTransform(FG.ratio, 0, 0, FG.ratio, 0, 0);
  c.globalAlpha = 0.5;
  c.fillStyle = theme.paper;
  c.fillRect(0, 0, camera.width, camera.height);
  c.strokeStyle = c.fillStyle = theme.chosen;
  lines(drawn.pairs.slice(0, 2000), 0.3, 1);
  lines(drawn.path.map(({ from, to }) => [from, to]), 1, 3);
  c.font = "12px system-ui, sans-serif";
  c.textBaseline = "middle";
  /** @type {number[][]} */
  const taken = [];
  for (const device of new Set(drawn.path.flatMap(({ from, to }) => [from, to]))) {
    const [x, on] = at(device), name = FG.drawnNames.at(device);
    c.fillStyle = theme.chosen;
    c.beginPath();
    c.arc(x, on, 4, 0, 7);
    c.fill();
    c.fillStyle = theme.paper;
    c.globalAlpha = 0.85;
    const width = c.measureText(name).width + 6, left = x + 7 + width > camera.width ? Math.max(0, x - 7 - width) : x + 7;
    const y = [0, 20, -20, 40, -40].map((by) => on + by).find((line) => taken.every(([l, t, w]) => left >= l + w || l >= left + width || Math.abs(t - line) >= 18)) ?? on;
    taken.push([left, y, width]);
    c.fillRect(left, y - 9, width, 18);
    c.globalAlpha = 1;
    c.fillStyle = theme.ink;
    c.fillText(name, left + 3, y);
  }
};
FG.on("painted", FG.drawPath);
/** Names of devices, once a path is drawn. @type {any} */
FG.drawnNames = null;
FG.on("inspected", async (chosen) => {
  const before = FG.drawn;
  FG.drawnNames = (await FG.devices()).name;
  const drawn = await FG.pathOf(chosen), marks = await FG.marksOf(chosen), marked = FG.marks || marks;
  if (FG.inspector.chosen !== chosen) return;
  FG.drawn = drawn;
  FG.marks = marks;
  if (!FG.way) await new Promise((go) => FG.on("ready", go));
  const ends = new Set([...Array.from(marks?.rows ?? []), ...(drawn?.path ?? []).flatMap(({ from, to }) => [from, to])]);
  if (FG.way?.name === "fabric") for (const end of drawn?.pairs.flat() ?? []) ends.add(end); // the hall draws one path
  if (ends.size && FG.sought) {
    const box = [Infinity, Infinity, -Infinity, -Infinity], whole = marks && marks.rows.length > 1 && FG.way?.bounds(chosen);
    for (const id of whole ? [-1] : ends) {
      const place = whole || FG.way?.bounds({ kind: "device", id });
      if (place) [0, 1].forEach((i) => { box[i] = Math.min(box[i], place[i]); box[i + 2] = Math.max(box[i + 2], place[i] + place[i + 2]); });
    }
    FG.camera.show(box[0], box[1], box[2] - box[0], box[3] - box[1]);
  }
  FG.sought = false;
  if (before || drawn || marked) FG.repaint?.();
});
