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
