"use strict";
(() => {
  const steps = [...document.querySelectorAll("details.step")];
  const marks = [...document.querySelectorAll(".strip a")];
  const named = (hash) => steps.findIndex((step) => "#" + step.id === hash);
  let here = -1;
  const show = (index) => {
    const step = steps[index];
    if (!step) return;
    here = index;
    for (const other of steps) other.open = other === step;
    for (const mark of marks) mark.toggleAttribute("aria-current", mark.hash === "#" + step.id);
    step.scrollIntoView({ block: "start" });
    step.firstElementChild.focus({ preventScroll: true });
  };
  const follow = document.getElementById("follow");
  let shown = "";
  const alone = (on) => {
    if (!follow) return;
    follow.hidden = !on;
    if (!on) show(named(shown));
  };
  addEventListener("hashchange", () => show(named(location.hash)));
  show(named(location.hash));
  steps.forEach((step, index) => step.addEventListener("toggle", () => { if (step.open) here = index; }));
  for (const mark of marks) mark.addEventListener("click", () => { alone(true); show(named(mark.hash)); });
  addEventListener("keydown", (event) => {
    if (event.altKey || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const to = { ArrowRight: here + 1, ArrowLeft: here - 1, Home: 0, End: steps.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    alone(true);
    show(Math.max(0, Math.min(to, steps.length - 1)));
  });
  if (!follow) return;
  for (const what of ["wheel", "touchmove"]) addEventListener(what, () => alone(true), { passive: true });
  for (const step of steps) step.firstElementChild.addEventListener("click", () => alone(true));
  follow.addEventListener("click", () => alone(false));
  const events = new EventSource("shown");
  events.addEventListener("message", (event) => {
    shown = "#node-" + event.data;
    if (follow.hidden) show(named(shown));
  });
})();
