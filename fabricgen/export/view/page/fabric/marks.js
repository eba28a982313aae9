// @ts-check
"use strict";
/** Devices that are marked in the picture for something chosen that is no device: a GPU's node, all of a model, of a part, a feed, an AS number. */

/** By kind, the devices of what is chosen. @type {Object<string, (id: number) => Promise<ArrayLike<number>>>} */
FG.marking = {
  gpu: async (id) => [FG.gpuOf(id)[0]],
  model: async (id) => {
    const devices = await FG.devices(), classes = FG.block("head").classes, model = FG.models()[id];
    return FG.rowsWhere(devices.rows, (row) => classes[devices.class.at(row)].model === model);
  },
  asn: async (id) => {
    const devices = await FG.devices();
    return FG.rowsWhere(devices.rows, (row) => devices.asn.codes[row] === id);
  },
  rack: async (id) => {
    const [racks, { rack }] = [await FG.racks(), await FG.devices()], code = rack.of.indexOf(racks.name.at(id));
    return FG.rowsWhere(rack.codes.length, (row) => rack.codes[row] === code);
  },
  feed: async (id) => {
    const [racks, devices, feeds] = [await FG.racks(), await FG.devices(), await FG.feeds()];
    const on = new Set(FG.rowsWhere(racks.rows, (row) => racks.feeds.at(row).split("+").includes(feeds[id])).map((row) => racks.name.at(row)));
    const coded = devices.rack.of.map((/** @type {string} */ name) => on.has(name));
    return FG.rowsWhere(devices.rows, (row) => coded[devices.rack.codes[row]]);
  },
  part: async (id) => {
    const [cables, links] = [await FG.cables(), await FG.links()], found = new Set();
    for (let link = 0; link < links.rows; link += 1) {
      const cable = links.cable.at(link);
      if (cable >= 0 && cables.part.codes[cable] === id) found.add(links.a.at(link)).add(links.b.at(link));
    }
    return [...found];
  },
};

/** What is marked: devices, and whether one is. @type {{rows: ArrayLike<number>, of: Uint8Array} | null} */
FG.marks = null;

/** @param {any} chosen @returns {Promise<{rows: ArrayLike<number>, of: Uint8Array} | null>} */
FG.marksOf = async (chosen) => {
  if (!chosen || !FG.marking[chosen.kind]) return null;
  const rows = await FG.marking[chosen.kind](chosen.id), of = new Uint8Array((await FG.devices()).rows);
  for (let i = 0; i < rows.length; i += 1) of[rows[i]] = 1;
  return { rows, of };
};

/** Outline marked devices in the fabric view; where they are too small to see, their bands. @param {any} view @param {any} fabric */
FG.paintMarks = ({ c, theme, scale, X, Y, sight, seen }, fabric) => {
  const { marks } = FG, { bands, order } = fabric;
  if (!marks) return;
  c.strokeStyle = theme.chosen;
  for (let i = 0; i < bands.rows; i += 1) {
    if (!seen(bands.x[i], bands.y[i], bands.w[i], bands.h[i])) continue;
    const [w, h] = fabric.cell(i);
    c.lineWidth = w * scale < 16 ? 2 : 3;
    if (w * scale >= 6) {
      fabric.within(i, sight, (/** @type {number} */ device) => { if (marks.of[device]) c.strokeRect(X(fabric.dx[device]) - 1, Y(fabric.dy[device]) - 1, w * scale + 2, h * scale + 2); });
    } else if (order.subarray(bands.first[i], bands.last[i]).some((/** @type {number} */ device) => marks.of[device])) {
      c.strokeRect(X(bands.x[i]) - 1, Y(bands.y[i]) - 1, bands.w[i] * scale + 2, bands.h[i] * scale + 2);
    }
  }
  c.lineWidth = 1;
};
