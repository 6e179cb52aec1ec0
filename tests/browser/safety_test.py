"""That names from the program under test do nothing in a report, and that its Content-Security-Policy forbids what is not its own."""
import re

import reports  # first: goes on in the Python that has Selenium
import checks

HOSTILE = ["hostile", "two_hostile"]
# Run in the page, which the policy must keep from all of it: whether anything of it had an effect. From a timer, since a driver's
# own scripts may call eval.
ATTACKS = """const done = arguments[0]; setTimeout(() => {
const ran = [];
window.pwned = what => ran.push(what);
addEventListener('securitypolicyviolation', e => (window.blocked = window.blocked || []).push(e.effectiveDirective));
const add = (tag, fields) => document.body.append(Object.assign(document.createElement(tag), fields));
add('script', {textContent: "pwned('inline script')"});
add('script', {src: 'data:text/javascript,pwned("script of data")'});
add('script', {src: URL.createObjectURL(new Blob(["pwned('script of a blob')"]))});
const holder = document.createElement('div');
holder.innerHTML = '<img src="x" onerror="pwned(\\'handler\\')"><button id="hit" onclick="pwned(\\'click\\')">x</button><style>body { outline: 7px solid red }</style>' +
    '<iframe srcdoc="<script>parent.pwned(1)</scr' + 'ipt>"></iframe><a id="link" href="javascript:pwned(\\'link\\')">x</a><svg onload="pwned(\\'svg\\')"></svg>';
document.body.append(holder);
document.getElementById('hit').click();
document.getElementById('link').click();
try { eval("pwned('eval')") } catch {}
try { new Function("pwned('Function')")() } catch {}
try { setTimeout("pwned('timer')", 0) } catch {}
const asked = [fetch('https://example.com/x'), new Promise((yes, no) => { const i = new Image(); i.onload = yes; i.onerror = no; i.src = 'https://example.com/x.png'; })];
try { navigator.sendBeacon('https://example.com/b', 'x') } catch {}
try { new WebSocket('wss://example.com/').onopen = () => pwned('socket') } catch {}
Promise.allSettled(asked).then(all => setTimeout(() => done({ran, went: all.map(a => a.status), blocked: window.blocked || [],
    outline: getComputedStyle(document.body).outlineWidth + getComputedStyle(document.body).outlineStyle}), 300));
}, 0)"""
ELEMENTS = "return [...document.querySelectorAll('*')].filter(e => !e.closest('#zerostall-timeline')).map(e => e.tagName.toLowerCase())"


class Safety(reports.ReportTest):
    def test_hostile_names_do_nothing(self):
        plain = set(self.open("one").js(ELEMENTS)) | set(self.open("two").js(ELEMENTS))
        for name in HOSTILE:
            for script in (True, False):
                with self.subTest(name, script=script):
                    page = self.open(name, script=script)
                    checks.open_all(page)
                    self.assert_no(set(page.js(ELEMENTS)) - plain, "elements of its own")
                    handlers = page.js("return [...document.querySelectorAll('*')].flatMap(e => [...e.attributes]).filter(a => a.name.startsWith('on')).map(a => a.name)")
                    self.assert_no(handlers, "handlers")
                    scripts = page.js("return [...document.scripts].filter(s => !s.type.startsWith('application/')).length")
                    self.assertLessEqual(scripts, 2)
                    page.close_checked()

    def test_hostile_names_are_shown(self):
        page = self.open("hostile")
        checks.open_all(page)
        text = page.js("return document.body.textContent")
        # Of what looks like a path the last part is shown.
        for part in ("<img src=x onerror=alert(1)>", "script>alert(1)<", "[[allow]]", "=cmd|'"):
            self.assertIn(part, text)
        shown = page.js("return document.body.innerText")
        self.assert_no({hex(ord(c)) for c in shown if c in "\u202e\u2066\u202a\u202b\u202d\u2067\u2068\u0000\u001b\u009b\ufeff"}, "turns text around, or is not seen")
        self.assertLess(max(len(line) for line in shown.splitlines()), 2000, "a name of 10 kB in one piece")
        self.assertNotIn("/home/alice", text)
        self.check(page, "too_wide")
        page.close_checked()

    def test_hostile_names_in_the_timeline(self):
        page = self.open("hostile")
        if 'id="timeline"' not in reports.text_of("hostile.html"):
            self.skipTest("this build's reports have no timeline")
        page.wait_for("return document.querySelector('#zerostall-timeline canvas')")
        box = page.find("#zerostall-timeline input")[0]
        page.js("arguments[0].scrollIntoView({behavior: 'instant', block: 'center'}); arguments[0].focus()", box)
        for text in ("<img src=x", "</script>", "\u202e", "x" * 3000, "[", "(?<=", "\\"):
            page.js("arguments[0].value = arguments[1]; arguments[0].dispatchEvent(new Event('input', {bubbles: true}))", box, text)
            page.frames(3)
        self.assert_no(page.js("return [...document.querySelectorAll('#zerostall-timeline img, #zerostall-timeline script, #zerostall-timeline iframe')].map(e => e.outerHTML)"))
        page.close_checked()

    def test_policy_forbids_what_is_not_inlined(self):
        page = self.open("two")
        found = self.browser.driver.execute_async_script(ATTACKS)
        self.assertEqual(found["ran"], [])
        self.assertEqual(found["went"], ["rejected", "rejected"])
        self.assertNotEqual(found["outline"], "7pxsolid")
        for directive in ("script-src-elem", "script-src-attr", "script-src", "style-src-elem", "connect-src", "img-src"):
            self.assertIn(directive, found["blocked"])
        self.assert_no([url for url in page.requests() if url.startswith(("http", "ws"))])

    def test_policy_holds_from_the_first_byte(self):
        for where, injected in (("head", "<script>window.pwned = 1</script>"), ("body", "<img src=x onerror='window.pwned = 1'>"),
                                ("body", "<script src='data:text/javascript,window.pwned=1'></script>"), ("body", "<script>window.pwned = 1</script>")):
            with self.subTest(injected):
                text, count = re.subn(f"</{where}>", lambda m: injected + m[0], reports.text_of("two.html"), count=1)
                self.assertEqual(count, 1)
                page = self.open_text("injected", text)
                page.wait_for("return document.readyState === 'complete'")
                page.frames(3)
                self.assertIsNone(page.js("return window.pwned"))
                self.assertTrue(any("Content Security Policy" in line for line in page.complaints()), page.complaints())

    def test_policy_is_strict(self):
        policy = re.search(r'http-equiv="Content-Security-Policy" content="([^"]+)"', reports.text_of("two.html"))[1]
        self.assertIn("default-src 'none'", policy)
        self.assertNotRegex(policy, r"unsafe|https?:|\*|(?:script|style)-src[^;]*\b(?:data|blob):")

    def test_page_names_nobody(self):
        import getpass
        import socket
        for name in ("one", "two", "hostile"):
            text = reports.text_of(f"{name}.html")
            self.assertNotIn(str(reports.OUT), text)
            self.assertNotIn("file://", text)
            for own in {socket.gethostname(), getpass.getuser()} - {"root", "localhost"}:
                self.assertNotRegex(text, rf"\b{re.escape(own)}\b")


if __name__ == "__main__":
    reports.main()
