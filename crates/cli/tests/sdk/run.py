"""The Claude Agent SDK for Python, as published, drives the real program.

A function `test_…` is a test; each has a home, a project and a script of its own. What is tested is that the SDK
parses what we send and does with it what its documentation promises, so only its own objects are looked at; the
exact lines are the scenarios' business.

    python run.py target/debug/forelook [part of a test's name]
"""

import asyncio
import json
import sys
import tempfile
import time
import traceback
from pathlib import Path

import claude_agent_sdk
from claude_agent_sdk import (
    AgentDefinition,
    AssistantMessage,
    ClaudeAgentOptions,
    ClaudeSDKClient,
    HookMatcher,
    PermissionResultAllow,
    PermissionResultDeny,
    PermissionUpdate,
    ResultError,
    ResultMessage,
    StreamEvent,
    SystemMessage,
    TextBlock,
    ThinkingBlock,
    ToolResultBlock,
    ToolUseBlock,
    UserMessage,
    query,
)
from claude_agent_sdk.types import PermissionRuleValue

BINARY = Path(sys.argv[1]).resolve()

# A test that hangs is a failed one. Long, because the machine may be busy; no test waits for it otherwise.
PATIENCE = 60

HELLO = """
[[answer]]
text = "Hello from the script."
"""

EDIT = """
[[answer]]
text = "I'll change it."
[[answer.call]]
tool = "Read"
input = { file_path = "a.txt" }
[[answer.call]]
tool = "Edit"
input = { file_path = "a.txt", old_string = "one", new_string = "two" }
[[answer]]
name = "end"
text = "That is all."
next = [{ goto = "end" }]
"""

LOOP = """
[[answer]]
name = "again"
[[answer.call]]
tool = "Read"
input = { file_path = "a.txt" }
[[answer.next]]
goto = "again"
"""

# Slow enough that an interrupt always comes in the middle: a hundred pieces, a tenth of a second each.
SLOW = f"""
chunk = 5
[[answer]]
pace_ms = 100
text = "{'word ' * 100}"
[[answer]]
text = "Going on."
"""


# Asks for a review of its plan, then edits.
PLANS = """
[[answer]]
text = "The plan is ready."
[[answer.call]]
tool = "ExitPlanMode"
[[answer]]
[[answer.call]]
tool = "Read"
input = { file_path = "a.txt" }
[[answer.call]]
tool = "Edit"
input = { file_path = "a.txt", old_string = "one", new_string = "two" }
[[answer]]
name = "end"
text = "That is all."
next = [{ goto = "end" }]
"""

# Writes a new file.
WRITE = """
[[answer]]
[[answer.call]]
tool = "Write"
input = { file_path = "b.txt", content = "the model's\\n" }
[[answer]]
name = "end"
text = "That is all."
next = [{ goto = "end" }]
"""

# An ordinary turn; then one that writes a plan, asks for its review, and edits whatever the answer was.
PLANS_LATER = """
[capture]
plan = '`(/[^`]+\\.md)`'
[[answer]]
text = "Good morning."
[[answer]]
[[answer.call]]
tool = "Read"
input = { file_path = "a.txt" }
[[answer.call]]
tool = "Write"
input = { file_path = "{plan}", content = "# Theirs\\n" }
[[answer]]
[[answer.call]]
tool = "ExitPlanMode"
[[answer]]
[[answer.call]]
tool = "Edit"
input = { file_path = "a.txt", old_string = "one", new_string = "two" }
[[answer]]
name = "end"
text = "That is all."
next = [{ goto = "end" }]
"""

# Starts an agent of the host's, which reads and reports.
STARTS = """
[[start]]
prompt = "TASK"
goto = "agent"
[[answer]]
[[answer.call]]
tool = "Agent"
input = { description = "Look", prompt = "TASK: look at a.txt", subagent_type = "looker" }
[[answer]]
name = "end"
text = "That is all."
next = [{ goto = "end" }]
[[answer]]
name = "agent"
[[answer.call]]
tool = "Read"
input = { file_path = "a.txt" }
[[answer]]
text = "It says one."
"""


class Place:
    """A home, a project and a script in a folder that goes away."""

    def __init__(self, root):
        self.root = Path(root)
        self.project = self.root / "project"
        self.project.mkdir()
        self.note = self.project / "a.txt"
        self.note.write_text("one\n")
        self.new = self.project / "b.txt"
        self.stderr = []

    def script(self, text, name="script.toml"):
        """Writes a script and gives the name of the model that plays it."""
        path = self.root / name
        path.write_text(text)
        return f"scripted/{path}"

    def options(self, script, **more):
        env = {
            "FORELOOK_HOME": str(self.root / "home"),
            "FORELOOK_TEST_REQUESTS": str(self.root / "requests.jsonl"),
        }
        given = {"model": self.script(script), "cwd": self.project, "env": env, "stderr": self.stderr.append}
        return ClaudeAgentOptions(cli_path=BINARY, **(given | more))

    def requests(self):
        """What the model was sent."""
        path = self.root / "requests.jsonl"
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []

    def conversation(self):
        """Everything that the model had been told at its last request, itself included."""
        return json.dumps(self.requests()[-1]["messages"], ensure_ascii=False)


async def collect(messages):
    return [message async for message in messages]


async def ask(options, prompt="go"):
    """Everything that one query gives."""
    return await collect(query(prompt=prompt, options=options))


async def ask_in_vain(options):
    """What a query gives before it raises, and what it raises."""
    seen = []
    try:
        async for message in query(prompt="go", options=options):
            seen.append(message)
    except ResultError as error:
        return seen, error
    raise AssertionError(f"nothing was raised after {seen}")


async def refused(request):
    """The words with which a control request is refused."""
    try:
        await request
    except Exception as error:  # The SDK raises nothing narrower.
        return str(error)
    raise AssertionError("was not refused")


def of(kind, messages):
    return [message for message in messages if isinstance(message, kind)]


def blocks(kind, messages):
    lists = [message.content for message in messages if isinstance(message, (AssistantMessage, UserMessage))]
    return [block for content in lists if isinstance(content, list) for block in content if isinstance(block, kind)]


def text(messages):
    return "".join(block.text for block in blocks(TextBlock, of(AssistantMessage, messages)))


def init(messages):
    (message,) = [message for message in of(SystemMessage, messages) if message.subtype == "init"]
    return message.data


def result(messages):
    """The one result, which is the last message."""
    (message,) = of(ResultMessage, messages)
    assert messages[-1] is message, messages
    return message


