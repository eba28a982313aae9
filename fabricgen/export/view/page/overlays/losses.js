// @ts-check
"use strict";
/**
 * What if this fails: what is lost is named in FG.state.lost as a device, or `plane:FABRIC:1`, `rack:NAME`, `row:NAME`,
 * `feed:NAME`. What is left of fabrics is what the design has computed; who is cut off is counted on links.
 * @typedef {{down: Uint8Array, cut: Map<string, number[]>, rails: Map<string, Map<string, number[]>>, stranded: Map<string, number>, words: {lost: string, lines: string[], unsaid: string[], missing: boolean}[]}} Loss
 */
FG.losses = {};

/** @type {Loss | null} What is lost now. */
FG.losses.now = null;

/** @type {any} Columns, once they are needed. */
FG.losses.data = null;

/** Columns of devices and links. @returns {Promise<any>} */
FG.losses.load = async () => {
  if (FG.losses.data) return FG.losses.data;
  const said = FG.block("losses"), head = FG.block("head"), devices = FG.table("devices"), links = FG.table("links");
  const [names, rack, plane, cls, a, b, segment, rail, racks, rackClass, rows, feeds] = await Promise.all([
    devices.column("name"), devices.column("rack"), devices.column("plane"), devices.numbers("class"),
    links.numbers("a"), links.numbers("b"), links.numbers("segment"), links.column("rail"),
    FG.column(said.racks), FG.column(said.rack), FG.column(said.row_of), FG.column(said.feed_of),
  ]);
  const number = new Map();
  for (let i = 0; i < (racks.codes?.length ?? 0); i += 1) number.set(racks.at(i), i);
  const onRail = Int32Array.from(a, (_, i) => Math.max(0, Number(rail.at(i)) || 0));
  FG.losses.data = { said, head, names, rack, plane, cls, a, b, segment, rail: onRail, number, rackClass, rows, feeds };
  return FG.losses.data;
};

/** What a name says is lost. @param {string} item @returns {{kind: string, name: string, plane: string}} */
FG.losses.read = (item) => {
  const [kind, name, plane] = item.split(":");
  return ["plane", "rack", "row", "feed"].includes(kind) && name ? { kind, name, plane: plane ?? "" } : { kind: "device", name: item, plane: "" };
};

/** In words. @param {string} item */
FG.losses.title = (item) => {
  const { kind, name, plane } = FG.losses.read(item);
  return kind === "plane" ? `plane ${plane} of ${name}` : kind === "rack" ? `rack ${name}` : name;
};

/** What the design says is left of fabrics after one loss: the fabric, and a line. @param {any} data @param {string} item @param {number} row of a device @returns {[string, string][]} */
FG.losses.left = (data, item, row) => {
  const { said } = data, { kind, name } = FG.losses.read(item);
  const line = (/** @type {string[]} */ left, /** @type {string} */ after) => /** @type {[string, string]} */ ([left[0], `${left[0]} keeps ${left[1]} of its bisection after the loss of ${after}${left[2]}`]);
  if (kind === "plane") return said.plane[name] ? [line(said.plane[name], "one plane")] : [];
  if (kind === "device") return row < 0 ? [] : said.switch[data.cls[row]].map((/** @type {any} */ [left, after]) => line(left, after));
  const number = kind === "rack" ? data.rackClass.at(data.number.get(name)) : said[kind][name];
  return number === undefined || number < 0 ? [] : said.classes[number].map((/** @type {any} */ left) => line(left, name));
};

/**
 * What one loss takes that the design has no figure for, counted on devices and links: a fabric without a figure is not
 * a fabric without a loss. @param {any} data @param {[string, string][]} left @param {Uint8Array} own the devices it takes @returns {string[]}
 */
