// @ts-check
"use strict";
/**
 * Rows as devices.csv, links.csv, cables.csv and addresses.csv have them, made from the columns of the page; names of
 * things, by which they stand in the page's address; and which links are on which device.
 */

/** Make something once, when it is first asked for. @template T @param {() => Promise<T>} make @returns {() => Promise<T>} */
FG.once = (make) => {
  /** @type {Promise<T> | undefined} */
  let made;
  return () => (made ??= make());
};

/** All columns of a table. @param {any} table @returns {Promise<any>} */
FG.columns = async (table) => {
  const names = Object.keys(table.packed);
  const columns = await Promise.all(names.map((name) => table.column(name)));
  return { rows: table.rows, ...Object.fromEntries(names.map((name, i) => [name, columns[i]])) };
};

/** Rows of a column by the number that it has there; below 0 is none. @param {Int32Array} column @param {number} count */
FG.grouped = (column, count) => {
  const start = new Int32Array(count + 1);
  for (const one of column) if (one >= 0) start[one + 1] += 1;
  for (let i = 0; i < count; i += 1) start[i + 1] += start[i];
  const next = start.slice(), rows = new Int32Array(start[count]);
  column.forEach((one, i) => { if (one >= 0) rows[next[one]++] = i; });
  return { of: (/** @type {number} */ one) => rows.subarray(start[one], start[one + 1]) };
};

FG.devices = FG.once(() => FG.columns(FG.table("devices")));
FG.links = FG.once(async () => {
  const links = await FG.columns(FG.table("links"));
  const on = await FG.ends();
  await FG.breathe();
  return { ...links, on, byCable: FG.grouped(links.cable.numbers, FG.table("cables").rows) };
});
FG.cables = FG.once(async () => {
  const ends = await FG.columns(new FG.Table(FG.block("cables").ends)), cables = await FG.columns(FG.table("cables"));
  await FG.breathe();
  return { ...cables, ends, endsOf: FG.grouped(ends.cable.numbers, FG.table("cables").rows) };
});
FG.racks = FG.once(() => FG.columns(new FG.Table(FG.block("origins").racks)));
/** What devices draw with their optics, W; 0 where that is not stated. @type {() => Promise<Int32Array>} */
FG.drawnWatts = FG.once(() => FG.numbers(FG.block("overlays").drawn_w));
/** Where racks stand, as labels call it, by name: `h1.R03.07`. @type {() => Promise<Map<string, string>>} */
FG.rackPlaces = FG.once(async () => {
  const { rows, name, place } = await FG.racks();
  return new Map(Array.from({ length: rows }, (_, i) => [name.at(i), place.at(i)]));
});
/** The devices at a place that a label names, `h1.R03.07-U42`, whatever its capitals. @param {string} text @returns {Promise<number[]>} */
FG.devicesAt = async (text) => {
  const [, where, unit] = /^(.+)-u(\d+)$/i.exec(text) ?? [], { rack, u, rows } = await FG.devices();
  const name = where && [...await FG.rackPlaces()].find(([, place]) => place.toLowerCase() === where.toLowerCase())?.[0];
  if (!name) return [];
  return [...Array(rows).keys()].filter((row) => rack.at(row) === name && Number(u.at(row)) === Number(unit));
};

/** Addresses by family: words of 32 bits, the highest first. @typedef {{bits: number, words: (column: Int32Array[], row: number) => string}} Family */
FG.addresses = FG.once(async () => {
  const block = FG.block("addresses");
  const words = (/** @type {string[]} */ packed) => Promise.all(packed.map(FG.numbers));
  const section = async (/** @type {any} */ one) => ({
    address: await words(one.address), length: await FG.numbers(one.length), device: await FG.numbers(one.device),
    kind: await FG.column(one.kind), port: await FG.column(one.port),
  });
  const families = await Promise.all(block.families.map(async (/** @type {any} */ one) => ({
    bits: one.bits, loopback: await words(one.loopback), management: await words(one.management),
    a: await words(one.a), b: await words(one.b), length: await FG.numbers(one.length),
    before: await Promise.all(one.before.map(section)), after: await Promise.all(one.after.map(section)),
  })));
  return { families, kinds: block.kinds, bonds: block.bonds && await FG.column(block.bonds) };
});

