// @ts-check
"use strict";
/**
 * What the hall is like, as `fabricgen verify` found it: cables by their states, and what is to be done. The chosen
 * action is drawn: where its cables belong (dashed), and where they are (solid). Only pages with a report have this.
 * @typedef {[number, string, string, string, string, string]} Place row of the device (-1: none), its name, port, rack, unit, label
 * @typedef {{id: string, kind: string, status: string, text: string, moves: number, boxes: number, costs: string, cables: number[],
 *   ends: Place[], steps: [number, Place, Place, boolean | null][], alternatives: [string, number, number][], renamed: [number, number][]}} Action
 */
/** @type {any} */
FG.verified = {
  /** States by number, from the best to the worst. */
  words: ["as planned", "harmless", "unseen", "to be checked", "dark", "elsewhere"],
  fills: ["#14A556", "#64D7F5", "#AEB6BF", "#E9F538", "#3A3F45", "#BE4614"],
  marks: ["✓", "≈", "·", "?", "○", "≠"],
  block: FG.block("verification"),
  SHOWN: 60,
  NAMED: 16,
  /** @type {Action[]} */ actions: [],
  /** @type {any} */ counts: null,
  /** @type {any} */ now: null,
};

/** @param {number} n @param {string} noun @param {string} [several] */
FG.verified.count = (n, noun, several) => `${n.toLocaleString("en")} ${n === 1 ? noun : several ?? `${noun}s`}`;

/** What an action takes. @param {{moves: number, boxes: number}} action */
FG.verified.takes = ({ moves, boxes }) => [boxes && `exchange ${FG.verified.count(boxes, "box", "boxes")}`, moves && `move ${FG.verified.count(moves, "plug")}`].filter(Boolean).join(", ") || "look";

/** The number of the state that an action's cables are in. @param {Action} action */
FG.verified.stateOf = ({ kind }) => (kind === "dark" ? 4 : kind === "optic" || kind === "port" ? 3 : 5);

/** Read all of it, once. */
FG.verified.load = FG.once(async () => {
  const { verified } = FG, said = verified.block;
  const table = async (/** @type {any} */ packed) => {
    const columns = await Promise.all(["harmless", "unseen", "check", "dark", "elsewhere"].map((name) => new FG.Table(packed).numbers(name)));
    return [null, ...columns];
  };
  await FG.fabricWay.load();
  verified.actions = await FG.texts(said.actions);
  verified.counts = { boxes: await table(said.boxes), bundles: await table(said.bundles) };
  verified.cable = await FG.numbers(said.cable);
  verified.device = await FG.numbers(said.device);
  verified.right = new Set(await FG.numbers(said.right_links));
  return verified;
});

/** How many of a row are in the states that are worth telling, the worst first; "" for none. @param {any[]} counts @param {number} row @param {string} [of] */
FG.verified.told = (counts, row, of = "") => {
  const found = [5, 4, 3].filter((state) => counts[state][row]), states = found.length ? found : [2].filter(() => counts[2][row]);
  return states.map((state, i) => `${counts[state][row].toLocaleString("en")}${i ? "" : of} ${FG.verified.words[state]}`).join(", ");
};
/** The worst state of a row. @param {any[]} counts @param {number} row @param {number} least */
FG.verified.worst = (counts, row, least) => [5, 4, 3, 2, 1].find((state) => state >= least && counts[state][row]) ?? 0;

/** The overlay. @returns {Promise<any>} */
FG.verified.overlay = async () => {
  const { block, words, fills, marks, counts, cable, device, right } = await FG.verified.load(), ofLink = await FG.table("links").numbers("cable");
  const said = block.counts, number = [said.as_planned, said.harmless, said.unseen, 0, said.dark, said.elsewhere];
  number[3] = cable.reduce((/** @type {number} */ sum, /** @type {number} */ state) => sum + Number(state === 3), 0);
  const more = ["", "", block.told ? (block.earlier ? `, ${block.earlier.toLocaleString("en")} of them verified earlier` : "") : " (or as planned: the report does not say which)"];
  return {
    worst: true,
    rest: "no cable",
    entries: words.map((/** @type {string} */ word, /** @type {number} */ i) => ({ fill: fills[i], mark: marks[i], text: `${word}: ${number[i].toLocaleString("en")}${more[i] ?? ""}` })),
    device: (/** @type {number} */ row) => device[row],
    cable: (/** @type {number} */ row) => cable[row],
    link: (/** @type {number} */ row) => (ofLink[row] < 0 ? -1 : right.has(row) ? 0 : cable[ofLink[row]]),
    ribbon: (/** @type {number} */ i) => FG.verified.worst(counts.bundles, i, 1),
    list: FG.verified.panel(),
  };
};