FG.losses.unsaid = (data, left, own) => {
  const { said, head, cls, a, b, segment } = data, figured = new Set(left.map(([fabric]) => fabric));
  const domains = new Set(head.scale_up.map((/** @type {any} */ one) => one.name)), switches = new Map(), trays = new Map(), links = new Map();
  const more = (/** @type {Map<string, number>} */ counts, /** @type {string} */ name) => counts.set(name, (counts.get(name) ?? 0) + 1);
  const count = (/** @type {number} */ n, /** @type {string} */ noun) => `${n.toLocaleString("en")} ${noun}${n === 1 ? "" : "s"}`;
  own.forEach((taken, i) => {
    const { kind, fabric } = head.classes[cls[i]];
    if (taken && kind === "tray") more(trays, fabric);
    if (taken && kind === "switch" && !figured.has(fabric)) more(switches, fabric);
  });
  for (let i = 0; i < a.length; i += 1) if ((own[a[i]] || own[b[i]]) && domains.has(head.segments[segment[i]].fabric)) more(links, head.segments[segment[i]].fabric);
  const of = [...switches].map(([fabric, n]) => `${n.toLocaleString("en")} of ${fabric}${said.management.includes(fabric) ? " (for management)" : ""}`).join(", ");
  const found = [];
  if (!left.length) found.push(`the design has no figure for this loss; ${of ? `switches lost: ${of}` : "no switch is lost"}`);
  else if (of) found.push(`the design has no figure for these switches, which are lost too: ${of}`);
  for (const name of new Set([...trays.keys(), ...links.keys()])) {
    const lost = [...(trays.has(name) ? [count(trays.get(name), "tray")] : []), ...(links.has(name) ? [count(links.get(name), "link")] : [])];
    found.push(`scale-up is not judged; lost of ${name}: ${lost.join(", ")}`);
  }
  return found;
};

/** Which devices one loss takes. @param {any} data @param {string} item @param {Uint8Array} down @returns {Promise<number>} the row, where it is a device; -2 where there is none of that name */
FG.losses.take = async (data, item, down) => {
  const { kind, name, plane } = FG.losses.read(item);
  if (kind === "device") {
    const row = await FG.naming.device.find(name);
    if (row < 0) return -2;
    down[row] = 1;
    return row;
  }
  for (let i = 0; i < down.length; i += 1) {
    const at = data.number.get(data.rack.at(i));
    if (kind === "rack" ? data.rack.at(i) === name
      : kind === "row" ? at !== undefined && data.rows.at(at) === name
      : kind === "feed" ? at !== undefined && `feed ${data.feeds.at(at)}` === name
      : data.head.classes[data.cls[i]].fabric === name && String(data.plane.at(i)) === plane) down[i] = 1;
  }
  return -1;
};

