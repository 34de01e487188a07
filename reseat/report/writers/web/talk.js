// Going through the screens: keys, buttons, notes, full screen. Escape leaves, which shows all screens below each other.
const root = document.documentElement;
const screens = [...document.querySelectorAll(".screen")];
const counter = document.querySelector(".counter");
let at = Math.min(Math.max((Number.parseInt(location.hash.slice(1), 10) || 1) - 1, 0), screens.length - 1);

// Smaller type where a screen holds much; what does not fit even then can be scrolled.
const fit = () => {
  const inner = screens[at].querySelector(".inner");
  inner.style.fontSize = "";
  for (let size = 0.95; size >= 0.5 && inner.scrollHeight > inner.clientHeight + 1; size -= 0.05) {
    inner.style.fontSize = `${size}em`;
  }
};

const go = (to, { focus = true } = {}) => {
  at = Math.min(Math.max(to, 0), screens.length - 1);
  screens.forEach((screen, place) => screen.classList.toggle("on", place === at));
  counter.textContent = `${at + 1} / ${screens.length}`;
  hide();
  fit();
  if (focus) screens[at].querySelector("h1, h2").focus({ preventScroll: true });
  try { history.replaceState(null, "", `#${at + 1}`); } catch { /* a frame without an address of its own */ }
};

const talk = (to = at) => {
  root.classList.add("talking");
  go(to);
};

const leave = () => {
  if (!root.classList.contains("talking")) return;
  root.classList.remove("talking", "noted");
  for (const screen of screens) screen.querySelector(".inner").style.fontSize = "";
  hide();
  screens[at].scrollIntoView();
  if (parent !== window) parent.postMessage("reseat-talk-left", "*"); // for a page around it; it tells nothing
};

const full = () => {
  if (document.fullscreenElement) return document.exitFullscreen();
  return root.requestFullscreen?.().catch(() => { status.textContent = "The browser does not allow full screen."; });
};

const notes = () => {
  const on = root.classList.toggle("noted");
  document.querySelector("button.notes-key").setAttribute("aria-pressed", String(on));
  fit();
};

const KEYS = {
  ArrowRight: () => go(at + 1), ArrowDown: () => go(at + 1), PageDown: () => go(at + 1), Enter: () => go(at + 1),
  ArrowLeft: () => go(at - 1), ArrowUp: () => go(at - 1), PageUp: () => go(at - 1), Backspace: () => go(at - 1),
  Home: () => go(0), End: () => go(screens.length - 1), n: notes, f: full, Escape: leave,
};
addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey) return;
  const key = event.key.length === 1 ? event.key.toLowerCase() : event.key;
  const pressed = event.target instanceof Element && event.target.closest("button");
  if (pressed && (key === " " || key === "Enter")) return; // the button's own
  if (!root.classList.contains("talking")) {
    if (key === "Enter" || key === "f") { event.preventDefault(); talk(); if (key === "f") full(); }
    return;
  }
  const act = key === " " ? () => go(at + (event.shiftKey ? -1 : 1)) : Object.hasOwn(KEYS, key) && KEYS[key];
  if (!act) return;
  event.preventDefault();
  act();
});
document.addEventListener("fullscreenchange", () => { if (!document.fullscreenElement) leave(); });
addEventListener("resize", () => { if (root.classList.contains("talking")) fit(); });

const PRESSED = { back: () => go(at - 1), next: () => go(at + 1), notes, full, leave, start: () => talk() };
for (const button of document.querySelectorAll(".bar button")) {
  button.addEventListener("click", () => PRESSED[button.dataset.does]());
}
screens.forEach((screen, place) => screen.addEventListener("click", () => {
  if (!root.classList.contains("talking") && !String(getSelection())) talk(place);
}));

root.classList.add("talking");
go(at, { focus: false });
