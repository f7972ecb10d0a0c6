"""The command line: `sciql --help` lists what there is.

Every command is a frozen dataclass whose fields are its arguments and whose `run` does the work. A user's mistake
becomes one sentence on stderr and exit code 2. Heavy libraries are imported inside `run`, so that help is instant.
"""

import os
import sys
from collections.abc import Sequence

from sciql.errors import SciqlError

MISTAKE = 2
INTERRUPTED = 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return the exit code of the process."""
    command = None
    try:
        from sciql.cli.arguments import parse

        command = parse(sys.argv[1:] if arguments is None else arguments)
        return command.run()
    except SciqlError as mistake:
        return _say(str(mistake), MISTAKE)
    except KeyboardInterrupt:
        hint = command.after_interrupt() if command else ""
        return _say(f"interrupted{hint}", INTERRUPTED)
    except BrokenPipeError:
        # The reader of our output, such as `head`, has gone: nothing is left to say. stdout must not fail at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as problem:
        sentence = sentence_of(problem)
        if sentence is None:
            raise
        return _say(sentence, MISTAKE)


def _say(sentence: str, code: int) -> int:
    print(f"sciql: {sentence}", file=sys.stderr)
    return code


def sentence_of(problem: OSError) -> str | None:
    """What the operating system refused, for the refusals that a user can mend."""
    import errno

    from sciql.files import REMEDIES

    remedies = REMEDIES | {
        errno.EISDIR: "this is a folder; name a file",
        errno.ENAMETOOLONG: "the name is too long; choose a shorter one",
    }
    if problem.errno not in remedies:
        return None
    where = f"{problem.filename}: " if problem.filename else ""
    return f"{where}{remedies[problem.errno]}"
