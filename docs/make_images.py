"""Make the pictures of the README anew: ``python docs/make_images.py``.

Needs matplotlib and, for the report, Chromium with its driver and selenium (all but Chromium are in the ``dev`` extra).
Every picture is reduced to a palette so that it stays small.
"""

# ruff: noqa: T201 - printing is what this file is for

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

import numpy as np
import pandas as pd
from matplotlib.figure import Figure
from PIL import Image
from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By

from polyclust import PolytopeClustering
from polyclust.cli.demo import run_demo
from polyclust.demo_data import make_customers
from polyclust.plot import SilhouetteDisplay, draw_families

IMAGES = Path(__file__).parent / "images"
MOST_BYTES = 250_000
FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
    "--window-size=1180,1690",
)
FAMILIES = (
    {},
    {"max_terms": 2, "max_coefficient": 3},
    {"max_terms": None, "max_coefficient": None},
)


def main() -> None:
    """Every picture, or as many as this machine can make."""
    IMAGES.mkdir(exist_ok=True)
    picture_families()
    picture_customers()
    if shutil.which("chromium") and shutil.which("chromedriver"):
        picture_report()
    else:
        print("no Chromium: the pictures of the report stay as they are")


def picture_families() -> None:
    """The same rows told by the three families of hyperplane."""
    table = make_five_groups()
    models = [PolytopeClustering(5, random_state=0, **limits).fit(table) for limits in FAMILIES]
    panels = draw_families(models, table)
    save_figure(panels[0].figure, "families.png")


def make_five_groups() -> pd.DataFrame:
    """Five round groups that do not stand in rows and columns."""
    random = np.random.default_rng(4)
    groups = (((30, 30), 90), ((46, 44), 110), ((36, 64), 80), ((60, 68), 100), ((62, 32), 90))
    rows = [random.normal(centre, (5.2, 6.4), size=(n, 2)) for centre, n in groups]
    return pd.DataFrame(np.vstack(rows), columns=["age", "income"]).round(1)


def picture_customers() -> None:
    """How clear the clusters of the demo are."""
    customers = make_customers().drop(columns="customer_id")
    model = PolytopeClustering(random_state=0).fit(customers)
    save_figure(SilhouetteDisplay.from_estimator(model, customers).figure_, "silhouettes.png")


def picture_report() -> None:
    """The report of ``polyclust demo`` in a real browser: its top, and what follows further down."""
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "polyclust-demo"
        run_demo(output, seed=0, force=True, quiet=True)
        browser = open_browser(Path(folder) / "profile")
        try:
            browser.get(f"file://{output / 'report.html'}")
            browser.implicitly_wait(10)
            browser.find_element(By.CSS_SELECTOR, "#picture .main-svg")
            save_screen(browser.get_screenshot_as_png(), "report.png")
            picture = browser.find_element(By.CSS_SELECTOR, "section#picture")
            save_screen(picture.screenshot_as_png, "report-picture.png")
        finally:
            browser.quit()


def open_browser(profile: Path) -> webdriver.Chrome:
    """A headless Chromium with an empty profile."""
    options = webdriver.ChromeOptions()
    options.binary_location = shutil.which("chromium") or ""
    for flag in (*FLAGS, f"--user-data-dir={profile}"):
        options.add_argument(flag)
    return webdriver.Chrome(options=options, service=Service(shutil.which("chromedriver")))


def save_figure(figure: Figure, name: str) -> None:
    """A figure as a small PNG."""
    path = IMAGES / name
    figure.savefig(path, dpi=95)
    shrink(path)


def save_screen(data: bytes, name: str) -> None:
    """A screenshot as a small PNG."""
    path = IMAGES / name
    path.write_bytes(data)
    shrink(path)


def shrink(path: Path) -> None:
    """The same picture with at most 128 colours."""
    with Image.open(path) as picture:
        small = picture.convert("RGB").quantize(128, dither=Image.Dither.NONE)
    small.save(path, optimize=True)
    n_bytes = path.stat().st_size
    print(f"{path.name}: {small.size[0]} x {small.size[1]}, {n_bytes} bytes")
    if n_bytes > MOST_BYTES:
        raise SystemExit(f"{path.name} is larger than {MOST_BYTES} bytes; crop it.")


if __name__ == "__main__":
    main()
