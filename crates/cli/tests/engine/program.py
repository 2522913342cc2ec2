"""Our program: runs of it in a place of their own, and what they left."""

import json
import os
import subprocess

from engine import KEY, MODEL

# A run that hangs has failed. Long, because the machine may be busy; nothing waits for it otherwise.
PATIENCE = 300

# The exit code when a call was refused because nobody could be asked.
NOBODY_TO_ASK = 3


class Program:
    """The program with a home and a project for one test."""

    def __init__(self, binary, folder):
        self.binary = binary
        self.home = folder / "home"
        self.project = folder / "project"
        self.home.mkdir(parents=True)
        self.project.mkdir()

    def run(self, prompt, address, key=KEY):
        command = [self.binary, "-p", prompt, "--model", f"openai/{MODEL}", "--max-turns", "4"]
        command += ["--output-format", "stream-json", "--include-partial-messages"]
        known = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ}
        environment = known | {"HOME": self.home, "FORELOOK_HOME": self.home / "forelook"}
        environment |= {"OPENAI_BASE_URL": address, "OPENAI_API_KEY": key}
        before = set(self._journals())
        ended = subprocess.run(
            command, cwd=self.project, env=environment, capture_output=True, timeout=PATIENCE, stdin=subprocess.DEVNULL
        )
        self._keeps_the_secret(key, ended)
        return Ran(ended, [path for path in self._journals() if path not in before])

    def _journals(self):
        return sorted(self.home.rglob("*.jsonl"))

    def _keeps_the_secret(self, key, ended):
        kept = [path for path in self.home.rglob("*") if path.is_file() and key.encode() in path.read_bytes()]
        if kept or key.encode() in ended.stdout + ended.stderr:
            raise AssertionError(f"the key is in {kept or 'the output'}")


class Answer:
    """One answer of the model, as the program shows it."""

    def __init__(self):
        self.pieces = []
        self.text = ""


class Ran:
    """What a run printed and wrote."""

    def __init__(self, ended, journals):
        self.code = ended.returncode
        self.errors = ended.stderr.decode()
        self.lines = [json.loads(line) for line in ended.stdout.decode().splitlines()]
        self.result = next((line for line in self.lines if line["type"] == "result"), None)
        self.journal = [json.loads(line) for path in journals for line in path.read_text().splitlines()]

    def __repr__(self):
        return f"exit {self.code}, result {json.dumps(self.result)}, stderr {self.errors!r}"

    def told(self):
        return self.errors + json.dumps(self.lines, ensure_ascii=False)

    def ended_well(self):
        well = self.result is not None and self.result["subtype"] == "success" and not self.result["is_error"]
        codes = (0, NOBODY_TO_ASK) if well and self.result["permission_denials"] else (0,)
        if self.code not in codes or not well:
            raise AssertionError(f"the run did not end well: {self!r}")

    def answers(self):
        """The answers of the main conversation."""
        answers = [Answer()]
        for line in self._main():
            event = line.get("event", {})
            if event.get("type") == "content_block_delta" and event["delta"]["type"] == "text_delta":
                answers[-1].pieces.append(event["delta"]["text"])
            if line["type"] == "assistant":
                blocks = line["message"]["content"]
                answers[-1].text = "".join(block["text"] for block in blocks if block["type"] == "text")
                answers.append(Answer())
        return answers[:-1]

    def calls(self):
        return self._blocks("assistant", "tool_use")

    def results(self):
        return self._blocks("user", "tool_result")

    def recorded_blocks(self):
        return [block for entry in self.journal if entry["kind"] == "model_answered" for block in entry["data"]["blocks"]]

    def _main(self):
        return [line for line in self.lines if not line.get("parent_tool_use_id")]

    def _blocks(self, speaker, kind):
        messages = [line["message"] for line in self._main() if line["type"] == speaker]
        return [block for message in messages for block in message["content"] if block["type"] == kind]
