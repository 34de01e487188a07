"""What of a page that is open is cut off, or cannot be come to: for windows that are small or enlarged."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import Page

__all__ = ["cut_off"]

_FIND = """() => {
  const found = [], main = document.querySelector("[data-testid=stMain]");
  const style = (one) => getComputedStyle(one);
  const ways = (one) => (one && one !== main ? [one, ...ways(one.parentElement)] : []);
  const seen = (one) => one.checkVisibility({ visibilityProperty: true });
  const name = (one) => {
    const kept = /st-key-[\\w-]+/.exec(one.closest("[class*='st-key-']")?.className || "");
    return `${one.tagName.toLowerCase()} in ${kept ? kept[0] : "the page"}`;
  };
  // For ears alone: cut to nothing on purpose.
  const heard = (one) => ways(one).some((at) => style(at).clipPath.startsWith("inset(50%")
    || (style(at).overflow !== "visible" && (at.clientWidth < 2 || at.clientHeight < 2)));
  const sideways = (one) => ways(one).some(
    (at) => /auto|scroll/.test(style(at).overflowX) && at.scrollWidth > at.clientWidth + 1);
  const silent = "style, script, title, desc, [data-testid=stIconMaterial]";

  // The page itself is never pushed sideways.
  if (main.scrollWidth > main.clientWidth + 1) {
    found.push(`the page is ${main.scrollWidth} wide, the window ${main.clientWidth}`);
  }

  // Words are seen whole: nothing in which they stand ends before they do.
  const words = document.createTreeWalker(main, NodeFilter.SHOW_TEXT);
  while (words.nextNode()) {
    const one = words.currentNode.parentElement, said = words.currentNode.textContent.trim();
    if (!said || !seen(one) || one.closest(silent) || heard(one) || sideways(one)) continue;
    const range = document.createRange();
    range.selectNodeContents(words.currentNode);
    const box = range.getBoundingClientRect();
    if (box.width < 2) continue;
    for (const at of ways(one)) {
      if (at instanceof SVGElement && at.tagName !== "svg") continue;
      const edge = at.getBoundingClientRect();
      if (style(at).overflowX === "visible" || (box.right <= edge.right + 2 && box.left >= edge.left - 2)) continue;
      found.push(`${name(one)} is cut: ${said.slice(0, 60)}`);
      break;
    }
  }

  // Choices from a list and numbers are seen whole too; what is typed can be longer than its field.
  for (const one of main.querySelectorAll("[data-testid=stSelectbox] input, [data-testid=stNumberInput] input")) {
    if (seen(one) && one.scrollWidth > one.clientWidth + 12) found.push(`${name(one)} is cut: ${one.value}`);
  }

  // What can be used can be come to, and nothing lies on it.
  for (const one of main.querySelectorAll("button, a[href], input, textarea, [role=tab]")) {
    if (one.closest("[data-testid=stElementToolbar]")) continue; // Streamlit's own: it comes when one points at a table
    if (one.disabled || one.type === "file" || !seen(one) || heard(one)) continue;
    if (one.getBoundingClientRect().width < 2) continue;
    one.scrollIntoView({ block: "center", inline: "center", behavior: "instant" });
    const box = one.getBoundingClientRect();
    const hit = document.elementFromPoint(box.left + box.width / 2, box.top + Math.min(box.height / 2, 20));
    if (!hit || !(one.contains(hit) || hit.contains(one) || one.closest("label")?.contains(hit))) {
      found.push(`${name(one)} cannot be come to: ${(one.innerText || one.value || one.ariaLabel || "").slice(0, 60)}`);
    }
  }
  return found;
}"""


def cut_off(page: Page) -> list[str]:
    """What is wider than its room, and what has something else lying on it; nothing where all is well."""
    found: list[str] = page.evaluate(_FIND)
    return found
