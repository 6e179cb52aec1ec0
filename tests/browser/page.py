"""A report, opened from disk in a headless Chromium: what its tests share.

    with Browser(FOLDER) as browser:          # screenshots go to FOLDER
        page = browser.open("report.html", width=360, dark=True)
        page.js("return document.title")
        page.close_checked()                  # fails where the page logged an error or asked for anything but itself

Needs Debian's chromium, chromium-driver and python3-selenium; `require()` ends with 77 (skipped) where one is missing."""
import base64
import importlib.util
import json
import pathlib
import shutil
import subprocess
import sys
import time

SKIPPED = 77
SYSTEM_PYTHON = "/usr/bin/python3"
# --no-sandbox: Chromium refuses to run as root without; only files of our own are opened.
ARGUMENTS = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--disable-extensions",
             "--disable-background-networking", "--disable-component-update", "--force-color-profile=srgb", "--hide-scrollbars"]


def require():
    """Goes on in the Python that has Selenium; ends the program where something is missing."""
    missing = [name for name in ("chromium", "chromedriver") if not shutil.which(name)]
    if missing:
        print(f"skipped: no {' and no '.join(missing)} (Debian: chromium, chromium-driver)")
        sys.exit(SKIPPED)
    if importlib.util.find_spec("selenium") is not None:
        return
    if sys.executable == SYSTEM_PYTHON or subprocess.run([SYSTEM_PYTHON, "-c", "import selenium"], stderr=subprocess.DEVNULL).returncode != 0:
        print("skipped: install python3-selenium")
        sys.exit(SKIPPED)
    sys.exit(subprocess.run([SYSTEM_PYTHON, "-B", *sys.argv]).returncode)


class Browser:
    def __init__(self, shots):
        from selenium import webdriver
        from selenium.webdriver.chrome.options import Options
        from selenium.webdriver.chrome.service import Service
        self.shots = pathlib.Path(shots)
        self.shots.mkdir(parents=True, exist_ok=True)
        options = Options()
        options.binary_location = shutil.which("chromium")
        for argument in ARGUMENTS:
            options.add_argument(argument)
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self.driver = webdriver.Chrome(service=Service(shutil.which("chromedriver")), options=options)
        self.driver.set_script_timeout(30)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.driver.quit()

    def cdp(self, command, **arguments):
        return self.driver.execute_cdp_cmd(command, arguments)

    def open(self, path, *, width=1280, height=900, dark=False, reduced=False, paper=False, script=True):
        self.cdp("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600)
        self.cdp("Emulation.setEmulatedMedia", media="print" if paper else "", features=[
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"},
            {"name": "prefers-reduced-motion", "value": "reduce" if reduced else "no-preference"}])
        self.cdp("Emulation.setScriptExecutionDisabled", value=not script)
        self.driver.get("about:blank")
        self.logs()  # of what was open before
        page = Page(self, pathlib.Path(path).resolve().as_uri())
        self.driver.get(page.address)
        return page

    def logs(self):
        """(console messages, DevTools events) since the last call."""
        events = [json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance")]
        return self.driver.get_log("browser"), events


class Page:
    def __init__(self, browser, address):
        self.browser, self.address = browser, address
        self.console, self.events = [], []

    def js(self, script, *arguments):
        return self.browser.driver.execute_script(script, *arguments)

    def wait_for(self, script, *arguments, seconds=10):
        """What the script returns, once that is true."""
        end = time.monotonic() + seconds
        while True:
            value = self.js(script, *arguments)
            if value:
                return value
            if time.monotonic() > end:
                raise AssertionError(f"not within {seconds} s: {script}")
            time.sleep(0.02)

    def frames(self, count=2):
        """Waits until so many frames were drawn."""
        self.browser.driver.execute_async_script(
            "const done = arguments[1]; let n = arguments[0]; const f = () => n-- > 0 ? requestAnimationFrame(f) : done(); f();", count)

    def keys(self, *keys):
        from selenium.webdriver import ActionChains
        chain = ActionChains(self.browser.driver, duration=0)
        for key in keys:
            chain.send_keys(key)
        chain.perform()

    def find(self, selector):
        from selenium.webdriver.common.by import By
        return self.browser.driver.find_elements(By.CSS_SELECTOR, selector)

    def click(self, element):
        """With the mouse; not while the page still scrolls."""
        self.js("arguments[0].scrollIntoView({block: 'center', behavior: 'instant'})", element)
        element.click()

    def shot(self, name, whole=True):
        """A screenshot, of the whole page unless told otherwise. Returns its pixels' file."""
        file = self.browser.shots / f"{name}.png"
        taken = self.browser.cdp("Page.captureScreenshot", format="png", captureBeyondViewport=whole, **self._clip(whole))
        file.write_bytes(base64.b64decode(taken["data"]))
        return file

    def _clip(self, whole):
        if not whole:
            return {}
        size = self.browser.cdp("Page.getLayoutMetrics")["cssContentSize"]
        return {"clip": {"x": 0, "y": 0, "width": size["width"], "height": min(size["height"], 12000), "scale": 1}}

    def pdf(self, name):
        file = self.browser.shots / f"{name}.pdf"
        file.write_bytes(base64.b64decode(self.browser.cdp("Page.printToPDF", printBackground=True, generateTaggedPDF=True)["data"]))
        return file

    def collect(self):
        console, events = self.browser.logs()
        self.console += console
        self.events += events

    def complaints(self):
        """Errors and warnings that the page logged, as texts."""
        self.collect()
        return [f"{m['level']}: {m['message']}" for m in self.console if m["level"] in ("SEVERE", "WARNING")]

    def requests(self):
        """What was asked for besides the page itself. What its policy forbade was not; the console has it."""
        self.collect()
        forbidden = {e["params"]["requestId"] for e in self.events
                     if e["method"] == "Network.loadingFailed" and e["params"].get("blockedReason") == "csp"}
        asked = [e["params"]["request"]["url"] for e in self.events
                 if e["method"] == "Network.requestWillBeSent" and e["params"]["requestId"] not in forbidden]
        asked += [e["params"]["url"] for e in self.events if e["method"] in ("Network.webSocketCreated", "Network.webTransportCreated")]
        return [url for url in asked if url.split("#")[0] != self.address and not url.startswith(("data:", "blob:"))]

    def dialogs(self):
        self.collect()
        return [e["params"]["message"] for e in self.events if e["method"] == "Page.javascriptDialogOpening"]

    def close_checked(self):
        assert not self.complaints(), self.complaints()
        assert not self.requests(), self.requests()
        assert not self.dialogs(), self.dialogs()
