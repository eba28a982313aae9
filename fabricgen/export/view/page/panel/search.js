// @ts-check
"use strict";
/**
 * One search for names, racks, ports, cables, labels, addresses, AS numbers, MACs, GUIDs, parts, models and paths.
 * @typedef {{kind: string, id: number, text: string, more?: string}} Hit
 * @typedef {{title: string, total: number, hits: Hit[]}} Group
 */
FG.MOST_HITS = 50;
/** Rows between looks at the clock. */
FG.STRIDE = 4096;

/** Go over rows without holding the browser up. @param {number} rows @param {(row: number) => void} look @param {() => boolean} stopped */
FG.over = async (rows, look, stopped) => {
  for (let from = 0; from < rows; from += FG.STRIDE) {
    await FG.breathe();
    if (stopped()) return;
    for (let row = from, end = Math.min(rows, from + FG.STRIDE); row < end; row += 1) look(row);
  }
};

/** How well a name fits: 0 exactly, 1 from its start, 2 within, 3 all pieces of the query somewhere; -1 not at all. @param {string} query */
FG.fits = (query) => {
  const wanted = query.trim().toLowerCase(), pieces = wanted.split(/[\s,_-]+/).filter(Boolean);
  const loose = pieces.map((piece) => new RegExp(piece.replace(/[.*+?^${}()|[\]\\]/g, "\\$&").replace(/\d+/g, (digits) => `0*${digits.replace(/^0+(?=\d)/, "")}`)));
  return (/** @type {string} */ name) => {
    const text = name.toLowerCase();
    if (text === wanted) return 0;
    const at = text.indexOf(wanted);
    if (at >= 0) return at ? 2 : 1;
    return loose.every((piece) => piece.test(text)) ? 3 : -1;
  };
};

/** Those of some names that fit, the best first. @param {string} query @param {number} rows @param {(row: number) => string} name @param {() => boolean} stopped */
FG.ranked = async (query, rows, name, stopped) => {
  const fits = FG.fits(query), found = /** @type {number[][]} */ ([[], [], [], []]);
  await FG.over(rows, (row) => { const rank = fits(name(row)); if (rank >= 0) found[rank].push(row); }, stopped);
  return found.flat();
};

/** @param {string} title @param {string} kind @param {number[]} rows @param {(row: number) => string} text @param {(row: number) => string} [more] @returns {Group} */
FG.group = (title, kind, rows, text, more) => ({
  title, total: rows.length, hits: rows.slice(0, FG.MOST_HITS).map((row) => ({ kind, id: row, text: text(row), more: more?.(row) ?? "" })) });

/** Ways to search: each gives groups of what fits. @type {((query: string, stopped: () => boolean) => Promise<Group[]>)[]} */
FG.searches = [];

FG.searches.push(async (query, stopped) => {
  if (query.includes(">")) return [];
  const devices = await FG.devices(), classes = FG.block("head").classes, racks = await FG.racks();
  const rows = await FG.ranked(query, devices.rows, devices.name.at, stopped);
  const models = FG.models(), parts = (await FG.table("cables").column("part")).of, feeds = await FG.feeds();
  return [
    FG.group("Devices", "device", rows, devices.name.at, (row) => { const cls = classes[devices.class.at(row)]; return `${cls.model}, ${devices.rack.at(row)}`; }),
    await FG.foundGpus(query, stopped),
    FG.group("Racks", "rack", await FG.ranked(query, racks.rows, racks.name.at, stopped), racks.name.at),
    FG.group("Models", "model", await FG.ranked(query, models.length, (i) => models[i], stopped), (i) => models[i]),
    FG.group("Parts of cables", "part", await FG.ranked(query, parts.length, (i) => parts[i], stopped), (i) => parts[i]),
    FG.group("Power feeds", "feed", await FG.ranked(query.replace(/^feed\s+/i, ""), feeds.length, (i) => `${feeds[i]}`, stopped), (i) => feeds[i]),
  ];
});

/** GPUs: `gpu3` behind what fits a node. @param {string} query @param {() => boolean} stopped @returns {Promise<Group>} */
FG.foundGpus = async (query, stopped) => {
  const said = /^(.+?)[\s:]+gpu(\d*)$/i.exec(query), devices = await FG.devices(), hits = /** @type {Hit[]} */ ([]);
  for (const row of said ? await FG.ranked(said[1], devices.rows, devices.name.at, stopped) : []) {
    for (let gpu = 0; FG.hasGpu(devices.class.at(row), gpu); gpu += 1) {
      if (said && (!said[2] || Number(said[2]) === gpu)) hits.push({ kind: "gpu", id: FG.gpuId(row, gpu), text: `${devices.name.at(row)}:gpu${gpu}` });
    }
  }
  return { title: "Accelerators", total: hits.length, hits: hits.slice(0, FG.MOST_HITS) };
};

