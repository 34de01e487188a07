"""The talk's screens: what stands on each, and what is left to the notes. Its keys are tried in a browser."""

from __future__ import annotations

import re
from dataclasses import replace

from reseat.report.writers.talk import write_talk
from tests.report.test_html import Read
from tests.report.told import HOSTILE, told


def screens(text: str) -> list[str]:
    """The screens of a talk."""
    return re.findall(r'<section class="screen".*?</section>', text, re.DOTALL)


def test_each_chapter_has_a_screen_after_the_cover() -> None:
    """Title, warnings and light come first; then heading, facts, figures and notes of each chapter."""
    report = told()
    cover, *others = screens(write_talk(report))

    assert report.title in cover
    assert report.warnings[0] in cover
    assert "Amber: something deserves attention." in cover
    assert len(others) == len(report.chapters)
    for chapter, screen in zip(report.chapters, others, strict=True):
        assert chapter.heading in screen
        assert screen.count('class="figure"') == len(chapter.figures)
        assert all(fact.shown in screen for fact in chapter.facts)
    assert "Say this first." in others[0]
    assert "There are no notes for this screen." in others[2]


def test_a_chapter_of_many_figures_goes_on_by_twos() -> None:
    """Five figures are three screens, numbered; the facts are said once."""
    report = told()
    change = report.chapters[1]
    many = tuple(replace(change.figures[0], slug=f"one-{at}") for at in range(5))
    text = write_talk(replace(report, chapters=(replace(change, figures=many),)))
    made = screens(text)[1:]

    assert [screen.count('class="figure"') for screen in made] == [2, 2, 1]
    assert "The change, 3 of 3" in made[2]
    assert [screen.count('class="facts"') for screen in made] == [1, 0, 0]
    assert 'aria-label="4 of 4"' in text


def test_paragraphs_that_have_no_room_are_among_the_notes() -> None:
    """Beside figures one paragraph is shown; nothing is lost."""
    report = told()
    change = replace(report.chapters[1], text=("Shown.", "Told by the speaker."))
    shown, notes = screens(write_talk(replace(report, chapters=(change,))))[1].split("<aside")

    assert "Shown." in shown
    assert "Told by the speaker." not in shown
    assert "Told by the speaker." in notes


def test_hostile_names_stay_text() -> None:
    """The same elements as with plain names, and nothing of an address."""
    plain, hostile = Read(write_talk(told(20))), Read(write_talk(told(20, names=HOSTILE, title=HOSTILE[0])))

    assert {tag for tag, _ in hostile.elements} - {"wbr"} == {tag for tag, _ in plain.elements} - {"wbr"}
    assert hostile.open == []
    assert not [attributes for _, attributes in hostile.elements if "style" in attributes or "src" in attributes]
