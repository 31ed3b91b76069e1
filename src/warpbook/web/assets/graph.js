// The graph's picture: moved and zoomed, looked through, and kept in view while it changes.
// What is looked at is held outside the panel, so that a fresh picture leaves it alone.
(() => {
  const root = document.documentElement;
  const LEAST = 0.05, MOST = 4, LEGIBLE = 0.42, STEP = 1.3, MOVE = 80;
  const FAR = 0.52, NEAR = 1.15; // pixels a unit
  let look = null; // { x, y, scale }: the point in the middle, and pixels a unit; null shows all
  let scope = null;
  const pointers = new Map();
  let travelled = 0;

  const picture = () => document.querySelector(".kg-frame > svg.kg");
  const fitted = (svg) => svg.getScreenCTM().a;
  function middle(svg) {
    const box = svg.viewBox.baseVal;
    return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  }

  function show() {
    const svg = picture();
    if (!svg || !svg.clientWidth) return;
    const scale = look ? look.scale : fitted(svg);
    const k = look ? scale / fitted(svg) : 1;
    const at = middle(svg);
    root.style.setProperty("--kg-x", look ? `${at.x - k * look.x}px` : "0px");
    root.style.setProperty("--kg-y", look ? `${at.y - k * look.y}px` : "0px");
    root.style.setProperty("--kg-k", String(k));
    root.dataset.kg = scale < FAR ? "far" : scale > NEAR ? "near" : "";
  }

  const current = (svg) => look || { ...middle(svg), scale: fitted(svg) };

  function zoom(by, at) {
    const svg = picture();
    if (!svg) return;
    const from = current(svg);
    const scale = Math.min(Math.max(from.scale * by, LEAST), MOST);
    const box = svg.getBoundingClientRect();
    const off = at ? { x: at.x - box.left - box.width / 2, y: at.y - box.top - box.height / 2 } : { x: 0, y: 0 };
    look = {
      x: from.x + off.x / from.scale - off.x / scale,
      y: from.y + off.y / from.scale - off.y / scale,
      scale,
    };
    show();
  }

  function move(dx, dy) {
    const svg = picture();
    if (!svg) return;
    const from = current(svg);
    look = { x: from.x - dx / from.scale, y: from.y - dy / from.scale, scale: from.scale };
    show();
  }

  function place(node) {
    const at = node.transform.baseVal.consolidate().matrix;
    return { x: at.e, y: at.f };
  }

  // All of it, where that can be read; else the centre, or the top, without empty space beside it.
  function arrive(svg) {
    if (fitted(svg) >= LEGIBLE) return void (look = null);
    const box = svg.viewBox.baseVal;
    const scale = Math.min(Math.max(svg.clientHeight / box.height, LEGIBLE), 0.9);
    const node = svg.querySelector(".kg-node.centre:not(.k-campaign)");
    const at = node ? place(node) : { x: box.x + box.width / 2, y: box.y };
    const within = (value, from, size, half) =>
      2 * half >= size ? from + size / 2 : Math.min(Math.max(value, from + half), from + size - half);
    look = {
      x: within(at.x, box.x, box.width, svg.clientWidth / scale / 2),
      y: within(at.y, box.y, box.height, svg.clientHeight / scale / 2),
      scale,
    };
  }

  function bring(node) {
    const frame = node.closest(".kg-frame").getBoundingClientRect();
    const box = node.getBoundingClientRect();
    if (box.left >= frame.left && box.right <= frame.right && box.top >= frame.top && box.bottom <= frame.bottom) return;
    look = { ...place(node), scale: Math.max(current(picture()).scale, LEGIBLE) };
    show();
  }

  function light(name) {
    delete root.dataset.kgLit;
    for (const edge of document.querySelectorAll(".kg-edge")) {
      const lit = Boolean(name) && (edge.dataset.start === name || edge.dataset.end === name);
      edge.classList.toggle("lit", lit);
      if (lit) root.dataset.kgLit = "";
    }
  }

  function find() {
    const box = document.querySelector("[data-graph-find]");
    const words = (box?.value || "").toLowerCase().split(/\s+/).filter(Boolean);
    if (words.length) root.dataset.kgFind = "";
    else delete root.dataset.kgFind;
    let count = 0;
    for (const node of document.querySelectorAll(".kg-frame .kg-node")) {
      const text = `${node.getAttribute("aria-label")} ${node.dataset.tip}`.toLowerCase();
      const found = words.length > 0 && words.every((word) => text.includes(word));
      node.classList.toggle("found", found);
      count += found;
    }
    const told = document.querySelector("[data-graph-found]");
    const said = words.length ? `${count} found` : "";
    if (told && told.textContent !== said) told.textContent = said;
  }

  function fresh() {
    const svg = picture();
    if (!svg) return;
    const now = svg.closest(".kg-frame").dataset.scope;
    if (now !== scope) arrive(svg);
    scope = now;
    show();
    find();
  }

  const inside = (event) => event.target instanceof Element && event.target.closest(".kg-frame");
  const spread = () => {
    const [a, b] = [...pointers.values()];
    return { far: Math.hypot(a.x - b.x, a.y - b.y) || 1, x: (a.x + b.x) / 2, y: (a.y + b.y) / 2 };
  };

  document.addEventListener("panel", fresh);
  addEventListener("resize", show);
  addEventListener("wheel", (event) => {
    if (!inside(event)) return;
    event.preventDefault();
    zoom(Math.exp(-event.deltaY * (event.ctrlKey ? 0.01 : 0.0016)), { x: event.clientX, y: event.clientY });
  }, { passive: false });
  addEventListener("dragstart", (event) => inside(event) && event.preventDefault());
  addEventListener("pointerdown", (event) => {
    if (!inside(event) || event.button) return;
    if (!pointers.size) travelled = 0;
    pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
  });
  addEventListener("pointermove", (event) => {
    const was = pointers.get(event.pointerId);
    if (!was) return;
    const before = pointers.size === 2 ? spread() : null;
    pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
    travelled += Math.hypot(event.clientX - was.x, event.clientY - was.y);
    if (before) {
      const after = spread();
      zoom(after.far / before.far, after);
      move(after.x - before.x, after.y - before.y);
    } else if (pointers.size === 1 && travelled > 4) move(event.clientX - was.x, event.clientY - was.y);
  });
  for (const end of ["pointerup", "pointercancel"]) addEventListener(end, (event) => pointers.delete(event.pointerId));
  // A drag that ends on a card is no click on it.
  addEventListener("click", (event) => {
    if (inside(event) && travelled > 4) {
      event.preventDefault();
      event.stopPropagation();
    }
    travelled = 0;
    const around = event.target instanceof Element && event.target.closest("[data-around]");
    if (around) document.querySelector(`[data-centre="${CSS.escape(around.dataset.around)}"]`)?.click();
    const button = event.target instanceof Element && event.target.closest("[data-zoom]");
    if (!button) return;
    if (button.dataset.zoom === "all") {
      look = null;
      show();
    } else zoom(button.dataset.zoom === "in" ? STEP : 1 / STEP);
  }, true);
  addEventListener("keydown", (event) => {
    const frame = inside(event);
    if (!frame || event.ctrlKey || event.metaKey || event.altKey) return;
    const moves = { ArrowLeft: [MOVE, 0], ArrowRight: [-MOVE, 0], ArrowUp: [0, MOVE], ArrowDown: [0, -MOVE] };
    if (moves[event.key]) move(...moves[event.key]);
    else if (event.key === "+" || event.key === "=") zoom(STEP);
    else if (event.key === "-") zoom(1 / STEP);
    else if (event.key === "0") {
      look = null;
      show();
    } else return;
    event.preventDefault();
  });
  addEventListener("pointerover", (event) => {
    const node = inside(event) && event.target.closest(".kg-node");
    if (node) light(node.dataset.name);
    else if ("kgLit" in root.dataset) light("");
  });
  addEventListener("focusin", (event) => {
    const node = inside(event) && event.target.closest(".kg-node");
    if (!node) return;
    light(node.dataset.name);
    if (node.matches(":focus-visible")) bring(node);
  });
  addEventListener("focusout", (event) => inside(event) && light(""));
  addEventListener("input", (event) => event.target.matches?.("[data-graph-find]") && find());
  addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !event.target.matches?.("[data-graph-find]")) return;
    event.preventDefault();
    const node = document.querySelector(".kg-frame .kg-node.found");
    if (!node) return;
    look = { ...place(node), scale: Math.max(current(picture()).scale, LEGIBLE) };
    show();
  });
})();
