// @ts-check
"use strict";
/** The edge of the panel: drag it, or move it by arrows, to make the panel wider. */
FG.split = () => {
  const edge = FG.el("split"), side = FG.el("side"), least = 340;
  const widen = (/** @type {number} */ width) => {
    const wide = Math.round(Math.max(least, Math.min(innerWidth * 0.8, width)));
    side.style.width = `${wide}px`;
    edge.setAttribute("aria-valuenow", String(wide));
  };
  edge.addEventListener("pointerdown", (event) => { edge.setPointerCapture(event.pointerId); event.preventDefault(); edge.focus(); });
  edge.addEventListener("pointermove", (event) => { if (edge.hasPointerCapture(event.pointerId)) widen(innerWidth - event.clientX); });
  edge.addEventListener("dblclick", () => widen(least));
  edge.addEventListener("keydown", (event) => {
    const by = event.key === "ArrowLeft" ? 40 : event.key === "ArrowRight" ? -40 : 0;
    if (by) { event.preventDefault(); widen(side.offsetWidth + by); }
  });
};
FG.split();
