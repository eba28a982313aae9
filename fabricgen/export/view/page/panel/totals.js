// @ts-check
"use strict";
/** What the panel says while nothing is chosen: the cluster in one look. */

/** @param {number} n @param {string} noun @param {string} [several] */
FG.count = (n, noun, several) => `${n.toLocaleString("en")} ${n === 1 ? noun : several ?? `${noun}s`}`;

/** Devices of a kind, of each fabric or of none: how many of which model. @param {(cls: any) => boolean} holds @param {(cls: any) => string} name */
FG.countedClasses = (holds, name) => {
  /** @type {Map<string, number>} */
  const counts = new Map();
  for (const cls of FG.block("head").classes.filter(holds)) counts.set(name(cls), (counts.get(name(cls)) ?? 0) + cls.count);
  return [...counts].map(([text, count]) => `${count.toLocaleString("en")} ${text}`).join(", ");
};

/** What has no figure, behind a sum. @param {...[number, string]} counts */
FG.unfigured = (...counts) => {
  const left = counts.filter(([count]) => count).map(([count, noun]) => FG.count(count, noun));
  return left.length ? `, without ${left.join(" and ")}, which have no figure` : "";
};

/** The sheet of the whole cluster. @returns {Promise<Sheet>} */
FG.sheets.all = async () => {
  const head = FG.block("head"), said = FG.block("totals"), findings = FG.block("findings") ?? [], { classes } = head;
  const sum = (/** @type {(cls: any) => number} */ of) => classes.reduce((/** @type {number} */ all, /** @type {any} */ cls) => all + of(cls), 0);
  const computes = classes.some((/** @type {any} */ cls) => cls.accelerators), isNode = (/** @type {any} */ cls) => cls.kind === "node" && (!computes || cls.accelerators);
  const others = FG.countedClasses((cls) => ["node", "extra"].includes(cls.kind) && !isNode(cls), (cls) => cls.model), gpus = sum((cls) => cls.count * cls.accelerators), switches = sum((cls) => (cls.kind === "switch" ? cls.count : 0));
  const fabrics = head.fabrics.filter((/** @type {any} */ one) => one.protocol !== "scale-up").map((/** @type {any} */ one) => {
    const ratios = [...new Set(classes.filter((/** @type {any} */ cls) => cls.fabric === one.name && cls.ratio).map((/** @type {any} */ cls) => `${cls.label} ${Math.round(cls.ratio * 100) / 100}:1`))];
    const tiers = FG.countedClasses((cls) => cls.fabric === one.name && cls.kind === "switch", (cls) => `${cls.label} (${cls.model})`);
    return [one.name, `${tiers || "on switches of others"}${ratios.length ? `; oversubscription ${ratios.join(", ")}` : ""}`];
  });
  const worst = ["error", "warning", "info"].map((word) => FG.count(findings.filter((/** @type {any} */ one) => one.severity === word).length, word));
  return {
    title: head.name,
    buttons: findings.length ? [["What lint finds", () => FG.set({ overlay: "findings" })]] : [],
    parts: [
      { heading: "In all", pairs: [
        ...(gpus ? [["accelerators", gpus.toLocaleString("en")]] : []),
        ["nodes", FG.countedClasses(isNode, (cls) => cls.model)], ...(others ? [["beside them", others]] : []),
        ...head.scale_up.map((/** @type {any} */ one) => [one.name, `${FG.count(one.domains, "domain")} of ${FG.count(one.accelerators, "accelerator")}`]),
        ["switches", switches.toLocaleString("en")], ["cables", FG.table("cables").rows.toLocaleString("en")], ["transceivers", said.optics.toLocaleString("en")],
        ["racks", FG.hallRacks().rows.toLocaleString("en")],
        ["power, kW", `${Math.round(said.drawn_w / 1000).toLocaleString("en")} with optics${FG.unfigured([said.unpowered, "device"], [said.unpowered_optics, "optic"])}`],
        ...(said.price === undefined ? [] : [["price", `${said.price.toLocaleString("en")} ${said.currency}`.trim() + (said.unpriced ? `, without ${FG.count(said.unpriced, "piece")} that the price file does not have` : "")]]),
        ["lint", worst.join(", ")],
      ] },
      { heading: "Switches and oversubscription", pairs: fabrics },
    ],
  };
};
FG.on("ready", () => { if (!FG.state.chosen) FG.inspector.show(null); });