/** What stands below the legend: how far units are, what is to be done, what else the report says. */
FG.verified.panel = () => {
  const { block } = FG.verified, to = document.createElement("div");
  if (block.scope.length) to.append(FG.make("p", `Only ${block.scope.join(", ")} was verified.`, "note"));
  if (block.units.length) to.append(FG.verified.units());
  const { actions } = FG.verified, sum = (/** @type {"moves" | "boxes"} */ key) => actions.reduce((/** @type {number} */ all, /** @type {Action} */ one) => all + one[key], 0), moves = sum("moves"), boxes = sum("boxes");
  to.append(FG.make("h2", actions.length ? `What to do: ${FG.verified.count(actions.length, "action")}, ${FG.verified.takes({ moves, boxes })}` : "Nothing is to be done"));
  const list = FG.make("ol", undefined, "todo");
  if (actions.length) to.append(list);
  FG.verified.more(to, list, 0);
  if (block.left_out) to.append(FG.make("p", `${block.left_out.toLocaleString("en")} more actions are only in the report.`, "note"));
  for (const [title, texts] of [["Links that nobody planned", block.extra], ["Notes", block.notes]]) {
    if (!texts.length) continue;
    const details = FG.make("details");
    details.append(FG.make("summary", `${title}: ${texts.length.toLocaleString("en")}`), ...texts.map((/** @type {string} */ text) => FG.make("p", text)));
    to.append(details);
  }
  return to;
};

/** Some more actions. @param {any} to @param {any} list @param {number} from */
FG.verified.more = (to, list, from) => {
  const { actions, fills, marks, SHOWN } = FG.verified, end = Math.min(actions.length, from + SHOWN);
  for (let i = from; i < end; i += 1) {
    const action = actions[i], state = FG.verified.stateOf(action), item = FG.make("li"), swatch = FG.make("span", marks[state], "swatch"), words = FG.make("div");
    swatch.style.background = fills[state];
    swatch.style.color = FG.overlay.ink(fills[state]);
    const go = FG.make("button", action.text, "go");
    go.addEventListener("click", () => FG.choose({ kind: "action", id: i }));
    words.append(go, FG.make("small", [action.status, FG.verified.takes(action), action.id].filter(Boolean).join(" · ")));
    item.dataset.action = String(i);
    item.append(swatch, words);
    list.append(item);
  }
  FG.verified.mark(list);
  if (end >= actions.length) return;
  const button = FG.make("button", `Show more: ${(actions.length - end).toLocaleString("en")} are not shown`);
  button.addEventListener("click", () => { button.remove(); FG.verified.more(to, list, end); });
  list.after(button);
};

/** Mark the chosen action in the list. @param {any} list */
FG.verified.mark = (list) => {
  const chosen = FG.state.chosen;
  for (const item of list?.children ?? []) item.classList.toggle("now", chosen?.kind === "action" && item.dataset.action === String(chosen.id));
  const now = list?.querySelector(".now");
  if (now) list.scrollTop = Math.min(now.offsetTop - list.offsetTop, Math.max(list.scrollTop, now.offsetTop + now.offsetHeight - list.offsetTop - list.clientHeight));
};

