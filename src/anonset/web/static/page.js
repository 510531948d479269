// Light, dark or the system's theme: stored in the browser, set before anything is drawn.
(() => {
  const wanted = () => localStorage.getItem("anonset-theme") || "auto";
  const dark = () => wanted() === "dark" || (wanted() === "auto" && matchMedia("(prefers-color-scheme: dark)").matches);
  const show = () => globalThis.Quasar?.Dark?.set(dark());
  document.documentElement.style.background = dark() ? "#10151b" : "#f6f7f9";
  globalThis.anonsetTheme = {
    toggle() {
      localStorage.setItem("anonset-theme", dark() ? "light" : "dark");
      document.documentElement.style.background = "";
      show();
    },
  };
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", show);
  addEventListener("load", () => setTimeout(show, 0));
})();

// When a part is drawn again, the focus goes to the element with the same key.
(() => {
  let key = null;
  addEventListener("focusin", (event) => (key = event.target.closest?.("[data-key]")?.dataset.key ?? null));
  const back = () => {
    if (!key || document.activeElement !== document.body) return;
    document.querySelector(`[data-key="${CSS.escape(key)}"]`)?.focus();
  };
  addEventListener("DOMContentLoaded", () => new MutationObserver(back).observe(document.body, { childList: true, subtree: true }));
})();
