// @ts-check
"use strict";
/**
 * Links by the devices at their ends.
 * @typedef {{a: Int32Array, b: Int32Array, of: (device: number) => Int32Array, far: (link: number, device: number) => number}} Ends
 */

/** @type {Promise<Ends> | null} */
FG.madeEnds = null;

/** Devices at the ends of links, and the links of each device; made once. @returns {Promise<Ends>} */
FG.ends = () => {
  FG.madeEnds ??= (async () => {
    const a = await FG.table("links").numbers("a"), b = await FG.table("links").numbers("b");
    const devices = FG.table("devices").rows;
    await FG.breathe();
    const start = new Int32Array(devices + 1);
    for (let link = 0; link < a.length; link += 1) { start[a[link] + 1] += 1; if (b[link] !== a[link]) start[b[link] + 1] += 1; }
    for (let device = 0; device < devices; device += 1) start[device + 1] += start[device];
    const next = start.slice(), found = new Int32Array(start[devices]);
    for (let link = 0; link < a.length; link += 1) { found[next[a[link]]++] = link; if (b[link] !== a[link]) found[next[b[link]]++] = link; }
    return {
      a, b,
      of: (/** @type {number} */ device) => found.subarray(start[device], start[device + 1]),
      far: (/** @type {number} */ link, /** @type {number} */ device) => (a[link] === device ? b[link] : a[link]),
    };
  })();
  return FG.madeEnds;
};
