// @ts-check
"use strict";
/** The floor around racks: halls, aisles, trays, names of rows, scale bar. */

/** @param {any} pen @param {any} block */
FG.paintFloor = (pen, block) => {
  const { theme } = pen, cm = (/** @type {number[]} */ box) => box.map((mm) => mm / 10);
  for (const hall of block.halls) {
    const [x, y, w, h] = cm(hall.box);
    if (!pen.sees(x, y - 30 / pen.scale, w, h + 30 / pen.scale)) continue;
    pen.fill(x, y, w, h, theme.box);
    pen.frame(x, y, w, h, theme.line);
  }
  for (const [x0, y0, w0, h0, cold] of block.aisles) {
    const [x, y, w, h] = cm([x0, y0, w0, h0]);
    if (!pen.sees(x, y, w, h)) continue;
    pen.fill(x, y, w, h, cold ? theme.cold : theme.hot);
    const size = Math.min(12, h * pen.scale * 0.5), text = `${cold ? "cold" : "hot"} aisle ${(h / 100).toFixed(1)} m`;
    const from = Math.max(x, pen.left), to = Math.min(x + w, pen.right);
    if (size >= 7 && (to - from) * pen.scale > 90) pen.text(text, pen.x((from + to) / 2), pen.y(y + h / 2), size, theme.faint, { align: "center" });
  }
};

/** What the building has in halls: busways (`above`) over racks, or all else under them. @param {any} pen @param {any} block @param {boolean} above */
FG.paintFixtures = (pen, block, above) => {
  for (const [kind, name, ...box] of block.fixtures) {
    const [x, y, w, h] = box.map((/** @type {number} */ mm) => mm / 10), [fill] = block.fixture_looks[kind];
    if ((kind === "busway") !== above || !pen.sees(x, y, w, h)) continue;
    if (fill) pen.fill(x, y, w, h, FG.rackFill(fill, pen.theme));
    pen.c.setLineDash(above ? [8, 3, 2, 3] : []);
    pen.frame(x, y, w, h, above ? "#8A5A00" : pen.theme.line, above ? 1.5 : 1);
    pen.c.setLineDash([]);
    if (kind === "column") pen.line([x, y, x + w, y + h], pen.theme.line, 1);
    if (kind === "column" || kind === "door") pen.line([x, y + h, x + w, y], pen.theme.line, 1);
    if (Math.max(w, h) * pen.scale < 24) continue;
    if (w >= h && w * pen.scale > pen.wide(name, 12) + 8) pen.plate(name, above ? pen.x(x + w) + 4 : pen.x(x + w / 2), pen.y(y + h / 2), above ? "left" : "center");
    else if (h > w) pen.plate(name, pen.x(x + w / 2), pen.y(y + h / 2));
  }
};

/** Places that are kept for network racks to come, and for which. @param {any} pen @param {any} block */
FG.paintKept = (pen, block) => {
  for (const [name, ...box] of block.kept) {
    const [x, y, w, h] = box.map((/** @type {number} */ mm) => mm / 10), text = `kept for ${name}`, size = Math.min(11, w * pen.scale * 0.5);
    if (w * pen.scale < 4 || !pen.sees(x, y, w, h)) continue;
    pen.c.setLineDash([4, 3]);
    pen.frame(x, y, w, h, pen.theme.faint, 1);
    pen.c.setLineDash([]);
    if (size >= 7) FG.turnedName(pen, text, [x + w / 2, y + h / 2, w, h], size, pen.theme.faint);
  }
};

/** Words on so many lines, the longest as short as can be; null for fewer words. @param {string[]} words @param {number} lines @returns {string[] | null} */
FG.inLines = (words, lines) => {
  if (lines === 1) return words.length ? [words.join("").trim()] : null;
  const longest = (/** @type {string[]} */ some) => Math.max(...some.map((line) => line.length));
  const choices = words.map((_, i) => [words.slice(0, i + 1).join("").trim(), ...(FG.inLines(words.slice(i + 1), lines - 1) ?? [])]).filter((some) => some.length === lines);
  return choices.sort((a, b) => longest(a) - longest(b))[0] ?? null;
};

/**
 * A name along the depth of a place (middle, width and depth): on one line where that is large enough to read, else on as
 * many as make it largest; whether there is room.
 * @param {any} pen @param {string} name @param {number[]} place @param {number} size @param {string} ink @param {string} [ground] @returns {boolean}
 */
FG.turnedName = (pen, name, [x, y, w, d], size, ink, ground) => {
  const room = d * pen.scale * 0.84, words = name.split(/(?<=[- ])/);
  const choices = [1, 2, 3].flatMap((number) => {
    const lines = FG.inLines(words, number);
    return lines ? [{ lines, size: Math.min(size, number > 1 ? (w * pen.scale * 0.76) / number : Infinity, (10 * room) / Math.max(...lines.map((line) => pen.wide(line, 10)))) }] : [];
  });
  const best = choices.find((one) => one.size >= 9) ?? choices.sort((a, b) => b.size - a.size)[0];
  if (best.size < (best.lines.length > 2 ? 7.5 : 6.5)) return false;
  best.lines.forEach((line, i) => pen.text(line, pen.x(x) + (i - (best.lines.length - 1) / 2) * best.size * 1.15, pen.y(y), best.size, ink, { align: "center", turned: true, ground }));
  return true;
};

