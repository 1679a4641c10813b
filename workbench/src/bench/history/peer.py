"""Captures a frame of a program with RenderDoc, computes the history of one pixel, prints one JSON object.

Usage: peer.py CAPTURE X Y CALLS PROGRAM [ARGUMENT...]

X and Y start at the lower left, as in GL. The program must present frames until it is terminated, which happens when
one of them is captured. Needs an X server (DISPLAY), RenderDoc's Python module, and the Python that it was built for
(Debian: python3-renderdoc, /usr/bin/python3).
"""

import json
import os
import signal
import sys
import time

import renderdoc

TIMEOUT = 60.0
# The first frame has no size yet, and creates resources that later ones use.
FRAME = 4


def capture(template, program, arguments):
    """Starts the program, captures a frame, ends the program; returns the path of the capture."""
    options = renderdoc.GetDefaultCaptureOptions()
    started = renderdoc.ExecuteAndInject(program, "", " ".join(arguments), [], template, options, False)
    if started.result.code != renderdoc.ResultCode.Succeeded:
        sys.exit(f"RenderDoc does not start {program}: {started.result.Message()}")
    control = renderdoc.CreateTargetControl("", started.ident, "bench", True)
    if control is None:
        sys.exit(f"{program} ended before RenderDoc could talk to it")
    control.QueueCapture(FRAME, 1)
    kinds = renderdoc.TargetControlMessageType
    end = time.monotonic() + TIMEOUT
    while time.monotonic() < end:
        message = control.ReceiveMessage(None)
        if message.type == kinds.NewCapture:
            os.kill(control.GetPID(), signal.SIGTERM)
            control.Shutdown()
            return message.newCapture.path
        if message.type == kinds.Disconnected:
            sys.exit(f"{program} ended before a frame of it was captured")
    sys.exit(f"RenderDoc captured nothing of {program} in {TIMEOUT:.0f} seconds")


def history(path, x, y, calls):
    """Opens a capture and computes the history of a pixel of the last draw's target, several times."""
    begin = time.perf_counter()
    file = renderdoc.OpenCaptureFile()
    opened = file.OpenFile(path, "", None)
    if opened.code != renderdoc.ResultCode.Succeeded:
        sys.exit(f"RenderDoc does not open {path}: {opened.Message()}")
    result, controller = file.OpenCapture(renderdoc.ReplayOptions(), None)
    if result.code != renderdoc.ResultCode.Succeeded:
        sys.exit(f"RenderDoc does not replay {path}: {result.Message()}")
    answer = {"version": renderdoc.GetVersionString(), "open": time.perf_counter() - begin, "history": [], "cpu": []}
    actions = controller.GetRootActions()
    draws = [action for action in actions if action.flags & renderdoc.ActionFlags.Drawcall]
    target = draws[-1].outputs[0]
    height = next(texture.height for texture in controller.GetTextures() if texture.resourceId == target)
    controller.SetFrameEvent(actions[-1].eventId, True)
    for _ in range(calls):
        begin, cpu = time.perf_counter(), time.process_time()
        # RenderDoc numbers rows from the top.
        rows = controller.PixelHistory(
            target, x, height - 1 - y, renderdoc.Subresource(0, 0, 0), renderdoc.CompType.Typeless
        )
        answer["history"].append(time.perf_counter() - begin)
        answer["cpu"].append(time.process_time() - cpu)
    answer["rows"] = len(rows)
    controller.Shutdown()
    file.Shutdown()
    return answer


def main():
    template, x, y, calls, program, *arguments = sys.argv[1:]
    renderdoc.InitialiseReplay(renderdoc.GlobalEnvironment(), [])
    path = capture(template, program, arguments)
    answer = history(path, int(x), int(y), int(calls))
    os.remove(path)
    renderdoc.ShutdownReplay()
    print(json.dumps(answer))


main()
