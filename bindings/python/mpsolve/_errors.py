"""What the codes of mpsolve.h are in Python."""


class MpsolveError(Exception):
    """Base of all errors of mpsolve."""


class UsageError(MpsolveError, ValueError):
    """An unknown option, a value that it does not take, or options that do not suit each other."""


class InputError(MpsolveError, ValueError):
    """A matrix or vector that cannot be solved with: its form, NaN, a row of zeros."""


class MemoryOrFileError(MpsolveError, RuntimeError):
    """Not enough memory, or a file that cannot be read or written."""


class DeviceError(MpsolveError, RuntimeError):
    """The device is not there."""


class InternalError(MpsolveError, RuntimeError):
    """A fault of mpsolve."""


class NotConvergedError(MpsolveError, ArithmeticError):
    """The solve did not converge, and was asked to raise then. Has the best ``x`` found and the ``report``."""

    def __init__(self, text, x, report):
        super().__init__(text)
        self.x, self.report = x, report


CONVERGED, FAILURE, USAGE, NOT_CONVERGED, INPUT, NO_DEVICE, INTERNAL, INTERRUPTED = 0, 1, 2, 3, 4, 5, 70, 130

_classes = {FAILURE: MemoryOrFileError, USAGE: UsageError, INPUT: InputError, NO_DEVICE: DeviceError}


def error(code, text):
    """The exception for a code that has no x."""
    return _classes.get(code, InternalError)(text)
