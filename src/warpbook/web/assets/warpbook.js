// What all pages share: the theme, actions that post to the API, dialogs, tips and times.
(() => {
  const root = document.documentElement;
  const kept = (name) => {
    try { return localStorage.getItem(name); } catch { return null; }
  };
  const keep = (name, value) => {
    try { localStorage.setItem(name, value); } catch { /* a browser that keeps nothing */ }
  };

  const theme = () => root.dataset.theme || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
  if (kept("warpbook-theme")) root.dataset.theme = kept("warpbook-theme");

  function toast(text, bad) {
    let place = document.getElementById("toasts");
    if (!place) {
      place = Object.assign(document.createElement("div"), { id: "toasts" });
      place.setAttribute("role", "status");
      document.body.append(place);
    }
    const one = Object.assign(document.createElement("div"), { className: bad ? "toast bad" : "toast", textContent: text });
    one.addEventListener("click", () => one.remove());
    place.append(one);
    setTimeout(() => one.remove(), bad ? 12000 : 4000);
  }

  async function post(address, body) {
    let answer, said;
    try {
      answer = await fetch(address, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
      said = await answer.json();
    } catch {
      throw new Error("the dashboard does not answer; nothing was changed as far as this page knows");
    }
    if (!answer.ok) throw Object.assign(new Error(said.message || `refused (${answer.status})`), { address: said.address });
    return said;
  }

  const SECONDS = { "": 1, s: 1, m: 60, h: 3600, d: 86400 };
  // As `core/duration.py` reads them; none lifts a limit.
  function seconds(text) {
    const found = /^(\d+(?:\.\d+)?)\s*([smhd]?)$/.exec(text);
    if (text === "none") return null;
    if (!found) throw new Error(`"${text}" is no span of time: write 90s, 30m, 2h or 1.5d`);
    return Number(found[1]) * SECONDS[found[2]];
  }
  function number(text) {
    if (text === "none") return null;
    if (!Number.isFinite(Number(text))) throw new Error(`"${text}" is no number`);
    return Number(text);
  }

  function value(input) {
    if (input.type === "checkbox") return input.checked || undefined;
    if (input.dataset.type === "text") return input.value; // as it is typed, spaces and all
    const text = input.value.trim();
    if (text === "") return undefined;
    if (input.dataset.type === "number") return number(text);
    if (input.dataset.type === "span") return seconds(text);
    if (input.dataset.type === "boolean") return text === "true";
    if (input.dataset.type === "list") return text.split(",").map((part) => part.trim()).filter(Boolean);
    return text;
  }

  function fields(form) {
    const made = {};
    for (const input of form.elements) {
      const found = input.name && !input.matches(":disabled") ? value(input) : undefined;
      if (found === undefined || (input.type === "radio" && !input.checked)) continue;
      const path = input.name.split(".");
      let at = made;
      for (const part of path.slice(0, -1)) at = at[part] ||= {};
      at[path.at(-1)] = found;
    }
    return made;
  }

  async function press(button) {
    if (button.dataset.confirm && !confirm(button.dataset.confirm)) return;
    button.disabled = true;
    try {
      const said = await post(button.dataset.post, JSON.parse(button.dataset.body || "{}"));
      toast(said.message || button.dataset.done || `${button.textContent.trim()}: done`);
      if (button.dataset.then) location.assign(filled(button.dataset.then, said));
      else button.dispatchEvent(new Event("again", { bubbles: true }));
    } catch (error) {
      toast(error.message, true);
    } finally {
      button.disabled = false;
    }
  }

  const filled = (address, said) => address.replace(/\{(\w+)\}/g, (_, name) => encodeURIComponent(said[name] ?? ""));

  // Said on the page that comes next.
  function later(text) {
    keep("warpbook-later", JSON.stringify([...JSON.parse(kept("warpbook-later") || "[]"), text]));
  }
  addEventListener("DOMContentLoaded", () => {
    for (const text of JSON.parse(kept("warpbook-later") || "[]")) toast(text, true);
    keep("warpbook-later", "[]");
  });

  // What is there already is told with the way to it.
  function tell(place, error) {
    place.textContent = error.message;
    if (!error.address) return;
    place.append(" ", Object.assign(document.createElement("a"), { href: error.address, textContent: "show it" }));
  }

  const sending = new WeakSet(); // a form pressed twice is sent once
  async function send(form) {
    if (sending.has(form)) return;
    sending.add(form);
    const told = form.querySelector("[data-error]");
    if (told) told.textContent = "";
    try {
      const said = await post(form.dataset.post, fields(form));
      form.reset();
      form.closest("dialog")?.close();
      for (const line of said.misgivings || []) later(line);
      if (form.dataset.then) location.assign(filled(form.dataset.then, said));
      else toast(said.message || form.dataset.done || "done");
      form.dispatchEvent(new Event("again", { bubbles: true }));
    } catch (error) {
      if (told) tell(told, error);
      else toast(error.message, true);
    } finally {
      sending.delete(form);
    }
  }

  addEventListener("click", (event) => {
    const target = event.target instanceof Element ? event.target : null;
    const at = (selector) => target?.closest(selector);
    if (at("[data-theme-switch]")) {
      root.dataset.theme = theme() === "dark" ? "light" : "dark";
      keep("warpbook-theme", root.dataset.theme);
    } else if (at("button[data-post]")) press(at("button[data-post]"));
    else if (at("[data-open]")) document.getElementById(at("[data-open]").dataset.open)?.showModal();
    else if (at("[data-close]")) at("dialog")?.close();
    else if (at("[data-copy]")) copy(at("[data-copy]"));
  });
  // "/" leads to the search, unless one is typing.
  addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey) return;
    if (document.querySelector("dialog[open]") || event.target.closest?.("input, textarea, select")) return;
    const field = document.querySelector("header .find input");
    if (!field) return;
    event.preventDefault();
    field.focus();
  });
  addEventListener("submit", (event) => {
    const form = event.target.closest("form[data-post]");
    if (!form) return;
    event.preventDefault();
    send(form);
  });

  async function copy(button) {
    try {
      await navigator.clipboard.writeText(button.dataset.copy);
      toast("copied");
    } catch {
      toast("this browser does not let a page copy; mark the text instead", true);
    }
  }

  let tip, tipped;
  function showTip(event) {
    const at = event.target instanceof Element ? event.target.closest("[data-tip]") : null;
    if (!at) return hideTip();
    if (!tip) {
      tip = Object.assign(document.createElement("div"), { id: "tip" });
      tip.setAttribute("role", "tooltip");
      document.body.append(tip);
    }
    tipped = at;
    tip.textContent = at.dataset.tip || at.getAttribute("aria-label");
    tip.hidden = false;
    placeTip();
  }
  function placeTip() {
    const box = tipped.getBoundingClientRect();
    const left = Math.min(Math.max(box.left, 8), innerWidth - tip.offsetWidth - 8);
    const below = box.bottom + 6 + tip.offsetHeight < innerHeight;
    tip.style.left = `${left}px`;
    tip.style.top = `${below ? box.bottom + 6 : Math.max(box.top - tip.offsetHeight - 6, 4)}px`;
  }
  function hideTip() {
    if (tip) tip.hidden = true;
  }
  function scrolled() {
    if (!tip || tip.hidden) return;
    if (tipped.matches(":hover, :focus")) placeTip();
    else hideTip();
  }
  addEventListener("pointerover", showTip);
  addEventListener("focusin", showTip);
  addEventListener("focusout", hideTip);
  addEventListener("scroll", scrolled, { passive: true });
  addEventListener("keydown", (event) => event.key === "Escape" && hideTip());

  function span(seconds) {
    if (seconds < 9.95) return `${Math.max(seconds, 0).toFixed(1)} s`;
    if (seconds < 89.5) return `${Math.round(seconds)} s`;
    const minutes = Math.round(seconds / 60);
    if (minutes < 60) return `${minutes} min`;
    const hours = Math.floor(minutes / 60);
    if (hours < 48) return minutes % 60 ? `${hours} h ${minutes % 60} min` : `${hours} h`;
    const days = Math.floor(hours / 24);
    return hours % 24 ? `${days} d ${hours % 24} h` : `${days} d`;
  }
  function tick() {
    const now = Date.now();
    for (const one of document.querySelectorAll("time[data-since]")) {
      const passed = (now - Date.parse(one.dataset.since)) / 1000;
      one.textContent = span(passed < 9.95 ? Math.floor(passed) : passed);
    }
    for (const one of document.querySelectorAll("time[datetime]")) {
      const passed = (now - Date.parse(one.dateTime)) / 1000;
      const shown = passed < 5 ? "just now" : `${span(passed)} ago`;
      if (one.textContent !== shown) one.textContent = shown;
    }
  }
  setInterval(tick, 1000);
  document.addEventListener("panel", tick);

  window.warpbook = { post, toast, kept, keep };
})();
