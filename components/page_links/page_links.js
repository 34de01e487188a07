// Streamlit's links to pages take every click for an ordinary one, and say to nobody which page is open. Listens before
// Streamlit does, at the window; what is not a plain click is left to the browser, whose href opens the same layout.

const LINK = "a[data-testid='stPageLink-NavLink']";

function leaveToBrowser(event) {
  const apart = event.ctrlKey || event.metaKey || event.shiftKey || event.altKey;
  if (apart && event.target.closest?.(LINK)) event.stopPropagation();
}

function mark() {
  const list = document.querySelector(".st-key-navigation");
  if (!list) return;
  list.setAttribute("role", "navigation");
  list.setAttribute("aria-label", "Pages");
  for (const link of list.querySelectorAll(LINK)) {
    if (link.closest("[class*='st-key-page-'][class*='-open']")) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
}

export default function pageLinks() {
  mark();
  // The list is drawn piece by piece, and with each page another entry has the class of the open one.
  const watch = new MutationObserver(mark);
  const sidebar = document.querySelector("[data-testid='stSidebar']");
  if (sidebar) watch.observe(sidebar, { childList: true, subtree: true, attributeFilter: ["class"] });
  window.addEventListener("click", leaveToBrowser, true);
  return () => {
    watch.disconnect();
    window.removeEventListener("click", leaveToBrowser, true);
  };
}