def same(actual, expected):
    assert actual == expected, f"{actual!r} instead of {expected!r}"


async def test_the_sdk_is_the_one_without_a_program_in_it(_place):
    bundled = Path(claude_agent_sdk.__file__).parent / "_bundled"
    large = [path.name for path in bundled.glob("*") if path.stat().st_size > 10_000]
    same(large, [])


async def test_a_query_gives_messages_and_a_result(place):
    messages = await ask(place.options(HELLO))
    same([type(message) for message in messages], [SystemMessage, AssistantMessage, ResultMessage])
    same(text(messages), "Hello from the script.")
    end = result(messages)
    same((end.subtype, end.is_error, end.num_turns), ("success", False, 1))
    same((end.result, end.terminal_reason), ("Hello from the script.", "completed"))
    same(Path(init(messages)["cwd"]), place.project.resolve())
    assert "Edit" in init(messages)["tools"], messages
    same({init(messages)["session_id"], messages[1].session_id, end.session_id}, {end.session_id})
    same("".join(place.stderr), "")


async def test_an_empty_system_prompt_sends_no_empty_block(place):
    # The SDK passes `--system-prompt ""` unless it is told otherwise; providers refuse an empty block.
    await ask(place.options(HELLO))
    (request,) = place.requests()
    assert all(block.strip() for block in request["system"]), request["system"]


async def test_a_system_prompt_may_begin_with_a_hyphen(place):
    await ask(place.options(HELLO, system_prompt="- Be brief."))
    same(place.requests()[0]["system"][0], "- Be brief.")
    await ask(place.options(HELLO, system_prompt={"type": "preset", "preset": "claude_code", "append": "--kind"}))
    assert "--kind" in place.requests()[1]["system"], place.requests()[1]["system"]


async def test_two_queries_in_one_session(place):
    script = HELLO + '[[answer]]\ntext = "And again."\n'
    async with ClaudeSDKClient(place.options(script)) as client:
        await client.query("one")
        first = await collect(client.receive_response())
        await client.query("two")
        second = await collect(client.receive_response())
    same([text(first), text(second)], ["Hello from the script.", "And again."])
    same(result(first).session_id, result(second).session_id)
    same(len(place.requests()[1]["messages"]), 3)


async def test_prompts_from_an_iterator_are_turns_of_their_own(place):
    async def prompts():
        for words in ("one", "two"):
            yield {"type": "user", "message": {"role": "user", "content": words}, "parent_tool_use_id": None}

    script = HELLO + '[[answer]]\ntext = "And again."\n'
    messages = await collect(query(prompt=prompts(), options=place.options(script)))
    same([end.result for end in of(ResultMessage, messages)], ["Hello from the script.", "And again."])


async def test_prompts_sent_while_a_turn_runs_get_results_in_order(place):
    script = """
chunk = 3
[[answer]]
pace_ms = 20
text = "The first, at leisure."
[[answer]]
text = "The second."
[[answer]]
text = "The third."
"""
    async with ClaudeSDKClient(place.options(script)) as client:
        for words in ("one", "two", "three"):
            await client.query(words)
        turns = [await collect(client.receive_response()) for _ in range(3)]
    same([result(turn).result for turn in turns], ["The first, at leisure.", "The second.", "The third."])
    same([text(turn) for turn in turns], [result(turn).result for turn in turns])
    same([len(request["messages"]) for request in place.requests()], [1, 3, 5])


async def test_a_prompt_sent_while_a_command_runs_gets_a_result_too(place):
    script = """
[[answer]]
[[answer.call]]
tool = "Bash"
input = { command = "touch began; while ! [ -e told ]; do sleep 0.01; done" }
[[answer]]
text = "The first."
[[answer]]
text = "The second."
"""
    async with ClaudeSDKClient(place.options(script, allowed_tools=["Bash"])) as client:
        await client.query("one")
        while not (place.project / "began").exists():
            await asyncio.sleep(0.01)
        await client.query("two")
        (place.project / "told").touch()
        turns = [await collect(client.receive_response()) for _ in range(2)]
    same([result(turn).result for turn in turns], ["The first.", "The second."])


async def test_an_interrupt_takes_back_the_prompt_that_waits(place):
    async with ClaudeSDKClient(place.options(SLOW, include_partial_messages=True)) as client:
        await client.query("talk")
        await client.query("go on")
        async for message in client.receive_messages():
            if isinstance(message, StreamEvent) and message.event["type"] == "content_block_delta":
                break
        await client.interrupt()
        stopped = await collect(client.receive_response())
        taken_back = await collect(client.receive_response())
        await client.query("go on")
        after = await collect(client.receive_response())
    same(result(stopped).terminal_reason, "aborted_streaming")
    # It has a result of its own, so a host that counts them waits for none.
    same((result(taken_back).result, result(taken_back).is_error), (None, True))
    same((result(after).result, result(after).is_error), ("Going on.", False))


async def test_pieces_add_up_to_the_answer(place):
    script = 'chunk = 3\n[[answer]]\nthinking = "Hm, let me see."\ntext = "Ein längerer Satz, in Stücken."\n'
    messages = await ask(place.options(script, include_partial_messages=True))
    events = [message.event for message in of(StreamEvent, messages)]
    deltas = [event["delta"] for event in events if event["type"] == "content_block_delta"]
    same("".join(delta.get("text", "") for delta in deltas), text(messages))
    same("".join(delta.get("thinking", "") for delta in deltas), "Hm, let me see.")
    kinds = [event["type"] for event in events]
    same((kinds[0], kinds[-1]), ("message_start", "message_stop"))
    assert len(deltas) > 10, kinds
    same({message.session_id for message in of(StreamEvent, messages)}, {result(messages).session_id})


async def test_without_the_flag_there_are_no_pieces(place):
    same(of(StreamEvent, await ask(place.options(HELLO))), [])


async def test_calls_and_their_results_parse(place):
    messages = await ask(place.options(EDIT, permission_mode="acceptEdits"))
    calls = blocks(ToolUseBlock, messages)
    results = blocks(ToolResultBlock, messages)
    same([(call.name, call.input["file_path"]) for call in calls], [("Read", "a.txt"), ("Edit", "a.txt")])
    same([end.tool_use_id for end in results], [call.id for call in calls])
    same([end.is_error for end in results], [False, False])
    assert "one" in results[0].content[0]["text"], results


async def test_accept_edits_changes_a_real_file(place):
    messages = await ask(place.options(EDIT, permission_mode="acceptEdits"))
    same(place.note.read_text(), "two\n")
    same(init(messages)["permissionMode"], "acceptEdits")
    same(result(messages).permission_denials, [])


