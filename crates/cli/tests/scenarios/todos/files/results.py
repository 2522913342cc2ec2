"""What each call came to, from a stream."""
import json, sys

for line in map(json.loads, sys.stdin):
    if line["type"] == "user":
        (result,) = line["message"]["content"]
        text = result["content"][0]["text"].splitlines()
        fields = line.get("tool_use_result") or {}
        print(text[0], json.dumps(fields.get("stats", {})))