/** How far each unit is; a click goes to the unit, where the picture has it. */
FG.verified.units = () => {
  const table = FG.make("table", undefined, "units"), head = FG.make("tr"), left = FG.verified.block.units.filter((/** @type {any[]} */ [, total, done]) => done < total), whole = FG.verified.block.units.length - left.length;
  for (const name of ["unit", "verified", "elsewhere", "dark", "unseen"]) { const cell = FG.make("th", name); cell.scope = "col"; head.append(cell); }
  table.append(head);
  for (const [name, total, done, ...others] of left.slice(0, FG.verified.SHOWN)) {
    const row = FG.make("tr"), box = FG.verified.box(name);
    row.append(FG.inspector.cell(box ? [name, { kind: "box", id: box }] : name));
    for (const text of [`${done.toLocaleString("en")} of ${total.toLocaleString("en")}`, ...others.map((/** @type {number} */ n) => (n ? n.toLocaleString("en") : ""))]) row.append(FG.make("td", text));
    table.append(row);
  }
  const row = FG.make("tr"), cell = FG.make("td", `${whole.toLocaleString("en")} of ${FG.verified.count(FG.verified.block.units.length, "unit")} ${whole === 1 ? "is" : "are"} verified whole`, "note");
  cell.colSpan = 5;
  row.append(cell);
  table.append(row);
  return table;
};

/** The box of a unit's name, `p1/su3`; 0 for none. @param {string} name */
FG.verified.box = (name) => {
  const plain = (/** @type {string} */ text) => text.toLowerCase().replace(/[^a-z0-9]+/g, " ").replace(/([a-z])0+(?=\d)/g, "$1").trim(), { boxes, boxNames } = FG.fabricWay;
  for (let box = 1; boxNames && box < boxes.rows; box += 1) if (plain(boxNames.at(box)) === plain(name)) return box;
  return 0;
};

/** Whether boxes change places, and no plug. @param {Action} action */
FG.verified.isExchange = (action) => action.renamed.length > 0 && !action.steps.length;

/** Devices at which something is to be done, or is wrong. @param {Action} action */
FG.verified.devices = async (action) => {
  const links = await FG.links(), found = new Set(action.ends.map(([row]) => row));
  for (const [, pull, put] of action.steps) found.add(pull[0]).add(put[0]);
  for (const pair of action.renamed) for (const row of pair) found.add(row);
  for (const { a, b } of FG.verified.planned(action, links)) found.add(a).add(b);
  return [...found].filter((row) => row >= 0);
};

/** Where an action's cables belong: the devices at both ends of their links; of breakouts to whole boxes, those of the boxes; of exchanged boxes only these are shown. @param {Action} action @param {any} links */
FG.verified.planned = (action, links) => {
  const all = FG.verified.isExchange(action) ? [] : action.cables.flatMap((cable) => [...links.byCable.of(cable)].map((link) => ({ cable, a: links.a.at(link), b: links.b.at(link) })));
  if (action.steps.length || action.ends.some(([, , port]) => port)) return all;
  const boxes = new Set(action.ends.map(([row]) => row));
  return all.filter(({ a, b }) => boxes.has(a) || boxes.has(b));
};

/** Where plugs are: from the other end of each to the device where it was found. @param {Action} action @param {any} links */
FG.verified.found = (action, links) => {
  const planned = FG.verified.planned(action, links);
  const steps = action.steps.map(([cable, pull, put]) => {
    const own = planned.find((/** @type {any} */ one) => one.cable === cable && (one.a === put[0] || one.b === put[0]));
    return own ? { a: own.a === put[0] ? own.b : own.a, b: pull[0] } : { a: -1, b: -1 };
  });
  return [...steps, ...action.renamed.map(([a, b]) => ({ a, b }))].filter(({ a, b }) => a >= 0 && b >= 0);
};

FG.marking.action = async (/** @type {number} */ id) => { await FG.verified.load(); return FG.verified.devices(FG.verified.actions[id]); };
FG.naming.action = {
  name: async (/** @type {number} */ id) => (await FG.verified.load()).actions[id].id,
  find: async (/** @type {string} */ text) => (await FG.verified.load()).actions.findIndex((/** @type {Action} */ one) => one.id === text),
};

