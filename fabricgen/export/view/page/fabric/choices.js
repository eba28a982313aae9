// @ts-check
"use strict";
/** What of the fabric view is lit (a fabric, plane, rail, unit), what its colours and sizes mean, and its outline as text. */
FG.choices = {};

/** @param {string} tag @param {Object<string, string>} [attributes] @param {(Node | string)[]} children @returns {any} */
FG.choices.make = (tag, attributes = {}, ...children) => {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
};

/** A list to choose from: `options` are [value, text]. @param {string} key @param {string} label @param {[string | number, string][]} options */
FG.choices.select = (key, label, options) => {
  const select = FG.choices.make("select", { id: `choose-${key}` }, ...options.map(([value, text]) => FG.choices.make("option", { value: String(value) }, text)));
  const show = () => { select.value = String(FG.state[key] || options[0][0]); };
  select.addEventListener("change", () => FG.set({ [key]: typeof options[0][0] === "number" ? Number(select.value) : select.value }));
  FG.on("change", (news) => { if (key in news) show(); });
  show();
  FG.el("choices").append(FG.choices.make("label", {}, `${label} `, select));
};

FG.choices.start = async () => {
  const head = FG.block("head"), fabric = FG.fabricWay;
  await fabric.load();
  const most = (/** @type {Int32Array} */ numbers) => { let found = 0; for (const n of numbers) if (n > found) found = n; return found; };
  const letters = (/** @type {number} */ n) => { let text = ""; for (let left = n; left > 0; left = Math.floor((left - 1) / 26)) text = String.fromCharCode(65 + ((left - 1) % 26)) + text; return text; };
  const upTo = (/** @type {number} */ n, /** @type {(i: number) => string} */ text) => Array.from({ length: n }, (_, i) => /** @type {[number, string]} */ ([i + 1, text(i + 1)]));
  FG.choices.select("fabric", "Fabric", [["", "all"], ...head.fabrics.map((/** @type {any} */ one) => [one.name, `${one.code} ${one.name}`])]);
  if (most(fabric.plane) > 1) FG.choices.select("plane", "Plane", [[0, "all"], ...upTo(most(fabric.plane), (n) => `${n} (${letters(n)})`)]);
  if (most(fabric.rail) > 1) FG.choices.select("rail", "Rail", [[0, "all"], ...upTo(most(fabric.rail), String)]);
  const units = [...fabric.boxes.level.keys()].filter((i) => i && fabric.boxes.level[i] < head.levels.length - 1);
  if (units.length > 1) FG.choices.select("unit", "Unit", [["", "all"], ...units.map((i) => /** @type {[string, string]} */ ([fabric.boxNames.at(i), fabric.boxNames.at(i)]))]);
  FG.choices.key(fabric);
  FG.choices.whole();
  FG.choices.outline(fabric);
};

/** A note while less than all is lit: a ribbon and its count are of all rails, planes and units. */
FG.choices.whole = () => {
  const note = FG.choices.make("p", { id: "whole", class: "note" }, "Ribbons hold all rails, planes and units: their counts do not follow this choice.");
  const show = () => { note.hidden = FG.state.way === "hall" || !(FG.state.rail || FG.state.plane || FG.state.unit); };
  FG.on("change", (news) => { if (["way", "rail", "plane", "unit"].some((key) => key in news)) show(); });
  show();
  FG.el("legend").before(note);
};

/** How both ways are read, beside their colours. @param {any} fabric */
FG.choices.key = ({ head }) => {
  const words = ["A ribbon is all links between two groups: “256 x 400G · 1:1” are links, speed and oversubscription, the worst of its tier. A broader one carries more; breadth is not to scale.",
    "Arcs join what is side by side: peers, other places, other sites. Come closer for names, then faces and single links."];
  for (const one of head.scale_up) {
    const of = `${one.name}: ${FG.count(one.domains, "scale-up domain")}, each a ${one.per} with ${FG.count(one.accelerators, "accelerator")}`;
    words.push(one.per === "node" ? `${of}: the stripe at the foot of a node.` : `${of}${head.levels.includes(one.per) ? ": the outline of its box" : ""}.`);
  }
  const { kept, fixtures } = FG.block("hall"), busways = fixtures.some((/** @type {any[]} */ one) => one[0] === "busway");
  const hall = ["A rack from above: its thick edge is the front, stripes are further fabrics, on the side of their ports. Come closer for fronts, cages and far ends.",
    ...(kept.length ? ["Dashed: kept for racks to come."] : []), ...(busways ? ["Dash-dot: a busway above."] : [])];
  const told = (/** @type {string[]} */ texts, /** @type {string} */ way) => texts.map((text) => FG.choices.make("p", { class: `of-${way}` }, text));
  FG.el("side").append(FG.choices.make("details", { id: "key", ...(innerWidth > 1000 ? { open: "" } : {}) }, FG.choices.make("summary", {}, "How to read the picture"), ...told(words, "fabric"), ...told(hall, "hall")));
};

