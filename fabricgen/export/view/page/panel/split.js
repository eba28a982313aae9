// @ts-check
"use strict";
/** The edge of the panel: drag it, or move it by arrows, to make the panel wider; of a sheet, higher. A tap on that makes it high, and low again. */
FG.split = () => {
  const edge = FG.el("split"), side = FG.el("side"), { phone } = FG;
  const limits = () => (phone.matches ? [60, innerHeight - 200] : [340, innerWidth * 0.8]);
  const widen = (/** @type {number} */ to) => {
    const [least, most] = limits(), size = Math.round(Math.max(least, Math.min(most, to)));
    document.documentElement.style.setProperty(phone.matches ? "--high" : "--wide", `${size}px`);
    edge.setAttribute("aria-valuenow", String(size));
  };
  const turn = () => {
    edge.setAttribute("aria-orientation", phone.matches ? "horizontal" : "vertical");
    edge.setAttribute("aria-label", phone.matches ? "Height of the sheet" : "Width of the panel");
    edge.setAttribute("aria-valuemin", String(limits()[0]));
  };
  let moved = false;
  edge.addEventListener("pointerdown", (event) => { moved = false; edge.setPointerCapture(event.pointerId); event.preventDefault(); edge.focus(); });
  edge.addEventListener("pointermove", (event) => {
    if (!edge.hasPointerCapture(event.pointerId)) return;
    moved ||= Math.abs(event.movementX) + Math.abs(event.movementY) > 0;
    widen(phone.matches ? side.getBoundingClientRect().bottom - event.clientY - FG.el("search").offsetHeight - edge.offsetHeight / 2 : innerWidth - event.clientX);
  });
  edge.addEventListener("pointerup", () => { if (phone.matches && !moved) widen(side.offsetHeight > innerHeight / 2 ? innerHeight * 0.3 : innerHeight * 0.7); });
  edge.addEventListener("dblclick", () => { if (!phone.matches) widen(limits()[0]); });
  edge.addEventListener("keydown", (event) => {
    const [more, less] = phone.matches ? ["ArrowUp", "ArrowDown"] : ["ArrowLeft", "ArrowRight"], by = event.key === more ? 40 : event.key === less ? -40 : 0;
    if (by) { event.preventDefault(); widen((phone.matches ? side.offsetHeight : side.offsetWidth) + by); }
  });
  phone.addEventListener("change", turn);
  turn();
};
FG.split();
