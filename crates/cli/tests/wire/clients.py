"""The published clients of Anthropic and OpenAI talk to our scripted server.

If they understand it, our idea of the three protocols is not only our own. A function `test_…` is a test; each has a
server of its own. Only what the clients themselves say is looked at.

    python clients.py path/to/wire_server [part of a test's name]
"""

import json
import subprocess
import sys
import tempfile
import traceback
from pathlib import Path

import anthropic
import openai

SERVER = Path(sys.argv[1]).resolve()
KEY = "sk-planted-for-clients"

# Two turns: thinking, words and two calls, then an end. The second call has more than ASCII in it.
TALK = """
chunk = 5
[[answer]]
thinking = "First look, then judge."
text = "I'll look at both files."
usage = { input_tokens = 120, output_tokens = 34, cache_read_input_tokens = 50, cache_creation_input_tokens = 30 }
[[answer.call]]
tool = "Read"
input = { file_path = "a.txt" }
[[answer.call]]
tool = "Read"
input = { file_path = "größe ✓.txt", limit = 3 }
[[answer.next]]
result = "one"
goto = "end"
[[answer]]
text = "This is never said."
[[answer]]
name = "end"
text = "Both are fine."
usage = { input_tokens = 7, output_tokens = 4 }
"""

THINKING = "First look, then judge."
SAID = "I'll look at both files."
INPUTS = [{"file_path": "a.txt"}, {"file_path": "größe ✓.txt", "limit": 3}]

SCHEMA = {
    "type": "object",
    "properties": {"file_path": {"type": "string"}, "limit": {"type": "integer"}},
    "required": ["file_path"],
}


def failing(kind, more=""):
    return f'[[answer]]\ntext = "After all."\nfail = {{ kind = "{kind}", message = "As the script says"{more} }}\n'


class Server:
    """The example `wire_server`, with this script."""

    def __init__(self, script):
        self.folder = tempfile.TemporaryDirectory(prefix="forelook-wire-")
        path = Path(self.folder.name) / "script.toml"
        path.write_text(script)
        command = [SERVER, "--script", path, "--key", KEY]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        self.url = self.process.stdout.readline().removeprefix("listening on ").strip()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        out, err = self.process.communicate(timeout=20)
        self.folder.cleanup()
        assert self.process.returncode == 0, (self.process.returncode, err)
        self.figures = json.loads(out.splitlines()[-1])
        self.problems = err

    def anthropic(self, key=KEY, retries=0):
        return anthropic.Anthropic(base_url=self.url, api_key=key, max_retries=retries)

    def openai(self, key=KEY, retries=0):
        return openai.OpenAI(base_url=f"{self.url}/v1", api_key=key, max_retries=retries)


def same(actual, expected):
    assert actual == expected, f"\n  actual   {actual!r}\n  expected {expected!r}"


def raises(kind, act):
    try:
        act()
    except kind as error:
        return error
    raise AssertionError(f"{kind.__name__} was not raised")


# Anthropic Messages


def ask_anthropic(client, messages):
    tools = [{"name": "Read", "description": "Reads a file.", "input_schema": SCHEMA}]
    thinking = {"type": "adaptive"}
    with client.messages.stream(
        model="any", max_tokens=1000, system="Be brief.", tools=tools, thinking=thinking, messages=messages
    ) as stream:
        pieces = list(stream.text_stream)
        return stream.get_final_message(), pieces