FG.sheets.action = async (/** @type {number} */ id) => {
  const { actions } = await FG.verified.load(), action = /** @type {Action} */ (actions[id]);
  const at = (/** @type {Place} */ [row, name, port]) => [port ? `${name}:${port}` : name, row >= 0 ? { kind: "device", id: row } : null];
  const where = (/** @type {Place} */ [, , , rack, u]) => [rack, u && `U${u}`].filter(Boolean).join(" ");
  const reach = (/** @type {boolean | null} */ reaches) => (reaches === null ? "" : reaches ? "reaches" : "the planned cable is too short to be this one: another lies there");
  const parts = /** @type {any[]} */ ([{ heading: "What is wrong", render: () => FG.make("p", action.text, "told") }]);
  parts.push({ heading: "What it takes", pairs: [["to do", FG.verified.takes(action)], ["kind", action.kind], ...(action.status ? [["status", action.status]] : []), ...(action.costs ? [["until then", action.costs]] : [])] });
  if (action.steps.length) {
    const rows = action.steps.map(([, pull, put, reaches]) => [at(pull), where(pull), at(put), where(put), put[5], reach(reaches)]);
    parts.push({ heading: "Plugs to move", columns: ["pull", "at", "put", "at", "label", "reaches"], rows, render: () => FG.verified.stepList(rows) });
  } else parts.push({ heading: "Where to go", columns: ["end", "at", "label"], rows: action.ends.map((end) => [at(end), where(end), end[5]]) });
  if (action.alternatives.length) parts.push({ heading: "Or", columns: ["what else would explain it", "takes"], rows: action.alternatives.map(([text, moves, boxes]) => [text, FG.verified.takes({ moves, boxes })]) });
  parts.push({ ...await FG.cableList("Cables", action.cables) });
  const step = (/** @type {number} */ by) => () => FG.choose({ kind: "action", id: (id + by + actions.length) % actions.length });
  /** @type {[string, () => void][]} */
  const buttons = actions.length > 1 ? [["‹ Action", step(-1)], ["Action ›", step(1)]] : [];
  return { title: action.id, parts, buttons };
};

/** Plugs to move, one below the other: where each is pulled, where it belongs, its label. @param {any[][]} rows */
FG.verified.stepList = (rows) => {
  const list = FG.make("ol", undefined, "steps");
  for (const [pull, at, put, there, label, reaches] of rows) {
    const item = FG.make("li");
    for (const [word, cell, where] of [["pull ", pull, at], ["put in ", put, there]]) {
      const line = FG.make("div", word);
      line.append(...FG.inspector.cell(cell).childNodes, where ? ` · ${where}` : "");
      item.append(line);
    }
    item.append(FG.make("small", [label, reaches].filter(Boolean).join(" · ")));
    list.append(item);
  }
  return list;
};

/** What the report says of a cable or a device, in its sheet. @param {string} kind @param {(id: number) => any} own */
FG.verified.besides = (kind, own) => {
  const sheet = FG.sheets[kind];
  FG.sheets[kind] = async (/** @type {number} */ id) => {
    const made = await sheet(id), { actions } = await FG.verified.load(), state = await own(id), rows = [];
    for (let i = 0; i < actions.length; i += 1) {
      if (kind === "cable" ? actions[i].cables.includes(id) : [...actions[i].ends, ...actions[i].steps.flatMap((/** @type {any} */ one) => [one[1], one[2]])].some(([row]) => row === id)) rows.push([actions[i].text, { kind: "action", id: i }]);
    }
    const part = { heading: "What the hall says", pairs: [["state", state], ...rows.slice(0, FG.verified.NAMED).map(([text, go]) => ["to do", text, go])] };
    return made && { ...made, parts: [part, ...made.parts] };
  };
};
FG.verified.besides("cable", (/** @type {number} */ id) => FG.verified.words[FG.verified.cable[id]]);
FG.verified.besides("device", (/** @type {number} */ id) => (FG.verified.device[id] < 0 ? "no cable" : `the worst of its cables: ${FG.verified.words[FG.verified.device[id]]}`));