FG.searches.push(async (query, stopped) => {
  const digits = /^(?:AS\s*)?(\d+)$/i.exec(query);
  if (!digits) return [];
  const asn = (await FG.devices()).asn;
  return [FG.group("AS numbers", "asn", (await FG.ranked(digits[1], asn.of.length, (i) => asn.of[i], stopped)).filter((i) => asn.of[i]), (i) => asn.of[i])];
});

/** What both labels of a row of cables.csv say, and the same with names of devices instead of places. @param {Object<string, string>} row */
FG.labelsOf = (row) => {
  const [a, b] = row.label_a.split(" > ").map((text) => FG.cut(text)[1]);
  const near = `${row.a_device}:${a}`, far = `${row.b_device}:${b}`;
  return [[row.label_a, `${near} > ${far}`], [row.label_b, `${far} > ${near}`]];
};

/** Ports, cables and labels of devices that are named before a colon, by name or by place. */
FG.searches.push(async (query, stopped) => {
  if (!query.includes(":") || query.includes("..")) return [];
  const [near, far] = query.toLowerCase().split(">").map((text) => text.trim()), [name, port] = FG.cut(near);
  const [devices, links] = [await FG.devices(), await FG.links()], exact = await FG.deviceRow(name);
  const there = exact >= 0 ? [exact] : await FG.devicesAt(name);
  const owners = there.length ? there : (await FG.ranked(name, devices.rows, devices.name.at, stopped)).slice(0, 200);
  const ports = /** @type {Hit[]} */ ([]), cables = new Set(), labels = /** @type {Hit[]} */ ([]), all = await FG.cables();
  for (const owner of owners) {
    for (const link of links.on.of(owner)) {
      const own = (links.a.at(link) === owner ? links.a_port : links.b_port).at(link), cable = links.cable.at(link);
      if (far === undefined && own.toLowerCase().startsWith(port)) ports.push({ kind: "link", id: link, text: `${devices.name.at(owner)}:${own}` });
      if (cable >= 0) cables.add(cable);
    }
  }
  const named = [...cables].filter((cable) => all.cable.at(cable).toLowerCase().startsWith(near));
  if (far !== undefined) {
    for (const cable of cables) {
      const label = (await FG.csv.cables(cable)).flatMap(FG.labelsOf).find((one) => one.some((text) => text.toLowerCase().startsWith(`${near} > ${far}`)));
      if (label) labels.push({ kind: "cable", id: cable, text: label[0], more: label[1] });
    }
  }
  return [
    { title: "Ports", total: ports.length, hits: ports.slice(0, FG.MOST_HITS) },
    FG.group("Cables", "cable", named, all.cable.at, (cable) => all.part.at(cable)),
    { title: "Labels", total: labels.length, hits: labels.slice(0, FG.MOST_HITS) },
  ];
});

/** A path: `A > B` or `A..B`. */
FG.searches.push(async (query) => {
  const ends = query.split(/\s*(?:>|\.\.)\s*/);
  if (ends.length < 2 || !await FG.traceEnd(ends[0]) || !await FG.traceEnd(ends[1])) return [];
  return [{ title: "Paths", total: 1, hits: [{ kind: "trace", id: FG.traceId(ends.join("..")), text: `${ends[0]} → ${ends[1]}` }] }];
});

/** Words of 32 bits and a prefix length of an address or of its first bytes; null for another text. @param {string} text @returns {{words: number[], length: number, whole: boolean} | null} */
FG.parsedAddress = (text) => {
  const [address, stated] = text.split("/"), length = stated === undefined ? -1 : Number(stated);
  if (!/^\d*$/.test(stated ?? "") || !address) return null;
  if (/^\d{1,3}(\.\d{1,3}){1,3}\.?$/.test(address)) {
    const bytes = address.split(".").filter(Boolean).map(Number);
    if (bytes.some((byte) => byte > 255) || length > 32) return null;
    const word = [0, 1, 2, 3].reduce((sum, i) => sum * 256 + (bytes[i] ?? 0), 0) | 0;
    return { words: [word], length: length >= 0 ? length : bytes.length * 8, whole: length < 0 && bytes.length === 4 };
  }
  const halves = address.split("::"), groups = halves.map((half) => half.split(":").filter(Boolean));
  if (halves.length > 2 || !groups.flat().every((group) => /^[0-9a-f]{1,4}$/i.test(group)) || (halves.length === 1 && groups[0].length !== 8) || groups.flat().length > 8 || length > 128) return null;
  const zeros = Array(8 - groups.flat().length).fill("0"), all = halves.length === 1 ? groups[0] : [...groups[0], ...zeros, ...groups[1]];
  const numbers = all.map((group) => Number.parseInt(group, 16)), open = address.endsWith("::") && length < 0 && groups[0].length > 0;
  return { words: [0, 2, 4, 6].map((i) => (numbers[i] << 16) | numbers[i + 1]), length: length >= 0 ? length : open ? groups[0].length * 16 : 128, whole: length < 0 && !open };
};

