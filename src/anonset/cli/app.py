"""The program: its commands, loaded when they are needed, and how their help is laid out."""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

import click

from anonset import __version__
from anonset.cli.errors import PROGRAM
from anonset.cli.options import OWN, PANELS, Option, OptionGroup, OutputOptions
from anonset.cli.output import start_log
from anonset.plugins import COMMAND_GROUP, Plugin, plugins

SECTIONS = {  # the commands, by the module of this package that has them, under the title of their section in the help text
    "publish": ("Publish", ("init", "run", "anonymize", "recommend")),
    "inputs": ("Prepare", ("profile", "hierarchy", "policy", "sample")),
    "checks": ("Check a release or a table", ("verify", "attack", "audit", "explain", "check", "sums")),
    "measures": ("Measure and compare", ("measure", "workload", "report", "compare")),
    "recipients": ("Use a release", ("count", "export")),
    "service": ("Other", ("algorithms", "demo", "serve", "warm", "completion")),
    "accounts": ("People and teams", ("accounts",)),
}
COMMANDS = {name: module for module, (_, names) in SECTIONS.items() for name in names}
DEPRECATED = {"query": "measures"}  # still run, and no longer listed
LINE = f"{__name__}.line"  # where a context keeps the command line that runs


class CommandHelp(click.HelpFormatter):
    """Help text with titles that stand out on a terminal."""

    def write_heading(self, heading: str) -> None:
        """Write the title of a section."""
        super().write_heading(click.style(heading, bold=True))


class CommandContext(click.Context):
    """The context of a command."""

    formatter_class = CommandHelp


class Command(click.Command):
    """A command whose options are listed in panels; each of its `groups` of options arrives as one value."""

    context_class = CommandContext

    def __init__(self, *args: Any, groups: Mapping[str, type[OptionGroup]], **attributes: Any) -> None:
        super().__init__(*args, **attributes)
        self.groups = dict(groups)
        self.params += [option for group in groups.values() for option in group.options()]

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command with its groups of options; start the log where it has one."""
        for name, group in self.groups.items():
            ctx.params[name] = value = group.take(ctx.params)
            if isinstance(value, OutputOptions):
                start_log(ctx.command_path.removeprefix(f"{PROGRAM} "), value.log_level, value.log_file)
        return super().invoke(ctx)

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options, those of a panel together."""
        panels: dict[str, list[tuple[str, str]]] = {panel: [] for panel in PANELS}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if isinstance(parameter, click.Option) and record is not None:
                panels[parameter.panel if isinstance(parameter, Option) else OWN].append(record)
        for panel, records in panels.items():
            if records:
                with formatter.section(panel):
                    formatter.write_dl(records)


class CommandGroup(click.Group):
    """A command with commands below it."""

    context_class = CommandContext


class Program(CommandGroup):
    """The program; a command's module is imported when the command is used or listed."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of all commands, ours first."""
        return [*COMMANDS, *_added()]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return a command by its name."""
        module = COMMANDS.get(cmd_name) or DEPRECATED.get(cmd_name)
        if module is not None:
            command: click.Command = getattr(import_module(f"anonset.cli.{module}"), cmd_name)
            return command
        plugin = _added().get(cmd_name)
        return None if plugin is None else plugin.load()

    def resolve_command(self, ctx: click.Context, args: list[str]) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the command that is typed; suggest similar ones where there is none."""
        try:
            return super().resolve_command(ctx, args)
        except click.NoSuchCommand as error:
            raise click.NoSuchCommand(error.command_name, possibilities=self.list_commands(ctx), ctx=ctx) from None

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands by section."""
        sections = [*SECTIONS.values(), ("From other packages", tuple(_added()))]
        for title, names in sections:
            if names:
                with formatter.section(title):
                    formatter.write_dl([(name.ljust(10), self._summary(ctx, name)) for name in names])

    def _summary(self, ctx: click.Context, name: str) -> str:
        """Return the line of a command; a plug-in that cannot be loaded does not keep the others from being listed."""
        try:
            command = self.get_command(ctx, name)
        except Exception as error:
            return f"(cannot be loaded: {type(error).__name__})"
        return "" if command is None else command.get_short_help_str(limit=200)


def _added() -> dict[str, Plugin]:
    """Return the commands that other distributions add; ours cannot be replaced."""
    return {plugin.id: plugin for plugin in plugins(COMMAND_GROUP) if plugin.id not in COMMANDS}


def command(summary: str, **groups: type[OptionGroup]) -> Callable[[Callable[..., None]], Command]:
    """Make a function a command: its docstring is the help text, `summary` its line in the list of commands.

    For each group of options the function has a parameter of the name given here, which receives the group's values.
    """
    return click.command(cls=Command, short_help=summary, groups=groups)


def typed_line() -> str:
    """Return the command line that runs, as it can be typed again, without passwords."""
    line: str = click.get_current_context().meta.get(LINE, "")
    return line


def _print_version(ctx: click.Context, parameter: click.Parameter, value: bool) -> None:
    if value:
        print(f"{PROGRAM} {__version__}")
        ctx.exit()


program = Program(
    PROGRAM,
    help="Publish tables about persons, with sets of items, under a guarantee that is proven on the written file.",
    no_args_is_help=True,
    context_settings={"help_option_names": ["-h", "--help"], "show_default": True, "max_content_width": 110},
    params=[
        click.Option(
            ["--version"],
            is_flag=True,
            is_eager=True,
            expose_value=False,
            callback=_print_version,
            help="Print the version and exit.",
        )
    ],
)


def run(words: list[str], line: str) -> int:
    """Parse a command line and run its command; return the exit code. `line` is what the command calls itself in a report."""
    try:
        with program.make_context(PROGRAM, words) as context:
            context.meta[LINE] = line
            program.invoke(context)
    except click.exceptions.Exit as ended:
        return ended.exit_code
    return 0


def complete(instruction: str, variable: str) -> int:
    """Print what a shell asks for to complete a line; return the exit code."""
    from click.shell_completion import shell_complete

    return shell_complete(program, {}, PROGRAM, variable, instruction)