def test_anthropic_two_turns_with_calls():
    with Server(TALK) as server:
        client = server.anthropic()
        messages = [{"role": "user", "content": "go"}]
        first, pieces = ask_anthropic(client, messages)
        same([block.type for block in first.content], ["thinking", "text", "tool_use", "tool_use"])
        same(first.content[0].thinking, THINKING)
        assert first.content[0].signature, "thinking is signed"
        same((first.content[1].text, "".join(pieces)), (SAID, SAID))
        assert len(pieces) > 1, "it came in pieces"
        same([block.input for block in first.content[2:]], INPUTS)
        same(first.stop_reason, "tool_use")
        usage = first.usage
        same((usage.input_tokens, usage.output_tokens), (120, 34))
        same((usage.cache_read_input_tokens, usage.cache_creation_input_tokens), (50, 30))
        results = [
            {"type": "tool_result", "tool_use_id": block.id, "content": "one"} for block in first.content[2:]
        ]
        # As the client has it, signature and all: the server refuses what was changed.
        content = [block.model_dump(exclude_none=True) for block in first.content]
        messages += [{"role": "assistant", "content": content}, {"role": "user", "content": results}]
        second, _ = ask_anthropic(client, messages)
        same((second.content[0].text, second.stop_reason), ("Both are fine.", "end_turn"))
        same((second.usage.input_tokens, second.usage.output_tokens), (7, 4))
    same((server.figures["requests"], server.problems), (2, ""))


def test_anthropic_a_changed_thought_is_refused():
    with Server(TALK) as server:
        client = server.anthropic()
        first, _ = ask_anthropic(client, [{"role": "user", "content": "go"}])
        content = [block.model_dump(exclude_none=True) for block in first.content]
        content[0]["thinking"] = "I never thought this."
        results = [
            {"type": "tool_result", "tool_use_id": block.id, "content": "one"} for block in first.content[2:]
        ]
        messages = [
            {"role": "user", "content": "go"},
            {"role": "assistant", "content": content},
            {"role": "user", "content": results},
        ]
        error = raises(anthropic.BadRequestError, lambda: ask_anthropic(client, messages))
        assert "came back changed" in str(error), error


def test_anthropic_errors_have_their_types():
    hi = [{"role": "user", "content": "hi"}]
    for kind, error, status, named in [
        ("rate_limited", anthropic.RateLimitError, 429, "rate_limit_error"),
        ("overloaded", anthropic.APIStatusError, 529, "overloaded_error"),
        ("server", anthropic.InternalServerError, 500, "api_error"),
        ("authentication", anthropic.AuthenticationError, 401, "authentication_error"),
        ("bad_request", anthropic.BadRequestError, 400, "invalid_request_error"),
        ("context_overflow", anthropic.BadRequestError, 400, "invalid_request_error"),
    ]:
        with Server(failing(kind)) as server:
            raised = raises(error, lambda: ask_anthropic(server.anthropic(), hi))
            same((raised.status_code, raised.body["error"]["type"]), (status, named))
            if kind != "context_overflow":
                same(raised.body["error"]["message"], "As the script says")


def test_anthropic_a_wrong_key_is_refused():
    hi = [{"role": "user", "content": "hi"}]
    with Server(TALK) as server:
        raises(anthropic.AuthenticationError, lambda: ask_anthropic(server.anthropic(key="sk-other"), hi))


def test_anthropic_an_error_inside_the_stream():
    hi = [{"role": "user", "content": "hi"}]
    with Server(failing("overloaded", ", after = 3")) as server:
        raised = raises(anthropic.APIStatusError, lambda: ask_anthropic(server.anthropic(), hi))
        same(raised.body["error"]["type"], "overloaded_error")


def test_anthropic_its_own_retry_succeeds():
    hi = [{"role": "user", "content": "hi"}]
    with Server(failing("rate_limited", ", retry_after_ms = 10")) as server:
        message, _ = ask_anthropic(server.anthropic(retries=2), hi)
        same(message.content[0].text, "After all.")
    same(server.figures["requests"], 2)


def test_anthropic_tokens_are_counted():
    with Server(TALK) as server:
        counted = server.anthropic().messages.count_tokens(model="any", messages=[{"role": "user", "content": "hi"}])
        assert counted.input_tokens > 0, counted


# OpenAI Responses


def ask_responses(client, items):
    tools = [{"type": "function", "name": "Read", "description": "Reads a file.", "parameters": SCHEMA, "strict": False}]
    events, final = [], None
    for event in client.responses.create(
        model="any",
        instructions="Be brief.",
        input=items,
        tools=tools,
        include=["reasoning.encrypted_content"],
        reasoning={"summary": "auto"},
        store=False,
        stream=True,
    ):
        events.append(event)
        if event.type in ("response.completed", "response.incomplete", "response.failed"):
            final = event.response
    return final, events


