// @ts-check
"use strict";
/**
 * What all other scripts use: blocks of data, columns decoded when they are first asked for, and elements.
 * @namespace
 */
const FG = {};

/** @param {string} id @returns {HTMLElement} */
FG.el = (id) => /** @type {HTMLElement} */ (document.getElementById(id));

/** Whether the panel is a sheet under the picture: the width is that of a phone. */
FG.phone = matchMedia("screen and (max-width: 699px)");

/** Blocks that were read. @type {Map<string, any>} */
FG.read = new Map();

/**
 * A block of data by name, read once.
 * @param {string} name @returns {any}
 */
FG.block = (name) => {
  if (!FG.read.has(name)) {
    const text = document.getElementById(`data-${name}`)?.textContent;
    FG.read.set(name, text ? JSON.parse(text) : null);
  }
  return FG.read.get(name);
};

/** Inflate what was packed as text. @param {string} text @returns {Promise<Response>} */
FG.inflated = async (text) => {
  const chars = atob(text), packed = new Uint8Array(chars.length);
  for (let i = 0; i < chars.length; i += 1) packed[i] = chars.charCodeAt(i);
  return new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate")));
};

/** When the browser could last paint; milliseconds of work after which it may again. */
FG.painted = 0;
FG.AT_ONCE = 25;

/** Let the browser paint, if work has taken long. @returns {Promise<void>} */
FG.breathe = async () => {
  if (performance.now() - FG.painted < FG.AT_ONCE) return;
  await new Promise((go) => setTimeout(go));
  FG.painted = performance.now();
};

/**
 * Decode a column of numbers: inflate, put the four bytes of each together, unfold the sign, sum up.
 * @param {string} text @returns {Promise<Int32Array>}
 */
FG.numbers = async (text) => {
  const bytes = new Uint8Array(await (await FG.inflated(text)).arrayBuffer());
  await FG.breathe();
  const count = bytes.length >> 2;
  const found = new Int32Array(count);
  let last = 0;
  for (let i = 0; i < count; i += 1) {
    const folded = bytes[i] | (bytes[count + i] << 8) | (bytes[2 * count + i] << 16) | (bytes[3 * count + i] << 24);
    last = (last + ((folded >>> 1) ^ -(folded & 1))) | 0;
    found[i] = last;
  }
  return found;
};

/**
 * A column: `at(row)` is its value; `codes` and `of` are there where it is made of a vocabulary, `numbers` of numbers,
 * `rows` of rows of another table.
 * @typedef {{at: (row: number) => any, codes?: Int32Array, of?: any[], numbers?: Int32Array, rows?: Int32Array, parts?: any[]}} Column
 */

/** Texts or numbers, where they are many compressed. @param {any[] | string} packed @returns {Promise<any[]>} */
FG.texts = async (packed) => (typeof packed === "string" ? (await FG.inflated(packed)).json() : packed);

/** @param {any} packed @returns {Promise<Column>} */
FG.column = async (packed) => {
  if (packed.table !== undefined) {
    const [rows, other] = await Promise.all([FG.numbers(packed.numbers), FG.table(packed.table).column(packed.column)]);
    return { rows, at: (row) => other.at(rows[row]) };
  }
  if (packed.numbers !== undefined) {
    const numbers = await FG.numbers(packed.numbers);
    return { numbers, at: (row) => numbers[row] };
  }
  if (packed.join) {
    const parts = await Promise.all(packed.join.map((/** @type {any} */ part) => (typeof part === "string" ? part : FG.column(part))));
    return { parts, at: (row) => parts.map((part) => (typeof part === "string" ? part : part.at(row))).join("") };
  }
  const [codes, of] = await Promise.all([FG.numbers(packed.codes), FG.texts(packed.of)]);
  return { codes, of, at: (row) => of[codes[row]] };
};

/**
 * A table: its columns are decoded when they are first asked for, and kept.
 */
FG.Table = class {
  /** @param {{rows: number, columns: Object<string, any>}} packed */
  constructor(packed) {
    this.rows = packed.rows;
    this.packed = packed.columns;
    /** @type {Map<string, Promise<Column>>} */
    this.made = new Map();
  }

  /** @param {string} name @returns {Promise<Column>} */
  column(name) {
    const known = this.made.get(name) ?? FG.column(this.packed[name]);
    this.made.set(name, known);
    return known;
  }

  /** Numbers of a column; @param {string} name @returns {Promise<Int32Array>} */
  async numbers(name) {
    const column = await this.column(name);
    if (!column.numbers) throw new Error(`${name} is no column of numbers`);
    return column.numbers;
  }
};

/** Tables that were opened. @type {Map<string, any>} */
FG.tables = new Map();

/** @param {string} name @returns {any} */
FG.table = (name) => {
  if (!FG.tables.has(name)) FG.tables.set(name, new FG.Table(FG.block(name)));
  return FG.tables.get(name);
};