/** Whether there is an address. @param {Int32Array[]} words @param {number} row */
FG.hasAddress = (words, row) => words.some((word) => word[row] !== 0);

/** An address as text, IPv6 as RFC 5952 has it; "" for none. @param {Int32Array[]} words @param {number} row */
FG.address = (words, row) => {
  if (!FG.hasAddress(words, row)) return "";
  const all = words.map((word) => word[row] >>> 0);
  if (all.length === 1) return [24, 16, 8, 0].map((shift) => (all[0] >>> shift) & 255).join(".");
  const groups = all.flatMap((word) => [word >>> 16, word & 65535]);
  let best = 0, from = -1;
  for (let i = 0; i < 8; i += 1) {
    let end = i;
    while (end < 8 && groups[end] === 0) end += 1;
    if (end - i > best) [best, from] = [end - i, i];
  }
  const hex = groups.map((group) => group.toString(16));
  return best < 2 ? hex.join(":") : `${hex.slice(0, from).join(":")}::${hex.slice(from + best).join(":")}`;
};

/** The first family's address in a row, with prefix length where there is a column of them. @param {any[]} families @param {string} name @param {number} row @param {boolean} [prefix] */
FG.firstAddress = (families, name, row, prefix) => {
  const found = families.find((family) => FG.hasAddress(family[name], row));
  return found ? FG.address(found[name], row) + (prefix ? `/${found.length[row]}` : "") : "";
};

/** Rows of the CSV files, by column, as text. */
FG.csv = {
  /** @param {number} row @returns {Promise<Object<string, string>>} */
  devices: async (row) => {
    const [all, { families }] = await Promise.all([FG.devices(), FG.addresses()]);
    const cls = FG.block("head").classes[all.class.at(row)];
    const own = Object.fromEntries(["site", "pod", "su", "rack", "u", "rail", "plane", "asn"].map((name) => [name, String(all[name].at(row))]));
    return {
      device: all.name.at(row), fabric: cls.fabric, tier: cls.tier, model: cls.model, nos: cls.nos, ...own,
      loopback: FG.firstAddress(families, "loopback", row), mgmt: FG.firstAddress(families, "management", row),
    };
  },

  /** @param {number} row @returns {Promise<Object<string, string>>} */
  links: async (row) => {
    const [all, { families }, { name }, cables] = await Promise.all([FG.links(), FG.addresses(), FG.devices(), FG.cables()]);
    const segment = FG.block("head").segments[all.segment.at(row)], cable = all.cable.at(row);
    const a = name.at(all.a.at(row)), b = name.at(all.b.at(row));
    return {
      fabric: segment.fabric, link: `${a}:${all.a_port.at(row)}`, cable: cable < 0 ? "" : cables.cable.at(cable),
      a_device: a, a_port: all.a_port.at(row), a_ip: FG.firstAddress(families, "a", row, true),
      b_device: b, b_port: all.b_port.at(row), b_ip: FG.firstAddress(families, "b", row, true),
      speed_gbps: String(segment.gbps), rail: String(all.rail.at(row)), plane: String(all.plane.at(row)),
    };
  },

  /** The rows of a cable: one for each pair of connectors. @param {number} cable @returns {Promise<Object<string, string>[]>} */
  cables: async (cable) => {
    const [all, links, devices, places] = await Promise.all([FG.cables(), FG.links(), FG.devices(), FG.rackPlaces()]);
    return [...all.endsOf.of(cable)].map((end) => {
      const link = all.ends.link.at(end);
      const side = (/** @type {string} */ s) => {
        const device = links[s].at(link), cage = links[`${s}_cage`].at(link);
        const name = devices.name.at(device), at = `${places.get(devices.rack.at(device))}-U${String(devices.u.at(device)).padStart(2, "0")}`;
        return {
          label: `${at}:${all.ends[`${s}_label`].at(end)}`, name, cage, optic: all.ends[`${s}_transceiver`].at(end),
          rack: devices.rack.at(device), u: String(devices.u.at(device)),
        };
      };
      const a = side("a"), b = side("b");
      return {
        cable: all.cable.at(cable), fabric: FG.block("head").segments[links.segment.at(link)].fabric,
        part: all.part.at(cable), medium: all.medium.at(cable), length_m: String(all.length_m.at(cable)),
        a_device: a.name, a_cage: a.cage, a_transceiver: a.optic, a_rack: a.rack, a_u: a.u,
        b_device: b.name, b_cage: b.cage, b_transceiver: b.optic, b_rack: b.rack, b_u: b.u,
        label_a: `${a.label} > ${b.label}`, label_b: `${b.label} > ${a.label}`,
      };
    });
  },

  /** The rows of a device. @param {number} device @returns {Promise<Object<string, string>[]>} */
  addresses: async (device) => {
    const [{ families, kinds, bonds }, links, { name }] = await Promise.all([FG.addresses(), FG.links(), FG.devices()]);
    /** @type {Object<string, string>[]} */
    const found = [];
    const add = (/** @type {any} */ words, /** @type {number} */ row, /** @type {any} */ length, /** @type {string} */ kind, /** @type {string} */ port) =>
      found.push({ prefix: `${FG.address(words, row)}/${length[row]}`, kind, device: name.at(device), port });
    const sections = (/** @type {any[]} */ all) => {
      for (const one of all) one.device.forEach((/** @type {number} */ of, /** @type {number} */ i) => { if (of === device) add(one.address, i, one.length, one.kind.at(i), one.port.at(i)); });
    };
    for (const family of families) {
      sections(family.before);
      for (const link of links.on.of(device)) {
        const kind = kinds[links.segment.at(link)], lower = links.a.at(link) === device;
        if (FG.hasAddress(lower ? family.a : family.b, link)) add(lower ? family.a : family.b, link, family.length, kind, lower ? (bonds ?? links.a_port).at(link) : links.b_port.at(link));
      }
      sections(family.after);
    }
    return found;
  },
};

