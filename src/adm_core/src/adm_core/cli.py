"""Command ``adm``: a light parser; every sub-command imports its work only when it runs."""

from __future__ import annotations

import argparse
import sys
from importlib.metadata import entry_points
from types import ModuleType

from adm_core import __version__
from adm_core.errors import AdmError
from adm_core.files import visible

GROUP = "adm_core.commands"
#: Commands of the ROS 2 packages: named here so that a plain install can say what is missing.
ROS_COMMANDS = dict.fromkeys(("up", "record", "replay", "bridge", "twin"), "adm_nodes")


class _Version(argparse.Action):
    """Print the version and prove that the compiled kernels load."""

    def __init__(self, option_strings: list[str], dest: str) -> None:
        super().__init__(option_strings, dest, nargs=0, help="version and compiled kernels")

    def __call__(self, parser: argparse.ArgumentParser, *_: object) -> None:
        from adm_core import _kernels

        names = [name.rsplit(".", 1)[1] for name in _kernels.load_all()]
        print(f"adm {__version__} (compiled kernels: {', '.join(names)})")
        parser.exit()


def load_commands() -> dict[str, ModuleType]:
    """Return the installed sub-commands: name to module with HELP, configure and run.

    One that does not import (a plug-in half installed) costs a warning, not the other commands.
    """
    found = {}
    for entry in sorted(entry_points(group=GROUP), key=lambda item: item.name):
        try:
            found[entry.name] = entry.load()
        except Exception as err:
            reason = f"{type(err).__name__}: {err}"
            print(f"adm: command '{entry.name}' is left out: {reason}", file=sys.stderr)
    return found


def make_parser(commands: dict[str, ModuleType], chosen: str = "") -> argparse.ArgumentParser:
    """Return the parser with one sub-parser per command; only `chosen` gets its options.

    Options come from config dataclasses, whose modules load the numerical libraries: the other
    commands, and ``adm --help``, do not wait for them.
    """
    parser = argparse.ArgumentParser(
        prog="adm",
        description="Long robot missions from a sentence: dynamic memory, planning, search.",
        epilog="example: adm mission --scenario DN-14 --seed 0",
    )
    parser.add_argument("--version", action=_Version)
    commands_parser = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, module in commands.items():
        sub = commands_parser.add_parser(
            name,
            help=module.HELP,
            description=module.HELP,
            epilog=getattr(module, "EXAMPLES", None),
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        if name == chosen:
            module.configure(sub)
        sub.set_defaults(run=module.run)
    return parser


def main(argv: list[str] | None = None) -> int:
    """Run ``adm`` and return its exit code: 0 done, 1 not achieved, 2 refused, 130 interrupted."""
    args = list(sys.argv[1:] if argv is None else argv)
    try:
        commands = load_commands()
        if args and args[0] in ROS_COMMANDS and args[0] not in commands:
            raise AdmError(
                f"'adm {args[0]}' belongs to the ROS 2 package '{ROS_COMMANDS[args[0]]}': run "
                "'make setup', then '. scripts/env.sh'"
            )
        if not args:
            make_parser(commands).print_help()
            return 2
        chosen = next((word for word in args if not word.startswith("-")), "")
        parsed = make_parser(commands, chosen).parse_args(args)
        return int(parsed.run(parsed))
    except AdmError as err:
        print(visible(f"adm: {err}"), file=sys.stderr)
        return err.exit_code
    except KeyboardInterrupt:
        print("adm: interrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:
        return 141
    except OSError as err:  # a full disk, a file that vanished: nothing a trace would explain
        print(visible(f"adm: {err}"), file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
