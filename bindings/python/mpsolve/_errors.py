"""Exceptions for the codes of mpsolve.h."""

import re


class MpsolveError(Exception):
    """Base of all errors of mpsolve."""


class UsageError(MpsolveError, ValueError):
    """An unknown option, a wrong value, or options that contradict each other."""


class InputError(MpsolveError, ValueError):
    """An invalid matrix or vector: wrong sizes, NaN, a row of zeros."""


class MemoryOrFileError(MpsolveError, RuntimeError):
    """Not enough memory, or a file that cannot be read or written."""


class DeviceError(MpsolveError, RuntimeError):
    """The device is not available."""


class InternalError(MpsolveError, RuntimeError):
    """A fault of mpsolve."""


class NotConvergedError(MpsolveError, ArithmeticError):
    """A solve with raises=True did not converge. Has the best ``x`` found and the ``report``."""

    def __init__(self, text, x, report):
        super().__init__(text)
        self.x, self.report = x, report

    def __reduce__(self):  # for pickle
        return type(self), (self.args[0], self.x, self.report)


CONVERGED, FAILURE, USAGE, NOT_CONVERGED, INPUT, NO_DEVICE, INTERNAL, INTERRUPTED = 0, 1, 2, 3, 4, 5, 70, 130

_classes = {FAILURE: MemoryOrFileError, USAGE: UsageError, INPUT: InputError, NO_DEVICE: DeviceError}


def error(code, text):
    """Returns the exception for a code without an x."""
    return _classes.get(code, InternalError)(_keywords(text))


def verdict(report):
    """Returns the reason of a report, and its advice if it has any."""
    return _keywords(": ".join(filter(None, (report["reason"], report.get("advice")))))


def _keywords(text):
    """Calls flags by the names that they have as keywords."""
    return re.sub(r"(?<![\w-])--([a-z][a-z-]*)", lambda flag: flag[1].replace("-", "_"), text)
