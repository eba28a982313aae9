// @ts-check
"use strict";
/**
 * What is chosen and how it is looked at, for all scripts, and in the fragment of the page's address by names.
 *
 * `chosen` is {kind, id} or null; ids are rows of tables. `FG.naming[kind]` says how an id is called in the fragment:
 * {name: async (id) => text, find: async (text) => id or -1}. A device stands there by its name, others as `kind:name`.
 * @typedef {{kind: string, id: number}} Chosen
 */
/** @type {any} */
FG.state = {
  /** @type {Chosen | null} */
  chosen: null,
  way: "fabric", fabric: "", plane: 0, rail: 0, unit: "", overlay: "",
  /** @type {any[]} Names of what has failed: devices, or `plane:1`, `rack:p1-r01`. */
  lost: [],
};

/** Ways of looking: objects with name, title, load(), paint(), pick(), bounds(). @type {any[]} */
FG.ways = [];

/** @type {Map<string, ((news: any) => void)[]>} */
FG.listeners = new Map();

/** Hear of news: "change" (an object of what has changed in FG.state), "camera", "ready". @param {string} name @param {(news: any) => void} hear */
FG.on = (name, hear) => { FG.listeners.set(name, [...(FG.listeners.get(name) ?? []), hear]); };

/** @param {string} name @param {any} [news] */
FG.tell = (name, news) => { for (const hear of FG.listeners.get(name) ?? []) hear(news); };

/** Change what is chosen; listeners are told only what is other than before. @param {any} news */
FG.set = (news) => {
  /** @type {any} */
  const other = {};
  for (const [key, value] of Object.entries(news)) {
    if (JSON.stringify(FG.state[key]) !== JSON.stringify(value)) other[key] = FG.state[key] = value;
  }
  if (!Object.keys(other).length) return;
  FG.tell("change", other);
  FG.write();
};

/** @type {Object<string, {name: (id: number) => Promise<string>, find: (text: string) => Promise<number>}>} */
FG.naming = {};

/** How rows of a column of texts are called and found. @param {() => Promise<any>} column @param {() => number} rows */
FG.named = (column, rows) => ({
  name: async (/** @type {number} */ id) => String((await column()).at(id)),
  find: async (/** @type {string} */ text) => {
    const texts = await column();
    for (let i = 0; i < rows(); i += 1) if (String(texts.at(i)) === text) return i;
    return -1;
  },
});
FG.naming.device = FG.named(() => FG.table("devices").column("name"), () => FG.table("devices").rows);
FG.naming.cable = FG.named(() => FG.table("cables").column("cable"), () => FG.table("cables").rows);

/** The place of the camera, [x, y, scale], which the main script keeps. @type {number[] | null} */
FG.place = null;

/** Pixels of the canvas for one of the style sheet: on paper more than on the screen. */
FG.ratio = devicePixelRatio;

/** What the main script gives: the camera, the way of looking that is shown, colours, and how to paint anew. @type {any} */
FG.camera = null;
/** @type {any} */
FG.way = null;
/** @type {any} */
FG.colours = null;
FG.repaint = () => {};
/** @type {(chosen: Chosen | null) => void} */
FG.goTo = () => {};
FG.fragment = "";
FG.writing = 0;

/** Write the fragment, soon: many changes are one. */
FG.write = () => {
  clearTimeout(FG.writing);
  FG.writing = setTimeout(async () => {
    const { chosen, way } = FG.state, parts = [`way=${encodeURIComponent(way)}`];
    if (chosen && FG.naming[chosen.kind]) {
      const name = await FG.naming[chosen.kind].name(chosen.id);
      parts.push(`at=${encodeURIComponent(chosen.kind === "device" ? name : `${chosen.kind}:${name}`)}`);
    }
    for (const key of ["fabric", "plane", "rail", "unit", "overlay"]) if (FG.state[key]) parts.push(`${key}=${encodeURIComponent(FG.state[key])}`);
    if (FG.state.lost.length) parts.push(`lost=${FG.state.lost.map(encodeURIComponent).join(",")}`);
    if (FG.place) parts.push(`x=${FG.place[0].toFixed(1)}`, `y=${FG.place[1].toFixed(1)}`, `z=${FG.place[2].toPrecision(4)}`);
    FG.fragment = `#${parts.join("&")}`;
    history.replaceState(null, "", FG.fragment);
  }, 120);
};

/** Read the fragment: what it does not say is as at the start. @returns {Promise<void>} */
FG.readFragment = async () => {
  const said = new Map(location.hash.slice(1).split("&").map((part) => /** @type {[string, string]} */ (part.split("=", 2))));
  const text = (/** @type {string} */ key) => { try { return decodeURIComponent(said.get(key) ?? ""); } catch { return ""; } };
  const numbers = ["x", "y", "z"].map((key) => Number.parseFloat(said.get(key) ?? ""));
  FG.place = numbers.every(Number.isFinite) ? numbers : null;
  let chosen = null;
  const alias = Object.keys(FG.naming).find((one) => said.has(one));
  if (alias) {
    const id = await FG.naming[alias].find(text(alias));
    if (id >= 0) chosen = { kind: alias, id };
  } else if (text("at")) {
    const kind = Object.keys(FG.naming).find((one) => text("at").startsWith(`${one}:`));
    const id = await FG.naming[kind ?? "device"].find(kind ? text("at").slice(kind.length + 1) : text("at"));
    if (id >= 0) chosen = { kind: kind ?? "device", id };
  }
  const way = FG.ways.some((one) => one.name === text("way")) ? text("way") : "fabric";
  const lost = said.get("lost") ? text("lost").split(",") : [];
  FG.set({ way, chosen, lost, fabric: text("fabric"), overlay: text("overlay"), unit: text("unit"), plane: Number(text("plane")) || 0, rail: Number(text("rail")) || 0 });
};