async def test_by_default_a_change_is_refused_and_listed(place):
    messages = await ask(place.options(EDIT))
    same(place.note.read_text(), "one\n")
    (denied,) = result(messages).permission_denials
    call = blocks(ToolUseBlock, messages)[1]
    same((denied["tool_name"], denied["tool_use_id"], denied["tool_input"]), ("Edit", call.id, call.input))
    same([end.is_error for end in blocks(ToolResultBlock, messages)], [False, True])
    same(result(messages).is_error, False)


async def test_an_interrupt_ends_in_a_result_and_the_session_goes_on(place):
    options = place.options(SLOW, include_partial_messages=True)
    async with ClaudeSDKClient(options) as client:
        await client.query("talk")
        seen = []
        async for message in client.receive_response():
            seen.append(message)
            if isinstance(message, StreamEvent) and message.event["type"] == "content_block_delta":
                break
        began = time.monotonic()
        await client.interrupt()
        seen += await collect(client.receive_response())
        end = result(seen)
        same((end.subtype, end.is_error), ("error_during_execution", True))
        same(end.terminal_reason, "aborted_streaming")
        # The whole answer would take ten seconds.
        assert time.monotonic() - began < 5, "the answer was not cut short"
        await client.query("go on")
        after = await collect(client.receive_response())
    same((text(after), result(after).is_error), ("Going on.", False))


async def test_an_interrupt_ends_a_running_command(place):
    script = HELLO.replace("Hello from the script.", "Waiting.") + """
[[answer.call]]
tool = "Bash"
input = { command = "touch began; sleep 600" }
"""
    async with ClaudeSDKClient(place.options(script, allowed_tools=["Bash"])) as client:
        await client.query("wait")
        began = place.project / "began"
        while not began.exists():
            await asyncio.sleep(0.01)
        await client.interrupt()
        messages = await collect(client.receive_response())
    same(result(messages).terminal_reason, "aborted_tools")
    same([end.is_error for end in blocks(ToolResultBlock, messages)], [True])


async def test_an_interrupt_of_nothing_does_no_harm(place):
    async with ClaudeSDKClient(place.options(HELLO)) as client:
        await client.interrupt()
        await client.query("go")
        messages = await collect(client.receive_response())
    same(text(messages), "Hello from the script.")


async def test_another_mode_counts_from_the_next_call(place):
    script = EDIT.replace('goto = "end"', 'prompt = "again", goto = "again"')
    script = script.replace("[[answer]]", '[[answer]]\nname = "again"', 1)
    async with ClaudeSDKClient(place.options(script)) as client:
        await client.query("change it")
        refused = await collect(client.receive_response())
        await client.set_permission_mode("acceptEdits")
        await client.query("again")
        changed = await collect(client.receive_response())
    same(len(result(refused).permission_denials), 1)
    same(result(changed).permission_denials, [])
    same(place.note.read_text(), "two\n")
    same(init(changed)["permissionMode"], "acceptEdits")


def asked_by(answer, seen):
    """A callback that notes what it is asked, and answers by the tool's name."""

    async def can_use_tool(name, given, context):
        seen.append((name, given, context))
        return answer(name, given)

    return can_use_tool


async def talk(options, prompt="go"):
    """One prompt through a client, which a callback needs."""
    async with ClaudeSDKClient(options) as client:
        await client.query(prompt)
        return await collect(client.receive_response())


async def test_the_host_is_asked_and_its_no_counts(place):
    seen = []
    no = asked_by(lambda *_: PermissionResultDeny(message="not today"), seen)
    messages = await talk(place.options(EDIT, can_use_tool=no))
    same([name for name, _, _ in seen], ["Edit"])
    same(seen[0][1]["new_string"], "two")
    assert seen[0][2].suggestions, "a rule is suggested"
    same(place.note.read_text(), "one\n")
    same([denial["tool_name"] for denial in result(messages).permission_denials], ["Edit"])
    assert any("not today" in str(block.content) for block in blocks(ToolResultBlock, messages))


async def test_the_host_is_asked_and_its_yes_counts(place):
    seen = []
    yes = asked_by(lambda *_: PermissionResultAllow(), seen)
    await talk(place.options(EDIT, can_use_tool=yes))
    same([name for name, _, _ in seen], ["Edit"])
    same(place.note.read_text(), "two\n")


async def test_the_host_may_change_what_it_allows(place):
    yes = asked_by(lambda _name, given: PermissionResultAllow(updated_input=given | {"content": "ours\n"}), [])
    messages = await talk(place.options(WRITE, can_use_tool=yes))
    same(place.new.read_text(), "ours\n")
    same([end.is_error for end in blocks(ToolResultBlock, messages)], [False])


async def test_a_changed_input_that_makes_no_sense_is_an_error(place):
    seen = []
    for wrong in ({"file_path": "b.txt"}, {"file_path": "b.txt", "content": 7}, {}):
        yes = asked_by(lambda *_, wrong=wrong: PermissionResultAllow(updated_input=wrong), seen)
        messages = await talk(place.options(WRITE, can_use_tool=yes))
        (told,) = blocks(ToolResultBlock, messages)
        assert told.is_error and ("content" in str(told.content) or "file_path" in str(told.content)), told
        assert not place.new.exists(), wrong
        same(result(messages).result, "That is all.")
    same(len(seen), 3)


async def test_a_changed_input_does_not_lead_past_a_rule(place):
    secret = place.project / "secret.txt"
    yes = asked_by(lambda _name, given: PermissionResultAllow(updated_input=given | {"file_path": str(secret)}), [])
    settings = json.dumps({"permissions": {"deny": ["Write(secret.txt)", "Edit(secret.txt)"]}})
    messages = await talk(place.options(WRITE, can_use_tool=yes, settings=settings))
    same([end.is_error for end in blocks(ToolResultBlock, messages)], [True])
    assert not secret.exists() and not place.new.exists()


async def test_a_rule_that_the_host_adds_counts_from_the_next_call(place):
    script = WRITE.replace('next = [{ goto = "end" }]', 'next = [{ prompt = "again", goto = "write" }]')
    script = script.replace("[[answer]]", '[[answer]]\nname = "write"', 1)
    seen = []

    def answer(*_):
        rule = PermissionRuleValue(tool_name="Write")
        update = PermissionUpdate(type="addRules", rules=[rule], behavior="allow", destination="session")
        return PermissionResultAllow(updated_permissions=[update])

    async with ClaudeSDKClient(place.options(script, can_use_tool=asked_by(answer, seen))) as client:
        await client.query("go")
        await collect(client.receive_response())
        same(place.new.read_text(), "the model's\n")
        place.new.unlink()
        await client.query("again")
        await collect(client.receive_response())
    same(place.new.read_text(), "the model's\n")
    same([name for name, _, _ in seen], ["Write"])


