"""Prints what the model was last sent, without what Forelook says itself."""
import json, os
last = open(os.environ["FORELOOK_TEST_REQUESTS"]).readlines()[-1]
for message in json.loads(last)["messages"]:
    for block in message["blocks"]:
        print(f"{message['role']}: {block.get('text', block['type'])}")