/** Draw the chosen action: its devices with their names, planned links dashed, seen ones solid. @param {any} way */
FG.verified.draw = (way) => {
  const { now } = FG.verified, chosen = FG.state.chosen, camera = FG.camera, theme = FG.theme();
  if (chosen?.kind !== "action" || now?.id !== chosen.id) return;
  const canvas = /** @type {HTMLCanvasElement} */ (FG.el("picture")), c = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d", { alpha: false }));
  const at = (/** @type {number} */ id) => {
    const [x, y, w, h] = way.name === "hall" ? way.elevation.face(id) : way.bounds({ kind: "device", id });
    return [(x + w / 2 - camera.x) * camera.scale + camera.width / 2, (y + h / 2 - camera.y) * camera.scale + camera.height / 2];
  };
  const red = FG.visible("#BE4614", theme), plan = theme.ink;
  const line = (/** @type {number[]} */ [x0, y0], /** @type {number[]} */ [x1, y1], /** @type {number} */ bend) => {
    const [mx, my] = [(x0 + x1) / 2 + bend * (y1 - y0), (y0 + y1) / 2 - bend * (x1 - x0)];
    c.moveTo(x0, y0);
    c.quadraticCurveTo(mx, my, x1, y1);
  };
  const lines = (/** @type {{a: number, b: number}[]} */ pairs, /** @type {number} */ bend) => { c.beginPath(); for (const { a, b } of pairs) line(at(a), at(b), bend); c.stroke(); };
  c.setTransform(FG.ratio, 0, 0, FG.ratio, 0, 0);
  c.globalAlpha = 0.55;
  c.fillStyle = theme.paper;
  c.fillRect(0, 0, camera.width, camera.height);
  c.globalAlpha = 1;
  c.lineWidth = 2;
  c.strokeStyle = plan;
  c.setLineDash([6, 5]);
  lines(now.planned, 0.06);
  c.setLineDash([]);
  c.lineWidth = 3;
  c.strokeStyle = red;
  lines(now.found, -0.06);
  FG.verified.names(c, camera, theme, now, at);
  FG.verified.key(c, camera, theme, now, [plan, red]);
  c.lineWidth = 1;
};

/** Dots and names of the devices of an action; some of many. @param {any} c @param {any} camera @param {any} theme @param {any} now @param {(id: number) => number[]} at */
FG.verified.names = (c, camera, theme, now, at) => {
  c.font = "12px system-ui, sans-serif";
  c.textBaseline = "middle";
  /** @type {number[][]} */
  const taken = [];
  for (const device of now.devices) {
    const [x, y] = at(device), text = now.texts.get(device), wide = c.measureText(text).width + 6, left = x + 8 + wide > camera.width ? x - 8 - wide : x + 8;
    c.fillStyle = theme.chosen;
    c.beginPath();
    c.arc(x, y, 4, 0, 7);
    c.fill();
    if (taken.length >= FG.verified.NAMED || taken.some(([l, t, w]) => left < l + w && l < left + wide && Math.abs(t - y) < 18)) continue;
    taken.push([left, y, wide]);
    c.globalAlpha = 0.9;
    c.fillStyle = theme.paper;
    c.fillRect(left, y - 9, wide, 18);
    c.globalAlpha = 1;
    c.fillStyle = theme.ink;
    c.fillText(text, left + 3, y);
  }
};

/** What the lines mean, in the corner. @param {any} c @param {any} camera @param {any} theme @param {any} now @param {string[]} inks */
FG.verified.key = (c, camera, theme, now, [plan, red]) => {
  const top = FG.state.way === "hall" ? 32 : 8, rows = [[now.planned.length, [6, 5], plan, now.dark ? "nobody sees it" : "where it belongs"], [now.found.length, [], red, now.exchange ? "in each other's place" : "where it is"]].filter(([count]) => count);
  c.fillStyle = theme.paper;
  c.fillRect(8, top, 190, rows.length * 20 + 8);
  c.strokeStyle = theme.line;
  c.lineWidth = 1;
  c.strokeRect(8, top, 190, rows.length * 20 + 8);
  rows.forEach(([, dash, ink, text], i) => {
    const y = top + 14 + i * 20;
    c.setLineDash(dash);
    c.strokeStyle = ink;
    c.lineWidth = dash.length ? 2 : 3;
    c.beginPath();
    c.moveTo(16, y);
    c.lineTo(52, y);
    c.stroke();
    c.setLineDash([]);
    c.fillStyle = theme.ink;
    c.fillText(text, 60, y);
  });
};
FG.on("painted", FG.verified.draw);

