#!/usr/bin/env python3
"""A harness in Python, written from docs/generated/harness-protocol.md alone: model, tools, reply. Standard library only.

    npx brain serve --agentloops '{"python": {"command": "examples/brain/harness.py"}}'
"""
import json
import sys
import threading

out = sys.stdout
sys.stdout = sys.stderr  # Whatever prints goes to the log; stdout is the protocol's.
lock = threading.Lock()
pending = {}
next_id = 0


class CallFailed(Exception):
    def __init__(self, error):
        super().__init__(error["message"])
        self.data = error.get("data", {})


def send(message):
    with lock:
        out.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        out.flush()


def call(run, method, argument):
    """One `brain/call`; waits for its answer. Brain takes calls in the order in which they are sent."""
    global next_id
    with lock:
        next_id += 1
        number = next_id
    answered = threading.Event()
    slot = pending[number] = {"event": answered}
    params = {"session_id": run["session_id"], "sequence": run["sequence"], "method": method, "input": argument}
    send({"id": number, "method": "brain/call", "params": params})
    answered.wait()
    if "error" in slot["answer"]:
        raise CallFailed(slot["answer"]["error"])
    return slot["answer"]["result"]


def to_result(returned):
    """What a tool gave, for the model."""
    content, failed = None, False
    for event in returned["events"]:
        if event["event_type"] == "tool_result_emitted":
            content = event["data"]["result"]["output"]
        if event["event_type"] == "tool_call_ended" and event["data"]["outcome"]["status"] != "ok":
            content, failed = event["data"]["outcome"], True
    return {"type": "tool_result", "tool_use_id": returned["call_id"], "content": content, "is_error": failed}


def place(tool):
    placed = {"environment": tool["environments"][0]}
    for reference in tool.get("environment_refs", []):
        if reference["name"] == placed["environment"]:
            placed["environment_sequence"] = reference["sequence"]
    return placed


def loop(run):
    given = run["input"]
    tools = {tool["name"]: tool for tool in given["tools"]}
    said = given.get("input", {}).get("message", "Something happened: " + json.dumps(given["events"]))
    blocks = [{"type": "text", "text": said}] if isinstance(said, str) else said
    messages = given["transcript"] + [{"role": "user", "content": blocks}]
    while True:
        call(run, "set_transcript", messages)
        answer = call(run, "model", {"messages": messages})
        messages.append(answer["message"])
        uses = [block for block in answer["message"]["content"] if block["type"] == "tool_use"]
        if not uses or answer["stop_reason"] != "tool_use":
            break
        batch = [
            {"call_id": use["id"], "name": use["name"], "input": use["input"], **place(tools[use["name"]])}
            for use in uses
        ]
        results = call(run, "dispatch", batch)
        messages.append({"role": "user", "content": [to_result(one) for one in results]})
    call(run, "set_transcript", messages)
    call(run, "emit", {"event_type": "output_emitted", "data": {"type": "assistant_message", "message": messages[-1]}})
    return {}


def handle(request):
    method, params = request["method"], request["params"]
    try:
        if method == "initialize":
            harness = {"name": "python-example", "version": "1"}
            result = {"protocol": "brain/harness/v1", "harness": harness, "state_version": 1}
        else:
            # `cancel` needs nothing here: every call fails from then on, and so the loop ends.
            result = loop(params) if method == "run" else {}
        send({"id": request["id"], "result": result})
    except Exception as error:
        code = getattr(error, "data", {}).get("code", "agentloop_failed")
        failed = {"code": -32000, "message": str(error) or repr(error), "data": {"code": code}}
        send({"id": request["id"], "error": failed})


for line in sys.stdin:
    message = json.loads(line)
    if "method" in message:
        # A run waits for answers that this very loop reads.
        threading.Thread(target=handle, args=(message,), daemon=True).start()
    else:
        slot = pending.pop(message["id"])
        slot["answer"] = message
        slot["event"].set()
