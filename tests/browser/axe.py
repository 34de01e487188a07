"""What axe-core objects to on a page that is open, less what is Streamlit's own and named here with its reason."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING

from axe_playwright_python.base import AXE_SCRIPT

if TYPE_CHECKING:
    from playwright.sync_api import Page

__all__ = ["STREAMLITS_OWN", "Excepted", "violations"]


@dataclass(frozen=True, slots=True)
class Excepted:
    """One rule that elements of Streamlit's own break.

    Attributes:
        rule: axe's name of the rule.
        target: which elements, as a selector that holds nothing of ours.
        reason: why it is not ours to mend.
    """

    rule: str
    target: str
    reason: str


STREAMLITS_OWN = (
    Excepted(
        "presentation-role-conflict",
        "section[data-testid='stFileUploaderDropzone'][tabindex='-1']",
        "st.file_uploader labels the area to drop on, which is presentation; its button has the label too",
    ),
)

_RUN = """async (excepted) => {
  const found = await axe.run(document, { resultTypes: ["violations"], elementRef: true });
  return found.violations.flatMap(({ id, nodes }) => nodes
    .filter(({ element }) => !excepted.some((one) => one.rule === id && element?.matches(one.target)))
    .map(({ html, failureSummary: why }) =>
      `${id}: ${html.slice(0, 200)} (${why.replace(/\\s+/g, " ").slice(0, 240)})`));
}"""


def violations(page: Page) -> list[str]:
    """What axe finds and is not excepted: rule, element and why."""
    if page.evaluate("typeof axe === 'undefined'"):  # it stays in a page that goes to other addresses without a load
        page.evaluate(AXE_SCRIPT)
    found: list[str] = page.evaluate(_RUN, [asdict(one) for one in STREAMLITS_OWN])
    return found
