"""The engine: the server of `llama-cpp-python`, in a process of its own."""

import os
import re
import subprocess
import sys
import threading

import make_model

# The engine wants it, and it must appear nowhere else.
KEY = "planted-for-the-engine"

MODEL = "tiny"

# How long the engine may take to load the model. Long, because the machine may be busy.
PATIENCE = 120


class Engine:
    """Runs while its `with` does."""

    def __init__(self, model):
        words = {
            "model": model,
            "model_alias": MODEL,
            "host": "127.0.0.1",
            # Whichever is free; the log says which.
            "port": 0,
            "api_key": KEY,
            "n_ctx": make_model.CONTEXT,
            # Off, or the engine keeps what it thought of each token of the prompt.
            "logits_all": "false",
            "n_threads": min(4, os.cpu_count() or 1),
            # Each answer of each run is the same.
            "seed": 5,
        }
        self._arguments = [word for name, value in words.items() for word in (f"--{name}", str(value))]
        self._log = []
        self._listens = threading.Event()
        self.port = None

    @property
    def address(self):
        return f"http://127.0.0.1:{self.port}/v1"

    def __enter__(self):
        self._process = subprocess.Popen(
            [sys.executable, "-m", "llama_cpp.server", *self._arguments],
            # The server prefers these two to its arguments.
            env={name: value for name, value in os.environ.items() if name not in ("HOST", "PORT")},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            errors="replace",
        )
        threading.Thread(target=self._read_log, daemon=True).start()
        if not self._listens.wait(PATIENCE) or self.port is None:
            self.__exit__()
            raise RuntimeError(f"the engine does not listen; the end of its log:\n{self.log_end()}")
        return self

    def __exit__(self, *_):
        self._process.terminate()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def log_end(self):
        return "".join(self._log[-40:])

    def _read_log(self):
        for line in self._process.stdout:
            self._log.append(line)
            if found := re.search(r"running on http://127\.0\.0\.1:(\d+)", line):
                self.port = int(found[1])
                self._listens.set()
        # It has ended: whoever waits need not wait longer.
        self._listens.set()
