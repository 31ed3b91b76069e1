// The quiz: its keys, and what is pressed sent to the API. What comes next the server decides.
(() => {
  const PATIENCE_MS = 3000;
  let shown = ""; // the card that is asked, with the number of its reviews
  let since = 0;
  let typing = false; // the last answer was typed: the next one will be
  let sending = 0;
  let timer;

  const card = () => document.querySelector(".asked[data-card]");
  const reveal = () => card()?.querySelector("details.reveal");
  const isField = (one) => one instanceof Element && one.matches("input, textarea, select");
  const isPressed = (one) => one instanceof Element && one.closest("a[href], button, summary");

  function show() {
    const at = reveal();
    if (!at || at.open) return;
    typing = document.activeElement?.matches(".typed") ?? false;
    document.activeElement?.blur();
    at.open = true;
    at.querySelector(".ratings")?.scrollIntoView({ block: "nearest" });
  }

  // Until the page shows what came of it, nothing more is sent.
  async function send(button) {
    if (Date.now() - sending < PATIENCE_MS) return;
    sending = Date.now();
    const body = JSON.parse(button.dataset.body || "{}");
    if ("timed" in button.dataset) body.seconds = Math.min((performance.now() - since) / 1000, 86400);
    card()?.classList.add("leaving");
    try {
      await warpbook.post(button.dataset.send, body);
    } catch (error) {
      warpbook.toast(error.message, true);
      sending = 0;
    }
    (document.querySelector(".quiz") || button).dispatchEvent(new Event("again", { bubbles: true }));
    setTimeout(() => card()?.classList.remove("leaving"), PATIENCE_MS);
  }

  function wait() {
    clearTimeout(timer);
    const over = document.querySelector("[data-due]");
    if (!over) return;
    const left = Date.parse(over.dataset.due) - Date.now();
    if (left > 0 && left < 2 ** 31)
      timer = setTimeout(() => over.dispatchEvent(new Event("again", { bubbles: true })), left + 500);
  }

  document.addEventListener("panel", () => {
    sending = 0;
    wait();
    const key = card()?.dataset.key || "";
    card()?.classList.remove("leaving");
    if (key === shown) return;
    const first = shown === "";
    shown = key;
    since = performance.now();
    if (key && !first) card().querySelector(typing ? ".typed" : "summary").focus({ preventScroll: true });
  });

  addEventListener("click", (event) => {
    const button = event.target instanceof Element && event.target.closest("button[data-send]");
    if (button) send(button);
  });

  addEventListener("keydown", (event) => {
    if (!document.querySelector(".quiz") || event.ctrlKey || event.metaKey || event.altKey || event.repeat) return;
    if (isField(event.target)) {
      if (!event.target.matches(".typed")) return;
      if (event.key === "Escape") event.target.blur();
      if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
      event.preventDefault();
      show();
      return;
    }
    if (event.key === " " || event.key === "Enter") {
      if (isPressed(event.target)) return;
      event.preventDefault();
      show();
      return;
    }
    const button = document.querySelector(`.quiz [data-hotkey="${CSS.escape(event.key)}"]`);
    if (button?.checkVisibility()) send(button);
  });
})();