async def test_a_rule_that_we_suggest_can_be_given_back(place):
    script = WRITE.replace('next = [{ goto = "end" }]', 'next = [{ prompt = "again", goto = "write" }]')
    script = script.replace("[[answer]]", '[[answer]]\nname = "write"', 1)
    seen = []

    async def yes(name, _given, context):
        seen.append(name)
        suggested = [update for update in context.suggestions if update.destination == "session"]
        return PermissionResultAllow(updated_permissions=suggested)

    async with ClaudeSDKClient(place.options(script, can_use_tool=yes)) as client:
        for words in ("go", "again"):
            await client.query(words)
            await collect(client.receive_response())
            same(place.new.read_text(), "the model's\n")
            place.new.unlink()
    same(seen, ["Write"])


async def test_a_no_that_interrupts_ends_the_turn(place):
    no = asked_by(lambda *_: PermissionResultDeny(message="enough", interrupt=True), [])
    async with ClaudeSDKClient(place.options(WRITE, can_use_tool=no)) as client:
        await client.query("go")
        stopped = await collect(client.receive_response())
        await client.query("go on")
        after = await collect(client.receive_response())
    same((result(stopped).is_error, len(place.requests())), (True, 2))
    same((result(after).result, place.new.exists()), ("That is all.", False))


async def test_a_tool_that_is_disallowed_is_not_there(place):
    options = place.options(WRITE, disallowed_tools=["Write"], permission_mode="bypassPermissions")
    messages = await ask(options)
    assert "Write" not in init(messages)["tools"] and "Edit" in init(messages)["tools"], init(messages)["tools"]
    offered = [tool["name"] for tool in place.requests()[0]["tools"]]
    assert "Write" not in offered and "Edit" in offered, offered
    (told,) = blocks(ToolResultBlock, messages)
    assert told.is_error and "no tool `Write`" in str(told.content), told
    assert not place.new.exists()


async def test_a_disallowed_command_leaves_its_tool(place):
    script = """
[[answer]]
[[answer.call]]
tool = "Bash"
input = { command = "rm a.txt" }
[[answer.call]]
tool = "Bash"
input = { command = "cat a.txt" }
[[answer]]
text = "Done."
"""
    options = place.options(script, disallowed_tools=["Bash(rm:*)"], allowed_tools=["Bash"])
    messages = await ask(options)
    assert "Bash" in init(messages)["tools"], init(messages)["tools"]
    same([end.is_error for end in blocks(ToolResultBlock, messages)], [True, False])
    same([denial["tool_input"]["command"] for denial in result(messages).permission_denials], ["rm a.txt"])
    same(place.note.read_text(), "one\n")


# Asks two questions at once, then goes on.
ASKS = """
[[answer]]
[[answer.call]]
tool = "AskUserQuestion"
[[answer.call.input.questions]]
question = "Which colour?"
header = "Colour"
options = [{ label = "Red", description = "Warm", preview = "#f00" }, { label = "Blue" }]
[[answer.call.input.questions]]
question = "Which sizes?"
header = "Sizes"
multiSelect = true
options = [{ label = "Small" }, { label = "Large" }]
[[answer]]
text = "As you say."
"""


async def test_a_question_is_put_to_the_host_whose_answers_count(place):
    seen = []

    def answer(_name, given):
        answers = {"Which colour?": "neither, green", "Which sizes?": "Small, Large"}
        return PermissionResultAllow(updated_input={"questions": given["questions"], "answers": answers})

    # No mode answers for the user.
    options = place.options(ASKS, permission_mode="acceptEdits", can_use_tool=asked_by(answer, seen))
    messages = await talk(options)
    ((name, given, _context),) = seen
    same((name, len(given["questions"])), ("AskUserQuestion", 2))
    same(given["questions"][0]["options"][0], {"label": "Red", "description": "Warm", "preview": "#f00"})
    (told,) = blocks(ToolResultBlock, messages)
    same(told.is_error, False)
    for part in ("In their own words: neither, green", "Chosen: Small; Large"):
        assert part in str(told.content), told
    (user,) = [message for message in of(UserMessage, messages) if message.tool_use_result]
    same(user.tool_use_result["answers"], {"Which colour?": "neither, green", "Which sizes?": "Small, Large"})
    same(result(messages).result, "As you say.")


async def test_words_instead_of_an_answer_reach_the_model(place):
    no = asked_by(lambda *_: PermissionResultDeny(message="let us talk first"), [])
    messages = await talk(place.options(ASKS, can_use_tool=no))
    (told,) = blocks(ToolResultBlock, messages)
    assert told.is_error and "let us talk first" in str(told.content), told


async def test_a_question_with_no_host_to_ask_is_refused(place):
    messages = await ask(place.options(ASKS))
    (told,) = blocks(ToolResultBlock, messages)
    assert told.is_error and "No user is available" in str(told.content), told


async def test_a_call_that_takes_long_does_no_harm(place):
    # The stream says every second how long it has been running, in messages that this SDK passes over.
    script = """
[[answer]]
[[answer.call]]
tool = "Bash"
input = { command = "sleep 1.5; echo rested" }
[[answer]]
text = "Done."
"""
    messages = await ask(place.options(script, allowed_tools=["Bash"]))
    (told,) = blocks(ToolResultBlock, messages)
    assert "rested" in str(told.content), told
    same(result(messages).result, "Done.")


async def test_a_plan_is_put_to_the_host_who_may_edit_it(place):
    seen = []

    def answer(name, given):
        if name != "ExitPlanMode":
            return PermissionResultDeny(message="only the plan was agreed")
        mode = PermissionUpdate(type="setMode", mode="acceptEdits", destination="session")
        return PermissionResultAllow(updated_input=given | {"plan": "# Ours\n"}, updated_permissions=[mode])

    options = place.options(PLANS, permission_mode="plan", can_use_tool=asked_by(answer, seen))
    messages = await talk(options)
    same([name for name, _, _ in seen], ["ExitPlanMode"])
    shown = seen[0][1]
    same(Path(shown["planFilePath"]).read_text(), "# Ours\n")
    assert "# Ours" in str(blocks(ToolResultBlock, messages)[0].content)
    same(place.note.read_text(), "two\n")
    same(result(messages).is_error, False)


