// Whoever sees another colour scheme from now on has the page drawn anew: the server gives figures their colours.
//
// Streamlit's links to pages take every click for an ordinary one, and say to nobody which page is open. Listens before
// Streamlit does, at the window; what is not a plain click is left to the browser, whose href opens the same layout.

const LINK = "a[data-testid='stPageLink-NavLink']";

function leaveToBrowser(event) {
  const apart = event.ctrlKey || event.metaKey || event.shiftKey || event.altKey;
  if (apart && event.target.closest?.(LINK)) event.stopPropagation();
}

// Streamlit draws an open popover at the end of the page, and Tab went on below it: here it goes from the button into
// the popover, and from its ends back to the button.

const STOPS = "button, input, textarea, a[href], summary, [tabindex]";

function passThroughPopover(event) {
  if (event.key !== "Tab") return;
  const opener = document.querySelector("[data-testid='stPopover'] button[aria-expanded='true']");
  const body = document.querySelector("[data-testid='stPopoverBody']");
  const stops = [...(body?.querySelectorAll(STOPS) ?? [])].filter(
    (one) => one.tabIndex >= 0 && !one.disabled && one.checkVisibility({ visibilityProperty: true }),
  );
  if (!opener || !stops.length) return;
  const at = document.activeElement;
  if (at === opener && !event.shiftKey) {
    event.preventDefault();
    stops[0].focus();
  } else if (at === stops[0] && event.shiftKey) {
    event.preventDefault();
    opener.focus();
  } else if (at === stops.at(-1) && !event.shiftKey) opener.focus(); // and on from there by itself
}

// The lists of links, by what they are called: the pages, and the views of one page.
const LISTS = { Pages: ".st-key-navigation", Views: ".st-key-views" };

function mark() {
  for (const [name, where] of Object.entries(LISTS)) {
    const list = document.querySelector(where);
    if (!list) continue;
    list.setAttribute("role", "navigation");
    list.setAttribute("aria-label", name);
    for (const link of list.querySelectorAll(LINK)) {
      if (link.closest("[class*='st-key-'][class*='-here']")) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
  }
}

export default function pageLinks({ setTriggerValue }) {
  mark();
  // The list is drawn piece by piece, and with each page another entry has the class of the open one.
  const watch = new MutationObserver(mark);
  const app = document.querySelector("[data-testid='stApp']");
  if (app) watch.observe(app, { childList: true, subtree: true, attributeFilter: ["class"] });
  let scheme = getComputedStyle(app ?? document.body).colorScheme;
  const dressed = new MutationObserver(() => {
    const now = getComputedStyle(app).colorScheme;
    if (now !== scheme) setTriggerValue("scheme", (scheme = now));
  });
  if (app) dressed.observe(app, { attributeFilter: ["class"] });
  window.addEventListener("click", leaveToBrowser, true);
  window.addEventListener("keydown", passThroughPopover, true);
  return () => {
    watch.disconnect();
    dressed.disconnect();
    window.removeEventListener("click", leaveToBrowser, true);
    window.removeEventListener("keydown", passThroughPopover, true);
  };
}