/** Everything about some losses. @param {string[]} lost @returns {Promise<Loss>} */
FG.losses.of = async (lost) => {
  const data = await FG.losses.load(), { head, cls, a, b, segment, rail } = data;
  const down = new Uint8Array(cls.length), words = [];
  for (const item of lost) {
    const own = new Uint8Array(cls.length), row = await FG.losses.take(data, item, own), left = FG.losses.left(data, item, row);
    const missing = !left.length && !own.includes(1);
    own.forEach((taken, i) => { if (taken) down[i] = 1; });
    words.push({ lost: FG.losses.title(item), lines: left.map(([, line]) => line), unsaid: missing ? [] : FG.losses.unsaid(data, left, own), missing });
  }
  const fabrics = [...new Set(head.segments.map((/** @type {any} */ one) => one.fabric))];
  const fabricOf = head.segments.map((/** @type {any} */ one) => fabrics.indexOf(one.fabric));
  const isSwitch = head.classes.map((/** @type {any} */ one) => one.kind === "switch" || one.kind === "tray");
  const all = fabrics.map(() => new Int32Array(cls.length)), left = fabrics.map(() => new Int32Array(cls.length));
  const ups = new Int32Array(cls.length), upsLeft = new Int32Array(cls.length);
  const rails = 1 + rail.reduce((/** @type {number} */ most, /** @type {number} */ one) => Math.max(most, one), 0);
  const wired = new Int32Array(cls.length * fabrics.length * rails), alive = new Int32Array(wired.length);
  for (let i = 0; i < a.length; i += 1) {
    const low = isSwitch[cls[a[i]]] && !isSwitch[cls[b[i]]] ? b[i] : a[i], high = low === a[i] ? b[i] : a[i];
    const gone = down[a[i]] || down[b[i]], fabric = fabricOf[segment[i]];
    if (!isSwitch[cls[low]]) {
      const at = (low * fabrics.length + fabric) * rails + rail[i];
      all[fabric][low] += 1;
      wired[at] += 1;
      if (!gone) { left[fabric][low] += 1; alive[at] += 1; }
    } else if (isSwitch[cls[high]] && head.classes[cls[low]].fabric === head.segments[segment[i]].fabric && cls[low] !== cls[high]) {
      ups[low] += 1;
      if (!gone) upsLeft[low] += 1;
    }
  }
  /** @type {Loss} */
  const found = { down, cut: new Map(), rails: new Map(), stranded: new Map(), words };
  fabrics.forEach((fabric, f) => {
    const cut = [];
    for (let i = 0; i < cls.length; i += 1) if (!down[i] && all[f][i] && !left[f][i]) cut.push(i);
    if (cut.length) found.cut.set(String(fabric), cut);
  });
  fabrics.forEach((fabric, f) => {
    /** @type {Map<string, number[]>} */
    const without = new Map();
    for (let node = 0; node < cls.length; node += 1) {
      if (down[node] || !left[f][node] || left[f][node] === all[f][node]) continue;
      for (let one = 1, at = (node * fabrics.length + f) * rails + 1; one < rails; one += 1, at += 1) {
        if (wired[at] && !alive[at]) without.set(String(one), without.get(String(one)) ?? []).get(String(one))?.push(node);
      }
    }
    if (without.size) found.rails.set(String(fabric), without);
  });
  for (let i = 0; i < cls.length; i += 1) {
    if (down[i] || !ups[i] || upsLeft[i]) continue;
    const { fabric, tier } = head.classes[cls[i]];
    found.stranded.set(`${fabric} ${tier}`, (found.stranded.get(`${fabric} ${tier}`) ?? 0) + 1);
  }
  return found;
};

/** Accelerators of some devices. @param {number[]} rows */
FG.losses.gpus = (rows) => rows.reduce((sum, row) => sum + FG.losses.data.said.gpus[FG.losses.data.cls[row]], 0);

/** Take something away, or give it back. @param {string} item */
FG.losses.toggle = (item) => {
  const lost = FG.state.lost;
  FG.set({ lost: lost.includes(item) ? lost.filter((/** @type {string} */ one) => one !== item) : [...lost, item] });
};

/** What can be taken away around what is chosen, as names. @returns {Promise<string[]>} */
FG.losses.around = async () => {
  const chosen = FG.state.chosen;
  if (!chosen || !["device", "rack"].includes(chosen.kind)) return [];
  const data = await FG.losses.load();
  const rack = chosen.kind === "rack" ? [...data.number.keys()][chosen.id] : data.rack.at(chosen.id);
  const found = chosen.kind === "device" ? [data.names.at(chosen.id)] : [];
  if (chosen.kind === "device") {
    const { fabric } = data.head.classes[data.cls[chosen.id]];
    if (data.said.plane[fabric] && data.plane.at(chosen.id)) found.push(`plane:${fabric}:${data.plane.at(chosen.id)}`);
  }
  const at = data.number.get(rack);
  if (at !== undefined) {
    found.push(`rack:${rack}`, `row:${data.rows.at(at)}`);
    for (const feed of data.feeds.at(at).split(", ")) if (feed) found.push(`feed:feed ${feed}`);
  }
  return found;
};

/** A line of the panel; parts are texts or elements. @param {HTMLElement} to @param {string} kind @param {...(string | Node)} parts */
FG.losses.line = (to, kind, ...parts) => {
  const line = document.createElement("p");
  line.className = kind;
  line.append(...parts);
  to.append(line);
};

/** @param {string} text @param {() => void} pressed */
FG.losses.button = (text, pressed) => {
  const button = document.createElement("button");
  button.textContent = text;
  button.addEventListener("click", pressed);
  return button;
};