async def test_a_plan_that_the_host_sends_back_changes_nothing(place):
    seen = []

    def answer(_name, _given):
        return PermissionResultDeny(message="say more")

    options = place.options(PLANS, permission_mode="plan", can_use_tool=asked_by(answer, seen))
    messages = await talk(options)
    same([name for name, _, _ in seen], ["ExitPlanMode"])
    same(place.note.read_text(), "one\n")
    assert any("say more" in str(block.content) for block in blocks(ToolResultBlock, messages))


async def test_a_host_that_fails_approves_nothing(place):
    async def broken(_name, _given, _context):
        raise RuntimeError("the host is broken")

    await talk(place.options(PLANS, permission_mode="plan", can_use_tool=broken))
    same(place.note.read_text(), "one\n")


async def plan_later(place, answer, seen):
    """An ordinary turn, then one in plan mode; the messages of the second, and those of a third after it."""
    async with ClaudeSDKClient(place.options(PLANS_LATER, can_use_tool=asked_by(answer, seen))) as client:
        await client.query("good morning")
        same(text(await collect(client.receive_response())), "Good morning.")
        await client.set_permission_mode("plan")
        await client.query("plan a change")
        planned = await collect(client.receive_response())
        await client.query("and now?")
        after = await collect(client.receive_response())
    same(init(planned)["permissionMode"], "plan")
    return planned, after


async def test_a_plan_in_the_middle_of_a_session_sent_back_keeps_planning(place):
    seen = []
    planned, after = await plan_later(place, lambda *_: PermissionResultDeny(message="make it shorter"), seen)
    # The change that the model tries all the same is not even asked for.
    same([name for name, _, _ in seen], ["ExitPlanMode"])
    same(seen[0][1]["plan"], "# Theirs\n")
    same(place.note.read_text(), "one\n")
    assert "make it shorter" in place.conversation(), place.conversation()
    same([end.is_error for end in blocks(ToolResultBlock, planned)], [False, False, True, True])
    same(init(after)["permissionMode"], "plan")


async def test_a_plan_in_the_middle_of_a_session_approved_is_carried_out(place):
    seen = []
    planned, after = await plan_later(place, lambda *_: PermissionResultAllow(), seen)
    # The mode is the one from before, in which a change is asked for.
    same([name for name, _, _ in seen], ["ExitPlanMode", "Edit"])
    same((seen[0][1]["plan"], Path(seen[0][1]["planFilePath"]).read_text()), ("# Theirs\n", "# Theirs\n"))
    same(place.note.read_text(), "two\n")
    same([end.is_error for end in blocks(ToolResultBlock, planned)], [False] * 4)
    same((result(planned).permission_denials, init(after)["permissionMode"]), ([], "default"))


async def test_a_plan_in_the_middle_of_a_session_may_be_edited(place):
    seen = []

    def answer(name, given):
        return PermissionResultAllow(updated_input=given | {"plan": "# Ours\n"} if name == "ExitPlanMode" else None)

    planned, _after = await plan_later(place, answer, seen)
    same(Path(seen[0][1]["planFilePath"]).read_text(), "# Ours\n")
    told = str(blocks(ToolResultBlock, planned)[2].content)
    assert "# Ours" in told and "edited" in told, told
    same(place.note.read_text(), "two\n")


async def test_an_agent_of_the_hosts_works_and_its_messages_name_its_call(place):
    looker = AgentDefinition(description="Looks", prompt="You look.", tools=["Read"])
    messages = await talk(place.options(STARTS, agents={"looker": looker}))
    assert "looker" in init(messages)["agents"]
    call = blocks(ToolUseBlock, messages)[0]
    inner = [message for message in of(AssistantMessage, messages) if message.parent_tool_use_id == call.id]
    assert inner, "what the agent said is there"
    assert any("It says one." in str(block.content) for block in blocks(ToolResultBlock, messages))
    same(result(messages).result, "That is all.")


def hooked(answer, seen):
    """A callback that notes what it is shown, and answers with this, or with what this gives."""

    async def callback(given, call, _context):
        seen.append(given | {"call": call})
        return answer(given) if callable(answer) else answer

    return callback


def before(answer, seen, matcher="Write", **more):
    """The host's hook before a call."""
    return {"PreToolUse": [HookMatcher(matcher=matcher, hooks=[hooked(answer, seen)], **more)]}


def decides(decision, **more):
    specific = {"hookEventName": "PreToolUse", "permissionDecision": decision, "permissionDecisionReason": "because"}
    return {"hookSpecificOutput": specific | more}


async def test_a_hook_of_the_hosts_denies_a_call_in_every_mode(place):
    for mode in ("default", "acceptEdits", "bypassPermissions"):
        seen = []
        options = place.options(WRITE, permission_mode=mode, hooks=before(decides("deny"), seen))
        messages = await ask(options)
        (call,) = blocks(ToolUseBlock, messages)
        (told,) = blocks(ToolResultBlock, messages)
        assert told.is_error and "because" in str(told.content), told
        assert not place.new.exists(), mode
        (shown,) = seen
        same((shown["hook_event_name"], shown["tool_name"], shown["tool_input"]), ("PreToolUse", "Write", call.input))
        same((shown["tool_use_id"], shown["call"]), (call.id, call.id))
        same((Path(shown["cwd"]), shown["permission_mode"]), (place.project.resolve(), mode))
        same(shown["session_id"], result(messages).session_id)
        assert "agent_id" not in shown, shown
        same([denial["tool_use_id"] for denial in result(messages).permission_denials], [call.id])


async def test_the_older_form_of_a_no_counts_too(place):
    hooks = before({"decision": "block", "reason": "because"}, [])
    messages = await ask(place.options(WRITE, permission_mode="acceptEdits", hooks=hooks))
    (told,) = blocks(ToolResultBlock, messages)
    assert told.is_error and "because" in str(told.content), told
    assert not place.new.exists()


async def test_a_hook_with_nothing_to_say_changes_nothing(place):
    for answer in ({}, decides("defer")):
        seen = []
        options = place.options(WRITE, permission_mode="acceptEdits", hooks=before(answer, seen))
        same(result(await ask(options)).permission_denials, [])
        same((len(seen), place.new.read_text()), (1, "the model's\n"))
        place.new.unlink()
    # Nor is it a yes.
    await ask(place.options(WRITE, hooks=before({}, [])))
    assert not place.new.exists()