def test_responses_two_turns_with_calls():
    with Server(TALK) as server:
        client = server.openai()
        items = [{"role": "user", "content": "go"}]
        first, events = ask_responses(client, items)
        same([event.sequence_number for event in events], list(range(len(events))))
        same(first.status, "completed")
        same([item.type for item in first.output], ["reasoning", "message", "function_call", "function_call"])
        same(first.output[0].summary[0].text, THINKING)
        assert first.output[0].encrypted_content, "thinking is sealed"
        same(first.output_text, SAID)
        deltas = [event.delta for event in events if event.type == "response.output_text.delta"]
        same("".join(deltas), SAID)
        assert len(deltas) > 1, "it came in pieces"
        calls = first.output[2:]
        same([json.loads(call.arguments) for call in calls], INPUTS)
        done = [event.item for event in events if event.type == "response.output_item.done"]
        same([item.id for item in done], [item.id for item in first.output])
        usage = first.usage
        same((usage.input_tokens, usage.output_tokens, usage.total_tokens), (200, 34, 234))
        details = usage.input_tokens_details
        same((details.cached_tokens, details.cache_write_tokens), (50, 30))
        items += [clean(item.model_dump(exclude_none=True)) for item in first.output]
        items += [{"type": "function_call_output", "call_id": call.call_id, "output": "one"} for call in calls]
        second, _ = ask_responses(client, items)
        same((second.output_text, second.usage.input_tokens), ("Both are fine.", 7))
    same((server.figures["requests"], server.problems), (2, ""))


def clean(item):
    """Without what a server says and does not want to hear."""
    for part in item.get("content") or []:
        part.pop("logprobs", None)
    return item


def test_responses_the_client_parses_the_stream_itself():
    with Server(TALK) as server:
        with server.openai().responses.stream(
            model="any", input=[{"role": "user", "content": "go"}], store=False
        ) as stream:
            for _ in stream:
                pass
            final = stream.get_final_response()
        same(final.output_text, SAID)
        same([json.loads(it.arguments) for it in final.output if it.type == "function_call"], INPUTS)


def test_responses_an_answer_that_is_cut_short():
    with Server('[[answer]]\ntext = "And then"\nstop = "max_tokens"\n') as server:
        final, _ = ask_responses(server.openai(), [{"role": "user", "content": "go"}])
        same((final.status, final.incomplete_details.reason), ("incomplete", "max_output_tokens"))


def test_responses_an_error_inside_the_stream():
    with Server(failing("overloaded", ", after = 3")) as server:
        final, _ = ask_responses(server.openai(), [{"role": "user", "content": "go"}])
        same((final.status, final.error.message), ("failed", "As the script says"))


# OpenAI Chat Completions


def ask_chat(client, messages):
    tools = [{"type": "function", "function": {"name": "Read", "description": "Reads a file.", "parameters": SCHEMA}}]
    text, thinking, calls, finish, usage = [], [], {}, None, None
    for chunk in client.chat.completions.create(
        model="any", messages=messages, tools=tools, stream=True, stream_options={"include_usage": True}
    ):
        usage = chunk.usage or usage
        for choice in chunk.choices:
            finish = choice.finish_reason or finish
            text.append(choice.delta.content or "")
            thinking.append(getattr(choice.delta, "reasoning_content", None) or "")
            for call in choice.delta.tool_calls or []:
                known = calls.setdefault(call.index, {"id": call.id, "name": call.function.name, "arguments": ""})
                known["arguments"] += call.function.arguments or ""
    return "".join(text), "".join(thinking), list(calls.values()), finish, usage


