"""A program that drives Forelook: sends one prompt, and answers each question with the next of its answers.

host.py ANSWERS FLAGS... where ANSWERS is a JSON list; a host that has no answer left goes away.
"""
import json, os, subprocess, sys

answers = json.loads(sys.argv[1])
both = ["--input-format", "stream-json", "--output-format", "stream-json"]
child = subprocess.Popen([os.environ["FORELOOK_BINARY"], *both, *sys.argv[2:]], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def send(line):
    child.stdin.write(json.dumps(line) + "\n")
    child.stdin.flush()


send({"type": "user", "message": {"role": "user", "content": "mend the greeting"}})
for line in child.stdout:
    line = json.loads(line)
    if line["type"] == "control_request":
        request = line["request"]
        print("asked:", request["tool_name"], request["input"].get("plan", "").strip())
        if not answers:
            child.stdin.close()
            continue
        response = {"subtype": "success", "request_id": line["request_id"], "response": answers.pop(0)}
        send({"type": "control_response", "response": response})
    elif line["type"] == "result":
        print("result:", line["result"].strip())
        if not child.stdin.closed:
            child.stdin.close()
print("exit", child.wait())