async def test_a_hook_that_allows_spares_the_question(place):
    seen, asked = [], []
    no = asked_by(lambda *_: PermissionResultDeny(message="no"), asked)
    await talk(place.options(WRITE, can_use_tool=no, hooks=before(decides("allow"), seen)))
    same((len(seen), asked), (1, []))
    same(place.new.read_text(), "the model's\n")


async def test_a_hook_that_allows_opens_nothing_that_is_denied(place):
    settings = json.dumps({"permissions": {"deny": ["Write(b.txt)", "Edit(b.txt)"]}})
    messages = await ask(place.options(WRITE, settings=settings, hooks=before(decides("allow"), [])))
    same([end.is_error for end in blocks(ToolResultBlock, messages)], [True])
    assert not place.new.exists()


async def test_a_hook_that_asks_has_the_host_asked(place):
    asked = []
    no = asked_by(lambda *_: PermissionResultDeny(message="no"), asked)
    hooks = before(decides("ask"), [])
    await talk(place.options(WRITE, permission_mode="acceptEdits", can_use_tool=no, hooks=hooks))
    same([name for name, _, _ in asked], ["Write"])
    assert not place.new.exists()


async def test_the_reason_of_a_hook_that_asks_is_told(place):
    asked = []
    yes = asked_by(lambda *_: PermissionResultAllow(), asked)
    hooks = before(decides("ask"), [])
    await talk(place.options(WRITE, permission_mode="acceptEdits", can_use_tool=yes, hooks=hooks))
    assert "because" in (asked[0][2].decision_reason or ""), asked


async def test_a_hook_may_change_the_input(place):
    changed = {"file_path": "b.txt", "content": "the hook's\n"}
    asked = []
    yes = asked_by(lambda *_: PermissionResultAllow(), asked)
    hooks = before(decides("allow", updatedInput=changed), [])
    await talk(place.options(WRITE, can_use_tool=yes, hooks=hooks))
    same((place.new.read_text(), asked), ("the hook's\n", []))
    # Whoever is asked sees what would be done.
    place.new.unlink()
    hooks = before(decides("ask", updatedInput=changed), [])
    await talk(place.options(WRITE, can_use_tool=yes, hooks=hooks))
    same((place.new.read_text(), asked[0][1]), ("the hook's\n", changed))


async def test_a_hook_is_called_for_what_it_matches(place):
    bash, either, every = [], [], []
    hooks = {
        "PreToolUse": [
            HookMatcher(matcher="Bash", hooks=[hooked(decides("deny"), bash)]),
            HookMatcher(matcher="Edit|Write", hooks=[hooked({}, either)]),
            HookMatcher(hooks=[hooked({}, every), hooked({}, every)]),
        ]
    }
    await ask(place.options(EDIT, permission_mode="acceptEdits", hooks=hooks))
    same((bash, [shown["tool_name"] for shown in either]), ([], ["Edit"]))
    same([shown["tool_name"] for shown in every], ["Read", "Read", "Edit", "Edit"])
    same(place.note.read_text(), "two\n")


async def test_the_strictest_of_several_hooks_counts(place):
    hooks = {"PreToolUse": [HookMatcher(hooks=[hooked(decides(it), []) for it in ("allow", "deny", "allow")])]}
    await ask(place.options(WRITE, permission_mode="bypassPermissions", hooks=hooks))
    assert not place.new.exists()


async def test_what_a_hook_says_after_a_call_reaches_the_model(place):
    seen = []
    words = {"hookSpecificOutput": {"hookEventName": "PostToolUse", "additionalContext": "mind the gap"}}
    hooks = {"PostToolUse": [HookMatcher(matcher="Write", hooks=[hooked(words, seen)])]}
    await ask(place.options(WRITE, permission_mode="acceptEdits", hooks=hooks))
    (shown,) = seen
    same((shown["hook_event_name"], shown["tool_name"]), ("PostToolUse", "Write"))
    assert "b.txt" in str(shown["tool_response"]), shown
    assert "mind the gap" in place.conversation(), place.conversation()


async def test_what_a_hook_says_before_a_call_reaches_the_model(place):
    words = {"hookSpecificOutput": {"hookEventName": "PreToolUse", "additionalContext": "mind the gap"}}
    await ask(place.options(WRITE, permission_mode="acceptEdits", hooks=before(words, [])))
    same(place.new.read_text(), "the model's\n")
    assert "mind the gap" in place.conversation(), place.conversation()


async def test_a_call_that_fails_has_a_hook_of_its_own(place):
    script = EDIT.replace('old_string = "one"', 'old_string = "nowhere"')
    failed, ran = [], []
    hooks = {
        "PostToolUseFailure": [HookMatcher(hooks=[hooked({}, failed)])],
        "PostToolUse": [HookMatcher(hooks=[hooked({}, ran)])],
    }
    await ask(place.options(script, permission_mode="acceptEdits", hooks=hooks))
    same([shown["tool_name"] for shown in failed], ["Edit"])
    assert failed[0]["error"], failed
    same([shown["tool_name"] for shown in ran], ["Read"])


async def test_a_hook_stops_a_prompt_and_the_next_one_goes_on(place):
    seen = []

    def answer(given):
        return {"decision": "block", "reason": "not a word of it"} if "secret" in given["prompt"] else {}

    hooks = {"UserPromptSubmit": [HookMatcher(hooks=[hooked(answer, seen)])]}
    async with ClaudeSDKClient(place.options(HELLO, hooks=hooks)) as client:
        await client.query("the secret")
        stopped = await collect(client.receive_response())
        same((text(stopped), place.requests()), ("", []))
        assert "not a word of it" in str(result(stopped)), stopped
        await client.query("go")
        after = await collect(client.receive_response())
    same([shown["prompt"] for shown in seen], ["the secret", "go"])
    same((text(after), result(after).is_error), ("Hello from the script.", False))


async def test_a_prompt_that_a_hook_stopped_is_kept_from_the_model_for_good(place):
    def answer(given):
        return {"decision": "block", "reason": "not a word of it"} if "secret" in given["prompt"] else {}

    options = place.options(HELLO, hooks={"UserPromptSubmit": [HookMatcher(hooks=[hooked(answer, [])])]})
    async with ClaudeSDKClient(options) as client:
        for words in ("the secret", "go"):
            await client.query(words)
            await collect(client.receive_response())
    assert "the secret" not in place.conversation(), place.conversation()


