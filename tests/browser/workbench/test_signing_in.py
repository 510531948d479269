"""The page to sign in, in a browser: a wrong token is told, the right one leads to the projects."""

from playwright.sync_api import expect

from server.served import TOKEN, Served


def test_the_token_lets_a_browser_in(browser, tmp_path):
    served = Served(tmp_path)
    context = browser.new_context(base_url=str(served.client.base_url))
    page = context.new_page()
    try:
        page.goto("/projects/0123456789abcdef/data")
        page.get_by_label("The token").fill("not the token at all")
        page.get_by_role("button", name="Sign in").click()
        expect(page.get_by_role("alert")).to_have_text("This is not the token.")
        page.get_by_label("The token").fill(TOKEN)
        page.get_by_role("button", name="Sign in").click()
        expect(page.get_by_role("button", name="New project")).to_be_visible()
    finally:
        context.close()
        served.client.close()
        served.stop()
    assert TOKEN not in served.log.read_text()