/** The picture as nested lists, for screen readers and the keyboard; what is inside a group is made when it is opened. @param {any} fabric */
FG.choices.outline = (fabric) => {
  const { boxes, bands, bundles } = fabric;
  const button = (/** @type {any} */ chosen, /** @type {string} */ text) => {
    const made = FG.choices.make("button", { type: "button" }, text);
    made.addEventListener("click", () => { FG.set({ way: "fabric", chosen }); FG.goTo(chosen); });
    return made;
  };
  const inside = (/** @type {number} */ box) => {
    const list = FG.choices.make("ul");
    for (const band of fabric.bandsOf[box]) list.append(FG.choices.make("li", {}, button({ kind: "band", id: band }, fabric.bandText(band)[0])));
    for (let i = 0; i < bundles.rows; i += 1) {
      if (bundles.box[i] === box && bundles.other[i] !== -3) list.append(FG.choices.make("li", {}, button({ kind: "ribbon", id: i }, fabric.describe({ kind: "ribbon", id: i }).replace("\n", ", "))));
    }
    for (let child = 1; child < boxes.rows; child += 1) if (boxes.parent[child] === box) list.append(FG.choices.make("li", {}, group(child)));
    return list;
  };
  const group = (/** @type {number} */ box) => {
    const details = FG.choices.make("details", {}, FG.choices.make("summary", {}, fabric.boxText(box)[0]));
    const fill = () => { if (details.children.length === 1) details.append(button(box ? { kind: "box", id: box } : null, "Show in the picture"), inside(box)); };
    details.addEventListener("toggle", fill);
    if (!box) { details.open = true; fill(); }
    return details;
  };
  const skip = FG.choices.make("button", { id: "skip", type: "button" }, "Skip the outline: to the picture");
  skip.addEventListener("click", FG.focusPicture);
  FG.el("stage").prepend(skip, FG.choices.make("nav", { id: "outline", "aria-label": "Outline of the fabric" }, group(0)));
};

/** What bands and ribbons are called in the fragment: by their box and what they are. */
FG.choices.names = (/** @type {string} */ kind) => ({
  name: async (/** @type {number} */ id) => (await FG.choices.known(kind))[id],
  find: async (/** @type {string} */ text) => (await FG.choices.known(kind)).indexOf(text),
});

/** @param {string} kind @returns {Promise<string[]>} */
FG.choices.known = async (kind) => {
  const fabric = FG.fabricWay;
  await fabric.load();
  const { boxNames, bands, bundles, head } = fabric, seen = new Map();
  const of = (/** @type {number} */ cls) => `${head.classes[cls].fabric} ${head.classes[cls].label}`.trim();
  const called = (/** @type {number} */ i) => (kind === "band" ? `${boxNames.at(bands.box[i])}/${of(bands.cls[i])}`
    : `${boxNames.at(bundles.box[i])}/${fabric.segments[bundles.segment[i]].fabric}/${of(bundles.lower[i])}-${of(bundles.upper[i])}`);
  return Array.from({ length: kind === "band" ? bands.rows : bundles.rows }, (_, i) => {
    const text = called(i), count = (seen.get(text) ?? 0) + 1;
    seen.set(text, count);
    return count > 1 ? `${text}/${count}` : text;
  });
};
FG.naming.box = FG.named(async () => { await FG.fabricWay.load(); return FG.fabricWay.boxNames; }, () => FG.block("scene").boxes.rows);
FG.naming.band = FG.choices.names("band");
FG.naming.ribbon = FG.choices.names("ribbon");
FG.on("ready", FG.choices.start);
