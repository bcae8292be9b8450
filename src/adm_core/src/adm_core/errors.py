"""Errors that users can act on. The command line prints them as one line, exit code 2."""


class AdmError(Exception):
    """Base of every expected error of this library."""

    exit_code = 2


class ConfigError(AdmError, ValueError):
    """A parameter is missing, unknown or out of its range."""


class MapError(AdmError, ValueError):
    """A map file is missing, malformed or unusable."""


class MissionError(AdmError):
    """A mission cannot be set up or has to be held."""


class AuditError(AdmError):
    """The audit log cannot be read or written."""


class LlmError(AdmError):
    """A language model endpoint, its key or a recording of it cannot be used."""


class KernelImportError(AdmError, ImportError):
    """A compiled kernel is missing: there is no silent slow fallback."""