def test_chat_two_turns_with_calls():
    with Server(TALK) as server:
        client = server.openai()
        messages = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "go"}]
        text, thinking, calls, finish, usage = ask_chat(client, messages)
        same((text, thinking, finish), (SAID, THINKING, "tool_calls"))
        same([json.loads(call["arguments"]) for call in calls], INPUTS)
        same((usage.prompt_tokens, usage.completion_tokens, usage.total_tokens), (200, 34, 234))
        same(usage.prompt_tokens_details.cached_tokens, 50)
        said = [
            {"id": it["id"], "type": "function", "function": {"name": it["name"], "arguments": it["arguments"]}}
            for it in calls
        ]
        messages.append({"role": "assistant", "content": text, "tool_calls": said})
        messages += [{"role": "tool", "tool_call_id": call["id"], "content": "one"} for call in calls]
        text, _, calls, finish, usage = ask_chat(client, messages)
        same((text, calls, finish), ("Both are fine.", [], "stop"))
        same(usage.prompt_tokens, 7)
    same((server.figures["requests"], server.problems), (2, ""))


def test_chat_the_client_parses_the_stream_itself():
    with Server(TALK) as server:
        with server.openai().chat.completions.stream(
            model="any", messages=[{"role": "user", "content": "go"}], stream_options={"include_usage": True}
        ) as stream:
            for _ in stream:
                pass
            final = stream.get_final_completion()
        message = final.choices[0].message
        same((message.content, final.choices[0].finish_reason), (SAID, "tool_calls"))
        same([json.loads(call.function.arguments) for call in message.tool_calls], INPUTS)
        same(final.usage.total_tokens, 234)


def test_chat_an_error_inside_the_stream():
    with Server(failing("server", ", after = 3")) as server:
        hi = [{"role": "user", "content": "hi"}]
        error = raises(openai.APIError, lambda: ask_chat(server.openai(), hi))
        assert "As the script says" in str(error), error


def test_openai_errors_have_their_types():
    hi = [{"role": "user", "content": "hi"}]
    for kind, error, status, code in [
        ("rate_limited", openai.RateLimitError, 429, "rate_limit_exceeded"),
        ("overloaded", openai.InternalServerError, 503, "server_is_overloaded"),
        ("server", openai.InternalServerError, 500, "server_error"),
        ("authentication", openai.AuthenticationError, 401, "invalid_api_key"),
        ("bad_request", openai.BadRequestError, 400, None),
        ("context_overflow", openai.BadRequestError, 400, "context_length_exceeded"),
    ]:
        for ask in (ask_chat, ask_responses):
            with Server(failing(kind)) as server:
                raised = raises(error, lambda: ask(server.openai(), hi))
                same((raised.status_code, raised.code), (status, code))
                assert "As the script says" in str(raised), raised


def test_openai_a_wrong_key_is_refused():
    hi = [{"role": "user", "content": "hi"}]
    with Server(TALK) as server:
        for ask in (ask_chat, ask_responses):
            raises(openai.AuthenticationError, lambda: ask(server.openai(key="sk-other"), hi))


def test_openai_its_own_retry_succeeds():
    hi = [{"role": "user", "content": "hi"}]
    with Server(failing("rate_limited", ", retry_after_ms = 10")) as server:
        text, *_ = ask_chat(server.openai(retries=2), hi)
        same(text, "After all.")


def test_a_connection_that_breaks_is_noticed():
    hi = [{"role": "user", "content": "hi"}]
    for after in (0, 3):
        with Server(failing("connection", f", after = {after}")) as server:
            try:
                ask_anthropic(server.anthropic(), hi)
            except Exception as error:
                # Inside a stream the client lets its transport's own errors through.
                names = [it.__name__ for it in type(error).__mro__]
                assert "APIConnectionError" in names or "TransportError" in names, names
            else:
                raise AssertionError(f"nothing was noticed after {after} events")


def main():
    wanted = sys.argv[2] if len(sys.argv) > 2 else ""
    tests = {name: test for name, test in globals().items() if name.startswith("test_") and wanted in name}
    failed = 0
    for name, test in tests.items():
        try:
            test()
            problem = None
        except Exception:
            problem = traceback.format_exc()
        print(f"{name.removeprefix('test_')} ... {'FAILED' if problem else 'ok'}", flush=True)
        if problem:
            failed += 1
            print(problem, flush=True)
    print(f"{len(tests) - failed} passed, {failed} failed")
    sys.exit(1 if failed or not tests else 0)


main()
