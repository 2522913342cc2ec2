"""A real engine answers the real program: llama.cpp behind the server of `llama-cpp-python`, as published.

The model is made here and has random weights, so what it says means nothing; that it arrives whole is what is tested.
A function `test_…` is a test. The engine is one for all of them; each has a home and a project of its own.

    python drive.py target/debug/forelook [part of a test's name]
"""

import json
import sys
import tempfile
import time
import traceback
from pathlib import Path

import openai

# Before our own: nothing is left in the source tree.
sys.dont_write_bytecode = True

import make_model
from between import Between
from engine import KEY, MODEL, Engine
from program import Program

# What ends a string, a list and an object: the model is made to like them, or a call would have pages of input.
CLOSING = {str(byte): 4 for byte in b'"]}'}


def forced(tool):
    """Makes the first answer of a run a call of this tool, with an input that fits its schema."""

    def change(body):
        body["tool_choice"] = {"type": "function", "function": {"name": tool}}
        body["logit_bias"] = CLOSING

    return change


def test_the_published_client_understands_the_engine(engine, _place):
    """If this fails, it is the engine that does not work, and no other test says anything about us."""
    client = openai.OpenAI(base_url=engine.address, api_key=KEY, max_retries=0)
    asked = {"model": MODEL, "messages": [{"role": "user", "content": "Hello"}], "stream": True, "seed": 1}
    chunks = list(client.chat.completions.create(**asked, max_tokens=50, extra_body={"min_tokens": 20}))
    pieces = [chunk.choices[0].delta.content for chunk in chunks if chunk.choices[0].delta.content]
    check(len(pieces) > 5, f"streamed in pieces: {pieces}")
    check(chunks[-1].choices[0].finish_reason in ["stop", "length"], f"ends with a reason: {chunks[-1]}")

    schema = {"type": "object", "properties": {"city": {"enum": ["Ulm"]}}, "required": ["city"]}
    tool = {"type": "function", "function": {"name": "Weather", "parameters": schema}}
    choice = {"type": "function", "function": {"name": "Weather"}}
    chunks = list(client.chat.completions.create(**asked, tools=[tool], tool_choice=choice))
    calls = [call for chunk in chunks for call in chunk.choices[0].delta.tool_calls or []]
    check(len(calls) > 5, f"a call comes in pieces: {calls}")
    equal(json.loads("".join(call.function.arguments for call in calls)), {"city": "Ulm"}, "the forced call")


def test_an_answer_arrives_whole(engine, place):
    """Nothing between the two: the program asks the engine as it would on a desk."""
    # The model may end after a word or before it: one of some answers is long.
    for _ in range(5):
        ran = place.run("Say something.", engine.address)
        ran.ended_well()
        [answer] = ran.answers()
        equal("".join(answer.pieces), answer.text, "the pieces add up to the answer")
        equal(ran.result["result"], answer.text, "the result is the answer")
        equal("".join(kept["text"] for kept in ran.recorded_blocks()), answer.text, "the journal has the answer")
        if len(answer.pieces) > 5:
            return
    raise AssertionError("no answer was streamed in pieces")


def test_what_the_engine_sends_is_what_is_recorded(engine, place):
    with Between(engine, lambda body: body.update(min_tokens=50)) as between:
        ran = place.run("Say something else.", between.address)
    ran.ended_well()
    [asked] = between.exchanges
    equal(asked.status, 200, "the engine takes the request")
    check(asked.text(), f"the engine said something: {asked.answer[:500]}")
    equal(ran.result["result"], asked.text(), "the result is what the engine sent")
    equal([kept["text"] for kept in ran.recorded_blocks()], [asked.text()], "the journal has what it sent")


def test_an_answer_that_was_cut_short_is_kept(engine, place):
    """The engine is told to stop after some tokens, and says so."""
    with Between(engine, lambda body: body.update(min_tokens=7, max_tokens=7)) as between:
        ran = place.run("Say something long.", between.address)
    [asked, *_] = between.exchanges
    equal(asked.finish(), "length", "the engine stopped")
    equal(ran.answers()[0].text, asked.text(), "the words until then are kept")
    check(ran.code in (0, 1), f"a clean end: {ran}")


