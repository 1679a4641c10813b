import os
from types import TracebackType
from typing import Any, Iterator, List, Literal, Optional, Sequence, Tuple, Type, Union

import numpy

StepName = Literal[
    "over",
    "into",
    "out",
    "back_over",
    "back_into",
    "back_out",
    "continue",
    "reverse_continue",
    "to_start",
    "to_end",
]
ScopeName = Literal[
    "locals", "parameters", "globals", "inputs", "outputs", "uniforms", "built_ins", "samplers"
]
Value = Union[None, bool, int, float, str, "Symbol"]

class Error(Exception): ...

class Symbol:
    kind: str
    value: int
    text: str
    def __int__(self) -> int: ...
    def __index__(self) -> int: ...
    def __eq__(self, other: object) -> bool: ...
    __hash__: None  # type: ignore[assignment]

class Argument:
    name: str
    value: Value
    elements: List[Value]
    data: Optional[bytes]
    blob: Optional[int]

class Call:
    command: int
    name: str
    arguments: List[Argument]
    result: Value
    returned: bool
    thread: int
    frame: Optional[int]
    groups: List[str]
    by_capture: bool
    text: str
    def __getitem__(self, name: str) -> Value: ...

class Calls(Iterator[Call]):
    def __iter__(self) -> "Calls": ...
    def __next__(self) -> Call: ...

class Frame:
    index: int
    first_command: int
    last_command: int

class Image:
    width: int
    height: int
    depth: int
    level: int
    target: str
    format: str
    pixel_type: str
    data: bytes
    typestr: str
    shape: List[int]
    @property
    def array(self) -> "numpy.ndarray[Any, Any]": ...
    @property
    def __array_interface__(self) -> dict[str, Any]: ...

class Stop:
    reason: str
    detail: Optional[str]
    invocation: str
    stage: str
    command: int
    function: str
    source: str
    line: int
    column: int
    text: str
    time: int
    ended: bool
    discarded: bool
    depth: int
    pass_number: int

class StackFrame:
    function: str
    line: int
    text: str
    pass_number: int

class Variable:
    name: str
    path: str
    type_name: str
    emulated: Optional[str]
    measured: Optional[str]
    agreement: Optional[Literal["equal", "within", "divergent"]]
    ulps: int
    numbers: List[float]
    children: int
    note: Optional[str]

class Source:
    id: str
    name: str
    text: str

class Trace:
    def __enter__(self) -> "Trace": ...
    def __exit__(
        self,
        kind: Optional[Type[BaseException]],
        value: Optional[BaseException],
        traceback: Optional[TracebackType],
    ) -> None: ...
    def __len__(self) -> int: ...
    @property
    def frames(self) -> List[Frame]: ...
    @property
    def complete(self) -> bool: ...
    def close(self) -> None: ...
    def calls(self, first: int = 0, end: Optional[int] = None) -> Calls: ...
    def call(self, command: int) -> Call: ...
    def blob(self, number: int) -> bytes: ...
    def state(self, command: int, path: str = "", *, all: bool = False) -> Any: ...
    def frame_shown(self, frame: int) -> int: ...
    def picture(self, command: int) -> Optional[Image]: ...
    def buffer(self, command: int, name: int) -> bytes: ...
    def texture(self, command: int, name: int) -> List[Image]: ...
    def renderbuffer(self, command: int, name: int) -> List[Image]: ...
    def history(
        self,
        x: int,
        y: int,
        *,
        frame: Optional[int] = None,
        command: Optional[int] = None,
        depth: Optional[int] = None,
        min_weight: float = 0.0,
        vertices: bool = True,
    ) -> dict[str, Any]: ...
    def enter_pixel(self, x: int, y: int, *, frame: Optional[int] = None) -> Stop: ...
    def enter_fragment(self, command: int, x: int, y: int) -> Stop: ...
    def enter_vertex(self, command: int, vertex: int, *, instance: Optional[int] = None) -> Stop: ...
    def enter_thread(self, command: int, x: int, y: int = 0, z: int = 0) -> Stop: ...
    def enter(self, choice: dict[str, Any]) -> Stop: ...
    def step(self, step: StepName) -> Stop: ...
    def step_into_read(self, read: int = 0, texel: int = 0) -> Stop: ...
    def here(self) -> Stop: ...
    def stack(self) -> List[StackFrame]: ...
    def variables(self, scope: ScopeName = "locals", *, frame: int = 0) -> List[Variable]: ...
    def children(self, path: str, *, frame: int = 0) -> List[Variable]: ...
    def evaluate(self, expression: str, *, frame: int = 0) -> Variable: ...
    def set_variable(self, path: str, expression: str, *, frame: int = 0) -> Variable: ...
    def set_uniform(self, name: str, numbers: List[float]) -> Stop: ...
    def undo_changes(self) -> Stop: ...
    def watch(self, paths: List[str]) -> None: ...
    def last_write(self, path: str, *, frame: int = 0) -> Optional[dict[str, Any]]: ...
    def reads(self) -> List[dict[str, Any]]: ...
    def findings(self) -> List[dict[str, Any]]: ...
    def draws(self, frame: int) -> List[dict[str, Any]]: ...
    def find_nan(self, *, frame: Optional[int] = None, infinite: bool = False) -> dict[str, Any]: ...
    def search_breakpoint(
        self,
        source: str,
        line: int,
        *,
        condition: Optional[str] = None,
        frame: Optional[int] = None,
        most: int = 10,
    ) -> dict[str, Any]: ...
    def source(self, pass_number: int = 0) -> Source: ...
    def sources(self, command: int) -> List[Source]: ...
    def set_breakpoints(
        self, source: str, breakpoints: Sequence[Union[int, Tuple[int, Optional[str]]]]
    ) -> None: ...

def open(
    path: Union[str, "os.PathLike[str]"],
    *,
    device: Optional[str] = None,
    timeout: float = 60.0,
    sandbox: bool = True,
    worker_memory: Optional[int] = None,
    worker: Union[None, str, "os.PathLike[str]"] = None,
) -> Trace: ...
