// What changed since this browser last looked: it keeps the last line of the log it has shown.
(() => {
  const AWAY_MS = 30000;
  const MINUTE_MS = 60000;
  const TOLD = 12;
  let asked = false;
  let hiddenAt = 0;
  let newest = 0; // the last line that was told as new; the log on the page may be a moment behind

  const place = () => document.getElementById("since");
  const key = () => `warpbook-seen-${place().dataset.book}`;
  const last = () => Number(document.querySelector("#log [data-last]")?.dataset.last || 0);
  const seen = () => {
    if (place() && last()) warpbook.keep(key(), String(Math.max(last(), newest)));
  };

  async function look() {
    const before = warpbook.kept(key());
    if (before === null || !/^\d{1,15}$/.test(before)) return seen();
    let said;
    try {
      const answer = await fetch(`/api/changes?after=${before}`);
      if (!answer.ok) return;
      said = await answer.json();
    } catch {
      return; // the page says by itself that the dashboard is away
    }
    // A book that was put back to an earlier state is looked at afresh.
    if (said.last < Number(before)) return warpbook.keep(key(), String(said.last));
    newest = said.last;
    show(said.lines);
  }

  function show(lines) {
    const section = place();
    if (!section || !lines.length) return;
    const list = section.querySelector("ul");
    const told = lines.slice(0, TOLD).map((line) => line.text);
    if (lines.length > TOLD) told.push(`and ${lines.length - TOLD} more, in the log`);
    list.replaceChildren(...told.map((text) => Object.assign(document.createElement("li"), { textContent: text })));
    section.hidden = false;
  }

  document.addEventListener("panel", () => {
    if (asked || !place() || !last()) return;
    asked = true;
    look();
  });
  document.addEventListener("visibilitychange", () => {
    if (!place()) return;
    if (document.visibilityState === "hidden") {
      hiddenAt = Date.now();
      seen();
    } else if (hiddenAt && Date.now() - hiddenAt > AWAY_MS) look();
  });
  addEventListener("pagehide", seen);
  setInterval(() => document.visibilityState === "visible" && seen(), MINUTE_MS);
  addEventListener("click", (event) => {
    if (!(event.target instanceof Element) || !event.target.closest("[data-seen]")) return;
    seen();
    place().hidden = true;
  });
})();