/** Whether the first bits of two addresses are equal. @param {Int32Array[]} columns @param {number} row @param {number[]} words @param {number} length */
FG.sameBits = (columns, row, words, length) => {
  for (let i = 0, left = length; i < words.length && left > 0; i += 1, left -= 32) {
    const other = columns[i][row] ^ words[i];
    if (left >= 32 ? other !== 0 : other >>> (32 - left) !== 0) return false;
  }
  return true;
};

/** Addresses: that one, or all in a prefix, then the prefixes that contain it. */
FG.searches.push(async (query, stopped) => {
  const wanted = FG.parsedAddress(query);
  if (!wanted) return [];
  const { families } = await FG.addresses(), [links, devices] = [await FG.links(), await FG.devices()];
  const found = [{ title: "Addresses", total: 0, hits: /** @type {Hit[]} */ ([]) }, { title: "In the same subnet", total: 0, hits: [] }];
  for (const family of families.filter((/** @type {any} */ one) => one.bits === wanted.words.length * 32)) {
    const look = (/** @type {Int32Array[]} */ words, /** @type {(row: number) => number} */ length, /** @type {(row: number) => any} */ hit) => FG.over(words[0].length, (row) => {
      if (!FG.hasAddress(words, row)) return;
      const within = FG.sameBits(words, row, wanted.words, wanted.length);
      if (!within && !(wanted.whole && FG.sameBits(words, row, wanted.words, length(row)))) return;
      const group = found[within ? 0 : 1];
      group.total += 1;
      if (group.hits.length < FG.MOST_HITS) group.hits.push({ ...hit(row), text: `${FG.address(words, row)}/${length(row)}` });
    }, stopped);
    for (const one of [...family.before, ...family.after]) await look(one.address, (i) => one.length[i], (i) => ({ kind: "device", id: one.device[i], more: `${devices.name.at(one.device[i])} ${one.port.at(i)}, ${one.kind.at(i)}` }));
    for (const side of ["a", "b"]) await look(family[side], (i) => family.length[i], (i) => ({ kind: "link", id: i, more: `${devices.name.at(links[side].at(i))}:${links[`${side}_port`].at(i)}` }));
  }
  return found;
});

/** MACs, serial numbers, GUIDs, however they are written. */
FG.searches.push(async (query, stopped) => {
  const { inventory, guids } = await FG.hardware(), wanted = query.toLowerCase(), devices = await FG.devices();
  const hex = /^(0x)?[0-9a-f:.\s-]+$/i.test(query) ? wanted.replace(/^0x/, "").replace(/[^0-9a-f]/g, "") : "", found = /** @type {Hit[]} */ ([]);
  if (hex.length < 4 && !inventory.rows) return [];
  for (let i = 0; i < inventory.rows; i += 1) {
    const [name, port, mac, guid, serial] = ["device", "port", "mac", "guid", "serial"].map((column) => inventory[column].at(i));
    const fits = (hex.length >= 4 && (mac.replaceAll(":", "").includes(hex) || guid.includes(hex))) || (wanted.length >= 3 && serial.toLowerCase().includes(wanted));
    if (fits) found.push({ kind: "device", id: await FG.deviceRow(name), text: [mac, guid, serial].filter(Boolean).join(" "), more: port ? `${name}:${port}` : name });
  }
  if (hex.length >= 4) {
    await FG.over(guids.rows, (i) => {
      for (const column of ["guid", "port_guid"]) {
        const text = FG.guid(guids, column, i), port = guids.port.at(i), name = devices.name.at(guids.device.rows[i]);
        if (text.includes(hex)) found.push({ kind: "device", id: guids.device.rows[i], text, more: `${port ? `${name}:${port}` : name}, ${column === "guid" ? "GUID" : "port GUID"}, ${guids.stated.at(i) ? "stated" : "planned"}` });
      }
    }, stopped);
  }
  return [{ title: "MACs, GUIDs, serial numbers", total: found.length, hits: found.slice(0, FG.MOST_HITS) }];
});

