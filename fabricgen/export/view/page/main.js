// @ts-check
"use strict";
/** Starts the page. */
FG.main = async () => {
  const head = FG.block("head");
  document.title = head.name;
  FG.el("title").textContent = head.name;
  const canvas = /** @type {HTMLCanvasElement} */ (FG.el("picture"));
  const fabric = new FG.Fabric(FG.block("scene"));
  await fabric.load();
  const c = /** @type {CanvasRenderingContext2D} */ (canvas.getContext("2d"));
  let asked = false;
  const paint = () => {
    asked = false;
    const style = getComputedStyle(document.documentElement);
    const theme = Object.fromEntries(["paper", "ink", "faint", "line", "box", "chosen"].map((name) => [name, style.getPropertyValue(`--${name}`).trim()]));
    c.setTransform(1, 0, 0, 1, 0, 0);
    c.fillStyle = theme.paper;
    c.fillRect(0, 0, canvas.width, canvas.height);
    fabric.paint(c, camera, theme);
  };
  const ask = () => { if (!asked) { asked = true; requestAnimationFrame(paint); } };
  const camera = new FG.Camera(canvas, ask);
  const fit = () => {
    canvas.width = canvas.clientWidth * devicePixelRatio;
    canvas.height = canvas.clientHeight * devicePixelRatio;
    ask();
  };
  new ResizeObserver(fit).observe(canvas);
  fit();
  camera.show(0, 0, fabric.w, fabric.h);
  document.documentElement.dataset.ready = "yes";
};
FG.main();
