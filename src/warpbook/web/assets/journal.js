// The editor of a day's file: it loads the text and its sha256 when it is opened. What was typed and
// not yet written stays in it until it is loaded again.
(() => {
  async function load(area) {
    const form = area.form, told = form.querySelector("[data-error]");
    told.textContent = "";
    area.readOnly = true;
    try {
      const answer = await fetch(area.dataset.load);
      const said = await answer.json();
      if (!answer.ok) throw new Error(said.message);
      form.elements.sha256.value = said.sha256;
      area.defaultValue = area.value = said.text;
      area.setSelectionRange(said.text.length, said.text.length); // where one goes on writing
      area.scrollTop = area.scrollHeight;
    } catch (error) {
      told.textContent = error.message;
    } finally {
      area.readOnly = false;
    }
  }

  addEventListener("click", (event) => {
    const opener = event.target.closest?.("[data-open]");
    const opened = opener && document.getElementById(opener.dataset.open)?.querySelector("textarea[data-load]");
    if (opened && opened.value === opened.defaultValue) load(opened);
    const again = event.target.closest?.("[data-load-again]")?.form.querySelector("textarea[data-load]");
    if (!again) return;
    const typed = again.value !== again.defaultValue;
    if (!typed || confirm("Load the file as it is now? What you typed here goes.")) load(again);
  });
})();

// A year of days is one stop of the Tab key; arrows move from day to day and from week to week.
(() => {
  const STEPS = { ArrowUp: -1, ArrowDown: 1, ArrowLeft: -7, ArrowRight: 7 };
  addEventListener("keydown", (event) => {
    const day = event.target.closest?.(".year svg a");
    if (!day || event.ctrlKey || event.metaKey || event.altKey) return;
    const all = [...day.closest("svg").querySelectorAll("a")];
    const ends = { Home: all[0], End: all.at(-1) };
    const next = ends[event.key] || all[all.indexOf(day) + STEPS[event.key]];
    if (!next) return;
    event.preventDefault();
    day.setAttribute("tabindex", "-1");
    next.setAttribute("tabindex", "0");
    next.focus();
  });
})();