/** The row of a device by its name, or -1. @param {string} name @returns {Promise<number>} */
FG.deviceRow = async (name) => {
  const column = (await FG.devices()).name, code = column.of.indexOf(name);
  return code < 0 ? -1 : column.codes[code] === code ? code : column.codes.indexOf(code);
};

/** A text `DEVICE:REST` in its two parts. @param {string} text @returns {[string, string]} */
FG.cut = (text) => { const at = text.indexOf(":"); return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + 1)]; };

FG.naming.link = {
  name: async (/** @type {number} */ id) => (await FG.csv.links(id)).link,
  find: async (/** @type {string} */ text) => {
    const [name, port] = FG.cut(text), device = await FG.deviceRow(name), links = await FG.links();
    if (device < 0) return -1;
    return [...links.on.of(device)].find((link) => (links.a.at(link) === device ? links.a_port : links.b_port).at(link) === port) ?? -1;
  },
};
FG.naming.cable = {
  name: async (/** @type {number} */ id) => (await FG.cables()).cable.at(id),
  find: async (/** @type {string} */ text) => {
    const [links, cables, device] = [await FG.links(), await FG.cables(), await FG.deviceRow(FG.cut(text)[0])];
    const near = device < 0 ? [] : [...links.on.of(device)].map((link) => links.cable.at(link));
    const found = near.find((cable) => cable >= 0 && cables.cable.at(cable) === text);
    if (found !== undefined) return found;
    for (let i = 0; i < cables.rows; i += 1) if (cables.cable.at(i) === text) return i; // its device was moved or renamed
    return -1;
  },
};
for (const [kind, table, column] of [["part", "cables", "part"], ["asn", "devices", "asn"]]) {
  const texts = async () => (await FG.table(table).column(column)).of ?? [];
  FG.naming[kind] = { name: async (/** @type {number} */ id) => String((await texts())[id]), find: async (/** @type {string} */ text) => (await texts()).indexOf(text) };
}
FG.models = () => [...new Set(FG.block("head").classes.map((/** @type {any} */ cls) => cls.model))];
FG.naming.model = { name: async (/** @type {number} */ id) => FG.models()[id], find: async (/** @type {string} */ text) => FG.models().indexOf(text) };
/** Power feeds, and their names in order. @returns {Promise<string[]>} */
FG.feeds = FG.once(async () => [...new Set((await FG.racks()).feeds.of.flatMap((/** @type {string} */ text) => text.split("+")))].filter(Boolean).sort());
FG.naming.feed = { name: async (/** @type {number} */ id) => (await FG.feeds())[id], find: async (/** @type {string} */ text) => (await FG.feeds()).indexOf(text) };