/** Have what is drawn of the chosen action ready. */
FG.verified.follow = async () => {
  const chosen = FG.state.chosen;
  FG.verified.mark(document.querySelector("#legend .todo"));
  if (chosen?.kind !== "action") return;
  const { actions } = await FG.verified.load(), action = actions[chosen.id], links = await FG.links(), { name } = await FG.devices();
  const devices = await FG.verified.devices(action), texts = new Map(devices.map((/** @type {number} */ row) => [row, name.at(row)]));
  for (const [row, , port] of [...action.ends, ...action.steps.map((/** @type {any} */ one) => one[1])]) if (row >= 0 && port && !texts.get(row).includes(":")) texts.set(row, `${name.at(row)}:${port}`);
  if (FG.state.chosen !== chosen) return;
  FG.verified.now = { id: chosen.id, planned: FG.verified.planned(action, links), found: FG.verified.found(action, links), devices, texts, exchange: FG.verified.isExchange(action), dark: action.kind === "dark" };
  FG.repaint();
};
FG.on("change", (news) => { if ("chosen" in news) FG.verified.follow(); });
{
  const { legend } = FG.overlay;
  FG.overlay.legend = () => { legend(); FG.verified.mark(document.querySelector("#legend .todo")); };
}

/** Counts on ribbons, and on boxes with an outline, while this is what colours. */
FG.verified.labels = async () => {
  const { fabricWay } = FG, { counts } = await FG.verified.load();
  FG.verified.usual ??= fabricWay.bundleText;
  const on = FG.state.overlay === "verify";
  fabricWay.bundleText = on ? FG.verified.usual.map((/** @type {string} */ text, /** @type {number} */ i) => FG.verified.told(counts.bundles, i, ` of ${fabricWay.bundles.links[i].toLocaleString("en")}`) || text) : FG.verified.usual;
  FG.repaint();
};
FG.on("change", (news) => { if ("overlay" in news) FG.verified.labels(); });

{
  const { boxText, paintBoxes } = FG.FabricWay.prototype, shown = () => FG.state.overlay === "verify" && FG.verified.counts;
  FG.FabricWay.prototype.boxText = function texts(/** @type {number} */ box) {
    const own = boxText.call(this, box), said = shown() ? FG.verified.told(FG.verified.counts.boxes, box) : "";
    const marks = said && [5, 4, 3].filter((state) => FG.verified.counts.boxes[state][box]).map((state) => `${FG.verified.counts.boxes[state][box].toLocaleString("en")} ${FG.verified.marks[state]}`).join(" ");
    return said ? [`${own[0]} · ${said}`, `${own[2]} · ${said}`, ...(marks ? [`${own[2]} · ${marks}`] : []), ...own.slice(2)] : own;
  };
  FG.FabricWay.prototype.paintBoxes = function paint(/** @type {any} */ view) {
    paintBoxes.call(this, view);
    if (!shown()) return;
    const { boxes } = this, { c, scale, X, Y } = view;
    for (let i = 1; i < boxes.rows; i += 1) {
      const state = FG.verified.worst(FG.verified.counts.boxes, i, 3), w = boxes.w[i] * scale;
      if (!state || w < 3 || !view.seen(boxes.x[i], boxes.y[i], boxes.w[i], boxes.h[i])) continue;
      c.strokeStyle = FG.visible(FG.verified.fills[state], view.theme);
      c.lineWidth = w > 40 ? 3 : 2;
      c.strokeRect(X(boxes.x[i]), Y(boxes.y[i]), w, boxes.h[i] * scale);
      c.lineWidth = 1;
    }
  };
  FG.overlay.known.push({ name: "verify", title: "what the hall says", load: () => FG.verified.overlay() });
  const option = FG.make("option", "what the hall says");
  option.value = "verify";
  FG.el("overlay").append(option);
}
FG.on("ready", () => { if (!FG.state.overlay) FG.set({ overlay: "verify" }); });
