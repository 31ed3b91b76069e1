// Forms with several ways to fill them: <select data-mode> shows the fieldset whose data-for is its
// value, and leaves the others out of what is sent.
(() => {
  function choose(select) {
    for (const part of select.form.querySelectorAll("fieldset[data-for]"))
      part.hidden = part.disabled = part.dataset.for !== select.value;
  }
  const all = (root) => root.querySelectorAll("select[data-mode]").forEach(choose);
  addEventListener("change", (event) => event.target.matches?.("select[data-mode]") && choose(event.target));
  addEventListener("reset", (event) => setTimeout(() => all(event.target)));
})();

// When the dashboard is started again its pages load anew: what was typed into their forms is kept
// until then, in this tab alone.
(() => {
  const KEPT = "warpbook-typed";
  const fields = (form) => [...form.elements].filter((one) => one.matches("input, textarea, select"));
  const isTyped = (one) => "defaultValue" in one && one.type !== "hidden" && one.value !== one.defaultValue;
  const typed = (form) => ({
    post: form.dataset.post,
    open: Boolean(form.closest("dialog[open]")),
    values: fields(form).map((one) => (one.type === "checkbox" ? one.checked : one.value)),
  });

  addEventListener("pagehide", () => {
    const forms = [...document.querySelectorAll("form[data-post]")];
    const kept = forms.filter((form) => form.closest("dialog[open]") || fields(form).some(isTyped)).map(typed);
    try {
      sessionStorage.setItem(KEPT, JSON.stringify({ path: location.pathname, forms: kept }));
    } catch { /* a browser that keeps nothing */ }
  });

  function read() {
    try {
      const kept = JSON.parse(sessionStorage.getItem(KEPT) || "{}");
      sessionStorage.removeItem(KEPT);
      const again = performance.getEntriesByType("navigation")[0]?.type === "reload";
      return again && kept.path === location.pathname ? kept.forms : [];
    } catch {
      return [];
    }
  }

  function fill(form, { open, values }) {
    if (fields(form).length !== values.length) return;
    fields(form).forEach((one, place) => {
      if (one.type === "checkbox") one.checked = values[place];
      else one.value = values[place];
      if (one.matches("select[data-mode]")) one.dispatchEvent(new Event("change", { bubbles: true }));
    });
    if (open) form.closest("dialog")?.showModal();
  }

  let waiting = read();
  document.addEventListener("panel", (event) => {
    waiting = waiting.filter((kept) => {
      const form = event.detail.querySelector(`form[data-post="${CSS.escape(kept.post)}"]`);
      if (form) fill(form, kept);
      return !form;
    });
  });
})();