def test_a_forced_call_arrives_whole_and_its_result_goes_back(engine, place):
    """The schema is narrowed to one file that is there, so that even this model reads it."""
    file = place.project / "greeting.txt"
    file.write_text("Grüß Gott, 世界\n")

    def change(body):
        forced("Read")(body)
        narrowed = {"type": "object", "properties": {"file_path": {"const": str(file)}}, "required": ["file_path"]}
        tool_named(body, "Read")["parameters"] = narrowed

    with Between(engine, change) as between:
        ran = place.run("Read it.", between.address)
    ran.ended_well()
    calls_and_results_agree(ran, between)
    [call] = ran.calls()
    equal(call["input"], {"file_path": str(file)}, "the input")
    [result] = ran.results()
    check(not result["is_error"], f"the file was read: {result}")
    [_, told] = between.after_the_call()
    check("Grüß Gott, 世界" in told["content"], f"the engine is told what is in the file: {told}")


def test_every_tool_can_be_called(engine, place):
    """With the schemas as we send them, and whatever input the model finds: each call has a result, and all goes on."""
    with Between(engine) as between:
        place.run("What is there?", between.address).ended_well()
    tools = [tool["function"]["name"] for tool in between.exchanges[0].body["tools"]]
    check("Read" in tools and "Bash" in tools, f"the tools are offered: {tools}")
    for tool in tools:
        with Between(engine, forced(tool)) as between:
            ran = place.run(f"Call {tool}.", between.address)
        ran.ended_well()
        [call, *_] = ran.calls()
        equal(call["name"], tool, "the call that was forced")
        calls_and_results_agree(ran, between)


def test_a_call_cut_in_the_middle_is_not_carried_out(engine, place):
    """The engine sends half a JSON object and says that it is a call."""

    def change(body):
        forced("Write")(body)
        body["max_tokens"] = 8

    with Between(engine, change) as between:
        ran = place.run("Write something.", between.address)
    ran.ended_well()
    [cut, after, *_] = between.exchanges
    check(not is_json(cut.arguments()), f"the call is cut: {cut.arguments()}")
    equal(after.status, 200, "the engine takes what became of it")
    [result] = ran.results()
    check(result["is_error"], f"the model is told: {result}")
    equal([path.name for path in place.project.iterdir()], [], "nothing was written")


def test_a_wrong_key_is_named_and_not_shown(engine, place):
    ran = place.run("Hello.", engine.address, key="wrong-and-planted")
    check(ran.code not in (0, None), f"it fails: {ran}")
    check("OPENAI_API_KEY" in ran.told(), f"it says which key: {ran}")
    check("wrong-and-planted" not in ran.told(), "the key is not shown")


def calls_and_results_agree(ran, between):
    """What the engine sent is the call that was recorded; its result was in the next request, which was taken."""
    first = between.exchanges[0]
    equal([asked.status for asked in between.exchanges], [200] * len(between.exchanges), "the engine takes all of it")
    [call, *_] = ran.calls()
    equal(call["input"], json.loads(first.arguments()), "the input is what the engine sent")
    equal(call["id"], first.call_id(), "the call has the engine's id")
    [result, *_] = ran.results()
    equal(result["tool_use_id"], call["id"], "the result of that call")
    [said, told] = between.after_the_call()[:2]
    equal(json.loads(said["tool_calls"][0]["function"]["arguments"]), call["input"], "the call goes back as it was")
    equal((told["role"], told["tool_call_id"]), ("tool", call["id"]), "its result goes back")


def tool_named(body, name):
    return next(tool["function"] for tool in body["tools"] if tool["function"]["name"] == name)


def is_json(text):
    try:
        json.loads(text)
    except ValueError:
        return False
    return True


def check(holds, sentence):
    if not holds:
        raise AssertionError(sentence)


def equal(found, wanted, sentence):
    check(found == wanted, f"{sentence}\n    found  {found!r}\n    wanted {wanted!r}")


def main():
    binary = Path(sys.argv[1]).resolve()
    part = sys.argv[2] if len(sys.argv) > 2 else ""
    tests = [(name, test) for name, test in globals().items() if name.startswith("test_") and part in name]
    check(tests, f"there is no test with `{part}` in its name")
    failed = []
    with tempfile.TemporaryDirectory(prefix="forelook-engine-") as folder:
        model = Path(folder) / "tiny.gguf"
        make_model.main(model)
        with Engine(model) as engine:
            for name, test in tests:
                began = time.monotonic()
                try:
                    test(engine, Program(binary, Path(folder) / name))
                except Exception:
                    failed.append(name)
                    traceback.print_exc(file=sys.stdout)
                print(f"{'FAILED' if name in failed else 'ok':6} {name} ({time.monotonic() - began:.1f} s)", flush=True)
            if failed:
                print(f"\nthe end of the engine's log:\n{engine.log_end()}")
    print(f"a real engine: {len(tests) - len(failed)} of {len(tests)} hold")
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
