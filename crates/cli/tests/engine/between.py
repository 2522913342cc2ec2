"""Stands between the program and the engine: may change a run's first request, and keeps all that goes by.

The program never forces a call, and a model without sense never makes one. So the request is changed on its way, and
what the program reads are still the bytes of the engine, as they come.
"""

import http.client
import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread

# Longer than any answer of the engine takes.
PATIENCE = 300


class Exchange:
    """One request as the program sent it, and the answer as the engine did."""

    def __init__(self, body):
        self.body = body
        self.status = None
        self.answer = b""

    def choices(self):
        lines = self.answer.decode().splitlines()
        data = [line.removeprefix("data: ") for line in lines if line.startswith("data: {")]
        return [choice for chunk in data for choice in json.loads(chunk).get("choices", [])]

    def text(self):
        return "".join(choice["delta"].get("content") or "" for choice in self.choices())

    def finish(self):
        return next((choice["finish_reason"] for choice in self.choices() if choice["finish_reason"]), None)

    def arguments(self):
        return "".join(call["function"]["arguments"] for call in self._calls())

    def call_id(self):
        return self._calls()[0]["id"]

    def _calls(self):
        return [call for choice in self.choices() for call in choice["delta"].get("tool_calls") or []]


class Between:
    """Listens while its `with` does."""

    def __init__(self, engine, change=None):
        self.exchanges = []
        exchanges = self.exchanges

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                exchange = Exchange(body)
                exchanges.append(exchange)
                sent = json.loads(json.dumps(body))
                if change and len(exchanges) == 1:
                    change(sent)
                self.pass_on(exchange, json.dumps(sent))

            def pass_on(self, exchange, sent):
                connection = http.client.HTTPConnection("127.0.0.1", engine.port, timeout=PATIENCE)
                known = ("authorization", "content-type", "accept")
                headers = {name: self.headers[name] for name in known if self.headers[name]}
                connection.request("POST", self.path, sent, headers)
                response = connection.getresponse()
                exchange.status = response.status
                self.send_response(response.status)
                self.send_header("content-type", response.headers["content-type"])
                self.end_headers()
                # The end of the connection is the end of the answer, so each piece goes on as it is.
                while piece := response.read1():
                    exchange.answer += piece
                    self.wfile.write(piece)
                connection.close()

            def log_message(self, *_):
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self._server.server_port}/v1"

    def __enter__(self):
        # Looks often whether it shall stop: there are many short runs.
        Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *_):
        self._server.shutdown()
        self._server.server_close()

    def after_the_call(self):
        """The model's words and the results of its calls, in the first request that has any; a subagent's has none."""
        spoken = ("assistant", "tool")
        every = [asked.body["messages"] for asked in self.exchanges]
        told = [[message for message in messages if message["role"] in spoken] for messages in every]
        return next((messages for messages in told if messages), [])
