"""Steps through the invocation that made a pixel of a trace, and prints the values of its variables. It does what
examples/pixel.rs does, from Python:

    python examples/pixel.py pearl.aftr 200 60
"""

import sys

import afterimage

AGREEMENT = {
    None: "",
    "equal": "  as measured",
    "within": "  as measured, but for rounding",
    "divergent": "  not as measured",
}


def main(path, x, y):
    with afterimage.open(path) as trace:
        stop = trace.enter_pixel(int(x), int(y))
        print(stop.invocation)
        while not stop.ended:
            print(f"{stop.line:4}  {stop.text}")
            stop = trace.step("over")
            for one in trace.variables("locals"):
                value = one.emulated or one.measured or "no value"
                print(f"      {one.type_name} {one.name} = {value}{AGREEMENT[one.agreement]}")


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit("usage: pixel.py TRACE X Y, for example game.aftr 320 200")
    try:
        main(*sys.argv[1:])
    except afterimage.Error as error:
        sys.exit(f"pixel.py: {error}")
