// @ts-check
"use strict";
/**
 * What all other scripts use: blocks of data, columns decoded when they are first asked for, and elements.
 * @namespace
 */
const FG = {};

/** @param {string} id @returns {HTMLElement} */
FG.el = (id) => /** @type {HTMLElement} */ (document.getElementById(id));

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

/**
 * Decode a column of numbers: inflate, put the four bytes of each together, unfold the sign, sum up.
 * @param {string} text @returns {Promise<Int32Array>}
 */
FG.numbers = async (text) => {
  const packed = Uint8Array.from(atob(text), (char) => char.charCodeAt(0));
  const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
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
 * A column: `at(row)` is its value; `codes` and `of` are there where it is made of a vocabulary, `numbers` of numbers.
 * @typedef {{at: (row: number) => any, codes?: Int32Array, of?: any[], numbers?: Int32Array, parts?: any[]}} Column
 */

/** @param {any} packed @returns {Promise<Column>} */
FG.column = async (packed) => {
  if (packed.numbers !== undefined) {
    const numbers = await FG.numbers(packed.numbers);
    return { numbers, at: (row) => numbers[row] };
  }
  if (packed.join) {
    const parts = await Promise.all(packed.join.map((/** @type {any} */ part) => (typeof part === "string" ? part : FG.column(part))));
    return { parts, at: (row) => parts.map((part) => (typeof part === "string" ? part : part.at(row))).join("") };
  }
  const codes = await FG.numbers(packed.codes);
  return { codes, of: packed.of, at: (row) => packed.of[codes[row]] };
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
