"""Chromium without a window, told what to do over a pipe (the DevTools protocol)."""

import base64
import fcntl
import json
import os
import select
import shutil
import subprocess
import time

HANGING = 600  # seconds
NAMES = ("chromium", "chromium-browser", "google-chrome")
# What comes after it is run with descriptors 3 and 4, where Chromium expects its pipe.
WITH_PIPE = 'exec "$@" 3</dev/fd/$COMMANDS 4>/dev/fd/$ANSWERS'


def find() -> tuple[str | None, str]:
    """Return the path of Chromium, or None and why there is none; root installs it on Debian."""
    reason = "Chromium is not installed"
    if not any(map(shutil.which, NAMES)) and shutil.which("apt-get") and os.geteuid() == 0:
        reason += f", and apt-get does not install it: {_install()}"
    return next(filter(None, map(shutil.which, NAMES)), None), reason


def _install() -> str:
    """Install Debian's Chromium; return the end of what apt-get complained about."""
    environment = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    complaint = ""
    for command in ("update", "install --yes --no-install-recommends chromium"):
        try:
            complaint = subprocess.run(
                ["apt-get", "--quiet", *command.split()], env=environment, capture_output=True, text=True, timeout=300
            ).stderr
        except subprocess.TimeoutExpired as error:
            complaint = str(error)
    return complaint.strip()[-300:]


class Browser:
    """One page of a Chromium that reaches no network; `errors` and `requests` are what it met."""

    def __init__(self, executable, profile, size=(1400, 900)):
        self.errors, self.requests = [], []
        self._last_id, self._session, self._received = 0, {}, b""
        commands, self._commands = os.pipe()
        self._answers, answers = os.pipe()
        # High numbers, so that 3 and 4 are free in the shell that starts Chromium.
        inherited = [fcntl.fcntl(end, fcntl.F_DUPFD, 50) for end in (commands, answers)]
        self._process = subprocess.Popen(
            [
                "sh",
                "-c",
                WITH_PIPE,
                "sh",
                executable,
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--no-first-run",
                "--host-resolver-rules=MAP * ~NOTFOUND",
                "--remote-debugging-pipe",
                f"--user-data-dir={profile}",
                "--window-size={},{}".format(*size),
            ],
            env={**os.environ, "COMMANDS": str(inherited[0]), "ANSWERS": str(inherited[1])},
            pass_fds=inherited,
            stderr=subprocess.DEVNULL,
        )
        for end in (commands, answers, *inherited):
            os.close(end)
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        attached = self.call("Target.attachToTarget", targetId=target, flatten=True)
        self._session = {"sessionId": attached["sessionId"]}
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(f"{domain}.enable")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        os.close(self._commands)
        os.close(self._answers)
        self._process.terminate()
        self._process.wait(timeout=HANGING)

    def call(self, method, **parameters):
        """Send a command of the protocol and return its result."""
        self._last_id += 1
        command = {"id": self._last_id, "method": method, "params": parameters, **self._session}
        os.write(self._commands, json.dumps(command).encode() + b"\0")
        while (message := self._next_message()).get("id") != self._last_id:
            self._note(message)
        if "error" in message:
            raise RuntimeError(f"{method}: {message['error']['message']}")
        return message["result"]

    def open(self, path):
        """Show a local file, and wait until it is loaded."""
        self.call("Page.navigate", url=path.resolve().as_uri())
        self.wait_for("document.readyState == 'complete' && location.protocol == 'file:'")

    def run(self, script):
        """Return the value of a JavaScript expression; a promise is awaited."""
        answer = self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{script}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def wait_for(self, condition, seconds=HANGING):
        """Wait until a JavaScript expression holds."""
        until = time.monotonic() + seconds
        while not self.run(condition):
            if time.monotonic() > until:
                raise TimeoutError(f"not so after {seconds} s: {condition}")
            time.sleep(0.05)

    def screenshot(self):
        """Return what is seen, as the bytes of a PNG."""
        return base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"])

    def _next_message(self, seconds=HANGING):
        while b"\0" not in self._received:
            if not select.select([self._answers], [], [], seconds)[0]:
                raise TimeoutError("Chromium does not answer")
            received = os.read(self._answers, 1 << 20)
            if not received:
                raise RuntimeError("Chromium ended")
            self._received += received
        message, _, self._received = self._received.partition(b"\0")
        return json.loads(message)

    def _note(self, event):
        about = event.get("params", {})
        if event["method"] == "Runtime.exceptionThrown":
            self.errors.append(about["exceptionDetails"])
        elif event["method"] == "Log.entryAdded" and about["entry"]["level"] == "error":
            self.errors.append(about["entry"])
        elif event["method"] == "Network.requestWillBeSent":
            self.requests.append(about["request"]["url"])