/** Trays along and across rows, where they are large enough to see. @param {any} pen @param {any} block @param {any} chosen */
FG.paintTrays = (pen, block, chosen) => {
  block.trays.forEach((/** @type {any} */ tray, /** @type {number} */ i) => {
    const [x0, y0, x1, y1] = tray.ends.map((/** @type {number} */ mm) => mm / 10), mine = chosen?.kind === "tray" && chosen.id === i;
    if (!mine && (pen.scale < 0.12 || pen.scale > 1.4)) return;
    const half = tray.row === null ? [9, 0] : [0, 9];
    pen.c.globalAlpha = mine ? 1 : 0.5;
    for (const side of [-1, 1]) pen.line([x0 + side * half[0], y0 + side * half[1], x1 + side * half[0], y1 + side * half[1]], mine ? pen.theme.chosen : pen.theme.faint, mine ? 2 : 1);
    pen.c.globalAlpha = 1;
  });
};

/** Names of halls above them or, where their tops are out of sight, at the top of the picture. @param {any} pen @param {any} block */
FG.paintTitles = (pen, block) => {
  for (const hall of block.halls) {
    const [x, y, w, h] = hall.box.map((/** @type {number} */ mm) => mm / 10);
    if (!pen.sees(x, y - 30 / pen.scale, w, h + 30 / pen.scale)) continue;
    const room = (Math.min(x + w, pen.right) - Math.max(x, pen.left)) * pen.scale;
    if (room > pen.wide(hall.title, 12)) pen.plate(hall.title, Math.max(2, pen.x(x) - 4), Math.max(12, pen.y(y) - 11), "left");
  }
};

/**
 * Names of rows: in the margin of their hall, before it where that is too narrow, or at the edge of the picture where
 * both are out of sight. @param {any} pen @param {any} block
 */
FG.paintRows = (pen, block) => {
  let free = -Infinity, hall = -1;
  for (const tray of block.trays) {
    if (tray.row === null) continue;
    const [x0, y, x1] = tray.ends.map((/** @type {number} */ mm) => mm / 10), text = `${tray.row}`, left = block.halls[tray.hall].box[0] / 10;
    if (tray.hall !== hall) { hall = tray.hall; free = -Infinity; }
    if (!pen.sees(left - 200, y - 60, x1 - left + 200, 120) || pen.y(y) - free < 15) continue;
    free = pen.y(y);
    const most = pen.wide(text, 12) + 8, narrow = (x0 - left) * pen.scale < most, at = pen.x(narrow ? left : x0) - 5;
    if (narrow && left > 0 && 500 * pen.scale < most) continue;
    if (at > most) pen.text(text, at, pen.y(y), 12, pen.theme.faint, { align: "right" });
    else pen.plate(text, 2, Math.min(Math.max(pen.y(y), 34), pen.height - 12), "left");
  }
};

/** How many rows without racks are between two rows of a hall, by their names. @param {string} row @param {string} next @returns {number} */
FG.rowsBetween = (row, next) => {
  const [, kind, number] = /^(\D*)(\d+)$/.exec(row) ?? [], [, nextKind, nextNumber] = /^(\D*)(\d+)$/.exec(next) ?? [];
  return kind !== undefined && kind === nextKind ? Math.abs(Number(nextNumber) - Number(number)) - 1 : 0;
};

/** Rows that have no rack, of a pod's reserve: that the floor between two rows is empty is said there. @param {any} pen @param {any} block */
FG.paintGaps = (pen, block) => {
  const trays = block.trays.filter((/** @type {any} */ tray) => tray.row !== null);
  trays.slice(1).forEach((/** @type {any} */ tray, /** @type {number} */ i) => {
    const before = trays[i], rows = before.hall === tray.hall ? FG.rowsBetween(before.row, tray.row) : 0;
    const [x0, y0, x1] = tray.ends.map((/** @type {number} */ mm) => mm / 10), above = before.ends[1] / 10;
    if (rows < 1 || Math.abs(y0 - above) * pen.scale < 40) return;
    const text = `${FG.count(rows, "row")} without racks`, turned = (x1 - x0) * pen.scale < pen.wide(text, 12);
    pen.text(text, pen.x((x0 + x1) / 2), pen.y((y0 + above) / 2), 12, pen.theme.faint, { align: "center", turned });
  });
};

/** A scale bar of whole metres, while the floor is seen and not fronts. @param {any} pen */
FG.paintScale = (pen) => {
  const metres = [1, 2, 5, 10, 20, 50, 100, 200].filter((one) => one * 100 * pen.scale <= 180).at(-1);
  if (!metres || pen.scale > 1.6) return;
  const x = 14, y = pen.height - 14, w = metres * 100 * pen.scale, { c } = pen;
  pen.plate(`${metres} m`, x + w + 6, y, "left");
  c.strokeStyle = pen.theme.ink;
  c.lineWidth = 2;
  c.beginPath();
  c.moveTo(x, y - 5); c.lineTo(x, y); c.lineTo(x + w, y); c.lineTo(x + w, y - 5);
  c.stroke();
};