async def test_what_a_hook_says_to_a_prompt_reaches_the_model(place):
    words = {"hookSpecificOutput": {"hookEventName": "UserPromptSubmit", "additionalContext": "mind the gap"}}
    hooks = {"UserPromptSubmit": [HookMatcher(hooks=[hooked(words, [])])]}
    await ask(place.options(HELLO, hooks=hooks))
    assert "mind the gap" in place.conversation(), place.conversation()


async def test_a_hook_is_called_at_the_end_and_may_send_the_model_back(place):
    seen = []

    def answer(given):
        return {} if given["stop_hook_active"] else {"decision": "block", "reason": "run the tests"}

    script = HELLO + '[[answer]]\ntext = "They pass."\n'
    messages = await ask(place.options(script, hooks={"Stop": [HookMatcher(hooks=[hooked(answer, seen)])]}))
    same([(shown["hook_event_name"], shown["stop_hook_active"]) for shown in seen], [("Stop", False), ("Stop", True)])
    assert "run the tests" in place.conversation(), place.conversation()
    same(result(messages).result, "They pass.")


async def test_a_hook_that_wants_the_work_to_stop_ends_the_turn(place):
    stop = {"continue_": False, "stopReason": "enough for today"}
    for number, event in enumerate(("PreToolUse", "PostToolUse"), 1):
        hooks = {event: [HookMatcher(hooks=[hooked(stop, [])])]}
        messages = await talk(place.options(WRITE, permission_mode="acceptEdits", hooks=hooks))
        same((place.new.exists(), len(place.requests())), (event == "PostToolUse", number))
        assert "enough for today" in str(messages), messages


async def test_a_hook_that_fails_blocks_only_where_it_must_not(place):
    async def broken(_given, _call, _context):
        raise RuntimeError("the host is broken")

    async def silent(_given, _call, _context):
        return None

    for callback in (broken, silent):
        hooks = {"PreToolUse": [HookMatcher(hooks=[callback])]}
        messages = await ask(place.options(WRITE, permission_mode="acceptEdits", hooks=hooks))
        same((place.new.read_text(), result(messages).is_error), ("the model's\n", False))
        place.new.unlink()
        hooks = {"PreToolUse": [HookMatcher(hooks=[callback], on_failure="block")]}
        messages = await ask(place.options(WRITE, permission_mode="acceptEdits", hooks=hooks))
        same([end.is_error for end in blocks(ToolResultBlock, messages)], [True])
        assert not place.new.exists(), callback


async def test_a_hook_that_fails_is_told_to_the_host(place):
    async def broken(_given, _call, _context):
        raise RuntimeError("the host is broken")

    events = ("UserPromptSubmit", "PreToolUse", "PostToolUse", "Stop")
    hooks = {event: [HookMatcher(hooks=[broken])] for event in events}
    messages = await ask(place.options(WRITE, permission_mode="acceptEdits", hooks=hooks))
    same((place.new.read_text(), result(messages).result), ("the model's\n", "That is all."))
    notices = [message.data["text"] for message in of(SystemMessage, messages) if message.subtype == "notice"]
    same([notice for notice in notices if "the host is broken" not in notice], [])
    assert len(notices) >= 4, notices


async def test_a_hook_that_takes_too_long_is_given_up(place):
    cancelled = []

    async def slow(_given, _call, _context):
        try:
            await asyncio.sleep(PATIENCE)
        except asyncio.CancelledError:
            cancelled.append(True)
            raise

    hooks = {"PreToolUse": [HookMatcher(hooks=[slow], timeout=0.2)]}
    messages = await ask(place.options(WRITE, permission_mode="acceptEdits", hooks=hooks))
    same((place.new.read_text(), result(messages).is_error), ("the model's\n", False))
    same(cancelled, [True])


async def test_an_interrupt_ends_a_hook_that_waits(place):
    waiting = asyncio.Event()

    async def slow(_given, _call, _context):
        waiting.set()
        await asyncio.sleep(PATIENCE)

    options = place.options(WRITE, permission_mode="acceptEdits", hooks={"PreToolUse": [HookMatcher(hooks=[slow])]})
    async with ClaudeSDKClient(options) as client:
        await client.query("go")
        await waiting.wait()
        await client.interrupt()
        messages = await collect(client.receive_response())
    same(result(messages).subtype, "error_during_execution")
    assert not place.new.exists()


async def test_hooks_inside_an_agent_say_which(place):
    calls, begins, ends = [], [], []
    hooks = {
        "PreToolUse": [HookMatcher(hooks=[hooked({}, calls)])],
        "SubagentStart": [HookMatcher(hooks=[hooked({}, begins)])],
        "SubagentStop": [HookMatcher(hooks=[hooked({}, ends)])],
    }
    looker = AgentDefinition(description="Looks", prompt="You look.", tools=["Read"])
    await ask(place.options(STARTS, agents={"looker": looker}, hooks=hooks))
    same([(shown["tool_name"], shown.get("agent_type")) for shown in calls], [("Agent", None), ("Read", "looker")])
    inner = calls[1]["agent_id"]
    assert inner and "agent_id" not in calls[0], calls
    same([(shown["agent_id"], shown["agent_type"]) for shown in begins + ends], [(inner, "looker")] * 2)


async def test_the_host_is_told_which_agent_asks(place):
    script = STARTS.replace('"Read"', '"Bash"').replace('file_path = "a.txt"', 'command = "rm a.txt"')
    asked, calls = [], []
    no = asked_by(lambda *_: PermissionResultDeny(message="no"), asked)
    looker = AgentDefinition(description="Looks", prompt="You look.", tools=["Bash"])
    hooks = before({}, calls, "Bash")
    messages = await talk(place.options(script, agents={"looker": looker}, can_use_tool=no, hooks=hooks))
    ((name, _given, context),) = asked
    same((name, context.agent_id), ("Bash", calls[0]["agent_id"]))
    same(context.tool_use_id, calls[0]["call"])
    same((place.note.read_text(), result(messages).result), ("one\n", "That is all."))


async def test_a_hook_denies_what_an_agent_wants(place):
    def answer(given):
        return decides("deny") if "agent_id" in given else {}

    looker = AgentDefinition(description="Looks", prompt="You look.", tools=["Read"])
    options = place.options(STARTS, agents={"looker": looker}, hooks=before(answer, [], None))
    messages = await ask(options)
    inner = [message for message in of(UserMessage, messages) if message.parent_tool_use_id]
    (told,) = blocks(ToolResultBlock, inner)
    assert told.is_error and "because" in str(told.content), told