/** Groups of what fits a query. @param {string} query @param {() => boolean} [stopped] @returns {Promise<Group[]>} */
FG.find = async (query, stopped = () => false) => {
  const text = query.trim(), found = [];
  for (const search of text ? FG.searches : []) {
    if (stopped()) return [];
    found.push(...await search(text, stopped));
    await FG.breathe();
  }
  return found.filter((group) => group.total);
};

/** The box: a combobox with a list of what was found. */
FG.searchBox = () => {
  const box = FG.make("input"), list = FG.make("ul"), place = FG.el("search");
  Object.assign(box, { type: "search", id: "query", placeholder: "Search: name, port… (/)", title: "A name, address, port or cable", autocomplete: "off", spellcheck: false });
  for (const [name, value] of Object.entries({ role: "combobox", "aria-label": "Search", "aria-expanded": "false", "aria-controls": "found", "aria-autocomplete": "list" })) box.setAttribute(name, value);
  Object.assign(list, { id: "found", hidden: true });
  list.setAttribute("role", "listbox");
  list.setAttribute("aria-label", "Found");
  place.append(box, list);
  let asked = 0, at = -1, asking = Promise.resolve();
  /** @type {Hit[]} */
  let hits = [];
  const close = () => { list.hidden = true; box.setAttribute("aria-expanded", "false"); box.removeAttribute("aria-activedescendant"); };
  const mark = (/** @type {number} */ next) => {
    at = hits.length ? (next + hits.length) % hits.length : -1;
    list.querySelectorAll("[role=option]").forEach((/** @type {Element} */ one, /** @type {number} */ i) => {
      one.setAttribute("aria-selected", String(i === at));
      if (i === at) { one.scrollIntoView({ block: "nearest" }); box.setAttribute("aria-activedescendant", one.id); }
    });
  };
  const take = (/** @type {number} */ i) => { close(); FG.focusPicture(); const { kind, id } = hits[i]; FG.choose({ kind, id }); };
  const show = (/** @type {Group[]} */ groups) => {
    hits = [];
    list.replaceChildren();
    for (const group of groups) {
      const some = group.hits.slice(0, Math.max(1, Math.floor(FG.MOST_HITS / groups.length)));
      const heading = FG.make("li", `${group.title} · ${some.length < group.total ? `${some.length} of ` : ""}${group.total.toLocaleString("en")}`, "heading");
      heading.setAttribute("role", "presentation");
      list.append(heading);
      for (const hit of some) {
        const option = FG.make("li", hit.text), number = hits.push(hit) - 1;
        if (hit.more) option.append(" ", FG.make("small", hit.more));
        option.id = `found-${number}`;
        option.setAttribute("role", "option");
        option.addEventListener("pointerdown", (/** @type {Event} */ event) => { event.preventDefault(); take(number); });
        list.append(option);
      }
    }
    if (!groups.length) list.append(FG.make("li", "Nothing found", "heading"));
    list.hidden = false;
    box.setAttribute("aria-expanded", "true");
    FG.el("status").textContent = `${groups.reduce((sum, group) => sum + group.total, 0).toLocaleString("en")} found`;
    mark(0);
  };
  const ask = async () => {
    const mine = (asked += 1), query = box.value;
    if (!query.trim()) { close(); return; }
    const groups = await FG.find(query, () => mine !== asked);
    if (mine === asked) { show(groups); list.dataset.query = query; }
  };
  // Enter may come before the list has caught up with what was typed: it takes what the whole text finds.
  const enter = async () => { await asking; if (at >= 0 && !list.hidden) take(at); };
  box.addEventListener("input", () => { asking = ask(); });
  box.addEventListener("focus", () => { if (box.value) asking = ask(); });
  box.addEventListener("blur", close);
  box.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") mark(at + (event.key === "ArrowDown" ? 1 : -1));
    else if (event.key === "Enter" && box.value.trim()) enter();
    else if (event.key === "Escape") { if (list.hidden) box.value = ""; close(); } else return;
    event.preventDefault();
  });
  document.addEventListener("keydown", (event) => {
    const typing = event.target instanceof HTMLElement && event.target.closest("input, select, textarea");
    if (event.key === "/" && !typing) { event.preventDefault(); box.focus(); box.select(); }
  });
};
FG.searchBox();
