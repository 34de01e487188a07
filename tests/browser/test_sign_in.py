"""Signing in with a real browser: through a provider of another site and back, with cookies that no other site gets."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import to
from tests.conftest import require
from tests.servers.dashboard import start_dashboard, stop
from tests.servers.ports import free_port
from tests.servers.provider import Provider

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.browser


def test_signing_in_opens_the_clusters_of_the_server(page: Page, tmp_path) -> None:
    """Nothing of them before; after the way to the provider and back they are there, also on a page loaded anew."""
    require("browser")
    port = free_port()
    address, secrets = f"http://127.0.0.1:{port}", tmp_path / ".streamlit" / "secrets.toml"
    secrets.parent.mkdir()
    variables = {
        "HOME": str(tmp_path),
        "RESEAT_CLUSTER_PROD_BOOTSTRAP": "127.0.0.1:1",
        "RESEAT_LANDING": str(tmp_path / "landing"),
        "RESEAT_TABLES": str(tmp_path / "tables"),
    }
    claims = {"sub": "a1", "email": "ada@example.org", "email_verified": True, "name": "Ada"}
    with Provider(claims, host="localhost") as provider:
        secrets.write_text(provider.secrets(address))
        process = start_dashboard(port, tmp_path / "log.txt", variables)
        try:
            page.goto(f"{address}/connect")
            page.get_by_text("Sign in to read the clusters").first.wait_for()

            expect(page.get_by_text("127.0.0.1:1", exact=True)).to_have_count(0)

            page.get_by_role("button", name="Sign in").first.click()
            page.wait_for_url(lambda url: url.rstrip("/") == address)
            to(page, "Live")
            page.get_by_role("button", name="prod").wait_for()
            page.goto(f"{address}/connect")
            page.get_by_role("button", name="prod").wait_for()
        finally:
            stop(process)
    kept = {cookie["name"]: cookie for cookie in page.context.cookies(address)}

    assert provider.signed == 1
    assert kept["_streamlit_user"]["sameSite"] == kept["_streamlit_xsrf"]["sameSite"] == "Strict"
    assert kept["_streamlit_user"]["httpOnly"]
    assert page.evaluate("document.cookie").count("_streamlit_user") == 0
