"""A program that drives Forelook and stands for the person: answers each question with the next of its answers.

host.py ANSWERS FLAGS... where ANSWERS is a JSON list of responses. `"answers": {...}` in one is short for an answer
beside the questions as they were asked.
"""
import json, os, subprocess, sys

answers = json.loads(sys.argv[1])
both = ["--input-format", "stream-json", "--output-format", "stream-json", "--permission-prompt-tool", "stdio"]
child = subprocess.Popen([os.environ["FORELOOK_BINARY"], *both, *sys.argv[2:]], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def send(line):
    child.stdin.write(json.dumps(line) + "\n")
    child.stdin.flush()


send({"type": "user", "message": {"role": "user", "content": "store the notes"}})
for line in child.stdout:
    line = json.loads(line)
    if line["type"] == "control_request":
        request = line["request"]
        print("asked:", [question["question"] for question in request["input"].get("questions", [])])
        print("previews:", [option.get("preview") for option in request["input"]["questions"][0]["options"]])
        answer = answers.pop(0)
        if "answers" in answer:
            answer = {"behavior": "allow", "updatedInput": request["input"] | {"answers": answer["answers"]}}
        send({"type": "control_response", "response": {"subtype": "success", "request_id": line["request_id"], "response": answer}})
    elif line["type"] == "user":
        (result,) = line["message"]["content"]
        print("told:" if not result["is_error"] else "refused:", result["content"][0]["text"].strip())
        if "tool_use_result" in line:
            print("fields:", json.dumps(line["tool_use_result"]["answers"]))
    elif line.get("subtype") == "notice":
        print("notice:", line["text"])
    elif line["type"] == "result":
        print("denials:", len(line["permission_denials"]))
        child.stdin.close()
print("exit", child.wait())
