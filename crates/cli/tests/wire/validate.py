"""Every request that a scenario sent, checked against the types of the published packages.

The types are those with which the packages `anthropic` and `openai` describe what may be sent. Used plainly they see
little: their lists are read lazily, and keys that they do not know are passed over. So their schemas are made strict
first. That they are is proved each time: copies of real bodies are spoilt in many ways, and each must be refused.

    python validate.py FOLDER    with FOLDER/anthropic/*.jsonl, FOLDER/responses/*.jsonl, FOLDER/chat/*.jsonl
"""

import copy
import json
import sys
from pathlib import Path

from anthropic.types.message_create_params import MessageCreateParamsStreaming
from openai.types.chat.completion_create_params import CompletionCreateParamsStreaming
from openai.types.responses.response_create_params import ResponseCreateParamsStreaming
from pydantic import TypeAdapter, ValidationError
from pydantic_core import SchemaValidator

FORMS = {
    "anthropic": (MessageCreateParamsStreaming, ["model", "max_tokens", "messages", "stream"]),
    # The package lets `model` and `input` of a response be absent, because a stored prompt may have them.
    "responses": (ResponseCreateParamsStreaming, ["stream"]),
    "chat": (CompletionCreateParamsStreaming, ["model", "messages", "stream"]),
}

# Below these keys stands what tools and schemas are free to say.
FREE = {"input_schema", "parameters"}

# What must be there wherever its type stands, in whichever form.
NEEDED = {
    "text": ["text"],
    "input_text": ["text"],
    "output_text": ["text"],
    "tool_use": ["id", "name", "input"],
    "tool_result": ["tool_use_id"],
    "thinking": ["thinking", "signature"],
    "function_call": ["call_id", "name", "arguments"],
    # The package does not need `call_id` here; our own server does.
    "function_call_output": ["output"],
    "reasoning": ["id", "summary"],
    "function": [],
}


def strict(schema):
    """The schema with eager lists and without room for unknown keys."""
    if isinstance(schema, list):
        return [strict(part) for part in schema]
    if isinstance(schema, tuple):
        return tuple(strict(part) for part in schema)
    if not isinstance(schema, dict):
        return schema
    schema = {key: strict(part) for key, part in schema.items()}
    if schema.get("type") == "generator":
        schema["type"] = "list"
    # Some unions also take the objects that a client has received, and those have room for anything.
    if schema.get("type") in ("typed-dict", "model-fields"):
        schema["extra_behavior"] = "forbid"
    if schema.get("type") in ("typed-dict", "model"):
        schema.pop("config", None)
    return schema


def validator(kind):
    return SchemaValidator(strict(TypeAdapter(kind).core_schema))


def accepts(check, body):
    try:
        check.validate_json(json.dumps(body), strict=True)
        return True
    except ValidationError:
        return False


def complaint(check, line):
    """What is wrong with a body; nothing, if nothing is."""
    try:
        check.validate_json(line, strict=True)
        return None
    except ValidationError as error:
        # A union complains once for each of its members; those that came furthest know best.
        errors = sorted(error.errors(include_url=False, include_input=False), key=lambda it: -len(it["loc"]))
        shown = [f"{'.'.join(map(str, it['loc']))}: {it['msg']}" for it in errors[:6]]
        return "\n    ".join(shown)


def nodes(value, path=(), shape=()):
    """All objects and scalars of a body whose form the protocol fixes: one of each shape, with its path."""
    yield path, shape, value
    if isinstance(value, dict):
        label = value.get("type") or value.get("role") or ""
        for key, part in value.items():
            # The input of a call is the tool's own business; `input` of a response is a list and is not.
            if key in FREE or (key == "input" and isinstance(part, dict)):
                continue
            yield from nodes(part, path + (key,), shape + (f"{label}.{key}",))
    if isinstance(value, list):
        for at, part in enumerate(value):
            yield from nodes(part, path + (at,), shape + ("*",))


def changed(body, path, change):
    spoilt = copy.deepcopy(body)
    where = spoilt
    for key in path[:-1]:
        where = where[key]
    if path:
        where[path[-1]] = change(where[path[-1]])
    else:
        spoilt = change(spoilt)
    return spoilt


def without(key):
    return lambda value: {name: part for name, part in value.items() if name != key}


def spoilt_copies(body, required):
    """Copies of a body that no server should take, each with a word on what was done to it."""
    seen = set()
    for path, shape, value in nodes(body):
        kind = value.get("type", "") if isinstance(value, dict) else type(value).__name__
        if (shape, kind) in seen:
            continue
        seen.add((shape, kind))
        place = ".".join(map(str, path)) or "the body"
        if isinstance(value, dict):
            yield f"an unknown key in {place}", changed(body, path, lambda it: it | {"unknown_key": 1})
            needed = required if not path else NEEDED.get(value.get("type"), [])
            for key in needed:
                if key in value:
                    yield f"{place} without {key}", changed(body, path, without(key))
            if "role" in value:
                yield f"{place} with a strange role", changed(body, path, lambda it: it | {"role": "stranger"})
        elif isinstance(value, bool):
            yield f"{place} as a text", changed(body, path, str)
        elif isinstance(value, int):
            yield f"{place} as a text", changed(body, path, str)
        elif isinstance(value, str):
            yield f"{place} as a number", changed(body, path, lambda _: 7)
        elif isinstance(value, list):
            yield f"{place} as a number", changed(body, path, lambda _: 7)


def blind_spots(check, bodies, required):
    """What the check does not notice, and how much it was shown."""
    missed, shown = [], 0
    for body in bodies:
        for what, spoilt in spoilt_copies(body, required):
            shown += 1
            if accepts(check, spoilt):
                missed.append(what)
    return missed, shown


def samples(lines):
    """A few bodies that have much in them: the longest, and the longest of those that are not too long to be quick."""
    lines = sorted(lines, key=len)
    short = [line for line in lines if len(line) < 200_000]
    return [json.loads(line) for line in short[-2:]]


def examine(form, folder):
    kind, required = FORMS[form]
    check = validator(kind)
    files = sorted((folder / form).glob("*.jsonl"))
    lines = [(file.stem, line) for file in files for line in file.read_text().splitlines()]
    if not lines:
        return [f"{form}: there is no body at all in {folder / form}"], f"{form}: nothing"
    wrong = []
    for name, line in lines:
        problem = complaint(check, line)
        if problem:
            wrong.append(f"{form}: a request of `{name}` is not as it should be\n    {problem}\n    {line[:300]}")
    good = [line for _, line in lines if complaint(check, line) is None] if wrong else [line for _, line in lines]
    missed, shown = blind_spots(check, samples(good), required)
    wrong += [f"{form}: the check is blind: it accepts {what}" for what in missed]
    if not shown:
        wrong.append(f"{form}: no body was spoilt, so nothing is proved")
    return wrong, f"{form}: {len(lines)} bodies of {len(files)} scenarios, {shown} spoilt copies refused"


def main():
    folder = Path(sys.argv[1])
    wrong, lines = [], []
    for form in FORMS:
        problems, line = examine(form, folder)
        wrong += problems
        lines.append(line)
    for problem in wrong[:20]:
        print(problem)
    if wrong:
        sys.exit(f"{len(wrong)} problems; " + "; ".join(lines))
    print("requests are valid: " + "; ".join(lines))


if __name__ == "__main__":
    main()
