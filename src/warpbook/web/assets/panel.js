// A panel: markup from the server, merged into what is there so that focus, scroll, open details
// and typed text survive. Children of [data-flip] with a data-key glide to their new place.
const KEPT = new Set(["open"]);
const still = () => matchMedia("(prefers-reduced-motion: reduce)").matches;
const keyOf = (node) => (node.nodeType === 1 ? node.dataset.key || node.id || "" : "");

function morphAttributes(old, fresh) {
  // A choice that was made by hand does not follow its markup by itself.
  if (old.nodeName === "OPTION" && old.hasAttribute("selected") !== fresh.hasAttribute("selected"))
    old.selected = fresh.hasAttribute("selected");
  for (const { name } of [...old.attributes])
    if (!fresh.hasAttribute(name) && !KEPT.has(name)) old.removeAttribute(name);
  for (const { name, value } of [...fresh.attributes])
    if (!KEPT.has(name) && old.getAttribute(name) !== value) old.setAttribute(name, value);
}

function morph(old, fresh) {
  const keyed = new Map();
  const staying = new Set([...fresh.childNodes].map(keyOf));
  // What is gone goes first: the rest then need not move, and a node that moves loses its focus.
  for (const child of [...old.childNodes]) {
    if (!keyOf(child)) continue;
    if (staying.has(keyOf(child))) keyed.set(keyOf(child), child);
    else child.remove();
  }
  let at = old.firstChild;
  for (const next of [...fresh.childNodes]) {
    const key = keyOf(next);
    let match = key ? keyed.get(key) : at;
    while (!key && match && (keyOf(match) || match.nodeName !== next.nodeName)) match = match.nextSibling;
    if (!match || match.nodeName !== next.nodeName) {
      old.insertBefore(next, at);
      continue;
    }
    if (match === at) at = at.nextSibling;
    else old.insertBefore(match, at);
    if (match.nodeType !== 1) {
      if (match.data !== next.data) match.data = next.data;
    } else if (!match.isEqualNode(next)) {
      morphAttributes(match, next);
      morph(match, next);
    }
  }
  while (at) {
    const gone = at;
    at = at.nextSibling;
    gone.remove();
  }
}

function places(root) {
  const found = new Map();
  for (const one of root.querySelectorAll("[data-flip] > [data-key]"))
    found.set(one.dataset.key, one.getBoundingClientRect().top + scrollY);
  return found;
}

function glide(root, before) {
  if (still() || !before.size) return;
  for (const one of root.querySelectorAll("[data-flip] > [data-key]")) {
    const was = before.get(one.dataset.key);
    const moved = was === undefined ? 0 : was - one.getBoundingClientRect().top - scrollY;
    if (was === undefined) one.animate([{ opacity: 0 }, { opacity: 1 }], 400);
    else if (moved)
      one.animate([{ transform: `translateY(${moved}px)` }, { transform: "none" }], {
        duration: 450,
        easing: "ease-in-out",
      });
  }
}

// The name of a field, if one types into it.
const textName = (field) => (["search", "text"].includes(field.type) ? field.name : "");

// A field that was typed into keeps its text, whatever its markup says: when the address changes
// otherwise than by typing, it gets the address's.
function retype(root) {
  const query = new URLSearchParams(location.search);
  for (const field of root.querySelectorAll("form[data-query] input"))
    if (textName(field)) field.value = query.get(field.name) ?? "";
}

// A box is ticked in the address as it is now: when it was drawn, another may not have been ticked yet.
function ticked(name, value) {
  const query = new URLSearchParams(location.search);
  const picked = (query.get(name) ?? "").split(",").filter(Boolean);
  const others = picked.filter((one) => one !== value);
  const after = others.length < picked.length ? others : [...picked, value];
  query.delete(name);
  if (after.length) query.set(name, after.join(","));
  return "?" + query;
}

export default {
  template: `<component :is="tag"></component>`,
  props: { html: String, tag: String },
  mounted() {
    this.$el.innerHTML = this.html;
    this.$el.addEventListener("click", this.followed);
    this.$el.addEventListener("input", this.typed);
    this.$el.addEventListener("submit", this.sent);
    this.$el.addEventListener("again", this.again);
    addEventListener("popstate", this.back);
    document.dispatchEvent(new CustomEvent("panel", { detail: this.$el }));
  },
  unmounted() {
    removeEventListener("popstate", this.back);
  },
  watch: {
    html(now) {
      const fresh = document.createElement("template");
      fresh.innerHTML = now;
      const before = places(this.$el);
      const focused = document.activeElement;
      morph(this.$el, fresh.content);
      if (this.$el.contains(focused)) focused.focus({ preventScroll: true }); // it may have moved
      glide(this.$el, before);
      document.dispatchEvent(new CustomEvent("panel", { detail: this.$el }));
    },
  },
  methods: {
    ask(search, typed) {
      // What is typed into one field is one step back, however often it paused.
      const change = typed && history.state?.typed === typed ? "replaceState" : "pushState";
      history[change](typed ? { typed } : null, "", location.pathname + (search === "?" ? "" : search));
      this.$emit("query", search);
    },
    again() {
      this.$emit("query", location.search); // what is shown is looked up at once
    },
    back() {
      clearTimeout(this.timer);
      retype(this.$el);
      this.$emit("query", location.search);
    },
    followed(event) {
      const link = event.target.closest("a[data-query]");
      if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      clearTimeout(this.timer);
      const href = new URL(link.getAttribute("href"), location); // in an SVG, href is no text
      this.ask(link.dataset.tick ? ticked(link.dataset.tick, link.dataset.value) : href.search);
      retype(this.$el);
    },
    typed(event) {
      const form = event.target.closest("form[data-query]");
      if (!form) return;
      clearTimeout(this.timer);
      this.timer = setTimeout(() => this.filter(form, textName(event.target)), textName(event.target) ? 250 : 0);
    },
    sent(event) {
      const form = event.target.closest("form[data-query]");
      if (!form) return;
      event.preventDefault();
      clearTimeout(this.timer);
      this.filter(form);
    },
    filter(form, typed) {
      const query = new URLSearchParams(location.search);
      query.delete("page");
      for (const { name } of form.elements) if (name) query.delete(name);
      for (const [name, value] of new FormData(form)) if (value) query.append(name, value);
      this.ask("?" + query, typed);
    },
  },
};