/** Some devices as buttons that choose them. @param {number[]} rows @returns {HTMLElement} */
FG.losses.named = (rows) => {
  const most = 24, list = document.createElement("span");
  for (const row of rows.slice(0, most)) list.append(FG.losses.button(FG.losses.data.names.at(row), () => FG.set({ chosen: { kind: "device", id: row } })));
  if (rows.length > most) list.append(` and ${(rows.length - most).toLocaleString("en")} more`);
  return list;
};

/** The panel: what can be taken away, what is, and what that leaves. */
FG.losses.show = async () => {
  const { lost, chosen } = FG.state, around = await FG.losses.around();
  const found = lost.length ? await FG.losses.of(lost) : null;
  if (lost !== FG.state.lost || chosen !== FG.state.chosen) return;
  const renewed = found || FG.losses.now;
  FG.losses.now = found;
  if (renewed) FG.overlay.renew();
  const to = /** @type {HTMLDetailsElement} */ (FG.el("losses")), count = (/** @type {number} */ n, /** @type {string} */ noun) => `${n.toLocaleString("en")} ${noun}${n === 1 ? "" : "s"}`;
  to.replaceChildren();
  if (found) to.open = true;
  const heading = document.createElement("summary");
  heading.textContent = "What if this fails";
  to.append(heading);
  const offered = around.filter((/** @type {string} */ item) => !lost.includes(item));
  FG.losses.line(to, "offer", ...(offered.length ? offered.map((/** @type {string} */ item) => FG.losses.button(FG.losses.title(item), () => FG.losses.toggle(item))) : ["Choose a device or a rack, and take it, its rack, row, plane or feed away."]));
  if (!found) return;
  FG.losses.line(to, "lost", ...lost.map((/** @type {string} */ item) => {
    const button = FG.losses.button(`✕ ${FG.losses.title(item)}`, () => FG.losses.toggle(item));
    button.title = "give it back";
    return button;
  }));
  const { phase } = FG.block("losses");
  if (phase) FG.losses.line(to, "note", `What is left is of the whole design, not of ${phase} alone; who is cut off is of ${phase}.`);
  if (found.words.length > 1) FG.losses.line(to, "note", "Each alone, as the design has computed it (it has no figure for all of them together):");
  for (const { lines, lost: one, unsaid, missing } of found.words) {
    for (const line of lines) FG.losses.line(to, "left", line);
    for (const line of unsaid) FG.losses.line(to, "unsaid", `${one}: ${line}`);
    if (missing) FG.losses.line(to, "note", `${one}: no device here has that name, or stands in a place of that name`);
  }
  FG.losses.cutLines(to, found, count);
};

/** @param {HTMLElement} to @param {Loss} found @param {(n: number, noun: string) => string} count */
FG.losses.cutLines = (to, found, count) => {
  const nodes = [];
  for (let i = 0; i < found.down.length; i += 1) if (found.down[i] && FG.losses.gpus([i])) nodes.push(i);
  if (nodes.length) FG.losses.line(to, "down", `Down with it: ${count(nodes.length, "node")}, ${count(FG.losses.gpus(nodes), "accelerator")}. `, FG.losses.named(nodes));
  for (const [fabric, rows] of found.cut) FG.losses.line(to, "cut", `Cut off from ${fabric}: ${count(rows.length, "node")}, ${count(FG.losses.gpus(rows), "accelerator")}. `, FG.losses.named(rows));
  for (const [fabric, rails] of found.rails) for (const [rail, rows] of rails) FG.losses.line(to, "cut", `Without a link on rail ${rail} of ${fabric}: ${count(rows.length, "node")}. `, FG.losses.named(rows));
  for (const [tier, switches] of found.stranded) FG.losses.line(to, "cut", `No link upward: ${count(switches, `${tier} switch`).replace(/switchs$/, "switches")}.`);
  if (!found.cut.size && !found.rails.size && !found.stranded.size) FG.losses.line(to, "note", "Counted on links, nobody else is cut off.");
};

FG.on("change", (news) => {
  if ("chosen" in news || "lost" in news) FG.losses.show();
});
FG.on("ready", () => FG.losses.show());