async def test_another_model_answers_and_none_means_the_first(place):
    options = place.options('[[answer]]\ntext = "a1"\n[[answer]]\ntext = "a2"\n[[answer]]\ntext = "a3"\n')
    other = place.script('[[answer]]\ntext = "b1"\n[[answer]]\ntext = "b2"\n', "other.toml")
    said, models = [], []
    async with ClaudeSDKClient(options) as client:
        for change in (False, other, None):
            if change is not False:
                await client.set_model(change)
            await client.query("go")
            messages = await collect(client.receive_response())
            said.append(text(messages))
            models.append(init(messages)["model"])
    same(said, ["a1", "b2", "a3"])
    same(models, [options.model, other, options.model])


async def test_a_model_that_is_not_there_is_refused(place):
    async with ClaudeSDKClient(place.options(HELLO)) as client:
        error = await refused(client.set_model("scripted/nowhere.toml"))
        assert "nowhere.toml" in error, error
        await client.query("go")
        same(text(await collect(client.receive_response())), "Hello from the script.")


async def test_what_we_cannot_do_is_refused_at_once(place):
    # A control request without an answer would block the host for a minute.
    async with ClaudeSDKClient(place.options(HELLO)) as client:
        began = time.monotonic()
        error = await refused(client.get_context_usage())
        assert "get_context_usage" in error, error
        assert time.monotonic() - began < 10


async def test_resume_goes_on_in_the_same_session(place):
    script = HELLO + '[[answer]]\ntext = "And again."\n'
    first = result(await ask(place.options(script)))
    messages = await ask(place.options(script, resume=first.session_id), "more")
    same((text(messages), result(messages).session_id), ("And again.", first.session_id))
    same(len(place.requests()[1]["messages"]), 3)


async def test_continue_takes_the_newest_and_a_fork_has_an_id_of_its_own(place):
    script = HELLO + '[[answer]]\nname = "on"\ntext = "And again."\nnext = [{ goto = "on" }]\n'
    first = result(await ask(place.options(script)))
    second = result(await ask(place.options(script, continue_conversation=True)))
    same(second.session_id, first.session_id)
    fork = result(await ask(place.options(script, resume=first.session_id, fork_session=True)))
    assert fork.session_id != first.session_id
    same(len(place.requests()[2]["messages"]), 5)


async def test_a_session_has_the_id_that_was_asked_for(place):
    wanted = "01890a5d-ac96-774b-bcce-b302099a8057"
    same(result(await ask(place.options(HELLO, session_id=wanted))).session_id, wanted)


async def test_max_turns_ends_in_an_error(place):
    seen, error = await ask_in_vain(place.options(LOOP, max_turns=2))
    end = result(seen)
    same((end.subtype, end.is_error, end.num_turns), ("error_max_turns", True, 2))
    same((error.subtype, error.terminal_reason), ("error_max_turns", "max_turns"))
    assert error.errors and "max-turns" in error.errors[0], error.errors
    same(error.session_id, end.session_id)


async def test_a_failure_of_the_provider_raises_with_its_words(place):
    script = HELLO + 'fail = { kind = "bad_request", message = "The model is busy", times = 9 }\n'
    seen, error = await ask_in_vain(place.options(script))
    end = result(seen)
    same((end.subtype, end.is_error, end.result), ("success", True, "The model is busy"))
    same((error.terminal_reason, error.result), ("api_error", "The model is busy"))


async def test_after_a_failure_the_same_client_can_ask_again(place):
    script = HELLO + 'fail = { kind = "bad_request", message = "The model is busy" }\n'
    async with ClaudeSDKClient(place.options(script)) as client:
        await client.query("go")
        same(result(await collect(client.receive_response())).is_error, True)
        await client.query("again")
        messages = await collect(client.receive_response())
    same((text(messages), result(messages).is_error), ("Hello from the script.", False))


async def test_flags_that_we_do_not_know_are_passed_over_and_named(place):
    options = place.options(
        HELLO,
        tools=[],
        allowed_tools=["Read", "Bash(ls:*)"],
        disallowed_tools=["Write"],
        fallback_model="other",
        setting_sources=[],
        add_dirs=[place.root],
        mcp_servers={"calc": {"command": "calc", "args": ["-x"]}},
        thinking={"type": "adaptive"},
        effort="low",
        max_budget_usd=1.5,
        extra_args={"from-the-future": None, "with-value": "x", "with-hyphen": "-1"},
    )
    messages = await ask(options)
    same(text(messages), "Hello from the script.")
    named = " ".join(message.data.get("text", "") for message in of(SystemMessage, messages))
    for flag in ("mcp-config", "from-the-future", "with-value", "with-hyphen"):
        assert f"`--{flag}`" in named, (flag, named)


async def test_thinking_has_a_signature(place):
    messages = await ask(place.options('[[answer]]\nthinking = "Hm."\ntext = "Yes."\n'))
    (thinking,) = blocks(ThinkingBlock, messages)
    same(thinking.thinking, "Hm.")
    assert isinstance(thinking.signature, str), thinking


async def test_wrong_settings_are_told_to_the_host(place):
    messages = await ask(place.options(HELLO, settings='{"modle": 1}'))
    notices = [message.data["text"] for message in of(SystemMessage, messages) if message.subtype == "notice"]
    assert any("modle" in notice for notice in notices), notices
    same(result(messages).is_error, False)


async def test_without_a_prompt_the_program_ends_by_itself(place):
    client = ClaudeSDKClient(place.options(HELLO))
    await client.connect()
    began = time.monotonic()
    await client.disconnect()
    # After five seconds the SDK would send a signal.
    assert time.monotonic() - began < 4, "the program did not end by itself"


async def run_one(test):
    with tempfile.TemporaryDirectory(prefix="forelook-sdk-") as root:
        place = Place(root)
        try:
            await asyncio.wait_for(test(place), PATIENCE)
        except Exception:
            return traceback.format_exc() + "".join(f"stderr: {line}\n" for line in place.stderr)
    return None


def main():
    wanted = sys.argv[2] if len(sys.argv) > 2 else ""
    tests = {name: test for name, test in globals().items() if name.startswith("test_") and wanted in name}
    failed = 0
    for name, test in tests.items():
        # A loop for each test: whatever one leaves behind cannot reach the next.
        problem = asyncio.run(run_one(test))
        print(f"{name.removeprefix('test_')} ... {'FAILED' if problem else 'ok'}", flush=True)
        if problem:
            failed += 1
            print(problem, flush=True)
    print(f"{len(tests) - failed} passed, {failed} failed")
    sys.exit(1 if failed or not tests else 0)


main()
