// @ts-check
"use strict";
/** Everything on a tray: its cables and the racks that they join; and trays by name in the search. */

FG.sheets.tray = async (/** @type {number} */ id) => {
  const hall = await FG.hall.ready(), { trays } = hall, tray = FG.block("hall").trays[id];
  const links = hall.linksOf({ kind: "tray", id }), cables = new Set(), racks = new Set();
  for (const link of Array.from(links)) {
    cables.add(trays.cable[link]);
    for (const end of [trays.ends.a[link], trays.ends.b[link]]) racks.add(hall.rackOf[end]);
  }
  const inOrder = (/** @type {Set<number>} */ found) => [...found].sort((a, b) => a - b);
  /** @type {any[]} */
  const parts = [
    { heading: "Tray", pairs: [["runs", tray.row === null ? "across the rows" : "along the row"], ["cables", String(cables.size)]] },
    await FG.cableList("Cables on this tray", inOrder(cables)),
    FG.list("Racks that they join", ["rack"], inOrder(racks), (rack) => [[hall.rackName(rack), { kind: "rack", id: rack }]]),
  ];
  return { title: tray.name, parts: parts.filter((part) => part.rows !== 0) };
};

FG.searches.push(async (query, stopped) => {
  const trays = FG.block("hall").trays, name = (/** @type {number} */ i) => trays[i].name;
  return [FG.group("Cable trays", "tray", await FG.ranked(query.replace(/^tray\s+/i, ""), trays.length, name, stopped), name)];
});
