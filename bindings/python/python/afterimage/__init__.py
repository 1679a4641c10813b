"""Traces of OpenGL programs: calls, state, pictures, pixel histories, and a shader debugger.

    import afterimage

    with afterimage.open("game.aftr") as trace:
        for call in trace.calls():
            print(call.command, call.name)
        image = trace.picture(trace.frame_shown(0)).array
        stop = trace.enter_pixel(200, 60)

Traces come from `afterimage record`. Drivers run in processes of their own, which are confined: the program
`afterimage-worker` in the folder of this package.
"""

import os as _os

from ._native import (
    Argument,
    Call,
    Calls,
    Error,
    Frame,
    Image,
    Source,
    StackFrame,
    Stop,
    Symbol,
    Trace,
    Variable,
)

__all__ = [
    "Argument",
    "Call",
    "Calls",
    "Error",
    "Frame",
    "Image",
    "Source",
    "StackFrame",
    "Stop",
    "Symbol",
    "Trace",
    "Variable",
    "open",
]


def open(path, *, device=None, timeout=60.0, sandbox=True, worker_memory=None, worker=None):
    """Opens a trace, and returns a Trace, which a `with` statement closes.

    device: a device by its number or part of its name; the first that works without one.
    timeout: a worker that makes no progress for so many seconds is stopped.
    sandbox: whether workers are confined; without it they can do what you can. Only for traces that you trust.
    worker_memory: the memory that a worker may take, in bytes.
    worker: another program that is started as a worker.
    """
    if worker is None:
        worker = _os.path.join(_os.path.dirname(__file__), "afterimage-worker")
    return Trace(
        _os.fspath(path), worker, device=device, timeout=timeout, sandbox=sandbox, worker_memory=worker_memory
    )
