// @ts-check
"use strict";
/** Starts the page: the canvas, ways of looking, and what pointer and keys choose. */
FG.main = async () => {
  const head = FG.block("head");
  document.title = head.name;
  FG.el("title").textContent = head.name;
  const canvas = /** @type {HTMLCanvasElement} */ (FG.el("picture"));
  const c = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d", { alpha: false }));
  /** @type {Map<any, number[]>} Where the camera was in each way. */
  const places = new Map();
  const loaded = new Set();
  /** @type {any} */
  let way = null;
  let asked = false;

  const paint = () => {
    asked = false;
    const theme = FG.theme();
    c.setTransform(1, 0, 0, 1, 0, 0);
    c.globalAlpha = 1;
    c.fillStyle = theme.paper;
    c.fillRect(0, 0, canvas.width, canvas.height);
    if (!way) return;
    way.paint(c, camera, theme);
    FG.tell("painted", way);
  };
  /** Paint anew, with the next frame. */
  FG.repaint = () => { if (!asked) { asked = true; requestAnimationFrame(paint); } };
  const camera = FG.camera = new FG.Camera(canvas, () => {
    FG.place = [camera.x, camera.y, camera.scale];
    FG.write();
    FG.tell("camera");
    FG.repaint();
  });
  const put = (/** @type {number[]} */ place) => { [camera.x, camera.y] = place; camera.scale = camera.bounded(place[2]); camera.shown = null; camera.changed(); };

  const show = async () => {
    const next = FG.ways.find((one) => one.name === FG.state.way) ?? FG.ways[0];
    if (next === way) return;
    if (way && FG.place) places.set(way, FG.place);
    if (!loaded.has(next)) { await next.load(); loaded.add(next); }
    way = FG.way = next;
    camera.margin = way.margin ?? 0;
    for (const button of FG.el("ways").querySelectorAll("button")) button.setAttribute("aria-pressed", String(button.dataset.way === next.name));
    const place = places.get(next);
    if (!place) { camera.show(.../** @type {[number, number, number, number]} */ (next.bounds(null))); return; }
    put(place);
    const found = FG.state.chosen && next.bounds(FG.state.chosen);
    if (found && !camera.sees(found[0] + found[2] / 2, found[1] + found[3] / 2)) FG.goTo(FG.state.chosen);
  };
  /** Bring what is chosen into sight, close enough to see it. @param {any} chosen */
  FG.goTo = (chosen) => {
    const found = way.bounds(chosen);
    if (found) camera.show(.../** @type {[number, number, number, number]} */ (found));
  };
  for (const one of FG.ways) {
    const button = document.createElement("button");
    button.textContent = one.title;
    button.dataset.way = one.name;
    button.addEventListener("click", () => FG.set({ way: one.name }));
    FG.el("ways").append(button);
  }
  FG.on("change", (news) => { if ("way" in news) show(); FG.repaint(); });
  FG.pointing(canvas, camera, () => way);
  window.addEventListener("hashchange", async () => {
    if (location.hash === FG.fragment) return;
    await FG.readFragment();
    await show();
    if (FG.place) put(FG.place); else FG.goTo(FG.state.chosen);
  });
  const fit = () => {
    const printing = document.documentElement.hasAttribute("data-print");
    if (printing && FG.ratio > devicePixelRatio) return; // the paper has its picture
    FG.ratio = devicePixelRatio * (printing ? 3 : 1);
    canvas.width = canvas.clientWidth * FG.ratio;
    canvas.height = canvas.clientHeight * FG.ratio;
    if (way && camera.shown && !printing) camera.show(.../** @type {[number, number, number, number]} */ (camera.shown));
    paint();
  };
  /** On paper everything is light, and sharp. @param {boolean} on */
  const print = (on) => { document.documentElement.toggleAttribute("data-print", on); FG.colours = null; fit(); };
  window.addEventListener("beforeprint", () => print(true));
  window.addEventListener("afterprint", () => print(false));
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { FG.colours = null; FG.overlay.legend(); FG.repaint(); });
  new ResizeObserver(fit).observe(canvas);
  fit();
  await FG.readFragment();
  const place = FG.place;
  await show();
  if (place) put(place); else if (FG.state.chosen) FG.goTo(FG.state.chosen);
  FG.tell("ready");
  requestAnimationFrame(() => { document.documentElement.dataset.ready = "yes"; });
};

/** Colours of the style sheet, read once for light and once for dark. @returns {any} */
FG.theme = () => {
  if (!FG.colours) {
    const style = getComputedStyle(document.documentElement);
    FG.colours = Object.fromEntries(["paper", "ink", "faint", "line", "box", "chosen", "node", "cold", "hot", "dark"].map((name) => [name, style.getPropertyValue(`--${name}`).trim()]));
  }
  return FG.colours;
};

/** Colours as they are lighter. @type {Map<string, string>} */
FG.lightened = new Map();
/** A colour that can be seen on dark paper: half as far from white, where it is dark. @param {string} fill @param {any} theme */
FG.visible = (fill, theme) => {
  if (theme.dark !== "1" || !/^#[0-9a-f]{6}$/i.test(fill)) return fill;
  const known = FG.lightened.get(fill);
  if (known) return known;
  const parts = [1, 3, 5].map((i) => Number.parseInt(fill.slice(i, i + 2), 16)), bright = (0.3 * parts[0] + 0.59 * parts[1] + 0.11 * parts[2]) / 255;
  const by = Math.max(0, 0.55 - bright), made = `#${parts.map((part) => Math.round(part + (255 - part) * by).toString(16).padStart(2, "0")).join("")}`;
  FG.lightened.set(fill, made);
  return made;
};

/** What pointer and keys choose: tap, double tap, hover, arrows among siblings, Enter, Escape. @param {HTMLCanvasElement} canvas @param {any} camera @param {() => any} way */
FG.pointing = (canvas, camera, way) => {
  const tip = FG.el("tip");
  const pick = (/** @type {number} */ px, /** @type {number} */ py) => way()?.pick(...camera.at(px, py)) ?? null;
  camera.tapped = (/** @type {number} */ px, /** @type {number} */ py) => FG.set({ chosen: pick(px, py) });
  canvas.addEventListener("dblclick", (event) => FG.goTo(pick(event.offsetX, event.offsetY)));
  canvas.addEventListener("pointermove", (event) => {
    const found = event.buttons ? null : pick(event.offsetX, event.offsetY);
    const text = found && way().describe ? way().describe(found) : "";
    tip.textContent = text;
    tip.hidden = !text;
    tip.style.left = `${Math.min(event.offsetX + 14, camera.width - 280)}px`;
    tip.style.top = `${event.offsetY + 14}px`;
  });
  canvas.addEventListener("pointerleave", () => { tip.hidden = true; });
  canvas.addEventListener("keydown", (event) => {
    const chosen = FG.state.chosen;
    if (event.key === "0" || event.key === "Home") camera.show(...way().bounds(null));
    else if (event.key === "Escape") FG.set({ chosen: (chosen && way().parent?.(chosen)) ?? null });
    else if (event.key === "Enter" && chosen) FG.goTo(chosen);
    else if (event.key === "Enter" && way().first) FG.set({ chosen: way().first(camera) });
    else if (chosen && event.key.startsWith("Arrow") && way().sibling) {
      const next = way().sibling(chosen, event.key.slice(5));
      if (next) { FG.set({ chosen: next }); way().reveal?.(next, camera); }
    } else return;
    event.preventDefault();
    event.stopImmediatePropagation();
  }, true);
};
FG.main();
