"""The installed package, compared with what the commands print: they are its oracle.

Run by `cargo xtask test --only wheel`. AFTERIMAGE_PROGRAMS is the folder with the programs of the workspace, and
AFTERIMAGE_ROOT the repository.
"""

import ast
import json
import os
import pathlib
import signal
import struct
import subprocess
import sys
import tempfile
import threading
import time
import unittest
import zlib

import afterimage
import numpy

PROGRAMS = pathlib.Path(os.environ["AFTERIMAGE_PROGRAMS"])
ROOT = pathlib.Path(os.environ["AFTERIMAGE_ROOT"])
TRACE = ROOT / "crates/trace/tests/golden/recorded/0.1-deferred.aftr"


def command(name, *arguments):
    """Returns the document that a command prints."""
    words = [PROGRAMS / "afterimage", name, TRACE, *map(str, arguments), "--json"]
    return json.loads(subprocess.run(words, stdout=subprocess.PIPE, check=True).stdout)


def png(path):
    """Returns the pixels of a PNG file without interlacing, of 8 bits a component."""
    data = path.read_bytes()
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    at, packed = 8, b""
    while at < len(data):
        (length,), kind = struct.unpack(">I", data[at : at + 4]), data[at + 4 : at + 8]
        body = data[at + 8 : at + 8 + length]
        if kind == b"IHDR":
            width, height, bits, colour, _, _, interlace = struct.unpack(">IIBBBBB", body)
        elif kind == b"IDAT":
            packed += body
        at += 12 + length
    components = {2: 3, 6: 4}[colour]
    assert bits == 8 and interlace == 0
    raw, step = zlib.decompress(packed), components
    rows, above = [], bytearray(width * components)
    for y in range(height):
        start = y * (width * components + 1)
        kind, row = raw[start], bytearray(raw[start + 1 : start + 1 + width * components])
        for x in range(len(row)):
            a = row[x - step] if x >= step else 0
            b, c = above[x], above[x - step] if x >= step else 0
            if kind == 1:
                row[x] = (row[x] + a) & 255
            elif kind == 2:
                row[x] = (row[x] + b) & 255
            elif kind == 3:
                row[x] = (row[x] + (a + b) // 2) & 255
            elif kind == 4:
                p = a + b - c
                nearest = min((abs(p - a), 0, a), (abs(p - b), 1, b), (abs(p - c), 2, c))[2]
                row[x] = (row[x] + nearest) & 255
        rows.append(bytes(row))
        above = row
    return numpy.frombuffer(b"".join(rows), numpy.uint8).reshape(height, width, components)


class Reading(unittest.TestCase):
    """What needs no driver."""

    def setUp(self):
        self.trace = afterimage.open(TRACE)
        self.addCleanup(self.trace.close)

    def test_calls_are_those_of_dump(self):
        dumped = command("dump")["commands"]
        calls = list(self.trace.calls())
        self.assertEqual((len(calls), len(self.trace)), (len(dumped), len(dumped)))
        for call, line in zip(calls, dumped):
            for key in ["command", "name", "thread", "frame", "groups", "returned", "text"]:
                self.assertEqual(getattr(call, key), line[key], line["text"])
        self.assertEqual([call.command for call in self.trace.calls(7, 10)], [7, 8, 9])
        self.assertEqual(self.trace.call(9).text, calls[9].text)

    def test_arguments_are_typed(self):
        draw = next(call for call in self.trace.calls() if call.name == "glDrawArrays")
        self.assertEqual([one.name for one in draw.arguments], ["mode", "first", "count"])
        mode = draw["mode"]
        self.assertEqual((mode.kind, int(mode)), ("enum", mode.value))
        self.assertTrue(mode == mode.text and mode == mode.value and str(mode).startswith("GL_TRIANGLE"))
        with self.assertRaises(TypeError):
            hash(mode)
        self.assertIsInstance(draw["count"], int)
        self.assertIsNone(draw.result)
        source = next(call for call in self.trace.calls() if call.name == "glShaderSource")
        self.assertIn("void main", source.arguments[2].elements[0])
        with self.assertRaises(KeyError):
            draw["no such argument"]
        upload = next(call for call in self.trace.calls() if call.name == "glBufferData").arguments[2]
        data = upload.data if upload.blob is None else self.trace.blob(upload.blob)
        self.assertGreater(len(data), 0)

    def test_state_is_that_of_the_command(self):
        last = self.trace.frames[0].last_command
        for path in ["", "viewport", "program"]:
            expected = command("state", path, "--at", last)["state"]
            self.assertEqual(self.trace.state(last, path), expected)
        self.assertEqual(self.trace.state(last, "depth", all=True), command("state", "depth", "--at", last, "--all")["state"])
        with self.assertRaisesRegex(afterimage.Error, "choose one of"):
            self.trace.state(last, "no/such/path")

    def test_errors_are_of_one_type(self):
        with self.assertRaisesRegex(afterimage.Error, "no-such-trace.aftr"):
            afterimage.open("no-such-trace.aftr")
        with self.assertRaisesRegex(afterimage.Error, "there is no command"):
            self.trace.call(len(self.trace))
        with self.assertRaises(afterimage.Error):
            self.trace.blob(4_000_000)
        with self.assertRaises(ValueError):
            self.trace.step("sideways")
        with self.assertRaises(ValueError):
            self.trace.variables("nonsense")
        with self.assertRaises(ValueError):
            afterimage.open(TRACE, timeout=-1.0)
        with self.assertRaises(OverflowError):
            self.trace.call(-1)

    def test_the_stubs_name_what_there_is(self):
        stubs = ast.parse((pathlib.Path(afterimage.__file__).parent / "__init__.pyi").read_text())
        described = {node.name: node for node in stubs.body if isinstance(node, (ast.ClassDef, ast.FunctionDef))}
        self.assertEqual(sorted(described), sorted(afterimage.__all__))
        for name, node in described.items():
            if isinstance(node, ast.FunctionDef) or name == "Error":
                continue
            members = set()
            for member in node.body:
                if isinstance(member, ast.FunctionDef) and not member.name.startswith("__"):
                    members.add(member.name)
                elif isinstance(member, ast.AnnAssign) and not member.target.id.startswith("__"):
                    members.add(member.target.id)
            own = {member for member in vars(getattr(afterimage, name)) if not member.startswith("__")}
            self.assertEqual(members, own, name)
            for member in own:
                self.assertTrue(getattr(getattr(afterimage, name), member).__doc__, f"{name}.{member}")


class Driving(unittest.TestCase):
    """What asks a driver."""

    def test_pictures_are_those_of_replay(self):
        with tempfile.TemporaryDirectory() as folder, afterimage.open(TRACE) as trace:
            replay = [PROGRAMS / "afterimage", "replay", TRACE, "--images", folder]
            subprocess.run(replay, stdout=subprocess.DEVNULL, check=True)
            files = sorted(pathlib.Path(folder).iterdir())
            self.assertEqual(len(files), len(trace.frames))
            for frame, file in enumerate(files):
                image = trace.picture(trace.frame_shown(frame))
                expected = png(file)
                array = image.array
                self.assertEqual((array.shape, array.dtype), ((image.height, image.width, 4), numpy.uint8))
                numpy.testing.assert_array_equal(array[..., :3], expected[..., :3])
                self.assertGreater(array.std(), 1.0)

    def test_contents_are_arrays(self):
        with afterimage.open(TRACE) as trace:
            shown = trace.frame_shown(0)
            kinds = set()
            for name in trace.state(shown, "texture"):
                for image in trace.texture(shown, int(name)):
                    array = image.array
                    self.assertEqual(array.size * array.dtype.itemsize, len(image.data))
                    self.assertEqual(list(array.shape), image.shape)
                    kinds.add(str(array.dtype))
            self.assertIn("float32", kinds)
            upload = next(call for call in trace.calls() if call.name == "glBufferData")
            bound = [call for call in trace.calls(0, upload.command) if call.name == "glBindBuffer"][-1]
            data = upload.arguments[2]
            expected = data.data if data.blob is None else trace.blob(data.blob)
            self.assertEqual(trace.buffer(upload.command, int(bound["buffer"])), expected)
            with self.assertRaisesRegex(afterimage.Error, "there is no texture 4000"):
                trace.texture(shown, 4000)

    def test_histories_are_those_of_the_command(self):
        with afterimage.open(TRACE) as trace:
            own = trace.history(20, 20, depth=1, min_weight=0.01)
            after = trace.history(20, 20, command=trace.frame_shown(0), depth=0, vertices=False)
            with self.assertRaises(ValueError):
                trace.history(20, 20, frame=0, command=7)
        expected = command("history", "--pixel", "20,20", "--depth", 1, "--min-weight", 0.01)
        del expected["seconds"]
        # Not assertEqual, which would take minutes to describe a difference.
        self.assertTrue(own == expected, {key for key in expected if own.get(key) != expected[key]})
        self.assertGreater(len(own["nodes"]), 1)
        self.assertTrue(own["rows"])
        self.assertEqual(after["pixel"], [20, 20])

    def test_values_are_those_of_the_rust_example(self):
        expected = subprocess.run(
            [PROGRAMS / "examples" / "pixel", TRACE, "20,20"], stdout=subprocess.PIPE, check=True, text=True
        ).stdout.splitlines()
        lines = []
        agreements = {None: "", "equal": "  as measured", "within": "  as measured, but for rounding"}
        with afterimage.open(TRACE) as trace:
            stop = trace.enter_pixel(20, 20)
            lines.append(stop.invocation)
            while not stop.ended:
                lines.append(f"{stop.line:4}  {stop.text}")
                stop = trace.step("over")
                for one in trace.variables("locals"):
                    lines.append(f"      {one.name} = {one.emulated}{agreements[one.agreement]}")
        self.assertEqual(lines, [line for line in expected if not line.startswith("      reads what")])
        self.assertGreater(len(lines), 6)

    def test_the_example_runs(self):
        words = [sys.executable, ROOT / "examples/pixel.py", TRACE, "20", "20"]
        text = subprocess.run(words, stdout=subprocess.PIPE, check=True, text=True).stdout
        self.assertIn("fragment 20,20 of", text)
        self.assertIn("as measured", text)

    def test_the_examples_of_the_page_run(self):
        text = (ROOT / "docs/library.md").read_text()
        blocks = [block.split("```")[0] for block in text.split("```python\n")[1:]]
        self.assertTrue(blocks)
        for block in blocks:
            # The trace of the page is one of the repository; its pixel is within that.
            code = block.replace("game.aftr", str(TRACE)).replace("200, 60", "20, 20").replace("60, 200", "20, 20")
            done = subprocess.run([sys.executable, "-c", code], stdout=subprocess.PIPE, check=True, text=True)
            self.assertIn("events made the pixel", done.stdout)
            self.assertIn("equal", done.stdout)

    def test_the_debugger_goes_both_ways(self):
        with afterimage.open(TRACE) as trace:
            first = trace.enter_pixel(20, 20)
            self.assertEqual((first.reason, first.stage, first.depth), ("entry", "fragment", first.depth))
            second = trace.step("over")
            trace.set_breakpoints(second.source, [(second.line, "true")])
            self.assertEqual(trace.step("to_start").time, first.time)
            hit = trace.step("continue")
            self.assertEqual((hit.reason, hit.line), ("breakpoint", second.line))
            with self.assertRaisesRegex(afterimage.Error, "nothing can stop"):
                trace.set_breakpoints(second.source, [(second.line, "1 +")])
            trace.set_breakpoints(second.source, [])
            self.assertEqual(trace.step("back_over").line, first.line)
            self.assertEqual(trace.here().time, first.time)
            self.assertEqual([frame.function for frame in trace.stack()], ["main"])
            self.assertIn("main", trace.source().text)
            self.assertEqual(trace.source().id, second.source)
            self.assertIn(trace.source().text, [source.text for source in trace.sources(first.command)])
            value = trace.evaluate("vec2(1.0, 0.0) / vec2(4.0, 0.0)")
            self.assertEqual((value.numbers[0], value.children), (0.25, 2))
            self.assertTrue(numpy.isnan(value.numbers[1]))
            self.assertEqual([part.numbers for part in trace.children("vec2(3.0, 4.0)")], [[3.0], [4.0]])
            with self.assertRaisesRegex(afterimage.Error, "no_such_variable"):
                trace.evaluate("no_such_variable")
            vertex = trace.enter_vertex(first.command, 0)
            self.assertEqual(vertex.stage, "vertex")

    def test_invocations_are_searched(self):
        with afterimage.open(TRACE) as trace:
            stop = trace.enter_pixel(20, 20)
            draws = [draw["command"] for draw in trace.draws(0)]
            dumped = command("info")["draws"]
            self.assertEqual(draws, [draw["command"] for draw in dumped if draw["frame"] == 0])
            hits = trace.search_breakpoint(stop.source, stop.line, frame=0, condition="gl_FragCoord.x < 2.0", most=3)
            self.assertEqual((len(hits["first"]), hits["problems"]), (3, []))
            entered = trace.enter(hits["first"][0]["choice"])
            self.assertEqual((entered.reason, entered.stage), ("entry", "fragment"))
            self.assertTrue(entered.invocation.startswith(("fragment 0,", "fragment 1,")), entered.invocation)
            with self.assertRaisesRegex(ValueError, "this is no invocation"):
                trace.enter({"pixel": {}})

    def test_what_if_and_why(self):
        with afterimage.open(TRACE) as trace:
            stop = trace.enter_pixel(20, 20)
            name = trace.step("over") and trace.variables("locals")[0].name
            self.assertEqual(trace.last_write(name)["new"], trace.evaluate(name).emulated)
            before = trace.evaluate(name).numbers
            trace.watch([name])
            hit = trace.step("continue")
            self.assertEqual((hit.reason, hit.detail.split(" was ")[0]), ("data", name))
            trace.watch([])
            with self.assertRaisesRegex(afterimage.Error, "no_such_variable cannot be watched"):
                trace.watch(["no_such_variable"])
            trace.step("to_start")
            self.assertEqual(len(trace.reads()[0]["texels"][0]["at"]), 2)
            inner = trace.step_into_read(0, 0)
            self.assertEqual((inner.reason, inner.pass_number), ("pass", 1))
            self.assertEqual(trace.step("out").pass_number, 0)
            trace.step("over")
            self.assertIsInstance(trace.findings(), list)
            trace.set_variable(name, "vec3(0.5)")
            self.assertEqual(trace.evaluate(name).numbers, [0.5] * 3)
            trace.enter_pixel(20, 20)
            trace.step("over")
            self.assertEqual(trace.evaluate(name).numbers, before)
            with self.assertRaises(afterimage.Error):
                trace.set_uniform("no_such_uniform", [1.0])
            self.assertEqual(trace.undo_changes().command, stop.command)
            self.assertEqual(trace.find_nan(frame=0)["frame"], 0)

    def test_a_closed_trace_says_so(self):
        with afterimage.open(TRACE) as trace:
            pass
        with self.assertRaisesRegex(afterimage.Error, "the trace is closed"):
            trace.picture(10)
        self.assertEqual(trace.call(0).command, 0)

    def test_another_program_is_no_worker(self):
        with afterimage.open(TRACE, worker="/bin/true") as trace:
            with self.assertRaisesRegex(afterimage.Error, "did not become one"):
                trace.picture(10)

    def test_ctrl_c_ends_a_question(self):
        # A shell starts programs in the background with the signal ignored, and Python then leaves it so.
        handler = signal.signal(signal.SIGINT, signal.default_int_handler)
        self.addCleanup(signal.signal, signal.SIGINT, handler)
        with tempfile.TemporaryDirectory() as folder:
            path = pathlib.Path(folder) / "long.aftr"
            demo = [PROGRAMS / "trials", "--frames", "2", "--size", "64x48", "--rounds", "50000000"]
            record = [PROGRAMS / "afterimage", "record", "-q", "-o", path, "--", *demo]
            subprocess.run(record, check=True, stdout=subprocess.DEVNULL)
            with afterimage.open(path) as trace:
                before = trace.enter_pixel(33, 25)
                timer = threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGINT))
                timer.start()
                begin = time.monotonic()
                with self.assertRaises(KeyboardInterrupt):
                    trace.step("to_end")
                    time.sleep(1)
                    self.fail("the question ended before it could be interrupted")
                self.assertLess(time.monotonic() - begin, 5.0)
                # It can be used as before.
                self.assertGreaterEqual(trace.here().time, before.time)
                self.assertEqual(trace.step("to_start").time, before.time)


if __name__ == "__main__":
    unittest.main(verbosity=2)
