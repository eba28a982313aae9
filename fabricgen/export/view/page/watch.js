// @ts-check
"use strict";
/** `view --watch` only: asks whether there is another page, and shows what is wrong with the blueprint meanwhile. */
FG.watch = {};

/** Faults of the blueprint, each at its line. @param {{place: string, severity: string, code: string, message: string, hint: string}[]} faults */
FG.watch.show = (faults) => {
  const said = JSON.stringify(faults), panel = FG.el("faults");
  if (panel.dataset.said === said) return;
  panel.dataset.said = said;
  panel.replaceChildren(...faults.map(({ place, severity, code, message, hint }) => {
    const line = document.createElement("p"), where = document.createElement("strong");
    where.textContent = place ? `${place}: ` : "";
    line.append(where, `${severity}[${code}]: ${message}`);
    if (hint) {
      const small = document.createElement("small");
      small.textContent = ` hint: ${hint}`;
      line.append(small);
    }
    return line;
  }));
  panel.hidden = !faults.length;
};

/** Ask, show, and take the other page; what is chosen and the zoom are in the address. */
FG.watch.ask = async () => {
  try {
    const state = await (await fetch("state", { cache: "no-store" })).json();
    if (state.version !== FG.block("watch").version) return location.reload();
    FG.watch.show(state.faults);
    FG.el("status").classList.remove("ended");
  } catch {
    FG.el("status").textContent = "The watch has ended: this is the last picture.";
    FG.el("status").classList.add("ended");
  }
  setTimeout(FG.watch.ask, 500);
};

{
  const panel = document.createElement("section");
  panel.id = "faults";
  panel.setAttribute("role", "alert");
  panel.hidden = true;
  document.body.insertBefore(panel, FG.el("status"));
  FG.watch.ask();
}
